"""What makes a function an operation; its home is :mod:`odoo_toolkit.plans`."""

from odoo_toolkit.plans import operation as operation
