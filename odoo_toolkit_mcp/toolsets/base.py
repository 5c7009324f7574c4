"""What a toolset is: some tools, and what they need of Odoo.

A tool is a function of the library and a few facts. To add a toolset, write a file with a
subclass of :class:`BaseToolset` and name it in ``ALL_TOOLSETS``.
The server imports the toolsets after it has answered ``initialize``, so they may import what
they need.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import attrs

from odoo_toolkit.call import Access
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import OLDEST
from odoo_toolkit_mcp.arguments import ArgumentChecker
from odoo_toolkit_mcp.files import WAYS, Delivery, File
from odoo_toolkit_mcp.known_modules import WAITING, KnownModules
from odoo_toolkit_mcp.known_rights import KnownRights
from odoo_toolkit_mcp.schemas import JsonObject, input_schema, output_schema
from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings

if TYPE_CHECKING:
    from odoo_toolkit.plans import Plan


@attrs.frozen(kw_only=True)
class Hints:
    """The hints of MCP's tool annotations, besides the title."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = True


#: kind of access -> hints. ``execute`` can call a method that deletes.
HINTS: Mapping[Access, Hints] = {
    "read": Hints(read_only=True, destructive=False, idempotent=True),
    "create": Hints(read_only=False, destructive=False, idempotent=False),
    "write": Hints(read_only=False, destructive=False, idempotent=True),
    "delete": Hints(read_only=False, destructive=True, idempotent=True),
    "execute": Hints(read_only=False, destructive=True, idempotent=False),
}


Asks = Literal["always", "destroying", "never"]
"""Before which changes of a tool a person is asked: the first, whatever it is; the first that
deletes or cancels something; none."""

#: kind of access -> before which changes a person is asked.
ASKS: Mapping[Access, Asks] = {"delete": "always", "execute": "destroying"}


