"""A desk at which somebody does one task after the other, with nothing but a shell.

    python -m evals.run --desk FOLDER ...       gives the tasks, one at a time
    python -m evals.desk FOLDER                 closes the desk: the open task and the rest are void

Whoever sits there gets FOLDER and its TASKS.md: ``./odoo next`` shows a task, and hands in the
answer to the one before. A task is prepared only then, so that each is judged alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from evals.assistants import AssistantFailed, Attempt, put_command
from evals.bridge import answered
from evals.call import ask
from evals.folders import LONGEST_SOCKET_PATH
from evals.server import Shown

TASKS = """\
# Tasks

You work in the Odoo of a company, by the tools of a server. Use nothing else to reach Odoo. Nobody
answers questions: decide as a careful person would, and where something cannot be done, say so in
the answer and leave things as they are.

```sh
./odoo next                      # the next task, with the shape of its answer and the file for it
./odoo tools                     # names and purposes of all tools, and the server's instructions
./odoo tools NAME ...            # descriptions and arguments of some
./odoo tools --all               # of all
./odoo call NAME '{"json": "arguments"}'       # calls one; - instead reads them from the input
```

Write the answer to a task into the file that it names, as JSON and nothing else. Numbers are JSON
numbers. Then `./odoo next` hands it in and shows the next task. There is no way back to an earlier
one. Go on until it says that there are no more.
"""


class Desk:
    """An assistant of ``evals.run``: whoever sits at a folder.

    It listens at one socket for all tasks, so that a question which comes between two of them
    waits for the next.

    Args:
        folder: Is made. The person at the desk gets it, and nothing else.

    Raises:
        ValueError: The folder is not empty, or its path is too long for a socket.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.answers = self.folder / "answers"
        path = str(self.folder / "server.sock")
        if len(path) > LONGEST_SOCKET_PATH:
            raise ValueError(f"{self.folder} is too long a path for a socket; use a shorter one.")
        if self.folder.exists() and any(self.folder.iterdir()):
            raise ValueError(f"{self.folder} is not empty; take another folder.")
        self.answers.mkdir(parents=True)
        put_command(self.folder)
        (self.folder / "TASKS.md").write_text(TASKS, encoding="utf-8")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        self._waiting: TextIO | None = None
        self._closed = False

    def __call__(self, attempt: Attempt) -> Any:
        """Show a task to whoever asks for it, and pass calls on; return the answer handed in.

        Raises:
            AssistantFailed: The desk was closed.
        """
        name = attempt.task.name
        file = self.answers / f"{name}.json"
        text = f"# {name}\n\n{attempt.text}\nInto the file `answers/{name}.json`.\n"
        shown = self._reply(Shown(text))
        while not self._closed:
            question = self._question()
            op = question.get("op")
            if op == "stop":
                self._closed = True
                self._reply(Shown("The desk is closed."))
            elif op != "next":
                self._reply(answered(attempt.server, question))
            elif not shown:
                shown = self._reply(Shown(text))
            else:
                try:
                    return json.loads(file.read_text(encoding="utf-8"))
                except (OSError, ValueError) as error:
                    problem = f"ERROR: {name} is not answered: {error}\n\n{text}"
                    self._reply(Shown(problem, error=True))
        raise AssistantFailed("the desk was closed before this task was done")

    def close(self) -> None:
        """Tell whoever waits that there are no more tasks; nobody is listened to any more."""
        self._reply(Shown("There are no more tasks. Thank you."))
        self._listener.close()
        (self.folder / "server.sock").unlink(missing_ok=True)

    def _question(self) -> dict[str, Any]:
        """Wait for a question; whoever asked it is waiting then."""
        line, _ = self._listener.accept()
        with line:
            self._waiting = line.makefile("rw", encoding="utf-8")
        question: dict[str, Any] = json.loads(self._waiting.readline() or "{}")
        return question

    def _reply(self, answer: Shown) -> bool:
        """Answer whoever waits; tell whether somebody did."""
        stream, self._waiting = self._waiting, None
        if stream is None:
            return False
        line = asdict(answer)
        del line["structured"]
        with contextlib.suppress(OSError), stream:
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            stream.flush()
            return True
        return False


def main(arguments: list[str] | None = None) -> int:
    """Close a desk."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.desk",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder.resolve()
    answer = ask({"op": "stop"}, str(folder / "server.sock"))
    print(answer["text"])
    return int(bool(answer.get("error")))


if __name__ == "__main__":
    sys.exit(main())
