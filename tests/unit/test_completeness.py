"""A read that is checked: what is missing, late, gone or changed, and when that is an error."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from odoo_toolkit import Odoo, StateError, iterate
from odoo_toolkit.call import Call
from odoo_toolkit.testing import FakeServer

completeness = importlib.import_module("odoo_toolkit.records.completeness")

ITEM = "x.item"
MODELS = {
    ITEM: {
        "name": "char",
        "active": "boolean",
        "write_date": "datetime",
        "create_date": "datetime",
    },
}
LONG_AGO = "2020-01-01 00:00:00"


def now(seconds: float = 0) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"


def item(number: int, date: str = LONG_AGO, **values: Any) -> dict[str, Any]:
    dates = {"write_date": date, "create_date": date}
    return {"id": number, "name": f"item {number}", "active": True, **dates, **values}


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(MODELS, records={ITEM: [item(number) for number in range(1, 31)]})


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


def read(odoo: Odoo, happens: Any = None, **asked: Any) -> tuple[list[int], Any]:
    """Return the ids that a read returns, and its report; something happens after the tenth."""
    records = iterate(odoo, ITEM, fields=["name"], batch=4, check=True, **asked)
    ids = []
    for number, row in enumerate(records):
        ids.append(row["id"])
        if number == 9 and happens:
            happens()
    return ids, records.report


def rows(server: FakeServer) -> list[dict[str, Any]]:
    return server.records[ITEM]


@pytest.mark.parametrize("window", [1, 7, 30, 50_000])
def test_a_quiet_read_is_complete(odoo: Odoo, monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(completeness, "_WINDOW", window)
    ids, report = read(odoo)
    assert ids == list(range(1, 31))
    assert (report.status, report.records, report.counted) == ("complete", 30, 30)
    assert report.id_sum == report.counted_id_sum == sum(ids)
    assert (report.changed, report.late, report.deleted, report.left) == ([], [], [], [])


def test_an_empty_read_is_complete(odoo: Odoo) -> None:
    records = iterate(odoo, ITEM, [["id", "=", 0]], check=True)
    assert list(records) == []
    assert (records.report.status, records.report.counted) == ("complete", 0)


def test_a_read_that_is_not_checked_counts_what_it_returns(odoo: Odoo, server: FakeServer) -> None:
    records = iterate(odoo, ITEM, fields=["name"])
    list(records)
    report = records.report
    assert (report.status, report.records, report.id_sum) == ("not checked", 30, 465)
    assert [call.method for call in server.sent if call.model == ITEM] == ["search_read"]


def test_what_a_long_transaction_creates_below_the_ids_that_were_passed_is_read(
    odoo: Odoo, server: FakeServer
) -> None:
    del rows(server)[2:4]
    ids, report = read(odoo, lambda: rows(server).extend([item(3, now(-300)), item(4, now(-300))]))
    assert sorted(ids) == list(range(1, 31))
    assert ids[-2:] == report.late == [3, 4]
    assert (report.status, report.counted) == ("complete, changed meanwhile", 30)
    assert report.created == [3, 4]


def test_what_comes_without_a_date_is_read_too(odoo: Odoo, server: FakeServer) -> None:
    del rows(server)[2]
    ids, report = read(odoo, lambda: rows(server).append(item(3)))
    assert ids[-1:] == report.late == [3]


def test_what_is_deleted_or_archived_meanwhile_is_told(odoo: Odoo, server: FakeServer) -> None:
    def happens() -> None:
        rows(server)[0] |= {"active": False, "write_date": now()}
        del rows(server)[1]

    ids, report = read(odoo, happens)
    assert ids == list(range(1, 31))
    assert (report.deleted, report.left, report.counted) == ([2], [1], 28)
    assert report.status == "complete, changed meanwhile"


def test_what_goes_before_its_page_is_read_is_not_missed(odoo: Odoo, server: FakeServer) -> None:
    ids, report = read(odoo, lambda: rows(server).pop())
    assert ids == list(range(1, 30))
    assert (report.status, report.counted) == ("complete", 29)


def test_what_is_changed_meanwhile_is_told(odoo: Odoo, server: FakeServer) -> None:
    rows(server)[4]["write_date"] = now(-60)
    _, report = read(odoo, lambda: rows(server)[2].update(write_date=now()))
    # The fifth was changed shortly before, and not since.
    assert (report.changed, report.status) == ([3], "complete, changed meanwhile")


def test_numbers_and_sums_that_agree_by_chance_in_one_window(
    odoo: Odoo, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completeness, "_WINDOW", 2)

    def happens() -> None:
        rows(server)[:] = [row for row in rows(server) if row["id"] not in (2, 5)]

    _, report = read(odoo, happens)
    assert report.deleted == [2, 5]


def test_what_is_counted_and_not_returned_is_an_error(odoo: Odoo, server: FakeServer) -> None:
    def answer(call: Call) -> Any:
        kept = [row for row in rows(server) if row["id"] != 7]
        return (
            FakeServer(MODELS, records={ITEM: kept})
            .connect()
            .call(Call(model=ITEM, method="search_read", arguments=dict(call.arguments)))
        )

    server.answers[ITEM, "search_read"] = answer
    with pytest.raises(StateError, match=r"1 records of x\.item .* such as 7") as caught:
        read(odoo)
    assert caught.value.details["ids"] == [7]


def test_a_stream_has_the_report(odoo: Odoo) -> None:
    pytest.importorskip("pyarrow")
    stream = iterate(odoo, ITEM, fields=["name"], batch=4, check=True).to_arrow()
    assert sum(batch.num_rows for batch in stream) == 30
    assert stream.report.status == "complete"
