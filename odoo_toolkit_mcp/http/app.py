"""The HTTP application: the MCP endpoint behind its checks, a sign of life, and metrics."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import anyio
import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from odoo_toolkit_mcp.callers import seconds_left
from odoo_toolkit_mcp.http.authentication import SharedToken, token_verifier
from odoo_toolkit_mcp.http.slow_clients import PromptProtocol
from odoo_toolkit_mcp.metrics import CONTENT_TYPE, Metrics
from odoo_toolkit_mcp.session_owners import with_owner
from odoo_toolkit_mcp.settings import HEALTH_PATH, METRICS_PATH, ServerSettings, is_loopback

if TYPE_CHECKING:
    from odoo_toolkit_mcp.server import OdooServer

logger = logging.getLogger(__name__)

#: Names of this machine, for clients on it.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

#: Seconds that requests may still take when the server is told to stop.
SHUTDOWN_PATIENCE = 20


class Endpoint:
    """The MCP endpoint itself: whoever comes here may use it.

    Args:
        server: answers the requests.
    """

    def __init__(self, server: OdooServer) -> None:
        settings = server.settings
        self.manager = StreamableHTTPSessionManager(
            app=server,
            stateless=settings.stateless,
            security_settings=transport_security(settings),
            max_request_body_size=settings.max_body_bytes,
        )
        self._owned = settings.credential_headers
        self._streams: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._owned:
            scope = with_owner(scope)
        if scope["method"] != "GET":
            await self.manager.asgi_app(scope, receive, send)
        elif self.manager.stateless:
            # A stream on which nothing could ever come, for want of a session.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        else:
            await self._stream(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the notifications of a session for as long as the client likes and may."""
        with anyio.move_on_after(seconds_left(scope)) as stream:
            self._streams.add(stream)
            try:
                await self.manager.asgi_app(scope, receive, send)
            finally:
                self._streams.discard(stream)
        if stream.cancelled_caught:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def end_streams(self) -> None:
        """End all streams, which clients would keep open."""
        for stream in list(self._streams):
            stream.cancel()


