"""What hangs on any record: messages, activities and files."""

from odoo_toolkit.app_models.model import AppModel

MODELS = (
    AppModel("mail.message", "Message", module="mail"),
    AppModel("mail.activity", "Activity"),
    AppModel("ir.attachment", "Attachment"),
)
