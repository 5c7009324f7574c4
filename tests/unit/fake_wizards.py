"""Wizards that buttons open, and an Odoo that has them."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.policy import Policy
from tests.unit.fake_sales import FakeOdoo

CANCEL_ACTION = {
    "name": "Cancel Sales Order",
    "view_mode": "form",
    "res_model": "sale.order.cancel",
    "view_id": 1,
    "type": "ir.actions.act_window",
    "context": {"default_order_id": 26},
    "target": "new",
}


CANCEL_FORM = """<form><field name="order_id" invisible="1"/>
<div><field name="subject"/></div><footer>
<button string="Send and cancel" name="action_send_mail_and_cancel" type="object"/>
<button string="Cancel" name="action_cancel" type="object"/>
<button string="Close" special="cancel"/></footer></form>"""


def immediate(picking: int = 5) -> dict[str, Any]:
    """Return the action that 14 to 16 answer a validation with."""
    return {
        "type": "ir.actions.act_window",
        "res_model": "stock.immediate.transfer",
        "target": "new",
        "context": {
            "button_validate_picking_ids": [picking],
            "default_show_transfers": False,
            "default_pick_ids": [[4, picking]],
        },
    }


def cancelling(major: int, policy: Policy | None = None) -> FakeOdoo:
    """Return an Odoo whose cancel wizard works."""
    odoo = FakeOdoo(major, policy)
    odoo.answers |= {
        ("sale.order.cancel", "default_get"): {"order_id": 26, "display_delivery_alert": False},
        ("sale.order.cancel", "create"): 7,
        ("sale.order.cancel", "action_cancel"): True,
        ("sale.order.cancel", "get_view"): {"arch": CANCEL_FORM},
        ("sale.order.cancel", "fields_view_get"): {"arch": CANCEL_FORM},
    }
    return odoo
