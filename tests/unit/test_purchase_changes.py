"""Changing purchase orders: what is sent on each version, what is said of it, what is refused."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from odoo_toolkit.apps import purchase
from odoo_toolkit.errors import NotFoundError, ValidationError
from tests.unit.fake_purchase import Buying
from tests.unit.operation_checks import (
    check_plan_is_the_run,
    check_seen_when_lost,
    check_told_when_lost,
    writes,
)
from tests.unit.scripted import VERSIONS, contents

DAY = "2031-05-06 12:00:00"


def shop(major: int = 19, received: float = 0.0, **order: Any) -> Buying:
    """A server with an order of five chairs, which stock moves receive."""
    odoo = Buying(major, received=received, **order)
    line = odoo.tables["purchase.order.line"][0]
    line |= {"date_planned": DAY, "qty_received_method": "stock_moves", "sequence": 10}
    odoo.add_product(6, "Desk")
    return odoo


def move(odoo: Buying, quantity: float, uom: int = 1, **values: Any) -> None:
    """Add an open stock move of the chairs."""
    row: dict[str, Any] = {
        "id": 70,
        "purchase_line_id": 1,
        "product_id": 3,
        "product_uom_qty": quantity,
    }
    row |= {"product_uom": uom, "state": "assigned", "picking_id": 31}
    odoo.tables["stock.move"].append(row | values)


def sent(odoo: Buying) -> Any:
    """Return what the one write was given."""
    (write,) = writes(odoo)
    assert (write.model, write.method, write.ids) == ("purchase.order", "write", (12,))
    return contents(write)


def changed(odoo: Buying, **wanted: Any) -> purchase.Order:
    """Change the order."""
    return purchase.update_order(odoo, order_id=12, **wanted)


def test_a_day_of_a_line_comes_before_that_of_all() -> None:
    odoo = shop(19)
    own = {"line_id": 1, "date_planned": "2031-07-07"}
    changed(odoo, change=[own], date_planned="2031-06-06")
    assert sent(odoo)["order_line"] == [[1, 1, {"date_planned": "2031-07-07 00:00:00"}]]


@pytest.mark.parametrize("major", VERSIONS)
def test_only_odoo_15_is_told_the_day_of_a_new_line(major: int) -> None:
    odoo = shop(major, date_planned=DAY)
    changed(odoo, add=[{"product_id": 6}])
    ((_, _, values),) = sent(odoo)["order_line"]
    assert values.get("date_planned") == (DAY if major == 15 else None)


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({}, ValidationError),
        ({"change": [{"line_id": 1}]}, ValidationError),
        ({"change": [{"line_id": 1, "date_planned": "soon"}]}, ValidationError),
        ({"change": [{"line_id": 1, "quantity": -1}]}, ValidationError),
        ({"change": [{"line_id": 9, "quantity": 1}]}, ValidationError),
        ({"change": [{"line_id": 1, "uom": "Dozen"}]}, ValidationError),
        ({"add": [{"product_id": 6, "quantity": 0}]}, ValidationError),
        ({"add": [{"product_name": "Sofa"}]}, NotFoundError),
        ({"remove": ["Sofa"]}, NotFoundError),
        ({"payment_term_id": "Never"}, NotFoundError),
    ],
)
def test_what_is_wrong_changes_nothing(wanted: dict[str, Any], error: type[Exception]) -> None:
    odoo = shop(state="purchase")
    before = deepcopy(odoo.tables)
    with pytest.raises(error):
        changed(odoo, **wanted)
    assert odoo.tables == before


def test_a_discount_needs_odoo_17() -> None:
    for wanted in (
        {"change": [{"line_id": 1, "discount": 5}]},
        {"add": [{"product_id": 6, "discount": 5}]},
    ):
        with pytest.raises(ValidationError, match="discount needs Odoo 17"):
            changed(shop(16), **wanted)
        changed(shop(17), **wanted)


def test_receipts_that_did_not_follow_are_told_also_in_other_units() -> None:
    wanted: dict[str, Any] = {"change": [{"line_id": 1, "quantity": 12}]}
    odoo = shop(14, state="purchase", receipt="assigned", received=2.0)
    move(odoo, 3.0)
    result = changed(odoo, **wanted)
    assert result.message.endswith("Left to receive: 10 Chair.")
    (warning,) = result.warnings
    assert warning.startswith("Chair: 10 are left to receive, but WH/IN/31 moves 3.")
    for uom, quantity in ((1, 10.0), (2, 10 / 12)):
        odoo = shop(14, state="purchase", received=2.0)
        move(odoo, quantity, uom)
        assert changed(odoo, **wanted).warnings == []


OPERATIONS: list[Any] = [
    lambda odoo, **more: purchase.update_order(
        odoo, order_id=12, add=[{"product_id": 6, "price_unit": 3}], **more
    ),
    lambda odoo, **more: purchase.update_order(odoo, order_id=12, partner_ref="F 7", **more),
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_lost_answer_is_looked_for(operation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check_plan_is_the_run(shop(), operation)
    check_seen_when_lost(shop(), "write", operation, monkeypatch)
    error = check_told_when_lost(shop(), "write", operation, monkeypatch)
    # Lines could be added twice.
    assert "safe" not in error.suggestion.lower() or "not" in error.suggestion
