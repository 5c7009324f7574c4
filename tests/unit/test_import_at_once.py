"""New records in several batches at a time: what is refused, lost, stopped and recorded of each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import History, ValidationError, create_many, history, undo, upsert
from odoo_toolkit.call import Call
from odoo_toolkit.errors import OdooConnectionError, make_error
from odoo_toolkit.records.importing import sending
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_import import contacts, refuse

#: Seconds after which a thread that waits for another one gives up, and the test fails.
PATIENCE = 20.0

Answer = Callable[[Call], Any]


def lost() -> OdooConnectionError:
    return OdooConnectionError("The connection broke.", outcome="maybe_applied")


def rows_of(number: int) -> list[dict[str, Any]]:
    return [{"name": f"n{n}", "ref": str(n)} for n in range(number)]


def names(call: Call) -> list[str]:
    return [values["name"] for values in call.arguments["vals_list"]]


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeServer]:
    """Put something between a server and those who create; it is given the call and the server."""

    def put(server: FakeServer, hook: Callable[[Call, Answer], Any]) -> FakeServer:
        real = server.send

        def send(call: Call) -> Any:
            return hook(call, real) if call.method == "create" else real(call)

        monkeypatch.setattr(server, "send", send)
        return server

    return put


class Meeting:
    """Lets calls pass only two at a time, and the first alone; notes how many there were."""

    def __init__(self) -> None:
        self.most = 0
        self.now = 0
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(2, timeout=PATIENCE)

    def __call__(self, call: Call, real: Answer) -> Any:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            if "n0" not in names(call):
                self._barrier.wait()
            else:
                assert self.now == 1
            return real(call)
        finally:
            with self._lock:
                self.now -= 1


def test_after_the_first_batch_two_are_under_way(between: Callable[..., FakeServer]) -> None:
    meeting = Meeting()
    server = between(contacts(), meeting)
    told: list[tuple[int, int]] = []
    result = upsert(
        server.connect(),
        "res.partner",
        rows_of(10),
        key="ref",
        batch=2,
        concurrency=2,
        progress=lambda *numbers: told.append(numbers),
    )
    assert meeting.most == 2
    assert (result.ok, result.created, result.warnings) == (True, 10, [])
    assert told == [(2, 10), (4, 10), (6, 10), (8, 10), (10, 10)]
    refs = {row["id"]: row["ref"] for row in server.records["res.partner"]}
    assert [refs[number] for number in result.ids if number] == [str(n) for n in range(10)]
    assert len(refs) == 10


def test_what_is_left_is_shared_out() -> None:
    server = contacts()
    assert create_many(server.connect(), "res.partner", rows_of(400), concurrency=2).ok
    sizes = [len(call.arguments["vals_list"]) for call in server.asked("create")]
    assert sizes == [50, 175, 175]


def test_of_two_batches_with_a_bad_row_each_only_these_fail() -> None:
    server = contacts()
    refuse(server, "n5", "n9", "n14")
    result = create_many(server.connect(), "res.partner", rows_of(20), batch=4, concurrency=2)
    assert [row.row for row in result.failed] == [6, 10, 15]
    assert (result.created, result.interrupted) == (17, None)
    made = sorted(row["ref"] for row in server.records["res.partner"])
    assert made == sorted(str(n) for n in range(20) if n not in (5, 9, 14))


def test_a_missing_right_is_found_by_the_first_batch() -> None:
    """Nothing goes beside others before one batch was taken."""
    server = contacts(create=make_error("ACCESS_DENIED", "No.", outcome="refused"))
    server.answers["res.partner", "has_access"] = False
    result = create_many(server.connect(), "res.partner", rows_of(60), batch=50, concurrency=4)
    assert len(result.failed) == 60
    sizes = [len(call.arguments["vals_list"]) for call in server.asked("create")]
    assert sizes == [50, 10]


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once a writer has stopped."""
    event, stop = threading.Event(), sending.Writer.stop

    def stopping(writer: sending.Writer, error: Any) -> None:
        stop(writer, error)
        event.set()

    monkeypatch.setattr(sending.Writer, "stop", stopping)
    return event


