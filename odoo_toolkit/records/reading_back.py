"""What was written, read back into the same result, so that nobody has to ask for it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import Fields
from odoo_toolkit.arguments.compared import Difference, comparable, differences, in_words, moves
from odoo_toolkit.change_history.recording import note_stored
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import TO_MANY
from odoo_toolkit.policy.tables import WRITING_FIELDS
from odoo_toolkit.records import rows
from odoo_toolkit.records.arguments import (
    describe,
    known,
    listed_fields,
    readable_of,
    with_bin_size,
)
from odoo_toolkit.records.numbers import numbers_stored_otherwise
from odoo_toolkit.records.results import ReadResult, Record

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
        warnings.append(f"The call succeeded, but the record cannot be read back: {error.message}")
        return []
    if len(ids) > _MOST:
        warnings.append(f"The first {_MOST} of {len(ids)} records were read back.")
    _tell(model, found, found.skipped_fields, warnings)
    return found.records


def read_back_compared(
    odoo: Odoo,
    model: str,
    given: Mapping[int, Mapping[str, Any]],
    fields: Sequence[str],
    context: Mapping[str, Any] | None,
    warnings: list[str],
    before: Mapping[int, Mapping[str, Any]] | None = None,
) -> tuple[list[Record], list[Difference]]:
    """Return records as they are now, and what of the given values is stored otherwise.

    One round trip for both; a second one only where links to other records seem to be missing, as
    archived ones are not shown. A warning says what differs.

    Args:
        odoo: the connection.
        model: of the records.
        given: the values that were written, by the id of the record, as they were sent.
        fields: names of fields to return, see :func:`checked_return_fields`.
        context: of the write.
        warnings: is told what differs, and what cannot be read back.
        before: what the records held before, also in fields that were not written: what Odoo has
            changed of these is told.
    """
    ids = list(given)
    described = readable_of(odoo)(model)
    written = dict.fromkeys(name for values in given.values() for name in values)
    held = dict.fromkeys(name for row in (before or {}).values() for name in row)
    beside = [
        name
        for name in {**written, **held}
        if name in described
        and (model, name) not in WRITING_FIELDS
        and comparable(model, described[name])
    ]
    if not ids or not (fields or beside):
        return [], []
    # Of what was written, the size of files is enough.
    context = with_bin_size(described, fields, context)
    found: list[Difference] = []
    moved = ""

    def compare(sent: list[Record]) -> None:
        nonlocal moved
        stored = {row["id"]: row for row in sent}
        # First: what is noted forgets what has not moved.
        watched = [name for name in held if name in described and name not in written]
        moved = moves(before or {}, stored, watched, described)
        note_stored(odoo, stored)
        found[:] = differences(model, given, stored, described)

    try:
        names = list(dict.fromkeys([*fields, *beside]))
        read = rows.read(odoo, odoo.options, model, ids, names, context, compare)
    except OdooError as error:
        warnings.append(f"The call succeeded, but the records cannot be read back: {error.message}")
        return [], []
    _tell(model, read, [name for name in read.skipped_fields if name in fields], warnings)
    if any(described[one.field].type in TO_MANY for one in found):
        found = _without_archived(odoo, model, given, found, context)
    try:
        found += numbers_stored_otherwise(odoo, model, given, model, lines_only=True)
    except OdooError as error:
        warnings.append(f"The numbers of its lines cannot be read back: {error.message}")
    if found:
        warnings.append(in_words(found))
    if moved:
        warnings.append(moved)
    if not fields:
        return [], found
    if len(ids) > _MOST:
        warnings.append(f"The first {_MOST} of {len(ids)} records were read back.")
    hidden = set(beside) - set(fields) if "*" not in fields else set()
    records = [
        {name: value for name, value in record.items() if name not in hidden}
        for record in read.records[:_MOST]
    ]
    return records, found


def _without_archived(
    odoo: Odoo,
    model: str,
    given: Mapping[int, Mapping[str, Any]],
    found: list[Difference],
    context: Mapping[str, Any],
) -> list[Difference]:
    """Look again, with archived records, at links that seem to be missing."""
    described = readable_of(odoo)(model)
    names = list(dict.fromkeys(d.field for d in found if described[d.field].type in TO_MANY))
    ids = list(dict.fromkeys(n for d in found if d.field in names for n in d.ids))
    asked = {number: {k: v for k, v in given[number].items() if k in names} for number in ids}
    again: list[Difference] = []

    def compare(sent: list[Record]) -> None:
        again[:] = differences(model, asked, {row["id"]: row for row in sent}, described)

    try:
        rows.read(odoo, odoo.options, model, ids, names, {**context, "active_test": False}, compare)
    except OdooError:
        return found
    return [one for one in found if one.field not in names] + again


def _tell(
    model: str, found: ReadResult, skipped_fields: Sequence[str], warnings: list[str]
) -> None:
    """Say which records and fields could not be read back."""
    if found.missing_ids:
        missing = ", ".join(map(str, found.missing_ids))
        warnings.append(
            f"These records were deleted, or this user cannot see them: {model} {missing}."
        )
    if skipped_fields:
        warnings.append(f"This user cannot read: {', '.join(skipped_fields)}.")
