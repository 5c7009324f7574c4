"""Documents sent by e-mail."""

from odoo_toolkit.mail.outcome import Delivery
from odoo_toolkit.mail.recipients import Recipient
from odoo_toolkit.mail.sending import MailPlan, SentMail, send_document

__all__ = ["Delivery", "MailPlan", "Recipient", "SentMail", "send_document"]
