"""What the record functions check and look up before they send anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.call import Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field, unknown_field_error

Ids = Annotated[Sequence[int], JsonSchema({"type": "array", "items": {"type": "integer"}})]


def describe(
    odoo: Odoo,
    model: str,
    method: str,
    arguments: Mapping[str, Any],
    context: Mapping[str, Any] | None,
    ids: Sequence[int] | None = None,
) -> dict[str, Field]:
    """Ask the policy about a call as the caller worded it, then describe the model's fields.

    Asked before the arguments are checked against the schema, so that what is blocked is refused
    as such and never explained.
    """
    call = Call(model=model, method=method, ids=ids, arguments=arguments, context=context or {})
    odoo.check(call)
    return readable_of(odoo)(model)


def readable_of(odoo: Odoo) -> Callable[[str], dict[str, Field]]:
    """Return the function that describes a model's fields as far as the policy shows them."""
    return lambda model: odoo.policy.readable_fields(model, odoo.schema.fields(model))


def known(model: str, fields: Sequence[str], described: Mapping[str, Field]) -> list[str]:
    """Return field names without repetitions, or raise INVALID_FIELD for those that are none."""
    names = list(dict.fromkeys(fields))
    unknown = [name for name in names if name not in described]
    if unknown:
        raise unknown_field_error(model, unknown, described)
    return names


def checked_ids(ids: Sequence[int]) -> tuple[int, ...]:
    """Return record ids without repetitions, or raise for what is none."""
    if isinstance(ids, int) and not isinstance(ids, bool):
        ids = [ids]
    if not isinstance(ids, (list, tuple)):
        raise ValidationError("ids must be a list of record ids.", suggestion="Give e.g. [42].")
    for item in ids:
        # True is an int in Python, and would be taken for record 1.
        if isinstance(item, bool) or not isinstance(item, int) or item < 1:
            raise ValidationError(
                f"{item!r} is not a record id.", suggestion="Ids are whole numbers from 1 on."
            )
    if not ids:
        raise ValidationError("There are no ids.", suggestion="Give the ids of the records.")
    return tuple(dict.fromkeys(ids))


def with_bin_size(
    described: Mapping[str, Field], fields: Sequence[str], context: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Have Odoo answer sizes instead of binary content, unless content was asked for by name."""
    if any(described[name].type == "binary" for name in fields if name in described):
        return dict(context or {})
    return {"bin_size": True, **(context or {})}
