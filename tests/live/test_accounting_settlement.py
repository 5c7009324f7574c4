"""Crediting lines, applying credits, resetting, writing off, and entries, on a real Odoo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.accounting import (
    Invoice,
    PaymentResult,
    create_credit_note,
    create_entry,
    create_invoice,
    get_invoice,
    post_invoice,
    reconcile,
    register_payment,
    reset_invoice,
)
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.operations.lines import today
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from tests.live.accounting_data import customer, expense_account, kept, posted

pytestmark = pytest.mark.recorded


@pytest.fixture
def partner(admin: Odoo, suffix: str) -> int:
    """A customer of the test's own."""
    return customer(admin, suffix)


def _state(odoo: Odoo, invoice: int) -> tuple[Any, Any]:
    row = records.read(odoo, "account.move", [invoice], ["state", "amount_residual"])[0]
    return row["state"], row["amount_residual"]


def _unchanged(odoo: Odoo, partners: list[int], act: Callable[[], Any], error: Any) -> Any:
    """Check that something is refused, and that the database is as before."""
    before = kept(odoo, *partners)
    with pytest.raises(error[0], match=error[1]) as raised:
        act()
    assert kept(odoo, *partners) == before
    return raised.value


@pytest.mark.parametrize("move_type", ["out_invoice", "in_invoice"])
def test_lines_and_quantities_are_credited_and_settle_the_invoice(
    admin: Odoo, partner: int, move_type: str
) -> None:
    invoice = posted(admin, partner, move_type=move_type)
    asked: dict[str, Any] = {"invoice_id": invoice.id, "reason": "Broken", "post": True}
    lines: list[Any] = [{"product_name": "alpha", "quantity": 3}, {"product_name": "Beta"}]
    before = kept(admin, partner)
    plan = create_credit_note(admin, **asked, lines=lines, dry_run=True)
    assert plan.calls[0].method == "create"
    assert kept(admin, partner) == before

    note = create_credit_note(admin, **asked, lines=lines)
    assert (note.posted, note.amount_total, note.amount_residual) == (True, 135.0, 0.0)
    assert (note.move_type, note.warnings) == (move_type.replace("invoice", "refund"), [])
    shown = get_invoice(admin, invoice_id=note.id)
    quantities = {line.name: line.quantity for line in shown.lines or ()}
    assert quantities == {"Alpha": 3.0, "Beta": 1.0}
    assert "Broken" in str(shown.ref)
    origin = records.read(admin, "account.move", [note.id], ["reversed_entry_id"])[0]
    assert origin["reversed_entry_id"]["id"] == invoice.id
    left = get_invoice(admin, invoice_id=invoice.id)
    assert (left.payment_state, left.amount_residual) == ("partial", 25.0)
    assert [(paid.move_id, paid.amount) for paid in left.payments or ()] == [(note.id, 135.0)]

    # Of its amount there is enough left, of the line there is none.
    _unchanged(
        admin,
        [partner],
        lambda: create_credit_note(
            admin, **asked, lines=[{"product_name": "Beta", "quantity": 0.1}]
        ),
        (ValidationError, "0.1 of Beta is more than the quantity left"),
    )
    # 25 are left: not two more, but one.
    error = (ValidationError, "left to credit")
    more = [{"product_name": "Alpha", "quantity": 2}]
    found = _unchanged(
        admin, [partner], lambda: create_credit_note(admin, **asked, lines=more), error
    )
    assert found.details["ids"] == [note.id]
    _unchanged(admin, [partner], lambda: create_credit_note(admin, **asked), error)
    rest = create_credit_note(admin, **asked, lines=[{"product_name": "Alpha", "quantity": 1}])
    assert isinstance(rest, Invoice)
    assert _state(admin, invoice.id) == ("posted", 0.0)
    told = create_credit_note(admin, **asked, lines=more, allow_more=True)
    assert (told.amount_total, told.amount_residual) == (50.0, 50.0)


