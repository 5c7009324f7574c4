"""Logged hours by employee, project and week, and who has logged too few."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import project
from odoo_toolkit.apps.project import HoursReport
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from tests.unit.scripted import Scripted

#: The week of the tests: Monday to Sunday.
MONDAY, SUNDAY = "2025-06-30", "2025-07-06"
EMPLOYEE = {
    "name": "char",
    "active": "boolean",
    "user_id": "many2one res.users",
    "resource_calendar_id": "many2one resource.calendar",
}
MODELS: dict[str, dict[str, Any]] = {
    "res.users": {"name": "char", "active": "boolean"},
    "hr.employee": EMPLOYEE,
    "hr.employee.public": EMPLOYEE,
    "project.project": {"name": "char"},
    "project.task": {"name": "char"},
    "account.analytic.line": {
        "name": "char",
        "date": "date",
        "unit_amount": "float",
        "task_id": "many2one project.task",
        "project_id": "many2one project.project",
        "employee_id": "many2one hr.employee",
        "holiday_id": "many2one hr.leave",
    },
    "hr.leave": {
        "employee_id": "many2one hr.employee",
        "state": "char",
        "date_from": "datetime",
        "date_to": "datetime",
    },
    "resource.calendar": {"name": "char", "tz": "char", "two_weeks_calendar": "boolean"},
    "resource.calendar.attendance": {
        "calendar_id": "many2one resource.calendar",
        "dayofweek": "char",
        "hour_from": "float",
        "hour_to": "float",
        "day_period": "char",
        "week_type": "char",
        "display_type": "char",
        "resource_id": "integer",
    },
    "resource.calendar.leaves": {
        "calendar_id": "many2one resource.calendar",
        "resource_id": "integer",
        "date_from": "datetime",
        "date_to": "datetime",
    },
}


def shift(number: int, day: int, first: float, last: float, **values: Any) -> dict[str, Any]:
    return {
        "id": number,
        "calendar_id": 1,
        "dayofweek": str(day),
        "hour_from": first,
        "hour_to": last,
        "day_period": "morning" if first < 12 else "afternoon",
        **values,
    }


def line(number: int, day: str, hours: float, who: int = 1, on: Any = 3, **values: Any) -> Any:
    return {
        "id": number,
        "name": "work",
        "date": day,
        "unit_amount": hours,
        "employee_id": who,
        "project_id": on,
        **values,
    }


def server(major: int = 19, *, approver: bool = True) -> Scripted:
    """A server with two employees of 40 hours a week in Brussels, one without a user, and lines."""
    people = [
        {"id": 1, "name": "Ann Ash", "user_id": 2, "resource_calendar_id": 1},
        {"id": 5, "name": "Bo Birch", "user_id": 6, "resource_calendar_id": 1},
        {"id": 7, "name": "Cy Cedar", "user_id": False, "resource_calendar_id": 1},
    ]
    shifts = [shift(day * 2 + 1, day, 8, 12) for day in range(5)]
    shifts += [shift(day * 2 + 2, day, 13, 17) for day in range(5)]
    shifts += [shift(20, 0, 12, 13, day_period="lunch"), shift(21, 0, 0, 0, display_type="x")]
    records = {
        "res.users": [{"id": 2, "name": "Ann"}, {"id": 6, "name": "Bo"}],
        "hr.employee": people,
        "hr.employee.public": people,
        "project.project": [{"id": 3, "name": "House"}, {"id": 4, "name": "Garden"}],
        "project.task": [],
        "account.analytic.line": [
            line(1, MONDAY, 1.5),
            line(2, "2025-07-02", 8.0, 5),
            line(3, "2025-07-02", 99.0, on=False),
            line(4, "2025-07-07", 7.0),
        ],
        "hr.leave": [],
        "resource.calendar": [{"id": 1, "name": "40 h", "tz": "Europe/Brussels"}],
        "resource.calendar.attendance": shifts,
        "resource.calendar.leaves": [],
    }
    answers = {("res.users", "has_group"): approver}
    return Scripted(major, answers, None, MODELS, records=records)


def example() -> Scripted:
    """A server on which one of two has logged too few hours, and the other is on leave."""
    odoo = server()
    odoo.server.records["hr.leave"].append(off(1, "2025-06-29 22:00:00", "2025-07-06 22:00:00"))
    return odoo


def off(who: int, first: str, last: str, state: str = "validate") -> dict[str, Any]:
    return {"id": 9, "employee_id": who, "state": state, "date_from": first, "date_to": last}


def hours(odoo: Scripted, **values: Any) -> HoursReport:
    return project.get_hours(odoo, **{"date_from": MONDAY, "date_to": SUNDAY, **values})


def missing(report: HoursReport) -> list[tuple[str, float | None, float]]:
    return [(row.employee.name, row.expected, row.logged) for row in report.missing]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        # A whole week, a day, a morning in Brussels, and what is only asked for.
        ("2025-06-29 22:00:00", "2025-07-06 22:00:00", 0.0),
        ("2025-06-30 00:00:00", "2025-06-30 20:00:00", 32.0),
        ("2025-06-30 06:00:00", "2025-06-30 10:00:00", 36.0),
        ("2025-07-05 00:00:00", "2025-07-06 20:00:00", 40.0),
    ],
)
def test_time_off_and_closed_days_are_not_expected(first: str, last: str, expected: float) -> None:
    for model, row in (
        ("hr.leave", off(5, first, last)),
        ("resource.calendar.leaves", {"id": 1, "date_from": first, "date_to": last}),
        (
            "resource.calendar.leaves",
            {"id": 1, "calendar_id": 1, "date_from": first, "date_to": last},
        ),
    ):
        odoo = server()
        odoo.server.records[model].append(row)
        found = {name: hours for name, hours, _ in missing(hours(odoo))}
        assert found.get("Bo Birch", 0.0) == expected
    for idle in (off(5, first, last, "confirm"), off(1, first, last)):
        odoo = server()
        odoo.server.records["hr.leave"].append(idle)
        assert ("Bo Birch", 40.0, 8.0) in missing(hours(odoo))


def test_chosen_employees_are_judged_though_they_are_no_users() -> None:
    report = hours(server(), employees=["cy cedar", 5])
    assert missing(report) == [("Bo Birch", 40.0, 8.0), ("Cy Cedar", 40.0, 0.0)]
    assert report.total == 8.0


def test_what_cannot_be_read_is_told() -> None:
    odoo = server()
    odoo.answers["hr.leave", "search_read"] = AccessError("Not yours.")
    assert "too few logged hours ignores this: Not yours." in hours(odoo).warnings[0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"date_from": "soon"}, "date_from"),
        ({"date_to": "2025-01-01"}, "must have 1 to"),
        ({"date_from": "2020-01-01"}, "must have 1 to"),
        ({"employees": ["Nobody"]}, "Nobody"),
        ({"employees": "Ann"}, "must be a list"),
        ({"projects": [77]}, "77"),
    ],
)
def test_a_wrong_question_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises((ValidationError, NotFoundError), match=words):
        hours(server(), **values)


def test_round_trips() -> None:
    odoo = server()
    hours(odoo)
    assert len(odoo.sent) == 8
