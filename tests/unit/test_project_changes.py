"""Changing tasks: what is sent on each version, and what is refused before anything is."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import project
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
from tests.unit.scripted import VERSIONS, Scripted, contents
from tests.unit.test_project import server as painting


def server(major: int = 19, policy: Policy | None = None) -> Scripted:
    """A server with one task, in its first state, and two users."""
    first = {"state": "01_in_progress"} if major > 16 else {"kanban_state": "normal"}
    odoo = painting(major, policy, **first)
    odoo.server.records["res.users"].append({"id": 6, "name": "Marc Demo"})
    return odoo


@pytest.mark.parametrize("major", VERSIONS)
def test_a_task_is_changed_by_plain_names(major: int) -> None:
    odoo = server(major)
    result = project.update_task(
        odoo,
        task_name="Paint",
        name=" Paint twice ",
        stage_name="done",
        state="Ready" if major < 17 else "done",
        priority="1",
        users=["marc demo"],
        date_deadline="2030-06-30",
        description="a < b",
    )
    assert isinstance(result, project.TaskResult)
    [write] = writes(odoo)
    assert contents(write) == {
        "name": "Paint twice",
        **({"kanban_state": "done"} if major < 17 else {"state": "1_done"}),
        "priority": "1",
        "date_deadline": "2030-06-30" if major < 17 else "2030-06-30 12:00:00",
        "description": "<p>a &lt; b</p>",
        **({"user_id": 6} if major == 14 else {"user_ids": [[6, 0, [6]]]}),
        "stage_id": 2,
    }
    assert (result.name, result.priority) == ("Paint twice", "1")
    assert result.state == ("done" if major < 17 else "1_done")
    assert [user.name for user in result.users] == ["Marc Demo"]
    assert result.warnings == []


def test_what_is_given_by_id_takes_five_round_trips() -> None:
    odoo = server()
    project.update_task(odoo, task_id=5, priority="1", users=[6])
    assert odoo.methods() == [
        "project.task.search_read",
        "res.users.search",
        "project.task.write",
        "project.task.search_read",
        "res.users.search_read",
    ]


@pytest.mark.parametrize("major", [14, 19])
def test_a_task_is_taken_from_everybody(major: int) -> None:
    odoo = server(major)
    result = project.update_task(odoo, task_id=5, users=[])
    assert isinstance(result, project.TaskResult)
    assert result.users == []
    expected = {"user_id": False} if major == 14 else {"user_ids": [[6, 0, []]]}
    assert contents(writes(odoo)[0]) == expected


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize(
    ("said", "since_17", "before"),
    [
        ("in progress", "01_in_progress", "normal"),
        ("In_Progress", "01_in_progress", "normal"),
        ("1_done", "1_done", None),
        ("done", "1_done", None),
        ("canceled", "1_canceled", None),
        ("Changes requested", "02_changes_requested", None),
        ("ready", None, "done"),
        ("blocked", None, "blocked"),
        ("finished", None, None),
        ("waiting", None, None),
        ("", None, None),
    ],
)
def test_states_are_those_of_the_version(
    major: int, said: str, since_17: str | None, before: str | None
) -> None:
    odoo = server(major)
    expected = since_17 if major > 16 else before
    if expected is None:
        with pytest.raises(ValidationError) as raised:
            project.update_task(odoo, task_id=5, state=said)
        assert said == "waiting" or "in progress" in raised.value.suggestion.lower()
        assert odoo.sent == []
    else:
        project.update_task(odoo, task_id=5, state=said)
        assert [*contents(writes(odoo)[0]).values()] == [expected]


@pytest.mark.parametrize("major", VERSIONS)
def test_priorities_are_those_of_the_version(major: int) -> None:
    odoo = server(major)
    operations: list[Any] = [
        lambda priority: project.update_task(odoo, task_id=5, priority=priority),
        lambda priority: project.create_task(odoo, name="Paint", project_id=3, priority=priority),
    ]
    for operation in operations:
        if major == 19:
            operation("3")
            assert contents(writes(odoo)[-1])["priority"] == "3"
            continue
        with pytest.raises(ValidationError, match="no priority"):
            operation("3")
        assert odoo.sent == []


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({}, ValidationError),
        ({"name": " "}, ValidationError),
        ({"date_deadline": "soon"}, ValidationError),
        ({"priority": "urgently"}, ValidationError),
        ({"users": ["Nobody"]}, NotFoundError),
        ({"users": [0]}, ValidationError),
        ({"stage_id": 9}, ValidationError),
        ({"stage_name": "Of others"}, NotFoundError),
        ({"stage_id": 2, "stage_name": "Done"}, ValidationError),
    ],
)
def test_what_is_wrong_changes_nothing(values: dict[str, Any], error: type[Exception]) -> None:
    odoo = server()
    before = dict(odoo.server.records["project.task"][0])
    with pytest.raises(error):
        project.update_task(odoo, task_id=5, **values)
    assert odoo.server.records["project.task"][0] == before


def test_two_assignees_are_one_too_many_on_14() -> None:
    odoo = server(14)
    with pytest.raises(ValidationError, match="one user"):
        project.update_task(odoo, task_id=5, users=[2, 6])
    assert writes(odoo) == []


def test_what_odoo_did_not_take_is_told() -> None:
    odoo = server()
    odoo.answers["project.task", "write"] = True
    result = project.update_task(odoo, task_id=5, state="done", stage_id=2)
    assert isinstance(result, project.TaskResult)
    assert result.warnings == ["Odoo did not take stage_id 2.", "Odoo did not take state 1_done."]


def test_a_change_whose_answer_was_lost_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(odoo: Scripted) -> Any:
        return project.update_task(odoo, task_id=5, priority="1", state="done")

    assert check_seen_when_lost(server(), "write", change, monkeypatch).state == "1_done"
    check_told_when_lost(server(), "write", change, monkeypatch)
