"""How fast a server is called that bears little: one after the other, and not too soon."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
import requests
import responses

from odoo_toolkit import OdooConnectionError, OdooError, client, progress
from odoo_toolkit.call import Call
from odoo_toolkit.connection import pacing
from odoo_toolkit.connection.http import Http
from odoo_toolkit.connection.pacing import Pacer, pace_of, pacer_of
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.connection.settings import ConnectionSettings, connection_settings
from odoo_toolkit.progress import OperationCancelled, listening, time_limit
from tests.unit.breaking import Clock, broken, calls_sent
from tests.unit.wire import URL, odoo

READ = Call(model="res.partner", method="search_count", arguments={"domain": []})
WRITE = Call(model="res.partner", method="write", ids=[1], arguments={"vals": {"name": "x"}})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time, which only sleeping moves."""
    clock = Clock()
    for module in (client, progress, pacing):
        monkeypatch.setattr(module, "time", clock)
    return clock


def settings(url: str, **keywords: Any) -> ConnectionSettings:
    return connection_settings(url=url, api_key="k", username="u", **keywords)


@pytest.mark.parametrize(
    ("url", "pace"),
    [
        ("https://example.odoo.com", (1.0, 1)),
        ("https://EXAMPLE.Odoo.com:443/", (1.0, 1)),
        ("https://staging.example.odoo.com", (1.0, 1)),
        ("https://odoo.com.example.com", (0.0, 0)),
        ("https://notodoo.com", (0.0, 0)),
        ("http://localhost:8069", (0.0, 0)),
    ],
)
def test_the_address_tells_a_hosted_odoo(url: str, pace: tuple[float, int]) -> None:
    assert pace_of(settings(url)) == pace


def test_settings_win_over_the_address() -> None:
    hosted = "https://example.odoo.com"
    assert pace_of(settings(hosted, calls_per_second=0.5)) == (0.5, 1)
    assert pace_of(settings(hosted, max_concurrent_calls=4)) == (1.0, 4)
    assert pacer_of(settings(hosted, calls_per_second=0, max_concurrent_calls=0)) is None
    assert pace_of(settings("http://own", calls_per_second=5, max_concurrent_calls=2)) == (5.0, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("calls_per_second", -1), ("calls_per_second", "fast"), ("max_concurrent_calls", 1.5)],
)
def test_a_pace_that_is_none_is_refused(name: str, value: object) -> None:
    with pytest.raises(OdooError, match=name):
        settings("http://own", **{name: value})


def test_connections_to_the_same_server_share_one_pace() -> None:
    one = pacer_of(settings("https://shared.odoo.com"))
    assert one is not None
    assert pacer_of(settings("https://Shared.odoo.com/")) is one
    assert pacer_of(settings("https://another.odoo.com")) is not one


