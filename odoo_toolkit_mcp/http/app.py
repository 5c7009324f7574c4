"""The HTTP application: the MCP endpoint behind its checks, and a sign of life."""

from __future__ import annotations

import logging
import signal
import socket
from typing import TYPE_CHECKING

import anyio
import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from odoo_toolkit_mcp.http.authentication import token_verifier
from odoo_toolkit_mcp.settings import HEALTH_PATH, ServerSettings, is_loopback

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
        self._streams: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] != "GET":
            await self.manager.asgi_app(scope, receive, send)
        elif self.manager.stateless:
            # A stream on which nothing could ever come, for want of a session.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        else:
            await self._stream(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the notifications of a session for as long as the client likes."""
        with anyio.CancelScope() as stream:
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
    that tell clients where to get a token (RFC 9728) are open to all.
    """
    settings = server.settings

    async def health(request: Request) -> JSONResponse:
        odoo = "connected" if server.connection.established else "not connected"
        return JSONResponse({"status": "ok", "odoo": odoo})

    guarded: ASGIApp = endpoint
    routes = [Route(HEALTH_PATH, health)]
    middleware = []
    if settings.allowed_origins:
        # Before authentication: a browser asks without a token what it may send.
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=settings.allowed_origins,
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["*"],
                expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
            )
        )
    verifier = token_verifier(settings)
    if verifier:
        middleware += [
            Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier)),
            Middleware(AuthContextMiddleware),
        ]
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
        guarded = RequireAuthMiddleware(endpoint, list(settings.auth_scopes), metadata_url)
    routes.append(Route(settings.path, guarded))
    return Starlette(
        routes=routes, middleware=middleware, lifespan=lambda app: endpoint.manager.run()
    )


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
        server: whose application it serves.
    """

    def __init__(self, server: OdooServer) -> None:
        settings = server.settings
        self._odoo_server = server
        self._endpoint = Endpoint(server)
        super().__init__(
            uvicorn.Config(
                http_app(server, self._endpoint),
                host=settings.host,
                port=settings.port,
                lifespan="on",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_PATIENCE,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        settings = self._odoo_server.settings
        host = _in_url(settings.host)
        logger.info("Serving MCP at http://%s:%d%s", host, settings.port, settings.path)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests end; streams of notifications would never do so by themselves."""
        logger.info("Stopping: calls that are under way have %d s to end", SHUTDOWN_PATIENCE)
        self._odoo_server.end_streams()
        self._endpoint.end_streams()
        await super().shutdown(sockets)


async def serve(server: OdooServer) -> None:
    """Serve MCP over HTTP until a signal ends the process.

    Raises:
        ConfigurationError: the settings name toolsets that do not exist, or the like.
        SystemExit: the address is in use.
    """
    await server.prepare(patience=0)
    # Else a signal would cut off the answers of the 2025-11-25 protocol: they are streams, too.
    AppStatus.enable_automatic_graceful_drain = False
    # The signal is raised again after all has ended, and must not be the end of the audit then.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    await HttpServer(server).serve()
