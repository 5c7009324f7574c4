"""Employees and their time off."""

from odoo_toolkit.app_models.model import AppModel, Move

MODELS = (
    AppModel("hr.employee.public", "Public Employee"),
    AppModel(
        "hr.leave",
        moves=(
            Move("action_approve", "confirm", "validate|validate1"),
            Move("action_validate", "validate1", "validate"),
            Move("action_refuse", "confirm|validate1|validate", "refuse"),
        ),
    ),
)
