"""People of a team, who sign in and call tools, and go on when a process dies under their call."""

from __future__ import annotations

import itertools
import json
import threading
import xmlrpc.client
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import requests

from tests.live.servers import Server
from tests.team.harness import OAuthClient
from tests.team.harness import Person as Browser

VERSION = "2026-07-28"
PASSWORD = "a password of the cluster"

#: Times that somebody repeats a call whose answer was lost, and seconds between them: longer than
#: a process or PostgreSQL takes to come back.
TRIES, PAUSE = 240, 0.25

#: What is answered where a process, or what it needs, is not there.
GONE = (502, 503, 504)

_never = threading.Event()


def pause() -> None:
    """Wait a little before something is tried again."""
    _never.wait(PAUSE)


class LostAnswerError(Exception):
    """Nobody knows whether the call was made."""


@attrs.frozen
class Said:
    """What came back."""

    status: int
    body: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        """The result of MCP."""
        found: dict[str, Any] = self.body.get("result", {})
        return found

    @property
    def data(self) -> dict[str, Any]:
        """What the tool has returned."""
        return self.result.get("structuredContent") or {}

    @property
    def done(self) -> bool:
        """Whether the tool says that it has done it."""
        return self.status == 200 and bool(self.result) and not self.asks and not self.failed

    @property
    def failed(self) -> bool:
        """Whether the tool says that it has not."""
        return "error" in self.body or bool(self.result.get("isError"))

    @property
    def asks(self) -> bool:
        """Whether the person is asked first."""
        return "inputRequests" in self.result

    @property
    def code(self) -> str:
        """The code of the tool's error."""
        return str(self.data.get("code") or "")


@attrs.define
class Member:
    """Somebody who has signed in.

    Attributes:
        url: of the team's server.
        login, uid: in Odoo.
        access: the token.
        client: that has it; None for one that was made in the store.
        lost: how many answers have not come.
        on_lost: called for each of them.
    """

    url: str
    login: str
    uid: int
    access: str
    client: OAuthClient | None = None
    lost: int = 0
    on_lost: Callable[[], None] = lambda: None
    _numbers: Any = attrs.field(factory=lambda: itertools.count(1))

    def open(self, method: str, params: Mapping[str, Any], asks: bool = False) -> requests.Response:
        """Send one request and return the answer, of which nothing has been read yet."""
        capabilities = {"elicitation": {"form": {}}} if asks else {}
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": self.login, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }
        headers = {
            "Authorization": f"Bearer {self.access}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
        }
        named = params.get("name") or params.get("uri")
        if named:
            headers["Mcp-Name"] = str(named)
        message = {
            "jsonrpc": "2.0",
            "id": next(self._numbers),
            "method": method,
            "params": {**params, "_meta": meta},
        }
        return requests.post(
            f"{self.url}/mcp", json=message, headers=headers, timeout=120, stream=True
        )

    def send(self, method: str, params: Mapping[str, Any], asks: bool = False) -> Said:
        """Send one request.

        Raises:
            LostAnswerError: no answer has come, or only that there will be none.
        """
        try:
            with self.open(method, params, asks) as answer:
                body = _body(answer)
        except requests.RequestException as error:
            self._lose()
            raise LostAnswerError(str(error)) from error
        if answer.status_code in GONE:
            self._lose()
            raise LostAnswerError(str(body)[:300])
        return Said(answer.status_code, body)

    def _lose(self) -> None:
        self.lost += 1
        self.on_lost()

    def call(
        self, tool: str, arguments: Mapping[str, Any], asks: bool = False, **more: Any
    ) -> Said:
        """Call a tool once; see :meth:`send`."""
        return self.send("tools/call", {"name": tool, "arguments": arguments, **more}, asks)

    def until_answered(self, tool: str, arguments: Mapping[str, Any], asks: bool = False) -> Said:
        """Call a tool that may be called again, until it is done or says that it will not be."""
        last: object = None
        for _ in range(TRIES):
            try:
                last = said = self.call(tool, arguments, asks)
            except LostAnswerError as error:
                last = error
            else:
                if said.done or said.asks or not _passes(said):
                    return said
            pause()
        raise AssertionError(f"{tool} {arguments}: {last}")


def _passes(said: Said) -> bool:
    """Whether an error is one that goes away: the store is restarting, or another is at it."""
    return said.status in GONE or said.code in (
        *("STORE_ERROR", "HISTORY_ERROR", "CONNECTION_ERROR", "CONNECTION_REFUSED", "TIMEOUT"),
        *("RATE_LIMITED", "STATE_ERROR"),
    )


def _body(answer: requests.Response) -> dict[str, Any]:
    text = answer.text
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    try:
        found = json.loads(lines[-1] if lines else text)
    except ValueError:
        return {"error": {"message": text[:500]}}
    return found if isinstance(found, dict) else {"error": found}


def make_users(
    server: Server, number: int, prefix: str, password: str | None = PASSWORD
) -> dict[str, int]:
    """Make users in Odoo with the rights of the demo user; return the ids by their logins."""
    admin = server.user("admin")
    secret = admin.api_key or admin.password
    common = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/common", allow_none=True)
    uid = common.authenticate(server.db, admin.login, secret, {})
    models = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/object", allow_none=True)

    def execute(model: str, method: str, *args: Any, **kwargs: Any) -> Any:
        return models.execute_kw(server.db, uid, secret, model, method, args, kwargs)

    demo = execute("res.users", "search", [["login", "=", server.demo_login]])[0]
    groups = "group_ids" if int(server.version) >= 19 else "groups_id"
    rights = execute("res.users", "read", [demo], [groups])[0][groups]
    manager = execute(
        "ir.model.data",
        "search_read",
        [["module", "=", "base"], ["name", "=", "group_partner_manager"]],
        ["res_id"],
    )[0]["res_id"]
    logins = [f"{prefix}{place}" for place in range(number)]
    values = [
        {
            "name": login,
            "login": login,
            **({"password": password} if password else {}),
            groups: [[6, 0, [*rights, manager]]],
        }
        for login in logins
    ]
    ids = execute("res.users", "create", values, context={"no_reset_password": True})
    return dict(zip(logins, ids, strict=True))


def sign_in(url: str, instance: str, login: str, uid: int) -> Member:
    """Sign in by the pages, as a person does with a browser."""
    client = OAuthClient(url, f"Client of {login}")
    tokens = Browser(url).connect(client, instance=instance, login=login, password=PASSWORD)
    return Member(url, login, uid, tokens.access, client)
