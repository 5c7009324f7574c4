"""Models in a warehouse: what is loaded, followed and deleted, and what must not be."""

from __future__ import annotations

import importlib
import resource
import secrets
import subprocess
import sys
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dlt")

from odoo_toolkit import (
    AccessError,
    NotFoundError,
    Odoo,
    StateError,
    ValidationError,
    create,
    unlink,
    write,
)
from odoo_toolkit.call import Call
from odoo_toolkit.dlt import TableReport, following, odoo_source, odoo_table, reports, sync
from odoo_toolkit.dlt.batches import Batches
from odoo_toolkit.dlt.following import Following
from odoo_toolkit.errors import ConfigurationError, OdooError, make_error
from tests.warehouse import RuledServer, Warehouse

ITEM, TAG = "x.item", "x.tag"
LONG_AGO = {"create_date": "2020-01-01 00:00:00", "write_date": "2020-01-01 00:00:00"}
FIELDS: dict[str, Any] = {
    "name": "char",
    "active": "boolean",
    "price": {"type": "float", "digits": [16, 2]},
    "day": "date",
    "state": {"type": "selection", "selection": [["draft", "Draft"], ["done", "Done"]]},
    "tag_id": "many2one x.tag",
    "tag_ids": "many2many x.tag",
    "line_ids": "one2many x.line item_id",
    "image": "binary",
    "extra": "properties",
    "total": {"type": "float", "store": False, "string": "Total"},
    # As Odoo to 18 describes what it makes up for users: nothing is said of the database.
    "in_group_1": {"type": "boolean", "store": None, "string": "Manager"},
}
OTHERS: dict[str, Any] = {
    TAG: {"name": "char", "active": "boolean"},
    "x.line": {"item_id": "many2one x.item"},
    "x.report": {"name": "char", "write_date": {"type": "datetime", "store": False}},
}


def items() -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "name": name,
            "active": number != 3,
            "price": 1.15,
            "day": "2026-01-31",
            "state": "draft",
            "tag_id": 7,
            "tag_ids": [7, 8] if number == 1 else [],
            **LONG_AGO,
        }
        for number, name in enumerate("abc", 1)
    ]


def odoo_with(fields: dict[str, Any] = FIELDS, rows: Any = None, **options: Any) -> RuledServer:
    """Return an Odoo with three items; with the records of another one, if these are given."""
    tags = [{"id": 7, "name": "t7", **LONG_AGO}, {"id": 8, "name": "t8", **LONG_AGO}]
    records = {ITEM: items() if rows is None else rows, TAG: tags, "x.line": []}
    return RuledServer({ITEM: fields, **OTHERS}, records=records, **options)


@pytest.fixture
def server() -> RuledServer:
    return odoo_with()


@pytest.fixture
def odoo(server: RuledServer) -> Odoo:
    return server.connect(database="one")


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "odoo.db")


def done(report: TableReport) -> dict[str, int]:
    """Return what was done, without what was not."""
    counts = ("loaded", "changed", "deleted", "left", "not_accessible")
    return {kind: getattr(report, kind) for kind in counts if getattr(report, kind)}


# What is loaded --------------------------------------------------------------------------------


