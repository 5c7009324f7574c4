"""Quotations that are changed and copied on a real Odoo; the figures are Odoo's own."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import NotFoundError, Odoo, StateError, ValidationError, create, read, search_read
from odoo_toolkit.apps import purchase, sales
from odoo_toolkit.apps.accounting import create_invoice
from odoo_toolkit.apps.inventory import adjust_stock, validate_picking
from odoo_toolkit.plans import Plan
from tests.live.products import stored as storable
from tests.live.sales_data import counted, new_customer, new_product

pytestmark = pytest.mark.recorded


@pytest.fixture
def customer(admin: Odoo, suffix: str) -> int:
    """A customer of the test's own."""
    return new_customer(admin, suffix)


def stored(odoo: Odoo, order_id: int) -> list[dict[str, Any]]:
    """Return what Odoo itself says of an order's lines."""
    fields = ["name", "product_uom_qty", "price_unit", "discount", "display_type"]
    return search_read(odoo, "sale.order.line", [["order_id", "=", order_id]], fields).records


def quotation(odoo: Odoo, admin: Odoo, suffix: str, customer: int) -> sales.Order:
    """Return a quotation of two chairs and a desk below a heading."""
    new_product(admin, f"Chair {suffix}", price=50)
    new_product(admin, f"Desk {suffix}", price=80)
    new_product(admin, f"Lamp {suffix}", price=20)
    lines = [
        {"section": "Furniture"},
        {"product_name": f"Chair {suffix}", "quantity": 2},
        {"product_name": f"Desk {suffix}", "price_unit": 75},
    ]
    return sales.create_order(
        odoo,
        lines=lines,
        partner_id=customer,
        commitment_date="2031-05-06T07:08:09Z",
        client_order_ref=f"PO {suffix}",
        note="As agreed",
    )


def test_a_quotation_is_changed_by_the_names_of_products(
    odoo: Odoo, admin: Odoo, suffix: str, customer: int
) -> None:
    term = create(admin, "account.payment.term", {"name": f"Term {suffix}"}).id
    order = quotation(odoo, admin, suffix, customer)
    assert (order.amount_untaxed, order.client_order_ref) == (175, f"PO {suffix}")
    assert (order.commitment_date, order.note) == ("2031-05-06T07:08:09Z", "As agreed")
    assert [line.kind for line in order.lines or ()] == ["section", None, None]
    wanted: dict[str, Any] = {
        "order_name": order.name,
        "add": [{"product_name": f"Lamp {suffix}", "quantity": 5}, {"section": "The end"}],
        "change": [{"product_name": f"chair {suffix}", "quantity": 3, "discount": 10}],
        "remove": [f"Desk {suffix}"],
        "payment_term_name": f"Term {suffix}",
        "client_order_ref": "another",
    }
    sales.update_order(odoo, **wanted, dry_run=True)  # what a connection asks for once is asked
    with counted(odoo) as calls:
        changed = sales.update_order(odoo, **wanted)
    assert len(calls) <= 9, calls
    assert changed.amount_untaxed == pytest.approx(3 * 45 + 5 * 20)
    told = [
        (row["display_type"], row["product_uom_qty"], row["discount"])
        for row in stored(odoo, order.id)
    ]
    assert told == [
        ("line_section", 0, 0),
        (None, 3, 10),
        (None, 5, 0),
        ("line_section", 0, 0),
    ]
    assert changed.payment_term.id == term
    assert changed.client_order_ref == "another"
    shown = sales.get_order(odoo, order_id=order.id)
    assert (shown.client_order_ref, shown.note, shown.payment_term) == (
        "another",
        "As agreed",
        changed.payment_term,
    )


def test_what_is_wrong_leaves_the_quotation_as_it_is(
    odoo: Odoo, admin: Odoo, suffix: str, customer: int
) -> None:
    order = quotation(odoo, admin, suffix, customer)
    before = stored(odoo, order.id)
    lamp = [{"product_name": f"Lamp {suffix}"}]
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"add": lamp, "remove": [f"Lamp {suffix}"]}, NotFoundError),
        ({"add": lamp, "change": [{"line_id": 1, "quantity": 2}]}, ValidationError),
        ({"add": [{"product_name": f"Sofa {suffix}"}]}, NotFoundError),
        ({"add": lamp, "payment_term_name": f"Never {suffix}"}, NotFoundError),
    ]
    for changes, error in wrong:
        with pytest.raises(error):
            sales.update_order(odoo, order_id=order.id, **changes)
    plan = sales.update_order(odoo, order_id=order.id, add=lamp, dry_run=True)
    assert isinstance(plan, Plan)
    assert stored(odoo, order.id) == before
    sales.confirm_order(odoo, order_id=order.id)
    sales.cancel_order(odoo, order_id=order.id)
    with pytest.raises(StateError, match="is cancelled"):
        sales.update_order(odoo, order_id=order.id, add=lamp)
    assert len(stored(odoo, order.id)) == len(before)


