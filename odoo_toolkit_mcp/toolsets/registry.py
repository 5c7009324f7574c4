"""Finds out which toolsets this Odoo can serve, and registers their tools."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ConfigurationError, OdooConnectionError
from odoo_toolkit.plugins import Refused
from odoo_toolkit_mcp.known_modules import WAITING, KnownModules
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import (
    BaseToolset,
    RegistrationReport,
    ToolsetMetadata,
    ToolsetRegistrationResult,
    ToolTable,
)

logger = logging.getLogger(__name__)


class ToolsetRegistry:
    """The toolsets in the order of their dependencies, and what became of each.

    Args:
        settings: which toolsets are wanted.
        toolsets: the classes to choose from.
        refused: plugins that are not used; the report says why.

    Raises:
        ConfigurationError: toolsets depend on each other in a circle, or the settings name one
            that does not exist.
    """

    def __init__(
        self,
        settings: ServerSettings,
        toolsets: Iterable[type[BaseToolset]],
        refused: Sequence[Refused] = (),
    ) -> None:
        self._settings, self._refused = settings, refused
        made = {toolset.metadata().name: toolset for toolset in (cls() for cls in toolsets)}
        for name in (*settings.enabled_toolsets, *settings.disabled_toolsets):
            # One that is missing may be that of a plugin, without which the server starts.
            if name not in made and not refused:
                raise ConfigurationError(
                    f"There is no toolset {name!r}; there are {', '.join(made)}.",
                    suggestion="Correct ODOO_MCP_ENABLED_TOOLSETS or ODOO_MCP_DISABLED_TOOLSETS.",
                )
        self._toolsets = [made[name] for name in _in_order(made)]
        self.report = RegistrationReport()

    def discover_and_register(
        self, server: ToolTable, connection: Odoo | None
    ) -> RegistrationReport:
        """Register every toolset whose prerequisites are met.

        Args:
            server: takes the tools.
            connection: a connected Odoo; None registers what needs nothing of Odoo.

        Raises:
            OdooConnectionError: Odoo went away meanwhile.
        """
        results: list[ToolsetRegistrationResult] = []
        if connection:
            server.modules.major = connection.version.major
            server.modules.look_up(connection, self._modules())
        for toolset in self._toolsets:
            results.append(self._register(toolset, server, connection, results))
        results += map(_not_used, self._refused)
        self.report = server.report = RegistrationReport(results=results)
        for result in results:
            logger.info(
                "Toolset %s: %s",
                result.name,
                result.skip_reason or result.error or f"{len(result.tools_registered)} tools",
            )
        return self.report

    def waiting_toolsets(self) -> list[str]:
        """Return the names of the toolsets of which only Odoo can tell whether it serves them."""
        return [r.name for r in self.report.results if r.skip_reason == WAITING]

    def get_registered_toolsets(self) -> list[ToolsetMetadata]:
        """Return the metadata of the registered toolsets, in order."""
        return [r.metadata for r in self.report.results if r.status == "registered"]

    def get_toolset_for_tool(self, tool_name: str) -> ToolsetMetadata | None:
        """Return the toolset that a registered tool belongs to."""
        owners = (r.metadata for r in self.report.results if tool_name in r.tools_registered)
        return next(owners, None)

    def _register(
        self,
        toolset: BaseToolset,
        server: ToolTable,
        connection: Odoo | None,
        results: Sequence[ToolsetRegistrationResult],
    ) -> ToolsetRegistrationResult:
        metadata = toolset.metadata()
        tools, hidden, omitted = dict(server.tools), dict(server.hidden), dict(server.omitted)
        try:
            reason = self._unwanted(metadata) or self._obstacle(
                metadata, server.modules, connection, results
            )
            if reason:
                return ToolsetRegistrationResult(
                    metadata=metadata, status="skipped", skip_reason=reason
                )
            names = toolset.register_tools(server, connection)
        except OdooConnectionError:
            raise
        except Exception as error:
            # One toolset that cannot be had must not take the others with it.
            server.tools, server.hidden, server.omitted = tools, hidden, omitted
            if connection is None and metadata.required_modules:
                # It is there from memory, and its tools are not known without Odoo.
                return ToolsetRegistrationResult(
                    metadata=metadata, status="skipped", skip_reason=WAITING
                )
            logger.error("Toolset %s cannot be registered: %s", metadata.name, error)
            logger.debug("Toolset %s", metadata.name, exc_info=True)
            return ToolsetRegistrationResult(metadata=metadata, status="failed", error=str(error))
        return ToolsetRegistrationResult(
            metadata=metadata,
            status="registered",
            tools_registered=names,
            tools_omitted={n: why for n, why in server.omitted.items() if n not in omitted},
        )

    def _modules(self) -> set[str]:
        """Return the modules that toolsets and tools need."""
        wanted = [one for one in self._toolsets if not self._unwanted(one.metadata())]
        needed = [tool.module for toolset in wanted for tool in toolset.tools if tool.module]
        return {*needed, *(name for one in wanted for name in one.metadata().required_modules)}

    def _unwanted(self, metadata: ToolsetMetadata) -> str | None:
        """Return how the settings exclude a toolset, None if they do not."""
        if metadata.name in self._settings.disabled_toolsets:
            return "disabled by ODOO_MCP_DISABLED_TOOLSETS"
        if self._settings.enabled_toolsets and metadata.name not in self._settings.enabled_toolsets:
            return "not among ODOO_MCP_ENABLED_TOOLSETS"
        return None

    def _obstacle(
        self,
        metadata: ToolsetMetadata,
        modules: KnownModules,
        connection: Odoo | None,
        results: Sequence[ToolsetRegistrationResult],
    ) -> str | None:
        """Return why a toolset cannot be registered, None when it can."""
        registered = {r.name for r in results if r.status == "registered"}
        waiting = {r.name for r in results if r.skip_reason == WAITING}
        missing = [name for name in metadata.depends_on if name not in registered]
        if missing:
            waits = connection is None and missing[0] in waiting
            return (
                WAITING if waits else f"needs the toolset {missing[0]!r}, which is not registered"
            )
        if (major := modules.major) is None:
            return WAITING if metadata.required_modules else None
        if major < metadata.min_odoo_version:
            return f"needs Odoo {metadata.min_odoo_version} or newer, this is {major}"
        if metadata.max_odoo_version is not None and major > metadata.max_odoo_version:
            return f"needs Odoo {metadata.max_odoo_version} or older, this is {major}"
        for module in metadata.required_modules:
            if reason := modules.obstacle(module):
                return reason
        return None


def _not_used(refused: Refused) -> ToolsetRegistrationResult:
    """Return what the report says of a plugin that is not used."""
    about = ToolsetMetadata(name=refused.toolset, description=f"The plugin {refused.name}")
    return ToolsetRegistrationResult(metadata=about, status="failed", error=refused.reason)


def _in_order(toolsets: dict[str, BaseToolset]) -> Sequence[str]:
    """Return the names so that each toolset comes after those it depends on."""
    done: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            circle = " -> ".join((*path[path.index(name) :], name))
            raise ConfigurationError(
                f"The toolsets depend on each other in a circle: {circle}.",
                suggestion="Remove one of these dependencies.",
            )
        if name in done or name not in toolsets:
            return
        for dependency in toolsets[name].metadata().depends_on:
            visit(dependency, (*path, name))
        done.append(name)

    for name in toolsets:
        visit(name, ())
    return done
