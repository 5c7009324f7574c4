"""Records as Arrow data: types, what is empty, what does not fit, files, other libraries."""

from __future__ import annotations

import errno
import importlib
import json
import resource
import tracemalloc
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    ConfigurationError,
    Odoo,
    OdooError,
    ValidationError,
    export,
    iterate,
    to_arrow,
    upsert,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.testing import FakeServer

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

MODELS: dict[str, Any] = {
    "x.item": {
        "name": "char",
        "active": "boolean",
        "note": "html",
        "count": "integer",
        "weight": "float",
        "price": {"type": "float", "digits": [16, 2]},
        "amount": {"type": "monetary", "currency_field": "currency_id"},
        "day": "date",
        "moment": "datetime",
        "state": {"type": "selection", "selection": [["draft", "Draft"], ["done", "Done"]]},
        "kind_id": "many2one x.kind",
        "kind_ids": "many2many x.kind",
        "link": "reference",
        "res_id": "many2one_reference",
        "data": "json",
        "currency_id": "many2one res.currency",
        "image": "binary",
        "extra": "properties",
    },
    "x.kind": {"name": "char"},
    "ir.model.data": {
        "module": "char",
        "name": "char",
        "model": "char",
        "res_id": "integer",
    },
    "res.currency": {"name": "char", "decimal_places": "integer", "active": "boolean"},
}
FULL = {
    "id": 1,
    "name": "Desk",
    "active": True,
    "note": "<p>a</p>",
    "count": 3,
    "weight": 0.1,
    "price": 1.15,
    "amount": 1234.5678,
    "day": "2026-01-31",
    "moment": "2026-01-31 10:20:30",
    "state": "done",
    "kind_id": 7,
    "kind_ids": [7, 8],
    "link": "x.kind,7",
    "res_id": 42,
    "data": {"a": [1]},
    "currency_id": 1,
}
EMPTY = {"id": 2, "active": True}
FIELDS = [name for name in FULL if name != "id"]


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(
        MODELS,
        records={
            "x.item": [FULL, EMPTY],
            "x.kind": [{"id": 7, "name": "even"}, {"id": 8, "name": "odd"}],
            "res.currency": [{"id": 1, "name": "EUR", "decimal_places": 2}],
            "ir.model.data": [],
        },
    )


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


@pytest.fixture
def many(server: FakeServer) -> FakeServer:
    server.records["x.item"] += [
        {"id": i, "name": f"item {i}", "amount": i / 4, "state": f"s{i // 1000}"}
        for i in range(10, 5_000)
    ]
    return server


def failing(server: FakeServer, name: str, error: OdooError) -> None:
    """Have reading a field fail."""

    def answer(call: Call) -> Any:
        return error if name in call.arguments["fields"] else NotImplemented

    server.answers["x.item", "search_read"] = answer


# Types -------------------------------------------------------------------------------------------


