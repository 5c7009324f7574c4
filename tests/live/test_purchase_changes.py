"""Purchase orders that are changed on a real Odoo; the figures are Odoo's own."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import (
    NotFoundError,
    Odoo,
    StateError,
    ValidationError,
    create,
    execute,
    search_read,
    write,
)
from odoo_toolkit.apps import purchase
from tests.live.products import stored

pytestmark = [pytest.mark.recorded, pytest.mark.every_version]

DAY, OTHER = "2031-05-06T12:00:00Z", "2031-06-06T12:00:00Z"


def offered(admin: Odoo, suffix: str, *names: str) -> tuple[int, dict[str, int]]:
    """Make goods that a vendor sells for nine each, or eight from ten on: its id, and theirs."""
    vendor = create(admin, "res.partner", {"name": f"Vendor {suffix}"}).id
    prices = "product.supplierinfo"
    seller = "partner_id" if "partner_id" in admin.schema.fields(prices) else "name"
    goods = {}
    for name in names:
        product = {"name": f"{name} {suffix}", "standard_price": 3, **stored(admin)}
        goods[name] = create(admin, "product.product", product).id
        of_it = [["product_variant_ids", "=", goods[name]]]
        template = search_read(admin, "product.template", of_it, ["id"]).records[0]["id"]
        for least, price in ((1, 9), (10, 8)):
            offer = {"product_tmpl_id": template, "min_qty": least, "price": price, "delay": 4}
            create(admin, prices, {seller: vendor, **offer})
    return vendor, goods


def order(odoo: Odoo, vendor: int, goods: dict[str, int], **more: Any) -> purchase.Order:
    """Order five of some goods for seven and a half each."""
    lines: list[Any] = [
        {"product_id": product, "quantity": 5, "price_unit": 7.5, "date_planned": DAY}
        for product in goods.values()
    ]
    return purchase.create_order(odoo, partner_id=vendor, lines=lines, **more)


def figures(odoo: Odoo, number: int) -> dict[str, tuple[float, float, str]]:
    """Return quantity, price and day of each line, as Odoo stores them, by the product's name."""
    fields = ["name", "product_qty", "price_unit", "date_planned"]
    rows = search_read(odoo, "purchase.order.line", [["order_id", "=", number]], fields).records
    return {
        row["name"].split()[0]: (row["product_qty"], row["price_unit"], row["date_planned"])
        for row in rows
    }


def coming(odoo: Odoo, number: int) -> dict[str, float]:
    """Return what open transfers of an order move."""
    domain = [["purchase_line_id.order_id", "=", number], ["state", "not in", ["done", "cancel"]]]
    found: dict[str, float] = {}
    for row in search_read(odoo, "stock.move", domain, ["product_id", "product_uom_qty"]).records:
        name = row["product_id"]["name"].split()[0]
        found[name] = found.get(name, 0.0) + row["product_uom_qty"]
    return found


def test_a_request_for_quotation_is_changed(admin: Odoo, suffix: str) -> None:
    """Prices and days stay as they are, and new lines get those of the vendor."""
    vendor, goods = offered(admin, suffix, "Chair", "Desk", "Rug")
    term = create(admin, "account.payment.term", {"name": f"Term {suffix}"}).id
    rug = goods.pop("Rug")
    rfq = order(admin, vendor, goods)
    wanted: dict[str, Any] = {
        "order_name": rfq.name,
        "add": [{"product_id": rug, "quantity": 12}, {"name": "As agreed"}],
        "change": [{"product_name": f"chair {suffix}", "quantity": 20}],
        "remove": [f"Desk {suffix}"],
        "partner_ref": "F 7",
        "payment_term_id": f"Term {suffix}",
        "note": "By hand",
    }
    plan = purchase.update_order(admin, **wanted, dry_run=True)
    changed = purchase.update_order(admin, **wanted)
    told = figures(admin, rfq.id)
    assert told["Chair"] == (20, 7.5, DAY)
    assert told["Rug"][:2] == (12, 8)
    assert told.keys() == {"Chair", "Rug", "As"}
    assert changed.amount_untaxed == pytest.approx(20 * 7.5 + 12 * 8)
    assert plan.documents[0].amount_total in (None, pytest.approx(changed.amount_total))
    assert (changed.payment_term.id, changed.partner_ref) == (term, "F 7")
    assert (changed.confirmed, changed.warnings) == (False, [])
    later = purchase.update_order(admin, order_id=rfq.id, date_planned=OTHER)
    assert {line.date_planned for line in later.lines if line.product} == {OTHER}
    assert later.date_planned == OTHER


