"""Tasks and timesheets."""

from __future__ import annotations

from odoo_toolkit.apps import project
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata, ToolTable

TASK_TOOLS = (
    Tool(
        name="odoo_project_create_task",
        title="Create a task",
        description="Create a task in a project, or a subtask of another task (parent_id).",
        function=project.create_task,
        access="create",
    ),
    Tool(
        name="odoo_project_move_stage",
        title="Move a task to a stage",
        description="Move a task to another stage of its project, by the stage's id or name. From"
        " Odoo 17 on a task also has a state of its own (in progress, done, cancelled), which"
        " this does not change.",
        function=project.move_stage,
        access="write",
    ),
)

TIMESHEET_TOOL = Tool(
    name="odoo_project_log_timesheet",
    title="Log time on a task",
    description="Log hours spent on a task, for the caller or another user. The task must belong"
    " to a project that takes timesheets. Each call logs once more. Needs the Odoo module"
    " hr_timesheet.",
    function=project.log_timesheet,
    access="create",
)


class ProjectToolset(BaseToolset):
    """Tools for tasks, and for timesheets where Odoo has them."""

    def metadata(self) -> ToolsetMetadata:
        """Return what the toolset is and needs."""
        return ToolsetMetadata(
            name="project",
            description="Create tasks, move them through stages, log time on them",
            required_modules=("project",),
            min_odoo_version=14,
            depends_on=("core",),
            tags=("business",),
        )

    def register_tools(self, server: ToolTable, connection: Odoo | None) -> list[str]:
        """Add the tools for tasks, and the one for timesheets if its module is installed."""
        names = server.add_tools(TASK_TOOLS)
        if connection is None or _has_timesheets(connection):
            return [*names, *server.add_tools([TIMESHEET_TOOL])]
        server.leave_out(
            TIMESHEET_TOOL, "module 'hr_timesheet' is not installed, or not open to this user"
        )
        return names


def _has_timesheets(connection: Odoo) -> bool:
    try:
        return connection.schema.module_installed("hr_timesheet")
    except OdooConnectionError:
        raise
    except OdooError:
        return False