def test_years_of_fewer_than_four_digits_are_read(server: FakeServer, odoo: Odoo) -> None:
    """Odoo sends them without leading zeros, such as the year 1, from which a lock date counts."""
    rows = server.records["x.item"]
    rows[0] |= {"day": "1-01-01", "moment": "999-02-03 04:05:06"}
    rows[1] |= {"day": "999-02-03", "moment": "1-01-01 00:00:00"}
    table = pa.table(to_arrow(odoo, "x.item", [], ["day", "moment"]))
    assert table["day"].to_pylist() == [date(1, 1, 1), date(999, 2, 3)]
    assert table["moment"].to_pylist() == [
        datetime(999, 2, 3, 4, 5, 6, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
    ]


def test_each_field_has_a_type_of_its_own(odoo: Odoo) -> None:
    stream = to_arrow(odoo, "x.item", [], FIELDS)
    assert {name: str(stream.schema.field(name).type) for name in stream.schema.names} == {
        "id": "int64",
        "name": "string",
        "active": "bool",
        "note": "string",
        "count": "int64",
        "weight": "double",
        "price": "decimal128(18, 2)",
        "amount": "decimal128(18, 4)",
        "day": "date32[day]",
        "moment": "timestamp[us, tz=UTC]",
        "state": "dictionary<values=string, indices=int32, ordered=0>",
        "kind_id": "int64",
        "kind_id.name": "string",
        "kind_ids": "list<item: int64>",
        "link": "string",
        "res_id": "int64",
        "data": "string",
        "currency_id": "int64",
        "currency_id.name": "string",
    }
    full, empty = pa.table(stream).to_pylist()
    assert full == {
        **FULL,
        "note": "a",
        "price": Decimal("1.15"),
        "amount": Decimal("1234.5678"),
        "day": date(2026, 1, 31),
        "moment": datetime(2026, 1, 31, 10, 20, 30, tzinfo=UTC),
        "kind_id.name": "even",
        "data": '{"a": [1]}',
        "currency_id.name": "EUR",
    }
    # What Odoo has no "nothing" for is a value: numbers, booleans, lists.
    assert {name: value for name, value in empty.items() if value is not None} == {
        "id": 2,
        "active": True,
        "count": 0,
        "weight": 0.0,
        "price": Decimal("0.00"),
        "amount": Decimal("0.0000"),
        "kind_ids": [],
    }


def test_an_empty_text_is_null_whether_it_is_stored_or_not(server: FakeServer, odoo: Odoo) -> None:
    server.records["x.item"][0]["name"] = ""
    assert pa.table(to_arrow(odoo, "x.item", [], ["name"]))["name"].to_pylist() == [None, None]


def test_the_metadata_say_what_a_column_is_in_odoo(odoo: Odoo) -> None:
    schema = to_arrow(odoo, "x.item", [], ["state", "kind_id"]).schema
    told = schema.field("state").metadata
    assert told[b"odoo.type"] == b"selection"
    assert json.loads(told[b"odoo.selection"]) == [["draft", "Draft"], ["done", "Done"]]
    assert schema.field("kind_id").metadata[b"odoo.relation"] == b"x.kind"


def test_money_has_the_decimals_of_the_currency_that_has_most(
    server: FakeServer, odoo: Odoo
) -> None:
    server.records["res.currency"].append(
        {"id": 2, "name": "BTC", "decimal_places": 8, "active": False}
    )
    schema = to_arrow(odoo, "x.item", [], ["amount"]).schema
    assert str(schema.field("amount").type) == "decimal128(38, 8)"


def test_money_is_floats_where_currencies_cannot_be_read(server: FakeServer) -> None:
    server.answers["res.currency", "search_read"] = lambda call: make_error(
        "ACCESS_DENIED", "Not the currencies."
    )
    stream = to_arrow(server.connect(), "x.item", [], ["amount"])
    assert stream.schema.field("amount").type == pa.float64()
    assert "Amounts are floats" in stream.warnings[0]


def test_floats_where_they_are_asked_for(odoo: Odoo, server: FakeServer) -> None:
    schema = to_arrow(odoo, "x.item", [], ["amount", "price"], decimals=False).schema
    assert {schema.field(name).type for name in ("amount", "price")} == {pa.float64()}
    assert server.asked("search_read") == []


@pytest.mark.parametrize("value", [0.125, 1e17, float("nan")])
def test_a_number_that_does_not_fit_its_digits_is_an_error(
    server: FakeServer, odoo: Odoo, value: float
) -> None:
    server.records["x.item"][1]["price"] = value
    with pytest.raises(
        ValidationError, match=r"price of record 2 of x.item is .* does not fit"
    ) as caught:
        pa.table(list(to_arrow(odoo, "x.item", [], ["price"])))
    assert caught.value.code == "VALUE_ERROR"
    assert "decimals=False" in caught.value.suggestion
    assert list(to_arrow(odoo, "x.item", [], ["price"], decimals=False))


@pytest.mark.parametrize("value", [0.1 + 0.2, 1.15, -2.675, 99_999_999_999.99])
def test_a_float_that_is_near_a_decimal_is_that_decimal(
    server: FakeServer, odoo: Odoo, value: float
) -> None:
    server.records["x.item"][0]["amount"] = value
    (batch,) = to_arrow(odoo, "x.item", [["id", "=", 1]], ["amount"])
    assert float(batch["amount"][0].as_py()) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("field", "value"), [("name", "a\ud800"), ("count", 2**70), ("day", "2026-13-01")]
)
def test_a_value_that_does_not_fit_names_its_record(
    server: FakeServer, odoo: Odoo, field: str, value: Any
) -> None:
    server.records["x.item"][0][field] = value
    with pytest.raises(
        ValidationError, match=rf"{field} of record 1 of x.item is .* does not fit"
    ) as caught:
        list(to_arrow(odoo, "x.item", [], [field]))
    assert caught.value.details == {"model": "x.item", "field": field, "record": 1}