def test_a_fork_does_not_wait_for_requests_of_its_parent(
    mock: responses.RequestsMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They never end in it."""
    address = settings("https://forked.odoo.com", calls_per_second=0)
    mock.add("GET", "https://forked.odoo.com/x", json=1)
    http, pacer = Http(address), pacer_of(address)
    with pacer.turn():
        with pytest.raises(OdooConnectionError), time_limit(0):
            http.request("GET", "/x")
        monkeypatch.setattr("os.getpid", lambda: -1)
        assert http.json("GET", "/x") == 1


@pytest.mark.parametrize(
    ("host", "chosen"),
    [("no", {}), ("pace", {"calls_per_second": 5}), ("number", {"max_concurrent_calls": 2})],
)
def test_the_log_calls_odoos_limit_only_what_nobody_chose(
    caplog: pytest.LogCaptureFixture, host: str, chosen: dict[str, Any]
) -> None:
    caplog.set_level(logging.INFO, "odoo_toolkit")
    pacer_of(settings(f"https://{host}-choice.odoo.com", **chosen))
    assert ("all that Odoo's own cloud is reported to bear" in caplog.text) == (not chosen)


def test_the_log_says_once_that_calls_are_limited(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "odoo_toolkit")
    for _ in range(3):
        pacer_of(settings("https://told.odoo.com"))

    (record,) = caplog.records
    assert "told.odoo.com are limited to 1 a second and 1 at a time" in record.getMessage()
    assert "ODOO_CALLS_PER_SECOND" in record.getMessage()


def test_requests_begin_a_second_apart(clock: Clock) -> None:
    pacer = Pacer("http://x", 1, 1)
    begun = []
    for _ in range(3):
        with pacer.turn():
            begun.append(clock.now)
            clock.now += 0.25

    assert begun == [0, 1, 2]


def test_time_that_has_passed_anyway_is_not_waited_for_again(clock: Clock) -> None:
    pacer = Pacer("http://x", 1, 1)
    with pacer.turn():
        clock.now += 5
    with pacer.turn():
        pass

    assert clock.slept == []


def test_what_the_server_asks_to_wait_is_waited(clock: Clock) -> None:
    pacer = Pacer("http://x", 0, 1)
    pacer.hold(7)
    with pacer.turn():
        assert clock.now == 7


def test_a_turn_after_the_time_limit_is_not_waited_for(clock: Clock) -> None:
    pacer = Pacer("http://x", 0.1, 1)
    with pacer.turn():
        pass
    with pytest.raises(OdooConnectionError) as caught, time_limit(3), pacer.turn():
        pass

    assert (caught.value.code, caught.value.outcome) == ("TIMEOUT", "not_sent")
    assert clock.slept == []
    with pacer.turn():
        assert clock.now == 10


def test_whoever_is_stopped_while_it_waits_leaves_the_queue(clock: Clock) -> None:
    class Stopped:
        def report(self, *_: object) -> None: ...
        def checkpoint(self) -> None:
            if clock.now >= 0.3:
                raise OperationCancelled

    pacer = Pacer("http://x", 1, 1)
    with pacer.turn():
        pass
    with listening(Stopped()), pytest.raises(OperationCancelled), pacer.turn():
        pass

    assert clock.now < 0.5
    with pacer.turn():
        assert clock.now == pytest.approx(1)


def test_a_failed_request_makes_room(clock: Clock) -> None:
    pacer = Pacer("http://x", 0, 1)
    with pytest.raises(LookupError), pacer.turn():
        raise LookupError
    with pacer.turn():
        pass


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_are_under_way_than_allowed_and_all_come_through(at_once: int) -> None:
    """Side by side, as the library asks."""
    pacer, lock = Pacer("http://x", 0, at_once), threading.Lock()
    under_way, most = 0, 0
    full = threading.Event()

    def ask(number: int) -> int:
        nonlocal under_way, most
        with pacer.turn():
            with lock:
                under_way += 1
                most = max(most, under_way)
                if under_way == at_once:
                    full.set()
            # Without the others that are allowed none goes on.
            assert full.wait(60)
            with lock:
                under_way -= 1
        return number

    assert side_by_side([lambda n=n: ask(n) for n in range(20)]) == list(range(20))
    assert most == at_once


def test_waiting_for_others_ends_with_the_time_limit() -> None:
    pacer = Pacer("http://x", 0, 1)

    def ask() -> None:
        with time_limit(0), pacer.turn():
            pass

    with (
        pacer.turn(),
        ThreadPoolExecutor(1) as threads,
        pytest.raises(OdooConnectionError) as caught,
    ):
        threads.submit(ask).result(60)
    assert caught.value.code == "TIMEOUT"


# Through a connection.


def test_questions_side_by_side_reach_a_hosted_odoo_one_a_second(
    down: responses.RequestsMock,
    clock: Clock,
) -> None:
    """Login included: whatever is asked counts."""
    begun: list[float] = []
    answer = broken()

    def note(request: requests.PreparedRequest) -> Any:
        begun.append(clock.now)
        return answer(request)

    down.add_callback("POST", f"{URL}/jsonrpc", note)
    connection = odoo(database="odoo14", calls_per_second=1, max_concurrent_calls=1)

    assert side_by_side([lambda: connection.call(READ)] * 6) == [7] * 6
    assert len(begun) >= 7
    assert all(later - earlier >= 1 for earlier, later in pairwise(begun))


def too_many(*headers: dict[str, str]) -> Any:
    """Return a callback that refuses calls with 429 and these headers in turn, then answers."""
    left, answer = list(headers), broken()

    def refuse(request: requests.PreparedRequest) -> Any:
        body = str(request.body)
        if left and "execute_kw" in body and "fields_get" not in body:
            return 429, {"Content-Type": "text/html", **left.pop(0)}, "<html>"
        return answer(request)

    return refuse


@pytest.mark.parametrize("call", [READ, WRITE], ids=["read", "write"])
def test_a_call_that_was_one_too_many_is_sent_again_when_the_server_says(
    down: responses.RequestsMock,
    clock: Clock,
    call: Call,
) -> None:
    """It was refused, so a write cannot be applied twice."""
    down.add_callback("POST", f"{URL}/jsonrpc", too_many({"Retry-After": "7"}))

    assert odoo(database="odoo14").call(call) == 7
    assert (calls_sent(down), clock.now) == (2, 7)


@pytest.mark.parametrize("retry_after", ["61", "999999999"])
def test_what_would_take_too_long_is_said_instead(
    down: responses.RequestsMock,
    clock: Clock,
    retry_after: str,
) -> None:
    down.add_callback("POST", f"{URL}/jsonrpc", too_many({"Retry-After": retry_after}))
    with pytest.raises(OdooError) as caught:
        odoo(database="odoo14", timeout=30).call(WRITE)

    assert caught.value.code == "RATE_LIMITED"
    assert caught.value.details["retry_after"] == int(retry_after)
    assert (calls_sent(down), clock.slept) == (1, [])


def test_the_time_limit_holds_for_a_server_that_asks_to_wait(
    down: responses.RequestsMock,
    clock: Clock,
) -> None:
    down.add_callback("POST", f"{URL}/jsonrpc", too_many({"Retry-After": "7"}))
    connection = odoo(database="odoo14").connect()
    with pytest.raises(OdooError, match="429"), time_limit(5):
        connection.call(READ)
    assert clock.slept == []


def test_a_server_that_asks_to_wait_is_left_alone_by_all(
    down: responses.RequestsMock,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also by the other connections to it, where calls are paced."""
    down.add_callback("POST", f"{URL}/jsonrpc", too_many({"Retry-After": "7"}))
    one, other = (odoo(database="odoo14", max_concurrent_calls=1).connect() for _ in range(2))
    sleep, answered = clock.sleep, []

    def meanwhile(seconds: float) -> None:
        monkeypatch.setattr(clock, "sleep", sleep)
        other.call(READ)
        answered.append(clock.now)
        sleep(seconds)

    monkeypatch.setattr(clock, "sleep", meanwhile)

    assert one.call(READ) == 7
    assert answered == [7]
