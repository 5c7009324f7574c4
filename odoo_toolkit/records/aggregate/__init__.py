"""Counts, sums and averages of groups of records."""

from odoo_toolkit.records.aggregate.aggregation import AggregateResult, aggregate

__all__ = ["AggregateResult", "aggregate"]
