"""Every record that matches: in pages, ahead of their use, while others create and delete."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from odoo_toolkit import (
    AccessError,
    ConfigurationError,
    Odoo,
    OdooConnectionError,
    OdooError,
    Policy,
    ReadOptions,
    ValidationError,
    iterate,
    search_read,
    time_limit,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.progress import OperationCancelled, listening, time_left
from odoo_toolkit.records import pages
from odoo_toolkit.testing import FakeServer

iteration = sys.modules["odoo_toolkit.records.iterate"]

MODELS = {
    "x.item": {"name": "char", "active": "boolean", "kind_id": "many2one x.kind", "note": "html"},
    "x.kind": {"name": "char"},
    "ir.attachment": {"name": "char", "res_model": "char", "res_field": "char"},
    "mail.message": {"body": "html", "model": "char"},
}


def a_server(count: int = 25) -> FakeServer:
    kinds = [{"id": 1, "name": "even"}, {"id": 2, "name": "odd"}]
    items = [
        {"id": i, "name": f"item {i:03}", "kind_id": 2 if i % 2 else 1, "note": f"<p>{i}</p>"}
        for i in range(1, count + 1)
    ]
    return FakeServer(MODELS, records={"x.item": items, "x.kind": kinds})


@pytest.fixture
def server() -> FakeServer:
    return a_server()


@pytest.fixture
def odoo(server: FakeServer) -> Odoo:
    return server.connect()


def ids(found: Iterator[dict[str, Any]]) -> list[int]:
    return [row["id"] for row in found]


def item_calls(server: FakeServer) -> list[Call]:
    return [call for call in server.sent if call.model == "x.item"]


def ahead_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name.startswith("odoo-toolkit-ahead")]


# ---- By id --------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 4, 5, 24, 25, 26, 1000])
def test_every_record_comes_once_by_id_whatever_the_pages(odoo: Odoo, batch: int) -> None:
    assert ids(iterate(odoo, "x.item", batch=batch)) == list(range(1, 26))


def test_the_domain_holds_for_all_pages(odoo: Odoo) -> None:
    either = ["|", ["id", "=", 3], ["kind_id.name", "=", "even"]]
    found = ids(iterate(odoo, "x.item", either, batch=2))
    assert found == [2, 3, *range(4, 26, 2)]


def test_what_fits_a_page_is_one_round_trip(odoo: Odoo, server: FakeServer) -> None:
    assert len(ids(iterate(odoo, "x.item", batch=26))) == 25
    assert [call.method for call in item_calls(server)] == ["search_read"]


def test_one_search_of_ids_for_many_pages(odoo: Odoo, server: FakeServer) -> None:
    assert len(ids(iterate(odoo, "x.item", batch=5))) == 25
    assert sorted(call.method for call in item_calls(server)) == ["search", *["search_read"] * 5]
    assert all(call.arguments.get("limit") in (5, 100, None) for call in item_calls(server))


def test_more_than_one_window_of_ids(odoo: Odoo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_WINDOW", 2)
    assert ids(iterate(odoo, "x.item", batch=3)) == list(range(1, 26))
    assert ids(iterate(odoo, "x.item", batch=5)) == list(range(1, 26))


def test_nothing_is_missed_or_doubled_while_others_delete_and_create(
    odoo: Odoo, server: FakeServer
) -> None:
    seen = []
    for row in iterate(odoo, "x.item", batch=4):
        if row["id"] in (5, 9):
            gone = {1, 2, 3, 4, row["id"], 20}
            server.records["x.item"][:] = [
                item for item in server.records["x.item"] if item["id"] not in gone
            ]
            server.records["x.item"].append({"id": 100 + row["id"], "name": "new"})
        seen.append(row["id"])
    assert len(seen) == len(set(seen))
    assert seen == sorted(seen)
    assert set(range(1, 26)) - set(seen) <= {20}


def test_records_that_stop_matching_before_their_page_is_read_do_not_come(
    odoo: Odoo, server: FakeServer
) -> None:
    found = iterate(odoo, "x.item", [["name", "like", "item"]], batch=4)
    assert next(found)["id"] == 1
    server.records["x.item"][24]["name"] = "other"
    assert ids(found) == list(range(2, 25))


def test_archived_records_come_where_the_context_says_so(odoo: Odoo, server: FakeServer) -> None:
    server.records["x.item"][6]["active"] = False
    assert 7 not in ids(iterate(odoo, "x.item", batch=4))
    assert 7 in ids(iterate(odoo, "x.item", batch=4, context={"active_test": False}))


def test_nothing_is_read_before_the_first_record_is_asked_for(
    odoo: Odoo, server: FakeServer
) -> None:
    found = iterate(odoo, "x.item")
    assert item_calls(server) == []
    assert [*found.described] == ["id", "name", "display_name"]


def test_an_empty_answer(odoo: Odoo) -> None:
    found = iterate(odoo, "x.item", [["id", "=", 0]])
    assert list(found) == []
    assert list(found) == []
    assert found.total == 0


# ---- By other orders ----------------------------------------------------------------------------


def test_another_order_holds_over_all_pages(odoo: Odoo, server: FakeServer) -> None:
    assert ids(iterate(odoo, "x.item", order="name desc", batch=4)) == list(range(25, 0, -1))
    assert len([call for call in item_calls(server) if call.method == "search"]) == 1


def test_by_another_order_what_is_deleted_is_left_out_and_what_is_created_does_not_come(
    odoo: Odoo, server: FakeServer
) -> None:
    found = iterate(odoo, "x.item", order="name desc", batch=4)
    assert next(found)["id"] == 25
    server.records["x.item"][:] = [r for r in server.records["x.item"] if r["id"] != 3]
    server.records["x.item"].append({"id": 99, "name": "item 000"})
    assert ids(found) == [*range(24, 3, -1), 2, 1]


def test_by_another_order_what_no_longer_matches_comes_as_it_is(
    odoo: Odoo, server: FakeServer
) -> None:
    found = iterate(odoo, "x.item", [["name", "like", "item"]], order="name desc", batch=4)
    next(found)
    server.records["x.item"][0] |= {"name": "other", "active": False}
    assert list(found)[-1]["name"] == "other"


def test_models_that_odoo_filters_after_the_limit_are_read_whole() -> None:
    """A page of these may be short, or empty, though there are more."""
    messages: list[dict[str, Any]] = [
        {"id": i, "body": "x", "model": "res.partner"} for i in range(1, 21)
    ]
    server = FakeServer(MODELS, records={"mail.message": messages})

    def cut_then_filter(call: Call) -> Any:
        if not call.arguments.get("limit"):
            return NotImplemented
        cut = messages[: call.arguments["limit"]]
        return [{"id": m["id"], "body": m["body"]} for m in cut if m["id"] % 2]

    server.answers["mail.message", "search_read"] = cut_then_filter
    found = ids(iterate(server.connect(), "mail.message", fields=["body"], batch=4))
    assert sorted(found) == list(range(1, 21))


# ---- Fields -------------------------------------------------------------------------------------


def test_dotted_fields_are_one_call_per_relation_and_page(odoo: Odoo, server: FakeServer) -> None:
    rows = list(iterate(odoo, "x.item", fields=["kind_id.name", "note"], batch=10))
    assert rows[2] == {"id": 3, "kind_id.name": "odd", "note": "3"}
    assert len([call for call in server.sent if call.model == "x.kind"]) == 3


def test_the_shape_is_that_of_the_options(odoo: Odoo) -> None:
    odoo.options = ReadOptions(strip_html=False, normalize_many2one=False)
    rows = list(iterate(odoo, "x.item", fields=["kind_id", "note"], batch=10))
    assert rows[-1] == {"id": 25, "kind_id": [2, "odd"], "note": "<p>25</p>"}


def test_a_refused_field_is_left_out_and_not_asked_for_on_every_page(
    odoo: Odoo, server: FakeServer
) -> None:
    def answer(call: Call) -> Any:
        if "note" in call.arguments["fields"]:
            return make_error("ACCESS_DENIED", "No.", details={"fields": ["note"]})
        return NotImplemented

    server.answers["x.item", "search_read"] = answer
    found = iterate(odoo, "x.item", fields=["name", "note"], batch=5)
    assert {tuple(row) for row in found} == {("id", "name")}
    assert found.skipped_fields == ["note"]
    assert [*found.described] == ["id", "name"]
    asked = [call for call in item_calls(server) if "note" in call.arguments.get("fields", ())]
    assert len(asked) == 1


def test_a_refused_field_of_other_records_is_not_asked_for_on_every_page(
    odoo: Odoo, server: FakeServer
) -> None:
    def answer(call: Call) -> Any:
        if "name" in call.arguments["fields"]:
            return make_error("ACCESS_DENIED", "No.", details={"fields": ["name"]})
        return NotImplemented

    server.answers["x.kind", "search_read"] = answer
    fields = ["name", "kind_id.name", "kind_id.create_date"]
    found = iterate(odoo, "x.item", fields=fields, batch=1)
    assert {tuple(row) for row in found} == {("id", "name", "kind_id.create_date")}
    assert found.skipped_fields == ["kind_id.name"]
    asked = [c for c in server.sent if c.model == "x.kind" and "name" in c.arguments["fields"]]
    # Those that were under way when the first was refused.
    assert len(asked) <= 3


def test_what_may_not_be_read_of_other_records_is_told_once(odoo: Odoo, server: FakeServer) -> None:
    server.records["x.kind"].pop()
    found = iterate(odoo, "x.item", fields=["kind_id.name"], batch=5)
    assert {row["kind_id.name"] for row in found} == {"even", None}
    assert len(found.warnings) == 1


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"batch": 0}, "VALIDATION_ERROR"),
        ({"batch": "9"}, "VALIDATION_ERROR"),
        ({"fields": ["nam"]}, "INVALID_FIELD"),
        ({"fields": ["kind_id.nam"]}, "INVALID_FIELD"),
        ({"fields": "name"}, "VALIDATION_ERROR"),
        ({"order": "nosuch"}, "INVALID_FIELD"),
        ({"order": ""}, None),
        ({"order": 5}, "VALIDATION_ERROR"),
        ({"domain": [["nosuch", "=", 1]]}, "INVALID_FIELD"),
        ({"progress": "yes"}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input_is_refused_at_once(
    odoo: Odoo, server: FakeServer, options: dict[str, Any], code: str | None
) -> None:
    if code is None:
        assert len(list(iterate(odoo, "x.item", **options))) == 25
        return
    with pytest.raises(OdooError) as caught:
        iterate(odoo, "x.item", **options)
    assert caught.value.code == code
    assert item_calls(server) == []


# ---- Ahead --------------------------------------------------------------------------------------


def gated(server: FakeServer, holds: Callable[[Call], bool]) -> tuple[threading.Event, list[Call]]:
    """Let the calls that ``holds`` picks wait for the event; the list has those that wait."""
    gate, waiting = threading.Event(), []

    def answer(call: Call) -> Any:
        if holds(call):
            waiting.append(call)
            assert gate.wait(120)
        return NotImplemented

    server.answers["x.item", "search_read"] = answer
    return gate, waiting


def later_page(call: Call) -> bool:
    return bool(call.arguments["domain"])


def test_a_page_is_used_while_later_ones_are_under_way(odoo: Odoo, server: FakeServer) -> None:
    gate, _ = gated(server, later_page)
    found = iterate(odoo, "x.item", batch=5)
    assert [next(found)["id"] for _ in range(5)] == [1, 2, 3, 4, 5]
    gate.set()
    assert ids(found) == list(range(6, 26))


def test_two_pages_are_read_side_by_side(odoo: Odoo, server: FakeServer) -> None:
    """Two calls that wait for each other get through only together."""
    both = threading.Barrier(2, timeout=60)

    def answer(call: Call) -> Any:
        if later_page(call):
            both.wait()
        return NotImplemented

    server.answers["x.item", "search_read"] = answer
    assert ids(iterate(odoo, "x.item", batch=5)) == list(range(1, 26))


def test_no_more_than_two_pages_are_read_ahead(odoo: Odoo, server: FakeServer) -> None:
    found = iterate(odoo, "x.item", batch=2)
    next(found)
    found.close()
    assert len([call for call in item_calls(server) if call.method == "search_read"]) <= 3


def use_badly(found: Iterator[dict[str, Any]]) -> None:
    for row in found:
        row["id"] / 0


@pytest.mark.parametrize("how", ["close", "with", "break", "error"])
def test_ending_early_leaves_no_thread_and_no_call(
    odoo: Odoo, server: FakeServer, how: str
) -> None:
    def use() -> None:
        found = iterate(odoo, "x.item", batch=2)
        if how == "close":
            next(found)
            found.close()
            assert list(found) == []
        elif how == "with":
            with found as records:
                next(records)
        elif how == "break":
            for _ in found:
                break
            del found
        else:
            with pytest.raises(ZeroDivisionError):
                use_badly(found)

    use()
    assert ahead_threads() == []
    sent = len(server.sent)
    assert sent < 10
    assert len(server.sent) == sent


def test_ending_early_waits_for_what_is_under_way(odoo: Odoo, server: FakeServer) -> None:
    gate, waiting = gated(server, later_page)
    found = iterate(odoo, "x.item", batch=5)
    next(found)
    closer = threading.Thread(target=found.close)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive()
    gate.set()
    closer.join(60)
    assert not closer.is_alive()
    assert ahead_threads() == []
    assert len(waiting) <= 2


def test_an_end_of_its_own_leaves_no_thread(odoo: Odoo) -> None:
    assert len(list(iterate(odoo, "x.item", batch=3))) == 25
    assert ahead_threads() == []


def test_a_failure_comes_after_the_records_before_it(odoo: Odoo, server: FakeServer) -> None:
    def answer(call: Call) -> Any:
        if ["id", ">", 10] in call.arguments["domain"]:
            return make_error("SERVER_ERROR", "Out of order.")
        return NotImplemented

    server.answers["x.item", "search_read"] = answer
    seen: list[int] = []
    with pytest.raises(OdooError, match="Out of order"):
        collect(iterate(odoo, "x.item", batch=5), seen)
    assert seen == list(range(1, 11))
    assert ahead_threads() == []


def collect(found: Iterator[dict[str, Any]], seen: list[int]) -> None:
    """Add the ids to a list that the caller has even if it fails."""
    seen.extend(row["id"] for row in found)


def test_a_time_limit_holds_for_pages_that_are_read_ahead(odoo: Odoo, server: FakeServer) -> None:
    left: list[float] = []

    def answer(call: Call) -> Any:
        left.append(time_left())
        return NotImplemented

    server.answers["x.item", "search_read"] = answer
    with time_limit(50):
        list(iterate(odoo, "x.item", batch=5))
    assert len(left) == 5
    assert max(left) <= 50


def test_a_page_begun_under_a_limit_that_is_over_is_read_again(
    odoo: Odoo, server: FakeServer
) -> None:
    late: list[Call] = []

    def answer(call: Call) -> Any:
        if later_page(call) and time_left() < 50:
            late.append(call)
            while time_left() > 0:
                pass
            return OdooConnectionError("Too late.", code="TIMEOUT", outcome="not_sent")
        return NotImplemented

    server.answers["x.item", "search_read"] = answer
    found = iterate(odoo, "x.item", batch=10)
    with time_limit(0.2):
        next(found)
    assert ids(found) == list(range(2, 26))
    assert late


def test_it_stops_when_nobody_waits_any_more(odoo: Odoo) -> None:
    class Gone:
        def report(self, done: float, total: float | None, message: str | None) -> None:
            """Tell nobody."""

        def checkpoint(self) -> None:
            raise OperationCancelled

    seen: list[int] = []
    with listening(Gone()), pytest.raises(OperationCancelled):
        collect(iterate(odoo, "x.item", batch=5), seen)
    assert len(seen) == 5
    assert ahead_threads() == []


# ---- Progress -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [None, "name"])
def test_a_function_hears_of_the_progress(odoo: Odoo, order: str | None) -> None:
    heard: list[tuple[int, int]] = []
    found = iterate(
        odoo, "x.item", batch=10, order=order, progress=lambda *told: heard.append(told)
    )
    assert len(list(found)) == 25
    assert heard == [(10, 25), (20, 25), (25, 25)]
    assert found.total == 25


def test_nothing_is_counted_where_nobody_wants_to_know(odoo: Odoo, server: FakeServer) -> None:
    assert len(list(iterate(odoo, "x.item", batch=10))) == 25
    assert server.asked("search_count") == []


def test_a_bar_of_tqdm(odoo: Odoo, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Any] = []

    class Bar:
        def __init__(self, **options: Any) -> None:
            self.n, self.total, self.closed = 0, None, False
            bars.append(self)

        def update(self, by: int) -> None:
            self.n += by

        def close(self) -> None:
            self.closed = True

    package, auto = types.ModuleType("tqdm"), types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", package)
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    found = iterate(odoo, "x.item", batch=10, progress=True)
    assert bars == []
    list(found)
    assert [(bar.n, bar.total, bar.closed) for bar in bars] == [(25, 25, True)]


def test_a_bar_without_tqdm_is_refused_at_once(
    odoo: Odoo, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ConfigurationError, match="tqdm"):
        iterate(odoo, "x.item", progress=True)
    assert item_calls(server) == []


# ---- Policy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["readonly", "restricted", "full"])
@pytest.mark.parametrize("order", [None, "name"])
def test_it_reads_in_every_mode(server: FakeServer, mode: Any, order: str | None) -> None:
    odoo = server.connect(policy=Policy(mode=mode))
    fields = ["name", "kind_id.name"]
    assert len(list(iterate(odoo, "x.item", fields=fields, order=order, batch=4))) == 25


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        ({"model_blocklist": "x.item"}, {}),
        ({"model_allowlist": "x.kind"}, {}),
        ({"model_blocklist": "x.kind"}, {"fields": ["kind_id.name"]}),
        ({"field_blocklist": "note"}, {"fields": ["note"]}),
        ({"field_blocklist": "note"}, {"order": "note"}),
        ({"field_blocklist": "note"}, {"domain": [["note", "=", "x"]]}),
    ],
)
def test_what_is_closed_stays_closed(
    server: FakeServer, policy: dict[str, str], options: dict[str, Any]
) -> None:
    with pytest.raises(AccessError):
        iterate(server.connect(policy=Policy(**policy)), "x.item", **options)
    assert item_calls(server) == []


@pytest.mark.parametrize("order", [None, "name desc"])
def test_what_belongs_to_closed_models_is_left_out_and_told(order: str | None) -> None:
    files = [
        {"id": i, "name": f"{i:02}", "res_model": "ir.cron" if i % 4 == 0 else "x.item"}
        for i in range(1, 21)
    ]
    files += [{"id": 21, "name": "21", "res_model": "x.item", "res_field": "image"}]
    server = FakeServer(MODELS, records={"ir.attachment": files})
    odoo = server.connect()
    found = iterate(odoo, "ir.attachment", order=order, batch=4)
    assert sorted(ids(found)) == [i for i in range(1, 21) if i % 4]
    same = search_read(odoo, "ir.attachment", order=order, limit=100)
    assert found.excluded_count == same.excluded_count == 5
    assert found.warnings == same.warnings != []


def test_a_page_is_no_larger_than_the_maximum(odoo: Odoo, server: FakeServer) -> None:
    odoo.options = ReadOptions(max_limit=10)
    assert len(list(iterate(odoo, "x.item"))) == 25
    assert item_calls(server)[0].arguments["limit"] == 10


# ---- search_read without a limit ----------------------------------------------------------------


def test_without_a_limit_all_records_come_in_order(
    odoo: Odoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(iteration, "BATCH", 4)
    found = search_read(odoo, "x.item", limit=None, order="name desc", count_total=True)
    assert ids(iter(found)) == list(range(25, 0, -1))
    assert (found.count, found.total, found.limit) == (25, 25, None)
    assert (found.has_more, found.next_offset) == (False, None)


def test_without_a_limit_an_offset_skips(odoo: Odoo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iteration, "BATCH", 4)
    found = search_read(odoo, "x.item", limit=None, order="id", offset=7, count_total=True)
    assert ids(iter(found)) == list(range(8, 26))
    assert found.total == 25
    few = search_read(odoo, "x.item", limit=None, order="id", offset=23, count_total=True)
    assert (ids(iter(few)), few.total) == ([24, 25], 25)


def test_without_a_limit_few_records_are_one_round_trip(odoo: Odoo, server: FakeServer) -> None:
    assert search_read(odoo, "x.item", limit=None).count == 25
    assert [call.method for call in item_calls(server)] == ["search_read"]


def test_a_maximum_holds_where_no_limit_is_given(odoo: Odoo) -> None:
    odoo.options = ReadOptions(max_limit=10)
    found = search_read(odoo, "x.item", limit=None)
    assert (found.count, found.limit, found.has_more) == (10, 10, True)
    assert "10" in found.warnings[0]


@pytest.mark.parametrize("limit", [0, -1, "5", True])
def test_a_limit_that_is_none_is_refused(odoo: Odoo, limit: Any) -> None:
    with pytest.raises(ValidationError):
        search_read(odoo, "x.item", limit=limit)
