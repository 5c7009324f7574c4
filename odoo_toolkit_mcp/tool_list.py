"""The tools that this server has in its mode, as far as the connected Odoo serves them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.types import Tool as McpTool
from mcp.types import ToolAnnotations

from odoo_toolkit_mcp.bridge import limiter
from odoo_toolkit_mcp.confirmation import check_tools, unknown_tools
from odoo_toolkit_mcp.known_modules import KnownModules
from odoo_toolkit_mcp.known_rights import KnownRights
from odoo_toolkit_mcp.list_choice import MOST_BYTES, Choice, choose
from odoo_toolkit_mcp.server_facts import Served, served_by
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.tool_groups import EVERYDAY, NATIVE, Area, area_of, areas_for
from odoo_toolkit_mcp.wishes import Wishes, narrow

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit.plugins import Refused
    from odoo_toolkit_mcp.plugins import Plugins
    from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolTable
    from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry


#: Lists that are remembered, one for each client and wish.
_MOST_LISTINGS = 100


#: The form of a list, the tools in it, and sentences on both.
Listing = tuple[str, list[McpTool], list[str]]


class ToolList:
    """The tools of a server: those in use, and those that a new connection has brought.

    Args:
        settings: of the server.
        toolsets: the toolsets to choose from; all of them by default.
        keeps_history: whether what is written can be looked up; asked when tools are registered.
        modules: returns what is known of those of Odoo.
    """

    def __init__(
        self,
        settings: ServerSettings,
        toolsets: Iterable[type[BaseToolset]] | None = None,
        keeps_history: Callable[[], bool] = lambda: False,
        modules: Callable[[], KnownModules] = KnownModules,
    ) -> None:
        self._settings = settings
        self._modules = modules
        self._keeps_history = keeps_history
        self._toolsets = toolsets
        self._registering, self._loading = threading.Lock(), threading.Lock()
        self._plugins: Plugins | None = None
        self._registered: ToolTable | None = None
        self.tools: dict[str, Tool] = {}
        #: Tools that exist in other modes.
        self.hidden: dict[str, Tool] = {}
        #: The tools of areas by their names, whether they are listed or not.
        self.areas: dict[str, Area] = {}
        #: All tools as a flat list shows them.
        self.listed: list[McpTool] = []
        #: Toolsets of which only Odoo can tell whether it serves them.
        self.waiting: list[str] = []
        self.rights = KnownRights()
        #: The groups of the server's own user, as they are remembered.
        self.groups: str | None = None
        self._denied = frozenset[str]()
        self._listings: dict[tuple[Choice, Wishes, frozenset[str]], Listing] = {}

    @property
    def names_plugins(self) -> bool:
        """Whether the operator admitted any plugins."""
        return bool(self._settings.plugins or self._settings.plugin_files)

    def plugins(self) -> Plugins:
        """Return what the admitted plugins add; the first time it imports them."""
        from odoo_toolkit_mcp.plugins import plugins_of
        from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS

        with self._loading:
            if self._plugins is None:
                self._plugins = plugins_of(self._settings, ALL_TOOLSETS)
            return self._plugins

    async def added_skills(self) -> tuple[Path, ...]:
        """Return the folders of the skills that plugins add."""
        if not self.names_plugins:
            return ()
        return (await anyio.to_thread.run_sync(self.plugins, limiter=limiter())).skills

    @cached_property
    def registry(self) -> ToolsetRegistry:
        """The toolsets; with them the library's modules are imported.

        Raises:
            ConfigurationError: the toolsets depend on each other in a circle, or the settings
                name a toolset or a tool that does not exist.
        """
        from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry

        toolsets, refused = self._all_toolsets()
        registry = ToolsetRegistry(self._settings, toolsets, refused)
        if not refused:  # else a tool that is named may be one of those that are missing
            check_tools(self._settings, toolsets)
        return registry

    def unknown(self, names: Iterable[str]) -> dict[str, str]:
        """Return the names that no tool has, in whichever mode, each with a sentence on it."""
        toolsets, refused = self._all_toolsets()
        # A tool that is named may be one of those that are missing.
        return {} if refused else unknown_tools(names, self._settings, toolsets)

    def _all_toolsets(self) -> tuple[list[type[BaseToolset]], Sequence[Refused]]:
        """Return the toolsets, with those of plugins, and the plugins that were refused."""
        from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS

        added = self.plugins() if self.names_plugins else None
        toolsets = [*(self._toolsets or ALL_TOOLSETS), *(added.toolsets if added else ())]
        return toolsets, added.refused if added else ()

    def register(self, odoo: Odoo | None) -> str | None:
        """Find out which tools there are; runs in a worker thread when there is a connection.

        Returns:
            The groups of the server's own user, if they are known.
        """
        from odoo_toolkit_mcp.toolsets.base import ToolTable

        table = ToolTable(self._settings, keeps_history=self._keeps_history())
        table.modules, table.rights = self._modules(), self.rights
        remembered = self.rights.from_file(table.modules.rights)
        self.registry.discover_and_register(table, odoo)
        self._registered = table
        self.groups = remembered
        if odoo:
            table.modules.keep()
            self.look_up(odoo, own=True)
        return self.groups

    def look_up(self, odoo: Odoo, *, own: bool = False, again: bool = False) -> str | None:
        """Find out what a user may do, in a thread, and return the user's groups.

        Args:
            odoo: the connection of the user.
            own: whether it is the server's own.
            again: ask for the rights, even if those of these groups are known.
        """
        table = self.table
        groups = self.rights.look_up(odoo, table.needs, again=again)
        if own and groups:
            self.groups = groups
            table.modules.rights = self.rights.to_file(groups)
            table.modules.keep()
        return groups

    @property
    def table(self) -> ToolTable:
        """The table that was registered last."""
        self.ensure()
        assert self._registered is not None  # noqa: S101 - ensure() registers
        return self._registered

    def ensure(self) -> None:
        """Register what needs no Odoo, unless that has been done."""
        with self._registering:
            if self._registered is None:
                self.register(None)
                self.use_registered()

    def use_registered(self) -> bool:
        """Put newly registered tools to use, and return whether the list has changed."""
        before, table = (self.listed, self._denied), self._registered
        if table is not None:
            mode = self._settings.mode
            self.tools, self.hidden = table.tools, table.hidden
            self.areas = areas_for(table.tools, table.hidden, mode)
            self.listed = [as_listed(tool, mode) for tool in table.tools.values()]
            self._listings, self._denied = {}, self.rights.denied(self.groups)
            self.waiting = self.registry.waiting_toolsets()
        return (self.listed, self._denied) != before

    def listing(self, client: str, wishes: Wishes, groups: str | None = None) -> Listing:
        """Return the list that a client gets; only its form, as long as no tools are registered.

        Args:
            client: ``clientInfo.name``, or an empty text.
            wishes: of the connection.
            groups: of the user; None if they are not known.
        """
        choice = choose(wishes.form or ("auto" if wishes.names else self._settings.tools), client)
        if self._registered is None:
            return choice.form, [], [_sentence(choice.form, choice)]
        denied = self.rights.denied(groups)
        if (key := (choice, wishes, denied)) not in self._listings:
            if len(self._listings) >= _MOST_LISTINGS:
                self._listings = {}
            usable = {name: tool for name, tool in self.tools.items() if tool.needs not in denied}
            tools, omitted = narrow(wishes, usable, self.registry.report, self._settings.mode)
            if left_out := len(self.tools) - len(usable):
                omitted.append(
                    "Tools omitted because your Odoo user has no access rights for them:"
                    f" {left_out}."
                )
            made = {tool.name: tool for tool in self.listed if tool.name in tools}
            form, listed = arrange(made, self.areas, choice)
            self._listings[key] = form, listed, [_sentence(form, choice), *omitted]
        return self._listings[key]

    def hides(self, name: str, groups: str | None) -> bool:
        """Whether the list omits a tool for users of some groups."""
        tool = self.tools.get(name)
        return tool is not None and tool.needs in self.rights.denied(groups)

    def excluded_of_area(self, name: str) -> list[Tool]:
        """Return the tools that an area would have in another mode, those that plan first."""
        subject = name.removeprefix("odoo_change_") if name.startswith("odoo_change_") else ""
        excluded = [tool for tool in self.hidden.values() if area_of(tool.name) == subject]
        return sorted(excluded, key=lambda tool: not tool.plans)

    def reason(self, name: str) -> str:
        """Return why there is no tool of a name, if that is known; otherwise an empty text."""
        for result in self.registry.report.results:
            if name in result.tools_omitted:
                return f" ({result.tools_omitted[name]})"
            if name.startswith(f"odoo_{result.name}_") and result.status != "registered":
                return f" (toolset {result.name}: {result.skip_reason or result.error})"
        return ""

    def waits_for(self, name: str) -> bool:
        """Whether only Odoo can tell whether there is a tool of that name."""
        if name in self.tools or name in self.areas:
            return False
        waiting = [f"odoo_{toolset}_" for toolset in self.waiting]
        if name.startswith(("odoo_read_", "odoo_change_")):
            return name.split("_", 2)[2] in map(area_of, waiting)
        return name.startswith(tuple(waiting))

    @staticmethod
    def batched(arguments: Mapping[str, Any]) -> list[str]:
        """Return the tools that a call of a batch names, whatever its form; none of other calls."""
        inner = arguments.get("arguments")
        items = (inner if isinstance(inner, Mapping) else arguments).get("items")
        listed = items if isinstance(items, list) else []
        found = [item.get("tool") for item in listed if isinstance(item, Mapping)]
        return [name for name in found if isinstance(name, str)]

    def called(self, name: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the tool that a call means, of an operation its own; None where there is none."""
        if area := self.areas.get(name):
            tool = area.tool(arguments.get("operation"))
            return tool.name if tool else name
        return name if name in self.tools or name in self.hidden else None

    def served(self) -> Served:
        """Return what there is to work with, for prompts."""
        self.ensure()
        toolsets = (item.name for item in self.registry.get_registered_toolsets())
        creates = {name: tool.creates for name, tool in self.tools.items()}
        return served_by(creates, self._settings.mode, toolsets)


