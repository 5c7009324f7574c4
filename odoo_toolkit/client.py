"""The one door: every call to Odoo passes through :class:`Odoo`."""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol

import attrs

from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import Call
from odoo_toolkit.compat import NEWEST, OLDEST, READ_METHODS
from odoo_toolkit.connection.database import find_database
from odoo_toolkit.connection.failures import time_is_over
from odoo_toolkit.connection.http import Http, read_timeout
from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.transport import OwnTransport, Transport, open_transport
from odoo_toolkit.connection.version import ServerVersion, detect_version
from odoo_toolkit.error_patterns import maybe_applied
from odoo_toolkit.errors import (
    ConfigurationError,
    OdooConnectionError,
    OdooError,
    RateLimitError,
)
from odoo_toolkit.ignored_conditions import check_conditions
from odoo_toolkit.policy import Policy, owners
from odoo_toolkit.policy.languages import check_language
from odoo_toolkit.policy.redaction import opening
from odoo_toolkit.policy.sending import (
    check_companies,
    check_external_ids,
    check_linked,
    without_closed_records,
)
from odoo_toolkit.policy.tables import BUSINESS_ACTIONS
from odoo_toolkit.policy.user_contacts import check_user_contacts
from odoo_toolkit.progress import checkpoint, pause, time_left, time_limit
from odoo_toolkit.schema import Schema
from odoo_toolkit.values import ReadOptions

if TYPE_CHECKING:
    from typing import Self

    from odoo_toolkit.connection.websession import WebSession

logger = logging.getLogger(__name__)

#: The calls that were checked in this context, for whoever listens.
_checked: ContextVar[list[Call] | None] = ContextVar("odoo_toolkit_checked", default=None)


@contextmanager
def checked_calls() -> Iterator[list[Call]]:
    """Give the calls that the policy is asked about within the block: what is to be sent."""
    calls: list[Call] = []
    token = _checked.set(calls)
    try:
        yield calls
    finally:
        _checked.reset(token)


State = Literal["disconnected", "connecting", "authenticated", "ready", "error", "reconnecting"]


@attrs.frozen(kw_only=True)
class CallEvent:
    """What the audit hook hears of each call that was not the toolkit's own.

    Attributes:
        call: the call as it was asked for.
        success: whether it was carried out.
        error_code: why not.
        result: what the method returned, blocked fields removed.
        duration_ms: from the policy's check to the answer.
        uid: the Odoo user; 0 before the login.
    """

    call: Call
    success: bool
    error_code: str | None = None
    result: Any = None
    duration_ms: float
    uid: int


class Recorder(Protocol):
    """What is told of every call that writes, before it is sent: the journal."""

    def recorded(self, odoo: Odoo, call: Call, send: Callable[[Call], Any]) -> Any:
        """Record a call, and return what ``send`` returns for it."""
        ...


@attrs.frozen(kw_only=True)
class _Session:
    """What a login gave."""

    http: Http | None
    transport: Transport
    version: ServerVersion
    database: str | None
    uid: int


@attrs.frozen(kw_only=True)
class Admitted:
    """A call that the policy has let pass.

    Attributes:
        call: as it may be sent; its arguments may be typed objects.
        asked: as it was asked for.
        started: when the policy was asked.
    """

    call: Call
    asked: Call
    started: float

    def sending(
        self,
        method: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
        ids: Sequence[int] | None = None,
    ) -> Admitted:
        """Return the same question in the form in which the library asks it.

        It is for the library's own reading: what it sends is made of what was admitted, such as a
        domain whose values have Odoo's form, or the fields that a path begins with.

        Args:
            method: another that reads.
            arguments: in place of those that were admitted.
            context: in place of the one that was admitted.
            ids: of the records to read.
        """
        call = attrs.evolve(
            self.call,
            method=method or self.call.method,
            arguments=self.call.arguments if arguments is None else arguments,
            context=self.call.context if context is None else context,
            ids=ids,
        )
        if not call.reads or call.method not in READ_METHODS:
            raise ValueError(f"{call.method} is not sent in the place of a method that reads.")
        return Admitted(call=call, asked=call, started=time.monotonic())


