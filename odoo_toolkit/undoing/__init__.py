"""How writes are taken back: the way back of each is looked up in Odoo; nothing is written."""

from odoo_toolkit.undoing.finding import find
from odoo_toolkit.undoing.parts import Found, Item, Part

__all__ = ["Found", "Item", "Part", "find"]
