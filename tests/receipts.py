"""What long runs leave for the next person: commit, day, counts and what failed, by version.

A receipt is a file in ``tests/receipts``, which whoever ran it commits. A run renews the rows of
the versions that it had, so that six versions may be run one after the other, on several days.
``python -m tests.receipts`` prints all.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.live.servers import find_servers

FOLDER = Path(__file__).with_name("receipts")
NO_ODOO = "no Odoo"


class Receipt:
    """Counts the outcomes of a run by version, and writes them at its end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._commit = commit()  # at the end another one may be checked out
        self._servers = find_servers()
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._failed: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test by its call, or by what kept it from being called."""
        if report.when == "call" or report.outcome != "passed":
            here = next((s.version or s.name for s in self._servers if s.name in report.nodeid), "")
            outcome = "error" if report.when == "teardown" else report.outcome
            self._outcomes[here][outcome] += 1
            if report.outcome == "failed":
                self._failed[here].add(report.nodeid)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the rows of the versions that ran; those of others stay as they are."""
        rows = _read(self._path)
        for version, outcomes in self._outcomes.items():
            if outcomes.keys() == {"skipped"}:
                continue
            rows[version or NO_ODOO] = {
                "commit": self._commit,
                "day": datetime.now(UTC).date().isoformat(),
                "exit_code": int(exitstatus),
                "outcomes": dict(sorted(outcomes.items())),
                "failed": sorted(self._failed[version]),
            }
        self._path.parent.mkdir(exist_ok=True)
        text = json.dumps(dict(sorted(rows.items())), indent=2)
        self._path.write_text(text + "\n", encoding="utf-8")


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows that a receipt has."""
    rows: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return rows


def commit() -> str:
    """Return the commit that is checked out, and whether files differ from it."""
    words = ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    done = subprocess.run(words, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def line(name: str, version: str, row: dict[str, Any]) -> str:
    """Return what a receipt says of a version, in one line."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in row["outcomes"].items())
    return (
        f"{name:8} {version:8} {row['day']}  {row['commit']:18}  "
        f"{counts}; exit code {row['exit_code']}"
    )


def main() -> None:
    """Print the receipts, and the tests that failed."""
    for path in sorted(FOLDER.glob("*.json")):
        for version, row in _read(path).items():
            print(line(path.stem, version, row))
            for failed in row["failed"]:
                print(f"    failed: {failed}")


if __name__ == "__main__":
    main()
