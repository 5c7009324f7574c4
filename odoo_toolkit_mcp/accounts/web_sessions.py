"""Who is signed in to the pages of this server, in a browser."""

from __future__ import annotations

from odoo_toolkit.databases import Database
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.accounts.vault import hashed, new_token

#: Stands for the operator, who is no Odoo user.
OPERATOR = 0

#: Seconds after which people sign in to the pages anew.
LASTS = 8 * 3600.0


class WebSessions:
    """The sessions in a store; safe to share between threads.

    Args:
        store: where they are kept.
    """

    def __init__(self, store: Database) -> None:
        self._store = store

    def begin(self, account: int, secret: str = "") -> str:
        """Return the token of a new session, for a cookie.

        Args:
            account: its id, or :data:`OPERATOR`.
            secret: by which somebody has signed in; with another one, it is no session any more.
        """
        token = new_token()
        with self._store.writing() as session:
            session.execute(
                "INSERT INTO session (hash, account, ends) VALUES (?, ?, ?)",
                [hashed(token + secret), account, now() + LASTS],
            )
        return token

    def account(self, token: str | None, secret: str = "") -> int | None:
        """Return whose session a cookie stands for; None where it stands for none."""
        if not token:
            return None
        with self._store.reading() as session:
            row = session.execute(
                "SELECT account FROM session WHERE hash = ? AND ends > ?",
                [hashed(token + secret), now()],
            ).fetchone()
        return int(row["account"]) if row else None

    def end(self, token: str | None, secret: str = "") -> None:
        """End a session."""
        with self._store.writing() as session:
            session.execute("DELETE FROM session WHERE hash = ?", [hashed((token or "") + secret)])
