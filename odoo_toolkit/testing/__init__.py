"""An Odoo in memory, for the tests of your own scripts; needs no server and opens no connection."""

from odoo_toolkit.testing.descriptions import Fields
from odoo_toolkit.testing.server import FakeServer

__all__ = ["FakeServer", "Fields"]
