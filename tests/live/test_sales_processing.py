"""Several orders taken from quotation to payment on a real Odoo, and what is left of them."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import AccessError, NotFoundError, Odoo, ValidationError, create, records
from odoo_toolkit.apps import inventory, sales
from odoo_toolkit.apps.sales.processing import StepName
from odoo_toolkit.policy import Policy
from tests.kit.live_tapes import Open
from tests.live.products import stored
from tests.live.sales_data import counted, new_customer, new_product

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]

ALL: tuple[StepName, ...] = ("confirm", "deliver", "invoice", "post", "pay")


@pytest.fixture
def customer(admin: Odoo, suffix: str) -> int:
    """A customer of the test's own."""
    return new_customer(admin, suffix)


@pytest.fixture
def products(admin: Odoo, suffix: str) -> dict[str, int]:
    """Desks, of which five are in stock, lamps of which there is none, and a service.

    Goods are invoiced when they are delivered.
    """
    goods = {"list_price": 50.0, "invoice_policy": "delivery", "taxes_id": [], **stored(admin)}
    ids = {
        name: create(admin, "product.product", {"name": f"{name} {suffix}", **goods}).id
        for name in ("desk", "lamp")
    }
    inventory.adjust_stock(admin, product_id=ids["desk"], quantity=5)
    return ids | {"service": new_product(admin, f"service {suffix}", price=30)}


@pytest.fixture
def seller(opened: Open) -> Odoo:
    """A connection of a user who sells, and has no rights in stock or accounting."""
    return opened("Seller in sales_team.group_sale_salesman")


def quotation(odoo: Odoo, customer: int, **quantities: int) -> sales.Order:
    """Return a quotation of quantities of products by ``p`` and their id."""
    lines = [{"product_id": int(key[1:]), "quantity": n} for key, n in quantities.items()]
    return sales.create_order(odoo, lines=lines, partner_id=customer)


def kept(odoo: Odoo, customer: int) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a customer's orders, transfers, invoices and payments."""
    fields = {
        "sale.order": ["name", "state", "invoice_status", "invoice_ids", "write_date"],
        "stock.picking": ["name", "state", "origin", "write_date"],
        "account.move": ["name", "state", "payment_state", "amount_total", "amount_residual"],
        "account.payment": ["name", "state", "amount", "journal_id"],
    }
    mine = [["partner_id", "=", customer]]
    # A payment is an entry of its own to 17.
    more = {"account.move": [["move_type", "!=", "entry"]]}
    return {
        model: records.search_read(
            odoo, model, mine + more.get(model, []), names, order="id"
        ).records
        for model, names in fields.items()
    }


def states(rows: dict[str, list[dict[str, Any]]], model: str) -> list[str]:
    """Return the states of a model's rows."""
    return [row["state"] for row in rows[model]]


def test_orders_go_as_far_as_they_can_and_nothing_is_done_twice(
    admin: Odoo, customer: int, products: dict[str, int]
) -> None:
    desk, lamp, service = (f"p{products[name]}" for name in ("desk", "lamp", "service"))
    orders = [
        quotation(admin, customer, **{desk: 2, service: 1}),
        quotation(admin, customer, **{desk: 1, lamp: 1}),
        quotation(admin, customer, **{service: 3}),
    ]
    names = [str(order.name) for order in orders]
    before = kept(admin, customer)
    planned = sales.process_orders(admin, orders=names, dry_run=True)
    assert kept(admin, customer) == before
    assert [tuple(outcome.actions) for outcome in planned.orders] == [ALL] * 3

    with counted(admin) as calls:
        result = sales.process_orders(admin, orders=names)
    assert len(calls) <= 120, calls
    goods, short, served = result.orders
    assert [outcome.name for outcome in result.orders] == names
    after = kept(admin, customer)
    assert (goods.complete, served.complete, short.complete) == (True, True, False), result
    assert short.stopped_at == "deliver"
    assert short.error
    missing = {row["product"]: row["missing"] for row in short.error["details"]["missing"]}
    assert [name.split(" ")[0] for name, much in missing.items() if much] == ["lamp"]
    assert states(after, "sale.order") == ["sale"] * 3
    # Nothing of the order that is short has moved; the service has no transfer.
    assert states(after, "stock.picking")[0] == "done"
    assert states(after, "stock.picking")[1] != "done"
    assert len(after["stock.picking"]) == 2
    stock = records.read(admin, "product.product", [products["desk"]], ["qty_available"])
    assert stock.records[0]["qty_available"] == 3
    assert states(after, "account.move") == ["posted", "posted"]
    assert [row["amount_total"] for row in after["account.move"]] == [130, 90]
    assert [row["amount_residual"] for row in after["account.move"]] == [0, 0]
    assert sorted(row["amount"] for row in after["account.payment"]) == [90, 130]
    told = {
        "deliver": (goods, after["stock.picking"][0]["name"]),
        "post": (goods, after["account.move"][0]["name"]),
    }
    for step, (outcome, name) in told.items():
        assert [made.name for made in outcome.done[step]] == [name]
    paid = {made.id for outcome in (goods, served) for made in outcome.done["pay"]}
    assert paid == {row["id"] for row in after["account.payment"]}
    assert [(o.state, o.amount_due) for o in result.orders] == [("sale", 0.0)] * 3
    assert (goods.invoice_status, short.invoice_status) == ("invoiced", "no")

    again = sales.process_orders(admin, orders=[order.id for order in orders])
    assert kept(admin, customer) == after
    assert [outcome.done for outcome in again.orders] == [{}, {}, {}]
    assert tuple(again.orders[0].not_needed) == ALL
    assert again.orders[1].stopped_at == "deliver"

    # The lamp comes: the order goes on where it stopped.
    inventory.adjust_stock(admin, product_id=products["lamp"], quantity=1)
    rest = sales.process_orders(admin, orders=[names[1]]).orders[0]
    assert (rest.complete, tuple(rest.done)) == (True, ALL[1:]), rest
    assert (rest.invoice_status, rest.amount_due) == ("invoiced", 0.0)
    assert len(kept(admin, customer)["account.payment"]) == 3


