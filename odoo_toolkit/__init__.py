"""Odoo 14 to 19 from Python: plain, blocking functions.

>>> from odoo_toolkit import connect, search_read
>>> odoo = connect(url="https://example.odoo.com", username="ann", password="...")
>>> search_read(odoo, "res.partner", [["is_company", "=", True]], ["name", "email"])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from odoo_toolkit.client import CallEvent, Odoo, connect
    from odoo_toolkit.connection.settings import ConnectionSettings
    from odoo_toolkit.domains import Domain
    from odoo_toolkit.errors import (
        AccessError,
        ConfigurationError,
        ConstraintError,
        NotFoundError,
        OdooConnectionError,
        OdooError,
        RateLimitError,
        StateError,
        ValidationError,
        WizardRequiredError,
    )
    from odoo_toolkit.policy import Policy
    from odoo_toolkit.records import (
        count,
        create,
        default_get,
        execute,
        fields_get,
        list_models,
        name_get,
        read,
        search_read,
        unlink,
        write,
    )
    from odoo_toolkit.values import ReadOptions

#: module -> the public names that it is the home of. They are imported when they are first used:
#: the MCP server answers before it needs them, and a script pays for what it uses.
_HOMES = {
    "odoo_toolkit.client": ("CallEvent", "Odoo", "connect"),
    "odoo_toolkit.connection.settings": ("ConnectionSettings",),
    "odoo_toolkit.domains": ("Domain",),
    "odoo_toolkit.errors": (
        "AccessError",
        "ConfigurationError",
        "ConstraintError",
        "NotFoundError",
        "OdooConnectionError",
        "OdooError",
        "RateLimitError",
        "StateError",
        "ValidationError",
        "WizardRequiredError",
    ),
    "odoo_toolkit.policy": ("Policy",),
    "odoo_toolkit.records": (
        "count",
        "create",
        "default_get",
        "execute",
        "fields_get",
        "list_models",
        "name_get",
        "read",
        "search_read",
        "unlink",
        "write",
    ),
    "odoo_toolkit.values": ("ReadOptions",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AccessError",
    "CallEvent",
    "ConfigurationError",
    "ConnectionSettings",
    "ConstraintError",
    "Domain",
    "NotFoundError",
    "Odoo",
    "OdooConnectionError",
    "OdooError",
    "Policy",
    "RateLimitError",
    "ReadOptions",
    "StateError",
    "ValidationError",
    "WizardRequiredError",
    "connect",
    "count",
    "create",
    "default_get",
    "execute",
    "fields_get",
    "list_models",
    "name_get",
    "read",
    "search_read",
    "unlink",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOME_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
