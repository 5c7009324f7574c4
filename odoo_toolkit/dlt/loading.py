"""A function that syncs a model to a table of a data warehouse."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.annotations import Context, Domain, Fields
from odoo_toolkit.client import Odoo
from odoo_toolkit.dlt.checking import check_destination, check_sums
from odoo_toolkit.dlt.naming import check_dataset, table_named
from odoo_toolkit.dlt.reports import TableReport, report_of
from odoo_toolkit.dlt.source import Columns, imported, odoo_table, states
from odoo_toolkit.dlt.sync_state import of_state
from odoo_toolkit.dlt.table_lock import alone
from odoo_toolkit.dlt.tables import table_of
from odoo_toolkit.errors import ConfigurationError, OdooError, StateError, ValidationError
from odoo_toolkit.progress import OperationCancelled

if TYPE_CHECKING:
    from dlt import Pipeline
    from dlt.common.schema.exceptions import DataValidationError
    from dlt.extract import DltSource

#: Records of one package, so that a long first run that is stopped goes on where it was.
BATCH_SIZE = 100_000

#: The schema or dataset of the tables. A DuckDB file must not have the name of one in it, and many
#: will be called odoo.
DATASET = "odoo_data"

#: How often a dataset is created that others create, too.
_TRIES = 6

#: Names that others use for destinations.
_SCHEMES = {"postgresql": "postgres"}
#: Whatever else is behind ``://`` of a destination is for dlt to read.
_FILES = {"duckdb"}


def sync(
    odoo: Odoo,
    destination: Any,
    model: str,
    domain: Domain = (),
    fields: Fields = (),
    *,
    table: str | None = None,
    dataset: str = DATASET,
    context: Context = None,
    columns: Columns = "evolve",
    full_reload: bool = False,
    refresh: bool = False,
    check: bool = False,
    decimals: bool = True,
    batch_size: int = BATCH_SIZE,
) -> TableReport:
    """Sync a model to a table of a data warehouse, and check that the table is complete.

    >>> for model in ("sale.order", "sale.order.line"):
    ...     print(sync(odoo, "duckdb:///odoo.db", model))

    The first call loads all records. Later calls load the changes. The state is stored at the
    destination with the data, so any machine can make the next call. The next call also completes
    one that was interrupted.

    Args:
        destination: Address such as ``duckdb:///odoo.db`` or ``postgresql://user@host/database``,
            the name of a destination that dlt is configured for, or one of ``dlt.destinations``.
        model: Model to load, such as ``sale.order``.
        fields: Field names, the same each time. Default: all stored fields without files,
            properties and one2many.
        table: Name of the table. Default: that of the model, ``sale_order``.
        dataset: Schema or dataset of the table.
        context: Keys to add to the context of the connection, such as ``{"lang": "fr_FR"}``. Pass
            the same each time. The language and the company must also stay the same, wherever they
            come from.
        columns: ``evolve`` to add new fields and read all records again, or ``freeze`` to raise an
            error. A field that changes its type is always an error.
        full_reload: Whether to read all records again, to get changes that Odoo does not record.
        refresh: Whether to drop the table and load it again.
        check: Whether to compare the ids at the destination with those in Odoo at the end.
        decimals: True if money is decimal, and also floats with a number of digits fixed by Odoo.
            Otherwise they are floats.
        batch_size: Maximum number of records per load, if all records are read.

    Returns:
        A report of what was loaded, and whether the table is complete.

    Raises:
        ConfigurationError: dlt or pyarrow is not installed, dlt is not configured for the
            destination, or the destination can't merge rows.
        ValidationError: The destination, a name, the model or a field is wrong. Or the table was
            loaded with another language, company, field type, or with more fields.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
        StateError: The destination failed, another sync loads the table, the clock of Odoo went
            back, or the table is not complete. The next call loads what is missing.
    """
    dlt = imported()
    _quieten()
    name = table_named(dlt, model, table)
    check_dataset(dlt, dataset)
    target = destination_of(dlt, destination, dataset)
    with _pipeline(dlt, target, dataset, name) as pipeline:
        again, told = refresh, None
        while told is None or told.status == "not finished":
            resource = odoo_table(
                odoo,
                model,
                domain,
                fields,
                table=name,
                context=context,
                columns=columns,
                full_reload=full_reload,
                batch_size=batch_size,
                decimals=decimals,
            )
            source = dlt.source(lambda one=resource: one, name=f"odoo_{name}")()
            _run(pipeline, source, "drop_sources" if again else None)
            before, told, again = told, report_of(states(pipeline)[name]["report"]), False
            told = _together(before, told)
        kept = of_state(states(pipeline)[name])
        check_sums(pipeline, name, kept)
        if not check:
            return told
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
        since = check_destination(odoo, pipeline, described, kept)
        return attrs.evolve(told, checked=True, warnings=[*told.warnings, *since])


def destination_of(dlt: Any, destination: Any, dataset: str) -> Any:
    """Return what a text means as a destination of dlt.

    Raises:
        ValidationError: nothing that dlt has; or a file that DuckDB would mix up with the dataset.
    """
    if not isinstance(destination, str):
        return destination
    scheme, colon, rest = destination.partition("://")
    kind = _SCHEMES.get(scheme, scheme).partition("+")[0]
    made = getattr(dlt.destinations, kind, None) if kind.isidentifier() else None
    if made is None or (colon and not rest.strip("/")):
        raise ValidationError(
            f"{destination!r:.80} is not a destination.",
            suggestion="Pass a destination such as duckdb:///odoo.db or "
            "postgresql://user@host/database, or the name of one that dlt is "
            "configured for, such as bigquery.",
        )
    if not colon:
        return made()
    if kind not in _FILES:
        return made(credentials=destination)
    # As in other addresses of files: three slashes before a relative path, four before an absolute.
    path = rest.removeprefix("/")
    if Path(path).stem.lower() == dataset.lower():
        raise ValidationError(
            f"The file {Path(path).name} has the same name as the dataset {dataset}, and DuckDB "
            "cannot distinguish them.",
            suggestion="Choose another name for the file or for the dataset.",
        )
    return made(credentials=path)


@contextmanager
def _pipeline(dlt: Any, target: Any, dataset: str, name: str) -> Iterator[Pipeline]:
    """Lend a pipeline of dlt that no other sync of the same table has at the same time."""
    # What is kept there would be out of step with the destination: it is asked each time.
    with tempfile.TemporaryDirectory(prefix="odoo-sync-") as folder, _as_ours(dlt):
        pipeline = dlt.pipeline(
            f"odoo_{name}", pipelines_dir=folder, destination=target, dataset_name=dataset
        )
        with alone(pipeline, name):
            yield pipeline


def _run(pipeline: Pipeline, source: DltSource, refresh: Any) -> None:
    """Run a pipeline; where others create the same dataset meanwhile, dlt fails, and goes on."""
    from dlt.pipeline.exceptions import PipelineStepFailed
    from dlt.pipeline.helpers import retry_schema_update

    for left in reversed(range(_TRIES)):
        try:
            # A run that has files to load loads these, and asks the source for nothing.
            pipeline.run(source, refresh=refresh)
        except PipelineStepFailed as error:
            if not (left and retry_schema_update()(error)):
                raise
            refresh = None
        else:
            return


def _together(before: TableReport | None, now: TableReport) -> TableReport:
    """Return the report of several runs that were one to the caller."""
    if before is None:
        return now
    counts = ("loaded", "changed", "deleted", "left")
    sums = {kind: getattr(before, kind) + getattr(now, kind) for kind in counts}
    return attrs.evolve(now, **sums, warnings=list(dict.fromkeys(before.warnings + now.warnings)))


def _quieten() -> None:
    """Let dlt say nothing of failures, which are raised, unless somebody set it otherwise.

    It looks for that once, when it is first used.
    """
    os.environ.setdefault("RUNTIME__LOG_LEVEL", "CRITICAL")


@contextmanager
def _as_ours(dlt: Any) -> Iterator[None]:
    """Raise what dlt wraps as what it was, and its own errors as one of ours."""
    from dlt.common.configuration.exceptions import ConfigurationException
    from dlt.common.destination.exceptions import DestinationException
    from dlt.common.exceptions import DltException
    from dlt.common.schema.exceptions import DataValidationError

    try:
        yield
    except DltException as error:
        chain = [*_causes(error)]
        for cause in chain:
            if isinstance(cause, (OdooError, OperationCancelled, KeyboardInterrupt)):
                raise cause from None
            if isinstance(cause, DataValidationError):
                raise _another_type(cause) from error
            if isinstance(cause, ConfigurationException):
                what = " ".join(line.strip() for line in str(cause).splitlines()[:2])
                raise ConfigurationError(
                    f"dlt is not configured for this destination: {what:.400}",
                    suggestion="Set the missing value in the environment, such as a password in "
                    "DESTINATION__POSTGRES__CREDENTIALS__PASSWORD, or in dlt's "
                    "secrets.toml.",
                ) from error
        asked = any(isinstance(one, DestinationException) or _is_of_driver(one) for one in chain)
        if getattr(error, "step", None) in ("extract", "normalize") and not asked:
            disc = next((one for one in chain if isinstance(one, OSError) and one.errno), None)
            if disc is None:
                raise
            raise StateError(
                f"The toolkit cannot write temporary files in {tempfile.gettempdir()}: "
                f"{_first_line(disc)}",
                suggestion="Free some space, or set TMPDIR to another folder. Nothing is lost: "
                "the next sync loads the rest.",
            ) from error
        raise _destination_failed(chain[-1]) from error
    except Exception as error:
        # Where dlt opens a connection, it lets pass what the driver raises.
        if not _is_of_driver(error):
            raise
        raise _destination_failed(error) from error


def _another_type(error: DataValidationError) -> ValidationError:
    """Return the error for a column whose type does not fit the one at the destination.

    Of a column that was not loaded for some time, nothing is kept but what the destination has.
    """
    found = error.table_schema or {}
    before = found.get("columns", {}).get(error.column_name, {}).get("data_type", "another type")
    return ValidationError(
        f"The type of {error.column_name} has changed. In the table {error.table_name}, the "
        f"column is {before}.",
        code="INVALID_FIELD",
        suggestion="Omit the field. Or drop and reload the table with refresh=True.",
        details={"table": error.table_name, "field": error.column_name},
    )


def _destination_failed(error: BaseException) -> StateError:
    return StateError(
        f"The destination failed: {_first_line(error)}",
        suggestion="Fix the problem and run the sync again. Nothing is lost: the next sync loads "
        "the rest.",
    )


def _is_of_driver(error: BaseException) -> bool:
    """Whether a driver of a database raised it; each has classes of its own with these names."""
    return any(kind.__name__ in ("DatabaseError", "InterfaceError") for kind in type(error).__mro__)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:400]
