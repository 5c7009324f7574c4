"""A function that writes records to a file that you can import again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.annotations import Context, Domain, Fields, Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import RELATIONAL, Field
from odoo_toolkit.records import record_refs
from odoo_toolkit.records.completeness import ReadReport
from odoo_toolkit.records.export_files import FORMS, Column, check_form, written_beside
from odoo_toolkit.records.importing.cells import EXTERNAL_ID
from odoo_toolkit.records.iterate import Records
from odoo_toolkit.records.progress_bar import Progress, progress_of
from odoo_toolkit.records.results import Record
from odoo_toolkit.records.rows import asked

#: Rows that are written at a time.
_PAGE = 1000

#: External ids that are kept in memory, in case records are named again.
_KEPT = 50_000


@attrs.frozen(kw_only=True)
class ExportResult(Shown):
    """A file of exported records.

    Attributes:
        path: Path of the file.
        rows: Number of records in the file.
        fields: Columns of the file.
        skipped_fields: Fields that the user can't read on these records.
        warnings: Limits of the file.
        report: The records that were read. With ``check``, it also says whether they are complete.
    """

    path: str
    rows: int
    fields: list[str]
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    report: ReadReport | None = None


class _ExternalIds:
    """The external ids of records, asked for page by page.

    Attributes:
        unread: models of which they may not be read.
        unnamed: models of which something else stands for a record.
    """

    def __init__(self, odoo: Odoo) -> None:
        self.unread: dict[str, None] = {}
        self.unnamed: dict[str, None] = {}
        self._odoo = odoo
        self._names: dict[tuple[str, int], str | None] = {}
        self._mark = ""

    def learn(self, ids: Mapping[str, Iterable[int]]) -> None:
        """Ask for the external ids of records, one request for each model, side by side."""
        if len(self._names) > _KEPT:
            self._names.clear()
        wanted = {
            model: sorted({one for one in of if (model, one) not in self._names})
            for model, of in ids.items()
            if model not in self.unread
        }
        side_by_side([partial(self._ask, model, of) for model, of in wanted.items() if of])

    def warnings(self) -> list[str]:
        """Return what is to be known of the records that have no external id."""
        found = []
        if self.unread:
            found.append(
                f"This user cannot read the external ids of {', '.join(sorted(self.unread))}."
            )
        if self.unnamed:
            found.append(
                "Names with the prefix of this database, such as "
                f"{record_refs.name_of(self._mark, min(self.unnamed), 42)}, identify records "
                f"without an external id ({', '.join(sorted(self.unnamed))}). An import into this "
                "database updates these records. An import into another database creates new "
                "ones."
            )
        return found

    def name(self, model: str, record_id: int) -> str:
        """Return a record's external id; where it has none, its number with the database's mark."""
        found = self._names.get((model, record_id))
        if found is None:
            self.unnamed[model] = None
            self._mark = self._mark or record_refs.mark_of(self._odoo)
            return record_refs.name_of(self._mark, model, record_id)
        return found

    def _ask(self, model: str, ids: Sequence[int]) -> None:
        call = Call(
            model="ir.model.data",
            method="search_read",
            arguments={
                "domain": [["model", "=", model], ["res_id", "in", list(ids)]],
                "fields": ["module", "name", "res_id"],
                "order": "id",
            },
            acts_on=model,
            step=True,
        )
        try:
            rows = self._odoo.call(call)
        except AccessError:
            self.unread[model] = None
            return
        self._names |= dict.fromkeys(((model, one) for one in ids), None)
        for row in rows:
            text = f"{row['module']}.{row['name']}"
            # A record may have several; the first stays.
            if EXTERNAL_ID.fullmatch(text) and not self._names[model, row["res_id"]]:
                self._names[model, row["res_id"]] = text


def export(
    odoo: Odoo,
    model: Model,
    domain: Domain,
    fields: Fields,
    path: str | PathLike[str],
    *,
    order: str | None = None,
    context: Context = None,
    external_ids: bool = True,
    progress: bool | Progress = False,
    check: bool = False,
) -> ExportResult:
    """Write all records that match a domain to a file.

    >>> export(odoo, "res.partner", [["is_company", "=", True]], ["name", "country_id"],
    ...        "companies.csv")

    The ending of the path decides the format. The toolkit writes a temporary file first, and
    replaces the path when the file is complete.

    To import the file again, call ``upsert(odoo, model, path, key="id")``. If you did not edit the
    file, nothing changes. The column ``id`` has the external id of each record. A relation
    ``country_id`` becomes the column ``country_id/id``.

    A record without a readable external id gets one with a mark of this database, such as
    ``__shop_1a2b3c4d__.res_partner_42``. In this database, an import finds the same record by it.
    In another database, an import creates a new record. The export does not write to Odoo.

    Archived records are omitted, as in any search. To include them, name ``active`` in the domain
    or pass ``context={"active_test": False}``.

    Args:
        fields: Field names, also dotted. ``["*"]`` for all but binary fields.
        path: Path of the file. It ends in ``.csv``, ``.jsonl`` or ``.ndjson`` (JSON lines). With
            pyarrow it can end in ``.parquet`` or ``.arrow``, and with pandas in ``.xlsx``. An
            existing file is replaced.
        order: Order of the rows, such as ``name asc``. Default: by id.
        context: Keys to add to the context of the connection.
        external_ids: Whether to write external ids. Otherwise the columns are ``.id`` and
            ``country_id/.id`` with database ids.
        progress: See :func:`~odoo_toolkit.records.iterate`.
        check: See :func:`~odoo_toolkit.records.iterate`. The file includes records that the pages
            missed.

    Raises:
        ValidationError: The path has another ending or is not a file, or INVALID_DOMAIN,
            INVALID_FIELD.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
        ConfigurationError: A package that this format needs is not installed.
        OSError: The file can't be written, for example because the disk is full. A file that
            already existed does not change.
    """
    form = FORMS[check_form(Path(path))]
    # Unlike what people read: HTML as it is.
    options = attrs.evolve(odoo.options, strip_html=False, normalize_many2one=True)
    telling = progress_of(progress, model)
    question = asked(odoo, model, domain, fields, order or "id", context)
    batch = min(_PAGE, options.max_limit or _PAGE)
    records = Records(odoo, question, batch, progress=telling, options=options, check=check)
    known = _ExternalIds(odoo) if external_ids else None
    count = 0
    with written_beside(path) as part, records:
        page = list(islice(records, _PAGE))
        # Only now it is known which fields may be read.
        columns = _columns(model, records.described, external_ids)
        with form(part, columns) as write:
            while page:
                if known:
                    known.learn(_named(page, columns))
                _check_complete(model, records, columns)
                write([_cell(row, column, known) for column in columns] for row in page)
                count += len(page)
                page = list(islice(records, _PAGE))
    warnings = [*records.warnings, *_not_imported(records.described)]
    return ExportResult(
        path=str(path),
        rows=count,
        fields=[column.header for column in columns],
        skipped_fields=records.skipped_fields,
        warnings=[*warnings, *known.warnings()] if known else warnings,
        report=records.report,
    )


def _check_complete(model: str, records: Records, columns: Iterable[Column]) -> None:
    """Refuse to leave cells empty that are not: importing the file would empty them in Odoo."""
    if late := {column.name for column in columns} & set(records.skipped_fields):
        raise AccessError(
            f"This user cannot read {', '.join(sorted(late))} of some records of {model}. No file "
            "was written.",
            suggestion="Omit these fields.",
            details={"model": model, "fields": sorted(late)},
        )


def _columns(model: str, described: Mapping[str, Field], external_ids: bool) -> list[Column]:
    by = "id" if external_ids else ".id"
    columns = [Column(by, "id", Field(name="id", type="many2one"), model)]
    for name, field in described.items():
        if field.type in RELATIONAL:
            columns.append(Column(f"{name}/{by}", name, field, field.relation))
        elif name != "id":
            columns.append(Column(name, name, field))
    return columns


def _not_imported(described: Mapping[str, Field]) -> list[str]:
    names = [n for n, field in described.items() if "." in n or field.type == "one2many"]
    return [f"These columns cannot be imported again: {', '.join(names)}."] if names else []


def _named(page: Iterable[Record], columns: Iterable[Column]) -> dict[str, set[int]]:
    """Return the ids of the records that rows name, by model."""
    found: dict[str, set[int]] = defaultdict(set)
    for column in columns:
        if column.comodel:
            for row in page:
                found[column.comodel].update(_ids(row.get(column.name)))
    return found


def _ids(value: Any) -> list[int]:
    if isinstance(value, list):
        return value
    value = value["id"] if isinstance(value, dict) else value
    return [value] if value else []


def _cell(row: Record, column: Column, known: _ExternalIds | None) -> Any:
    """Return what a column holds of a record; records by the names that imports know them by."""
    value = row.get(column.name)
    if column.comodel is None:
        return value
    ids = _ids(value)
    names = [known.name(column.comodel, one) for one in ids] if known else ids
    if isinstance(value, list):
        return names
    return names[0] if names else None
