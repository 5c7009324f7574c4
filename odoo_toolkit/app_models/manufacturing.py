"""Manufacturing orders."""

from odoo_toolkit.app_models.model import AppModel, Move

MODELS = (
    AppModel(
        "mrp.production",
        numbered=True,
        moves=(
            Move("action_confirm", "draft", "confirmed"),
            Move("button_mark_done", "confirmed|progress|to_close", "done"),
            Move("action_cancel", "draft|confirmed|progress|to_close", "cancel"),
        ),
    ),
)
