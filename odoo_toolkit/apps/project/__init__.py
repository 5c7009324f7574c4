"""Projects: created with their tasks, tasks and stages, and the time spent on them."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.project.creation import (
    ProjectResult,
    ProjectTask,
    create_project,
)
from odoo_toolkit.apps.project.task_lines import TaskLine
from odoo_toolkit.apps.project.tasks import (
    TaskResult,
    TimesheetResult,
    create_task,
    log_timesheet,
    move_stage,
    update_task,
)

__all__ = [
    "ProjectResult",
    "ProjectTask",
    "TaskLine",
    "TaskResult",
    "TimesheetResult",
    "create_project",
    "create_task",
    "log_timesheet",
    "move_stage",
    "update_task",
]

readable_signatures(globals())
