"""A project with stages and tasks: what is sent on each version, and what is refused before."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import project
from odoo_toolkit.apps.project import ProjectResult
from odoo_toolkit.call import Call
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, Scripted

TASKS: list[dict[str, Any]] = [
    {"name": "Pack", "users": ["marc demo"], "date_deadline": "2030-05-06", "stage": "doing"},
    {"name": "Kitchen", "parent": "pack", "planned_hours": 2},
    {"name": "Drive", "depends_on": ["Pack"], "priority": "1"},
    {"name": "Unpack", "depends_on": ["Drive", "pack"]},
]


def _models(major: int) -> dict[str, dict[str, Any]]:
    task: dict[str, Any] = {
        "name": "char",
        "active": "boolean",
        "description": "html",
        "project_id": "many2one project.project",
        "stage_id": "many2one project.task.type",
        "parent_id": "many2one project.task",
        "date_deadline": "date" if major < 17 else "datetime",
        "priority": {"type": "selection", "selection": [["0", "Normal"], ["1", "High"]]},
        "planned_hours" if major < 17 else "allocated_hours": "float",
        "kanban_state" if major < 17 else "state": "char",
        **(
            {"user_id": "many2one res.users"}
            if major == 14
            else {"user_ids": "many2many res.users", "depend_on_ids": "many2many project.task"}
        ),
    }
    return {
        "res.users": {"name": "char", "active": "boolean"},
        "res.partner": {"name": "char"},
        "project.task": task,
        "project.task.type": {
            "name": "char",
            "sequence": "integer",
            "fold": "boolean",
            "project_ids": "many2many project.project",
        },
        "project.project": {
            "name": "char",
            "description": "html",
            "partner_id": "many2one res.partner",
            "user_id": "many2one res.users",
            "date_start": "date",
            "date": "date",
            "privacy_visibility": "char",
            "message_partner_ids": "many2many res.partner",
            "type_ids": "many2many project.task.type",
            "allow_task_dependencies": "boolean",
        },
    }


def server(major: int = 19, policy: Policy | None = None) -> Scripted:
    """A server with two users and a customer; a task whose dependencies are written waits."""
    records: dict[str, Any] = {
        "res.users": [
            {"id": 2, "name": "Mitchell Admin", "active": True},
            {"id": 6, "name": "Marc Demo", "active": True},
        ],
        "res.partner": [{"id": 9, "name": "Azure"}],
        "project.project": [{"id": 1, "name": "Old"}],
        "project.task.type": [],
        "project.task": [],
    }
    odoo = Scripted(major, {}, policy, _models(major), records=records)
    kept = odoo.server.records

    def created(call: Call) -> Any:
        values = dict(call.arguments["vals_list"])
        for place, (_, _, stage) in enumerate(values.pop("type_ids", ()), 11):
            kept["project.task.type"].append({"id": place, "project_ids": [7], **stage})
        kept["project.project"].append({"id": 7, "privacy_visibility": "portal", **values})
        return [7] if major == 19 else 7

    def waits(call: Call) -> Any:
        for row in kept["project.task"]:
            if row["id"] in (call.ids or ()):
                row["depend_on_ids"] = call.arguments["vals"]["depend_on_ids"][0][2]
                if major > 16:
                    row["state"] = "04_waiting_normal"
        return True

    odoo.answers |= {
        ("project.project", "create"): created,
        ("project.task", "write"): waits,
    }
    return odoo


def make(odoo: Scripted, **values: Any) -> ProjectResult:
    given: dict[str, Any] = {"name": " Move ", "stages": ["To do", "Doing", "Done"]}
    return project.create_project(odoo, **{**given, **values})


def tasks_for(major: int) -> list[dict[str, Any]]:
    left_out = {"depends_on"} if major == 14 else set()
    return [{k: v for k, v in task.items() if k not in left_out} for task in TASKS]


@pytest.mark.parametrize("major", VERSIONS)
def test_tasks_are_made_level_by_level_and_linked_at_last(major: int) -> None:
    odoo = server(major)
    made = make(
        odoo,
        closed_stages=["done"],
        tasks=tasks_for(major),
        partner="Azure",
        manager=2,
        date_start="2030-05-01",
        date_end="2030-06-01",
    )
    creates = [call.arguments["vals_list"] for call in odoo.asked("create")]
    assert creates[0] == {
        "name": "Move",
        "partner_id": 9,
        "user_id": 2,
        "date_start": "2030-05-01",
        "date": "2030-06-01",
        "type_ids": [
            [0, 0, {"name": "To do", "sequence": 1}],
            [0, 0, {"name": "Doing", "sequence": 2}],
            [0, 0, {"name": "Done", "sequence": 3, "fold": True}],
        ],
        **({"allow_task_dependencies": True} if major > 14 else {}),
    }
    nobody = {"user_id": False} if major == 14 else {"user_ids": [[6, 0, []]]}
    marc = {"user_id": 6} if major == 14 else {"user_ids": [[6, 0, [6]]]}
    hours = "planned_hours" if major < 17 else "allocated_hours"
    day = "2030-05-06" if major < 17 else "2030-05-06 12:00:00"
    assert creates[1:] == [
        [
            {"name": "Pack", "date_deadline": day, **marc, "project_id": 7, "stage_id": 12},
            {"name": "Drive", "priority": "1", **nobody, "project_id": 7, "stage_id": 11},
            {"name": "Unpack", **nobody, "project_id": 7, "stage_id": 11},
        ],
        [{"name": "Kitchen", hours: 2, **nobody, "project_id": 7, "stage_id": 11, "parent_id": 1}],
    ]
    linked = [(call.ids, call.arguments["vals"]) for call in odoo.asked("write")]
    assert linked == (
        []
        if major == 14
        else [
            ((2,), {"depend_on_ids": [[6, 0, [1]]]}),
            ((3,), {"depend_on_ids": [[6, 0, [2, 1]]]}),
        ]
    )
    assert made.warnings == []
    assert [task.name for task in made.tasks] == ["Pack", "Kitchen", "Drive", "Unpack"]
    pack, kitchen, drive, _ = made.tasks
    assert [user.name for user in pack.users] == ["Marc Demo"]
    assert (kitchen.parent and kitchen.parent.name, kitchen.planned_hours) == ("Pack", 2)
    assert drive.state == ("04_waiting_normal" if major > 16 else None)
    assert [stage.name for stage in made.stages] == ["To do", "Doing", "Done"]


@pytest.mark.parametrize("major", [15, 19])
def test_the_plan_says_all_in_names_and_writes_nothing(major: int) -> None:
    odoo = server(major)
    plan = project.create_project.plan(
        odoo, name="Old", stages=["Doing"], tasks=TASKS, partner="Azure", manager="Marc Demo"
    )
    assert writes(odoo) == []
    for words in (
        "'Old' for Azure, managed by Marc Demo, with 1 stages (Doing) and 4 tasks",
        "'Pack' (Doing, Marc Demo, by 2030-05-06",
        "'Kitchen' (Doing, part of 'Pack')",
        "'Unpack' (Doing, after 'Drive', 'Pack')",
        "notifies the assignees",
        "The project 'Old' already exists (id 1).",
    ):
        assert words in plan.message
    assert [str(call).split("(")[0] for call in plan.calls] == [
        "project.project.create",
        "project.task.create",
        "project.task.create",
        "project.task.write",
        "project.task.write",
    ]
    odoo.server.records["project.task.type"].clear()
    made = make(odoo, name="Old", stages=["Doing"], tasks=TASKS)
    assert made.warnings == ["The project 'Old' already exists (id 1)."]
    assert [call.method for call in writes(odoo)] == [call.method for call in plan.calls]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": " "}, "name is empty"),
        ({"stages": "New"}, "list of names"),
        ({"stages": ["New", " "]}, "list of names"),
        ({"stages": ["New", "new"]}, "twice"),
        ({"closed_stages": ["Don"]}, "Did you mean 'Done'"),
        ({"tasks": ["Pack"]}, "must be an object"),
        ({"tasks": [{"title": "Pack"}]}, "unknown key"),
        ({"tasks": [{"stage": "Done"}]}, "has no name"),
        ({"tasks": [{"name": "A"}, {"name": "a"}]}, "twice"),
        ({"tasks": [{"name": "A", "stage": "Later"}]}, "no stage 'Later'"),
        ({"tasks": [{"name": "A", "parent": "B"}]}, "no task 'B'"),
        ({"tasks": [{"name": "A", "depends_on": ["B"]}]}, "no task 'B'"),
        ({"tasks": [{"name": "A", "depends_on": "B"}]}, "list of names"),
        ({"tasks": [{"name": "A", "depends_on": ["A"]}]}, "circle"),
        (
            {"tasks": [{"name": "A", "depends_on": ["B"]}, {"name": "B", "depends_on": ["A"]}]},
            "circle .depends_on",
        ),
        ({"tasks": [{"name": "A", "parent": "B"}, {"name": "B", "parent": "A"}]}, "circle .parent"),
        ({"tasks": [{"name": "A", "date_deadline": "soon"}]}, "date_deadline"),
        ({"tasks": [{"name": "A", "priority": "high!"}]}, "priority"),
        ({"tasks": [{"name": "A", "planned_hours": -1}]}, "must not be negative"),
        ({"tasks": [{"name": "A", "users": ["Nobody"]}]}, "Nobody"),
        ({"tasks": [{"name": "A", "users": [77]}]}, "77"),
        ({"tasks": [{"name": str(n)} for n in range(201)]}, "maximum"),
        ({"partner": "Nowhere"}, "Nowhere"),
        ({"manager": 77}, "77"),
        ({"date_end": "2030-01-01"}, "date_end needs"),
        ({"date_start": "2030-02-01", "date_end": "2030-01-01"}, "date_end needs"),
    ],
)
def test_what_is_wrong_makes_nothing(values: dict[str, Any], words: str) -> None:
    odoo = server()
    with pytest.raises((ValidationError, NotFoundError), match=words):
        make(odoo, **values)
    assert writes(odoo) == []


def test_what_14_lacks_is_refused() -> None:
    odoo = server(14)
    with pytest.raises(ValidationError, match="Odoo 14 does not support dependencies"):
        make(odoo, tasks=TASKS)
    with pytest.raises(ValidationError, match="only one assignee"):
        make(odoo, tasks=[{"name": "Pack", "users": [2, 6]}])
    assert writes(odoo) == []


def test_what_odoo_makes_otherwise_is_named() -> None:
    odoo = server()
    odoo.answers["project.task", "write"] = True
    made = make(odoo, tasks=TASKS[:1] + TASKS[2:3], partner=9)
    assert made.warnings == ["The task 'Drive' does not depend on 'Pack'."]
    again = server()

    def idle(call: Call) -> Any:
        for row in again.server.records["project.task"]:
            if row["id"] in (call.ids or ()):
                row |= {"depend_on_ids": call.arguments["vals"]["depend_on_ids"][0][2]}
                row["state"] = "01_in_progress"
        return True

    again.answers["project.task", "write"] = idle
    made = make(again, tasks=TASKS[:1] + TASKS[2:3])
    assert made.warnings == ["The task 'Drive' has the state 01_in_progress."]


def test_a_customer_who_follows_is_named() -> None:
    odoo = server()
    create = odoo.answers["project.project", "create"]

    def followed(call: Call) -> Any:
        answer = create(call)
        odoo.server.records["project.project"][-1]["message_partner_ids"] = [9]
        return answer

    odoo.answers["project.project", "create"] = followed
    assert "Azure follows the project" in make(odoo, partner=9).warnings[0]
