"""Records in files: whole or not at all, and unchanged when they are imported again."""

from __future__ import annotations

import csv
import errno
import gc
import importlib
import json
import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import AccessError, Domain, Odoo, Policy, ReadOptions, ValidationError, export
from odoo_toolkit.call import Call
from odoo_toolkit.errors import ConfigurationError, make_error
from odoo_toolkit.fields import Field
from odoo_toolkit.records.export_files import FORMS, Column
from odoo_toolkit.records.importing import upsert
from odoo_toolkit.records.record_refs import mark_of
from odoo_toolkit.testing import FakeServer

PARTNER, TAG, COUNTRY, DATA = (
    "res.partner",
    "res.partner.category",
    "res.country",
    "ir.model.data",
)
MODELS: dict[str, Any] = {
    PARTNER: {
        "name": "char",
        "active": "boolean",
        "comment": "html",
        "color": "integer",
        "rate": "float",
        "birthday": "date",
        "seen_at": "datetime",
        "lang": {"type": "selection", "selection": [["en_US", "English"], ["fr_FR", "French"]]},
        "country_id": f"many2one {COUNTRY}",
        "category_id": f"many2many {TAG}",
        "child_ids": f"one2many {PARTNER} parent_id",
        "parent_id": f"many2one {PARTNER}",
    },
    TAG: {"name": "char"},
    COUNTRY: {"name": "char", "code": "char"},
    DATA: {"module": "char", "name": "char", "model": "char", "res_id": "integer"},
}
FULL = {
    "id": 1,
    "name": 'Ann "the\nboss", Ltd; =1+1 é',
    "comment": "<p>Hello<br>you</p>",
    "color": 3,
    "rate": 0.1,
    "birthday": "2026-01-31",
    "seen_at": "2026-01-31 10:20:30",
    "lang": "fr_FR",
    "country_id": 20,
    "category_id": [5, 6],
}
#: What stands for a record without an external id on this server.
MARK = mark_of(FakeServer({}).connect())
TAGS = f"{MARK}.res_partner_category_5,{MARK}.res_partner_category_6"
BOB, ONE = f"{MARK}.res_partner_2", f"{MARK}.res_partner_category_5"

EMPTY = {"id": 2, "name": "Bob", "active": True, "parent_id": 1}


def data(model: str, record_id: int, name: str) -> dict[str, Any]:
    module, _, rest = name.partition(".")
    return {"module": module, "name": rest, "model": model, "res_id": record_id}


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(
        MODELS,
        records={
            PARTNER: [FULL, EMPTY],
            TAG: [{"id": 5, "name": "one"}, {"id": 6, "name": "two"}],
            COUNTRY: [{"id": 20, "name": "Belgium", "code": "BE"}],
            DATA: [
                data(PARTNER, 1, "__import__.ann"),
                data(PARTNER, 1, "mine.ann"),
                data(TAG, 1, "base.of_another_model"),
                data(TAG, 6, "base.two"),
                data(COUNTRY, 20, "base.be"),
            ],
        },
    )


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


FIELDS = ["name", "comment", "color", "rate", "birthday", "seen_at", "lang", "active"]
RELATIONS = ["country_id", "category_id", "parent_id"]


def test_a_csv_file(odoo: Odoo, tmp_path: Path) -> None:
    path = tmp_path / "partners.csv"
    result = export(odoo, PARTNER, [], [*FIELDS, *RELATIONS], path)
    ann, bob = lines(path)
    assert ann == {
        "id": "__import__.ann",
        "name": FULL["name"],
        "comment": FULL["comment"],
        "color": "3",
        "rate": "0.1",
        "birthday": "2026-01-31",
        "seen_at": "2026-01-31T10:20:30Z",
        "lang": "fr_FR",
        "active": "true",
        "country_id/id": "base.be",
        "category_id/id": f"{ONE},base.two",
        "parent_id/id": "",
    }
    assert bob == {
        **dict.fromkeys(ann, ""),
        "id": BOB,
        "name": "Bob",
        "color": "0",
        "rate": "0.0",
        "active": "true",
        "parent_id/id": "__import__.ann",
    }
    assert (result.path, result.rows, result.fields) == (str(path), 2, list(ann))
    assert result.skipped_fields == []
    (warning,) = result.warnings
    assert "without an external id (res.partner, res.partner.category)" in warning
    assert f"{MARK}.res_partner_42" in warning


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".xlsx", ".parquet"])
def test_years_of_fewer_than_four_digits_are_written_with_four(
    server: FakeServer, odoo: Odoo, tmp_path: Path, ending: str
) -> None:
    server.records[PARTNER][0] |= {"birthday": "1-01-01", "seen_at": "999-02-03 04:05:06"}
    path = tmp_path / f"a{ending}"
    export(odoo, PARTNER, [["id", "=", 1]], ["birthday", "seen_at"], path)
    if ending in (".csv", ".jsonl"):
        text = path.read_text()
        assert "0001-01-01" in text
        assert "0999-02-03" in text


