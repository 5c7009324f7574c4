"""The functions that say how a call is taken back, where no row of a table can.

A row of ``app_models`` with ``looked_up`` has its function here, by model and method.
"""

from __future__ import annotations

from collections.abc import Mapping

from odoo_toolkit.apps.accounting import compensations as accounting
from odoo_toolkit.apps.hr import compensations as hr
from odoo_toolkit.apps.inventory import compensations as inventory
from odoo_toolkit.apps.manufacturing import compensations as manufacturing
from odoo_toolkit.languages import compensations as languages
from odoo_toolkit.operations.compensations import Way

#: By method alone: of any model.
_OF_ANY_MODEL: Mapping[str, Way] = {"update_field_translations": languages.sentences}

_WAYS: Mapping[tuple[str, str], Way] = {
    ("stock.picking", "button_validate"): inventory.transfers,
    ("stock.immediate.transfer", "process"): inventory.transfers,
    ("stock.backorder.confirmation", "process"): inventory.transfers,
    ("stock.backorder.confirmation", "process_cancel_backorder"): inventory.transfers,
    ("confirm.stock.sms", "send_sms"): inventory.transfers,
    ("confirm.stock.sms", "dont_send_sms"): inventory.transfers,
    ("stock.scrap", "action_validate"): inventory.scraps,
    ("stock.quant", "create"): inventory.counts,
    ("mrp.production", "button_mark_done"): manufacturing.productions,
    ("mrp.immediate.production", "process"): manufacturing.productions,
    ("mrp.consumption.warning", "action_confirm"): manufacturing.productions,
    ("mrp.consumption.warning", "action_set_qty"): manufacturing.productions,
    ("mrp.production.backorder", "action_backorder"): manufacturing.productions,
    ("mrp.production.backorder", "action_close_mo"): manufacturing.productions,
    ("account.move", "js_assign_outstanding_line"): accounting.applied,
    ("account.move", "js_remove_outstanding_partial"): accounting.taken_off,
    ("hr.employee", "attendance_manual"): hr.attendances,
    ("hr.attendance", "systray_check_in_out"): hr.attendances,
    ("hr.expense.sheet", "action_sheet_move_create"): hr.booked_reports,
    ("base.language.install", "lang_install"): languages.installed,
}


def way_back(model: str, method: str) -> Way:
    """Return the function that says how a call is taken back."""
    return _WAYS.get((model, method)) or _OF_ANY_MODEL[method]
