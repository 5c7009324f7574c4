"""Each business operation as a command of its own, made from its declaration."""

from __future__ import annotations

import inspect
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from odoo_toolkit.apps.sales import NewLine
from odoo_toolkit.cli import asking
from odoo_toolkit.cli.commands import apps, commands
from odoo_toolkit.cli.lines import keys_of, line_of, lines_of
from odoo_toolkit.cli.operations import App
from odoo_toolkit.cli.output import print_facts
from odoo_toolkit.cli.parameters import taken_of
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.testing import FakeServer
from tests.kit.in_shell import apps_operation, done_as_commands
from tests.kit.recordings import Recordings
from tests.kit.scenarios import names, play_back
from tests.provisioning.releases import RELEASES
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]

kept = cache(Recordings.read)

KEYS = keys_of(NewLine)
ORDER = ("sales", "create-order", "--partner", "7", "--dry-run")


#: Operation -> the newest version that has it: words become arguments in the same way on all.
NEWEST = {name: version for version in sorted(map(int, RELEASES)) for name in names(version)}


@pytest.mark.parametrize("name", [name for name in NEWEST if apps_operation(name)])
def test_a_command_sends_what_its_operation_sends(name: str, tmp_path: Path) -> None:
    """Its dry run and its work are those of the recording; its JSON is that of the tool."""
    version = NEWEST[name]
    with done_as_commands(name, tmp_path) as ran:
        play_back(version, name, kept(version), invariants=False)
    assert {words[-2] for words in ran} == {"--dry-run", "--yes"}


@pytest.mark.parametrize("app", apps())
def test_each_parameter_of_each_operation_is_in_one_option(app: str) -> None:
    """Two of them only for lines, which are written or in a file; the help has each."""
    made = App(app)
    for written, name in made.operations.items():
        function = getattr(made.home, name)
        taken = taken_of(function)
        given = {argument for one in taken for argument in one.arguments}
        assert given == {*list(inspect.signature(function).parameters)[1:]}
        command = made.get_command(click.Context(made), written)
        options = [option for one in command.params for option in (*one.opts, *one.secondary_opts)]
        assert len(options) == len({*options}), (written, options)
        help_text = command.get_help(click.Context(command, info_name=written))
        assert all(one.option in help_text and one.facts["help"] for one in taken), written


# Lines ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2,5 x Cabinet", "'2,5' in the line '2,5 x Cabinet' is not a number"),
        ("Cabinet @ 3.2.1", "'3.2.1'"),
        ("Sales @ home", "in quotes"),
        ("Cabinet @ 3 @ 4", "two values for price_unit"),
        ("{", "not valid JSON"),
    ],
)
def test_a_line_that_cannot_be_read_says_which_part(text: str, said: str) -> None:
    with pytest.raises(click.UsageError, match=said.replace(".", r"\.")):
        line_of(text, KEYS)


def test_a_line_without_prices_takes_none() -> None:
    keys = {name: KEYS[name] for name in ("product_id", "product_name", "quantity")}
    with pytest.raises(click.UsageError, match="takes no price_unit"):
        line_of("2 x Cabinet @ 3", keys)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.csv", "product_id,quantity,name\n7,2.5,\n,,Hi\n", [(7, 2.5, None), (None, None, "Hi")]),
        ("b.csv", 'product_name;name\n"Oak ""A""; x";007\n', [('Oak "A"; x', "007")]),
        ("c.json", '[{"product_id": 7}]', [(7,)]),
        ("d.jsonl", '{"product_id": 7}\n{"product_id": 8}\n', [(7,), (8,)]),
    ],
)
def test_a_file_has_lines_by_the_type_of_their_keys(
    name: str, text: str, lines: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    found = lines_of(str(tmp_path / name), KEYS)
    assert [tuple(row.values()) for row in found] == [
        tuple(value for value in row if value is not None) for row in lines
    ]


def test_lines_may_stand_in_place_of_a_file() -> None:
    assert lines_of('[{"product_id": 7}]', KEYS) == lines_of('{"product_id": 7}', KEYS)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "product_name,quantty\nOak,2\n", "'quantty'. Did you mean quantity?"),
        ("b.csv", "product_name,quantity\nOak,two\n", "Line 1, quantity: 'two' is not a number"),
        ("c.csv", "product_id\nOak\n", "Line 1, product_id: 'Oak' is not a whole number"),
        ("d.csv", "product_id\n", "no rows"),
        ("e.json", '{"product_id": 7}', "no list of lines"),
        ("f.json", "[", "not valid JSON"),
    ],
)
def test_a_file_that_is_wrong_says_which_cell(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ValidationError) as raised:
        lines_of(str(tmp_path / name), KEYS)
    assert said in raised.value.message