@attrs.define(kw_only=True, slots=False, eq=False)
class Tool:
    """A function of the library, offered to MCP clients.

    Attributes:
        name: ``odoo_{toolset}_{action}``.
        title: for people.
        description: for the model, at most 1000 characters: some clients cut or drop more.
        function: takes the connection first; its signature gives the schemas.
        access: what it does to Odoo's data; decides hints and in which modes it exists.
        hidden_in: modes in which it does not exist either, as nothing of it is left there.
        defaults: default values instead of the function's, advertised and passed.
        maxima: by parameter, advertised instead of the maximum of its ``AtMost``.
        fixed: arguments that the server's settings decide; callers neither see nor give them.
        file: of what the function returned, the file that the client is given as ``deliver``
            says, a parameter of the tool and not of the function.
        deliveries: the ways in which it can be delivered, the default first.
        needs_odoo: whether it fails without a connection; else it is given None without one.
        asks: before which of its changes a person is asked, by default as its access is.
        consequence: a sentence for that person on what is not seen from the records' names.
        needs_person: whether it gives that person's own answer: they are asked before the tool is
            called, whatever the server's settings, and it is refused where nobody can be asked.
        shows: what that person reads before, besides the arguments.
        asks_about_plan: whether that person is shown what the dry run says, as of all tools that do
            more than one call.
        plan: what the function would do, with all calls, where its own dry run tells that in short.
        module: an Odoo module that it needs besides those of its toolset.
        creates: the model whose records it creates better than ``odoo_core_create`` does.
        needs: an access right without which it always fails, such as ``write sale.order``; by
            default that to create what it creates. It is not listed for users without that.
    """

    name: str
    title: str
    description: str
    function: Callable[..., Any]
    access: Access
    hidden_in: frozenset[str] = frozenset()
    defaults: Mapping[str, Any] = attrs.field(factory=dict)
    maxima: Mapping[str, int] = attrs.field(factory=dict)
    fixed: Mapping[str, Any] = attrs.field(factory=dict)
    file: Callable[[Any], File] | None = None
    deliveries: tuple[Delivery, ...] = ()
    needs_odoo: bool = True
    asks: Asks = attrs.field(
        default=attrs.Factory(lambda self: ASKS.get(self.access, "never"), takes_self=True)
    )
    consequence: str = ""
    needs_person: bool = False
    shows: Callable[[Odoo, Mapping[str, Any]], str] | None = None
    asks_about_plan: bool = False
    plan: Callable[..., Plan] | None = None
    module: str = ""
    creates: str = ""
    needs: str = attrs.field(
        default=attrs.Factory(lambda self: self.creates and f"create {self.creates}", True)
    )

    @cached_property
    def _schemas(self) -> tuple[JsonObject, JsonObject]:
        both = input_schema(self.function, self.defaults, self.maxima, self.fixed)
        if self.deliveries:
            ways = "; ".join(f"{way}: {WAYS[way]}" for way in self.deliveries)
            for schema in both:
                schema["properties"]["deliver"] = {
                    "type": "string",
                    "enum": list(self.deliveries),
                    "description": f"How to return the file. {ways}.",
                    "default": self.deliveries[0],
                }
        return both

    @property
    def input_schema(self) -> JsonObject:
        """The schema to advertise."""
        return self._schemas[0]

    @cached_property
    def output_schema(self) -> JsonObject:
        """The schema of the result."""
        schema = output_schema(self.function, items=self.access == "read")
        if self.deliveries and "properties" in schema:
            schema["properties"] |= {
                "uri": {"type": "string", "description": "Address for resources/read."},
                "readable_until": {"type": "string", "format": "date-time"},
            }
        return schema

    def delivery(self, arguments: Mapping[str, Any]) -> Delivery:
        """Return how the file that the tool returns is to be delivered."""
        way: Delivery = arguments.get("deliver", self.deliveries[0])
        return way

    @property
    def plans(self) -> bool:
        """Whether it can tell what it would do, which every mode allows."""
        return "dry_run" in self.input_schema["properties"]

    def plan_of(self, odoo: Odoo, given: Mapping[str, Any]) -> Plan:
        """Return what the function would do with arguments as a client gives them.

        Raises:
            OdooError: they are wrong, or it would fail.
        """
        arguments = self.check({**given, "dry_run": True})
        plan: Plan = (self.plan or self.function)(odoo, **arguments)
        return plan

    @cached_property
    def _checker(self) -> ArgumentChecker:
        return ArgumentChecker(self.name, self._schemas[1])

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments to call the function with.

        Raises:
            ValidationError: they are wrong.
        """
        checked = {**self.defaults, **self._checker.check(arguments), **self.fixed}
        if self.deliveries:
            checked.pop("deliver", None)  # the server's own
        return checked

    def hints(self, mode: str) -> Hints:
        """Return the annotations in a mode: readonly lets ``execute`` call read methods only."""
        reads = mode == "readonly" and self.access == "execute"
        return HINTS["read" if reads else self.access]


@attrs.frozen(kw_only=True)
class ToolsetMetadata:
    """What a toolset is called, and what it needs.

    Attributes:
        name: unique, the second part of its tools' names.
        description: one line for people and models.
        version: of the toolset, semantic.
        required_modules: Odoo modules that must be installed.
        min_odoo_version: oldest major version.
        max_odoo_version: newest major version.
        depends_on: names of toolsets that must be registered.
        tags: for sorting.
    """

    name: str
    description: str
    version: str = "1.0.0"
    required_modules: tuple[str, ...] = ()
    min_odoo_version: int = OLDEST
    max_odoo_version: int | None = None
    depends_on: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class BaseToolset:
    """A group of tools that belong together.

    Attributes:
        about: what the toolset is and needs.
        tools: its tools; a toolset of which they depend on something overrides
            :meth:`register_tools`.
    """

    about: ToolsetMetadata
    tools: Sequence[Tool] = ()

    def metadata(self) -> ToolsetMetadata:
        """Return what the toolset is and needs."""
        return self.about

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        """Add the toolset's tools and return the names of those that exist in this mode.

        Args:
            server: takes the tools, by :meth:`ToolTable.add_tools`.
            connection: for tools that depend on what Odoo has; None as long as there is no
                connection, for toolsets that need no module.
        """
        tools = []
        for tool in self.tools:
            reason = tool.module and server.modules.obstacle(tool.module)
            if reason and reason != WAITING:
                server.omitted[tool.name] = reason
            else:
                tools.append(tool)
        return server.add_tools(tools)


@attrs.frozen(kw_only=True)
class ToolsetRegistrationResult:
    """The registration of one toolset. ``tools_omitted`` lists tools that are missing, and why."""

    metadata: ToolsetMetadata
    status: Literal["registered", "skipped", "failed"]
    tools_registered: list[str] = attrs.field(factory=list)
    tools_omitted: dict[str, str] = attrs.field(factory=dict)
    skip_reason: str | None = None
    error: str | None = None

    @property
    def name(self) -> str:
        """The toolset's name."""
        return self.metadata.name


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@attrs.frozen(kw_only=True)
class RegistrationReport:
    """What became of all toolsets; ``timestamp`` is ISO 8601 in UTC."""

    results: list[ToolsetRegistrationResult] = attrs.field(factory=list)
    timestamp: str = attrs.field(factory=_now)

    @property
    def total_toolsets(self) -> int:
        """How many toolsets there are."""
        return len(self.results)

    @property
    def registered_toolsets(self) -> int:
        """How many of them are registered."""
        return sum(result.status == "registered" for result in self.results)

    @property
    def total_tools(self) -> int:
        """How many tools they have."""
        return sum(len(result.tools_registered) for result in self.results)


