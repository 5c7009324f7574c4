"""Projects, tasks and timesheets."""

from __future__ import annotations

from odoo_toolkit.apps import project
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_project_create_project",
        title="Create a project",
        description="Create a project with its stages and tasks in one call: deadlines, assignees,"
        " subtasks and dependencies. Use dry_run first, and show the tasks. The result lists each"
        " value that Odoo stored differently. To add a task to a project, use"
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
        needs="write project.task",
    ),
    Tool(
        name="odoo_project_update_task",
        title="Change a task",
        description="Change a task. Omitted fields stay the same.",
        function=project.update_task,
        access="write",
        needs="write project.task",
    ),
    Tool(
        name="odoo_project_log_timesheet",
        title="Log time on a task",
        description="Log hours spent on a task. Each call logs them again.",
        function=project.log_timesheet,
        access="create",
        needs="create account.analytic.line",
        module="hr_timesheet",
    ),
    Tool(
        name="odoo_project_get_hours",
        title="Get logged hours",
        description="Get the hours logged per employee, project and week, with totals, and the"
        " employees who logged fewer hours than planned. To find missing timesheets, use"
        " this, not odoo_core_aggregate.",
        function=project.get_hours,
        access="read",
        needs="read account.analytic.line",
        module="hr_timesheet",
    ),
    Tool(
        name="odoo_project_check_billing",
        title="Check the billing of hours",
        description="Check the services of a sales order: hours logged and invoiced, and the steps"
        " needed before the hours can be invoiced. It writes nothing. To create the"
        " invoice, use odoo_sales_create_invoices.",
        function=project.check_billing,
        access="read",
        needs="read account.analytic.line",
        module="sale_timesheet",
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
