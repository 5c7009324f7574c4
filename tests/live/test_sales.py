"""The life of a sales order on a real Odoo, as administrator and as an ordinary user."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import (
    Odoo,
    Plan,
    StateError,
    ValidationError,
    count,
    create,
    execute,
    read,
    write,
)
from odoo_toolkit.apps import sales
from odoo_toolkit.call import Call
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit.records.time_zones import own_zone
from tests.live.sales_data import counted, new_customer, new_product

pytestmark = pytest.mark.recorded


@pytest.fixture
def customer(admin: Odoo, suffix: str) -> int:
    """A customer of the test's own."""
    return new_customer(admin, suffix)


@pytest.fixture
def service(admin: Odoo, suffix: str) -> int:
    """A service of 100, invoiced when ordered, without taxes."""
    return new_product(admin, f"Service {suffix}")


@pytest.fixture
def down_payment_product(admin: Odoo) -> None:
    """Odoo makes the product of down payments at the first one; ordinary users may not."""
    customer, service = new_customer(admin, "first"), new_product(admin, "Service first")
    order = sales.create_order(
        admin, lines=[{"product_id": service}], partner_id=customer, confirm=True
    )
    sales.create_invoices(admin, order_id=order.id, method="fixed", amount=1)


def row(odoo: Odoo, order_id: int, *fields: str) -> dict[str, Any]:
    """Return what Odoo itself says of an order."""
    return read(odoo, "sale.order", [order_id], list(fields)).records[0]


def test_twenty_named_lines_are_ordered_and_confirmed_in_six_calls(
    odoo: Odoo, admin: Odoo, suffix: str, customer: int
) -> None:
    """Names are looked up together, and everything is read back at once."""
    for number in range(20):
        new_product(admin, f"Thing {suffix} {number:02d}", price=10 + number)
    lines = [
        {"product_name": f"thing {suffix} {number:02d}", "quantity": number + 1, "discount": 50}
        for number in range(20)
    ]
    name = f"Customer {suffix}"
    planned = sales.create_order(odoo, lines=lines, partner_name=name, confirm=True, dry_run=True)
    assert len(planned.calls) == 2
    assert count(odoo, "sale.order", [["partner_id", "=", customer]]).count == 0
    own_zone(odoo)  # asked once for a connection
    with counted(odoo) as calls:
        result = sales.create_order(odoo, lines=lines, partner_name=name, confirm=True)
    told = row(odoo, result.id, "state", "amount_total", "name", "partner_id")
    assert len(calls) <= 6, calls
    assert result.confirmed
    assert told["state"] == result.state == "sale"
    assert told["partner_id"]["id"] == customer
    assert (told["name"], told["amount_total"]) == (result.name, result.amount_total)
    expected = sum((number + 1) * (10 + number) / 2 for number in range(20))
    assert result.amount_total == pytest.approx(expected)
    assert [line.quantity for line in result.lines or ()] == list(range(1, 21))


@pytest.mark.usefixtures("down_payment_product")
def test_an_order_goes_from_quotation_to_invoice(odoo: Odoo, customer: int, service: int) -> None:
    """Quotation, confirmation, a down payment, the rest: amounts are Odoo's."""
    lines = [{"product_id": service, "quantity": 4, "price_unit": 50}, {"name": "A note"}]
    quotation = sales.create_order(odoo, lines=lines, partner_id=customer, note="1 < 2 & so on")
    assert (quotation.state, quotation.confirmed, quotation.amount_total) == ("draft", False, 200)
    assert "1 < 2 & so on" in row(odoo, quotation.id, "note")["note"]
    with pytest.raises(StateError, match="not a confirmed order"):
        sales.create_invoices(odoo, order_id=quotation.id)

    assert sales.confirm_order(odoo, order_name=quotation.name).state == "sale"
    with pytest.raises(StateError, match="already confirmed"):
        sales.confirm_order(odoo, order_id=quotation.id)

    down = sales.create_invoices(odoo, order_id=quotation.id, method="percentage", amount=25)
    assert (len(down.invoices), down.amount_untaxed) == (1, pytest.approx(50))
    rest = sales.create_invoices(odoo, order_name=quotation.name)
    assert rest.amount_untaxed == pytest.approx(150)

    with counted(odoo) as calls:
        order = sales.get_order(
            odoo, order_name=quotation.name, include_deliveries=True, include_invoices=True
        )
    assert len(calls) <= 4, calls
    assert (order.state, order.invoice_count, order.invoice_status) == ("sale", 2, "invoiced")
    assert order.invoices is not None
    assert {item.id for item in order.invoices} == {down.invoices[0].id, rest.invoices[0].id}
    assert order.lines is not None
    assert [line.kind for line in order.lines][:2] == [None, "note"]