# What is given ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("salse", "confirm-order"), "No such command 'salse'"),
        (("sales", "confirm"), "No such command 'confirm'"),
        (("sales", "confirm-order", "S1", "S2"), "unexpected extra argument"),
        (("sales", "confirm-order", "S1", "--order", "S2"), "Pass ORDER or --order, not both."),
        ((*ORDER, "--line", "x", "--lines", "-"), "Pass --line or --lines, not both."),
        (ORDER, "Missing --line or --lines."),
        (("crm", "create-lead", "--dry-run"), "Missing --name."),
        ((*ORDER, "--line", "x", "--colour", "red"), "No such option"),
        (("accounting", "get-report", "sales"), "is not one of 'trial_balance'"),
        (("accounting", "register-payment", "7", "--amount", "-1"), "range x>0"),
        (("sales", "process-orders", "7", "--steps", "confirm,pack"), "'pack' is not one of"),
        (("sales", "confirm-order", "S00042"), "Pass --yes or --dry-run"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    run: Run, server: FakeServer, words: tuple[str, ...], said: str
) -> None:
    result = run(*words)
    assert (result.exit_code, server.sent) == (2, []), result.stderr
    assert said in result.stderr


def test_a_file_that_is_missing_is_named(run: Run) -> None:
    result = run(*ORDER, "--lines", "none.csv")
    assert result.exit_code == 14
    assert "none.csv: No such file" in result.stderr


def test_errors_name_the_options_of_the_command(run: Run) -> None:
    result = run("sales", "confirm-order", "--yes", "--mode", "full")
    assert result.exit_code == 7
    assert "--order" in result.stderr
    assert "order_id" not in result.stderr


# What is shown and asked ------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "status", "ref"), [("y", 0, "007"), ("n", 130, "new")])
def test_on_a_terminal_the_plan_is_shown_and_a_question_asked(
    run: Run,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: str,
    status: int,
    ref: str,
) -> None:
    monkeypatch.setenv("ODOO_HISTORY", str(tmp_path / "history.sqlite"))
    run("write", "res.partner", "7", "ref=new", "--mode", "full")
    monkeypatch.setattr(asking, "is_terminal", lambda: True)
    result = run("undo", "1", "--mode", "full", input=f"{answer}\n")
    assert "Would undo write" in result.stderr
    assert (result.exit_code, server.records["res.partner"][0]["ref"]) == (status, ref)


def test_a_result_is_shown_as_values_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts(
        {
            "name": "S1",
            "partner": {"id": 7, "name": "Azure"},
            "amount_total": 1640.5,
            "notes": ["Two words.", "And more."],
            "period": {"from": "2026-01-01"},
            "quantity": 1234567.125,
            "empty": [],
            "lines": [
                {
                    "product": {"id": 3, "name": "[a] b"},
                    "quantity": 2.0,
                    "price_unit": 9.5,
                    "moves": [{"document": "T1", "quantity": 1.0}, {"document": "T2"}],
                }
            ],
        }
    )
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "name          S1",
        "partner       Azure (7)",
        "amount_total  1,640.50",
        "notes         Two words.",
        "              And more.",
        "period.from   2026-01-01",
        "quantity      1,234,567.125",
        "lines:",
        "product    quantity  price_unit  moves",
        "[a] b (3)         2        9.50  document: T1, quantity: 1",
        "                                 document: T2",
    ]


def test_the_list_of_commands_imports_no_app() -> None:
    """Each app says what it is about; that is read, not imported."""

    code = (
        "import sys; from odoo_toolkit.cli import main; main(['--help']);"
        "print([name for name in sys.modules if name.startswith('odoo_toolkit.apps.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(about in " ".join(done.stdout.split()) for about in apps().values())
    assert [*commands.list_commands(click.Context(commands))][-len(apps()) :] == [*apps()]
