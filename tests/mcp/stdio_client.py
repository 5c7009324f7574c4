"""A client of a few lines that speaks JSON-RPC with a server process, byte by byte."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from types import TracebackType
from typing import Any

SERVER = (sys.executable, "-m", "odoo_toolkit_mcp")


class StdioClient:
    """Starts a server and talks to it; everything it wrote is in ``lines`` and ``log``.

    Args:
        environ: its ``ODOO_*`` variables.
        command: how it is started.
    """

    def __init__(self, environ: dict[str, str], command: tuple[str, ...] = SERVER) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ODOO_")}
        self.lines: list[str] = []
        self.log = ""
        self._id = 0
        self.process = subprocess.Popen(
            command,
            env={**kept, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> StdioClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def send(self, method: str, params: dict[str, Any] | None = None, **message: Any) -> None:
        """Send one message."""
        assert self.process.stdin is not None
        line = json.dumps({"jsonrpc": "2.0", **message, "method": method, "params": params or {}})
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def send_bytes(self, line: bytes) -> None:
        """Send anything at all."""
        assert isinstance(self.process.stdin, io.TextIOWrapper)
        self.process.stdin.buffer.write(line)
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the whole answer."""
        self._id += 1
        self.send(method, params, id=self._id)
        return self.receive(self._id)

    def receive(self, wanted: int) -> dict[str, Any]:
        """Return the answer to a request; notifications on the way are in ``lines``."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self.lines.append(line)
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == wanted:
                return message
        raise AssertionError(f"The server has gone: {self.process.communicate()[1]}")

    def initialize(self) -> dict[str, Any]:
        """Shake hands as of 2025-11-25."""
        answer = self.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        )
        self.send("notifications/initialized")
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        result: dict[str, Any] = self.request("tools/call", {"name": tool, "arguments": arguments})[
            "result"
        ]
        return result

    def close(self) -> int:
        """Close its standard input, wait for its end, and return its exit status."""
        if self.process.poll() is None or not self.log:
            out, err = self.process.communicate(timeout=60)
            self.lines += out.splitlines()
            self.log += err
        return self.process.returncode
