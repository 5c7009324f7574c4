"""One step after the other; what cannot be looked at because of an earlier one says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.doctor.access import look_at_clock, look_at_reports, look_at_rights
from odoo_toolkit.doctor.context import Found
from odoo_toolkit.doctor.credentials import look_at_credentials, look_at_database, look_at_protocol
from odoo_toolkit.doctor.diagnosis import Diagnosis, Step, problem
from odoo_toolkit.doctor.server import look_at_address, look_at_tls, look_at_version
from odoo_toolkit.doctor.settings_check import look_at_settings
from odoo_toolkit.errors import ConfigurationError, OdooError

#: Step -> the steps without which it cannot be taken, and how it is taken.
_STEPS: Mapping[str, tuple[tuple[str, ...], Callable[[Found], Step]]] = {
    "address": (("configuration",), look_at_address),
    "tls": (("address",), look_at_tls),
    "version": (("address", "tls"), look_at_version),
    "database": (("version",), look_at_database),
    "protocol": (("database",), look_at_protocol),
    "credentials": (("database", "protocol"), look_at_credentials),
    "rights": (("credentials",), look_at_rights),
    "reports": (("credentials",), look_at_reports),
    "clock": (("version",), look_at_clock),
}


def diagnose(
    settings: ConnectionSettings | None = None,
    *,
    config: str | Path | None = None,
    origins: Mapping[str, str] | None = None,
    **keywords: Any,
) -> Diagnosis:
    """Look at a connection step by step, and say what is right, what is wrong and what to do.

    Settings come from where :func:`odoo_toolkit.connect` takes them. Nothing is changed in Odoo,
    but that it notes the login, as it does for every connection. It takes some 10 requests, and
    one for each app that is installed, two on 14 and 15. What goes wrong is in the result: nothing
    is raised.

    >>> print(diagnose(url="https://example.odoo.com", username="ann", password="..."))

    Args:
        settings: ready-made settings; excludes ``config`` and keywords.
        config: path of a JSON file with settings.
        origins: by the setting's name, where settings that are given came from, in words; for
            callers that have read them from somewhere else.
        keywords: fields of :class:`~odoo_toolkit.connection.settings.ConnectionSettings`.

    Returns:
        A step each for configuration, address, tls, version, database, protocol, credentials,
        rights, reports and clock. Passwords and keys are nowhere in it.
    """
    known, step = look_at_settings(settings, config, origins or {}, keywords)
    return _examined(known, step)


def wrong_settings(error: ConfigurationError) -> Diagnosis:
    """Return the diagnosis for settings that could not be read, by whoever reads them."""
    return _examined(None, problem(error.message, error.suggestion))


def _examined(settings: ConnectionSettings | None, step: Step) -> Diagnosis:
    steps = {"configuration": attrs.evolve(step, name="configuration")}
    found = Found(settings=settings, http=Http(settings)) if settings else None
    try:
        for name, (_, look) in _STEPS.items():
            steps[name] = _left_out(name, steps) or _taken(name, look, found)
    finally:
        if found:
            found.http.close()
    return Diagnosis(steps=list(steps.values()))


def _left_out(name: str, steps: Mapping[str, Step]) -> Step | None:
    """Return the step as left out, if one of those that it needs did not succeed."""
    failed = [
        needed for needed in _STEPS[name][0] if steps[needed].status in ("problem", "skipped")
    ]
    if not failed:
        return None
    # The step that went wrong, not one that was left out because of it.
    cause = next(step.name for step in steps.values() if step.status == "problem")
    return Step(name=name, status="skipped", meaning=f"Not checked: first solve {cause}.")


def _taken(name: str, look: Callable[[Found], Step], found: Found | None) -> Step:
    assert found is not None  # noqa: S101 - without settings every step is left out
    try:
        step = look(found)
    except OdooError as error:
        step = problem(error.message, error.suggestion)
    return attrs.evolve(step, name=name)