def test_json_lines(odoo: Odoo, tmp_path: Path) -> None:
    path = tmp_path / "partners.jsonl"
    export(odoo, PARTNER, [["id", "=", 1]], ["name", "rate", "lang", *RELATIONS], path)
    assert path.read_text("utf-8").count("\n") == 1
    assert json.loads(path.read_text("utf-8")) == {
        "id": "__import__.ann",
        "name": FULL["name"],
        "rate": 0.1,
        "lang": "fr_FR",
        "country_id/id": "base.be",
        "category_id/id": [ONE, "base.two"],
        "parent_id/id": None,
    }


def test_without_external_ids(server: FakeServer, odoo: Odoo, tmp_path: Path) -> None:
    path = tmp_path / "partners.csv"
    result = export(odoo, PARTNER, [], RELATIONS, path, external_ids=False)
    assert result.fields == [".id", "country_id/.id", "category_id/.id", "parent_id/.id"]
    assert list(lines(path)[0].values()) == ["1", "20", "5,6", ""]
    assert result.warnings == []
    assert [call.model for call in server.sent] == [PARTNER]


def test_requests(server: FakeServer, odoo: Odoo, tmp_path: Path) -> None:
    export(odoo, PARTNER, [], ["name", *RELATIONS], tmp_path / "a.csv")
    assert sorted(call.model for call in server.sent) == [DATA, DATA, DATA, PARTNER]
    assert {call.method for call in server.sent} == {"search_read"}


def test_many_pages_ask_for_each_country_once(
    server: FakeServer, odoo: Odoo, tmp_path: Path
) -> None:
    rows = [{"id": i, "name": str(i), "country_id": 20} for i in range(10, 2510)]
    server.records[PARTNER] += rows
    result = export(odoo, PARTNER, [["id", ">=", 10]], ["country_id"], tmp_path / "a.csv")
    assert result.rows == 2500
    written = lines(tmp_path / "a.csv")
    assert [row["id"] for row in written] == [f"{MARK}.res_partner_{row['id']}" for row in rows]
    assert {row["country_id/id"] for row in written} == {"base.be"}
    domains = [call.arguments["domain"] for call in server.sent if call.model == DATA]
    assert len(domains) == 4
    assert sum(["model", "=", COUNTRY] in domain for domain in domains) == 1


def test_external_ids_that_may_not_be_read(server: FakeServer, odoo: Odoo, tmp_path: Path) -> None:
    server.answers[DATA, "search_read"] = make_error("ACCESS_DENIED", "Not for you.")
    result = export(odoo, PARTNER, [], ["country_id"], tmp_path / "a.csv")
    assert lines(tmp_path / "a.csv") == [
        {"id": f"{MARK}.res_partner_1", "country_id/id": f"{MARK}.res_country_20"},
        {"id": BOB, "country_id/id": ""},
    ]
    assert "cannot read" in result.warnings[0]
    assert len(server.asked("search_read")) == 3


def test_external_ids_may_be_closed(server: FakeServer, tmp_path: Path) -> None:
    odoo = server.connect(policy=Policy(model_blocklist=frozenset({DATA})))
    result = export(odoo, PARTNER, [["id", "=", 1]], ["country_id"], tmp_path / "a.csv")
    assert lines(tmp_path / "a.csv") == [
        {"id": f"{MARK}.res_partner_1", "country_id/id": f"{MARK}.res_country_20"}
    ]
    assert "external ids of res.country, res.partner" in result.warnings[0]
    assert [call.model for call in server.sent] == [PARTNER]


