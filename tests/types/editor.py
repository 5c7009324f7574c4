"""What an editor offers while somebody types: asked of pyright's language server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

#: Seconds after which a server that says nothing is ended; that fails the test.
_PATIENCE = 240


class Editor:
    """An editor with a folder open; ``offered`` tells what it would complete.

    Args:
        folder: with the files of a project.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        command = [sys.executable, "-m", "pyright.langserver", "--stdio"]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._limit = threading.Timer(_PATIENCE, self._server.kill)
        self._asked = 0

    def __enter__(self) -> Editor:
        self._limit.start()
        root = self._folder.as_uri()
        asking = {"workspace": {"configuration": True}}
        folders = [{"uri": root, "name": "project"}]
        self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root,
                "workspaceFolders": folders,
                "capabilities": asking,
            },
        )
        self._send({"method": "initialized", "params": {}})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._limit.cancel()
        self._server.kill()
        self._server.communicate()

    def offered(self, before: str, after: str) -> list[str]:
        """Return what is offered between two parts of a file's text, without quotes."""
        self._asked += 1
        uri = (self._folder / f"typed_{self._asked}.py").as_uri()
        opened = {"uri": uri, "languageId": "python", "version": 1, "text": before + after}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        lines = before.split("\n")
        place = {"line": len(lines) - 1, "character": len(lines[-1])}
        answer = self._ask(
            "textDocument/completion", {"textDocument": {"uri": uri}, "position": place}
        )
        items = answer["items"] if isinstance(answer, dict) else answer or []
        return [item["label"].strip("\"'") for item in items]

    def _ask(self, method: str, params: Any) -> Any:
        self._asked += 1
        number = self._asked
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._received()
            if message.get("id") == number and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:  # it asks for its settings
                asked = message["params"].get("items", []) if message.get("params") else []
                answer = [{"pythonPath": sys.executable, "analysis": {}} for _ in asked]
                self._send({"id": message["id"], "result": answer or None})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._server.stdin.flush()

    def _received(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = None
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if length is None:
            raise EOFError("The language server has ended.")
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message
