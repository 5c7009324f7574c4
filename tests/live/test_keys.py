"""Repeats with a key on a real Odoo: done once, by whomever and however often it is asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    History,
    StateError,
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
    return tmp_path_factory.mktemp("keys") / "history.sqlite"


def _connected(server: Server, path: Path) -> Connection:
    return connect(**credentials(server, server.user("admin")), history=History(path))


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
    first = create(odoo, "res.partner", values, idempotency_key=f"c-{suffix}")
    assert create(odoo, "res.partner", values, idempotency_key=f"c-{suffix}") == first
    assert create(later, "res.partner", values, idempotency_key=f"c-{suffix}") == first
    assert _named(odoo, f"Once {suffix}") == 1
    with pytest.raises(StateError, match=r"another request.*These arguments differ: values\.name"):
        create(later, "res.partner", {"name": f"Other {suffix}"}, idempotency_key=f"c-{suffix}")
    assert _named(odoo, f"Other {suffix}") == 0


def test_a_change_is_not_made_again_after_somebody_else_changed_it(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    made = create(odoo, "res.partner", {"name": f"Changed {suffix}"}).id
    change: dict[str, Any] = {"values": {"ref": "ours"}, "idempotency_key": f"w-{suffix}"}
    first = write(odoo, "res.partner", [made], **change)
    write(later, "res.partner", [made], {"ref": "theirs"})
    assert write(later, "res.partner", [made], **change) == first
    (row,) = search_read(odoo, "res.partner", [["id", "=", made]], ["ref"]).records
    assert row["ref"] == "theirs"


def test_a_deletion_is_answered_again(odoo: Connection, later: Connection, suffix: str) -> None:
    made = create(odoo, "res.partner", {"name": f"Gone {suffix}"}).id
    first = unlink(odoo, "res.partner", [made], idempotency_key=f"d-{suffix}")
    assert unlink(later, "res.partner", [made], idempotency_key=f"d-{suffix}") == first


def test_threads_with_one_key_make_one_record(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    barrier, made = threading.Barrier(4), []

    def act(connection: Connection) -> None:
        barrier.wait()
        values = {"name": f"Raced {suffix}"}
        made.append(create(connection, "res.partner", values, idempotency_key=f"r-{suffix}").id)

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
        "idempotency_key": f"o-{suffix}",
    }
    first = sales.create_order(odoo, **order)
    assert sales.create_order(later, **order) == first
    assert count(odoo, "sale.order", [["partner_id", "=", partner]]).count == 1


@pytest.mark.every_version
def test_an_order_with_other_lines_is_refused_and_says_which(
    odoo: Connection, later: Connection, suffix: str
) -> None:
    """A section among the lines changes nothing about that."""
    partner = create(odoo, "res.partner", {"name": f"Shopper {suffix}"}).id
    product, other = (
        create(odoo, "product.product", {"name": f"Thing {n} {suffix}"}).id for n in (1, 2)
    )
    lines: list[Any] = [{"product_id": product, "quantity": 2}, {"section": "Ring twice"}]
    asked: dict[str, Any] = {"partner_id": partner, "idempotency_key": f"webshop-{suffix}"}
    first = sales.create_order(odoo, lines=lines, **asked)
    assert first.message.endswith("and this address of Odoo, on this machine only.")
    assert sales.create_order(later, lines=lines, **asked) == first
    for changed, place in (
        ({"product_id": other, "quantity": 2}, "lines[0].product_id"),
        ({"product_id": product, "quantity": 200}, "lines[0].quantity"),
    ):
        with pytest.raises(StateError) as caught:
            sales.create_order(later, lines=[changed, lines[1]], **asked)
        assert caught.value.code == "KEY_DONE"
        assert caught.value.details["differences"] == [place]
        assert caught.value.details["created"] == {"sale.order": [first.id]}
    assert count(odoo, "sale.order", [["partner_id", "=", partner]]).count == 1


def test_a_machine_with_its_own_journal_is_told_that_the_key_does_not_hold_there(
    odoo: Connection, server: Server, tmp_path: Path, suffix: str
) -> None:
    values, key = {"name": f"Apart {suffix}"}, f"a-{suffix}"
    plan = create(odoo, "res.partner", values, idempotency_key=key, dry_run=True)
    first = create(odoo, "res.partner", values, idempotency_key=key)
    for told in (plan, first):
        assert told.message.endswith("and this address of Odoo, on this machine only.")
    with _connected(server, tmp_path / "other.sqlite") as other:
        assert create(other, "res.partner", values, idempotency_key=key).id != first.id


def test_an_import_is_made_once(odoo: Connection, later: Connection, suffix: str) -> None:
    rows = [{"ref": f"{suffix}-{n}", "name": f"Imported {suffix}"} for n in range(3)]
    first = upsert(odoo, "res.partner", rows, key="ref", idempotency_key=f"i-{suffix}")
    assert first.created == 3
    assert upsert(later, "res.partner", rows, key="ref", idempotency_key=f"i-{suffix}") == first
    assert _named(odoo, f"Imported {suffix}") == 3