def test_the_first_sync_loads_all_records_and_the_next_ones_what_changed(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    first = sync(odoo, warehouse.url, ITEM, check=True)
    assert (first.status, done(first), first.checked) == ("complete", {"loaded": 3}, True)
    assert (first.rows, first.id_sum) == (first.counted, first.counted_id_sum) == (3, 6)
    write(odoo, ITEM, [2], {"name": "B"})
    new = create(odoo, ITEM, {"name": "d"}).id
    unlink(odoo, ITEM, [1])
    second = sync(odoo, warehouse.url, ITEM, check=True)
    assert (second.status, done(second)) == (
        "complete",
        {"loaded": 1, "changed": 1, "deleted": 1},
    )
    assert warehouse.rows("x_item", "id", "name") == [(2, "B"), (3, "c"), (new, "d")]
    assert done(sync(odoo, warehouse.url, ITEM)) == {}


def test_archived_records_are_rows_like_others(odoo: Odoo, warehouse: Warehouse) -> None:
    sync(odoo, warehouse.url, ITEM)
    write(odoo, ITEM, [2], {"active": False})
    report = sync(odoo, warehouse.url, ITEM)
    assert done(report) == {"changed": 1}
    assert warehouse.rows("x_item", "id", "active") == [(1, True), (2, False), (3, False)]


def test_columns_have_the_types_of_their_fields(odoo: Odoo, warehouse: Warehouse) -> None:
    report = sync(odoo, warehouse.url, ITEM)
    columns = warehouse.columns("x_item")
    assert columns == {
        "id": "BIGINT",
        "create_date": "TIMESTAMP WITH TIME ZONE",
        "write_date": "TIMESTAMP WITH TIME ZONE",
        "name": "VARCHAR",
        "active": "BOOLEAN",
        "price": "DECIMAL(18,2)",
        "day": "DATE",
        "state": "VARCHAR",
        "tag_id": "BIGINT",
        "create_uid": "BIGINT",
        "write_uid": "BIGINT",
    }
    assert report.warnings == ["Omitted, because they are files or properties: image, extra."]


def test_there_are_tables_where_there_are_no_records(warehouse: Warehouse) -> None:
    report = sync(odoo_with(rows=[]).connect(), warehouse.url, ITEM, check=True)
    assert (report.status, report.rows, report.counted) == ("complete", 0, 0)
    assert warehouse.tables() == ["x_item", "x_item__tag_ids"]
    assert "name" in warehouse.columns("x_item")


def test_a_thousand_columns(warehouse: Warehouse) -> None:
    fields = {f"x_{number}": "char" for number in range(1000)}
    odoo = odoo_with(fields, rows=[{"id": 1, "x_999": "last", **LONG_AGO}]).connect()
    assert sync(odoo, warehouse.url, ITEM, check=True).status == "complete"
    assert warehouse.rows("x_item", "id", "x_0", "x_999") == [(1, None, "last")]


def test_a_long_first_sync_is_loaded_in_portions_and_goes_on_where_it_was(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": number, "name": str(number), **LONG_AGO} for number in range(1, 5001)]
    server = odoo_with(rows=rows)
    odoo = server.connect()

    def load(stopped: bool = False) -> None:
        """Load all, or be stopped in the second portion."""
        original = Batches.rows

        def rows(batches: Batches, records: list[dict[str, Any]]) -> Any:
            if stopped and records and records[0]["id"] > 3000:
                raise KeyboardInterrupt
            return original(batches, records)

        with monkeypatch.context() as patched:
            patched.setattr(Batches, "rows", rows)
            sync(odoo, warehouse.url, ITEM, fields=["name"], batch_size=2000)

    with pytest.raises(KeyboardInterrupt):
        load(stopped=True)
    assert warehouse.ask("select count(*), max(id) from x_item") == [(2000, 2000)]
    server.sent.clear()
    load()
    assert server.asked("search_read")[0].arguments["domain"][0] == ["id", ">", 2000]
    assert warehouse.ask("select count(*), sum(id) from x_item") == [(5000, sum(range(5001)))]


def test_where_very_much_has_changed_all_is_read_page_by_page(
    odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(odoo, warehouse.url, ITEM)
    monkeypatch.setattr(following, "MOST_CHANGED", 1)
    write(odoo, ITEM, [1, 2], {"name": "x"})
    unlink(odoo, ITEM, [3])
    assert done(sync(odoo, warehouse.url, ITEM, check=True)) == {"loaded": 2, "deleted": 1}
    assert warehouse.rows("x_item", "id", "name") == [(1, "x"), (2, "x")]


# Links --------------------------------------------------------------------------------------------


def test_links_are_tables_of_their_own(odoo: Odoo, warehouse: Warehouse) -> None:
    report = sync(odoo, warehouse.url, ITEM, check=True)
    assert report.links == {"tag_ids": 2}
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]
    write(odoo, ITEM, [1], {"tag_ids": [[6, 0, [8]]]})
    write(odoo, ITEM, [2], {"tag_ids": [[6, 0, [7]]]})
    sync(odoo, warehouse.url, ITEM, check=True)
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 8), (2, 7)]
    unlink(odoo, ITEM, [1])
    write(odoo, ITEM, [2], {"tag_ids": [[6, 0, []]]})
    sync(odoo, warehouse.url, ITEM, check=True)
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == []


def test_links_to_archived_records_are_links_like_others(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    """Archiving the other record changes no write_date of this one, and no link either."""
    write(odoo, TAG, [7], {"active": False})
    report = sync(odoo, warehouse.url, ITEM, check=True)
    assert (report.status, report.links) == ("complete", {"tag_ids": 2})
    write(odoo, TAG, [8], {"active": False})
    assert sync(odoo, warehouse.url, ITEM, check=True).links == {"tag_ids": 2}
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]
    # As when the tag is deleted.
    server.records[ITEM][0]["tag_ids"] = [8]
    assert sync(odoo, warehouse.url, ITEM, check=True).links == {"tag_ids": 1}
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 8)]


def test_another_user_may_go_on_with_a_table(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    other = odoo_with(rows=server.records[ITEM], uid=6)
    other.hide(ITEM, [1])
    report = sync(other.connect(database="one"), warehouse.url, ITEM)
    assert (report.status, done(report)) == ("complete", {"not_accessible": 1})
    assert warehouse.rows("x_item", "id") == [(1,), (2,), (3,)]


def test_links_of_what_is_hidden_while_they_are_read_are_left_for_the_next_time(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(odoo, warehouse.url, ITEM)
    send = server.send

    def hiding(call: Call) -> Any:
        if call.method == "read" and "tag_ids" in call.arguments["fields"]:
            server.hide(ITEM, [2])
        return send(call)

    monkeypatch.setattr(server, "send", hiding)
    assert sync(odoo, warehouse.url, ITEM).links == {"tag_ids": 2}
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]


def test_links_follow_what_odoo_does_not_note_with_the_record(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    """As when a tag is deleted: the table of links changes, the record's write_date does not."""
    sync(odoo, warehouse.url, ITEM)
    server.records[ITEM][0]["tag_ids"] = [8]
    report = sync(odoo, warehouse.url, ITEM, check=True)
    assert (done(report), report.links) == ({}, {"tag_ids": 1})
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 8)]


def test_a_one2many_is_a_table_where_it_is_named(odoo: Odoo, warehouse: Warehouse) -> None:
    lines = create(odoo, "x.line", [{"item_id": 1}, {"item_id": 1}]).ids
    sync(odoo, warehouse.url, ITEM, fields=["name", "line_ids"], check=True)
    assert warehouse.tables() == ["x_item", "x_item__line_ids"]
    assert warehouse.rows("x_item__line_ids", "id", "other_id") == [(1, line) for line in lines]


# Deleted, left, hidden ----------------------------------------------------------------------------


