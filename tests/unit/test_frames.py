"""Records as DataFrames: the column of each type of field, and what belongs to no answer."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from odoo_toolkit import ConfigurationError, Policy, ReadOptions, read, search_read
from odoo_toolkit.fields import Field
from odoo_toolkit.records.frames import to_df
from odoo_toolkit.testing import FakeServer
from odoo_toolkit_mcp.results import success
from odoo_toolkit_mcp.schemas import output_schema

pd = pytest.importorskip("pandas")

STATES = [["draft", "Quotation"], ["sale", "Sales Order"]]
MODELS: dict[str, Any] = {
    "res.partner": {"name": "char"},
    "sale.order": {
        "name": "char",
        "partner_id": "many2one res.partner",
        "tag_ids": "many2many res.partner",
        "amount": "monetary",
        "priority": "integer",
        "locked": "boolean",
        "day": "date",
        "moment": "datetime",
        "state": {"type": "selection", "selection": STATES, "store": True},
    },
}
RECORDS = {
    "res.partner": [{"id": 7, "name": "Azure Interior"}],
    "sale.order": [
        {
            "id": 1,
            "name": "S1",
            "partner_id": 7,
            "tag_ids": [7],
            "amount": 80.5,
            "priority": 3,
            "locked": True,
            "day": "9999-12-31",
            "moment": "2025-02-09 14:30:00",
            "state": "sale",
        },
        {"id": 2, "name": "S2"},
    ],
}
ASKED = [
    "state",
    "moment",
    "day",
    "locked",
    "priority",
    "amount",
    "tag_ids",
    "partner_id",
    "name",
]
TYPES = {
    "id": "Int64",
    "state": "category",
    "moment": "datetime64[s, UTC]",
    "day": "datetime64[s]",
    "locked": "boolean",
    "priority": "Int64",
    "amount": "float64",
    "tag_ids": "object",
    "partner_id": "Int64",
    "partner_id.name": "string",
    "name": "string",
}


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(MODELS, records=RECORDS)


def types_of(frame: Any) -> dict[str, str]:
    return {name: str(kind) for name, kind in frame.dtypes.items()}


def test_each_field_has_the_type_that_it_has_in_odoo(server: FakeServer) -> None:
    frame = search_read(server.connect(), "sale.order", [], ASKED, order="id").to_df()

    assert types_of(frame) == TYPES
    first = frame.iloc[0]
    assert first["moment"] == pd.Timestamp("2025-02-09 14:30", tz="UTC")
    assert (first["day"].year, first["day"].tzinfo) == (9999, None)
    assert (first["partner_id"], first["partner_id.name"]) == (7, "Azure Interior")
    assert first["tag_ids"] == [7]
    missing = ["state", "moment", "day", "partner_id", "partner_id.name"]
    assert frame.iloc[1][missing].isna().all()


def test_columns_are_in_the_order_asked_and_the_id_is_first_unless_asked(
    server: FakeServer,
) -> None:
    odoo = server.connect()
    assert list(search_read(odoo, "sale.order", [], ["name", "id"]).to_df()) == ["name", "id"]
    assert list(read(odoo, "sale.order", [1], ["name"]).to_df()) == ["id", "name"]


def test_an_empty_result_has_the_same_columns_and_types(server: FakeServer) -> None:
    frame = search_read(server.connect(), "sale.order", [["id", "<", 0]], ASKED).to_df()
    assert len(frame) == 0
    assert types_of(frame) == TYPES


@pytest.mark.parametrize("normalize", [True, False])
def test_a_many2one_is_two_columns_in_whatever_shape_it_comes(
    server: FakeServer, normalize: bool
) -> None:
    odoo = server.connect(options=ReadOptions(normalize_many2one=normalize))
    frame = search_read(odoo, "sale.order", [], ["partner_id"], order="id").to_df()
    assert frame["partner_id"].tolist()[0] == 7
    assert frame["partner_id.name"].tolist()[0] == "Azure Interior"
    assert frame.iloc[1][["partner_id", "partner_id.name"]].isna().all()


def test_categories_are_in_the_order_of_odoo_and_old_values_are_kept() -> None:
    field = Field(name="state", type="selection", selection=(("draft", ""), ("sale", "")))
    frame = to_df([{"state": "sale"}, {"state": "done"}, {"state": None}], {"state": field})
    assert list(frame["state"].cat.categories) == ["draft", "sale", "done"]
    assert frame["state"].tolist()[:2] == ["sale", "done"]


def test_years_of_fewer_than_four_digits_are_read() -> None:
    server = FakeServer(MODELS, records={"sale.order": [{"day": "1-01-01"}, {"day": "999-02-03"}]})
    server.records["sale.order"][0]["moment"] = "999-02-03 04:05:06"
    frame = search_read(server.connect(), "sale.order", [], ["day", "moment"], limit=9).to_df()
    assert [str(day) for day in frame["day"]] == ["0001-01-01 00:00:00", "0999-02-03 00:00:00"]
    assert str(frame["moment"][0]) == "0999-02-03 04:05:06+00:00"


def test_a_moment_in_another_time_zone_is_the_same_moment() -> None:
    field = Field(name="date:hour", type="datetime")
    frame = to_df([{"date:hour": "2026-10-18T18:00:00+09:00"}], {"date:hour": field})
    assert frame["date:hour"][0] == pd.Timestamp("2026-10-18 09:00", tz="UTC")


def test_a_field_that_was_read_wins_over_the_display_name() -> None:
    fields = {
        "partner_id": Field(name="partner_id", type="many2one"),
        "partner_id.name": Field(name="name", type="char"),
    }
    rows = [{"partner_id": {"id": 7, "name": "Azure, Ada"}, "partner_id.name": "Ada"}]
    assert to_df(rows, fields).iloc[0].tolist() == [7, "Ada"]


def test_what_no_field_describes_comes_last() -> None:
    frame = to_df([{"more": 1, "id": 5}], {"id": Field(name="id", type="integer")})
    assert frame.iloc[0].to_dict() == {"id": 5, "more": 1}


def test_fields_that_the_policy_blocks_are_no_columns(server: FakeServer) -> None:
    odoo = server.connect(policy=Policy(field_blocklist=["amount"]))
    found = search_read(odoo, "sale.order", [], ["*"])
    assert "amount" not in found.described
    assert "amount" not in found.to_df()


def test_descriptions_are_no_part_of_an_answer(server: FakeServer) -> None:
    found = search_read(server.connect(), "sale.order", [], ["name"])
    assert found.described
    assert "described" not in (success(found).structured_content or {})
    assert "described" not in repr(output_schema(search_read))
    assert "described" not in repr(found)
    again = search_read(server.connect(), "sale.order", [], ["name"])
    assert found == again


def test_without_pandas_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigurationError, match="pandas is not installed") as raised:
        to_df([], {})
    assert "pip install 'odoo-toolkit-mcp[pandas]'" in raised.value.suggestion
