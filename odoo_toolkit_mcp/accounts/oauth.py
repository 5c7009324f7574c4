"""The routes of the authorization server: the SDK's handlers, and what they leave to us."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import anyio
from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import AuthenticationError, ClientAuthenticator
from mcp.server.auth.routes import build_metadata, cors_middleware
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyHttpUrl
from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route, request_response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from odoo_toolkit_mcp.accounts.attempts import REGISTRATIONS, REQUESTS, Attempts, Bound
from odoo_toolkit_mcp.accounts.client_documents import is_document_address
from odoo_toolkit_mcp.accounts.clients import SCOPES, public_client
from odoo_toolkit_mcp.accounts.provider import Provider
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import Address, Team
from odoo_toolkit_mcp.accounts.web import PageError, Pages, address_of, too_many

Handler = Callable[[Request], Awaitable[Response]]

#: Bytes of the longest request, and seconds that it may take to arrive.
_MOST_BYTES, _PATIENCE = 64_000, 20.0

#: Requests to authorize of one address at once: each may wait for the document of a client.
_AT_ONCE = 4

_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}

#: Where the metadata are: of the endpoint's addresses, each behind it, and of the server itself.
RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"

_REGISTRATION = ClientRegistrationOptions(
    enabled=True, valid_scopes=list(SCOPES), default_scopes=list(SCOPES)
)


def resource_routes(team: Team) -> list[Route]:
    """Return the routes that tell clients, for each address, where they get tokens (RFC 9728)."""
    return [_told(RESOURCE + path, document) for path, document in resource_documents(team).items()]


def resource_documents(team: Team) -> dict[str, dict[str, Any]]:
    """Return what those routes tell, by the path of each address."""
    issuer = team.issuer
    scopes = list(issuer.scopes) if issuer else [SCOPES[0]]
    documents = {
        address.path: {
            "resource": address.url,
            "authorization_servers": [issuer.url if issuer else team.public_url],
            **({"scopes_supported": scopes} if scopes else {}),
            "bearer_methods_supported": ["header"],
            "resource_name": _name(team, address),
        }
        for address in team.addresses
    }
    # Where there is an address for all, it is also that of who asks without a path.
    if team.server.path in documents:
        documents[""] = documents[team.server.path]
    return documents


def _name(team: Team, address: Address) -> str:
    several = len(team.instances) > 1
    if address.list:
        return f"Odoo: {address.list}"
    return (
        f"Odoo: {team.instances[address.instance].title}"
        if several and address.instance
        else "Odoo"
    )


def server_metadata(team: Team) -> dict[str, Any]:
    """Return what tells clients how to register and get tokens (RFC 8414)."""
    issuer = AnyHttpUrl(team.public_url)
    methods = ["none", "client_secret_post", "client_secret_basic"]
    built = build_metadata(issuer, None, _REGISTRATION, RevocationOptions(enabled=True))
    return built.model_dump(mode="json", exclude_none=True) | {
        # As it is given: clients compare it letter by letter.
        "issuer": team.public_url,
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "client_id_metadata_document_supported": team.client_documents,
        "authorization_response_iss_parameter_supported": True,
    }


def oauth_routes(provider: Provider, attempts: Attempts, pages: Pages) -> list[Route]:
    """Return the routes by which clients find the server, register, and get tokens.

    Args:
        provider: answers them.
        attempts: bounds how often they are asked from one address.
        pages: makes the page of a request that cannot be answered.
    """
    authenticator = _GrantedClients(provider)
    tokens = _Tokens(provider, authenticator)
    register = RegistrationHandler(provider, _REGISTRATION).handle
    authorize = _Authorize(provider, pages)
    return [
        _told(SERVER, server_metadata(provider.team)),
        Route(
            "/authorize",
            _limited(_page(_bounded(authorize, attempts, "authorize", REQUESTS), pages)),
        ),
        _posted("/register", _bounded(register, attempts, "register", REGISTRATIONS)),
        _posted("/token", tokens.exchange),
        _posted("/revoke", tokens.revoke),
    ]


class _GrantedClients(ClientAuthenticator):
    """Recognises clients to which something was granted: a document would add nothing to that."""

    async def authenticate_request(self, request: Request) -> OAuthClientInformationFull:
        """Return the client of a request.

        Raises:
            AuthenticationError: it is none, or does not prove which it is.
        """
        client = (await request.form()).get("client_id")
        if isinstance(client, str) and is_document_address(client):
            return public_client(client, SCOPES)
        return await super().authenticate_request(request)


class _Tokens:
    """Answers at the token endpoint and at that of revocation."""

    def __init__(self, provider: Provider, authenticator: ClientAuthenticator) -> None:
        self._provider = provider
        self._authenticator = authenticator
        self._handler = TokenHandler(provider, authenticator)

    async def exchange(self, request: Request) -> Response:
        """Give tokens for a code or a refresh token, for this resource and no other."""
        form = await self._form(request)
        if isinstance(form, Response):
            return form
        team = self._provider.team
        granted = await self._granted_for(form)
        for wanted in form.getlist("resource"):
            address = team.address_of(str(wanted))
            if address is None or (granted and address.url != granted):
                what = granted or team.resource
                return _refusal(400, "invalid_target", f"This is for {what} only.")
        answer: Response = await self._handler.handle(request)
        return answer

    async def revoke(self, request: Request) -> Response:
        """End what a token was granted for; the same answer where there is none (RFC 7009)."""
        form = await self._form(request)
        if isinstance(form, Response):
            return form
        try:
            client = await self._authenticator.authenticate_request(request)
        except AuthenticationError as error:
            return _refusal(401, "invalid_client", error.message)
        token = form.get("token")
        if not isinstance(token, str) or not token:
            return _refusal(400, "invalid_request", "token is missing.")
        found = await self._provider.load_refresh_token(client, token)
        known = found or await self._provider.load_access_token(token)
        if known is not None and known.client_id == client.client_id:
            await self._provider.revoke_token(known)
        return Response(status_code=200, headers=_NO_STORE)

    async def _granted_for(self, form: FormData) -> str | None:
        """Return the address for which a code or refresh token was given out, if it is known."""
        grants = self._provider.grants
        code, refresh = form.get("code"), form.get("refresh_token")
        known = None
        if form.get("grant_type") == "refresh_token" and isinstance(refresh, str):
            known = await aside(grants.find_token, refresh, "refresh")
        elif isinstance(code, str):
            known = await aside(grants.find_code, code)
        address = self._provider.team.address_of(known.grant.resource) if known else None
        return address.url if address else None

    async def _form(self, request: Request) -> FormData | Response:
        """Return the form, or the refusal of one that is wrong, whatever it asks for.

        Such as where nothing was ever granted to a client with a document. A client that names
        itself by HTTP Basic only, as RFC 6749 has it, is found by the SDK's handlers, too.
        """
        form = await request.form()
        if twice := _twice(form):
            return twice
        client = form.get("client_id") or _basic_client(request)
        if client and not form.get("client_id"):
            form = FormData([*form.multi_items(), ("client_id", client)])
            request._form = form  # where Starlette keeps what it has read itself
        provider = self._provider
        if is_document_address(str(client)) and not (
            provider.team.client_documents
            and await aside(provider.grants.knows_client, str(client))
        ):
            return _refusal(401, "invalid_client", "Invalid client_id")
        return form


def _twice(given: FormData | QueryParams) -> Response | None:
    """Refuse a parameter that is given twice, which only a resource may be (RFC 6749, 3.1)."""
    for name in given:
        if name != "resource" and len(given.getlist(name)) > 1:
            return _refusal(400, "invalid_request", f"The request contains {name} twice.")
    return None


def _basic_client(request: Request) -> str | None:
    """Return the client that HTTP Basic names."""
    kind, _, encoded = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return None
    try:
        return unquote(base64.b64decode(encoded).decode().partition(":")[0]) or None
    except ValueError:
        return None


class _Authorize:
    """Answers at the endpoint to which clients send browsers.

    Anybody can register an address, so that none is a reason to send a browser there before its
    person has said anything. What a client of this machine is told wrong, it is told at once; of
    another, the person is told, and may follow the link.
    """

    def __init__(self, provider: Provider, pages: Pages) -> None:
        self._handler = AuthorizationHandler(provider)
        self._team = provider.team
        self._pages = pages
        self._at_once: Counter[str] = Counter()

    async def __call__(self, request: Request) -> Response:
        address = address_of(request)
        if self._at_once[address] >= _AT_ONCE:
            return self._pages.message(request, too_many(_PATIENCE))
        self._at_once[address] += 1
        try:
            return await self._answer(request)
        finally:
            self._at_once[address] -= 1
            self._at_once += Counter()  # without those that are at zero

    async def _answer(self, request: Request) -> Response:
        given = request.query_params if request.method == "GET" else await request.form()
        if twice := _twice(given):
            return twice
        answer: Response = await self._handler.handle(request)
        address = answer.headers.get("location", "")
        if not address or address.startswith(f"{self._team.public_url}/sign-in?"):
            return answer
        # The issuer tells the client who answers (RFC 9207).
        address += "&" + urlencode({"iss": self._team.public_url})
        if not address.startswith("https://"):
            answer.headers["location"] = address
            return answer
        told = dict(parse_qsl(urlsplit(address).query))
        problem = PageError(
            "Your app has asked for something that this server does not offer",
            f"{told.get('error_description', '')} Continue to {urlsplit(address).netloc} only if"
            " you have just started the sign-in there.",
        )
        return self._pages.message(request, problem, address)


class Promptly:
    """An application whose requests arrive in good time, whoever inside reads them.

    Args:
        app: answers them.
        patience: seconds that a request may take; by default those of a form.
    """

    def __init__(self, app: ASGIApp, patience: float | None = None) -> None:
        self._app = app
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ends, whole = anyio.current_time() + (self._patience or _PATIENCE), False

        async def hurried() -> Message:
            nonlocal whole
            if whole:
                return await receive()
            with anyio.fail_after(ends - anyio.current_time()):
                message = await receive()
            whole = not message.get("more_body", False)
            return message

        try:
            await self._app(scope, hurried, send)
        except TimeoutError:
            if whole:
                raise
            late = _refusal(408, "invalid_request", "The request took too long to arrive.")
            await late(scope, receive, send)


def _bounded(handler: Handler, attempts: Attempts, name: str, bound: Bound) -> Handler:
    """Return a handler that one address cannot call too often.

    What asks for nothing that there is does not count: else any page that the people of an office
    look at could use up what they share. Nor does what a page loads by itself, as browsers say.
    """
    browses = name == "authorize"  # a person is sent there; the rest is for programs, in pages, too

    async def answer(request: Request) -> Response:
        headers = request.headers
        mode = headers.get("sec-fetch-mode", "navigate")
        opened = (mode, headers.get("sec-fetch-dest", "document")) == ("navigate", "document")
        of_page = "origin" in headers or headers.get("sec-fetch-site", "none") != "none"
        if mode == "no-cors" or (browses and of_page and not opened):
            return _refusal(400, "invalid_request", "Open this address in your browser.")
        # Programs outside a browser are of no page: what one registers must not keep them out.
        who = f"{name} {address_of(request)}{' page' if of_page and not browses else ''}"
        wait = await aside(attempts.take, [(who, bound)])
        if wait:
            refused = _refusal(429, "temporarily_unavailable", "Too many requests.")
            refused.headers["Retry-After"] = str(int(wait) + 1)
            return refused
        answered = await handler(request)
        # A document that was fetched in vain has cost something.
        given = request.query_params if request.method == "GET" else await request.form()
        fetched = is_document_address(str(given.get("client_id", "")))
        if answered.status_code >= 400 and not fetched:
            await aside(attempts.forget, last_of=[who])
        return answered

    return answer


def _page(handler: Handler, pages: Pages) -> Handler:
    """Return a handler that shows browsers a page where it refuses; programs read JSON."""

    async def answer(request: Request) -> Response:
        answered = await handler(request)
        is_json = "json" in answered.headers.get("content-type", "")
        if not is_json or "text/html" not in request.headers.get("accept", ""):
            return answered
        if wait := answered.headers.get("retry-after"):
            return pages.message(request, too_many(float(wait)))
        told = json.loads(bytes(answered.body)).get("error_description") or ""
        problem = PageError(
            "This server cannot answer the sign-in request of your app",
            f"{told[:300].rstrip('.')}. Remove this server from your app, and add it again.",
            answered.status_code,
        )
        return pages.message(request, problem)

    return answer


def _refusal(status: int, error: str, description: str) -> Response:
    body = {"error": error, "error_description": description}
    return JSONResponse(body, status, headers=_NO_STORE)


def _told(path: str, document: Mapping[str, Any]) -> Route:
    """Return a route that tells everybody the same, scripts of other sites, too."""

    async def tell(request: Request) -> Response:
        return JSONResponse(document, headers={"Cache-Control": "public, max-age=3600"})

    methods = ["GET", "OPTIONS"]
    return Route(path, cors_middleware(tell, methods), methods=methods)


def _posted(path: str, handler: Handler) -> Route:
    methods = ["POST", "OPTIONS"]
    limited = RequestBodyLimitMiddleware(cors_middleware(handler, methods), _MOST_BYTES)
    return Route(path, Promptly(limited), methods=methods)


def _limited(handler: Handler) -> Any:
    return Promptly(RequestBodyLimitMiddleware(request_response(handler), _MOST_BYTES))


async def stylesheet(request: Request) -> Response:
    """Return what gives the pages their look."""
    return FileResponse(
        Path(__file__).parent / "pages" / "pages.css",
        media_type="text/css",
        headers={"Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff"},
    )
