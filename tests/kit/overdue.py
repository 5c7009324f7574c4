"""Invoices that are overdue."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from tests.kit.days import today


def customer(admin: Odoo, suffix: str, *, email: bool = True) -> int:
    values = {"name": f"Late {suffix}", "email": f"{suffix}@example.com" if email else False}
    return toolkit.create(admin, "res.partner", values).id


def overdue(admin: Odoo, partner: int, amount: float, days: int = 30, **more: Any) -> int:
    """A posted invoice that has been due for so many days."""
    due = (today() - timedelta(days=days)).isoformat()
    line = {"name": "Thing", "quantity": 1, "price_unit": amount, "tax_ids": [[6, 0, []]]}
    values = {
        "move_type": "out_invoice",
        "partner_id": partner,
        "invoice_date": due,
        "invoice_date_due": due,
        "invoice_payment_term_id": False,
        "invoice_line_ids": [[0, 0, line]],
        **more,
    }
    invoice = toolkit.create(admin, "account.move", values).id
    # A customer's own terms would decide about the day.
    toolkit.write(admin, "account.move", [invoice], {"invoice_date_due": due})
    toolkit.execute(admin, "account.move", "action_post", [[invoice]])
    return invoice
