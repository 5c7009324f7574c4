"""Reordering rules, late transfers and scrap, with Odoo's own figures."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, create, execute, read, records, search_read
from odoo_toolkit.apps.inventory import (
    LateTransfer,
    ReorderingRule,
    Replenishment,
    ReplenishmentPlan,
    Transfer,
    count_stock,
    create_transfer,
    find_late_transfers,
    get_reordering_rules,
    run_reordering_rules,
    scrap_product,
    set_reordering_rule,
)
from odoo_toolkit.errors import AccessError, OdooError, StateError, ValidationError
from odoo_toolkit.plans import Plan
from tests.live.products import stored

pytestmark = pytest.mark.recorded

RULES = "stock.warehouse.orderpoint"


def _product(admin: Odoo, name: str, **values: Any) -> int:
    return create(admin, "product.product", {"name": name, **stored(admin), **values}).id


def _template(admin: Odoo, product: int) -> int:
    (row,) = read(admin, "product.product", [product], ["product_tmpl_id"])
    return int(row["product_tmpl_id"]["id"])


def _vendor(admin: Odoo, product: int, name: str, price: float) -> int:
    vendor = create(admin, "res.partner", {"name": name}).id
    who = "partner_id" if "partner_id" in admin.schema.fields("product.supplierinfo") else "name"
    offer = {who: vendor, "product_tmpl_id": _template(admin, product), "price": price}
    create(admin, "product.supplierinfo", offer)
    return vendor


def _bought(admin: Odoo, suffix: str) -> tuple[int, int]:
    """Return a product that a vendor sells, and the vendor."""
    if not admin.schema.has_model("purchase.order"):
        pytest.skip("Purchase is not installed here.")
    product = _product(admin, f"Bought {suffix}")
    return product, _vendor(admin, product, f"Vendor {suffix}", 7.0)


def _set(odoo: Odoo, **options: Any) -> ReorderingRule:
    made = set_reordering_rule(odoo, **options)
    assert isinstance(made, ReorderingRule)
    assert made.warnings == []
    return made


def _run(odoo: Odoo, **options: Any) -> Replenishment:
    done = run_reordering_rules(odoo, **options)
    assert isinstance(done, Replenishment)
    return done


@pytest.mark.every_version
def test_a_rule_is_created_and_changed(admin: Odoo, suffix: str) -> None:
    product = _product(admin, f"Thing {suffix}")
    of_product = [["product_id", "=", product]]
    planned = set_reordering_rule(admin, product_id=product, minimum=5, maximum=20, dry_run=True)
    assert isinstance(planned, Plan)
    assert records.count(admin, RULES, of_product).count == 0
    made = _set(admin, product_name=f"Thing {suffix}", minimum=5, maximum=20)
    (row,) = search_read(admin, RULES, of_product, ["product_min_qty", "product_max_qty"])
    assert (row["id"], row["product_min_qty"], row["product_max_qty"]) == (made.id, 5.0, 20.0)
    assert (made.minimum, made.maximum, made.to_order, made.on_hand) == (5.0, 20.0, 20.0, 0.0)
    changed = _set(admin, product_id=product, minimum=8, trigger="manual")
    assert (changed.id, changed.minimum, changed.trigger) == (made.id, 8.0, "manual")
    (shown,) = get_reordering_rules(admin, product_id=product).rules
    assert (shown.minimum, shown.maximum, shown.trigger) == (8.0, 20.0, "manual")
    records.write(admin, RULES, [made.id], {"active": False})
    assert get_reordering_rules(admin, product_id=product).rules == []
    assert _set(admin, product_id=product, maximum=30).active
    assert records.count(admin, RULES, of_product).count == 1
    if admin.version.major < 19:
        assert _set(admin, product_id=product, multiple=6).multiple == 6.0


def test_what_a_rule_orders_from_a_vendor_is_found_out(admin: Odoo, suffix: str) -> None:
    product, vendor = _bought(admin, suffix)
    of_product = [["product_id", "=", product]]
    count_stock(admin, lines=[{"product_id": product, "quantity": 3}])
    _set(admin, product_id=product, minimum=5, maximum=20)
    plan = run_reordering_rules(admin, products=[f"Bought {suffix}"], dry_run=True)
    assert isinstance(plan, ReplenishmentPlan)
    (rule,) = plan.rules
    assert (rule.on_hand, rule.forecast, rule.to_order, rule.how) == (3.0, 3.0, 17.0, "purchase")
    assert "These vendors have no draft, so Odoo will create new purchase orders." in plan.message
    assert records.count(admin, "purchase.order.line", of_product).count == 0
    done = _run(admin, products=[product])
    (one,) = done.ordered
    assert (one.how, one.quantity, one.added, done.warnings) == ("purchase", 17.0, False, [])
    fields = ["order_id", "product_qty", "price_unit", "partner_id", "state"]
    (line,) = search_read(admin, "purchase.order.line", of_product, fields)
    assert (line["product_qty"], line["price_unit"], line["state"]) == (17.0, 7.0, "draft")
    assert (one.document.name, one.partner.id) == (line["order_id"]["name"], vendor)
    again = _run(admin, products=[product])
    assert (again.ordered, len(again.not_ordered)) == ([], 1)
    # More is wanted: it is added to the line that is there.
    _set(admin, product_id=product, maximum=50, minimum=40)
    plan = run_reordering_rules(admin, products=[product], dry_run=True)
    assert isinstance(plan, ReplenishmentPlan)
    (draft,) = plan.documents
    assert (draft.id, draft.partner) == (one.document.id, f"Vendor {suffix}")
    assert (
        f"Odoo may add the products to these drafts: {draft.name} of Vendor {suffix}"
        in plan.message
    )
    more = _run(admin, products=[product])
    assert [(item.quantity, item.added) for item in more.ordered] == [(30.0, True)]
    (line,) = search_read(admin, "purchase.order.line", of_product, ["product_qty"])
    assert line["product_qty"] == 47.0


def test_what_a_rule_has_made_is_found_out(admin: Odoo, suffix: str) -> None:
    """A late delivery sees it, too."""
    if not admin.schema.has_model("mrp.bom"):
        pytest.skip("Manufacturing is not installed here.")
    product, part = _product(admin, f"Made {suffix}"), _product(admin, f"Part {suffix}")
    lines = [[0, 0, {"product_id": part, "product_qty": 1}]]
    bom = {"product_tmpl_id": _template(admin, product), "product_qty": 1, "bom_line_ids": lines}
    create(admin, "mrp.bom", bom)
    routes = search_read(admin, "stock.rule", [["action", "=", "manufacture"]], ["route_id"])
    ids = sorted({row["route_id"]["id"] for row in routes if row["route_id"]})
    records.write(admin, "product.product", [product], {"route_ids": [[6, 0, ids]]})
    # Odoo itself runs those that are automatic when the delivery is confirmed.
    _set(admin, product_id=product, minimum=2, maximum=4, trigger="manual")
    done = _run(admin, products=[product])
    (one,) = done.ordered
    made = search_read(
        admin, "mrp.production", [["product_id", "=", product]], ["name", "product_qty"]
    )
    assert [(row["name"], row["product_qty"]) for row in made] == [(one.document.name, 4.0)]
    assert (one.how, one.quantity) == ("production", 4.0)
    delivery = _confirmed(admin, product, 3, "2019-03-06")
    (line,) = _late(admin, delivery).missing
    assert (line.in_stock, line.missing) == (0.0, 3.0)
    assert [(way.kind, way.document, way.quantity) for way in line.on_the_way] == [
        ("production", one.document.name, 4.0)
    ]
    execute(admin, "stock.picking", "action_cancel", [[delivery.id]])


@pytest.mark.every_version
def test_what_a_rule_has_brought_from_another_place_is_found_out(admin: Odoo, suffix: str) -> None:
    product = _product(admin, f"Brought {suffix}")
    fields = ["lot_stock_id", "int_type_id", "view_location_id"]
    company = read(admin, "res.users", [admin.uid], ["company_id"])[0]["company_id"]["id"]
    (house,) = search_read(
        admin, "stock.warehouse", [["company_id", "=", company]], fields, limit=1
    )
    stock = house["lot_stock_id"]["id"]
    place = {"name": f"Reserve {suffix}", "usage": "internal"}
    place["location_id"] = house["view_location_id"]["id"]
    reserve = create(admin, "stock.location", place).id
    to = "location_dest_id" if "location_dest_id" in admin.schema.fields("stock.rule") else None
    rule = {
        "name": f"Bring {suffix}",
        "action": "pull",
        "procure_method": "make_to_stock",
        "location_src_id": reserve,
        to or "location_id": stock,
        "picking_type_id": house["int_type_id"]["id"],
    }
    route_model = "stock.route" if admin.version.major >= 16 else "stock.location.route"
    route = {"name": f"From the reserve {suffix}", "rule_ids": [[0, 0, rule]]}
    number = create(admin, route_model, route).id
    records.write(admin, "product.product", [product], {"route_ids": [[6, 0, [number]]]})
    count_stock(admin, lines=[{"product_id": product, "quantity": 9, "location_id": reserve}])
    made = _set(admin, product_id=product, minimum=2, maximum=6, location_id=stock)
    assert (made.how, made.forecast, made.to_order) == ("transfer", 0.0, 6.0)
    (one,) = _run(admin, products=[product]).ordered
    moves = search_read(
        admin,
        "stock.move",
        [["product_id", "=", product], ["location_dest_id", "=", stock], ["state", "!=", "done"]],
        ["picking_id", "product_uom_qty"],
    )
    assert [(row["picking_id"]["name"], row["product_uom_qty"]) for row in moves] == [
        (one.document.name, 6.0)
    ]
    assert (one.how, one.quantity) == ("transfer", 6.0)


def test_who_works_with_stock_sees_what_is_late_and_the_rules(odoo: Odoo) -> None:
    found = find_late_transfers(odoo, limit=5)
    assert [text for text in found.warnings if "cannot see" in text] == []
    assert get_reordering_rules(odoo, limit=5).message


def test_a_rule_that_odoo_refuses_orders_nothing_of_any(admin: Odoo, suffix: str) -> None:
    product, _ = _bought(admin, suffix)
    other = _product(admin, f"Nobody sells {suffix}")
    _set(admin, product_id=product, minimum=5, maximum=20)
    refused = _set(admin, product_id=other, minimum=5, maximum=20)
    with pytest.raises(OdooError):
        run_reordering_rules(admin, products=[product, other])
    lines = [["product_id", "in", [product, other]]]
    assert records.count(admin, "purchase.order.line", lines).count == 0
    assert records.count(admin, RULES, [["id", "=", refused.id]]).count == 1


def test_bad_rules_leave_all_as_it_was(admin: Odoo, suffix: str) -> None:
    product = _product(admin, f"Thing {suffix}")
    service = create(admin, "product.product", {"name": f"Work {suffix}", "type": "service"}).id
    for options, said in (
        ({"product_id": product}, "needs a minimum"),
        ({"product_id": product, "minimum": 5, "maximum": 2}, "below the minimum"),
        ({"product_id": service, "minimum": 5}, "not a storable product"),
        ({"product_id": product, "minimum": 5, "location_id": f"No {suffix}"}, "(?i)no .*match"),
    ):
        with pytest.raises(OdooError, match=said):
            set_reordering_rule(admin, **options)
    with pytest.raises(ValidationError, match="no active reordering rule"):
        run_reordering_rules(admin, products=[product])
    assert records.count(admin, RULES, [["product_id", "in", [product, service]]]).count == 0


def test_who_may_not_set_rules_is_refused(ordinary: Odoo, admin: Odoo, suffix: str) -> None:
    product = _product(admin, f"Thing {suffix}")
    with pytest.raises(AccessError):
        set_reordering_rule(ordinary, product_id=product, minimum=5)
    assert records.count(admin, RULES, [["product_id", "=", product]]).count == 0


def _confirmed(admin: Odoo, product: int, quantity: float, date: str) -> Transfer:
    made = create_transfer(
        admin,
        picking_type_name="outgoing",
        lines=[{"product_id": product, "quantity": quantity}],
        scheduled_date=date,
    )
    assert isinstance(made, Transfer)
    for method in ("action_confirm", "action_assign"):
        execute(admin, "stock.picking", method, [[made.id]])
    return made


def _late(admin: Odoo, transfer: Transfer) -> LateTransfer:
    """Return what is found of a transfer that is older than all others."""
    found = find_late_transfers(admin, picking_type_name="outgoing", limit=300)
    (one,) = [late for late in found.transfers if late.id == transfer.id]
    return one


def test_what_is_late_says_why(admin: Odoo, suffix: str) -> None:
    product, _ = _bought(admin, suffix)
    count_stock(admin, lines=[{"product_id": product, "quantity": 6}])
    first = _confirmed(admin, product, 4, "2019-03-04")
    ready = _late(admin, first)
    assert (ready.why, ready.missing) == (
        "Everything is reserved. The transfer only needs to be validated.",
        [],
    )
    second = _confirmed(admin, product, 5, "2019-03-05")
    late = _late(admin, second)
    (line,) = late.missing
    (row,) = search_read(
        admin, "stock.quant", [["product_id", "=", product], ["quantity", ">", 0]], ["quantity"]
    )
    assert (line.demand, line.reserved, line.missing) == (5.0, 2.0, 3.0)
    assert (line.in_stock, line.free, row["quantity"]) == (6.0, 0.0, 6.0)
    assert [(other.document, other.quantity) for other in line.reserved_for] == [(first.name, 4.0)]
    assert line.on_the_way == []
    assert "nothing is on the way" in late.why
    _set(admin, product_id=product, minimum=0, maximum=10)
    ordered = _run(admin, products=[product]).ordered
    requested = ordered[0].document
    (line,) = _late(admin, second).missing
    assert [(way.kind, way.document, way.quantity) for way in line.on_the_way] == [
        ("request for quotation", requested.name, ordered[0].quantity)
    ]
    execute(admin, "purchase.order", "button_confirm", [[requested.id]])
    late = _late(admin, second)
    (way,) = late.missing[0].on_the_way
    assert (way.kind, way.origin, way.quantity) == (
        "purchase",
        requested.name,
        ordered[0].quantity,
    )
    assert late.days_late > 365
    for number in (first.id, second.id):
        execute(admin, "stock.picking", "action_cancel", [[number]])


def test_broken_goods_are_scrapped(admin: Odoo, suffix: str) -> None:
    plain = _product(admin, f"Plain {suffix}", standard_price=2.5)
    lots = _product(admin, f"Lots {suffix}", tracking="lot")
    lines: list[Any] = [
        {"product_id": plain, "quantity": 5},
        {"product_id": lots, "quantity": 3, "lot": f"L{suffix}"},
    ]
    count_stock(admin, lines=lines)
    reason: dict[str, Any] = {}
    if admin.schema.has_model("stock.scrap.reason.tag"):
        create(admin, "stock.scrap.reason.tag", {"name": f"Broken {suffix}"})
        reason = {"reason": f"Broken {suffix}"}
    assert isinstance(scrap_product(admin, product_id=plain, quantity=2, dry_run=True), Plan)
    assert records.count(admin, "stock.scrap", [["product_id", "=", plain]]).count == 0
    made = scrap_product(admin, product_name=f"Plain {suffix}", quantity=2, **reason)
    assert (made.state, made.left, made.value, made.warnings) == ("done", 3.0, 5.0, [])
    assert made.reason == reason.get("reason")
    (row,) = read(admin, "stock.scrap", [made.id], ["state", "scrap_qty"])
    assert (row["state"], row["scrap_qty"]) == ("done", 2.0)
    (row,) = read(admin, "product.product", [plain], ["qty_available"])
    assert row["qty_available"] == 3.0
    of_lot = scrap_product(admin, product_id=lots, quantity=1, lot=f"L{suffix}")
    assert (of_lot.left, of_lot.warnings) == (2.0, [])


def test_what_cannot_be_scrapped_leaves_all_as_it_was(admin: Odoo, suffix: str) -> None:
    lots = _product(admin, f"Lots {suffix}", tracking="lot")
    count_stock(admin, lines=[{"product_id": lots, "quantity": 3, "lot": f"L{suffix}"}])
    with pytest.raises(ValidationError) as raised:
        scrap_product(admin, product_id=lots, quantity=1)
    assert f"L{suffix} (3 free)" in raised.value.suggestion
    with pytest.raises(StateError, match="contains 3"):
        scrap_product(admin, product_id=lots, quantity=4, lot=f"L{suffix}")
    wrong: list[Any] = [{"lot": "None such"}, {"lot": f"L{suffix}", "reason": f"No {suffix}"}]
    for options in wrong:
        with pytest.raises(OdooError):
            scrap_product(admin, product_id=lots, quantity=1, **options)
    assert records.count(admin, "stock.scrap", [["product_id", "=", lots]]).count == 0
