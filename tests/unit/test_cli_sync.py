"""``odoo-toolkit sync``: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("dlt")

from odoo_toolkit.cli import connecting, output
from odoo_toolkit.errors import make_error
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, connected_to, run, server
from tests.warehouse import Warehouse

__all__ = ["run", "server"]

LONG_AGO = {"create_date": "2020-01-01 00:00:00", "write_date": "2020-01-01 00:00:00"}
URL = "duckdb:///odoo.db"


@pytest.fixture(autouse=True)
def dated(server: FakeServer) -> None:
    for rows in server.records.values():
        for row in rows:
            row |= LONG_AGO


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "odoo.db")


def test_a_line_for_each_table(run: Run, warehouse: Warehouse) -> None:
    result = run("sync", URL, "res.partner", "res.country", "--check")
    assert result.exit_code == 0, result.stderr
    partners, countries = map(json.loads, result.stdout.splitlines())
    assert (partners["table"], partners["loaded"], partners["status"]) == (
        "res_partner",
        2,
        "complete",
    )
    assert (countries["rows"], countries["checked"]) == (1, True)
    assert warehouse.rows("res_partner", "id", "name") == [(7, "Azure"), (8, "Brandon")]


def test_a_table_on_a_terminal(
    run: Run, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odoo_toolkit.cli.syncing.form_of", lambda form: form or "table")
    monkeypatch.setattr(output, "form_of", lambda form: form or "table")
    first, second = run("sync", URL, "res.country").stdout.splitlines()
    columns = "table rows loaded changed deleted left not_accessible checked status"
    assert " ".join(first.split()) == columns
    assert " ".join(second.split()) == "res_country 1 1 0 0 0 0 no complete"


def test_a_table_that_fails_leaves_the_others(run: Run, warehouse: Warehouse) -> None:
    result = run("sync", URL, "res.partnr", "res.country")
    assert result.exit_code == 12
    assert "res.partnr:\nError: " in result.stderr
    assert "1 table of 2 failed. The data from earlier syncs stays." in result.stderr
    assert warehouse.tables() == ["res_country"]


def test_where_all_fail_the_status_is_that_of_the_first(run: Run, server: FakeServer) -> None:
    for method in ("search", "search_read"):
        server.answers["res.country", method] = make_error("ACCESS_DENIED", "No.")
    assert run("sync", URL, "res.country", "res.partnr").exit_code == 5


def test_an_error_names_the_option_that_helps(run: Run, warehouse: Warehouse) -> None:
    assert run("sync", URL, "res.country").exit_code == 0
    result = run("sync", URL, "res.country", "--context", '{"lang": "fr_FR"}')
    assert result.exit_code == 7
    assert "drop and reload the table with --refresh." in result.stderr
    result = run("sync", URL, "res.country", "--context", '{"lang": "fr_FR"}', "--refresh")
    assert result.exit_code == 0


def test_a_number_of_too_many_digits_is_read_with_the_option_that_the_error_names(
    run: Run, server: FakeServer, warehouse: Warehouse
) -> None:
    server.records["sale.order"] = [{"id": 1, "name": "S1", "rate": 1.123, **LONG_AGO}]
    result = run("sync", URL, "sale.order")
    assert result.exit_code == 7
    assert "rate of record 1 of sale.order is 1.123" in result.stderr
    assert "Correct the record in Odoo, or leave the field out. Or pass --no-decimals" in (
        result.stderr
    )
    assert run("sync", URL, "sale.order", "--no-decimals").exit_code == 0
    assert warehouse.rows("sale_order", "id", "rate") == [(1, 1.123)]


def test_a_bundle_or_models_must_be_given(run: Run) -> None:
    result = run("sync", URL)
    assert result.exit_code == 7
    assert "The list of models is empty." in result.stderr


def test_a_column_of_another_type_leaves_the_other_tables(
    run: Run, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("sync", URL, "sale.order", "-f", "name,rate").exit_code == 0
    models = {"sale.order": {"name": "char"}, "res.country": {"name": "char"}}
    without = FakeServer(models, records=dict.fromkeys(models, ()))
    monkeypatch.setattr(connecting, "WatchedOdoo", connected_to(without))
    assert run("sync", URL, "sale.order", "-f", "name").exit_code == 0
    models["sale.order"] = {"name": "char", "rate": "char"}
    later = FakeServer(models, records=dict.fromkeys(models, ()))
    monkeypatch.setattr(connecting, "WatchedOdoo", connected_to(later))
    result = run("sync", URL, "sale.order", "res.country")
    assert result.exit_code == 12
    assert "type of rate has changed" in result.stderr
    assert "--refresh" in result.stderr
    assert json.loads(result.stdout)["table"] == "res_country"
    assert run("sync", URL, "sale.order", "--refresh").exit_code == 0


def test_several_bundles_are_loaded_together(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bundles = {"crm": ("res.partner", "res.country"), "stock": ("res.country", "sale.order")}
    monkeypatch.setattr("odoo_toolkit.dlt.bundles.BUNDLES", bundles)
    result = run("sync", URL, "--bundle", "stock", "--bundle", "crm")
    assert result.exit_code == 0, result.stderr
    tables = [json.loads(line)["table"] for line in result.stdout.splitlines()]
    assert tables == ["res_country", "sale_order", "res_partner"]


def test_a_destination_that_fails_has_the_status_of_the_guide(run: Run) -> None:
    result = run("sync", "duckdb:///none/odoo.db", "res.country")
    assert result.exit_code == 9
    assert "The destination failed: " in result.stderr


def test_the_groups_that_give_a_right_are_named(run: Run, server: FakeServer) -> None:
    denied = make_error(
        "ACCESS_DENIED",
        "No.",
        suggestion="Give this user one of the groups named in the details.",
        details={"groups": ["Sales/User", "Sales/Administrator"]},
    )
    server.answers["res.country", "search_read"] = denied
    assert (
        "one of the groups Sales/User, Sales/Administrator." in run("search", "res.country").stderr
    )


def test_rows_that_stay_for_want_of_rights_are_told(
    run: Run, server: FakeServer, warehouse: Warehouse
) -> None:
    assert run("sync", URL, "res.country").exit_code == 0
    server.answers["res.country", "search"] = []
    server.answers["res.country", "search_count"] = 0
    server.answers["res.country", "formatted_read_group"] = [{"__count": 0, "id:sum": False}]
    server.answers["res.country", "read"] = make_error("ACCESS_DENIED", "Not for you.")
    server.answers["res.country", "search_read"] = []
    result = run("sync", URL, "res.country")
    assert result.exit_code == 0
    assert (
        "Note: res_country: 1 row of records that this user can no longer read stay unchanged."
        in result.stderr
    )
    assert warehouse.rows("res_country", "id") == [(20,)]
