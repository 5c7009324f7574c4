"""The HTTP application of a team: the endpoint behind the sign-in, and its pages."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import anyio
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from odoo_toolkit.databases import Database
from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp.accounts.admin import AdminPages
from odoo_toolkit_mcp.accounts.approving import ApprovalPages
from odoo_toolkit_mcp.accounts.attempts import Attempts
from odoo_toolkit_mcp.accounts.clients import SCOPES
from odoo_toolkit_mcp.accounts.external_tokens import TellUnusable, TokensOfIssuer
from odoo_toolkit_mcp.accounts.me import MyPages
from odoo_toolkit_mcp.accounts.members import Members
from odoo_toolkit_mcp.accounts.oauth import Promptly, oauth_routes, resource_routes, stylesheet
from odoo_toolkit_mcp.accounts.policy_checks import check_rules, off_history
from odoo_toolkit_mcp.accounts.provider import Provider, TokensFor
from odoo_toolkit_mcp.accounts.service_accounts import OwnUsers
from odoo_toolkit_mcp.accounts.sign_in import SignIn
from odoo_toolkit_mcp.accounts.store import aside, holds_secrets, open_store, tidy
from odoo_toolkit_mcp.accounts.team import Address, Team
from odoo_toolkit_mcp.accounts.used_nonces import SpentInStore
from odoo_toolkit_mcp.accounts.vault import Vault, keys_of_file
from odoo_toolkit_mcp.accounts.waiting_plans import expire
from odoo_toolkit_mcp.accounts.web import Pages, to
from odoo_toolkit_mcp.accounts.web_sessions import WebSessions
from odoo_toolkit_mcp.http.app import HttpServer, MetricsPage, for_pages, guard, listen, with_slash
from odoo_toolkit_mcp.http.authentication import SharedToken, SigningKeys
from odoo_toolkit_mcp.sealing import Sealing
from odoo_toolkit_mcp.settings import HEALTH_PATH, METRICS_PATH, is_loopback
from odoo_toolkit_mcp.wishes import ADDRESS_LIST

logger = logging.getLogger(__name__)

#: Seconds that a request to the endpoint may take to arrive: it may bring a large file.
PATIENCE = 120.0

#: Seconds between two times that the store is tidied.
_TIDIED = 3600.0

#: Seconds between two looks whether each Odoo still takes the server's own user.
_LOOKED = 3600.0

#: Seconds between two looks at sign-ins that nobody has answered.
_FORGOTTEN = 60.0


class TeamServer:
    """Everything that a team's server consists of.

    Args:
        team: what it is told.

    Raises:
        OdooError: the store or the file of keys cannot be used, or no server can be made of a rule.
    """

    def __init__(self, team: Team) -> None:
        self.team = team
        check_rules(team)
        for instance in team.instances.values():
            if told := off_history(instance):
                logger.warning("%s: %s", instance.title, told)
        self.store: Database = open_store(team.store)
        keys = [key.reveal() for key in team.secret_keys]
        if team.secret_key_file:
            # Beside other keys, a new one only seals; alone, it would have to open what is there.
            make = bool(keys) or not holds_secrets(self.store)
            keys += keys_of_file(team.secret_key_file, make=make)
        self.vault = Vault(keys)
        self.provider = Provider(team, self.store, self.vault)
        # Better no server than one that answers nobody.
        self.provider.check_keys()
        self.members = Members(
            team,
            self.store,
            self.provider,
            Sealing(self.vault.keys_for("seals"), SpentInStore(self.store)),
        )
        self.own_users = OwnUsers(team)
        self.attempts = Attempts(self.store)
        self.sessions = WebSessions(self.store)
        self.pages = Pages(team, self.vault)
        self.sign_in = SignIn(self.provider, self.pages, self.attempts, self.sessions)

    def app(self) -> Starlette:
        """Return the ASGI application."""
        team = self.team
        mine = MyPages(self.provider, self.pages, self.sign_in, self.attempts, self.sessions)
        approving = ApprovalPages(self.provider, self.pages, mine)
        # Where somebody else signs people in, nobody gets tokens here.
        own = (
            []
            if team.issuer
            else [
                *oauth_routes(self.provider, self.attempts, self.pages),
                *self.sign_in.routes(),
            ]
        )
        admin = AdminPages(
            self.provider,
            self.pages,
            self.attempts,
            self.sessions,
            self.members.servers,
            self.own_users,
        )
        token = team.server.metrics_token
        metrics = MetricsPage(self.members.metrics, local_only=token is None)
        counted = guard(metrics, SharedToken(token) if token else None, [])
        return Starlette(
            routes=[
                Route(HEALTH_PATH, self._health),
                Route(METRICS_PATH, counted, methods=["GET"]),
                Route("/", self.pages.guarded(self._home)),
                Route("/static/pages.css", stylesheet),
                *resource_routes(team),
                *own,
                *mine.routes(),
                *approving.routes(),
                *admin.routes(),
                *self._endpoints(),
            ],
            middleware=[Middleware(_Door, team=team)],
            exception_handlers={404: self._not_found},
            lifespan=self._lifespan,
        )

    def _endpoints(self) -> Iterator[Route]:
        """Yield the routes of the endpoint's addresses."""
        issuer, scopes = self.team.issuer, [SCOPES[0]]
        members: ASGIApp = self.members
        if issuer:
            scopes = list(issuer.scopes)
            keys = SigningKeys(issuer.jwks_url, issuer=issuer.url)
            members = TellUnusable(members)
        for address in self.team.addresses:
            verifier: TokenVerifier = TokensFor(self.provider, address)
            if issuer:
                verifier = TokensOfIssuer(self.provider, issuer, keys, address)
            metadata_url = build_resource_metadata_url(AnyHttpUrl(address.url))
            listed = _WithList(members, address) if address.list else members
            endpoint = guard(Promptly(listed, PATIENCE), verifier, scopes, metadata_url)
            if origins := self.team.server.allowed_origins:
                endpoint = for_pages(endpoint, origins)
            for path in with_slash(address.path):
                yield Route(path, _ForPrograms(endpoint))

    async def _not_found(self, request: Request, error: Exception) -> Response:
        endpoint, asked = self.team.server.path, request.url.path
        if asked != endpoint and not asked.startswith(f"{endpoint}/"):
            return PlainTextResponse("Not Found", 404)
        addresses = ", ".join(address.url for address in self.team.addresses)
        return PlainTextResponse(
            f"This server does not have the address {asked[:100]!a}. Use one of these: {addresses}."
            " The administrator can add an address with [lists.NAME] in the settings file.\n",
            404,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        try:
            async with anyio.create_task_group() as tasks:
                await tasks.start(self.members.run)
                for tidies in self._tidying():
                    tasks.start_soon(self._regularly, _TIDIED, partial(aside, tidies))
                tasks.start_soon(self._regularly, _FORGOTTEN, self.sign_in.forget_unanswered)
                tasks.start_soon(self._regularly, _LOOKED, self.own_users.warn)
                yield
                tasks.cancel_scope.cancel()
        finally:
            # Then SQLite puts what is in the files beside them into the files themselves, and
            # removes those: they would be replayed over a copy that somebody restores.
            with anyio.CancelScope(shield=True):
                await aside(self.members.close_histories)
                await aside(self.store.close)

    def _tidying(self) -> Iterator[Callable[[], None]]:
        """Yield what is to be tidied, apart: what fails holds up no other."""
        yield partial(tidy, self.store, self.team.activity_days)
        for instance in self.team.instances.values():
            yield partial(expire, instance, self.provider.activity)

    async def _regularly(self, seconds: float, do: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await do()
            except OdooError as error:
                # A store that is full or locked for a while does not end the server.
                logger.error("%s %s", error.message, error.suggestion or "")
            except Exception:
                # Nor does a row that another version has left in it.
                logger.exception(
                    "A scheduled task of the server's database failed. The server runs it again"
                    " later."
                )
            await anyio.sleep(seconds)

    async def _health(self, request: Request) -> Response:
        def look() -> None:
            with self.store.reading() as session:
                session.execute("SELECT 1").fetchone()

        await aside(look)
        return JSONResponse({"status": "ok"})

    async def _home(self, request: Request) -> Response:
        return self.pages.show(request, "home.html", team=self.team)


class _WithList:
    """Lets requests list only the tools of their address."""

    def __init__(self, app: ASGIApp, address: Address) -> None:
        self._app, self._list = app, (address.list, address.tools)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, ADDRESS_LIST: self._list}, receive, send)


