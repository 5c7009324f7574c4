"""The reference of error codes: what they mean, where they come from, what to do."""

from __future__ import annotations

import re
from collections import defaultdict

from docs.builder.cures import CURES
from docs.builder.tables import table
from odoo_toolkit.error_patterns.by_exception import BY_EXCEPTION
from odoo_toolkit.error_patterns.english import ENGLISH
from odoo_toolkit.error_patterns.table import ANY_LANGUAGE
from odoo_toolkit.errors import CODES

_INTRODUCTION = """# Error codes

Look up what an error means and what to do. Every failure is an {exc}`~odoo_toolkit.OdooError`:

```python
try:
    create(odoo, "res.partner", {"nam": "Ada"})
except OdooError as error:
    print(error.code, error.message, error.suggestion, error.outcome)
```

`retry` says whether the call can succeed later, or after a change. The MCP server returns the same
fields as an object.

| `outcome` | meaning |
|---|---|
| `not_sent` | the request never reached Odoo |
| `refused` | Odoo or the toolkit rejected it before anything ran |
| `rolled_back` | it failed, and Odoo undid all of it |
| `maybe_applied` | unconfirmed: check in Odoo before you call again |

The tables list the messages of Odoo that the toolkit recognises. `{field}` stands for a name.
"""

_TEMPLATE = re.compile(r"\{(\w+)\}")


def pages() -> dict[str, str]:
    """Return the page by its file name."""
    unsaid, unknown = CODES.keys() - CURES.keys(), CURES.keys() - CODES.keys()
    if unsaid or unknown:
        raise SystemExit(f"docs/builder/cures.py: missing {unsaid}, unknown {unknown}")
    rows = (
        (f"[{code}](#{code.lower()})", f"`{of.__name__}`", category, "yes" if retry else "no")
        for code, (category, retry, of) in CODES.items()
    )
    overview = table(("code", "class", "category", "retry"), rows)
    return {"errors.md": "\n".join([_INTRODUCTION, overview, *_sections()])}


def _sections() -> list[str]:
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for pattern in (*ANY_LANGUAGE, *ENGLISH, *BY_EXCEPTION):
        if pattern.say:
            answers[pattern.code].setdefault(pattern.say, pattern.suggest)
    sections = []
    for code in CODES:
        meaning, cure = CURES[code]
        parts = [f"({code.lower()})=\n## {code}\n\n{meaning}\n\n**What to do.** {cure}\n"]
        if code in answers:
            rows = ((_words(say), _words(suggest)) for say, suggest in answers[code].items())
            parts.append(table(("message", "suggestion"), rows))
        sections.append("\n".join(parts))
    return sections


def _words(template: str) -> str:
    """Return a template as Markdown, its places as code."""
    escaped = re.sub(r"([*_<>\[\]])", r"\\\1", template)
    return re.sub(r"\{([\w\\]+)\}", lambda m: "`{" + m[1].replace("\\", "") + "}`", escaped)
