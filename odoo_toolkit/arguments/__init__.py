"""What a caller hands in, read once: each kind has one reader, which returns a typed object.

The object knows every field that is named in it, and its form on the wire.
"""

from odoo_toolkit.arguments.commands import Command, Records, Values, hold, read_commands, wire
from odoo_toolkit.arguments.domain import (
    DOMAIN_HELP,
    Domain,
    check_domain,
    read_domain,
    resolve_domain,
    resolved_domain,
)
from odoo_toolkit.arguments.fields import Named, named
from odoo_toolkit.arguments.order import Order, Term, read_order
from odoo_toolkit.arguments.records import to_wire
from odoo_toolkit.arguments.values import owns_lines, read_values, with_values

__all__ = [
    "DOMAIN_HELP",
    "Command",
    "Domain",
    "Named",
    "Order",
    "Records",
    "Term",
    "Values",
    "check_domain",
    "hold",
    "named",
    "owns_lines",
    "read_commands",
    "read_domain",
    "read_order",
    "read_values",
    "resolve_domain",
    "resolved_domain",
    "to_wire",
    "wire",
    "with_values",
]
