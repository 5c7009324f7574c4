"""Documents sent by e-mail."""

from __future__ import annotations

from odoo_toolkit import mail
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_mail_send_document",
        title="Send a document by e-mail",
        description="E-mail a quotation, order, invoice, credit note, delivery slip or any record"
        " that has an e-mail template, with its PDF, to its contact or to others. The result says"
        " whether the e-mail was sent, is queued or failed, and why. With dry_run, it shows"
        " recipients, subject, text and files. To write a message without a document, use"
        " odoo_chatter_post_message.",
        function=mail.send_document,
        access="create",
        asks="always",
        consequence="You cannot recall a sent e-mail.",
    ),
)


class MailToolset(BaseToolset):
    """Tools for e-mails with documents."""

    about = ToolsetMetadata(
        name="mail",
        description="Send documents by e-mail",
        required_modules=("mail",),
        depends_on=("core",),
        tags=("communication", "documents"),
    )
    tools = TOOLS
