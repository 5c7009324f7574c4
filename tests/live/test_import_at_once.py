"""New records in two batches at a time: the same as one after the other, and taken back as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Odoo,
    connect,
    create,
    create_many,
    history,
    read,
    search_read,
    undo,
    unlink,
    upsert,
)
from tests.live.servers import Server, credentials
from tests.soak.proxy import Fault, method_of, proxy

ROWS, BATCH = 30, 5


@pytest.fixture
def word(admin: Odoo, suffix: str) -> Iterator[str]:
    """A word for names and references; what has it goes in the end."""
    yield suffix
    for model, field in (
        ("sale.order", "client_order_ref"),
        ("product.template", "default_code"),
        ("res.partner", "ref"),
    ):
        found = search_read(
            admin, model, [[field, "=like", f"{suffix}%"]], ["id"], limit=500
        ).records
        if found:
            unlink(admin, model, [row["id"] for row in found])


def _contacts(word: str, odoo: Odoo) -> list[dict[str, Any]]:
    company = create(odoo, "res.partner", {"name": word, "ref": f"{word}-0", "is_company": True})
    return [
        {
            "ref": f"{word}-{n}",
            "name": f"Contact {n}",
            "email": f"{n}@example.com",
            "country_id": "Belgium" if n % 2 else "France",
            "parent_id": {"id": company.id} if n % 3 else None,
            "comment": "n",
        }
        for n in range(1, ROWS)
    ]


def _products(word: str, odoo: Odoo) -> list[dict[str, Any]]:
    return [
        {"default_code": f"{word}-{n}", "name": f"Product {n}", "list_price": n + 0.5, "type": kind}
        for n, kind in enumerate(["service", "consu"] * (ROWS // 2))
    ]


def _orders(word: str, odoo: Odoo) -> list[dict[str, Any]]:
    customer = create(odoo, "res.partner", {"name": word, "ref": f"{word}-0"}).id
    return [
        {"client_order_ref": f"{word}-{n}", "partner_id": {"id": customer}} for n in range(ROWS)
    ]


def _lines(word: str, odoo: Odoo, orders: Sequence[int | None]) -> list[dict[str, Any]]:
    """Return two lines of each order: the first of all, then the second of all."""
    values = {"name": word, "default_code": f"{word}-p{orders[0]}", "list_price": 2.0}
    template = create(odoo, "product.template", values).id
    variants = search_read(odoo, "product.product", [["product_tmpl_id", "=", template]], ["id"])
    product = {"id": variants.records[0]["id"]}
    return [
        {"order_id": {"id": order}, "product_id": product, "product_uom_qty": 2, "price_unit": n}
        for n, order in enumerate([*orders, *orders])
    ]


KINDS = {
    "contacts": ("res.partner", "ref", _contacts, ["name", "email", "country_id", "parent_id"]),
    "products": ("product.template", "default_code", _products, ["name", "list_price", "type"]),
    "orders": ("sale.order", "client_order_ref", _orders, ["partner_id", "state"]),
}


def _shown(
    odoo: Odoo, model: str, ids: Sequence[int | None], fields: list[str]
) -> list[dict[str, Any]]:
    """Return what is stored, in the order of the ids, without the ids."""
    numbers = [number for number in ids if number is not None]
    found = {row["id"]: row for row in read(odoo, model, numbers, fields).records}
    return [{name: found[number][name] for name in fields} for number in numbers]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_made_as_one_after_the_other(admin: Odoo, word: str, kind: str) -> None:
    model, key, make, fields = KINDS[kind]
    rows = make(word, admin)
    # Only Odoo knows of the bad one: the others of its batch are made all the same.
    bad = {"client_order_ref": "partner_id", "ref": "country_id", "default_code": "categ_id"}[key]
    bad_row = {**rows[17], key: f"{word}-bad", bad: {"id": 99_999_999}}
    second = [{**row, key: f"{row[key]}b"} for row in rows]
    results = [
        create_many(admin, model, [*rows[:17], bad_row, *rows[17:]], batch=BATCH),
        create_many(
            admin, model, [*second[:17], bad_row, *second[17:]], batch=BATCH, concurrency=2
        ),
    ]
    for result in results:
        assert [row.row for row in result.failed] == [18]
        assert (result.created, result.interrupted) == (len(rows), None)
    one, two = (_shown(admin, model, result.ids, [key, *fields]) for result in results)
    assert [{**row, key: f"{row[key]}b"} for row in one] == two
    assert len({*results[1].ids}) == len(rows) + 1


def test_lines_of_orders_make_the_same_amounts(admin: Odoo, word: str) -> None:
    """The two lines of an order are in different batches."""
    amounts = []
    for concurrency in (1, 2):
        orders = create_many(admin, "sale.order", _orders(word, admin), batch=BATCH)
        lines = _lines(word, admin, orders.ids)
        made = create_many(admin, "sale.order.line", lines, batch=BATCH, concurrency=concurrency)
        assert (made.created, made.failed) == (2 * ROWS, [])
        amounts.append(_shown(admin, "sale.order", orders.ids, ["amount_untaxed", "amount_total"]))
    assert amounts[0] == amounts[1]
    assert [row["amount_untaxed"] for row in amounts[1]] == [
        2.0 * (2 * n + ROWS) for n in range(ROWS)
    ]


def test_rows_that_all_change_one_record_are_all_made(admin: Odoo, word: str) -> None:
    """Each line changes the amounts of its order, so batches collide; Odoo repeats them."""
    order = create_many(admin, "sale.order", _orders(word, admin)[:1]).ids
    lines = _lines(word, admin, order * (ROWS // 2))
    result = create_many(admin, "sale.order.line", lines, batch=BATCH, concurrency=2)
    assert (result.created, result.failed, result.interrupted) == (ROWS, [], None)
    (shown,) = _shown(admin, "sale.order", order, ["amount_untaxed", "order_line"])
    assert shown["amount_untaxed"] == 2.0 * sum(range(ROWS))
    assert len(shown["order_line"]) == ROWS


def test_one_undo_takes_back_all_batches(server: Server, word: str, tmp_path: Path) -> None:
    login = credentials(server, server.user("admin"))
    with connect(**login, history=tmp_path / "history.sqlite") as odoo:
        rows = [{"ref": f"{word}-{n}", "name": f"C {n}"} for n in range(ROWS)]
        result = upsert(odoo, "res.partner", rows, key="ref", batch=BATCH, concurrency=2)
        (entry,) = history(odoo)
        assert (entry.operation, entry.outcome) == ("upsert", "done")
        made = [number for call in entry.writes for number in call.made]
        assert sorted(made) == sorted(number for number in result.ids if number)
        assert len(made) == ROWS
        undo(odoo, entry=entry.id)
        assert search_read(odoo, "res.partner", [["ref", "=like", f"{word}%"]], ["id"]).count == 0


def test_a_batch_whose_answer_is_lost_is_recognised_beside_another_one(
    server: Server, word: str, tmp_path: Path
) -> None:
    sent: list[str] = []

    def choose(path: str, body: bytes) -> Fault | None:
        if method_of(path, body) != "create":
            return None
        sent.append(path)
        return "lost" if len(sent) in (2, 5) else None

    with proxy(server.url, choose) as between:
        login = {**credentials(server, server.user("admin")), "url": between.url}
        with connect(**login, history=tmp_path / "history.sqlite") as odoo:
            rows = [{"ref": f"{word}-{n}", "name": f"C {n}"} for n in range(ROWS)]
            result = upsert(odoo, "res.partner", rows, key="ref", batch=BATCH, concurrency=2)
            assert (result.created, result.interrupted) == (ROWS, None)
            assert len(result.warnings) == 1
            assert len(sent) == ROWS // BATCH
            (entry,) = history(odoo)
            assert {call.outcome for call in entry.writes} == {"done"}
            shown = _shown(odoo, "res.partner", result.ids, ["ref"])
            assert [row["ref"] for row in shown] == [row["ref"] for row in rows]
            refs = {number: row["ref"] for number, row in zip(result.ids, rows, strict=True)}
            for call in entry.writes:
                assert [refs[number] for number in call.made] == [row["ref"] for row in call.values]
