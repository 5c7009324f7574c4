"""Orders taken through several steps: what is done, what stops it, and nothing done twice."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from odoo_toolkit.apps import sales
from odoo_toolkit.call import Call
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.connection.failures import time_is_over
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.operations import processing
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.depot import Depot
from tests.unit.fake_accounting import MODELS, RECORDS
from tests.unit.fake_sales import FIELDS
from tests.unit.operation_checks import writes
from tests.unit.scripted import Scripted

ALL = ("confirm", "deliver", "invoice", "post", "pay")


class Firm(Scripted):
    """A firm with five quotations: S1 and S3 of goods, S2 of goods that are short, S4 of a
    service, S5 without lines.

    Orders are invoiced when they are confirmed, and each invoice is of 115.
    """

    def __init__(self, major: int = 19, policy: Policy | None = None) -> None:
        depot = Depot(major)
        models: dict[str, Any] = deepcopy(FIELDS[str(major)])
        models["sale.order"]["order_line"]["relation_field"] = "order_id"
        models.setdefault("sale.order.line", {}).update(
            product_id="many2one product.product",
            product_uom_qty="float",
            qty_delivered="float",
            qty_delivered_method="selection",
        )
        models["sale.order"]["company_id"] = "many2one res.company"
        models["sale.order"]["picking_ids"] = "many2many stock.picking"
        more: list[Any] = [*depot.server._models.items(), *MODELS.items()]
        for model, fields in more:
            models[model] = models.get(model, {}) | fields
        del models["ir.model"], models["stock.quant"]
        if major < 17:
            del models["res.company"]["parent_ids"]
        if major == 14:
            journal = ("inbound_payment_method_ids", "outbound_payment_method_ids")
            models["account.journal"] |= dict.fromkeys(journal, "many2many account.payment.method")
        records = deepcopy(RECORDS)
        for row in records["account.journal"]:
            row |= {f"{way}_payment_method_ids": [1] for way in ("inbound", "outbound")}
        lines = [{"id": number, "order_id": number} for number in (1, 2, 3, 4)]
        records |= {
            "sale.order": [
                {
                    "id": number,
                    "name": f"S{number}",
                    "state": "draft",
                    "invoice_status": "no",
                    "amount_total": 115.0,
                    "currency_id": 2,
                    "company_id": 1,
                    "picking_ids": [],
                    "invoice_ids": [],
                }
                for number in range(1, 6)
            ],
            "sale.order.line": lines,
            "stock.picking": [],
            "stock.move": [],
            "stock.move.line": [],
            "stock.location": depot.server.records["stock.location"],
            "product.product": depot.server.records["product.product"],
            "sale.advance.payment.inv": [],
        }
        answers: dict[tuple[str, str], Any] = {
            ("sale.order", "action_confirm"): self._confirm,
            ("stock.picking", "button_validate"): self._validate,
            ("stock.immediate.transfer", "default_get"): {},
            ("stock.immediate.transfer", "create"): 1,
            ("stock.immediate.transfer", "process"): self._validated,
            ("sale.advance.payment.inv", "create_invoices"): self._invoice,
            ("account.move", "action_post"): self._post,
            ("account.payment.register", "action_create_payments"): self._pay,
        }
        super().__init__(major, answers, policy, models, records=records)
        self.server.records["product.product"][0] |= {"free_qty": 0.0, "qty_available": 0.0}

    def row(self, model: str, number: int) -> dict[str, Any]:
        return next(row for row in self.server.records[model] if row["id"] == number)

    def order(self, number: int) -> dict[str, Any]:
        return self.row("sale.order", number)

    def counts(self) -> list[int]:
        """How many transfers, invoices and payments there are."""
        models = ("stock.picking", "account.move", "account.payment")
        return [len(self.server.records[model]) for model in models]

    def kept(self) -> dict[str, Any]:
        """Everything that is kept."""
        return deepcopy(self.server.records)

    def _made(self, model: str, **values: Any) -> int:
        number: int = self.server._kept.answer(
            Call(model=model, method="create", arguments={"vals_list": values})
        )
        return number

    def _confirm(self, call: Call) -> bool:
        for number in call.ids or ():
            self.order(number).update(state="sale", invoice_status="to invoice")
            if number <= 3:
                self.transfer(number, short=number == 2)
        return True

    def transfer(self, order: int, *, short: bool = False, **values: Any) -> int:
        """Make a delivery of five desks of an order, all of which are reserved, or none."""
        given = {"picking_type_code": "outgoing", "state": "confirmed" if short else "assigned"}
        ends = {"location_id": 8, "location_dest_id": 4, "company_id": 1}
        about = {"name": f"OUT/{order}", **ends, **given, **values}
        picking = self._made("stock.picking", **about)
        reserved = 0.0 if short else 5.0
        flagged = self.version.major >= 17
        quantity = "quantity" if flagged else "reserved_availability"
        move = {"picking_id": picking, "product_id": 3, "product_uom": 1, "state": about["state"]}
        self._made(
            "stock.move",
            product_uom_qty=5.0,
            product_qty=5.0,
            **{quantity: reserved},
            **ends,
            **move,
        )
        self.order(order)["picking_ids"].append(picking)
        return picking

    def _validate(self, call: Call) -> Any:
        if self.version.major >= 17:
            return self._done(call.ids or ())
        ids = list(call.ids or ())
        return {
            "type": "ir.actions.act_window",
            "res_model": "stock.immediate.transfer",
            "target": "new",
            "context": {"button_validate_picking_ids": ids},
        }

    def _validated(self, call: Call) -> bool:
        return self._done(call.context["button_validate_picking_ids"])

    def _done(self, ids: Any) -> bool:
        for number in ids:
            self.row("stock.picking", number)["state"] = "done"
        return True

    def _invoice(self, call: Call) -> dict[str, Any]:
        for number in call.context["active_ids"]:
            self.order(number)["invoice_status"] = "invoiced"
            self.invoice(number)
        return {"type": "ir.actions.act_window_close"}

    def invoice(self, order: int, **values: Any) -> int:
        """Make an invoice of an order."""
        about: dict[str, Any] = {"name": "/", "display_name": f"Draft {order}"}
        about |= {"move_type": "out_invoice", "state": "draft", "payment_state": "not_paid"}
        links = {
            "partner_id": 9,
            "commercial_partner_id": 9,
            "company_id": 1,
            "currency_id": 2,
            "journal_id": 1,
        }
        amounts = {"amount_untaxed": 100.0, "amount_total": 115.0, "amount_residual": 115.0}
        line = self._made("account.move.line", name="Desk")
        about |= {**links, **amounts, "invoice_line_ids": [(6, 0, [line])]}
        number = self._made("account.move", **about)
        self.row("account.move", number).update(invoice_line_ids=[line], **values)
        self.order(order)["invoice_ids"].append(number)
        return number

    def _post(self, call: Call) -> bool:
        for number in call.ids or ():
            self.row("account.move", number).update(state="posted", name=f"INV/{number}")
        return False

    def _pay(self, call: Call) -> dict[str, Any]:
        answers = self.row("account.payment.register", (call.ids or (0,))[0])
        (number,) = call.context["active_ids"]
        invoice = self.row("account.move", number)
        made = self._made(
            "account.payment",
            name=f"P{number}",
            state="paid",
            amount=answers["amount"],
            currency_id=2,
            journal_id=answers["journal_id"],
            reconciled_invoice_ids=[(6, 0, [number])],
        )
        invoice["amount_residual"] -= answers["amount"]
        invoice["payment_state"] = "partial" if invoice["amount_residual"] else "paid"
        return {"type": "ir.actions.act_window", "res_model": "account.payment", "res_id": made}


@pytest.fixture(autouse=True)
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    lost_answers._creations.clear()


def process(odoo: Firm, orders: Any = ("S1",), **how: Any) -> sales.ProcessResult:
    return sales.process_orders(odoo, orders=orders, **how)


def test_what_cannot_be_invoiced_yet_stops_only_an_order_without_invoices() -> None:
    odoo = Firm()
    odoo.order(4).update(state="sale", invoice_status="no")
    outcome = process(odoo, ["S4"]).orders[0]
    assert outcome.stopped_at == "invoice"
    assert outcome.error
    assert "can be invoiced yet" in outcome.error["message"]
    odoo.invoice(4)
    outcome = process(odoo, ["S4"]).orders[0]
    assert (list(outcome.done), outcome.complete) == (["post", "pay"], True)
    assert "Nothing more" in outcome.not_needed["invoice"]


def test_an_invoice_is_paid_in_full_and_a_credit_note_never() -> None:
    odoo = Firm()
    odoo.order(4).update(state="sale", invoice_status="invoiced")
    # A payment term: without an amount, only the next instalment would be paid.
    part = {"invoice_payment_term_id": 4, "payment_state": "partial", "amount_residual": 65.0}
    odoo.invoice(4, state="posted", name="INV/7", **part)
    odoo.invoice(4, state="posted", name="INV/8", payment_state="in_payment")
    credit = odoo.invoice(4, state="posted", name="RINV/9", move_type="out_refund")
    outcome = process(odoo, ["S4"], steps=["pay"], journal_id="bank").orders[0]
    assert ([made.name for made in outcome.done["pay"]], outcome.complete) == (["P1"], True)
    (payment,) = odoo.server.records["account.payment"]
    assert (payment["amount"], payment["journal_id"]) == (65.0, 6)
    assert odoo.row("account.move", credit)["payment_state"] == "not_paid"
    assert outcome.amount_due == -115.0
    again = process(odoo, ["S4"], steps=["pay"]).orders[0]
    assert again.done == {}
    assert len(odoo.server.records["account.payment"]) == 1


@pytest.mark.parametrize(
    ("method", "step"),
    [
        ("action_confirm", "confirm"),
        ("button_validate", "deliver"),
        ("create_invoices", "invoice"),
        ("action_post", "post"),
        ("action_create_payments", "pay"),
    ],
)
def test_a_lost_connection_leaves_the_rest_untried_and_says_so(method: str, step: str) -> None:
    odoo = Firm()
    odoo.server.lose_answer(method, applied=False)
    result = process(odoo, ["S1", "S3", "S4"])
    first, *others = result.orders
    assert first.stopped_at == step
    assert first.error
    assert first.error["category"] == "connection"
    assert "You can safely repeat the call" in first.error["suggestion"]
    assert (first.state, first.amount_due) == (None, None)
    assert "unknown" in first.warnings[-1]
    assert [(other.name, other.tried, other.state) for other in others] == [
        ("S3", False, None),
        ("S4", False, None),
    ]
    assert "Skipped: S3, S4" in result.message
    assert odoo.order(3)["state"] == "draft"
    # Called again, it all comes to its end, once.
    again = process(odoo, ["S1", "S3", "S4"])
    assert all(outcome.complete for outcome in again.orders)
    assert odoo.counts() == [2, 3, 3]


def test_a_step_that_is_done_is_not_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over once the order is confirmed: the next step is the one that is left."""
    odoo, read = Firm(), processing.read

    def late(odoo: Any, *about: Any) -> Any:
        if odoo.order(1)["state"] == "sale":
            raise time_is_over("https://odoo.example")
        return read(odoo, *about)

    monkeypatch.setattr(processing, "read", late)
    outcome = process(odoo, steps=["confirm", "deliver"]).orders[0]
    assert ([*outcome.done], outcome.stopped_at) == (["confirm"], "deliver")
    (found,) = process(odoo, ["S3"], steps=["confirm", "deliver"]).orders
    assert found.stopped_at == "confirm"


