"""What the library says, in the words of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from contextlib import suppress

#: What sentences of the library name -> how it is said in a shell. ``\\1`` is what was found.
_PHRASES = {
    # Which models it takes stands in a profile only.
    r"Policy\(mode=\"restricted\"\)": "--mode full, or a profile with a write_allowlist",
    r"Policy\(mode=\"(\w+)\"\)": r"--mode \1",
    r", or connect your script with Policy\(protect=False\)": "",
    r"connect(?: it)? with a Policy that closes": "use a profile that closes",
    r"Policy\((\w+)=\.\.\.\)": r"\1 in the profile",
    r"Give connect the path of a file as its change history": (
        "Set ODOO_HISTORY to auto or to the path of a file, or history in the profile"
    ),
    r"undo\(entry=(\d+)\)": r"odoo-toolkit undo \1",
    r"iterate\(\) and search_read\(\) give": "odoo-toolkit search gives",
    r"\b(?:read_csv )?case_sensitive=False": "--ignore-case",
    r", or None for a column to leave out": ", or --column HEADER= for one to leave out",
    r"\bcolumns=evolve": "no --freeze",
    r"\bdecimals=False": "--no-decimals",
    r"\bPass null to empty it": "Leave out what is behind = to empty it",
    r"(?:,| ) or null to empty it": ", or nothing behind = to empty it",
}
_COMMANDS = {
    "export": "export",
    "fields_get": "fields",
    "list_models": "models",
    "list_reports": "report --list",
    "search_read": "search",
    "upsert": "import",
}
_COMMAND = re.compile(rf"\b({'|'.join(_COMMANDS)})\b(\(\))?")
_ARGUMENT = re.compile(
    r"(?:\bread_csv )?\b([a-z_]+)=(\{\}|\{.*?\}+|'[^']*'|\"[^\"]*\"|[\w-]+(?:\.\w+)*|)"
)
#: What stands in a list: ``lines[1].product_id``.
_LINE = re.compile(r"\b([a-z_]+)\[(\d+)\](?:\.([a-z_]+))?")
#: The name of an argument, which is no English word, and the same option twice.
_NAME = re.compile(r"(?<![\w.-])[a-z]+(?:_[a-z]+)+\b(?!\.\w|\()")
_TWICE = re.compile(r"(--[\w-]+)(?:,? (?:or|and) | \(or )\1\b")


def in_shell(text: str, options: Mapping[str, str]) -> str:
    """Return a sentence of the library as somebody at a shell writes what it names.

    >>> in_shell("Give encoding='cp1252', or upsert.", {"encoding": "--encoding"})
    'Give --encoding cp1252, or odoo-toolkit import.'

    Args:
        text: what an error, a warning or a plan says.
        options: argument -> option, of the command that runs.
    """
    for phrase, words in _PHRASES.items():
        text = re.sub(phrase, words, text)
    text = _COMMAND.sub(_command, text)
    text = _ARGUMENT.sub(lambda found: _option(found, options), text)
    text = _LINE.sub(lambda found: _line(found, options), text)
    text = _NAME.sub(lambda found: options.get(found[0], found[0]), text)
    return _TWICE.sub(r"\1", text)


def _command(found: re.Match[str]) -> str:
    # "export" alone is an English word.
    word = found[1] == "export" and not found[2]
    return found[0] if word else f"odoo-toolkit {_COMMANDS[found[1]]}"


def _line(found: re.Match[str], options: Mapping[str, str]) -> str:
    """Return which line is meant, by its number from 1."""
    if found[1] not in options:
        return found[0]
    number = int(found[2]) + 1
    line = f"line {number}" if found[1] == "lines" else f"{options[found[1]]} number {number}"
    return f"{found[3]} of {line}" if found[3] else line


def _option(found: re.Match[str], options: Mapping[str, str]) -> str:
    option = options.get(found[1])
    if option is None:
        return found[0]
    value = found[2]
    if value in ("True", ""):
        return option
    pairs = [value.strip("'\"")]
    if value.startswith("{"):
        with suppress(ValueError, SyntaxError):
            pairs = _pairs(ast.literal_eval(value))
    return " ".join(f"{option} {_quoted(pair)}" for pair in pairs)


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"\w[\w.:=-]*", text) else f"'{text}'"


def _pairs(values: Mapping[str, object]) -> list[str]:
    """Return ``NAME=VALUE`` of each; of texts by field, ``FIELD:TEXT=VALUE``."""
    return [
        f"{name}:{pair}" if isinstance(value, dict) else f"{name}={value or ''}"
        for name, value in values.items()
        for pair in (_pairs(value) if isinstance(value, dict) else [""])
    ]
