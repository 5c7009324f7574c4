"""Transfers, stock and where it lies."""

from odoo_toolkit.app_models.model import AppModel, Block, Move, Opposite

_BILLED = (
    Block(
        "sale.order.line",
        (
            ("move_ids.picking_id", "=", "ID"),
            ("qty_invoiced", ">", 0),
            ("product_id.invoice_policy", "=", "delivery"),
        ),
        "it is invoiced: undo the invoice first",
    ),
    Block(
        "purchase.order.line",
        (
            ("move_ids.picking_id", "=", "ID"),
            ("qty_invoiced", ">", 0),
            ("product_id.purchase_method", "=", "receive"),
        ),
        "it is billed: undo the bill first",
    ),
)

_BROUGHT_BACK = "done with quantities of 0, and the goods are back"
_DONE_STAYS = (
    "A done transfer stays done, with quantities of 0. Its order gets a new, open transfer. "
    "Backorders, new lots and messages stay."
)

MODELS = (
    AppModel(
        "stock.picking",
        "Transfer",
        module="stock",
        nouns="transfer|picking",
        meanings="""
            delivery order|delivery|outgoing|shipment: picking_type_id.code = outgoing
            receipt|incoming|reception: picking_type_id.code = incoming
            internal: picking_type_id.code = internal
            backorder: backorder_id != false
            late|overdue|delayed: scheduled_date < today & state not in done,cancel
            open|pending|to do|unfinished|not done|outstanding|undelivered: \
                state not in done,cancel
            done|delivered|received|shipped|completed|finished: state = done
            waiting: state in waiting,confirmed
        """,
        numbered=True,
        dates="scheduled_date",
        moves=(
            Move("action_confirm", "draft", "confirmed|waiting|assigned"),
            Move("action_assign", "confirmed|waiting", "assigned"),
            Move("do_unreserve", "assigned", "confirmed"),
            Move("button_validate", "draft|waiting|confirmed|assigned", "done"),
            Move("action_cancel", "draft|waiting|confirmed|assigned", "cancel"),
        ),
        opposites=(
            Opposite(
                "create",
                "unlink",
                "deleted",
                otherwise="action_cancel",
                not_undone="Its number cannot be reused.",
            ),
            Opposite("action_assign", "do_unreserve", "without its reservation"),
            Opposite("do_unreserve", "action_assign", "reserved again"),
            Opposite(
                "button_validate",
                "looked_up",
                _BROUGHT_BACK,
                not_undone=_DONE_STAYS,
                unless=_BILLED,
            ),
            Opposite("action_confirm", "action_cancel", "cancelled"),
            Opposite("action_cancel", not_undone="A cancelled transfer stays cancelled."),
        ),
        tips=(
            "Direction and locations follow from picking_type_id.",
            "If you validate less than was ordered, Odoo asks about a backorder.",
        ),
        disambiguation_fields="partner_id state scheduled_date origin",
    ),
    AppModel(
        "stock.location",
        "Inventory Locations",
        has_parts=True,
        name_fields="name complete_name barcode",
        disambiguation_fields="usage complete_name",
    ),
    AppModel("stock.move", "Stock Move"),
    AppModel(
        "stock.return.picking",
        is_wizard=True,
        opposites=(
            Opposite("create_returns", made="stock.picking"),
            Opposite("action_create_returns", made="stock.picking"),
            Opposite("action_create_returns_all", made="stock.picking"),
            Opposite("action_create_exchanges", made="stock.picking"),
        ),
    ),
    *(
        AppModel(
            wizard,
            is_wizard=True,
            opposites=tuple(
                Opposite(
                    method,
                    "looked_up",
                    _BROUGHT_BACK,
                    of="stock.picking",
                    notes="state",
                    not_undone=_DONE_STAYS,
                    unless=_BILLED,
                )
                for method in methods
            ),
        )
        for wizard, methods in (
            ("stock.immediate.transfer", ("process",)),
            ("stock.backorder.confirmation", ("process", "process_cancel_backorder")),
            ("confirm.stock.sms", ("send_sms", "dont_send_sms")),
        )
    ),
    AppModel(
        "stock.quant",
        "Quants",
        opposites=(
            Opposite(
                "create",
                "looked_up",
                "counted as before",
                not_undone="The stock moves of both counts stay.",
            ),
            # What was applied is taken back where it was counted.
            Opposite("action_apply_inventory"),
        ),
    ),
    AppModel("stock.warehouse", "Warehouse"),
    AppModel(
        "stock.warehouse.orderpoint",
        "Minimum Inventory Rule",
        nouns="reordering rule|replenishment rule",
        meanings="""
            to order|ordering: qty_to_order > 0
            automatic: trigger = auto
            manual: trigger = manual
        """,
        key_fields="id name product_id location_id product_min_qty product_max_qty qty_to_order",
        opposites=(
            Opposite(
                "action_replenish",
                not_undone="The rule's new or extended orders stay. Cancel them separately.",
            ),
        ),
        tips=("The quantities to order stay as Odoo last calculated them.",),
    ),
    AppModel(
        "stock.scrap",
        "Scrap",
        nouns="scrap order|scrap",
        meanings="""
            done|scrapped: state = done
        """,
        numbered=True,
        key_fields="id name product_id scrap_qty location_id state",
        dates="date_done",
        moves=(Move("action_validate", "draft", "done"),),
        opposites=(
            Opposite(
                "action_validate",
                "looked_up",
                "done with quantities of 0, and the goods are back",
                not_undone="The scrap order stays done.",
            ),
        ),
        tips=("Validating a done scrap order again removes the goods from stock a second time.",),
    ),
)
