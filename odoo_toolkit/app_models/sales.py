"""Quotations and sales orders."""

from odoo_toolkit.app_models.model import AppModel, Block, Move, Opposite, Relation

_DELIVERED = Block(
    "sale.order.line",
    (("order_id", "=", "ID"), ("qty_delivered", ">", 0)),
    "part of it is delivered: return that first (return_picking)",
)
_INVOICED = Block(
    "account.move",
    (("line_ids.sale_line_ids.order_id", "=", "ID"), ("state", "=", "posted")),
    "its invoice {names} is posted: undo that first",
)

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
        key_fields="id name partner_id client_order_ref state amount_total date_order",
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
        opposites=(
            Opposite(
                "create",
                "unlink",
                "deleted",
                otherwise="action_cancel",
                context="disable_cancel_warning",
                not_undone="Its number cannot be reused.",
                unless=(_INVOICED,),
            ),
            Opposite(
                "action_confirm",
                "action_unlock action_cancel action_draft",
                "a quotation again",
                context="disable_cancel_warning",
                not_undone="The cancelled delivery stays, and so do the projects, tasks and "
                "purchase orders that the order created. Sent e-mails cannot be recalled.",
                unless=(_DELIVERED, _INVOICED),
            ),
            Opposite(
                "action_cancel",
                "action_draft",
                "a quotation again",
                context="disable_cancel_warning",
                not_undone="Its cancelled delivery stays. If it was confirmed, confirm it again.",
            ),
            Opposite(
                "action_draft", "action_cancel", "cancelled", context="disable_cancel_warning"
            ),
            Opposite("action_quotation_sent", "action_cancel action_draft", "a draft again"),
        ),
        tips=(
            "Prices come from the pricelist if a line has no price_unit.",
            "To invoice a confirmed order, use its own action, which opens a wizard.",
        ),
        disambiguation_fields="partner_id state date_order amount_total",
    ),
    AppModel("sale.order.line", "Sales Order Line"),
    AppModel(
        "sale.order.cancel",
        is_wizard=True,
        opposites=tuple(
            Opposite(
                method,
                "action_draft",
                "a quotation again",
                of="sale.order",
                notes="state",
                not_undone=told,
            )
            for method, told in (
                ("action_cancel", ""),
                ("action_send_mail_and_cancel", "A sent e-mail cannot be recalled."),
            )
        ),
    ),
    AppModel(
        "sale.advance.payment.inv",
        is_wizard=True,
        opposites=(Opposite("create_invoices", made="account.move"),),
    ),
)
