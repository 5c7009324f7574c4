"""``odoo-toolkit history`` and ``undo``: what is shown, what is asked, what is taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from odoo_toolkit.change_history.places import usual_file
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]


@pytest.fixture(autouse=True)
def journal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The journal of the command, in the person's folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("ODOO_HISTORY", "auto")
    return usual_file("http://odoo.test")


def _ref(server: FakeServer) -> object:
    return server.records["res.partner"][0]["ref"]


def test_what_was_written_is_listed_and_taken_back(
    run: Run, server: FakeServer, journal: Path
) -> None:
    assert run("write", "res.partner", "7", "ref=new", "--mode", "full").exit_code == 0
    (row,) = [json.loads(line) for line in run("history").stdout.splitlines()]
    assert (row["entry"], row["operation"], row["undo"]) == (1, "write", "full")
    assert row["records"] == "Azure (res.partner 7)"
    told = json.loads(run("history", "1").stdout)
    assert told["writes"][0]["before"] == {"7": {"ref": "007"}}
    table = run("history", "1", "--table").stdout
    assert [line.split()[:2] for line in table.splitlines()[:2]] == [
        ["entry", "1"],
        ["started", told["started"]],
    ]
    assert "{" not in table.partition("writes:")[0]

    plan = run("undo", "1", "--dry-run")
    assert "Would undo write (entry 1): Azure: " in plan.stderr
    assert (plan.exit_code, _ref(server)) == (0, "new")

    done = run("undo", "1", "--yes", "--mode", "full")
    assert (done.exit_code, _ref(server)) == (0, "007")
    assert json.loads(done.stdout)["entries"] == [1]
    rows = [json.loads(line) for line in run("history").stdout.splitlines()]
    assert (rows[1]["undo"], rows[1]["records"]) == ("undone by 2", "Azure (res.partner 7)")
    table = run("history", "--table").stdout.splitlines()
    assert table[0].split() == ["entry", "started", "operation", "records", "undo"]
    assert len(table) == 3
    assert journal.stat().st_mode & 0o777 == 0o600


def test_without_a_yes_nothing_is_taken_back(run: Run, server: FakeServer) -> None:
    """Nobody can be asked here; nor does the mode that is given without one allow it."""
    run("write", "res.partner", "7", "ref=new", "--mode", "full")
    assert "Pass --yes" in run("undo", "1", "--mode", "full").stderr
    assert run("undo", "1", "--yes").exit_code == 5
    assert (
        run("undo", "--yes").exit_code == run("undo", "1", "--since", "2026-01-01").exit_code == 2
    )
    assert _ref(server) == "new"


def test_all_since_a_time(run: Run, server: FakeServer) -> None:
    for value in ("a", "b"):
        run("write", "res.partner", "7", f"ref={value}", "--mode", "full")
    done = run("undo", "--since", "2026-01-01T00:00:00Z", "--yes", "--mode", "full")
    assert (done.exit_code, _ref(server)) == (0, "007")
    assert run("undo", "--since", "2026-01-01", "--yes").exit_code == 6


def test_what_an_undo_deleted_keeps_its_name(run: Run, server: FakeServer) -> None:
    assert run("create", "res.partner", "name=Made here", "--mode", "full").exit_code == 0
    assert run("undo", "1", "--yes", "--mode", "full").exit_code == 0
    ids = {row["id"] for row in server.records["res.partner"]}
    shown = [json.loads(line)["records"] for line in run("history").stdout.splitlines()]
    shown += json.loads(run("history", "1").stdout)["records"]
    assert len(set(shown)) == 1
    assert shown[0].startswith("Made here (res.partner ")
    assert int(shown[0].split()[-1].rstrip(")")) not in ids


@pytest.mark.parametrize("value", ["off", ""])
def test_without_a_journal_it_says_how_to_keep_one(
    run: Run, monkeypatch: pytest.MonkeyPatch, journal: Path, value: str
) -> None:
    monkeypatch.setenv("ODOO_HISTORY", value)
    run("write", "res.partner", "7", "ref=new", "--mode", "full")
    failed = run("history")
    assert failed.exit_code == 3
    assert "no change history" in failed.stderr
    assert not journal.exists()


def test_the_usual_file_is_one_for_each_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    names = [
        usual_file(url).name
        for url in ("https://a.test", "http://a.test:8069/erp", "https://[::1]:8069")
    ]
    assert names == ["a.test.sqlite", "a.test-8069-erp.sqlite", "1-8069.sqlite"]
