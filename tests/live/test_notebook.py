"""The notebook in docs runs from top to bottom in a kernel, and shows what it says it does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from odoo_toolkit import Connection, NotFoundError, Odoo
from tests.kit.command import VARIABLES
from tests.live.servers import Server, User, credentials

pytestmark = pytest.mark.examples

NOTEBOOK = Path(__file__).parents[2] / "docs/explore.ipynb"


@pytest.fixture(scope="module")
def outputs(server: Server, user: User) -> dict[str, Any]:
    """What each cell gives, by its first line of code; a cell that fails unforeseen fails here."""
    environment = {name: value for name, value in os.environ.items() if "ODOO" not in name}
    environment |= {VARIABLES[name]: value for name, value in credentials(server, user).items()}
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(notebook, timeout=120).execute(env=environment)
    return {
        cell.source.split("\n")[0]: cell.outputs[-1]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def html(output: Any) -> str:
    return str(output.data["text/html"])


def test_every_cell_runs_and_shows_what_it_is_there_for(outputs: dict[str, Any]) -> None:
    assert "<b>res.partner</b>" in html(outputs['partners = odoo["res.partner"]'])
    assert "type" in html(outputs['partners.fields("address")'])
    (companies,) = (out for line, out in outputs.items() if line.startswith("NAMES"))
    assert html(companies).count("<tr>") == 1 + 3
    assert "parent_id.country_id.code" in html(outputs["people = partners.search("])
    frame = outputs["frame = orders.search("].data["text/plain"]
    assert "datetime64[s, UTC]" in frame
    assert "category" in frame
    states = outputs["orders.states()"].data
    assert states["text/vnd.mermaid"].startswith("stateDiagram-v2")
    assert "text/html" not in states


def test_errors_are_a_few_lines_with_what_to_do(outputs: dict[str, Any]) -> None:
    (wrong,) = (out for line, out in outputs.items() if line.startswith("partners.search([["))
    assert wrong.output_type == "error"
    assert len(wrong.traceback) <= 4
    assert "did you mean name" in wrong.traceback[0]
    (refused,) = (out for line, out in outputs.items() if line.startswith("partners.write("))
    assert "readonly" in refused.traceback[0]


def test_the_plan_is_a_numbered_list(outputs: dict[str, Any]) -> None:
    (plan,) = (out for line, out in outputs.items() if "create_order" in line)
    assert "Would create a quotation with 2 lines" in html(plan)
    assert html(plan).count("<li>") >= 1


def test_a_model_is_seen_as_each_of_the_users_companies_and_no_other(
    admin: Connection, ordinary: Odoo
) -> None:
    known = {row["id"] for row in admin["res.company"].search(limit=500)}
    partners = ordinary["res.partner"]
    with pytest.raises(NotFoundError) as raised:
        partners.with_company("No such company")
    own = raised.value.details["companies"]
    assert own
    assert known > own.keys()
    for company, name in own.items():
        others = [["company_id", "not in", [company, False]]]
        assert partners.with_company(company).count(others).count == 0
        assert partners.with_company(name).context == {"allowed_company_ids": [company]}
    for company in known - own.keys():
        with pytest.raises(NotFoundError):
            partners.with_company(company)


def test_frames_have_the_types_of_the_fields_on_every_version(odoo: Connection) -> None:
    orders = odoo["sale.order"]
    names = ["name", "state", "partner_id.country_id", "date_order", "amount_total", "order_line"]
    expected = {
        "id": "Int64",
        "name": "string",
        "state": "category",
        "partner_id.country_id": "Int64",
        "partner_id.country_id.name": "string",
        "date_order": "datetime64[s, UTC]",
        "amount_total": "float64",
        "order_line": "object",
    }
    for frame in (
        orders.search([], names, limit=20).to_df(),
        orders.search([["id", "<", 0]], names).to_df(),
        orders.iterate([["id", "<", 40]], names).to_df(),
    ):
        assert {name: str(kind) for name, kind in frame.dtypes.items()} == expected
    groups = orders.aggregate([], ["state", "date_order:month"], ["amount_total:sum"]).to_df()
    assert {name: str(kind) for name, kind in groups.dtypes.items()} == {
        "state": "category",
        "date_order:month": "datetime64[s]",
        "count": "Int64",
        "amount_total:sum": "float64",
    }
