"""What the doctor says of the plugins that the MCP server is told to use."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.configuration import comma_list, load, read_file, setting
from odoo_toolkit.doctor.diagnosis import Step, ok, problem, warning
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit.plugins import Plugin
from odoo_toolkit.plugins import load as load_plugins
from odoo_toolkit.plugins.against_odoo import problems_in_odoo

#: The step's name.
PLUGINS = "plugins"

_CONFIG = "ODOO_MCP_CONFIG"


@attrs.frozen
class _Admitted:
    """The settings of the server that name plugins; see docs/plugins.md."""

    plugins: tuple[str, ...] = setting("ODOO_MCP_PLUGINS", parse=comma_list, default=())
    files: tuple[str, ...] = setting("ODOO_MCP_PLUGIN_FILES", parse=comma_list, default=())


def look_at_plugins(connect: Callable[[], Odoo] | None) -> Step | None:
    """Return which plugins can be used and why others cannot; None where none is admitted.

    Args:
        connect: opens the connection, in which their models are looked for; None where there is
            none that works.
    """
    try:
        config = os.environ.get(_CONFIG)
        admitted, problems = load(_Admitted, file=read_file(config) if config else {})
    except ConfigurationError as error:
        step = problem(error.message, f"Correct {_CONFIG}, and run the command again.")
        return attrs.evolve(step, name=PLUGINS)
    if admitted is None:
        step = problem(" ".join(problems), "Correct this, and run the command again.")
    elif not (admitted.plugins or admitted.files):
        return None
    else:
        step = _loaded(admitted, connect)
    return attrs.evolve(step, name=PLUGINS)


def _loaded(admitted: _Admitted, connect: Callable[[], Odoo] | None) -> Step:
    logging.disable()  # the reasons are logged for servers; here they stand in the table
    try:
        loaded = load_plugins(admitted.plugins, admitted.files)
    finally:
        logging.disable(logging.NOTSET)
    wrong = {refused.name: refused.reason for refused in loaded.refused}
    right = [_row(plugin.name, plugin.version, "") for plugin in loaded.plugins]
    if connect and loaded.plugins:
        with connect() as odoo:
            right = [
                _row(plugin.name, plugin.version, _not_for(odoo, plugin))
                for plugin in loaded.plugins
            ]
    rows = right + [_row(name, "", reason) for name, reason in wrong.items()]
    used = sum(bool(row["used"]) for row in rows)
    told = f"The MCP server can use {used} of the {len(rows)} in its settings."
    if not connect:
        told += " Their models were not checked, because there is no connection."
    if used == len(rows):
        return ok(told, rows)
    return warning(
        told,
        "Correct the plugins as the table says, or remove them from ODOO_MCP_PLUGINS or"
        " ODOO_MCP_PLUGIN_FILES. To list the errors of one plugin, run 'odoo-toolkit plugin check"
        " NAME'.",
        rows,
    )


def _row(name: str, version: str, reason: str) -> dict[str, Any]:
    return {"plugin": name, "version": version, "used": not reason, "why_not": reason}


def _not_for(odoo: Odoo, plugin: Plugin) -> str:
    """Return why the server leaves a plugin out for this Odoo; empty if it does not."""
    try:
        major = odoo.version.major
        if major < (plugin.min_odoo or major) or major > (plugin.max_odoo or major):
            return f"It does not support Odoo {major}."
        return " ".join(problems_in_odoo(odoo, plugin))
    except OdooError as error:
        return error.message
