"""Projects: created with their tasks, tasks and stages, and the time spent on them."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.project.billing import (
    BillingResult,
    SoldService,
    UnbilledHours,
    check_billing,
)
from odoo_toolkit.apps.project.creation import ProjectResult, ProjectTask, TaskLine, create_project
from odoo_toolkit.apps.project.hours import HoursReport, HoursRow, MissingHours, get_hours
from odoo_toolkit.apps.project.tasks import (
    TaskResult,
    TimesheetResult,
    create_task,
    log_timesheet,
    move_stage,
    update_task,
)

__all__ = [
    "BillingResult",
    "HoursReport",
    "HoursRow",
    "MissingHours",
    "ProjectResult",
    "ProjectTask",
    "SoldService",
    "TaskLine",
    "TaskResult",
    "TimesheetResult",
    "UnbilledHours",
    "check_billing",
    "create_project",
    "create_task",
    "get_hours",
    "log_timesheet",
    "move_stage",
    "update_task",
]

readable_signatures(globals())
