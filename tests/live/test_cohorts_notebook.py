"""The notebook of cohorts and cash runs on a copy with a year of history, and its figures hold."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from odoo_toolkit import Odoo, connect, search_read
from tests.attacks.servers import copied
from tests.history import write_history
from tests.kit.command import VARIABLES
from tests.live.own import can_be_copied
from tests.live.servers import Server, credentials

pytestmark = pytest.mark.examples

NOTEBOOK = Path(__file__).parents[2] / "docs/cohorts-and-cash.ipynb"
#: Fewer customers than the outputs in the docs have: to write them takes the most time.
BEGUN = (2,) * 12

#: What the notebook has computed, for the tests.
TOLD = """
import json
print(json.dumps({
    "cohorts": {str(row["cohort"]): [row["customers"], row["within 0"], row["within 1"]]
                for row in cohorts.iter_rows(named=True)},
    "company": company["id"],
    "due": due, "expected": expected, "late": sorted(late.pl()["days"].to_list()),
    "before": [row for row in forecast.iter_rows() if row[2] and row[2] < TODAY],
}))
"""


@pytest.fixture(scope="module")
def past(server: Server) -> Iterator[tuple[Server, Odoo]]:
    """A copy of each server, with orders, invoices and payments of a year."""
    if not can_be_copied(server):
        pytest.skip(f"{server.name} cannot be copied.")
    with copied(server) as copy:
        login = credentials(copy.server, copy.server.user("admin"))
        with connect(**login) as odoo:
            write_history(odoo, BEGUN)
            yield copy.server, odoo


@pytest.fixture(scope="module")
def ran(past: tuple[Server, Odoo], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook with new outputs, and a cell more, which tells its figures."""
    server, _ = past
    environment = {name: value for name, value in os.environ.items() if "ODOO" not in name}
    login = credentials(server, server.user("admin"))
    environment |= {VARIABLES[name]: value for name, value in login.items()}
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    notebook.cells.append(nbformat.v4.new_code_cell(TOLD))
    within = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    NotebookClient(notebook, timeout=300, resources=within).execute(env=environment)
    return notebook


@pytest.fixture(scope="module")
def told(ran: Any) -> Any:
    return json.loads(ran.cells[-1].outputs[-1].text)


def test_both_charts_are_drawn(ran: Any) -> None:
    pictures = [
        base64.b64decode(output.data["image/png"])
        for cell in ran.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 2
    assert all(picture.startswith(b"\x89PNG") and len(picture) > 10_000 for picture in pictures)


def test_cohorts_are_those_of_the_orders(past: tuple[Server, Odoo], told: Any) -> None:
    """Counted once more, without Arrow, polars or anything else of the notebook."""
    _, odoo = past
    domain: list[Any] = [["state", "in", ["sale", "done"]], ["company_id", "=", told["company"]]]
    path = "partner_id.commercial_partner_id"
    rows = search_read(odoo, "sale.order", domain, ["date_order", path], limit=None)
    days: dict[int, list[str]] = {}
    this_month = str(datetime.now(UTC).date().replace(day=1))
    # No order of the history, and none of the demo data, is of a night between two months.
    for row in rows.records:
        if (day := row["date_order"][:10]) < this_month:
            days.setdefault(row[path]["id"], []).append(day)
    months: dict[str, list[list[int]]] = {}
    for one in days.values():
        first, *others = sorted(int(day[:4]) * 12 + int(day[5:7]) for day in one)
        months.setdefault(f"{min(one)[:7]}-01", []).append([other - first for other in others[:1]])
    assert len(months) == len(BEGUN)
    for month, found in told["cohorts"].items():
        after = months.pop(month)
        assert found[:2] == [len(after), after.count([0])]
        if found[2] is not None:
            assert found[2] == after.count([0]) + after.count([1])
    assert not months


def test_the_forecast_is_of_all_that_is_open(past: tuple[Server, Odoo], told: Any) -> None:
    _, odoo = past
    domain: list[Any] = [
        ["company_id", "=", told["company"]],
        ["move_id.move_type", "in", ["out_invoice", "out_refund"]],
        ["parent_state", "=", "posted"],
        ["amount_residual", ">", 0],
    ]
    lines = search_read(odoo, "account.move.line", domain, ["amount_residual"], limit=None)
    open_amount = sum(line["amount_residual"] for line in lines.records)
    assert open_amount > 0
    assert sum(told["due"]) == pytest.approx(open_amount)
    assert sum(told["expected"]) == pytest.approx(open_amount)
    assert not told["before"]
    assert told["late"][0] < 0 < told["late"][-1]