def _sentence(form: str, choice: Choice) -> str:
    return f"Tool list: {form}, {choice.why}."


def arrange(
    made: Mapping[str, McpTool], areas: Mapping[str, Area], choice: Choice
) -> tuple[str, list[McpTool]]:
    """Return the form of a list, and the tools in it.

    Args:
        made: all tools of the list, each as a flat one shows it.
        areas: what there is, whether listed or not.
        choice: of the form.
    """
    flat = list(made.values())
    if choice.form == "flat" or (choice.form == "auto" and fits(flat, choice.most)):
        return "flat", flat
    own, found = {*NATIVE}, _in_areas(made, areas, NATIVE)
    if choice.form == "areas":
        return "areas", found
    for name in dict.fromkeys((*EVERYDAY, *made)):
        if name in made and name not in own:
            more = _in_areas(made, areas, own := {*own, name})
            if not fits(more, choice.most):
                break
            found = more
    return "short", found


def _in_areas(
    made: Mapping[str, McpTool], areas: Mapping[str, Area], own: Container[str]
) -> list[McpTool]:
    """Return some tools as they are, and the areas of all others."""
    others = [name for name in made if name not in own]
    listed = (area.listed(others) for area in areas.values())
    return [*(tool for name, tool in made.items() if name in own), *filter(None, listed)]


def fits(tools: Sequence[McpTool], most: int) -> bool:
    """Return whether a list is within the limits of clients that load all tools."""
    return len(tools) <= most and sum(map(size_for_models, tools)) <= MOST_BYTES


def size_for_models(tool: McpTool) -> int:
    """Return the bytes that most clients hand to a model: name, description, arguments."""
    schema = json.dumps(tool.input_schema, separators=(",", ":"), ensure_ascii=False)
    return len(tool.name) + len((tool.description or "").encode()) + len(schema.encode())


def as_listed(tool: Tool, mode: str) -> McpTool:
    """Return a tool as tools/list shows it."""
    hints = tool.hints(mode)
    return McpTool(
        # The title is in the annotations, where clients look for it, too.
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