def test_a_selection_may_hold_what_its_field_offers_no_more(many: FakeServer) -> None:
    stream = to_arrow(many.connect(), "x.item", [], ["state"])
    found = pa.table(stream).unify_dictionaries()["state"].to_pylist()
    assert found[:3] == ["done", None, "s0"]
    assert set(found) == {"done", None, "s0", "s1", "s2", "s3", "s4"}


def test_paths_and_a_path_through_many(odoo: Odoo) -> None:
    stream = to_arrow(odoo, "x.item", [], ["kind_id", "kind_id.name", "kind_ids.name"])
    assert stream.schema.names == ["id", "kind_id", "kind_id.name", "kind_ids.name"]
    assert pa.table(stream)["kind_ids.name"].to_pylist() == ['["even", "odd"]', "[]"]


# Refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["image", "extra"])
def test_a_field_without_a_type_is_refused_before_anything_is_read(
    server: FakeServer, odoo: Odoo, field: str
) -> None:
    with pytest.raises(ValidationError, match=f"{field} of x.item") as caught:
        to_arrow(odoo, "x.item", [], ["name", field])
    assert (caught.value.code, caught.value.details["fields"]) == ("INVALID_FIELD", [field])
    assert server.asked("search_read") == []


def test_where_all_fields_are_asked_for_such_are_left_out_with_a_warning(odoo: Odoo) -> None:
    stream = to_arrow(odoo, "x.item", [], ["*"])
    assert pa.table(stream).num_rows == 2
    assert not {"image", "extra"} & {*stream.schema.names}
    assert stream.warnings == ["Omitted, because they are files or properties: image, extra."]


def test_a_field_that_fails_when_it_is_read_is_named(server: FakeServer, odoo: Odoo) -> None:
    failing(server, "weight", make_error("UNKNOWN_ERROR", "Odoo failed."))
    with pytest.raises(OdooError, match=r"reading weight of x\.item") as caught:
        list(to_arrow(odoo, "x.item", [], FIELDS))
    assert caught.value.details["fields"] == ["weight"]
    assert "Odoo failed. The error occurs when reading" in caught.value.message
    assert caught.value.suggestion == "Omit weight from fields, or have the field fixed in Odoo."


def test_a_field_that_the_user_cannot_read_is_named(server: FakeServer, odoo: Odoo) -> None:
    failing(server, "weight", make_error("ACCESS_DENIED", "Not the weight."))
    with pytest.raises(AccessError, match=r"cannot read weight of x\.item"):
        list(to_arrow(odoo, "x.item", [], ["name", "weight"]))


def test_without_pyarrow_the_command_to_install_it(
    odoo: Odoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ConfigurationError) as caught:
        to_arrow(odoo, "x.item")
    assert "odoo-toolkit-mcp[arrow]" in caught.value.suggestion


# Other libraries ---------------------------------------------------------------------------------


def test_each_use_reads_anew(many: FakeServer) -> None:
    stream = to_arrow(many.connect(), "x.item", [], ["name"])
    assert pa.table(stream).num_rows == pa.table(stream).num_rows == 4_992
    # Two at a time do not disturb each other.
    assert sum(1 for _ in zip(stream, stream, strict=True)) == 5


def test_iterate_gives_the_same_stream(odoo: Odoo) -> None:
    records = iterate(odoo, "x.item", fields=["name"])
    assert pa.table(records.to_arrow()).num_rows == 2
    assert len(list(records)) == 2


def test_a_model_of_a_notebook_does(server: FakeServer) -> None:
    odoo = server.connect()
    assert pa.table(odoo["x.item"].to_arrow(fields=["name"])).num_rows == 2