def test_an_order_without_open_transfers_is_not_delivered_where_goods_are_missing() -> None:
    """Its transfers were done with less, or cancelled, and Odoo calls it invoiced."""
    odoo = Firm()
    process(odoo, steps=["confirm", "deliver"])
    odoo.order(1)["invoice_status"] = "invoiced"
    line = odoo.row("sale.order.line", 1)
    line |= {"qty_delivered_method": "stock_move", "product_id": 3, "product_uom_qty": 5.0}
    line |= {"qty_delivered": 3.0}
    outcome = process(odoo, steps=["deliver", "invoice"]).orders[0]
    assert (outcome.complete, outcome.stopped_at, outcome.done) == (False, "deliver", {})
    assert "2 of 5 not delivered" in (outcome.error or {})["message"]
    outcome = process(odoo, steps=["invoice"]).orders[0]
    assert (outcome.stopped_at, outcome.not_needed) == ("invoice", {})
    assert "Nothing of S1 is invoiced" in (outcome.error or {})["message"]
    # What came back is not to be delivered again.
    odoo.transfer(1, picking_type_code="incoming", state="done")
    assert process(odoo, steps=["deliver"]).orders[0].complete


@pytest.mark.parametrize(
    ("model", "method", "step", "says"),
    [
        ("sale.order", "action_confirm", "confirm", "still draft"),
        ("stock.picking", "button_validate", "deliver", "Not validated"),
        ("sale.advance.payment.inv", "create_invoices", "invoice", "created no invoice"),
        ("account.move", "action_post", "post", "the document is in state draft"),
    ],
)
def test_what_odoo_says_yes_to_and_does_not_do_is_not_believed(
    model: str, method: str, step: str, says: str
) -> None:
    odoo = Firm()
    odoo.answers[model, method] = True
    outcome = process(odoo).orders[0]
    assert outcome.stopped_at == step
    assert step not in outcome.done
    assert outcome.error
    assert says in outcome.error["message"]


