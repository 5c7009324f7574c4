"""Documents sent by e-mail from a real Odoo, whose mail server refuses every e-mail."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo, StateError, ValidationError
from odoo_toolkit.apps import accounting
from odoo_toolkit.mail import send_document
from odoo_toolkit.mail.sending import MailPlan, SentMail

pytestmark = pytest.mark.recorded


def made(odoo: Odoo, model: str, values: dict[str, Any]) -> int:
    record = toolkit.create(odoo, model, values).id
    assert record
    return record


def partner(admin: Odoo, suffix: str, email: str | None = None) -> int:
    """A customer; with an address unless it is said to be another, or none."""
    address = f"{suffix}@example.com" if email is None else email
    return made(admin, "res.partner", {"name": f"Mailed {suffix}", "email": address})


def product(admin: Odoo, suffix: str) -> int:
    return made(admin, "product.product", {"name": f"Mailed {suffix}", "list_price": 10.0})


def order(admin: Odoo, suffix: str, customer: int) -> int:
    line = {"product_id": product(admin, suffix), "product_uom_qty": 1}
    return made(admin, "sale.order", {"partner_id": customer, "order_line": [[0, 0, line]]})


def messages(admin: Odoo, model: str, record: int) -> int:
    domain = [
        ["model", "=", model],
        ["res_id", "=", record],
        ["message_type", "!=", "notification"],
    ]
    return toolkit.count(admin, "mail.message", domain).count


def state_of(admin: Odoo, model: str, record: int) -> Any:
    return toolkit.read(admin, model, [record], ["state"]).records[0]["state"]


def kept_files(admin: Odoo, model: str, record: int) -> int:
    domain = [["res_model", "=", model], ["res_id", "=", record]]
    return toolkit.count(admin, "ir.attachment", domain).count


def planned(odoo: Odoo, **options: Any) -> MailPlan:
    shown = send_document(odoo, **options, dry_run=True)
    assert isinstance(shown, MailPlan)
    return shown


def sent(odoo: Odoo, **options: Any) -> SentMail:
    done = send_document(odoo, **options)
    assert isinstance(done, SentMail)
    return done


def check(done: SentMail, name: str) -> None:
    """The mail server takes nothing: an e-mail has failed, or waits for the next try."""
    assert done.status in ("failed", "queued")
    assert name in [one.name for one in done.deliveries]
    assert done.message_id


def test_a_quotation_is_sent_with_its_pdf(admin: Odoo, suffix: str) -> None:
    customer = partner(admin, suffix)
    quotation = order(admin, suffix, customer)

    shown = planned(admin, model="sale.order", record_id=quotation)

    assert [one.email for one in shown.recipients] == [f"{suffix}@example.com"]
    assert shown.subject
    assert "Quotation" in shown.subject
    assert shown.body
    assert len(shown.attachments) == 1
    assert (
        state_of(admin, "sale.order", quotation),
        kept_files(admin, "sale.order", quotation),
    ) == (
        "draft",
        0,
    )
    assert messages(admin, "sale.order", quotation) == 0

    done = sent(admin, model="sale.order", record_name=shown.message.split()[2])

    check(done, f"Mailed {suffix}")
    assert (done.state, done.subject) == ("sent", shown.subject)
    assert [name.endswith(".pdf") for name in done.attachments] == [True]
    assert messages(admin, "sale.order", quotation) == 1


@pytest.mark.every_version
def test_an_invoice_is_sent_to_whom_one_names(admin: Odoo, suffix: str) -> None:
    customer = partner(admin, suffix)
    other = made(
        admin, "res.partner", {"name": f"Books {suffix}", "email": f"books.{suffix}@example.com"}
    )
    invoice = accounting.create_invoice(
        admin,
        move_type="out_invoice",
        partner_id=customer,
        lines=[{"product_id": product(admin, suffix), "quantity": 1}],
    )
    with pytest.raises(StateError):
        sent(admin, model="account.move", record_id=invoice.id)
    assert messages(admin, "account.move", invoice.id) == 0
    accounting.post_invoice(admin, invoice_id=invoice.id)
    files = kept_files(admin, "account.move", invoice.id)

    shown = planned(
        admin, model="account.move", record_id=invoice.id, to=[f"books.{suffix}@example.com"]
    )
    assert kept_files(admin, "account.move", invoice.id) == files
    assert len(shown.attachments) == 1
    if admin.version.major >= 17:
        assert shown.subject
        assert "Invoice" in shown.subject
        assert shown.body
    done = sent(
        admin,
        model="account.move",
        record_id=invoice.id,
        to=[f"books.{suffix}@example.com"],
        subject=f"Yours {suffix}",
        body="a < b",
    )

    check(done, f"Books {suffix}")
    # To 18 the customer follows a posted invoice, and gets what is written on it.
    named = {"Books " + suffix, *(one.name for one in shown.followers)}
    assert {one.name for one in done.deliveries} == named
    assert done.subject == f"Yours {suffix}"
    assert len(done.attachments) == 1
    assert other in [one.id for one in done.deliveries]
    text = toolkit.read(admin, "mail.message", [done.message_id or 0], ["body"]).records[0]["body"]
    assert "a < b" in text
    (row,) = toolkit.read(admin, "account.move", [invoice.id], ["is_move_sent"]).records
    assert row["is_move_sent"] is True


def test_an_order_to_a_vendor_and_a_delivery_slip_are_sent(admin: Odoo, suffix: str) -> None:
    vendor = partner(admin, suffix)
    line = {
        "product_id": product(admin, suffix),
        "name": suffix,
        "product_qty": 1,
        "price_unit": 3.0,
        "date_planned": "2027-01-01",
    }
    purchase = made(admin, "purchase.order", {"partner_id": vendor, "order_line": [[0, 0, line]]})
    done = sent(admin, model="purchase.order", record_id=purchase)
    check(done, f"Mailed {suffix}")
    assert (done.state, len(done.attachments)) == ("sent", 1)

    sold = order(admin, f"{suffix}b", vendor)
    toolkit.execute(admin, "sale.order", "action_confirm", [[sold]])
    slips = toolkit.search_read(admin, "stock.picking", [["sale_id", "=", sold]], ["name"]).records
    for slip in slips:
        done = sent(admin, model="stock.picking", record_id=slip["id"])
        check(done, f"Mailed {suffix}")
        assert len(done.attachments) == 1


@pytest.mark.parametrize("email", ["", "not an address"])
def test_who_has_no_address_is_refused_and_nothing_changes(
    admin: Odoo, suffix: str, email: str
) -> None:
    """Odoo itself marks the quotation as sent."""
    quotation = order(admin, suffix, partner(admin, suffix, email))
    with pytest.raises(ValidationError):
        sent(admin, model="sale.order", record_id=quotation)

    assert state_of(admin, "sale.order", quotation) == "draft"
    assert messages(admin, "sale.order", quotation) == 0


def test_any_record_is_sent_with_words_of_ones_own(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    customer = partner(admin, suffix)
    done = sent(
        odoo,
        model="res.partner",
        record_id=customer,
        to=[customer],
        subject=f"Hello {suffix}",
        body="First line\n\nSecond",
    )

    check(done, f"Mailed {suffix}")
    assert done.subject == f"Hello {suffix}"
