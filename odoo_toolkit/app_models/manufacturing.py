"""Manufacturing orders and bills of materials."""

from odoo_toolkit.app_models.model import AppModel, Move, Opposite

_UNBUILT = "taken apart again (unbuilt), and its components are back"
_DONE_STAYS = "The manufacturing order stays done. Its lots, backorders and unbuild order stay."

MODELS = (
    *(
        AppModel(
            wizard,
            is_wizard=True,
            opposites=tuple(
                Opposite(
                    method,
                    "looked_up",
                    _UNBUILT,
                    of="mrp.production",
                    notes="state",
                    not_undone=_DONE_STAYS,
                )
                for method in methods
            ),
        )
        for wizard, methods in (
            ("mrp.immediate.production", ("process",)),
            ("mrp.consumption.warning", ("action_confirm", "action_set_qty")),
            ("mrp.production.backorder", ("action_backorder", "action_close_mo")),
        )
    ),
    AppModel(
        "change.production.qty",
        is_wizard=True,
        opposites=(
            Opposite(
                "change_prod_qty",
                not_undone="To undo this, change the manufacturing order's quantity back.",
            ),
        ),
    ),
    AppModel(
        "mrp.production.serials",
        is_wizard=True,
        opposites=(Opposite("action_apply", not_undone="The serial numbers stay on the order."),),
    ),
    AppModel(
        "mrp.production",
        "Manufacturing Order",
        module="mrp",
        nouns="manufacturing order|production order|mo|production",
        meanings="""
            planned|to produce|to make|not started: state = confirmed
            in progress|running|started: state in progress,to_close
            to close: state = to_close
            done|produced|made|finished|completed: state = done
            open|pending|to do|unfinished|not done: state not in done,cancel
        """,
        numbered=True,
        search_fields="name origin",
        key_fields="id name product_id product_qty state",
        dates="date_deadline date_finished",
        moves=(
            Move("action_confirm", "draft", "confirmed"),
            Move("button_mark_done", "confirmed|progress|to_close", "done"),
            Move("action_cancel", "draft|confirmed|progress|to_close", "cancel"),
        ),
        opposites=(
            Opposite(
                "create",
                "action_cancel unlink",
                "deleted",
                otherwise="action_cancel",
                not_undone="Its number cannot be reused.",
            ),
            Opposite(
                "action_confirm",
                "action_cancel",
                "cancelled",
                not_undone="A confirmed manufacturing order never becomes a draft again.",
            ),
            Opposite("action_assign", "do_unreserve", "without its reservation"),
            Opposite("do_unreserve", "action_assign", "reserved again"),
            Opposite(
                "button_mark_done",
                "looked_up",
                _UNBUILT,
                not_undone=_DONE_STAYS,
            ),
            Opposite(
                "action_cancel", not_undone="A cancelled manufacturing order stays cancelled."
            ),
        ),
        tips=(
            "On Odoo 15 and earlier, an order created without its component moves stays empty.",
            "Writing qty_producing consumes no components. Writing the state moves no stock.",
            "Odoo produces even if components are missing, so the stock goes below zero.",
        ),
        disambiguation_fields="product_id state product_qty",
    ),
    AppModel(
        "mrp.bom",
        "Bill of Material",
        nouns="bill of materials|bill of material|bom|recipe",
        meanings="""
            kit: type = phantom
        """,
        name_fields="code",
        key_fields="id code product_tmpl_id product_qty type",
        tips=("A kit (type phantom) is not manufactured: its components are delivered.",),
        disambiguation_fields="product_tmpl_id product_id product_qty type",
    ),
    AppModel("mrp.bom.line", "Bill of Material Line"),
    AppModel("mrp.workcenter", "Work Center", disambiguation_fields="code"),
    AppModel("mrp.workorder", "Work Order"),
)
