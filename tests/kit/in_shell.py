"""Operations done as commands: ``odoo-toolkit sales confirm-order 42 --yes``."""

from __future__ import annotations

import csv
import functools
import io
import json
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import click

from odoo_toolkit import Connection
from odoo_toolkit.cli import connecting
from odoo_toolkit.cli.commands import commands
from odoo_toolkit.cli.connecting import State
from odoo_toolkit.cli.parameters import Taken, taken_of
from odoo_toolkit_mcp import results
from tests.kit.catalogue import operation


def apps_operation(name: str) -> bool:
    """Return whether the operation of a case is one of an app."""
    return operation(name)[0].__name__.startswith("odoo_toolkit.apps.")


@contextmanager
def done_as_commands(name: str, folder: Path) -> Iterator[list[list[str]]]:
    """Have the operation of a case run as commands: planned, and done.

    Each prints the JSON that the MCP server answers with.

    Args:
        name: of the case.
        folder: for the files that the commands read.

    Yields:
        the words of the commands.
    """
    home, attribute = operation(name)
    original = getattr(home, attribute)
    ran: list[list[str]] = []

    def run(odoo: Connection, *, dry_run: bool, **given: Any) -> Any:
        kept: list[Any] = []

        @functools.wraps(original)
        def operate(odoo: Connection, **arguments: Any) -> Any:
            kept.append(original(odoo, **arguments))
            return kept[-1]

        app = home.__name__.rpartition(".")[2]
        written = words(taken_of(original), given, folder, files=not dry_run)
        if hasattr(original, "plan"):
            written += ["--dry-run" if dry_run else "--yes"]
        ran.append([app, attribute.replace("_", "-"), *written, "--json"])
        with ExitStack() as patches, redirect_stdout(io.StringIO()) as printed:
            patches.enter_context(mock.patch.object(home, attribute, operate))
            for replaced, by in {
                (connecting, "chosen"): lambda *_: None,
                (connecting, "open_odoo"): lambda _: odoo,
                (Connection, "__exit__"): lambda *_: None,
            }.items():
                patches.enter_context(mock.patch.object(*replaced, by))
            # As it is without the end of a process: errors come as they are.
            click.Group.main(commands, ran[-1], standalone_mode=False, obj=State())
        (result,) = kept
        answer = results.success(result).structured_content or {}
        shown = json.loads(printed.getvalue())
        assert {**shown, "undo": None} == {**answer, "undo": None}
        assert shown.get("undo") == answer.get("undo") or not dry_run
        return result

    act = functools.wraps(original)(functools.partial(run, dry_run=False))
    act.plan = functools.partial(run, dry_run=True)  # type: ignore[attr-defined]
    with mock.patch.object(home, attribute, act):
        yield ran


def words(
    taken: Sequence[Taken], given: Mapping[str, Any], folder: Path, *, files: bool = False
) -> list[str]:
    """Return the words by which a command is given the arguments of an operation.

    Args:
        taken: what the command takes.
        given: the arguments.
        folder: for files.
        files: whether lines are in a file, and the first argument has no option's name.
    """
    found: list[str] = []
    left = dict(given)
    for one in taken:
        if one.facts["metavar"] == "FILE" and len(one.arguments) == 1:
            continue
        mine = {name: left.pop(name) for name in one.arguments if name in left}
        if not mine or None in mine.values():
            continue
        value = next(iter(mine.values()))
        if one.facts["metavar"] == "FILE":
            path = folder / mine[one.arguments[1]]
            path.write_bytes(b64decode(mine[one.arguments[0]]))
            found += [one.option, str(path)]
        elif isinstance(value, bool):
            if value or one.facts.get("negative"):
                found.append(one.option if value else f"--no-{one.option[2:]}")
        elif one.facts["metavar"] in ("LINE", "JSON") and one.facts.get("multiple") and files:
            file = next(each for each in taken if each.arguments == one.arguments and each != one)
            found += [file.option, str(_file(value, folder / one.option.strip("-")))]
        else:
            listed = value if isinstance(value, (list, tuple)) else [value]
            texts = [_text(one, item) for item in listed]
            if one.facts["metavar"] == "NAMES":
                texts = [",".join(texts)]
            # A word that begins with a dash would be an option.
            bare = files and one.word and not texts[0].startswith("-")
            found += texts if bare else [word for text in texts for word in (one.option, text)]
    assert not left, left
    return found


def _text(one: Taken, item: Any) -> str:
    """Return a value as it is written; a line of a product as somebody would type it."""
    if not isinstance(item, Mapping):
        return str(item)
    product = item.get("product_id", item.get("product_name"))
    simple = {"product_id", "product_name", "quantity", "price_unit", "discount"}
    if not product or not item.keys() <= simple or one.facts["metavar"] != "LINE":
        return json.dumps(item)
    number = f"{item['quantity']:g} x " if "quantity" in item else ""
    price = f" @ {item['price_unit']:g}" if "price_unit" in item else ""
    discount = f" -{item['discount']:g}%" if "discount" in item else ""
    return f"{number}{product}{price}{discount}"


def _file(lines: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Write lines to a file, whose ending is added: CSV if a table can hold them."""
    plain = all(isinstance(cell, (int, float, str)) for line in lines for cell in line.values())
    path = path.with_suffix(".csv" if plain else ".json")
    if not plain:
        path.write_text(json.dumps(lines), "utf-8")
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*dict.fromkeys(name for line in lines for name in line)])
        table.writeheader()
        table.writerows(lines)
    return path
