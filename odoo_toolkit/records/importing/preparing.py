"""Rows as they are written to Odoo: columns, names looked up, values checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import attrs

from odoo_toolkit.arguments import to_wire
from odoo_toolkit.arguments.contexts import checked_context
from odoo_toolkit.call import Call, default_access
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError, invalid
from odoo_toolkit.fields import RELATIONAL, Field, FieldsOf
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.importing.cells import Named, reader_of
from odoo_toolkit.records.importing.columns import Column, columns_of, key_columns
from odoo_toolkit.records.importing.missing import Missing, missing_of
from odoo_toolkit.records.importing.relations import Found, absent_ids, look_up, pick
from odoo_toolkit.records.importing.sending import Row
from odoo_toolkit.records.importing.tables import REASON, CsvFormat, rows_of
from odoo_toolkit.records.importing.texts import CellError
from odoo_toolkit.records.progress_bar import Progress
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.writing import ALLOW_READONLY, check_readonly
from odoo_toolkit.values.scalars import is_id

#: Rows that the policy is asked about at a time.
_JUDGED = 1000

Empty = Literal["clear", "ignore"]
"""What an empty cell does: it empties the field, or leaves it alone."""


@attrs.frozen(kw_only=True)
class Meant:
    """How rows are imported, as the caller says: arguments of :func:`upsert`."""

    columns: Mapping[str, str | None]
    values: Mapping[str, Mapping[str, Any]]
    constants: Mapping[str, Any]
    create_missing: Sequence[str]
    context: Mapping[str, Any] | None
    dry_run: bool
    notify: bool
    empty: Empty = "ignore"
    case_sensitive: bool = True
    batch: int
    concurrency: int = 1
    progress: bool | Progress | None


@attrs.frozen(kw_only=True)
class Prepared:
    """The rows of an import, before anything was asked about the records that they are about.

    Attributes:
        context: of what is read.
        writing: of what is written.
        key: the fields that tell which record a row is; empty where all rows are new.
        written: how the file is written that they come from, if they do.
        headers: field -> column.
        missing: the records that rows name and that are not there, to be created.
        warnings: what is to be known.
        needs: what it takes to write the rows, where the mode does not allow it.
        digits: decimals that Odoo keeps of columns, once the records are compared.
    """

    rows: list[Row]
    columns: list[Column]
    key: list[Column]
    described: Mapping[str, Field]
    context: Record
    writing: Record
    written: CsvFormat | None
    headers: Mapping[str, str]
    missing: Missing
    warnings: list[str]
    needs: str | None = None
    digits: dict[str, int] = attrs.Factory(dict)

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
    meant: Meant,
) -> Prepared:
    """Return rows as they are written; those that cannot be have failed.

    Args:
        odoo: the connection.
        model: that is imported into.
        rows: in any of the forms that :func:`upsert` takes.
        key: the fields that tell which record a row is; None where all rows are new.
        methods: what will be called, of ``create`` and ``write``.
        meant: what the caller says of them; a dry run is allowed in any mode.

    Raises:
        AccessError: the policy forbids it; nothing was looked up.
        ValidationError: a column or the key is wrong.
    """
    table, written = rows_of(rows)
    table = [{n: v for n, v in row.items() if n != REASON} for row in table]
    context, planned = checked_context(meant.context), meant.dry_run
    allow_readonly = bool(context.pop(ALLOW_READONLY, False))
    _judge(odoo, model, table, methods, context, meant)
    writing = {**context} if meant.notify or planned else _silent(odoo, context)
    fields_of = readable_of(odoo)
    described = fields_of(model)
    headers = list(dict.fromkeys(name for row in table for name in row))
    columns = columns_of(model, headers, described, fields_of, meant.columns, meant.constants)
    keys = key_columns(model, key, columns) if key is not None else []
    _check_columns(odoo, model, columns, keys, methods, described, allow_readonly)
    warnings: list[str] = []
    if not meant.notify:
        # The key is not written to records that there are, and new ones are made without e-mails.
        _check_loud(
            odoo, model, [column for column in columns if column not in keys], planned, warnings
        )
    needs: str | None = None
    missing = missing_of(model, meant.create_missing, columns, fields_of, warnings)
    missing.check(odoo, context, planned)
    if planned:
        calls = [(model, method) for method in methods]
        needs = _needs(odoo, [*calls, *((name, "create") for name, _ in missing.fields)])
    prepared = [Row(number=number, given=row) for number, row in enumerate(table, 1)]
    cells = _cells(prepared, columns, keys, written, meant, warnings)
    named = dict.fromkeys(
        name
        for row in cells
        for value in row.values()
        for name in (value if isinstance(value, list) else (value,))
        if isinstance(name, Named)
    )
    found = look_up(odoo, named, fields_of, context) if named else {}
    absent = _absent(odoo, columns, cells, context)
    for row, meaning in zip(prepared, cells, strict=True):
        _finish(row, meaning, model, columns, found, absent, missing, described, fields_of)
    missing.check(odoo, context, planned)
    return Prepared(
        rows=prepared,
        columns=columns,
        key=keys,
        described=described,
        context=context,
        writing=writing,
        written=written,
        headers={column.field.name: column.header for column in columns},
        missing=missing,
        warnings=warnings,
        needs=needs,
    )


def _judge(
    odoo: Odoo,
    model: str,
    table: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    context: Mapping[str, Any],
    meant: Meant,
) -> None:
    """Ask the policy about the rows as they were given: what is closed is never looked up.

    Raises:
        AccessError: a row names what is closed, or the model may not be written.
    """
    paths = meant.columns
    said: list[dict[str, Any]] = [dict(meant.constants)] if meant.constants else []
    for name, values in meant.values.items():
        if isinstance(values, Mapping):
            said += [{str(paths.get(name) or name): value} for value in values.values()]
    for start in range(0, len(table), _JUDGED):
        chunk = [dict(row) for row in table[start : start + _JUDGED]]
        if paths:
            chunk = [
                {str(paths.get(n, n)): v for n, v in row.items() if paths.get(n, n) is not None}
                for row in chunk
            ]
        for method in methods:
            ids, name = (None, "vals_list") if method == "create" else ((), "vals")
            # Values are judged alike whichever of the two they are for.
            arguments = {name: [*said, *chunk]} if method == methods[0] else {}
            call = Call(model=model, method=method, ids=ids, arguments=arguments, context=context)
            try:
                odoo.check(call, planned=meant.dry_run)
            except AccessError as error:
                error.message = f"{error.message.rstrip('.')}. Nothing was imported."
                raise


def _needs(odoo: Odoo, calls: Iterable[tuple[str, str]]) -> str | None:
    """Return what it takes to write, where the mode forbids one of these models and methods."""
    for model, method in calls:
        refusal = odoo.policy.model_problem(model, default_access(method))
        if refusal is not None:
            return f"{refusal.message.rstrip('.')}. {refusal.suggestion}"
    return None


def _silent(odoo: Odoo, context: Mapping[str, Any]) -> Record:
    if odoo.policy.mode != "full":
        raise AccessError(
            f"In {odoo.policy.mode} mode, Odoo logs changes and sends e-mails as for changes by "
            "hand.",
            code="MODE_VIOLATION",
            suggestion="If you accept that, pass notify=True.",
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
                f"Pass key={column.header!r}, or omit the column.",
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


def _check_loud(
    odoo: Odoo, model: str, columns: Sequence[Column], planned: bool, warnings: list[str]
) -> None:
    """Refuse columns that send e-mails; a plan, which sends none, warns of them.

    Raises:
        ValidationError: there are such columns.
    """
    major = odoo.version.major
    if loud := loud_fields(model, [column.field.name for column in columns], major):
        problem = (
            f"Odoo {major} always sends an e-mail when {', '.join(loud)} of {model} is written."
        )
        suggestion = f"Omit {', '.join(loud)}, or pass notify=True."
        if planned:
            warnings.append(f"{problem} {suggestion}")
            return
        raise ValidationError(
            problem, suggestion=suggestion, details={"model": model, "fields": loud}
        )


def _cells(
    rows: Sequence[Row],
    columns: Sequence[Column],
    keys: Sequence[Column],
    written: CsvFormat | None,
    meant: Meant,
    warnings: list[str],
) -> list[dict[str, Any]]:
    """Return what the cells of each row mean, by column; a row with wrong ones fails."""
    found: list[dict[str, Any]] = [{} for _ in rows]
    values = _values_of(columns, meant.values)
    for column in columns:
        header, said = column.header, values.get(column.header, {})
        if header in meant.constants:
            constant = _constant(column, meant.constants[header], said)
            for cells in found:
                cells[header] = constant
            continue
        present = [
            (row, cells) for row, cells in zip(rows, found, strict=True) if header in row.given
        ]
        read = reader_of(column, [row.given[header] for row, _ in present], written, said, warnings)
        ignored: tuple[Any, ...] = (
            (None, "", []) if meant.empty == "ignore" and column not in keys else ()
        )
        for row, cells in present:
            value = row.given[header]
            if ignored and value in ignored:
                continue
            try:
                cells[header] = read(value)
            except CellError as error:
                row.errors.append(error.at(header))
                row.status = "failed"
    return found


def _values_of(
    columns: Sequence[Column], values: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Return what texts stand for, by the header of their column.

    Raises:
        ValidationError: there is no such column, or no mapping for it.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for name, said in values.items():
        fits = [c for c in columns if name in (c.header, c.path, c.field.name)]
        if not fits or not isinstance(said, Mapping):
            problem = (
                "which is not a column of the rows" if not fits else "without texts to replace"
            )
            raise invalid(
                "values",
                f"values contains {name!r}, {problem}.",
                'Pass values={"country_id": {"Deutschland": "Germany"}} or '
                "similar. The columns are "
                + ", ".join(column.header for column in columns)[:300]
                + ".",
                column=name,
            )
        found[fits[0].header] = {str(text): value for text, value in said.items()}
    return found


def _constant(column: Column, value: Any, said: Mapping[str, Any]) -> Any:
    """Return what a constant means.

    Raises:
        ValidationError: it means nothing in this column.
    """
    try:
        return reader_of(column, [value], CsvFormat(decimal="."), said, [])(value)
    except CellError as error:
        raise column.wrong(
            f"cannot be the constant {value!r}", f"{error.reason} See constants=."
        ) from error


def _absent(
    odoo: Odoo,
    columns: Sequence[Column],
    cells: Sequence[Mapping[str, Any]],
    context: Mapping[str, Any],
) -> dict[str, frozenset[int]]:
    """Return the ids in cells of which there is no record, by model."""
    ids: dict[str, set[int]] = {}
    for column in columns:
        if not column.is_id and column.field.type in RELATIONAL and column.field.relation:
            values = [row[column.header] for row in cells if column.header in row]
            items = [v for value in values for v in (value if type(value) is list else [value])]
            ids.setdefault(column.field.relation, set()).update(filter(is_id, items))
    return {of: absent_ids(odoo, of, asked, context) for of, asked in ids.items() if asked}


def _finish(
    row: Row,
    cells: Mapping[str, Any],
    model: str,
    columns: Sequence[Column],
    found: Found,
    absent: Mapping[str, frozenset[int]],
    missing: Missing,
    described: Mapping[str, Field],
    fields_of: FieldsOf,
) -> None:
    """Put the values of a row together as they are written, and note all that is wrong."""
    meant: dict[str, Any] = {}
    headers: dict[str, str] = {}

    def record(value: Any, column: Column) -> Any:
        if not isinstance(value, Named):
            gone = absent.get(column.field.relation or "")
            if gone and is_id(value) and value in gone:
                raise CellError(
                    f"There is no {column.field.relation} with the id {value}.", code="NOT_FOUND"
                )
            return value
        match = found[value]
        if not match.records and missing.takes(value):
            return missing.stands_for(value, match)
        return pick(value, found)

    for column in columns:
        header = column.header
        if header not in cells:
            continue
        value = cells[header]
        if column.is_id:
            row.id, row.external_id = (None, value) if isinstance(value, str) else (value, None)
            continue
        try:
            if isinstance(value, list):
                value = _each(value, partial(record, column=column))
            else:
                value = record(value, column)
            if column.field.required:
                _check_required(value, column)
        except CellError as error:
            row.errors.append(error.at(header))
            row.status = "failed"
            continue
        meant[column.field.name] = value
        headers[column.field.name] = header
    try:
        row.values = to_wire(meant, model, described, fields_of=fields_of)
    except OdooError:
        for name, value in meant.items():
            try:
                row.values |= to_wire({name: value}, model, described, fields_of=fields_of)
            except OdooError as error:
                reason = f"{error.message} {error.suggestion}".strip()
                row.fail(reason, column=headers[name], code=error.code)


def _each(items: Sequence[Any], record: Callable[[Any], Any]) -> list[Any]:
    """Return the records of a list; those that are named twice once.

    Raises:
        CellError: of all that are not found.
    """
    found, wrong = [], []
    for item in items:
        try:
            found.append(record(item))
        except CellError as error:
            wrong.append(error)
    if wrong:
        raise CellError(
            " ".join(error.reason for error in wrong),
            code=wrong[0].code,
            candidates=[one for error in wrong for one in error.candidates],
        )
    whole = all(isinstance(item, int) for item in found)
    return list(dict.fromkeys(found)) if whole else found


def _check_required(value: Any, column: Column) -> None:
    field = column.field
    if field.type != "boolean" and value in (None, "", []):
        raise CellError(f"{field.name} is required, but empty here.", code="MISSING_REQUIRED_FIELD")


#: Context keys; found by watching what 14 to 19 send when records are made and changed.
SILENT: dict[str, bool] = {
    # No log, no tracking of changes, no followers, no e-mail on assignment.
    "tracking_disable": True,
    "mail_auto_subscribe_no_notify": True,
    "mail_create_nolog": True,
    # No invitation to a new user, to whom an activity is given, to an external attendee.
    "no_reset_password": True,
    "mail_activity_quick_update": True,
    "no_mail_to_attendees": True,
}

#: (model, field) -> versions that send an e-mail when it is written, whatever the context says.
LOUD: dict[tuple[str, str], tuple[int, ...]] = {
    ("project.task", "user_ids"): (15, 16),
    ("res.users", "password"): (17, 18, 19),
    ("res.users", "login"): (17, 18, 19),
    ("res.users", "email"): (17, 18, 19),
}


def loud_fields(model: str, fields: Iterable[str], major: int) -> list[str]:
    """Return which of the fields cannot be written without e-mails on a version."""
    return [name for name in fields if major in LOUD.get((model, name), ())]
