"""What one call costs: the bare request, the library, the tool over stdio, and the rivals."""

from __future__ import annotations

import contextlib
import json
import sys
import xmlrpc.client
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import requests

from odoo_toolkit import connect, search_read
from tests.bench import rivals
from tests.bench.timing import Action, medians
from tests.live.servers import Server, User
from tests.mcp.stdio_client import StdioClient

FIELDS = ["name", "email"]
CONTEXT = {"lang": "en_US", "tz": "UTC"}
ROUNDS, WARM_UP, AT_ONCE = 200, 20, 40
PROTOCOLS = {"json2": "JSON-2", "jsonrpc": "JSON-RPC", "xmlrpc": "XML-RPC"}
BARE = (sys.executable, str(Path(__file__).with_name("bare_server.py")))
SEARCH: dict[str, Any] = {"model": "res.partner", "fields": FIELDS, "limit": 20}


def measure(server: Server) -> list[list[str]]:
    """Return a table: who, over what, milliseconds of a call, of 40 calls at once."""
    user = server.user("admin")
    newest = int(server.version) >= 19
    singles: dict[str, Action] = {}
    at_once: dict[str, Action] = {}
    with contextlib.ExitStack() as stack:
        for protocol, label in PROTOCOLS.items():
            if protocol == "json2" and not newest:
                continue
            add = _Adding(label, singles, at_once)
            add("bare request", bare(server, user, protocol))
            add("library", library(stack, server, user, protocol))
            client = stack.enter_context(StdioClient(environ(server, user, protocol)))
            client.initialize()
            add("tool over stdio", lambda c=client: _tool(c), many=lambda c=client: _tools(c))
        add = _Adding(PROTOCOLS["jsonrpc"], singles, at_once)
        client = stack.enter_context(StdioClient(_bare_environ(server, user), BARE))
        client.initialize()
        add(
            "bare server of the SDK",
            lambda c=client: c.call("any"),
            many=lambda c=client: _many(c, "any", {}),
        )
        for rival in rivals.RIVALS:
            if int(server.version) < rival.since:
                continue
            client = stack.enter_context(rivals.start(rival, server))
            add = _Adding(rival.protocol, singles, at_once)
            add(
                f"{rival.package} {rival.version}",
                lambda c=client, r=rival: rivals.search(c, r, domain=[], **SEARCH),
                many=lambda c=client, r=rival: _many(c, r.tool, {"domain": [], **SEARCH}),
            )
        one = medians(ROUNDS, singles, WARM_UP)
        forty = medians(5, at_once)
    return [[*name.split("|"), f"{one[name]:.1f}", f"{forty[name]:.0f}"] for name in singles]


class _Adding:
    """Adds an action under its name and protocol, alone and forty times at once."""

    def __init__(self, label: str, *tables: dict[str, Action]) -> None:
        self._label, (self._singles, self._at_once) = label, tables

    def __call__(self, name: str, action: Action, many: Action | None = None) -> None:
        key = f"{name}|{self._label}"
        self._singles[key] = action
        self._at_once[key] = many or (lambda: _threads(action))


def _threads(action: Action) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _: action(), range(AT_ONCE)))


def environ(server: Server, user: User, protocol: str) -> dict[str, str]:
    """Return the variables of our MCP server."""
    secret = (
        ("ODOO_API_KEY", user.api_key) if protocol == "json2" else ("ODOO_PASSWORD", user.password)
    )
    return {
        "ODOO_URL": server.url,
        "ODOO_DB": server.db,
        "ODOO_USERNAME": user.login,
        secret[0]: secret[1],
        "ODOO_PROTOCOL": protocol,
        "ODOO_MCP_LOG_LEVEL": "error",
    }


def library(
    stack: contextlib.ExitStack, server: Server, user: User, protocol: str
) -> Callable[[], object]:
    """Return the library's call."""
    secret = {"api_key": user.api_key} if protocol == "json2" else {"password": user.password}
    odoo = stack.enter_context(
        connect(
            url=server.url, database=server.db, username=user.login, protocol=protocol, **secret
        )
    )
    return lambda: search_read(odoo, "res.partner", [], FIELDS, limit=20)


def bare(server: Server, user: User, protocol: str) -> Callable[[], object]:
    """Return the same request, sent and decoded with nothing around it."""
    session = requests.Session()
    arguments = {"domain": [], "fields": FIELDS, "limit": 20, "offset": 0}
    if protocol == "json2":
        headers = {"Authorization": f"bearer {user.api_key}", "X-Odoo-Database": server.db}
        url = f"{server.url}/json/2/res.partner/search_read"
        body: Any = {**arguments, "context": CONTEXT}
        return lambda: session.post(url, json=body, headers=headers).json()[0]["id"]
    args, named = _execute_kw(server, user), {**arguments, "context": CONTEXT}
    if protocol == "xmlrpc":
        url = f"{server.url}/xmlrpc/2/object"
        text = xmlrpc.client.dumps((*args, named), "execute_kw", allow_none=True)
        return lambda: xmlrpc.client.loads(session.post(url, data=text).content)
    body = _jsonrpc(args, named)
    return lambda: session.post(f"{server.url}/jsonrpc", json=body).json()["result"]


def _execute_kw(server: Server, user: User) -> list[Any]:
    return [server.db, 2, user.password, "res.partner", "search_read", []]


def _jsonrpc(args: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    call = {"service": "object", "method": "execute_kw", "args": [*args, named]}
    return {"jsonrpc": "2.0", "method": "call", "params": call, "id": 1}


def _bare_environ(server: Server, user: User) -> dict[str, str]:
    named = {"domain": [], "fields": FIELDS, "limit": 20, "offset": 0, "context": CONTEXT}
    body = json.dumps(_jsonrpc(_execute_kw(server, user), named))
    return {"BARE_URL": f"{server.url}/jsonrpc", "BARE_BODY": body}


def _tool(client: StdioClient) -> None:
    assert not client.call("odoo_core_search_read", **SEARCH)["isError"]


def _tools(client: StdioClient) -> None:
    _many(client, "odoo_core_search_read", SEARCH)


def _many(client: StdioClient, tool: str, arguments: dict[str, Any]) -> None:
    """Call a tool forty times before reading any answer."""
    assert client.process.stdout is not None
    waiting = {f"at once {number}" for number in range(AT_ONCE)}
    for one in sorted(waiting):
        client.send("tools/call", {"name": tool, "arguments": arguments}, id=one)
    while waiting:
        answer = json.loads(client.process.stdout.readline())
        assert not answer.get("result", {}).get("isError"), answer
        waiting.discard(answer.get("id"))
