"""Tasks and timesheets: what is sent on each version, and what is refused before anything is."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from odoo_toolkit.apps import project
from odoo_toolkit.configuration import load
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import ToolTable
from odoo_toolkit_mcp.toolsets.core import CoreToolset, describe_toolsets
from odoo_toolkit_mcp.toolsets.project import ProjectToolset
from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry
from tests.unit.fake_project import server
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, contents
from tests.unit.table_values import NAT, Column, Moment


@pytest.mark.parametrize("major", VERSIONS)
def test_a_task_is_created_in_a_project(major: int) -> None:
    odoo = server(major)
    result = project.create_task(
        odoo, name=" Paint ", project_name="House", user_ids=[2], description="a < b", tag_ids=[4]
    )
    assert [user.name for user in result.users] == ["Mitchell Admin"]
    assert (result.id, result.project and result.project.name) == (5, "House")
    assert contents(odoo.asked("create")[0]) == {
        "name": "Paint",
        "priority": "0",
        "project_id": 3,
        "description": "<p>a &lt; b</p>",
        "tag_ids": [[6, 0, [4]]],
        **({"user_id": 2} if major == 14 else {"user_ids": [[6, 0, [2]]]}),
    }
    assert len(odoo.sent) == (3 if major == 14 else 4)


@pytest.mark.parametrize(
    ("given", "day", "moment"),
    [
        ("2025-06-30", "2025-06-30", "2025-06-30 12:00:00"),
        (date(2025, 6, 30), "2025-06-30", "2025-06-30 12:00:00"),
        (Moment("2025-06-30"), "2025-06-30", "2025-06-30 12:00:00"),
        (Moment("2025-06-30T17:00:00.000000000"), "2025-06-30", "2025-06-30 17:00:00"),
        ("2025-06-30T17:00:00Z", "2025-06-30", "2025-06-30 17:00:00"),
        (
            datetime(2025, 7, 1, 1, 0, tzinfo=timezone(timedelta(hours=2))),
            "2025-07-01",
            "2025-06-30 23:00:00",
        ),
    ],
)
@pytest.mark.parametrize("major", VERSIONS)
def test_a_deadline_is_a_day_to_16_and_a_moment_since(
    major: int, given: Any, day: str, moment: str
) -> None:
    odoo = server(major)
    project.create_task(odoo, name="Paint", project_id=3, date_deadline=given)
    expected = day if major < 17 else moment
    assert contents(odoo.asked("create")[0])["date_deadline"] == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": " ", "project_id": 3}, "name is empty"),
        ({"name": "x"}, "project_id or project_name is needed"),
        ({"name": "x", "project_id": 3, "date_deadline": "soon"}, "date_deadline must be"),
        ({"name": "x", "project_id": 3, "date_deadline": NAT}, "must be a date or a time"),
        ({"name": "x", "project_id": 3, "user_ids": [True]}, "must be a record id"),
        ({"name": "x", "project_id": 3, "tag_ids": Column([True])}, "must be a record id"),
        ({"name": "x", "parent_id": 6}, "parent_id"),
    ],
)
def test_bad_input_creates_nothing(arguments: dict[str, Any], text: str) -> None:
    odoo = server()
    with pytest.raises((ValidationError, NotFoundError), match=text):
        project.create_task(odoo, **arguments)
    assert writes(odoo) == []


def test_a_subtask_of_a_private_task_needs_a_project() -> None:
    odoo = server(project_id=False)
    with pytest.raises(ValidationError, match="does not belong to a project"):
        project.create_task(odoo, name="Door", parent_id=5)
    assert writes(odoo) == []


def test_a_project_without_stages_says_how_to_make_one() -> None:
    odoo = server()
    odoo.server.records["project.task.type"].clear()
    with pytest.raises(NotFoundError) as raised:
        project.move_stage(odoo, task_id=5, stage_name="Nowhere")
    assert "has no stages" in raised.value.suggestion


def test_a_private_task_has_no_stage_to_move_to() -> None:
    odoo = server(project_id=False)
    with pytest.raises(ValidationError, match="does not belong to a project"):
        project.move_stage(odoo, task_id=5, stage_id=2)


def test_timesheets_need_their_module(monkeypatch: pytest.MonkeyPatch) -> None:
    odoo = server()
    monkeypatch.setattr(odoo.schema, "module_installed", lambda module, **how: False)
    with pytest.raises(NotFoundError, match="hr_timesheet"):
        project.log_timesheet(odoo, task_id=5, hours=1)
    assert odoo.sent == []


@pytest.mark.parametrize("installed", [True, False])
def test_the_timesheet_tool_is_there_only_with_its_module(
    monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    odoo = server()
    monkeypatch.setattr(
        odoo.schema, "module_installed", lambda module, **how: installed or module != "hr_timesheet"
    )
    settings, problems = load(ServerSettings, {"mode": "full"}, environ={})
    assert settings is not None, problems
    registry = ToolsetRegistry(settings, [CoreToolset, ProjectToolset])
    table = ToolTable(settings)
    report = registry.discover_and_register(table, odoo)
    result = report.results[1]
    assert result.status == "registered"
    name = "odoo_project_log_timesheet"
    assert (name in result.tools_registered) is installed
    assert (name in result.tools_omitted) is not installed
    if not installed:
        assert "hr_timesheet" in result.tools_omitted[name]
        [_, told] = describe_toolsets(table, odoo).toolsets
        assert told.omitted == result.tools_omitted


def test_a_dry_run_does_not_plan_a_task_for_no_project() -> None:
    with pytest.raises(NotFoundError, match=r"no project\.project record with id 99"):
        project.create_task(server(), name="Paint", project_id=99, dry_run=True)
