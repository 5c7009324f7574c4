"""Adding profiles to their file and removing them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from odoo_toolkit.cli.keys import Profile
from odoo_toolkit.cli.profiles import check_name, profile, profiles_file, read_profiles
from odoo_toolkit.errors import ConfigurationError


def save_profile(name: str, values: Mapping[str, str], *, replace: bool = False) -> None:
    """Add a profile to the file; what else is in it, comments too, stays as it is.

    Raises:
        ConfigurationError: there is one of that name, or a name or value cannot be written.
        OSError: the file cannot be written; it is as it was.
    """
    check_name(name)
    for key, value in values.items():
        if value != value.strip() or not value.isprintable():
            raise ConfigurationError(
                f"{key} has blanks around it, or a character that is not printed.",
                suggestion="A key like that can be kept in the keyring.",
            )
    there = read_profiles()
    if name in there and not replace:
        raise ConfigurationError(
            f"There is a profile {name!r} already.", suggestion="To replace it, give --replace."
        )
    lines = _without(name)
    if lines and lines[-1].strip():
        lines.append("")
    lines += [f"[{name}]", *(f"{key} = {value}" for key, value in values.items())]
    _write("\n".join(lines) + "\n")


def delete_profile(name: str) -> Profile:
    """Remove a profile from the file, and return it.

    Raises:
        ConfigurationError: there is none.
        OSError: the file cannot be written; it is as it was.
    """
    removed = profile(name)
    lines = _without(name)
    _write("".join(f"{line}\n" for line in lines))
    return removed


def _without(name: str) -> list[str]:
    """Return the lines of the file but for those of a profile."""
    path = profiles_file()
    text = path.read_text("utf-8-sig") if path.exists() else ""
    kept: list[str] = []
    inside = False
    comments: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            was, inside = inside, line.startswith(f"[{name}]")
            # What stands right above the next profile belongs to that one.
            kept += comments if was and not inside else []
        if not inside:
            kept.append(line)
        comments = [*comments, line] if line.startswith(("#", ";")) else []
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def _write(text: str) -> None:
    """Put a text in the place of the file, which nobody else can read then."""
    path = Path(os.path.realpath(profiles_file()))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink()
