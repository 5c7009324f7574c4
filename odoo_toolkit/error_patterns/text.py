"""The server's words, made fit for the person or model who called."""

from __future__ import annotations

import re

# From one of these on, a text shows the server's code or SQL.
_INTERNALS = re.compile(
    r'Traceback|File "|\bLINE \d+:|\b(?:DETAIL|CONTEXT|STATEMENT|QUERY|HINT): '
    r"|\bDetail: Key \(|\(Record: "
)
# Names of exceptions and of the modules that they live in.
_CLASS_PREFIX = re.compile(
    r"\b(?:psycopg2|odoo|werkzeug|builtins)\.(?:errors\.|exceptions\.)?(?=[A-Z])"
)


def plain(text: str, longest: int = 500) -> str:
    """Return ``text`` without tracebacks, SQL and empty lines, at most ``longest`` characters."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    text = "\n".join(line for line in lines if line)
    text = _INTERNALS.split(text, maxsplit=1)[0]
    text = _CLASS_PREFIX.sub("", text).replace("psycopg2.", "psycopg2 ").strip()
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
