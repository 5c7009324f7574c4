"""A team's server in this process, a browser without a window, and a client of OAuth."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import attrs
import requests
import tomlkit

from odoo_toolkit_mcp.accounts.app import TeamServer
from odoo_toolkit_mcp.accounts.passwords import hash_password
from odoo_toolkit_mcp.accounts.team import Team, team_of
from odoo_toolkit_mcp.http.app import HttpServer
from tests.live.servers import Server
from tests.provisioning import postgres
from tests.team.people import NOWHERE, password_of

OPERATOR_PASSWORD = "a password of the operator"
OPERATOR_HASH = hash_password(OPERATOR_PASSWORD)
CALLBACK = "https://client.example.com/callback"


def instance_of(server: Server, **more: Any) -> dict[str, Any]:
    """Return what the team's file says of a server."""
    admin = server.user("admin")
    return {
        "title": server.name,
        "url": server.url,
        "database": server.db,
        "username": admin.login,
        **({"api_key": admin.api_key} if admin.api_key else {"password": admin.password}),
        "history": "off",
        **more,
    }


#: The first version of Odoo whose logins by RPC go on after many have failed: before it, a refused
#: key is tried again a minute later.
TAKES_LOGINS = 16


def looks_until_dropped(server: Server) -> list[float]:
    """Return after which seconds each a refused key is looked at, until it is dropped."""
    return [601, 66] if int(server.version or TAKES_LOGINS) < TAKES_LOGINS else [601]


class RunningTeam:
    """Serves a team in a thread while the ``with`` block runs.

    Args:
        folder: of the store.
        instances: of the team's file.
        port: at which it listens; 0 for a free one.
        more: other entries of the file.
    """

    def __init__(
        self, folder: Path, instances: Mapping[str, Any], port: int = 0, **more: Any
    ) -> None:
        self._socket = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.team: Team = team_of(
            {
                "public_url": self.url,
                "operator_password": OPERATOR_HASH,
                "port": self.port,
                "instances": dict(instances),
                **more,
            },
            folder,
        )
        self.server = TeamServer(self.team)
        self.http = HttpServer(self.server.app(), self.team.server, self.server.members.end_streams)
        self._thread = threading.Thread(target=anyio.run, args=[self._serve])

    async def _serve(self) -> None:
        await self.http.serve(sockets=[self._socket])

    def __enter__(self) -> RunningTeam:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive()

    @property
    def resource(self) -> str:
        """The address that people paste."""
        return self.team.resource


@attrs.define
class Tokens:
    """What a client was given."""

    access: str
    refresh: str


class OAuthClient:
    """A client: registers itself, sends a browser to sign in, exchanges codes.

    Args:
        url: of the team's server.
        name: by which it calls itself.
        callback: where browsers are sent back to.
    """

    def __init__(self, url: str, name: str = "Test client", callback: str = CALLBACK) -> None:
        self.url, self.callback = url, callback
        answer = requests.post(
            f"{url}/register",
            json={
                "client_name": name,
                "redirect_uris": [callback],
                "token_endpoint_auth_method": "none",
            },
            timeout=120,
        )
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["client_id"]
        self.verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        self.challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def query(self, **changed: str | None) -> dict[str, str]:
        """Return the query of a request to authorize."""
        values: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.callback,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": "the state",
            "resource": f"{self.url}/mcp",
            **changed,
        }
        return {name: value for name, value in values.items() if value is not None}

    def exchange(self, code: str, **changed: str) -> requests.Response:
        """Exchange a code for tokens."""
        return self.post(
            "/token",
            grant_type="authorization_code",
            code=code,
            redirect_uri=self.callback,
            code_verifier=self.verifier,
            **changed,
        )

    def tokens(self, code: str) -> Tokens:
        """Exchange a code, which must succeed."""
        answer = self.exchange(code)
        assert answer.status_code == 200, answer.text
        return Tokens(answer.json()["access_token"], answer.json()["refresh_token"])

    def refresh(self, token: str) -> requests.Response:
        """Ask for new tokens."""
        return self.post("/token", grant_type="refresh_token", refresh_token=token)

    def post(self, path: str, **form: str) -> requests.Response:
        """Send a form."""
        return requests.post(self.url + path, {"client_id": self.id, **form}, timeout=120)


