"""Invoices and payments on every version, in the shapes that servers answer in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import pytest

from odoo_toolkit import lost_answers
from odoo_toolkit.apps.accounting import (
    Invoice,
    PaymentResult,
    create_credit_note,
    create_invoice,
    post_invoice,
    register_payment,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    StateError,
    ValidationError,
)
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.results import RecordName
from tests.unit.scripted import Scripted

VERSIONS = range(14, 20)

MODELS: dict[str, dict[str, str]] = {
    "res.users": {"name": "char", "company_id": "many2one res.company"},
    "res.company": {
        "name": "char",
        "parent_ids": "many2many res.company",
        "currency_id": "many2one res.currency",
    },
    "res.currency": {"name": "char", "active": "boolean"},
    "res.currency.rate": {
        "name": "date",
        "currency_id": "many2one res.currency",
        "company_id": "many2one res.company",
        "rate": "float",
    },
    "res.partner": {"name": "char"},
    "uom.uom": {"name": "char"},
    "product.product": {
        "name": "char",
        "taxes_id": "many2many account.tax",
        "supplier_taxes_id": "many2many account.tax",
        "lst_price": "float",
        "standard_price": "float",
        "uom_id": "many2one uom.uom",
    },
    "account.tax": {
        "name": "char",
        "type_tax_use": "selection",
        "company_id": "many2one res.company",
        "active": "boolean",
    },
    "account.fiscal.position.tax": {
        "position_id": "many2one account.fiscal.position",
        "tax_src_id": "many2one account.tax",
        "tax_dest_id": "many2one account.tax",
    },
    "account.journal": {
        "name": "char",
        "type": "selection",
        "active": "boolean",
        "company_id": "many2one res.company",
        "currency_id": "many2one res.currency",
    },
    "account.payment.method": {"code": "char"},
    "account.payment.method.line": {
        "code": "char",
        "journal_id": "many2one account.journal",
        "payment_type": "selection",
    },
    "account.move": {
        "name": "char",
        "move_type": "selection",
        "state": "selection",
        "payment_state": "selection",
        "partner_id": "many2one res.partner",
        "commercial_partner_id": "many2one res.partner",
        "company_id": "many2one res.company",
        "journal_id": "many2one account.journal",
        "currency_id": "many2one res.currency",
        "invoice_date": "date",
        "invoice_payment_term_id": "many2one account.payment.term",
        "fiscal_position_id": "many2one account.fiscal.position",
        "invoice_line_ids": "one2many account.move.line move_id",
        "reversed_entry_id": "many2one account.move",
        **dict.fromkeys(
            ("amount_untaxed", "amount_tax", "amount_total", "amount_residual"), "monetary"
        ),
    },
    "account.move.line": {
        "move_id": "many2one account.move",
        "payment_id": "many2one account.payment",
        "date": "date",
        "product_id": "many2one product.product",
        "product_uom_id": "many2one uom.uom",
        "name": "char",
        "quantity": "float",
        "price_unit": "float",
        "tax_ids": "many2many account.tax",
    },
    "account.payment": {
        "name": "char",
        "state": "selection",
        "amount": "monetary",
        "currency_id": "many2one res.currency",
        "journal_id": "many2one account.journal",
        "reconciled_invoice_ids": "many2many account.move",
        "reconciled_bill_ids": "many2many account.move",
        "is_reconciled": "boolean",
    },
    "account.payment.register": {
        "payment_date": "date",
        "amount": "monetary",
        "group_payment": "boolean",
        "currency_id": "many2one res.currency",
        "journal_id": "many2one account.journal",
        "payment_method_id": "many2one account.payment.method",
        "payment_method_line_id": "many2one account.payment.method.line",
    },
    "account.move.reversal": {
        "date": "date",
        "reason": "char",
        "journal_id": "many2one account.journal",
    },
}

#: What Odoo up to 16 has of an open item, which posting a credit note does not settle there.
_OPEN_ITEM = {
    "account_internal_type": "selection",
    "account_id": "many2one account.account",
    "partner_id": "many2one res.partner",
    "currency_id": "many2one res.currency",
    "reconciled": "boolean",
    "amount_residual": "monetary",
    "amount_residual_currency": "monetary",
    "date_maturity": "date",
}

COMPANY = {"company_id": 1}
RECORDS: dict[str, list[dict[str, Any]]] = {
    "res.users": [{"id": 2, "name": "Ann", **COMPANY}],
    "res.company": [
        {"id": 1, "name": "My Company", "parent_ids": [1], "currency_id": 2},
        {"id": 2, "name": "Other"},
    ],
    "res.currency": [
        {"id": 1, "name": "EUR", "active": True},
        {"id": 2, "name": "USD", "active": True},
        {"id": 3, "name": "CHF", "active": False},
    ],
    "res.currency.rate": [],
    "res.partner": [{"id": 9, "name": "Azure"}, {"id": 10, "name": "Brown"}],
    "uom.uom": [{"id": 1, "name": "Units"}],
    "product.product": [
        {
            "id": 3,
            "name": "Desk",
            "taxes_id": [1, 7, 99],
            "supplier_taxes_id": [2],
            "lst_price": 50.0,
            "standard_price": 30.0,
            "uom_id": 1,
        },
        {"id": 4, "name": "Gift", "lst_price": 50.0, "uom_id": 1},
    ],
    "account.tax": [
        {"id": 1, "name": "15%", "type_tax_use": "sale", **COMPANY},
        {"id": 2, "name": "5%", "type_tax_use": "purchase", **COMPANY},
        {"id": 7, "name": "Old", "type_tax_use": "sale", "active": False, **COMPANY},
        {"id": 8, "name": "0%", "type_tax_use": "sale", **COMPANY},
        {"id": 99, "name": "Theirs", "type_tax_use": "sale", "company_id": 2},
    ],
    "account.fiscal.position.tax": [{"id": 1, "position_id": 5, "tax_src_id": 1, "tax_dest_id": 8}],
    "account.journal": [
        {"id": 1, "name": "Sales", "type": "sale", **COMPANY},
        {"id": 5, "name": "Closed", "type": "bank", "active": False, **COMPANY},
        {"id": 6, "name": "Bank", "type": "bank", **COMPANY},
        {"id": 16, "name": "Theirs", "type": "sale", "company_id": 2},
    ],
    "account.payment.method": [{"id": 1, "code": "manual"}, {"id": 2, "code": "manual"}],
    "account.payment.method.line": [
        {"id": 3, "code": "manual", "journal_id": 6, "payment_type": "inbound"},
        {"id": 4, "code": "manual", "journal_id": 6, "payment_type": "outbound"},
    ],
    "account.move": [],
    "account.move.line": [],
    "account.payment": [],
    "account.payment.register": [],
    "account.move.reversal": [],
}

LINES: list[dict[str, Any]] = [
    {"product_id": 3, "quantity": 2},
    {"product_id": 4},
    {"name": "Text", "price_unit": 10},
    {"product_id": 3, "tax_ids": [1]},
]


def _move(**values: Any) -> dict[str, Any]:
    """Return a draft of an invoice, as it is stored."""
    return {
        "id": 7,
        "name": "/",
        "display_name": "Draft Invoice (* 7)",
        "move_type": "out_invoice",
        "state": "draft",
        "payment_state": "not_paid",
        "partner_id": 9,
        "commercial_partner_id": 9,
        "company_id": 1,
        "currency_id": 2,
        "journal_id": 1,
        "invoice_date": "2025-02-03",
        "invoice_line_ids": [1],
        "amount_untaxed": 100.0,
        "amount_tax": 15.0,
        "amount_total": 115.0,
        "amount_residual": 115.0,
        **values,
    }


POSTED = _move(name="INV/1", state="posted")
IN_EUROS = {**POSTED, "id": 8, "name": "INV/2", "currency_id": 1, "amount_residual": 40.0}


class Books(Scripted):
    """The books of a company on a version, with some invoices in them."""

    def __init__(self, major: int, *moves: dict[str, Any], policy: Policy | None = None) -> None:
        models = {name: dict(fields) for name, fields in MODELS.items()}
        journal = "inbound_payment_method_ids", "outbound_payment_method_ids"
        records = {name: [dict(row) for row in rows] for name, rows in RECORDS.items()}
        if major == 14:
            models["account.journal"] |= dict.fromkeys(journal, "many2many account.payment.method")
            for row in records["account.journal"]:
                row |= dict(zip(journal, ([1], [2]), strict=True))
        if major < 17:
            models["account.move.line"] |= _OPEN_ITEM
            models["account.move.reversal"] |= {"refund_method": "selection", "date_mode": "char"}
            del models["res.company"]["parent_ids"]
        if major >= 18:
            models["account.payment.register"]["installments_mode"] = "selection"
        records["account.move"] = [dict(move) for move in moves]
        records["account.move.line"] = [
            {"id": number, "move_id": move["id"]}
            for move in moves
            for number in move["invoice_line_ids"]
        ]
        if major < 17:
            records["account.move.line"] += [
                {
                    "id": 100 + move["id"],
                    "move_id": move["id"],
                    "account_internal_type": "receivable",
                    "amount_residual_currency": move["amount_residual"],
                }
                for move in moves
                if move["state"] == "posted"
            ]
        form = {"invoice_payment_term_id": [4, "30 Days"], "fiscal_position_id": [5, "Abroad"]}
        answers: dict[tuple[str, str], Any] = {
            ("account.move", "onchange"): {"value": form},
            ("account.move", "action_post"): self._post,
            ("account.move", "js_assign_outstanding_line"): True,
            ("account.payment.register", "action_create_payments"): self._pay,
            ("account.move.reversal", "reverse_moves"): self._reverse,
            ("account.move.reversal", "refund_moves"): self._reverse,
        }
        super().__init__(major, answers, policy, models, records=records)
        self.major = major

    def row(self, model: str, number: int) -> dict[str, Any]:
        return next(row for row in self.server.records[model] if row["id"] == number)

    def _post(self, call: Call) -> Any:
        for number in call.ids or ():
            self.row("account.move", number).update(state="posted", name=f"INV/{number}")
        return "account.move(7,)" if self.major == 14 else False

    def _pay(self, call: Call) -> dict[str, Any]:
        answers = self.row("account.payment.register", (call.ids or (0,))[0])
        moves = [self.row("account.move", number) for number in call.context["active_ids"]]
        made = [
            self._made(
                "account.payment",
                name=f"P{move['id']}",
                state="posted" if self.major < 18 else "paid",
                amount=answers.get("amount") or move["amount_residual"],
                currency_id=answers.get("currency_id") or move["currency_id"],
                journal_id=answers["journal_id"],
                reconciled_invoice_ids=[(6, 0, [move["id"]])],
            )
            for move in (moves[:1] if answers.get("group_payment") else moves)
        ]
        for move in moves:
            move["amount_residual"] = max(
                0.0, move["amount_residual"] - (answers.get("amount") or 1e9)
            )
            move["payment_state"] = "partial" if move["amount_residual"] else "paid"
        return {
            "type": "ir.actions.act_window",
            "res_model": "account.payment",
            **({"res_id": made[0]} if len(made) == 1 else {"domain": [["id", "in", made]]}),
        }

    def _reverse(self, call: Call) -> dict[str, Any]:
        source = self.row("account.move", call.context["active_id"])
        values = {**source, "move_type": "out_refund", "name": "/", "reversed_entry_id": 7}
        values |= {"state": "draft", "invoice_line_ids": []}
        del values["id"]
        note = self._made("account.move", **values)
        return {"type": "ir.actions.act_window", "res_model": "account.move", "res_id": note}

    def _made(self, model: str, **values: Any) -> int:
        call = Call(model=model, method="create", arguments={"vals_list": values})
        number: int = self.server._kept.answer(call)
        return number

    def written(self) -> list[tuple[str, str]]:
        """Return what was sent that writes."""
        return [(call.model, call.method) for call in self.sent if not call.reads]


Act = Callable[[Books, bool], Any]
ACTS: dict[str, tuple[tuple[dict[str, Any], ...], Act]] = {
    "create": (
        (),
        lambda odoo, dry: create_invoice(odoo, partner_id=9, lines=LINES, post=True, dry_run=dry),
    ),
    "post": ((_move(),), lambda odoo, dry: post_invoice(odoo, invoice_id=7, dry_run=dry)),
    "credit": (
        (POSTED,),
        lambda odoo, dry: create_credit_note(odoo, invoice_id=7, post=True, dry_run=dry),
    ),
    "pay": ((POSTED,), lambda odoo, dry: register_payment(odoo, invoice_ids=[7], dry_run=dry)),
}


@pytest.mark.parametrize("major", VERSIONS)
def test_taxes_are_the_products_on_every_version(major: int) -> None:
    """To 15 all is sent; from 16 on what Odoo computes rightly is left to it, the rest sent."""
    odoo = Books(major)
    made = create_invoice(odoo, partner_id=9, lines=LINES)
    assert isinstance(made, Invoice)
    assert (made.name, made.partner) == (None, RecordName(id=9, name="Azure"))
    (values,) = odoo.asked("create")[0].arguments["vals_list"]
    lines = [command[2] for command in values["invoice_line_ids"]]
    none, told = [[6, 0, []]], [[6, 0, [1]]]
    if major < 16:
        assert [line["tax_ids"] for line in lines] == [[[6, 0, [8]]], none, none, told]
        assert [line["price_unit"] for line in lines] == [50.0, 50.0, 10, 50.0]
        assert [line.get("product_uom_id") for line in lines] == [1, 1, None, 1]
        assert (values["invoice_payment_term_id"], values["fiscal_position_id"]) == (4, 5)
    else:
        assert [line.get("tax_ids") for line in lines] == [None, none, none, told]
        assert "price_unit" not in lines[0]
        assert "fiscal_position_id" not in values
    assert "lines[1], lines[2]" in made.warnings[0]


@pytest.mark.parametrize("major", [14, 19])
def test_lists_of_models_need_no_more_than_the_invoice_and_what_is_named(major: int) -> None:
    """Company, taxes, fiscal position, journal and payments belong to the invoice."""
    models = {"account.move", "account.move.line", "res.partner", "product.product"}
    policy = Policy(mode="restricted", model_allowlist=models, write_allowlist=models)
    odoo = Books(major, policy=policy)
    made = create_invoice(odoo, partner_name="Azure", lines=[{"product_name": "Desk"}], post=True)
    assert isinstance(made, Invoice)
    assert (made.posted, made.warnings) == (True, [])
    odoo.row("account.move", made.id).update(_move(id=made.id, name="INV/1", state="posted"))
    paid = register_payment(odoo, invoice_ids=[made.id])
    assert isinstance(paid, PaymentResult)
    assert [payment.amount for payment in paid.payments] == [115.0]
    with pytest.raises(AccessError, match=r"account\.journal"):
        create_invoice(odoo, partner_id=9, lines=LINES, journal_id=1)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({"name": "x", "tax_ids": [2]}, "is for purchases"),
        ({"name": "x", "tax_ids": [7]}, "no tax 7"),
        ({"name": "x", "tax_ids": "1"}, "must be a list"),
        ({"name": "x", "tax_ids": [True]}, "not a record id"),
        ({"name": "x", "quantity": "2"}, "quantity"),
        ({"quantity": 2}, "neither a product nor a name"),
        ({"product_id": 77}, "no product with id 77"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused(line: dict[str, Any], error: str) -> None:
    odoo = Books(19)
    with pytest.raises((ValidationError, NotFoundError), match=error):
        create_invoice(odoo, partner_id=9, lines=[line])
    assert odoo.written() == []


@pytest.mark.parametrize(
    ("journal", "error"),
    [(6, "of type bank"), (16, "belongs to Other"), (77, "no journal with id 77")],
)
def test_a_journal_that_does_not_fit_is_refused(journal: int, error: str) -> None:
    odoo = Books(19)
    with pytest.raises((ValidationError, NotFoundError), match=error):
        create_invoice(odoo, partner_id=9, lines=LINES, journal_id=journal)
    assert odoo.written() == []


def test_to_15_a_price_in_another_currency_has_to_be_given() -> None:
    odoo = Books(15)
    with pytest.raises(ValidationError, match="price_unit"):
        create_invoice(odoo, partner_id=9, lines=LINES, currency_id=1)
    assert odoo.written() == []


@pytest.mark.parametrize("major", [14, 19])
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("create", "create"),
        ("create", "action_post"),
        ("post", "action_post"),
        ("credit", "reverse_moves / refund_moves"),
        ("pay", "action_create_payments"),
    ],
)
def test_what_was_done_though_the_answer_was_lost_is_seen(
    name: str, method: str, major: int
) -> None:
    moves, act = ACTS[name]
    expected = Books(major, *moves)
    usual, odoo = act(expected, False), Books(major, *moves)
    # The other server is another one, though it has the same address.
    lost_answers._creations.clear()
    odoo.server.lose_answer(method.split(" / ")[0 if major == 14 else -1])
    result = act(odoo, False)
    lost = [warning for warning in result.warnings if "answer was lost" in warning]
    assert len(lost) == 1
    kept = [warning for warning in result.warnings if warning not in lost]
    assert attrs.evolve(result, warnings=kept) == usual
    assert odoo.written() == expected.written()


@pytest.mark.parametrize(
    ("major", "amount", "terms", "safe"),
    [
        (19, 20, False, False),
        (19, 115, False, True),
        (19, None, 4, True),  # all instalments are paid
        (17, None, 4, True),
    ],
)
def test_a_payment_in_part_is_not_safe_to_repeat(
    major: int, amount: float | None, terms: Any, safe: bool
) -> None:
    odoo = Books(major, {**POSTED, "invoice_payment_term_id": terms})
    odoo.server.lose_answer("action_create_payments", applied=False)
    with pytest.raises(OdooConnectionError) as raised:
        register_payment(odoo, invoice_ids=[7], amount=amount)
    assert ("Repeating it is safe" in raised.value.suggestion) is safe


def test_another_payment_is_not_taken_for_the_one_whose_answer_was_lost() -> None:
    """Neither an earlier one of this process, nor one of another invoice."""
    odoo = Books(19, POSTED, {**POSTED, "id": 8})
    assert isinstance(register_payment(odoo, invoice_ids=[7], amount=20), PaymentResult)
    assert isinstance(register_payment(odoo, invoice_ids=[8], amount=20), PaymentResult)
    odoo.server.lose_answer("action_create_payments", applied=False)
    with pytest.raises(OdooConnectionError):
        register_payment(odoo, invoice_ids=[7], amount=20)


@pytest.mark.parametrize("paid", [[8], [7, 7]])
def test_payments_made_elsewhere_at_the_same_time_are_not_claimed(paid: list[int]) -> None:
    """One of another invoice is none of this one's, and of two for this one, which is ours?"""
    odoo = Books(19, POSTED, {**POSTED, "id": 8})

    def pay(call: Call) -> None:
        for number in paid:
            values = {"journal_id": 6, "reconciled_invoice_ids": [(6, 0, [number])]}
            odoo._made("account.payment", amount=20.0, **values)
        raise OdooConnectionError("Gone.", outcome="maybe_applied")

    odoo.answers["account.payment.register", "action_create_payments"] = pay
    with pytest.raises(OdooConnectionError, match="not seen"):
        register_payment(odoo, invoice_ids=[7], amount=20)


