"""``odoo["sale.order"]``: a model as an object, for notebooks and the shell.

Each method is the function of the same name with the connection and the model filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

import attrs

from odoo_toolkit import records
from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.completion import models_like
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError
from odoo_toolkit.fields import Field, similar_names, unknown_field_error
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.aggregate import AggregateResult
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.records.bars import Progress
from odoo_toolkit.records.changes import ChangesResult
from odoo_toolkit.records.export import ExportResult
from odoo_toolkit.records.importing.preparing import Empty
from odoo_toolkit.records.importing.results import ImportPlan, ImportResult
from odoo_toolkit.records.iterate import BATCH, Records
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
from odoo_toolkit.records.rows import DEFAULT_FIELDS
from odoo_toolkit.visible_text import visible

if TYPE_CHECKING:
    from odoo_toolkit.model_guide import ModelStates


class Connection(Odoo):
    """A connection that gives models as objects: ``odoo["sale.order"]``.

    It is what :func:`odoo_toolkit.connect` returns; every function takes it as it takes an
    :class:`~odoo_toolkit.Odoo`.
    """

    def __getitem__(self, model: str) -> Model:
        """Return a model as an object, for notebooks and the shell: ``odoo["sale.order"]``.

        Its fields are asked for, once: one round trip.

        Raises:
            NotFoundError: there is no such model.
            AccessError: Odoo or the policy does not allow it.
        """
        known = Model(self, model)
        known._described()
        return known

    #: With ``__getitem__`` alone, Python would count through the models: 0, 1, 2, ...
    __iter__ = None

    def _ipython_key_completions_(self) -> list[str]:
        try:
            return models_like(self, "")
        except OdooError:
            return []


@attrs.frozen(repr=False)
class Model:
    """A model of a connection: ``odoo["sale.order"]``.

    >>> orders = odoo["sale.order"].with_company("My Company")
    >>> orders.search([["state", "=", "sale"]], ["name", "amount_total"]).to_df()

    Attributes:
        odoo: the connection.
        name: such as ``sale.order``.
        context: what each call extends the connection's context by.
    """

    odoo: Odoo
    name: str
    context: Mapping[str, Any] = attrs.Factory(dict)

    #: With ``__getitem__`` alone, Python would count through the fields: 0, 1, 2, ...
    __iter__ = None

    def __repr__(self) -> str:
        return f"odoo[{self.name!r}]" + (f".with_context(**{self.context})" if self.context else "")

    def __getitem__(self, field: str) -> Field:
        """Return the description of a field.

        Raises:
            ValidationError: the model has no such field.
        """
        described = self._described()
        if not isinstance(field, str) or field not in described:
            raise unknown_field_error(self.name, str(field), described)
        return described[field]

    def fields(self, search: str = "") -> FieldsResult:
        """Return the fields as a table.

        Args:
            search: words that must all be in the name, the label or the help; every field
                without any.
        """
        found = records.fields_get(self.odoo, self.name, context=self.context)
        words = search.casefold().split()
        kept = {
            name: told
            for name, told in found.fields.items()
            if all(
                word in f"{name} {told.get('label', '')} {told.get('help', '')}".casefold()
                for word in words
            )
        }
        return FieldsResult(model=self.name, fields=kept, field_count=len(kept))

    def search(
        self,
        domain: Sequence[Any] = (),
        fields: Sequence[str] = DEFAULT_FIELDS,
        limit: int | None = 80,
        offset: int = 0,
        order: str | None = None,
        count_total: bool = False,
    ) -> SearchResult:
        """Return the records that match a domain, see :func:`odoo_toolkit.search_read`."""
        return records.search_read(
            self.odoo,
            self.name,
            domain,
            fields,
            limit,
            offset,
            order,
            self.context,
            count_total,
        )

    def read(self, ids: Sequence[int], fields: Sequence[str] = ()) -> ReadResult:
        """Return records by their ids, see :func:`odoo_toolkit.read`."""
        return records.read(self.odoo, self.name, ids, fields, self.context)

    def count(self, domain: Sequence[Any] = ()) -> CountResult:
        """Return how many records match a domain, see :func:`odoo_toolkit.count`."""
        return records.count(self.odoo, self.name, domain, self.context)

    def iterate(
        self,
        domain: Sequence[Any] = (),
        fields: Sequence[str] = DEFAULT_FIELDS,
        order: str | None = None,
        batch: int = BATCH,
        progress: bool | Progress = False,
    ) -> Records:
        """Return every record that matches, lazily, see :func:`odoo_toolkit.iterate`."""
        return records.iterate(
            self.odoo, self.name, domain, fields, order, batch, self.context, progress
        )

    def aggregate(
        self,
        domain: Sequence[Any] = (),
        groupby: Sequence[str] = (),
        measures: Sequence[str] = (),
        order: str | None = None,
        limit: int = 80,
        having: Sequence[Any] = (),
    ) -> AggregateResult:
        """Return sums, averages, ... of groups of records, see :func:`odoo_toolkit.aggregate`."""
        return records.aggregate(
            self.odoo,
            self.name,
            domain,
            groupby,
            measures,
            order,
            limit,
            having=having,
            context=self.context,
        )

    @overload
    def create(
        self, values: Any, return_fields: Sequence[str] = (), *, dry_run: Literal[False] = False
    ) -> CreateResult: ...
    @overload
    def create(
        self, values: Any, return_fields: Sequence[str] = (), *, dry_run: bool
    ) -> CreateResult | Plan: ...
    def create(
        self, values: Any, return_fields: Sequence[str] = (), *, dry_run: bool = False
    ) -> CreateResult | Plan:
        """Create one record or several, see :func:`odoo_toolkit.create`."""
        result: CreateResult | Plan = records.create(
            self.odoo,
            self.name,
            values,
            context=self.context,
            return_fields=return_fields,
            dry_run=dry_run,
        )
        return result

    @overload
    def write(
        self,
        ids: Sequence[int],
        values: Mapping[str, Any],
        return_fields: Sequence[str] = (),
        *,
        dry_run: Literal[False] = False,
    ) -> WriteResult: ...
    @overload
    def write(
        self,
        ids: Sequence[int],
        values: Mapping[str, Any],
        return_fields: Sequence[str] = (),
        *,
        dry_run: bool,
    ) -> WriteResult | Plan: ...
    def write(
        self,
        ids: Sequence[int],
        values: Mapping[str, Any],
        return_fields: Sequence[str] = (),
        *,
        dry_run: bool = False,
    ) -> WriteResult | Plan:
        """Change records, see :func:`odoo_toolkit.write`."""
        result: WriteResult | Plan = records.write(
            self.odoo,
            self.name,
            ids,
            values,
            context=self.context,
            return_fields=return_fields,
            dry_run=dry_run,
        )
        return result

    @overload
    def unlink(self, ids: Sequence[int], *, dry_run: Literal[False] = False) -> UnlinkResult: ...
    @overload
    def unlink(self, ids: Sequence[int], *, dry_run: bool) -> UnlinkResult | Plan: ...
    def unlink(self, ids: Sequence[int], *, dry_run: bool = False) -> UnlinkResult | Plan:
        """Delete records, see :func:`odoo_toolkit.unlink`."""
        result: UnlinkResult | Plan = records.unlink(
            self.odoo, self.name, ids, self.context, dry_run=dry_run
        )
        return result

    @overload
    def upsert(
        self,
        rows: Any,
        key: str | Sequence[str],
        *,
        columns: Mapping[str, str | None] | None = None,
        values: Mapping[str, Mapping[str, Any]] | None = None,
        constants: Mapping[str, Any] | None = None,
        create_missing: Sequence[str] = (),
        dry_run: Literal[False] = False,
        notify: bool = False,
        case_sensitive: bool = True,
        empty: Empty = "clear",
        compare: bool = False,
        progress: bool | Progress | None = None,
    ) -> ImportResult: ...
    @overload
    def upsert(
        self,
        rows: Any,
        key: str | Sequence[str],
        *,
        columns: Mapping[str, str | None] | None = None,
        values: Mapping[str, Mapping[str, Any]] | None = None,
        constants: Mapping[str, Any] | None = None,
        create_missing: Sequence[str] = (),
        dry_run: bool,
        notify: bool = False,
        case_sensitive: bool = True,
        empty: Empty = "clear",
        compare: bool = False,
        progress: bool | Progress | None = None,
    ) -> ImportResult | ImportPlan: ...
    def upsert(
        self,
        rows: Any,
        key: str | Sequence[str],
        *,
        columns: Mapping[str, str | None] | None = None,
        values: Mapping[str, Mapping[str, Any]] | None = None,
        constants: Mapping[str, Any] | None = None,
        create_missing: Sequence[str] = (),
        dry_run: bool = False,
        notify: bool = False,
        case_sensitive: bool = True,
        empty: Empty = "clear",
        compare: bool = False,
        progress: bool | Progress | None = None,
    ) -> ImportResult | ImportPlan:
        """Import rows, see :func:`odoo_toolkit.upsert`."""
        result: ImportResult | ImportPlan = records.upsert(
            self.odoo,
            self.name,
            rows,
            key,
            columns=columns,
            values=values,
            constants=constants,
            create_missing=create_missing,
            context=self.context,
            dry_run=dry_run,
            notify=notify,
            case_sensitive=case_sensitive,
            empty=empty,
            compare=compare,
            progress=progress,
        )
        return result

    def export(
        self,
        domain: Sequence[Any],
        fields: Sequence[str],
        path: str | PathLike[str],
        *,
        order: str | None = None,
        external_ids: bool = True,
        progress: bool | Progress = False,
    ) -> ExportResult:
        """Write the records that match to a file, see :func:`odoo_toolkit.export`."""
        return records.export(
            self.odoo,
            self.name,
            domain,
            fields,
            path,
            order=order,
            context=self.context,
            external_ids=external_ids,
            progress=progress,
        )

    def changes(
        self,
        since: str | None = None,
        domain: Sequence[Any] = (),
        fields: Sequence[str] = DEFAULT_FIELDS,
        *,
        deletions: bool = True,
    ) -> ChangesResult:
        """Return what was changed since a mark, see :func:`odoo_toolkit.changes`."""
        return records.changes(
            self.odoo, self.name, since, domain, fields, self.context, deletions=deletions
        )

    @overload
    def execute(
        self,
        method: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        dry_run: Literal[False] = False,
    ) -> ExecuteResult: ...
    @overload
    def execute(
        self,
        method: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        dry_run: bool,
    ) -> ExecuteResult | Plan: ...
    def execute(
        self,
        method: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        dry_run: bool = False,
    ) -> ExecuteResult | Plan:
        """Call a method, see :func:`odoo_toolkit.execute`; ids are the first of ``args``."""
        result: ExecuteResult | Plan = records.execute(
            self.odoo, self.name, method, args, kwargs or {}, self.context, dry_run=dry_run
        )
        return result

    def states(self) -> ModelStates:
        """Return the states and what leads from one to the next; a notebook draws them.

        See :func:`odoo_toolkit.model_guide.model_states`.
        """
        from odoo_toolkit.model_guide import model_states

        return model_states(self.odoo, self.name)

    def with_context(self, **context: Any) -> Model:
        """Return the model with a context that extends this one: ``lang="fr_FR"``."""
        return attrs.evolve(self, context={**self.context, **context})

    def with_company(self, company: str | int) -> Model:
        """Return the model as one company sees it: its records, and new ones are for it.

        Two round trips. Odoo 14 to 19 take it from ``allowed_company_ids``.

        Args:
            company: the name or the id of one of the user's companies.

        Raises:
            NotFoundError: it is none of the user's companies; ``details["companies"]`` has them.
            AccessError: the policy does not let the user's companies be read.
        """
        companies = self._companies()
        fits = [
            key
            for key, name in companies.items()
            if (company == key and company is not True)
            or str(company).casefold() == name.casefold()
        ]
        if len(fits) != 1:
            listed = ", ".join(f"{name} ({key})" for key, name in companies.items())
            problem = "is none of" if not fits else "is the name of several of"
            raise NotFoundError(
                f"{company!r} {problem} this user's companies.",
                suggestion=f"There are {listed}; give one of the ids.",
                details={
                    "companies": companies,
                    "did_you_mean": similar_names(str(company), list(companies.values())),
                },
            )
        return self.with_context(allowed_company_ids=fits)

    def _companies(self) -> dict[int, str]:
        """Return the names of the companies that the user may work for, by id."""
        read = Call(
            model="res.users",
            method="read",
            ids=(self.odoo.uid,),
            arguments={"fields": ["company_ids"]},
            step=True,
        )
        ids = self.odoo.call(read)[0]["company_ids"]
        base = self.odoo.settings.base_context.get("allowed_company_ids") or ids
        named = records.name_get(self.odoo, "res.company", [i for i in ids if i in base])
        return {company.id: company.name for company in named.names}

    def _described(self) -> Mapping[str, Field]:
        return describe(self.odoo, self.name, "fields_get", {}, self.context)

    def _ipython_key_completions_(self) -> list[str]:
        try:
            return list(self._described())
        except OdooError:
            return []

    def _repr_html_(self) -> str:
        try:
            label, number = _label(self.odoo, self.name), f"{len(self._described())} fields"
        except OdooError as error:
            label, number = str(error), ""
        methods = [name for name in dir(type(self)) if name[0] != "_" and name not in _ATTRIBUTES]
        return (
            f"<p><b>{escape(self.name)}</b>: {escape(visible(label))}, {number}</p>"
            f"<p>{', '.join(f'<code>.{name}()</code>' for name in methods)};"
            ' <code>["name of a field"]</code></p>'
        )


_ATTRIBUTES = frozenset(field.name for field in attrs.fields(Model))


def _label(odoo: Odoo, model: str) -> str:
    try:
        return odoo.schema.models().get(model, model)
    except AccessError:  # Odoo 15 tells ordinary users nothing of its models
        return COMMON_MODELS.get(model, model)
