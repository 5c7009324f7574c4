"""What answers say of a payment, a due date and a credit note, on a real Odoo."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import Odoo, read
from odoo_toolkit.apps.accounting import (
    Invoice,
    create_credit_note,
    create_invoice,
    get_invoice,
    register_payment,
)
from tests.live.accounting_data import customer, posted

pytestmark = pytest.mark.every_version

LINE: Any = {"name": "Work", "quantity": 3, "price_unit": 100.0, "tax_ids": []}


def test_a_payment_says_its_day_and_what_in_process_means(admin: Odoo, suffix: str) -> None:
    invoice = posted(admin, customer(admin, suffix)).id
    day: Any = {"payment_date": "2026-01-15"}
    part = register_payment(admin, invoice_ids=[invoice], amount=1.0, **day)
    (payment,) = part.payments
    assert "Registered 1.00 USD on 2026-01-15. 159.00 USD is still due." in part.message
    assert (payment.state == "in_process") == ("in_process: " in part.message)
    assert (payment.state == "in_process") == (admin.version.major >= 18)
    assert payment.entry
    (entry,) = read(admin, "account.move", [payment.entry.id], ["state", "amount_total"])
    assert (entry["state"], entry["amount_total"]) == ("posted", 1.0)


def test_a_due_date_that_odoo_takes_by_itself_is_told(admin: Odoo, suffix: str) -> None:
    new: Any = {
        "partner_id": customer(admin, suffix),
        "invoice_date": "2026-01-15",
        "lines": [LINE],
    }
    plan = create_invoice(admin, **new, dry_run=True)
    (document,) = plan.documents
    made = create_invoice(admin, **new)
    by_itself = made.invoice_date_due != "2026-01-15"
    assert (document.due_date != "2026-01-15") == by_itself
    assert any("Odoo set the due date" in text for text in made.warnings) == by_itself
    assert any("Odoo set the due date" in text for text in document.notes) == by_itself
    chosen = create_invoice(admin, **new, due_date="2026-02-15")
    assert isinstance(chosen, Invoice)
    assert chosen.warnings == []


def test_the_plan_of_a_credit_note_says_what_it_comes_to(admin: Odoo, suffix: str) -> None:
    """As the credit note does that Odoo creates."""
    partner = customer(admin, suffix)
    invoice = create_invoice(admin, partner_id=partner, lines=[LINE], post=True)
    part: Any = {"invoice_id": invoice.id, "lines": [{"product_name": "Work", "quantity": 2}]}
    plan = create_credit_note(admin, **part, post=True, dry_run=True)
    (document,) = plan.documents
    assert "200.00" in plan.message
    if admin.version.major >= 16:
        assert document.amount_total == 200.0
        assert any("100.00" in note and "stays due" in note for note in document.notes)
    note = create_credit_note(admin, **part, post=True)
    assert note.amount_total == 200.0
    assert get_invoice(admin, invoice_id=invoice.id).amount_residual == 100.0