class Person:
    """Somebody with a browser.

    Args:
        url: of the team's server.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.browser = requests.Session()

    def get(self, path: str, **query: str) -> requests.Response:
        """Open a page; redirects are not followed."""
        address = path if "://" in path else self.url + path
        return self.browser.get(address, params=query, allow_redirects=False, timeout=60)

    def post(self, path: str, page: requests.Response, **form: str) -> requests.Response:
        """Send the form of a page, with the page's hidden fields."""
        headers = {"Origin": self.url}
        return self.browser.post(
            self.url + path,
            {**hidden(page.text), **form},
            headers=headers,
            allow_redirects=False,
            timeout=120,
        )

    def begin(self, client: OAuthClient, **changed: str | None) -> requests.Response:
        """Follow a client's request to the page where one signs in."""
        answer = self.get("/authorize", **client.query(**changed))
        assert answer.status_code == 302, answer.text
        return self.get(answer.headers["Location"])

    def sign_in(self, page: requests.Response, **form: str) -> requests.Response:
        """Sign in; return the page that asks for consent, or the one that says what is wrong."""
        answer = self.post("/sign-in", page, **form)
        if answer.status_code != 303:
            return answer
        return self.get(answer.headers["Location"])

    def answer(self, page: requests.Response, answer: str = "allow") -> dict[str, str]:
        """Say yes or no; return what the client is told by the address it is called at."""
        sent = self.post("/consent", page, answer=answer)
        assert sent.status_code == 303, sent.text
        parts = urlsplit(sent.headers["Location"])
        told = {name: values[0] for name, values in parse_qs(parts.query).items()}
        return {"to": f"{parts.scheme}://{parts.netloc}{parts.path}", **told}

    def connect(self, client: OAuthClient, **form: str) -> Tokens:
        """Sign in and allow a client; return its tokens."""
        page = self.sign_in(self.begin(client), **form)
        assert page.status_code == 200, page.text
        return client.tokens(self.answer(page)["code"])


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of a page's forms."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    return {name: html.unescape(value) for name, value in found}


def text_of(page: requests.Response) -> str:
    """Return the words of a page."""
    body = re.sub(r"<(style|script).*?</\1>", "", page.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def request(
    url: str,
    token: str,
    method: str,
    params: dict[str, Any],
    path: str = "/mcp",
    stream: bool = False,
    **headers: str,
) -> requests.Response:
    """Send a request of MCP with a token; its answer may be a stream."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    named = params.get("name") or params.get("uri")
    params = {**params, "_meta": {**meta, **params.get("_meta", {})}}
    return requests.post(
        f"{url}{path}",
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
        headers={
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
            **({"Mcp-Name": named} if named else {}),
            **headers,
        },
        stream=stream,
        timeout=120,
    )


def call(
    url: str,
    token: str,
    tool: str,
    arguments: dict[str, Any] | None = None,
    path: str = "/mcp",
    answers: Mapping[str, Any] | None = None,
    **headers: str,
) -> requests.Response:
    """Call a tool with a token; with answers, of a client that asks its person, and has these."""
    params = {**(answers or {}), "name": tool, "arguments": arguments or {}}
    if answers is not None:
        asks: dict[str, Any] = {"elicitation": {"form": {}}}
        params["_meta"] = {"io.modelcontextprotocol/clientCapabilities": asks}
    return request(url, token, "tools/call", params, path, **dict[str, Any](headers))


KEYS = ["a" * 32, "b" * 32]


@contextmanager
def database() -> Iterator[str]:
    """A database of PostgreSQL of its own."""
    name = f"team_{uuid.uuid4().hex[:8]}"
    postgres.execute("postgres", f"CREATE DATABASE {name}")
    yield f"postgresql://{postgres.ROLE}:secret@/{name}?host={postgres.socket_folder()}"
    postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    ends = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def form_of(login: str = "ann") -> dict[str, str]:
    """Return what somebody types to sign in."""
    return {"login": login, "password": password_of(login)}


def connected(team: RunningTeam, client: OAuthClient | None = None, login: str = "ann") -> Tokens:
    """Have somebody sign in and allow a client; return its tokens."""
    return Person(team.url).connect(client or OAuthClient(team.url), **form_of(login))


def signed_in(
    team: RunningTeam, client: OAuthClient, login: str = "ann", **changed: str | None
) -> tuple[Person, requests.Response]:
    """Return somebody with a browser, and the page that asks for consent."""
    one = Person(team.url)
    return one, one.sign_in(one.begin(client, **changed), **form_of(login))


def at_home(team: RunningTeam, client: OAuthClient, login: str = "ann") -> Person:
    """Return somebody who is connected and signed in to /me."""
    one = Person(team.url)
    one.connect(client, **form_of(login))
    assert one.post("/me/sign-in", one.get("/me"), **form_of(login)).status_code == 303
    return one


def operator_of(team: RunningTeam) -> Person:
    """Return the operator, signed in."""
    one = Person(team.url)
    answer = one.post("/admin/sign-in", one.get("/admin"), password=OPERATOR_PASSWORD)
    assert answer.status_code == 303
    return one


def status_of(team: RunningTeam, token: str) -> int:
    """Return the status of a call with a token."""
    return call(team.url, token, "odoo_core_get_user").status_code


def lets_in(team: RunningTeam, token: str) -> bool:
    """Whether the endpoint takes a token; what Odoo then says does not matter."""
    status = status_of(team, token)
    assert status in (200, 401), status
    return status == 200


def file_of(folder: Path, instance: Any = NOWHERE, **more: Any) -> Path:
    """Write a team's file that its owner alone can read."""
    path = folder / "team.toml"
    content = {"public_url": "https://mcp.example.com", **more}
    path.write_text(tomlkit.dumps({**content, "instances": {"main": dict(instance)}}))
    path.chmod(0o600)
    return path
