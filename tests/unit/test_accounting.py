"""Invoices and payments on every version, in the shapes that servers answer in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from odoo_toolkit.apps.accounting import (
    Invoice,
    PaymentResult,
    PostPlan,
    PostResult,
    create_credit_note,
    create_invoice,
    post_invoice,
    post_invoices,
    register_payment,
)
from odoo_toolkit.apps.accounting.invoices import due_by_itself
from odoo_toolkit.batching import _failed_rows
from odoo_toolkit.call import Call
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooConnectionError,
    OdooError,
    StateError,
    ValidationError,
)
from odoo_toolkit.operations.lines import today
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.results import RecordName
from tests.unit.fake_accounting import POSTED, Books, _move

VERSIONS = range(14, 20)


LINES: list[dict[str, Any]] = [
    {"product_id": 3, "quantity": 2},
    {"product_id": 4},
    {"name": "Text", "price_unit": 10},
    {"product_id": 3, "tax_ids": [1]},
]


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
    assert (made.posted, made.warnings) == (True, [])
    odoo.row("account.move", made.id).update(_move(id=made.id, name="INV/1", state="posted"))
    paid = register_payment(odoo, invoice_ids=[made.id])
    assert [payment.amount for payment in paid.payments] == [115.0]
    with pytest.raises(AccessError, match=r"account\.journal"):
        create_invoice(odoo, partner_id=9, lines=LINES, journal_id=1)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({"name": "x", "price_unit": 1, "tax_ids": [2]}, "is for purchases"),
        ({"name": "x", "price_unit": 1, "tax_ids": [7]}, "no tax 7"),
        ({"name": "x", "price_unit": 1, "tax_ids": "1"}, "must be a list"),
        ({"name": "x", "price_unit": 1, "tax_ids": [True]}, "must be a record id"),
        ({"name": "x", "price_unit": 1, "quantity": "2"}, "quantity"),
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
    [(6, "type bank"), (16, "belongs to the company Other"), (77, "no journal with id 77")],
)
def test_a_journal_that_does_not_fit_is_refused(journal: int, error: str) -> None:
    odoo = Books(19)
    with pytest.raises((ValidationError, NotFoundError), match=error):
        create_invoice(odoo, partner_id=9, lines=LINES, journal_id=journal)
    assert odoo.written() == []


@pytest.mark.parametrize("major", VERSIONS)
def test_drafts_are_posted_each_by_itself(major: int) -> None:
    """What cannot be posted leaves the others, and is no item of a batch."""
    other = {"id": 8, "invoice_line_ids": [2], "ref": "F-17"}
    empty = {"id": 9, "invoice_line_ids": []}
    odoo = Books(major, _move(), _move(**other), _move(**empty))
    asked: Any = {"invoices": [7, 9, "F-17"]}
    plan = post_invoices(odoo, **asked, dry_run=True)
    assert isinstance(plan, PostPlan)
    assert [document.id for document in plan.documents] == [7, 8]
    assert "it has no lines" in plan.rejected[0].error["message"]
    assert "it has no lines" in _failed_rows(plan)
    assert odoo.written() == []
    done = post_invoices(odoo, **asked)
    assert isinstance(done, PostResult)
    assert [(made.id, made.posted) for made in done.invoices] == [(7, True), (8, True)]
    assert [(each.id, each.error["code"]) for each in done.rejected] == [
        (9, "MISSING_REQUIRED_FIELD")
    ]
    assert done.message.startswith("2 of 3 invoices were posted. ")
    assert odoo.written() == [("account.move", "action_post")] * 2
    with pytest.raises(ValidationError, match=r"invoices\[0\] and invoices\[1\] are both"):
        post_invoices(odoo, invoices=[8, "F-17"])


def test_a_day_that_odoo_takes_by_itself_is_told() -> None:
    """Neither a term of payment nor a day that was asked for."""
    assert "set the due date to 2026-11-27" in due_by_itself("2026-11-08", "2026-11-27", None)[0]
    for same in (("2026-11-08", "2026-11-08", None), ("2026-11-08", "2026-11-27", "30 days")):
        assert due_by_itself(*same) == []


@pytest.mark.parametrize("major", [14, 17, 19])
@pytest.mark.parametrize(
    ("day", "error"),
    [
        ("2025-01-31", "books are closed up to 2025-01-31"),
        ("2025-02-30", "accounting_date is not a date"),
    ],
)
def test_an_accounting_date_that_cannot_be_is_refused(major: int, day: str, error: str) -> None:
    """What is closed for some users or entries only is left to Odoo."""
    odoo = Books(major, POSTED)
    company = odoo.row("res.company", 1)
    company.update(fiscalyear_lock_date="2025-01-31", tax_lock_date="2025-12-31")
    for dry_run in (False, True):
        how: Any = {"accounting_date": day, "dry_run": dry_run}
        with pytest.raises(ValidationError, match=error) as raised:
            create_invoice(odoo, partner_id=9, lines=LINES, **how)
        assert raised.value.details["field"] == "accounting_date"
        with pytest.raises(ValidationError, match=error):
            create_credit_note(odoo, invoice_id=7, **how)
    assert odoo.written() == []
    made = create_invoice(odoo, partner_id=9, lines=LINES, accounting_date="2025-02-01")
    assert made.date == "2025-02-01"


def test_to_15_a_price_in_another_currency_has_to_be_given() -> None:
    odoo = Books(15)
    with pytest.raises(ValidationError, match="price_unit"):
        create_invoice(odoo, partner_id=9, lines=LINES, currency_id=1)
    assert odoo.written() == []


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
    assert ("You can safely repeat the call" in raised.value.suggestion) is safe


def test_a_payment_without_an_entry_does_not_say_what_is_due() -> None:
    odoo = Books(19, POSTED)
    odoo.books_payments = False
    paid = register_payment(odoo, invoice_ids=[7], amount=60)
    assert isinstance(paid, PaymentResult)
    assert paid.payments[0].entry is None
    assert not {"due", "left"} & set(paid.message.split())
    (warning,) = paid.warnings
    assert "no journal entry for P7." in warning


def test_a_payment_whose_entry_is_hidden_says_nothing_of_it() -> None:
    odoo = Books(19, POSTED, policy=Policy(field_blocklist=["move_id"]))
    paid = register_payment(odoo, invoice_ids=[7])
    assert isinstance(paid, PaymentResult)
    assert (paid.payments[0].entry, paid.warnings) == (None, [])


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
    with pytest.raises(OdooConnectionError, match="did not find it"):
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


@pytest.mark.parametrize(
    ("moves", "options", "error"),
    [
        ([_move()], {}, "not posted"),
        ([_move(state="cancel")], {}, "cancelled"),
        ([{**POSTED, "payment_state": "paid"}], {}, "is paid"),
        ([{**POSTED, "payment_state": "in_payment"}], {}, "in payment"),
        ([{**POSTED, "amount_residual": 0.0}], {}, "nothing left"),
        ([{**POSTED, "move_type": "entry"}], {}, "no invoice"),
        ([POSTED, {**POSTED, "id": 8, "move_type": "in_invoice"}], {}, "incoming payments"),
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


def test_a_plan_asks_odoo_in_the_zone_of_the_user() -> None:
    """The days that Odoo takes by itself are then those of the invoice that it creates."""
    odoo = Books(19)
    user = {"id": 2, "company_id": [1, "Us"], "tz": "Asia/Tokyo"}
    odoo.server.answers["res.users", "read"] = [user]
    create_invoice(odoo, partner_id=9, lines=LINES, dry_run=True)
    create_invoice(odoo, partner_id=9, lines=LINES)
    asked = [call for call in odoo.sent if call.method in ("onchange", "create")]
    assert {call.method: call.context["tz"] for call in asked} == {
        "onchange": "Asia/Tokyo",
        "create": "Asia/Tokyo",
    }


def test_the_plan_of_a_draft_without_a_date_has_todays() -> None:
    odoo = Books(19, _move(invoice_date=False, invoice_date_due="2026-01-15"))
    (document,) = post_invoice(odoo, invoice_id=7, dry_run=True).documents
    assert (document.date, document.due_date) == (today(odoo), None)
