"""A source for dlt: models of Odoo as tables of any destination."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import attrs

from odoo_toolkit.annotations import Context, Domain, Fields
from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.batches import Batches
from odoo_toolkit.dlt.bundles import models_of
from odoo_toolkit.dlt.destination_check import Standing, dropped, standing
from odoo_toolkit.dlt.following import Ended, Following, Rows
from odoo_toolkit.dlt.links import Links
from odoo_toolkit.dlt.naming import table_named
from odoo_toolkit.dlt.reports import TableReport, report_of
from odoo_toolkit.dlt.sync_state import as_state, of_state
from odoo_toolkit.dlt.tables import DELETED, SYNCED_AT, Table, table_of
from odoo_toolkit.errors import ConfigurationError, ValidationError, invalid
from odoo_toolkit.installation import how_to_install
from odoo_toolkit.values.scalars import short_repr

if TYPE_CHECKING:
    from dlt import Pipeline
    from dlt.extract import DltResource, DltSource

#: Name of the source, and of its schema at the destination.
NAME = "odoo"

Columns = Literal["evolve", "freeze"]


@attrs.frozen
class _Begun:
    """A run that begins.

    Attributes:
        table: as the server describes it now.
        standing: what it begins with.
        state: what dlt keeps of it.
    """

    table: Table
    standing: Standing
    state: dict[str, Any]


def imported() -> Any:
    """Return dlt, which sends no usage statistics unless somebody has told it to.

    Raises:
        ConfigurationError: it is not installed.
    """
    os.environ.setdefault("RUNTIME__DLTHUB_TELEMETRY", "false")
    try:
        import dlt
    except ImportError as error:
        raise ConfigurationError(
            "dlt is not installed. Loading into a warehouse needs it.",
            suggestion=how_to_install("dlt"),
        ) from error
    return dlt


def odoo_table(
    odoo: Odoo,
    model: str,
    domain: Domain = (),
    fields: Fields = (),
    *,
    table: str | None = None,
    context: Context = None,
    columns: Columns = "evolve",
    full_reload: bool = False,
    batch_size: int | None = None,
    decimals: bool = True,
    parallelized: bool = False,
) -> DltResource:
    """Return a model as a dlt resource, which loads the changes since its last run.

    >>> import dlt
    >>> from odoo_toolkit.dlt import odoo_table
    >>> pipeline = dlt.pipeline("orders", destination="duckdb", dataset_name="odoo_data")
    >>> pipeline.run(odoo_table(odoo, "sale.order", [["state", "=", "sale"]]))

    Rows are merged by id. Rows of records that are deleted or no longer match are deleted. Rows of
    records that the user can no longer read stay. Each x2many field becomes a table of ids, such as
    ``sale_order__tag_ids``. See the guide to syncing to a data warehouse.

    Args:
        model: Model to load, such as ``sale.order``.
        domain: Search filter. [] selects all records.
        fields: Field names, the same each time. Default: all stored fields without files,
            properties and one2many.
        table: Name of the table. Default: that of the model, ``sale_order``.
        context: Keys to add to the context of the connection, such as ``{"lang": "fr_FR"}``. Pass
            the same each time. The language and the company must also stay the same, wherever they
            come from.
        columns: ``evolve`` to add new fields and read all records again, or ``freeze`` to raise an
            error. A field that changes its type is always an error.
        full_reload: Whether to read all records again, to get changes that Odoo does not record.
        batch_size: Maximum number of records per run, if all records are read. The next run
            continues.
        decimals: True if money is decimal, and also floats with a number of digits fixed by Odoo.
            Otherwise they are floats.
        parallelized: True if dlt reads the table in a thread, in parallel with other tables. See
            the documentation of dlt.

    Raises:
        ConfigurationError: dlt or pyarrow is not installed.
        ValidationError: ``columns`` is wrong, or the destination would give the table another name.
        ValidationError, NotFoundError, AccessError: When it runs, the model or its fields are
            wrong. dlt raises its own error, and this one is the cause.
    """
    dlt = imported()
    if columns not in get_args(Columns):
        raise invalid(
            "columns",
            f"columns must be {' or '.join(map(repr, get_args(Columns)))}, not"
            f" {short_repr(columns)}.",
            "Omit columns, or set it to what to do with new fields. To choose the "
            "fields to load, use the argument fields.",
        )
    name = table_named(dlt, model, table)

    def begin() -> Iterator[_Begun]:
        # Here, because what follows may run in a thread, where dlt lends no client.
        pipeline, state = dlt.current.pipeline(), dlt.current.resource_state(name)
        _check_merges(pipeline)
        described = table_of(
            odoo,
            model,
            domain,
            fields,
            context,
            name=name,
            full_reload=full_reload,
            decimals=decimals,
        )
        _check_names(described, dlt.current.source_schema().naming)
        begun = Standing(of_state(state))
        if name not in dropped(dlt.current.load_package_state()):
            begun = standing(pipeline, described, begun.kept)
        yield _Begun(described, begun, state)

    def rows(found: _Begun) -> Iterator[Any]:
        table, begun = found.table, found.standing
        run = Following(
            odoo,
            table,
            begun,
            full_reload=full_reload,
            frozen=columns == "freeze",
            batch_size=batch_size,
        )
        batches = Batches(table, begun.kept.moment)
        for part in run.parts():
            match part:
                case Rows(records):
                    yield batches.rows(records)
                case Ended(ids):
                    yield batches.ended(ids)
                    for field in table.links:
                        yield _linked(dlt, table, batches, Links(field, ids, ()))
                case Links():
                    yield _linked(dlt, table, batches, part)
        # Set when all has been handed out: of a run that ends early, nothing is kept.
        if run.kept:
            found.state.clear()
            found.state.update(as_state(attrs.evolve(run.kept, moment=batches.moment)))

    resource: DltResource = dlt.transformer(
        rows,
        data_from=dlt.resource(begin, name=f"{name}_begin", selected=False),
        name=name,
        table_name=name,
        write_disposition="merge",
        primary_key="id",
        columns={DELETED: {"hard_delete": True}, SYNCED_AT: {"dedup_sort": "desc"}},
        schema_contract={"tables": "evolve", "columns": "evolve", "data_type": "freeze"},
        max_table_nesting=0,
        parallelized=parallelized,
    )
    return resource


def odoo_source(
    odoo: Odoo,
    models: Sequence[str] = (),
    *,
    bundle: str | None = None,
    **options: Any,
) -> DltSource:
    """Return several models as a dlt source, each as in :func:`odoo_table`.

    >>> import dlt
    >>> from odoo_toolkit.dlt import odoo_source
    >>> pipeline = dlt.pipeline("sales", destination="duckdb", dataset_name="odoo_data")
    >>> pipeline.run(odoo_source(odoo, bundle="sales"))

    Args:
        models: Models, such as ``["sale.order", "sale.order.line"]``.
        bundle: Models that belong together: ``sales``, ``accounting``, ``stock`` or ``crm``.
        options: Options of :func:`odoo_table`, for all models.

    Raises:
        ValidationError: The bundle does not exist, or you passed neither models nor a bundle.
        ConfigurationError: dlt or pyarrow is not installed.
    """
    dlt = imported()
    bundles = () if bundle is None else (bundle,)
    resources = [odoo_table(odoo, model, **options) for model in models_of(models, bundles)]
    source: DltSource = dlt.source(lambda: resources, name=NAME)()
    return source


def reports(pipeline: Pipeline) -> dict[str, TableReport]:
    """Return the reports of a pipeline's last run, by table name.

    Args:
        pipeline: Pipeline of dlt that ran.
    """
    found: dict[str, TableReport] = {}
    for name, state in states(pipeline).items():
        if told := state.get("report"):
            found[name] = report_of(told)
    return found


def states(pipeline: Pipeline) -> Mapping[str, Mapping[str, Any]]:
    """Return what is kept of each table."""
    sources = pipeline.state.get("sources", {})
    return {
        name: state
        for source in sources.values()
        for name, state in source.get("resources", {}).items()
        if "cursor" in state and "reading" in state
    }


def _linked(dlt: Any, table: Table, batches: Batches, links: Links) -> Any:
    hints = dlt.mark.make_hints(
        table_name=table.links_table(links.field),
        write_disposition="merge",
        merge_key="id",
        primary_key=(),
        columns={DELETED: {"hard_delete": True}},
    )
    return dlt.mark.with_hints(batches.links(links), hints, create_table_variant=True)


def _check_merges(pipeline: Pipeline) -> None:
    """Refuse a destination where dlt would add rows instead of replacing them."""
    destination = pipeline.destination
    if "delete-insert" not in (destination.capabilities().supported_merge_strategies or ()):
        raise ConfigurationError(
            f"dlt cannot replace and delete rows in {destination.destination_name}.",
            suggestion="Choose a destination that supports this, such as duckdb, postgres or "
            "bigquery. To write files, use to_arrow(...).write(path).",
        )


def _check_names(table: Table, naming: Any) -> None:
    """Refuse columns that the destination would take for one."""
    taken: dict[str, str] = {DELETED: DELETED, SYNCED_AT: SYNCED_AT}
    for column in table.columns:
        name = naming.normalize_identifier(column.name)
        other = taken.setdefault(name, column.name)
        if other != column.name:
            raise ValidationError(
                f"{other} and {column.name} of {table.model} would both become the column {name}.",
                code="INVALID_FIELD",
                suggestion="Pass the fields that you want, without one of these.",
                details={"model": table.model, "fields": [other, column.name]},
            )
