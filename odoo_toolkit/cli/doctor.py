"""``odoo-toolkit doctor``: what is right and wrong with the connection, and what to do."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import click

from odoo_toolkit.cli.connecting import State, chosen, complete_profile, open_odoo
from odoo_toolkit.cli.doctor_plugins import look_at_plugins
from odoo_toolkit.cli.exit_codes import STATUS
from odoo_toolkit.cli.keys import KEYS
from odoo_toolkit.cli.output import as_json as to_json
from odoo_toolkit.cli.output import print_text
from odoo_toolkit.cli.profiles import Chosen, choose
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.doctor import Diagnosis, Step, diagnose, wrong_settings
from odoo_toolkit.doctor.diagnosis import MARKS, Status, step_lines
from odoo_toolkit.doctor.policy_names import look_at_lists
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.installation import version

_COLORS: Mapping[Status, str] = {
    "ok": "green",
    "warning": "yellow",
    "problem": "red",
    "skipped": "bright_black",
}

#: Marks for terminals that have letters only.
_PLAIN: Mapping[Status, str] = {"ok": "+", "warning": "!", "problem": "x", "skipped": "-"}

#: Step that found a problem -> the category of errors whose exit status is used; else connection.
_CATEGORIES = {
    "configuration": "configuration",
    "database": "configuration",
    "plugins": "configuration",
    "credentials": "access",
    "rights": "access",
    "reports": "access",
}

#: How settings are called besides their names, which a profile does not know.
_VARIABLE = re.compile(r" \(ODOO_\w+\)")


@click.command()
@click.option(
    "--profile",
    metavar="NAME",
    shell_complete=complete_profile,
    help="Profile to check. Default: ODOO_PROFILE. To list profiles: odoo-toolkit profiles.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def doctor(context: click.Context, profile: str | None, as_json: bool) -> None:
    """Say step by step what is right and wrong with the connection, and what to do.

    The plugins that ODOO_MCP_PLUGINS and ODOO_MCP_PLUGIN_FILES name are looked at, too. Nothing is
    changed in Odoo, but that it notes the login. The exit status is 0 unless something
    is a problem: 3 settings or database, 4 connection, 5 credentials or rights.
    """
    state = context.ensure_object(State)
    name = profile or state.profile or os.environ.get("ODOO_PROFILE") or None
    diagnosis = _of_profile(name, state.mode) if name else diagnose()
    logged_in = diagnosis.step("rights").status != "skipped"
    plugins = look_at_plugins((lambda: open_odoo(chosen(context, profile))) if logged_in else None)
    lists = _of_lists(chosen(context, profile)) if logged_in else None
    if more := [step for step in (lists, plugins) if step]:
        diagnosis = attrs.evolve(diagnosis, steps=[*diagnosis.steps, *more])
    if as_json:
        told = {"toolkit": version(), **diagnosis.to_dict()}
        print_text(to_json(told, indent=2) + "\n")
    else:
        for line in _lines(diagnosis):
            click.echo(line)
    found = next((step for step in diagnosis.steps if step.status == "problem"), None)
    if found:
        state.status = STATUS[_CATEGORIES.get(found.name, "connection")]


def _of_profile(name: str, mode: str | None) -> Diagnosis:
    try:
        chosen = choose(name, mode)
    except ConfigurationError as error:
        return wrong_settings(error)
    origins = {field.name: f"profile {name}" for field in attrs.fields(ConnectionSettings)}
    if chosen.key_from == "keyring":
        origins |= dict.fromkeys(KEYS, "keyring")
    elif chosen.key_from == "environment":
        origins |= {key: f"environment variable ODOO_{key.upper()}" for key in KEYS}
    diagnosis = diagnose(chosen.settings, origins=origins)
    return attrs.evolve(diagnosis, steps=[_by_name(step) for step in diagnosis.steps])


def _of_lists(found: Chosen) -> Step | None:
    """Return what the names in the lists are worth; None where there are no lists."""
    if not (found.policy.closes or found.policy.write_allowlist):
        return None
    with open_odoo(found) as odoo:
        return look_at_lists(odoo, found.policy)


def _by_name(step: Step) -> Step:
    """Return a step that does not name the variables that a profile leaves unread."""
    changed: dict[str, Any] = {
        "meaning": _VARIABLE.sub("", step.meaning),
        "advice": _VARIABLE.sub("", step.advice),
    }
    return attrs.evolve(step, **changed)


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    marks = MARKS if _writes("".join(MARKS.values())) else _PLAIN
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for step in diagnosis.steps:
        mark = click.style(marks[step.status], fg=_COLORS[step.status])
        yield from step_lines(step, mark, width)


def _writes(text: str) -> bool:
    """Whether standard output can show the characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
