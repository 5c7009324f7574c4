"""Transfers on every version, from the shapes that servers answered with."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import create_transfer, get_stock, validate_picking
from odoo_toolkit.apps.inventory.stock_levels import Stock
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.errors import AccessError, OdooError, StateError, ValidationError
from odoo_toolkit.operations.plans import Plan
from odoo_toolkit.policy import Policy
from tests.unit.fake_business import FakeOdoo

VERSIONS = range(14, 20)
WIZARD = {
    "type": "ir.actions.act_window",
    "res_model": "stock.immediate.transfer",
    "target": "new",
    "context": {"button_validate_picking_ids": [5], "default_pick_ids": [[4, 5]]},
}


class Depot:
    """A picking of one move on a server of some version, that answers as that does."""

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
        self.new = major >= 17
        self.demand, self.reserved, self.entered = demand, reserved, entered
        self.free, self.state, self.ratio = free, state, ratio
        move = ("picked", "quantity") if self.new else ("quantity_done", "reserved_availability")
        fields = {
            "stock.move": (*move, *(("name",) if major < 19 else ())),
            "stock.picking": ("move_ids" if major >= 16 else "move_lines",),
            "product.product": ("is_storable",) if major >= 18 else ("type",),
            "stock.immediate.transfer": (),
        }
        storable = {"is_storable": True} if major >= 18 else {"type": "product"}
        product: dict[str, Any] = {
            "id": 3,
            "display_name": "Desk",
            "uom_id": [1, "Units"],
            "type": "consu",
            **storable,
        }
        table: dict[tuple[str, str], Any] = {
            ("stock.picking", "read"): lambda call: [self._picking()],
            ("stock.picking", "search_read"): lambda call: self._backorder(),
            ("stock.picking", "action_confirm"): lambda call: self._confirm(),
            ("stock.picking", "action_assign"): lambda call: self._assign(),
            ("stock.picking", "button_validate"): lambda call: self._validate(),
            ("stock.picking", "create"): [5] if major == 19 else 5,
            ("stock.immediate.transfer", "default_get"): {},
            ("stock.immediate.transfer", "create"): 9,
            ("stock.immediate.transfer", "process"): lambda call: self._done(),
            ("stock.move", "search_read"): lambda call: [self._move()],
            ("stock.location", "read"): [{"id": 8, "usage": usage, "complete_name": "WH/Stock"}],
            ("stock.location", "search"): [4],
            ("stock.warehouse", "search_read"): [
                {"id": 1, "in_type_id": [1, "Receipts"], "company_id": [1, "My Company"]}
            ],
            ("stock.picking.type", "read"): [
                {
                    "id": 1,
                    "default_location_src_id": False,
                    "default_location_dest_id": [8, "WH/Stock"],
                }
            ],
            ("res.users", "read"): [{"id": 2, "company_id": [1, "My Company"]}],
            ("product.product", "read"): lambda call: [
                {**product, "free_qty": self.free, "qty_available": self.free + self.reserved}
            ],
        }
        table |= {("stock.picking", name): answer for name, answer in answers.items()}
        self.fake = FakeOdoo(major, fields, table, policy)

    def _picking(self) -> dict[str, Any]:
        return {
            "id": 5,
            "name": "WH/OUT/5",
            "state": self.state,
            "picking_type_id": [2, "Delivery"],
            "location_id": [8, "WH/Stock"],
            "location_dest_id": [9, "Customers"],
        }

    def _move(self) -> dict[str, Any]:
        done = self.state == "done"
        row = {
            "id": 1,
            "product_id": [3, "Desk"],
            "product_uom_qty": self.demand,
            "product_qty": self.demand * self.ratio,
            "product_uom": [1, "Units"],
            "location_id": [8, "WH/Stock"],
            "state": self.state,
        }
        if self.new:
            row |= {"quantity": self.entered or self.reserved, "picked": done or self.entered > 0}
        else:
            row |= {"quantity_done": self.entered, "reserved_availability": self.reserved}
        return row

    def _backorder(self) -> list[dict[str, Any]]:
        rest = self.state == "done" and self.moved < self.asked
        return [{"id": 6, "name": "WH/OUT/6", "state": "assigned"}] if rest else []

    def _confirm(self) -> bool:
        self.state = "confirmed"
        return True

    def _assign(self) -> bool:
        taken = min(self.free / self.ratio, self.demand - self.reserved)
        self.reserved, self.free = self.reserved + taken, self.free - taken * self.ratio
        self.state = "assigned"
        return True

    def _validate(self) -> Any:
        return self._done() if self.new or self.entered else WIZARD

    def _done(self) -> bool:
        self.asked, self.moved = self.demand, self.entered or self.reserved
        self.state, self.entered, self.demand = "done", self.moved, self.moved
        return True


@pytest.mark.parametrize("major", VERSIONS)
def test_all_that_is_reserved_is_moved(major: int) -> None:
    """To 16 the immediate-transfer wizard asks first; no SMS goes out on any version."""
    depot = Depot(major)
    done = validate_picking(depot.fake.odoo, picking_id=5)
    assert isinstance(done, Transfer)
    assert (done.state, done.validated, done.backorder) == ("done", True, None)
    assert [line.done for line in done.lines] == [5.0]
    assert len(depot.fake.asked("process")) == (0 if major >= 17 else 1)
    (press,) = depot.fake.asked("button_validate")
    assert press.context == {"skip_backorder": True, "skip_sms": True}
    for process in depot.fake.asked("process"):
        assert process.context["button_validate_picking_ids"] == [5]
        assert process.context["skip_backorder"] is True
    assert not depot.fake.asked("action_assign")
    assert len(depot.fake.calls) == 8 + (0 if major >= 17 else 3)


@pytest.mark.parametrize("major", VERSIONS)
def test_a_draft_is_confirmed_and_reserved_first(major: int) -> None:
    depot = Depot(major, state="draft", reserved=0.0, free=5.0)
    done = validate_picking(depot.fake.odoo, picking_id=5)
    assert isinstance(done, Transfer)
    assert done.validated
    written = [call.method for call in depot.fake.calls if call.access == "write"]
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
        validate_picking(made.fake.odoo, picking_id=5)
    assert raised.value.details["missing"][0]["product"] == "Desk"
    assert {call.access for call in made.fake.calls} == {"read"}


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("depot", [{"reserved": 2.0}, {"entered": 2.0}])
def test_force_leaves_a_backorder(major: int, depot: dict[str, Any]) -> None:
    made = Depot(major, **depot)
    done = validate_picking(made.fake.odoo, picking_id=5, force_qty=True)
    assert isinstance(done, Transfer)
    assert done.validated
    assert done.backorder
    assert done.backorder.name in done.message
    assert [line.done for line in done.lines] == [2.0]


@pytest.mark.parametrize("major", VERSIONS)
def test_more_than_there_is_cannot_be_moved(major: int) -> None:
    made = Depot(major, entered=5.0, reserved=1.0, free=1.0)
    with pytest.raises(StateError, match="negative"):
        validate_picking(made.fake.odoo, picking_id=5, force_qty=True)
    assert made.state == "assigned"


def test_a_receipt_needs_no_stock() -> None:
    made = Depot(19, reserved=0.0, state="draft", usage="supplier")
    planned = validate_picking(made.fake.odoo, picking_id=5, dry_run=True)
    assert isinstance(planned, Plan)
    methods = [call.method for call in planned.calls]
    assert methods == ["action_confirm", "action_assign", "button_validate"]
    assert made.state == "draft"


@pytest.mark.parametrize("state", ["done", "cancel"])
def test_a_finished_transfer_is_refused(state: str) -> None:
    """Odoo 19 says True to a done one and does nothing."""
    made = Depot(19, state=state)
    with pytest.raises(StateError) as raised:
        validate_picking(made.fake.odoo, picking_id=5)
    assert raised.value.details["current_state"] == state
    assert not made.fake.asked("button_validate")


def test_true_is_not_taken_for_done() -> None:
    made = Depot(19, button_validate=True)
    done = validate_picking(made.fake.odoo, picking_id=5)
    assert isinstance(done, Transfer)
    assert (done.validated, done.state) == (False, "assigned")
    assert "assigned" in done.warnings[0]


def test_a_failure_after_confirming_is_told_with_what_there_is() -> None:
    made = Depot(
        19,
        state="draft",
        reserved=0.0,
        free=5.0,
        button_validate=ValidationError("A lot is missing."),
    )
    done = validate_picking(made.fake.odoo, picking_id=5)
    assert isinstance(done, Transfer)
    assert (done.validated, done.state) == (False, "assigned")
    assert "A lot is missing." in done.warnings[0]


@pytest.mark.parametrize("major", VERSIONS)
def test_a_transfer_is_created_with_the_fields_of_the_version(major: int) -> None:
    made = Depot(major, state="draft")
    lines = [{"product_id": 3, "quantity": 2}]
    created = create_transfer(made.fake.odoo, picking_type_name="incoming", lines=lines)
    assert isinstance(created, Transfer)
    (values,) = made.fake.asked("create")[0].arguments["vals_list"]
    (command,) = values["move_ids" if major >= 16 else "move_lines"]
    assert ("name" in command[2]) == (major < 19)
    assert (command[2]["product_uom"], command[2]["product_uom_qty"]) == (1, 2)
    assert (values["location_id"], values["location_dest_id"]) == (4, 8)


def test_a_created_transfer_is_never_lost() -> None:
    gone = OdooError("Gone.", code="CONNECTION_ERROR")
    made = Depot(19, read=gone)
    lines = [{"product_id": 3, "quantity": 2}]
    created = create_transfer(
        made.fake.odoo, picking_type_name="incoming", lines=lines, validate=True
    )
    assert isinstance(created, Transfer)
    assert (created.id, created.validated) == (5, False)
    assert "Gone." in created.warnings[-1]


def test_the_policy_stops_it_before_the_first_call() -> None:
    made = Depot(19, policy=Policy(mode="readonly"))
    with pytest.raises(AccessError):
        validate_picking(made.fake.odoo, picking_name="WH/OUT/5")
    with pytest.raises(AccessError):
        create_transfer(made.fake.odoo, lines=[{"product_name": "Desk", "quantity": 1}])
    assert made.fake.calls == []


def test_stock_is_summed_by_location() -> None:
    """In two calls; sums of floats are rounded."""
    group = {"location_id": [8, "WH/Stock"], "quantity": 0.1 + 0.2, "reserved_quantity": 0.1}
    fake = FakeOdoo(
        19,
        {},
        {
            ("product.product", "read"): [{"id": 3, "display_name": "Desk", "uom_id": [1, "kg"]}],
            ("stock.quant", "read_group"): [group],
        },
    )
    stock = get_stock(fake.odoo, product_id=3)
    assert isinstance(stock, Stock)
    assert (stock.stock[0].quantity, stock.total_available) == (0.3, 0.2)
    assert len(fake.calls) == 2
    (sums,) = fake.asked("read_group")
    assert ["location_id.usage", "=", "internal"] in sums.arguments["domain"]
