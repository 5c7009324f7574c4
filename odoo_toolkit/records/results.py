"""Results of the functions for records.

An MCP response omits fields that have their default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.arguments.compared import Difference
from odoo_toolkit.display.results import Shown
from odoo_toolkit.fields import Field
from odoo_toolkit.records.frames import to_df
from odoo_toolkit.wizards.description import WizardDescription

if TYPE_CHECKING:
    import pandas as pd

Record = dict[str, Any]

#: The fields of the columns, for ``to_df``. No part of an answer, see ``odoo_toolkit_mcp.results``.
Described = Mapping[str, Field]


#: What is shown with a table of records.
_WORTH_SAYING = (
    "total",
    "next_offset",
    "time_zone",
    "excluded_count",
    "missing_ids",
    "skipped_fields",
)


class _Rows(Shown):
    """Lets a result be looped over, measured, indexed, shown as a table, and made a DataFrame."""

    __slots__ = ()
    _row = "record"

    records: list[Record]
    described: Described

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> Record:
        return self.records[index]

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        number, model = len(self.records), facts.get("model")
        line = f"{number} {self._row}{'' if number == 1 else 's'}{f' of {model}' if model else ''}"
        if facts.get("total") == number:
            del facts["total"]
        notes = [f"; {name} {facts[name]}" for name in _WORTH_SAYING if name in facts]
        return "\n".join(["".join([line, *notes]), *facts.get("warnings", ())]), {}

    def to_df(self) -> pd.DataFrame:
        """Return the records as a pandas DataFrame, see :func:`odoo_toolkit.records.frames.to_df`.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return to_df(self.records, self.described)


@attrs.frozen(kw_only=True)
class SearchResult(_Rows):
    """The records that a search found.

    Attributes:
        count: Number of records in this result.
        has_more: True if there may be more records, because the search returned as many as you
            asked for.
        next_offset: Offset of the next page, if there may be one.
        total: Number of all matching records, if you asked for it.
        excluded_count: Number of records that the policy blocked. None if the number could reveal
            the contents of blocked records.
        url: Address of the record in Odoo's web client. For several records it contains ``{id}``
            instead of an id.
        time_zone: Time zone of the days in the domain, if it compares datetimes with days.
        skipped_fields: Fields that the user can't read on these records.
        warnings: Differences between the request and the result.
        described: Description of the fields by name.
    """

    records: list[Record]
    count: int
    model: str
    limit: int | None
    offset: int
    has_more: bool
    next_offset: int | None = None
    total: int | None = None
    excluded_count: int | None = 0
    url: str | None = None
    time_zone: str | None = None
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    described: Described = attrs.field(factory=dict, repr=False, eq=False)


@attrs.frozen(kw_only=True)
class ReadResult(_Rows):
    """The records that were read. ``missing_ids`` do not exist, or the user can't see them.

    Attributes:
        url: See :class:`SearchResult`.
    """

    records: list[Record]
    missing_ids: list[int]
    url: str | None = None
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    described: Described = attrs.field(factory=dict, repr=False, eq=False)


@attrs.frozen(kw_only=True)
class CreateResult(Shown):
    """The records that were created.

    Attributes:
        id: Id of the only or first record.
        ids: Ids of all records, in the order of the values.
        url: See :class:`SearchResult`.
        records: Values of ``return_fields``, read back from the records.
        differences: Values that Odoo dropped, changed or rounded.
    """

    id: int
    model: str
    message: str
    ids: list[int] = attrs.Factory(lambda self: [self.id], takes_self=True)
    url: str | None = None
    records: list[Record] = attrs.Factory(list)
    differences: list[Difference] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class WriteResult(Shown):
    """The records that were changed. ``records`` has the values read back from them.

    Attributes:
        url: See :class:`SearchResult`.
        differences: Values that Odoo dropped, changed or rounded.
    """

    success: bool
    model: str
    ids: list[int]
    message: str
    url: str | None = None
    records: list[Record] = attrs.Factory(list)
    differences: list[Difference] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class UnlinkResult(Shown):
    """The records that were deleted."""

    success: bool
    model: str
    deleted_ids: list[int]
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class CountResult(Shown):
    """The number of records that match a domain.

    For ``excluded_count`` and ``time_zone``, see :class:`SearchResult`.
    """

    model: str
    domain: list[Any]
    count: int
    time_zone: str | None = None
    excluded_count: int | None = 0
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class RecordName(Shown):
    """The id and display name of a record."""

    id: int
    name: str


@attrs.frozen(kw_only=True)
class NamesResult(Shown):
    """The display names of records. ``missing_ids`` do not exist, or the user can't see them."""

    model: str
    names: list[RecordName]
    missing_ids: list[int] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DefaultsResult(Shown):
    """The default values of a new record."""

    model: str
    defaults: Record


@attrs.frozen(kw_only=True)
class FieldsResult(Shown):
    """The fields of a model by technical name, each with its label and type.

    Attributes:
        warnings: Names that you asked for and that do not exist, with similar ones.
    """

    model: str
    fields: dict[str, dict[str, Any]]
    field_count: int
    warnings: list[str] = attrs.Factory(list)

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return f"{self.field_count} fields of {self.model}", {}


@attrs.frozen(kw_only=True)
class ModelSummary(Shown):
    """A model in a list of models.

    Attributes:
        field_count: Number of fields. None if the user can't find out.
        access: The user's known access rights: read, write, create, unlink.
    """

    model: str
    name: str
    transient: bool
    field_count: int | None
    access: str


@attrs.frozen(kw_only=True)
class ModelsResult(Shown):
    """The models that the user can read."""

    models: list[ModelSummary]
    count: int
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ExecuteResult(Shown):
    """The result of a method: a plain value, or an action that a client would open.

    Attributes:
        message: Set if Odoo asks a question before it continues.
        wizard: Set if you must answer a wizard.
        records: Values of ``return_fields``, read back from records.
        read_from: Source of ``records``: those that the method returned, or those that you
            called it on.
    """

    result_type: str
    result: Any
    message: str | None = None
    action: dict[str, Any] | None = None
    wizard: WizardDescription | None = None
    records: list[Record] = attrs.Factory(list)
    read_from: str | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class WizardResult(Shown):
    """The result of a wizard.

    Attributes:
        done: True if the button did its work. It can be true even if Odoo opens another dialog,
            because the toolkit has seen the records change.
        model: Model of ``records``.
        records: The records that the wizard opened. If it opened none, the records that it acted
            on, as they are now.
        wizard: Fields and buttons of this wizard if you only described it. Otherwise those of the
            next wizard.
        action: Anything else that the wizard opened: a report, an address or another wizard.
        result: Plain value that the method returned.
    """

    done: bool
    message: str
    model: str | None = None
    records: list[Record] = attrs.Factory(list)
    wizard: WizardDescription | None = None
    action: dict[str, Any] | None = None
    result: Any = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class QueryAnswer(Shown):
    """The result of one query: records, a number, or an error.

    Attributes:
        has_more: True if there may be more records than these.
        time_zone, excluded_count, skipped_fields, warnings: See :class:`SearchResult`.
    """

    records: list[Record] | None = None
    count: int | None = None
    has_more: bool = False
    time_zone: str | None = None
    excluded_count: int | None = 0
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    error: dict[str, Any] | None = None


@attrs.frozen(kw_only=True)
class QueriesResult(Shown):
    """The results of several queries, in their order."""

    answers: list[QueryAnswer]

    def __iter__(self) -> Iterator[QueryAnswer]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, index: int) -> QueryAnswer:
        return self.answers[index]
