"""When records were last changed."""

from __future__ import annotations

from collections.abc import Iterable

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError


def last_changes(odoo: Odoo, model: str, ids: Iterable[int]) -> dict[int, str]:
    """Return when records were last changed, archived ones, too; one round trip.

    Those that are not there, or that the user may not see, are left out.

    Args:
        odoo: the connection.
        model: such as ``sale.order``.
        ids: of the records.

    Raises:
        ValidationError: the model does not keep it.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    if refusal := odoo.policy.model_problem(model, "read"):
        raise refusal
    field = odoo.schema.fields(model).get("write_date")
    if field is None or not field.store:
        raise ValidationError(
            f"{model} does not keep when its records were last changed (write_date).",
            suggestion="Read the records again when you need them.",
            details={"model": model},
        )
    call = Call(
        model=model,
        method="search_read",
        arguments={"domain": [["id", "in", sorted(set(ids))]], "fields": ["write_date"]},
        context={"active_test": False},
        step=True,
    )
    return {row["id"]: row["write_date"] for row in odoo.call(call)}
