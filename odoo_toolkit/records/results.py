"""What the record functions return.

Fields with a default are left out of an MCP answer while they have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.arguments.compared import Difference
from odoo_toolkit.display import Shown
from odoo_toolkit.fields import Field
from odoo_toolkit.frames import to_df
from odoo_toolkit.wizards.description import WizardDescription

if TYPE_CHECKING:
    import pandas as pd

Record = dict[str, Any]

#: The fields of the columns, for ``to_df``. No part of an answer, see ``odoo_toolkit_mcp.results``.
Described = Mapping[str, Field]


#: What is shown with a table of records.
_WORTH_SAYING = ("total", "next_offset", "excluded_count", "missing_ids", "skipped_fields")


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
        """Return the records as a pandas DataFrame, see :func:`odoo_toolkit.frames.to_df`.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return to_df(self.records, self.described)


@attrs.frozen(kw_only=True)
class SearchResult(_Rows):
    """Records found.

    Attributes:
        count: number of records here.
        has_more: there may be more: as many were found as asked for.
        next_offset: where the next page begins, if there may be one.
        total: number of all matching records, if it was asked for.
        excluded_count: number of records that the policy kept out; None where there are such, but
            it is not told how many, as with conditions the number would tell what is in them.
        url: opens the record in Odoo's web client; of several, with ``{id}`` in place of an id.
        skipped_fields: fields that the user cannot read on these records.
        warnings: what was done differently from what was asked.
        described: the fields that were read, by name.
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
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    described: Described = attrs.field(factory=dict, repr=False, eq=False)


@attrs.frozen(kw_only=True)
class ReadResult(_Rows):
    """Records read; ``missing_ids`` do not exist or are not visible to the user.

    Attributes:
        url: as of :class:`SearchResult`.
    """

    records: list[Record]
    missing_ids: list[int]
    url: str | None = None
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    described: Described = attrs.field(factory=dict, repr=False, eq=False)


@attrs.frozen(kw_only=True)
class CreateResult(Shown):
    """Records created, one or several.

    Attributes:
        id: of the only one, or of the first.
        ids: of all of them, in the order of the values.
        url: as of :class:`SearchResult`.
        records: what was read back of them.
        differences: the values that Odoo dropped, changed or rounded.
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
    """Records updated; ``records`` has what was read back of them.

    Attributes:
        url: as of :class:`SearchResult`.
        differences: the values that Odoo dropped, changed or rounded.
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
    """Records deleted."""

    success: bool
    model: str
    deleted_ids: list[int]
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class CountResult(Shown):
    """Number of records that match a domain; ``excluded_count`` as of :class:`SearchResult`."""

    model: str
    domain: list[Any]
    count: int
    excluded_count: int | None = 0
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class RecordName(Shown):
    """A record's id and display name."""

    id: int
    name: str


@attrs.frozen(kw_only=True)
class NamesResult(Shown):
    """Display names; ``missing_ids`` do not exist or are not visible to the user."""

    model: str
    names: list[RecordName]
    missing_ids: list[int] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DefaultsResult(Shown):
    """The values that a new record would get."""

    model: str
    defaults: Record


@attrs.frozen(kw_only=True)
class FieldsResult(Shown):
    """A model's fields by technical name, each with label, type, required, readonly, ..."""

    model: str
    fields: dict[str, dict[str, Any]]
    field_count: int

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return f"{self.field_count} fields of {self.model}", {}


@attrs.frozen(kw_only=True)
class ModelSummary(Shown):
    """A model.

    Attributes:
        field_count: None where the user cannot know.
        access: what was found out of the user's rights: read, write, create, unlink.
    """

    model: str
    name: str
    transient: bool
    field_count: int | None
    access: str


@attrs.frozen(kw_only=True)
class ModelsResult(Shown):
    """Models that the user may read."""

    models: list[ModelSummary]
    count: int
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ExecuteResult(Shown):
    """What a method returned: a plain value, or an action that a client would open.

    Attributes:
        message: set when Odoo asks something first.
        wizard: set when the action is a wizard that must be answered.
        records: what was read back, of the records that the method returned, or was called on.
        read_from: which of the two these records are.
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
    """What came of a wizard.

    Attributes:
        done: whether its button did its work, also where Odoo now opens another dialog: then
            because the records that it acts on are seen to have changed.
        model: of ``records``.
        records: what it opened, else what it acted on, as that is now.
        wizard: what is asked: by this wizard when it was only described, or by the next one.
        action: what it opened that is no record told here: a report, an address, another wizard.
        result: what its method returned, where that is a plain value.
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
    """The answer to one of several questions: records, a number, or an error object.

    Attributes:
        has_more: there may be more records than these.
        excluded_count, skipped_fields, warnings: as of :class:`SearchResult`.
    """

    records: list[Record] | None = None
    count: int | None = None
    has_more: bool = False
    excluded_count: int | None = 0
    skipped_fields: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)
    error: dict[str, Any] | None = None


@attrs.frozen(kw_only=True)
class QueriesResult(Shown):
    """The answers to several questions, in their order."""

    answers: list[QueryAnswer]

    def __iter__(self) -> Iterator[QueryAnswer]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, index: int) -> QueryAnswer:
        return self.answers[index]
