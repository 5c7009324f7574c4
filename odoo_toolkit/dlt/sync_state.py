"""What is kept of a table between two runs, beside its rows at the destination.

dlt keeps it with what it loads, so that both are there or neither is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.tables import Table, shown, unreadable
from odoo_toolkit.errors import StateError, ValidationError
from odoo_toolkit.fields import TO_MANY
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.changes import server_time
from odoo_toolkit.records.cursors import Cursor, from_ranges, pack, ranges, unpack


@attrs.frozen(kw_only=True)
class Kept:
    """Where a table stands.

    Attributes:
        cursor: of the last run that came to its end; it knows the ids of all rows but the hidden
            ones.
        reading: of a first run, or one over all records, that has not come to its end: it knows
            the ids of the records that were read, the greatest of which was the last.
        not_accessible: ids of rows whose records can no longer be read, and are not known to be
            deleted.
        types: of the columns and tables of links.
        context: of the calls.
        language: of the texts.
        company: whose values the columns have of which each company has its own; None where there
            was no such column.
        links: field -> block of ids -> digest of the links.
        moment: of the last row that was handed out, in microseconds.
        report: of the last run.
    """

    cursor: Cursor | None = None
    reading: Cursor | None = None
    not_accessible: frozenset[int] = frozenset()
    types: Mapping[str, str] = attrs.Factory(dict)
    context: Mapping[str, Any] = attrs.Factory(dict)
    language: str = ""
    company: int | None = None
    links: Mapping[str, Mapping[str, str]] = attrs.Factory(dict)
    moment: int = 0
    report: Mapping[str, Any] = attrs.Factory(dict)

    @property
    def rows(self) -> frozenset[int]:
        """Ids of all rows at the destination."""
        cursors = (self.cursor, self.reading)
        return self.not_accessible.union(*(cursor.known or () for cursor in cursors if cursor))


def as_state(kept: Kept) -> dict[str, Any]:
    """Return it as JSON has it."""
    return {
        "cursor": kept.cursor and pack(kept.cursor),
        "reading": kept.reading and pack(kept.reading),
        "not_accessible": ranges(kept.not_accessible),
        "types": dict(kept.types),
        "context": dict(kept.context),
        "language": kept.language,
        "company": kept.company,
        "links": {name: dict(blocks) for name, blocks in kept.links.items()},
        "moment": kept.moment,
        "report": dict(kept.report),
    }


def of_state(state: Mapping[str, Any]) -> Kept:
    """Return what :func:`as_state` made a dictionary of; of an empty one, a new one."""
    if not state:
        return Kept()
    return Kept(
        cursor=unpack(state["cursor"]) if state["cursor"] else None,
        reading=unpack(state["reading"]) if state["reading"] else None,
        not_accessible=frozenset(from_ranges(state["not_accessible"])),
        types=dict(state["types"]),
        context=dict(state["context"]),
        language=state["language"],
        company=state["company"],
        links={name: dict(blocks) for name, blocks in state["links"].items()},
        moment=state["moment"],
        report=dict(state["report"]),
    )


def check(odoo: Odoo, table: Table, kept: Kept, *, frozen: bool) -> list[str]:
    """Compare what is kept with the model and the server as they are now.

    Args:
        odoo: the connection.
        table: as it would be loaded now.
        kept: of the last run.
        frozen: whether new fields are refused.

    Returns:
        The columns and tables of links that are new; none on the first run.

    Raises:
        ValidationError: the table is of another database, language, company or context; it has
            columns that would not be filled; a field has another type, is gone, or is new while
            that is refused.
        StateError: the clock of Odoo went back.
    """
    cursor = kept.reading or kept.cursor
    if cursor is None:
        return []
    if cursor.model != table.model:
        raise ValidationError(
            f"The table {table.name} contains {cursor.model}, not {table.model}.",
            suggestion="Choose another name for the table.",
        )
    if cursor.database and odoo.database and cursor.database != odoo.database:
        raise ValidationError(
            f"The table {table.name} was loaded from the database {cursor.database}, but this is "
            f"{odoo.database}.",
            suggestion="Load into another dataset. Or drop and reload the table with refresh=True.",
        )
    _check_language_and_company(table, kept)
    if _told(kept.context) != _told(table.context):
        raise ValidationError(
            f"The table {table.name} was loaded with the context {_told(kept.context)}, not with "
            f"{_told(table.context)}. Its rows would be inconsistent.",
            suggestion="Pass the same context. Or drop and reload the table with refresh=True.",
        )
    now = server_time(odoo, 0.0)
    if now < cursor.start:
        raise StateError(
            f"The clock of Odoo shows {now} UTC, before the last sync of {table.model} at "
            f"{cursor.start}. The toolkit could miss changes.",
            suggestion="Set the clock if it is wrong now. If it was wrong before, or if the "
            "database was restored from a backup, drop and reload the table with "
            "refresh=True.",
        )
    _check_filled(odoo, table, kept)
    return _new_columns(table, kept, frozen=frozen)


def _check_language_and_company(table: Table, kept: Kept) -> None:
    if kept.language != table.language:
        raise ValidationError(
            f"The texts in the table {table.name} are in the language {kept.language}, but this "
            f"run would read them in {table.language}.",
            suggestion=f"Read in {kept.language}, by the setting lang or by lang in the context. "
            "Or choose another table or dataset, or drop and reload the table with "
            "refresh=True.",
        )
    # Where one of them is None, no values are there that could be mixed up.
    if kept.company != table.company and None not in (kept.company, table.company):
        raise ValidationError(
            f"The table {table.name} contains company-dependent fields. Their values are those of "
            f"the company {kept.company}, but this run would read those of {table.company}.",
            suggestion=f"Connect for the company {kept.company}, or put it first in "
            "allowed_company_ids in the context. Or choose another table or dataset, "
            "or drop and reload the table with refresh=True.",
        )


def _check_filled(odoo: Odoo, table: Table, kept: Kept) -> None:
    """Refuse to leave columns that could be filled with what they had, or with nothing."""
    fields = readable_of(odoo)(table.model)
    left = [name for name in kept.types if name in fields and name not in table.types]
    links = {name: fields[name] for name in left if fields[name].type in TO_MANY}
    closed = unreadable(odoo, table.model, table.domain, links, table.context)
    if left := [name for name in left if name not in closed]:
        raise ValidationError(
            f"The table {table.name} has {shown(left)}, which this run would not read. The values "
            "would be outdated, or empty in changed rows.",
            code="INVALID_FIELD",
            suggestion="Pass the same fields as before. Or choose another table or dataset, or "
            "drop and reload the table with refresh=True.",
            details={"model": table.model, "fields": left},
        )


def _new_columns(table: Table, kept: Kept, *, frozen: bool) -> list[str]:
    types = table.types
    for name, before in kept.types.items():
        if name in types and types[name] != before:
            raise ValidationError(
                f"{name} of {table.model} was {before} when {table.name} was loaded, but is now "
                f"{types[name]}.",
                code="INVALID_FIELD",
                suggestion="Drop and reload the table with refresh=True.",
                details={"model": table.model, "field": name},
            )
    gone = [name for name in kept.types if name not in types]
    if gone and not table.chosen:
        raise ValidationError(
            f"{table.model} no longer has {shown(gone)}, or this user can no longer read it. New "
            "rows would be empty there.",
            code="INVALID_FIELD",
            suggestion="Give the user permission to read it, or pass the fields that you want. "
            "Or drop and reload the table with refresh=True.",
            details={"model": table.model, "fields": gone},
        )
    new = [name for name in types if name not in kept.types]
    if new and frozen:
        raise ValidationError(
            f"{table.model} has new fields: {shown(new)}.",
            code="INVALID_FIELD",
            suggestion="Pass the fields that you want. Or pass columns=evolve to load new fields.",
            details={"model": table.model, "fields": new},
        )
    return new


def _told(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a context without what is the same for all, or compared by itself."""
    return {name: value for name, value in context.items() if name not in ("active_test", "lang")}