def test_a_user_who_may_not_read_invoices_still_hears_of_those_made() -> None:
    odoo = Firm()
    odoo.answers["account.move", "search_read"] = AccessError("Not for you.")
    outcome = process(odoo, ["S4"], steps=["confirm", "invoice"]).orders[0]
    assert [made.name for made in outcome.done["invoice"]] == ["invoice 1"]
    assert (outcome.complete, outcome.state, outcome.amount_due) == (True, "sale", None)
    assert "Not for you" in outcome.warnings[-1]


@pytest.mark.parametrize(
    ("orders", "error", "says"),
    [
        ([], ValidationError, "1 to 50"),
        ("S1", ValidationError, "1 to 50"),
        (None, ValidationError, "1 to 50"),
        ([*range(1, 52)], ValidationError, "1 to 50"),
        (["S1", " "], ValidationError, r"orders\[1\]"),
        (["S1", 0], ValidationError, r"orders\[1\]"),
        (["S1", True], ValidationError, r"orders\[1\]"),
        (["S1", 1.5], ValidationError, r"orders\[1\]"),
        (["S1", "S2", 1], ValidationError, r"orders\[0\] and orders\[2\] are both S1"),
        (["S1", 99, "98"], NotFoundError, "id 99, 98"),
        (["S1", "S99"], NotFoundError, "'S99'"),
        (["S1", "S"], AmbiguousNameError, "Several"),
    ],
)
def test_orders_that_cannot_be_meant_write_nothing(orders: Any, error: Any, says: str) -> None:
    odoo = Firm()
    with pytest.raises(error, match=says):
        process(odoo, orders)
    assert writes(odoo) == []


