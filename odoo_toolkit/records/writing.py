"""Creating, changing and deleting records of any model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import Context, JsonSchema, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.call import Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.records.arguments import Ids, checked_ids, describe, readable_of
from odoo_toolkit.records.results import CreateResult, Record, UnlinkResult, WriteResult
from odoo_toolkit.values import to_wire

#: The context key by which a caller insists on writing a readonly field (REQ-04-14).
ALLOW_READONLY = "allow_readonly"


def create(
    odoo: Odoo,
    model: Model,
    values: Annotated[
        Mapping[str, Any] | Sequence[Mapping[str, Any]],
        JsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}),
        Doc(
            "Field values, or a list of them for several records. Many2one: an id. One2many and"
            " many2many: commands [0,0,{values}] create, [1,id,{values}] update, [2,id] delete,"
            " [3,id] unlink, [4,id] link, [5] clear, [6,0,[ids]] set."
        ),
    ],
    context: Context = None,
) -> CreateResult:
    """Create a record, or several in one call that succeeds or fails as a whole.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        values: field values; a list of them creates several records. Dates are ISO strings or
            Python dates, a many2one is an id, a list of ids sets a many2many, and one2many lines
            are commands such as ``[0, 0, {...}]``.
        context: extends the base context.

    Raises:
        ValidationError: a field or value is wrong; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    several = not isinstance(values, Mapping)
    rows: list[Any] = list(values) if several else [values]
    if not rows:
        raise ValidationError("There are no values.", suggestion="Give the values of the record.")
    described = describe(odoo, model, "create", {"vals_list": rows}, context)
    wire = [to_wire(row, model, described, fields_of=readable_of(odoo)) for row in rows]
    answer = odoo.call(
        Call(model=model, method="create", arguments={"vals_list": wire}, context=context or {})
    )
    ids = answer if isinstance(answer, list) else [answer]
    if several:
        message = f"Created {len(ids)} {model} records: {', '.join(map(str, ids))}"
        return CreateResult(
            id=ids[0] if len(ids) == 1 else None, model=model, message=message, ids=ids
        )
    message = f"Created {model} record with ID {ids[0]}"
    return CreateResult(id=ids[0], model=model, message=message)


def write(
    odoo: Odoo,
    model: Model,
    ids: Annotated[Ids, Len(1, 100), Doc("Record ids.")],
    values: Annotated[
        Mapping[str, Any],
        JsonSchema({"type": "object"}),
        Doc("The fields to change; forms as in odoo_core_create."),
    ],
    context: Annotated[
        Context, Doc(f"Odoo context; {ALLOW_READONLY}: true also writes readonly fields.")
    ] = None,
) -> WriteResult:
    """Change fields of existing records; all of them or none; one round trip.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        ids: records to change.
        values: the fields to change, forms as in :func:`create`.
        context: extends the base context; ``allow_readonly: true`` in it also writes fields that
            the model declares readonly. It is not sent.

    Raises:
        ValidationError: a field or value is wrong, or a field is readonly; nothing was written.
        NotFoundError: a record does not exist; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    ids = checked_ids(ids)
    context = dict(context or {})
    allow_readonly = bool(context.pop(ALLOW_READONLY, False))
    described = describe(odoo, model, "write", {"vals": values}, context, ids)
    wire = to_wire(values, model, described, fields_of=readable_of(odoo))
    if not wire:
        raise ValidationError("There are no values.", suggestion="Give the fields to change.")
    if not allow_readonly:
        _check_readonly(model, wire, described)
    odoo.call(Call(model=model, method="write", ids=ids, arguments={"vals": wire}, context=context))
    message = f"Updated {len(ids)} {model} record(s)"
    return WriteResult(success=True, model=model, ids=list(ids), message=message)


def unlink(
    odoo: Odoo,
    model: Model,
    ids: Annotated[Ids, Len(1, 50), Doc("Record ids.")],
    context: Context = None,
) -> UnlinkResult:
    """Delete records; all of them or none; one round trip.

    Raises:
        NotFoundError: a record does not exist; nothing was deleted.
        ConstraintError: other records refer to one of them; nothing was deleted.
        AccessError: Odoo or the policy does not allow it.
    """
    ids = checked_ids(ids)
    odoo.call(Call(model=model, method="unlink", ids=ids, context=context or {}))
    message = f"Deleted {len(ids)} {model} record(s)"
    return UnlinkResult(success=True, model=model, deleted_ids=list(ids), message=message)


def _check_readonly(model: str, wire: Record, described: Mapping[str, Field]) -> None:
    # To Odoo 16 a field may be readonly in some states only; the server judges those.
    readonly = [
        name for name in wire if described[name].readonly and not described[name].state_dependent
    ]
    if readonly:
        raise ValidationError(
            f"Readonly on {model}: {', '.join(readonly)}. Odoo computes these or changes them by"
            " its own actions.",
            suggestion="Change the fields they depend on or use the business operation; to insist,"
            f" pass context {{'{ALLOW_READONLY}': true}}.",
            details={"model": model, "fields": readonly},
        )
