"""What has changed since a cursor: nothing lost, nothing told twice."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    Domain,
    Odoo,
    Policy,
    ValidationError,
    changes,
    create,
    unlink,
    write,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.records.changes import ChangesResult
from odoo_toolkit.records.cursors import from_ranges, ranges, unpack
from odoo_toolkit.testing import FakeServer

TAG = "res.partner.category"
MODELS: dict[str, Any] = {TAG: {"name": "char", "color": "integer", "active": "boolean"}}
LONG_AGO = {"create_date": "2020-01-01 00:00:00", "write_date": "2020-01-01 00:00:00"}


class Clock:
    """The time, of the server and of us."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def text(self, ahead: float = 0) -> str:
        moment = datetime.fromtimestamp(self.now + ahead, UTC)
        return moment.strftime("%Y-%m-%d %H:%M:%S")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module, name, value in (
        ("odoo_toolkit.testing.records", "_now", clock.text),
        ("odoo_toolkit.records.changes", "time", types.SimpleNamespace(time=lambda: clock.now)),
    ):
        monkeypatch.setattr(importlib.import_module(module), name, value)
    return clock


@pytest.fixture
def server(clock: Clock) -> FakeServer:
    rows = [{"name": name, **LONG_AGO} for name in ("a", "b", "c")]
    return FakeServer(MODELS, records={TAG: rows})


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


class Follower:
    """Follows the changes as a caller would, with the cursor of the last call."""

    def __init__(self, odoo: Odoo, **arguments: Any) -> None:
        self.odoo, self.arguments = odoo, arguments
        self.cursor = changes(odoo, TAG, **arguments).cursor

    def next(self) -> ChangesResult:
        found = changes(self.odoo, TAG, self.cursor, **self.arguments)
        self.cursor = found.cursor
        return found

    def told(self) -> dict[str, list[int]]:
        """Return the ids of each kind of change, kinds without any left out."""
        found = self.next()
        kinds = {
            name: [record["id"] for record in getattr(found, name)]
            for name in ("created", "entered", "written")
        }
        kinds |= {"left": found.left, "deleted": found.deleted}
        return {name: ids for name, ids in kinds.items() if ids}


def later(clock: Clock, seconds: float = 3600) -> None:
    clock.now += seconds


def test_the_first_call_gives_the_mark_only(odoo: Odoo) -> None:
    found = changes(odoo, TAG)
    assert (found.records, found.deleted, bool(found)) == ([], [], False)
    assert found.cursor.isascii()
    assert Follower(odoo).told() == {}


def test_what_was_created_written_and_deleted_is_told_once(odoo: Odoo, clock: Clock) -> None:
    follower = Follower(odoo, fields=["name"])
    later(clock)
    write(odoo, TAG, [2], {"name": "B"})
    unlink(odoo, TAG, [1])
    new = create(odoo, TAG, {"name": "d"}).id
    found = follower.next()
    assert found.created == [{"id": new, "name": "d"}]
    assert found.written == [{"id": 2, "name": "B"}]
    assert (found.deleted, found.left, found.entered) == ([1], [], [])
    assert bool(found)
    assert follower.told() == {}
    later(clock)
    assert follower.told() == {}


def test_what_was_changed_long_before_the_next_call_is_told(odoo: Odoo, clock: Clock) -> None:
    follower = Follower(odoo)
    write(odoo, TAG, [1], {"name": "A"})
    later(clock, 100)
    write(odoo, TAG, [2], {"name": "B"})
    later(clock, 86_400)
    assert follower.told() == {"written": [1, 2]}
    assert follower.told() == {}


def test_two_requests_where_nothing_has_changed(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo)
    later(clock)
    server.sent.clear()
    follower.next()
    assert [call.method for call in server.sent] == ["search", "search"]


def test_one_request_more_for_what_has_changed(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo)
    later(clock)
    write(odoo, TAG, [1, 2], {"color": 3})
    server.sent.clear()
    follower.next()
    assert [call.method for call in server.sent] == ["search", "search", "read"]


def test_a_record_written_twice_within_a_second_is_told_twice(odoo: Odoo) -> None:
    follower = Follower(odoo)
    write(odoo, TAG, [1], {"name": "first"})
    assert follower.told() == {"written": [1]}
    write(odoo, TAG, [1], {"name": "second"})
    assert follower.next().written[0]["name"] == "second"
    assert follower.told() == {}


