"""Counting a list: what is refused, what is sent, and what the plan says of it."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import CountResult, count_stock, get_stock
from odoo_toolkit.apps.inventory.counting import _worth
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.depot import Depot
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS

LINES: list[Any] = [
    {"product_id": 3, "quantity": 12},
    {"product_name": "Chair", "quantity": 4, "location_id": 10},
]


def count(odoo: Odoo, **options: Any) -> Any:
    """Count twelve desks, and four chairs on the shelf."""
    return count_stock(odoo, lines=LINES, **options)


def lying(depot: Depot, *quants: dict[str, Any]) -> Depot:
    """Put goods into a depot."""
    for number, quant in enumerate(quants, 70):
        at = {"location_id": 8, "product_id": 3, "quantity": 0.0}
        depot.server.records["stock.quant"].append({"id": number, **at, **quant})
    return depot


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ([0.0, 0.0], " These products have no cost in Odoo."),
        ([], " Difference at cost: +0.00 EUR."),
        ([7.0, 0.0], " Difference at cost: +0.00 EUR, without 1 line of products with no cost."),
    ],
)
def test_what_has_no_cost_is_not_told_as_no_difference(costs: list[float], says: str) -> None:
    assert _worth(0.0, "EUR", costs) == says


def test_a_difference_without_cost_is_no_negative_zero() -> None:
    depot = lying(Depot(19), {"quantity": 9.0})
    for row in depot.server.records["product.product"]:
        row["standard_price"] = 0.0
    plan = count_stock(depot, lines=[{"product_id": 3, "quantity": 2}], dry_run=True)
    assert [str(one.value) for one in plan.lines] == ["0.0"]
    assert str(plan.value) == "0.0"
    assert plan.message.endswith("These products have no cost in Odoo.")


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("manager", [True, False])
def test_a_list_is_counted_in_one_call(major: int, manager: bool) -> None:
    """On 15, and by others than administrators, a second call applies it."""
    depot = Depot(major, manager=manager)
    if not manager and major < 18:
        with pytest.raises(AccessError, match="is not allowed to adjust the stock"):
            count(depot)
        assert writes(depot) == []
        return
    made = count(depot)
    assert isinstance(made, CountResult)
    assert [(one.quantity_before, one.counted, one.quantity) for one in made.lines] == [
        (0, 12, 12),
        (0, 4, 4),
    ]
    assert [one.location.name for one in made.lines] == ["WH/Stock", "WH/Shelf"]
    assert made.message == "Changed the stock of 2 lines. Difference at cost: +70.00 EUR."
    assert made.warnings == []
    (call,) = depot.asked("create")
    assert call.context["inventory_mode"] is True
    at_once = manager and major != 15
    (applied,) = depot.asked("action_apply_inventory") or (None,)
    assert at_once == (applied is None)
    assert applied is None or applied.ids == (1, 2)
    # The chair's name; products, places, what lies where and the company; where what lies nowhere
    # goes; the writes; and what is there now.
    assert len(depot.sent) == 9 + len(writes(depot))


@pytest.mark.parametrize("major", VERSIONS)
def test_what_is_reserved_of_it_is_said(major: int) -> None:
    depot = lying(Depot(major), {"quantity": 20.0, "reserved_quantity": 15.0})
    name = {14: "product_uom_qty", 15: "product_uom_qty", 16: "reserved_uom_qty"}
    line = {"product_id": 3, "location_id": 8, "reference": "WH/OUT/9", "state": "assigned"}
    line[name.get(major, "quantity")] = 15.0
    depot.server.records["stock.move.line"].append({"id": 1, "lot_id": False, **line})
    plan = count(depot, dry_run=True)
    desks, chairs = plan.lines
    assert (desks.reserved, chairs.reserved) == (15, 0)
    assert [(one.document, one.quantity) for one in desks.reserved_for] == [("WH/OUT/9", 15)]
    (warning,) = plan.warnings
    assert "Desk in WH/Stock: 15 are reserved for WH/OUT/9, but you counted only 12." in warning


@pytest.mark.parametrize(
    ("depot", "lines", "said"),
    [
        ({}, [], "lines is empty"),
        ({}, [{"quantity": 1}], r"lines\[0\] has no product"),
        ({}, [{"product_id": 3}], "must be a number"),
        ({}, [{"product_id": 3, "quantity": -1}], "must not be negative"),
        ({}, [{"product_id": 3, "quantity": 1, "shelf": "A"}], "unknown key"),
        ({}, [{"product_id": 3, "quantity": 1, "lot": 7}], r"lines\[0\].lot must be"),
        ({}, [{"product_id": 3, "quantity": 1, "lot": "A1"}], "is not tracked"),
        ({}, [{"product_id": 3, "quantity": 1, "location_id": 4}], "holds no stock"),
        ({}, [{"product_id": 3, "quantity": 1}] * 2, r"lines\[0\] and lines\[1\] both count"),
        ({}, [{"product_id": 3, "quantity": 1}] * 1001, "maximum is 1000"),
        (
            {"tracking": "lot", "lots": {"A1": 3.0}},
            [{"product_id": 3, "quantity": 1}],
            r"(?s)Set lot to one of these numbers. \(lines\[0\].lot\).*In stock: A1 \(3 free\)",
        ),
        (
            {"tracking": "lot", "lots": {"K1": 1.0}},
            [{"product_id": 3, "quantity": 1, "lot": "K1"}],
            "is a lot of Chair",
        ),
        (
            {"tracking": "serial"},
            [{"product_id": 3, "quantity": 2, "lot": "S1"}],
            "1 or 0, not 2",
        ),
    ],
)
def test_a_list_that_cannot_be_counted_writes_nothing(
    depot: dict[str, Any], lines: Any, said: str
) -> None:
    made = Depot(19, **depot)
    with pytest.raises(OdooError, match=said):
        count_stock(made, lines=lines)
    assert writes(made) == []


def test_a_product_in_several_places_takes_a_location() -> None:
    places = ({"quantity": 1.0}, {"quantity": 1.0, "location_id": 10})
    made = lying(Depot(19), *places)
    with pytest.raises(ValidationError, match="several locations: WH/Stock, WH/Shelf"):
        count(made)
    assert count(made, location_name="WH/Shelf").lines[0].location.name == "WH/Shelf"


def test_a_cost_that_may_not_be_read_leaves_the_value_out() -> None:
    made = count(Depot(19, policy=Policy(mode="full", field_blocklist="standard_price")))
    assert (made.value, made.lines[0].value) == (None, None)
    assert made.message == "Changed the stock of 2 lines."


def test_stock_lists_the_lots_of_a_tracked_product() -> None:
    depot = Depot(19, tracking="lot", lots={"A1": 3.0, "A2": 2.0})
    depot.server.records["stock.quant"][0]["reserved_quantity"] = 1.0
    group = {"location_id": [8, "WH/Stock"], "quantity": 5.0, "reserved_quantity": 1.0}
    depot.answers["stock.quant", "read_group"] = [group]
    (line,) = get_stock(depot, product_id=3).stock
    assert [(lot.name, lot.quantity, lot.available_quantity) for lot in line.lots] == [
        ("A1", 3, 2),
        ("A2", 2, 2),
    ]
    assert len(depot.sent) == 3