class _ForPrograms:
    """An endpoint that leads people, who have pasted its address into a browser, to the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        shown = "text/html" in headers.get("accept", "") and "authorization" not in headers
        answer = to("/") if shown and scope["method"] == "GET" else self._app
        await answer(scope, receive, send)


class _Door:
    """Lets only requests in that name this server, and says so when the store is gone.

    Why it is gone is for the log: the words name files and servers.
    """

    def __init__(self, app: ASGIApp, team: Team) -> None:
        self._app = app
        self._hosts = frozenset({*team.server.allowed_hosts, "127.0.0.1", "localhost", "[::1]"})
        self._headers = {"X-Content-Type-Options": "nosniff"}
        self._warned = False
        if team.public_url.startswith("https://"):
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        self._warn_of_proxy(request)
        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        answer: Response | None = None
        started = False

        async def safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        if name.lower() not in self._hosts and scope["path"] != HEALTH_PATH:
            answer = PlainTextResponse("This server does not serve that host name.\n", 421)
        else:
            try:
                await self._app(scope, receive, safely)
            except ClientDisconnect:
                return  # before its request had been read: nothing is done, and nobody waits
            except OdooError as error:
                logger.error("%s %s", error.message, error.suggestion or "")
                if started:
                    raise
                answer = JSONResponse(
                    {
                        "error": "temporarily_unavailable",
                        "error_description": "This server cannot do that now. Try again later.",
                    },
                    503,
                    headers={"Retry-After": "10", "Cache-Control": "no-store"},
                )
        if answer:
            await answer(scope, receive, safely)

    def _warn_of_proxy(self, request: Request) -> None:
        """Say once that a proxy's address stands for all people, who then share what bounds one."""
        if self._warned:
            return
        told = [one.strip() for one in request.headers.get("x-forwarded-for", "").split(",")]
        seen = request.client.host if request.client else ""
        if not any(told) or (seen in told and not is_loopback(seen)):
            return
        self._warned = True
        logger.warning(
            "A request came through a proxy, and its address is %s. The server cannot distinguish"
            " users by address, so they share one rate limit. Let only one proxy set"
            " X-Forwarded-For. If this proxy is on another machine, set FORWARDED_ALLOW_IPS to its"
            " address.",
            seen,
        )


async def serve(team: Team) -> None:
    """Serve a team until a signal ends the process.

    Raises:
        OdooError: the store or the file of keys cannot be used.
        SystemExit: the address is in use.
    """
    server = TeamServer(team)
    await listen(HttpServer(server.app(), team.server, server.members.end_streams))
