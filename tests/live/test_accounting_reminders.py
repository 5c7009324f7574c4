"""Reminders of overdue invoices on a real Odoo, whose mail server refuses every e-mail."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, Odoo, ValidationError
from odoo_toolkit.apps.accounting import (
    RemindersPlan,
    RemindersResult,
    create_credit_note,
    register_payment,
    send_reminders,
)
from tests.kit.live_tapes import Open
from tests.kit.overdue import customer, overdue
from tests.kit.users import take_email

pytestmark = pytest.mark.recorded


def planned(odoo: Odoo, **options: Any) -> RemindersPlan:
    shown = send_reminders(odoo, **options, dry_run=True)
    assert isinstance(shown, RemindersPlan)
    return shown


def sent(odoo: Odoo, **options: Any) -> RemindersResult:
    done = send_reminders(odoo, **options)
    assert isinstance(done, RemindersResult)
    return done


def messages(admin: Odoo, *invoices: int) -> int:
    domain = [
        ["model", "=", "account.move"],
        ["res_id", "in", list(invoices)],
        ["message_type", "=", "comment"],
    ]
    return toolkit.count(admin, "mail.message", domain).count


@pytest.fixture
def biller(opened: Open) -> Odoo:
    """A user who makes invoices, and has no further rights."""
    odoo = opened("Reminding in account.group_account_invoice")
    # Odoo sends nothing for who has no address.
    take_email(opened, odoo, "reminding@example.com")
    return odoo


def test_a_customer_is_reminded_once_of_all_that_is_overdue(
    admin: Odoo, biller: Odoo, suffix: str
) -> None:
    partner = customer(admin, suffix)
    first, second = overdue(admin, partner, 100.0, 40), overdue(admin, partner, 50.0, 20)
    overdue(admin, partner, 70.0, -20)
    before = messages(admin, first, second)

    plan = planned(biller, partners=[partner])

    assert messages(admin, first, second) == before
    (shown,) = plan.reminders
    assert [(one.id, one.residual, one.days_overdue) for one in shown.invoices] == [
        (first, 100.0, 40),
        (second, 50.0, 20),
    ]
    stored = toolkit.read(admin, "account.move", [first, second], ["name", "amount_residual"])
    assert [one.name for one in shown.invoices] == [row["name"] for row in stored.records]
    assert list(shown.totals.values()) == [150.0]
    assert [one.email for one in shown.recipients] == [f"{suffix}@example.com"]

    (done,) = sent(biller, partners=[f"Late {suffix}"]).reminders

    assert (done.error, done.document.id) == (None, first)
    assert done.status in ("failed", "queued"), done
    assert f"Late {suffix}" in [one.name for one in done.deliveries]
    assert {one.name for one in done.deliveries} <= {
        f"Late {suffix}",
        *(one.name for one in shown.followers),
    }
    assert messages(admin, first, second) == before + 1
    (row,) = toolkit.read(
        admin, "mail.message", [done.message_id], ["subject", "body", "res_id"]
    ).records
    assert (row["subject"], row["res_id"]) == (shown.subject, first)
    assert all(str(one.name) in row["body"] for one in shown.invoices)
    states = toolkit.read(admin, "account.move", [first, second], ["state", "payment_state"])
    assert {(r["state"], r["payment_state"]) for r in states.records} == {("posted", "not_paid")}


def test_who_has_paid_or_is_owed_as_much_is_left_alone(admin: Odoo, suffix: str) -> None:
    partner = customer(admin, suffix)
    paid, part = overdue(admin, partner, 30.0), overdue(admin, partner, 100.0)
    register_payment(admin, invoice_ids=[paid])
    register_payment(admin, invoice_ids=[part], amount=40)
    (shown,) = planned(admin, partners=[partner]).reminders
    assert [(one.id, one.residual) for one in shown.invoices] == [(part, 60.0)]
    note = overdue(admin, partner, 60.0, move_type="out_refund")
    plan = planned(admin, partners=[partner])
    assert plan.reminders == []
    assert "Open credits of 60.00" in plan.not_sent[0].reason
    assert sent(admin, partners=[partner]).reminders == []
    assert messages(admin, paid, part, note) == 0


def test_a_customer_without_address_is_named_and_the_others_get_theirs(
    admin: Odoo, suffix: str
) -> None:
    silent, other = customer(admin, suffix, email=False), customer(admin, f"b{suffix}")
    of_silent, of_other = overdue(admin, silent, 10.0), overdue(admin, other, 20.0)
    result = sent(admin, partners=[silent, other], subject=f"Reminder {suffix}")
    assert [one.customer.id for one in result.reminders] == [other]
    assert [(one.customer.id, "no e-mail address" in one.reason) for one in result.not_sent] == [
        (silent, True)
    ]
    assert (messages(admin, of_silent), messages(admin, of_other)) == (0, 1)


def test_bad_input_and_missing_rights_send_nothing(
    admin: Odoo, ordinary: Odoo, suffix: str
) -> None:
    partner = customer(admin, suffix)
    invoice = overdue(admin, partner, 10.0)
    with pytest.raises(ValidationError):
        sent(admin, partners=[partner], body="{{ object.name }}")
    with pytest.raises(ValidationError):
        sent(admin, partners=[partner], min_days=0)
    if not ordinary.schema.may("account.move", "create"):
        with pytest.raises(AccessError):
            sent(ordinary, partners=[partner])
    assert messages(admin, invoice) == 0
    create_credit_note(admin, invoice_id=invoice, reason="x", post=True)
    assert "Nothing has been overdue" in planned(admin, partners=[partner]).not_sent[0].reason
