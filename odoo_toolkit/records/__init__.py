"""Records of any model, as ordinary functions: search, read, create, write, unlink, ..."""

from odoo_toolkit.records.execute import execute
from odoo_toolkit.records.models import fields_get, list_models
from odoo_toolkit.records.queries import queries
from odoo_toolkit.records.reading import count, default_get, name_get, read, search_read
from odoo_toolkit.records.wizards import run_wizard
from odoo_toolkit.records.writing import create, unlink, write

__all__ = [
    "count",
    "create",
    "default_get",
    "execute",
    "fields_get",
    "list_models",
    "name_get",
    "queries",
    "read",
    "run_wizard",
    "search_read",
    "unlink",
    "write",
]