def test_taxes_and_discounts_are_credited_as_they_were_invoiced(
    admin: Odoo, partner: int, suffix: str
) -> None:
    tax = records.create(
        admin, "account.tax", {"name": f"T {suffix}", "amount": 10.0, "type_tax_use": "sale"}
    ).id
    lines = [
        {"name": "Taxed", "quantity": 4, "price_unit": 10, "tax_ids": [tax]},
        {"name": "Free", "quantity": 2, "price_unit": 7, "tax_ids": []},
    ]
    draft = create_invoice(admin, partner_id=partner, lines=lines)
    taxed = get_invoice(admin, invoice_id=draft.id).lines or []
    change = {"invoice_line_ids": [[1, taxed[0].id, {"discount": 50}]]}
    records.write(admin, "account.move", [draft.id], change)
    records.execute(admin, "account.move", "action_post", [[draft.id]])
    assert get_invoice(admin, invoice_id=draft.id).amount_total == 36.0
    note = create_credit_note(
        admin,
        invoice_id=draft.id,
        lines=[{"line_id": taxed[0].id, "quantity": 2}, {"product_name": "Free"}],
    )
    assert (note.state, note.amount_untaxed, note.amount_tax) == ("draft", 24.0, 1.0)


@pytest.mark.every_version
@pytest.mark.parametrize("move_type", ["out_invoice", "in_invoice"])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("paid", [0, 60, 160])
def test_a_credit_note_leaves_applied_payments_and_settles_what_is_open(
    admin: Odoo, partner: int, move_type: str, whole: bool, paid: int
) -> None:
    invoice = posted(admin, partner, move_type=move_type)
    if paid:
        register_payment(admin, invoice_ids=[invoice.id], amount=paid)
    lines: Any = None if whole else [{"product_name": "Alpha"}, {"product_name": "Beta"}]
    note = create_credit_note(admin, invoice_id=invoice.id, lines=lines, post=True)
    assert (note.state, note.amount_total, note.warnings) == ("posted", 160.0, [])
    settled = get_invoice(admin, invoice_id=invoice.id)
    assert settled.amount_residual == 0.0
    applied = [payment.amount for payment in settled.payments or ()]
    assert applied == [float(part) for part in (paid, 160 - paid) if part]
    assert get_invoice(admin, invoice_id=note.id).amount_residual == paid
    state = "reversed" if not paid else "paid"
    assert settled.payment_state in {state, "in_payment" if paid else state}
    assert note.message.endswith(f"; 0.00 {invoice.currency} is still due of {invoice.name}")


@pytest.mark.every_version
def test_a_whole_credit_note_settles_every_instalment(
    admin: Odoo, partner: int, suffix: str
) -> None:
    percent = "percent"
    last = {"value": "balance"} if admin.version.major < 17 else {"value": percent}
    last |= {} if admin.version.major < 17 else {"value_amount": 70}
    term = records.create(
        admin,
        "account.payment.term",
        {
            "name": f"Two parts {suffix}",
            "line_ids": [[0, 0, {"value": percent, "value_amount": 30}], [0, 0, last]],
        },
    ).id
    invoice = create_invoice(
        admin, partner_id=partner, lines=[{"name": "A", "price_unit": 100, "tax_ids": []}]
    )
    records.write(admin, "account.move", [invoice.id], {"invoice_payment_term_id": term})
    post_invoice(admin, invoice_id=invoice.id)
    register_payment(admin, invoice_ids=[invoice.id], amount=50)
    note = create_credit_note(admin, invoice_id=invoice.id, post=True)
    assert note.warnings == []
    settled = get_invoice(admin, invoice_id=invoice.id)
    assert settled.amount_residual == 0.0
    assert sum(payment.amount for payment in settled.payments or ()) == 100.0
    assert get_invoice(admin, invoice_id=note.id).amount_residual == 50.0


