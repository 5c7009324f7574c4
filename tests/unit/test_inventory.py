"""Transfers on every version, from the shapes that servers answered with."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import create_transfer, get_stock, validate_picking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError, ValidationError, WizardRequiredError
from odoo_toolkit.policy import Policy
from tests.unit.depot import WIZARD, Depot
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS

LINES = [{"product_id": 3, "quantity": 5}]


def validate(odoo: Odoo, **options: Any) -> Any:
    """Validate the picking 5."""
    return validate_picking(odoo, picking_id=5, **options)


def receive(odoo: Odoo, **options: Any) -> Any:
    """Make a receipt of five desks."""
    return create_transfer(odoo, picking_type_name="incoming", lines=LINES, **options)


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize(
    ("depot", "said"),
    [
        ({"reserved": 2.0}, "2 of 5"),
        ({"reserved": 0.0, "state": "draft", "free": 3.0}, "3 of 5"),
        ({"entered": 4.0}, "4 of 5 Units entered"),
        ({"reserved": 0.0}, "Nothing in"),
        ({"reserved": 0.0, "free": 9.0, "state": "waiting"}, "Nothing in"),
        # 12 pieces are one dozen, of which 5 were asked for.
        ({"reserved": 0.0, "free": 12.0, "ratio": 12.0, "state": "draft"}, "1 of 5"),
    ],
)
def test_a_shortage_writes_nothing(major: int, depot: dict[str, Any], said: str) -> None:
    made = Depot(major, **depot)
    with pytest.raises(StateError, match=said) as raised:
        validate(made)
    assert raised.value.details["missing"][0]["product"] == "Desk"
    assert writes(made) == []


@pytest.mark.parametrize(
    ("depot", "offered"),
    [({}, "receive the goods"), ({"state": "waiting"}, "the transfer that it waits for")],
)
def test_no_backorder_is_offered_where_nothing_can_be_moved(
    depot: dict[str, Any], offered: str
) -> None:
    with pytest.raises(StateError) as raised:
        validate(Depot(19, reserved=0.0, **depot))
    assert "backorder" not in raised.value.suggestion
    assert offered in raised.value.suggestion


def test_a_failure_after_confirming_is_told_with_what_there_is() -> None:
    refused = ValidationError("A lot is missing.")
    made = Depot(19, state="draft", reserved=0.0, free=5.0, button_validate=refused)
    done = validate(made)
    assert (done.validated, done.state) == (False, "assigned")
    assert "A lot is missing." in done.warnings[0]


@pytest.mark.parametrize("state", ["assigned", "draft"])
def test_a_question_of_another_module_is_the_callers(state: str) -> None:
    """Its description is in the error, also when the transfer was confirmed before."""
    asks = WIZARD | {"res_model": "module.question"}
    made = Depot(19, state=state, free=5.0, button_validate=asks)
    made.answers["module.question", "get_view"] = {"arch": "<form/>"}
    with pytest.raises(WizardRequiredError) as raised:
        validate(made)
    assert raised.value.details["wizard_model"] == "module.question"


@pytest.mark.parametrize("major", VERSIONS)
def test_a_transfer_is_created_with_the_fields_of_the_version(major: int) -> None:
    made = Depot(major)
    created = receive(made, scheduled_date="2031-02-03T04:05:06Z")
    assert (created.id, created.name, created.state) == (6, "WH/OUT/6", "draft")
    (call,) = made.asked("create")
    values = call.arguments["vals_list"]
    (command,) = values[made.moves]
    assert ("name" in command[2]) == (major < 19)
    assert (command[2]["product_uom"], command[2]["product_uom_qty"]) == (1, 5)
    assert (values["location_id"], values["location_dest_id"]) == (4, 8)
    assert values["scheduled_date"] == "2031-02-03 04:05:06"


def test_a_list_of_models_need_not_name_what_belongs_to_a_transfer() -> None:
    """Moves, warehouses, operation types and users are read for it."""
    named = "stock.picking, stock.location, product.product"
    policy = Policy(mode="restricted", model_allowlist=named, write_allowlist="stock.picking")
    assert receive(Depot(19, policy=policy), validate=True).validated


def test_stock_of_several_companies_says_so() -> None:
    group = {"location_id": [8, "WH/Stock"], "quantity": 2.0, "reserved_quantity": 0.0}
    made = Depot(19)
    other = {**group, "location_id": [9, "CH/Stock"], "company_id": [2, "Chicago"]}
    made.answers["stock.quant", "read_group"] = [{**group, "company_id": [1, "Main"]}, other]
    stock = get_stock(made, product_id=3)
    assert (len(stock.stock), stock.total_available) == (2, 4.0)
    assert stock.warnings == [
        "The total covers several companies (Main, Chicago). To get the stock of one company, set "
        "warehouse_id."
    ]
