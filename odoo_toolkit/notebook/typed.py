"""The types of stubs for type checkers: a model, its results and its values.

``odoo-toolkit stubs`` writes a package with the fields of each model of one database. This module
has the parts that are the same for every model. Nothing of it is used at run time:
``odoo["sale.order"]`` is a :class:`~odoo_toolkit.Model`, which has these methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    TypedDict,
    TypeVar,
    cast,
    overload,
)

from odoo_toolkit.annotations import Context, Domain
from odoo_toolkit.fields import Field
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.aggregate import AggregateResult
from odoo_toolkit.records.arguments import Ids
from odoo_toolkit.records.arrow_stream import ArrowStream
from odoo_toolkit.records.changes import ChangesResult
from odoo_toolkit.records.export import ExportResult
from odoo_toolkit.records.importing.results import ImportPlan, ImportResult
from odoo_toolkit.records.iterate import Records
from odoo_toolkit.records.progress_bar import Progress
from odoo_toolkit.records.results import (
    CountResult,
    CreateResult,
    ExecuteResult,
    FieldsResult,
    ReadResult,
    SearchResult,
    UnlinkResult,
    WriteResult,
)

if TYPE_CHECKING:
    from typing import Self

    from odoo_toolkit.model_guide import ModelStates
    from odoo_toolkit.records.importing.preparing import Empty

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
S_co = TypeVar("S_co", bound=Plan, covariant=True)
Name = TypeVar("Name", bound=str, contravariant=True)
Row = TypeVar("Row")
Values = TypeVar("Values", contravariant=True)


class Many2one(TypedDict):
    """The value of a many2one as it is read; the name is None where Odoo does not tell it."""

    id: int
    name: str | None


#: What empties a field.
Nothing = Literal[False] | None

# What is written, by the type of the field ---------------------------------------------------

Text = str | Nothing
Number = float | Decimal | None
Date = str | date | Nothing
Moment = str | datetime | Nothing
RecordId = int | Many2one | Nothing
RecordIds = Sequence[int] | Sequence[Many2one] | Sequence[Sequence[Any]]
"""Ids, which replace those of a many2many; or commands, such as ``[0, 0, {...}]``."""
Content = str | bytes | Nothing


class _Typed(Generic[Row]):
    """Records of which each is a ``Row``."""

    records: list[Row]

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[Row]: ...
        def __getitem__(self, index: int) -> Row: ...


class TypedSearchResult(_Typed[Row], SearchResult):  # type: ignore[misc]  # pyright: ignore
    """A :class:`~odoo_toolkit.SearchResult` whose records have types."""


class TypedReadResult(_Typed[Row], ReadResult):  # type: ignore[misc]  # pyright: ignore
    """A :class:`~odoo_toolkit.ReadResult` whose records have types."""


class TypedChanges(_Typed[Row], ChangesResult):  # type: ignore[misc]  # pyright: ignore
    """A :class:`~odoo_toolkit.ChangesResult` whose records have types."""

    created: list[Row]  # type: ignore[assignment]  # pyright: ignore
    entered: list[Row]  # type: ignore[assignment]  # pyright: ignore
    written: list[Row]  # type: ignore[assignment]  # pyright: ignore


class TypedRecords(Records, Generic[Row]):
    """The :class:`~odoo_toolkit.Records` of ``iterate``, which have types."""

    if TYPE_CHECKING:

        def __iter__(self) -> TypedRecords[Row]: ...
        def __next__(self) -> Row: ...  # type: ignore[override]  # pyright: ignore
        def __enter__(self) -> TypedRecords[Row]: ...


class _Planning(Protocol[P, R_co, S_co]):
    """What :class:`~odoo_toolkit.plans.Planning` is; the arguments of a dry run are not checked."""

    @overload
    def __call__(self, *args: Any, dry_run: Literal[True], **kwargs: Any) -> S_co: ...
    @overload
    def __call__(self, *args: Any, dry_run: Literal[False], **kwargs: Any) -> R_co: ...
    @overload
    def __call__(self, *args: Any, dry_run: bool, **kwargs: Any) -> R_co | S_co: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class _Operation(Protocol[P, R_co, S_co]):
    """A method that acts, or only plans."""

    def __get__(self, model: Any, kind: Any) -> _Planning[P, R_co, S_co]: ...


def _operation(function: Callable[Concatenate[Any, P], R_co]) -> _Operation[P, R_co, Plan]:
    """Add the keyword ``dry_run`` to a method, for type checkers."""
    return cast("_Operation[P, R_co, Plan]", function)


def _import(function: Callable[Concatenate[Any, P], R_co]) -> _Operation[P, R_co, ImportPlan]:
    return cast("_Operation[P, R_co, ImportPlan]", function)


class TypedModel(Protocol[Name, Row, Values]):
    """A :class:`~odoo_toolkit.Model` whose fields are known.

    Each method is that of the model; names of fields, rows and values have types. A dotted path
    has none: the functions of the library take any name, ``search_read(odoo, "sale.order", ...)``.
    """

    @property
    def name(self) -> str:
        """The model's name, such as ``sale.order``."""
        ...

    @property
    def context(self) -> Mapping[str, Any]:
        """What each call extends the connection's context by."""
        ...

    def __getitem__(self, field: Name, /) -> Field:
        """Return the description of a field."""
        ...

    def fields(self, search: str = "") -> FieldsResult:
        """Return the fields as a table."""
        ...

    def search(
        self,
        domain: Domain = (),
        fields: Sequence[Name | Literal["*"]] = ...,
        limit: int | None = 80,
        offset: int = 0,
        order: str | None = None,
        context: Context = None,
        count_total: bool = False,
    ) -> TypedSearchResult[Row]:
        """Return the records that match a domain. See :func:`odoo_toolkit.search_read`."""
        ...

    def read(
        self,
        ids: Ids,
        fields: Sequence[Name | Literal["*"]] = (),
        context: Context = None,
    ) -> TypedReadResult[Row]:
        """Return records by their ids. See :func:`odoo_toolkit.read`."""
        ...

    def count(self, domain: Domain = (), context: Context = None) -> CountResult:
        """Return the number of matching records. See :func:`odoo_toolkit.count`."""
        ...

    def iterate(
        self,
        domain: Domain = (),
        fields: Sequence[Name | Literal["*"]] = ...,
        order: str | None = None,
        batch: int = 1000,
        context: Context = None,
        progress: bool | Progress = False,
        *,
        check: bool = False,
    ) -> TypedRecords[Row]:
        """Return an iterator over every matching record. See :func:`odoo_toolkit.iterate`."""
        ...

    def aggregate(
        self,
        domain: Domain = (),
        groupby: Sequence[str] = (),
        measures: Sequence[str] = (),
        order: str | None = None,
        limit: int | None = 80,
        offset: int = 0,
        having: Sequence[Any] = (),
        context: Context = None,
        count_total: bool = False,
    ) -> AggregateResult:
        """Group records and calculate sums. See :func:`odoo_toolkit.aggregate`."""
        ...

    @_operation
    def create(
        self,
        values: Values | Sequence[Values],
        context: Context = None,
        return_fields: Sequence[Name] = (),
        *,
        idempotency_key: str | None = None,
    ) -> CreateResult:
        """Create records; see :func:`odoo_toolkit.create`."""
        ...

    @_operation
    def write(
        self,
        ids: Ids,
        values: Values,
        context: Context = None,
        return_fields: Sequence[Name] = (),
        *,
        idempotency_key: str | None = None,
    ) -> WriteResult:
        """Change records; see :func:`odoo_toolkit.write`."""
        ...

    @_operation
    def unlink(
        self,
        ids: Ids,
        context: Context = None,
        *,
        idempotency_key: str | None = None,
    ) -> UnlinkResult:
        """Delete records; see :func:`odoo_toolkit.unlink`."""
        ...

    @_operation
    def execute(
        self,
        method: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        context: Context = None,
        return_fields: Sequence[Name] = (),
        *,
        idempotency_key: str | None = None,
    ) -> ExecuteResult:
        """Call a method; see :func:`odoo_toolkit.execute`."""
        ...

    @_import
    def upsert(
        self,
        rows: Any,
        key: str | Sequence[str],
        *,
        columns: Mapping[str, str | None] | None = None,
        values: Mapping[str, Mapping[str, Any]] | None = None,
        constants: Mapping[str, Any] | None = None,
        create_missing: Sequence[str] = (),
        context: Context = None,
        notify: bool = False,
        case_sensitive: bool = True,
        empty: Empty = "clear",
        batch: int = 1000,
        concurrency: int = 1,
        progress: bool | Progress | None = None,
        idempotency_key: str | None = None,
    ) -> ImportResult:
        """Create and change records from a table; see :func:`odoo_toolkit.upsert`."""
        ...

    def export(
        self,
        domain: Domain,
        fields: Sequence[str],
        path: str | PathLike[str],
        *,
        order: str | None = None,
        context: Context = None,
        external_ids: bool = True,
        progress: bool | Progress = False,
        check: bool = False,
    ) -> ExportResult:
        """Write records to a file, also with dotted fields. See :func:`odoo_toolkit.export`."""
        ...

    def to_arrow(
        self,
        domain: Domain = (),
        fields: Sequence[str] = ...,
        *,
        order: str | None = None,
        batch: int = 1000,
        context: Context = None,
        decimals: bool = True,
        progress: bool | Progress = False,
        check: bool = False,
    ) -> ArrowStream:
        """Return records as Arrow batches, also with dotted fields.

        See :func:`odoo_toolkit.to_arrow`.
        """
        ...

    def changes(
        self,
        since: str | None = None,
        domain: Domain = (),
        fields: Sequence[Name | Literal["*"]] = ...,
        context: Context = None,
        *,
        deletions: bool = True,
        overlap: float = 600.0,
    ) -> TypedChanges[Row]:
        """Return the changes since a cursor. See :func:`odoo_toolkit.changes`."""
        ...

    def states(self) -> ModelStates:
        """Return the states and what leads from one to the next."""
        ...

    def with_context(self, **context: Any) -> Self:
        """Return the model with a context that extends this one."""
        ...

    def with_company(self, company: str | int) -> Self:
        """Return the model as one company sees it."""
        ...
