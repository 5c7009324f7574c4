"""Tasks and timesheets."""

from __future__ import annotations

from odoo_toolkit.apps import project
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_project_create_task",
        title="Create a task",
        description="Create a task in a project, or a subtask of another task (parent_id).",
        function=project.create_task,
        access="create",
        creates="project.task",
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
    Tool(
        name="odoo_project_log_timesheet",
        title="Log time on a task",
        description="Log hours spent on a task, for the caller or another user. The task must"
        " belong to a project that takes timesheets. Each call logs once more. Needs the Odoo"
        " module hr_timesheet.",
        function=project.log_timesheet,
        access="create",
        module="hr_timesheet",
    ),
)


class ProjectToolset(BaseToolset):
    """Tools for tasks, and for timesheets where Odoo has them."""

    about = ToolsetMetadata(
        name="project",
        description="Create tasks, move them through stages, log time on them",
        required_modules=("project",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
