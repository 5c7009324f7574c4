"""``odoo://system/...``: the connected Odoo, its modules, and this server's toolsets."""

from __future__ import annotations

from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.installation import version
from odoo_toolkit.system_info import ModulesResult, UserInfo, current_user, installed_modules
from odoo_toolkit_mcp.resources.uris import ResourceUri


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
        user=current_user(odoo),
        database=odoo.database,
        url=odoo.settings.url,
        protocol=odoo.protocol,
        mcp_server_version=version(),
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
        mcp_server_version=version(),
        error={key: told[key] for key in ("code", "message", "suggestion", "retry")},
    )


def modules(odoo: Odoo, uri: ResourceUri) -> ModulesResult:
    """Return the installed modules."""
    return installed_modules(odoo)
