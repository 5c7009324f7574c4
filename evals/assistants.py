"""Who does the tasks: a model behind an API, a program, or the reference solutions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from evals import call as desk_command
from evals.answers import last_object
from evals.bridge import answer_questions
from evals.server import Server, tool_for_models
from evals.task import CallFailed, Facts, Task

MOST_TURNS = 80
ANSWER_SECONDS = 600
PROGRAM_SECONDS = 3600
WORDS = """\
You work in the Odoo of a company, by the tools of a server. Nobody answers questions: decide as a
careful person would, and where something cannot be done, say so in the answer and leave things as
they are. Your last message is the answer: JSON of the shape that is asked for, and nothing else.
"""


class AssistantFailed(Exception):  # noqa: N818  (it says what happened)
    """The model's API or the program failed; that says nothing about the server."""


@dataclass(frozen=True)
class Attempt:
    """One task that is to be done.

    Args:
        task: Which.
        facts: What the check knows; only the reference solutions may look.
        server: The connected server.
    """

    task: Task
    facts: Facts
    server: Server

    @property
    def text(self) -> str:
        """The task's words and the answer's shape."""
        return self.task.text(self.facts)


Assistant = Callable[[Attempt], Any]
"""Does a task, and returns the answer; None if what it said is no JSON object."""


def scripted(attempt: Attempt) -> Any:
    """Do a task by its reference solution."""

    def call(tool: str, **arguments: Any) -> Any:
        answer = attempt.server.call(tool, arguments)
        if answer.error:
            raise CallFailed(f"{tool}: {answer.text}")
        return answer.structured

    try:
        return attempt.task.solve(call, attempt.facts)
    except (CallFailed, LookupError, TypeError, ValueError) as error:
        return f"the solution failed: {error!r}"


def idle(attempt: Attempt) -> Any:
    """Do nothing: what a check must not let pass."""
    return None


def chat(base_url: str, model: str, key: str) -> Assistant:
    """Return an assistant that is a model behind a chat-completions API.

    Args:
        base_url: Up to, and without, ``/chat/completions``.
        model: Its name there.
        key: Sent as ``Authorization: Bearer``; empty for none.
    """
    session = requests.Session()
    busy = Retry(
        total=6, backoff_factor=2, status_forcelist=(429, 500, 502, 503), allowed_methods=None
    )
    session.mount("http://", HTTPAdapter(max_retries=busy))
    session.mount("https://", HTTPAdapter(max_retries=busy))
    if key:
        session.headers["Authorization"] = f"Bearer {key}"

    def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        body = {"model": model, "messages": messages, "tools": tools}
        try:
            response = session.post(
                f"{base_url.rstrip('/')}/chat/completions", json=body, timeout=ANSWER_SECONDS
            )
            response.raise_for_status()
            message: dict[str, Any] = response.json()["choices"][0]["message"]
        except (requests.RequestException, ValueError, LookupError, TypeError) as error:
            raise AssistantFailed(f"the model's API failed: {error!r}") from error
        return message

    def assistant(attempt: Attempt) -> Any:
        listed = [tool_for_models(tool) for tool in attempt.server.tools()]
        attempt.server.read("tools", json.dumps(listed, ensure_ascii=False))
        tools = [_as_function(tool) for tool in listed]
        instructions = attempt.server.read("instructions", attempt.server.instructions)
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": f"{WORDS}\n{instructions}"},
            {"role": "user", "content": attempt.text},
        ]
        for _ in range(MOST_TURNS):
            message = ask(messages, tools)
            messages.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                return last_object(message.get("content") or "")
            messages += [_answered(attempt.server, call) for call in calls]
        return None

    return assistant


def _as_function(tool: dict[str, Any]) -> dict[str, Any]:
    described = {"name": tool["name"], "description": tool["description"]}
    return {"type": "function", "function": {**described, "parameters": tool["inputSchema"]}}


def _answered(server: Server, call: dict[str, Any]) -> dict[str, Any]:
    """Return the message that answers a model's call of a tool."""
    wanted = call["function"]
    try:
        arguments = json.loads(wanted["arguments"] or "{}")
        if not isinstance(arguments, dict):
            raise ValueError("they are not an object")
    except ValueError as error:
        text = server.refused(wanted["name"], f"ERROR: the arguments are not JSON: {error}")
    else:
        text = server.call(wanted["name"], arguments).text
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


def program(command: list[str]) -> Assistant:
    """Return an assistant that is a program: it reads the task, and writes the answer last.

    It runs in a folder of its own with the command ``odoo``, by which it reaches the server.

    Args:
        command: The program and its arguments.
    """

    def assistant(attempt: Attempt) -> Any:
        with tempfile.TemporaryDirectory(prefix="desk") as folder:
            desk = Path(folder)
            put_command(desk)
            socket = desk / "server.sock"
            bridge = threading.Thread(target=answer_questions, args=(socket, attempt.server))
            bridge.start()
            try:
                done = subprocess.run(
                    command,
                    input=f"{desk_command.__doc__}\n{WORDS}\n{attempt.text}",
                    cwd=desk,
                    env={**os.environ, desk_command.SOCKET_VARIABLE: str(socket)},
                    stdout=subprocess.PIPE,
                    text=True,
                    timeout=PROGRAM_SECONDS,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise AssistantFailed(f"the program failed: {error}") from error
            finally:
                desk_command.ask({"op": "stop"}, str(socket))
                bridge.join()
        if done.returncode:
            raise AssistantFailed(f"the program ended with {done.returncode}: {done.stdout[-500:]}")
        return last_object(done.stdout)

    return assistant


def put_command(desk: Path) -> None:
    """Put the command ``odoo`` into a folder; it needs nothing but this Python."""
    command = desk / "odoo"
    shutil.copy(desk_command.__file__, command)
    text = command.read_text(encoding="utf-8")
    command.write_text(text.replace("/usr/bin/env python3", sys.executable, 1), encoding="utf-8")
    command.chmod(0o755)
