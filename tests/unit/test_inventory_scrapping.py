"""Scrapping: what is refused, what is sent, and that a lost answer never scraps twice."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import scrap_product
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, WizardRequiredError
from tests.unit.depot import Depot
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS


def stocked(major: int = 19, **options: Any) -> Depot:
    """Return a depot with five desks in the stock."""
    depot = Depot(major, **options)
    quant = {"id": 70, "product_id": 3, "location_id": 8, "quantity": 5.0, "reserved_quantity": 4.0}
    depot.server.records["stock.quant"].append(quant)
    return depot


def scrap(odoo: Odoo, **options: Any) -> Any:
    """Scrap two desks."""
    return scrap_product(odoo, **{"product_id": 3, "quantity": 2, **options})


@pytest.mark.parametrize("major", VERSIONS)
def test_a_reason_is_given_where_there_are_some(major: int) -> None:
    depot = stocked(major)
    if major < 17:
        with pytest.raises(OdooError, match=f"Odoo {major} does not support scrap reasons"):
            scrap(depot, reason="Broken")
        assert depot.sent == []
        return
    depot.server.records["stock.scrap.reason.tag"] = [{"id": 6, "name": "Broken"}]
    made = scrap(depot, reason="Broken")
    assert made.reason == "Broken"
    (values,) = (call.arguments["vals_list"] for call in depot.asked("create"))
    assert values["scrap_reason_tag_ids"] == [[6, 0, [6]]]


@pytest.mark.parametrize(
    ("depot", "options", "said"),
    [
        ({}, {"quantity": 0}, "more than 0"),
        ({}, {"quantity": 6}, "6 Units of Desk cannot be scrapped: WH/Stock contains 5"),
        ({}, {"lot": "A1"}, "is not tracked"),
        ({}, {"location_id": 4}, "holds no stock"),
        ({}, {"location_id": 10}, "WH/Shelf contains 0"),
        ({}, {"product_id": 99}, "no product with id 99"),
        ({}, {"reason": 7}, "(?i)no stock.scrap.reason.tag record with id 7"),
        (
            {"tracking": "lot", "lots": {"A1": 3.0}},
            {},
            r"(?s)Set lot to one of these numbers.*In stock: A1 \(3 free\)",
        ),
        ({"tracking": "lot", "lots": {"A1": 3.0}}, {"lot": "A9"}, r"(?s)no lot.*A1 \(3 free\)"),
        ({"tracking": "lot", "lots": {"A1": 3.0}}, {"lot": "A1", "quantity": 4}, "contains 3"),
        ({"tracking": "serial", "lots": {"A1": 1.0}}, {"lot": "A1"}, "serial number"),
    ],
)
def test_what_cannot_be_scrapped_writes_nothing(
    depot: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    made = stocked(**depot) if not depot else Depot(19, **depot)
    with pytest.raises(OdooError, match=said):
        scrap(made, **options)
    assert writes(made) == []


def test_a_question_of_odoo_leaves_a_draft_that_is_told() -> None:
    depot = stocked()
    depot.answers["stock.scrap", "action_validate"] = {
        "type": "ir.actions.act_window",
        "res_model": "stock.warn.insufficient.qty.scrap",
        "target": "new",
    }
    try:
        made = scrap(depot)
    except WizardRequiredError:
        pytest.fail("the draft would not be told")
    assert "Not scrapped" in made.message
    assert made.left == 5
    assert any("nothing has left the stock" in warning for warning in made.warnings)


def test_a_shortage_says_how_much_is_there() -> None:
    with pytest.raises(OdooError) as raised:
        scrap(stocked(), quantity=6)
    assert raised.value.details["in_stock"] == 5
