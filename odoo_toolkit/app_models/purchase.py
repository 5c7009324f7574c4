"""Requests for quotation and purchase orders."""

from odoo_toolkit.app_models.model import AppModel, Move

MODELS = (
    AppModel(
        "purchase.order",
        "Purchase Order",
        module="purchase",
        nouns="purchase order|purchase|order",
        meanings="""
            request for quotation|rfq|quotation: ~ state in draft,sent
            confirmed: state in purchase,done
            to bill|to be billed|unbilled|not billed|to invoice|waiting bill: \
                invoice_status = to invoice
            billed|fully billed|invoiced: invoice_status = invoiced
            late|overdue: date_planned < today & state in purchase,done
        """,
        numbered=True,
        dates="date_order",
        moves=(
            Move("action_rfq_send", "draft", "sent", never="purchase"),
            Move("button_confirm", "draft|sent", "purchase|to approve"),
            Move("button_approve", "to approve", "purchase"),
            Move("button_done", "purchase", "done", until=18),
            Move("button_unlock", "done", "purchase", until=18),
            Move("button_cancel", "draft|sent", "cancel"),
            Move("button_draft", "cancel", "draft"),
        ),
    ),
    AppModel("purchase.order.line", "Purchase Order Line"),
)
