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
        outcome=outcome,
        longrepr=None,
        when=when,
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
    assert list(kept) == ["14", "19", "no Odoo"]  # on which something ran, of all that are there
    assert kept["14"]["outcomes"] == {"passed": 1}
    assert kept["19"]["failed"] == ["bad[odoo-19]"]
    assert kept["no Odoo"]["outcomes"] == {"failed": 1, "skipped": 1}
    assert kept["19"]["exit_code"] == 1

    monkeypatch.setattr(receipts, "FOLDER", tmp_path / "receipts")
    receipts.main()
    told = capsys.readouterr().out
    assert "1 failed, 1 skipped; exit code 1" in told
    assert "failed: unprepared" in told


def test_a_run_renews_the_rows_of_its_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that another run had, and one all of whose tests were skipped, keep theirs."""
    found = [Server(f"odoo-{v}", "http://x", "db", "a", "b", version=v) for v in ("19", "16")]
    monkeypatch.setattr(receipts, "find_servers", lambda: found)
    path = tmp_path / "live.json"
    for outcomes in [{"19": "failed", "16": "failed"}, {"19": "passed", "16": "skipped"}]:
        receipt = Receipt(path)
        for version, outcome in outcomes.items():
            receipt.pytest_runtest_logreport(report(f"one[odoo-{version}]", "call", outcome))
        receipt.pytest_sessionfinish(0)
    kept = json.loads(path.read_text())
    assert kept["19"]["outcomes"] == {"passed": 1}
    assert kept["16"]["outcomes"] == {"failed": 1}


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
