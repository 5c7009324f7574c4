"""Loading into a warehouse, and comparing it with Odoo."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from odoo_toolkit import Odoo, search_read
from odoo_toolkit.dlt import TableReport
from tests.warehouse import Tables

PARTNER, TAG, PRODUCT = "res.partner", "res.partner.category", "product.product"
QUIET = {"tracking_disable": True}


def done(report: TableReport) -> dict[str, int]:
    counts = ("loaded", "changed", "deleted", "left", "not_accessible")
    return {kind: getattr(report, kind) for kind in counts if getattr(report, kind)}


def assert_equal(odoo: Odoo, warehouse: Tables, model: str, domain: list[Any]) -> None:
    """The table and its links have exactly what Odoo has."""
    table = model.replace(".", "_")
    columns = [*warehouse.columns(table)]
    linked = (name.partition(f"{table}__")[2] for name in warehouse.tables())
    links = [name for name in linked if name]
    rows = search_read(
        odoo,
        model,
        domain,
        [*columns, *links],
        limit=None,
        order="id",
        context={"active_test": False},
    ).records
    expected = [tuple(_flat(row[name]) for name in columns) for row in rows]
    found = warehouse.rows(table, *columns)
    assert sorted(tuple(map(_flat, row)) for row in found) == sorted(expected)
    for name in links:
        pairs = sorted((row["id"], other) for row in rows for other in row[name])
        assert warehouse.rows(f"{table}__{name}", "id", "other_id") == pairs


def _flat(value: Any) -> str:
    """Return a value of Odoo or of the warehouse in one form."""
    if isinstance(value, dict):
        return str(value["id"])
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return f"{float(value):.6f}" if not float(value).is_integer() else str(int(value))
    return "" if value in (None, "") else str(value)


#: Syncs, and dies: when it has handed out a page, or when the rows are loaded and nothing is kept.
WORKER = """
import os, signal, sys
from dlt.load.load import Load
from odoo_toolkit import connect
from odoo_toolkit.dlt import batches, sync

def die(*ignored, **more):
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[3] == "reading":
    batches.Batches.ended = batches.Batches.links = die
else:
    Load.complete_package = die
sync(connect(), sys.argv[1], "res.partner", [["name", "like", sys.argv[2]]])
"""
