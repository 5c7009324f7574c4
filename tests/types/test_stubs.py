"""Stubs by two checkers without a plugin, and in an editor: right names pass, wrong ones do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit.fields import Field
from odoo_toolkit.stubs import write_stubs
from odoo_toolkit.stubs.source import StubbedModel, package
from odoo_toolkit.testing import FakeServer
from tests.types.editor import Editor
from tests.types.examples import ROOT

pytestmark = pytest.mark.types

STATES = [["draft", "Quotation"], ["sale", "Sales Order"]]
MODELS: dict[str, Any] = {
    "sale.order": {
        "name": "char",
        "state": {"type": "selection", "string": "Status", "store": True, "selection": STATES},
        "partner_id": {
            "type": "many2one",
            "string": "Customer",
            "relation": "res.partner",
            "required": True,
            "store": True,
        },
        "user_id": "many2one res.users",
        "order_line": "one2many sale.order.line order_id",
        "amount_total": "monetary",
        "date_order": "datetime",
        "x_size$": "integer",
        "class": "char",
        "str": "char",
        "list": "char",
        "date": "date",
    },
    "res.partner": {"name": "char", "child_ids": "one2many res.partner parent_id"},
    "sale_order": {"name": "char"},
}

#: A script with stubs. A line that ends with "wrong" must be an error, any other none.
SCRIPT = """
from datetime import date, datetime
from typing import Any, Literal
from typing_extensions import assert_type

from my_odoo import Odoo, connect
from my_odoo.sale_order import SaleOrder, SaleOrderField, SaleOrderRow, SaleOrderValues
from odoo_toolkit import CreateResult, ImportPlan, ImportResult, Plan, WriteResult
from odoo_toolkit import aggregate, search_read
from odoo_toolkit.apps.sales import confirm_order
from odoo_toolkit.fields import Field
from odoo_toolkit.notebook.typed import Many2one

odoo = connect(url="https://example.odoo.com", timeout=5)
connect(usrname="ann")  # wrong
assert_type(odoo, Odoo)
with odoo as entered:
    assert_type(entered, Odoo)

orders = odoo["sale.order"]
assert_type(orders, SaleOrder)
odoo["sale.oder"].search()  # wrong
for row in orders.search([["state", "=", "sale"]], ["name", "partner_id"], limit=5):
    assert_type(row, SaleOrderRow)
    assert_type(row["partner_id"], Many2one)
    assert_type(row["user_id"], Many2one | None)
    assert_type(row["state"], Literal["draft", "sale"] | None)
    assert_type(row["amount_total"], float)
    assert_type(row["order_line"], list[int])
    assert_type(row["date"], str | None)
    assert_type(row["x_size$"], int)
    assert_type(row["class"], str)
    assert_type(row["list"], str)
    row["user_id"]["name"]  # wrong
    row["stat"]  # wrong
    if row["state"] == "sales":  # wrong
        pass
orders.search([], ["*"])
orders.search([], ["nam"])  # wrong
orders.search(limit="5")  # wrong
orders.search([], ["name"]).to_df()
for lazy in orders.iterate(fields=["name"], progress=True):
    assert_type(lazy, SaleOrderRow)
with orders.iterate([], ["nme"]) as records:  # wrong
    assert_type(next(records)["name"], str)
assert_type(orders.read([1], ["name"])[0]["amount_total"], float)
assert_type(orders.changes(fields=["name"]).created, list[SaleOrderRow])

assert_type(orders["state"], Field)
orders["stat"]  # wrong

assert_type(orders.create({"partner_id": 7, "date_order": datetime.now()}), CreateResult)
assert_type(orders.create([{"partner_id": orders.read([1])[0]["partner_id"]}], dry_run=True), Plan)
assert_type(orders.write([1], {"user_id": False, "class": "x", "date": date.today()}), WriteResult)
orders.create({"order_line": [[0, 0, {"product_id": 7}]]}, return_fields=["name"])
orders.create({"partner": 7})  # wrong
orders.create({"partner": 7}, idempotency_key="k")  # wrong
assert_type(orders.upsert([{"name": "S1"}], "name", dry_run=True), ImportPlan)
assert_type(orders.upsert([{"name": "S1"}], "name"), ImportResult)
orders.create({"state": "sales"})  # wrong
orders.write([1], {"amount_total": "much"})  # wrong
orders.write([1], {"name": "S1"}, return_fields=["nam"])  # wrong
values: SaleOrderValues = {"partner_i": 7}  # wrong

