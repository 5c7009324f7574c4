"""Odoo's records in a warehouse, kept up to date by dlt; see the guide.

It needs dlt and pyarrow: ``pip install 'odoo-toolkit-mcp[dlt]'``.

>>> from odoo_toolkit.dlt import sync
>>> sync(odoo, "duckdb:///odoo.db", "sale.order").status
'complete'
"""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.dlt.bundles import BUNDLES
from odoo_toolkit.dlt.loading import sync
from odoo_toolkit.dlt.reports import TableReport
from odoo_toolkit.dlt.source import odoo_source, odoo_table, reports

__all__ = ["BUNDLES", "TableReport", "odoo_source", "odoo_table", "reports", "sync"]

readable_signatures(globals())