class ToolTable:
    """The tools of a server, in the order in which they are listed.

    Args:
        settings: of the server; the mode decides which tools exist.
        keeps_history: whether what is written can be looked up.
    """

    def __init__(self, settings: ServerSettings, *, keeps_history: bool = True) -> None:
        self.settings = settings
        #: Those of Odoo on which the tools depend.
        self.modules = KnownModules()
        #: Those of users, which decide what is listed.
        self.rights = KnownRights()
        self.keeps_history = keeps_history
        #: What became of the toolsets, once all have been registered.
        self.report = RegistrationReport()
        self.tools: dict[str, Tool] = {}
        #: Tools that exist in other modes.
        self.hidden: dict[str, Tool] = {}
        #: Tools of registered toolsets that this Odoo cannot serve -> why.
        self.omitted: dict[str, str] = {}

    @property
    def needs(self) -> frozenset[str]:
        """The access rights that its tools need."""
        return frozenset(tool.needs for tool in self.tools.values())

    def why_missing(self, toolset: str, groups: str | None) -> str | None:
        """Return why the list lacks tools of an active toolset, in a line; None if it has all.

        Args:
            toolset: its name.
            groups: of the user, whose rights count; None if they are not known.
        """
        of_toolset = f"odoo_{toolset}_"
        excluded = sum(name.startswith(of_toolset) for name in self.hidden)
        denied = self.rights.denied(groups)
        unusable = [
            f"{name} (needs {tool.needs})"
            for name, tool in self.tools.items()
            if name.startswith(of_toolset) and tool.needs in denied
        ]
        lines = []
        if excluded:
            lines.append(f"The mode, {self.settings.mode}, excludes {excluded} (ODOO_MCP_MODE).")
        if unusable:
            lines.append(f"Not listed, as your Odoo user has no right: {', '.join(unusable)}.")
        return " ".join(lines) or None

    def add_tools(self, tools: Iterable[Tool]) -> list[str]:
        """Add the tools that exist in the server's mode and return their names.

        Raises:
            ValueError: there is a tool of that name already.
        """
        added = []
        for tool in tools:
            if tool.name in self.tools or tool.name in self.hidden:
                raise ValueError(f"There are two tools named {tool.name}.")
            mode = self.settings.mode
            if tool.access in MODE_ACCESS[mode] and mode not in tool.hidden_in:
                self.tools[tool.name] = tool
                added.append(tool.name)
            else:
                self.hidden[tool.name] = tool
        return added
