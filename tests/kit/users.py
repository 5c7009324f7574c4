"""What tests do to users of a server, which a protected connection does not."""

from __future__ import annotations

from odoo_toolkit import Odoo, Policy, read, write
from tests.kit.live_tapes import Open


def set_email(admin: Odoo, uid: int, email: str) -> None:
    """Give a user of a server an e-mail address."""
    with Odoo(admin.settings, policy=Policy(protect=False)) as odoo:
        _write_email(odoo, uid, email)


def take_email(opened: Open, odoo: Odoo, email: str) -> None:
    """Give the user of a connection an e-mail address, in a test that can be played."""
    _write_email(opened("unguarded", policy=Policy(protect=False)), odoo.uid, email)


def _write_email(unguarded: Odoo, uid: int, email: str) -> None:
    (row,) = read(unguarded, "res.users", [uid], ["partner_id"]).records
    write(unguarded, "res.partner", [row["partner_id"]["id"]], {"email": email})
