"""Errors for HTTP answers that are not the protocol's: pages of proxies, redirects, garbage."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import attrs

from odoo_toolkit.error_patterns.text import plain
from odoo_toolkit.errors import OdooError, Outcome, make_error


@attrs.frozen
class _Status:
    code: str
    say: str
    suggest: str
    retry_after: int | None = None


_BACK_SOON = "Wait a few seconds, then repeat the call. Odoo may be restarting or overloaded."
_CHECK_URL = "Check ODOO_URL and ODOO_DB. The address must be that of Odoo itself."
_STATUSES: dict[int, _Status] = {
    400: _Status("CONNECTION_ERROR", "{host} did not understand the request", _CHECK_URL),
    401: _Status(
        "ACCESS_DENIED", "{host} asks for a login before it lets anything through to Odoo",
        "A proxy may protect the server. Ask its administrator. " + _CHECK_URL,
    ),
    403: _Status(
        "ACCESS_DENIED", "{host} forbids the request",
        "A proxy or firewall may block Odoo's API. Ask its administrator.",
    ),
    404: _Status(
        "ENDPOINT_NOT_FOUND", "{host} has no such address, or no such database", _CHECK_URL,
    ),
    405: _Status("ENDPOINT_NOT_FOUND", "{host} takes no calls at this address", _CHECK_URL),
    413: _Status(
        "VALIDATION_ERROR", "The request is larger than {host} accepts",
        "Send less data at a time: fewer records, or a smaller file.",
    ),
    415: _Status(
        "ENDPOINT_NOT_FOUND", "{host} does not take this protocol at this address",
        "Check ODOO_PROTOCOL and ODOO_URL.",
    ),
    429: _Status(
        "RATE_LIMITED", "{host} has received too many calls", "Wait, then repeat the call.", 30,
    ),
    500: _Status(
        "SERVER_ERROR", "{host} failed while it worked on the call",
        "Odoo's log contains the cause. Try to read fewer fields, without binary fields.",
    ),
    502: _Status("SERVER_ERROR", "{host} is there, but Odoo behind it does not answer",
                 _BACK_SOON, 5),
    503: _Status("SERVER_ERROR", "{host} is not available at the moment", _BACK_SOON, 10),
    504: _Status("SERVER_ERROR", "{host} waited too long for Odoo", _BACK_SOON, 10),
}  # fmt: skip
_NOT_ODOO = _Status("CONNECTION_ERROR", "{host} gave an answer that is not Odoo's", _CHECK_URL)
_FAILED = _Status("SERVER_ERROR", "{host} failed", _BACK_SOON, 10)
_REFUSED = _Status("CONNECTION_ERROR", "{host} refused the request", _CHECK_URL)


def http_error(
    status: int,
    *,
    content_type: str = "",
    text: str = "",
    location: str | None = None,
    retry_after: str | None = None,
    url: str = "",
) -> OdooError:
    """Return the error for an HTTP answer that is not the protocol's.

    Args:
        status: HTTP status; 2xx where the body could not be understood.
        content_type: header of the answer.
        text: body; at most the title of a page is told.
        location: header of a redirect.
        retry_after: header, in seconds or as a date.
        url: address that was called; only its scheme and host are told.

    Returns:
        An error whose outcome is ``refused`` for 3xx and 4xx, and ``maybe_applied`` for others.
    """
    host = _origin(url) or "The server"
    details: dict[str, Any] = {"http_status": status}
    if content_type:
        details["content_type"] = plain(content_type.partition(";")[0], 200)
    if 300 <= status < 400:
        return _redirected(host, location or "", details)
    if status == 404 and "No database is selected" in text:
        return make_error(
            "CONFIG_ERROR",
            f"{host} did not find the database. It does not exist, or it is missing in the "
            "settings.",
            suggestion="Set ODOO_DB to the name of an existing database.",
            details=details,
        )
    fallback = _NOT_ODOO if status < 400 else _REFUSED if status < 500 else _FAILED
    known = _STATUSES.get(status, fallback)
    seconds = _seconds(retry_after)
    seconds = known.retry_after if seconds is None else seconds
    if seconds is not None:
        details["retry_after"] = seconds
    title = _title(text)
    page = f", page {title!r}" if title else ""
    message = f"{known.say.format(host=host)} (HTTP {status}{page})."
    outcome: Outcome = "refused" if 400 <= status < 500 else "maybe_applied"
    return make_error(
        known.code, message, suggestion=known.suggest, details=details, outcome=outcome
    )


def _redirected(host: str, location: str, details: dict[str, Any]) -> OdooError:
    target = _origin(location)
    if target and target != host:
        return make_error(
            "CONFIG_ERROR",
            f"{host} redirects to {target}. The toolkit does not follow redirects, which could "
            "send credentials to another server.",
            suggestion=f"If that is your Odoo server, set ODOO_URL to {target}.",
            details={**details, "location": target},
        )
    return make_error(
        "ENDPOINT_NOT_FOUND",
        f"{host} redirects to another page, such as a login, instead of responding.",
        suggestion=_CHECK_URL + "ODOO_PROTOCOL=json2 needs Odoo 19 or later.",
        details=details,
        retry=False,
    )


def _origin(url: str) -> str:
    """Return scheme and host of an address, without credentials, path and query."""
    try:
        parts = urlsplit(url)
        if not (parts.scheme in ("http", "https") and parts.hostname):
            return ""
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return ""


def _title(text: str) -> str:
    match = re.search(r"<title[^>]*>([^<]{1,1000})", text[:20_000], re.IGNORECASE)
    return plain(" ".join(html.unescape(match[1]).split()), 80) if match else ""


def _seconds(retry_after: str | None) -> int | None:
    """Return the seconds of a Retry-After header, which may also be a date."""
    text = (retry_after or "").strip()
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        return int(text)
    from email.utils import parsedate_to_datetime  # costs 20 ms, and is needed seldom

    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0, round((when - datetime.now(UTC)).total_seconds()))