def in_stock(admin: Odoo, suffix: str, *names: str, **values: Any) -> dict[str, int]:
    """Make products of which there are fifty each: ids by name."""
    goods = {}
    for name in names:
        product = {"name": f"{name} {suffix}", "list_price": 9, **storable(admin), **values}
        goods[name] = create(admin, "product.product", product).id
        adjust_stock(admin, product_id=goods[name], quantity=50)
    return goods


@pytest.mark.every_version
def test_chosen_lines_or_what_is_delivered_is_invoiced(admin: Odoo, suffix: str) -> None:
    """Products that are invoiced when ordered: three chairs, then what is delivered, then all."""
    goods = in_stock(admin, suffix, "Chair", "Desk", invoice_policy="order", taxes_id=[])
    buyer = create(admin, "res.partner", {"name": f"Buyer {suffix}"}).id
    ordered = [{"product_id": product, "quantity": 5} for product in goods.values()]
    lines = [{"section": "Furniture"}, *ordered]
    order = sales.create_order(admin, partner_id=buyer, lines=lines, confirm=True)
    chair = {"product_name": f"chair {suffix}", "quantity": 3}

    def invoiced(**values: Any) -> list[tuple[float, float]]:
        """Invoice as the plan says, and return product and quantity of each line, as stored."""
        plan = sales.create_invoices(admin, order_id=order.id, **values, dry_run=True)
        told = [line.quantity for line in plan.documents[0].lines if line.product]
        result = sales.create_invoices(admin, order_id=order.id, **values)
        assert result.warnings == []
        (invoice,) = result.invoices
        rows = search_read(
            admin,
            "account.move.line",
            [["move_id", "=", invoice.id], ["product_id", "!=", False]],
            ["product_id", "quantity"],
            order="id",
        ).records
        assert [row["quantity"] for row in rows] == told
        assert result.amount_total == invoice.amount_residual == 9 * sum(told)
        return [(row["product_id"]["id"], row["quantity"]) for row in rows]

    for wrong, error in (
        ({"lines": [{**chair, "quantity": 6}]}, ValidationError),
        ({"lines": [chair, chair]}, ValidationError),
        ({"lines": []}, ValidationError),
        ({"lines": [{"product_name": f"Sofa {suffix}"}]}, NotFoundError),
        ({"lines": [chair], "method": "fixed", "amount": 1}, ValidationError),
        ({"method": "delivered_only"}, StateError),
    ):
        with pytest.raises(error):
            sales.create_invoices(admin, order_id=order.id, **wrong)
    assert sales.get_order(admin, order_id=order.id).invoices in (None, [])
    assert invoiced(lines=[chair], post=True) == [(goods["Chair"], 3)]
    (delivery,) = order.deliveries or ()
    few = [{"product_id": product, "quantity": 4} for product in goods.values()]
    validate_picking(admin, picking_id=delivery.id, lines=few, backorder=True)
    assert invoiced(method="delivered_only") == [(goods["Chair"], 1), (goods["Desk"], 4)]
    assert invoiced() == [(goods["Chair"], 1), (goods["Desk"], 1)]
    with pytest.raises(StateError, match="fully invoiced"):
        sales.create_invoices(admin, order_id=order.id, method="delivered_only")


def priced(admin: Odoo, suffix: str) -> tuple[dict[str, int], dict[str, Any]]:
    """Return products of several taxes and prices, and the head of an order with a price list."""
    major = admin.version.major
    included = (
        {"price_include_override": "tax_included"} if major >= 18 else {"price_include": True}
    )
    tax = {"name": f"Included {suffix}", "amount": 20, "type_tax_use": "sale", **included}
    taxes = {"taxes_id": [[6, 0, [create(admin, "account.tax", tax).id]]]}
    goods = {}
    for name, price, values in (("Chair", 50.33, {}), ("Desk", 80, {}), ("Rug", 11.11, taxes)):
        kind = {"type": "service", "invoice_policy": "order"}
        product = {"name": f"{name} {suffix}", "list_price": price, **kind, **values}
        goods[name] = create(admin, "product.product", product).id
    item = {"applied_on": "0_product_variant", "product_id": goods["Chair"], "min_quantity": 4}
    item |= {"compute_price": "fixed", "fixed_price": 40}
    prices = {"name": f"Prices {suffix}", "item_ids": [[0, 0, item]]}
    head = {"pricelist_id": create(admin, "product.pricelist", prices).id}
    head["partner_id"] = create(admin, "res.partner", {"name": f"Buyer {suffix}"}).id
    return goods, head


