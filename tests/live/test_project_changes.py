"""Tasks that are changed on a real Odoo, with the states and priorities that it has."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, ValidationError
from odoo_toolkit.apps import project

pytestmark = pytest.mark.recorded


def stored(odoo: Odoo, task_id: int, *fields: str) -> dict[str, Any]:
    """Return what Odoo itself says of a task."""
    return toolkit.read(odoo, "project.task", [task_id], list(fields)).records[0]


@pytest.fixture
def task(odoo: Odoo, admin: Odoo, suffix: str) -> project.TaskResult:
    """A task in a project of its own with two stages."""
    house = toolkit.create(admin, "project.project", {"name": f"House {suffix}"}).id
    for name in ("Now", "Later"):
        stage = {"name": f"{name} {suffix}", "project_ids": [[4, house, 0]]}
        toolkit.create(admin, "project.task.type", stage)
    return project.create_task(odoo, name=f"Paint {suffix}", project_id=house)


@pytest.mark.every_user
def test_a_task_is_changed_by_plain_names(
    odoo: Odoo, suffix: str, task: project.TaskResult
) -> None:
    fields = odoo.schema.fields("project.task")
    own = "state" if "state" in fields else "kanban_state"
    highest = fields["priority"].selection[-1][0]
    me = toolkit.read(odoo, "res.users", [odoo.uid], ["name"]).records[0]
    result = project.update_task(
        odoo,
        task_name=f"paint {suffix}",
        name=f"Varnish {suffix}",
        stage_name=f"later {suffix}",
        state="changes requested" if own == "state" else "blocked",
        priority=highest,
        users=[me["id"]],
        date_deadline="2031-05-06",
        description="a < b",
    )
    assert (result.id, result.name, result.warnings) == (task.id, f"Varnish {suffix}", [])
    assert [user.id for user in result.users] == [odoo.uid]
    row = stored(odoo, task.id, "stage_id", "priority", "date_deadline", own, "description")
    assert row["stage_id"]["name"] == f"Later {suffix}"
    assert (row["priority"], row[own]) == (highest, result.state)
    assert row["date_deadline"].startswith("2031-05-06")
    assert row["description"] == "a < b"
    if own == "state":
        finished = project.update_task(odoo, task_id=task.id, state="done")
        assert stored(odoo, task.id, "state")["state"] == finished.state == "1_done"
    nobody = project.update_task(odoo, task_id=task.id, users=[])
    assert nobody.users == []


def test_what_is_wrong_leaves_the_task_as_it_is(
    odoo: Odoo, suffix: str, task: project.TaskResult
) -> None:
    fields = odoo.schema.fields("project.task")
    watched = ("name", "priority", "stage_id", "write_date")
    before = stored(odoo, task.id, *watched)
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"state": "nowhere"}, ValidationError),
        ({"state": "done" if "kanban_state" in fields else "ready"}, ValidationError),
        ({"priority": "9"}, ValidationError),
        ({"users": [f"Nobody {suffix}"]}, NotFoundError),
        ({"users": [10**7]}, NotFoundError),
        ({"users": [1]}, NotFoundError),
        ({"stage_name": f"Never {suffix}"}, NotFoundError),
    ]
    for values, error in wrong:
        with pytest.raises(error):
            project.update_task(odoo, task_id=task.id, name="Changed", **values)
    assert stored(odoo, task.id, *watched) == before
