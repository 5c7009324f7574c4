"""The scripted assistant: does tasks by their reference solutions, as calls of our tools.

    python -m evals.assistant FOLDER

It uses the desk of a trial whose bridge runs this repository's server with the flat list of tools.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from evals.call import ask
from evals.folders import Folders
from evals.task import CallFailed, all_tasks


def main(arguments: list[str] | None = None) -> int:
    """Do every task of a trial and write the answers; 1 if some could not be done."""
    parser = argparse.ArgumentParser(prog="python -m evals.assistant", description=__doc__)
    parser.add_argument("folder", type=Path)
    folders = Folders(parser.parse_args(arguments).folder)
    socket = str(folders.socket)

    def through_desk(tool: str, **arguments: Any) -> Any:
        question = {"op": "call", "name": tool, "arguments": arguments, "structured": True}
        answer = ask(question, socket)
        if answer["error"]:
            raise CallFailed(f"{tool}: {answer['text']}")
        return answer["structured"]

    facts = json.loads(folders.facts.read_text(encoding="utf-8"))
    tasks = all_tasks()
    failed = False
    for name, known in facts.items():
        try:
            answer = tasks[name].solve(through_desk, known)
        except (CallFailed, LookupError, TypeError, ValueError) as error:
            # an answer without what the solution needs is as much of a failure as an error
            failed = True
            print(f"{name}: {error!r}")
            continue
        (folders.answers / f"{name}.json").write_text(json.dumps(answer), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
