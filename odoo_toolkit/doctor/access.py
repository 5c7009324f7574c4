"""What can be done there: modules and rights, reports; and the clock."""

from __future__ import annotations

import functools
from typing import Any

import attrs

from odoo_toolkit.app_models import APPS
from odoo_toolkit.call import asking
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.doctor.context import Found
from odoo_toolkit.doctor.diagnosis import Step, ok, problem, skipped, warning
from odoo_toolkit.errors import NotFoundError
from odoo_toolkit.records.system_info import installed_modules

#: Toolsets that are not named like the app whose models they are for.
_NAMES = {"discuss": "chatter"}

#: Toolsets that belong to no app -> the module they need, if any, and their main model.
_OF_NO_APP = {
    "core": ("", "res.partner"),
    "contacts": ("", "res.partner"),
    "attachments": ("", "ir.attachment"),
    "mail": ("mail", "mail.message"),
}

#: From this version on one question tells which models the user may read, unless from outside.
_READABLE_TOLD_SINCE = 16

#: Seconds that two clocks may differ: an answer takes a while, and tells whole seconds.
_CLOCK_MARGIN = 30

#: What Odoo says of wkhtmltopdf -> what it means, what to do.
_PDF_STATES = {
    "install": (
        "Odoo cannot make PDFs: wkhtmltopdf is missing on the server.",
        "Install wkhtmltopdf 0.12.6 (with patched Qt) on the server, and restart Odoo.",
    ),
    "upgrade": (
        "Odoo cannot make proper PDFs: wkhtmltopdf on the server is too old.",
        "Install wkhtmltopdf 0.12.6 (with patched Qt) on the server, and restart Odoo.",
    ),
    "broken": (
        "Odoo cannot make PDFs: wkhtmltopdf on the server does not work.",
        "Run it by hand on the server to see the error. After fixing it, restart Odoo.",
    ),
    "workers": (
        "Odoo runs with one worker, but PDFs need two.",
        "Set workers to at least 2 in the configuration of the server.",
    ),
}


@attrs.frozen
class _Toolset:
    """A toolset, the module it needs, and its main models by the module that brings them."""

    name: str
    module: str
    models: tuple[tuple[str, str], ...]


def toolsets() -> list[_Toolset]:
    """Return the toolsets that have main models, those of no app first."""
    found = [_Toolset(name, main[0], (main,)) for name, main in _OF_NO_APP.items()]
    for app, models in APPS.items():
        main = tuple((model.module, model.name) for model in models if model.module)
        if main:
            found.append(_Toolset(_NAMES.get(app, app), main[0][0], main))
    return found


def look_at_rights(found: Found) -> Step:
    """Say which toolsets have their module, and what the user may do with their main models."""
    modules = installed_modules(found.connection)
    installed = {"", *(row["name"] for row in modules.modules)}
    present = {
        toolset.name: [model for module, model in toolset.models if module in installed]
        for toolset in toolsets()
        if toolset.module in installed
    }
    models = list(dict.fromkeys(model for names in present.values() for model in names))
    readable = _readable(found, models)
    may_create = functools.partial(found.connection.schema.may, operation="create")
    creates = side_by_side([functools.partial(may_create, model) for model in readable])
    creatable = {model for model, may in zip(readable, creates, strict=True) if may}
    rows = []
    for toolset in toolsets():
        mine = present.get(toolset.name)
        rows.append(
            {
                "toolset": toolset.name,
                "active": mine is not None,
                "may_read": [model for model in mine or () if model in readable],
                "may_create": [model for model in mine or () if model in creatable],
                "note": _note(toolset, mine, readable, bool(modules.note)),
            }
        )
    return _judged(rows)


def look_at_reports(found: Found) -> Step:
    """Say whether Odoo can make PDFs."""
    call = asking("ir.actions.report", "get_wkhtmltopdf_state")
    try:
        state = found.connection.call(call)
    except NotFoundError:
        return skipped("This version of Odoo does not report whether it can make PDFs.")
    if state in _PDF_STATES:
        return warning(*_PDF_STATES[state])
    if found.settings.password and found.settings.username:
        return ok("Odoo can make PDFs.")
    return ok(
        "Odoo can make PDFs. With only an API key, the toolkit gets them through e-mail "
        "templates, which write temporarily. If you also set the password, Odoo prints every "
        "report directly."
    )


def look_at_clock(found: Found) -> Step:
    """Compare the server's clock with that of this machine."""
    ahead = found.http.clock_ahead
    if ahead is None:
        return skipped("The server does not report its time.")
    if abs(ahead) <= _CLOCK_MARGIN:
        return ok(f"The clocks of the server and of this machine agree, within {_CLOCK_MARGIN} s.")
    return warning(
        f"The server's clock is {_duration(abs(ahead))} {'ahead of' if ahead > 0 else 'behind'} "
        "the clock of this machine, so datetimes from Odoo differ by as much.",
        "Synchronize the wrong clock with NTP. timedatectl shows whether this machine is "
        "synchronized.",
    )


def _readable(found: Found, models: list[str]) -> list[str]:
    """Return those of the models that the user may read."""
    schema = found.connection.schema
    if found.major >= _READABLE_TOLD_SINCE and not found.of_user.get("share"):
        told = schema.models()
        return [model for model in models if model in told]
    may = side_by_side([functools.partial(schema.may, model, "read") for model in models])
    return [model for model, yes in zip(models, may, strict=True) if yes]


def _note(toolset: _Toolset, mine: list[str] | None, readable: list[str], unsure: bool) -> str:
    if mine is None:
        or_closed = ", or not open to this user" if unsure else ""
        return f"module {toolset.module} is not installed{or_closed}"
    closed = [model for model in mine if model not in readable]
    return f"this user cannot read {', '.join(closed)}" if closed else ""


def _judged(rows: list[dict[str, Any]]) -> Step:
    if not any(row["may_read"] for row in rows):
        return problem(
            "This user cannot read any of the main models, not even contacts.",
            "Connect as another user, or ask an administrator to give this user permissions, in "
            "Settings, Users.",
            rows,
        )
    active = [row["toolset"] for row in rows if row["active"]]
    closed = [row["toolset"] for row in rows if row["active"] and not row["may_read"]]
    told = f"The modules of {len(active)} of {len(rows)} toolsets are installed."
    if closed:
        return warning(
            f"{told} This user has no permissions for: {', '.join(closed)}.",
            "If you need them, ask an administrator to give the user the permissions, in "
            "Settings, Users.",
            rows,
        )
    return ok(f"{told} This user has permissions for each of them.", rows)


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
