"""Projects, tasks and timesheets."""

from __future__ import annotations

from odoo_toolkit.apps import project
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_project_create_project",
        title="Create a project",
        description="Create a project with its stages and tasks in one call: deadlines, assignees,"
        " subtasks and dependencies. With dry_run it lists every task: show this before. The result"
        " names each value that Odoo stored differently. To add a task to a project, use"
        " odoo_project_create_task.",
        function=project.create_project,
        access="create",
        creates="project.project",
    ),
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
        description="Move a task to another stage of its project. To change its state, use"
        " odoo_project_update_task.",
        function=project.move_stage,
        access="write",
    ),
    Tool(
        name="odoo_project_update_task",
        title="Change a task",
        description="Change a task. Fields that are not given stay as they are.",
        function=project.update_task,
        access="write",
    ),
    Tool(
        name="odoo_project_log_timesheet",
        title="Log time on a task",
        description="Log hours spent on a task. Each call logs them again.",
        function=project.log_timesheet,
        access="create",
        module="hr_timesheet",
    ),
)


class ProjectToolset(BaseToolset):
    """Tools for tasks, and for timesheets where Odoo has them."""

    about = ToolsetMetadata(
        name="project",
        description="Create projects with their tasks, change and move tasks, log time",
        required_modules=("project",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
