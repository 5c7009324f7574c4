"""Reading and writing the records of any model."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import records
from odoo_toolkit.annotations import Context, DryRun, Fields, JsonSchema, Model
from odoo_toolkit.arguments import DOMAIN_HELP
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search import DeepSearchResult, deep_search
from odoo_toolkit.model_guide import new_record
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.importing.results import ImportPlan, ImportSummary
from odoo_toolkit.records.models import DEFAULT_ATTRIBUTES
from odoo_toolkit.records.reading_back import NAMES_AND_STATES
from odoo_toolkit.records.results import CreateResult, FieldsResult
from odoo_toolkit.records.system_info import installed_apps
from odoo_toolkit.users.acting_as import ActingAs, acting_as
from odoo_toolkit_mcp.approval_rules import rules_of
from odoo_toolkit_mcp.guides import create_record, model_guide
from odoo_toolkit_mcp.server_facts import served_by
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import batching, history
from odoo_toolkit_mcp.toolsets.approving import approval_tools
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable
from odoo_toolkit_mcp.toolsets.languages import TOOLS as LANGUAGE_TOOLS


@functools.wraps(records.create)
def _create(odoo: Odoo, *arguments: Any, **named: Any) -> CreateResult | Plan:
    """Create records; without a word on what to read back, that is their names and states."""
    named = {"return_fields": NAMES_AND_STATES, **named}
    result: CreateResult | Plan = records.create(odoo, *arguments, **named)
    return result


def _get_user(odoo: Odoo) -> ActingAs:
    """Return the user and company of a connection."""
    return acting_as(odoo)


def _fields_get(
    odoo: Odoo,
    model: Model,
    names: Annotated[Fields | None, Doc("Only these fields.")] = None,
    words: Annotated[str | None, Doc("Fields with these words in name, label or help.")] = None,
    must_give: Annotated[bool, Doc("Only fields that a new record requires.")] = False,
    attributes: Annotated[Fields, Doc("Field attributes. ['*'] for all.")] = DEFAULT_ATTRIBUTES,
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> FieldsResult:
    """Return the fields of a model, or those that match."""
    if must_give:
        needed = [field.name for field in new_record(odoo, model).must_give]
        names = [name for name in needed if names is None or name in names]
    return records.fields_get(odoo, model, attributes, context, names, words)


@attrs.frozen(kw_only=True)
class ModelGuide:
    """How to work with a model, in words."""

    model: str
    guide: str


def _import(
    odoo: Odoo,
    model: Model,
    rows: Annotated[
        Sequence[Mapping[str, Any]],
        JsonSchema({"type": "array", "items": {"type": "object"}}),
        Len(1, 200),
        Doc(
            "Values by field. Omitted values stay the same. Relations by name, or in columns such"
            " as country_id/code or country_id/id (external id)."
        ),
    ],
    key: Annotated[Fields, Doc("Fields that identify a record, or id (also external).")],
    create_missing: Annotated[
        Sequence[str],
        JsonSchema({"type": "array", "items": {"type": "string"}}),
        Doc("Models in which to create records for unknown names."),
    ] = (),
    dry_run: DryRun = False,
    notify: Annotated[bool, Doc("Let Odoo log the changes and send its e-mails.")] = False,
    case_sensitive: Annotated[bool, Doc("Match case in names and keys.")] = True,
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> ImportSummary:
    """Import rows, and return a summary."""
    return records.upsert(
        odoo,
        model,
        rows,
        key,
        create_missing=create_missing,
        dry_run=dry_run,
        notify=notify,
        case_sensitive=case_sensitive,
        context=context,
        progress=False,
    ).summary()


def _import_plan(odoo: Odoo, model: str, rows: Any, key: Any, **how: Any) -> ImportPlan:
    """Return what an import would do, with all of its rows."""
    how.pop("dry_run", None)
    return records.upsert.plan(odoo, model, rows, key, **{**how, "progress": False})


TOOLS = (
    Tool(
        name="odoo_core_search_read",
        title="Search records",
        description="Find records of any model, and read the fields that you name.\n" + DOMAIN_HELP,
        function=records.search_read,
        access="read",
    ),
    Tool(
        name="odoo_core_run_queries",
        title="Run several queries",
        description="Run several searches and counts, on any models, in one call. If a query fails,"
        " the others still run.",
        function=records.run_queries,
        access="read",
    ),
    Tool(
        name="odoo_core_read",
        title="Read records",
        description="Read records by their ids. missing_ids lists ids that do not exist or that the"
        " user cannot see.",
        function=records.read,
        access="read",
    ),
    Tool(
        name="odoo_core_count",
        title="Count records",
        description="Count the records that match a domain (as in odoo_core_search_read).",
        function=records.count,
        access="read",
    ),
    Tool(
        name="odoo_core_aggregate",
        title="Group and sum",
        description='Count, sum and average records by group, in one call. Use it for "how many"'
        ' and "how much" questions.',
        function=records.aggregate,
        access="read",
    ),
    Tool(
        name="odoo_core_fields_get",
        title="Describe fields",
        description="Describe a model's fields: label, type, required, readonly, relation,"
        " selection. Use it before you use a field that you do not know. Pass names or"
        " words, because all fields take up to 25 kB.",
        function=_fields_get,
        access="read",
    ),
    Tool(
        name="odoo_core_name_get",
        title="Get display names",
        description="Get the display names of records by their ids.",
        function=records.name_get,
        access="read",
    ),
    Tool(
        name="odoo_core_default_get",
        title="Get default values",
        description="Get the default values that Odoo would give a new record.",
        function=records.default_get,
        access="read",
    ),
    Tool(
        name="odoo_core_get_user",
        title="Show the acting user",
        description="Show the user that these tools act as: company, any other companies, currency,"
        " language, time zone, and today's date there. Your first result also contains this.",
        function=_get_user,
        access="read",
    ),
    Tool(
        name="odoo_core_list_models",
        title="List models",
        description="List the models that the user can read. Pass a filter.",
        function=records.list_models,
        access="read",
    ),
    Tool(
        name="odoo_core_create",
        title="Create records",
        description="Create one record, or several that succeed or fail together. Returns their"
        " names and states, or the return_fields. For many rows, use odoo_core_import.",
        function=_create,
        access="create",
        asks="destroying",
    ),
    Tool(
        name="odoo_core_write",
        title="Update records",
        description="Change fields of existing records. All change, or none. To change a state,"
        " call Odoo's own action with odoo_core_execute.",
        function=records.write,
        access="write",
        # Lines can be deleted by writing the record that they belong to.
        asks="destroying",
    ),
    Tool(
        name="odoo_core_import",
        title="Import records",
        description="Import rows: each row updates the record that has its key, or creates one. An"
        " invalid row fails alone, with all its errors. Importing the same rows again changes"
        " nothing. Use dry_run first.",
        function=_import,
        plan=_import_plan,
        access="write",
        asks="destroying",
        asks_about_plan=True,
    ),
    Tool(
        name="odoo_core_unlink",
        title="Delete records",
        description="Permanently delete records, all or none. To hide records instead, archive them"
        " (odoo_core_write with active: false).",
        function=records.unlink,
        access="delete",
    ),
    Tool(
        name="odoo_core_execute",
        title="Call a method",
        description="Call a public method of a model, such as action_confirm, if no other tool does"
        " the job. If the result contains a wizard, continue with odoo_core_run_wizard. Private"
        " methods are blocked. Outside full mode, only known harmless methods are allowed.",
        function=records.execute,
        access="execute",
    ),
    Tool(
        name="odoo_core_run_wizard",
        title="Run a wizard",
        description="Fill in a wizard (dialog) that Odoo opened, with its defaults and your values,"
        " and press its button. Returns the resulting records, or the questions of the next wizard."
        " With describe, it only lists fields and buttons.",
        function=records.run_wizard,
        access="execute",
        hidden_in=frozenset({"readonly"}),
    ),
)


#: Apps that are little more than what another module of theirs brings.
_PART_OF = {
    "sale_management": "sale",
    "hr_timesheet": "project",
    "timesheet_grid": "project",
    "hr_attendance": "hr",
    "hr_expense": "hr",
    "hr_holidays": "hr",
}


@attrs.frozen(kw_only=True)
class ToolsetSummary:
    """A toolset.

    ``reason`` says why it is not active, or why the list lacks some of its tools. ``omitted`` says
    which tools this Odoo does not have, and why.
    """

    name: str
    description: str
    tools: list[str]
    odoo_modules: list[str]
    status: str
    reason: str | None = None
    omitted: dict[str, str] = attrs.Factory(dict)


@attrs.frozen(kw_only=True)
class ToolsetsResult:
    """All toolsets of the server.

    Attributes:
        apps_without_toolset: Installed apps that only the core tools reach: module -> name.
    """

    toolsets: list[ToolsetSummary]
    total_tools: int
    odoo_version: str | None
    connection: str | None
    apps_without_toolset: dict[str, str] = attrs.Factory(dict)


class CoreToolset(BaseToolset):
    """The tools that every Odoo has."""

    about = ToolsetMetadata(
        name="core",
        description="Read, create, change and delete records of any model",
        tags=("generic",),
    )

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        """Add the tools for records, and the one that tells of the toolsets."""
        search, *others = (*TOOLS, *LANGUAGE_TOOLS)
        settings = server.settings
        search = attrs.evolve(
            search,
            defaults={"limit": settings.search_limit},
            maxima={"limit": settings.search_max_limit},
        )
        deep = _deep_search_tool(settings)
        of_history: tuple[Tool, ...] = (*history.TOOLS, batching.batch_tool(server))
        rules = rules_of(settings)
        of_history += approval_tools(rules) if rules.rules else ()
        if not server.keeps_history:
            why = history.NONE_TO_READ if settings.mode == "readonly" else history.NO_HISTORY
            server.omitted |= {tool.name: why for tool in of_history}
            of_history = ()
        about = (_explain_model_tool(server), _list_toolsets_tool(server))
        return server.add_tools([search, deep, *others, *of_history, *about])


def _deep_search_tool(settings: ServerSettings) -> Tool:
    depth = settings.deep_search_depth

    @functools.wraps(deep_search)
    def search(
        odoo: Odoo,
        query: str,
        model: str | None = None,
        max_depth: int | None = None,
        **others: Any,
    ) -> DeepSearchResult:
        if model and max_depth is None:
            max_depth = depth
        return deep_search(odoo, query, model, max_depth, **others)

    return Tool(
        name="odoo_core_deep_search",
        title="Search by words",
        description="Find records by words when you do not know their model or field. It searches"
        " level by level until it finds records: 1 name, 2 usual fields, 3 e-mail, phone, notes,"
        " ..., 4 records of matching contacts, 5 messages. With model, it stops after level"
        f" {depth}, otherwise after 5. search_log lists what it skipped.",
        function=search,
        access="read",
        defaults={"limit": min(20, settings.search_max_limit)},
        maxima={"limit": min(100, settings.search_max_limit)},
    )


def _explain_model_tool(table: ToolTable) -> Tool:
    def explain_model(
        odoo: Odoo,
        model: Model,
        new: Annotated[bool, Doc("Also list what a new record needs, and its defaults.")] = False,
    ) -> ModelGuide:
        maker = create_record if new else model_guide
        creates = {name: tool.creates for name, tool in table.tools.items()}
        served = served_by(creates, table.settings.mode)
        return ModelGuide(model=model, guide=maker.text(odoo, served, model))

    return Tool(
        name="odoo_core_explain_model",
        title="Explain a model",
        description="Explain how to work with a model: its key fields, states and the actions"
        " between them, usual searches, related models and advice. Use it before you work with a"
        " model that you do not know. For single fields, use odoo_core_fields_get.",
        function=explain_model,
        access="read",
    )


def _list_toolsets_tool(table: ToolTable) -> Tool:
    def list_toolsets(odoo: Odoo | None) -> ToolsetsResult:
        return describe_toolsets(table, odoo)

    return Tool(
        name="odoo_core_list_toolsets",
        title="List toolsets",
        description="List the toolsets with their tools, why some are not active, and the"
        " installed apps that only the core tools can reach.",
        function=list_toolsets,
        access="read",
        needs_odoo=False,
    )


def describe_toolsets(table: ToolTable, odoo: Odoo | None) -> ToolsetsResult:
    """Return all toolsets with their tools; what Odoo tells only while it is connected."""
    report = table.report
    groups = table.rights.look_up(odoo, table.needs) if odoo else None
    served = {module for result in report.results for module in result.metadata.required_modules}
    return ToolsetsResult(
        toolsets=[
            ToolsetSummary(
                name=result.name,
                description=result.metadata.description,
                tools=result.tools_registered,
                odoo_modules=list(result.metadata.required_modules),
                status="active" if result.status == "registered" else result.status,
                reason=result.skip_reason or result.error or table.why_missing(result.name, groups),
                omitted=result.tools_omitted,
            )
            for result in report.results
        ],
        total_tools=report.total_tools,
        odoo_version=odoo.version.full if odoo else None,
        connection=odoo.settings.url if odoo else None,
        apps_without_toolset={
            module: name
            for module, name in (installed_apps(odoo).items() if odoo else ())
            if _PART_OF.get(module, module) not in served
        },
    )
