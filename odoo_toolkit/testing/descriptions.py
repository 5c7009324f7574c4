"""The fields of a fake server's models, written short or as ``fields_get`` tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: field -> "char", "many2one res.country", "one2many res.partner parent_id", or its description.
Fields = Mapping[str, str | Mapping[str, Any]]
Description = Mapping[str, Any]

_ALWAYS: Fields = {
    "id": {"type": "integer", "string": "ID", "store": True, "readonly": True},
    "display_name": {
        "type": "char",
        "string": "Display Name",
        "store": False,
        "searchable": True,
        "readonly": True,
    },
}
_LOG: Fields = {
    f"{done}_{what}": {"type": type_, "relation": relation, "store": True, "readonly": True}
    for done in ("create", "write")
    for what, type_, relation in (("date", "datetime", ""), ("uid", "many2one", "res.users"))
}


def described(fields: Fields, *, logged: bool = False) -> dict[str, Description]:
    """Return the description of each field of a model, as ``fields_get`` gives it.

    Args:
        fields: as they were written.
        logged: whether Odoo notes who created and changed a record, and when.
    """
    every: Fields = {**_ALWAYS, **(_LOG if logged else {}), **fields}
    return {name: _described(name, field) for name, field in every.items()}


def _described(name: str, field: str | Description) -> Description:
    if not isinstance(field, str):
        # Odoo says it of every field that is one of the model.
        return {"store": True, **field}
    type_, relation, inverse = [*field.split(), "", ""][:3]
    return {
        "type": type_,
        "string": name.removesuffix("_id").removesuffix("_ids").replace("_", " ").title(),
        **dict.fromkeys(("store", "searchable", "sortable", "groupable"), True),
        **dict.fromkeys(("required", "readonly"), False),
        **({"relation": relation} if relation else {}),
        **({"relation_field": inverse} if inverse else {}),
    }
