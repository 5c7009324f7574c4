"""What tests do to users of a server, which a protected connection does not."""

from __future__ import annotations

from odoo_toolkit import Odoo, Policy, read, write
from tests.kit.live_tapes import Open


def take_email(opened: Open, odoo: Odoo, email: str) -> None:
    """Give the user of a connection an e-mail address, in a test that can be played."""
    unguarded = opened("unguarded", policy=Policy(protect=False))
    (row,) = read(unguarded, "res.users", [odoo.uid], ["partner_id"]).records
    write(unguarded, "res.partner", [row["partner_id"]["id"]], {"email": email})
