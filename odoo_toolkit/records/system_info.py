"""Functions that return the connected user and the installed modules."""

from __future__ import annotations

import functools
from typing import Any

import attrs

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.app_models import MODULES
from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import AccessError, OdooError

_USER_FIELDS = ["name", "login", "company_id", "lang", "tz"]

_INSTALLED = ["installed", "to upgrade", "to remove"]


@attrs.frozen(kw_only=True)
class UserInfo(Shown):
    """The connected Odoo user. Only the id if the policy blocks ``res.users``."""

    uid: int
    name: str | None = None
    login: str | None = None
    company: dict[str, Any] | None = None
    lang: str | None = None
    tz: str | None = None


@attrs.frozen(kw_only=True)
class ModulesResult(Shown):
    """The installed modules. ``note`` says if there may be more."""

    modules: list[dict[str, Any]]
    count: int
    note: str = ""


def current_user(odoo: Odoo) -> UserInfo:
    """Return the connected user. Use it to check that Odoo still responds.

    It takes 1 request.

    Raises:
        OdooError: Odoo does not answer.
    """
    call = Call(
        model="res.users",
        method="read",
        ids=(odoo.uid,),
        arguments={"fields": _USER_FIELDS},
        step=True,
    )
    try:
        (row,) = odoo.call(call)
    except AccessError as error:
        if error.code != "ACCESS_DENIED":
            # The policy's refusal; whether Odoo still answers is what this is asked for, too.
            odoo.call(attrs.evolve(call, internal=True))
        return UserInfo(uid=odoo.uid)
    company = row.get("company_id")
    return UserInfo(
        uid=odoo.uid,
        name=row.get("name") or None,
        login=row.get("login") or None,
        company={"id": company[0], "name": company[1]} if company else None,
        lang=row.get("lang") or None,
        tz=row.get("tz") or None,
    )


def installed_modules(odoo: Odoo) -> ModulesResult:
    """Return the installed modules.

    On Odoo 14 and 15 only users with Settings rights can read the list. For other users the toolkit
    finds out which well-known modules are installed.

    Raises:
        AccessError: The policy does not allow it.
    """
    arguments = {
        "domain": [["state", "in", _INSTALLED]],
        "fields": ["name", "state", "shortdesc", "latest_version"],
        "order": "name",
    }
    call = Call(model="ir.module.module", method="search_read", arguments=arguments, step=True)
    try:
        rows = odoo.call(call)
    except AccessError as error:
        if error.code != "ACCESS_DENIED":
            raise
        return _well_known_modules(odoo)
    found = [
        {
            "name": row["name"],
            "state": row["state"],
            "shortdesc": row["shortdesc"] or "",
            # So Odoo calls the version that is installed.
            "version": row["latest_version"] or None,
        }
        for row in rows
    ]
    return ModulesResult(modules=found, count=len(found))


def installed_apps(odoo: Odoo) -> dict[str, str]:
    """Return the installed apps as module -> name. The list is cached.

    It is empty if this user can't read the list, as for most users of Odoo 14 and 15.
    """
    if odoo.policy.model_problem("ir.module.module", "read"):
        return {}
    call = asking(
        "ir.module.module",
        "search_read",
        domain=[["state", "in", _INSTALLED], ["application", "=", True]],
        fields=["name", "shortdesc"],
        order="name",
    )
    try:
        rows = odoo.schema.remember("installed apps", lambda: odoo.call(call))
    except OdooError:
        return {}
    return {row["name"]: row["shortdesc"] or "" for row in rows}


def _well_known_modules(odoo: Odoo) -> ModulesResult:
    names = sorted(MODULES)
    installed = side_by_side([functools.partial(odoo.schema.module_installed, n) for n in names])
    found = [
        {"name": name, "state": "installed"}
        for name, is_installed in zip(names, installed, strict=True)
        if is_installed
    ]
    return ModulesResult(
        modules=found,
        count=len(found),
        note=f"On Odoo {odoo.version.major}, this user cannot read the list of modules. The "
        f"toolkit looked only for {', '.join(names)}, by models of these modules that the "
        "user can read.",
    )


readable_signatures(globals())
