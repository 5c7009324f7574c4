"""Judges a trial: the answers and the database, by the tasks' checks; and what the log adds up to.

    python -m evals.check FOLDER

The exit code is 0 if all tasks are right, 1 if some are not, and 2 if the trial says nothing: the
server died, or no tool was called.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evals.counts import count, read_log
from evals.database import Address, Database
from evals.folders import Folders
from evals.task import all_tasks


def main(arguments: list[str] | None = None) -> int:
    """Judge a trial, print the result, and keep it in the folder."""
    parser = argparse.ArgumentParser(prog="python -m evals.check", description=__doc__)
    parser.add_argument("folder", type=Path)
    folders = Folders(parser.parse_args(arguments).folder)
    result = judge(folders)
    folders.result.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")
    for name, faults in result["tasks"].items():
        print(f"{'WRONG' if faults else 'right'}  {name}")
        for fault in faults:
            print(f"         {fault}")
    for name, distance in result["distances"].items():
        print(f"{name}: {described(distance)}")
    counts = result["counts"]
    right = sum(not faults for faults in result["tasks"].values())
    print(
        f"{right} of {len(result['tasks'])} tasks right; {counts['calls']} calls, "
        f"{counts['errors']} errors; a model read {counts['answers'] + counts['lists']} bytes "
        f"({counts['lists']} of them lists of tools) and sent {counts['sent']}; "
        f"the whole list of tools has {counts['whole_list']}"
    )
    if result["void"]:
        print(f"THIS TRIAL SAYS NOTHING: {result['void']}")
        return 2
    return 0 if right == len(result["tasks"]) else 1


def judge(folders: Folders) -> dict[str, Any]:
    """Return each task's faults, the counts, and why the trial says nothing if so."""
    db = Database(Address.read(folders.address))
    tasks = all_tasks()
    facts = json.loads(folders.facts.read_text(encoding="utf-8"))
    faults = {
        name: tasks[name].faults(db, known, read_answer(folders.answers / f"{name}.json"))
        for name, known in facts.items()
    }
    distances = {
        name: tasks[name].distance_of(db, known)
        for name, known in facts.items()
        if tasks[name].distance
    }
    counts = count(read_log(folders.calls))
    void = f"the server died: {counts.died}" if counts.died else ""
    if not counts.calls and not void:
        void = "no tool of the server was called"
    return {"tasks": faults, "distances": distances, "counts": asdict(counts), "void": void}


def described(distance: float | None) -> str:
    """Return a distance from the optimum in words."""
    return "no plan that can be done" if distance is None else f"{distance:.1%} off"


def read_answer(file: Path) -> Any:
    """Return the JSON of a file; None if there is none that can be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


if __name__ == "__main__":
    sys.exit(main())
