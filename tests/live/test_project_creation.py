"""Projects with stages, tasks and dependencies on a real Odoo."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, NotFoundError, Odoo, OdooError, ValidationError
from odoo_toolkit.apps import project
from odoo_toolkit.plans import Plan

pytestmark = pytest.mark.recorded


def plan_of(odoo: Odoo, suffix: str) -> dict[str, Any]:
    """Return a project; its dependencies where the version has them."""
    tasks: list[dict[str, Any]] = [
        {
            "name": f"Pack {suffix}",
            "stage": "doing",
            "users": [odoo.uid],
            "date_deadline": "2031-05-06",
            "planned_hours": 3,
        },
        {"name": f"Kitchen {suffix}", "parent": f"pack {suffix}", "description": "a < b"},
        {"name": f"Drive {suffix}", "depends_on": [f"Pack {suffix}"], "priority": "1"},
        {"name": f"Unpack {suffix}", "depends_on": [f"Drive {suffix}", f"Kitchen {suffix}"]},
    ]
    if odoo.version.major == 14:
        for task in tasks:
            task.pop("depends_on", None)
    return {
        "name": f"Move {suffix}",
        "stages": ["To do", "Doing", "Done"],
        "closed_stages": ["Done"],
        "tasks": tasks,
        "manager": str(odoo.uid),
        "date_start": "2031-05-01",
        "date_end": "2031-06-01",
    }


def count(odoo: Odoo, suffix: str) -> list[int]:
    """Return how many records bear the name of a test."""
    models = ("project.project", "project.task", "project.task.type")
    return [toolkit.count(odoo, m, [["name", "ilike", suffix]]).count for m in models]


@pytest.mark.every_version
def test_a_project_is_made_as_planned(admin: Odoo, suffix: str) -> None:
    given = plan_of(admin, suffix)
    plan = project.create_project(admin, **given, dry_run=True)
    assert isinstance(plan, Plan)
    assert f"'Pack {suffix}' (Doing, " in plan.message
    assert count(admin, suffix) == [0, 0, 0]

    made = project.create_project(admin, **given)
    assert made.warnings == []
    assert f"(privacy_visibility {made.visibility!r})" in plan.message
    assert [stage.name for stage in made.stages] == ["To do", "Doing", "Done"]
    assert (made.date_start, made.date_end) == ("2031-05-01", "2031-06-01")
    pack, kitchen, drive, unpack = made.tasks
    assert [task.stage.name for task in made.tasks if task.stage] == ["Doing", *["To do"] * 3]
    assert [user.id for user in pack.users] == [admin.uid]
    assert [kitchen.users, drive.users, unpack.users] == [[], [], []]
    assert str(pack.date_deadline).startswith("2031-05-06")
    assert (pack.planned_hours, drive.priority) == (3.0, "1")
    assert kitchen.parent.id == pack.id
    stored = toolkit.search_read(
        admin, "project.task", [["project_id", "=", made.id]], ["name", "description"]
    ).records
    assert sorted(row["name"] for row in stored) == sorted(t["name"] for t in given["tasks"])
    (folded,) = toolkit.search_read(
        admin,
        "project.task.type",
        [["project_ids", "in", [made.id]], ["fold", "=", True]],
        ["name"],
    ).records
    assert folded["name"] == "Done"
    if admin.version.major == 14:
        return
    assert [before.id for before in drive.depends_on] == [pack.id]
    assert {before.id for before in unpack.depends_on} == {drive.id, kitchen.id}
    if admin.version.major < 17:
        assert {task.state for task in made.tasks} == {"normal"}
        return
    assert [t.state for t in (pack, kitchen)] == ["01_in_progress"] * 2
    assert [t.state for t in (drive, unpack)] == ["04_waiting_normal"] * 2
    # Odoo's own rule then goes on: what waited is open when the other task is done.
    project.update_task(admin, task_id=pack.id, state="done")
    (row,) = toolkit.read(admin, "project.task", [drive.id], ["state"]).records
    assert row["state"] == "01_in_progress"


def test_tasks_may_go_without_stages(admin: Odoo, suffix: str) -> None:
    made = project.create_project(admin, name=f"Plain {suffix}", tasks=[{"name": f"A {suffix}"}])
    assert [task.name for task in made.tasks] == [f"A {suffix}"]
    again = project.create_project(admin, name=f"Plain {suffix}")
    assert again.warnings == [f"The project 'Plain {suffix}' already exists (id {made.id})."]


@pytest.mark.every_version
def test_bad_projects_are_not_made(admin: Odoo, suffix: str) -> None:
    a, b = f"A {suffix}", f"B {suffix}"
    good: dict[str, Any] = {"name": f"Bad {suffix}", "stages": ["New"]}
    bad: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"tasks": [{"name": a, "stage": "Nev"}]}, NotFoundError),
        ({"tasks": [{"name": a, "depends_on": [b]}]}, NotFoundError),
        ({"tasks": [{"name": a, "users": [f"Nobody {suffix}"]}]}, NotFoundError),
        ({"tasks": [{"name": a, "users": [10**7]}]}, NotFoundError),
        ({"tasks": [{"name": a}, {"name": a}]}, ValidationError),
        ({"tasks": [{"name": a, "date_deadline": "soon"}]}, ValidationError),
        ({"partner": f"Nowhere {suffix}"}, NotFoundError),
        ({"date_end": "2031-01-01"}, ValidationError),
    ]
    circle = [{"name": a, "depends_on": [b]}, {"name": b, "depends_on": [a]}]
    bad.append(({"tasks": circle}, ValidationError))
    if admin.version.major == 14:
        bad.append(({"tasks": [{"name": a}, {"name": b, "depends_on": [a]}]}, ValidationError))
    for values, error in bad:
        with pytest.raises(error):
            project.create_project(admin, **{**good, **values})
    assert count(admin, suffix) == [0, 0, 0]


def test_who_may_not_make_projects_makes_none(ordinary: Odoo, admin: Odoo, suffix: str) -> None:
    with pytest.raises(OdooError) as raised:
        project.create_project(ordinary, name=f"Mine {suffix}", tasks=[{"name": f"A {suffix}"}])
    assert isinstance(raised.value, AccessError)
    assert count(admin, suffix) == [0, 0, 0]