def test_records_that_leave_the_domain_are_deleted_and_come_back_with_it(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    domain = [["state", "=", "draft"]]
    sync(odoo, warehouse.url, ITEM, domain)
    write(odoo, ITEM, [2], {"state": "done"})
    assert done(sync(odoo, warehouse.url, ITEM, domain, check=True)) == {"left": 1}
    assert warehouse.rows("x_item", "id") == [(1,), (3,)]
    write(odoo, ITEM, [2], {"state": "draft"})
    assert done(sync(odoo, warehouse.url, ITEM, domain, check=True)) == {"loaded": 1}
    assert warehouse.rows("x_item", "id") == [(1,), (2,), (3,)]


@pytest.mark.parametrize("domain", [[], [["state", "=", "draft"]]])
def test_rows_of_records_that_may_no_longer_be_read_stay_and_are_told(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, domain: list[Any]
) -> None:
    sync(odoo, warehouse.url, ITEM, domain)
    server.hide(ITEM, [1, 2])
    unlink_in(server, 3)
    report = sync(odoo, warehouse.url, ITEM, domain, check=True)
    assert (report.status, done(report)) == ("complete", {"deleted": 1, "not_accessible": 2})
    assert warehouse.rows("x_item", "id") == [(1,), (2,)]
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]
    # Deleted while it was hidden: only now it goes.
    unlink_in(server, 2)
    assert done(sync(odoo, warehouse.url, ITEM, domain)) == {"deleted": 1, "not_accessible": 1}
    assert warehouse.rows("x_item", "id") == [(1,)]
    server.hide(ITEM, [])
    again = sync(odoo, warehouse.url, ITEM, domain, check=True)
    assert (again.not_accessible, again.deleted) == (0, 0)
    assert warehouse.rows("x_item", "id") == [(1,)]


