"""Keeps one MCP server running, so that a shell can call its tools.

    python -m evals.bridge start FOLDER [--set NAME=VALUE] [-- COMMAND ...]
    python -m evals.bridge start FOLDER --url URL [--header 'Name: value']
    python -m evals.bridge stop FOLDER

FOLDER is that of a trial (``python -m evals.trial``). Without a command it is this repository's
server, in full mode. The server's environment has the database's address as ``ODOO_*``, what is set
here as ``ODOO_MCP_*``, and what ``--set`` gives. Each call is an entry in FOLDER/calls.jsonl.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socketserver
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evals.call import ask
from evals.counts import write_entry
from evals.database import Address
from evals.folders import Folders
from evals.processes import end_process, wait_for
from evals.server import Server, ServerDied, ServerSpec, Shown, open_server, tool_for_models

OWN_SERVER = (sys.executable, "-m", "odoo_toolkit_mcp")
START_SECONDS = 60


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        prog="python -m evals.bridge",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["start", "serve", "stop"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", default="", help="a server over HTTP instead of a command")
    parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    chosen = parser.parse_args(words[:end])
    folders = Folders(chosen.folder)
    if chosen.action == "stop":
        return stop(folders)
    address = Address.read(folders.address)
    of_tasks = json.loads(folders.settings.read_text(encoding="utf-8"))
    given = dict(one.split("=", 1) for one in chosen.set)
    pairs = [one.partition(": ") for one in chosen.header]
    spec = server_spec(
        address,
        tuple(words[end + 1 :]),
        chosen.url,
        {name: value for name, _, value in pairs},
        {**of_tasks, **given},
    )
    if chosen.action == "serve":
        return serve(folders, spec)
    return start(folders, words)


def server_spec(
    address: Address,
    command: tuple[str, ...] = (),
    url: str = "",
    headers: dict[str, str] | None = None,
    settings: dict[str, str] | None = None,
) -> ServerSpec:
    """Return how to start a server on a database; this repository's if none is named."""
    if url:
        return ServerSpec(url=url, headers=headers or {})
    passed = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("ODOO_MCP_") or name == "PYTHONPATH"
    }
    environ = {
        "ODOO_URL": address.url,
        "ODOO_DB": address.db,
        "ODOO_USERNAME": address.login,
        "ODOO_API_KEY": address.secret,
        "ODOO_MCP_MODE": "full",
        "ODOO_MCP_LOG_LEVEL": "warning",
        **passed,
        **(settings or {}),
    }
    return ServerSpec(command=command or OWN_SERVER, environ=environ)


def start(folders: Folders, words: list[str]) -> int:
    """Start ``serve`` with the same words, detached, and wait until it answers."""
    stop(folders)
    # only the first word can be the action, as a folder or a command may have that name, too
    again = ["serve" if word == "start" and at == 0 else word for at, word in enumerate(words)]
    with folders.bridge_log.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "evals.bridge", *again],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    if not wait_for(folders.socket.exists, process, START_SECONDS):
        print(f"The server did not start:\n{folders.bridge_log.read_text(encoding='utf-8')}")
        return 1
    folders.bridge_pid.write_text(str(process.pid), encoding="utf-8")
    print(f"The bridge runs. Try: {folders.desk}/odoo tools")
    return 0


def stop(folders: Folders) -> int:
    """End the bridge of the folder, if one runs."""
    if folders.socket.exists():
        with contextlib.suppress(OSError, ValueError):
            ask({"op": "stop"}, str(folders.socket))
    end_process(folders.bridge_pid, "evals.bridge")
    folders.socket.unlink(missing_ok=True)
    return 0


def serve(folders: Folders, spec: ServerSpec) -> int:
    """Answer questions at the desk's socket until told to stop."""

    def log(entry: dict[str, Any]) -> None:
        write_entry(folders.calls, entry)

    try:
        with open_server(spec, log) as server:
            log({"whole_list": len(listed(server, ["--all"]).encode())})
            return answer_questions(folders.socket, server)
    except ServerDied as error:
        print(error, file=sys.stderr)
        return 1


def answer_questions(path: Path, server: Server) -> int:
    """Listen at a socket, one question after the other; return when told to stop."""

    class Question(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            question = json.loads(self.rfile.readline())
            if question["op"] == "stop":
                # the request to stop returns only once the loop has ended: not from within it
                listener.stopped = True
                answer = Shown("stopped")
            else:
                answer = answered(server, question)
            line = asdict(answer)
            if not question.get("structured"):
                del line["structured"]
            self.wfile.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    class Listener(socketserver.UnixStreamServer):
        stopped = False

    path.unlink(missing_ok=True)
    with Listener(str(path), Question) as listener:
        while not listener.stopped:
            listener.handle_request()
    path.unlink(missing_ok=True)
    return 0


def answered(server: Server, question: dict[str, Any]) -> Shown:
    """Return the answer to one question; one that a dead server cannot answer says so."""
    try:
        if question["op"] == "call":
            return server.call(question["name"], question["arguments"])
        if question["op"] == "read":
            return server.resource(question["uri"])
        return Shown(server.read("tools", listed(server, question["names"])))
    except ServerDied as error:
        return Shown(f"ERROR: {error}", error=True)


def listed(server: Server, names: list[str]) -> str:
    """Return the list of tools as a shell shows it: all in short, or some in full."""
    tools = server.tools()
    if names == ["--all"]:
        described = [json.dumps(tool_for_models(tool), ensure_ascii=False) for tool in tools]
        return "\n".join([server.instructions, *described])
    if names:
        chosen = [json.dumps(tool_for_models(one)) for one in tools if one.name in names]
        return "\n".join(chosen) or f"No such tool. There are: {[one.name for one in tools]}"
    lines = [f"{one.name}: {(one.description or '').splitlines()[0]}" for one in tools]
    return "\n".join([server.instructions, "", *lines])


if __name__ == "__main__":
    sys.exit(main())
