"""Compares results that ``evals.run --out`` has written: a line for each and each kind of task.

python -m evals.compare FILE ...
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals.check import described
from evals.task import all_tasks

HEAD = ("", "kind", "right", "void", "calls", "errors", "read, kB", "sent, kB", "distance")


def main(arguments: list[str] | None = None) -> int:
    """Print the table, and what was wrong below it."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", type=Path, nargs="+")
    files: list[Path] = parser.parse_args(arguments).files
    results = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    rows = [row for name, result in results.items() for row in compared(name, result["outcomes"])]
    for row in [HEAD, ["---"] * len(HEAD), *rows]:
        print(f"| {' | '.join(row)} |")
    for name, result in results.items():
        for task, several in result["outcomes"].items():
            for outcome in several:
                if not outcome["right"]:
                    print(f"\n{name}  {task}")
                    for reason in [*([outcome["void"]] if outcome["void"] else outcome["faults"])]:
                        print(f"    {reason}")
    return 0


def compared(name: str, outcomes: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Return the rows of one result: one for each kind, in the order of its tasks.

    Args:
        name: What the first cell says.
        outcomes: By task, as ``evals.run`` writes them.
    """
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for task, several in outcomes.items():
        by_kind.setdefault(_kind(task), []).extend(several)
    return [_row(name, kind, found) for kind, found in by_kind.items()]


def _kind(task: str) -> str:
    """Return a task's kind; a plan's name ends with a seed, whichever that was."""
    tasks = all_tasks()
    start, _, seed = task.rpartition("-")
    return tasks[f"{start}-01" if seed.isdigit() else task].kind


def _row(name: str, kind: str, outcomes: Sequence[dict[str, Any]]) -> list[str]:
    counts = [outcome["counts"] for outcome in outcomes]
    read = sum(one["answers"] + one["lists"] for one in counts)
    sent = sum(one["sent"] for one in counts)
    return [
        name,
        kind,
        f"{sum(outcome['right'] for outcome in outcomes)} of {len(outcomes)}",
        str(sum(bool(outcome["void"]) for outcome in outcomes)),
        str(sum(one["calls"] for one in counts)),
        str(sum(one["errors"] for one in counts)),
        f"{read / 1000:.0f}",
        f"{sent / 1000:.0f}",
        ", ".join(described(one["distance"]) for one in outcomes)
        if kind in ("planning", "month_end")
        else "",
    ]


if __name__ == "__main__":
    sys.exit(main())
