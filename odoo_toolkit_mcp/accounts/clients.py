"""The programs that may ask people to sign in: registered ones, and those with a document.

A client registers itself (RFC 7591), or its id is the address of a JSON document that describes it.
Either way its name is what it says of itself; what binds it are the addresses to which the browser
is sent back.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.provider import RegistrationError
from mcp.shared.auth import InvalidRedirectUriError, InvalidScopeError, OAuthClientInformationFull
from pydantic import AnyUrl, ValidationError

from odoo_toolkit.databases import Database, Session
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.accounts.vault import Vault

logger = logging.getLogger(__name__)

#: What a client may be granted: to use the server, and to go on without the person.
SCOPES = ("odoo", "offline_access")

#: Schemes of programs on the person's own machine that open a link to themselves.
APP_SCHEMES = ("cursor", "vscode", "vscode-insiders", "windsurf", "zed", "goose")

#: Registered clients that are kept; more would be somebody's attack.
MOST_CLIENTS = 20_000

#: Those that give way to new ones where there are too many: none that holds a token or a code, so
#: that nobody pushes out what is in use; first those with which nobody has ever signed in.
_GIVE_WAY = """
SELECT id FROM client WHERE id NOT IN (
    SELECT client FROM granted JOIN token ON token.granted = granted.id
    WHERE granted.ended IS NULL AND token.ends > ?
) AND id NOT IN (
    SELECT client FROM granted JOIN code ON code.granted = granted.id
    WHERE granted.ended IS NULL AND code.used IS NULL AND code.ends > ?
) ORDER BY CASE WHEN id IN (SELECT client FROM granted) THEN 1 ELSE 0 END, used LIMIT ?
"""

#: Addresses and characters that one registration may have.
_MOST_ADDRESSES, _LONGEST_ADDRESS, _LONGEST_NAME = 10, 1000, 100

#: Characters that all of a registration may have, as it is kept.
_MOST_CHARACTERS = 16_000


class Client(OAuthClientInformationFull):
    """A client; on the person's own machine it may listen at any port (RFC 8252, 7.3)."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Return the address to which the browser is sent back.

        Raises:
            InvalidRedirectUriError: the client has not named it.
        """
        try:
            return super().validate_redirect_uri(redirect_uri)
        except InvalidRedirectUriError:
            if redirect_uri is None or not is_loopback_address(str(redirect_uri)):
                raise
            if redirect_problem(str(redirect_uri)):
                raise
            wanted = _without_port(str(redirect_uri))
            if all(_without_port(str(known)) != wanted for known in self.redirect_uris or ()):
                raise
            return redirect_uri

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """Return the scopes that are asked for; the person's yes decides, not the registration.

        Clients register with the scopes of the endpoint, and then ask for all that the server has
        (the MCP inspector does).

        Raises:
            InvalidScopeError: this server has no such scope.
        """
        wanted = None if requested_scope is None else requested_scope.split()
        for scope in wanted or ():
            if scope not in SCOPES:
                raise InvalidScopeError(f"This server has no scope {scope}")
        return wanted


class Clients:
    """The registered clients of a store.

    Args:
        store: where they are kept.
        vault: seals them, as some have a secret.
    """

    def __init__(self, store: Database, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    def find(self, client_id: str) -> Client | None:
        """Return a registered client; None where there is none."""
        if "\0" in client_id:
            return None  # PostgreSQL would not even look
        with self._store.reading() as session:
            row = session.execute("SELECT sealed FROM client WHERE id = ?", [client_id]).fetchone()
        return Client.model_validate(self._vault.open(row["sealed"])) if row else None

    def keep(self, client: OAuthClientInformationFull) -> None:
        """Keep a new client; where there are too many, one that is not in use gives way to it.

        Raises:
            RegistrationError: it names addresses to which no browser is sent, or there are too
                many clients in use.
        """
        check_client(client)
        body = self._vault.seal(client.model_dump(mode="json", exclude_none=True))
        with self._store.writing("clients") as session:
            row = session.execute("SELECT count(*) AS count FROM client").fetchone()
            over = max(row["count"] + 1 - MOST_CLIENTS, 0)
            leaving = session.execute(_GIVE_WAY, [now(), now(), over]).fetchall() if over else []
            fits = len(leaving) == over
            for one in leaving if fits else []:
                session.execute("DELETE FROM client WHERE id = ?", [one["id"]])
            if fits:
                session.execute(
                    "INSERT INTO client (id, sealed, made, used) VALUES (?, ?, ?, ?)",
                    [client.client_id, body, now(), now()],
                )
        # Out here: this error is frozen, and the block could not pass it on.
        if not fits:
            raise RegistrationError(
                "invalid_client_metadata", "This server has too many clients. Try again later."
            )
        if leaving:
            logger.warning(
                "Removed the registrations of the oldest unused clients to register a new one: %d.",
                over,
            )

    def check(self) -> None:
        """See that the ring opens the clients.

        Raises:
            ConfigurationError: a key that has sealed one is missing.
        """
        with self._store.reading() as session:
            for row in _all(session):
                self._vault.open(row["sealed"])

    def rotate_keys(self) -> int:
        """Seal all clients anew with the first key of the ring; return how many there are."""
        count = 0
        with self._store.writing() as session:
            for row in _all(session):
                count += 1
                sealed = self._vault.renew(row["sealed"])
                session.execute("UPDATE client SET sealed = ? WHERE id = ?", [sealed, row["id"]])
        return count

    def note_use(self, client_id: str) -> None:
        """Note that a client has been used to sign in."""
        with self._store.writing() as session:
            session.execute("UPDATE client SET used = ? WHERE id = ?", [now(), client_id])


def _all(session: Session) -> Iterator[Any]:
    """Yield all clients as they are kept; not all at once: there may be very many."""
    page = "SELECT id, sealed FROM client WHERE id > ? ORDER BY id LIMIT 500"
    last = ""
    while rows := session.execute(page, [last]).fetchall():
        yield from rows
        last = rows[-1]["id"]


def check_client(client: OAuthClientInformationFull) -> None:
    """See that the browser may be sent to where a client wants it.

    Raises:
        RegistrationError: it may not.
    """
    addresses = [str(uri) for uri in client.redirect_uris or ()]
    if not 1 <= len(addresses) <= _MOST_ADDRESSES:
        raise RegistrationError(
            "invalid_redirect_uri", f"Send 1 to {_MOST_ADDRESSES} redirect URIs."
        )
    for address in addresses:
        if problem := redirect_problem(address):
            raise RegistrationError("invalid_redirect_uri", problem)
    if len(client.model_dump_json(exclude_none=True)) > _MOST_CHARACTERS:
        raise RegistrationError(
            "invalid_client_metadata",
            f"The metadata of a client can have at most {_MOST_CHARACTERS} characters.",
        )
    if len(client.client_name or "") > _LONGEST_NAME:
        raise RegistrationError(
            "invalid_client_metadata", f"A client_name can have at most {_LONGEST_NAME} characters."
        )


def redirect_problem(address: str, schemes: Iterable[str] = APP_SCHEMES) -> str | None:
    """Return why no browser is sent to an address with a code; None where it may be."""
    parts = urlsplit(address)
    if len(address) > _LONGEST_ADDRESS:
        return f"A redirect URI can have at most {_LONGEST_ADDRESS} characters."
    if parts.fragment or "#" in address:
        return "A redirect URI must not have a fragment."
    if parts.username is not None or parts.password is not None:
        return "A redirect URI must not contain a user name."
    if parts.scheme == "https" and parts.hostname:
        return None
    if is_loopback_address(address):
        return None
    if parts.scheme in schemes:
        return None
    return (
        "A redirect URI must be an https address, an http address of this machine, or an address"
        " with the app's own scheme."
    )


def is_loopback_address(address: str) -> bool:
    """Whether an http address is of the person's own machine."""
    parts = urlsplit(address)
    if parts.scheme != "http" or not parts.hostname:
        return False
    if parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def _without_port(address: str) -> tuple[str, str | None, str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.path, parts.query


def client_of_document(client_id: str, document: Any, scopes: Iterable[str]) -> Client:
    """Return the client that a document describes.

    Args:
        client_id: the address of the document.
        document: its JSON.
        scopes: that this server knows.

    Raises:
        ValueError: it does not describe a client that this server can serve.
    """
    if not isinstance(document, dict) or document.get("client_id") != client_id:
        raise ValueError("the document does not name its own address as client_id")
    try:
        client = public_client(
            client_id,
            scopes,
            client_name=document.get("client_name"),
            redirect_uris=document.get("redirect_uris"),
        )
        check_client(client)
    except ValidationError as error:
        count = error.error_count()
        raise ValueError(f"the document is not valid client metadata: {count} errors") from None
    except RegistrationError as error:
        raise ValueError(error.error_description or error.error) from None
    return client


def public_client(client_id: str, scopes: Iterable[str], **described: Any) -> Client:
    """Return a client with a document: without a secret in common, it can only be a public one.

    PKCE protects its codes.

    Args:
        client_id: the address of the document.
        scopes: that this server knows.
        described: what the document adds.

    Raises:
        ValidationError: of pydantic: what is described is none of a client.
    """
    values = {
        "client_id": client_id,
        "redirect_uris": None,
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": " ".join(scopes),
    }
    return Client.model_validate({**values, **described})
