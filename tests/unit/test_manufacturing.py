"""Manufacturing on every version, on the fields that servers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import lost_answers
from odoo_toolkit.apps.manufacturing import (
    Order,
    cancel_order,
    check_components,
    confirm_order,
    create_order,
    get_order,
    produce,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import (
    NotFoundError,
    OdooConnectionError,
    OdooError,
    StateError,
    ValidationError,
    WizardRequiredError,
)
from odoo_toolkit.plans import Plan
from odoo_toolkit.policy import Policy
from odoo_toolkit.wizards import known_wizard
from odoo_toolkit_mcp.results import json_text
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
    STEEL,
    STEEL_MOVE,
    STOCK,
    TABLE,
    UNIT,
    WOOD,
    WOOD_MOVE,
    Workshop,
)
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
from tests.unit.scripted import VERSIONS, contents


def _done(result: Order | Plan) -> Order:
    assert isinstance(result, Order)
    return result


# Bills -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_components_are_compared_with_the_free_stock(major: int) -> None:
    odoo = Workshop(major)
    found = check_components(odoo, product_name="Table", quantity=7)
    assert [(c.product.id, c.needed, c.free, c.missing) for c in found.components] == [
        (WOOD, 14.0, 12.0, 2.0),
        (STEEL, 7.0, 12.0, 0.0),
    ]
    assert (found.can_make, found.producible, found.bom.id) == (False, 6.0, BILL)
    assert [row.id for row in found.other_boms] == [BILL_OF_DOZENS]
    # Name, product and bill, lines, then products and units of measure.
    assert len(odoo.sent) == 6
    odoo.sent.clear()
    assert check_components(odoo, product_id=TABLE, quantity=6).can_make
    assert len(odoo.sent) == 5


@pytest.mark.parametrize("major", VERSIONS)
def test_kits_are_replaced_and_units_converted(major: int) -> None:
    """Two kits of three wood for a dozen tables; 30 tables take 15 wood."""
    found = check_components(Workshop(major), bom_id=BILL_OF_DOZENS, product_id=TABLE, quantity=30)
    assert [(c.product.id, c.needed) for c in found.components] == [(WOOD, 15.0)]


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


def test_lines_of_other_variants_are_left_out() -> None:
    """Of each attribute that a line names, the product must have one of the values."""
    odoo = Workshop(19)
    lines = odoo.server.records["mrp.bom.line"]
    values = odoo.server.records["product.template.attribute.value"]
    values += [{"id": n, "attribute_line_id": 1 + n // 3} for n in (1, 2, 3)]
    (table, *_) = odoo.server.records["product.product"]
    table["product_template_attribute_value_ids"] = [1, 3]
    for of_wood, of_steel in (([1, 2, 3], [2]), ([1], [1, 3]), ([2, 3], [3])):
        lines[0]["bom_product_template_attribute_value_ids"] = of_wood
        lines[1]["bom_product_template_attribute_value_ids"] = of_steel
        used = [c.product.id for c in check_components(odoo, product_id=TABLE).components]
        assert used == [
            product
            for product, named in ((WOOD, of_wood), (STEEL, of_steel))
            if named != [2] and named != [2, 3]
        ]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"product_id": WOOD}, NotFoundError, "no bill of materials"),
        ({"product_id": KIT}, StateError, "is a kit"),
        ({"bom_id": BILL_OF_KIT}, StateError, "is a kit"),
        ({"product_id": WOOD, "bom_id": BILL}, ValidationError, "not one of Wood"),
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
            act(odoo, **options)  # type: ignore[operator]
    assert writes(odoo) == []


# Work centers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_each_way_to_do_an_operation_has_its_time_and_cost(major: int) -> None:
    """Four tables: two at a time at the saw, which is twice as fast, or one by one at the bench."""
    odoo = Workshop(major, work=True)
    found = check_components(odoo, product_id=TABLE, quantity=4)
    cut, paint = found.operations
    saw, bench = cut.ways
    assert (saw.workcenter.name, saw.minutes, saw.cost, saw.alternative) == ("Saw", 18, 18, False)
    assert (saw.load_minutes, saw.capacity, saw.efficiency, saw.hours_per_day) == (90, 2, 200, 8)
    assert (bench.workcenter.name, bench.minutes, bench.cost) == ("Bench", 40, 20)
    assert (bench.alternative, [way.workcenter.name for way in paint.ways]) == (True, ["Bench"])
    # Wood and steel at three each.
    assert (found.minutes, found.operation_cost, found.component_cost) == (46, 32, 36)
    there = check_components(odoo, product_id=TABLE, quantity=4, workcenter_id="Bench")
    assert (there.minutes, there.operation_cost) == (68, 34)


@pytest.mark.parametrize("major", VERSIONS)
def test_an_order_is_made_at_the_work_center_asked_for(major: int) -> None:
    odoo = Workshop(major, work=True)
    made = _done(
        create_order(
            odoo,
            product_id=TABLE,
            quantity=4,
            workcenter_id="Bench",
            deadline="2031-02-03T04:05:06+01:00",
            origin="S00007",
        )
    )
    values = contents(odoo.asked("create")[0])
    assert (values["date_deadline"], values["origin"]) == ("2031-02-03 03:05:06", "S00007")
    assert (made.origin, made.date_deadline, made.warnings) == (
        "S00007",
        "2031-02-03T03:05:06Z",
        [],
    )
    cut = made.work_orders[0]
    assert cut.workcenter is not None
    assert (cut.workcenter.name, cut.duration_expected) == ("Bench", 40)
    assert [way.workcenter.name for way in made.operations[0].ways] == ["Saw", "Bench"]


def test_a_work_center_that_cannot_do_it_is_refused_with_those_that_can() -> None:
    for act in (check_components, create_order):
        odoo = Workshop(19, work=True)
        odoo.server.records["mrp.workcenter"].append({"id": 3, "name": "Oven"})
        with pytest.raises(ValidationError, match="work center 3") as raised:
            act(odoo, product_id=TABLE, workcenter_id="Oven")  # type: ignore[operator]
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
    made = _done(create_order(odoo, product_id=TABLE, deadline="2031-02-04"))
    assert "after the deadline" in made.warnings[1]


def test_components_that_come_in_time_are_not_missing() -> None:
    """Of twelve free and four coming, of which others take one, fourteen are needed."""
    odoo = Workshop(19)
    for row in odoo.server.records["product.product"]:
        row |= {"incoming_qty": 4.0, "virtual_available": 15.0}
    odoo.server.records["stock.location"].append({"id": 4, "name": "Vendors", "usage": "supplier"})
    odoo.server.records["stock.location"][0]["usage"] = "internal"
    move = {"id": 99, "product_id": WOOD, "state": "assigned", "product_qty": 4.0, "origin": "P9"}
    move |= {"date": "2031-02-01 08:00:00", "location_id": 4, "location_dest_id": STOCK}
    odoo.server.records["stock.move"].append(move)
    found = check_components(odoo, product_id=TABLE, quantity=7, deadline="2031-02-03")
    wood = found.components[0]
    assert (wood.missing, wood.coming, found.can_make) == (0.0, 2.0, True)
    assert [arrival.source for arrival in wood.receipts] == ["P9"]
    assert found.message == "7 Units of Table can be made by 2031-02-03."
    assert not check_components(odoo, product_id=TABLE, quantity=7).can_make
    with pytest.raises(ValidationError, match="past"):
        check_components(odoo, product_id=TABLE, deadline="2020-01-31")


# Orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("confirm", [False, True])
def test_an_order_is_complete_on_every_version(major: int, confirm: bool) -> None:
    """To 15 what the form fills in is sent; from 16 on Odoo fills it in."""
    odoo = Workshop(major)
    made = _done(create_order(odoo, product_id=TABLE, quantity=4, confirm=confirm))
    (create,) = odoo.asked("create")
    values = contents(create)
    assert (values["product_qty"], values["product_uom_id"], values["bom_id"]) == (4, UNIT, BILL)
    if major < 16:
        assert [c[2]["product_uom_qty"] for c in values["move_raw_ids"]] == [8.0, 4.0]
        assert [c[2]["product_id"] for c in values["move_raw_ids"]] == [WOOD, STEEL]
        assert values["move_finished_ids"] == [[0, 0, {"product_id": TABLE, "byproduct_id": False}]]
        assert values["move_byproduct_ids"] == [[0, 0, {"product_id": MILK, "byproduct_id": 3}]]
        assert values["workorder_ids"] == [
            [0, 0, {"name": "Cut", "workcenter_id": 1, "duration_expected": 4}]
        ]
        assert values["location_src_id"] == STOCK
    else:
        assert "move_raw_ids" not in values
        assert odoo.asked("onchange") == []
    assert (made.state, made.available) == ("confirmed" if confirm else "draft", True)
    assert len(odoo.asked("action_assign")) == (confirm and major < 15)
    # Product and bill, the form twice, create, confirm and reserve, order and moves.
    assert len(odoo.sent) == 5 + 2 * (major < 16) + confirm * (1 + (major < 15))


@pytest.mark.parametrize("major", VERSIONS)
def test_the_planned_start_goes_where_the_version_has_it(major: int) -> None:
    odoo = Workshop(major)
    made = _done(create_order(odoo, product_id=TABLE, date="2031-02-03T04:05:06+01:00"))
    field = "date_planned_start" if major < 17 else "date_start"
    assert contents(odoo.asked("create")[0])[field] == "2031-02-03 03:05:06"
    assert made.date == "2031-02-03T03:05:06Z"
    if major < 16:
        assert odoo.asked("onchange")[1].arguments["field_names"] == ["product_qty", field]


def test_missing_components_are_told_and_do_not_stop_an_order() -> None:
    made = _done(create_order(Workshop(19), product_id=TABLE, quantity=7, confirm=True))
    assert (made.state, made.available) == ("confirmed", False)
    assert [(c.product.id, c.needed, c.reserved, c.missing) for c in made.missing] == [
        (WOOD, 14.0, 12.0, 2.0)
    ]


@pytest.mark.parametrize("major", VERSIONS)
def test_an_order_is_looked_at_in_two_calls(major: int) -> None:
    odoo = Workshop(major, wood={"availability": 3.0, "product_uom_qty": 12.0, "product_qty": 12.0})
    found = get_order(odoo, order_name="WH/MO/5")
    assert isinstance(found, Order)
    assert found.components
    (wood, steel) = found.components
    assert (wood.needed, wood.reserved, wood.free, wood.missing) == (12.0, 8.0, 3.0, 1.0)
    assert (steel.reserved, steel.missing, found.available) == (4.0, 0.0, False)
    assert len(odoo.sent) == 2


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


@pytest.mark.parametrize("major", VERSIONS)
def test_confirming_reserves_what_is_there(major: int) -> None:
    name = "quantity" if major >= 17 else "reserved_availability"
    odoo = Workshop(major, order={"state": "draft"}, wood={name: 0.0, "availability": 8.0})
    assert _done(confirm_order(odoo, order_id=ORDER)).available
    assert odoo.methods()[1:3] == ["mrp.production.action_confirm", "mrp.production.action_assign"]
    odoo.sent.clear()
    again = _done(confirm_order(odoo, order_id=ORDER))
    assert (again.state, again.message[:8]) == ("confirmed", "Reserved")
    assert odoo.asked("action_confirm") == []


@pytest.mark.parametrize("major", VERSIONS)
def test_cancelling_takes_three_calls(major: int) -> None:
    odoo = Workshop(major)
    gone = _done(cancel_order(odoo, order_id=ORDER))
    assert (gone.state, gone.message, len(odoo.sent)) == ("cancel", "WH/MO/5 is cancelled.", 3)
    assert "already" in _done(cancel_order(odoo, order_id=ORDER)).message
    assert len(odoo.asked("action_cancel")) == 1


# Producing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_a_whole_order_is_produced_in_five_calls(major: int) -> None:
    odoo = Workshop(major)
    made = _done(produce(odoo, order_name="WH/MO/5"))
    done = {"quantity": 8.0, "picked": True} if major >= 17 else {"quantity_done": 8.0}
    values = odoo.entered()
    assert values["qty_producing"] == 4.0
    assert values["move_raw_ids"][0] == [1, WOOD_MOVE, done]
    (finish,) = odoo.asked("button_mark_done")
    assert finish.context["skip_backorder"] is True
    assert "mo_ids_to_backorder" not in finish.context
    # Odoo still asks about what the caller has not said.
    assert "skip_consumption" not in finish.context
    assert (made.state, made.produced, made.backorder, made.warnings) == ("done", 4.0, None, [])
    assert len(odoo.sent) == 5


@pytest.mark.parametrize("major", VERSIONS)
def test_a_part_leaves_its_rest_in_a_backorder(major: int) -> None:
    odoo = Workshop(major)
    made = _done(produce(odoo, order_id=ORDER, quantity=1))
    name = "quantity" if major >= 17 else "quantity_done"
    assert [c[2][name] for c in odoo.entered()["move_raw_ids"]] == [2.0, 1.0]
    (finish,) = odoo.asked("button_mark_done")
    assert finish.context["mo_ids_to_backorder"] == [ORDER]
    assert made.backorder
    assert (made.name, made.backorder.id, made.produced) == ("WH/MO/5-001", 9, 1.0)
    # One more: how the units of measure are rounded.
    assert len(odoo.sent) == 6


@pytest.mark.parametrize("major", VERSIONS)
def test_the_rest_of_a_part_is_dropped_when_said(major: int) -> None:
    odoo = Workshop(major)
    made = _done(produce(odoo, order_id=ORDER, quantity=1, backorder=False))
    (finish,) = odoo.asked("button_mark_done")
    assert "mo_ids_to_backorder" not in finish.context
    assert (made.state, made.backorder) == ("done", None)


def test_a_backorder_that_odoo_does_not_name_is_found() -> None:
    """Where labels are printed automatically, the action is another one."""
    odoo = Workshop(19)
    mark_done = odoo.answers["mrp.production", "button_mark_done"]
    odoo.answers["mrp.production", "button_mark_done"] = lambda call: [mark_done(call), True][1]
    made = _done(produce(odoo, order_id=ORDER, quantity=1))
    assert made.backorder
    assert made.backorder.id == 9


def test_a_draft_is_confirmed_first() -> None:
    odoo = Workshop(19, order={"state": "draft"})
    assert _done(produce(odoo, order_id=ORDER)).state == "done"
    assert [call.method for call in writes(odoo)] == [
        "action_confirm",
        "write",
        "button_mark_done",
    ]


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


@pytest.mark.parametrize("major", VERSIONS)
def test_other_quantities_are_used_and_odoo_not_asked(major: int) -> None:
    odoo = Workshop(major, wood={"availability": 2.0})
    produce(odoo, order_id=ORDER, lines=[{"product_name": "Wood", "quantity": 10}])
    name = "quantity" if major >= 17 else "quantity_done"
    assert [c[2][name] for c in odoo.entered()["move_raw_ids"]] == [10, 4.0]
    assert odoo.asked("button_mark_done")[0].context["skip_consumption"] is True
    # A move shows no more stock than it needs: the product was asked.
    assert [call.context.get("location") for call in odoo.sent if "free_qty" in str(call)] == [
        STOCK
    ]


@pytest.mark.parametrize("major", VERSIONS)
def test_by_products_are_made_in_proportion(major: int) -> None:
    """To 16 Odoo drops those of which no quantity is written."""
    odoo = Workshop(major)
    of_order = {"raw_material_production_id": False, "production_id": ORDER, "byproduct_id": 3}
    odoo._move(56, MILK, 8.0, 0.0, **of_order)
    produce(odoo, order_id=ORDER, quantity=1)
    done = {"quantity": 2.0, "picked": True} if major >= 17 else {"quantity_done": 2.0}
    assert odoo.entered()["move_finished_ids"] == [[1, 56, done]]
    assert len(odoo.entered()["move_raw_ids"]) == 2


@pytest.mark.parametrize("major", VERSIONS)
def test_reserved_lots_are_taken(major: int) -> None:
    """5 of lot 1 and 3 of lot 2 are reserved; a half needs 4."""
    odoo = Workshop(major, milk=[(1, 3.0), (2, 5.0)])
    produce(odoo, order_id=ORDER, quantity=2)
    (command,) = [c for c in odoo.entered()["move_raw_ids"] if c[1] == MILK_MOVE]
    flagged = major >= 17
    parts = [
        [1, line, {"quantity": q, "picked": True} if flagged else {"qty_done": q}]
        for line, q in ((100, 3.0), (101, 1.0))
    ]
    assert command[2]["move_line_ids"] == parts
    assert command[2].get("picked") == (True if flagged else None)


@pytest.mark.parametrize("major", VERSIONS)
def test_named_lots_are_taken_from_where_they_lie(major: int) -> None:
    """From 17 on the line of a lot that is not used goes; to 16 nothing of it is done."""
    odoo = Workshop(major, milk=[(1, 8.0)])
    lines = [
        {"product_id": MILK, "lots": ["L1"], "quantity": 3},
        {"product_id": MILK, "lots": ["L2"], "quantity": 5},
    ]
    produce(odoo, order_id=ORDER, lines=lines)
    (command,) = [c for c in odoo.entered()["move_raw_ids"] if c[1] == MILK_MOVE]
    used = {"quantity": 3.0, "picked": True} if major >= 17 else {"qty_done": 3.0}
    one, two = command[2]["move_line_ids"]
    assert one == [1, 100, used]
    assert two[:2] == [0, 0]
    assert (two[2]["lot_id"], two[2]["location_id"]) == (2, SHELF)
    odoo = Workshop(major, milk=[(1, 8.0)])
    odoo.server.records["stock.quant"][1]["quantity"] = 8.0
    produce(odoo, order_id=ORDER, lines=[{"product_id": MILK, "lots": ["L2"]}])
    (command,) = [c for c in odoo.entered()["move_raw_ids"] if c[1] == MILK_MOVE]
    kinds = [part[0] for part in command[2]["move_line_ids"]]
    assert kinds == ([2, 0] if major >= 17 else [0])


@pytest.mark.parametrize("major", [14, 15])
def test_to_15_a_move_with_several_lines_is_written_line_by_line(major: int) -> None:
    odoo = Workshop(major, milk=[(0, 5.0), (0, 3.0)])
    odoo.move(MILK_MOVE)["has_tracking"] = "none"
    for line in odoo.server.records["stock.move.line"]:
        line["lot_id"] = False
    produce(odoo, order_id=ORDER)
    (command,) = [c for c in odoo.entered()["move_raw_ids"] if c[1] == MILK_MOVE]
    done = [(part[1], part[2]["qty_done"]) for part in command[2]["move_line_ids"]]
    assert done == [(100, 5.0), (101, 3.0)]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_lot_of_the_product_is_found_or_created(major: int) -> None:
    many = major >= 19
    for lots, expected in ((["new"], {"name": "new"}), (None, {})):
        odoo = Workshop(major, tracking="lot")
        made = _done(produce(odoo, order_id=ORDER, lots=lots))
        (create,) = odoo.asked("create")
        assert create.model == odoo.lots
        assert create.arguments["vals_list"] == [{"product_id": TABLE, "company_id": 1, **expected}]
        values = odoo.entered()
        assert values.get("lot_producing_ids", values.get("lot_producing_id")) == (
            [[6, 0, [3]]] if many else 3
        )
        assert [lot.id for lot in made.lots] == [3]
    odoo = Workshop(major, tracking="lot")
    odoo.server.records[odoo.lots][0]["product_id"] = TABLE
    produce(odoo, order_id=ORDER, lots=["L1"])
    assert odoo.asked("create") == []
    odoo = Workshop(
        major,
        tracking="lot",
        order={"lot_producing_ids": [1]} if many else {"lot_producing_id": 1},
    )
    produce(odoo, order_id=ORDER)
    assert "lot_producing_id" not in str(odoo.entered())


@pytest.mark.parametrize("major", VERSIONS)
def test_serial_numbers_one_per_piece(major: int) -> None:
    odoo = Workshop(major, tracking="serial")
    if major < 19:
        with pytest.raises(StateError, match="one by one"):
            produce(odoo, order_id=ORDER, lots=["A", "B", "C", "D"])
        assert writes(odoo) == []
        made = _done(produce(odoo, order_id=ORDER, quantity=1, lots=["A"]))
        assert made.backorder
        return
    with pytest.raises(ValidationError, match="one per piece"):
        produce(odoo, order_id=ORDER, lots=["A"])
    assert writes(odoo) == []
    made = _done(produce(odoo, order_id=ORDER, lots=["A", "B", "C", "D"]))
    assert [lot.name for lot in made.lots] == ["A", "B", "C", "D"]


def test_a_serial_number_in_use_is_refused() -> None:
    odoo = Workshop(19, tracking="serial", order={"product_qty": 1.0})
    odoo.server.records[odoo.lots][0]["product_id"] = TABLE
    odoo.server.records["stock.move.line"].append({"id": 1, "lot_id": 1, "state": "done"})
    with pytest.raises(ValidationError, match="already in use"):
        produce(odoo, order_id=ORDER, lots=["L1"])
    assert writes(odoo) == []


SHORT: dict[str, Any] = {"wood": {"quantity": 5.0, "availability": 1.0}, "free": 1.0}
WRONG: list[tuple[dict[str, Any], dict[str, Any], type[OdooError], str]] = [
    ({"order": {"state": "done"}}, {}, StateError, "already done"),
    ({"order": {"state": "cancel"}}, {}, StateError, "cancelled"),
    ({"order": {"qty_produced": 4.0}}, {}, StateError, "Nothing of"),
    ({}, {"quantity": 5}, StateError, "more than the rest"),
    ({}, {"quantity": 0}, ValidationError, "more than 0"),
    ({}, {"quantity": float("nan")}, ValidationError, "number"),
    (SHORT, {}, StateError, "Wood: 6 of 8 Units"),
    ({}, {"lots": ["A"]}, ValidationError, "not tracked"),
    ({}, {"lots": ["A", "A"]}, ValidationError, "twice"),
    ({}, {"lots": [""]}, ValidationError, "list of texts"),
    ({"tracking": "lot"}, {"lots": ["A", "B"]}, ValidationError, "take one lot"),
    ({"tracking": "lot"}, {"lots": ["L1"]}, ValidationError, "a lot of Milk"),
    ({}, {"lines": []}, ValidationError, "no lines"),
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


def test_what_is_asked_for_beyond_is_done_when_said() -> None:
    odoo = Workshop(19, **SHORT)
    with pytest.raises(StateError) as raised:
        produce(odoo, order_id=ORDER)
    assert raised.value.details["missing"][0]["missing"] == 2.0
    assert _done(produce(odoo, order_id=ORDER, unreserved=True)).state == "done"
    odoo = Workshop(19)
    made = _done(produce(odoo, order_id=ORDER, quantity=5, allow_more=True))
    assert (made.produced, odoo.entered()["qty_producing"]) == (5.0, 5)
    odoo = Workshop(19, milk=[])
    odoo.move(MILK_MOVE)["availability"] = 8.0
    lines = [{"product_id": MILK, "lots": ["L1"]}]
    produce(odoo, order_id=ORDER, lines=lines, unreserved=True)
    (command,) = [c for c in odoo.entered()["move_raw_ids"] if c[1] == MILK_MOVE]
    taken = [(p[2]["location_id"], p[2]["quantity"]) for p in command[2]["move_line_ids"]]
    assert taken == [(SHELF, 6.0), (STOCK, 2.0)]


def test_lots_that_could_be_taken_are_listed() -> None:
    odoo = Workshop(19, milk=[])
    odoo.move(MILK_MOVE)["availability"] = 8.0
    with pytest.raises(ValidationError) as raised:
        produce(odoo, order_id=ORDER)
    assert "L1 (6 free), L2 (6 free)" in raised.value.suggestion


@pytest.mark.parametrize("major", VERSIONS)
def test_a_question_that_odoo_still_has_is_passed_on(major: int) -> None:
    """Somebody has changed the order's components: this differs from the bill."""
    odoo = Workshop(major)
    form = {"arch": '<form><button name="action_confirm" type="object"/></form>'}
    for method in ("get_view", "fields_view_get"):
        odoo.answers["mrp.consumption.warning", method] = form
    odoo.answers["mrp.production", "button_mark_done"] = {
        "type": "ir.actions.act_window",
        "res_model": "mrp.consumption.warning",
        "target": "new",
        "context": {"default_mrp_production_ids": [ORDER]},
    }
    with pytest.raises(WizardRequiredError, match="consumption") as raised:
        produce(odoo, order_id=ORDER)
    assert "lines" in str(raised.value.details)


