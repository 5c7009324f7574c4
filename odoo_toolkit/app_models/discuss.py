"""What hangs on any record: messages, activities and files."""

from odoo_toolkit.app_models.model import AppModel, Opposite

_SENT = "A sent e-mail cannot be recalled."

MODELS = (
    *(
        AppModel(wizard, is_wizard=True, opposites=(Opposite(method, not_undone=_SENT),))
        for wizard, method in (
            ("mail.compose.message", "action_send_mail"),
            ("account.invoice.send", "send_and_print_action"),
            ("account.move.send", "action_send_and_print"),
            ("account.move.send.wizard", "action_send_and_print"),
        )
    ),
    AppModel(
        "base.language.install",
        is_wizard=True,
        opposites=(
            Opposite(
                "lang_install",
                "looked_up",
                "not active again",
                not_undone="The translations that were loaded stay.",
            ),
        ),
    ),
    AppModel("mail.message", "Message", module="mail"),
    AppModel(
        "mail.activity",
        "Activity",
        opposites=(
            Opposite(
                "action_feedback",
                not_undone="A completed activity cannot be reopened. Schedule it again.",
                until=18,
            ),
            Opposite(
                "action_feedback",
                "unarchive",
                "open again",
                not_undone="The message about the completed activity stays.",
                since=19,
            ),
        ),
    ),
    AppModel("ir.attachment", "Attachment"),
)