def test_duckdb_polars_and_pandas_take_it(many: FakeServer) -> None:
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas", "3")
    stream = to_arrow(many.connect(), "x.item", [], ["amount", "moment", "state", "kind_ids"])
    total = sum(Decimal(i) / 4 for i in range(10, 5_000)) + Decimal("1234.5678")
    asked = duckdb.sql("select count(*), sum(amount) from stream")
    assert asked.fetchall() == [(4_992, total)]
    frame = polars.DataFrame(stream)
    assert frame["amount"].sum() == total
    assert frame["kind_ids"][0].to_list() == [7, 8]
    assert str(frame["moment"].dtype) == "Datetime(time_unit='us', time_zone='UTC')"
    assert pandas.DataFrame.from_arrow(stream)["amount"].sum() == total
    assert stream.error is None


def test_an_error_of_odoo_is_kept_where_a_library_hides_it(many: FakeServer) -> None:
    duckdb = pytest.importorskip("duckdb")
    many.records["x.item"][4_000]["name"] = "a\ud800"
    stream = to_arrow(many.connect(), "x.item", [], ["name"])
    with pytest.raises(duckdb.Error):
        duckdb.sql("select count(name) from stream").fetchall()
    assert isinstance(stream.error, ValidationError)
    with pytest.raises(ValidationError):
        stream.raise_error()


def test_who_stops_early_reads_no_more(many: FakeServer) -> None:
    stream = iter(to_arrow(many.connect(), "x.item", [], ["name"], batch=100))
    next(stream)
    stream.close()
    assert len(many.asked("search_read")) < 6


# Files -------------------------------------------------------------------------------------------


def read(path: Path) -> Any:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(path).read_all()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_file_holds_what_the_stream_does(many: FakeServer, tmp_path: Path, suffix: str) -> None:
    stream = to_arrow(many.connect(), "x.item", [], FIELDS)
    written = stream.write(tmp_path / f"a{suffix}")
    assert (written.rows, written.fields) == (4_992, stream.schema.names)
    table = read(tmp_path / f"a{suffix}")
    assert table.schema.equals(stream.schema)
    assert table.to_pylist() == pa.table(stream).to_pylist()
    assert [one.name for one in tmp_path.iterdir()] == [f"a{suffix}"]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_file_of_nothing_has_its_columns(odoo: Odoo, tmp_path: Path, suffix: str) -> None:
    stream = to_arrow(odoo, "x.item", [["id", "=", 0]], FIELDS)
    assert stream.write(tmp_path / f"a{suffix}").rows == 0
    assert read(tmp_path / f"a{suffix}").schema.equals(stream.schema)


