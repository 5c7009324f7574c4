"""The command ``odoo-toolkit``: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from odoo_toolkit import cli
from odoo_toolkit.cli import importing, output
from odoo_toolkit.cli.commands import COMMANDS, commands
from odoo_toolkit.cli.exit_codes import STATUS
from odoo_toolkit.connection import variables
from odoo_toolkit.errors import CODES, OdooConnectionError, make_error
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]

ROOT = Path(cli.__file__).parents[2]


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


# What is printed -------------------------------------------------------------------------------


def test_without_a_terminal_records_are_json_lines_and_nothing_else(run: Run) -> None:
    result = run("search", "res.partner", "-f", "name,country_id", "--limit", "1")
    assert result.exit_code == 0
    assert lines(result.stdout) == [
        {"id": 7, "name": "Azure", "country_id": {"id": 20, "name": "Belgium"}}
    ]
    assert (
        result.stderr
        == "There are more records than these 1. To see others, pass --limit, --offset or --all.\n"
    )


def test_a_search_is_one_round_trip_and_one_for_the_fields_of_its_words(
    run: Run, server: FakeServer
) -> None:
    run("search", "res.partner", "name=Azure", "active=true", "-f", "name")
    assert [call.method for call in server.sent] == ["search_read"]


def test_on_a_terminal_records_are_a_table(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "form_of", lambda form: form or "table")
    result = run("search", "res.partner", "-f", "name,credit_limit,active")
    assert [line.rstrip() for line in result.stdout.splitlines()] == [
        "id  name     credit_limit  active",
        " 7  Azure             0.0  yes",
        " 8  Brandon          80.5  yes",
    ]


def test_csv_has_a_line_of_names_and_ids_and_names_of_relations_apart(run: Run) -> None:
    result = run("search", "res.partner", "-f", "name,country_id,active", "--csv")
    assert result.stdout == (
        "id,name,country_id,country_id.name,active\n7,Azure,20,Belgium,true\n8,Brandon,,,true\n"
    )


def test_csv_of_no_records_has_the_line_of_names_nevertheless(run: Run) -> None:
    for every in ([], ["--all"]):
        result = run("search", "res.partner", "name=Nobody", "-f", "name", "--csv", *every)
        assert result.stdout == "id,name\n"


def test_json_is_one_document(run: Run) -> None:
    result = run("search", "res.partner", "-f", "name", "--json")
    assert json.loads(result.stdout) == [{"id": 7, "name": "Azure"}, {"id": 8, "name": "Brandon"}]


def test_all_prints_every_record(run: Run, server: FakeServer) -> None:
    server.records["res.partner"] += [
        {"id": 100 + n, "name": f"P{n}", "active": True} for n in range(300)
    ]
    result = run("search", "res.partner", "--all", "-f", "name", "--csv")
    assert len(result.stdout.splitlines()) == 303
    assert result.stderr == ""


def test_what_was_printed_before_a_failure_is_said(run: Run, server: FakeServer) -> None:
    server.records["res.partner"] += [
        {"id": 100 + n, "name": f"P{n}", "active": True} for n in range(2500)
    ]
    pages = iter([NotImplemented])
    lost = OdooConnectionError("The server has gone.", retry=False)
    server.answers["res.partner", "search_read"] = lambda call: next(pages, lost)
    result = run("search", "res.partner", "--all", "-f", "name")
    printed = len(result.stdout.splitlines())
    assert printed > 0
    assert result.exit_code == 4
    assert f"The command printed {printed} records. There may be more." in result.stderr


def test_a_text_of_odoo_steers_no_terminal(
    run: Run, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.records["res.partner"][0]["name"] = "\x1b]0;owned\x07[bold red]x[/]\x9b2J"
    monkeypatch.setattr(output, "form_of", lambda form: form or "table")
    assert "\ufffd]0;owned\ufffd[bold red]x[/]\ufffd2J" in run("search", "res.partner").stdout
    written = run("search", "res.partner", "--json").stdout
    assert json.loads(written)[0]["name"] == "\x1b]0;owned\x07[bold red]x[/]\x9b2J"
    assert not set(written) & {"\x1b", "\x07", "\x9b"}
    server.answers["res.partner", "search_read"] = make_error("USER_ERROR", "\x1b[2Jno")
    assert "\x1b" not in run("search", "res.partner").stderr


def test_the_other_reading_commands(run: Run) -> None:
    assert run("count", "res.partner", "ref=007").stdout == "1\n"
    assert run("count", "res.partner", "--csv").stdout == "count\n2\n"
    told = lines(run("fields", "res.partner", "ref", "country_id").stdout)
    assert [(row["field"], row["type"]) for row in told] == [
        ("country_id", "many2one"),
        ("ref", "char"),
    ]
    assert {row["field"] for row in lines(run("fields", "res.partner", "--filter", "COUN").stdout)}
    models = lines(run("models", "category").stdout)
    assert [row["model"] for row in models] == ["res.partner.category"]


def test_a_wizard_that_must_be_answered_has_an_exit_status_of_its_own(
    run: Run, server: FakeServer
) -> None:
    action = {
        "type": "ir.actions.act_window", "res_model": "some.wizard", "target": "new",
        "view_mode": "form",
    }  # fmt: skip
    server.answers["res.partner", "ask"] = action
    server.answers["some.wizard", "default_get"] = {}
    server.answers["some.wizard", "fields_get"] = {}
    server.answers["some.wizard", "get_view"] = {"arch": "<form/>"}
    result = run("call", "res.partner", "ask", "--ids", "7", "--mode", "full")
    assert json.loads(result.stdout)["res_model"] == "some.wizard"
    assert "Odoo asks a question in some.wizard" in result.stderr
    assert result.exit_code == 10


def test_call_prints_what_the_method_returns(run: Run, server: FakeServer) -> None:
    assert run("call", "res.partner", "search_count", "--arg", "[]").stdout == "2\n"
    assert server.asked("search_count")[0].arguments == {"domain": []}
    server.answers["res.partner", "fix"] = [{"a": 1}, {"a": 2}]
    asked = ("call", "res.partner", "fix", "--ids", "7,8", "--kwarg", "x=y", "--mode", "full")
    assert run(*asked, "--csv").stdout == "a\n1\n2\n"
    assert server.asked("fix")[0].ids == (7, 8)
    assert server.asked("fix")[0].arguments == {"x": "y"}


# Writing ---------------------------------------------------------------------------------------


def test_nothing_is_written_unless_the_mode_says_so(run: Run, server: FakeServer) -> None:
    for asked in (
        ("create", "res.partner", "name=x"),
        ("write", "res.partner", "7", "name=x"),
        ("call", "res.partner", "unlink", "--ids", "7"),
        ("call", "res.partner", "write", "--ids", "7", "--arg", '{"name": "x"}'),
    ):
        result = run(*asked)
        assert (result.exit_code, result.stdout) == (5, "")
        assert "The mode is readonly. Pass --mode" in result.stderr
    assert [row["name"] for row in server.records["res.partner"]] == ["Azure", "Brandon"]
    assert run("create", "res.partner", "name=x", "--mode", "restricted").exit_code == 5


def test_closed_models_stay_closed_in_full_mode(run: Run, server: FakeServer) -> None:
    for asked in (
        ("search", "ir.config_parameter"),
        ("create", "ir.config_parameter", "key=x"),
        ("call", "ir.actions.server", "run", "--ids", "1"),
    ):
        assert run(*asked, "--mode", "full").exit_code == 5
    assert server.sent == []


def test_the_mode_may_stand_before_the_command_or_behind_it(run: Run, server: FakeServer) -> None:
    assert run("--mode", "full", "write", "res.partner", "7,8", "name=x").stdout == "7\n8\n"
    assert run("write", "res.partner", "8", "name=y", "--mode", "full").stdout == "8\n"
    assert [row["name"] for row in server.records["res.partner"]] == ["x", "y"]


def test_a_dry_run_checks_and_writes_nothing(run: Run, server: FakeServer) -> None:
    full = ("--dry-run", "--mode", "full")
    result = run("create", "res.partner", "name=x", "country_id=20", *full)
    (plan,) = lines(result.stdout)
    assert plan["calls"][0]["arguments"] == {"vals_list": [{"name": "x", "country_id": 20}]}
    assert "needs" not in plan
    result = run("write", "res.partner", "7", "name=x", *full)
    (plan,) = lines(result.stdout)
    change = {"id": 7, "name": "Azure", "field": "name", "before": "Azure", "after": "x"}
    assert plan["changes"] == [change]
    assert "Would change 1 res.partner record. Nothing was written." in result.stderr
    assert run("create", "res.partner", "nam=x", *full).exit_code == 7
    assert run("write", "res.partner", "99", "name=x", *full).exit_code == 6
    readonly = run("write", "res.partner", "7", "name=x", "--dry-run")
    assert readonly.exit_code == 0
    assert "It needs restricted or full mode: --mode full" in lines(readonly.stdout)[0]["needs"]
    called = run("call", "res.partner", "action_archive", "--ids", "7", "--dry-run")
    assert lines(called.stdout)[0]["calls"][0]["method"] == "action_archive"
    assert server.asked("create", "write", "action_archive") == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            ["create", "res.partner", "name=x", "country_id=20"],
            [["new res.partner", "create", "name", "x"], ["country_id", "20"]],
        ),
        (["write", "res.partner", "7", "name=x"], [["Azure (7)", "name", "Azure", "x"]]),
        (["call", "res.partner", "action_archive", "--ids", "7"], [["[7]", "action_archive"]]),
        (
            ["import", "res.partner", "-", "--key", "ref"],
            [["Azure (7)", "name", "Azure", "Blue"], ["new res.partner", "ref", "9"]],
        ),
    ],
)
def test_a_dry_run_on_a_terminal_shows_the_values(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: list[str], shown: list[list[str]]
) -> None:
    for module in (output, importing):
        monkeypatch.setattr(module, "form_of", lambda form: form or "table")
    result = run(*words, "--dry-run", input="ref,name\n007,Blue\n9,Red\n")
    for cells in shown:
        assert re.search(r"(?m)^.*" + ".* ".join(map(re.escape, cells)), result.stdout), cells
    assert "{" not in result.stdout


def test_a_write_in_doubt_has_an_exit_status_of_its_own(run: Run, server: FakeServer) -> None:
    server.lose_answer("write", applied=False)
    result = run("write", "res.partner", "7", "name=x", "--mode", "full")
    assert result.exit_code == 13
    assert result.stdout == ""


# How it ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
def test_every_kind_of_error_has_its_exit_status(run: Run, server: FakeServer, code: str) -> None:
    error = make_error(code, "It is so.", suggestion="See search_read.", retry=False)
    server.answers["res.partner", "search_read"] = error
    result = run("search", "res.partner")
    assert result.exit_code == STATUS[error.category] != 0
    assert result.stdout == ""
    assert result.stderr.startswith("Error: It is so.\n")
    assert code == "MODE_VIOLATION" or "See odoo-toolkit search." in result.stderr


def test_exit_statuses_are_documented_and_no_two_are_the_same() -> None:
    text = (ROOT / "docs/cli.md").read_text("utf-8")
    every = [*STATUS.values(), 0, 2, 12, 13, 14, 130, 141]
    assert len(set(every)) == len(every)
    assert [status for status in every if f"| {status} |" not in text] == []


def test_options_are_those_of_the_functions(run: Run) -> None:
    """What they take, their defaults and their help stand in the library once."""
    told = " ".join(run("aggregate", "--help").stdout.split())
    assert "Stored fields, date:hour|day|week|month|quarter|year" in told
    assert "Default: 80" in told
    assert "e-mails that belong to it" in " ".join(run("import", "--help").stdout.split())
    for name in COMMANDS:
        found = commands.get_command(click.Context(commands), name)
        assert all(option.help for option in found.params if isinstance(option, click.Option))


def test_every_command_has_help_and_is_documented(run: Run) -> None:
    text = (ROOT / "docs/cli.md").read_text("utf-8")
    listed = run("--help").stdout
    for name in COMMANDS:
        assert f"odoo-toolkit {name}" in text
        assert run(name, "--help").stdout.startswith(f"Usage: odoo-toolkit {name}")
        assert name in listed


def test_settings_that_are_missing_are_all_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ODOO_URL")
    monkeypatch.delenv("ODOO_PASSWORD")
    result = run("count", "res.partner")
    assert result.exit_code == 3
    assert "ODOO_URL" in result.stderr
    assert "ODOO_API_KEY" in result.stderr
    assert "--profile NAME" in result.stderr


def test_what_the_command_does_not_read_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(variables, "_told", set())
    monkeypatch.setenv("ODOO_HISTRY", "auto")
    monkeypatch.setenv("ODOO_MCP_MODEL_BLOCKLIST", "hr.employee")
    assert run("count", "res.partner").exit_code == 0
    misspelled, lists = caplog.messages
    assert "ODOO_HISTRY. You may mean ODOO_HISTORY." in misspelled
    assert "does not read ODOO_MCP_MODEL_BLOCKLIST:" in lists


def test_a_file_that_cannot_be_written_is_said(run: Run, tmp_path: Path) -> None:
    asked = ("export", "res.partner", "-f", "name", "-o")
    missing = run(*asked, "there/is/none.csv")
    assert missing.exit_code == 14
    assert "there/is/none.csv" in missing.stderr
    assert "was not made" in missing.stderr
    assert run(*asked, str(tmp_path)).exit_code == 7
    assert run(*asked, "x.txt").exit_code == 7
    assert list(tmp_path.glob("*")) == []


def test_without_click_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert cli.main(["count", "res.partner"]) == 3
    told = capsys.readouterr().err
    assert "pip install 'odoo-toolkit-mcp[cli]'. In a checkout: pip install '.[cli]'" in told
