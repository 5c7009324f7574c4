"""What long runs leave for the next person: commit, day, versions, counts, and what failed.

A receipt is a file in ``tests/receipts``, which whoever ran it commits.
``python -m tests.receipts`` prints all.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.live.servers import find_servers

FOLDER = Path(__file__).with_name("receipts")


class Receipt:
    """Counts the outcomes of a run, and writes them at its end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._commit = commit()  # at the end another one may be checked out
        self._servers = find_servers()
        self._ran: set[str] = set()
        self._outcomes: Counter[str] = Counter()
        self._failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test by its call, or by what kept it from being called."""
        if report.when == "call" or report.outcome != "passed":
            self._outcomes["error" if report.when == "teardown" else report.outcome] += 1
            if report.outcome != "skipped":
                here = (s for s in self._servers if s.name in report.nodeid)
                self._ran |= {s.version or s.name for s in here}
            if report.outcome == "failed":
                self._failed.append(report.nodeid)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the file, also of a run that was stopped."""
        content = {
            "commit": self._commit,
            "day": datetime.now(UTC).date().isoformat(),
            "exit_code": int(exitstatus),
            "versions": sorted(self._ran),
            "outcomes": dict(sorted(self._outcomes.items())),
            "failed": sorted(set(self._failed)),
        }
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def commit() -> str:
    """Return the commit that is checked out, and whether files differ from it."""
    words = ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    done = subprocess.run(words, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def line(name: str, receipt: dict[str, Any]) -> str:
    """Return what a receipt says, in one line."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in receipt["outcomes"].items())
    versions = ", ".join(receipt["versions"]) or "none"
    return (
        f"{name:10} {receipt['day']}  {receipt['commit']:20}  Odoo {versions}: "
        f"{counts or 'nothing ran'}; exit code {receipt['exit_code']}"
    )


def main() -> None:
    """Print the receipts, and the tests that failed."""
    for path in sorted(FOLDER.glob("*.json")):
        receipt = json.loads(path.read_text("utf-8"))
        print(line(path.stem, receipt))
        for failed in receipt["failed"]:
            print(f"    failed: {failed}")


if __name__ == "__main__":
    main()
