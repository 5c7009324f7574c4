"""What clients have asked for while the person has not answered yet."""

from __future__ import annotations

import contextlib
from typing import Any

import attrs

from odoo_toolkit.databases import Database
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.accounts.vault import Vault, hashed, new_token

#: Seconds that a person has for it, from the first page to the last.
LASTS = 900.0


@attrs.define(kw_only=True)
class AuthorizationRequest:
    """What a client has asked for, and what the person has said so far.

    Attributes:
        client, client_name: who asks.
        redirect_uri: where the browser is sent back to.
        explicit: whether the client has named it.
        state: that the client wants back.
        scopes, resource: what it asks for.
        code_challenge: by which its exchange of the code is recognised.
        browser: hash of the cookie of the browser in which the person answers.
        user: the Odoo user that the person has signed in as, with what the key is made from.
    """

    client: str
    client_name: str
    redirect_uri: str
    explicit: bool
    state: str | None
    scopes: list[str]
    code_challenge: str
    resource: str
    browser: str | None = None
    user: dict[str, Any] | None = None


class AuthorizationRequests:
    """The open requests of a store; safe to share between threads.

    Args:
        store: where they are kept.
        vault: seals them.
    """

    def __init__(self, store: Database, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    def begin(self, request: AuthorizationRequest) -> str:
        """Keep a request; return the token under which it is found."""
        token = new_token()
        with self._store.writing() as session:
            session.execute(
                "INSERT INTO request (hash, sealed, ends) VALUES (?, ?, ?)",
                [hashed(token), self._sealed(request), now() + LASTS],
            )
        return token

    def find(self, token: str) -> AuthorizationRequest | None:
        """Return a request; None where there is none, or it has ended."""
        with self._store.reading() as session:
            row = session.execute(
                "SELECT sealed FROM request WHERE hash = ? AND ends > ?", [hashed(token), now()]
            ).fetchone()
        return AuthorizationRequest(**self._vault.open(row["sealed"])) if row else None

    def update(self, token: str, request: AuthorizationRequest) -> bool:
        """Keep what the person has said; return whether the request is still open."""
        with self._store.writing() as session:
            done = session.execute(
                "UPDATE request SET sealed = ? WHERE hash = ? AND ends > ?",
                [self._sealed(request), hashed(token), now()],
            )
            return done.rowcount == 1

    def take(self, token: str) -> AuthorizationRequest | None:
        """Return a request and forget it: only one answer counts."""
        with self._store.writing() as session:
            row = session.execute(
                "DELETE FROM request WHERE hash = ? AND ends > ? RETURNING sealed",
                [hashed(token), now()],
            ).fetchone()
        return AuthorizationRequest(**self._vault.open(row["sealed"])) if row else None

    def take_ended(self) -> list[AuthorizationRequest]:
        """Return the requests that nobody has answered in time, and forget them."""
        with self._store.writing() as session:
            rows = session.execute(
                "DELETE FROM request WHERE ends <= ? RETURNING sealed", [now()]
            ).fetchall()
        ended = []
        for row in rows:
            # What a key has sealed that is gone since, nobody can go on with.
            with contextlib.suppress(ConfigurationError):
                ended.append(AuthorizationRequest(**self._vault.open(row["sealed"])))
        return ended

    def _sealed(self, request: AuthorizationRequest) -> str:
        return self._vault.seal(attrs.asdict(request))