def test_a_confirmed_order_partly_received_is_changed(admin: Odoo, suffix: str) -> None:
    """More, less, nothing and something new: receipts follow, prices stay, less is refused."""
    vendor, goods = offered(admin, suffix, "Chair", "Desk", "Lamp", "Rug")
    rug = goods.pop("Rug")
    number = order(admin, vendor, goods, confirm=True).id
    few: list[Any] = [{"product_id": goods[name], "quantity": 2} for name in ("Chair", "Desk")]
    purchase.receive(admin, order_id=number, lines=few, backorder=True)
    wanted: dict[str, Any] = {
        "order_id": number,
        "add": [{"product_id": rug, "quantity": 4, "price_unit": 1}],
        "change": [
            {"product_id": goods["Chair"], "quantity": 8},
            {"product_id": goods["Desk"], "quantity": 3},
        ],
        "remove": [f"Lamp {suffix}"],
    }
    plan = purchase.update_order(admin, **wanted, dry_run=True)
    notes = " ".join(plan.documents[0].notes)
    assert f"Chair {suffix}: 2 received, 0 billed, 6 left to receive" in notes
    assert f"Lamp {suffix}: 0 received, 0 billed, 0 left to receive" in notes
    assert ("Odoo 14 does not lower them" in notes) is (admin.version.major == 14)
    changed = purchase.update_order(admin, **wanted)
    told = figures(admin, number)
    assert {name: row[:2] for name, row in told.items()} == {
        "Chair": (8, 7.5),
        "Desk": (3, 7.5),
        "Lamp": (0, 7.5),
        "Rug": (4, 1),
    }
    assert {told[name][2] for name in ("Chair", "Desk", "Lamp")} == {DAY}
    assert plan.documents[0].amount_total in (None, pytest.approx(changed.amount_total))
    left = {"Chair": 6.0, "Desk": 1.0, "Lamp": 0.0, "Rug": 4.0}
    moving = coming(admin, number)
    wrong = {name for name in left if moving.get(name, 0.0) != left[name]}
    # What has not followed is named, and nothing else is.
    assert {text.split()[0] for text in changed.warnings} == wrong
    assert wrong == ({"Desk", "Lamp"} if admin.version.major == 14 else set())
    ending = f"Left to receive: 6 Chair {suffix}, 1 Desk {suffix}, 4 Rug {suffix}."
    assert changed.message.endswith(ending)
    for less in ({"change": [{**few[0], "quantity": 1}]}, {"remove": [f"Desk {suffix}"]}):
        with pytest.raises(StateError, match="2 are received"):
            purchase.update_order(admin, order_id=number, **less)
    assert figures(admin, number) == told


def test_receipts_keep_their_day_and_what_is_billed_its_price(admin: Odoo, suffix: str) -> None:
    vendor, goods = offered(admin, suffix, "Chair")
    write(admin, "product.product", [goods["Chair"]], {"purchase_method": "purchase"})
    number = order(admin, vendor, goods, confirm=True).id
    moved = purchase.update_order(admin, order_id=number, date_planned=OTHER)
    (receipt,) = moved.receipts
    assert figures(admin, number)["Chair"] == (5, 7.5, OTHER)
    (warning,) = moved.warnings
    assert warning.startswith(f"{receipt.name} stays scheduled for {DAY}")
    assert receipt.scheduled_date == DAY
    purchase.create_bill(admin, order_id=number, ref=suffix)
    less: Any = {"product_id": goods["Chair"], "quantity": 3, "price_unit": 6}
    plan = purchase.update_order(admin, order_id=number, change=[less], dry_run=True)
    notes = " ".join(plan.documents[0].notes)
    assert "0 received, 5 billed, 3 left to receive, 2 too many are billed" in notes
    assert "what is billed keeps the old price" in notes
    purchase.update_order(admin, order_id=number, change=[less])
    assert figures(admin, number)["Chair"] == (3, 6, OTHER)


def test_what_is_closed_or_wrong_leaves_an_order_as_it_is(admin: Odoo, suffix: str) -> None:
    vendor, goods = offered(admin, suffix, "Chair")
    number = order(admin, vendor, goods, confirm=True).id
    before = figures(admin, number)
    more: list[Any] = [{"product_id": goods["Chair"], "quantity": 9}]
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"remove": [f"Sofa {suffix}"]}, NotFoundError),
        ({"add": [{"product_name": f"Sofa {suffix}"}]}, NotFoundError),
        ({"change": more, "date_planned": "soon"}, ValidationError),
        ({"change": more, "payment_term_id": f"Never {suffix}"}, NotFoundError),
        ({}, ValidationError),
    ]
    for changes, error in wrong:
        with pytest.raises(error):
            purchase.update_order(admin, order_id=number, **changes)
    lock = "button_done" if admin.version.major < 19 else "button_lock"
    execute(admin, "purchase.order", lock, [[number]])
    with pytest.raises(StateError, match="is locked") as raised:
        purchase.update_order(admin, order_id=number, change=more)
    assert "button_unlock" in raised.value.suggestion
    execute(admin, "purchase.order", "button_unlock", [[number]])
    purchase.cancel_order(admin, order_id=number)
    with pytest.raises(StateError, match="is cancelled") as raised:
        purchase.update_order(admin, order_id=number, change=more)
    assert "button_draft" in raised.value.suggestion
    assert figures(admin, number) == before
