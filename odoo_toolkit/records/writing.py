"""Functions that create, change and delete records of any model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import Context, DryRun, JsonSchema, Model
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.arguments.compared import moves
from odoo_toolkit.arguments.contexts import checked_context
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.entries import Write
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.change_history.recording import current
from odoo_toolkit.change_history.snapshots import Rows, lines_after, lines_before, values_before
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.plans import Plan, PlannedChange, operation, planned
from odoo_toolkit.policy.tables import is_read_unasked
from odoo_toolkit.records.arguments import Ids, checked_ids, readable_of
from odoo_toolkit.records.properties import Definitions, check_new, completed
from odoo_toolkit.records.reading import name_get
from odoo_toolkit.records.reading_back import (
    ReturnFields,
    checked_return_fields,
    read_back_compared,
)
from odoo_toolkit.records.results import CreateResult, Record, UnlinkResult, WriteResult
from odoo_toolkit.records.rows import existing_ids, read
from odoo_toolkit.values.plain import plain

#: The context key by which a caller insists on writing a readonly field.
ALLOW_READONLY = "allow_readonly"

#: Most records that a plan calls by their names.
_NAMED = 10

#: How the policy names a row of several.
_ROW = re.compile(r"vals_list\[(\d+)\]")


@operation
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
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
    return_fields: ReturnFields = (),
    *,
    dry_run: DryRun = False,
) -> CreateResult | Plan:
    """Create one record, or several in one call that succeeds or fails as a whole.

    Set a date with an ISO string or a Python date, and a many2one with an id. A list of ids sets a
    many2many. Lines of a one2many are commands such as ``[0, 0, {...}]``.

    The toolkit compares your values with the stored ones. ``differences`` lists the values that
    Odoo dropped, changed or rounded, and a warning repeats them.

    If the connection breaks after the request was sent, the toolkit looks in Odoo for the records
    that this user has just created with these values. It never sends the request twice.
    :func:`write` and :func:`unlink` do the same.

    A creation takes two requests.

    Returns:
        ``id`` is the id of the first or only record, ``ids`` are the ids of all records.

    Raises:
        ValidationError: A field or value is wrong. Nothing was written. If you passed several
            records, ``details["rows"]`` has the index of the wrong one.
        AccessError: Odoo or the policy does not allow it.
        OdooError: Odoo rejected the values. Nothing was written. ``details["rows"]`` has the rows
            that caused it, if Odoo says so.
        OdooConnectionError: The connection broke, and the toolkit did not find the records.
            ``outcome`` is ``maybe_applied``.
    """
    given = plain(values)
    rows = given if isinstance(given, list) else [given]
    if not rows:
        raise ValidationError(
            "The list of values is empty.", suggestion="Pass the values of the record."
        )
    several = len(rows) > 1
    fields_of = readable_of(odoo)
    try:
        asked = Call(
            model=model, method="create", arguments={"vals_list": rows}, context=context or {}
        )
        # Before anything is checked against the schema: what is closed is never explained.
        read = odoo.check(asked, planned=dry_run).arguments["vals_list"]
    except OdooError as error:
        named = _ROW.match(str(error.details.get("named_in")))
        if several and named:
            _tell_row(error, int(named[1]))
        raise
    described, wire = fields_of(model), []
    definitions: Definitions = {}
    for index, row in enumerate(read.items):
        try:
            sent = to_wire(row, model, described, fields_of=fields_of)
            wire.append(check_new(odoo, model, sent, context or {}, fields_of, definitions))
        except OdooError as error:
            if several:
                _tell_row(error, index)
            raise
    returned = checked_return_fields(odoo, model, return_fields, context)
    call = Call(model=model, method="create", arguments={"vals_list": wire}, context=context or {})
    if dry_run:
        return planned(odoo, [call], f"Would create {_counted(len(rows), model)}.")
    warnings: list[str] = []
    try:
        ids = send(odoo, call, warnings)
    except OdooError as error:
        if several and error.outcome != "maybe_applied":
            _tell_batch(error, wire, described)
        raise
    message = f"Created {model} record with ID {ids[0]}"
    if several:
        message = f"Created {len(ids)} {model} records: {', '.join(map(str, ids))}"
    given_by_id = dict(zip(ids, wire, strict=True))
    found, different = read_back_compared(odoo, model, given_by_id, returned, context, warnings)
    return CreateResult(
        id=ids[0],
        model=model,
        message=message,
        ids=ids,
        url=odoo.links(model, ids),
        records=found,
        differences=different,
        warnings=warnings,
    )


@operation
def write(
    odoo: Odoo,
    model: Model,
    ids: Annotated[Ids, Len(1, 100), Doc("Ids of the records.")],
    values: Annotated[
        Mapping[str, Any],
        JsonSchema({"type": "object"}),
        Doc("Fields to change, as in create."),
    ],
    context: Annotated[
        Context, Doc(f"Odoo context. {ALLOW_READONLY}: true also writes readonly fields.")
    ] = None,
    return_fields: ReturnFields = (),
    *,
    dry_run: DryRun = False,
) -> WriteResult | Plan:
    """Change fields of existing records. Either all records change, or none.

    A dry run returns the values before and after in ``changes``.

    To write read-only fields, pass ``context={"allow_readonly": True}``. The toolkit does not send
    this key to Odoo.

    Properties that you do not name keep their values. If records keep different properties, they
    are written one after the other, and an error says which records were changed.

    ``differences`` lists the values that Odoo dropped, changed or rounded, as in :func:`create`. A
    warning lists other fields that Odoo changed, with the values before and after, such as a price
    after you change the quantity. For up to ten records the toolkit compares every writable field.
    For more records it compares the fields that Odoo computes from yours. It does not compare other
    records.

    A change takes three requests.

    Raises:
        ValidationError: A field or value is wrong, or a field is read-only. Nothing was written.
        NotFoundError: A record does not exist. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    ids, values = checked_ids(ids), plain(values)
    context = checked_context(context)
    allow_readonly = bool(context.pop(ALLOW_READONLY, False))
    fields_of = readable_of(odoo)
    asked = Call(model=model, method="write", ids=ids, arguments={"vals": values}, context=context)
    read = odoo.check(asked, planned=dry_run).arguments["vals"]
    described = fields_of(model)
    wire = to_wire(read, model, described, fields_of=fields_of)
    if not wire:
        raise ValidationError("The values are empty.", suggestion="Pass the fields to change.")
    if not allow_readonly:
        check_readonly(odoo, model, wire, described)
    returned = checked_return_fields(odoo, model, return_fields, context)
    warnings: list[str] = []
    call = Call(model=model, method="write", ids=ids, arguments={"vals": wire}, context=context)
    before = _check_there(odoo, call)
    # A change history takes what the records hold from the same request.
    call = attrs.evolve(call, before=before) if before and odoo.history else call
    given = completed(odoo, model, dict.fromkeys(ids, wire), context, fields_of)
    calls = _split(call, given)
    if dry_run:
        changes = _changes(odoo, call, wire, described, warnings)
        would = f"Would change {_counted(len(ids), model)}."
        return planned(odoo, calls, would, changes=changes, warnings=warnings)
    # A change history notes the lines itself.
    lines = None if odoo.history else _note_lines(odoo, call)
    _send_all(odoo, calls, warnings)
    message = f"Updated {len(ids)} {model} record(s)"
    found, different = read_back_compared(odoo, model, given, returned, context, warnings, before)
    _tell_lines(odoo, call, lines, warnings)
    return WriteResult(
        success=True,
        model=model,
        ids=list(ids),
        message=message,
        url=odoo.links(model, ids),
        records=found,
        differences=different,
        warnings=warnings,
    )


