"""What tests do to users of a server, which a protected connection does not."""

from __future__ import annotations

from odoo_toolkit import Odoo, Policy, read, write


def set_email(admin: Odoo, uid: int, email: str) -> None:
    """Give a user an e-mail address."""
    with Odoo(admin.settings, policy=Policy(protect=False)) as odoo:
        (row,) = read(odoo, "res.users", [uid], ["partner_id"]).records
        write(odoo, "res.partner", [row["partner_id"]["id"]], {"email": email})