def test_what_is_not_in_stock_is_delivered_only_where_that_was_asked(
    admin: Odoo, customer: int, products: dict[str, int]
) -> None:
    order = quotation(admin, customer, **{f"p{products['lamp']}": 2})
    refused = sales.process_orders(admin, orders=[order.id], steps=["confirm", "deliver"])
    assert refused.orders[0].stopped_at == "deliver"
    plan = sales.process_orders.plan(admin, orders=[order.id], steps=["deliver"], unreserved=True)
    assert isinstance(plan, sales.OrdersPlan)
    assert "Below zero" in plan.orders[0].actions["deliver"]
    (done,) = sales.process_orders(
        admin, orders=[order.id], steps=["deliver"], unreserved=True
    ).orders
    assert done.complete, done
    assert any("below zero" in warning for warning in done.warnings)
    stock = records.read(admin, "product.product", [products["lamp"]], ["qty_available"])
    assert stock.records[0]["qty_available"] == -2
    assert done.amount_untaxed == sales.get_order(admin, order_id=order.id).amount_untaxed


def test_some_steps_for_several_orders(
    admin: Odoo, customer: int, products: dict[str, int], suffix: str
) -> None:
    service = f"p{products['service']}"
    orders = [quotation(admin, customer, **{service: n}).id for n in (1, 2)]
    bank = {"name": f"Till {suffix}", "type": "cash", "code": suffix[:5].upper()}
    journal = create(admin, "account.journal", bank).id
    invoiced = sales.process_orders(admin, orders=orders, steps=("invoice", "confirm"))
    assert all(outcome.complete for outcome in invoiced.orders), invoiced
    assert states(kept(admin, customer), "account.move") == ["draft", "draft"]
    unposted = sales.process_orders(admin, orders=orders, steps=["pay"])
    assert [outcome.stopped_at for outcome in unposted.orders] == ["pay", "pay"]
    posted = sales.process_orders(admin, orders=orders, steps=["post"])
    assert [outcome.amount_due for outcome in posted.orders] == [30, 60]
    day = "2031-02-03"
    paid = sales.process_orders(
        admin, orders=orders, steps=["pay"], journal_id=f"Till {suffix}", payment_date=day
    )
    assert [outcome.amount_due for outcome in paid.orders] == [0, 0]
    made = [payment.id for outcome in paid.orders for payment in outcome.done["pay"]]
    rows = records.read(admin, "account.payment", made, ["date", "journal_id", "amount"]).records
    assert [(row["date"], row["journal_id"]["id"], row["amount"]) for row in rows] == [
        (day, journal, 30),
        (day, journal, 60),
    ]


