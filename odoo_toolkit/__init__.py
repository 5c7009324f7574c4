"""Odoo 14 to 19 from Python: plain, blocking functions.

>>> from odoo_toolkit import connect, search_read
>>> odoo = connect(url="https://example.odoo.com", username="ann", password="...")
>>> search_read(odoo, "res.partner", [["is_company", "=", True]], ["name", "email"])
"""

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
