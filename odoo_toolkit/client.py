"""The class :class:`Odoo`, through which every call to Odoo passes."""

from __future__ import annotations

import contextlib
import functools
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

import attrs

from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.arguments.values import Record, defaults_in, records_written
from odoo_toolkit.call import Call, asking
from odoo_toolkit.compat import READ_METHODS
from odoo_toolkit.connection.line import Line, Session, State
from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.transport import OwnTransport
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError
from odoo_toolkit.fields import FieldsOf
from odoo_toolkit.policy import Policy, owners
from odoo_toolkit.policy.ignored_conditions import check_conditions
from odoo_toolkit.policy.languages import check_language
from odoo_toolkit.policy.redaction import opening
from odoo_toolkit.policy.sending import (
    COMPANIES,
    check_companies,
    check_linked,
    without_closed_records,
)
from odoo_toolkit.policy.tables import BUSINESS_ACTIONS
from odoo_toolkit.policy.user_contacts import MERGES, check_user_contacts
from odoo_toolkit.progress import checkpoint
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


@attrs.frozen(kw_only=True)
class CallEvent:
    """A call, as the ``on_call`` hook receives it. Calls of the toolkit itself are not included.

    Attributes:
        call: The call as it was requested.
        success: True if it succeeded.
        error_code: Error code if it failed.
        result: Result of the method, without blocked fields.
        duration_ms: Milliseconds from the policy check to the response.
        uid: Id of the Odoo user. 0 before the login.
        files: Function that returns the names of file fields of the described models.
    """

    call: Call
    success: bool
    error_code: str | None = None
    result: Any = None
    duration_ms: float
    uid: int
    files: Callable[[], frozenset[str]] = frozenset


class Recorder(Protocol):
    """What is told of every call that writes, before it is sent: the change history."""

    def recorded(self, odoo: Odoo, call: Call, send: Callable[[Call], Any]) -> Any:
        """Record a call, and return what ``send`` returns for it."""
        ...


class Gate:
    """What is asked about calls besides the policy; it stops a call by raising.

    Nothing that a connection with a gate sends passes it by, see :meth:`Odoo.gated`.
    """

    #: Whether calls are all that leads to Odoo.
    calls_only: ClassVar[bool] = False

    def within(self, call: Call, policy: Policy, fields_of: FieldsOf) -> Call:
        """Return a call as the policy is to judge it; of every call, before that."""
        return call

    def announced(self, call: Call) -> None:
        """Hear of a call that the policy lets pass, and that is to come."""

    def before(self, call: Call, policy: Policy) -> None:
        """Hear of a call that the policy has let pass, right before it is sent."""

    def shown(self, call: Call, result: Any, policy: Policy) -> Any:
        """Return a result as it may be seen."""
        return result


@attrs.frozen(kw_only=True)
class Admitted:
    """A call that the policy has let pass.

    Attributes:
        call: as it may be sent; its arguments may be typed objects.
        asked: as it was asked for.
        started: when the policy was asked.
        judged: the call as the policy has judged it; nothing else is sent.
    """

    call: Call
    asked: Call
    started: float
    judged: Call | None = attrs.field(default=None, repr=False)

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
            raise ValueError(
                f"{call.method} is not a method that reads, so it cannot be sent as one."
            )
        return Admitted(call=call, asked=call, started=time.monotonic(), judged=call)


