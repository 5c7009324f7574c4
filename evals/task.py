"""A task: the words for the assistant, the answer's shape, the check, and a solution."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any

from evals.database import Database
from evals.unchanged import changes, fingerprint

Facts = dict[str, Any]
"""What ``prepare`` has made, and what the check compares with; JSON, and not for the assistant."""

Answer = Mapping[str, Any]
Call = Callable[..., Any]
"""``call(tool, **arguments)``: calls a tool and returns its structured answer."""

KINDS = ("everyday", "planning", "refused", "month_end")
MONTHS = tuple(range(1, 13))


BEFORE = "before"
"""The fact that has the database's fingerprint, for tasks that must change nothing."""


class CallFailed(Exception):  # noqa: N818  (it says what happened)
    """A call of a solution failed: the message is what the server answered."""


@dataclass(frozen=True)
class Task:
    """One task of a kind.

    Args:
        name: Its module's name.
        kind: ``everyday``, ``planning`` or ``refused``.
        words: What the assistant is told, with places for facts, such as ``{customer}``.
        answer: The properties of the answer, each with what it is.
        prepare: Puts the database into the state that the task needs; returns facts.
        check: Says what is wrong with the answer and the database; nothing if all is right.
        solve: Does the task with this repository's server, as a reference; returns the answer.
        distance: How far from the optimum the database is, as a part of the optimum; None if
            what was planned cannot be done. Only planning has one.
        only_reads: Whether the right database is the untouched one.
        settings: What this repository's server has to be told for the task.
        since: The oldest Odoo that the task holds on.
    """

    name: str
    kind: str
    words: str
    answer: Mapping[str, str]
    prepare: Callable[[Database], Facts]
    check: Callable[[Database, Facts, Answer], list[str]]
    solve: Callable[[Call, Facts], Answer]
    distance: Callable[[Database, Facts], float | None] | None = None
    only_reads: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    since: int = 14

    def text(self, facts: Facts) -> str:
        """Return the task as the assistant gets it: the words and the answer's shape."""
        shape = json.dumps(self.answer, indent=1, ensure_ascii=False)
        return f"{self.words.strip().format(**facts)}\n\nAnswer with JSON of this shape:\n{shape}\n"

    def faults(self, db: Database, facts: Facts, answer: Answer | None) -> list[str]:
        """Return what is wrong; an answer that is missing or misses a property is wrong.

        Args:
            db: The database after the assistant has worked.
            facts: What ``prepare`` returned.
            answer: What the assistant answered; None if nothing that is JSON.
        """
        written = changes(db, facts[BEFORE]) if BEFORE in facts else []
        if not isinstance(answer, Mapping):
            return [*written, "no answer was given, or it is not a JSON object"]
        missing = [f"the answer has no {name!r}" for name in self.answer if name not in answer]
        try:
            return written + (missing or self.check(db, facts, answer))
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            # an answer of another shape than asked for; the check reads it as if it had that shape
            return [*written, f"the answer cannot be read: {error!r}"]

    def distance_of(self, db: Database, facts: Facts) -> float | None:
        """Return the distance from the optimum; None if the plan cannot be done or has none."""
        return self.distance(db, facts) if self.distance else None


def of_module(module: ModuleType, kind: str, seed: int | None = None) -> Task:
    """Return the task that a module states by its constants and functions."""
    name = module.__name__.rpartition(".")[2]
    generated = seed is not None
    return Task(
        name=f"{name}-{seed:02}" if generated else name,
        kind=kind,
        words=module.WORDS,
        answer=module.ANSWER,
        prepare=partial(module.prepare, seed=seed) if generated else module.prepare,
        check=module.check,
        solve=module.solve,
        distance=getattr(module, "distance", None),
        only_reads=kind == "refused" or getattr(module, "ONLY_READS", False),
        settings=getattr(module, "SETTINGS", {}),
        since=getattr(module, "SINCE", 14),
    )


def all_tasks(seeds: Sequence[int] = (1, 2)) -> dict[str, Task]:
    """Return every task by name: each is a module in the package of its kind.

    Args:
        seeds: Planning makes an instance of each module for each of these; the month-ends are
            always the same twelve.
    """
    tasks: dict[str, Task] = {}
    for kind in KINDS:
        package = importlib.import_module(f"evals.{kind}")
        for found in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"evals.{kind}.{found.name}")
            if not hasattr(module, "WORDS"):  # what the tasks of a kind share
                continue
            several = {"planning": tuple(seeds), "month_end": MONTHS}
            for seed in several.get(kind, (None,)):
                task = of_module(module, kind, seed)
                tasks[task.name] = task
    return tasks


def prepare_all(db: Database, tasks: Sequence[Task]) -> dict[str, Facts]:
    """Prepare tasks that are done on one database, and return the facts of each by name.

    Raises:
        ValueError: Tasks that must change nothing are among others, which would spoil their check.
    """
    strict = [task.name for task in tasks if task.kind == "refused"]
    if strict and len(strict) < len(tasks):
        raise ValueError(f"{', '.join(strict)}: not together with tasks that change the database.")
    # as they are when they were kept in a file in between: lists, no tuples
    facts = {task.name: json.loads(json.dumps(task.prepare(db))) for task in tasks}
    if strict:
        before = fingerprint(db)
        facts = {name: {**known, BEFORE: before} for name, known in facts.items()}
    return facts


def unequal(what: str, expected: Any, found: Any) -> list[str]:
    """Return a sentence if two values differ; amounts may differ by less than a cent."""
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        number = isinstance(found, (int, float)) and not isinstance(found, bool)
        same = number and math.isclose(expected, found, abs_tol=0.005)
    elif isinstance(expected, str) and isinstance(found, str):
        same = expected.strip().casefold() == found.strip().casefold()
    else:
        same = expected == found
    return [] if same else [f"{what} is {found!r}, not {expected!r}"]
