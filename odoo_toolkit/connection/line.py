"""The way to one Odoo: logged in when it is first used, and again after a failure."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal

import attrs

from odoo_toolkit.call import Call, asking
from odoo_toolkit.compat import NEWEST, OLDEST
from odoo_toolkit.connection.database import find_database
from odoo_toolkit.connection.failures import time_is_over
from odoo_toolkit.connection.http import Http, read_timeout
from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.transport import OwnTransport, Transport, open_transport
from odoo_toolkit.connection.version import ServerVersion, detect_version
from odoo_toolkit.error_patterns import maybe_applied
from odoo_toolkit.errors import ConfigurationError, OdooConnectionError, OdooError, RateLimitError
from odoo_toolkit.progress import pause, time_left, time_limit

if TYPE_CHECKING:
    from odoo_toolkit.connection.websession import WebSession

logger = logging.getLogger(__name__)

State = Literal["disconnected", "connecting", "authenticated", "ready", "error", "reconnecting"]


#: Asks for what a database keeps at any address, and a copy that Odoo makes does not.
_UUID = asking(
    "ir.config_parameter", "search_read", domain=[["key", "=", "database.uuid"]], fields=["value"]
)


@attrs.frozen(kw_only=True)
class Session:
    """What a login gave."""

    http: Http | None
    transport: Transport
    version: ServerVersion
    database: str | None
    uid: int


class Line:
    """The way to one Odoo; safe to share between threads and connections.

    Args:
        settings: where Odoo is, and who we are there.
        transport: carries the calls in place of HTTP.
        pool: HTTP connections that are shared with others.
    """

    def __init__(
        self, settings: ConnectionSettings, transport: OwnTransport | None, pool: Pool | None
    ) -> None:
        self.settings, self.transport, self.pool = settings, transport, pool
        self.state: State = "disconnected"
        #: What the login gave; None before it.
        self.session: Session | None = None
        self._web_session: WebSession | None = None
        self._connecting = threading.Lock()
        self._last_used = 0.0
        #: What the server has said to the question for its uuid; empty if it was not asked yet.
        self._uuids: list[str | None] = []

    def connect(self) -> None:
        """Log in now instead of at the first call."""
        self._retrying(None, self.connected)

    def close(self) -> None:
        """Close the connections, unless they are shared; the next call opens new ones."""
        with self._connecting:
            if self.session:
                self.session.transport.close()
            if self._web_session:
                self._web_session.close()
            self.session = self._web_session = None
            self.state = "disconnected"

    def web_session(self) -> WebSession:
        """Return a web session of the same user; it logs in when it is first used."""
        from odoo_toolkit.connection.websession import WebSession

        if self.transport:
            raise ConfigurationError("A connection with a custom transport has no web session.")
        database = self.connected().database
        with self._connecting:
            if self._web_session is None:
                self._web_session = WebSession(self.settings, database)
            return self._web_session

    def send(self, call: Call) -> Any:
        """Send a call and return what the method returned; once more only where that is safe.

        Raises:
            OdooError: it failed; a write whose answer was lost says that it may be applied.
        """

        def send(ends: float) -> Any:
            session = self.connected(ends)
            idle = time.monotonic() - self._last_used
            if session.http and idle > self.settings.health_interval:
                with time_limit(ends - time.monotonic()):
                    self._check_health(session.http)
            with read_timeout(call.timeout) if call.timeout else nullcontext():
                result = session.transport.send(call)
            self._last_used = time.monotonic()
            self.state = "ready"
            return result

        try:
            return self._retrying(call, send)
        except OdooError as error:
            if error.outcome == "maybe_applied" and call.reads:
                # Whatever became of the answer, a read leaves nothing behind.
                error.outcome = "rolled_back"
            elif error.outcome == "maybe_applied" and isinstance(error, OdooConnectionError):
                raise maybe_applied(error) from None
            raise

    def database_uuid(self) -> str | None:
        """Return the uuid of the database; None if this user can't read it. It asks until it knows.

        Empty if calls go by a transport in place of HTTP, which has no address to differ.

        Raises:
            OdooError: it cannot be reached; nothing of the caller's was sent.
        """
        if not self._uuids:
            if self.transport:
                return ""
            try:
                rows = self.send(_UUID)
            except (OdooConnectionError, RateLimitError) as error:
                error.outcome = "not_sent"
                raise
            except OdooError as error:
                if error.code != "ACCESS_DENIED":
                    return None  # the next look may find it
                rows = []
            self._uuids.append(rows[0]["value"] or None if rows else None)
        return self._uuids[0]

    def _retrying(self, call: Call | None, action: Callable[[float], Any]) -> Any:
        """Run an action, again after a pause where its failure leaves no doubt or does no harm.

        It is given the time at which connecting must have ended, and no attempt begins after it.
        """
        attempts = self.settings.reconnect_attempts
        ends = time.monotonic() + min(self.settings.patience, time_left())
        for attempt in range(attempts + 1):
            try:
                return action(ends)
            except (OdooConnectionError, RateLimitError) as error:
                self.state = "error"
                wait = max(self.settings.reconnect_backoff * 2**attempt, _told_to_wait(error))
                too_late = time.monotonic() + wait >= ends
                if attempt == attempts or too_late or not _may_send_again(error, call):
                    if session := self.session:
                        # Idle connections to a server that has gone are of no use either.
                        session.transport.close()
                    raise
                logger.info("%s Trying again (%d of %d).", error.message, attempt + 1, attempts)
                self.state = "reconnecting"
                if isinstance(error, RateLimitError) and self.session and self.session.http:
                    # The calls of others would only make it longer.
                    self.session.http.hold(wait)
                pause(wait)
        raise AssertionError("unreachable")

    def _check_health(self, http: Http) -> None:
        """After a long pause, see that the server is still there before a call is risked."""
        try:
            detect_version(http)
        except OdooConnectionError as error:
            # The call itself has not been sent.
            error.outcome = "not_sent"
            raise
        self._last_used = time.monotonic()

    def connected(self, ends: float | None = None) -> Session:
        """Return the session; open it, until ``ends``, if there is none."""
        session = self.session
        if session:
            return session
        until = self.settings.patience if ends is None else ends - time.monotonic()
        with time_limit(until):
            # Somebody else may be connecting, with a server that does not answer.
            if not self._connecting.acquire(timeout=max(time_left(), 0)):
                raise time_is_over(self.settings.url)
            try:
                if self.session is None:
                    self.session = self._open()
                return self.session
            finally:
                self._connecting.release()

    def _open(self) -> Session:
        if self.state != "reconnecting":
            self.state = "connecting"
        try:
            session = self._log_in(self.transport) if self.transport else self._log_in_by_http()
        except BaseException as error:
            self.state = "error"
            if isinstance(error, OdooError):
                # Nothing of the caller's has been sent yet, whatever happened to the login.
                error.outcome = "not_sent"
            raise
        self.state = "authenticated"
        self._last_used = time.monotonic()
        return session

    def _log_in(self, own: OwnTransport) -> Session:
        uid, database = own.authenticate(), self.settings.database
        return Session(http=None, transport=own, version=own.version, database=database, uid=uid)

    def _log_in_by_http(self) -> Session:
        settings = self.settings
        if not settings.verify_ssl:
            logger.warning("TLS certificates are not verified (ODOO_VERIFY_SSL is false).")
        http = Http(settings, pool=self.pool)
        try:
            version = detect_version(http)
            if not OLDEST <= version.major <= NEWEST:
                logger.warning(
                    "Odoo %s is outside the tested range, Odoo %d to %d.",
                    version.full,
                    OLDEST,
                    NEWEST,
                )
            database = settings.database or find_database(http)
            transport, uid = open_transport(settings, http, version, database)
        except BaseException:
            http.close()
            raise
        return Session(http=http, transport=transport, version=version, database=database, uid=uid)


def _told_to_wait(error: OdooError) -> float:
    """Return the seconds after which a server that has had too many calls takes the next one."""
    return float(error.details.get("retry_after", 0)) if error.code == "RATE_LIMITED" else 0.0


def _may_send_again(error: OdooError, call: Call | None) -> bool:
    if not error.retry:
        return False
    if error.code == "RATE_LIMITED":
        # Refused before Odoo had it; where Odoo itself says so, that is after failed logins.
        return error.details.get("http_status") == 429
    if error.code == "TIMEOUT" and error.outcome != "not_sent":
        # What was too slow once is too slow again, and would keep the server busier still.
        return False
    if error.code == "ENDPOINT_NOT_FOUND":
        return False
    return error.outcome == "not_sent" or (call is not None and call.reads)
