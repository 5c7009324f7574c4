"""Which record each row of an import is about, and what is to change there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from odoo_toolkit.call import asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field, FieldsOf, computed_from
from odoo_toolkit.plans import PlannedChange
from odoo_toolkit.policy.languages import language_problem
from odoo_toolkit.records import record_refs
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.importing.columns import Column
from odoo_toolkit.records.importing.existing import changed, find, folded, key_of, read_present
from odoo_toolkit.records.importing.preparing import Prepared
from odoo_toolkit.records.importing.relations import external_ids
from odoo_toolkit.records.importing.sending import Row
from odoo_toolkit.records.properties import Definitions, completed_value, under_new_parent
from odoo_toolkit.records.properties import check_new as check_new_properties
from odoo_toolkit.records.results import Record


def match(
    odoo: Odoo, model: str, prepared: Prepared, case_sensitive: bool, named: bool = False
) -> dict[int, Record]:
    """Find the record of each row; return what these hold now, by id.

    Rows fail of which the key is empty, belongs to several records, or is that of another row,
    whatever else is wrong with them: all of it is told at once.

    Args:
        odoo: the connection.
        model: that is imported into.
        prepared: the rows.
        case_sensitive: whether texts of the key must be the same in case, too.
        named: whether to read what the records are called, for a plan.
    """
    names = [column.field.name for column in prepared.columns if column not in prepared.key]
    names += ["display_name"] if named and "display_name" not in names else []
    if prepared.key[0].is_id:
        present = _by_id(odoo, model, prepared, names)
    else:
        present = _by_fields(odoo, model, prepared, names, case_sensitive)
    same: dict[int, list[Row]] = defaultdict(list)
    for row in prepared.rows:
        if row.id is not None:
            same[row.id].append(row)
    for rows in same.values():
        _fail_alike(rows, "are about the same record", prepared)
    return present


def _by_id(odoo: Odoo, model: str, prepared: Prepared, names: Sequence[str]) -> dict[int, Record]:
    rows, column = prepared.rows, prepared.key[0]
    header = column.header
    external: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.external_id is not None:
            external[row.external_id].append(row)
        elif row.id is None and not _is_wrong(row, [column]):
            row.fail("The key is empty.", column=header, code="MISSING_REQUIRED_FIELD")
    for row in rows if external and column.by == "id" else ():
        if row.id is not None:
            row.fail(
                f"{row.id} looks like a database id, but this column contains external ids. If it "
                "is an id of this database, import the row with a column .id.",
                column=header,
            )
    for alike in external.values():
        _fail_alike(alike, "have the same key", prepared)
    known = external_ids(odoo, model, list(external)) if external else {}
    for name, alike in external.items():
        of, record_id = known.get(name, (model, None))
        for row in alike:
            if of != model:
                row.fail(
                    f"The external id {name} belongs to a record of another model.", column=header
                )
            elif record_id is not None:
                row.id = record_id
            elif record_refs.is_of_a_namesake(odoo, name):
                row.fail(
                    f"{name} identifies a record of a database with this name at another address, "
                    "which may be the same database. Connect by the address that was used for "
                    "the export, or import by another key, such as a reference.",
                    column=header,
                )
    ids = sorted({row.id for row in rows if row.id})
    present = read_present(odoo, model, ids, names, prepared.context)
    for row in rows:
        if row.id is not None and row.id not in present:
            name = f"with the external id {row.external_id}" if row.external_id else str(row.id)
            row.fail(
                f"There is no {model} {name}, or this user cannot see it.",
                column=header,
                code="NOT_FOUND",
            )
            row.id = None
    return present


def _is_wrong(row: Row, columns: Sequence[Column]) -> bool:
    """Whether what a row has in columns could not be understood."""
    headers = {column.header for column in columns}
    return any(error.column in headers for error in row.errors)


def _by_fields(
    odoo: Odoo, model: str, prepared: Prepared, names: Sequence[str], case_sensitive: bool
) -> dict[int, Record]:
    key = [column.field for column in prepared.key]
    headers = ", ".join(column.header for column in prepared.key)
    asked: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    wanted: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in prepared.rows:
        if _is_wrong(row, prepared.key) if row.errors else False:
            continue
        missing = [field.name for field in key if field.name not in row.values]
        if missing or all(_is_empty(row.values[field.name], field.type) for field in key):
            row.fail("The key is empty.", column=headers, code="MISSING_REQUIRED_FIELD")
            continue
        one = key_of(row.values, key, case_sensitive)
        asked[one].append(row)
        wanted[one] = one if case_sensitive else key_of(row.values, key, True)
    for alike in asked.values():
        _fail_alike(alike, "have the same key", prepared)
    if case_sensitive:
        _tell_alike(asked, key, headers, prepared.warnings)
    keys = [wanted[one] for one, alike in asked.items() if len(alike) == 1]
    found = find(
        odoo,
        model,
        key,
        keys,
        names,
        prepared.described,
        prepared.context,
        case_sensitive=case_sensitive,
    )
    _tell_blanks({one: rows for one, rows in asked.items() if not found.get(wanted[one])}, prepared)
    present: dict[int, Record] = {}
    for one, alike in asked.items():
        records = found.get(wanted[one], [])
        if len(alike) > 1 or not records:
            continue
        if len(records) > 1:
            ids = ", ".join(str(record["id"]) for record in records[:8])
            alike[0].fail(
                f"{len(records)} records of {model} have this key (ids {ids}). Pass a unique key, "
                "or the id.",
                column=headers,
                candidates=[{"id": record["id"], "name": ""} for record in records[:8]],
            )
        else:
            alike[0].id = records[0]["id"]
            present[records[0]["id"]] = records[0]
    return present


def _tell_alike(
    asked: Mapping[tuple[Any, ...], Sequence[Row]],
    key: Sequence[Field],
    headers: str,
    warnings: list[str],
) -> None:
    """Warn of rows whose keys differ in the case of letters or in blanks only."""
    same: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for one, rows in asked.items():
        loose = [" ".join(value.split()) if isinstance(value, str) else value for value in one]
        same[folded(tuple(loose), key)].append(rows[0])
    alike = [rows for rows in same.values() if len(rows) > 1]
    if alike:
        shown = "; ".join(" and ".join(str(row.number) for row in rows) for rows in alike[:10])
        warnings.append(
            f"In the key {headers}, rows differ only in case or spaces: "
            f"{shown}{' ...' if len(alike) > 10 else '.'} The toolkit treats each as a separate "
            "record. To ignore case, pass case_sensitive=False."
        )


def _tell_blanks(asked: Mapping[tuple[Any, ...], Sequence[Row]], prepared: Prepared) -> None:
    """Warn of keys that no record has, and that begin or end with a blank or a line end."""
    rows = [
        row.number
        for key, alike in asked.items()
        for row in alike
        if any(isinstance(value, str) and value != value.strip() for value in key)
    ]
    if rows:
        headers = ", ".join(column.header for column in prepared.key)
        shown = ", ".join(map(str, rows[:10])) + (" ..." if len(rows) > 10 else "")
        prepared.warnings.append(
            f"The key {headers} begins or ends with a space or line break in rows {shown}, and no "
            "record matches that. Remove it if it is a mistake."
        )


def _fail_alike(rows: Sequence[Row], what: str, prepared: Prepared) -> None:
    """Let rows fail that say different things of one record."""
    if len(rows) < 2:
        return
    headers = ", ".join(column.header for column in prepared.key)
    numbers = ", ".join(str(row.number) for row in rows[:20])
    numbers += f" and {len(rows) - 20} more" if len(rows) > 20 else ""
    for row in rows:
        row.fail(f"The rows {numbers} {what}: keep one of them.", column=headers)
        row.id = None


def _is_empty(value: Any, kind: str) -> bool:
    return kind not in ("boolean", "integer") and value in (False, None, "")


# What is to change -----------------------------------------------------------------------------


#: model -> a field that the database wants of new records, and what another field must hold for
#: that; ``fields_get`` does not say so.
_WANTED: dict[str, tuple[str, str, tuple[Any, ...]]] = {
    "res.partner": ("name", "type", ("contact", False)),
}


def compare(
    odoo: Odoo, model: str, prepared: Prepared, present: Mapping[int, Record], creates: bool
) -> list[PlannedChange]:
    """Leave in each row of a record that there is what is to change there; return the changes.

    Args:
        odoo: the connection.
        model: that is imported into.
        prepared: the rows, matched.
        present: what their records hold now, by id.
        creates: whether rows without a record become one; else they fail.
    """
    keys = {column.field.name for column in prepared.key}
    prepared.digits.update(_digits(odoo, model, prepared) if present else {})
    fields_of = readable_of(odoo)
    language = {**odoo.settings.base_context, **prepared.context}.get("lang")
    changes: list[PlannedChange] = []
    definitions: Definitions = {}
    computed = recomputed(odoo, model)
    for row in _open(prepared.rows):
        if row.id is not None:
            old = present[row.id]
            said = row.values
            row.says = {name: value for name, value in said.items() if name not in keys}
            row.values = changed(row.says, old, prepared.described, prepared.digits)
            if not _complete(odoo, row, model, old, prepared, fields_of, definitions):
                continue
            different = row.values
            if different:
                row.equal = _equal(row, said, computed(frozenset(different)), old)
            else:
                row.status = "unchanged"
            if error := language_problem(odoo, model, [row.id], different, language):
                column = prepared.headers[error.details.get("fields", [*different])[0]]
                _refuse(row, error, column)
                continue
            row.values = {**different, **row.equal}
            for name in different:
                header = prepared.headers[name]
                shown = _shown(old[name], prepared.described[name])
                new = row.given.get(header, row.values[name])
                changes.append(
                    PlannedChange(
                        id=row.id,
                        field=header,
                        before=shown,
                        after=new,
                        name=old.get("display_name"),
                        row=row.number,
                    )
                )
        elif not creates:
            row.fail(
                f"There is no {model} with the external id {row.external_id}.",
                column=prepared.key[0].header,
                code="NOT_FOUND",
            )
    return changes


def recomputed(odoo: Odoo, model: str) -> Callable[[frozenset[str]], set[str]]:
    """Return a function that says what Odoo may compute anew when some fields are written."""
    return cache(lambda names: computed_from(odoo.schema.fields, model, names))


def _equal(row: Row, said: Record, anew: set[str], old: Record) -> Record:
    """Return the columns of a row that are equal, and that Odoo would compute anew."""
    return {
        # Of a key, what the record has: the row may have it in another case.
        name: row.says[name] if name in row.says else _wire(old[name])
        for name in sorted(anew & said.keys() & old.keys())
    }


def _wire(value: Any) -> Any:
    """Return a key as it is written."""
    return value[0] if isinstance(value, (list, tuple)) and value else value


def _complete(
    odoo: Odoo,
    row: Row,
    model: str,
    present: Record,
    prepared: Prepared,
    fields_of: FieldsOf,
    definitions: Definitions,
) -> bool:
    """Complete what replaces all that a field holds; whether that can be done."""
    present = under_new_parent(odoo, model, row.values, present, prepared.context, definitions)
    for name, value in row.values.items():
        try:
            row.values[name] = completed_value(
                value, present.get(name), model, prepared.described[name], fields_of
            )
        except OdooError as error:
            _refuse(row, error, prepared.headers[name])
    return not row.errors


def _refuse(row: Row, error: OdooError, column: str | None) -> None:
    row.fail(f"{error.message} {error.suggestion}", column=column, code=error.code)


def check_new(odoo: Odoo, model: str, prepared: Prepared) -> None:
    """Let new rows fail that lack what the database wants of them, or that say what it drops."""
    fields_of = readable_of(odoo)
    definitions: Definitions = {}
    for row in _open(prepared.rows):
        if row.id is None:
            try:
                row.values = check_new_properties(
                    odoo, model, row.values, prepared.context, fields_of, definitions
                )
            except OdooError as error:
                name = str(error.details.get("field")).partition(".")[0]
                _refuse(row, error, prepared.headers.get(name))
    if model not in _WANTED:
        return
    name, other, held = _WANTED[model]
    for row in prepared.rows:
        wanted = row.id is None and name in row.values and row.values.get(other, False) in held
        if wanted and not row.values[name]:
            row.fail(
                f"{name} is empty, but {model} requires a value.",
                column=prepared.headers[name],
                code="MISSING_REQUIRED_FIELD",
            )


def _shown(value: Any, field: Field) -> Any:
    """Return what a record holds as people read it."""
    if field.type == "many2one":
        return {"id": value[0], "name": value[1]} if isinstance(value, (list, tuple)) else None
    return None if value is False and field.type != "boolean" else value


def _digits(odoo: Odoo, model: str, prepared: Prepared) -> dict[str, int]:
    """Return the decimals that Odoo keeps of the numbers among the columns."""
    floats = [c.field.name for c in prepared.columns if c.field.type == "float"]
    if not floats:
        return {}
    call = asking(model, "fields_get", allfields=floats, attributes=["digits"])
    described = odoo.call(call)
    return {name: field["digits"][1] for name, field in described.items() if field.get("digits")}


def _open(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.status is None]
