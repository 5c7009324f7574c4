"""Records of any model, as ordinary functions: search, read, create, write, unlink, ..."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.records.aggregate import aggregate
from odoo_toolkit.records.arrow import to_arrow
from odoo_toolkit.records.changes import changes
from odoo_toolkit.records.execute import execute
from odoo_toolkit.records.export import export
from odoo_toolkit.records.importing import create_many, read_csv, upsert, write_many
from odoo_toolkit.records.iterate import iterate
from odoo_toolkit.records.models import fields_get, list_models
from odoo_toolkit.records.queries import run_queries
from odoo_toolkit.records.reading import count, default_get, name_get, read, search_read
from odoo_toolkit.records.wizards import run_wizard
from odoo_toolkit.records.writing import create, unlink, write

__all__ = [
    "aggregate",
    "changes",
    "count",
    "create",
    "create_many",
    "default_get",
    "execute",
    "export",
    "fields_get",
    "iterate",
    "list_models",
    "name_get",
    "read",
    "read_csv",
    "run_queries",
    "run_wizard",
    "search_read",
    "to_arrow",
    "unlink",
    "upsert",
    "write",
    "write_many",
]

readable_signatures(globals())
