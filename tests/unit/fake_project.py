"""A project with tasks, on a server of some version."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted


def server(major: int = 19, policy: Policy | None = None, **changes: Any) -> Scripted:
    """A server with one task and a line of a timesheet; what is created is these again."""
    task: dict[str, Any] = {
        "id": 5,
        "name": "Paint",
        "active": True,
        "project_id": 3,
        "stage_id": 1,
        "user_ids": [2],
        "user_id": 2,
        "parent_id": False,
        "date_deadline": False,
        "priority": "0",
        "allow_timesheets": True,
        **changes,
    }
    line = {
        "id": 5,
        "name": "work",
        "date": "2025-06-30",
        "unit_amount": 1.5,
        "task_id": 5,
        "project_id": 3,
        "user_id": 2,
        "employee_id": 1,
    }
    records = {
        "project.task": [task],
        "project.project": [{"id": 3, "name": "House"}],
        "project.task.type": [
            {"id": 1, "name": "New", "project_ids": [3]},
            {"id": 2, "name": "Done", "project_ids": [3]},
            {"id": 9, "name": "Of others", "project_ids": [4]},
        ],
        "res.users": [{"id": 2, "name": "Mitchell Admin"}],
        "hr.employee": [{"id": 1, "name": "Mitchell Admin"}],
        "hr.employee.public": [{"id": 1, "name": "Mitchell Admin", "user_id": 2}],
        "account.analytic.line": [line],
    }
    created = [5] if major == 19 else 5
    answers = {(model, "create"): created for model in ("project.task", "account.analytic.line")}
    return Scripted(major, answers, policy, records=records)
