"""What the attacks share: connections that note what they send, and records that hold a secret."""

from __future__ import annotations

import contextlib
import xmlrpc.client
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    AccessError,
    Connection,
    Odoo,
    Policy,
    ReadOptions,
    ValidationError,
    execute,
    name_get,
    read,
    search_read,
)
from odoo_toolkit.call import Call
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit.errors import OdooConnectionError, OdooError
from tests.live.servers import Server, credentials

#: Stands in every secret, so that an answer need only be searched for it.
MARK = "classified"

Attack = Callable[[Odoo], Any]


def calling(function: Callable[..., Any], *arguments: Any, **named: Any) -> Attack:
    """Return the call of a library function as an attack."""
    return lambda odoo: function(odoo, *arguments, **named)


class SentError(Exception):
    """A call of a caller's own would have left the process."""


class Noting(Connection):
    """A connection that notes in ``sent`` every call that leaves the process.

    Args:
        dry: whether it ends there for calls that the toolkit does not make for itself: then an
            attack that succeeds does no harm to the server.
    """

    def __init__(self, *args: Any, dry: bool = False, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.sent: list[Call] = []
        self._dry = dry

    def _send(self, call: Call) -> Any:
        self.sent.append(call)
        if self._dry and not (call.internal or call.step):
            raise SentError(call)
        return super()._send(call)

    def callers(self) -> list[str]:
        """Return what was sent of the caller's calls, as model and method."""
        return [f"{c.model}.{c.method}" for c in self.sent if not (c.internal or c.step)]


@contextlib.contextmanager
def connected(
    server: Server,
    role: str = "admin",
    options: ReadOptions | None = None,
    dry: bool = False,
    connection: Mapping[str, Any] | None = None,
    **rules: Any,
) -> Iterator[Noting]:
    """Connect as a user of a server under a policy.

    Args:
        server: the server.
        role: admin or demo.
        options: how values are shown.
        dry: see :class:`Noting`.
        connection: further settings of the connection.
        rules: keywords of ``Policy``.
    """
    settings = connection_settings(**credentials(server, server.user(role)), **(connection or {}))
    odoo = Noting(settings, policy=Policy(**rules), options=options, dry=dry)
    try:
        odoo.connect()
        yield odoo
    finally:
        odoo.close()


def refused(odoo: Noting, action: Attack) -> OdooError:
    """Return the error of an action, of which nothing must have been sent."""
    odoo.sent.clear()
    with pytest.raises((AccessError, ValidationError)) as caught:
        action(odoo)
    assert odoo.callers() == [], f"sent, and then refused: {caught.value}"
    error = caught.value
    assert isinstance(error, OdooError)
    assert error.message
    assert error.suggestion
    return error


def passing(odoo: Noting, attacks: Mapping[str, Attack]) -> list[str]:
    """Return which of several attacks were not refused before anything of them was sent."""
    return [name for name, attack in attacks.items() if not _refuses(odoo, attack)]


def _refuses(odoo: Noting, attack: Attack) -> bool:
    odoo.sent.clear()
    try:
        attack(odoo)
    except (AccessError, ValidationError):
        return not odoo.callers()
    except (OdooError, SentError):
        pass
    return False


def told(odoo: Odoo, action: Attack) -> str:
    """Return all that an action tells, as text. What an error says is told, too."""
    try:
        return _whole(action(odoo))
    except OdooConnectionError:
        raise
    except OdooError as error:
        return repr((error.message, error.suggestion, error.details))


def leaks(
    opened: Odoo, closed: Odoo, attacks: Mapping[str, Attack], secret: str = MARK
) -> list[str]:
    """Return which of several attacks tell a secret where it is closed.

    Only those count that tell it where nothing is closed, as the others show nothing: not every
    version has every way. Where none is left the test is skipped.
    """
    working = {
        name: attack for name, attack in attacks.items() if secret in _answer(opened, attack)
    }
    if not working:
        pytest.skip(f"Odoo {opened.version.major} has none of these ways")
    return [name for name, attack in working.items() if secret in told(closed, attack)]


def _answer(odoo: Odoo, attack: Attack) -> str:
    try:
        return _whole(attack(odoo))
    except OdooError:
        return ""


def _whole(result: Any) -> str:
    """Return all that a result holds: printed, those of the library leave much out."""
    if attrs.has(type(result)):
        result = attrs.asdict(result)
    elif isinstance(result, list):
        return repr([_whole(item) for item in result])
    return repr(result)


def readings(model: str, record_id: int, field: str) -> dict[str, Attack]:
    """Return every way to read a field of a record directly; most of them name it."""
    by_id = [["id", "=", record_id]]
    ids = [record_id]

    def called(method: str, *arguments: Any) -> Attack:
        return lambda odoo: execute(odoo, model, method, arguments)

    return {
        "search_read": lambda o: search_read(o, model, by_id, [field]),
        "search_read all": lambda o: search_read(o, model, by_id, ["*"]),
        "read": lambda o: read(o, model, ids, [field]),
        "name_get": lambda o: name_get(o, model, ids),
        "execute search_read": called("search_read", by_id, [field]),
        "execute search_read all": called("search_read", by_id),
        "execute read": called("read", ids, [field]),
        "execute read all": called("read", ids),
        "execute name_search": called("name_search", "", by_id),
        "execute name_get": called("name_get", ids),
        "read_group": called("read_group", by_id, ["id"], [field]),
        "read_group maximum": called("read_group", by_id, [f"{field}:max"], []),
        "read_group list": called("read_group", by_id, [f"x:array_agg({field})"], []),
        "formatted_read_group": called("formatted_read_group", by_id, [field], ["__count"]),
        "export_data": called("export_data", ids, [field]),
        "web_read": called("web_read", ids, {field: {}}),
        "web_search_read": called("web_search_read", by_id, {field: {}}),
        "web_search_read old": called("web_search_read", by_id, [field]),
        "copy_data": called("copy_data", ids),
        "mapped": called("mapped", ids, field),
    }


def has_fields(odoo: Odoo, model: str, *fields: str) -> bool:
    """Whether the server has a model with these fields."""
    return odoo.schema.has_model(model) and set(fields) <= set(odoo.schema.fields(model))


def needs(odoo: Odoo, model: str, *fields: str) -> None:
    """Skip the test where the server lacks a model or one of its fields."""
    if not has_fields(odoo, model, *fields):
        pytest.skip(f"Odoo {odoo.version.major} has no {model} {' '.join(fields)}")


class Raw:
    """The administrator of a server without the toolkit, for what no policy lets pass.

    >>> Raw(server)("ir.default", "create", {...})
    """

    def __init__(self, server: Server) -> None:
        user = server.user("admin")
        self._key = user.api_key or user.password
        self._database = server.db
        common = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/common")
        self._object = xmlrpc.client.ServerProxy(f"{server.url}/xmlrpc/2/object", allow_none=True)
        self.uid: Any = common.authenticate(server.db, user.login, self._key, {})

    def __call__(self, model: str, method: str, *arguments: Any, **named: Any) -> Any:
        return self._object.execute_kw(
            self._database, self.uid, self._key, model, method, list(arguments), named
        )

    def value(self, model: str, record_id: int, field: str) -> Any:
        """Return one field of a record."""
        return self(model, "read", [record_id], [field])[0][field]

    def clean(self, model: str, domain: list[Any]) -> None:
        """Delete what attacks have made, as far as Odoo lets us."""
        for made in self(model, "search", domain):
            with contextlib.suppress(xmlrpc.client.Fault):
                self(model, "unlink", [made])

    @contextlib.contextmanager
    def record(self, model: str, values: dict[str, Any]) -> Iterator[int]:
        """Make a record for a test, and delete it afterwards where the attack has left it."""
        made: int = self(model, "create", values)
        try:
            yield made
        finally:
            with contextlib.suppress(xmlrpc.client.Fault):
                self(model, "unlink", [made])


@pytest.fixture(scope="session")
def raw(server: Server) -> Raw:
    """The administrator without the toolkit."""
    return Raw(server)
