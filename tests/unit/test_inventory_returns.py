"""Returning what was moved, looking at a transfer, and setting the stock to what was counted."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import adjust_stock, get_picking, return_picking, validate_picking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError
from tests.unit.depot import Depot
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS


def count(odoo: Odoo, quantity: float = 12, **options: Any) -> Any:
    """Say how many desks there are."""
    return adjust_stock(odoo, product_id=3, quantity=quantity, **options)


@pytest.mark.parametrize(
    ("depot", "lines", "said"),
    [
        ({"state": "assigned"}, None, "WH/OUT/5 is ready. You can only return a done transfer"),
        ({"state": "cancel"}, None, "is cancelled. You can only"),
        ({}, [{"move_id": 1, "quantity": 6}], "The quantities are more than"),
        ({}, [{"move_id": 8, "quantity": 1}], "not among"),
        ({}, [{"move_id": 1, "quantity": 1, "lots": ["A"]}], "unknown key"),
    ],
)
def test_a_return_that_cannot_be_is_refused(depot: dict[str, Any], lines: Any, said: str) -> None:
    """Odoo itself would return more than was delivered, and what is not done."""
    options: dict[str, Any] = {"state": "done", "entered": 5.0, **depot}
    made = Depot(19, **options)
    with pytest.raises(OdooError, match=said):
        return_picking(made, picking_id=5, lines=lines)
    assert writes(made) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_a_return_of_dozens_is_planned_in_the_unit_that_it_gets(major: int) -> None:
    """To 18, Odoo returns in the product's unit."""
    depot = _dozens(Depot(major, state="done", entered=5.0, ratio=12.0))
    line = {"move_id": 1, "quantity": 2}
    plan = return_picking(depot, picking_id=5, lines=[line], dry_run=True)
    (planned,) = plan.documents[0].lines
    assert (planned.quantity, planned.uom) == ((2, "Dozens") if major == 19 else (24, "Units"))
    return_picking(depot, picking_id=5, lines=[line])
    ((_, _, made),) = depot.returning["product_return_moves"]
    assert made["quantity"] == planned.quantity


@pytest.mark.parametrize("major", VERSIONS)
def test_what_is_reserved_in_pieces_of_a_dozen_is_entered_in_pieces(major: int) -> None:
    depot = _dozens(Depot(major, demand=1.0, reserved=1.0, ratio=12.0, places=(7.0, 5.0)))
    line = {"move_id": 1, "quantity": 0.75}
    validate_picking(depot, picking_id=5, lines=[line], backorder=False, unreserved=True)
    (write,) = [call for call in writes(depot) if call.method == "write"]
    ((_, _, values),) = next(iter(write.arguments["vals"].values()))
    entered = [line.get("qty_done", line.get("quantity")) for _, _, line in values["move_line_ids"]]
    assert entered == [7.0, 2.0]


def _dozens(depot: Depot) -> Depot:
    """Let the move be in dozens, and what is reserved of it in pieces."""
    depot.server.records["stock.move"][0]["product_uom"] = 2
    return depot


@pytest.mark.parametrize("major", VERSIONS)
def test_lots_are_shown_where_a_product_is_tracked(major: int) -> None:
    depot = Depot(major, tracking="lot", lots={"A1": 2.0}, places=(2.0, 3.0))
    first, second = depot.server.records["stock.move.line"]
    first["lot_id"], second["lot_name"] = 1, "A2"
    (line,) = get_picking(depot, picking_id=5).lines
    assert line.lots == {"A1": 2.0, "A2": 3.0}
    assert len(depot.sent) == 4


@pytest.mark.parametrize("major", VERSIONS)
def test_a_lot_is_counted_by_itself_and_made_if_it_is_new(major: int) -> None:
    depot = Depot(major, tracking="lot", lots={"A1": 3.0})
    assert count(depot, 4, lot="A1").quantity == 4
    made = count(depot, 6, lot="A9")
    assert (made.quantity_before, made.quantity, made.lot) == (0, 6, "A9")
    assert [row["name"] for row in depot.server.records[depot.lot_model]] == ["A1", "A9"]


@pytest.mark.parametrize(
    ("depot", "options", "said"),
    [
        ({}, {"quantity": -1}, "must not be negative"),
        ({}, {"quantity": "many"}, "must be a number"),
        ({}, {"lot": "A1"}, "is not tracked"),
        ({}, {"location_id": 4}, "holds no stock"),
        ({"tracking": "lot"}, {}, "Set lot to one"),
        ({"tracking": "lot", "lots": {"K1": 1.0}}, {"lot": "K1"}, "is a lot of Chair"),
        ({"tracking": "serial"}, {"lot": "S1"}, "1 or 0, not 12"),
    ],
)
def test_a_count_that_cannot_be_is_refused(
    depot: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    made = Depot(19, **depot)
    with pytest.raises(ValidationError, match=said):
        count(made, **options)
    assert writes(made) == []


def test_where_it_was_counted_has_to_be_said_if_it_lies_in_several_places() -> None:
    made = Depot(19)
    made.server.records["stock.location"].append({"id": 9, "name": "Shelf", "usage": "internal"})
    for place in (8, 9):
        quant = {"id": place, "product_id": 3, "location_id": place, "quantity": 1.0}
        made.server.records["stock.quant"].append(quant)
    with pytest.raises(ValidationError, match="several locations: WH/Stock, Shelf"):
        count(made)
    assert count(made, location_id=9).quantity == 12
