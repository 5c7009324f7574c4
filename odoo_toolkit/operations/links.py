"""Records that an operation links to another one: found by name, or looked for by id."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from odoo_toolkit.call import asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.records.names import Wanted, resolve_all

USER = "res.users"


def linked_ids(
    odoo: Odoo, wanted: Sequence[Wanted], taken: Sequence[Wanted] = ()
) -> list[int | None]:
    """Return the ids of the records meant, in order; None for what is given neither way.

    Odoo itself tells of a missing one by a key of the database, or not at all, and takes users
    who left. So what is given by id is looked for: one round trip for each model.

    Args:
        odoo: the connection.
        wanted: what was meant, by id or by name.
        taken: more of it, whose ids are taken as they are; theirs follow.

    Raises:
        AmbiguousNameError: a name matches several.
        NotFoundError: there is no such record for this user, or the user meant is not active.
        ValidationError: both were given, or what is no id.
    """
    ids = resolve_all(odoo, [*wanted, *taken], required=False)
    look_for(odoo, wanted)
    return ids


def look_for(odoo: Odoo, wanted: Sequence[Wanted]) -> None:
    """Look for what is given by id; one round trip for each model.

    Raises:
        NotFoundError: there is no such record for this user, or the user meant is not active.
    """
    by_model: dict[str, list[Wanted]] = {}
    for item in wanted:
        if item.id is not None:
            by_model.setdefault(item.model, []).append(item)
    side_by_side([partial(_check, odoo, items) for items in by_model.values()])


def _check(odoo: Odoo, items: Sequence[Wanted]) -> None:
    model = items[0].model
    call = asking(
        model,
        "search",
        context={"active_test": model == USER},
        domain=[["id", "in", [item.id for item in items]]],
    )
    found: list[int] = odoo.call(call)
    for item in items:
        if item.id not in found:
            kind = "active user" if model == USER else f"{model} record"
            raise NotFoundError(
                f"There is no {kind} with id {item.id} ({item.field}), or this user cannot see it.",
                suggestion=f"Look for it with search_read on {model}.",
                details={"model": model, "field": item.field, "id": item.id},
            )
