"""Transfers on every version, from the shapes that servers answered with."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from odoo_toolkit.apps.inventory import (
    Stock,
    create_transfer,
    get_stock,
    validate_picking,
)
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import (
    AccessError,
    OdooError,
    StateError,
    ValidationError,
    WizardRequiredError,
)
from odoo_toolkit.operations.steps import Plan
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import (
    check_plan_is_the_run,
    check_seen_when_lost,
    check_told_when_lost,
    writes,
)
from tests.unit.scripted import VERSIONS, Scripted

WIZARD = {
    "type": "ir.actions.act_window",
    "res_model": "stock.immediate.transfer",
    "target": "new",
    "context": {"button_validate_picking_ids": [5], "default_pick_ids": [[4, 5]]},
}
LINES = [{"product_id": 3, "quantity": 5}]


class Depot(Scripted):
    """The picking 5, of one move, on a server of some version that answers as that does."""

    def __init__(
        self,
        major: int,
        *,
        demand: float = 5.0,
        reserved: float = 5.0,
        entered: float = 0.0,
        free: float = 0.0,
        state: str = "assigned",
        ratio: float = 1.0,
        usage: str = "internal",
        policy: Policy | None = None,
        **answers: Any,
    ) -> None:
        self.flagged = major >= 17
        self.reserves_backorder = major >= 15
        self.moves = "move_ids" if major >= 16 else "move_lines"
        storable = {"is_storable": True} if major >= 18 else {"type": "product"}
        # A picking type of 16 and before has no location on the partner's side.
        partner_side = 4 if major >= 17 else False
        records: dict[str, list[dict[str, Any]]] = {
            "stock.picking": [],
            "stock.move": [],
            "stock.location": [
                {"id": 8, "complete_name": "WH/Stock", "usage": usage},
                {"id": 4, "complete_name": "Vendors", "usage": "supplier"},
            ],
            "stock.picking.type": [
                {"default_location_src_id": partner_side, "default_location_dest_id": 8}
            ],
            "stock.warehouse": [{"in_type_id": 1, "company_id": 1, "view_location_id": 8}],
            "res.company": [{"name": "My Company"}],
            "res.users": [{"id": 2, "company_id": 1}],
            "uom.uom": [{"name": "Units"}],
            "product.product": [
                {
                    "id": 3,
                    "display_name": "Desk",
                    "uom_id": 1,
                    "type": "consu",
                    "free_qty": free,
                    "qty_available": free + reserved,
                    **storable,
                }
            ],
        }
        table: dict[tuple[str, str], Any] = {
            ("stock.picking", "create"): self._create,
            ("stock.picking", "action_confirm"): self._confirm,
            ("stock.picking", "action_assign"): self._assign,
            ("stock.picking", "button_validate"): self._validate,
            ("stock.immediate.transfer", "default_get"): {},
            ("stock.immediate.transfer", "create"): 9,
            ("stock.immediate.transfer", "process"): self._process,
        }
        table |= {("stock.picking", name): answer for name, answer in answers.items()}
        super().__init__(major, table, policy, _models(major, self.moves), records=records)
        self.pickings = self.server.records["stock.picking"]
        (self.product,) = self.server.records["product.product"]
        self._add(5, {"location_id": 8, "location_dest_id": 4, "picking_type_id": 1}, state)
        self._add_move(5, {"product_id": 3, "product_uom_qty": demand}, state, ratio, reserved)
        if entered:
            self._move(5).update(self._quantities(reserved, entered))

    @property
    def now(self) -> str:
        """The state of the picking."""
        return str(self._picking(5)["state"])

    def _picking(self, number: int) -> dict[str, Any]:
        return next(row for row in self.pickings if row["id"] == number)

    def _move(self, picking: int) -> dict[str, Any]:
        moves = self.server.records["stock.move"]
        return next(row for row in moves if row["picking_id"] == picking)

    def _quantities(self, reserved: float, entered: float) -> dict[str, Any]:
        if self.flagged:
            return {"quantity": entered or reserved, "picked": entered > 0}
        return {"quantity_done": entered, "reserved_availability": reserved}

    def _add(self, number: int, values: dict[str, Any], state: str) -> None:
        now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
        about = {"id": number, "name": f"WH/OUT/{number}", "state": state, "create_uid": 2}
        self.pickings.append({**about, "create_date": now, **values})

    def _add_move(
        self,
        picking: int,
        values: dict[str, Any],
        state: str,
        ratio: float = 1.0,
        reserved: float = 0.0,
    ) -> None:
        moves = self.server.records["stock.move"]
        row = {"id": len(moves) + 1, "picking_id": picking, "state": state, "location_id": 8}
        row |= {"product_uom": 1, "product_qty": values["product_uom_qty"] * ratio}
        moves.append(row | values | self._quantities(reserved, 0.0))

    def _create(self, call: Call) -> Any:
        number = max(row["id"] for row in self.pickings) + 1
        values = dict(call.arguments["vals_list"])
        ((_, _, move),) = values.pop(self.moves)
        self._add(number, values, "draft")
        self._add_move(number, move, "draft")
        return [number] if self.version.major == 19 else number

    def _put(self, number: int, state: str) -> bool:
        self._picking(number)["state"] = self._move(number)["state"] = state
        return True

    def _confirm(self, call: Call) -> bool:
        return self._put((call.ids or ())[0], "confirmed")

    def _assign(self, call: Call) -> bool:
        (number,) = call.ids or ()
        move, ratio = self._move(number), self._ratio(number)
        field = "quantity" if self.flagged else "reserved_availability"
        taken = min(self.product["free_qty"] / ratio, move["product_uom_qty"] - move[field])
        if move["location_id"] == 4:
            taken = move["product_uom_qty"]
        else:
            self.product["free_qty"] -= taken * ratio
        move[field] += taken
        return self._put(number, "assigned")

    def _ratio(self, number: int) -> float:
        move = self._move(number)
        return float(move["product_qty"] / move["product_uom_qty"])

    def _validate(self, call: Call) -> Any:
        (number,) = call.ids or ()
        if self.flagged or self._move(number)["quantity_done"]:
            return self._done(number)
        return WIZARD | {"context": {**WIZARD["context"], "button_validate_picking_ids": [number]}}  # type: ignore[dict-item]

    def _process(self, call: Call) -> bool:
        (number,) = call.context["button_validate_picking_ids"]
        return self._done(number)

    def _done(self, number: int) -> bool:
        move = self._move(number)
        moved = move["quantity"] if self.flagged else move["quantity_done"]
        moved = moved or move["reserved_availability"]
        rest = move["product_uom_qty"] - moved
        if rest > 0:
            state = "assigned" if self.reserves_backorder else "confirmed"
            self._add(number + 1, {"backorder_id": number}, state)
            self._add_move(number + 1, {"product_id": 3, "product_uom_qty": rest}, state)
        move |= {"product_uom_qty": moved, **self._quantities(0.0, moved)}
        return self._put(number, "done")


def _models(major: int, moves: str) -> dict[str, dict[str, str]]:
    ends = dict.fromkeys(("location_id", "location_dest_id"), "many2one stock.location")
    if major >= 17:
        quantities = {"quantity": "float", "picked": "boolean"}
    else:
        quantities = {"quantity_done": "float", "reserved_availability": "float"}
    return {
        "stock.picking": {
            **ends,
            "name": "char",
            "state": "char",
            "picking_type_id": "many2one stock.picking.type",
            "backorder_id": "many2one stock.picking",
            "scheduled_date": "datetime",
            moves: "one2many stock.move picking_id",
        },
        "stock.move": {
            **ends,
            **quantities,
            **({"name": "char"} if major < 19 else {}),
            "state": "char",
            "picking_id": "many2one stock.picking",
            "product_id": "many2one product.product",
            "product_uom": "many2one uom.uom",
            "product_uom_qty": "float",
            "product_qty": "float",
            "company_id": "many2one res.company",
        },
        "stock.location": {"complete_name": "char", "usage": "char"},
        "stock.picking.type": {
            "default_location_src_id": "many2one stock.location",
            "default_location_dest_id": "many2one stock.location",
        },
        "stock.warehouse": {
            "in_type_id": "many2one stock.picking.type",
            "view_location_id": "many2one stock.location",
            "company_id": "many2one res.company",
        },
        "res.company": {"name": "char"},
        "res.users": {"company_id": "many2one res.company"},
        "uom.uom": {"name": "char"},
        "product.product": {
            "uom_id": "many2one uom.uom",
            "type": "char",
            **({"is_storable": "boolean"} if major >= 18 else {}),
            "free_qty": "float",
            "qty_available": "float",
        },
        "stock.immediate.transfer": {},
    }


def validate(odoo: Odoo, **options: Any) -> Any:
    """Validate the picking 5."""
    return validate_picking(odoo, picking_id=5, **options)


def receive(odoo: Odoo, **options: Any) -> Any:
    """Make a receipt of five desks."""
    return create_transfer(odoo, picking_type_name="incoming", lines=LINES, **options)


@pytest.mark.parametrize("major", VERSIONS)
def test_all_that_is_reserved_is_moved(major: int) -> None:
    """To 16 the immediate-transfer wizard asks first; no SMS goes out on any version."""
    depot = Depot(major)
    done = validate(depot)
    assert (done.state, done.validated, done.backorder) == ("done", True, None)
    assert [line.done for line in done.lines] == [5.0]
    assert len(depot.asked("process")) == (0 if major >= 17 else 1)
    (press,) = depot.asked("button_validate")
    asked = {"skip_backorder": True, "skip_sms": True}
    assert press.context == {**depot.settings.base_context, **asked}
    for process in depot.asked("process"):
        assert process.context["button_validate_picking_ids"] == [5]
        assert process.context["skip_backorder"] is True
    assert not depot.asked("action_assign")
    assert len(depot.sent) == 8 + (0 if major >= 17 else 3)


@pytest.mark.parametrize("major", VERSIONS)
def test_a_draft_is_confirmed_and_reserved_first(major: int) -> None:
    depot = Depot(major, state="draft", reserved=0.0, free=5.0)
    assert validate(depot).validated
    written = [call.method for call in writes(depot)]
    assert written[:3] == ["action_confirm", "action_assign", "button_validate"]


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize(
    ("depot", "said"),
    [
        ({"reserved": 2.0}, "2 of 5"),
        ({"reserved": 0.0, "state": "draft", "free": 3.0}, "3 of 5"),
        ({"entered": 4.0}, "4 of 5 Units entered"),
        ({"reserved": 0.0}, "Nothing of"),
        ({"reserved": 0.0, "free": 9.0, "state": "waiting"}, "Nothing of"),
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


@pytest.mark.parametrize("major", VERSIONS)
def test_a_shortage_names_all_that_works(major: int) -> None:
    """A backorder, receiving, and quantities given by hand in the fields of the version."""
    with pytest.raises(StateError) as raised:
        validate(Depot(major, reserved=2.0))
    error = raised.value
    for way in ("force_qty=True", "receive the goods first", "write", "stock.move"):
        assert way in error.suggestion
    fields = '{"quantity": ..., "picked": true}' if major >= 17 else '{"quantity_done": ...}'
    assert fields in error.suggestion
    assert [row["move_id"] for row in error.details["missing"]] == [1]


@pytest.mark.parametrize(
    ("depot", "offered"),
    [({}, "receive the goods"), ({"state": "waiting"}, "the transfer that it waits for")],
)
def test_no_backorder_is_offered_where_nothing_can_be_moved(
    depot: dict[str, Any], offered: str
) -> None:
    with pytest.raises(StateError) as raised:
        validate(Depot(19, reserved=0.0, **depot))
    assert "force_qty" not in raised.value.suggestion
    assert offered in raised.value.suggestion


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("depot", [{"reserved": 2.0}, {"entered": 2.0}])
def test_force_leaves_a_backorder(major: int, depot: dict[str, Any]) -> None:
    """To 14, Odoo leaves it unreserved."""
    made = Depot(major, **depot)
    done = validate(made, force_qty=True)
    assert done.validated
    assert done.backorder.state == "assigned"
    assert done.backorder.name in done.message
    assert [line.done for line in done.lines] == [2.0]
    assert [call.ids for call in made.asked("action_assign")] == ([(6,)] if major < 15 else [])


@pytest.mark.parametrize("major", VERSIONS)
def test_more_than_there_is_cannot_be_moved(major: int) -> None:
    made = Depot(major, entered=5.0, reserved=1.0, free=1.0)
    with pytest.raises(StateError, match=r"negative.* 5 entered, 2 in stock"):
        validate(made, force_qty=True)
    assert writes(made) == []


def test_a_receipt_needs_no_stock() -> None:
    made = Depot(19, reserved=0.0, state="draft", usage="supplier")
    planned = validate(made, dry_run=True)
    assert isinstance(planned, Plan)
    methods = [call.method for call in planned.calls]
    assert methods == ["action_confirm", "action_assign", "button_validate"]
    assert made.now == "draft"


@pytest.mark.parametrize("state", ["done", "cancel"])
def test_a_finished_transfer_is_refused(state: str) -> None:
    """Odoo 19 says True to a done one and does nothing."""
    made = Depot(19, state=state)
    with pytest.raises(StateError) as raised:
        validate(made)
    assert raised.value.details["current_state"] == state
    assert not made.asked("button_validate")


def test_true_is_not_taken_for_done() -> None:
    done = validate(Depot(19, button_validate=True))
    assert (done.validated, done.state) == (False, "assigned")
    assert "assigned" in done.warnings[0]


def test_a_failure_after_confirming_is_told_with_what_there_is() -> None:
    refused = ValidationError("A lot is missing.")
    made = Depot(19, state="draft", reserved=0.0, free=5.0, button_validate=refused)
    done = validate(made)
    assert (done.validated, done.state) == (False, "assigned")
    assert "A lot is missing." in done.warnings[0]


def test_what_is_reserved_otherwise_than_expected_is_not_moved() -> None:
    """Lots, packages or another transfer may be in the way: Odoo says True and reserves less."""
    made = Depot(19, state="draft", reserved=0.0, free=5.0, action_assign=True)
    done = validate(made, force_qty=True)
    assert (done.validated, done.state) == (False, "confirmed")
    assert "Nothing of WH/OUT/5 can be moved" in done.warnings[0]
    assert not made.asked("button_validate")


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


def test_a_transfer_that_cannot_be_validated_stays() -> None:
    """Five are to leave, none is free: that is seen before it is confirmed."""
    made = Depot(19)
    created = receive(made, location_src_id=8, location_dest_id=4, validate=True)
    assert (created.id, created.state, created.validated) == (6, "draft", False)
    assert "0 of 5" in created.warnings[0]
    assert [call.method for call in writes(made)] == ["create"]


def test_a_created_transfer_is_never_lost() -> None:
    made = Depot(19, search_read=OdooError("Gone.", code="CONNECTION_ERROR"))
    created = receive(made, validate=True)
    assert (created.id, created.validated) == (6, False)
    assert "Gone." in created.warnings[-1]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_dry_run_shows_what_is_sent(major: int) -> None:
    """Also that a backorder is reserved; but not the wizard that to 16 opens if none is entered."""
    draft = Depot(major, entered=2.0, state="draft")
    check_plan_is_the_run(draft, lambda odoo, **options: validate(odoo, force_qty=True, **options))
    check_plan_is_the_run(
        Depot(major),
        lambda odoo, **options: receive(odoo, validate=major >= 17, **options),
    )


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("method", ["action_confirm", "action_assign", "button_validate"])
def test_a_step_whose_answer_was_lost_is_seen(
    major: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    depot = Depot(major, state="draft", reserved=0.0, free=5.0)
    if major < 17 and method == "button_validate":
        method = "process"
    assert check_seen_when_lost(depot, method, validate, monkeypatch).validated


def test_a_creation_whose_answer_was_lost_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_seen_when_lost(Depot(19), "create", receive, monkeypatch).id == 6


@pytest.mark.parametrize(
    ("method", "depot"),
    [
        ("action_confirm", {"state": "draft"}),
        ("action_assign", {"reserved": 0.0, "free": 5.0}),
        ("button_validate", {}),
    ],
)
def test_a_step_that_is_not_seen_may_be_repeated(
    method: str, depot: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = check_told_when_lost(Depot(19, **depot), method, validate, monkeypatch)
    assert "Repeating it is safe" in error.suggestion


def test_the_policy_stops_it_before_the_first_call() -> None:
    made = Depot(19, policy=Policy(mode="readonly"))
    with pytest.raises(AccessError):
        validate_picking(made, picking_name="WH/OUT/5")
    with pytest.raises(AccessError):
        create_transfer(made, lines=[{"product_name": "Desk", "quantity": 1}])
    assert made.sent == []


def test_a_list_of_models_need_not_name_what_belongs_to_a_transfer() -> None:
    """Moves, warehouses, operation types and users are read for it."""
    named = "stock.picking, stock.location, product.product"
    policy = Policy(mode="restricted", model_allowlist=named, write_allowlist="stock.picking")
    assert receive(Depot(19, policy=policy), validate=True).validated


@pytest.mark.parametrize("major", VERSIONS)
def test_the_partner_side_is_looked_up_where_the_operation_type_has_none(major: int) -> None:
    assert receive(Depot(major)).location_src.id == 4


def test_stock_is_summed_by_location() -> None:
    """In two calls; sums of floats are rounded."""
    group = {"location_id": [8, "WH/Stock"], "quantity": 0.1 + 0.2, "reserved_quantity": 0.1}
    made = Depot(19)
    made.answers["stock.quant", "read_group"] = [group]
    stock = get_stock(made, product_id=3)
    assert isinstance(stock, Stock)
    assert (stock.stock[0].quantity, stock.total_available) == (0.3, 0.2)
    assert (stock.product.name, stock.uom) == ("Desk", "Units")
    assert len(made.sent) == 2
    (sums,) = made.asked("read_group")
    assert ["location_id.usage", "=", "internal"] in sums.arguments["domain"]