# Plans, lost answers, rights -------------------------------------------------------------------


Act = Callable[..., Any]
ACTS: dict[str, tuple[str, Act]] = {
    "create": (
        "action_confirm",
        lambda odoo, **k: create_order(odoo, product_id=TABLE, quantity=4, confirm=True, **k),
    ),
    "confirm": ("action_confirm", lambda odoo, **k: confirm_order(odoo, order_id=ORDER, **k)),
    "cancel": ("action_cancel", lambda odoo, **k: cancel_order(odoo, order_id=ORDER, **k)),
    "produce": ("button_mark_done", lambda odoo, **k: produce(odoo, order_id=ORDER, **k)),
    "part": ("button_mark_done", lambda odoo, **k: produce(odoo, order_id=ORDER, quantity=1, **k)),
}


def _draft(major: int) -> Workshop:
    return Workshop(major, order={"state": "draft"})


def test_the_plan_names_new_lots_by_words() -> None:
    odoo = Workshop(19, tracking="lot")
    plan = produce(odoo, order_id=ORDER, lots=["A"], dry_run=True)
    assert isinstance(plan, Plan)
    assert [(call.model, call.method) for call in plan.calls] == [
        ("stock.lot", "create"),
        ("mrp.production", "write"),
        ("mrp.production", "button_mark_done"),
    ]
    vals = plan.calls[1].arguments["vals"]
    assert vals["lot_producing_ids"] == [[6, 0, ["the new lot"]]]
    assert writes(odoo) == []