@operation
def unlink(
    odoo: Odoo,
    model: Model,
    ids: Annotated[Ids, Len(1, 50), Doc("Ids of the records.")],
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
    *,
    dry_run: DryRun = False,
) -> UnlinkResult | Plan:
    """Delete records. Either all records are deleted, or none.

    ``message`` of a dry run lists the records by name. A deletion takes two requests.

    Raises:
        NotFoundError: A record does not exist. Nothing was deleted.
        ConstraintError: Other records refer to one of them. Nothing was deleted.
        AccessError: Odoo or the policy does not allow it.
    """
    ids = checked_ids(ids)
    warnings: list[str] = []
    call = Call(model=model, method="unlink", ids=ids, context=context or {})
    odoo.check(call, planned=dry_run)
    _check_there(odoo, call)
    if dry_run:
        return planned(odoo, [call], f"Would delete {_called(odoo, call)}.")
    send(odoo, call, warnings)
    message = f"Deleted {len(ids)} {model} record(s)"
    return UnlinkResult(
        success=True, model=model, deleted_ids=list(ids), message=message, warnings=warnings
    )


def _check_there(odoo: Odoo, call: Call) -> Rows:
    """Refuse a change of records that are not all there; return what a write may change of them.

    Odoo says nothing of them: on 14 and 19 many models are "written" and "deleted" whether there
    are such records or not.

    Raises:
        NotFoundError: a record does not exist.
        AccessError: the user cannot see a record.
    """
    ids = call.ids or ()
    before = values_before(odoo, call) if call.method == "write" else {}
    found = set(before or existing_ids(odoo, call.model, ids, call.context, internal=True))
    if not (missing := [record for record in ids if record not in found]):
        return before
    # What the user cannot see is not found either; reading it says so.
    arguments = {"fields": ["display_name"]}
    read = attrs.evolve(
        call,
        method="read",
        ids=tuple(missing),
        arguments=arguments,
        access="read",
        internal=True,
    )
    odoo.call(read)
    numbers = ", ".join(map(str, missing))
    error = NotFoundError(
        f"{call.model} has no record with id {numbers}; it may have been deleted.",
        suggestion="Look it up with search_read. Nothing was changed.",
        details={"model": call.model, "missing_ids": missing},
        outcome="not_sent",
    )
    return odoo.refuse(call, error)