def http_app(server: OdooServer, endpoint: Endpoint) -> Starlette:
    """Return the ASGI application that serves MCP at the configured path.

    Requests must name an allowed host and come from no foreign web page; where the settings ask
    for a bearer token, it must be right. Only the sign of life and, with an issuer, the metadata
    that tell clients where to get a token (RFC 9728) are open to all. The metrics have a token of
    their own, else are open to whoever may use the server, and to this machine where all may.
    """
    settings = server.settings

    async def health(request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", "odoo": server.requests.odoo_state})

    routes = [Route(HEALTH_PATH, health)]
    middleware = []
    if settings.allowed_origins:
        middleware.append(Middleware(for_pages, origins=settings.allowed_origins))
    metadata_url = None
    if settings.auth_issuer:
        resource = AnyHttpUrl(settings.auth_audience or "")
        metadata_url = build_resource_metadata_url(resource)
        routes += create_protected_resource_routes(
            resource_url=resource,
            authorization_servers=[AnyHttpUrl(settings.auth_issuer)],
            scopes_supported=list(settings.auth_scopes) or None,
            resource_name="Odoo",
        )
    verifier, scopes = token_verifier(settings), list(settings.auth_scopes)
    guarded = guard(endpoint, verifier, scopes, metadata_url)
    if settings.metrics_token:
        verifier, scopes = SharedToken(settings.metrics_token), []
    metrics = MetricsPage(Metrics(server), local_only=verifier is None)
    routes.append(Route(METRICS_PATH, guard(metrics, verifier, scopes), methods=["GET"]))
    routes += [Route(path, guarded) for path in with_slash(settings.path)]
    return Starlette(
        routes=routes, middleware=middleware, lifespan=lambda app: endpoint.manager.run()
    )


def with_slash(path: str) -> tuple[str, str]:
    """Return an address of the endpoint as it is, and as some people type it.

    A redirect from one to the other would lose the token with many clients.
    """
    return path, f"{path}/"


def for_pages(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """Return an application that tells browsers which pages may send requests to it.

    It stands before authentication: a browser asks without a token what it may send.

    Args:
        app: answers the requests.
        origins: of the pages.
    """
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
    )


class _Challenge(RequireAuthMiddleware):
    """Refuses requests, and tells their clients which scopes to ask for (RFC 6750, 3)."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start" and self.required_scopes:
                headers = MutableHeaders(scope=message)
                if told := headers.get("www-authenticate"):
                    scopes = " ".join(self.required_scopes)
                    headers["www-authenticate"] = f'{told}, scope="{scopes}"'
            await send(message)

        await super().__call__(scope, receive, tell)


def guard(
    app: ASGIApp,
    verifier: TokenVerifier | None,
    scopes: list[str],
    metadata_url: AnyHttpUrl | None = None,
) -> ASGIApp:
    """Return an application that asks for a bearer token first, where there is a verifier."""
    if verifier is None:
        return app
    required = AuthContextMiddleware(_Challenge(app, scopes, metadata_url))
    return AuthenticationMiddleware(required, backend=BearerAuthBackend(verifier))


class _Text(Protocol):
    def text(self) -> bytes: ...


class MetricsPage:
    """The metrics, to be read by Prometheus.

    Args:
        metrics: of the server.
        local_only: answer programs of this machine only, by one of its names: neither what a
            proxy passes on nor a web page that bends its host name here.
    """

    def __init__(self, metrics: _Text, *, local_only: bool) -> None:
        self._metrics = metrics
        self._local_only = local_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = Response(self._metrics.text(), media_type=CONTENT_TYPE)
        if self._local_only and not _comes_from_here(Request(scope)):
            answer = PlainTextResponse(
                "Only this machine may read the metrics. To read them elsewhere, set"
                " ODOO_MCP_METRICS_TOKEN.\n",
                403,
            )
        await answer(scope, receive, send)


def _comes_from_here(request: Request) -> bool:
    host = request.headers.get("host", "")
    named = any(host == name or host.startswith(f"{name}:") for name in LOOPBACK)
    return named and is_loopback(request.client.host if request.client else "")


def transport_security(settings: ServerSettings) -> TransportSecuritySettings:
    """Return which values of the headers Host and Origin are let through.

    A web page can bend its own host name to this machine's address (DNS rebinding); it cannot
    make the browser name another host or origin.
    """
    names = [*LOOPBACK, _in_url(settings.host), *settings.allowed_hosts]
    origins = [*settings.allowed_origins]
    if is_loopback(settings.host):
        origins += [f"http://{name}{port}" for name in LOOPBACK for port in ("", ":*")]
    return TransportSecuritySettings(
        # With or without a port: behind a proxy it is the proxy's.
        allowed_hosts=[name + port for name in names for port in ("", ":*")],
        allowed_origins=origins,
    )


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class HttpServer(uvicorn.Server):
    """Listens for HTTP, and comes to an end in order.

    Args:
        app: what it serves.
        settings: where it listens.
        end_streams: ends the streams that clients would keep open.
    """

    def __init__(
        self, app: Starlette, settings: ServerSettings, end_streams: Callable[[], None]
    ) -> None:
        self._settings = settings
        self._end_streams = end_streams
        super().__init__(
            uvicorn.Config(
                app,
                host=settings.host,
                port=settings.port,
                lifespan="on",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_PATIENCE,
                http=PromptProtocol,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        settings = self._settings
        host = _in_url(settings.host)
        logger.info("Serving MCP at http://%s:%d%s", host, settings.port, settings.path)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests end; streams of notifications would never do so by themselves."""
        logger.info("Stopping. Calls in progress have %d s to finish", SHUTDOWN_PATIENCE)
        self._end_streams()
        await super().shutdown(sockets)


async def listen(http_server: HttpServer) -> None:
    """Listen until a signal ends the process.

    Raises:
        SystemExit: the address is in use.
    """
    # Else a signal would cut off the answers of the 2025-11-25 protocol: they are streams, too.
    AppStatus.enable_automatic_graceful_drain = False
    # The signal is raised again after all has ended, and must not be the end of the audit then.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    await http_server.serve()


async def serve(server: OdooServer) -> None:
    """Serve MCP over HTTP until a signal ends the process.

    Raises:
        ConfigurationError: the settings name toolsets that do not exist, or the like.
        SystemExit: the address is in use.
    """
    await server.prepare(patience=0)
    endpoint = Endpoint(server)

    def end_streams() -> None:
        server.end_streams()
        endpoint.end_streams()

    await listen(HttpServer(http_app(server, endpoint), server.settings, end_streams))
