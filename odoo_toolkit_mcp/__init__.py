"""Serves the functions of :mod:`odoo_toolkit` over the Model Context Protocol."""
