"""Transfers past their date, and the reasons that are told."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import find_late_transfers
from odoo_toolkit.errors import OdooError
from tests.unit.depot import Depot
from tests.unit.scripted import VERSIONS


def late(major: int = 19, **options: Any) -> Depot:
    """Return a depot whose delivery is past its date."""
    depot = Depot(major, **options)
    row = depot.pickings[0]
    row |= {"scheduled_date": "2020-01-02 08:00:00", "picking_type_code": "outgoing"}
    depot.server.records["stock.move"][0]["move_orig_ids"] = []
    return depot


def coming(depot: Depot, **values: Any) -> None:
    """Add a receipt of desks."""
    pickings, moves = depot.pickings, depot.server.records["stock.move"]
    pickings.append({"id": 8, "name": "WH/IN/8", "state": "assigned"})
    at = {"location_id": 4, "location_dest_id": 8, "product_id": 3, "product_uom": 1}
    about = {"id": 90, "picking_id": 8, "state": "assigned", "date": "2099-02-03 08:00:00"}
    amount = {"product_uom_qty": 7.0, "product_qty": 7.0}
    moves.append({**at, **about, **amount, **values})


def why(depot: Depot) -> str:
    (one,) = find_late_transfers(depot).transfers
    return one.why


@pytest.mark.parametrize("major", VERSIONS)
def test_what_is_missing_is_told_with_who_has_it(major: int) -> None:
    depot = late(major, reserved=2.0, state="confirmed")
    depot.product["qty_available"] = 9.0
    name = {14: "product_uom_qty", 15: "product_uom_qty", 16: "reserved_uom_qty"}
    line: dict[str, Any] = {"product_id": 3, "location_id": 8, "reference": "WH/OUT/9"}
    line |= {"id": 50, "state": "assigned", name.get(major, "quantity"): 7.0}
    depot.server.records["stock.move.line"].append(line)
    (one,) = find_late_transfers(depot).transfers
    (missing,) = one.missing
    assert (missing.demand, missing.reserved, missing.missing) == (5, 2, 3)
    assert (missing.in_stock, missing.free) == (9, 0)
    assert [(other.document, other.quantity) for other in missing.reserved_for] == [("WH/OUT/9", 7)]
    assert one.why == (
        "3 of 5 Units of Desk are missing: nothing is on the way."
        " The stock is reserved for WH/OUT/9."
    )


@pytest.mark.parametrize("major", VERSIONS)
def test_what_is_on_the_way_is_told(major: int) -> None:
    depot = late(major, reserved=0.0, state="confirmed")
    coming(depot, origin="P00012")
    order = {"id": 12, "name": "P00020", "state": "draft", "picking_type_id": 1}
    rfq = {"id": 1, "product_id": 3, "order_id": 12, "product_qty": 4.0, "state": "draft"}
    rfq["date_planned"] = "2020-02-03 08:00:00"
    depot.server.records["purchase.order"] = [order, {**order, "id": 13, "picking_type_id": False}]
    depot.server.records["purchase.order.line"] = [rfq, {**rfq, "id": 2, "order_id": 13}]
    (one,) = find_late_transfers(depot).transfers
    (missing,) = one.missing
    assert [(way.kind, way.document, way.late) for way in missing.on_the_way] == [
        ("request for quotation", "P00020", True),
        ("transfer", "WH/IN/8", False),
    ]
    assert "the transfer WH/IN/8 of P00012 (7 Units, due 2099-02-03)" in one.why


def test_a_transfer_waits_for_the_one_before_it() -> None:
    depot = late(reserved=0.0, state="waiting")
    coming(depot)
    depot.server.records["stock.move"][0]["move_orig_ids"] = [90]
    (one,) = find_late_transfers(depot).transfers
    (missing,) = one.missing
    assert [way.document for way in missing.waits_for] == ["WH/IN/8"]
    assert missing.on_the_way == []
    assert "it waits for the transfer WH/IN/8" in one.why
    # Transfers and moves; product, location, what is reserved, the moves before, the operation
    # types; the warehouse and all of its types; what comes to it, and is asked for.
    assert len(depot.sent) == 11


def test_a_draft_and_a_receipt_say_so() -> None:
    assert why(late(state="draft")) == "The transfer is a draft that no one has confirmed."
    depot = late(usage="supplier")
    depot.pickings[0]["picking_type_code"] = "incoming"
    assert why(depot).startswith("The goods have not been received")
    depot = late(usage="supplier", reserved=0.0, state="draft")
    assert why(depot) == "The transfer is a draft that no one has confirmed."


def test_only_one_kind_or_warehouse_is_looked_at() -> None:
    depot = late()
    assert len(find_late_transfers(depot, picking_type_name="outgoing").transfers) == 1
    assert find_late_transfers(depot, picking_type_name="incoming").transfers == []
    assert len(find_late_transfers(depot, warehouse_id=1).transfers) == 1
    with pytest.raises(OdooError, match="not a kind of transfer"):
        find_late_transfers(depot, picking_type_name="gone")