def test_of_payments_in_doubt_none_is_claimed() -> None:
    odoo = Books(19, POSTED)
    odoo.server.lose_answer("action_create_payments", applied=False)
    with pytest.raises(OdooConnectionError):
        register_payment(odoo, invoice_ids=[7], amount=20)
    odoo.server.lose_answer("action_create_payments")
    with pytest.raises(OdooConnectionError):
        register_payment(odoo, invoice_ids=[7], amount=20)


def test_a_wizard_whose_filling_in_was_lost_did_nothing() -> None:
    odoo = Books(19, POSTED)
    odoo.server.lose_answer("create")
    with pytest.raises(OdooConnectionError) as raised:
        register_payment(odoo, invoice_ids=[7])
    assert raised.value.outcome == "rolled_back"


def test_payments_that_odoo_does_not_name_are_found() -> None:
    odoo = Books(19, POSTED)
    pay = odoo.answers["account.payment.register", "action_create_payments"]
    odoo.answers["account.payment.register", "action_create_payments"] = lambda call: [
        pay(call),
        True,
    ][-1]
    paid = register_payment(odoo, invoice_ids=[7])
    assert isinstance(paid, PaymentResult)
    assert [payment.amount for payment in paid.payments] == [115.0]


@pytest.mark.parametrize("name", ACTS)
def test_what_was_done_is_told_though_it_cannot_be_read_back(name: str) -> None:
    moves, act = ACTS[name]
    odoo = Books(14, *moves)
    before = act(Books(14, *moves), False)

    def read(call: Call) -> Any:
        done = "action_post" if name in ("create", "post") else "create"
        if odoo.asked(done):
            raise OdooConnectionError("Gone.")
        return odoo.server._kept.answer(call)

    odoo.answers["account.move", "search_read"] = read
    result = act(odoo, False)
    assert "cannot be read back" in result.warnings[-1]
    if isinstance(result, Invoice):
        assert (result.id, result.state) == (before.id, None)
        assert "osted account.move" in result.message or name == "credit"
    else:
        assert [payment.id for payment in result.payments] == [1]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"state": "posted", "name": "INV/1"}, "already posted"),
        ({"state": "cancel"}, "cancelled"),
        ({"invoice_line_ids": []}, "no lines"),
        ({"partner_id": False}, "no customer"),
        ({"move_type": "in_invoice", "invoice_date": False}, "date of the bill"),
        ({"move_type": "entry"}, "no invoice or bill"),
    ],
)
def test_obstacles_to_posting_are_explained(values: dict[str, Any], error: str) -> None:
    odoo = Books(14, _move(**values))
    with pytest.raises(OdooError, match=error):
        post_invoice(odoo, invoice_id=7)
    assert odoo.written() == []


