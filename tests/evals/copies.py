"""Copies of Odoo on which tasks are prepared, done by their reference solutions, and judged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from evals.assistants import Attempt, scripted
from evals.bridge import server_spec
from evals.database import Database
from evals.run import fresh_copy
from evals.server import open_server
from evals.task import Facts, Task, all_tasks, prepare_all
from tests.live.conftest import NO_SERVER, SERVERS

# the month-ends are alike: three show that one rests on the one before
MONTHS = ("closing-01", "closing-02", "closing-03")
# what differs between versions lies between the newest and the oldest
RUNNING = sorted({int(server.version) for server in SERVERS if server.version})
VERSIONS: list[int | None] = [*dict.fromkeys((*RUNNING[-1:], *RUNNING[:1]))] or [None]


@dataclass
class Group:
    """Tasks that are done on one copy.

    Args:
        db: The copy, after the reference solutions.
        tasks: By name.
        facts: What was prepared.
        untouched: What the checks said before anything was done, without an answer.
        answers: Those of the reference solutions.
        faults: What the checks said of these.
    """

    db: Database
    tasks: dict[str, Task]
    facts: dict[str, Facts]
    untouched: dict[str, list[str]]
    answers: dict[str, Any]
    faults: dict[str, list[str]]


def chosen(version: int, kinds: Sequence[str]) -> list[Task]:
    """Return the tasks of some kinds that hold on a version, one instance of each plan."""
    return [
        task
        for task in all_tasks((1,)).values()
        if task.kind in kinds
        and task.since <= version
        and (task.kind != "month_end" or task.name in MONTHS)
    ]


def done(db: Database, tasks: list[Task]) -> Group:
    """Prepare tasks on a copy, judge it, do them by their solutions, and judge it again."""
    facts = prepare_all(db, tasks)
    by_name = {task.name: task for task in tasks}
    untouched = {name: by_name[name].faults(db, known, None) for name, known in facts.items()}
    settings = {name: value for task in tasks for name, value in task.settings.items()}
    with open_server(server_spec(db.address, settings=settings), lambda entry: None) as server:
        answers = {task.name: scripted(Attempt(task, facts[task.name], server)) for task in tasks}
    faults = {name: by_name[name].faults(db, facts[name], answers[name]) for name in facts}
    return Group(db, by_name, facts, untouched, answers, faults)


@contextmanager
def copy(version: int | None) -> Iterator[Database]:
    """A copy of a provisioned version. Without any the test fails, as silence would pass."""
    if os.environ.get("ODOO_TOOLKIT_NO_LIVE") == "1":
        pytest.skip("ODOO_TOOLKIT_NO_LIVE=1")
    if version is None:
        pytest.fail(NO_SERVER, pytrace=False)
    with fresh_copy(str(version)) as address:
        yield Database(address)