class Odoo:
    """A connection to one Odoo database as one user. You can share it between threads.

    It connects when you first use it. To create one, call :func:`odoo_toolkit.connect`.

    A copy is not connected yet. It shares the policy, hook, transport, pool, change history and
    gates. You can pickle a connection for :mod:`multiprocessing` if its hook and transport can be
    pickled. The pickle contains the password or key in plain text.

    Args:
        settings: Address of Odoo and credentials.
        policy: Policy that restricts calls. Default: everything is allowed.
        options: How values are returned.
        on_call: Function that is called for every call, see :class:`CallEvent`.
        transport: Transport to use instead of HTTP, such as a
            :class:`odoo_toolkit.testing.FakeServer`. The address is then not used.
        pool: HTTP connections to share with other connections, see :class:`~odoo_toolkit.Pool`.
        history: Change history that records the writes, see :class:`~odoo_toolkit.History`.
        gates: Further checks of each call. The last gate is asked first.
    """

    schema: Schema

    def __init__(
        self,
        settings: ConnectionSettings,
        *,
        policy: Policy | None = None,
        options: ReadOptions | None = None,
        on_call: Callable[[CallEvent], None] | None = None,
        transport: OwnTransport | None = None,
        pool: Pool | None = None,
        history: Recorder | None = None,
        gates: Sequence[Gate] = (),
    ) -> None:
        self.settings = settings
        self.history = history
        self.policy = policy or Policy()
        self.options = options or ReadOptions()
        self._on_call = on_call
        self._line = Line(settings, transport, pool)
        #: The number of a fake server. None for other servers.
        self.server_number: int | None = getattr(transport, "number", None)
        self._applies_conditions = getattr(transport, "applies_conditions", False)
        self._gates = (*gates,)
        #: The same connection for what the toolkit asks for itself.
        self._ungated = self._with(()) if gates else self
        own = self._ungated
        self.schema = own.schema = Schema(
            own.call, lambda: self.version.major, self.policy.model_allowed
        )

    def gated(self, gate: Gate) -> Self:
        """Return the same connection with one more gate. Everything else is shared.

        The gate does not see calls that the toolkit makes for itself, such as descriptions of
        fields and reads for the change history. The policy is the one that this connection has now.
        """
        return self._with((*self._gates, gate))

    def _with(self, gates: tuple[Gate, ...]) -> Self:
        other = object.__new__(type(self))
        other.__dict__ |= {"_ungated": other, **self.__dict__, "_gates": gates}
        if _makes_calls_only(gates):
            other.settings = attrs.evolve(self.settings, password=None, api_key=None)
        return other

    def __repr__(self) -> str:
        return f"<Odoo {self.settings.url} {self.state}>"

    def __reduce__(self) -> tuple[Callable[..., Odoo], tuple[ConnectionSettings]]:
        self._check_open("copy")
        again = functools.partial(
            type(self),
            policy=self.policy,
            options=self.options,
            on_call=self._on_call,
            transport=self._line.transport,
            pool=self._line.pool,
            history=self.history,
            gates=self._gates,
        )
        return again, (self.settings,)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def state(self) -> State:
        """The state of the connection."""
        return self._line.state

    @property
    def version(self) -> ServerVersion:
        """The version of the server. It connects if necessary."""
        return self._connected().version

    @property
    def link_pattern(self) -> str:
        """The address of a record in Odoo's web client, with its model and id in braces."""
        before_18 = self.version.major < 18
        path = "web#id={id}&model={model}&view_type=form" if before_18 else "odoo/{model}/{id}"
        return f"{self.settings.url}/{path}"

    def link(self, model: str, record_id: int) -> str:
        """Return the address of a record in Odoo's web client."""
        return self._links(model).replace("{id}", str(record_id))

    def links(self, model: str, ids: Sequence[int | None]) -> str | None:
        """Return the address of the record.

        For several records it contains ``{id}`` instead of an id.

        A result with a hundred records contains it only once. None if there are no records.
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
        """The id of the Odoo user. It connects if necessary."""
        return self._connected().uid

    @property
    def database(self) -> str | None:
        """The name of the database. None if JSON-2 leaves the choice to the server."""
        return self._connected().database

    @property
    def database_uuid(self) -> str | None:
        """The uuid by which Odoo knows the database, whatever its address.

        The connection asks for it once. None if this user can't read it: only users with Settings
        rights can. Empty with a transport that replaces HTTP.
        """
        return self._line.database_uuid()

    @property
    def protocol(self) -> str:
        """The protocol: json2, jsonrpc or xmlrpc. It connects if necessary."""
        return self._connected().transport.name

    @property
    def clock_ahead(self) -> float | None:
        """The seconds that the server's clock is ahead of yours.

        None if the server does not send its time.
        """
        session = self._connected()
        # A transport that is no HTTP runs here.
        return session.http.clock_ahead if session.http else 0.0

    @property
    def web_session(self) -> WebSession:
        """A web session of the same connection. It logs in when you first use it."""
        self._check_open("web session")
        return self._line.web_session()

    def connect(self) -> Self:
        """Connect and log in now instead of at the first call.

        Raises:
            OdooConnectionError: Odoo can't be reached.
            AccessError: Odoo rejects the credentials.
            ConfigurationError: The server does not support the settings.
        """
        self._line.connect()
        return self

    def close(self) -> None:
        """Close the connections, unless they are shared. The next call opens new ones."""
        self._check_open("end")
        self._line.close()

    def check(self, call: Call, *, planned: bool = False) -> Call:
        """Ask the policy about a call without sending it. The hook receives a rejection.

        Args:
            call: The call.
            planned: True if the call is only part of a plan, which any mode allows.

        Returns:
            The call, with its values parsed.

        Raises:
            AccessError: The policy does not allow it.
        """
        started, own = time.monotonic(), self._ungated
        policy = own.policy.planning() if planned else own.policy
        try:
            within = self._within(call, policy) if self._gates else call
            checked = policy.admitted(within, own.schema.fields, own._model_of, worded=True)
            base_context = own.settings.base_context
            if COMPANIES in base_context:
                check_companies(within, base_context)
            if checked.arguments or checked.positional:
                check_language(own, checked, base_context)
        except OdooError as error:
            self._tell(call, started, error_code=error.code)
            raise
        for gate in () if planned else self._gates:
            gate.announced(checked)
        if (heard := _checked.get()) is not None:
            heard.append(checked)
        return checked

    def refusal(self, call: Call, *, of_user: bool = False) -> OdooError | None:
        """Return the reason why a call would not be sent. None if it would be sent.

        Args:
            call: The call.
            of_user: True if the user makes the call. The gates of this connection do not apply to
                the user.
        """
        own = self._ungated
        try:
            within = call if of_user else self._within(call, own.policy)
            own.policy.check(within, own.schema.fields, own._model_of)
        except OdooError as error:
            return error
        return None

    def _within(self, call: Call, policy: Policy) -> Call:
        for gate in reversed(self._gates):
            call = gate.within(call, policy, self._ungated.schema.fields)
        return call

    def _check_open(self, name: str) -> None:
        if _makes_calls_only(self._gates):
            raise AccessError(
                f"This connection has no {name}. It only makes calls.",
                code="METHOD_BLOCKED",
                suggestion="Use odoo.call, or the functions that take a connection.",
            )

    def refuse(self, call: Call, error: OdooError) -> NoReturn:
        """Raise an error about a call that is not sent, and report it to the hook."""
        self._tell(call, time.monotonic(), error_code=error.code)
        raise error

    def admit(self, call: Call) -> Admitted:
        """Check a call against the policy, and return it as it can be sent.

        It parses the arguments, unless they already are. It sends nothing.

        Raises:
            AccessError: The policy does not allow it.
            ValidationError: An argument is wrong.
        """
        started, own, asked = time.monotonic(), self._ungated, call
        try:
            if self._gates:
                asked = self._within(call, own.policy)
            admitted = own.policy.admitted(
                asked, own.schema.fields, own._model_of, own._known_version
            )
            base_context = own.settings.base_context
            if COMPANIES in base_context:
                check_companies(asked, base_context)
            if not admitted.reads:
                given = admitted.arguments or admitted.positional or defaults_in(admitted.context)
                written: Sequence[Record] = records_written(admitted) if given else ()
                if given:
                    check_linked(own, admitted, written)
                    check_language(own, admitted, base_context)
                if given or (admitted.model, admitted.method) in MERGES:
                    check_user_contacts(own, admitted, written)
        except OdooError as error:
            self._tell(asked, started, error_code=error.code)
            raise
        return Admitted(call=admitted, asked=asked, started=started, judged=admitted)

    def send(self, admitted: Admitted, by: Callable[[Call], Any] | None = None) -> Any:
        """Send a call that the policy has admitted, and return the result of the method.

        The context of the call extends the base context. The call is sent again only if a write
        can't happen twice. No more writes are sent after the caller has stopped waiting, see
        :mod:`odoo_toolkit.progress`.

        Args:
            admitted: The admitted call.
            by: Transport to use instead of the connection's own.

        Raises:
            OperationCancelled: The caller no longer waits, and the call is not only a read.
            AccessError: Odoo does not allow it, or a record belongs to a blocked model.
            OdooError: The call failed. The error has a suggestion.
        """
        call, own = admitted.call, self._ungated
        reads = call.reads
        try:
            if call is not admitted.judged:
                raise AccessError(
                    f"{call.model}.{call.method} differs from the call that the policy checked.",
                    code="METHOD_BLOCKED",
                    suggestion="Send it with odoo.call.",
                )
            for gate in reversed(self._gates):
                gate.before(wired(call), own.policy)
            if reads and not (call.internal or call.step or own._applies_conditions):
                check_conditions(own, call)
            prepared, send = own._prepared(call), by or own._send
            result = send(prepared) if reads else own._write(prepared, send)
            if not call.internal:
                result = own._shown(call, result)
                for gate in self._gates:
                    result = gate.shown(call, result, own.policy)
        except OdooError as error:
            self._tell(admitted.asked, admitted.started, error_code=error.code)
            raise
        self._tell(admitted.asked, admitted.started, result=result)
        return result

    def call(self, call: Call, by: Callable[[Call], Any] | None = None) -> Any:
        """Check a call, send it to Odoo, and return the result of the method.

        It combines :meth:`admit` and :meth:`send`.

        Args:
            call: The call.
            by: Transport to use instead of the connection's own.

        Raises:
            OperationCancelled: The caller no longer waits, and the call is not only a read.
            AccessError: The policy or Odoo does not allow it.
            OdooError: The call failed. The error has a suggestion.
        """
        return self.send(self.admit(call), by)

    def record_filter(self, model: str, domain: Sequence[Any] = ()) -> list[Any]:
        """Return a domain that excludes the records of blocked models from a search.

        See ``policy.owners``.

        Args:
            model: Model of the search, such as ``ir.attachment``.
            domain: Domain of the search.
        """
        return owners.record_filter(self.policy, model, domain, self.schema.fields)

    def documentation(self, model: str) -> dict[str, Any] | None:
        """Return the server's documentation of a model. None if it is not available.

        Odoo 19 and later document their models, for API keys of users with Settings rights. This
        method does not ask the policy. Ask it about the model before you show the documentation.

        Raises:
            OdooConnectionError: Odoo can't be reached.
        """
        from odoo_toolkit.connection.json2 import Json2Transport

        self._check_open("documentation")
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

    def _write(self, call: Call, send: Callable[[Call], Any]) -> Any:
        """Send a call that writes; the change history has it before."""
        checkpoint()
        return self.history.recorded(self, call, send) if self.history else send(call)

    def _connected(self) -> Session:
        return self._line.connected()

    def _send(self, call: Call) -> Any:
        return self._line.send(call)

    def _known_version(self) -> int | None:
        session = self._line.session
        return session.version.major if session else None

    def _model_of(self, model_id: int) -> str | None:
        """Return the name of the model that an id of ``ir.model`` stands for, if it can be told."""
        read = asking("ir.model", "read", (model_id,), fields=["model"])
        try:
            rows = self.schema.remember(f"ir.model {model_id}", lambda: self.call(read))
        except OdooError:
            return None
        return str(rows[0]["model"]) if rows else None

    def _prepared(self, call: Call) -> Call:
        """Add the base context, and keep the call off records that belong to closed models."""
        if call.model in owners.OWNERS:
            call = without_closed_records(self, call)
        return wired(call, self.settings.base_context)

    def _shown(self, call: Call, result: Any) -> Any:
        """Return a result without what is closed."""
        if isinstance(result, (dict, list, tuple)):
            result = self.policy.redact(result)
        if result and call.method in ("read", "search_read", "default_get"):
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
            uid=session.uid if (session := self._line.session) else 0,
            files=self.schema.files,
        )
        try:
            self._on_call(event)
        except Exception:
            # The call is done: a hook that fails must not make it look failed.
            logger.exception("The call hook failed.")


def _makes_calls_only(gates: Sequence[Gate]) -> bool:
    return any(gate.calls_only for gate in gates)