@pytest.mark.every_version
@pytest.mark.parametrize("confirm", [False, True], ids=["quotation", "confirmed"])
def test_a_plan_says_what_order_and_invoice_amount_to(
    admin: Odoo, suffix: str, confirm: bool
) -> None:
    """As Odoo makes them: with prices by quantity, discounts, and taxes within the price."""
    goods, head = priced(admin, suffix)
    chair, desk, rug = [{"product_id": number} for number in goods.values()]
    lines = [
        {"section": "Furniture"},
        {**chair, "quantity": 2},
        {**desk, "price_unit": 75.55, "discount": 5},
        rug,
    ]
    order = sales.create_order(admin, lines=lines, **head, confirm=confirm)

    def money(document: Any) -> Any:
        return pytest.approx((document.amount_untaxed, document.amount_total), abs=0.001)

    changes: list[dict[str, Any]] = [
        {"change": [{**chair, "quantity": 5}]},
        {"change": [{**desk, "quantity": 3, "price_unit": 13.37}, {**rug, "quantity": 7}]},
        {"change": [{**chair, "discount": 10}], "add": [{"name": "As agreed"}]},
        {"remove": [f"Desk {suffix}"], "add": [{**chair, "quantity": 9}]},
    ]
    for wanted in changes:
        plan = sales.update_order(admin, order_id=order.id, **wanted, dry_run=True)
        changed = sales.update_order(admin, order_id=order.id, **wanted)
        (planned,) = plan.documents
        assert (planned.amount_untaxed, planned.amount_total) == money(changed)
        assert f"It becomes {changed.amount_total:.2f} " in " ".join(planned.notes)
    if not confirm:
        return
    for which in ({"lines": [{**rug, "quantity": 2}]}, {}):
        plan = sales.create_invoices(admin, order_id=order.id, **which, dry_run=True)
        result = sales.create_invoices(admin, order_id=order.id, **which, post=True)
        assert isinstance(result, sales.InvoiceResult)
        (planned,) = plan.documents
        assert (planned.amount_untaxed, planned.amount_total) == money(result)
    # Less than is invoiced: the next one is a credit note.
    sales.update_order(admin, order_id=order.id, change=[{**rug, "quantity": 1}])
    credit = sales.create_invoices(admin, order_id=order.id, dry_run=True)
    assert credit.documents[0].amount_total == pytest.approx(6 * 11.11)
    assert "credit note" in " ".join(credit.documents[0].notes)


@pytest.mark.every_version
def test_stock_is_compared_with_what_is_left_to_deliver(admin: Odoo, suffix: str) -> None:
    """What is delivered is not asked of stock again, and what the order has reserved is its own."""
    goods = in_stock(admin, suffix, "Chair", "Desk", "Rug")
    buyer = create(admin, "res.partner", {"name": f"Buyer {suffix}"}).id

    def ordered(**quantities: float) -> int:
        lines = [
            {"product_id": goods[name], "quantity": amount} for name, amount in quantities.items()
        ]
        return sales.create_order(admin, partner_id=buyer, lines=lines, confirm=True).id

    def noted(**wanted: Any) -> list[str]:
        plan = sales.update_order(admin, order_id=order, **wanted, dry_run=True)
        assert not [line for line in plan.documents[0].lines if line.available is not None]
        return [note for note in plan.documents[0].notes if note.startswith("The stock")]

    order = ordered(Chair=30, Desk=45)
    (delivery,) = sales.get_order(admin, order_id=order, include_deliveries=True).deliveries or ()
    few = [{"product_id": goods["Desk"], "quantity": 40}]
    validate_picking(admin, picking_id=delivery.id, lines=few, backorder=True)
    ordered(Chair=4)  # Of fifty chairs 16 are free, and 30 reserved for the order itself.
    chair, desk = {"product_id": goods["Chair"]}, {"product_id": goods["Desk"]}
    assert noted(change=[{**chair, "quantity": 46}, {**desk, "quantity": 50}]) == []
    rug = {"product_id": goods["Rug"], "quantity": 60}
    wanted = {"change": [{**chair, "quantity": 48}, {**desk, "quantity": 55}], "add": [rug]}
    assert noted(**wanted) == [
        "The stock does not cover everything that is left to deliver:"
        f" Chair {suffix}: 46 of 48; Desk {suffix}: 10 of 15; Rug {suffix}: 50 of 60."
    ]
    changed = sales.update_order(admin, order_id=order, **wanted)
    told = f"Left to deliver: 48 Chair {suffix}, 15 Desk {suffix}, 60 Rug {suffix}."
    assert changed.message.endswith(told)


