"""An Odoo server in memory for tests. It stores records and logs the calls."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.change_history import History
from odoo_toolkit.change_history.places import history_of_settings
from odoo_toolkit.client import CallEvent
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import OdooConnectionError, make_error
from odoo_toolkit.notebook.models import Connection
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing.descriptions import Fields, described
from odoo_toolkit.testing.records import Records, Row
from odoo_toolkit.values import ReadOptions

_MODEL: Fields = {"name": "char", "model": "char", "transient": "boolean"}
_NUMBERS = itertools.count(1)
_SCHEMA = {"fields_get", "get_available_models", "has_access", "check_access_rights"}


class FakeServer:
    """An Odoo in memory for tests. Pass it to :class:`odoo_toolkit.Odoo` as its transport.

    >>> server = FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": []})
    >>> odoo = server.connect()

    Policy, schema, domains and values are the real ones. Only the server behind them is not. A call
    gets its result from ``answers``, then from ``records`` if they contain the model, and then from
    ``otherwise``. A call without a result raises an ``AssertionError``.

    Args:
        models: Fields of each model: ``"char"``, ``"many2one res.country"``, ``"one2many
            sale.order.line order_id"``, or a description as in ``fields_get``.
        version: Version of Odoo, 14 to 19.
        records: Records at the start, by model. A many2one is an id, a one2many or many2many a list
            of ids. You can search, read, create, write and delete them.
        answers: (model, method) -> the result, an error to raise, an iterator of results, or a
            function of the call. Return ``NotImplemented`` to use the next source.
        otherwise: Function that returns the result of all other calls.
        transient: Models that are wizards.
        uid: Id of the connected user.

    Attributes:
        records: Records, as they are now.
        answers: Results. You can change them at any time.
        sent: Calls that arrived, in order. It omits calls that the toolkit makes for itself about
            models, fields and rights, unless ``answers`` has a result for them.
        unaccent: True if searches ignore accents, as with that option of a database.
    """

    name = "fake"

    def __init__(
        self,
        models: Mapping[str, Fields],
        *,
        version: int = 19,
        records: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
        answers: Mapping[tuple[str, str], Any] | None = None,
        otherwise: Callable[[Call], Any] | None = None,
        transient: Container[str] = (),
        uid: int = 2,
    ) -> None:
        self.version = ServerVersion(major=version, full=f"{version}.0")
        self.answers = dict(answers or {})
        self.sent: list[Call] = []
        #: Whether no condition of a search is left out, so that connections need not ask.
        self.applies_conditions = True
        kept = dict(records or {})
        models = {"ir.model": _MODEL, **{model: {} for model in kept}, **models}
        named = [{"model": m, "name": m, "transient": m in transient} for m in sorted(models)]
        kept.setdefault("ir.model", named)
        self._models = {
            model: described(fields, logged=model in kept) for model, fields in models.items()
        }
        self._kept = Records(self._models, kept, uid)
        self._otherwise = otherwise
        self._uid = uid
        self._lost: list[tuple[str, bool]] = []
        #: By which servers of one process are distinguished: they have no address.
        self.number = next(_NUMBERS)

    @property
    def records(self) -> dict[str, list[Row]]:
        """The stored records by model, in Odoo's order."""
        return self._kept.rows

    @property
    def unaccent(self) -> bool:
        """True if searches ignore accents."""
        return self._kept.unaccent

    @unaccent.setter
    def unaccent(self, value: bool) -> None:
        self._kept.unaccent = value

    def connect(
        self,
        *,
        policy: Policy | None = None,
        options: ReadOptions | None = None,
        on_call: Callable[[CallEvent], None] | None = None,
        history: History | str | Path | None = None,
        **settings: Any,
    ) -> Connection:
        """Return a connection to this server. You can open several.

        Args:
            policy: Policy that restricts calls. Default: everything is allowed.
            options: How values are returned.
            on_call: Function that is called for every call.
            history: Change history, or the path of its file.
            settings: Fields of :class:`~odoo_toolkit.ConnectionSettings`, such as ``lang``.
        """
        address = {"url": "http://odoo.test", "username": "test", "password": Secret("test")}
        chosen = ConnectionSettings(**{**address, "reconnect_backoff": 0, **settings})
        if isinstance(history, (str, Path)):
            chosen = attrs.evolve(chosen, history=str(history))
        return Connection(
            chosen,
            policy=policy,
            options=options,
            on_call=on_call,
            transport=self,
            history=history if isinstance(history, History) else history_of_settings(chosen),
        )

    def asked(self, *methods: str) -> list[Call]:
        """Return the calls of these methods that arrived."""
        return [call for call in self.sent if call.method in methods]

    def lose_answer(self, method: str, *, applied: bool = True) -> None:
        """Break the connection at the next call of a method.

        The transport can't distinguish the two cases (``maybe_applied``). The toolkit repeats known
        reads, and looks for the effects of ``create``, ``write`` and ``unlink``.

        Args:
            method: Name of the method, such as ``create``.
            applied: True if the connection breaks after the server has done its work, or before the
                call arrives.
        """
        self._lost.append((method, applied))

    def authenticate(self) -> int:
        """Log in. See :class:`~odoo_toolkit.connection.transport.Transport`."""
        return self._uid

    def close(self) -> None:
        """Release nothing. See :class:`~odoo_toolkit.connection.transport.Transport`."""

    def send(self, call: Call) -> Any:
        """Answer one call. See :class:`~odoo_toolkit.connection.transport.Transport`."""
        lost = next((lost for lost in self._lost if lost[0] == call.method), None)
        if lost is None:
            # An answer belongs to who asked, and is changed there.
            return copy.deepcopy(self._answer(call))
        self._lost.remove(lost)
        if lost[1]:
            self._answer(call)
        raise OdooConnectionError(
            "The connection broke before the response was complete.", outcome="maybe_applied"
        )

    def _answer(self, call: Call) -> Any:
        key = (call.model, call.method)
        own_zone = (
            call.internal
            and key == ("res.users", "read")
            and "tz" in call.arguments.get("fields", ())
        )
        languages = call.internal and key == ("res.lang", "get_installed")
        of_schema = call.internal and (call.method in _SCHEMA or call.model == "ir.model")
        of_schema = of_schema or languages
        if key in self.answers or not (of_schema or own_zone):
            self.sent.append(call)
        if key in self.answers:
            answer = _given(self.answers[key], call)
            if answer is not NotImplemented:
                return answer
        if own_zone:
            return [{"id": self._uid, "tz": "UTC"}]
        scripted = any(model == call.model for model, _ in self.answers)
        if call.model not in self._models and not scripted:
            raise make_error("UNKNOWN_MODEL", f"There is no model {call.model}.")
        if call.method == "fields_get":
            return self._fields_get(call)
        if call.method in ("has_access", "check_access_rights"):
            return True
        if key == ("ir.model", "get_available_models"):
            rows = [row for row in self.records["ir.model"] if not row.get("transient")]
            return [{"model": row["model"], "display_name": row["name"]} for row in rows]
        if languages and call.model in self.records:
            active = [row for row in self.records["res.lang"] if row.get("active", True)]
            return [[row["code"], row.get("name")] for row in active]
        if call.model in self.records and call.method in self._kept.methods:
            return self._kept.answer(call)
        if self._otherwise:
            return self._otherwise(call)
        raise AssertionError(
            f"There is no response for {call.model}.{call.method}. Pass FakeServer a response for "
            f"it, or the records of {call.model}."
        )

    def _fields_get(self, call: Call) -> dict[str, dict[str, Any]]:
        names, attributes = (call.arguments.get(name) for name in ("allfields", "attributes"))
        fields = self._models.get(call.model)
        return {
            name: {
                key: value for key, value in field.items() if not attributes or key in attributes
            }
            for name, field in (described({}) if fields is None else fields).items()
            if not names or name in names
        }


def _given(answer: Any, call: Call) -> Any:
    if isinstance(answer, Iterator):
        try:
            answer = next(answer)
        except StopIteration:
            raise AssertionError(
                f"{call.model}.{call.method} was called more often than it has responses."
            ) from None
    elif callable(answer):
        answer = answer(call)
    if isinstance(answer, Exception):
        raise answer
    return answer