def test_an_invoice_in_instalments_is_paid_once_and_in_full(
    admin: Odoo, customer: int, products: dict[str, int], suffix: str
) -> None:
    """From 18 on Odoo would propose the next instalment only, and the rest the next time."""
    described = admin.schema.fields("account.payment.term.line")
    days = "nb_days" if "nb_days" in described else "days"
    balance = "balance" in [key for key, _ in described["value"].selection or ()]
    half: dict[str, Any] = {"value": "percent", "value_amount": 50.0}
    rest: dict[str, Any] = {"value": "balance", "value_amount": 0.0} if balance else half
    lines = [[0, 0, {**half, days: 0}], [0, 0, {**rest, days: 60}]]
    term = {"name": f"Halves {suffix}", "line_ids": lines}
    term_id = create(admin, "account.payment.term", term).id
    order = sales.create_order(
        admin,
        lines=[{"product_id": products["service"]}],
        partner_id=customer,
        payment_term_id=term_id,
    )
    outcome = sales.process_orders(admin, orders=[order.id]).orders[0]
    assert (outcome.complete, outcome.amount_due) == (True, 0.0), outcome
    again = sales.process_orders(admin, orders=[order.id]).orders[0]
    assert again.done == {}
    assert [row["amount"] for row in kept(admin, customer)["account.payment"]] == [30]


def test_a_user_without_rights_in_accounting_stops_where_they_are_needed(
    admin: Odoo, seller: Odoo, customer: int, products: dict[str, int]
) -> None:
    service = f"p{products['service']}"
    orders = [quotation(seller, customer, **{service: n}) for n in (1, 2)]
    result = sales.process_orders(seller, orders=[order.id for order in orders])
    rows = kept(admin, customer)
    for outcome in result.orders:
        assert (outcome.stopped_at, outcome.state) == ("post", "sale"), outcome
        assert outcome.error
        assert outcome.error["category"] == "access"
        assert list(outcome.done) == ["confirm", "invoice"]
    assert states(rows, "account.move") == ["draft", "draft"]
    assert rows["account.payment"] == []
    sales.process_orders(seller, orders=[order.id for order in orders])
    assert kept(admin, customer) == rows


def test_who_may_not_sell_changes_nothing(
    admin: Odoo, ordinary: Odoo, customer: int, products: dict[str, int]
) -> None:
    order = quotation(admin, customer, **{f"p{products['service']}": 1})
    before = kept(admin, customer)
    with pytest.raises((AccessError, NotFoundError)):
        sales.process_orders(ordinary, orders=[order.id])
    assert kept(admin, customer) == before


def test_the_policy_refuses_before_anything_is_written(
    opened: Open, admin: Odoo, customer: int, products: dict[str, int]
) -> None:
    order = quotation(admin, customer, **{f"p{products['desk']}": 1})
    before = kept(admin, customer)
    closed = (
        Policy(mode="readonly"),
        Policy(mode="restricted", write_allowlist="sale.order,stock.picking"),
        Policy(mode="restricted", write_allowlist="sale.order,account.move"),
        Policy(model_blocklist="stock.picking"),
        Policy(method_blocklist="button_validate"),
    )
    for policy in closed:
        with pytest.raises(AccessError):
            sales.process_orders(opened("admin", policy=policy), orders=[order.id])
    assert kept(admin, customer) == before


def test_bad_input_leaves_the_database_as_it_was(
    admin: Odoo, customer: int, products: dict[str, int]
) -> None:
    order = quotation(admin, customer, **{f"p{products['service']}": 1})
    sale = records.search_read(admin, "account.journal", [["type", "=", "sale"]], ["name"], limit=1)
    before = kept(admin, customer)
    wrong: list[tuple[Any, dict[str, Any], Any]] = [
        ([order.id, str(order.name)], {}, ValidationError),
        ([order.id, 99999999], {}, NotFoundError),
        ([order.id, f"{order.name}9"], {}, NotFoundError),
        ([order.id], {"steps": ["ship"]}, ValidationError),
        ([order.id], {"payment_date": "soon"}, ValidationError),
        ([order.id], {"journal_id": sale.records[0]["id"]}, ValidationError),
        ([order.id], {"journal_id": "No such till"}, NotFoundError),
        ([order.id], {"steps": ["confirm"], "journal_id": 1}, ValidationError),
    ]
    for orders, how, error in wrong:
        with pytest.raises(error):
            sales.process_orders(admin, orders=orders, **how)
    assert kept(admin, customer) == before
    sales.cancel_order(admin, order_id=order.id)
    outcome = sales.process_orders(admin, orders=[order.id]).orders[0]
    assert (outcome.stopped_at, outcome.state) == ("confirm", "cancel")
