"""Secrets at rest: what must be read again is sealed, what must only be recognised is hashed.

The keys form a ring: the first one seals, each of them opens. To change keys without downtime, put
the new key last on all processes, then first, then remove the old one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from odoo_toolkit.errors import ConfigurationError

#: Characters of the shortest key that is taken.
SHORTEST_KEY = 32

#: By which scanners of leaked secrets recognise a token of ours.
TOKEN_PREFIX = "omcp_"  # noqa: S105


class Vault:
    """Seals and opens; safe to share between threads.

    Args:
        keys: the ring, each a random text of at least 32 characters.

    Raises:
        ConfigurationError: there is none, or one is too short.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys or any(len(key) < SHORTEST_KEY for key in keys):
            raise ConfigurationError(
                f"Each encryption key needs at least {SHORTEST_KEY} random characters.",
                suggestion="Create one with: openssl rand -hex 32",
            )
        self._keys = tuple(keys)
        self._ring = MultiFernet([Fernet(_derived(key, b"at rest")) for key in keys])

    def seal(self, value: Any) -> str:
        """Return a JSON value as text that only this ring can read."""
        return self._ring.encrypt(json.dumps(value).encode()).decode()

    def open(self, sealed: str) -> Any:
        """Return what was sealed.

        Raises:
            ConfigurationError: no key of the ring has sealed it.
        """
        try:
            return json.loads(self._ring.decrypt(sealed.encode()))
        except InvalidToken:
            raise ConfigurationError(
                "The server's database is encrypted with a key that this server does not have.",
                suggestion="Add the earlier encryption key after the new one.",
            ) from None

    def renew(self, sealed: str) -> str:
        """Return the same, sealed with the first key."""
        return self._ring.rotate(sealed.encode()).decode()

    def keys_for(self, use: str) -> list[bytes]:
        """Return keys of 32 bytes for another use; the first seals, each opens."""
        return [base64.urlsafe_b64decode(_derived(key, use.encode())) for key in self._keys]


def keys_of_file(path: Path, *, make: bool = True) -> list[str]:
    """Return the keys in a file, one a line; the file is made, with one key, where it is missing.

    Args:
        path: of the file.
        make: whether it may be made: a new key does not open what an earlier one has sealed.

    Raises:
        ConfigurationError: it cannot be read or made, or others may read it; or it is missing, and
            may not be made.
    """
    try:
        if not path.exists():
            if not make:
                raise ConfigurationError(
                    f"The file of encryption keys, {path}, is missing, and the server's database"
                    " contains secrets that it encrypted with a key of this file.",
                    suggestion="Restore the file from its backup into the folder of the server's"
                    " database. If you have no backup, move the database away. All users then sign"
                    " in again.",
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(32) + "\n")
        if os.name != "nt" and path.stat().st_mode & 0o077:
            raise ConfigurationError(
                f"Other users of this machine can read the file of encryption keys, {path}.",
                suggestion=f"Run: chmod 600 {path}",
            )
        return path.read_text().split()
    except FileExistsError:
        return keys_of_file(path)  # another process has just made it
    except OSError as error:
        raise ConfigurationError(
            f"The server cannot use the file of encryption keys, {path}:"
            f" {error.strerror or error}.",
            suggestion="Choose another file, or allow the server to read and write this one.",
        ) from error


def new_token() -> str:
    """Return a random token that nobody guesses."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return what stands for a token at rest; a random one needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _derived(key: str, use: bytes) -> bytes:
    """Return a key for one use, in base64; what leaks of it tells nothing of the others."""
    hkdf = HKDF(SHA256(), length=32, salt=None, info=b"odoo-toolkit-mcp " + use)
    return base64.urlsafe_b64encode(hkdf.derive(key.encode()))
