"""An order and what belongs to it, on a server of some version."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.policy import Policy
from tests.unit.fake_sales import FIELDS, FakeOdoo

WRITES = {"create", "write", "action_confirm", "action_cancel", "create_invoices", "unlink"}


def order(major: int, **values: Any) -> dict[str, Any]:
    """Return an order's row as the version sends it."""
    row: dict[str, Any] = {
        "id": 12,
        "name": "S00012",
        "state": "draft",
        "partner_id": [7, "Acme"],
        "date_order": "2026-01-02 03:04:05",
        "amount_untaxed": 300.0,
        "amount_tax": 45.0,
        "amount_total": 345.0,
        "currency_id": [2, "USD"],
        "invoice_status": "to invoice",
        "order_line": [1],
        "picking_ids": [],
        "invoice_ids": [],
    }
    if "locked" in FIELDS[str(major)]["sale.order"]:
        row["locked"] = False
    return row | values


def shop(major: int = 19, policy: Policy | None = None, **values: Any) -> FakeOdoo:
    """Return an Odoo with the order S00012, whose state the buttons change."""
    odoo = FakeOdoo(major, policy)
    row = order(major, **values)

    def change(state: str) -> Any:
        def button(_: Any) -> bool:
            row["state"] = state
            return True

        return button

    odoo.answers |= {
        ("sale.order", "search_read"): lambda call: [row],
        ("sale.order", "create"): 12,
        ("sale.order", "onchange"): {"value": {}},
        ("sale.order.line", "onchange"): {"value": {}},
        ("product.product", "search_read"): [],
        ("res.partner", "search_read"): [],
        ("sale.order", "action_confirm"): change("sale"),
        ("sale.order", "action_cancel"): change("cancel"),
        ("sale.order.line", "search_read"): [],
        ("res.partner", "name_search"): [[7, "Acme"]],
        ("product.product", "name_search"): [[3, "Chair"]],
        ("res.partner", "search"): [7],
        ("stock.picking", "search_read"): [],
        ("account.move", "search_read"): [],
    }
    return odoo


def written(odoo: FakeOdoo) -> list[str]:
    """Return the writing methods that were called."""
    return [method for method in odoo.called if method in WRITES]