def _split(call: Call, given: Mapping[int, Record]) -> list[Call]:
    """Return the writes that it takes: one, but for records that keep different properties."""
    alike: dict[str, list[int]] = {}
    for number, values in given.items():
        alike.setdefault(json.dumps(values, sort_keys=True), []).append(number)
    return [
        attrs.evolve(
            call,
            ids=tuple(ids),
            arguments={"vals": given[ids[0]]},
            # Of several, only the last is read back: the change history looks at each itself.
            before=call.before if len(alike) == 1 else None,
        )
        for ids in alike.values()
    ]


def _send_all(odoo: Odoo, calls: Sequence[Call], warnings: list[str]) -> None:
    """Send writes one after the other; an error says which of them were done."""
    done: list[int] = []
    for call in calls:
        try:
            send(odoo, call, warnings)
        except OdooError as error:
            if done:
                error.message += f" Already written: {', '.join(map(str, done))}."
                error.details["written_ids"] = done
            raise
        done += call.ids or ()


def _note_lines(odoo: Odoo, call: Call) -> Write:
    """Return what a write may change of the lines that its commands name."""
    lines = lines_before(odoo, call)
    return Write(model=call.model, method=call.method, lines=lines)


def _tell_lines(odoo: Odoo, call: Call, noted: Write | None, warnings: list[str]) -> None:
    """Say what Odoo has changed of the lines besides what the commands say."""
    recording = current()
    if noted is not None:
        lines_after(odoo, call, noted)
    elif recording and recording.last and recording.last.method == "write":
        noted = recording.last
    for model in dict.fromkeys(line.model for line in noted.lines) if noted else ():
        described = readable_of(odoo)(model)
        lines = [line for line in noted.lines if line.model == model] if noted else []
        before = {n: row for line in lines for n, row in line.before.items()}
        after = {n: row for line in lines for n, row in line.after.items()}
        written = {name for line in lines for name in line.values or {}}
        names = sorted({n for row in before.values() for n in row} & described.keys() - written)
        if told := moves(before, after, names, described):
            warnings.append(f"{model}: {told}")