def test_external_ids_of_allowed_models_are_read(server: FakeServer, tmp_path: Path) -> None:
    odoo = server.connect(policy=Policy(model_allowlist=frozenset({PARTNER, COUNTRY})))
    export(odoo, PARTNER, [["id", "=", 1]], ["country_id"], tmp_path / "a.csv")
    assert lines(tmp_path / "a.csv") == [{"id": "__import__.ann", "country_id/id": "base.be"}]
    server.sent.clear()
    result = export(odoo, PARTNER, [["id", "=", 1]], ["category_id"], tmp_path / "a.csv")
    assert lines(tmp_path / "a.csv") == [{"id": "__import__.ann", "category_id/id": TAGS}]
    assert "external ids of res.partner.category" in result.warnings[0]
    assert [call.model for call in server.sent] == [PARTNER, DATA]


@pytest.mark.parametrize(
    ("policy", "domain", "fields"),
    [
        (Policy(model_blocklist=frozenset({PARTNER})), [], ["name"]),
        (Policy(field_blocklist=frozenset({"color"})), [], ["color"]),
        (Policy(field_blocklist=frozenset({"color"})), [["color", "=", 3]], ["name"]),
    ],
)
def test_the_policy_holds(
    server: FakeServer, tmp_path: Path, policy: Policy, domain: Any, fields: list[str]
) -> None:
    with pytest.raises(AccessError):
        export(server.connect(policy=policy), PARTNER, domain, fields, tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []
    assert server.sent == []


def test_messages_of_closed_models_are_left_out(tmp_path: Path) -> None:
    message: dict[str, Any] = {"model": "char", "res_id": "integer", "body": "char"}
    rows = [{"model": model, "body": f"of {model}"} for model in (TAG, PARTNER)]
    server = FakeServer(
        {"mail.message": message, DATA: MODELS[DATA]}, records={"mail.message": rows, DATA: []}
    )
    odoo = server.connect(policy=Policy(model_blocklist=frozenset({TAG})))
    result = export(odoo, "mail.message", [], ["body"], tmp_path / "a.csv")
    assert [row["body"] for row in lines(tmp_path / "a.csv")] == [f"of {PARTNER}"]
    assert "omitted" in result.warnings[0]


def test_all_fields_are_those_that_the_policy_shows(server: FakeServer, tmp_path: Path) -> None:
    odoo = server.connect(policy=Policy(field_blocklist=frozenset({"color"})))
    result = export(odoo, PARTNER, [], ["*"], tmp_path / "a.csv")
    assert "name" in result.fields
    assert "color" not in result.fields


def test_a_readonly_policy_allows_it(server: FakeServer, tmp_path: Path) -> None:
    odoo = server.connect(policy=Policy(mode="readonly"))
    export(odoo, PARTNER, [], ["name"], tmp_path / "a.csv")
    assert lines(tmp_path / "a.csv")[0]["id"] == "__import__.ann"


def test_html_is_kept_whatever_the_options(server: FakeServer, tmp_path: Path) -> None:
    options = ReadOptions(strip_html=True, normalize_many2one=False, max_limit=1)
    odoo = server.connect(options=options)
    result = export(odoo, PARTNER, [], ["comment", "country_id"], tmp_path / "a.csv")
    assert result.rows == 2
    assert lines(tmp_path / "a.csv")[0] == {
        "id": "__import__.ann",
        "comment": FULL["comment"],
        "country_id/id": "base.be",
    }


def test_lines_and_dotted_fields_are_told_as_not_for_import(odoo: Odoo, tmp_path: Path) -> None:
    path, fields = tmp_path / "a.csv", ["child_ids", "country_id.code", "parent_id.country_id"]
    result = export(odoo, PARTNER, [], fields, path)
    assert lines(path) == [
        {
            "id": "__import__.ann",
            "child_ids/id": BOB,
            "country_id.code": "BE",
            "parent_id.country_id/id": "",
        },
        {
            "id": BOB,
            "child_ids/id": "",
            "country_id.code": "",
            "parent_id.country_id/id": "base.be",
        },
    ]
    assert "child_ids, country_id.code, parent_id.country_id" in result.warnings[0]


def test_values_behind_many_records(odoo: Odoo, tmp_path: Path) -> None:
    export(odoo, PARTNER, [["id", "=", 1]], ["category_id.name"], tmp_path / "a.csv")
    assert lines(tmp_path / "a.csv")[0]["category_id.name"] == '["one", "two"]'


def test_a_domain_an_order_and_a_context(server: FakeServer, odoo: Odoo, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    export(
        odoo,
        PARTNER,
        Domain().is_set("name"),
        ["name"],
        path,
        order="name desc",
        context={"lang": "fr_FR"},
    )
    assert [row["name"] for row in lines(path)] == ["Bob", FULL["name"]]
    assert server.sent[0].context["lang"] == "fr_FR"


def test_nothing_found_is_a_file_without_rows(odoo: Odoo, tmp_path: Path) -> None:
    none = [["name", "=", "nobody"]]
    assert export(odoo, PARTNER, none, ["name", "lang"], tmp_path / "a.csv").rows == 0
    assert (tmp_path / "a.csv").read_bytes() == b"id,name,lang\r\n"
    export(odoo, PARTNER, none, ["name"], tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == b""


def test_progress(server: FakeServer, odoo: Odoo, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    server.records[PARTNER] += [{"id": i, "name": "x"} for i in range(10, 2008)]
    export(
        odoo,
        PARTNER,
        [],
        ["name"],
        tmp_path / "a.csv",
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(1000, 2000), (2000, 2000)]


# With pandas -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx"])
def test_a_frame_in_a_file_imported_again_changes_nothing(
    server: FakeServer, odoo: Odoo, tmp_path: Path, suffix: str
) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow" if suffix == ".parquet" else "openpyxl")
    path = tmp_path / f"partners{suffix}"
    result = export(odoo, PARTNER, [], [*FIELDS, *RELATIONS], path)
    frame = (pandas.read_parquet if suffix == ".parquet" else pandas.read_excel)(path)
    assert list(frame.columns) == result.fields
    assert list(frame["id"]) == ["__import__.ann", BOB]
    assert frame["name"][0] == FULL["name"]
    imported = upsert(odoo, PARTNER, frame, key="id")
    assert (imported.unchanged, imported.failed) == (2, [])


def test_database_ids_are_numbers_in_excel(odoo: Odoo, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    openpyxl = pytest.importorskip("openpyxl")
    export(odoo, PARTNER, [], RELATIONS, tmp_path / "a.xlsx", external_ids=False)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert [cell.value for cell in sheet[2]] == [1, 20, "5,6", None]


def test_excel_runs_no_text_as_a_formula(server: FakeServer, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    openpyxl = pytest.importorskip("openpyxl")
    server.records[TAG][0]["name"] = '=HYPERLINK("http://example.com")'
    export(server.connect(), TAG, [], ["name"], tmp_path / "a.xlsx")
    cell = openpyxl.load_workbook(tmp_path / "a.xlsx").active["B2"]
    assert (cell.value, cell.data_type) == ('=HYPERLINK("http://example.com")', "s")


@pytest.mark.parametrize("text", ["x" * 40_000, "bell \x07"])
def test_what_excel_cannot_hold_is_refused(server: FakeServer, tmp_path: Path, text: str) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    server.records[TAG][0]["name"] = text
    with pytest.raises(ValidationError, match=r"name of record .*_5 is too long"):
        export(server.connect(), TAG, [], ["name"], tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_told_before_anything_is_asked(
    server: FakeServer, odoo: Odoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = importlib.import_module("odoo_toolkit.records.export_files")
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match="pandas and openpyxl are not installed") as caught:
        export(odoo, PARTNER, [], ["name"], tmp_path / "a.xlsx")
    assert "pip install pandas openpyxl" in caught.value.suggestion
    assert server.sent == []


# Files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "a.json", "a.txt", "csv", ".csv"])
def test_a_path_without_a_known_form_is_refused(
    server: FakeServer, odoo: Odoo, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ValidationError, match="form") as caught:
        export(odoo, PARTNER, [], ["name"], tmp_path / name)
    assert ".csv, .jsonl" in caught.value.suggestion
    assert server.sent == []


def test_a_directory_is_no_file(server: FakeServer, odoo: Odoo, tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(ValidationError, match="is not a file"):
        export(odoo, PARTNER, [], ["name"], tmp_path / "a.csv")
    assert server.sent == []


def test_a_place_that_cannot_be_written_costs_no_request(
    server: FakeServer, odoo: Odoo, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file" / "a.csv", tmp_path / "nowhere" / "a.csv"):
        with pytest.raises(OSError, match="was not made") as caught:
            export(odoo, PARTNER, [], ["name"], str(place))
        assert caught.value.filename == str(place)
    assert f"make the folder {tmp_path / 'nowhere'} first" in str(caught.value)
    assert server.sent == []


@pytest.fixture
def many(server: FakeServer) -> FakeServer:
    server.records[PARTNER] += [{"id": i, "name": "n" * 100} for i in range(10, 3000)]
    return server


@pytest.fixture(params=[None, "as it was"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Where a file goes, or is already; in the end it is as it was in the beginning."""
    path = tmp_path / "a.csv"
    if request.param:
        path.write_text(request.param)
    yield path
    assert [one.name for one in tmp_path.iterdir()] == (["a.csv"] if request.param else [])
    assert not request.param or path.read_text() == request.param


def test_a_full_disc_leaves_no_half_file(many: FakeServer, place: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"The file (is as it was before|was not made)") as caught:
            export(many.connect(), PARTNER, [], ["name"], place)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG


@pytest.mark.parametrize(
    "failure", [KeyboardInterrupt(), make_error("TIMEOUT", "The server has gone.")]
)
def test_an_end_in_the_middle_leaves_no_half_file(
    many: FakeServer, place: Path, failure: BaseException
) -> None:
    def second(call: Call) -> Any:
        if sum(call.model == PARTNER for call in many.asked("search_read")) == 3:
            raise failure
        return NotImplemented

    many.answers[PARTNER, "search_read"] = second
    with pytest.raises(type(failure)):
        export(many.connect(), PARTNER, [], ["name"], place)


def test_a_field_refused_in_the_middle_is_not_taken_for_empty(
    many: FakeServer, place: Path
) -> None:
    def answer(call: Call) -> Any:
        later = any(list(leaf)[:2] == ["id", ">"] for leaf in call.arguments["domain"])
        if later and "color" in call.arguments["fields"]:
            return make_error("ACCESS_DENIED", "Not the color.")
        return NotImplemented

    many.answers[PARTNER, "search_read"] = answer
    with pytest.raises(
        AccessError,
        match=r"cannot read color of some records of res\.partner\. No file was written",
    ):
        export(many.connect(), PARTNER, [], ["name", "color"], place)


def test_a_field_that_may_not_be_read_is_no_column(
    server: FakeServer, odoo: Odoo, tmp_path: Path
) -> None:
    def answer(call: Call) -> Any:
        if "color" in call.arguments["fields"]:
            return make_error("ACCESS_DENIED", "Not the color.")
        return NotImplemented

    server.answers[PARTNER, "search_read"] = answer
    result = export(odoo, PARTNER, [], ["name", "color"], tmp_path / "a.csv")
    assert (result.fields, result.skipped_fields) == (["id", "name"], ["color"])
    assert list(lines(tmp_path / "a.csv")[0]) == ["id", "name"]


def test_a_file_that_is_there_is_replaced_with_its_permissions(odoo: Odoo, tmp_path: Path) -> None:
    path, link = tmp_path / "a.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    result = export(odoo, PARTNER, [], ["name"], link)
    assert result.path == str(link)
    assert link.is_symlink()
    assert len(lines(path)) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv", "link.csv"]


def test_a_file_that_may_not_be_written_stays(
    server: FakeServer, odoo: Odoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    # The superuser could write any file.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="as it was before"):
        export(odoo, PARTNER, [], ["name"], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    assert server.sent == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no /dev/full here.")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".xlsx"])
def test_on_a_full_disc_only_that_is_said(ending: str) -> None:
    """Nothing complains besides of a file that it could not finish."""
    pytest.importorskip("openpyxl")
    columns = [Column("name", "name", Field(name="name", type="char"))]
    with (
        pytest.raises(OSError, match="No space left"),
        FORMS[ending](Path("/dev/full"), columns) as write,
    ):
        write([["Ann"]])
    gc.collect()
