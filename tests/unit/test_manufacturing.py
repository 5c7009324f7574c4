"""Manufacturing on every version, on the fields that servers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit.apps.manufacturing import (
    cancel_order,
    check_components,
    confirm_order,
    create_order,
    get_order,
    produce,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.wizards import known_wizard
from odoo_toolkit_mcp.toolsets.manufacturing import TOOLS, ManufacturingToolset
from tests.unit.fake_manufacturing import (
    BILL,
    BILL_OF_DOZENS,
    BILL_OF_KIT,
    KIT,
    MILK,
    MILK_MOVE,
    ORDER,
    SHELF,
    STEEL_MOVE,
    STOCK,
    TABLE,
    UNIT,
    WOOD,
    WOOD_MOVE,
    Workshop,
)
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, contents

# Bills -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_up_to_18_odoo_rounds_before_it_looks_at_the_lines(major: int) -> None:
    """Seven of a dozen are 0.5833 bills; each takes two kits of three wood."""
    found = check_components(Workshop(major), bom_id=BILL_OF_DOZENS, product_id=TABLE, quantity=7)
    assert [c.needed for c in found.components] == [3.54 if major < 19 else 3.5]


def test_a_component_is_a_kit_even_where_its_first_bill_makes_it() -> None:
    """Odoo looks for the kit of a component alone, and a kit of another company is not one."""
    for company, needed in ((False, [(WOOD, 15.0)]), (2, [(KIT, 5.0)])):
        odoo = Workshop(19)
        boms = odoo.server.records["mrp.bom"]
        boms[BILL_OF_DOZENS - 1]["company_id"] = 1
        boms[BILL_OF_KIT - 1] |= {"company_id": company, "sequence": 9}
        own = {"id": 9, "product_tmpl_id": KIT, "type": "normal", "product_qty": 1.0}
        boms.append(own | {"product_uom_id": UNIT, "sequence": 1})
        odoo.server.records["mrp.bom.line"][2]["child_bom_id"] = 9
        found = check_components(odoo, bom_id=BILL_OF_DOZENS, product_id=TABLE, quantity=30)
        assert [(c.product.id, c.needed) for c in found.components] == needed


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"product_id": WOOD}, NotFoundError, "no bill of materials"),
        ({"product_id": KIT}, StateError, "is a kit"),
        ({"bom_id": BILL_OF_KIT}, StateError, "is a kit"),
        ({"product_id": WOOD, "bom_id": BILL}, ValidationError, "does not belong to Wood"),
        ({"product_id": 99}, NotFoundError, "no product"),
        ({"bom_id": 99}, NotFoundError, "no bill of materials with id"),
        ({"product_name": "Chair"}, NotFoundError, "Chair"),
        ({}, ValidationError, "is needed"),
        ({"product_id": TABLE, "quantity": 0}, ValidationError, "more than 0"),
        ({"product_id": TABLE, "quantity": "two"}, ValidationError, "must be a number"),
    ],
)
def test_what_cannot_be_made_is_refused(
    options: dict[str, Any], error: type[OdooError], text: str
) -> None:
    odoo = Workshop(19)
    for act in (check_components, create_order):
        with pytest.raises(error, match=text):
            act(odoo, **options)
    assert writes(odoo) == []


# Work centers ----------------------------------------------------------------------------------


def test_a_work_center_that_cannot_do_it_is_refused_with_those_that_can() -> None:
    for act in (check_components, create_order):
        odoo = Workshop(19, work=True)
        odoo.server.records["mrp.workcenter"].append({"id": 3, "name": "Oven"})
        with pytest.raises(ValidationError, match="work center 3") as raised:
            act(odoo, product_id=TABLE, workcenter_id="Oven")
        assert "Cut: Saw (1), Bench (2); Paint: Bench (2)" in raised.value.suggestion
        assert writes(odoo) == []
    with pytest.raises(ValidationError) as raised:
        check_components(Workshop(19), product_id=TABLE, workcenter_id=1)
    assert "has no operations" in raised.value.suggestion


def test_a_blocked_work_center_and_a_late_order_are_said() -> None:
    odoo = Workshop(19, work=True)
    odoo.server.records["mrp.workcenter"][0]["working_state"] = "blocked"
    assert "Saw is blocked" in check_components(odoo, product_id=TABLE).warnings[0]
    late = {"date_start": "2031-02-05 08:00:00", "date_finished": "2031-02-05 09:00:00"}

    def create(call: Call) -> Any:
        made = odoo._create(call)
        odoo.order(made[0]).update(late)
        return made

    odoo.answers["mrp.production", "create"] = create
    made = create_order(odoo, product_id=TABLE, deadline="2031-02-04")
    assert "after the deadline" in made.warnings[1]


# Orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_the_planned_start_goes_where_the_version_has_it(major: int) -> None:
    odoo = Workshop(major)
    made = create_order(odoo, product_id=TABLE, date="2031-02-03T04:05:06+01:00")
    field = "date_planned_start" if major < 17 else "date_start"
    assert contents(odoo.asked("create")[0])[field] == "2031-02-03 03:05:06"
    assert made.date == "2031-02-03T03:05:06Z"
    if major < 16:
        assert odoo.asked("onchange")[1].arguments["field_names"] == ["product_qty", field]


@pytest.mark.parametrize("major", VERSIONS)
def test_an_order_is_shown_with_lots_work_orders_and_backorders(major: int) -> None:
    lot = {"lot_producing_ids": [1]} if major >= 19 else {"lot_producing_id": 1}
    odoo = Workshop(major, milk=[(1, 5.0), (2, 3.0)], order=lot)
    odoo.order().update({"backorder_sequence": 1, odoo.group: 7})
    other = {**odoo.order(), "id": 9, "name": "WH/MO/5-002", "backorder_sequence": 2}
    odoo.server.records["mrp.production"].append(other)
    odoo.server.records["mrp.workorder"].append(
        {"id": 3, "name": "Cut", "workcenter_id": 1, "state": "ready", "production_id": ORDER}
    )
    found = get_order(odoo, order_id=ORDER)
    assert found.components
    assert found.components[2].lots == ["L1", "L2"]
    assert [work.name for work in found.work_orders] == ["Cut"]
    assert [(other.id, other.name) for other in found.backorders] == [(9, "WH/MO/5-002")]
    assert [lot.name for lot in found.lots] == ["L1"]
    assert len(odoo.sent) == 5 + (major >= 19)


def test_free_stock_is_given_to_one_move_only() -> None:
    """Two moves want the same 12 that are free, and each would tell that they are there."""
    short = {"quantity": 0.0, "availability": 8.0}
    odoo = Workshop(19, wood=short)
    odoo._move(54, WOOD, 8.0, 0.0, availability=8.0)
    found = get_order(odoo, order_id=ORDER).components
    assert found
    assert [(c.free, c.missing) for c in found] == [(8.0, 0.0), (0.0, 0.0), (4.0, 4.0)]


# Producing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_what_was_entered_for_this_quantity_stays(major: int) -> None:
    entered = {"quantity": 9.0, "picked": True} if major >= 17 else {"quantity_done": 9.0}
    options: dict[str, Any] = {
        "order": {"qty_producing": 2.0},
        "wood": entered | {"availability": 4.0},
    }
    odoo = Workshop(major, **options)
    produce(odoo, order_id=ORDER)
    assert odoo.entered()["qty_producing"] == 2.0
    assert [command[1] for command in odoo.entered()["move_raw_ids"]] == [STEEL_MOVE]
    odoo = Workshop(major, **options)
    produce(odoo, order_id=ORDER, quantity=4)
    assert [command[1] for command in odoo.entered()["move_raw_ids"]] == [WOOD_MOVE, STEEL_MOVE]


SHORT: dict[str, Any] = {"wood": {"quantity": 5.0, "availability": 1.0}, "free": 1.0}
WRONG: list[tuple[dict[str, Any], dict[str, Any], type[OdooError], str]] = [
    ({"order": {"state": "done"}}, {}, StateError, "already done"),
    ({"order": {"state": "cancel"}}, {}, StateError, "cancelled"),
    ({"order": {"qty_produced": 4.0}}, {}, StateError, "Nothing of"),
    ({}, {"quantity": 5}, StateError, "are left to produce"),
    ({}, {"quantity": 0}, ValidationError, "more than 0"),
    ({}, {"quantity": float("nan")}, ValidationError, "number"),
    (SHORT, {}, StateError, "Wood: 6 of 8 Units"),
    ({}, {"lots": ["A"]}, ValidationError, "not tracked"),
    ({}, {"lots": ["A", "A"]}, ValidationError, "twice"),
    ({}, {"lots": [""]}, ValidationError, "list of strings"),
    ({"tracking": "lot"}, {"lots": ["A", "B"]}, ValidationError, "need one lot"),
    ({"tracking": "lot"}, {"lots": ["L1"]}, ValidationError, "a lot of Milk"),
    ({}, {"lines": []}, ValidationError, "lines is empty"),
    (
        {},
        {"lines": [{"product_id": TABLE, "quantity": 1}]},
        ValidationError,
        "not an open component",
    ),
    ({}, {"lines": [{"product_name": "Chair", "quantity": 1}]}, NotFoundError, "Chair"),
    ({}, {"lines": [{"product_id": WOOD}]}, ValidationError, "neither a quantity nor lots"),
    ({}, {"lines": [{"product_id": WOOD, "quantity": -1}]}, ValidationError, "negative"),
    ({}, {"lines": [{"product_id": WOOD, "amount": 1}]}, ValidationError, "unknown key"),
    ({}, {"lines": [{"product_id": WOOD, "lots": ["L1"]}]}, ValidationError, "not tracked"),
    ({"milk": []}, {}, ValidationError, "tracked by lot"),
    ({"milk": []}, {"lines": [{"product_id": MILK, "lots": ["X"]}]}, NotFoundError, "no lot"),
    ({"milk": []}, {"lines": [{"product_id": MILK, "lots": ["L1"]}]}, ValidationError, "in stock"),
    (
        {"order": {"consumption": "strict"}},
        {"lines": [{"product_id": WOOD, "quantity": 7}]},
        StateError,
        "strict",
    ),
]


@pytest.mark.parametrize(("there", "options", "error", "text"), WRONG)
def test_bad_input_writes_nothing(
    there: dict[str, Any], options: dict[str, Any], error: type[OdooError], text: str
) -> None:
    odoo = Workshop(19, **there)
    if there.get("milk") == []:
        odoo.move(MILK_MOVE)["availability"] = 8.0
    with pytest.raises(error, match=text):
        produce(odoo, order_id=ORDER, **options)
    assert writes(odoo) == []


def test_a_lot_that_is_not_reserved_is_taken_from_where_it_lies() -> None:
    odoo = Workshop(19, milk=[])
    odoo.move(MILK_MOVE)["availability"] = 8.0
    lines = [{"product_id": MILK, "lots": ["L1"]}]
    produce(odoo, order_id=ORDER, lines=lines, unreserved=True)
    (command,) = [c for c in odoo.entered()["move_raw_ids"] if c[1] == MILK_MOVE]
    taken = [(p[2]["location_id"], p[2]["quantity"]) for p in command[2]["move_line_ids"]]
    assert taken == [(SHELF, 6.0), (STOCK, 2.0)]


# Rights ----------------------------------------------------------------------------------------


Act = Callable[..., Any]
ACTS: dict[str, Act] = {
    "create": lambda odoo: create_order(odoo, product_id=TABLE, quantity=4, confirm=True),
    "confirm": lambda odoo: confirm_order(odoo, order_id=ORDER),
    "cancel": lambda odoo: cancel_order(odoo, order_id=ORDER),
    "produce": lambda odoo: produce(
        odoo,
        order_id=ORDER,
        quantity=1,
        lines=[{"product_id": MILK, "lots": ["L1"], "quantity": 2}],
    ),
    "part": lambda odoo: produce(odoo, order_id=ORDER, quantity=1),
}


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("name", ACTS)
def test_lists_of_models_need_no_more_than_what_the_guide_names(name: str, major: int) -> None:
    """Units of measure, operations and what is in stock belong to them."""
    written = "mrp.production", "stock.move", "stock.move.line"
    read = "mrp.bom", "mrp.workorder", "product.product", "product.template", "stock.location"
    policy = Policy(mode="restricted", model_allowlist=(*written, *read), write_allowlist=written)
    odoo = Workshop(major, order={"state": "draft"}, policy=policy, milk=[(1, 8.0)])
    ACTS[name](odoo)
    get_order(odoo, order_id=ORDER)
    check_components(odoo, product_name="Table")


@pytest.mark.parametrize("major", VERSIONS)
def test_the_catalogue_knows_the_wizards_of_manufacturing(major: int) -> None:
    names = {"mrp.production.backorder", "mrp.consumption.warning", "change.production.qty"}
    assert all(known_wizard(name, major) for name in names)
    assert bool(known_wizard("mrp.immediate.production", major)) == (major < 17)
    assert bool(known_wizard("mrp.production.serials", major)) == (major >= 19)
    consumption = known_wizard("mrp.consumption.warning", major)
    assert ("action_set_qty" in consumption.buttons) == (major >= 16)


def test_the_tools_need_the_module_and_are_terse() -> None:
    assert ManufacturingToolset.about.required_modules == ("mrp",)
    sizes = [len(tool.name) + len(tool.description) + len(str(tool.input_schema)) for tool in TOOLS]
    assert sum(sizes) < 4500
