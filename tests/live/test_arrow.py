"""Arrow streams of real servers: the types and values of every version, and other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Odoo,
    OdooError,
    aggregate,
    create,
    export,
    iterate,
    search_read,
    to_arrow,
    unlink,
    upsert,
    write,
)
from tests.live.conftest import admin, ordinary, server

__all__ = ["admin", "ordinary", "server"]

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

QUIET = {"tracking_disable": True}
#: Models with fields of every type, on all versions.
MODELS = {
    "sale.order": ["name", "amount_total", "currency_id", "state", "date_order", "order_line"],
    "account.move.line": ["move_id", "balance", "date", "quantity", "parent_state", "tax_ids"],
    "product.template": ["name", "list_price", "weight", "categ_id", "active", "type"],
    "res.users": ["login", "partner_id.country_id.code", "groups_id.name", "company_ids"],
}


@pytest.fixture
def partners(admin: Odoo, suffix: str) -> Iterator[list[int]]:
    """Contacts, the first with values and the second without."""
    values: list[dict[str, Any]] = [{"name": f"{suffix} {at}", "ref": suffix} for at in range(25)]
    values[0] |= {"email": "a@example.com", "color": 3, "comment": "<p>Hello</p>"}
    ids = create(admin, "res.partner", values, context=QUIET).ids
    yield ids
    unlink(admin, "res.partner", ids)


@pytest.mark.parametrize("model", MODELS)
def test_values_are_those_of_a_search(admin: Odoo, model: str) -> None:
    named = search_read(admin, model, [], ["id"], limit=300, order="id desc")
    domain = [["id", "in", [row["id"] for row in named]]]
    known = admin.schema.fields(model)
    fields = [name for name in MODELS[model] if name.partition(".")[0] in known]
    stream = to_arrow(admin, model, domain, fields, batch=120)
    rows = pa.table(stream).to_pylist()
    expected = list(iterate(admin, model, domain, fields))
    assert len(rows) == len(expected) > 0
    for row, record in zip(rows, expected, strict=True):
        for name in fields:
            value, wanted = row[name], record[name]
            if isinstance(wanted, dict):
                assert (value, row[f"{name}.name"]) == (wanted["id"], wanted["name"] or None)
            elif isinstance(wanted, float):
                assert float(value) == pytest.approx(wanted, abs=1e-9)
            elif name.count(".") == 0 and known[name].type in ("date", "datetime"):
                shown = value and value.isoformat().replace("+00:00", "Z")
                assert shown == wanted
            elif name.endswith("s_id.name"):
                assert value is not None
            else:
                assert value == (None if wanted == "" else wanted)


def test_the_sum_of_the_amounts_is_that_of_the_database(admin: Odoo) -> None:
    domain = [["state", "=", "posted"], ["move_type", "=", "out_invoice"]]
    (known,) = aggregate(admin, "account.move", domain, [], ["amount_total_signed:sum"]).records
    table = pa.table(to_arrow(admin, "account.move", domain, ["amount_total_signed"]))
    assert table.num_rows == known["count"]
    total = sum(table["amount_total_signed"].to_pylist(), Decimal(0))
    assert float(total) == pytest.approx(known["amount_total_signed:sum"], abs=1e-4)


def test_empty_and_missing_are_the_same(admin: Odoo, partners: list[int]) -> None:
    write(admin, "res.partner", partners[2:4], {"email": "", "street": ""}, context=QUIET)
    write(admin, "res.partner", partners[3:4], {"email": False}, context=QUIET)
    fields = ["email", "street", "parent_id", "parent_id.ref", "child_ids", "color"]
    rows = pa.table(to_arrow(admin, "res.partner", [["id", "in", partners[:4]]], fields))
    first, *others = rows.to_pylist()
    assert (first["email"], first["color"]) == ("a@example.com", 3)
    for row in others:
        assert {name: value for name, value in row.items() if value is not None} == {
            "id": row["id"],
            "child_ids": [],
            "color": 0,
        }


def test_translated_texts_are_in_the_language_asked(admin: Odoo) -> None:
    def names(context: dict[str, Any]) -> list[str]:
        domain = [["code", "in", ["BE", "DE"]]]
        table = pa.table(to_arrow(admin, "res.country", domain, ["name"], context=context))
        return table["name"].to_pylist()

    installed = search_read(admin, "res.lang", [["active", "=", True]], ["code"], limit=None)
    assert names({"lang": "en_US"}) == ["Belgium", "Germany"]
    if "fr_FR" in {row["code"] for row in installed}:
        found = search_read(
            admin, "res.country", [["code", "in", ["BE", "DE"]]], ["name"], order="id",
            context={"lang": "fr_FR"},
        )  # fmt: skip
        assert names({"lang": "fr_FR"}) == [row["name"] for row in found]


@pytest.mark.parametrize("suffix_", [".parquet", ".arrow"])
def test_a_file_has_every_record(
    admin: Odoo, partners: list[int], suffix: str, tmp_path: Path, suffix_: str
) -> None:
    stream = to_arrow(admin, "res.partner", [["ref", "=", suffix]], ["name", "type"], batch=7)
    path = tmp_path / f"a{suffix_}"
    assert stream.write(path).rows == len(partners)
    table = pq.read_table(path) if suffix_ == ".parquet" else pa.ipc.open_file(path).read_all()
    assert table["id"].to_pylist() == partners


def test_an_exported_parquet_file_imported_again_changes_nothing(
    admin: Odoo, partners: list[int], suffix: str, tmp_path: Path
) -> None:
    fields = ["name", "ref", "email", "color", "type", "country_id", "category_id"]
    path = tmp_path / "a.parquet"
    export(admin, "res.partner", [["ref", "=", suffix]], fields, path, external_ids=False)
    frame = pq.read_table(path).to_pandas()
    result = upsert(admin, "res.partner", frame, key=".id")
    assert (result.unchanged, result.failed) == (len(partners), [])


def test_years_of_fewer_than_four_digits_are_read(admin: Odoo, partners: list[int]) -> None:
    """Odoo sends them without leading zeros; on 19 a company's lock date may be in the year 1."""
    values = {"validity_date": "0999-02-03", "date_order": "0999-02-03 04:05:06"}
    order = create(admin, "sale.order", {"partner_id": partners[0], **values}, context=QUIET).id
    stream = to_arrow(admin, "sale.order", [["id", "=", order]], [*values])
    (row,) = pa.table(stream).to_pylist()
    assert row["validity_date"] == date(999, 2, 3)
    assert row["date_order"] == datetime(999, 2, 3, 4, 5, 6, tzinfo=UTC)
    unlink(admin, "sale.order", [order])
    assert pa.table(to_arrow(admin, "res.company", [], ["*"])).num_rows > 0


def test_duckdb_and_polars_read_it(admin: Odoo, partners: list[int], suffix: str) -> None:
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    stream = to_arrow(admin, "res.partner", [["ref", "=", suffix]], ["name", "color"], batch=7)
    assert duckdb.sql("select count(*), sum(color) from stream").fetchall() == [(25, 3)]
    assert polars.DataFrame(stream)["id"].to_list() == partners


@pytest.mark.every_version
def test_a_field_that_only_fails_when_it_is_read_is_named(admin: Odoo) -> None:
    # Odoo 14 computes this for one country at a time, and says so of the countries.
    if admin.version.major != 14:
        pytest.skip("The field that fails is one of Odoo 14.")
    with pytest.raises(OdooError, match=r"reading .* of crm\.lead") as caught:
        list(to_arrow(admin, "crm.lead", [], ["*"]))
    failing = caught.value.details["fields"]
    kept = [name for name in ("name", "email_from", "stage_id") if name not in failing]
    assert list(to_arrow(admin, "crm.lead", [], kept))