def test_when_one_answer_is_lost_the_other_batch_is_finished_and_no_further_one_begins(
    between: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch, stopped: threading.Event
) -> None:
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    both = threading.Barrier(2, timeout=PATIENCE)

    def hook(call: Call, real: Answer) -> Any:
        if "n0" in names(call):
            return real(call)
        both.wait()
        if "n2" in names(call):
            raise lost()
        assert stopped.wait(PATIENCE)
        return real(call)

    told: list[tuple[int, int]] = []
    result = create_many(
        between(contacts(), hook).connect(),
        "res.partner",
        rows_of(10),
        batch=2,
        concurrency=2,
        progress=lambda *numbers: told.append(numbers),
    )
    assert result.statuses == [
        *["created"] * 2,
        *["unconfirmed"] * 2,
        *["created"] * 2,
        *["remaining"] * 4,
    ]
    assert (result.unconfirmed, result.remaining) == ([3, 4], [7, 8, 9, 10])
    assert "The connection broke." in str(result.interrupted)
    assert told == [(2, 10), (4, 10)]


def test_the_rest_of_a_refused_batch_is_left_when_the_other_one_stops(
    between: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch, stopped: threading.Event
) -> None:
    """Of rows that Odoo rolled back it is not said that they are bad: they were not tried alone."""
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    both = threading.Barrier(2, timeout=PATIENCE)

    def hook(call: Call, real: Answer) -> Any:
        if "n0" in names(call):
            return real(call)
        both.wait()
        if "n2" in names(call):
            raise lost()
        assert stopped.wait(PATIENCE)
        raise make_error("CONSTRAINT_ERROR", "No.", outcome="rolled_back")

    server = between(contacts(), hook)
    result = create_many(server.connect(), "res.partner", rows_of(6), batch=2, concurrency=2)
    assert result.statuses == ["created"] * 2 + ["unconfirmed"] * 2 + ["remaining"] * 2
    assert result.failed == []


@pytest.mark.parametrize("first", ["n2", "n4"])
def test_a_lost_answer_is_found_among_what_the_other_batch_makes(
    between: Callable[..., FakeServer],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    first: str,
) -> None:
    """The journal has the records of each with their own call, whichever was sent last."""
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    other, done = threading.Event(), threading.Event()

    def hook(call: Call, real: Answer) -> Any:
        if "n0" in names(call):
            return real(call)
        if first in names(call):
            # The other one is sent later, and its answer comes before this one is lost.
            assert other.wait(PATIENCE)
            real(call)
            assert done.wait(PATIENCE)
            raise lost()
        other.set()
        answer = real(call)
        done.set()
        return answer

    server = between(contacts(), hook)
    odoo = server.connect(history=History(tmp_path / "history.sqlite"))
    result = create_many(odoo, "res.partner", rows_of(6), batch=2, concurrency=2)
    assert (result.statuses, result.interrupted) == (["created"] * 6, None)
    assert result.warnings == ["The response was lost, but Odoo shows that the request succeeded."]
    refs = {row["id"]: row["ref"] for row in server.records["res.partner"]}
    assert [refs[number] for number in result.ids if number] == [str(n) for n in range(6)]
    (entry,) = history(odoo)
    assert entry.outcome == "done"
    for call in entry.writes:
        assert call.outcome == "done"
        assert [refs[number] for number in call.made] == [row["ref"] for row in call.values]
    undo(odoo, entry=entry.id)
    assert server.records["res.partner"] == []


