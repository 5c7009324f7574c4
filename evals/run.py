"""Runs tasks several times with an assistant, and adds up what came of it.

    python -m evals.run --scripted
    python -m evals.run --base-url URL --model NAME          the key is in EVALS_API_KEY
    python -m evals.run --program 'my-assistant --quiet'
    python -m evals.run --desk FOLDER --runs 1               somebody with a shell

Each run has a fresh copy of Odoo, each task a server of its own. After '--' stands the command of
another MCP server than this repository's; --url names one over HTTP, which has to serve the copy.
The exit code is 0 if every task was right in every run, 1 if not, and 2 if one says nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evals.assistants import Assistant, AssistantFailed, Attempt, chat, program, scripted
from evals.bridge import server_spec
from evals.check import described
from evals.counts import Counts, count
from evals.database import Address, Database
from evals.desk import Desk
from evals.server import ServerDied, ServerSpec, open_server
from evals.task import KINDS, Task, all_tasks, prepare_all
from tests.provisioning.cache import ProvisioningError
from tests.provisioning.copies import copied
from tests.provisioning.releases import RELEASES

KEY_VARIABLE = "EVALS_API_KEY"


@dataclass
class Outcome:
    """What came of one task in one run.

    Args:
        task: Its name.
        right: Whether the check found nothing wrong.
        faults: What it found.
        void: Why nothing can be said; a task is right only if this is empty.
        distance: From the optimum, of planning.
        answer: What the assistant answered.
        counts: Calls, errors and bytes.
        log: Each call with its arguments and its answer.
    """

    task: str
    right: bool = False
    faults: list[str] = field(default_factory=list)
    void: str = ""
    distance: float | None = None
    answer: Any = None
    counts: Counts = field(default_factory=Counts)
    log: list[dict[str, Any]] = field(default_factory=list)


def attempt(db: Database, task: Task, spec: ServerSpec, assistant: Assistant) -> Outcome:
    """Prepare a task, have it done, and judge it.

    Args:
        db: The database, which the task changes.
        task: Which.
        spec: The server that the assistant gets.
        assistant: Who does it.
    """
    facts = prepare_all(db, [task])[task.name]
    log: list[dict[str, Any]] = []
    outcome = Outcome(task.name)
    try:
        with open_server(spec, log.append) as server:
            outcome.answer = assistant(Attempt(task, facts, server))
            server.tools()  # one that has died must not pass for one that was not needed
    except ServerDied as error:
        outcome.void = str(error)
    except AssistantFailed as error:
        outcome.void = str(error)
    outcome.counts, outcome.log = count(log), log
    if outcome.counts.died and not outcome.void:
        outcome.void = f"The server does not answer any more ({outcome.counts.died})."
    outcome.faults = task.faults(db, facts, outcome.answer)
    outcome.distance = task.distance_of(db, facts)
    outcome.right = not outcome.faults and not outcome.void
    return outcome


def run_tasks(
    tasks: Sequence[Task],
    runs: int,
    database: Callable[[], AbstractContextManager[Address]],
    spec: Callable[[Address, Task], ServerSpec],
    assistant: Assistant,
    tell: Callable[[int, Outcome, bool], None],
) -> dict[str, list[Outcome]]:
    """Do tasks several times, each run on a database of its own.

    Args:
        tasks: In their order.
        runs: How often.
        database: Opens a fresh database for a run.
        spec: The server for a task on a database.
        assistant: Who does them.
        tell: Is told of each outcome with its run, and whether the task is one of planning.

    Returns:
        The outcomes of each task, one for each run.
    """
    outcomes: dict[str, list[Outcome]] = {task.name: [] for task in tasks}
    for run in range(1, runs + 1):
        with database() as address:
            db = Database(address)
            for task in tasks:
                outcome = attempt(db, task, spec(address, task), assistant)
                outcomes[task.name].append(outcome)
                tell(run, outcome, task.distance is not None)
    return outcomes


def summary(outcomes: dict[str, list[Outcome]]) -> dict[str, Any]:
    """Return what the outcomes add up to.

    ``pass^k`` is the part of the tasks that were right in each of their k runs.
    """
    every = [one for several in outcomes.values() for one in several]
    runs = max((len(several) for several in outcomes.values()), default=0)
    always = [name for name, several in outcomes.items() if all(one.right for one in several)]
    return {
        "tasks": len(outcomes),
        "runs": runs,
        "right": sum(one.right for one in every),
        "attempts": len(every),
        f"pass^{runs}": len(always) / len(outcomes) if outcomes else 0.0,
        "void": sum(bool(one.void) for one in every),
        "calls": sum(one.counts.calls for one in every),
        "errors": sum(one.counts.errors for one in every),
        "read": sum(one.counts.answers + one.counts.lists for one in every),
        "sent": sum(one.counts.sent for one in every),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line says; return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    end = words.index("--") if "--" in words else len(words)
    chosen = _parser().parse_args(words[:end])
    command = tuple(words[end + 1 :])
    own = not command and not chosen.url
    try:
        assistant = _assistant(chosen)
        tasks = _tasks(chosen, own)
        headers = dict(one.split(": ", 1) for one in chosen.header)
        settings = dict(one.split("=", 1) for one in chosen.set)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2

    def spec(address: Address, task: Task) -> ServerSpec:
        return server_spec(address, command, chosen.url, headers, {**task.settings, **settings})

    def database() -> AbstractContextManager[Address]:
        return fresh_copy(chosen.odoo)

    so_far: dict[str, list[Outcome]] = {}

    def told(run: int, outcome: Outcome, planning: bool) -> None:
        tell(run, outcome, planning)
        so_far.setdefault(outcome.task, []).append(outcome)
        if chosen.out:  # after each: what is cut short is not lost
            save(so_far, chosen.out)

    try:
        outcomes = run_tasks(tasks, chosen.runs, database, spec, assistant, told)
    except ProvisioningError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        if isinstance(assistant, Desk):
            assistant.close()
    added = summary(outcomes)
    print(json.dumps(added, indent=1))
    if added["void"]:
        print(f"{added['void']} attempts say nothing: see their reasons above.")
        return 2
    return 0 if added["right"] == added["attempts"] else 1


class fresh_copy:  # noqa: N801  (used as a function)
    """A copy of a provisioned Odoo, removed at the end.

    Args:
        version: Such as ``19``.
    """

    def __init__(self, version: str) -> None:
        self._copy = copied(RELEASES[version])

    def __enter__(self) -> Address:
        server = self._copy.__enter__()
        secret = server["api_key"] or server["password"]
        return Address(server["url"], server["db"], server["login"], secret)

    def __exit__(self, *problem: Any) -> None:
        self._copy.__exit__(*problem)


def save(outcomes: dict[str, list[Outcome]], file: Path) -> None:
    """Write outcomes, with each call, and what they add up to."""
    found = {name: [asdict(one) for one in several] for name, several in outcomes.items()}
    result = {"summary": summary(outcomes), "outcomes": found}
    file.write_text(json.dumps(result, indent=1, default=str), encoding="utf-8")


def tell(run: int, outcome: Outcome, planning: bool) -> None:
    """Print one outcome."""
    word = "void " if outcome.void else "right" if outcome.right else "WRONG"
    far = f", {described(outcome.distance)}" if planning else ""
    counts = outcome.counts
    print(
        f"run {run}  {word}  {outcome.task}  ({counts.calls} calls, {counts.errors} errors, "
        f"{counts.answers + counts.lists} bytes read{far})",
        flush=True,
    )
    for line in [outcome.void] * bool(outcome.void) + outcome.faults:
        print(f"         {line}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evals.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--odoo", choices=list(RELEASES), default="19", help="the version")
    parser.add_argument("--kind", choices=KINDS, action="append", default=[], help="repeatable")
    parser.add_argument("--task", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--seed", type=int, action="append", default=[], help="of planning")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write all outcomes there, as JSON")
    parser.add_argument("--scripted", action="store_true", help="the reference solutions")
    parser.add_argument("--base-url", help="of a chat-completions API")
    parser.add_argument("--model", help="the model's name there")
    parser.add_argument("--program", help="a program that reads the task and writes the answer")
    parser.add_argument("--desk", type=Path, help="a new folder, for somebody with a shell")
    parser.add_argument("--url", default="", help="an MCP server over HTTP")
    parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    return parser


def _assistant(chosen: argparse.Namespace) -> Assistant:
    """Return the one assistant that was chosen.

    Raises:
        ValueError: None was, or several.
    """
    ways = [chosen.scripted, chosen.model, chosen.program, chosen.desk]
    if [bool(way) for way in ways].count(True) != 1:
        raise ValueError("Give one of --scripted, --model with --base-url, --program and --desk.")
    if chosen.scripted:
        return scripted
    if chosen.desk:
        return Desk(chosen.desk)
    if chosen.program:
        return program(shlex.split(chosen.program))
    if not chosen.base_url:
        raise ValueError("--model needs --base-url, the address of its API.")
    return chat(chosen.base_url, chosen.model, os.environ.get(KEY_VARIABLE, ""))


def _tasks(chosen: argparse.Namespace, own: bool) -> list[Task]:
    """Return the tasks that were chosen and hold; say which are left out.

    Raises:
        ValueError: A name is not a task's.
    """
    tasks = all_tasks(tuple(chosen.seed) or (1, 2))
    unknown = [name for name in chosen.task if name not in tasks]
    if unknown:
        raise ValueError(f"No such task: {', '.join(unknown)}. There are: {', '.join(tasks)}")
    found = []
    for task in tasks.values():
        if (chosen.task and task.name not in chosen.task) or (
            chosen.kind and task.kind not in chosen.kind
        ):
            continue
        if task.since > int(chosen.odoo):
            print(f"left out  {task.name}: it holds from Odoo {task.since} on")
        elif task.settings and not own:
            print(f"left out  {task.name}: it needs a setting of this repository's server")
        else:
            found.append(task)
    return found


if __name__ == "__main__":
    sys.exit(main())
