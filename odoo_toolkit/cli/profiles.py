"""Profiles: by name, where Odoo is, who we are there, and what may be done.

They are sections of one INI file, ``profiles.ini`` in the person's configuration folder. A key or
a password may stand there only while nobody else can read the file; else it comes from the keyring
(``key = keyring``), or from ``ODOO_API_KEY`` or ``ODOO_PASSWORD``.
"""

from __future__ import annotations

import configparser
import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.cli.keys import KEY, KEYS, Profile, keys_of
from odoo_toolkit.configuration import load
from odoo_toolkit.connection import variables
from odoo_toolkit.connection.settings import ConnectionSettings, connection_settings
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit.file_content import replacing
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.policy import policy_problems

#: What may be done, from the least on.
MODES = ("readonly", "restricted", "full")

_CONNECTION = tuple(field.name for field in attrs.fields(ConnectionSettings))
#: What may stand in a profile.
KNOWN = (*_CONNECTION, *variables.POLICY_SETTINGS, KEY)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_VARIABLE = re.compile(r" \(ODOO_\w+(?:, ODOO_\w+)*\)")


@attrs.frozen(kw_only=True)
class Chosen:
    """What a command works with.

    Attributes:
        settings: where Odoo is, and who we are there.
        policy: what may be done.
        profile: its name; None where all comes from the environment.
        key_from: where the key or password was found: ``file``, ``keyring`` or ``environment``.
    """

    settings: ConnectionSettings
    policy: Policy
    profile: str | None
    key_from: str


def profiles_file() -> Path:
    """Return the path of the file, whether or not it is there."""
    if os.name == "nt" and os.environ.get("APPDATA"):
        folder = Path(os.environ["APPDATA"])
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "odoo-toolkit" / "profiles.ini"


def read_profiles() -> dict[str, Profile]:
    """Return the profiles by name; none where there is no file.

    Raises:
        ConfigurationError: the file is no such file, or holds keys and others can read it.
    """
    path = profiles_file()
    try:
        with path.open(encoding="utf-8-sig") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"The command cannot read the profiles in {path}: {error}."
        ) from None
    found = _parsed(text, path)
    held = [name for name, profile in found.items() if any(key in profile for key in KEYS)]
    if held and os.name == "posix" and mode & 0o077:
        raise ConfigurationError(
            f"{path} contains keys ({', '.join(held)}), and other users of this machine can read"
            " it. The command does not use it.",
            suggestion=f"Run: chmod 600 {path}. Other users could read these keys, so replace them"
            " with new ones.",
        )
    return found


def profile_names() -> list[str]:
    """Return the names of the profiles; none where they cannot be read."""
    try:
        return list(read_profiles())
    except OdooError:
        return []


def _parsed(text: str, path: Path) -> dict[str, Profile]:
    # No values for all profiles, and no % signs with a meaning.
    parser = configparser.RawConfigParser(default_section="\n", strict=True)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        # Its message can quote the line, and the line can be a key.
        line = getattr(error, "lineno", None) or next(
            (number for number, _ in getattr(error, "errors", ())), "?"
        )
        raise ConfigurationError(
            f"{path} is not a valid file of profiles. See line {line}.",
            suggestion="Each profile begins with [NAME], followed by lines such as url ="
            " https://...",
        ) from None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def profile(name: str) -> Profile:
    """Return a profile.

    Raises:
        ConfigurationError: there is none of this name; the message has those that there are.
    """
    found = read_profiles()
    if name not in found:
        there = f"Profiles: {', '.join(sorted(found))}." if found else "No profile exists yet."
        raise ConfigurationError(
            f"There is no profile {name!r} in {profiles_file()}. {there}",
            suggestion="To create one, run: odoo-toolkit profiles add NAME --url https://...",
            details={"profile": name, "profiles": sorted(found)},
        )
    return found[name]


def choose(name: str | None, mode: str | None) -> Chosen:
    """Return the settings of a profile; without one, those of the environment.

    Of the environment, a profile takes its key only, and that only while ``ODOO_URL`` does not
    say that it is for another address.

    Args:
        name: of the profile; ``ODOO_PROFILE`` by default.
        mode: what may be done. It widens nothing that the profile says.

    Raises:
        ConfigurationError: there is no such profile, or something in it is wrong.
    """
    name = name or os.environ.get("ODOO_PROFILE") or None
    if name is None:
        return _from_environment(mode)
    return _from_profile(name, profile(name), mode)


def _from_environment(mode: str | None) -> Chosen:
    variables.warn_once(variables.unread_variables())
    try:
        settings = connection_settings()
    except ConfigurationError as error:
        names = profile_names()
        there = f". Profiles: {', '.join(sorted(names))}" if names else ""
        error.suggestion += f" Or use a profile with --profile NAME{there}."
        raise
    policy = Policy(mode=mode or MODES[0])  # type: ignore[arg-type]
    return Chosen(settings=settings, policy=policy, profile=None, key_from="environment")


def _from_profile(name: str, values: Profile, mode: str | None) -> Chosen:
    problems = _unknown(values)
    said = values.get("mode", "").strip().lower()
    used = mode or said or MODES[0]
    if said in MODES and MODES.index(used) > MODES.index(said):
        problems.append(
            f"The mode of the profile is {said}, and --mode {used} allows more. Change the profile"
            " instead."
        )
    rules: dict[str, Any] = {
        "mode": said or used,
        **{n: values.get(n, "") for n in variables.POLICY_LISTS},
    }
    problems += policy_problems(**rules)
    keys, key_from, why = keys_of(name, values)
    given = {field: values.get(field) for field in _CONNECTION if field not in KEYS}
    settings, more = load(ConnectionSettings, {**given, **keys}, environ={})
    if why and not keys:
        more = [problem for problem in more if not problem.startswith("There is no credential")]
        more.append(why)
    problems += [_VARIABLE.sub("", problem) for problem in more]
    if settings is None or problems:
        raise ConfigurationError(
            f"The profile {name!r} in {profiles_file()} is not valid. " + " ".join(problems),
            suggestion="Correct it in the file, or run odoo-toolkit profiles add --replace.",
            details={"problems": problems},
        )
    policy = Policy(**{**rules, "mode": used})
    return Chosen(settings=settings, policy=policy, profile=name, key_from=key_from)


def check_profile(name: str, values: Profile) -> None:
    """Refuse a profile in which something is wrong.

    Raises:
        ConfigurationError: it lists everything.
    """
    check_name(name)
    _from_profile(name, values, None)


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a profile.

    Raises:
        ConfigurationError: it is none.
    """
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{name!r} is not a valid name for a profile.",
            suggestion="Use letters, digits, '-', '_' and '.', such as test or acme-prod.",
        )


def _unknown(values: Mapping[str, str]) -> list[str]:
    problems = []
    for key in values:
        if key not in KNOWN:
            near = difflib.get_close_matches(key, KNOWN, n=1)
            problems.append(
                f"{key} is not a setting." + (f" Did you mean {near[0]}?" if near else "")
            )
    if values.get(KEY, "environment") not in ("environment", "keyring"):
        problems.append("key must be keyring or environment.")
    return problems


# Changing the file --------------------------------------------------------------------------------


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
                f"{key} has spaces around it, or contains a character that is not printable.",
                suggestion="You can store such a key in the keyring.",
            )
    there = read_profiles()
    if name in there and not replace:
        raise ConfigurationError(
            f"A profile {name!r} already exists.", suggestion="To replace it, pass --replace."
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
    with replacing(path) as part:
        part.write_text(text, "utf-8")