class Odoo:
    """A connection to one Odoo database as one user; safe to share between threads.

    It connects when it is first used. Make one with :func:`odoo_toolkit.connect`.

    Args:
        settings: where Odoo is, and who we are there.
        policy: what may be called; everything by default.
        options: how values are shown.
        on_call: hears of every call, see :class:`CallEvent`.
        transport: carries the calls in place of HTTP, such as a
            :class:`odoo_toolkit.testing.FakeServer`; the address is then not used.
        pool: HTTP connections that are shared with others, see :class:`~odoo_toolkit.Pool`.
        journal: keeps what is written, see :class:`~odoo_toolkit.Journal`.

    A copy is one that is not connected yet, and shares policy, hook, transport, pool and journal.
    So is what a pickle gives, for :mod:`multiprocessing`: the hook and the transport must be such
    that can be pickled, and a pickle holds the password or key, readable by whoever has it.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        *,
        policy: Policy | None = None,
        options: ReadOptions | None = None,
        on_call: Callable[[CallEvent], None] | None = None,
        transport: OwnTransport | None = None,
        pool: Pool | None = None,
        journal: Recorder | None = None,
    ) -> None:
        self.settings = settings
        self.journal = journal
        self.policy = policy or Policy()
        self.options = options or ReadOptions()
        self.schema = Schema(self.call, lambda: self.version.major, self.policy.model_allowed)
        self.state: State = "disconnected"
        self._on_call = on_call
        self._transport, self._pool = transport, pool
        self._applies_conditions = getattr(transport, "applies_conditions", False)
        self._session: _Session | None = None
        self._web_session: WebSession | None = None
        self._connecting = threading.Lock()
        self._last_used = 0.0

    def __repr__(self) -> str:
        return f"<Odoo {self.settings.url} {self.state}>"

    def __reduce__(self) -> tuple[Callable[..., Odoo], tuple[ConnectionSettings]]:
        again = functools.partial(
            type(self),
            policy=self.policy,
            options=self.options,
            on_call=self._on_call,
            transport=self._transport,
            pool=self._pool,
            journal=self.journal,
        )
        return again, (self.settings,)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def version(self) -> ServerVersion:
        """The server's version; connects if need be."""
        return self._connected().version

    @property
    def link_pattern(self) -> str:
        """The address of a record in Odoo's web client, its model and id in braces."""
        before_18 = self.version.major < 18
        path = "web#id={id}&model={model}&view_type=form" if before_18 else "odoo/{model}/{id}"
        return f"{self.settings.url}/{path}"

    def link(self, model: str, record_id: int) -> str:
        """Return the address that opens a record in Odoo's web client."""
        return self._links(model).replace("{id}", str(record_id))

    def links(self, model: str, ids: Sequence[int | None]) -> str | None:
        """Return the address that opens the record; of several, with ``{id}`` in place of an id.

        An answer with a hundred records has it once. None where there is no record.
        """
        there = [record_id for record_id in ids if record_id]
        if len(there) == 1:
            return self.link(model, there[0])
        return self._links(model) if there else None

    def _links(self, model: str) -> str:
        if self.version.major >= 18 and "." not in model:
            model = f"m-{model}"  # without a dot it would be taken for the path of an action
        return self.link_pattern.replace("{model}", model)

    @property
    def uid(self) -> int:
        """The id of the user we are in Odoo; connects if need be."""
        return self._connected().uid

    @property
    def database(self) -> str | None:
        """The database's name; None where JSON-2 leaves the choice to the server."""
        return self._connected().database

    @property
    def protocol(self) -> str:
        """json2, jsonrpc or xmlrpc; connects if need be."""
        return self._connected().transport.name

    @property
    def clock_ahead(self) -> float | None:
        """Seconds that the server's clock is ahead of ours; None where it does not tell."""
        session = self._connected()
        # A transport that is no HTTP runs here.
        return session.http.clock_ahead if session.http else 0.0

    @property
    def web_session(self) -> WebSession:
        """A web session of the same connection; it logs in when it is first used."""
        from odoo_toolkit.connection.websession import WebSession

        if self._transport:
            raise ConfigurationError("With a transport of its own it has no web session.")
        database = self.database
        with self._connecting:
            if self._web_session is None:
                self._web_session = WebSession(self.settings, database)
            return self._web_session

    def connect(self) -> Self:
        """Connect and log in now instead of at the first call.

        Raises:
            OdooConnectionError: Odoo cannot be reached.
            AccessError: the credentials are refused.
            ConfigurationError: the server lacks what the settings ask for.
        """
        self._retrying(None, self._connected)
        return self

    def close(self) -> None:
        """Close the connections, unless they are shared; the next call opens new ones."""
        with self._connecting:
            if self._session:
                self._session.transport.close()
            if self._web_session:
                self._web_session.close()
            self._session = self._web_session = None
            self.state = "disconnected"

    def check(self, call: Call, *, planned: bool = False) -> Call:
        """Ask the policy about a call that is not to be sent yet; a refusal is told the hook.

        Args:
            call: the call.
            planned: whether it is only told of in a plan, which any mode allows.

        Returns:
            The call, with the values to write as they were read.

        Raises:
            AccessError: the policy forbids it.
        """
        started = time.monotonic()
        policy = self.policy
        if planned and policy.mode != "full":
            policy = attrs.evolve(policy, mode="full")
        try:
            checked = policy.check(call, self.schema.fields, self._model_of)
            check_companies(call, self.settings.base_context)
            check_language(self, checked, self.settings.base_context)
        except OdooError as error:
            self._tell(call, started, error_code=error.code)
            raise
        if (heard := _checked.get()) is not None:
            heard.append(checked)
        return checked

    def refusal(self, call: Call) -> OdooError | None:
        """Return why the policy would not let a call be sent; None where it would."""
        try:
            self.policy.check(call, self.schema.fields, self._model_of)
        except OdooError as error:
            return error
        return None

    def refuse(self, call: Call, error: OdooError) -> NoReturn:
        """Raise an error about a call that is not sent; the hook is told."""
        self._tell(call, time.monotonic(), error_code=error.code)
        raise error

    def admit(self, call: Call) -> Admitted:
        """Let the policy judge a call, and return it as it may be sent.

        Its arguments are read here, unless they were before; nothing of the caller's is sent.

        Raises:
            AccessError: the policy forbids it.
            ValidationError: an argument is not understood.
        """
        started = time.monotonic()
        try:
            admitted = self._admitted(call)
            check_companies(call, self.settings.base_context)
            check_external_ids(self, admitted)
            check_linked(self, admitted)
            check_language(self, admitted, self.settings.base_context)
            check_user_contacts(self, admitted)
        except OdooError as error:
            self._tell(call, started, error_code=error.code)
            raise
        return Admitted(call=admitted, asked=call, started=started)

    def send(self, admitted: Admitted) -> Any:
        """Send a call that was admitted and return what the method returned; nothing is judged.

        The base context is extended by the call's; the call is sent again only where that cannot
        apply a write twice. Nothing more is written once nobody waits for the work, see
        :mod:`odoo_toolkit.progress`.

        Raises:
            OperationCancelled: nobody waits any more, and the call is no mere read.
            AccessError: Odoo forbids it, or a record belongs to what is closed.
            OdooError: it failed; a message says what to do.
        """
        call = admitted.call
        try:
            if call.reads and not (call.internal or call.step or self._applies_conditions):
                check_conditions(self, call)
            if call.reads:
                result = self._send(self._prepared(call))
            else:
                result = self._write(self._prepared(call))
            if not call.internal:
                result = self._shown(call, result)
        except OdooError as error:
            self._tell(admitted.asked, admitted.started, error_code=error.code)
            raise
        self._tell(admitted.asked, admitted.started, result=result)
        return result

    def call(self, call: Call) -> Any:
        """Send one call to Odoo and return what the method returned: :meth:`admit`, :meth:`send`.

        Raises:
            OperationCancelled: nobody waits any more, and the call is no mere read.
            AccessError: the policy or Odoo forbids it.
            OdooError: it failed; a message says what to do.
        """
        return self.send(self.admit(call))

    def record_filter(self, model: str, domain: Sequence[Any] = ()) -> list[Any]:
        """Return what keeps a search off the records of closed models, see ``policy.owners``.

        Args:
            model: the model that is searched, such as ``ir.attachment``.
            domain: what it is searched by.
        """
        return owners.record_filter(self.policy, model, domain, self.schema.fields)

    def documentation(self, model: str) -> dict[str, Any] | None:
        """Return the server's own documentation of a model; None where it has none for us.

        Odoo documents its models from 19 on, for API keys of users with Settings rights. The
        policy is not asked: whoever shows it on must have asked it about the model.

        Raises:
            OdooConnectionError: Odoo cannot be reached.
        """
        from odoo_toolkit.connection.json2 import Json2Transport

        transport = self._connected().transport
        if not isinstance(transport, Json2Transport):
            return None
        try:
            documentation: dict[str, Any] = transport.documentation(model)
        except OdooError as error:
            if isinstance(error, OdooConnectionError) and error.code != "ENDPOINT_NOT_FOUND":
                raise
            return None
        return documentation

    def _write(self, call: Call) -> Any:
        """Send a call that writes; the journal has it before."""
        checkpoint()
        if self.journal is None:
            return self._send(call)
        return self.journal.recorded(self, call, self._send)

    def _admitted(self, call: Call) -> Call:
        return self.policy.admitted(call, self.schema.fields, self._model_of, self._known_version)

    def _known_version(self) -> int | None:
        session = self._session
        return session.version.major if session else None

    def _model_of(self, model_id: int) -> str | None:
        """Return the name of the model that an id of ``ir.model`` stands for, if it can be told."""
        arguments = {"fields": ["model"]}
        read = Call(
            model="ir.model", method="read", ids=(model_id,), arguments=arguments, internal=True
        )
        try:
            rows = self.schema.remember(f"ir.model {model_id}", lambda: self.call(read))
        except OdooError:
            return None
        return str(rows[0]["model"]) if rows else None

    def _prepared(self, call: Call) -> Call:
        """Add the base context, and keep the call off records that belong to closed models."""
        call = attrs.evolve(call, context={**self.settings.base_context, **call.context})
        return wired(without_closed_records(self, call))

    def _shown(self, call: Call, result: Any) -> Any:
        """Return a result without what is closed."""
        result = self.policy.redact(result)
        if call.method in ("read", "search_read", "default_get"):
            # The description was needed to judge the call.
            with contextlib.suppress(OdooError):
                result = owners.without_closed_properties(
                    result,
                    self.schema.fields(call.model),
                    self.policy.model_blocked,
                    ids=call.step,
                )
        if not self.policy.closes or call.step:
            return result
        if call.method in BUSINESS_ACTIONS:
            return opening(result)
        if call.method in ("read", "search_read"):
            return owners.without_names(result, self.schema.fields(call.model))
        return result

    def _tell(
        self, call: Call, started: float, *, error_code: str | None = None, result: Any = None
    ) -> None:
        if self._on_call is None or call.internal:
            return
        event = CallEvent(
            call=wired(call),
            success=error_code is None,
            error_code=error_code,
            result=result,
            duration_ms=round((time.monotonic() - started) * 1000, 3),
            uid=self._session.uid if self._session else 0,
        )
        try:
            self._on_call(event)
        except Exception:
            # The call is done: a hook that fails must not make it look failed.
            logger.exception("The call hook failed.")

    def _send(self, call: Call) -> Any:
        def send(ends: float) -> Any:
            session = self._connected(ends)
            with time_limit(ends - time.monotonic()):
                self._check_health(session)
            with read_timeout(call.timeout):
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
                    if session := self._session:
                        # Idle connections to a server that has gone are of no use either.
                        session.transport.close()
                    raise
                logger.info("%s Trying again (%d of %d).", error.message, attempt + 1, attempts)
                self.state = "reconnecting"
                if isinstance(error, RateLimitError) and self._session and self._session.http:
                    # The calls of others would only make it longer.
                    self._session.http.hold(wait)
                pause(wait)
        raise AssertionError("unreachable")

    def _check_health(self, session: _Session) -> None:
        """After a long pause, see that the server is still there before a call is risked."""
        idle = time.monotonic() - self._last_used
        if session.http and idle > self.settings.health_interval:
            try:
                detect_version(session.http)
            except OdooConnectionError as error:
                # The call itself has not been sent.
                error.outcome = "not_sent"
                raise
            self._last_used = time.monotonic()

    def _connected(self, ends: float | None = None) -> _Session:
        """Return the session; open it, until ``ends``, if there is none."""
        session = self._session
        if session:
            return session
        until = self.settings.patience if ends is None else ends - time.monotonic()
        with time_limit(until):
            # Somebody else may be connecting, with a server that does not answer.
            if not self._connecting.acquire(timeout=max(time_left(), 0)):
                raise time_is_over(self.settings.url)
            try:
                if self._session is None:
                    self._session = self._open()
                return self._session
            finally:
                self._connecting.release()

    def _open(self) -> _Session:
        if self.state != "reconnecting":
            self.state = "connecting"
        try:
            session = self._log_in(self._transport) if self._transport else self._log_in_by_http()
        except BaseException as error:
            self.state = "error"
            if isinstance(error, OdooError):
                # Nothing of the caller's has been sent yet, whatever happened to the login.
                error.outcome = "not_sent"
            raise
        self.state = "authenticated"
        self._last_used = time.monotonic()
        return session

    def _log_in(self, own: OwnTransport) -> _Session:
        uid, database = own.authenticate(), self.settings.database
        return _Session(http=None, transport=own, version=own.version, database=database, uid=uid)

    def _log_in_by_http(self) -> _Session:
        settings = self.settings
        if not settings.verify_ssl:
            logger.warning("TLS certificates are not verified (ODOO_VERIFY_SSL is false).")
        http = Http(settings, pool=self._pool)
        try:
            version = detect_version(http)
            if not OLDEST <= version.major <= NEWEST:
                logger.warning(
                    "Odoo %s is outside the range %d to %d that the toolkit is tested with.",
                    version.full,
                    OLDEST,
                    NEWEST,
                )
            database = settings.database or find_database(http)
            transport, uid = open_transport(settings, http, version, database)
        except BaseException:
            http.close()
            raise
        return _Session(http=http, transport=transport, version=version, database=database, uid=uid)


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