@pytest.mark.usefixtures("down_payment_product")
def test_a_fixed_down_payment_is_what_was_asked(odoo: Odoo, customer: int, service: int) -> None:
    """Without taxes on the product, it is the same sum on every version."""
    order = sales.create_order(
        odoo, lines=[{"product_id": service}], partner_id=customer, confirm=True
    )
    result = sales.create_invoices(odoo, order_id=order.id, method="fixed", amount=30)
    assert result.amount_total == pytest.approx(30)


def test_an_order_is_cancelled_with_its_delivery(
    odoo: Odoo, admin: Odoo, customer: int, suffix: str
) -> None:
    """The open delivery goes with it, no wizard is left open, and twice does no harm."""
    goods = new_product(admin, f"Goods {suffix}", "consu")
    order = sales.create_order(
        odoo, lines=[{"product_id": goods}], partner_id=customer, confirm=True
    )
    result = sales.cancel_order(odoo, order_name=order.name)
    assert row(odoo, order.id, "state")["state"] == result.state == "cancel"
    assert [delivery.state for delivery in result.deliveries] == ["cancel"]
    assert sales.cancel_order(odoo, order_id=order.id).cancelled
    with pytest.raises(StateError, match="cancelled"):
        sales.confirm_order(odoo, order_id=order.id)


@pytest.mark.every_version
def test_a_plan_to_cancel_names_the_deliveries_and_drafts_that_odoo_cancels(
    admin: Odoo, customer: int, suffix: str
) -> None:
    goods = new_product(admin, f"Goods {suffix}", "consu")
    lines = [{"product_id": goods}]
    order = sales.create_order(admin, lines=lines, partner_id=customer, confirm=True)
    sales.create_invoices(admin, order_id=order.id, method="fixed", amount=30)
    plan = sales.cancel_order(admin, order_id=order.id, dry_run=True)
    result = sales.cancel_order(admin, order_id=order.id)
    assert isinstance(plan, Plan)
    (delivery,), (invoice,) = result.deliveries, result.invoices
    assert (delivery.state, invoice.state) == ("cancel", "cancel")
    said = plan.message.removeprefix(f"Would cancel {order.name} (and with it {delivery.name}, ")
    assert said.startswith("Draft Invoice")  # 18 has no number after it


def test_a_delivered_order_is_not_cancelled(
    odoo: Odoo, admin: Odoo, customer: int, suffix: str
) -> None:
    """Odoo would cancel it in silence; the delivery is named."""
    goods = new_product(admin, f"Goods {suffix}", "consu")
    order = sales.create_order(
        odoo, lines=[{"product_id": goods}], partner_id=customer, confirm=True
    )
    found = sales.get_order(odoo, order_id=order.id, include_deliveries=True)
    assert found.deliveries
    delivery = found.deliveries[0]
    deliver(admin, delivery.id)
    with pytest.raises(StateError, match=f"delivery {delivery.name} is already validated"):
        sales.cancel_order(odoo, order_id=order.id)
    assert row(odoo, order.id, "state")["state"] == "sale"


def deliver(admin: Odoo, picking_id: int) -> None:
    """Validate a transfer completely, by what the version calls the done quantity."""
    moves = odoo_search(admin, "stock.move", [["picking_id", "=", picking_id]])
    done = "quantity" if "quantity" in admin.schema.fields("stock.move") else "quantity_done"
    for move in moves:
        values = {done: 1.0, "picked": True} if done == "quantity" else {done: 1.0}
        write(admin, "stock.move", [move], values, context={"allow_readonly": True})
    context = {"skip_sms": True, "skip_backorder": True}
    execute(admin, "stock.picking", "button_validate", [[picking_id]], context=context)
    assert read(admin, "stock.picking", [picking_id], ["state"]).records[0]["state"] == "done"


