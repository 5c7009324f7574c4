"""The password of the operator's page, of which only a slow hash is kept."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

#: How much work one guess is: some 60 ms and 32 MB.
_COST, _BLOCK, _LANES = 2**15, 8, 1

#: Characters of the shortest password that is taken.
SHORTEST = 12


def hash_password(password: str) -> str:
    """Return what to keep of a password.

    Raises:
        ValueError: it is too short.
    """
    if len(password) < SHORTEST:
        raise ValueError(f"The password must have at least {SHORTEST} characters.")
    salt = secrets.token_bytes(16)
    return f"scrypt:{_text(salt)}:{_text(_digest(password, salt))}"


def is_hash(text: str) -> bool:
    """Whether a text is the hash of a password."""
    parts = text.split(":")
    return len(parts) == 3 and parts[0] == "scrypt"


def is_password(password: str, kept: str) -> bool:
    """Whether a password is the one of which the hash was kept."""
    _, salt, digest = kept.split(":")
    return hmac.compare_digest(_text(_digest(password, base64.b64decode(salt))), digest)


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=salt,
        n=_COST,
        r=_BLOCK,
        p=_LANES,
        maxmem=64 * 1024 * 1024,
        dklen=32,
    )


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()
