"""Environment variables that look like settings of a connection, and that nothing reads."""

from __future__ import annotations

import difflib
import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from odoo_toolkit.configuration import OTHER_NAMES, sources
from odoo_toolkit.connection.settings import CREDENTIALS, ConnectionSettings

logger = logging.getLogger(__name__)

#: The lists of a policy, and all its settings. Only the MCP server takes them from the environment.
POLICY_LISTS = (
    *("model_allowlist", "model_blocklist", "write_allowlist"),
    *("field_blocklist", "method_blocklist"),
)
POLICY_SETTINGS = ("mode", *POLICY_LISTS)

#: Where a name begins so, a setting of the MCP server is meant.
_OF_THE_SERVER = "ODOO_MCP_"

_VARIABLES = {field.name: field.metadata["env"] for field in attrs.fields(ConnectionSettings)}
_MEANT = {
    **{f"ODOO_{name.upper()}": _VARIABLES[meant] for name, meant in OTHER_NAMES.items()},
    "ODOO_DATABASE": _VARIABLES["database"],
    "ODOO_MODE": f"{_OF_THE_SERVER}MODE",
}
_KNOWN = (*_VARIABLES.values(), *(f"{_OF_THE_SERVER}{name.upper()}" for name in POLICY_SETTINGS))

#: What has been logged: each only once.
_told: set[str] = set()


def unread_variables(
    keywords: Mapping[str, Any] | None = None, file: Mapping[str, Any] | None = None
) -> list[str]:
    """Return a sentence for each variable that nothing reads, and that was probably meant.

    Other programs have ``ODOO_*`` variables, too: only names near that of a setting are told, and
    only if this setting is not given.
    """
    given = {*sources(ConnectionSettings, keywords, file=file)}
    if given & CREDENTIALS:
        given |= CREDENTIALS  # one is enough
    there = {_VARIABLES[name] for name in given} | {name for name in _KNOWN if os.environ.get(name)}
    told = []
    for name in sorted(os.environ):
        if not name.startswith("ODOO_") or name.startswith(_OF_THE_SERVER) or name in _KNOWN:
            continue
        near = _MEANT.get(name) or next(iter(difflib.get_close_matches(name, _KNOWN, 1, 0.8)), None)
        if near and near not in there:
            told.append(
                f"The toolkit does not read the environment variable {name}. You may mean {near}."
            )
    return told


def unread_policy(names: Iterable[str]) -> str:
    """Return those of a policy's settings in the environment that close something, in words."""
    found = {name: os.environ.get(f"{_OF_THE_SERVER}{name.upper()}", "").strip() for name in names}
    if found.get("mode", "").lower() == "full":
        del found["mode"]
    return ", ".join(f"{_OF_THE_SERVER}{name.upper()}" for name, value in found.items() if value)


def warn_once(sentences: Iterable[str]) -> None:
    """Log each sentence as a warning, unless this process has logged it before."""
    for sentence in sentences:
        if sentence not in _told:
            _told.add(sentence)
            logger.warning(sentence)
