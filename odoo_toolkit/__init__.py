"""Odoo 14 to 19 from Python: plain, blocking functions.

>>> from odoo_toolkit import connect, search_read
>>> odoo = connect(url="https://example.odoo.com", username="ann", password="...")
>>> search_read(odoo, "res.partner", [["is_company", "=", True]], ["name", "email"])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from odoo_toolkit.arguments import Domain as Domain
    from odoo_toolkit.arguments.compared import Difference as Difference
    from odoo_toolkit.batching import BatchItem as BatchItem
    from odoo_toolkit.batching import BatchPlan as BatchPlan
    from odoo_toolkit.batching import BatchResult as BatchResult
    from odoo_toolkit.batching import batch as batch
    from odoo_toolkit.change_history import History as History
    from odoo_toolkit.change_history import HistoryEntry as HistoryEntry
    from odoo_toolkit.change_history import Write as Write
    from odoo_toolkit.change_history.undo_preview import Undo as Undo
    from odoo_toolkit.client import CallEvent as CallEvent
    from odoo_toolkit.client import Odoo as Odoo
    from odoo_toolkit.connecting import connect as connect
    from odoo_toolkit.connection.pool import Pool as Pool
    from odoo_toolkit.connection.settings import ConnectionSettings as ConnectionSettings
    from odoo_toolkit.errors import AccessError as AccessError
    from odoo_toolkit.errors import ConfigurationError as ConfigurationError
    from odoo_toolkit.errors import ConstraintError as ConstraintError
    from odoo_toolkit.errors import NotFoundError as NotFoundError
    from odoo_toolkit.errors import OdooConnectionError as OdooConnectionError
    from odoo_toolkit.errors import OdooError as OdooError
    from odoo_toolkit.errors import RateLimitError as RateLimitError
    from odoo_toolkit.errors import StateError as StateError
    from odoo_toolkit.errors import ValidationError as ValidationError
    from odoo_toolkit.errors import WizardRequiredError as WizardRequiredError
    from odoo_toolkit.notebook.models import Connection as Connection
    from odoo_toolkit.notebook.models import Model as Model
    from odoo_toolkit.plans import Plan as Plan
    from odoo_toolkit.plans import PlannedCall as PlannedCall
    from odoo_toolkit.plans import PlannedChange as PlannedChange
    from odoo_toolkit.plans import PlannedDocument as PlannedDocument
    from odoo_toolkit.plans import PlannedLine as PlannedLine
    from odoo_toolkit.policy import Policy as Policy
    from odoo_toolkit.progress import OperationCancelled as OperationCancelled
    from odoo_toolkit.progress import time_limit as time_limit
    from odoo_toolkit.records import *  # noqa: F403 - all of its names
    from odoo_toolkit.records.aggregate import AggregateResult as AggregateResult
    from odoo_toolkit.records.arrow_stream import ArrowFile as ArrowFile
    from odoo_toolkit.records.arrow_stream import ArrowStream as ArrowStream
    from odoo_toolkit.records.changes import ChangesResult as ChangesResult
    from odoo_toolkit.records.completeness import ReadReport as ReadReport
    from odoo_toolkit.records.export import ExportResult as ExportResult
    from odoo_toolkit.records.importing.results import FailedRow as FailedRow
    from odoo_toolkit.records.importing.results import ImportPlan as ImportPlan
    from odoo_toolkit.records.importing.results import ImportResult as ImportResult
    from odoo_toolkit.records.importing.results import Problem as Problem
    from odoo_toolkit.records.importing.results import RowError as RowError
    from odoo_toolkit.records.iterate import Records as Records
    from odoo_toolkit.records.names import AmbiguousNameError as AmbiguousNameError
    from odoo_toolkit.records.results import CountResult as CountResult
    from odoo_toolkit.records.results import CreateResult as CreateResult
    from odoo_toolkit.records.results import DefaultsResult as DefaultsResult
    from odoo_toolkit.records.results import ExecuteResult as ExecuteResult
    from odoo_toolkit.records.results import FieldsResult as FieldsResult
    from odoo_toolkit.records.results import ModelsResult as ModelsResult
    from odoo_toolkit.records.results import NamesResult as NamesResult
    from odoo_toolkit.records.results import QueriesResult as QueriesResult
    from odoo_toolkit.records.results import QueryAnswer as QueryAnswer
    from odoo_toolkit.records.results import ReadResult as ReadResult
    from odoo_toolkit.records.results import RecordName as RecordName
    from odoo_toolkit.records.results import SearchResult as SearchResult
    from odoo_toolkit.records.results import UnlinkResult as UnlinkResult
    from odoo_toolkit.records.results import WizardResult as WizardResult
    from odoo_toolkit.records.results import WriteResult as WriteResult
    from odoo_toolkit.undoing.functions import UndoResult as UndoResult
    from odoo_toolkit.undoing.functions import history as history
    from odoo_toolkit.undoing.functions import undo as undo
    from odoo_toolkit.undoing.functions import undo_since as undo_since
    from odoo_toolkit.undoing.overview import HistorySummary as HistorySummary
    from odoo_toolkit.values import ReadOptions as ReadOptions

    __version__: str

#: module -> the public names that it is the home of. They are imported when they are first used:
#: the MCP server answers before it needs them, and a script pays for what it uses.
_HOMES = {
    "arguments": "Domain",
    "batching": "BatchItem BatchPlan BatchResult batch",
    "client": "CallEvent Odoo",
    "connecting": "connect",
    "connection.pool": "Pool",
    "connection.settings": "ConnectionSettings",
    "errors": "AccessError ConfigurationError ConstraintError NotFoundError OdooConnectionError"
    " OdooError RateLimitError StateError ValidationError WizardRequiredError",
    "change_history": "History HistoryEntry Write",
    "change_history.undo_preview": "Undo",
    "notebook.models": "Connection Model",
    "undoing.overview": "HistorySummary",
    "undoing.functions": "UndoResult history undo undo_since",
    "plans": "Plan PlannedCall PlannedChange PlannedDocument PlannedLine",
    "policy": "Policy",
    "progress": "OperationCancelled time_limit",
    "records": "aggregate changes count create create_many default_get execute export fields_get"
    " iterate list_models name_get read read_csv run_queries run_wizard search_read to_arrow"
    " unlink upsert write write_many",
    "arguments.compared": "Difference",
    "records.aggregate": "AggregateResult",
    "records.arrow_stream": "ArrowFile ArrowStream",
    "records.changes": "ChangesResult",
    "records.completeness": "ReadReport",
    "records.export": "ExportResult",
    "records.importing.results": "FailedRow ImportPlan ImportResult Problem RowError",
    "records.iterate": "Records",
    "records.names": "AmbiguousNameError",
    "records.results": "CountResult CreateResult DefaultsResult ExecuteResult FieldsResult"
    " ModelsResult NamesResult QueriesResult QueryAnswer ReadResult"
    " RecordName SearchResult UnlinkResult WizardResult WriteResult",
    "values": "ReadOptions",
}
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from odoo_toolkit.installation import clash, version

    if problem := clash():
        raise ImportError(problem)
    if name == "__version__":
        return version()
    value = globals()[name] = getattr(importlib.import_module(_HOME_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
