"""Others write, archive and delete while it syncs, and a worker is killed: nothing is missing.

``make soak-sync`` does it for longer.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("dlt")

from odoo_toolkit import Odoo, connect, create, search_read, unlink, write
from odoo_toolkit.dlt import sync
from odoo_toolkit.errors import OdooError
from tests.kit.command import ROOT, environment
from tests.kit.loading import PARTNER, QUIET, TAG, WORKER, assert_equal
from tests.live.servers import Server, credentials
from tests.live.test_dlt import made, warehouse
from tests.warehouse import Warehouse

pytestmark = pytest.mark.soak

__all__ = ["made", "warehouse"]

ROUNDS = int(os.environ.get("ODOO_TOOLKIT_SOAK_ROUNDS", "5"))

Work = Callable[[Odoo, str, random.Random, list[int], list[int]], None]


def write_some(
    odoo: Odoo, word: str, chance: random.Random, mine: list[int], tags: list[int]
) -> None:
    """Create contacts with tags and change some, several times within a second."""
    values = [
        {"name": f"{word} {chance.random()}", "category_id": [[6, 0, chance.sample(tags, 2)]]}
        for _ in range(5)
    ]
    mine += create(odoo, PARTNER, values, context=QUIET).ids
    for color in range(3):
        write(odoo, PARTNER, chance.sample(mine, 3), {"color": color}, context=QUIET)
    write(odoo, PARTNER, mine[:1], {"category_id": [[6, 0, chance.sample(tags, 1)]]}, context=QUIET)


def archive_some(
    odoo: Odoo, word: str, chance: random.Random, mine: list[int], tags: list[int]
) -> None:
    """Archive contacts and bring some back; let others leave what is synced, and come back."""
    names = [{"name": f"{word} {chance.random()}", "color": 1} for _ in range(4)]
    mine += create(odoo, PARTNER, names, context=QUIET).ids
    one, other, third = chance.sample(mine, 3)
    write(odoo, PARTNER, [one], {"active": False}, context=QUIET)
    write(odoo, PARTNER, [other], {"active": True, "name": f"{word[::-1]} left"}, context=QUIET)
    write(odoo, PARTNER, [third], {"active": True, "name": f"{word} back"}, context=QUIET)


def delete_some(
    odoo: Odoo, word: str, chance: random.Random, mine: list[int], tags: list[int]
) -> None:
    """Delete contacts, among them the newest; and a tag, which takes its links along."""
    tags.append(create(odoo, TAG, {"name": f"{word} {chance.random()}"}).id)
    values = {"name": f"{word} {chance.random()}", "category_id": [[6, 0, tags]]}
    mine += create(odoo, PARTNER, [values] * 5, context=QUIET).ids
    chance.shuffle(mine)
    gone, mine[-3:] = mine[-3:], []
    unlink(odoo, PARTNER, gone)
    unlink(odoo, TAG, [tags.pop(0)])


def test_the_warehouse_equals_the_database_in_the_end(
    server: Server, admin: Odoo, warehouse: Warehouse, made: str
) -> None:
    domain: list[Any] = [["name", "like", made]]
    works: list[Work] = [write_some, archive_some, delete_some]
    together = threading.Barrier(len(works) + 1)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        chance = random.Random(number)
        mine: list[int] = []
        try:
            with connect(**credentials(server, server.user("admin"))) as odoo:
                tags = create(odoo, TAG, [{"name": f"{made} {number} {i}"} for i in range(4)]).ids
                for _ in range(ROUNDS):
                    together.wait()
                    works[number](odoo, made, chance, mine, tags)
        except (OdooError, threading.BrokenBarrierError) as error:
            failures.append(error)
            together.abort()

    def killed(when: str) -> None:
        worker = subprocess.run(
            [sys.executable, "-c", WORKER, warehouse.url, made, when],
            env=environment(server, server.user("admin")),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        # One that is to die while it deletes lives on where there is nothing to delete.
        assert worker.returncode in (-9, 0), worker.stderr

    workers = [threading.Thread(target=work, args=(number,)) for number in range(len(works))]
    for worker in workers:
        worker.start()
    try:
        for number in range(ROUNDS):
            together.wait()
            if number % 4 == 1:
                killed("loading" if number % 8 == 1 else "reading")
            report = sync(admin, warehouse.url, PARTNER, domain)
            assert report.status.startswith("complete")
    except threading.BrokenBarrierError:
        assert not failures, failures
        raise
    finally:
        together.abort()
        for worker in workers:
            worker.join()
    assert not failures, failures
    last = sync(admin, warehouse.url, PARTNER, domain, check=True)
    assert last.status == "complete"
    assert_equal(admin, warehouse, PARTNER, domain)
    assert last.rows > 5 * ROUNDS
    again = sync(admin, warehouse.url, PARTNER, domain)
    assert (again.loaded, again.changed, again.deleted) == (0, 0, 0)
    left = search_read(admin, PARTNER, [["name", "=", f"{made[::-1]} left"]], ["id"], limit=None)
    unlink(admin, PARTNER, [row["id"] for row in left.records])
