"""Rows as they are written to Odoo: columns, names looked up, values checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.importing.cells import CellError, Named, cell_value, external_or_id
from odoo_toolkit.records.importing.columns import Column, columns_of, key_columns
from odoo_toolkit.records.importing.relations import Found, look_up, pick
from odoo_toolkit.records.importing.sending import Row
from odoo_toolkit.records.importing.silence import SILENT, loud_fields
from odoo_toolkit.records.importing.tables import REASON, CsvFormat, rows_of
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.writing import ALLOW_READONLY, check_readonly
from odoo_toolkit.values import FieldsOf, to_wire

#: Rows that the policy is asked about at a time.
_JUDGED = 1000

Empty = Literal["clear", "ignore"]
"""What an empty cell does: it empties the field, or leaves it alone."""


@attrs.frozen(kw_only=True)
class Prepared:
    """The rows of an import, before anything was asked about the records that they are about.

    Attributes:
        context: of what is read.
        writing: of what is written.
        key: the fields that tell which record a row is; empty where all rows are new.
        written: how the file is written that they come from, if they do.
        headers: field -> column.
    """

    rows: list[Row]
    columns: list[Column]
    key: list[Column]
    described: Mapping[str, Field]
    context: Record
    writing: Record
    written: CsvFormat | None
    headers: Mapping[str, str]

    @property
    def relations(self) -> frozenset[str]:
        """The columns that are relations."""
        return frozenset(c.header for c in self.columns if c.field.relation)


def prepare(
    odoo: Odoo,
    model: str,
    rows: Any,
    key: str | Sequence[str] | None,
    methods: Sequence[str],
    context: Mapping[str, Any] | None,
    *,
    notify: bool,
    empty: Empty = "clear",
) -> Prepared:
    """Return rows as they are written; those that cannot be have failed.

    Args:
        odoo: the connection.
        model: that is imported into.
        rows: in any of the forms that :func:`upsert` takes.
        key: the fields that tell which record a row is; None where all rows are new.
        methods: what will be called, of ``create`` and ``write``.
        context: as the caller gave it.
        notify: whether Odoo may log the changes and send e-mails.
        empty: what an empty cell does.

    Raises:
        AccessError: the policy forbids it; nothing was looked up.
        ValidationError: a column or the key is wrong.
    """
    table, written = rows_of(rows)
    table = [{n: v for n, v in row.items() if n != REASON} for row in table]
    context = dict(context or {})
    allow_readonly = bool(context.pop(ALLOW_READONLY, False))
    _judge(odoo, model, table, methods, context)
    writing = {**context} if notify else _silent(odoo, context)
    fields_of = readable_of(odoo)
    described = fields_of(model)
    headers = list(dict.fromkeys(name for row in table for name in row))
    columns = columns_of(model, headers, described, fields_of)
    keys = key_columns(model, key, columns) if key is not None else []
    _check_columns(odoo, model, columns, keys, methods, described, allow_readonly)
    if not notify:
        _check_loud(odoo, model, columns)
    prepared = [Row(number=number, given=row) for number, row in enumerate(table, 1)]
    cells = _cells(prepared, columns, keys, written, empty)
    named = {name for row in cells.values() for value in row.values() for name in _named(value)}
    found = look_up(odoo, sorted(named, key=repr), fields_of, context) if named else {}
    for row in prepared:
        if row.failure is None:
            _finish(row, cells[row.number], model, columns, found, described, fields_of)
    return Prepared(
        rows=prepared,
        columns=columns,
        key=keys,
        described=described,
        context=context,
        writing=writing,
        written=written,
        headers={column.field.name: column.header for column in columns},
    )


def _judge(
    odoo: Odoo,
    model: str,
    table: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    context: Mapping[str, Any],
) -> None:
    """Ask the policy about the rows as they were given: what is closed is never looked up.

    Raises:
        AccessError: a row names what is closed, or the model may not be written.
    """
    for start in range(0, len(table), _JUDGED):
        chunk = [dict(row) for row in table[start : start + _JUDGED]]
        for method in methods:
            ids, name = (None, "vals_list") if method == "create" else ((), "vals")
            # Values are judged alike whichever of the two they are for.
            arguments = {name: chunk if method == methods[0] else {}}
            call = Call(model=model, method=method, ids=ids, arguments=arguments, context=context)
            try:
                odoo.check(call)
            except AccessError as error:
                error.message += " Nothing was imported."
                raise


def _silent(odoo: Odoo, context: Mapping[str, Any]) -> Record:
    if odoo.policy.mode != "full":
        raise AccessError(
            f"In {odoo.policy.mode} mode Odoo cannot be kept from logging the changes and sending"
            " the e-mails that it does for changes made by hand.",
            code="MODE_VIOLATION",
            suggestion="Give notify=True if that is all right.",
            details={"field": "notify", "mode": odoo.policy.mode},
        )
    return {**SILENT, **context}


def _check_columns(
    odoo: Odoo,
    model: str,
    columns: Sequence[Column],
    keys: Sequence[Column],
    methods: Sequence[str],
    described: Mapping[str, Field],
    allow_readonly: bool,
) -> None:
    """Refuse columns that are never written, before anything is looked up."""
    for column in columns:
        if column.is_id and column not in keys:
            raise column.wrong(
                "tells which record a row is, and is not the key",
                f"Give key={column.header!r}, or leave the column out.",
            )
    names = [column.field.name for column in columns if column not in keys]
    # Odoo's own fields are refused whatever their value.
    to_wire(
        dict.fromkeys(names),
        model,
        described,
        fields_of=odoo.schema.fields,
    )
    if "write" in methods and not allow_readonly:
        check_readonly(odoo, model, dict.fromkeys(names), described)


def _check_loud(odoo: Odoo, model: str, columns: Sequence[Column]) -> None:
    major = odoo.version.major
    if loud := loud_fields(model, [column.field.name for column in columns], major):
        raise ValidationError(
            f"Odoo {major} sends an e-mail whenever {', '.join(loud)} of {model} is written;"
            " nothing holds it back.",
            suggestion=f"Leave {', '.join(loud)} out, or give notify=True.",
            details={"model": model, "fields": loud},
        )


def _cells(
    rows: Sequence[Row],
    columns: Sequence[Column],
    keys: Sequence[Column],
    written: CsvFormat | None,
    empty: Empty,
) -> dict[int, dict[str, Any]]:
    """Return what the cells of each row mean, by column; a row with a wrong one fails."""
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        values: dict[str, Any] = {}
        for column in columns:
            if column.header not in row.given:
                continue
            value = row.given[column.header]
            if empty == "ignore" and column not in keys and value in (None, "", []):
                continue
            try:
                if column.is_id:
                    values[column.header] = external_or_id(value, column)
                else:
                    values[column.header] = cell_value(value, column, written)
            except CellError as error:
                row.fail(error.reason, column=column.header, code=error.code)
                break
        found[row.number] = values
    return found


def _named(value: Any) -> Iterator[Named]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Named):
            yield item


def _finish(
    row: Row,
    cells: Mapping[str, Any],
    model: str,
    columns: Sequence[Column],
    found: Found,
    described: Mapping[str, Field],
    fields_of: FieldsOf,
) -> None:
    """Put the values of a row together as they are written, or note why it fails."""
    meant: dict[str, Any] = {}
    headers: dict[str, str] = {}
    for column in columns:
        if column.header not in cells:
            continue
        value = cells[column.header]
        if column.is_id:
            row.id, row.external_id = (value, None) if isinstance(value, int) else (None, value)
            continue
        headers[column.field.name] = column.header
        try:
            if isinstance(value, list):
                value = [pick(item, found) if isinstance(item, Named) else item for item in value]
            elif isinstance(value, Named):
                value = pick(value, found)
            _check_required(value, column)
        except CellError as error:
            row.fail(
                error.reason, column=column.header, code=error.code, candidates=error.candidates
            )
            return
        meant[column.field.name] = value
    try:
        row.values = to_wire(meant, model, described, fields_of=fields_of)
    except OdooError as error:
        name = str(error.details.get("field", "")).partition("[")[0]
        reason = f"{error.message} {error.suggestion}"
        row.fail(reason, column=headers.get(name), code=error.code)


def _check_required(value: Any, column: Column) -> None:
    field = column.field
    if field.required and field.type != "boolean" and value in (None, "", []):
        raise CellError(
            f"{field.name} is required, and is empty here.", code="MISSING_REQUIRED_FIELD"
        )
