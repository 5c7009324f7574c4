"""How much a journal and a key cost: writes to a real Odoo in turn, their medians side by side.

Run by hand: ``pytest tests/bench/test_journal.py -m bench -s``.
"""

from __future__ import annotations

import itertools
import uuid
from pathlib import Path

import pytest

from odoo_toolkit import Connection, History, connect, create, read, write
from tests.bench.timing import medians
from tests.live.servers import credentials, find_servers

pytestmark = pytest.mark.bench


def test_a_journal_costs_a_write_little_and_a_read_nothing(tmp_path: Path) -> None:
    """Beside the same calls without one; a key may cost a round trip or two."""
    server = find_servers()[0]
    login = credentials(server, server.user("admin"))
    with (
        connect(**login) as plain,
        connect(**login, history=History(tmp_path / "history.sqlite")) as kept,
    ):
        number = create(plain, "res.partner", {"name": "Bench"}).id
        counter = itertools.count()

        def change(odoo: Connection, *, keyed: bool = False) -> None:
            key = uuid.uuid4().hex if keyed else None
            write(odoo, "res.partner", [number], {"ref": str(next(counter))}, idempotency_key=key)

        def make(odoo: Connection, *, keyed: bool = False) -> None:
            key = uuid.uuid4().hex if keyed else None
            create(odoo, "res.partner", {"name": f"Bench {next(counter)}"}, idempotency_key=key)

        told = medians(
            60,
            {
                "read": lambda: read(plain, "res.partner", [number], ["ref"]),
                "read, journal": lambda: read(kept, "res.partner", [number], ["ref"]),
                "write": lambda: change(plain),
                "write, journal": lambda: change(kept),
                "write, key": lambda: change(kept, keyed=True),
                "create": lambda: make(plain),
                "create, journal": lambda: make(kept),
                "create, key": lambda: make(kept, keyed=True),
            },
            warm_up=5,
        )
    print()
    for name, milliseconds in told.items():
        base = told[name.partition(",")[0]]
        print(f"{name:16} {milliseconds:6.1f} ms  {milliseconds / base:.2f}")
    assert told["read, journal"] / told["read"] < 1.1
    assert told["write, journal"] / told["write"] < 1.5
