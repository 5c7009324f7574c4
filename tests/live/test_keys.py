"""Repeats with a key on a real Odoo: done once, by whomever and however often it is asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    Journal,
    ValidationError,
    connect,
    count,
    create,
    search_read,
    unlink,
    upsert,
    write,
)
from odoo_toolkit.apps import sales
from tests.live.conftest import server
from tests.live.servers import Server, credentials

__all__ = ["server"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the journal is."""
    return tmp_path_factory.mktemp("keys") / "journal.sqlite"


def _connected(server: Server, path: Path) -> Connection:
    return connect(**credentials(server, server.user("admin")), journal=Journal(path))


@pytest.fixture(scope="module")
def odoo(server: Server, path: Path) -> Iterator[Connection]:
    """The administrator, with a journal."""
    with _connected(server, path) as connection:
        yield connection


@pytest.fixture(scope="module")
def later(server: Server, path: Path) -> Iterator[Connection]:
    """The same after a restart: another connection, with the journal opened anew."""
    with _connected(server, path) as connection:
        yield connection


def _named(odoo: Connection, name: str) -> int:
    return count(odoo, "res.partner", [["name", "=", name]]).count


def test_records_are_created_once_and_the_first_result_comes_again(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    values = {"name": f"Once {suffix}"}
    first = create(odoo, "res.partner", values, key=f"c-{suffix}")
    assert create(odoo, "res.partner", values, key=f"c-{suffix}") == first
    assert create(later, "res.partner", values, key=f"c-{suffix}") == first
    assert _named(odoo, f"Once {suffix}") == 1
    with pytest.raises(ValidationError, match="something else"):
        create(later, "res.partner", {"name": f"Other {suffix}"}, key=f"c-{suffix}")
    assert _named(odoo, f"Other {suffix}") == 0


def test_a_change_is_not_made_again_after_somebody_else_changed_it(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    made = create(odoo, "res.partner", {"name": f"Changed {suffix}"}).id
    change: dict[str, Any] = {"values": {"ref": "ours"}, "key": f"w-{suffix}"}
    first = write(odoo, "res.partner", [made], **change)
    write(later, "res.partner", [made], {"ref": "theirs"})
    assert write(later, "res.partner", [made], **change) == first
    (row,) = search_read(odoo, "res.partner", [["id", "=", made]], ["ref"]).records
    assert row["ref"] == "theirs"


def test_a_deletion_is_answered_again(odoo: Connection, later: Connection, suffix: str) -> None:
    made = create(odoo, "res.partner", {"name": f"Gone {suffix}"}).id
    first = unlink(odoo, "res.partner", [made], key=f"d-{suffix}")
    assert unlink(later, "res.partner", [made], key=f"d-{suffix}") == first


def test_threads_with_one_key_make_one_record(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    barrier, made = threading.Barrier(4), []

    def act(connection: Connection) -> None:
        barrier.wait()
        values = {"name": f"Raced {suffix}"}
        made.append(create(connection, "res.partner", values, key=f"r-{suffix}").id)

    threads = [threading.Thread(target=act, args=(one,)) for one in (odoo, later, odoo, later)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert len(set(made)) == 1
    assert _named(odoo, f"Raced {suffix}") == 1


def test_an_operation_of_several_steps_is_done_once(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    name = f"Buyer {suffix}"
    partner = create(odoo, "res.partner", {"name": name}).id
    product = create(odoo, "product.product", {"name": f"Thing {suffix}"}).id
    order: dict[str, Any] = {
        "partner_id": partner,
        "lines": [{"product_id": product, "quantity": 2, "price_unit": 10}],
        "confirm": True,
        "key": f"o-{suffix}",
    }
    first = sales.create_order(odoo, **order)
    assert sales.create_order(later, **order) == first
    assert count(odoo, "sale.order", [["partner_id", "=", partner]]).count == 1


def test_an_import_is_made_once(odoo: Connection, later: Connection, suffix: str) -> None:
    rows = [{"ref": f"{suffix}-{n}", "name": f"Imported {suffix}"} for n in range(3)]
    first = upsert(odoo, "res.partner", rows, key="ref", repeat_key=f"i-{suffix}")
    assert first.created == 3
    assert upsert(later, "res.partner", rows, key="ref", repeat_key=f"i-{suffix}") == first
    assert _named(odoo, f"Imported {suffix}") == 3