@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ({"steps": []}, ValidationError, "list of steps is empty"),
        ({"steps": ["ship"]}, ValidationError, "'ship' is not a step"),
        ({"steps": 3}, ValidationError, "3 is not a step"),
        ({"steps": ["post"], "journal_id": 6}, ValidationError, "journal_id needs the step pay"),
        ({"steps": ["post"], "payment_date": "2030-01-01"}, ValidationError, "payment_date"),
        ({"payment_date": "soon"}, ValidationError, "not a date"),
        ({"journal_id": 1}, ValidationError, "type sale"),
        ({"journal_id": 77}, NotFoundError, "77"),
        ({"journal_id": "Nowhere"}, NotFoundError, "Nowhere"),
    ],
)
def test_a_wrong_step_or_payment_is_refused_before_anything_is_written(
    how: Any, error: Any, says: str
) -> None:
    odoo = Firm()
    with pytest.raises(error, match=says):
        process(odoo, **how)
    assert writes(odoo) == []


@pytest.mark.parametrize(
    ("policy", "steps"),
    [
        (Policy(mode="readonly"), ["confirm"]),
        (Policy(mode="restricted", write_allowlist="sale.order"), ALL),
        (Policy(mode="restricted", write_allowlist="sale.order,account.move"), ALL),
        (Policy(mode="restricted", write_allowlist="sale.order,stock.picking"), ALL),
        (Policy(model_blocklist="stock.picking"), ALL),
        (Policy(model_blocklist="account.payment.register"), ALL),
        (Policy(method_blocklist="action_post"), ALL),
        (Policy(method_blocklist="action_assign"), ALL),
    ],
)
def test_the_policy_judges_every_step_before_anything_is_sent(policy: Policy, steps: Any) -> None:
    # A dry run is for every mode, and bound by the lists as the real run is.
    for dry_run in (False, True) if policy.mode == "full" else (False,):
        odoo = Firm(policy=policy)
        with pytest.raises(AccessError):
            process(odoo, ["S1", "S4"], steps=steps, dry_run=dry_run)
        assert odoo.sent == []
