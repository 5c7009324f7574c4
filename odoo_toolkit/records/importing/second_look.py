"""Rows are looked at again once all are written: what they say is what is to be stored.

Odoo computes fields anew when others are written, also those of records that other rows are about:
an address goes from a company to its contacts. What was moved so is written once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

import attrs

from odoo_toolkit.arguments.compared import moves
from odoo_toolkit.change_history.snapshots import watched_fields
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.importing.existing import changed, read_present
from odoo_toolkit.records.importing.matching import recomputed
from odoo_toolkit.records.importing.preparing import Prepared
from odoo_toolkit.records.importing.sending import Row, Writer
from odoo_toolkit.records.results import Record

#: Types of which Odoo stores another form than it was given, whatever else is written.
_STORED_OTHERWISE = frozenset({"html", "binary", "json", "properties", "properties_definition"})

#: What most models have, and no record gets from another.
_OF_ALL = frozenset({"name", "active", "sequence", "color"})

#: What a contact shares with its company: written to the contact, it is no longer the company's, or
#: becomes it.
_OF_COMPANY = frozenset({"vat", "company_registry", "industry_id", "credit_limit"})

#: Most records of which it is told what Odoo changes besides.
MOST_WATCHED = 100


class Watch:
    """Tells what Odoo changes of records besides what their rows say; of few records only.

    Args:
        odoo: the connection.
        model: that is imported into.
        rows: of the records that will be changed.
        prepared: the rows, of which the context is read.
    """

    def __init__(self, odoo: Odoo, model: str, rows: Sequence[Row], prepared: Prepared) -> None:
        self._odoo, self._model, self._context = odoo, model, prepared.context
        self._before: dict[int, Record] = {}
        self._names: list[str] = []
        if not 0 < len(rows) <= MOST_WATCHED:
            return
        written = {name for row in rows for name in row.values}
        self._names = watched_fields(odoo, model, written, len(rows))
        said = {row.id: row.stated for row in rows}
        self._before = {
            number: {name: value for name, value in row.items() if name not in said[number]}
            for number, row in self._read(list(filter(None, said))).items()
        }

    def tell(self, warnings: list[str]) -> None:
        """Say what is otherwise now; a round trip, where something was looked at."""
        if self._before:
            after = self._read(list(self._before))
            described = readable_of(self._odoo)(self._model)
            names = [name for name in self._names if name in described]
            if told := moves(self._before, after, names, described):
                warnings.append(told)

    def _read(self, ids: Sequence[int]) -> dict[int, Record]:
        try:
            return read_present(self._odoo, self._model, ids, self._names, self._context)
        except OdooError:  # what cannot be looked at can be written all the same
            return {}


def look_again(
    odoo: Odoo, model: str, prepared: Prepared, writer: Writer, *, repair: bool
) -> list[Row]:
    """Write once more what is not as the rows say; return the rows that are otherwise in the end.

    Nothing is asked where nothing was written. A round trip for every thousand records, and as
    many again where something was to be written once more.

    Args:
        odoo: the connection.
        model: that was imported into.
        prepared: the rows, of which what became of them is known.
        writer: writes, and is told what cannot be looked at.
        repair: whether what was moved is written once more.
    """
    computed, copied = recomputed(odoo, model), _copied(odoo, prepared)
    otherwise = _otherwise(odoo, model, prepared, writer, copied)
    again: list[tuple[Row, Row]] = []
    for row, left in otherwise if repair else ():
        # What was sent, and is neither computed nor copied from what was sent, stays as stored.
        sent = frozenset(row.values)
        anew = computed(sent) | copied(sent)
        moved = {
            name: value
            for name, value in left.items()
            if (name not in row.values or name in anew)
            and prepared.described[name].type != "one2many"
        }
        if moved:
            stated = row.stated
            equal = {n: stated[n] for n in computed(frozenset(moved)) if n in stated}
            values = {**moved, **equal}
            copy = attrs.evolve(row, values=values, equal=equal, status=None, errors=[])
            again.append((row, copy))
    if again:
        writer.write_again([copy for _, copy in again])
        for row, copy in again:
            _settle(row, copy, prepared)
        # Two rows can want what Odoo does not let two records have.
        otherwise = _otherwise(odoo, model, prepared, writer, copied)
    return [row for row, _ in otherwise]


def _copied(odoo: Odoo, prepared: Prepared) -> Callable[[frozenset[str]], set[str]]:
    """Return a function that says what Odoo may copy from linked records when links are written.

    A contact gets the street of its company: what both records have.
    """
    fields = prepared.described

    @cache
    def copied(sent: frozenset[str]) -> set[str]:
        found: set[str] = set()
        for link in sent:
            relation = fields[link].relation
            # From 19 on a contact's address is its company's, which would be written, too.
            shared = (link, relation) == ("parent_id", "res.partner") and odoo.version.major >= 19
            if relation and fields[link].type == "many2one" and not shared:
                with suppress(OdooError):  # another model may be closed
                    found |= (sent - {link}) & odoo.schema.fields(relation).keys()
        found -= _OF_ALL | _OF_COMPANY
        return {name for name in found if fields[name].type not in _STORED_OTHERWISE}

    return copied


def _otherwise(
    odoo: Odoo,
    model: str,
    prepared: Prepared,
    writer: Writer,
    copied: Callable[[frozenset[str]], set[str]],
) -> list[tuple[Row, Record]]:
    """Return the rows that are not stored as they say, and what is not, but for what is rounded.

    Of new records Odoo keeps what it is given, unless it copies something else.
    """
    rows = [
        row
        for row in prepared.rows
        if (row.status == "created" and copied(frozenset(row.values)))
        or (row.says and row.status in ("updated", "unchanged"))
    ]
    if not written_rows(prepared.rows) or writer.interrupted or not rows:
        return []
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row.says or row.values)
        if prepared.described[name].type != "binary"
    ]
    ids = [row.id for row in rows if row.id is not None]
    try:
        present = read_present(odoo, model, ids, names, prepared.context)
    except OdooError as error:
        writer.warnings.append(
            f"The import succeeded, but the records cannot be read back: {error.message}"
        )
        return []
    found: list[tuple[Row, Record]] = []
    for row in rows:
        # A record that the write has moved out of sight cannot be looked at.
        stored = present.get(row.id or 0, {})
        stated = {name: value for name, value in row.stated.items() if name in stored}
        if changed(stated, stored, prepared.described, {}):
            found.append((row, changed(stated, stored, prepared.described, prepared.digits)))
    return found


def _settle(row: Row, copy: Row, prepared: Prepared) -> None:
    """Note in a row what became of writing it once more."""
    if row.status == "created":
        return  # it stays so; what is otherwise is among the differences
    if copy.status == "updated":
        row.status = "updated"
    elif copy.errors:
        names = [name for name in copy.values if name not in copy.equal]
        row.fail(
            f"Odoo calculates {', '.join(names)} again, and rejects the value of the row: "
            f"{copy.errors[0].reason}",
            column=prepared.headers.get(names[0]),
            code=copy.errors[0].code,
        )


def written_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose records were created or changed."""
    return [row for row in rows if row.status in ("created", "updated")]
