"""``odoo-toolkit import``: its rows, what it says of them, and Ctrl-C in the middle."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]

FULL = ("--mode", "full")
KEYED = ("import", "res.partner", "-", "--key", "ref", *FULL)

TEN = "ref,name\n" + "".join(f"r{n},Name {n}\n" for n in range(10))


@pytest.fixture(autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C interrupts, as in a terminal: a shell that runs tests in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def names(server: FakeServer) -> list[Any]:
    return [row["name"] for row in server.records["res.partner"]]


def test_rows_are_created_changed_and_left_alone(run: Run, server: FakeServer) -> None:
    rows = "ref,name\n007,Azure\n8,Ben\nnew,Clara\n"
    told = json.loads(run(*KEYED, input=rows).stdout)
    assert (told["created"], told["updated"], told["unchanged"], told["failed"]) == (1, 1, 1, [])
    assert names(server) == ["Azure", "Ben", "Clara"]
    assert json.loads(run(*KEYED, input=rows).stdout)["unchanged"] == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.csv", "ref,name\n8,Ben\n"),
        ("rows.jsonl", '{"ref": "8", "name": "Ben"}\n'),
        ("rows.json", '[{"ref": "8", "name": "Ben"}]'),
    ],
)
def test_rows_come_from_a_file_or_from_standard_input(
    run: Run, server: FakeServer, tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    asked = ("import", "res.partner", name, "--key", "ref", "--dry-run", *FULL)
    told = run(*asked).stdout
    assert json.loads(told)["updated"] == 1
    assert run(*KEYED, "--dry-run", input=text).stdout == told
    assert names(server) == ["Azure", "Brandon"]


def test_how_a_csv_file_is_written_is_said_by_options(run: Run, server: FakeServer) -> None:
    options = ("--separator", "\\t", "--decimal", ",", "--thousands", ".", "--encoding", "cp1252")
    rows = "ref\tname\tcredit_limit\n8\tJosé\t1.000,5\n".encode("cp1252")
    assert run(*KEYED, *options, input=rows).exit_code == 0
    assert server.records["res.partner"][1]["name"] == "José"
    assert server.records["res.partner"][1]["credit_limit"] == 1000.5


def test_rows_that_fail_are_said_and_can_be_had_in_a_file(
    run: Run, server: FakeServer, tmp_path: Path
) -> None:
    rows = "ref,name,color\n8,Ben,red\nnew,Clara,3\n"
    result = run(*KEYED, "--failed", "failed.csv", input=rows)
    assert result.exit_code == 12
    told = json.loads(result.stdout)
    assert (told["created"], [row["row"] for row in told["failed"]]) == (1, [1])
    assert "Row 1, color:" in result.stderr
    assert (
        (tmp_path / "failed.csv").read_text().startswith("ref,name,color,import_error\n8,Ben,red")
    )
    assert names(server) == ["Azure", "Brandon", "Clara"]


@pytest.mark.parametrize(
    ("rows", "status", "said"),
    [
        ("", 7, "nothing to import"),
        ("ref,name\n", 7, "nothing to import"),
        ("ref;name,x\n8;Ben,y\n", 7, "separator"),
        ("ref,nam\n8,Ben\n", 7, "nam"),
        ("ref,name\n8\n", 7, "cells"),
        ("name\nBen\n", 7, "ref"),
        ('{"ref": "8"\n', 7, "JSON"),
        ("[1]", 7, "not a dictionary"),
        (b"ref,name\n8,\xe9\n", 7, "encoding"),
    ],
)
def test_wrong_rows_are_an_error_and_nothing_is_written(
    run: Run, server: FakeServer, rows: str | bytes, status: int, said: str
) -> None:
    result = run(*KEYED, input=rows)
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr
    assert server.asked("create", "write") == []


def test_nothing_is_imported_in_readonly_mode(run: Run, server: FakeServer) -> None:
    result = run("import", "res.partner", "-", "--key", "ref", input=TEN)
    assert (result.exit_code, result.stdout) == (5, "")
    assert names(server) == ["Azure", "Brandon"]


def test_an_import_is_planned_in_readonly_mode(run: Run, server: FakeServer) -> None:
    result = run("import", "res.partner", "-", "--key", "ref", "--dry-run", input=TEN)
    assert result.exit_code == 0
    assert "readonly" in result.stdout + result.stderr
    assert names(server) == ["Azure", "Brandon"]


def interrupting(server: FakeServer, at: set[int], method: str = "create") -> None:
    """Press Ctrl-C while the calls of these numbers are under way."""
    calls = 0

    def answer(call: Call) -> Any:
        nonlocal calls
        calls += 1
        if calls in at:
            signal.raise_signal(signal.SIGINT)
        return NotImplemented

    server.answers["res.partner", method] = answer


def test_ctrl_c_stops_after_what_is_under_way_and_all_is_said(run: Run, server: FakeServer) -> None:
    interrupting(server, {2})
    result = run(*KEYED, "--batch", "3", input=TEN)
    assert result.exit_code == 130
    told = json.loads(result.stdout)
    assert (told["created"], told["unconfirmed"], told["remaining"]) == (6, [], [7, 8, 9, 10])
    assert told["statuses"] == ["created"] * 6 + ["remaining"] * 4
    assert len(names(server)) == 2 + 6
    assert told["ids"][:6] == [row["id"] for row in server.records["res.partner"][2:]]
    assert "To stop without waiting, press Ctrl-C again." in result.stderr
    assert (
        "4 rows remaining, 0 unconfirmed. You stopped it. Import the same rows again"
        in result.stderr
    )
    del server.answers["res.partner", "create"]
    again = json.loads(run(*KEYED, input=TEN).stdout)
    assert (again["created"], again["unchanged"]) == (4, 6)


def test_a_second_ctrl_c_does_not_wait_and_says_what_is_in_doubt(
    run: Run, server: FakeServer
) -> None:
    calls = 0

    def twice(call: Call) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return NotImplemented

    server.answers["res.partner", "create"] = twice
    result = run(*KEYED, "--batch", "3", input=TEN)
    assert (result.exit_code, result.stdout) == (130, "")
    assert "create of res.partner was running. It may have been applied." in result.stderr
    assert "3 of 10 rows were processed." in result.stderr


def test_ctrl_c_before_anything_is_written_ends_it_at_once(run: Run, server: FakeServer) -> None:
    interrupting(server, {1}, "search_read")
    result = run(*KEYED, input=TEN)
    assert (result.exit_code, result.stdout) == (130, "")
    assert "Interrupted: nothing was written." in result.stderr
    assert server.asked("create") == []


def test_ctrl_c_at_the_last_rows_interrupts_nothing(run: Run, server: FakeServer) -> None:
    interrupting(server, {1})
    result = run(*KEYED, input=TEN)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["created"] == 10


def test_a_server_that_goes_away_leaves_the_same_account(run: Run, server: FakeServer) -> None:
    server.lose_answer("create", applied=False)
    result = run(*KEYED, "--batch", "3", input=TEN)
    assert result.exit_code == 13
    told = json.loads(result.stdout)
    assert (told["created"], told["unconfirmed"]) == (0, [1, 2, 3])
    assert len(told["remaining"]) == 7


def test_ctrl_c_within_one_write_says_that_it_may_have_been_applied(
    run: Run, server: FakeServer
) -> None:
    interrupting(server, {1}, "write")
    result = run("write", "res.partner", "7", "name=x", *FULL)
    assert (result.exit_code, result.stdout) == (130, "")
    assert "write of res.partner was running. It may have been applied." in result.stderr


def test_a_foreign_file_is_mapped_by_options(run: Run, server: FakeServer) -> None:
    rows = "Nr;Kunde;Rang;Notiz\nnew;Clara;drei;x\n"
    mapped = ("--column", "Nr=ref", "--column", "Kunde=name", "--column", "Rang=color")
    others = ("--column", "Notiz=", "--value", "Rang:drei=3", "--constant", "credit_limit=7")
    result = run(*KEYED, *mapped, *others, input=rows)
    assert json.loads(result.stdout)["created"] == 1
    made = server.records["res.partner"][-1]
    assert (made["name"], made["color"], made["credit_limit"]) == ("Clara", 3, 7)


def test_errors_name_options_and_the_same_one_once(run: Run) -> None:
    rows = "ref;name;credit_limit\n" + "".join(f"{n};A;1.234\n" for n in range(30))
    result = run(*KEYED, input=rows)
    assert result.exit_code == 12
    assert (
        "30 rows: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..., credit_limit: '1.234' may be" in result.stderr
    )
    assert "pass --decimal as the file has it" in result.stderr
    assert len(json.loads(result.stdout)["failed"][0]["errors"]) == 1


def test_a_dry_run_tells_old_and_new_values(run: Run) -> None:
    told = json.loads(run(*KEYED, "--dry-run", input="ref,name\n8,Ben\n").stdout)
    assert told["changes"] == [
        {
            "row": 1,
            "id": 8,
            "name": "Brandon",
            "field": "name",
            "before": "Brandon",
            "after": "Ben",
        }
    ]
    assert told["ways"] == {"write": 1}