@pytest.mark.every_version
def test_a_confirmed_order_partly_delivered_is_changed(admin: Odoo, suffix: str) -> None:
    """More, less, nothing and something new: deliveries follow, prices stay, less is refused."""
    goods = in_stock(admin, suffix, "Chair", "Desk", "Lamp", "Rug")
    buyer = create(admin, "res.partner", {"name": f"Buyer {suffix}"}).id
    ordered = [
        {"product_id": goods[name], "quantity": 5, "price_unit": 7.5}
        for name in ("Chair", "Desk", "Lamp")
    ]
    order = sales.create_order(admin, partner_id=buyer, lines=ordered, confirm=True)
    (delivery,) = order.deliveries or ()
    few = [{"product_id": product, "quantity": 2} for product in list(goods.values())[:2]]
    validate_picking(admin, picking_id=delivery.id, lines=few, backorder=True)
    wanted: dict[str, Any] = {
        "order_id": order.id,
        "change": [
            {"product_id": goods["Chair"], "quantity": 8},
            {"product_id": goods["Desk"], "quantity": 3},
        ],
        "remove": [f"Lamp {suffix}"],
        "add": [{"product_id": goods["Rug"], "quantity": 4, "price_unit": 1}],
    }
    plan = sales.update_order(admin, **wanted, dry_run=True)
    notes = " ".join(plan.documents[0].notes)
    assert f"Chair {suffix}: 2 delivered, 0 invoiced, 6 left to deliver" in notes
    assert f"Lamp {suffix}: 0 delivered, 0 invoiced, 0 left to deliver" in notes
    changed = sales.update_order(admin, **wanted)
    lines = {line.name.split()[0]: line for line in changed.lines or ()}
    assert {name: (line.quantity, line.price_unit) for name, line in lines.items()} == {
        "Chair": (8, 7.5),
        "Desk": (3, 7.5),
        "Lamp": (0, 7.5),
        "Rug": (4, 1),
    }
    open_ones = search_read(
        admin,
        "stock.move",
        [["sale_line_id.order_id", "=", order.id], ["state", "not in", ["done", "cancel"]]],
        ["product_id", "product_uom_qty"],
    ).records
    moving: dict[str, float] = {}
    for row in open_ones:
        name = row["product_id"]["name"].split()[0]
        moving[name] = moving.get(name, 0) + row["product_uom_qty"]
    left = {"Chair": 6.0, "Desk": 1.0, "Lamp": 0.0, "Rug": 4.0}
    wrong = {name for name in left if moving.get(name, 0.0) != left[name]}
    # What has not followed is named, and nothing else is.
    assert {text.split()[0] for text in changed.warnings} == wrong
    if admin.version.major > 14:
        assert wrong == set()
    with pytest.raises(StateError, match="2 are delivered"):
        sales.update_order(
            admin, order_id=order.id, change=[{"product_id": goods["Chair"], "quantity": 1}]
        )
    with pytest.raises(StateError, match="2 are delivered"):
        sales.update_order(admin, order_id=order.id, remove=[f"Desk {suffix}"])


def test_an_order_is_copied_with_its_prices_or_for_another_customer(
    odoo: Odoo, admin: Odoo, suffix: str, customer: int
) -> None:
    order = quotation(odoo, admin, suffix, customer)
    sales.confirm_order(odoo, order_id=order.id)
    copy = sales.copy_order(
        odoo,
        order_name=order.name,
        change=[{"product_name": f"Chair {suffix}", "quantity": 4}],
        add=[{"product_name": f"Lamp {suffix}"}],
    )
    assert (copy.state, copy.partner, copy.warnings) == ("draft", order.partner, [])
    assert copy.amount_untaxed == pytest.approx(4 * 50 + 75 + 20)
    assert copy.note == "As agreed"
    assert copy.client_order_ref is None
    head = ["pricelist_id", "payment_term_id", "partner_invoice_id", "fiscal_position_id"]
    rows = read(odoo, "sale.order", [order.id, copy.id], head).records
    assert {name: rows[0][name] for name in head} == {name: rows[1][name] for name in head}
    names = [[row["name"] for row in stored(odoo, which)] for which in (order.id, copy.id)]
    assert names[1][:3] == names[0]

    other = new_customer(admin, f"{suffix} other")
    second = sales.copy_order(odoo, order_id=order.id, partner_id=other, remove=[f"Chair {suffix}"])
    assert second.partner.id == other
    # The desk's own price, not the one that was agreed on with the first customer.
    assert second.amount_untaxed == pytest.approx(80)
    addresses = read(odoo, "sale.order", [second.id], ["partner_invoice_id"]).records[0]
    assert addresses["partner_invoice_id"]["id"] == other