@pytest.mark.parametrize("major", [14, 19])
@pytest.mark.parametrize("name", ACTS)
def test_what_was_done_though_the_answer_was_lost_is_seen(
    name: str, major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, act = ACTS[name]
    result = check_seen_when_lost(_draft(major), method, act, monkeypatch)
    if name == "part":
        assert result.backorder.id == 9


@pytest.mark.parametrize("name", ["confirm", "cancel"])
def test_what_is_not_seen_may_be_repeated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method, act = ACTS[name]
    error = check_told_when_lost(_draft(19), method, act, monkeypatch)
    assert "Repeating it is safe" in error.suggestion


def test_producing_that_is_not_seen_is_told() -> None:
    """The quantities are entered by then; repeating looks at the state first."""
    odoo = Workshop(19)
    odoo.server.lose_answer("button_mark_done", applied=False)
    made = _done(produce(odoo, order_id=ORDER))
    assert made.state == "confirmed"
    assert "not produced" in made.message
    assert "Repeating it is safe" in made.warnings[0]
    again = _done(produce(odoo, order_id=ORDER))
    assert (again.state, again.produced) == ("done", 4.0)


def test_an_order_whose_creation_is_not_seen_is_not_called_safe_to_repeat() -> None:
    odoo = Workshop(19)
    odoo.server.lose_answer("create", applied=False)
    with pytest.raises(OdooConnectionError) as raised:
        create_order(odoo, product_id=TABLE)
    assert raised.value.outcome == "maybe_applied"
    assert "Repeating it is safe" not in raised.value.suggestion
    lost_answers._creations.clear()
    odoo.server.lose_answer("create")
    assert _done(create_order(odoo, product_id=TABLE)).warnings == [lost_answers.SEEN]


@pytest.mark.parametrize("name", ACTS)
def test_what_was_done_is_told_though_it_cannot_be_read_back(name: str) -> None:
    odoo = _draft(19)
    method, act = ACTS[name]

    def read(call: Call) -> Any:
        if odoo.asked(method):
            raise OdooConnectionError("Gone.")
        return NotImplemented

    odoo.answers["mrp.production", "search_read"] = read
    result = act(odoo)
    assert any("cannot be read back" in warning for warning in result.warnings)
    assert result.id


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("name", ACTS)
def test_lists_of_models_need_no_more_than_what_the_guide_names(name: str, major: int) -> None:
    """Units of measure, operations and what is in stock belong to them."""
    written = "mrp.production", "stock.move", "stock.move.line"
    read = "mrp.bom", "mrp.workorder", "product.product", "product.template", "stock.location"
    policy = Policy(mode="restricted", model_allowlist=(*written, *read), write_allowlist=written)
    odoo = Workshop(major, order={"state": "draft"}, policy=policy, milk=[(1, 8.0)])
    lines = [{"product_id": MILK, "lots": ["L1"], "quantity": 2}]
    if name == "produce":
        produce(odoo, order_id=ORDER, quantity=1, lines=lines)
    else:
        ACTS[name][1](odoo)
    get_order(odoo, order_id=ORDER)
    check_components(odoo, product_name="Table")


@pytest.mark.parametrize("major", VERSIONS)
def test_the_catalogue_knows_the_wizards_of_manufacturing(major: int) -> None:
    names = {"mrp.production.backorder", "mrp.consumption.warning", "change.production.qty"}
    assert all(known_wizard(name, major) for name in names)
    assert bool(known_wizard("mrp.immediate.production", major)) == (major < 17)
    assert bool(known_wizard("mrp.production.serials", major)) == (major >= 19)
    consumption = known_wizard("mrp.consumption.warning", major)
    assert consumption
    assert ("action_set_qty" in consumption.buttons) == (major >= 16)


def test_the_tools_need_the_module_and_are_terse() -> None:
    assert ManufacturingToolset.about.required_modules == ("mrp",)
    sizes = [len(tool.name) + len(tool.description) + len(str(tool.input_schema)) for tool in TOOLS]
    assert sum(sizes) < 4500


def test_answers_are_short() -> None:
    odoo = Workshop(19)
    for act in (get_order, produce):
        assert len(json_text(act(odoo, order_id=ORDER))) < 1000  # type: ignore[operator]
    assert len(json_text(check_components(odoo, product_id=TABLE, quantity=7))) < 1000
