"""Quotations and sales orders."""

from odoo_toolkit.app_models.model import AppModel, Move, Relation

MODELS = (
    AppModel(
        "sale.order",
        "Sales Order",
        module="sale",
        nouns="sale order|sales order|sale|order",
        meanings="""
            sent quotation|quotation sent|sent quote: state = sent
            draft quotation|draft quote: state = draft
            expired quotation|expired quote|expired: validity_date < today & state in draft,sent
            quotation|quote|offer: ~ state in draft,sent
            confirmed: state in sale,done
            to invoice|to be invoiced|uninvoiced|not invoiced|not yet invoiced: \
                invoice_status = to invoice
            invoiced|fully invoiced: invoice_status = invoiced
            undelivered|not delivered|to deliver|not yet delivered: \
                delivery_status in pending,started,partial & state in sale,done
        """,
        numbered=True,
        searched=2,
        search_fields="name client_order_ref",
        deep_fields="note origin",
        key_fields="id name partner_id state amount_total date_order",
        found_through=(Relation("res.partner"),),
        dates="date_order",
        moves=(
            Move("action_quotation_send", "draft", "sent", never="sale"),
            Move("action_quotation_sent", "draft", "sent"),
            Move("action_confirm", "draft|sent", "sale"),
            Move("action_done", "sale", "done", label="Lock", until=16),
            Move("action_unlock", "done", "sale", label="Unlock", until=16),
            Move("action_cancel", "draft|sent|sale", "cancel"),
            Move("action_draft", "cancel", "draft"),
        ),
        tips=(
            "Prices follow from the pricelist when a line is made without price_unit.",
            "A confirmed order is invoiced by its own action, which opens a wizard.",
        ),
        told_apart_by="partner_id state date_order amount_total",
    ),
    AppModel("sale.order.line", "Sales Order Line"),
)
