"""Requests for quotation, purchase orders and the prices of vendors."""

from odoo_toolkit.app_models.model import AppModel, Block, Move, Opposite

_RECEIVED = Block(
    "purchase.order.line",
    (("order_id", "=", "ID"), ("qty_received", ">", 0)),
    "part of it is received: return that first (return_picking)",
)
_BILLED = Block(
    "account.move",
    (("line_ids.purchase_line_id.order_id", "=", "ID"), ("state", "=", "posted")),
    "its bill {names} is posted: undo that first",
)

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
        key_fields="id name partner_id partner_ref state amount_total date_order date_planned",
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
        opposites=(
            Opposite(
                "create",
                "button_cancel unlink",
                "deleted",
                otherwise="button_cancel",
                not_undone="Its number cannot be reused.",
                unless=(_BILLED,),
            ),
            Opposite(
                "button_confirm",
                "button_unlock button_cancel button_draft",
                "a request for quotation again",
                not_undone="Its cancelled receipt and the vendor's price on the product stay.",
                unless=(_RECEIVED, _BILLED),
            ),
            Opposite(
                "button_approve",
                "button_unlock button_cancel button_draft",
                "a request for quotation again",
                not_undone="Its cancelled receipt and the vendor's price on the product stay.",
                unless=(_RECEIVED, _BILLED),
            ),
            Opposite(
                "button_cancel",
                "button_draft",
                "a request for quotation again",
                not_undone="Its cancelled receipt stays. If it was confirmed, confirm it again.",
            ),
            Opposite("action_create_invoice", made="account.move"),
            Opposite("button_draft", "button_cancel", "cancelled"),
        ),
        tips=(
            "Prices come from the vendor's pricelist if a line has no price_unit.",
            "Goods are received by validating the receipt, a stock.picking.",
            (
                "Writing the state does not confirm the order: Odoo creates no receipt and asks "
                "for no approval."
            ),
        ),
        disambiguation_fields="partner_id state date_order amount_total",
    ),
    AppModel("purchase.order.line", "Purchase Order Line"),
    AppModel("product.supplierinfo", "Supplier Pricelist"),
)
