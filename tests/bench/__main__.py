"""``make bench``: measures on the provisioned servers, and writes ``tests/bench/results.md``.

Figures are medians of one run, actions in turn, so what counts are the ratios.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import calls, ledger, rows
from tests.cluster import load
from tests.live.servers import find_servers

REPORT = Path(__file__).parent / "results.md"
INTRODUCTION = """# Benchmarks

Written by `make bench` on {day}: medians of one run, the actions in turn, client and servers on one
machine with two processors. Other machines have other figures; look at the ratios. The other
servers of the Model Context Protocol are installed from their packages, each in an environment of
its own.
"""


def main() -> int:
    """Measure everything and write the report; there must be provisioned servers."""
    servers = find_servers()
    if not servers:
        print("No server runs. Start them with: python -m tests.provisioning start 19 14")
        return 1
    parts = [INTRODUCTION.format(day=datetime.now(UTC).date().isoformat())]
    for server in servers:
        parts += [
            f"## One call, Odoo {server.version}",
            f"`search_read` of {calls.SEARCH['limit']} contacts with two fields, "
            f"and {calls.AT_ONCE} of them at once.",
            _table(["", "over", "one, ms", "forty at once, ms"], calls.measure(server)),
        ]
        tables = rows.measure(server)
        parts += [
            f"## Many rows, Odoo {server.version} with two workers",
            f"Reading {rows.MANY:,} rows in one call, values normalised:",
            _table(["", "bare request", "search_read", "ratio"], tables["reading"]),
            f"Reading {rows.MOST:,} rows:",
            _table(["", "", ""], tables["iterating"]),
            f"Creating contacts, per record ({rows.IMPORTED:,}; one by one {rows.SINGLE}):",
            _table(["", "per record", "times faster"], tables["importing"]),
            f"Grouping {rows.MOST:,} rows:",
            _table(["", "", "requests"], tables["grouping"]),
        ]
    newest = max(servers, key=lambda server: int(server.version or 0))
    parts += [
        f"## A table to Parquet, Odoo {newest.version} with two workers",
        ledger.INTRODUCTION,
        _table(["", "time", "ratio", "least to most", "memory"], ledger.measure(newest)),
    ]
    with load.copy_of(newest.version) as copy:
        parts += [
            f"## A server for a team, Odoo {newest.version}",
            load.INTRODUCTION,
            _table(["", "calls a second", "ratio", "least to most"], load.measure(copy)),
        ]
    REPORT.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")
    print(REPORT.read_text(encoding="utf-8"))
    return 0


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))


if __name__ == "__main__":
    sys.exit(main())
