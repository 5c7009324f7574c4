"""The key or password of a profile: in its file, in the keyring, or in the environment."""

from __future__ import annotations

import importlib
import os
from typing import Any

from odoo_toolkit.errors import ConfigurationError

Profile = dict[str, str]

KEYS = ("api_key", "password")
#: Where a key that is not in the file is: in the keyring, or, by default, in the environment.
KEY = "key"

#: By which the keyring knows our keys.
_SERVICE = "odoo-toolkit"


def keys_of(name: str, values: Profile) -> tuple[dict[str, str], str, str]:
    """Return the keys of a profile, where they were found, and why there is none."""
    if found := {key: values[key] for key in KEYS if values.get(key)}:
        return found, "file", ""
    if values.get(KEY) == "keyring":
        for key in KEYS:
            if text := _keyring("get_password", f"{name}:{key}"):
                found[key] = text
        return (
            found,
            "keyring",
            f"The keyring has no key of this profile ({_SERVICE}, {name}:api_key).",
        )
    address, own = os.environ.get("ODOO_URL", ""), values.get("url", "")
    if address and address.strip().rstrip("/") != own.strip().rstrip("/"):
        return (
            {},
            "environment",
            (
                "The profile has no key, and the keys of the environment are for another server"
                f" (ODOO_URL {address})."
            ),
        )
    found = {key: text for key in KEYS if (text := os.environ.get(f"ODOO_{key.upper()}"))}
    return found, "environment", "The profile has no key. Set ODOO_API_KEY or ODOO_PASSWORD."


def _keyring(method: str, *arguments: str) -> Any:
    """Call a function of the package keyring, which asks the system's keyring.

    Raises:
        ConfigurationError: it is not installed, or the system's keyring does not answer.
    """
    try:
        ring = importlib.import_module("keyring")
    except ImportError:
        raise ConfigurationError(
            "The key is in the keyring, but the Python package keyring is not installed.",
            suggestion="Run: pip install keyring. Or set key = environment in the profile, and set"
            " ODOO_API_KEY.",
        ) from None
    try:
        return getattr(ring, method)(_SERVICE, *arguments)
    except ring.errors.KeyringError as error:
        raise ConfigurationError(
            f"The command cannot use the keyring: {str(error) or type(error).__name__}.",
            suggestion="Unlock it. Or set key = environment in the profile, and set ODOO_API_KEY.",
        ) from None


def keep_in_keyring(name: str, key: str, text: str) -> None:
    """Keep a key of a profile in the keyring."""
    _keyring("set_password", f"{name}:{key}", text)


def forget_in_keyring(name: str) -> None:
    """Remove the keys of a profile from the keyring, if they are there."""
    for key in KEYS:
        if _keyring("get_password", f"{name}:{key}") is not None:
            _keyring("delete_password", f"{name}:{key}")
