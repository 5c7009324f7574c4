"""The reference of the settings, from the classes that read them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import attrs

from docs.builder.tables import table
from odoo_toolkit.configuration import comma_list, id_list
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit_mcp.accounts.team import Team
from odoo_toolkit_mcp.settings import ServerSettings

_INTRODUCTION = """# Settings

Set an environment variable, or write the same name in lower case into a JSON file:

```sh
export ODOO_URL=https://example.odoo.com ODOO_TIMEOUT=10
odoo-toolkit-mcp --config settings.json          # {"odoo_timeout": 10}
```

An option on the command line or a keyword, such as `connect(timeout=10)`, wins over the
environment, and the environment over the file. Booleans are true, 1, yes, on, or false, 0, no, off.
Separate lists with commas. If settings are wrong, the error lists all problems. A
[team server](../team-rules.md) reads `team.toml` instead.
"""

_LISTS = {comma_list: "words separated by commas", id_list: "ids separated by commas"}

#: What most parsers refuse, in words that say what they take.
_WRONG = ("no such value?", "/*", ["no text"], -(10**18), 10**18)


def pages() -> dict[str, str]:
    """Return the page by its file name."""
    parts = [
        _INTRODUCTION,
        "## The connection\n",
        table(("variable", "keyword", "takes", "default", ""), _rows(ConnectionSettings)),
        "## The MCP server\n",
        table(("variable", "takes", "default", ""), (row[:1] + row[2:] for row in _server())),
        "## team.toml\n",
        "The settings at the top of the file; [](../team-rules.md) explains the others.\n",
        table(("setting", ""), _team()),
    ]
    return {"settings.md": "\n".join(parts)}


def _server() -> Iterator[tuple[str, ...]]:
    return _rows(ServerSettings)


def _team() -> Iterator[tuple[str, ...]]:
    for name, words in attributes(Team).items():
        if name not in ("instances", "server"):
            yield f"`{name}`", words


def _rows(cls: type) -> Iterator[tuple[str, ...]]:
    said = attributes(cls)
    if unsaid := [field.name for field in attrs.fields(cls) if field.name not in said]:
        raise SystemExit(f"The docstring of {cls.__name__} says nothing of {', '.join(unsaid)}.")
    for field in attrs.fields(cls):
        secret = "; shown nowhere" if field.metadata["secret"] else ""
        yield (
            f"`{field.metadata['env']}`",
            f"`{field.name}`",
            _takes(field.metadata["parse"]) + secret,
            _default(field.default),
            said[field.name],
        )


def attributes(cls: type) -> dict[str, str]:
    """Return what the docstring of a class says of its attributes."""
    text = (inspect.getdoc(cls) or "").partition("Attributes:\n")[2]
    said: dict[str, str] = {}
    for names, words in re.findall(r"^    ([\w, ]+): (.*(?:\n        .*)*)", text, re.MULTILINE):
        for name in names.split(","):
            said[name.strip()] = " ".join(words.replace("``", "`").split())
    return said


def _takes(parse: Any) -> str:
    """Return what a setting takes: what its parser says of something that it does not take."""
    if parse in _LISTS:
        return _LISTS[parse]
    said = list(filter(None, (_refusal(parse, wrong) for wrong in _WRONG)))
    numbers = {words for words in said if words.startswith(("a whole number", "a number"))}
    bounds = [words for words in said if words.startswith(("at least", "from"))]
    return ", ".join([*numbers, *bounds[:1]]) or (said[0] if said else "")


def _refusal(parse: Any, wrong: Any) -> str:
    """Return the words in which a parser says what it takes instead; none where it takes it."""
    try:
        parse(wrong)
    except ValueError as error:
        words = re.sub(r"^must (be |list |have )", "", str(error))
        return re.split(r", (?:not|got|but there|and ')|; |\. ", words)[0].rstrip(".")
    return ""


def _default(value: Any) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"