def test_many_records_of_one_second_are_all_told(odoo: Odoo) -> None:
    follower = Follower(odoo)
    first = create(odoo, TAG, [{"name": f"n{i}"} for i in range(30)]).ids
    assert follower.told() == {"created": first}
    more = create(odoo, TAG, [{"name": f"m{i}"} for i in range(30)]).ids
    assert follower.told() == {"created": more}


def test_a_transaction_that_commits_late_is_found(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo)
    later(clock)
    began = {"write_date": clock.text(), "create_date": clock.text()}
    later(clock, 300)
    create(odoo, TAG, {"name": "drawn later, seen first"})
    assert follower.told() == {"created": [4]}
    server.records[TAG].append({"id": 900, "name": "late", **began})
    server.records[TAG][0] |= {"name": "late, too", "write_date": began["write_date"]}
    assert follower.told() == {"created": [900], "written": [1]}
    assert follower.told() == {}


def test_a_creation_that_commits_even_later_is_found_by_its_id(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo)
    server.records[TAG].append({"id": 900, "name": "very late", **LONG_AGO})
    later(clock)
    assert follower.told() == {"entered": [900]}


def test_a_longer_overlap_finds_what_commits_later(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    for overlap, told in ((60, {}), (900, {"written": [1]})):
        follower = Follower(odoo, overlap=overlap)
        server.records[TAG][0] |= {"name": f"late {overlap}", "write_date": clock.text(-600)}
        assert follower.told() == told


@pytest.mark.parametrize("first", [60, 900])
def test_the_overlap_may_be_changed(odoo: Odoo, clock: Clock, first: int) -> None:
    follower = Follower(odoo, overlap=first)
    follower.arguments["overlap"] = 960 - first
    write(odoo, TAG, [1], {"name": "A"})
    assert follower.told() == {"written": [1]}
    later(clock, 300)
    write(odoo, TAG, [2], {"name": "B"})
    assert 2 in follower.told()["written"]


def test_archived_records_are_seen(odoo: Odoo, clock: Clock) -> None:
    follower = Follower(odoo, fields=["name", "active"])
    later(clock)
    write(odoo, TAG, [1], {"active": False})
    assert follower.next().written == [{"id": 1, "name": "a", "active": False}]


def test_what_leaves_and_enters_the_domain_is_told(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo, domain=Domain().in_list("name", ["a", "b", "x"]))
    later(clock)
    write(odoo, TAG, [1], {"name": "z"})
    unlink(odoo, TAG, [2])
    # As where the condition is about another model's record: without a new write_date.
    server.records[TAG][1]["name"] = "x"
    assert follower.told() == {"entered": [3], "left": [1], "deleted": [2]}
    assert follower.told() == {}
    write(odoo, TAG, [1], {"name": "a"})
    assert follower.told() == {"entered": [1]}


def test_what_leaves_the_domain_and_comes_back_is_told_again(odoo: Odoo, clock: Clock) -> None:
    later(clock)
    write(odoo, TAG, [1], {"color": 1})
    follower = Follower(odoo, domain=[["color", "=", 1]], fields=["name"])
    write(odoo, TAG, [1], {"color": 2})
    assert follower.told() == {"left": [1]}
    write(odoo, TAG, [1], {"color": 1})
    assert follower.told() == {"entered": [1]}


def test_without_deletions_ids_are_not_compared(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo, deletions=False)
    later(clock)
    unlink(odoo, TAG, [1])
    write(odoo, TAG, [2], {"color": 5})
    create(odoo, TAG, {"name": "d"})
    server.sent.clear()
    assert follower.told() == {"created": [4], "written": [2]}
    assert [call.method for call in server.sent] == ["search", "read"]
    assert follower.told() == {}
    with pytest.raises(ValidationError, match="deletions=False"):
        changes(odoo, TAG, follower.cursor)


def test_what_is_written_while_it_runs_is_told_the_next_time(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo)
    other = server.connect()

    def busy(call: Call) -> Any:
        server.answers.clear()
        create(other, TAG, {"name": "meanwhile"})
        write(other, TAG, [1], {"name": "meanwhile, too"})
        return NotImplemented

    later(clock)
    write(odoo, TAG, [2], {"name": "B"})
    server.answers[TAG, "read"] = busy
    assert follower.told() == {"written": [2]}
    assert follower.told() == {"created": [4], "written": [1]}
    assert follower.told() == {}


@pytest.mark.parametrize("at", ["search", "read"])
def test_what_is_deleted_while_it_runs_is_told_if_it_was_known(
    server: FakeServer, odoo: Odoo, clock: Clock, at: str
) -> None:
    follower = Follower(odoo)
    later(clock)
    write(odoo, TAG, [1, 2], {"color": 7})
    brief = create(odoo, TAG, {"name": "comes and goes"}).id
    create(odoo, TAG, {"name": "stays"})

    def busy(call: Call) -> Any:
        if at == "search" and len(server.asked("search")) < 2:
            return NotImplemented
        server.records[TAG] = [r for r in server.records[TAG] if r["id"] not in (1, brief)]
        del server.answers[TAG, at]
        return NotImplemented

    server.sent.clear()
    server.answers[TAG, at] = busy
    first, second = follower.told(), follower.told()
    told = [kind for kinds in (first, second) for kind, ids in kinds.items() if 1 in ids]
    assert told == ["deleted"]
    assert not any(brief in ids for kinds in (first, second) for ids in kinds.values())
    assert first["written"] == [2]
    assert first["created"] == [5]


def test_what_leaves_the_domain_while_it_runs_is_told_once_in_each_way(
    server: FakeServer, odoo: Odoo, clock: Clock
) -> None:
    follower = Follower(odoo, domain=[["color", "=", 0]])
    later(clock)
    write(odoo, TAG, [1], {"name": "A"})

    def leaves(call: Call) -> Any:
        of_dates = any(leaf[0] == "write_date" for leaf in call.arguments["domain"])
        return [1] if of_dates else [2, 3]

    server.answers[TAG, "search"] = leaves
    assert follower.told() == {"written": [1]}
    server.answers.clear()
    write(odoo, TAG, [1], {"color": 1})
    assert follower.told() == {"left": [1]}


def test_a_record_made_by_sql_without_a_date(server: FakeServer, odoo: Odoo, clock: Clock) -> None:
    follower = Follower(odoo, fields=["name"])
    server.records[TAG].append({"id": 50, "name": "by SQL"})
    assert follower.told() == {"entered": [50]}
    assert follower.told() == {}


def test_more_records_than_one_page(server: FakeServer, odoo: Odoo, clock: Clock) -> None:
    follower = Follower(odoo)
    later(clock)
    ids = create(odoo, TAG, [{"name": str(i)} for i in range(2500)]).ids
    server.sent.clear()
    assert follower.told() == {"created": ids}
    assert len(server.asked("read")) == 3


def test_the_mark_is_small(odoo: Odoo, server: FakeServer, clock: Clock) -> None:
    server.records[TAG] += [{"id": i, "name": "n", **LONG_AGO} for i in range(10, 60_000)]
    assert len(changes(odoo, TAG).cursor) < 300


def test_the_fields_may_be_changed(odoo: Odoo, clock: Clock) -> None:
    follower = Follower(odoo, fields=["name"])
    later(clock)
    write(odoo, TAG, [1], {"color": 4})
    assert follower.next().written == [{"id": 1, "name": "a"}]
    follower.arguments["fields"] = ["color"]
    assert follower.next().written == [{"id": 1, "color": 4}]


def test_all_fields_and_the_dates_where_asked_for(odoo: Odoo, clock: Clock) -> None:
    later(clock)
    for fields in (["*"], ["name", "write_date"]):
        follower = Follower(odoo, fields=fields)
        write(odoo, TAG, [1], {"name": str(fields)})
        (record,) = follower.next().written
        assert record["write_date"] == clock.text().replace(" ", "T") + "Z"
        assert ("create_date" in record) == (fields == ["*"])


def test_a_model_without_a_name(clock: Clock) -> None:
    server = FakeServer({"x.line": {"qty": "integer"}}, records={"x.line": []})
    odoo = server.connect()
    cursor = changes(odoo, "x.line").cursor
    create(odoo, "x.line", {"qty": 1})
    assert changes(odoo, "x.line", cursor).created == [{"id": 1, "display_name": "x.line,1"}]


def test_a_model_without_write_date_is_refused(clock: Clock) -> None:
    view = {"sale.report": {"id": "integer", "name": "char"}}
    odoo = FakeServer(view, otherwise=lambda call: []).connect()
    with pytest.raises(ValidationError, match=r"sale\.report does not record .*write_date"):
        changes(odoo, "sale.report")


@pytest.mark.parametrize("since", ["", "nonsense", 5, {}, b"x", "eJyrrgUAAXUA-Q==", "é", "W10="])
def test_what_is_no_mark_is_refused(server: FakeServer, odoo: Odoo, since: Any) -> None:
    with pytest.raises(ValidationError, match="not a cursor"):
        changes(odoo, TAG, since)
    assert server.sent == []


def test_a_mark_of_another_model_or_database_is_refused(server: FakeServer) -> None:
    here, there = (server.connect(database=name) for name in ("here", "there"))
    cursor = changes(here, TAG).cursor
    with pytest.raises(ValidationError, match=r"for res\.partner\.category, not for ir\.model"):
        changes(here, "ir.model", cursor)
    with pytest.raises(ValidationError, match="for the database here, not for there"):
        changes(there, TAG, cursor)


def test_a_mark_of_another_user_is_refused(server: FakeServer) -> None:
    """Who sees fewer records would be told that the others were deleted."""
    cursor = changes(server.connect(), TAG).cursor
    other = FakeServer(MODELS, records={TAG: [{"name": "a", **LONG_AGO}]}, uid=6).connect()
    with pytest.raises(ValidationError, match="is for user 2, but this connection is for user 6"):
        changes(other, TAG, cursor)


@pytest.mark.parametrize("overlap", [0, -1, "60", True, None, float("nan")])
def test_an_overlap_that_is_none_is_refused(odoo: Odoo, overlap: Any) -> None:
    with pytest.raises(ValidationError, match="overlap"):
        changes(odoo, TAG, overlap=overlap)


def test_a_server_that_does_not_tell_its_time_is_refused(
    odoo: Odoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Odoo, "clock_ahead", None)
    with pytest.raises(ConfigurationError, match="Date"):
        changes(odoo, TAG)


def test_the_servers_time_counts_not_ours(
    odoo: Odoo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Odoo, "clock_ahead", -86_400.0)
    assert unpack(changes(odoo, TAG, overlap=60).cursor).start == clock.text(-86_460)


@pytest.mark.parametrize(
    ("policy", "arguments"),
    [
        (Policy(model_blocklist=frozenset({TAG})), {}),
        (Policy(field_blocklist=frozenset({"write_date"})), {}),
        (Policy(field_blocklist=frozenset({"color"})), {"fields": ["color"]}),
        (Policy(field_blocklist=frozenset({"color"})), {"domain": [["color", "=", 1]]}),
    ],
)
def test_the_policy_holds(server: FakeServer, policy: Policy, arguments: dict[str, Any]) -> None:
    server.sent.clear()
    with pytest.raises(AccessError):
        changes(server.connect(policy=policy), TAG, **arguments)
    assert server.sent == []


def test_messages_of_closed_models_are_left_out(clock: Clock) -> None:
    message: dict[str, Any] = {"model": "char", "res_id": "integer", "body": "char"}
    server = FakeServer({"mail.message": message}, records={"mail.message": []})
    odoo = server.connect(policy=Policy(model_blocklist=frozenset({TAG})))
    cursor = changes(odoo, "mail.message", fields=["body"]).cursor
    of_both = [{"model": model, "body": model} for model in (TAG, "res.partner")]
    closed, _ = create(server.connect(), "mail.message", of_both).ids
    found = changes(odoo, "mail.message", cursor, fields=["body"])
    assert [record["body"] for record in found.created] == ["res.partner"]
    assert closed not in (unpack(found.cursor).known or ())
    unlink(server.connect(), "mail.message", [closed])
    assert not changes(odoo, "mail.message", found.cursor, fields=["body"])


def test_all_fields_are_those_that_the_policy_shows(server: FakeServer) -> None:
    odoo = server.connect(policy=Policy(field_blocklist=frozenset({"color"})))
    follower = Follower(odoo, fields=["*"])
    write(server.connect(), TAG, [1], {"color": 5, "name": "A"})
    (record,) = follower.next().written
    assert "color" not in record
    assert record["name"] == "A"


def test_it_shows_what_changed_and_not_the_mark(odoo: Odoo) -> None:
    follower = Follower(odoo, fields=["name"])
    write(odoo, TAG, [1], {"name": "<b>"})
    found = follower.next()
    html = found._repr_html_()
    assert html
    assert f"{TAG}: 1 written" in html
    assert "&lt;b&gt;" in html
    assert found.cursor not in html + repr(found)
    assert "nothing has changed" in (follower.next()._repr_html_() or "")
    assert list(found.described) == ["id", "name"]


IDS: list[Callable[[], list[int]]] = [
    list,
    lambda: [1],
    lambda: [7, 8, 9, 12, 14, 15],
    lambda: list(range(1, 1000)),
    lambda: list(range(3, 1000, 3)),
]


@pytest.mark.parametrize("ids", [make() for make in IDS])
def test_ids_as_text_and_back(ids: list[int]) -> None:
    assert from_ranges(ranges(reversed(ids))) == ids


def test_neighbouring_ids_are_one_range() -> None:
    assert ranges([1, 2, 3, 4, 5, 8]) == "1+4,3"
