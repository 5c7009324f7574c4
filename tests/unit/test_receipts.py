"""What a long run leaves: a file that says what ran, on which Odoo, and what failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import changed, receipts
from tests.live.servers import Server
from tests.receipts import Receipt


def report(name: str, when: str, outcome: str) -> Any:
    return pytest.TestReport(
        nodeid=name,
        location=("", None, ""),
        keywords={},
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=None,
        when=when,  # type: ignore[arg-type]
    )


def test_a_run_leaves_its_counts_and_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Server(f"odoo-{v}", "http://x", "db", "a", "b", version=v) for v in ("19", "16", "14")]
    monkeypatch.setattr(receipts, "find_servers", lambda: found)
    receipt = Receipt(tmp_path / "receipts" / "live.json")
    for name, when, outcome in [
        ("good", "setup", "passed"),
        ("good[odoo-14-admin]", "call", "passed"),
        ("bad[odoo-19]", "call", "failed"),
        ("unprepared", "setup", "failed"),
        ("elsewhere", "setup", "skipped"),
    ]:
        receipt.pytest_runtest_logreport(report(name, when, outcome))
    receipt.pytest_sessionfinish(1)

    kept = json.loads((tmp_path / "receipts" / "live.json").read_text())
    assert kept["outcomes"] == {"failed": 2, "passed": 1, "skipped": 1}
    assert kept["failed"] == ["bad[odoo-19]", "unprepared"]
    assert kept["versions"] == ["14", "19"]  # on which something ran, of all that are there
    assert kept["exit_code"] == 1

    monkeypatch.setattr(receipts, "FOLDER", tmp_path / "receipts")
    receipts.main()
    told = capsys.readouterr().out
    assert "2 failed, 1 passed, 1 skipped; exit code 1" in told
    assert "failed: unprepared" in told


def test_what_passed_runs_again_only_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that failed leaves nothing: the next one runs again."""
    ran = tmp_path / "ran"
    command = ["docs", "--", "sh", "-c", f"echo x >> {ran}; exit $CODE"]
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(changed, "digest", lambda part: content)
    content = "first"

    for code, times in [("1", 1), ("0", 2), ("0", 2)]:
        monkeypatch.setenv("CODE", code)
        assert changed.main(command) == int(code)
        assert ran.read_text().count("x") == times

    content = "second"
    assert changed.main(command) == 0
    assert ran.read_text().count("x") == 3