def test_lines_that_cannot_be_meant_credit_nothing(admin: Odoo, partner: int) -> None:
    invoice = posted(admin, partner)
    other = get_invoice(admin, invoice_id=posted(admin, partner).id).lines or []
    wrong: list[tuple[Any, Any]] = [
        ([{"product_name": "Alpha", "quantity": 5}], (ValidationError, "4 of Alpha were")),
        ([{"product_name": "Gamma"}], (NotFoundError, "no line 'Gamma'")),
        ([{"product_name": "a"}], (AmbiguousNameError, "Several")),
        ([{"line_id": other[0].id}], (NotFoundError, "no line")),
        ([{"product_name": "Alpha"}] * 2, (ValidationError, "same line as another")),
        ([{"product_name": "Alpha", "quantity": -1}], (ValidationError, "more than 0")),
        ([{"quantity": 1}], (ValidationError, "must identify one line")),
        ([], (ValidationError, "lines is empty")),
    ]
    for lines, error in wrong:

        def act(lines: Any = lines) -> Any:
            return create_credit_note(admin, invoice_id=invoice.id, lines=lines, post=True)

        _unchanged(admin, [partner], act, error)


def test_an_open_payment_is_applied_only_to_invoices_of_its_partner(
    admin: Odoo, partner: int, suffix: str
) -> None:
    first, second = posted(admin, partner), posted(admin, partner)
    stranger = customer(admin, f"other {suffix}")
    theirs = posted(admin, stranger)
    both = [partner, stranger]
    none = (NotFoundError, "no open payment or credit note")
    _unchanged(admin, both, lambda: reconcile(admin, invoice_id=second.id), none)

    paid = register_payment(admin, invoice_ids=[first.id], amount=200)
    assert isinstance(paid, PaymentResult)
    (credit,) = get_invoice(admin, invoice_id=second.id).open_credits or []
    assert credit.amount == 40.0
    # Odoo itself would take any customer's.
    error = (NotFoundError, "no open .* applies")
    line = credit.line_id
    _unchanged(admin, both, lambda: reconcile(admin, invoice_id=theirs.id, line_id=line), error)
    settled = (StateError, "has no open amount")
    _unchanged(admin, both, lambda: reconcile(admin, invoice_id=first.id), settled)
    draft = create_invoice(admin, partner_id=partner, lines=[{"name": "x", "price_unit": 1}])
    assert isinstance(draft, Invoice)
    unposted = (StateError, "is draft")
    _unchanged(admin, both, lambda: reconcile(admin, invoice_id=draft.id), unposted)

    note = create_credit_note(admin, invoice_id=theirs.id, post=True)
    assert isinstance(note, Invoice)
    before = kept(admin, *both)
    assert isinstance(reconcile(admin, invoice_id=second.id, dry_run=True), Plan)
    assert kept(admin, *both) == before
    applied = reconcile(admin, invoice_id=second.id)
    assert (applied.amount_residual, applied.payment_state) == (120.0, "partial")
    assert get_invoice(admin, invoice_id=second.id).open_credits is None


def test_one_of_several_credits_has_to_be_named(admin: Odoo, partner: int) -> None:
    for _ in range(2):
        done = posted(admin, partner)
        register_payment(admin, invoice_ids=[done.id], amount=170)
    invoice = posted(admin, partner)
    several = (AmbiguousNameError, "Several")
    found = _unchanged(admin, [partner], lambda: reconcile(admin, invoice_id=invoice.id), several)
    found_credits = get_invoice(admin, invoice_id=invoice.id).open_credits or []
    assert [match["id"] for match in found.matches] == [credit.line_id for credit in found_credits]
    by_name = reconcile(admin, invoice_id=invoice.id, credit_name=found_credits[1].name)
    assert by_name.amount_residual == 150.0
    by_id = reconcile(admin, invoice_name=invoice.name, line_id=found_credits[0].line_id)
    assert by_id.amount_residual == 140.0


