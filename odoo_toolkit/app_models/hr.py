"""Employees, their time off, attendance and expenses."""

from odoo_toolkit.app_models.model import AppModel, Move

MODELS = (
    AppModel(
        "hr.employee.public",
        "Public Employee",
        module="hr",
        told_apart_by="department_id job_title work_email",
    ),
    AppModel(
        "hr.leave",
        module="hr_holidays",
        moves=(
            Move("action_approve", "confirm", "validate|validate1"),
            Move("action_validate", "validate1", "validate", until=18),
            Move("action_refuse", "confirm|validate1|validate", "refuse"),
        ),
    ),
    AppModel("hr.attendance", module="hr_attendance"),
    AppModel("hr.expense", module="hr_expense"),
)
