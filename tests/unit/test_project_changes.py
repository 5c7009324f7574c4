"""Changing tasks: what is sent on each version, and what is refused before anything is."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import project
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.fake_project import server as painting
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, Scripted, contents


def server(major: int = 19, policy: Policy | None = None) -> Scripted:
    """A server with one task, in its first state, and two users."""
    first = {"state": "01_in_progress"} if major > 16 else {"kanban_state": "normal"}
    odoo = painting(major, policy, **first)
    odoo.server.records["res.users"].append({"id": 6, "name": "Marc Demo"})
    return odoo


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
    with pytest.raises(ValidationError, match="only one assignee"):
        project.update_task(odoo, task_id=5, users=[2, 6])
    assert writes(odoo) == []


def test_what_odoo_did_not_take_is_told() -> None:
    odoo = server()
    odoo.answers["project.task", "write"] = True
    result = project.update_task(odoo, task_id=5, state="done", stage_id=2)
    assert isinstance(result, project.TaskResult)
    assert result.warnings == [
        "Odoo did not accept stage_id 2.",
        "Odoo did not accept state 1_done.",
    ]