def test_invoices_are_reset_and_cancelled(admin: Odoo, partner: int) -> None:
    invoice = posted(admin, partner)
    reset = reset_invoice(admin, invoice_id=invoice.id)
    assert (reset.state, reset.warnings) == ("draft", [])
    again = (StateError, "already a draft")
    _unchanged(admin, [partner], lambda: reset_invoice(admin, invoice_id=invoice.id), again)
    assert isinstance(reset_invoice(admin, invoice_id=invoice.id, to="cancel"), Invoice)
    assert _state(admin, invoice.id)[0] == "cancel"

    paid = posted(admin, partner)
    register_payment(admin, invoice_ids=[paid.id], amount=60)
    before = kept(admin, partner)
    plan = reset_invoice(admin, invoice_id=paid.id, to="cancel", dry_run=True)
    assert [call.method for call in plan.calls] == ["button_draft", "button_cancel"]
    assert kept(admin, partner) == before
    cancelled = reset_invoice(admin, invoice_id=paid.id, to="cancel")
    assert cancelled.state == "cancel"
    assert "open again" in cancelled.warnings[0]
    # The payment is open, and pays another invoice.
    other = posted(admin, partner)
    assert isinstance(reconcile(admin, invoice_id=other.id), Invoice)
    assert _state(admin, other.id) == ("posted", 100.0)


def test_the_entry_of_a_payment_is_not_taken_back_by_itself(admin: Odoo, partner: int) -> None:
    invoice = posted(admin, partner)
    register_payment(admin, invoice_ids=[invoice.id])
    (paid,) = get_invoice(admin, invoice_id=invoice.id).payments or []
    error = (StateError, "belongs to the payment")
    _unchanged(admin, [partner], lambda: reset_invoice(admin, invoice_id=paid.move_id), error)


def test_what_a_payment_lacks_is_written_off(admin: Odoo, partner: int) -> None:
    account = expense_account(admin)
    invoice = posted(admin, partner)
    paid = register_payment(
        admin,
        invoice_ids=[invoice.id],
        amount=155,
        writeoff_account=account["code"],
        writeoff_label="Rounding",
    )
    assert (paid.invoices[0].amount_residual, paid.warnings) == (0.0, [])
    domain = [["partner_id", "=", partner], ["account_id", "=", account["id"]]]
    (row,) = records.search_read(admin, "account.move.line", domain, ["name", "balance"]).records
    assert (row["name"], row["balance"]) == ("Rounding", 5.0)

    unpaid = [posted(admin, partner).id, posted(admin, partner).id]
    wrong: list[tuple[dict[str, Any], Any]] = [
        ({"invoice_ids": unpaid, "amount": 300}, (ValidationError, "exactly one invoice")),
        ({"invoice_ids": unpaid[:1]}, (ValidationError, "the amount paid")),
    ]
    for arguments, error in wrong:

        def act(arguments: Any = arguments) -> Any:
            return register_payment(admin, **arguments, writeoff_account=account["code"])

        _unchanged(admin, [partner], act, error)
    alone: dict[str, Any] = {"invoice_ids": unpaid[:1], "amount": 150, "writeoff_label": "Rest"}
    no_account = (ValidationError, "without writeoff_account")
    _unchanged(admin, [partner], lambda: register_payment(admin, **alone), no_account)
    nowhere = (NotFoundError, "No account.account")
    _unchanged(
        admin,
        [partner],
        lambda: register_payment(
            admin, invoice_ids=unpaid[:1], amount=150, writeoff_account="no such account"
        ),
        nowhere,
    )


