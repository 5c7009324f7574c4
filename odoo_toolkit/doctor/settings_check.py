"""The settings: whether they are right, and where each came from."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.configuration import read_file, sources, unknown_keys
from odoo_toolkit.connection.settings import ConnectionSettings, connection_settings
from odoo_toolkit.connection.variables import unread_variables
from odoo_toolkit.doctor.diagnosis import Step, ok, problem, warning
from odoo_toolkit.errors import ConfigurationError

#: Where a key of the file begins so, a setting of the MCP server is meant.
_OF_THE_SERVER = "odoo_mcp_"

_AGAIN = "Correct that, and run this again."


def look_at_settings(
    settings: ConnectionSettings | None,
    config: str | Path | None,
    origins: Mapping[str, str],
    keywords: Mapping[str, Any],
) -> tuple[ConnectionSettings | None, Step]:
    """Return the settings, None where they are wrong, and what is to be said of them.

    Args:
        settings: ready-made ones; the others are then not read.
        config: path of a JSON file.
        origins: where settings given as keywords came from, in words.
        keywords: the settings given by keyword.
    """
    if settings is not None:
        rows = [
            _row(field, getattr(settings, field.name), origins.get(field.name, "settings"))
            for field in attrs.fields(ConnectionSettings)
            if getattr(settings, field.name) != field.default
        ]
        if problems := ConnectionSettings.check(attrs.asdict(settings, recurse=False)):
            return None, problem(" ".join(problems), _AGAIN, rows)
        return settings, _judged(settings, rows, [])
    try:
        file = read_file(config) if config else {}
    except ConfigurationError as error:
        return None, problem(error.message, "Check its path and content. It must be JSON.")
    rows = _given(config, file, origins, keywords)
    try:
        settings = connection_settings(config, **keywords)
    except ConfigurationError as error:
        problems = [str(found) for found in error.details["problems"]]
        hints = _unread(file, keywords)
        advice = " ".join([*hints, _AGAIN]) if hints else _how_to_give(rows)
        return None, problem(_without_login(" ".join(problems)), advice, rows)
    return settings, _judged(
        settings, rows, _unread(file, keywords) + _open_to_others(config, file)
    )


def _given(
    config: str | Path | None,
    file: Mapping[str, Any],
    origins: Mapping[str, str],
    keywords: Mapping[str, Any],
) -> list[dict[str, Any]]:
    fields = attrs.fields_dict(ConnectionSettings)
    rows = []
    for name, (source, named, raw) in sources(ConnectionSettings, keywords, file=file).items():
        origin = {
            "keyword": origins.get(name) or f"keyword {named}",
            "environment": f"environment variable {named}",
            "file": f"{named} in {config}",
        }[source]
        rows.append(_row(fields[name], raw, origin))
    return rows


def _row(field: attrs.Attribute[Any], value: Any, origin: str) -> dict[str, Any]:
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    shown = "***" if field.metadata["secret"] else _without_login(str(value))
    return {"setting": field.name, "value": shown, "from": origin}


def _without_login(text: str) -> str:
    """Return a text without the user and password of an address in it."""
    return re.sub(r"[^\s'\"]+:[^\s'\"]*@", "***@", text)


def _judged(settings: ConnectionSettings, rows: list[dict[str, Any]], hints: list[str]) -> Step:
    key = settings.api_key
    if key and not (key.isascii() and key.reveal().split() == [key.reveal()]):
        return problem(
            "The API key (ODOO_API_KEY) contains spaces, line breaks or letters that are never "
            "part of a key.",
            "Copy the key again, without anything before or after it.",
            rows,
        )
    number = len(rows)
    told = f"{number} setting{' is' if number == 1 else 's are'} given, and valid; the others have"
    told += " their defaults."
    return warning(told, " ".join(hints), rows) if hints else ok(told, rows)


def _how_to_give(rows: list[dict[str, Any]]) -> str:
    if rows:
        return _AGAIN
    return (
        "Nothing is set yet. Set ODOO_URL, ODOO_USERNAME, and ODOO_PASSWORD or ODOO_API_KEY, "
        "in the environment, as keywords or in a settings file. Then run this again."
    )


def _unread(file: Mapping[str, Any], keywords: Mapping[str, Any]) -> list[str]:
    """Return sentences for what is set under a name that is not read, and was probably meant."""
    own = {key: value for key, value in file.items() if not key.startswith(_OF_THE_SERVER)}
    return unknown_keys(own, [ConnectionSettings]) + unread_variables(keywords, file)


def _open_to_others(config: str | Path | None, file: Mapping[str, Any]) -> list[str]:
    """Return a sentence where a file that others can read holds a password or key."""
    secrets = [
        f.metadata["env"].lower() for f in attrs.fields(ConnectionSettings) if f.metadata["secret"]
    ]
    if config is None or os.name != "posix" or not any(file.get(name) for name in secrets):
        return []
    if not stat.S_IMODE(os.stat(config).st_mode) & (stat.S_IRGRP | stat.S_IROTH):
        return []
    return [f"Other users of this machine can read the secret in {config}. Run chmod 600 {config}."]
