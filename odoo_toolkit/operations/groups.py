"""Whether the connected user is in a group: Odoo hides records of others without saying so."""

from __future__ import annotations

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo


def in_group(odoo: Odoo, group: str, *, acts_on: str) -> bool:
    """Return whether the connected user is in a group; one round trip.

    Args:
        odoo: the connection.
        group: its external id.
        acts_on: the model of the operation, by which lists of models judge the question.
    """
    call = Call(
        model="res.users",
        method="has_group",
        # To 17 it is a method of the model, and means the connected user.
        ids=(odoo.uid,) if odoo.version.major >= 18 else None,
        arguments={"group_ext_id": group},
        access="read",
        acts_on=acts_on,
        step=True,
    )
    return bool(odoo.call(call))