def odoo_search(odoo: Odoo, model: str, domain: list[Any]) -> list[int]:
    """Return ids."""
    found: list[int] = odoo.call(Call(model=model, method="search", arguments={"domain": domain}))
    return found


def test_an_order_with_a_posted_invoice_is_not_cancelled(
    odoo: Odoo, admin: Odoo, customer: int, service: int
) -> None:
    """Odoo would cancel it in silence; the invoice is named."""
    order = sales.create_order(
        odoo, lines=[{"product_id": service}], partner_id=customer, confirm=True
    )
    invoiced = sales.create_invoices(odoo, order_id=order.id)
    invoice_id = invoiced.invoices[0].id
    execute(admin, "account.move", "action_post", [[invoice_id]])
    name = read(admin, "account.move", [invoice_id], ["name"]).records[0]["name"]
    with pytest.raises(StateError, match=f"invoice {name} is already posted"):
        sales.cancel_order(odoo, order_id=order.id)
    with pytest.raises(StateError, match="fully invoiced"):
        sales.create_invoices(odoo, order_id=order.id)


def test_the_invoice_is_posted_in_the_same_call_and_older_drafts_are_not(
    odoo: Odoo, admin: Odoo, customer: int, service: int
) -> None:
    """A draft down payment stays a draft; the new invoice has its number and due date."""
    order = sales.create_order(
        odoo, lines=[{"product_id": service, "price_unit": 80}], partner_id=customer
    )
    sales.confirm_order(odoo, order_id=order.id)
    down = sales.create_invoices(odoo, order_id=order.id, method="fixed", amount=10)
    plan = sales.create_invoices.plan(odoo, order_id=order.id, post=True)
    assert [call.method for call in plan.calls] == ["create", "create_invoices", "action_post"]
    # Odoo lets salespeople make invoices, and people of accounting post them.
    made_now = sales.create_invoices(admin, order_id=order.id, post=True)
    (invoice,) = made_now.invoices
    assert (invoice.state, made_now.warnings) == ("posted", [])
    stored = read(
        admin, "account.move", [invoice.id], ["name", "invoice_date_due", "amount_untaxed"]
    ).records[0]
    told = {"name": invoice.name, "invoice_date_due": invoice.invoice_date_due}
    assert stored == {"id": invoice.id, **told, "amount_untaxed": made_now.amount_untaxed}
    old = read(admin, "account.move", [down.invoices[0].id], ["state"]).records[0]
    assert old["state"] == "draft"


def test_a_locked_order_is_not_cancelled(
    odoo: Odoo, admin: Odoo, customer: int, service: int
) -> None:
    """Locked is a state to 16 and a field from 17 on; told alike."""
    order = sales.create_order(
        odoo, lines=[{"product_id": service}], partner_id=customer, confirm=True
    )
    lock = "action_lock" if "locked" in admin.schema.fields("sale.order") else "action_done"
    execute(admin, "sale.order", lock, [[order.id]])
    assert sales.get_order(odoo, order_id=order.id).locked
    with pytest.raises(StateError, match="locked"):
        sales.cancel_order(odoo, order_id=order.id)


def test_bad_input_leaves_the_database_as_it_was(
    odoo: Odoo, admin: Odoo, customer: int, service: int, suffix: str
) -> None:
    """Neither a wrong line, nor a name for two, nor an id of nothing creates an order."""
    new_product(admin, f"Twin {suffix} one")
    new_product(admin, f"Twin {suffix} two")
    for line, error in (
        ({"product_id": service, "quantity": -1}, ValidationError),
        ({"product_id": service, "discount": 101}, ValidationError),
        ({"quantity": 1}, ValidationError),
        ({"product_name": f"Twin {suffix}"}, AmbiguousNameError),
        ({"product_name": f"Nothing {suffix}"}, LookupError),
        ({"product_id": 99999999}, LookupError),
    ):
        with pytest.raises(error):
            sales.create_order(odoo, lines=[{"product_id": service}, line], partner_id=customer)
    with pytest.raises(LookupError):
        sales.create_order(odoo, lines=[{"product_id": service}], partner_id=99999999)
    empty = create(odoo, "sale.order", {"partner_id": customer}).id
    with pytest.raises(StateError, match="no lines"):
        sales.confirm_order(odoo, order_id=empty)
    assert count(odoo, "sale.order", [["partner_id", "=", customer]]).count == 1
