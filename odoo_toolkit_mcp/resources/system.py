"""``odoo://system/...``: the connected Odoo, its modules, and this server's toolsets."""

from __future__ import annotations

import functools
import importlib.metadata
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.schema import MODULE_MODELS
from odoo_toolkit_mcp.resources.uris import ResourceUri

#: What is told of the user, as far as the policy allows to read it.
_USER_FIELDS = ["name", "login", "company_id", "lang", "tz"]

_INSTALLED = ["installed", "to upgrade", "to remove"]


@attrs.frozen(kw_only=True)
class UserInfo:
    """The user who we are in Odoo; no more than the id where the policy closes ``res.users``."""

    uid: int
    name: str | None = None
    login: str | None = None
    company: dict[str, Any] | None = None
    lang: str | None = None
    tz: str | None = None


@attrs.frozen(kw_only=True)
class SystemInfo:
    """The connected Odoo; what only Odoo can tell is None while it cannot be reached.

    Attributes:
        connection: connected or not connected.
        error: why there is no connection: code, message, suggestion.
    """

    connection: str
    server_version: str | None
    server_edition: str | None
    database: str | None
    url: str
    protocol: str | None
    user: UserInfo | None
    mcp_server_version: str
    error: dict[str, Any] | None = None


def info(odoo: Odoo) -> SystemInfo:
    """Return what the connected Odoo is; one round trip, which shows that it still answers.

    Raises:
        OdooError: Odoo does not answer.
    """
    return SystemInfo(
        connection="connected",
        server_version=odoo.version.full,
        server_edition=odoo.version.edition,
        user=_user(odoo),
        database=odoo.database,
        url=odoo.settings.url,
        protocol=odoo.protocol,
        mcp_server_version=_own_version(),
    )


def without_connection(url: str, database: str | None, error: OdooError) -> SystemInfo:
    """Return what can be told while Odoo cannot be reached, or refuses the login."""
    told = error.to_dict()
    return SystemInfo(
        connection="not connected",
        server_version=None,
        server_edition=None,
        database=database,
        url=url,
        protocol=None,
        user=None,
        mcp_server_version=_own_version(),
        error={key: told[key] for key in ("code", "message", "suggestion", "retry")},
    )


def _own_version() -> str:
    return importlib.metadata.version("odoo-toolkit")


def _user(odoo: Odoo) -> UserInfo:
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
            # The policy's refusal; whether Odoo still answers is what this is read for, too.
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


@attrs.frozen(kw_only=True)
class ModulesResult:
    """Installed modules; ``note`` says where there may be more."""

    modules: list[dict[str, Any]]
    count: int
    note: str = ""


def modules(odoo: Odoo, uri: ResourceUri) -> ModulesResult:
    """Return the installed modules.

    On 14 and 15 only users with Settings rights may read the list; for others it is found out
    which of the well-known modules are there.

    Raises:
        AccessError: the policy does not allow it.
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


def _well_known_modules(odoo: Odoo) -> ModulesResult:
    names = sorted(MODULE_MODELS)
    asked = [functools.partial(odoo.schema.module_installed, name) for name in names]
    installed = side_by_side(asked)
    found = [
        {"name": name, "state": "installed"}
        for name, is_installed in zip(names, installed, strict=True)
        if is_installed
    ]
    return ModulesResult(
        modules=found,
        count=len(found),
        note=f"On Odoo {odoo.version.major} this user may not read the list of modules. Only"
        f" {', '.join(names)} were looked for, each by a model of it that the user can read; a"
        " module whose models the user may not read is missing here.",
    )
