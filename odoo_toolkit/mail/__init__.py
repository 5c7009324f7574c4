"""Documents sent by e-mail, and printed to be kept with their record."""

from odoo_toolkit.mail.sending import send_document

__all__ = ["send_document"]
