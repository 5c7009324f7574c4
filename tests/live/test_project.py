"""Tasks and timesheets on a real Odoo."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, NotFoundError, Odoo, ValidationError
from odoo_toolkit.apps import project
from odoo_toolkit.apps.project import TaskResult
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError

pytestmark = pytest.mark.recorded


@attrs.frozen
class House:
    """A project with stages of its own."""

    id: int
    name: str
    stages: list[int]


@pytest.fixture
def house(admin: Odoo, suffix: str) -> House:
    name = f"House {suffix}"
    made = toolkit.create(admin, "project.project", {"name": name}).id
    assert made
    values = [{"name": f"{word} {suffix}", "project_ids": [[4, made]]} for word in ("Todo", "Done")]
    return House(made, name, toolkit.create(admin, "project.task.type", values).ids)


def stored(odoo: Odoo, made: TaskResult, *fields: str) -> dict[str, Any]:
    return toolkit.read(odoo, "project.task", [made.id], list(fields)).records[0]


@pytest.mark.every_user
def test_from_task_to_timesheet(odoo: Odoo, house: House, suffix: str) -> None:
    made = project.create_task(
        odoo,
        name=f"Paint {suffix}",
        project_name=house.name.lower(),
        user_ids=[odoo.uid],
        description="a < b & c",
        priority="1",
    )
    assert made.project == toolkit.records.results.RecordName(id=house.id, name=house.name)
    assert [user.id for user in made.users] == [odoo.uid]
    assert stored(odoo, made, "description", "priority") == {
        "id": made.id,
        "description": "a < b & c",
        "priority": "1",
    }

    moved = project.move_stage(odoo, task_id=made.id, stage_name=f"done {suffix}")
    assert moved.stage.id == house.stages[1]
    again = project.move_stage(odoo, task_id=made.id, stage_id=house.stages[1])
    assert "already" in again.message

    for hours in (1.5, 0.25):
        logged = project.log_timesheet(
            odoo, task_name=f"Paint {suffix}", hours=hours, description="work", date="2025-06-30"
        )
        assert (logged.hours, logged.date, logged.description) == (hours, "2025-06-30", "work")
        assert logged.project.id == house.id
        assert logged.employee
        assert logged.user.id == odoo.uid
    assert stored(odoo, made, "effective_hours")["effective_hours"] == pytest.approx(1.75)


@pytest.mark.every_version
def test_a_deadline_is_the_day_or_the_moment_given(odoo: Odoo, house: House, suffix: str) -> None:
    day = project.create_task(
        odoo, name=f"Day {suffix}", project_id=house.id, date_deadline="2031-05-06"
    )
    assert str(day.date_deadline).startswith("2031-05-06")
    moment = project.create_task(
        odoo, name=f"M {suffix}", project_id=house.id, date_deadline="2031-05-06T20:30:00+02:00"
    )
    expected = "2031-05-06" if odoo.version.major < 17 else "2031-05-06T18:30:00Z"
    assert moment.date_deadline == expected


def test_a_subtask_is_in_the_project_of_its_parent(odoo: Odoo, house: House, suffix: str) -> None:
    parent = project.create_task(odoo, name=f"Paint {suffix}", project_id=house.id)
    child = project.create_task(odoo, name=f"Door {suffix}", parent_name=f"paint {suffix}")
    assert child.project.id == house.id
    assert child.parent.id == parent.id


@pytest.mark.every_version
def test_assignees_are_as_many_as_the_version_allows(
    odoo: Odoo, admin: Odoo, house: House, suffix: str
) -> None:
    users = toolkit.search_read(admin, "res.users", [["share", "=", False]], ["name"], limit=2)
    ids = sorted(row["id"] for row in users)
    assert len(ids) == 2
    if odoo.version.major == 14:
        with pytest.raises(ValidationError, match="only one assignee"):
            project.create_task(odoo, name=f"Paint {suffix}", project_id=house.id, user_ids=ids)
        return
    made = project.create_task(odoo, name=f"Paint {suffix}", project_id=house.id, user_ids=ids)
    assert sorted(user.id for user in made.users) == ids


def test_a_stage_of_another_project_is_refused(
    odoo: Odoo, admin: Odoo, house: House, suffix: str
) -> None:
    foreign = toolkit.create(admin, "project.task.type", {"name": f"Foreign {suffix}"}).id
    made = project.create_task(odoo, name=f"Paint {suffix}", project_id=house.id)
    for given in ({"stage_id": foreign}, {"stage_name": f"Foreign {suffix}"}):
        with pytest.raises((ValidationError, NotFoundError)) as raised:
            project.move_stage(odoo, task_id=made.id, **given)
        assert f"Done {suffix}" in raised.value.suggestion
    assert stored(odoo, made, "stage_id")["stage_id"]["id"] == made.stage.id


def test_nothing_is_written_when_the_input_is_wrong(
    odoo: Odoo, admin: Odoo, house: House, suffix: str
) -> None:
    toolkit.create(admin, "project.project", {"name": f"{house.name} too"})
    name = f"Paint {suffix}"
    with pytest.raises(AmbiguousNameError):
        project.create_task(odoo, name=name, project_name=suffix)
    with pytest.raises(ValidationError):
        project.create_task(odoo, name=name)
    with pytest.raises(toolkit.OdooError):
        project.create_task(odoo, name=name, project_id=house.id, user_ids=[99999999])
    plan = project.create_task(odoo, name=name, project_id=house.id, dry_run=True)
    assert isinstance(plan, Plan)
    assert toolkit.count(odoo, "project.task", [["name", "=", name]]).count == 0


def test_no_time_is_logged_where_none_can_be(
    odoo: Odoo, admin: Odoo, house: House, suffix: str
) -> None:
    closed = toolkit.create(
        admin, "project.project", {"name": f"Closed {suffix}", "allow_timesheets": False}
    ).id
    without = project.create_task(odoo, name=f"Without {suffix}", project_id=closed)
    private = toolkit.create(odoo, "project.task", {"name": f"Private {suffix}"}).id
    paint = project.create_task(odoo, name=f"Paint {suffix}", project_id=house.id)
    robot = 1  # OdooBot is nobody's employee.
    with pytest.raises(ValidationError, match="does not allow timesheets"):
        project.log_timesheet(odoo, task_id=without.id, hours=1)
    with pytest.raises(ValidationError, match="not belong to a project"):
        project.log_timesheet(odoo, task_id=private, hours=1)
    with pytest.raises(ValidationError, match="more than 0"):
        project.log_timesheet(odoo, task_id=paint.id, hours=-1)
    with pytest.raises(ValidationError, match="not linked to an employee"):
        project.log_timesheet(odoo, task_id=paint.id, hours=1, user_id=robot)
    of_tasks = [["task_id", "in", [without.id, private, paint.id]]]
    assert toolkit.count(admin, "account.analytic.line", of_tasks).count == 0


@pytest.mark.every_version
def test_time_of_employees_without_a_user_and_several_entries(
    admin: Odoo, house: House, suffix: str
) -> None:
    names = [f"{name} {suffix}" for name in ("Ann", "Bo")]
    ann, bo = (toolkit.create(admin, "hr.employee", {"name": name}).id for name in names)
    paint, sand = (
        project.create_task(admin, name=f"{name} {suffix}", project_id=house.id)
        for name in ("Paint", "Sand")
    )
    allocated = "planned_hours" if admin.version.major <= 16 else "allocated_hours"
    toolkit.write(admin, "project.task", [paint.id], {allocated: 8})
    one = project.log_timesheet(admin, task_id=paint.id, hours=1.5, employee=names[0])
    assert one.hours_left == {f"'{paint.name}' ({paint.id})": 6.5}
    assert "6.5 hours left" in one.message
    assert (one.employee.id, one.user) == (ann, None)
    entries = [
        {"hours": 2, "description": "Doors"},
        {"hours": 0.5, "task_name": str(sand.id), "employee": ann, "date": "2026-03-02"},
    ]
    common: dict[str, Any] = {"task_id": paint.id, "employee": bo, "date": "2026-03-03"}
    plan = project.log_timesheet(admin, entries=entries, dry_run=True, **common)
    assert isinstance(plan, Plan)
    several = project.log_timesheet(admin, entries=entries, **common)
    assert len({*several.ids}) == len(entries)
    assert (several.hours, several.date, several.task) == (2.5, None, None)
    for wrong, error in (
        ({"hours": 0}, ValidationError),
        ({}, ValidationError),
        ({"hours": 1, "hour": 1}, ValidationError),
        ({"hours": 1, "employee": f"Nobody {suffix}"}, toolkit.NotFoundError),
    ):
        with pytest.raises(error, match="No entry was logged"):
            project.log_timesheet(admin, entries=[{"hours": 1}, wrong], **common)
    toolkit.write(admin, "project.task", [sand.id], {"active": False})
    for archived in ({"task_id": sand.id}, {"task_name": f"Sand {suffix}"}):
        with pytest.raises((ValidationError, toolkit.NotFoundError), match="is archived"):
            project.log_timesheet(admin, hours=1, **archived)
    with pytest.raises(ValidationError, match="employee and a user"):
        project.log_timesheet(admin, hours=1, user_id=admin.uid, **common)
    fields = ["employee_id", "task_id", "unit_amount", "date", "name"]
    lines = toolkit.search_read(
        admin, "account.analytic.line", [["project_id", "=", house.id]], fields, order="id"
    ).records
    assert [
        (row["employee_id"]["id"], row["task_id"]["id"], row["unit_amount"], row["name"])
        for row in lines
    ] == [(ann, paint.id, 1.5, "/"), (bo, paint.id, 2.0, "Doors"), (ann, sand.id, 0.5, "/")]
    assert [row["date"] for row in lines[1:]] == ["2026-03-03", "2026-03-02"]


@pytest.mark.every_user
def test_time_of_others_needs_the_rights_for_it(
    odoo: Odoo, admin: Odoo, house: House, suffix: str
) -> None:
    paint = project.create_task(odoo, name=f"Paint {suffix}", project_id=house.id)
    employees = toolkit.search_read(
        admin, "hr.employee", [["user_id", "!=", False], ["user_id", "!=", odoo.uid]], ["user_id"]
    ).records
    other = employees[0]["user_id"]["id"]
    try:
        logged = project.log_timesheet(odoo, task_id=paint.id, hours=2, user_id=other)
    except AccessError:
        # On some versions the demo user approves timesheets; the administrator does on all.
        assert odoo.uid != admin.uid
        return
    assert logged.user.id == other
    assert logged.employee
