"""An MCP server that is judged: started or reached through the SDK's client, each call counted."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, CallToolResult, Tool

CALL_SECONDS = 300


class ServerDied(Exception):  # noqa: N818  (it says what happened)
    """The server cannot be started, or does not answer any more: a result of its own."""


@dataclass(frozen=True)
class ServerSpec:
    """How a server is started (``command``) or where it listens (``url``).

    Args:
        command: The program and its arguments, for a server over stdio.
        environ: What its environment has besides the usual.
        url: The address of a server over HTTP.
        headers: What each request to it carries, such as ``Authorization``.
    """

    command: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("Give a server's command or its URL, and not both.")

    def client(self) -> Client:
        """Return a client that is not connected yet. It shows no questions to a person."""
        if self.url:
            http = httpx2.AsyncClient(headers=dict(self.headers), timeout=CALL_SECONDS)
            transport = streamable_http_client(self.url, http_client=http)
            return Client(transport, read_timeout_seconds=CALL_SECONDS)
        program, *arguments = self.command
        process = StdioServerParameters(
            command=program, args=arguments, env=dict(self.environ), cwd=Path.cwd()
        )
        return Client(process, read_timeout_seconds=CALL_SECONDS)


@dataclass
class Shown:
    """An answer of a tool.

    Args:
        text: What a model is given to read.
        error: Whether the call failed.
        structured: The structured content.
        files: Files in the answer, by name, in base64.
    """

    text: str
    error: bool = False
    structured: Any = None
    files: dict[str, str] = field(default_factory=dict)


class Server:
    """A connected server; made by ``open_server``.

    Args:
        portal: Runs the client.
        client: The connected client.
        log: Is told of each call and each list, in entries that can be JSON.
    """

    def __init__(
        self, portal: BlockingPortal, client: Client, log: Callable[[dict[str, Any]], None]
    ) -> None:
        self._portal = portal
        self._client = client
        self._log = log

    @property
    def instructions(self) -> str:
        """What the server tells a model at the start."""
        return self._client.instructions or ""

    def tools(self) -> list[Tool]:
        """Return all tools that the server lists now."""
        tools: list[Tool] = []
        cursor: str | None = None
        while True:
            try:
                page = self._portal.call(partial(self._client.list_tools, cursor=cursor))
            except Exception as error:
                raise self._died(error) from error
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                return tools

    def read(self, what: str, text: str) -> str:
        """Note that a model was given a text besides the answers of calls, and return it."""
        self._log({"read": what, "out": _size(text)})
        return text

    def resource(self, uri: str) -> Shown:
        """Read a resource, such as a skill; one that cannot be read has its error in the answer.

        Raises:
            ServerDied: There is no server any more.
        """
        try:
            found = self._portal.call(lambda: self._client.read_resource(uri))
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise self._died(error) from error
            return Shown(f"ERROR: {error}", error=True)
        except Exception as error:
            raise self._died(error) from error
        text = "\n".join(getattr(one, "text", "") for one in found.contents)
        return Shown(self.read(uri, text))

    def call(self, name: str, arguments: Mapping[str, Any]) -> Shown:
        """Call a tool; a call that fails has its error in the answer.

        Raises:
            ServerDied: There is no server any more.
        """
        started = time.monotonic()
        try:
            answer = shown(self._portal.call(lambda: self._client.call_tool(name, dict(arguments))))
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise self._died(error) from error
            answer = Shown(f"ERROR: {error}", error=True)
        except RuntimeError as error:  # an answer that breaks the tool's own output schema
            answer = Shown(f"ERROR: {error}", error=True)
        except Exception as error:
            raise self._died(error) from error
        self._log(
            {
                "call": name,
                "in": _size(json.dumps(arguments, ensure_ascii=False)),
                "out": _size(answer.text),
                "ms": round((time.monotonic() - started) * 1000),
                "error": answer.error,
                # to be read afterwards: why calls failed, and which only checked earlier answers
                "arguments": dict(arguments),
                "shown": answer.text,
            }
        )
        return answer

    def refused(self, name: str, text: str) -> str:
        """Note a call that cannot be sent, as its arguments are not JSON; return the error."""
        self._log({"call": name, "in": 0, "out": _size(text), "ms": 0, "error": True})
        return text

    def _died(self, error: Exception) -> ServerDied:
        reason = f"{type(error).__name__}: {error}"
        self._log({"died": reason})
        return ServerDied(f"The server does not answer any more ({reason}).")


@contextlib.contextmanager
def open_server(spec: ServerSpec, log: Callable[[dict[str, Any]], None]) -> Iterator[Server]:
    """Start or reach a server.

    Args:
        spec: Which.
        log: Is told of each call.

    Yields:
        The connected server.

    Raises:
        ServerDied: It cannot be started or reached.
    """
    with start_blocking_portal() as portal:
        connection = portal.wrap_async_context_manager(spec.client())
        try:
            client = connection.__enter__()
        except Exception as error:
            log({"died": f"it did not start: {error!r}"})
            raise ServerDied(f"The server did not start: {error!r}") from error
        try:
            yield Server(portal, client, log)
        finally:
            # The client would wrap what happened outside it into a group of errors; and closing
            # what has died fails in its own ways, which is no news.
            with contextlib.suppress(Exception):
                connection.__exit__(None, None, None)


def shown(result: CallToolResult) -> Shown:
    """Return what a model reads of a tool's answer, and the files in it."""
    parts: list[str] = []
    files: dict[str, str] = {}
    for block in result.content:
        if block.type == "text":
            parts.append(block.text)
        elif block.type == "resource":
            name = Path(str(block.resource.uri)).name or "file"
            blob = getattr(block.resource, "blob", None)
            if blob is None:
                parts.append(getattr(block.resource, "text", ""))
            else:
                files[name] = blob
                parts.append(f"[file {name}]")
        elif block.type == "resource_link":
            parts.append(f"[link {block.uri}]")
        else:
            parts.append(f"[{block.type}]")
    if not result.content and result.structured_content is not None:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    failed = bool(result.is_error)
    text = "\n".join(["ERROR:", *parts] if failed else parts)
    return Shown(text, failed, result.structured_content, files)


def tool_for_models(tool: Tool) -> dict[str, Any]:
    """Return what most clients hand to a model of a tool."""
    return {
        "name": tool.name,
        "description": tool.description or "",
        "inputSchema": tool.input_schema,
    }


def _size(text: str) -> int:
    return len(text.encode())
