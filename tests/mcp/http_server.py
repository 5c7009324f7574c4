"""A server listening on a real socket, and a client that sends whatever it is told."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from types import TracebackType
from typing import Any

import anyio
import attrs

from odoo_toolkit_mcp.http.app import Endpoint, HttpServer, http_app
from odoo_toolkit_mcp.server import OdooServer

#: mode of the SDK's client -> revision that it speaks.
REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@attrs.frozen
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def message(self) -> Any:
        """The last JSON-RPC message: the body, or the last event of a stream."""
        lines = [line for line in self.text.splitlines() if line.startswith("data: {")]
        return json.loads(lines[-1][len("data: ") :] if lines else self.text)


class HttpClient:
    """Sends requests to a server on this machine, one connection for each.

    Args:
        port: where it listens.
        path: of its MCP endpoint.
    """

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self.port = port
        self.path = path
        self.url = f"http://127.0.0.1:{port}{path}"

    def connection(self) -> http.client.HTTPConnection:
        """Return a new connection to the server."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)

    def post(self, era: str, method: str, params: Any = None, **headers: str) -> Answer:
        """Send one request of an era and return what came back.

        Args:
            era: mode of the SDK's client.
            method: of MCP.
            params: of the method.
            headers: further HTTP headers; an underscore stands for a hyphen.
        """
        connection = self.send(era, method, params, **headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return Answer(response.status, dict(response.getheaders()), text)

    def send(
        self, era: str, method: str, params: Any = None, **headers: str
    ) -> http.client.HTTPConnection:
        """Send one request and return the connection, on which the answer will come."""
        revision = REVISIONS[era]
        params = dict(params or {})
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": revision,
        }
        if era == "auto":
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientCapabilities": {},
                **params.get("_meta", {}),
            }
            sent["Mcp-Method"] = method
            if "name" in params:
                sent["Mcp-Name"] = params["name"]
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        connection = self.connection()
        connection.request("POST", self.path, body, sent)
        return connection

    def call(self, era: str, tool: str, arguments: dict[str, Any], **headers: str) -> Any:
        """Call a tool and return the result object."""
        answer = self.post(era, "tools/call", {"name": tool, "arguments": arguments}, **headers)
        assert answer.status == 200, answer
        return answer.message["result"]

    def get(self, path: str, **headers: str) -> Answer:
        """Send a GET request."""
        connection = self.connection()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers=sent)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return Answer(response.status, dict(response.getheaders()), text)


class RunningServer(HttpClient):
    """Serves in a thread while the ``with`` block runs; connections wait from the start on."""

    def __init__(self, server: OdooServer) -> None:
        self.server = server
        endpoint = Endpoint(server)
        self.http = HttpServer(http_app(server, endpoint), server.settings, self._end_streams)
        self._endpoint = endpoint
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        super().__init__(self._socket.getsockname()[1], server.settings.path)
        self.thread = threading.Thread(target=anyio.run, args=[self._serve])

    def _end_streams(self) -> None:
        self.server.end_streams()
        self._endpoint.end_streams()

    async def _serve(self) -> None:
        await self.server.prepare(patience=0)
        await self.http.serve(sockets=[self._socket])

    def __enter__(self) -> RunningServer:
        self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Do what SIGTERM does, and wait for the end."""
        self.http.should_exit = True
        self.thread.join(60)
        assert not self.thread.is_alive()