def test_an_entry_is_made_and_posted(admin: Odoo, partner: int) -> None:
    account = expense_account(admin)
    lines = [
        {"account_name": account["code"], "debit": 12.5, "name": "One"},
        {"account_id": account["id"], "credit": 10, "partner_id": partner},
        {"account_id": account["id"], "credit": 2.5},
    ]
    plan = create_entry(admin, lines=lines, ref=f"E {partner}", post=True, dry_run=True)
    assert isinstance(plan, Plan)
    assert records.count(admin, "account.move", [["ref", "=", f"E {partner}"]]).count == 0
    made = create_entry(admin, lines=lines, ref=f"E {partner}", post=True)
    assert (made.posted, made.amount_total, made.date) == (True, 12.5, today(admin))
    items = records.search_read(
        admin, "account.move.line", [["move_id", "=", made.id]], ["debit", "credit", "partner_id"]
    ).records
    assert sorted((row["debit"], row["credit"]) for row in items) == [
        (0.0, 2.5),
        (0.0, 10.0),
        (12.5, 0.0),
    ]
    assert isinstance(reset_invoice(admin, invoice_id=made.id, to="cancel"), Invoice)


def test_an_entry_that_is_wrong_writes_nothing(admin: Odoo, partner: int) -> None:
    account = expense_account(admin)["id"]
    debit = {"account_id": account, "debit": 10, "partner_id": partner}
    credit = {"account_id": account, "credit": 10}
    wrong: list[tuple[Any, Any]] = [
        ([debit, {**credit, "credit": 9}], (ValidationError, "does not balance.*difference 1.00")),
        ([debit, {**credit, "debit": 10}], (ValidationError, "either a debit")),
        ([{**debit, "debit": -10}, credit], (ValidationError, "more than 0")),
        ([debit, {"credit": 10}], (ValidationError, "account")),
        ([debit, {"account_name": "no such", "credit": 10}], (NotFoundError, "no such")),
        ([debit, {"account_id": 987654, "credit": 10}], (OdooError, "987654")),
    ]
    for lines, error in wrong:

        def act(lines: Any = lines) -> Any:
            return create_entry(admin, lines=lines, ref=f"W {partner}", post=True)

        _unchanged(admin, [partner], act, error)
    assert records.count(admin, "account.move", [["ref", "=", f"W {partner}"]]).count == 0


@pytest.fixture
def locked(admin: Odoo, partner: int) -> Iterator[int]:
    """The id of an entry of 2003, posted before that year was locked; it is unlocked again."""
    account = expense_account(admin)["id"]
    lines = [
        {"account_id": account, "debit": 10, "partner_id": partner},
        {"account_id": account, "credit": 10},
    ]
    entry = create_entry(admin, lines=lines, date="2003-05-05", ref=f"L {partner}", post=True)
    company = records.read(admin, "res.users", [admin.uid], ["company_id"])[0]["company_id"]["id"]
    before = records.read(admin, "res.company", [company], ["fiscalyear_lock_date"])[0]
    records.write(admin, "res.company", [company], {"fiscalyear_lock_date": "2003-12-31"})
    yield entry.id
    old = before["fiscalyear_lock_date"]
    records.write(admin, "res.company", [company], {"fiscalyear_lock_date": old})


@pytest.mark.every_version
def test_what_is_locked_stays_and_new_entries_are_told_where_they_went(
    admin: Odoo, partner: int, locked: int
) -> None:
    """Odoo 14 refuses an entry before the lock date, later ones book it under an open day."""
    before = records.read(admin, "account.move", [locked], ["state", "write_date"])[0]
    for to in ("draft", "cancel"):
        with pytest.raises(OdooError, match=r"(?i)lock"):
            reset_invoice(admin, invoice_id=locked, to=to)
    assert records.read(admin, "account.move", [locked], ["state", "write_date"])[0] == before
    account = expense_account(admin)["id"]
    lines = [
        {"account_id": account, "debit": 10, "partner_id": partner},
        {"account_id": account, "credit": 10},
    ]
    more: dict[str, Any] = {"lines": lines, "date": "2003-06-06", "ref": f"M {partner}"}
    if admin.version.major < 15:
        with pytest.raises(OdooError, match=r"(?i)lock"):
            create_entry(admin, **more, post=True)
        assert records.count(admin, "account.move", [["ref", "=", f"M {partner}"]]).count == 0
        return
    made = create_entry(admin, **more, post=True)
    assert str(made.date) > "2003-12-31"
    assert any("2003-06-06 is locked" in warning for warning in made.warnings)


