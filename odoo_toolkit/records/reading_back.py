"""What was written, read back into the same result, so that nobody has to ask for it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import Fields
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records import rows
from odoo_toolkit.records.arguments import describe, known, listed_fields
from odoo_toolkit.records.results import Record

ReturnFields = Annotated[Fields, Doc("Fields to read back.")]

#: What tells which record it is and how far it has come; those of them that a model has are read.
NAMES_AND_STATES = ("display_name", "state", "stage_id", "payment_state")

#: Records that are read back at most.
_MOST = 100


def checked_return_fields(
    odoo: Odoo, model: str, fields: Sequence[str], context: Mapping[str, Any] | None
) -> list[str]:
    """Return the names of the fields to read back, before anything is written.

    Raises:
        ValidationError: there is no such field.
        AccessError: the policy does not let it be read.
    """
    names = listed_fields(fields)
    lenient = tuple(names) == NAMES_AND_STATES
    if not names:
        return []
    asked: list[str] = [] if lenient else names
    described = describe(odoo, model, "read", {"fields": asked}, context, ())
    if lenient:
        return [name for name in names if name in described]
    return names if "*" in names else known(model, names, described)


def read_back(
    odoo: Odoo,
    model: str,
    ids: Sequence[int],
    fields: Sequence[str],
    context: Mapping[str, Any] | None,
    warnings: list[str],
) -> list[Record]:
    """Return records as they are now; one round trip, none without fields.

    What was done stays done: where they cannot be read, a warning says so.
    """
    if not fields or not ids:
        return []
    try:
        found = rows.read(odoo, odoo.options, model, ids[:_MOST], fields, context)
    except OdooError as error:
        warnings.append(f"It is done, but cannot be read back: {error.message}")
        return []
    if len(ids) > _MOST:
        warnings.append(f"The first {_MOST} of {len(ids)} records were read back.")
    if found.missing_ids:
        missing = ", ".join(map(str, found.missing_ids))
        warnings.append(f"Gone, or not to be seen by this user: {model} {missing}.")
    if found.skipped_fields:
        warnings.append(f"This user may not read: {', '.join(found.skipped_fields)}.")
    return found.records
