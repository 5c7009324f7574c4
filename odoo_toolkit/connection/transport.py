"""What every transport offers, and the choice of one."""

from __future__ import annotations

import logging
from typing import Any, Protocol

from odoo_toolkit.call import Call, asking
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import AccessError, ConfigurationError, OdooError

logger = logging.getLogger(__name__)


class Transport(Protocol):
    """Carries calls to one Odoo database as one user; safe to use from many threads."""

    name: str

    def authenticate(self) -> int:
        """Prove who we are and return the user's id.

        Raises:
            AccessError: the credentials are refused.
        """

    def send(self, call: Call) -> Any:
        """Send one call and return what the method returned, None included.

        Rows of records are shown in place: what is returned must not be kept by the transport.

        Raises:
            OdooError: the call failed; ``outcome`` tells what became of it.
        """

    def close(self) -> None:
        """Release the connections."""


class OwnTransport(Transport, Protocol):
    """A transport that is given to :class:`odoo_toolkit.Odoo`: it knows which server it serves."""

    version: ServerVersion


def open_transport(
    settings: ConnectionSettings, http: Http, version: ServerVersion, database: str | None
) -> tuple[Transport, int]:
    """Choose a transport, log in with it, and return it with the user's id.

    ``auto`` takes JSON-2 from Odoo 19 on where there is an API key, else JSON-RPC, else, where
    that is not reachable, XML-RPC. The API key goes before the password; if it is refused and
    there is a password, that is tried, with a warning.

    Raises:
        ConfigurationError: the protocol asked for does not exist on this server, or a setting that
            it needs is missing.
        AccessError: the credentials are refused.
        OdooConnectionError: the server cannot be reached.
    """
    protocol = settings.protocol
    if protocol == "json2" and version.major < 19:
        raise ConfigurationError(
            f"Protocol json2 needs Odoo 19 or later, but the server is {version.full}.",
            suggestion="Set ODOO_PROTOCOL to auto, jsonrpc or xmlrpc.",
        )
    if protocol == "auto":
        protocol = "json2" if version.major >= 19 and settings.api_key else "jsonrpc"
    try:
        return _log_in(protocol, settings, http, version, database)
    except OdooError as error:
        if settings.protocol != "auto" or error.code not in {"ENDPOINT_NOT_FOUND", "SERVER_ERROR"}:
            raise
        logger.warning("%s is not reachable (%s): trying XML-RPC.", protocol, error.message)
        return _log_in("xmlrpc", settings, http, version, database)


def _log_in(
    protocol: str,
    settings: ConnectionSettings,
    http: Http,
    version: ServerVersion,
    database: str | None,
) -> tuple[Transport, int]:
    if protocol == "json2" and settings.api_key:
        transport = _json2(http, database, settings.api_key)
        try:
            uid = transport.authenticate()
            if settings.username:
                _check_owner(transport, uid, settings.username)
            return transport, uid
        except AccessError as error:
            if not (settings.password and settings.username and settings.protocol == "auto"):
                raise
            logger.warning("Odoo rejected the API key (%s). Trying the password.", error.message)
            protocol, secrets = "jsonrpc", [settings.password]
    else:
        secrets = [secret for secret in (settings.api_key, settings.password) if secret]
    if not database or not settings.username:
        missing = "database (ODOO_DB)" if not database else "username (ODOO_USERNAME)"
        raise ConfigurationError(
            f"{missing} is missing. {protocol} needs it.", suggestion="Set it in the settings."
        )
    while True:
        secret = secrets.pop(0)
        rpc = _rpc(protocol, http, database, settings.username, secret, version)
        try:
            return rpc, rpc.authenticate()
        except AccessError as error:
            if not secrets:
                raise
            logger.warning("Odoo rejected the API key (%s). Trying the password.", error.message)


def _check_owner(transport: Transport, uid: int, username: str) -> None:
    """Refuse a key of another user: JSON-2 carries no login, so that Odoo cannot refuse it."""
    call = asking("res.users", "read", (uid,), fields=["login"])
    (owner,) = transport.send(call)
    if owner["login"] != username:
        raise AccessError(
            f"The API key belongs to {owner['login']!r}, not to {username!r}.",
            suggestion=f"Pass an API key of {username!r}, or omit the username.",
        )


def _json2(http: Http, database: str | None, api_key: Secret) -> Transport:
    from odoo_toolkit.connection.json2 import Json2Transport

    return Json2Transport(http, database, api_key)


def _rpc(
    protocol: str, http: Http, database: str, username: str, secret: Secret, version: ServerVersion
) -> Transport:
    if protocol == "xmlrpc":
        from odoo_toolkit.connection.xmlrpc import XmlRpcTransport

        return XmlRpcTransport(http, database, username, secret)
    from odoo_toolkit.connection.jsonrpc import JsonRpcTransport

    return JsonRpcTransport(http, database, username, secret, version.full)
