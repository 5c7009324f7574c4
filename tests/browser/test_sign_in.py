"""A team's sign-in in a real browser, by keyboard; and the SDK's own client, which needs one."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import attrs
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from playwright.async_api import Browser, Page
from pydantic import AnyUrl

from tests.browser.keyboard import check, fill, press
from tests.live.conftest import SERVERS
from tests.live.own import own
from tests.live.servers import Server
from tests.team.conftest import serve, users
from tests.team.harness import OPERATOR_PASSWORD, OAuthClient, RunningTeam, instance_of
from tests.team.people import NOWHERE, Users, password_of

pytestmark = [pytest.mark.anyio, pytest.mark.needs_odoo]

__all__ = ["serve", "users"]


@contextmanager
def called_back() -> Iterator[tuple[str, list[str]]]:
    """Listen as a client on the person's own machine does; give its address and what it is told."""
    told: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/callback"):
                told.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"Signed in. You can close this page.")

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/callback", told
    finally:
        server.shutdown()
        server.server_close()


@attrs.define
class Window:
    """A window of the browser.

    Attributes:
        page: in it.
        callback: address of the client.
        told: what came back to it.
        complaints: of the browser.
    """

    page: Page
    callback: str
    told: list[str]
    complaints: list[str] = attrs.field(factory=list)

    def answer(self) -> dict[str, str]:
        """Return what the client was told last."""
        query = parse_qs(urlsplit(self.told[-1]).query)
        return {name: values[0] for name, values in query.items()}


@asynccontextmanager
async def window(
    browser: Browser, width: int, theme: Literal["light", "dark"] = "light"
) -> AsyncIterator[Window]:
    """Open a window in which nobody is signed in."""
    context = await browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=theme
    )
    with called_back() as (callback, told):
        found = Window(await context.new_page(), callback, told)
        found.page.on(
            "console", lambda said: found.complaints.extend([said.text] * (said.type == "error"))
        )
        found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
        yield found
    await context.close()


@pytest.fixture(params=[(1280, "light"), (390, "dark"), (390, "light"), (1280, "dark")], ids=str)
async def opened(
    browser: Browser, request: pytest.FixtureRequest, anyio_backend: str
) -> AsyncIterator[Window]:
    """A wide and a narrow window, light and dark."""
    async with window(browser, *request.param) as found:
        yield found


async def test_the_whole_path_by_keyboard(opened: Window, users: Users, serve: object) -> None:
    assert callable(serve)
    other = {**NOWHERE, "title": "Test database"}
    team: RunningTeam = serve({"main": dict(NOWHERE), "test": other})
    client = OAuthClient(team.url, name="Claude", callback=opened.callback)
    page = opened.page
    address = httpx2.URL(f"{team.url}/authorize", params=client.query())

    # A wrong password first: the login stays, and it is said what is wrong.
    await page.goto(str(address))
    await check(page)
    await fill(page, instance="Test", login="ann", password="wrong")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("[role=alert]")
    await check(page)
    assert await page.input_value("#login") == "ann"
    assert await page.input_value("#password") == ""
    assert await page.input_value("#instance") == "test"
    await fill(page, password=password_of("ann"))
    await press(page, "Sign in")
    await check(page)
    assert "Test database" in await page.inner_text("dl")
    await press(page, "Allow")
    tokens = client.tokens(opened.answer()["code"])
    assert client.refresh(tokens.refresh).status_code == 200

    # My own page, from there on without a second password; and a no.
    await page.goto(f"{team.url}/me")
    await fill(page, instance="Test", login="ann", password=password_of("ann"))
    await press(page, "Sign in")
    await check(page)
    assert "Claude" in await page.inner_text("main")
    await page.goto(str(address))
    await press(page, "Continue as")
    await check(page)
    await press(page, "Deny")
    assert opened.answer()["error"] == "access_denied"
    await page.goto(f"{team.url}/me")
    await press(page, "Disconnect")
    assert "No app is connected" in await page.inner_text("main")

    # The operator.
    await page.goto(f"{team.url}/admin")
    await check(page)
    await fill(page, password=OPERATOR_PASSWORD)
    await press(page, "Sign in")
    await check(page)
    await press(page, "Audit log")
    await check(page)
    await fill(page, words="Claude")
    await press(page, "Show")
    await check(page)
    # The page of a wrong password is one that the browser tells of.
    assert [said for said in opened.complaints if "400" not in said] == []


# The SDK's own client ---------------------------------------------------------------------------


@attrs.define
class Kept(TokenStorage):
    """Where the client keeps what it was given."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.fixture(
    params=[one for one in SERVERS if one.version in ("19", "14")], ids=lambda s: s.name
)
def odoo_server(request: pytest.FixtureRequest) -> Server:
    """The newest Odoo and the oldest."""
    return own(request.param)


@pytest.fixture
def real_team(odoo_server: Server, tmp_path: Path) -> Iterator[RunningTeam]:
    """A team of a real Odoo."""
    with RunningTeam(tmp_path, {"main": instance_of(odoo_server)}) as team:
        yield team


async def test_the_sdks_own_client_signs_in_calls_and_refreshes(
    real_team: RunningTeam, odoo_server: Server, browser: Browser, anyio_backend: str
) -> None:
    kept = Kept()
    async with window(browser, 1280) as opened:

        async def in_the_browser(address: str) -> None:
            await opened.page.goto(address)
            await fill(
                opened.page, login=odoo_server.demo_login, password=odoo_server.demo_password
            )
            await press(opened.page, "Sign in")
            await press(opened.page, "Allow")

        async def what_came_back() -> AuthorizationCodeResult:
            told = opened.answer()
            return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

        sign_in = OAuthClientProvider(
            real_team.resource,
            OAuthClientMetadata(
                client_name="The SDK's client",
                redirect_uris=[AnyUrl(opened.callback)],
                token_endpoint_auth_method="none",
            ),
            kept,
            in_the_browser,
            what_came_back,
        )

        async def user_of() -> str:
            async with (
                httpx2.AsyncClient(auth=sign_in, timeout=60) as http,
                Client(streamable_http_client(real_team.resource, http_client=http)) as client,
            ):
                result = await client.call_tool("odoo_core_get_user", {})
                assert not result.is_error
                assert result.structured_content
                return str(result.structured_content["user"])

        first = await user_of()
        # Once the token has ended, the client refreshes it, and nobody is asked again.
        before = kept.tokens
        sign_in.context.token_expiry_time = 1.0
        assert await user_of() == first
        assert kept.tokens.refresh_token != before.refresh_token
        assert len(opened.told) == 1
