"""What a caller may hand in, read once, so that all who judge, ask or send see the same."""

from odoo_toolkit.arguments.commands import Command, hold, read_commands, wire
from odoo_toolkit.arguments.values import FieldOf, normalised, owns_lines

__all__ = ["Command", "FieldOf", "hold", "normalised", "owns_lines", "read_commands", "wire"]