def _changes(
    odoo: Odoo,
    call: Call,
    wire: Record,
    described: Mapping[str, Field],
    warnings: list[str],
) -> list[PlannedChange]:
    """Return what the records hold now, and would hold, by name; without the content of files.

    One round trip, and one for each model of which another record is linked.
    """
    shown = [name for name in wire if is_read_unasked(call.model, described[name])]
    asked = [*shown, *({"display_name"} & described.keys())]
    now = read(odoo, odoo.options, call.model, call.ids or (), asked or ["id"], call.context)
    warnings += now.warnings
    then = {name: _linked(odoo, described[name], wire[name]) for name in shown}
    labels = {name: dict(described[name].selection) for name in shown}
    return [
        PlannedChange(
            id=row["id"],
            field=name,
            before=row[name],
            after=then[name],
            name=row.get("display_name"),
            before_label=labels[name].get(row[name]) if labels[name] else None,
            after_label=labels[name].get(wire[name]) if labels[name] else None,
        )
        for row in now.records
        for name in shown
        if name in row
    ]


def _linked(odoo: Odoo, field: Field, value: Any) -> Any:
    """Return a value that would be written, as it is read: a record with its name."""
    if field.type != "many2one" or not value or not field.relation:
        return value
    try:
        (found,) = name_get(odoo, field.relation, [value]).names
    except (OdooError, ValueError):
        # Its model may be closed; that it is written is not.
        return value
    return {"id": found.id, "name": found.name}


def _counted(number: int, model: str) -> str:
    return f"{number} {model} record" + ("s" if number > 1 else "")


def _called(odoo: Odoo, call: Call) -> str:
    """Return how the first records of a call are called, and how many there are."""
    ids = call.ids or ()
    shown = name_get(odoo, call.model, ids[:_NAMED]).names
    named = ", ".join(f"{record.name} ({record.id})" for record in shown)
    return f"{_counted(len(ids), call.model)}: {named}" + (", ..." if ids[_NAMED:] else "")


def _tell_row(error: OdooError, index: int) -> None:
    """Say which of several rows an error is about."""
    error.message = f"values[{index}]: {error.message}"
    error.details["rows"] = [index]


def _tell_batch(error: OdooError, rows: list[Record], described: Mapping[str, Field]) -> None:
    """Say that a refused batch has made nothing, and which rows the refusal can be about."""
    error.message += f" None of the {len(rows)} records was created."
    field, missing = error.details.get("field"), error.details.get("missing_ids", ())
    found: list[int] = []
    if field and error.code in ("MISSING_REQUIRED_FIELD", "CHECK_CONSTRAINT"):
        found = [index for index, row in enumerate(rows) if _lacks(row, field)]
    elif field and error.code == "FK_VIOLATION":
        found = [index for index, row in enumerate(rows) if not _lacks(row, field)]
    elif missing:
        relation = error.details.get("model")
        links = [name for name, known in described.items() if known.relation == relation]
        found = [i for i, row in enumerate(rows) if any(row.get(name) in missing for name in links)]
    # Where all rows are alike in that, it says nothing.
    if 0 < len(found) < len(rows):
        error.details["rows"] = found
        error.message += f" The error is in {', '.join(f'values[{index}]' for index in found)}."


def _lacks(row: Record, field: str) -> bool:
    return row.get(field) in (None, "") or row[field] is False


def check_readonly(odoo: Odoo, model: str, wire: Record, described: Mapping[str, Field]) -> None:
    """Refuse to write fields that the model declares readonly.

    Raises:
        ValidationError: one is.
        AccessError: all are, because this user cannot write the model.
    """
    # To Odoo 16 a field may be readonly in some states only; the server judges those.
    readonly = [
        name for name in wire if described[name].readonly and not described[name].state_dependent
    ]
    if not readonly:
        return
    # To Odoo 15, all fields are said to be readonly where the right to write is missing.
    everything = all(field.readonly for field in described.values())
    if everything and not odoo.schema.may(model, "write"):
        raise AccessError(
            f"This user cannot change records of {model}.",
            suggestion="Connect as a user with this permission, or give it to this user in Odoo.",
            details={"model": model, "operation": "write"},
        )
    raise ValidationError(
        f"These fields of {model} are read-only: {', '.join(readonly)}. Odoo computes them, or "
        "changes them through actions.",
        suggestion="Change the fields they depend on, or use the business operation. To write "
        f"them anyway, pass context {{'{ALLOW_READONLY}': true}}.",
        details={"model": model, "fields": readonly},
    )
