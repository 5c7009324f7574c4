"""Stubs: a package that tells editors and type checkers the models and fields of one's own Odoo."""

from odoo_toolkit.stubs.writing import StubsResult, write_stubs

__all__ = ["StubsResult", "write_stubs"]
