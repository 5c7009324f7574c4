"""Rows written by Odoo's own import: new records under external ids, and many different changes.

Nothing else gives records external ids, and nothing else changes each record of many differently
in one call. Its method ``load`` reads texts in its own way: names where ids belong, moments in the
user's time zone, labels of selections in any language. So it is given what leaves it no choice, and
each row is judged beforehand as one to be created or written is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments.load_cells import OTHERWISE, cell, column
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import or_seen, seen_written
from odoo_toolkit.change_history.recording import note_lines
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.records.importing.relations import external_ids
from odoo_toolkit.records.results import Record

#: Seconds to wait at least for the answer to a batch: a busy server takes its time, and a batch
#: that is given up is in doubt.
PATIENCE = 300.0

#: model -> a field with which ``load`` does otherwise than ``create``. Contacts of a company are
#: loaded with what it has, and on Odoo 19 lose a VAT number that it has not.
_OTHER_WITH = {"res.partner": "parent_id"}

#: From which version on ``load`` does otherwise with these fields than ``create``.
#: Before 19, both have a contact lose what its company has not.
_OTHER_SINCE = 19

#: What Odoo hands on of its database where two write the same record, or external id, at once.
_MEANWHILE = re.compile(
    r"could not serialize access|deadlock detected|unique constraint .ir_model_data"
)
_AGAIN = (
    "Another process wrote the same record, and Odoo cancelled this row. Import it again: "
    "the toolkit finds existing records, and does not create duplicates."
)

#: Index of a row -> the field that is wrong, if that is known, and why.
Problems = dict[int, tuple[str, str]]


def load(
    odoo: Odoo,
    model: str,
    records: Sequence[str | int],
    rows: Sequence[Record],
    context: Mapping[str, Any],
    warnings: list[str],
    *,
    whole: bool = False,
) -> tuple[dict[int, int], Problems]:
    """Create records under external ids, or change records; bad rows are left out.

    Args:
        odoo: the connection.
        model: of the records.
        records: the external id of each that is to be created, or the id of each that there is.
        rows: values as they are written to Odoo; all have the same fields.
        context: of the call.
        warnings: is told when an answer was lost.
        whole: whether nothing is written where a row is bad.

    Returns:
        The ids of what was written, and what is wrong with the rest, both by the rows' index.

    Raises:
        OdooError: nothing was written; it is not known which row is wrong.
    """
    described = odoo.schema.fields(model)
    judge(odoo, model, records, rows, context)
    names = list(rows[0])
    problems: Problems = {}
    cells: dict[int, list[Any]] = {}
    for index, (record, row) in enumerate(zip(records, rows, strict=True)):
        cells[index] = [record]
        for name in names:
            try:
                cells[index].append(cell(row[name], described[name]))
            except ValueError as error:
                problems[index] = (name, str(error))
    first = "id" if isinstance(records[0], str) else ".id"
    columns = [first, *(column(described[name]) for name in names)]
    ids: dict[int, int] = {}
    while rest := [index for index in cells if index not in problems]:
        data = [cells[index] for index in rest]
        # Of changes in one request, all are stored or none: two of them tell of all.
        told = {index: rows[index] for index in (rest[0], rest[-1])}
        changed = {int(records[index]): row for index, row in told.items() if first == ".id"}
        answer = _ask(odoo, model, columns, data, changed, context, warnings)
        if answer.get("ids"):
            ids = dict(zip(rest, answer["ids"], strict=True))
            break
        found = _faults(answer.get("messages") or (), rest)
        if not found:
            said = "; ".join(_said(m.get("message")) for m in answer.get("messages") or ())
            raise ValidationError(
                said or "Odoo rejected the row without a reason.", outcome="rolled_back"
            )
        problems |= found
        if whole:
            break
    return ids, problems


def set_later(odoo: Odoo, model: str, row: Record) -> str | None:
    """Return the field that a new record is loaded without, and given by a write; None for none.

    Odoo 19 loads a contact with what its company has, so that a VAT number is lost that the company
    has not; and an address goes to companies to which ``create`` would not give it. A write of the
    company does what ``create`` does.

    Args:
        odoo: the connection.
        model: of the record.
        row: values as they are written to Odoo.
    """
    field = _OTHER_WITH.get(model)
    return field if row.get(field or "") and odoo.version.major >= _OTHER_SINCE else None


def judge(
    odoo: Odoo,
    model: str,
    records: Sequence[str | int],
    rows: Sequence[Record],
    context: Mapping[str, Any],
) -> None:
    """Judge rows as the values of a creation or a change are judged, each alone.

    Args: as of :func:`load`.

    For which model an id of ``ir.model`` stands is not asked here, so that one is refused wherever
    lists close models.

    Raises:
        AccessError: the policy forbids it.
    """
    if isinstance(records[0], str):
        calls = [Call(model=model, method="create", arguments={"vals_list": list(rows)})]
    else:
        calls = [
            Call(model=model, method="write", ids=(int(record),), arguments={"vals": row})
            for record, row in zip(records, rows, strict=True)
        ]
    for call in calls:
        call = attrs.evolve(call, context=context)
        odoo.policy.admitted(call, odoo.schema.fields, None, lambda: odoo.version.major)


def _ask(
    odoo: Odoo,
    model: str,
    columns: list[str],
    data: list[list[Any]],
    changed: Mapping[int, Record],
    context: Mapping[str, Any],
    warnings: list[str],
) -> dict[str, Any]:
    # Moments are written in UTC, whatever the user's time zone is.
    kept = {key: value for key, value in context.items() if key not in OTHERWISE}
    call = Call(
        model=model,
        method="load",
        arguments={"fields": columns, "data": data},
        context={**kept, "tz": "UTC"},
        timeout=PATIENCE,
    )

    def seen() -> dict[str, Any] | None:
        names = [line[0] for line in data]
        if columns[0] != "id":
            return {"ids": names} if seen_written(odoo, model, changed) else None
        found = external_ids(odoo, model, names)
        if len(found) < len(names) or any(of != model for of, _ in found.values()):
            return None
        return {"ids": [found[name][1] for name in names]}

    told = len(warnings)
    answer: dict[str, Any] = or_seen(lambda: odoo.call(call), seen, warnings, safe=True)
    if len(warnings) > told:
        note_lines(odoo, call)
    return answer


def _faults(messages: Any, rows: Sequence[int]) -> Problems:
    """Return which rows are wrong, and why, as far as the messages tell."""
    found: Problems = {}
    for message in messages:
        record = message.get("record")
        if message.get("type") == "error" and isinstance(record, int) and record < len(rows):
            field = str(message.get("field") or "").partition("/")[0]
            found.setdefault(rows[record], (field, _said(message.get("message"))))
    return found


def _said(text: Any) -> str:
    """Return what Odoo says of a row; in our words where another program was writing it, too."""
    return _AGAIN if _MEANWHILE.search(str(text)) else str(text)
