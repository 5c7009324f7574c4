"""Which record each row of an import is about, and what is to change there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.importing.existing import changed, find, key_of, read_present
from odoo_toolkit.records.importing.preparing import Prepared
from odoo_toolkit.records.importing.relations import external_ids
from odoo_toolkit.records.importing.sending import Row
from odoo_toolkit.records.results import Record


def match(odoo: Odoo, model: str, prepared: Prepared, case_sensitive: bool) -> dict[int, Record]:
    """Find the record of each row; return what these hold now, by id.

    Rows fail of which the key is empty, belongs to several records, or is that of another row.

    Args:
        odoo: the connection.
        model: that is imported into.
        prepared: the rows.
        case_sensitive: whether texts of the key must be the same in case, too.
    """
    names = [column.field.name for column in prepared.columns if column not in prepared.key]
    if prepared.key[0].is_id:
        present = _by_id(odoo, model, prepared, names)
    else:
        present = _by_fields(odoo, model, prepared, names, case_sensitive)
    same: dict[int, list[Row]] = defaultdict(list)
    for row in _open(prepared.rows):
        if row.id is not None:
            same[row.id].append(row)
    for rows in same.values():
        _fail_alike(rows, "are about the same record", prepared)
    return present


def _by_id(odoo: Odoo, model: str, prepared: Prepared, names: Sequence[str]) -> dict[int, Record]:
    rows, header = _open(prepared.rows), prepared.key[0].header
    for row in rows:
        if row.id is None and row.external_id is None:
            row.fail("The key is empty.", column=header, code="MISSING_REQUIRED_FIELD")
    external: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.external_id is not None:
            external[row.external_id].append(row)
    for alike in external.values():
        _fail_alike(alike, "have the same key", prepared)
    known = external_ids(odoo, model, list(external)) if external else {}
    for name, (of, record_id) in known.items():
        for row in external[name]:
            if of != model:
                row.fail(
                    f"The external id {name} belongs to a record of another model.", column=header
                )
            elif row.failure is None:
                row.id = record_id
    ids = sorted({row.id for row in _open(rows) if row.id})
    present = read_present(odoo, model, ids, names, prepared.context)
    for row in _open(rows):
        if row.id is not None and row.id not in present:
            name = f"with the external id {row.external_id}" if row.external_id else str(row.id)
            row.fail(
                f"There is no {model} {name}, or this user may not see it.",
                column=header,
                code="NOT_FOUND",
            )
            row.id = None
    return present


def _by_fields(
    odoo: Odoo, model: str, prepared: Prepared, names: Sequence[str], case_sensitive: bool
) -> dict[int, Record]:
    key = [column.field for column in prepared.key]
    headers = ", ".join(column.header for column in prepared.key)
    asked: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    wanted: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in _open(prepared.rows):
        missing = [field.name for field in key if field.name not in row.values]
        if missing or all(_is_empty(row.values[field.name], field.type) for field in key):
            row.fail("The key is empty.", column=headers, code="MISSING_REQUIRED_FIELD")
            continue
        one = key_of(row.values, key, case_sensitive)
        asked[one].append(row)
        wanted[one] = key_of(row.values, key, True)
    for alike in asked.values():
        _fail_alike(alike, "have the same key", prepared)
    keys = [wanted[one] for one, alike in asked.items() if alike[0].failure is None]
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
    present: dict[int, Record] = {}
    for one, alike in asked.items():
        records = found.get(wanted[one], [])
        if len(records) > 1 and alike[0].failure is None:
            ids = ", ".join(str(record["id"]) for record in records[:8])
            alike[0].fail(
                f"{len(records)} records of {model} have this key (ids {ids}). Give a key that is"
                " unique, or the id.",
                column=headers,
                candidates=[{"id": record["id"], "name": ""} for record in records[:8]],
            )
        elif records:
            alike[0].id = records[0]["id"]
            present[records[0]["id"]] = records[0]
    return present


def _fail_alike(rows: Sequence[Row], what: str, prepared: Prepared) -> None:
    """Let rows fail that say different things of one record."""
    if len(rows) < 2:
        return
    headers = ", ".join(column.header for column in prepared.key)
    numbers = ", ".join(str(row.number) for row in rows[:20])
    for row in rows:
        row.fail(f"The rows {numbers} {what}: keep one of them.", column=headers)
        row.id = None


def _is_empty(value: Any, kind: str) -> bool:
    return kind not in ("boolean", "integer") and value in (False, None, "")


# What is to change -----------------------------------------------------------------------------


def compare(
    odoo: Odoo, model: str, prepared: Prepared, present: Mapping[int, Record], creates: bool
) -> None:
    """Leave in each row of a record that there is what is to change there.

    Args:
        odoo: the connection.
        model: that is imported into.
        prepared: the rows, matched.
        present: what their records hold now, by id.
        creates: whether rows without a record become one; else they fail.
    """
    keys = {column.field.name for column in prepared.key}
    digits = _digits(odoo, model, prepared) if present else {}
    for row in _open(prepared.rows):
        if row.id is not None:
            values = {name: value for name, value in row.values.items() if name not in keys}
            row.values = changed(values, present[row.id], prepared.described, digits)
            if not row.values:
                row.status = "unchanged"
        elif not creates:
            row.fail(
                f"There is no {model} with the external id {row.external_id}.",
                column=prepared.key[0].header,
                code="NOT_FOUND",
            )


def _digits(odoo: Odoo, model: str, prepared: Prepared) -> dict[str, int]:
    """Return the decimals that Odoo keeps of the numbers among the columns."""
    floats = [c.field.name for c in prepared.columns if c.field.type == "float"]
    if not floats:
        return {}
    arguments = {"allfields": floats, "attributes": ["digits"]}
    call = Call(model=model, method="fields_get", arguments=arguments, internal=True)
    described = odoo.call(call)
    return {name: field["digits"][1] for name, field in described.items() if field.get("digits")}


def _open(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.status is None]
