#!/usr/bin/env python3
"""Call tools of the server that a bridge keeps running.

    odoo tools                 names and purposes of all tools, with the server's instructions
    odoo tools NAME ...        descriptions and arguments of these
    odoo tools --all           descriptions and arguments of all
    odoo read URI              a resource, such as skill://NAME/SKILL.md
    odoo call NAME '{"json": "arguments"}'     or - to read the arguments from the input
    odoo next                  hands in the answer and shows the next task, where TASKS.md says so

A copy of this file lies on the desk of a trial and needs nothing but Python.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

SOCKET_VARIABLE = "EVALS_SOCKET"


def main(words: list[str]) -> int:
    """Ask the bridge, and print what a model is given to read; 1 if the call failed."""
    if words[:1] == ["tools"]:
        answer = ask({"op": "tools", "names": words[1:]})
    elif len(words) == 2 and words[0] == "read":
        answer = ask({"op": "read", "uri": words[1]})
    elif words == ["next"]:
        answer = ask({"op": "next"})
    elif len(words) in (2, 3) and words[0] == "call":
        text = words[2] if len(words) > 2 else "{}"
        try:
            arguments = json.loads(sys.stdin.read() if text == "-" else text)
        except ValueError as error:
            print(f"ERROR: the arguments are not JSON: {error}")
            return 1
        answer = ask({"op": "call", "name": words[1], "arguments": arguments})
    else:
        print(__doc__)
        return 2
    for name, content in answer.get("files", {}).items():
        Path(name).write_bytes(base64.b64decode(content))
    print(answer["text"])
    return 1 if answer["error"] else 0


def ask(question: dict[str, Any], socket_path: str = "") -> dict[str, Any]:
    """Send a question to the bridge and return its answer."""
    here = Path(__file__).resolve().with_name("server.sock")
    address = socket_path or os.environ.get(SOCKET_VARIABLE) or str(here)
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(address)
        except OSError as error:
            return {"error": True, "text": f"ERROR: no bridge runs at {address} ({error})."}
        with line.makefile("rw", encoding="utf-8") as stream:
            stream.write(json.dumps(question) + "\n")
            stream.flush()
            answer: dict[str, Any] = json.loads(stream.readline() or "null") or {
                "error": True,
                "text": "ERROR: the bridge has ended.",
            }
            return answer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