def test_a_user_who_sees_nothing_any_more_deletes_nothing(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    server.hide(ITEM, [1, 2, 3])
    for whole in (False, True):
        report = sync(odoo, warehouse.url, ITEM, full_reload=whole, check=True)
        assert done(report) == {"not_accessible": 3}
        assert (report.rows, report.counted) == (0, 0)
    assert len(warehouse.rows("x_item", "id")) == 3


def test_what_nobody_can_tell_is_not_taken_for_deleted(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where very many are hidden, it is not asked for each of them."""
    sync(odoo, warehouse.url, ITEM)
    server.hide(ITEM, [1, 2])
    unlink_in(server, 3)
    monkeypatch.setattr(importlib.import_module("odoo_toolkit.dlt.deletions"), "_MOST", 1)
    assert done(sync(odoo, warehouse.url, ITEM)) == {"not_accessible": 3}


def test_no_rights_on_the_model_is_an_error_and_nothing_changes(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    denied = make_error("ACCESS_DENIED", "You may not access x.item.")
    for method in ("search", "search_read", "search_count", "read"):
        server.answers[ITEM, method] = denied
    with pytest.raises(AccessError, match=r"x\.item"):
        sync(odoo, warehouse.url, ITEM)
    assert len(warehouse.rows("x_item", "id")) == 3


def unlink_in(server: RuledServer, record_id: int) -> None:
    """Delete a record as somebody else, whom no rule hides it from."""
    server.records[ITEM][:] = [row for row in server.records[ITEM] if row["id"] != record_id]


# Fields -------------------------------------------------------------------------------------------


def test_a_new_field_comes_with_its_values_for_all_records(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    rows = [{**row, "size": row["id"] * 10} for row in server.records[ITEM]]
    later = odoo_with({**FIELDS, "size": "integer"}, rows).connect(database="one")
    report = sync(later, warehouse.url, ITEM, check=True)
    assert done(report) == {"loaded": 3}
    assert "New: size. The toolkit read all records again." in report.warnings
    assert warehouse.rows("x_item", "id", "size") == [(1, 10), (2, 20), (3, 30)]


def test_a_new_field_is_an_error_where_columns_are_frozen(odoo: Odoo, warehouse: Warehouse) -> None:
    sync(odoo, warehouse.url, ITEM, columns="freeze")
    later = odoo_with({**FIELDS, "size": "integer"}).connect(database="one")
    with pytest.raises(ValidationError, match="new fields: size"):
        sync(later, warehouse.url, ITEM, columns="freeze")
    assert "size" not in warehouse.columns("x_item")


@pytest.mark.parametrize(
    ("field", "becomes", "said"),
    [
        ("price", "char", "price .* was decimal128"),
        ("tag_id", "many2one x.line", "was int64 of x.tag .* is now int64 of x.line"),
        ("tag_ids", "many2many x.line", "tag_ids"),
        ("price", {"type": "float", "digits": [16, 4]}, r"decimal128\(18, 4\)"),
    ],
)
def test_a_field_of_another_type_is_an_error_until_the_table_is_loaded_anew(
    odoo: Odoo, warehouse: Warehouse, field: str, becomes: Any, said: str
) -> None:
    first = sync(odoo, warehouse.url, ITEM)
    before = warehouse.columns("x_item")
    rows = [{**row, field: False} for row in items()]
    later = odoo_with({**FIELDS, field: becomes}, rows).connect(database="one")
    with pytest.raises(ValidationError, match=said):
        sync(later, warehouse.url, ITEM)
    assert warehouse.columns("x_item") == before
    assert len(warehouse.rows("x_item", "id")) == 3
    report = sync(later, warehouse.url, ITEM, refresh=True, check=True)
    assert (report.status, done(report)) == ("complete", {"loaded": 3})
    assert report.warnings == first.warnings, "what was dropped was not left otherwise by anybody"


def test_a_field_that_is_gone_is_an_error_unless_the_caller_left_it_out(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    fewer = {name: field for name, field in FIELDS.items() if name != "day"}
    later = odoo_with(fewer, server.records[ITEM]).connect(database="one")
    with pytest.raises(ValidationError, match="no longer has day"):
        sync(later, warehouse.url, ITEM)
    unfit = ("image", "extra", "total", "in_group_1", "line_ids")
    named = [name for name in fewer if name not in unfit]
    sync(later, warehouse.url, ITEM, fields=[*named, "create_uid", "write_uid"], check=True)
    assert "day" in warehouse.columns("x_item")


def test_a_field_that_was_left_out_and_comes_back_with_another_type_is_an_error(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    fields = ["name", "day"]
    sync(odoo, warehouse.url, ITEM, fields=fields)
    rest = {name: field for name, field in FIELDS.items() if name != "day"}
    sync(odoo_with(rest).connect(database="one"), warehouse.url, ITEM, fields=["name"])
    rows = [{**row, "day": 5} for row in items()]
    later = odoo_with({**FIELDS, "day": "integer"}, rows).connect(database="one")
    with pytest.raises(ValidationError, match=r"type of day has changed.* x_item, .* date") as told:
        sync(later, warehouse.url, ITEM, fields=fields)
    assert "refresh=True" in str(told.value.suggestion)
    assert sync(later, warehouse.url, ITEM, fields=fields, refresh=True).status == "complete"
    assert warehouse.rows("x_item", "day") == [(5,), (5,), (5,)]


def refusing(server: RuledServer, *fields: str) -> None:
    """Refuse what names one of some fields, as Odoo does where they lead to what is not allowed."""

    def refuse(call: Call) -> Any:
        if set(fields) & set(call.arguments.get("fields", ())):
            groups = {"model": TAG, "groups": ["Sales/Administrator"]}
            return make_error("ACCESS_DENIED", "No access to x.tag.", details=groups)
        return NotImplemented

    for method in ("read", "search_read"):
        server.answers[ITEM, method] = refuse


@pytest.mark.parametrize("fields", [(), ["*"], ["*", "name"]])
def test_links_that_odoo_does_not_let_the_user_read_are_left_out_with_a_word(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, fields: list[str]
) -> None:
    refusing(server, "tag_ids")
    report = sync(odoo, warehouse.url, ITEM, fields=fields, check=True)
    assert (report.status, report.rows) == ("complete", 3)
    assert any("tag_ids (to x.tag)" in text for text in report.warnings)
    assert warehouse.tables() == ["x_item"]


def test_of_several_links_only_those_that_are_refused_are_left_out(warehouse: Warehouse) -> None:
    server = odoo_with({**FIELDS, "more_ids": "many2many x.tag"})
    server.records[ITEM][0]["more_ids"] = [8]
    refusing(server, "tag_ids")
    sync(server.connect(), warehouse.url, ITEM)
    assert warehouse.rows("x_item__more_ids", "id", "other_id") == [(1, 8)]


def test_a_link_that_was_named_and_may_not_be_read_is_an_error_with_the_way_out(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    refusing(server, "tag_ids")
    with pytest.raises(AccessError, match=r"tag_ids of x\.item, which leads to x\.tag") as caught:
        sync(odoo, warehouse.url, ITEM, fields=["name", "tag_ids"])
    assert "without this one" in str(caught.value.suggestion)
    assert "Sales/Administrator" in str(caught.value.suggestion)
    assert warehouse.tables() == []


def test_links_that_were_loaded_and_may_no_longer_be_read_are_an_error(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    refusing(server, "tag_ids")
    with pytest.raises(ValidationError, match="no longer has tag_ids"):
        sync(odoo, warehouse.url, ITEM)
    assert len(warehouse.rows("x_item__tag_ids", "id")) == 2


def test_links_that_are_refused_while_they_are_compared_are_not_taken_for_none(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = odoo_with({**FIELDS, "more_ids": "many2many x.tag"}, server.records[ITEM])
    sync(server.connect(), warehouse.url, ITEM)
    monkeypatch.setattr("odoo_toolkit.dlt.tables.unreadable", lambda *arguments: {})
    refusing(server, "tag_ids")
    with pytest.raises(AccessError, match=r"cannot read tag_ids of x\.item"):
        sync(server.connect(), warehouse.url, ITEM)
    assert len(warehouse.rows("x_item__tag_ids", "id")) == 2


def test_closed_fields_are_told_by_default_and_refused_as_such_where_they_are_named(
    warehouse: Warehouse,
) -> None:
    server = odoo_with({**FIELDS, "signature": "html", "access_token": "char"})
    report = sync(server.connect(), warehouse.url, ITEM)
    assert (
        "Omitted, because the policy closes them (secrets always, and your field_blocklist):"
        " signature, access_token." in report.warnings
    )
    assert "signature" not in warehouse.columns("x_item")
    with pytest.raises(AccessError, match="The field signature cannot be used"):
        sync(server.connect(), warehouse.url, ITEM, fields=["name", "signature"])


@pytest.mark.parametrize("columns", ["x", "", None, ["name"]])
def test_what_becomes_of_new_fields_is_one_of_two_words(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, columns: Any
) -> None:
    with pytest.raises(ValidationError, match="columns must be 'evolve' or 'freeze'"):
        sync(odoo, warehouse.url, ITEM, columns=columns)
    assert server.sent == []


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ([], ["name", "price"], "create_uid, write_uid, active, day, state, tag_id, tag_ids"),
        (["name", "tag_ids"], ["name"], "tag_ids"),
        (["name", "line_ids"], [], "line_ids"),
    ],
)
def test_columns_that_a_run_would_not_fill_are_an_error_until_the_table_is_loaded_anew(
    odoo: Odoo, warehouse: Warehouse, first: list[str], then: list[str], left: str
) -> None:
    sync(odoo, warehouse.url, ITEM, fields=first)
    before = warehouse.ask("select * from x_item order by id")
    write(odoo, ITEM, [1], {"name": "A"})
    narrower = [["state", "=", "draft"]]
    with pytest.raises(ValidationError, match=f"x_item has {left}, which this run") as caught:
        sync(odoo, warehouse.url, ITEM, narrower, then)
    assert caught.value.details["fields"] == left.split(", ")
    assert warehouse.ask("select * from x_item order by id") == before
    assert sync(odoo, warehouse.url, ITEM, narrower, then, table="other").status == "complete"
    report = sync(odoo, warehouse.url, ITEM, narrower, then, refresh=True, check=True)
    assert report.status == "complete"
    assert not warehouse.columns("x_item").keys() & {*left.split(", ")}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("image", "image .* is a file"),
        ("extra", "extra .* contains properties"),
        ("tag_id.name", "is a field of another model"),
        ("total", "Odoo computes total of x.item when they are read"),
        ("in_group_1", "Odoo computes in_group_1 of x.item when they are read"),
        ("nothing", "has no field 'nothing'"),
    ],
)
def test_fields_that_cannot_be_followed_are_refused(
    odoo: Odoo, warehouse: Warehouse, field: str, said: str
) -> None:
    with pytest.raises(ValidationError, match=said):
        sync(odoo, warehouse.url, ITEM, fields=["name", field])
    assert warehouse.tables() == []


def test_a_computed_field_may_be_read_where_all_is_read_every_time(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    for total in (1.0, 2.0):
        server.records[ITEM][0]["total"] = total
        sync(odoo, warehouse.url, ITEM, fields=["total"], full_reload=True)
        assert warehouse.rows("x_item", "id", "total")[0] == (1, total)


def test_a_field_that_fails_when_it_is_read_is_named(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    write(odoo, ITEM, [1], {"name": "x"})

    def fail(call: Call) -> Any:
        failing = "day" in call.arguments.get("fields", ())
        return make_error("VALUE_ERROR", "Expected singleton") if failing else NotImplemented

    for method in ("read", "search_read"):
        server.answers[ITEM, method] = fail
    with pytest.raises(OdooError, match=r"reading day of x\.item"):
        sync(odoo, warehouse.url, ITEM)
    with pytest.raises(OdooError, match=r"reading day of x\.item"):
        sync(odoo, warehouse.url, ITEM, table="other")
    assert warehouse.rows("x_item", "id", "name")[0] == (1, "a")


def test_a_value_that_does_not_fit_its_type_is_an_error_and_nothing_is_loaded(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    server.records[ITEM][1]["price"] = 1.23456
    with pytest.raises(ValidationError, match=r"price of record 2 of x\.item is 1\.23456"):
        sync(odoo, warehouse.url, ITEM)
    assert warehouse.tables() == []
    assert sync(odoo, warehouse.url, ITEM, decimals=False).status == "complete"


def test_two_fields_that_would_be_one_column_are_an_error(warehouse: Warehouse) -> None:
    odoo = odoo_with({"x_a": "char", "x__a": "char"}, rows=[]).connect()
    with pytest.raises(ValidationError, match="would both become the column x_a"):
        sync(odoo, warehouse.url, ITEM)


def test_a_field_that_the_user_cannot_read_is_an_error(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    def refuse(call: Call) -> Any:
        refused = "day" in call.arguments.get("fields", ())
        return make_error("ACCESS_DENIED", "No.") if refused else NotImplemented

    server.answers[ITEM, "search_read"] = refuse
    with pytest.raises(AccessError, match=r"cannot read day of x\.item"):
        sync(odoo, warehouse.url, ITEM)


# Other bad input ----------------------------------------------------------------------------------


def test_a_model_that_is_gone_is_an_error_and_its_table_stays(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    later = RuledServer({TAG: {"name": "char"}}, records={TAG: []}).connect(database="one")
    with pytest.raises(NotFoundError, match=r"x\.item"):
        sync(later, warehouse.url, ITEM)
    assert len(warehouse.rows("x_item", "id")) == 3


def test_another_database_is_an_error_until_the_table_is_loaded_anew(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    other = odoo_with(rows=items()[:1]).connect(database="two")
    with pytest.raises(ValidationError, match="from the database one, but this is two"):
        sync(other, warehouse.url, ITEM)
    assert len(warehouse.rows("x_item", "id")) == 3
    sync(other, warehouse.url, ITEM, refresh=True, check=True)
    assert warehouse.rows("x_item", "id") == [(1,)]
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]


def test_another_language_is_an_error(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    french = server.connect(database="one", lang="fr_FR")
    said = "table x_item are in the language en_US, but this run would read them in fr_FR"
    with pytest.raises(ValidationError, match=said):
        sync(odoo, warehouse.url, ITEM, context={"lang": "fr_FR"})
    with pytest.raises(ValidationError, match=said):
        sync(french, warehouse.url, ITEM)
    sync(french, warehouse.url, ITEM, refresh=True)
    assert sync(odoo, warehouse.url, ITEM, context={"lang": "fr_FR"}).status == "complete"
    with pytest.raises(ValidationError, match="are in the language fr_FR"):
        sync(odoo, warehouse.url, ITEM)


def test_another_context_is_an_error(odoo: Odoo, warehouse: Warehouse) -> None:
    sync(odoo, warehouse.url, ITEM)
    with pytest.raises(ValidationError, match=r"with the context \{\}, not with .*Europe/Paris"):
        sync(odoo, warehouse.url, ITEM, context={"tz": "Europe/Paris"})


COMPANIES = {"allowed_company_ids": [2, 1]}


def of_users(fields: dict[str, Any]) -> Callable[..., Odoo]:
    """Return what connects as one of two users, whose main companies are 1 and 2."""
    models = {ITEM: fields, **OTHERS, "res.users": {"company_id": "many2one res.company"}}
    users = [{"id": 2, "company_id": 1}, {"id": 3, "company_id": 2}]
    records = {ITEM: items(), TAG: [], "res.users": users}

    def connected(uid: int = 2, **settings: Any) -> Odoo:
        return RuledServer(models, records=records, uid=uid).connect(database="one", **settings)

    return connected


@pytest.mark.parametrize(
    ("other", "context"),
    [({"company_id": 2}, None), ({"uid": 3}, None), ({}, COMPANIES)],
    ids=["of the connection", "of another user", "of the context"],
)
def test_another_company_is_an_error_where_each_has_its_own_values(
    warehouse: Warehouse, other: dict[str, Any], context: Any
) -> None:
    connected = of_users({**FIELDS, "cost": {"type": "float", "company_dependent": True}})
    sync(connected(), warehouse.url, ITEM)
    assert sync(connected(company_id=1), warehouse.url, ITEM).status == "complete"
    with pytest.raises(ValidationError, match=r"company 1, but .* those of 2"):
        sync(connected(**other), warehouse.url, ITEM, context=context)
    sync(connected(**other), warehouse.url, ITEM, context=context, refresh=True)
    with pytest.raises(ValidationError, match=r"company 2, but .* those of 1"):
        sync(connected(company_id=1), warehouse.url, ITEM, context=context and {})


def test_another_company_may_go_on_where_all_have_the_same_values(warehouse: Warehouse) -> None:
    connected = of_users(FIELDS)
    sync(connected(), warehouse.url, ITEM)
    assert sync(connected(company_id=2), warehouse.url, ITEM).status == "complete"


def test_another_model_in_the_same_table_is_an_error(odoo: Odoo, warehouse: Warehouse) -> None:
    sync(odoo, warehouse.url, ITEM, table="here")
    with pytest.raises(ValidationError, match=r"contains x\.item, not x\.tag"):
        sync(odoo, warehouse.url, TAG, table="here")


def test_a_clock_that_went_back_is_an_error(
    odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = datetime.now(UTC).timestamp()
    changes = importlib.import_module("odoo_toolkit.records.changes")
    monkeypatch.setattr(changes, "time", types.SimpleNamespace(time=lambda: moment))
    sync(odoo, warehouse.url, ITEM)
    moment -= 500  # Within the overlap, nothing is lost.
    assert sync(odoo, warehouse.url, ITEM).status == "complete"
    moment -= 1000
    with pytest.raises(StateError, match="The clock of Odoo shows"):
        sync(odoo, warehouse.url, ITEM)


def test_a_model_that_does_not_keep_its_changes_is_an_error(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    with pytest.raises(ValidationError, match="does not record when"):
        sync(odoo, warehouse.url, "x.report")


def test_records_that_are_counted_and_never_returned_are_an_error(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse
) -> None:
    server.answers[ITEM, "search"] = lambda call: [1, 2, 3, 4]
    server.answers[ITEM, "formatted_read_group"] = [{"__count": 4, "id:sum": 10}]
    with pytest.raises(StateError, match=r"counts 1 records of x\.item that it does not return.*4"):
        sync(odoo, warehouse.url, ITEM)
    assert warehouse.tables() == []


def test_rows_that_somebody_else_deleted_or_added_are_made_up_for(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    warehouse.ask("delete from x_item where id = 2")
    warehouse.ask("insert into x_item (id, name) values (4, 'x')")
    report = sync(odoo, warehouse.url, ITEM, check=True)
    assert "The table differed from the state after the last run" in " ".join(report.warnings)
    assert done(report) == {"loaded": 1, "deleted": 1}
    assert warehouse.rows("x_item", "id", "name") == [(1, "a"), (2, "b"), (3, "c")]


def test_the_staging_dataset_that_dlt_leaves_behind_may_be_dropped(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    write(odoo, ITEM, [1], {"name": "A"})
    sync(odoo, warehouse.url, ITEM)
    assert warehouse.ask("select id from odoo_data_staging.x_item") == [(1,)]
    warehouse.ask("drop schema odoo_data_staging cascade")
    write(odoo, ITEM, [2], {"name": "B"})
    assert sync(odoo, warehouse.url, ITEM, check=True).status == "complete"
    assert warehouse.rows("x_item", "id", "name") == [(1, "A"), (2, "B"), (3, "c")]


def test_links_that_somebody_else_deleted_are_made_up_for(odoo: Odoo, warehouse: Warehouse) -> None:
    sync(odoo, warehouse.url, ITEM)
    warehouse.ask("delete from x_item__tag_ids")
    report = sync(odoo, warehouse.url, ITEM)
    assert "The table differed from the state after the last run" in " ".join(report.warnings)
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("X_Item", "would become 'x_item' at the destination"),
        ("x-item", "would become 'x_item' at the destination"),
        ("My Table", "would become 'my_table' at the destination"),
        ("x_item__tag_ids", "would become 'x_item_tag_ids' at the destination"),
        ("  ", "would become no name at all"),
        ("_dlt_loads", "cannot have the name '_dlt_loads'"),
        ("x" * 60, "cannot have the name"),
    ],
)
def test_names_that_the_destination_would_change_are_refused_before_anything_is_read(
    server: RuledServer, odoo: Odoo, warehouse: Warehouse, name: str, said: str
) -> None:
    for load in (
        lambda: sync(odoo, warehouse.url, ITEM, table=name),
        lambda: odoo_table(odoo, ITEM, table=name),
    ):
        with pytest.raises(ValidationError, match=said):
            load()
    assert server.sent == []
    assert not warehouse.path.exists()


def test_a_dataset_that_the_destination_would_name_otherwise_is_refused(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    with pytest.raises(ValidationError, match="dataset 'x-y z' would become 'x_y_z'"):
        sync(odoo, warehouse.url, ITEM, dataset="x-y z")
    assert sync(odoo, warehouse.url, ITEM, dataset="x_y_z", table="y1").status == "complete"


def test_a_run_that_loads_other_than_it_was_given_is_an_error(
    odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Batches.rows
    monkeypatch.setattr(Batches, "rows", lambda self, records: original(self, records[:2]))
    with pytest.raises(
        StateError, match=r"contains 2 rows with an id sum of 3, instead of 3 rows with 6"
    ):
        sync(odoo, warehouse.url, ITEM)
    monkeypatch.setattr(Batches, "rows", original)
    assert sync(odoo, warehouse.url, ITEM, check=True).rows == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("update x_item set id = 0 where id = 1; update x_item set id = 4 where id = 3",
         "are missing"),
        ("update x_item set write_date = '2019-01-01' where id = 2", "older than their records"),
        ("update x_item__tag_ids set other_id = 9 where other_id = 7",
         r"links .* x_item__tag_ids .* 0 to 999"),
        ("insert into x_item__tag_ids (id, other_id) values (2, 9)", "links .* x_item__tag_ids"),
    ],
)  # fmt: skip
def test_a_check_finds_what_was_changed_in_the_warehouse(
    odoo: Odoo, warehouse: Warehouse, change: str, said: str
) -> None:
    sync(odoo, warehouse.url, ITEM)
    warehouse.ask(change)
    with pytest.raises(StateError, match=said):
        sync(odoo, warehouse.url, ITEM, check=True)


def test_a_destination_that_fails_in_the_middle_is_made_up_for(
    odoo: Odoo, warehouse: Warehouse
) -> None:
    sync(odoo, warehouse.url, ITEM)
    write(odoo, ITEM, [1], {"name": "A", "tag_ids": [[6, 0, [8]]]})
    unlink(odoo, ITEM, [2])
    # The rows can be loaded, their links cannot.
    warehouse.ask("alter table x_item__tag_ids rename to away")
    with pytest.raises(StateError, match=r"The destination failed: .*x_item__tag_ids"):
        sync(odoo, warehouse.url, ITEM)
    warehouse.ask("drop table if exists x_item__tag_ids")
    warehouse.ask("alter table away rename to x_item__tag_ids")
    assert sync(odoo, warehouse.url, ITEM, check=True).status == "complete"
    assert warehouse.rows("x_item", "id", "name") == [(1, "A"), (3, "c")]
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 8)]


def test_a_destination_that_cannot_be_opened_is_an_error_that_says_why(
    odoo: Odoo, tmp_path: Path
) -> None:
    with pytest.raises(StateError, match=r"The destination failed: .*No such file") as caught:
        sync(odoo, f"duckdb:///{tmp_path}/none/odoo.db", ITEM)
    assert "the next sync loads" in str(caught.value.suggestion)
    (tmp_path / "text.db").write_text("not a database " * 1000)
    with pytest.raises(StateError, match=r"The destination failed: .*not a valid DuckDB"):
        sync(odoo, f"duckdb:///{tmp_path}/text.db", ITEM)


def test_a_destination_that_dlt_is_not_configured_for_is_an_error_that_says_what_is_missing(
    odoo: Odoo,
) -> None:
    with pytest.raises(ConfigurationError, match=r"dlt is not configured .*bucket_url"):
        sync(odoo, "filesystem", ITEM)


@pytest.mark.parametrize(
    ("folder", "said"),
    [(True, "cannot write temporary files"), (False, "The destination failed")],
    ids=["the working files do not fit", "the destination does not fit"],
)
def test_a_full_disc_is_told_and_made_up_for(
    odoo: Odoo, warehouse: Warehouse, folder: bool, said: str
) -> None:
    sync(odoo, warehouse.url, ITEM)
    create(odoo, ITEM, [{"name": secrets.token_hex(10_000)} for _ in range(100)])
    write(odoo, ITEM, [1], {"name": "A"})
    unlink(odoo, ITEM, [2])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The database is larger than the files that are loaded into it.
    most = 20_000 if folder else warehouse.path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        with pytest.raises(StateError, match=said):
            sync(odoo, warehouse.url, ITEM)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    report = sync(odoo, warehouse.url, ITEM, check=True)
    assert (report.status, report.rows) == ("complete", 102)
    assert warehouse.rows("x_item", "id", "name")[:2] == [(1, "A"), (3, "c")]


@pytest.mark.parametrize("first", [True, False])
def test_a_run_that_dies_while_it_loads_leaves_nothing_behind(
    odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """Its rows are there, and nothing is kept of them; then Odoo changes again."""
    from dlt.load.load import Load

    if not first:
        sync(odoo, warehouse.url, ITEM)
    new = create(odoo, ITEM, {"name": "new", "tag_ids": [[6, 0, [7]]]}).id
    write(odoo, ITEM, [1], {"name": "B", "tag_ids": [[6, 0, [8]]]})
    write(odoo, ITEM, [2], {"tag_ids": [[6, 0, [8]]]})

    def die(self: Load, load_id: str, schema: Any, aborted: bool = False) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Load, "complete_package", die)
        with pytest.raises(KeyboardInterrupt):
            sync(odoo, warehouse.url, ITEM)
    assert (new, "new") in warehouse.rows("x_item", "id", "name")
    # As it was before the run that died, which is all that is kept.
    unlink(odoo, ITEM, [new])
    write(odoo, ITEM, [1], {"name": "a", "tag_ids": [[6, 0, [7, 8]]]})
    write(odoo, ITEM, [2], {"tag_ids": [[6, 0, []]]})
    report = sync(odoo, warehouse.url, ITEM, check=True)
    assert "differed from the state after the last run" in " ".join(report.warnings)
    assert warehouse.rows("x_item", "id", "name") == [(1, "a"), (2, "b"), (3, "c")]
    assert warehouse.rows("x_item__tag_ids", "id", "other_id") == [(1, 7), (1, 8)]
    assert done(sync(odoo, warehouse.url, ITEM)) == {}


@pytest.mark.parametrize("destination", ["nothing", "nothing://x", "duckdb://", "a.db", ""])
def test_what_is_no_destination_is_an_error(odoo: Odoo, destination: str) -> None:
    with pytest.raises(ValidationError, match="is not a destination"):
        sync(odoo, destination, ITEM)


def test_a_file_with_the_name_of_the_dataset_is_refused(odoo: Odoo, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="name as the dataset odoo_data"):
        sync(odoo, f"duckdb:///{tmp_path}/odoo_data.db", ITEM)


def test_what_dlt_misses_is_named(odoo: Odoo) -> None:
    with pytest.raises(ConfigurationError, match=r"`password`.*\n?.*CREDENTIALS__PASSWORD"):
        sync(odoo, "postgresql://user@localhost/odoo", ITEM)


def test_a_table_that_is_loaded_is_refused_to_another_sync(
    odoo: Odoo, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the same process; those of other processes cannot open the file."""
    handed_out, told = Batches.rows, list[str]()

    def rows(self: Batches, records: Any) -> Any:
        if not told:
            told.append("")
            with ThreadPoolExecutor() as threads:
                second = threads.submit(sync, odoo, warehouse.url, ITEM)
                with pytest.raises(StateError, match="Another sync is loading the table x_item"):
                    second.result()
            command = f"import duckdb; duckdb.connect({str(warehouse.path)!r})"
            other = subprocess.run(
                [sys.executable, "-c", command], capture_output=True, text=True, check=False
            )
            told[0] = other.stderr
        return handed_out(self, records)

    monkeypatch.setattr(Batches, "rows", rows)
    assert sync(odoo, warehouse.url, ITEM, check=True).status == "complete"
    assert "Could not set lock on file" in told[0]
    assert sync(odoo, warehouse.url, ITEM).status == "complete"


def test_a_destination_that_would_add_rows_is_refused(odoo: Odoo, tmp_path: Path) -> None:
    import dlt

    files = dlt.destinations.filesystem(bucket_url=str(tmp_path / "files"))
    with pytest.raises(ConfigurationError, match="cannot replace and delete rows in filesystem"):
        sync(odoo, files, ITEM)


# dlt ----------------------------------------------------------------------------------------------


def test_a_source_runs_in_a_pipeline_of_ones_own(
    odoo: Odoo, warehouse: Warehouse, tmp_path: Path
) -> None:
    import dlt

    def run() -> dict[str, TableReport]:
        pipeline = dlt.pipeline(
            "mine",
            destination=dlt.destinations.duckdb(str(warehouse.path)),
            dataset_name="odoo_data",
            pipelines_dir=str(tmp_path / "pipelines"),
        )
        pipeline.run(odoo_source(odoo, [ITEM, TAG], parallelized=True))
        return reports(pipeline)

    assert {name: done(told) for name, told in run().items()} == {
        "x_item": {"loaded": 3},
        "x_tag": {"loaded": 2},
    }
    unlink(odoo, ITEM, [1])
    assert {name: done(told) for name, told in run().items()} == {
        "x_item": {"deleted": 1},
        "x_tag": {},
    }
    assert warehouse.rows("x_item", "id") == [(2,), (3,)]


def test_dlt_sends_no_usage_statistics(odoo: Odoo, warehouse: Warehouse) -> None:
    from dlt.common.runtime import anon_tracker

    sync(odoo, warehouse.url, ITEM)
    assert anon_tracker._ANON_TRACKER_ENDPOINT is None


def test_dlt_prints_nothing_of_its_own(warehouse: Warehouse) -> None:
    """In a process of its own: dlt makes its log once."""
    command = (
        "import sys; from odoo_toolkit.dlt import sync; from tests.unit.test_dlt import *;"
        "sync(odoo_with().connect(), sys.argv[1], ITEM)"
    )
    said = subprocess.run(
        [sys.executable, "-c", command, warehouse.url],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


def test_without_dlt_the_error_says_how_to_install_it(
    odoo: Odoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dlt", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'odoo-toolkit-mcp\[dlt\]'"):
        odoo_table(odoo, ITEM)


def test_an_unknown_bundle_is_an_error(odoo: Odoo) -> None:
    with pytest.raises(ValidationError, match="shop is not a bundle"):
        odoo_source(odoo, bundle="shop")
    with pytest.raises(ValidationError, match="The list of models is empty"):
        odoo_source(odoo)


def test_a_run_that_ends_early_keeps_nothing(odoo: Odoo, server: RuledServer) -> None:
    from odoo_toolkit.dlt.destination_check import Standing
    from odoo_toolkit.dlt.sync_state import Kept
    from odoo_toolkit.dlt.tables import table_of

    table = table_of(odoo, ITEM, [], [], None, name=None, full_reload=False, decimals=True)
    run = Following(odoo, table, Standing(Kept()))
    next(run.parts())
    assert run.kept is None
    assert run.report is None


def test_of_thousands_of_fields_an_error_names_some(warehouse: Warehouse) -> None:
    names = [f"f{number}" for number in range(3000)]
    computed = {name: {"type": "integer", "string": name, "store": False} for name in names}
    odoo = odoo_with({**FIELDS, **computed}).connect(database="one")
    with pytest.raises(ValidationError, match=r"f19 and 2980 more of x\.item") as caught:
        sync(odoo, warehouse.url, ITEM, [], ["name", *names])
    assert len(str(caught.value)) < 500
    assert caught.value.details["fields"] == names