@pytest.mark.every_version
def test_lines_are_in_the_unit_that_is_given(admin: Odoo, suffix: str) -> None:
    """Two dozens of what costs 3 apiece cost 36 each: sold, bought and invoiced."""
    values = {"list_price": 3, "standard_price": 3, "taxes_id": [], "supplier_taxes_id": []}
    name = f"Egg {suffix}"
    egg = create(admin, "product.product", {"name": name, **values, **storable(admin)}).id
    unit = read(admin, "product.product", [egg], ["uom_id"]).records[0]["uom_id"]["id"]
    of_unit: dict[str, Any] = {"relative_uom_id": unit, "relative_factor": 12}
    if admin.version.major < 19:
        category = read(admin, "uom.uom", [unit], ["category_id"]).records[0]["category_id"]["id"]
        of_unit = {"category_id": category, "uom_type": "bigger", "factor_inv": 12}
    dozen = create(admin, "uom.uom", {"name": f"Twelve {suffix}", **of_unit}).id
    other = create(admin, "res.partner", {"name": f"Farm {suffix}"}).id
    vendor = "partner_id" if "partner_id" in admin.schema.fields("product.supplierinfo") else "name"
    template = read(admin, "product.product", [egg], ["product_tmpl_id"]).records[0]
    offer = {vendor: other, "product_tmpl_id": template["product_tmpl_id"]["id"], "min_qty": 20}
    create(admin, "product.supplierinfo", {**offer, "price": 3})
    lines: list[Any] = [{"product_id": egg, "quantity": 2, "uom": f"Twelve {suffix}"}]
    sold = sales.create_order(admin, partner_id=other, lines=lines)
    bought = purchase.create_order(admin, partner_id=other, lines=lines)
    billed = create_invoice(admin, partner_id=other, lines=lines)
    more = sales.update_order(admin, order_id=sold.id, add=lines)
    assert (sold.amount_untaxed, more.amount_untaxed) == (72, 144)
    assert (bought.amount_untaxed, billed.amount_untaxed) == (72, 72)
    assert not [text for text in bought.warnings if "price" in text]
    for model, parent, number in (
        ("sale.order.line", "order_id", sold.id),
        ("purchase.order.line", "order_id", bought.id),
        ("account.move.line", "move_id", billed.id),
    ):
        field = "product_uom" if "product_uom" in admin.schema.fields(model) else "product_uom_id"
        domain = [[parent, "=", number], ["product_id", "=", egg]]
        rows = search_read(admin, model, domain, [field, "price_unit"], order="id").records
        assert {(row[field]["id"], row["price_unit"]) for row in rows} == {(dozen, 36.0)}
    hours = search_read(admin, "uom.uom", [["name", "ilike", "hour"]], ["id"]).records[0]["id"]
    for wrong, error in (
        ({**lines[0], "uom": hours}, ValidationError),
        ({**lines[0], "uom": f"Nest {suffix}"}, NotFoundError),
    ):
        for function in (sales.create_order, purchase.create_order, create_invoice):
            with pytest.raises(error):
                function(admin, partner_id=other, lines=[wrong])


@pytest.mark.every_version
def test_an_invoice_is_due_on_the_day_that_is_given(admin: Odoo, suffix: str) -> None:
    """Also where the customer has terms of payment, which would decide it."""
    terms = search_read(admin, "account.payment.term", [], ["id"], limit=1).records[0]["id"]
    buyer = create(
        admin, "res.partner", {"name": f"Buyer {suffix}", "property_payment_term_id": terms}
    ).id
    given: dict[str, Any] = {"partner_id": buyer, "invoice_date": "2026-03-02"}
    line = {"name": "Advice", "price_unit": 10, "discount": 10}
    plan = create_invoice(admin, **given, lines=[line], due_date="2026-05-06", dry_run=True)
    assert plan.documents[0].due_date == "2026-05-06"
    made_now = create_invoice(admin, **given, lines=[line], due_date="2026-05-06", post=True)
    assert made_now.amount_untaxed == 9
    (row,) = read(admin, "account.move", [made_now.id], ["invoice_date_due"]).records
    assert row["invoice_date_due"] == "2026-05-06"
    for wrong in ("2026-03-01", "soon"):
        with pytest.raises(ValidationError, match="due_date"):
            create_invoice(admin, **given, lines=[line], due_date=wrong)
