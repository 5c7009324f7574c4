"""Which methods a caller may call in full mode while a list closes something: data only.

Beside those that only read (:mod:`odoo_toolkit.policy.harmless`), whose arguments are built anew.
What a method hands out under its own shape cannot be checked, so what is not here does not pass.
"""

from __future__ import annotations

#: What is named in their arguments is judged, and they hand out no more than what is named there.
JUDGED_METHODS: frozenset[str] = frozenset(
    {
        *("copy", "create", "load", "name_create", "unlink", "write"),
        *("action_archive", "action_unarchive", "toggle_active"),
        *("check_access_rights", "exists", "get_external_id", "has_access"),
        "export_data",  # the paths of its columns
        *("activity_schedule", "message_post", "message_subscribe", "message_unsubscribe"),
    }
)

#: What the buttons of documents and wizards call, on ids alone. Of an action that they return
#: only what opens it is shown.
BUSINESS_ACTIONS: frozenset[str] = frozenset(
    {
        *("action_acknowledge", "action_apply", "action_apply_inventory", "action_approve"),
        *("action_assign", "action_assign_to_me", "action_backorder", "action_cancel"),
        *("action_cancel_leave", "action_clear_quantities_to_zero", "action_confirm"),
        *("action_create_invoice", "action_create_payments", "action_create_returns"),
        *("action_create_returns_all", "action_done", "action_done_schedule_next"),
        *("action_draft", "action_feedback", "action_invoice_sent", "action_lock"),
        *("action_lost_reason_apply", "action_open", "action_post", "action_put_in_pack"),
        *("action_quotation_send", "action_quotation_sent", "action_refuse"),
        *("action_register_payment", "action_reject", "action_reset", "action_restore"),
        *("action_reverse", "action_rfq_send", "action_set_draft", "action_set_lost"),
        *("action_set_quantities_to_reservation", "action_set_won"),
        *("action_set_won_rainbowman", "action_sheet_move_create", "action_submit"),
        *("action_submit_expenses", "action_submit_sheet", "action_toggle_is_locked"),
        *("action_unlock", "action_unmark_sent", "action_update_prices"),
        *("action_update_taxes", "action_validate", "action_void_check"),
        *("approve_expense_sheets", "refuse_sheet", "reset_expense_sheets"),
        *("button_approve", "button_cancel", "button_confirm", "button_done", "button_draft"),
        *("button_finish", "button_lock", "button_mark_done", "button_pending", "button_plan"),
        *("button_request_cancel", "button_scrap", "button_set_checked", "button_start"),
        *("button_unlock", "button_unplan", "button_unreserve", "button_validate"),
        *("create_invoices", "create_returns", "do_unreserve", "mark_as_sent"),
        *("modify_moves", "process", "process_cancel_backorder", "refund_moves"),
        *("reverse_moves", "unmark_as_sent", "update_prices"),
    }
)