FIELDS: tuple[SaleOrderField, ...] = ("name", "state")
orders.with_company("My Company").with_context(lang="fr_FR").search([], FIELDS)

# The library's own functions take the connection, and any name.
search_read(odoo, "sale.order", [], ["partner_id.country_id.code"])
aggregate(odoo, "sale.order", [], ["date_order:month"], ["amount_total:sum"])
confirm_order(odoo, order_id=5)
any_name: dict[str, Any] = search_read(odoo, "x_any").records[0]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a script, and the stubs of an Odoo."""
    folder = tmp_path_factory.mktemp("project")
    write_stubs(FakeServer(MODELS).connect(), [*MODELS], folder / "my_odoo")
    (folder / "script.py").write_text(SCRIPT, "utf-8")
    settings = {"extraPaths": [str(ROOT)], "typeCheckingMode": "strict"}
    # A script that only shows values.
    settings |= {"reportUnusedExpression": "none", "enableTypeIgnoreComments": False}  # type: ignore[dict-item]
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    return folder


def wrong_lines() -> set[tuple[str, int]]:
    lines = SCRIPT.splitlines()
    return {("script.py", n) for n, line in enumerate(lines, 1) if line.endswith("# wrong")}


def by_mypy(project: Path) -> tuple[set[tuple[str, int]], str]:
    """Return where the strict mypy finds errors, and what it says."""
    # The library is checked by `make lint`. A cache of its own, as other options spoil that one.
    cache = ("--cache-dir", ROOT / ".mypy_cache/stubs")
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, cache), "."]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
    )
    assert done.returncode in (0, 1), done.stderr
    # Not those of the library, whose own settings and packages are not here.
    found = re.findall(r"^([^/].*?):(\d+): error", done.stdout, re.MULTILINE)
    return {(path, int(line)) for path, line in found}, done.stdout


def by_pyright(project: Path) -> tuple[set[tuple[str, int]], str]:
    """Return where the strict pyright finds errors, and what it says."""
    python = ("--pythonpath", sys.executable)
    command = [sys.executable, "-m", "pyright", "--outputjson", "--project", str(project), *python]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)["generalDiagnostics"]
    found = [one for one in told if one["severity"] == "error"]
    lines = {
        (str(Path(one["file"]).relative_to(project)), one["range"]["start"]["line"] + 1)
        for one in found
    }
    return lines, done.stdout


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
def test_wrong_names_are_errors_and_nothing_else_is(check: Any, project: Path) -> None:
    lines, told = check(project)
    assert lines == wrong_lines(), told


def test_mypy_says_briefly_what_is_wrong(project: Path) -> None:
    """A model that is not there does not bring up the list of all others."""
    told = by_mypy(project)[1].splitlines()
    about = [line for line in told if "NoSuchModel" in line]
    assert len(about) == 1
    assert '"NoSuchModel" has no attribute "search"' in about[0]
    assert any('Did you mean "state"?' in line for line in told)


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
def test_six_hundred_models_are_not_too_many(check: Any, tmp_path: Path) -> None:
    names = [f"field_number_{number}" for number in range(40)]
    fields = {name: Field(name=name, type="char", string=name) for name in names}
    models = [StubbedModel(name=f"x.m{n}", label="X", fields=fields) for n in range(600)]
    (tmp_path / "my_odoo").mkdir()
    for name, text in package(models, 19).items():
        (tmp_path / "my_odoo" / name).write_text(text, "utf-8")
    script = 'from my_odoo import connect\nconnect()["x.m599"].search([], ["field_number_41"])\n'
    (tmp_path / "script.py").write_text(script, "utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT)]}), "utf-8")
    assert check(tmp_path)[0] == {("script.py", 2)}


def test_an_editor_offers_models_fields_and_values(project: Path) -> None:
    start = 'from my_odoo import connect\nodoo = connect()\norders = odoo["sale.order"]\n'
    start += "row = orders.read([1])[0]\n"
    with Editor(project) as editor:

        def offered(line: str) -> set[str]:
            before, _, after = line.partition("|")
            return set(editor.offered(start + before, f"{after}\n"))

        assert offered('odoo["|"]') == {*MODELS}
        fields = {*MODELS["sale.order"], "id", "display_name"}
        assert offered('orders["|"]') == fields
        assert offered('orders.search([], ["|"])') == {*fields, "*"}
        assert offered('row["|"]') == fields
        assert offered('orders.create({"state": "|"})') == {"draft", "sale"}
        assert offered('row["state"] == "|"') == {"draft", "sale"}
        assert {"search", "create", "with_company"} <= offered("orders.|")
