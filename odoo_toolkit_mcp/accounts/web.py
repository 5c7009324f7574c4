"""What the pages of this server have in common: how they are made, cookies, and their checks."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import math
import re
import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import anyio
import jinja2
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from odoo_toolkit.display.visible_text import visible
from odoo_toolkit.errors import OdooError
from odoo_toolkit.installation import version
from odoo_toolkit_mcp.accounts.attempts import Attempts, Bound
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import Team
from odoo_toolkit_mcp.accounts.vault import Vault
from odoo_toolkit_mcp.settings import is_loopback

logger = logging.getLogger(__name__)

#: Bytes of the longest form, seconds that a browser has to send it.
_MOST_BYTES, _PATIENCE = 64_000, 20.0

#: Seconds for which the operator's browser is known.
_REMEMBERED = 400 * 86_400

#: Headers of every page. ``form-action`` would apply to the address that a form is redirected to,
#: so that pages which end at a client's address go without it.
_CSP = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _CSP,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # With "no-referrer" a browser would not say where a form comes from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class PageError(Exception):
    """A page that says what is wrong.

    Args:
        title: what happened.
        text: what to do next.
        status: of HTTP.
    """

    def __init__(self, title: str, text: str, status: int = 400) -> None:
        super().__init__(title)
        self.title, self.text, self.status = title, text, status


async def count_try(attempts: Attempts, *bounds: tuple[str, Bound]) -> None:
    """Count a try before it is made; see :meth:`Attempts.take`.

    Raises:
        PageError: there were too many.
    """
    if wait := await aside(attempts.take, bounds):
        raise too_many(wait)


def too_many(seconds: float) -> PageError:
    """Return the page that says how long to wait."""
    minutes = math.ceil(seconds / 60)
    return PageError(
        "Too many attempts",
        f"Wait {minutes} minute{'s' if minutes > 1 else ''}, then try again.",
        429,
    )


Handler = Callable[[Request], Awaitable[Response]]


class Pages:
    """Makes pages, and checks what browsers send from them.

    Args:
        team: what the server is told.
        vault: whose keys prove that a form is of this server.
    """

    def __init__(self, team: Team, vault: Vault) -> None:
        self.team = team
        self._keys = vault.keys_for("forms")
        self._secure = team.public_url.startswith("https://")
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("odoo_toolkit_mcp.accounts", "pages"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {"moment": moment, "day": day}
        self._templates.globals["version"] = version()

    def show(self, request: Request, name: str, status: int = 200, **values: Any) -> Response:
        """Return a page.

        Args:
            request: that is answered; its browser gets a cookie by which it is recognised.
            name: of the template.
            status: of HTTP.
            values: for the template.
        """
        browser = self.browser(request) or secrets.token_urlsafe(24)
        text = self._templates.get_template(name).render(
            **values, csrf=self._proof(self._keys[0], browser), path=request.url.path
        )
        answer = HTMLResponse(text, status, headers=_HEADERS)
        if not self.browser(request):
            self.set_cookie(answer, "browser", browser)
        return answer

    def guarded(self, handler: Handler) -> Handler:
        """Return a handler whose errors are pages."""

        async def answer(request: Request) -> Response:
            if request.method == "GET" and self._is_misnamed(request):
                query = f"?{request.url.query}" if request.url.query else ""
                return to(f"{self.team.public_url}{request.url.path}{query}")
            try:
                return await handler(request)
            except PageError as error:
                problem = error
            except OdooError as error:
                # Its words are for whoever runs the server.
                logger.error("%s %s", error.message, error.suggestion or "")
                problem = PageError(
                    "This server cannot do that now",
                    "Your request may have taken effect in part. Try again in a minute. If it fails"
                    " again, ask this server's administrator to check its log.",
                    503,
                )
            return self.message(request, problem)

        return answer

    def _is_misnamed(self, request: Request) -> bool:
        """Return whether a browser of this machine has a page by another name of it.

        Its forms would be those of another site. Before any other server there is a proxy, which
        need not pass on the name.
        """
        host = urlsplit(self.team.public_url).hostname
        return is_loopback(host) and request.url.hostname != host

    def message(self, request: Request, problem: PageError, link: str | None = None) -> Response:
        """Return a page that says what is wrong.

        Args:
            request: that is answered.
            problem: what is wrong.
            link: address at which it goes on, which the person may follow or not.
        """
        return self.show(
            request,
            "message.html",
            problem.status,
            title=problem.title,
            text=problem.text,
            link=link,
        )

    async def form(self, request: Request) -> FormData:
        """Return what a browser sends from one of our pages.

        Raises:
            PageError: it comes from another site, from a page of another browser, or is too long
                or too slow.
        """
        origin = request.headers.get("origin")
        if origin != self.team.public_url:
            raise PageError(
                "This form comes from another site",
                f"Open the page at {self.team.public_url} itself, and try again.",
                403,
            )
        if request.headers.get("content-type", "").split(";")[0].strip() != (
            "application/x-www-form-urlencoded"
        ):
            raise PageError("This is not a form", "Use the form on the page.", 415)
        await _read(request)
        form = await request.form(max_fields=50)
        browser, proof = self.browser(request), form.get("csrf")
        proven = isinstance(proof, str) and any(
            hmac.compare_digest(proof.encode(), self._proof(key, browser or "").encode())
            for key in self._keys
        )
        if not browser or not proven:
            raise PageError(
                "This page has expired, or belongs to another browser",
                "Go back, reload the page, and allow its cookies.",
                403,
            )
        return form

    def browser(self, request: Request) -> str | None:
        """Return what a browser is recognised by; None for a new one."""
        return self.cookie(request, "browser")

    def cookie(self, request: Request, name: str) -> str | None:
        """Return a cookie of ours."""
        return request.cookies.get(self._cookie_name(name)) or None

    def remember_operator(self, answer: Response) -> None:
        """Let a browser prove later that the operator has used it, with the password of now."""
        self.set_cookie(answer, "operator", self._of_operator(self._keys[0]), lasts=_REMEMBERED)

    def is_of_operator(self, request: Request) -> bool:
        """Whether the operator has used a browser before."""
        given = (self.cookie(request, "operator") or "").encode()
        known = [self._of_operator(key).encode() for key in self._keys]
        return any(hmac.compare_digest(given, one) for one in known)

    def _of_operator(self, key: bytes) -> str:
        return self._proof(key, f"operator {self.team.operator_password}")

    def set_cookie(self, answer: Response, name: str, value: str, lasts: int | None = None) -> None:
        """Give a browser a cookie that scripts and other sites do not see.

        Args:
            answer: that is sent to it.
            name, value: of the cookie.
            lasts: for how many seconds; None for as long as the browser is open.
        """
        answer.set_cookie(
            self._cookie_name(name),
            value,
            max_age=lasts,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def remove_cookie(self, answer: Response, name: str) -> None:
        """Take a cookie back."""
        answer.delete_cookie(
            self._cookie_name(name),
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def _cookie_name(self, name: str) -> str:
        # With this prefix, browsers take a cookie from this very host and over TLS only.
        return f"__Host-omcp-{name}" if self._secure else f"omcp-{name}"

    @staticmethod
    def _proof(key: bytes, browser: str) -> str:
        return hmac.new(key, browser.encode(), hashlib.sha256).hexdigest()


async def _read(request: Request) -> None:
    """Read the body, which is kept for whoever asks for the form.

    Raises:
        PageError: it is too long or too slow.
    """
    body = b""
    try:
        with anyio.fail_after(_PATIENCE):
            async for part in request.stream():
                body += part
                if len(body) > _MOST_BYTES:
                    raise PageError("This form is too long", "Enter a shorter text.", 413)
    except TimeoutError:
        raise PageError("This form took too long to arrive", "Try again.", 408) from None
    request._body = body  # where Starlette keeps what it has read itself


def to(path: str) -> Response:
    """Send a browser to another page of this server; what it sent is not sent again."""
    return RedirectResponse(path, 303, headers={"Cache-Control": "no-store"})


def text_of(form: FormData, name: str, longest: int = 500) -> str:
    """Return a text of a form; empty where there is none, or none that anybody types."""
    value = form.get(name, "")
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        return ""
    return value


def number_of(text: str) -> int | None:
    """Return the id that a text is; None where it is none."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def address_of(request: Request, network: int = 64) -> str:
    """Return the address of who sends a request; of IPv6 the network, which is one person's.

    Args:
        request: of that person.
        network: how many bits name it. A home or an office has one of 48 to 64.
    """
    host = request.client.host if request.client else "unknown"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped:  # of all of IPv4 there would be one network
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), network), strict=False))


def _shown(value: Any) -> Any:
    """Return what a page shows: nothing turns the direction of what stands beside it."""
    is_html = hasattr(value, "__html__")
    return visible(value) if isinstance(value, str) and not is_html else value


def moment(seconds: float) -> str:
    """Return a time as people read it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def day(value: datetime | float) -> str:
    """Return a day as people read it, in UTC."""
    if not isinstance(value, datetime):
        value = datetime.fromtimestamp(value, UTC)
    return value.strftime("%Y-%m-%d")
