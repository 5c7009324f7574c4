"""Manufacturing on every version, on the fields that servers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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
    OdooError,
    StateError,
    ValidationError,
    WizardRequiredError,
)
from odoo_toolkit.plans import Plan
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
    STEEL,
    STEEL_MOVE,
    STOCK,
    TABLE,
    UNIT,
    WOOD,
    WOOD_MOVE,
    Workshop,
)
from tests.unit.operation_checks import check_seen_when_lost, writes
from tests.unit.scripted import VERSIONS, contents


def _done(result: Order | Plan) -> Order:
    assert isinstance(result, Order)
    return result


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
def test_the_planned_start_goes_where_the_version_has_it(major: int) -> None:
    odoo = Workshop(major)
    made = _done(create_order(odoo, product_id=TABLE, date="2031-02-03T04:05:06+01:00"))
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


@pytest.mark.parametrize("major", VERSIONS)
def test_cancelling_takes_three_calls(major: int) -> None:
    odoo = Workshop(major)
    gone = _done(cancel_order(odoo, order_id=ORDER))
    assert (gone.state, gone.message, len(odoo.sent)) == ("cancel", "WH/MO/5 is cancelled.", 3)
    assert "already" in _done(cancel_order(odoo, order_id=ORDER)).message
    assert len(odoo.asked("action_cancel")) == 1


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
    ({}, {"quantity": 5}, StateError, "more than is left"),
    ({}, {"quantity": 0}, ValidationError, "more than 0"),
    ({}, {"quantity": float("nan")}, ValidationError, "number"),
    (SHORT, {}, StateError, "Wood: 6 of 8 Units"),
    ({}, {"lots": ["A"]}, ValidationError, "not tracked"),
    ({}, {"lots": ["A", "A"]}, ValidationError, "twice"),
    ({}, {"lots": [""]}, ValidationError, "list of strings"),
    ({"tracking": "lot"}, {"lots": ["A", "B"]}, ValidationError, "take one lot"),
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


@pytest.mark.parametrize("major", [14, 19])
@pytest.mark.parametrize("name", ACTS)
def test_what_was_done_though_the_answer_was_lost_is_seen(
    name: str, major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, act = ACTS[name]
    result = check_seen_when_lost(_draft(major), method, act, monkeypatch)
    if name == "part":
        assert result.backorder.id == 9


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
