"""Business operations of Odoo's apps: one module or package per app."""