def test_a_record_that_a_batch_under_way_may_have_made_is_not_claimed(
    between: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither batch is like the other, but a row of one is like a row of the other."""
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    inner: list[Any] = []

    def hook(call: Call, real: Answer) -> Any:
        if names(call) == ["same"]:
            raise lost()
        answer = real(call)
        # Made, and the answer is not there yet.
        inner.append(create_many(odoo, "res.partner", [{"name": "same"}]))
        return answer

    odoo = between(contacts(), hook).connect()
    outer = create_many(odoo, "res.partner", [{"name": "same"}, {"name": "other"}])
    assert outer.ok
    assert inner[0].statuses == ["unconfirmed"]


def test_a_batch_that_odoo_gives_up_for_the_other_one_is_sent_again_alone(
    between: Callable[..., FakeServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting, known = threading.Barrier(2, timeout=PATIENCE), threading.Event()
    given_up = sending._given_up

    def told(error: BaseException | None) -> str:
        reason = given_up(error)
        if reason:
            known.set()
        return reason

    monkeypatch.setattr(sending, "_given_up", told)
    seen: list[list[str]] = []
    now: list[int] = [0]
    most: list[int] = []

    def busy(call: Call, real: Answer) -> Any:
        seen.append(names(call))
        now[0] += 1
        most.append(now[0])
        try:
            if seen.count(names(call)) == 1 and {"n2", "n4"} & set(names(call)):
                meeting.wait()
                if "n2" in names(call):
                    raise make_error("SERVER_ERROR", "Busy.", retry=True, outcome="rolled_back")
                # Until then, others may begin.
                assert known.wait(PATIENCE)
            return real(call)
        finally:
            now[0] -= 1

    server = between(contacts(), busy)
    result = create_many(server.connect(), "res.partner", rows_of(10), batch=2, concurrency=2)
    assert (result.ok, result.created) == (True, 10)
    assert result.warnings == [f"Busy. {sending.ALONE}"]
    assert sorted(row["ref"] for row in server.records["res.partner"]) == list("0123456789")
    assert seen.count(["n2", "n3"]) == 2
    # After the two, one at a time.
    assert most[3:] == [1] * (len(most) - 3)


def test_what_goes_wrong_here_waits_for_what_is_under_way(
    between: Callable[..., FakeServer],
) -> None:
    """An error of the caller's own function is raised once the other batch has ended."""
    both, raised = threading.Barrier(2, timeout=PATIENCE), threading.Event()

    def hook(call: Call, real: Answer) -> Any:
        if "n0" not in names(call):
            both.wait()
        if "n4" in names(call):
            assert raised.wait(PATIENCE)
        return real(call)

    def progress(done: int, total: int) -> None:
        if done == 4:
            raised.set()
            raise RuntimeError("no more")

    server = between(contacts(), hook)
    with pytest.raises(RuntimeError, match="no more"):
        create_many(
            server.connect(), "res.partner", rows_of(8), batch=2, concurrency=2, progress=progress
        )
    assert sorted(row["ref"] for row in server.records["res.partner"]) == list("012345")


@pytest.mark.parametrize("concurrency", [0, 5, -1, "two", 1.5, None])
def test_other_numbers_are_refused(concurrency: Any) -> None:
    server = contacts()
    odoo = server.connect()
    for dry_run in (True, False):
        with pytest.raises(
            ValidationError, match="concurrency must be an integer from 1 to 4"
        ) as caught:
            upsert(odoo, "res.partner", rows_of(2), "ref", concurrency=concurrency, dry_run=dry_run)
        assert "at most 4" in str(caught.value.suggestion)
    assert server.sent == []


def test_with_a_key_of_the_caller_batches_go_one_after_the_other(tmp_path: Path) -> None:
    """It is refused, not ignored; the key can then be used for the same rows without it."""
    server = contacts()
    server.answers["ir.model.data", "check_object_reference"] = lambda call: make_error(
        "NOT_FOUND", f"External ID not found in the system: {call.arguments['xml_id']}"
    )
    odoo = server.connect(history=History(tmp_path / "history.sqlite"))
    rows = rows_of(3)
    with pytest.raises(
        ValidationError, match="With an idempotency key, batches are sent one after the other"
    ):
        create_many(odoo, "res.partner", rows, concurrency=2, idempotency_key="k1")
    with pytest.raises(
        ValidationError, match="With an idempotency key, batches are sent one after the other"
    ):
        upsert(odoo, "res.partner", rows, "ref", concurrency=2, idempotency_key="k2")
    assert server.records["res.partner"] == []
    assert upsert(
        odoo, "res.partner", rows, "ref", concurrency=2, idempotency_key="k3", dry_run=True
    )
    assert upsert(odoo, "res.partner", rows, "ref", idempotency_key="k2").created == 3
    assert create_many(odoo, "res.partner", rows, idempotency_key="k1").created == 3
