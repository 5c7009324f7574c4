"""The second approval of purchase orders: who may give it."""

from __future__ import annotations

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations.documents import Row, read_rows
from odoo_toolkit.records.results import RecordName

_GROUP = ("purchase", "group_purchase_manager")
_MOST = 200


def approvers(odoo: Odoo, row: Row) -> list[RecordName]:
    """Return who may approve an order: the administrators of Purchase in its company.

    None where this user may not know; it never fails.
    """
    lookup = Call(
        model="ir.model.data",
        method="check_object_reference",
        arguments=dict(zip(("module", "xml_id"), _GROUP, strict=True)),
        access="read",
        internal=True,
    )
    try:
        group = odoo.call(lookup)[1]
        # Groups that another one implies are apart from 19 on.
        fields = odoo.schema.fields("res.users")
        groups = "all_group_ids" if "all_group_ids" in fields else "groups_id"
        domain = [[groups, "in", [group]], ["company_ids", "in", [row["company_id"].id]]]
        users = read_rows(
            odoo,
            "res.users",
            domain,
            ["name"],
            acts_on="purchase.order",
            limit=_MOST,
            active_test=True,
        )
    except OdooError:
        return []
    return [RecordName(id=user["id"], name=user["name"]) for user in users]


def who(names: list[RecordName]) -> str:
    """Return how a message calls those who may approve."""
    people = ", ".join(f"{name.name} ({name.id})" for name in names)
    return people or "an administrator of Purchase"