def test_what_was_paid_and_what_is_left_is_told_by_currency() -> None:
    result = register_payment(Books(19, POSTED, IN_EUROS), invoice_ids=[7, 8])
    assert isinstance(result, PaymentResult)
    assert result.message == "Registered 115.00 USD and 40.00 EUR; nothing is left to pay."
    assert [payment.currency for payment in result.payments] == ["USD", "EUR"]
    part = register_payment(Books(19, POSTED), invoice_ids=[7], amount=100)
    assert isinstance(part, PaymentResult)
    assert part.message == "Registered 100.00 USD; 15.00 USD is still due."
    (left,) = part.invoices
    assert (left.name, left.currency, left.amount_residual) == ("INV/1", "USD", 15.0)


@pytest.mark.parametrize(
    ("moves", "options", "error"),
    [
        ([_move()], {}, "not posted"),
        ([_move(state="cancel")], {}, "cancelled"),
        ([{**POSTED, "payment_state": "paid"}], {}, "is paid"),
        ([{**POSTED, "payment_state": "in_payment"}], {}, "in payment"),
        ([{**POSTED, "amount_residual": 0.0}], {}, "nothing left"),
        ([{**POSTED, "move_type": "entry"}], {}, "no invoice"),
        ([POSTED, {**POSTED, "id": 8, "move_type": "in_invoice"}], {}, "money in"),
        ([POSTED, {**POSTED, "id": 8, "company_id": 2}], {}, "different companies"),
        ([POSTED, {**POSTED, "id": 8, "commercial_partner_id": 10}], {"amount": 5}, "one partner"),
        ([POSTED], {"amount": 0}, "more than 0"),
        ([POSTED], {"payment_method": "sepa"}, "no inbound payment method 'sepa'"),
        ([POSTED], {"payment_date": "soon"}, "payment_date"),
    ],
)
def test_what_cannot_be_paid_is_refused(
    moves: Sequence[dict[str, Any]], options: dict[str, Any], error: str
) -> None:
    """Odoo 18 and 19 would take drafts; all versions would take an amount of 0."""
    odoo = Books(19, *moves)
    with pytest.raises((StateError, ValidationError, NotFoundError), match=error):
        register_payment(odoo, invoice_ids=[move["id"] for move in moves], **options)
    assert odoo.written() == []
