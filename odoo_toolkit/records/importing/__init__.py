"""Importing tables: rows of dictionaries, CSV files and DataFrames into the records of a model."""

from odoo_toolkit.records.importing.results import FailedRow, ImportResult
from odoo_toolkit.records.importing.tables import CsvRows, read_csv
from odoo_toolkit.records.importing.upserting import create_many, upsert, write_many

__all__ = [
    "CsvRows",
    "FailedRow",
    "ImportResult",
    "create_many",
    "read_csv",
    "upsert",
    "write_many",
]
