"""Quantities by line, lots, what becomes of the rest, and moving what is not reserved."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import validate_picking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError, ValidationError
from tests.unit.depot import Depot
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS

DESKS = {"move_id": 1, "quantity": 2}
CHAIRS = {"product_name": "Chair", "quantity": 3}
#: Two desks in two lots.
LOTS = [{"move_id": 1, "quantity": 1, "lots": ["A1"]}, {**DESKS, "quantity": 2, "lots": ["A2"]}]


def move(odoo: Odoo, *lines: dict[str, Any], **options: Any) -> Any:
    """Validate the picking 5 with lines."""
    return validate(odoo, lines=lines, **options)


def validate(odoo: Odoo, **options: Any) -> Any:
    """Validate the picking 5."""
    return validate_picking(odoo, picking_id=5, **options)


def entered(depot: Depot) -> dict[int, dict[str, Any]]:
    """Return what was written on which move."""
    (call,) = depot.asked("write")
    return {number: values for _, number, values in call.arguments["vals"][depot.moves]}


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize(("backorder", "rest"), [(True, 1), (False, 0)])
def test_only_the_lines_are_moved(major: int, backorder: bool, rest: int) -> None:
    """What had been entered on other moves is not, and the rest is a backorder or dropped."""
    depot = Depot(major, entered=4.0, chairs=3.0, places=(5.0,))
    done = move(depot, CHAIRS, backorder=backorder)
    assert [line.done for line in done.lines] == [0.0, 3.0]
    off = {"picked": False} if major >= 17 else {"move_line_ids": [[1, 1, {"qty_done": 0}]]}
    chairs = {"quantity": 3, "picked": True} if major >= 17 else {"quantity_done": 3}
    assert entered(depot) == {1: off, 2: chairs}
    (press,) = depot.asked("button_validate")
    assert press.context.get("picking_ids_not_to_backorder") == (None if backorder else [5])
    assert (done.backorder is not None) == bool(rest)
    assert not depot.asked("process")
    # Product, move lines and the write, besides what every validation reads.
    reserves_rest = 2 if backorder and major < 15 else 0
    assert len(depot.sent) == 8 + 3 + reserves_rest


@pytest.mark.parametrize("major", VERSIONS)
def test_what_becomes_of_the_rest_has_to_be_said(major: int) -> None:
    depot = Depot(major, chairs=3.0)
    with pytest.raises(StateError, match="2 of 5 Units entered") as raised:
        move(depot, DESKS, CHAIRS)
    assert "backorder=False" in raised.value.suggestion
    assert writes(depot) == []


@pytest.mark.parametrize("major", [14, 15, 16])
def test_a_quantity_is_spread_over_the_places_where_it_is_reserved(major: int) -> None:
    """Up to 15 Odoo refuses a quantity on a move with several move lines."""
    depot = Depot(major, places=(3.0, 2.0))
    plan = move(depot, {"move_id": 1, "quantity": 4}, backorder=True, dry_run=True)
    (values,) = [call.arguments["vals"] for call in plan.calls if call.method == "write"]
    ((_, _, move_values),) = values[depot.moves]
    done = [command[2]["qty_done"] for command in move_values["move_line_ids"]]
    assert done == [3.0, 1.0]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_receipt_makes_the_lots_that_are_new(major: int) -> None:
    depot = Depot(major, demand=3.0, usage="supplier", tracking="lot", lots={"A2": 0.0})
    plan = move(depot, *LOTS, dry_run=True)
    (write,) = [call for call in plan.calls if call.method == "write"]
    ((_, _, values),) = write.arguments["vals"][depot.moves]
    first, second = (line for _, _, line in values["move_line_ids"])
    assert (first["lot_name"], "lot_id" in first) == ("A1", False)
    assert (second["lot_id"], "lot_name" in second) == (1, False)


SERIALS: dict[str, Any] = {"tracking": "serial", "demand": 2.0, "reserved": 2.0, "places": (2.0,)}
RECEIPT: dict[str, Any] = {
    "tracking": "serial",
    "demand": 2.0,
    "reserved": 0.0,
    "usage": "supplier",
}
BY_LOT: dict[str, Any] = {"tracking": "lot", "reserved": 2.0, "demand": 2.0}


@pytest.mark.parametrize(
    ("depot", "lines", "said"),
    [
        ({}, [{"move_id": 9, "quantity": 1}], "not among the open moves"),
        ({}, [{"product_id": 77, "quantity": 1}], "not among the open moves"),
        ({}, [{"quantity": 1}], "needs exactly one of"),
        ({}, [{"move_id": 1, "product_id": 3, "quantity": 1}], "needs exactly one of"),
        ({}, [{"move_id": 1, "quantity": 0}], "more than 0"),
        ({}, [{"move_id": 1}], "must be a number"),
        ({}, [], "lines is empty"),
        ({}, [{**DESKS, "lots": ["A1"]}], "not tracked"),
        ({}, [{**DESKS, "lots": "A1"}], "must list lot"),
        (BY_LOT, [{**DESKS, "lots": ["A1", "A2"]}], "accepts one lot"),
        (BY_LOT, [{**DESKS, "lots": ["A1"]}, {**DESKS, "lots": ["A1"]}], "listed twice"),
        (BY_LOT, [{**DESKS, "lots": ["A1"]}, {"move_id": 1, "quantity": 1}], "and some do not"),
        (BY_LOT | {"lots": {"A1": 1.0}}, [{**DESKS, "lots": ["A1"]}], "1 are in stock"),
        (BY_LOT | {"lots": {"K1": 1.0}}, [{**DESKS, "lots": ["K1"]}], "is a lot of Chair"),
        (SERIALS, [{**DESKS, "lots": ["S1"]}], "the quantity is 2"),
        (SERIALS, [{**DESKS, "lots": ["S1", "S1"]}], "listed twice"),
        (RECEIPT, [DESKS], "tracked by serial numbers. Pass lot or serial numbers"),
        (RECEIPT | {"lots": {"S1": 1.0}}, [{"move_id": 1, "lots": ["S1", "S2"]}], "already in"),
        (RECEIPT | {"lots": {"K1": 1.0}}, [{"move_id": 1, "lots": ["K1", "S2"]}], "of Chair"),
    ],
)
@pytest.mark.parametrize("major", [14, 19])
def test_wrong_lines_write_nothing(
    major: int, depot: dict[str, Any], lines: list[dict[str, Any]], said: str
) -> None:
    made = Depot(major, **depot)
    with pytest.raises(ValidationError, match=said):
        move(made, *lines, backorder=True)
    assert writes(made) == []


def test_a_product_in_several_moves_has_to_be_told_apart() -> None:
    made = Depot(19)
    made.server.records["stock.move"].append({**made.server.records["stock.move"][0], "id": 2})
    with pytest.raises(ValidationError, match="several moves") as raised:
        move(made, {"product_id": 3, "quantity": 1})
    assert [row["move_id"] for row in raised.value.details["moves"]] == [1, 2]


def test_what_a_receipt_needs_lots_for_is_told_before_it_is_tried() -> None:
    made = Depot(19, **RECEIPT)
    with pytest.raises(ValidationError, match="Pass lot or serial numbers") as raised:
        validate(made)
    assert "'move_id': 1" in raised.value.suggestion
    assert writes(made) == []
