"""A million journal items to Parquet: the bare requests, the library, and other libraries.

Each way is a process of its own, so that the memory at its peak is its own; they take turns.
``python -m tests.bench.ledger`` alone measures on the provisioned servers and prints the table.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from tests.attacks.servers import copied
from tests.bench import pages_to_parquet
from tests.bench.rivals import LIBRARIES, environment
from tests.live.servers import Server, find_servers
from tests.provisioning import postgres

#: Rows of the table, and how often each way reads them.
ROWS = int(os.environ.get("ODOO_TOOLKIT_BENCH_ROWS", "1000000"))
ROUNDS = int(os.environ.get("ODOO_TOOLKIT_BENCH_ROUNDS", "3"))

INTRODUCTION = f"""
{ROWS:,} journal items with eight fields, {ROUNDS} times, each way a process of its own, in turn.
The bare requests are those that the library sends, decoded and thrown away; the ratio is to them,
within each round.

ingestr is not here: the package 1.1.76 has no program but fetches it from elsewhere, and 1.0.78,
which has it, does not know Odoo ("unsupported source scheme: odoo").
"""


def measure(server: Server) -> list[list[str]]:
    """Return a table: the way, seconds, ratio to the bare requests, least to most, megabytes."""
    ways = {
        "bare requests, two at a time": _own("bare"),
        "to_arrow(...).write": _own("library"),
        "bare requests, one after the other": _own("pages"),
        **{f"{library} {version}, pandas": _other(library) for library, version in LIBRARIES},
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    with copied(server, workers=2) as copy, tempfile.TemporaryDirectory() as folder:
        last = _multiply(copy.server.db)
        for _ in range(ROUNDS):
            for name, command in ways.items():
                taken[name].append(_run(command, copy.server, last, folder))
    (bare, *_) = taken.values()
    table = []
    for name, runs in taken.items():
        ratios = [one / other for (one, _), (other, _) in zip(runs, bare, strict=True)]
        table.append(
            [
                name,
                f"{statistics.median(seconds for seconds, _ in runs):.1f} s",
                f"{statistics.median(ratios):.2f}",
                f"{min(ratios):.2f} to {max(ratios):.2f}",
                f"{max(memory for _, memory in runs):.0f} MB",
            ]
        )
    return table


def _own(way: str) -> list[str]:
    return [sys.executable, "-m", "tests.bench.whole_table", way]


def _other(library: str) -> list[str]:
    return [str(environment(library)), pages_to_parquet.__file__, library]


def _run(command: list[str], server: Server, last: str, folder: str) -> tuple[float, float]:
    """Run a way up to an id; return its seconds and the megabytes at its peak."""
    file = f"{folder}/lines.parquet"
    asked = [server.url, server.db, server.login, server.password, last, file]
    answer = subprocess.run(
        [*command, *asked], capture_output=True, text=True, check=False, env=os.environ
    )
    assert answer.returncode == 0, answer.stderr
    rows, seconds, memory = map(float, answer.stdout.split())
    assert rows == ROWS, (command, rows)
    return seconds, memory


def _multiply(database: str) -> str:
    """Copy rows of the table within the database until there are enough; return the last's id."""
    columns = postgres.execute(
        database,
        "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
        " WHERE table_name = 'account_move_line' AND column_name <> 'id'"
        " AND is_generated = 'NEVER'",
    )
    there = int(postgres.execute(database, "SELECT count(*) FROM account_move_line"))
    postgres.execute(
        database,
        f"INSERT INTO account_move_line ({columns}) SELECT {columns} FROM account_move_line,"
        f" generate_series(1, {ROWS // there + 1})",
    )
    postgres.execute(database, "ANALYZE account_move_line")
    return last_of(database, ROWS)


def last_of(database: str, rows: int) -> str:
    """Return the id up to which there are so many rows that are read."""
    return postgres.execute(
        database, f"SELECT id FROM account_move_line ORDER BY id OFFSET {rows - 1} LIMIT 1"
    ).strip()


def main() -> None:
    """Measure on the provisioned servers."""
    for server in find_servers():
        if server.version in ("19", "14"):
            print(server.name, *measure(server), sep="\n")


if __name__ == "__main__":
    main()
