"""Requests for quotation, purchase orders and the prices of vendors."""

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
            to approve|to be approved|waiting for approval: state = to approve
            to bill|to be billed|unbilled|not billed|to invoice|waiting bill: \
                invoice_status = to invoice
            billed|fully billed|invoiced: invoice_status = invoiced
            late|overdue: date_planned < today & state in purchase,done
        """,
        numbered=True,
        search_fields="name partner_ref",
        deep_fields="origin notes note",
        key_fields="id name partner_id state amount_total date_order date_planned",
        dates="date_order",
        moves=(
            Move("action_rfq_send", "draft", "sent", never="purchase"),
            Move("button_confirm", "draft|sent", "purchase|to approve"),
            Move("button_approve", "to approve", "purchase"),
            Move("button_done", "purchase", "done", until=18),
            Move("button_unlock", "done", "purchase", until=18),
            Move("button_cancel", "draft|sent|to approve|purchase", "cancel"),
            Move("button_draft", "cancel", "draft"),
        ),
        tips=(
            "Prices follow from the vendor's price list where a line is made without price_unit.",
            "Goods are received by validating the receipt, a stock.picking.",
            "Writing the state confirms nothing: no receipt is made and no approval asked.",
        ),
        told_apart_by="partner_id state date_order amount_total",
    ),
    AppModel("purchase.order.line", "Purchase Order Line"),
    AppModel("product.supplierinfo", "Supplier Pricelist"),
)
