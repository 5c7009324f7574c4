"""Which toolsets are registered, in which order, and why others are not."""

from __future__ import annotations

import logging
from typing import Any, cast

import attrs
import pytest

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, ConfigurationError, OdooConnectionError
from odoo_toolkit.records import name_get
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable
from odoo_toolkit_mcp.toolsets.registry import RegistrationReport, ToolsetRegistry


def toolset(name: str, *tools: str, error: Exception | None = None, **facts: Any) -> type:
    """Make a toolset class with tools of these names."""

    class Toolset(BaseToolset):
        def metadata(self) -> ToolsetMetadata:
            return ToolsetMetadata(name=name, description=name, **facts)

        def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
            added = server.add_tools(
                Tool(name=tool, title="", description="", function=name_get, access="read")
                for tool in tools or (f"odoo_{name}_do",)
            )
            if error:
                raise error
            return added

    return Toolset


@attrs.frozen
class FakeSchema:
    """Knows which modules are installed; an exception in place of the answer is raised."""

    modules: Any

    def module_installed(self, module: str, *, alone: bool = False) -> bool:
        if isinstance(self.modules, Exception):
            raise self.modules
        return module in self.modules


@attrs.frozen
class FakeVersion:
    major: int


class FakeOdoo:
    """What the registry asks of a connection."""

    def __init__(self, major: int = 17, modules: Any = ()) -> None:
        self.version = FakeVersion(major)
        self.schema = FakeSchema(modules)


def register(
    *toolsets: type, odoo: FakeOdoo | None = None, **settings: Any
) -> tuple[RegistrationReport, ToolTable]:
    server_settings = ServerSettings(**settings)
    registry = ToolsetRegistry(server_settings, toolsets)
    table = ToolTable(server_settings)
    return registry.discover_and_register(table, cast("Odoo | None", odoo)), table


def reasons(report: RegistrationReport) -> dict[str, str | None]:
    return {result.name: result.skip_reason or result.error for result in report.results}


def test_dependencies_come_first() -> None:
    report, table = register(
        toolset("c", depends_on=("b",)), toolset("b", depends_on=("a",)), toolset("a")
    )

    assert [result.name for result in report.results] == ["a", "b", "c"]
    assert list(table.tools) == ["odoo_a_do", "odoo_b_do", "odoo_c_do"]


def test_circle_is_an_error_that_shows_it() -> None:
    with pytest.raises(ConfigurationError, match="b -> c -> d -> b"):
        ToolsetRegistry(
            ServerSettings(),
            [
                toolset("a", depends_on=("b",)),
                toolset("b", depends_on=("c",)),
                toolset("c", depends_on=("d",)),
                toolset("d", depends_on=("b",)),
            ],
        )


def test_our_toolsets_have_no_circle_and_keep_the_naming_rule() -> None:
    """odoo_{toolset}_{action}; with everything installed each is registered."""

    class Everything:
        def __contains__(self, module: object) -> bool:
            return True

    odoo = FakeOdoo(modules=Everything())
    report, _ = register(*ALL_TOOLSETS, odoo=odoo, mode="full")

    for result in report.results:
        assert result.status == "registered", result
        assert all(name.startswith(f"odoo_{result.name}_") for name in result.tools_registered)


def test_missing_module_is_told() -> None:
    sales, crm = toolset("s", required_modules=("sale",)), toolset("c", required_modules=("crm",))
    report, table = register(sales, crm, odoo=FakeOdoo(modules={"crm"}))

    assert "module 'sale' is not installed" in str(reasons(report)["s"])
    assert list(table.tools) == ["odoo_c_do"]


def test_module_that_cannot_be_asked_for_counts_as_missing() -> None:
    """On 14 and 15 an ordinary user may not read the list of modules."""
    report, _ = register(
        toolset("a"),
        toolset("b", required_modules=("x",)),
        odoo=FakeOdoo(modules=AccessError("no")),
    )

    assert [result.status for result in report.results] == ["registered", "skipped"]


def test_odoo_that_goes_away_is_not_a_missing_module() -> None:
    with pytest.raises(OdooConnectionError):
        register(
            toolset("b", required_modules=("x",)),
            odoo=FakeOdoo(modules=OdooConnectionError("gone")),
        )


@pytest.mark.parametrize(
    ("major", "status"), [(14, "skipped"), (15, "registered"), (17, "registered"), (18, "skipped")]
)
def test_version_range(major: int, status: str) -> None:
    report, _ = register(
        toolset("a", min_odoo_version=15, max_odoo_version=17), odoo=FakeOdoo(major)
    )

    assert report.results[0].status == status


def test_dependency_that_is_not_registered_takes_others_with_it() -> None:
    report, _ = register(
        toolset("a"), toolset("b", depends_on=("a",)), disabled_toolsets=("a",), odoo=FakeOdoo()
    )

    assert reasons(report) == {
        "a": "disabled by ODOO_MCP_DISABLED_TOOLSETS",
        "b": "needs the toolset 'a', which is not registered",
    }


def test_enabled_toolsets_exclude_all_others() -> None:
    report, _ = register(toolset("a"), toolset("b"), enabled_toolsets=("b",))

    assert [result.status for result in report.results] == ["skipped", "registered"]


def test_unknown_toolset_in_the_settings_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="no toolset 'sale'; there are sales"):
        register(toolset("sales"), disabled_toolsets=("sale",))


def test_without_connection_only_what_needs_none_is_registered() -> None:
    report, _ = register(
        toolset("a", min_odoo_version=14),
        toolset("b", required_modules=("sale",)),
        toolset("c", depends_on=("b",)),
    )

    assert [result.status for result in report.results] == ["registered", "skipped", "skipped"]


def test_two_tools_of_one_name_are_refused() -> None:
    """The first keeps its tool; nothing of the second toolset stays."""
    report, table = register(
        toolset("a", "odoo_x"), toolset("b", "odoo_y", "odoo_x"), toolset("c", "odoo_z")
    )

    assert [result.status for result in report.results] == ["registered", "failed", "registered"]
    assert report.results[1].error == "There are two tools named odoo_x."
    assert list(table.tools) == ["odoo_x", "odoo_z"]


def test_toolset_that_fails_leaves_no_tools() -> None:
    report, table = register(toolset("a", error=RuntimeError("boom")), toolset("b"))

    assert report.results[0].status == "failed"
    assert list(table.tools) == ["odoo_b_do"]


def test_report_counts_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        report, _ = register(toolset("a"), toolset("b"), disabled_toolsets=("b",))

    assert (report.total_toolsets, report.registered_toolsets, report.total_tools) == (2, 1, 1)
    assert report.timestamp.endswith("+00:00")
    assert "a: 1 tools" in caplog.text
    assert "disabled by ODOO_MCP_DISABLED_TOOLSETS" in caplog.text


def test_registry_knows_whose_a_tool_is() -> None:
    settings = ServerSettings()
    registry = ToolsetRegistry(settings, [toolset("a"), toolset("b")])
    registry.discover_and_register(ToolTable(settings), None)

    owner = registry.get_toolset_for_tool("odoo_b_do")
    assert owner.name == "b"
    assert registry.get_toolset_for_tool("odoo_c_do") is None
    assert [metadata.name for metadata in registry.get_registered_toolsets()] == ["a", "b"]
