"""A task that needs no database, for a server that echoes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

from evals.database import Database
from evals.server import ServerSpec
from evals.task import Answer, Facts, Task, unequal

SMALL = ServerSpec(command=(sys.executable, str(Path(__file__).with_name("small_server.py"))))
NO_DATABASE = cast(Database, None)


def small_task() -> Task:
    """Return a task that needs no database: the answer is what the echo says."""

    def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
        return unequal("the word", facts["word"], answer["word"])

    return Task(
        name="say",
        kind="everyday",
        words="Say {word}.",
        answer={"word": "the word"},
        prepare=lambda db: {"word": "teal"},
        check=check,
        solve=lambda call, facts: {"word": call("echo", text="teal")},
    )
