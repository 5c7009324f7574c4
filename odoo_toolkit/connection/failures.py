"""What a failure of the network means for a request: did it ever reach the server?"""

from __future__ import annotations

from traceback import walk_tb
from typing import Any

from odoo_toolkit.errors import OdooConnectionError

#: The sign of what failed while the connection was made, before any request could be sent on it.
_CONNECTING = "connecting"

_LATER = {"details": {"retry_after": 5}}

_TOO_SLOW = {
    "message": "{url} did not respond in time.",
    "code": "TIMEOUT",
    "suggestion": "Request less data at a time, or increase ODOO_TIMEOUT.",
    "outcome": "maybe_applied",
    **_LATER,
}

#: Signs, and what they mean together: the first row whose signs an exception shows decides. Signs
#: are the names of the exception's classes, and of those of urllib3's below one of requests.
_FAILURES: tuple[tuple[set[str], dict[str, Any]], ...] = (
    (
        {"SSLError", _CONNECTING},
        {
            "message": "The TLS connection to {url} failed: {reason}.",
            "suggestion": (
                "If Odoo does not use TLS there, begin the address with http://. If your "
                "own authority signed the certificate, set ODOO_CA_CERT to its PEM file."
            ),
            "retry": False,
            "outcome": "not_sent",
        },
    ),
    (
        {"SSLError"},
        {
            "message": (
                "The TLS connection to {url} broke before the response was complete: {reason}"
            ),
            "suggestion": "Try again in a moment.",
            "outcome": "maybe_applied",
            **_LATER,
        },
    ),
    (
        {"ProxyError"},
        {
            "message": "The proxy could not be used.",
            "suggestion": "Check ODOO_PROXY.",
            "outcome": "not_sent",
        },
    ),
    (
        {"ConnectTimeout"},
        {
            "message": "{url} did not accept the connection in time.",
            "code": "TIMEOUT",
            "suggestion": (
                "Check that Odoo is running, and that the address and the network are correct."
            ),
            "outcome": "not_sent",
            **_LATER,
        },
    ),
    (
        {"NameResolutionError"},
        {
            "message": "The host name in {url} is unknown.",
            "code": "CONNECTION_REFUSED",
            "suggestion": "Check the address (ODOO_URL).",
            "outcome": "not_sent",
            **_LATER,
        },
    ),
    (
        {"NewConnectionError"},
        {
            "message": "There is no server at {url}.",
            "code": "CONNECTION_REFUSED",
            "suggestion": "Check that Odoo is running, and that the address (ODOO_URL) is correct.",
            "outcome": "not_sent",
            **_LATER,
        },
    ),
    ({"Timeout"}, _TOO_SLOW),
    # In the middle of an answer.
    ({"ReadTimeoutError"}, _TOO_SLOW),
    (
        set(),
        {
            "message": "The connection to {url} broke before the response was complete.",
            "suggestion": "Try again in a moment.",
            "outcome": "maybe_applied",
            **_LATER,
        },
    ),
)


def connection_error(error: Exception, url: str) -> OdooConnectionError:
    """Return what an exception of requests or urllib3 means.

    Args:
        error: as it was caught, with its traceback.
        url: of the server.
    """
    cause = error.args[0] if error.args else None
    reason = getattr(cause, "reason", cause)
    signs = {kind.__name__ for found in (error, reason) for kind in type(found).__mro__}
    if _while_connecting(error):
        signs.add(_CONNECTING)
    meaning = dict(next(meaning for needed, meaning in _FAILURES if needed <= signs))
    message = meaning.pop("message").format(url=url, reason=str(reason).split("] ")[-1][:200])
    return OdooConnectionError(message, **meaning)


def time_is_over(url: str) -> OdooConnectionError:
    """Return the error for a request that is not sent, because the time for it is over."""
    return OdooConnectionError(
        f"The time limit expired before the request to {url}.",
        code="TIMEOUT",
        suggestion="Increase the time: time_limit if you set it, otherwise ODOO_TOTAL_TIMEOUT.",
        outcome="not_sent",
    )


def _while_connecting(error: BaseException | None) -> bool:
    """Whether an exception came out of ``connect``.

    TLS fails with the same exceptions while it is agreed on and in the middle of an answer.
    """
    while error is not None:
        if any(frame.f_code.co_name == "connect" for frame, _ in walk_tb(error.__traceback__)):
            return True
        error = error.__context__
    return False
