"""Projects: tasks, their stages, and the time spent on them."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.project.tasks import (
    TaskResult,
    TimesheetResult,
    create_task,
    log_timesheet,
    move_stage,
    update_task,
)

__all__ = [
    "TaskResult",
    "TimesheetResult",
    "create_task",
    "log_timesheet",
    "move_stage",
    "update_task",
]

readable_signatures(globals())
