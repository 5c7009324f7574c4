"""Files that tools return, kept in the store for a while: a link works at any process."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Hashable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from odoo_toolkit.databases import Database
from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp import files
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.accounts.vault import Vault, hashed
from odoo_toolkit_mcp.files import Kept

logger = logging.getLogger(__name__)

#: Bytes of what makes each seal another one.
_NONCE = 12


class StoredFiles:
    """Keeps files in the store, sealed, within the bounds of :mod:`odoo_toolkit_mcp.files`.

    Args:
        store: where they are kept.
        vault: has the keys.
        server: name of the server that makes them; no other one gives them out.
    """

    def __init__(self, store: Database, vault: Vault, server: str) -> None:
        self._store = store
        self._ciphers = [AESGCM(key) for key in vault.keys_for("files")]
        self._server = server

    def keep(self, owner: Hashable, content: bytes, mimetype: str | None) -> str | None:
        """Keep a file and return its address; None where it cannot be kept."""
        size, token = len(content), secrets.token_urlsafe(24)
        if size > files.MOST_BYTES:
            return None
        whose, nonce = self._owner(owner), os.urandom(_NONCE)
        sealed = nonce + self._ciphers[0].encrypt(nonce, content, _bound(token, whose, mimetype))
        try:
            self._insert(hashed(token), whose, mimetype, sealed, size)
        except OdooError as error:
            # The file is there all the same: it comes with the answer.
            logger.error("%s %s", error.message, error.suggestion or "")
            return None
        return f"{files.KEPT}{token}"

    def _insert(self, key: str, whose: str, mimetype: str | None, sealed: bytes, size: int) -> None:
        with self._store.writing("files") as session:
            session.execute("DELETE FROM file WHERE ends < ?", [now()])
            rows = session.execute("SELECT hash, owner, size FROM file ORDER BY ends").fetchall()
            known = [(row["hash"], row["owner"], int(row["size"])) for row in rows]
            for gone in files.giving_way(known, whose, size):
                session.execute("DELETE FROM file WHERE hash = ?", [gone])
            session.execute(
                "INSERT INTO file (hash, owner, mimetype, sealed, size, ends)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [key, whose, mimetype, sealed, size, now() + files.LIFETIME],
            )

    def get(self, owner: Hashable, token: str) -> Kept | None:
        """Return a file; None where there is none of that user's by this token any more."""
        whose = self._owner(owner)
        with self._store.reading() as session:
            row = session.execute(
                "SELECT mimetype, sealed FROM file WHERE hash = ? AND owner = ? AND ends > ?",
                [hashed(token), whose, now()],
            ).fetchone()
        if row is None:
            return None
        sealed, mimetype = bytes(row["sealed"]), row["mimetype"]
        for cipher in self._ciphers:
            try:
                bound = _bound(token, whose, mimetype)
                content = cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], bound)
            except InvalidTag:
                continue
            return Kept(mimetype, content)
        return None

    def _owner(self, owner: Hashable) -> str:
        return f"{self._server} {owner}"


def _bound(token: str, owner: str, mimetype: str | None) -> bytes:
    """Return what a seal is good for: one file, of one owner, of one kind."""
    return f"{hashed(token)} {mimetype} {owner}".encode()
