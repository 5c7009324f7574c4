"""What the steps have found so far, for those that follow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs

from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.transport import Transport
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import OdooError


@attrs.frozen(kw_only=True)
class Login:
    """A login that was tried, with one credential alone; ``error`` says why it failed."""

    credential: str
    expected: str
    transport: Transport | None = None
    uid: int = 0
    error: OdooError | None = None


class LoggedIn:
    """A transport that has logged in already, for a connection that need not do it again."""

    def __init__(self, transport: Transport, uid: int, version: ServerVersion) -> None:
        self.name, self.version = transport.name, version
        self._transport, self._uid = transport, uid

    def authenticate(self) -> int:
        """Return the user's id."""
        return self._uid

    def send(self, call: Call) -> Any:
        """Send one call."""
        return self._transport.send(call)

    def close(self) -> None:
        """Release the connections."""
        self._transport.close()


@attrs.define(kw_only=True, slots=False)
class Found:
    """What is known by now.

    Attributes:
        tls_failure: what the TLS connection failed with.
        logins: one for each credential, in the order in which the toolkit takes them.
        transport: of the login that succeeded.
    """

    settings: ConnectionSettings
    http: Http
    tls_failure: OdooError | None = None
    version: ServerVersion | None = None
    database: str = ""
    logins: list[Login] = attrs.Factory(list)
    transport: LoggedIn | None = None

    @cached_property
    def of_user(self) -> Mapping[str, Any]:
        """Whether the user is from outside, and the companies they work in, if Odoo tells."""
        # Without the companies of the settings: with a wrong one, no company may be read.
        settings = attrs.evolve(self.connection.settings, company_id=None, company_ids=())
        odoo = Odoo(settings, transport=self.transport)
        call = asking("res.users", "read", (odoo.uid,), fields=["share", "company_ids"])
        try:
            rows = odoo.call(call)
        except OdooError:
            return {}
        return dict(rows[0]) if rows else {}

    @property
    def major(self) -> int:
        """Odoo's major version; 0 while it is not known."""
        return self.version.major if self.version else 0

    @cached_property
    def connection(self) -> Odoo:
        """The connection, in steps that come after the login."""
        settings = attrs.evolve(self.settings, database=self.database, reconnect_attempts=0)
        return Odoo(settings, transport=self.transport)
