"""Manufacturing orders and bills of materials."""

from odoo_toolkit.app_models.model import AppModel, Move

MODELS = (
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
        tips=(
            "To Odoo 15 an order created without its component moves stays empty.",
            "Writing qty_producing uses up no component, and writing the state moves nothing.",
            "Odoo produces although components are missing: the stock goes below zero.",
        ),
        told_apart_by="product_id state product_qty",
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
        told_apart_by="product_tmpl_id product_id product_qty type",
    ),
    AppModel("mrp.bom.line", "Bill of Material Line"),
    AppModel("mrp.workcenter", "Work Center", told_apart_by="code"),
    AppModel("mrp.workorder", "Work Order"),
)