@pytest.mark.every_version
def test_what_is_dated_before_a_lock_is_refused_or_told(
    admin: Odoo, partner: int, locked: int
) -> None:
    """Invoices, payments and credit notes: 14 refuses them, later ones book them after the lock."""
    assert locked
    invoice, day = posted(admin, partner), "2003-06-06"
    line = {"name": "x", "price_unit": 5, "tax_ids": []}
    acts: list[Callable[[], Any]] = [
        lambda: create_invoice(
            admin, partner_id=partner, lines=[line], invoice_date=day, post=True
        ),
        lambda: register_payment(admin, invoice_ids=[invoice.id], amount=10, payment_date=day),
        lambda: create_credit_note(
            admin, invoice_id=invoice.id, lines=[{"product_name": "Beta"}], date=day, post=True
        ),
        lambda: create_credit_note(
            admin, invoice_id=invoice.id, date=day, post=True, allow_more=True
        ),
    ]
    for act in acts:
        if admin.version.major < 15:
            _unchanged(admin, [partner], act, (OdooError, r"(?i)lock date"))
            continue
        made = act()
        assert any(f"not {day}: check the lock dates" in warning for warning in made.warnings)
    domain = [["partner_id", "=", partner], ["parent_state", "=", "posted"]]
    dates = records.search_read(admin, "account.move.line", domain, ["date"], limit=200).records
    assert [row for row in dates if str(row["date"]) == day] == []


@pytest.mark.every_version
def test_a_dry_run_tells_that_the_books_are_closed(admin: Odoo, partner: int, locked: int) -> None:
    assert locked
    account, line = expense_account(admin)["id"], {"name": "x", "price_unit": 5, "tax_ids": []}
    entry = [{"account_id": account, "debit": 1}, {"account_id": account, "credit": 1}]
    invoice = posted(admin, partner)

    def plans(day: str) -> list[Plan]:
        found: list[Any] = [
            create_entry(admin, lines=entry, date=day, dry_run=True),
            create_invoice(admin, partner_id=partner, lines=[line], invoice_date=day, dry_run=True),
            register_payment(admin, invoice_ids=[invoice.id], payment_date=day, dry_run=True),
            create_credit_note(admin, invoice_id=invoice.id, date=day, dry_run=True),
        ]
        if admin.version.major > 14:  # which takes no drafts of a closed year either
            draft = create_invoice(admin, partner_id=partner, lines=[line], invoice_date=day)
            found.append(post_invoice(admin, invoice_id=draft.id, dry_run=True))
        return found

    told = "The books are closed up to 2003-12-31. Odoo will not post on 2003-12-31: it either"
    for plan in plans("2003-12-31"):
        assert [one.startswith(told) for one in plan.warnings] == [True], plan
    for plan in plans("2004-01-01"):
        assert plan.warnings == [], plan


def test_an_ordinary_user_changes_nothing(ordinary: Odoo, admin: Odoo, partner: int) -> None:
    invoice = posted(admin, partner)
    account = expense_account(admin)["id"]
    lines = [{"account_id": account, "debit": 1}, {"account_id": account, "credit": 1}]
    acts: list[Callable[[], Any]] = [
        lambda: create_credit_note(ordinary, invoice_id=invoice.id, post=True),
        lambda: reset_invoice(ordinary, invoice_id=invoice.id),
        lambda: reconcile(ordinary, invoice_id=invoice.id),
        lambda: create_entry(ordinary, lines=lines),
        lambda: get_invoice(ordinary, invoice_id=invoice.id),
    ]
    for act in acts:
        _unchanged(admin, [partner], act, (OdooError, "."))
