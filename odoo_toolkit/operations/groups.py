"""Whether the connected user is in a group: Odoo hides records of others without saying so."""

from __future__ import annotations

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo


def in_group(odoo: Odoo, group: str, *, acts_on: str | None) -> bool:
    """Return whether the connected user is in a group; one round trip.

    Args:
        odoo: the connection.
        group: its external id.
        acts_on: the model of the operation, by which lists of models judge the question; None
            where the toolkit asks for itself, and tells nobody.
    """
    call = Call(
        model="res.users",
        method="has_group",
        # To 17 it is a method of the model, and means the connected user.
        ids=(odoo.uid,) if odoo.version.major >= 18 else None,
        arguments={"group_ext_id": group},
        access="read",
        acts_on=acts_on,
        step=acts_on is not None,
        internal=acts_on is None,
    )
    return bool(odoo.call(call))