def test_row_groups_are_gathered(
    many: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = importlib.import_module("odoo_toolkit.records.arrow_files")
    monkeypatch.setattr(files, "_GROUP_ROWS", 2_000)
    to_arrow(many.connect(), "x.item", [], ["name", "state"]).write(tmp_path / "a.parquet")
    told = pq.ParquetFile(tmp_path / "a.parquet").metadata
    assert [told.row_group(at).num_rows for at in range(told.num_row_groups)] == [2000, 2000, 992]
    assert told.metadata[b"odoo.model"] == b"x.item"
    assert told.metadata[b"odoo.rows"] == b"4992"


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("before", [None, b"as it was"])
@pytest.mark.parametrize(
    "write",
    [
        lambda odoo, path: to_arrow(odoo, "x.item", [], ["name"]).write(path),
        lambda odoo, path: export(odoo, "x.item", [], ["name"], path),
    ],
    ids=["write", "export"],
)
def test_a_full_disc_leaves_no_half_file(
    many: FakeServer, tmp_path: Path, suffix: str, before: bytes | None, write: Any
) -> None:
    path = tmp_path / f"a{suffix}"
    if before:
        path.write_bytes(before)
    odoo, limits = many.connect(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"The file (is as it was before|was not made)") as caught:
            write(odoo, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert [one.read_bytes() for one in tmp_path.iterdir()] == ([before] if before else [])


def test_a_row_group_that_cannot_be_written_ends_the_file(
    many: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written while the next one is gathered; what went wrong is not forgotten."""
    files = importlib.import_module("odoo_toolkit.records.arrow_files")
    monkeypatch.setattr(files, "_GROUP_ROWS", 1_000)
    write_table = pq.ParquetWriter.write_table
    groups: list[int] = []

    def second_fails(self: Any, table: pa.Table, **kwargs: Any) -> None:
        groups.append(table.num_rows)
        if len(groups) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        write_table(self, table, **kwargs)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", second_fails)
    with pytest.raises(OSError, match="was not made") as caught:
        to_arrow(many.connect(), "x.item", [], ["name"]).write(tmp_path / "a.parquet")
    assert caught.value.errno == errno.ENOSPC
    assert len(groups) == 2
    assert list(tmp_path.iterdir()) == []


def test_ten_thousand_columns(tmp_path: Path) -> None:
    fields = {f"x_{number}": "char" for number in range(10_000)}
    records = {"x.wide": [{"id": 1, "x_0": "first", "x_9999": "last"}, {"id": 2}]}
    odoo = FakeServer({"x.wide": fields}, records=records).connect()
    made = to_arrow(odoo, "x.wide", [], list(fields)).write(tmp_path / "wide.parquet")
    assert (made.rows, len(made.fields)) == (2, 10_001)
    columns = ["id", "x_0", "x_5000", "x_9999"]
    read = pq.read_table(tmp_path / "wide.parquet", columns=columns).to_pylist()
    assert list(read[0].values()) == [1, "first", None, "last"]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_an_error_in_the_middle_leaves_no_half_file(
    many: FakeServer, tmp_path: Path, suffix: str
) -> None:
    many.records["x.item"][4_000]["name"] = "a\ud800"
    with pytest.raises(ValidationError, match="name of record"):
        to_arrow(many.connect(), "x.item", [], ["name"]).write(tmp_path / f"a{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_another_ending_is_refused(odoo: Odoo, server: FakeServer, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="form") as caught:
        to_arrow(odoo, "x.item", [], ["name"]).write(tmp_path / "a.csv")
    assert ".parquet or .arrow" in caught.value.suggestion
    assert server.asked("search_read") == []


def test_memory_stays_flat(server: FakeServer, tmp_path: Path) -> None:
    def peak(count: int) -> int:
        server.records["x.item"] = [{"id": i, "name": "n" * 500} for i in range(1, count)]
        stream = to_arrow(server.connect(), "x.item", [], ["name"], batch=20)
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        most = 0
        for batch in stream:
            most = max(most, pa.total_allocated_bytes() - before)
            del batch
        traced = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most + traced

    few = peak(200)
    assert peak(1_000) < few * 2


# Exports -----------------------------------------------------------------------------------------

PLAIN = [name for name in FIELDS if name not in ("res_id", "data")]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_an_export_is_imported_again_and_nothing_changes(
    server: FakeServer, odoo: Odoo, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    export(odoo, "x.item", [], [*PLAIN, "data"], path)
    table = read(path)
    assert table.schema.field("kind_ids/id").type == pa.list_(pa.string())
    assert table.schema.field("amount").type == pa.float64()
    frame = table.select(["id", *(n for n in table.schema.names if n in PLAIN)]).to_pandas()
    result = upsert(odoo, "x.item", frame, key="id")
    assert (result.unchanged, result.failed) == (2, [])


def test_an_export_with_database_ids_has_numbers(odoo: Odoo, tmp_path: Path) -> None:
    export(odoo, "x.item", [], ["kind_id", "kind_ids"], tmp_path / "a.parquet", external_ids=False)
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.to_pylist() == [
        {".id": 1, "kind_id/.id": 7, "kind_ids/.id": [7, 8]},
        {".id": 2, "kind_id/.id": None, "kind_ids/.id": []},
    ]
    # As to_arrow has them.
    own = pa.table(to_arrow(odoo, "x.item", [], ["id", "kind_id", "kind_ids"])).schema
    assert table.schema.types == [own.field(n).type for n in ("id", "kind_id", "kind_ids")]
    assert not table.schema.field(".id").nullable


@pytest.mark.parametrize("root", [49048, "10"])
def test_ids_that_are_texts_on_some_versions_are_texts(root: int | str, tmp_path: Path) -> None:
    """Odoo 14 to 17 number the roots of accounts, and 18 and 19 name them by two characters."""
    server = FakeServer(
        {"x.item": {"root_id": "many2one account.root"}, "account.root": {"name": "char"}}
    )
    server.answers["x.item", "search_read"] = [{"id": 1, "root_id": [root, "10"]}]
    path = tmp_path / "a.parquet"
    export(server.connect(), "x.item", [], ["root_id"], path, external_ids=False)
    assert pq.read_table(path).to_pylist() == [{".id": 1, "root_id/.id": str(root)}]
