"""Sentences of the library in the words of the command line."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import odoo_toolkit
from odoo_toolkit.cli.commands import COMMANDS, commands
from odoo_toolkit.cli.in_shell import in_shell
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]

#: What the commands are made of; apps and plugins have none.
REACHED = (
    "arguments",
    "dlt",
    "change_history",
    "policy",
    "records",
    "undoing",
    "values",
    "*.py",
)
#: Not for a shell: what is written in Python.
ELSEWHERE = (
    "records/arrow*.py",
    "records/changes.py",
    "records/cursors.py",
    "records/progress_bar.py",
)
ELSEWHERE += ("connect.py", "batching.py", "notebook/models.py", "records/importing/results.py")
PYTHON = re.compile(
    r"Policy\(|\b\w+\(\)|\b[a-z_]{3,}=(?:True|False|None|'|\"|\{|[ .,]|$)|\bconnect the"
)


@functools.cache
def options() -> dict[str, str]:
    """Return the options of all commands, by argument."""
    context = click.Context(commands)
    found = [commands.get_command(context, name) for name in COMMANDS]
    parameters = [one for command in found if command for one in command.params]
    return {one.name: one.opts[0] for one in parameters if one.name and one.opts[0][:1] == "-"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Give encoding= as the file has it.", "Give --encoding as the file has it."),
        (
            "Such as separator=';' or separator='\\t'.",
            "Such as --separator ';' or --separator '\\t'.",
        ),
        ("Give read_csv decimal= as", "Give --decimal as"),
        (
            'values={"country_id": {"Deutschland": "Germany"}}',
            "--value country_id:Deutschland=Germany",
        ),
        ("columns={'Town': None}", "--column Town="),
        ("pass notify=True", "pass --notify"),
        ('It needs full mode: Policy(mode="full").', "It needs full mode: --mode full."),
        (
            "Take it off: Policy(field_blocklist=...).",
            "Take it off: field_blocklist in the profile.",
        ),
        ("undo(entry=7) takes it back", "odoo-toolkit undo 7 takes it back"),
        ("Look for it with search_read on it", "Look for it with odoo-toolkit search on it"),
        ("This export has state=sale", "This export has state=sale"),
    ],
)
def test_what_a_sentence_names_is_written_as_in_a_shell(said: str, meant: str) -> None:
    assert in_shell(said, options()) == meant


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a module that errors and warnings may say."""
    tree = ast.parse(path.read_text("utf-8"))
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        said = [*call.args, *(word.value for word in call.keywords if word.arg != "help")]
        if not re.search(r"rror|warn|append", ast.unparse(call.func)):
            continue
        for text in (node for one in said for node in ast.walk(one) if id(node) not in parts):
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and " " in text.value:
                yield text.value
            elif isinstance(text, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "7"
                    for part in text.values
                )


def test_no_sentence_that_a_command_says_is_python() -> None:
    root, wrong = Path(odoo_toolkit.__file__).parent, list[tuple[str, str]]()
    reached = {
        p
        for name in REACHED
        for p in (root.glob(name) if "*" in name else (root / name).rglob("*.py"))
    }
    for path in sorted(reached - {p for name in ELSEWHERE for p in root.glob(name)}):
        said = (in_shell(text, options()) for text in sentences(path))
        wrong += [(path.name, text) for text in said if PYTHON.search(text)]
    assert not wrong


def test_an_error_of_a_command_names_its_options(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "contacts.csv"
    file.write_bytes("name,email\nJosé,j@example.com\n".encode("cp1252"))
    result = run("import", "res.partner", str(file), "--key", "email")
    assert "--encoding cp1252" in result.stderr
    assert "encoding=" not in result.stderr
