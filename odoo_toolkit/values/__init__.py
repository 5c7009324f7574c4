"""Values as Odoo sends and takes them, and as the toolkit gives and takes them, by field type."""

from odoo_toolkit.values.moments import iso_utc, utc_string
from odoo_toolkit.values.shown import ReadOptions, from_wire, rows_from_wire, show_rows

__all__ = [
    "ReadOptions",
    "from_wire",
    "iso_utc",
    "rows_from_wire",
    "show_rows",
    "utc_string",
]
