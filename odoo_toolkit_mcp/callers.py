"""Who a request comes from, the Odoo user it acts for, and the connections kept for them."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from odoo_toolkit.configuration import Secret
from odoo_toolkit.errors import make_error
from odoo_toolkit_mcp.connection import Connection
from odoo_toolkit_mcp.settings import API_KEY_HEADER, USERNAME_HEADER

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken
    from starlette.requests import Request
    from starlette.types import Scope

#: Connections kept, with the bound above the people of a team: a new one takes several requests. To
#: make room the one goes that was not used for the longest time.
MAX_CONNECTIONS = 500

#: Seconds after which a connection that nobody uses is closed.
IDLE_TIME = 900.0


def client_of(request: Request | None) -> str | None:
    """Return the name under which a client's calls are counted and recorded.

    That is the subject or client id of its token, else its address; None without HTTP.
    """
    if request is None:
        return None
    if token := _token_of(request.scope):
        return token.subject or token.client_id
    return request.client.host if request.client else "unknown"


def seconds_left(scope: Scope) -> float:
    """Return for how long the bearer token of a request still grants what it does.

    Without one, or with one that has no end, that is for ever.
    """
    token = _token_of(scope)
    if token is None or token.expires_at is None:
        return math.inf
    return token.expires_at - time.time()


def _token_of(scope: Scope) -> AccessToken | None:
    # Imported here, because a server over stdio has no use for it and starts sooner without.
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

    from odoo_toolkit_mcp.session_owners import SessionOwner

    user = scope.get("user")
    if isinstance(user, SessionOwner):
        user = user.behind
    return user.access_token if isinstance(user, AuthenticatedUser) else None


@attrs.frozen
class Credentials:
    """Who a request acts for in Odoo."""

    username: str | None
    api_key: Secret


def credentials_of(headers: Mapping[str, str]) -> Credentials:
    """Return the credentials in the headers of a request.

    Raises:
        AccessError: there are none. Another user's rights must not stand in for them.
    """
    api_key = _value(headers, API_KEY_HEADER)
    if not api_key:
        raise make_error(
            "ACCESS_DENIED",
            "The request does not name the Odoo user.",
            suggestion=f"Configure the client to send the headers {USERNAME_HEADER} (the login) and"
            f" {API_KEY_HEADER} with every request.",
            outcome="not_sent",
        )
    return Credentials(_value(headers, USERNAME_HEADER) or None, Secret(api_key))


def _value(headers: Mapping[str, str], name: str) -> str:
    """Return a header's text: UTF-8, which HTTP itself takes for Latin-1."""
    value = headers.get(name, "").strip()
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


class ConnectionPool:
    """One connection for each of the credentials in use; on the event loop only.

    Args:
        new_connection: makes one that is not connected yet.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        new_connection: Callable[[Credentials], Connection],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._new_connection = new_connection
        self._clock = clock
        # From the longest unused to the last used, each with the time of its last use.
        self._connections: OrderedDict[Credentials, tuple[Connection, float]] = OrderedDict()

    def __iter__(self) -> Iterator[Connection]:
        return iter([connection for connection, _ in self._connections.values()])

    def get(self, credentials: Credentials) -> Connection:
        """Return the connection of some credentials, connected or not."""
        known = self._connections.pop(credentials, None)
        connection = known[0] if known else self._new_connection(credentials)
        self._connections[credentials] = (connection, self._clock())
        return connection

    def evict(self) -> list[Connection]:
        """Forget the connections that are too many or too long unused, and return them."""
        entries = list(self._connections.items())
        old = [key for key, (_, used) in entries if self._clock() - used > IDLE_TIME]
        surplus = len(entries) - len(old) - MAX_CONNECTIONS
        if surplus > 0:
            # The last one has just been asked for.
            rest = [key for key, _ in entries[:-1] if key not in old]
            # Wrong credentials, which somebody may be trying out, do not push out right ones.
            rest.sort(key=lambda key: self._connections[key][0].established)
            old += rest[:surplus]
        return [self._connections.pop(key)[0] for key in old]
