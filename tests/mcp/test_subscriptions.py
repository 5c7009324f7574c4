"""Subscriptions: what is told, what is asked of Odoo for it, and what is refused; both eras."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from odoo_toolkit_mcp import callers
from odoo_toolkit_mcp.requests import Running
from odoo_toolkit_mcp.resources import serving, subscriptions
from odoo_toolkit_mcp.resources.subscriptions import MOST_SUBSCRIPTIONS, Subscriptions
from odoo_toolkit_mcp.resources.uris import ResourceUri, parse_uri
from odoo_toolkit_mcp.server import OdooServer
from tests.kit.mcp import HANDSHAKE, line_with, looking, subscribe, subscribed
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import DATABASE, LOGIN, PASSWORD, FakeOdoo, FaultError
from tests.mcp.http_server import RunningServer
from tests.mcp.issuer import Issuer
from tests.mcp.stdio_client import StdioClient

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

ONE, NINE, TEN = (f"odoo://record/res.partner/{number}" for number in (1, 9, 10))
INFO = "odoo://system/info"
LATER = "2026-11-22 10:00:00"


@pytest.fixture(autouse=True)
def answers(odoo: FakeOdoo) -> None:
    """Searching by id, as Odoo does it; who we are."""
    odoo.answers |= {
        ("res.partner", "search_read"): lambda args, kwargs: rows_of(odoo, args, kwargs),
        ("res.users", "read"): lambda args, kwargs: [{"id": 2, "name": "Ann", "tz": False}],
    }


def rows_of(odoo: FakeOdoo, args: list[Any], kwargs: dict[str, Any]) -> list[dict[str, Any]]:
    domain = kwargs.get("domain") or args[0]
    (ids,) = (value for field, operator, value in domain if (field, operator) == ("id", "in"))
    return [
        {"id": key, "write_date": row["write_date"]}
        for key, row in odoo.records.items()
        if key in ids
    ]


def polls(odoo: FakeOdoo) -> list[tuple[list[Any], dict[str, Any]]]:
    """Return the arguments of each question after records."""
    return [(args, kwargs) for _, method, args, kwargs in odoo.calls if method == "search_read"]


async def refused(server: OdooServer, era: str, *uris: str) -> dict[str, Any]:
    """Return the error object of subscriptions that are refused."""
    async with Client(server, mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await ask_for(client, era, uris)
    data: dict[str, Any] = caught.value.error.data
    assert caught.value.error.code == -32602
    assert data["suggestion"]
    return data


async def ask_for(client: Client, era: str, uris: tuple[str, ...]) -> None:
    if era == "legacy":
        for uri in uris:
            await subscribe(client, uri)
    else:
        async with client.listen(resource_subscriptions=uris):
            pass


async def test_changed_record_is_told(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    """Once for each change, and only the one that changed."""
    server = make_server()
    async with looking(server) as look, subscribed(server, era, ONE, NINE) as told:
        assert await look() == set()
        odoo.records[9]["write_date"] = LATER
        assert await look() == {NINE}
        assert await told.next() == NINE
        assert await look() == set()
        assert told.nothing_more


async def test_a_change_in_the_second_of_the_one_seen_is_told(
    make_server: MakeServer, odoo: FakeOdoo, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Odoo tells whole seconds, so the two look the same; once, when no other can follow."""
    odoo.records[1]["write_date"] = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
    server = make_server()
    async with looking(server) as look, subscribed(server, era, ONE) as told:
        assert await look() == set()
        monkeypatch.setattr(subscriptions, "_FRESH", -3600.0)  # as if it were later
        assert await look() == {ONE}
        assert await told.next() == ONE
        assert await look() == set()


async def test_deleted_record_is_told(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    """Once; and again when it can be seen again."""
    server = make_server()
    async with looking(server) as look, subscribed(server, era, ONE) as told:
        row = odoo.records.pop(1)
        assert await look() == {ONE}
        assert await look() == set()
        odoo.records[1] = row
        assert await look() == {ONE}
        assert [await told.next(), await told.next()] == [ONE, ONE]


async def test_records_of_a_model_are_one_question(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Archived records are asked for, too."""
    server = make_server()
    async with looking(server) as look, subscribed(server, era, ONE, NINE, TEN):
        odoo.calls.clear()
        await look()

        ((args, kwargs),) = polls(odoo)
        assert len(odoo.calls) == 1
        assert [["id", "in", [1, 9, 10]]] in (*args, *kwargs.values())
        assert ["write_date"] in (*args, *kwargs.values())
        assert kwargs["context"]["active_test"] is False


async def test_records_listened_to_at_once_are_looked_up_at_once(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    server = make_server()
    async with subscribed(server, "auto", ONE, NINE, TEN):
        assert len(polls(odoo)) == 1


async def test_several_clients_of_a_record_are_one_question(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    """And each of them is told."""
    server = make_server()
    async with (
        looking(server) as look,
        subscribed(server, "auto", ONE) as first,
        subscribed(server, "legacy", ONE) as second,
    ):
        odoo.calls.clear()
        odoo.records[1]["write_date"] = LATER
        assert await look() == {ONE}
        assert len(polls(odoo)) == 1
        assert [await first.next(), await second.next()] == [ONE, ONE]


async def test_nothing_is_asked_when_nobody_listens(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    server = make_server()
    async with looking(server) as look:
        async with subscribed(server, era, ONE, INFO):
            assert sorted(server.resources.subscriptions.watched) == sorted([ONE, INFO])
        assert server.resources.subscriptions.watched == []
        odoo.calls.clear()
        assert await look() == set()
        assert odoo.calls == []


async def test_client_that_goes_without_a_word_is_forgotten(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    """In the handshake era a client may end its connection and leave its subscriptions."""
    server = make_server()
    async with Client(server, mode="legacy") as client:
        await subscribe(client, ONE)
        await subscribe(client, NINE)
        assert len(server.resources.subscriptions.watched) == 2

    assert server.resources.subscriptions.watched == []
    async with subscribed(server, "legacy", *uris_of(odoo, MOST_SUBSCRIPTIONS)):
        assert len(server.resources.subscriptions.watched) == MOST_SUBSCRIPTIONS


async def test_subscribing_twice_is_subscribing_once(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    server = make_server()
    async with looking(server) as look, subscribed(server, "legacy", ONE, ONE) as told:
        odoo.records[1]["write_date"] = LATER
        await look()
        assert await told.next() == ONE
        assert told.nothing_more
    assert server.resources.subscriptions.watched == []


def uris_of(odoo: FakeOdoo, number: int) -> list[str]:
    """Return the addresses of so many records, which are there from then on."""
    for key in range(1000, 1000 + number):
        odoo.records[key] = {**odoo.records[1], "id": key}
    return [f"odoo://record/res.partner/{key}" for key in range(1000, 1000 + number)]


async def test_one_more_than_fifty_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    server = make_server()
    error = await refused(server, era, *uris_of(odoo, MOST_SUBSCRIPTIONS + 1))

    assert MOST_SUBSCRIPTIONS == 50
    assert "at most 50" in error["message"]
    assert server.resources.subscriptions.watched == []


async def test_fifty_are_counted_over_all_streams_and_free_again(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    server = make_server()
    uris = uris_of(odoo, MOST_SUBSCRIPTIONS)
    async with subscribed(server, "auto", *uris):
        assert "at most 50" in (await refused(server, "auto", ONE))["message"]
    async with subscribed(server, "auto", ONE, *uris[1:]):
        assert len(server.resources.subscriptions.watched) == MOST_SUBSCRIPTIONS


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("odoo://record/res.partner/999", "NOT_FOUND"),
        ("odoo://record/res.partner", "VALIDATION_ERROR"),
        ("odoo://model/res.partner/fields", "VALIDATION_ERROR"),
        ("odoo://config/safety", "VALIDATION_ERROR"),
        ("odoo://record/..%2f../1", "VALIDATION_ERROR"),
        ("odoo://record/ir.cron/1", "MODEL_BLOCKED"),
        ("odoo://record/res.users/1", "ACCESS_DENIED"),
        ("odoo://record/x.view/1", "VALIDATION_ERROR"),
    ],
)
async def test_what_cannot_be_watched_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str, uri: str, code: str
) -> None:
    """With the good ones that were asked for at the same time; nothing is watched then."""
    integer = {"type": "integer", "string": "ID", "store": True}
    odoo.answers["x.view", "fields_get"] = lambda args, kwargs: {"id": integer}
    odoo.answers["ir.cron", "fields_get"] = odoo.answers["res.partner", "fields_get"]
    server = make_server()
    error = await refused(server, era, ONE, uri)

    assert error["code"] == code
    assert server.resources.subscriptions.watched == []


async def test_reason_for_a_model_without_write_date(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """A column that is only computed tells nothing either."""
    computed = {"type": "datetime", "string": "Last Updated on", "store": False}
    odoo.answers["x.view", "fields_get"] = lambda args, kwargs: {"write_date": computed}

    error = await refused(make_server(), era, "odoo://record/x.view/1")
    assert "does not record when its records were last changed" in error["message"]


async def test_lost_right_is_told(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    """Reading is an error from then on, so the resource has changed."""
    server = make_server()
    async with looking(server) as look, subscribed(server, era, ONE) as told:
        del odoo.answers["res.partner", "search_read"]
        assert await look() == {ONE}
        assert await look() == set()
        assert await told.next() == ONE


async def test_odoo_that_comes_and_goes_is_told(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Of the records nothing is known meanwhile; what changed is told afterwards."""
    server = make_server()
    async with looking(server) as look, subscribed(server, era, INFO, ONE) as told:
        assert await look() == set()
        odoo.stop()
        assert await look() == {INFO}
        assert await look() == set()
        odoo.records[1]["write_date"] = LATER
        odoo.start()
        assert await look() == {INFO, ONE}
        assert await told.next() == INFO
        assert {await told.next(), await told.next()} == {INFO, ONE}


async def test_system_can_be_watched_while_odoo_is_down(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """That is when somebody wants to know."""
    server = make_server()
    odoo.stop()
    async with looking(server) as look, subscribed(server, era, INFO) as told:
        odoo.start()
        assert await look() == {INFO}
        assert await told.next() == INFO


async def test_one_failure_does_not_end_the_watch(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    server = make_server()
    search = odoo.answers["res.partner", "search_read"]

    def fail(args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise FaultError({"code": 200, "message": "Odoo Server Error", "data": {"name": "x"}})

    async with looking(server) as look, subscribed(server, era, ONE) as told:
        odoo.answers["res.partner", "search_read"] = fail
        odoo.records[1]["write_date"] = LATER
        assert await look() == set()
        odoo.answers["res.partner", "search_read"] = search
        assert await look() == {ONE}
        assert await told.next() == ONE


async def test_handshake_era_needs_sessions_over_http(make_server: MakeServer) -> None:
    """Without them there is nobody to notify, and nothing is asked for nobody."""
    server = make_server(transport="http", stateless=True)
    async with Client(server, mode="legacy") as client:
        with pytest.raises(MCPError, match="is stateless"):
            await subscribe(client, ONE)
    assert server.resources.subscriptions.watched == []


class Clock:
    """Stands in for sleeping: waits until it is told that the time has come."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._asleep, self._awake = anyio.Event(), anyio.Event()

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._awake = anyio.Event()
        self._asleep.set()
        await self._awake.wait()

    async def asleep(self) -> None:
        """Wait until somebody sleeps."""
        with anyio.fail_after(60):
            await self._asleep.wait()
        self._asleep = anyio.Event()

    def pass_time(self) -> None:
        self._awake.set()


async def test_looks_come_at_the_interval_and_end_with_the_last_listener() -> None:
    """And begin anew with the next one; what the looks find fails once and is told later."""
    clock, found, told = Clock(), ["up", RuntimeError("a bug"), "down", "down"], []
    looks: list[Any] = []

    async def tell(uri: str) -> None:
        told.append(uri)

    async def info(connection: Any, running: Any) -> Any:
        looks.append(found.pop(0))
        if isinstance(looks[-1], Exception):
            raise looks[-1]
        return looks[-1]

    subscriptions = Subscriptions(60, tell, info, clock.sleep)
    connection: Any = object()
    uri: ResourceUri = parse_uri(INFO)
    async with anyio.create_task_group() as tasks:
        running = Running(tasks)
        async with subscriptions.listening(running, "client", connection, [uri]):
            await clock.asleep()
            assert (len(looks), told) == (1, [])
            clock.pass_time()
            await clock.asleep()
            assert (len(looks), told) == (2, [])
            clock.pass_time()
            await clock.asleep()
            assert (len(looks), told) == (3, [INFO])
        clock.pass_time()
    # The task group has ended, and so has the task that looks.
    assert len(looks) == 3

    async with anyio.create_task_group() as tasks:
        running = Running(tasks)
        async with subscriptions.listening(running, "client", connection, [uri]):
            await clock.asleep()
            assert len(looks) == 4
        clock.pass_time()
    assert clock.waits == [60, 60, 60, 60]


@pytest.fixture
def environ(odoo: FakeOdoo) -> dict[str, str]:
    return {
        "ODOO_URL": odoo.url,
        "ODOO_DB": DATABASE,
        "ODOO_USERNAME": LOGIN,
        "ODOO_PASSWORD": PASSWORD,
        "ODOO_MCP_SUBSCRIPTION_INTERVAL": "1",
        "ODOO_MCP_LOG_LEVEL": "error",
        "PATH": os.environ["PATH"],
    }


@pytest.fixture
def http_server(make_server: MakeServer) -> Iterator[RunningServer]:
    server = make_server(transport="http", stateless=False, subscription_interval=1)
    with RunningServer(server) as running:
        yield running


async def test_over_http(http_server: RunningServer, odoo: FakeOdoo, era: str) -> None:
    """The server looks by itself."""
    async with subscribed(http_server.url, era, ONE) as told:
        odoo.records[1]["write_date"] = LATER
        assert await told.next() == ONE


def test_over_stdio(environ: dict[str, str], odoo: FakeOdoo) -> None:
    """The server looks by itself."""
    with StdioClient(environ) as client:
        client.initialize()
        answer = client.request("resources/subscribe", {"uri": ONE})
        odoo.records[1]["write_date"] = LATER
        # Without the notification, this ends with the server.
        guard = threading.Timer(20, client.process.kill)
        guard.start()
        told = json.loads(client.process.stdout.readline())
        guard.cancel()

    assert answer["result"] == {}
    assert told["method"] == "notifications/resources/updated"
    assert told["params"]["uri"] == ONE


LISTEN = {"notifications": {"resourceSubscriptions": [ONE]}}


def test_each_request_names_its_user(make_server: MakeServer) -> None:
    """Neither a resource nor a subscription is had with the rights of the server's own user."""
    server = make_server(transport="http", credential_headers=True)
    named = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": PASSWORD}
    wrong = {"X_Odoo_Username": LOGIN, "X_Odoo_Api_Key": "not the password"}
    with RunningServer(server) as running:
        for headers in ({}, wrong):
            for uri in (ONE, "odoo://system/modules"):
                answer = running.post(
                    "auto", "resources/read", {"uri": uri}, Mcp_Name=uri, **headers
                )
                assert answer.message["error"]["data"]["code"] == "ACCESS_DENIED"
            answer = running.post("auto", "subscriptions/listen", LISTEN, **headers)
            assert answer.message["error"]["data"]["code"] == "ACCESS_DENIED"
        info = running.post("auto", "resources/read", {"uri": INFO}, Mcp_Name=INFO)
        assert info.message["error"]["data"]["code"] == "ACCESS_DENIED"
        assert server.resources.subscriptions.watched == []

        connection = running.send("auto", "subscriptions/listen", LISTEN, **named)
        answer = connection.getresponse()
        assert b"subscriptions/acknowledged" in answer.readline() + answer.readline()
        assert server.resources.subscriptions.watched == [ONE]
        answer.close()
        connection.close()


# Streams over HTTP --------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", ["stream", "server"])
def test_polling_ends_when_nobody_listens(make_server: MakeServer, closed: str) -> None:
    server = make_server(transport="http", subscription_interval=1)
    with RunningServer(server) as served:
        connection = served.send("auto", "subscriptions/listen", LISTEN)
        response = connection.getresponse()
        line_with(response, "acknowledged")
        assert server.resources.subscriptions.watched == [ONE]
        if closed == "stream":
            # Closing the connection alone leaves the socket to the response.
            response.close()
            connection.close()
            while server.resources.subscriptions.watched:
                served.post("auto", "tools/list")
    assert server.resources.subscriptions.watched == []


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    yield issuer
    issuer.stop()


def at(moment: float) -> SimpleNamespace:
    """Return a clock that stands still."""
    return SimpleNamespace(time=lambda: moment, monotonic=time.monotonic)


def test_the_stream_of_a_stateless_client_ends_with_its_token(
    make_server: MakeServer, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "HOLDS", 0.05)
    expires = int(time.time()) + 60
    token = f"Bearer {issuer.token(exp=expires)}"
    with RunningServer(make_server(**issuer.settings(), subscription_interval=1)) as served:
        connection = served.send("auto", "subscriptions/listen", LISTEN, Authorization=token)
        response = connection.getresponse()
        line_with(response, "acknowledged")
        monkeypatch.setattr(callers, "time", at(expires + 1))
        assert "with a valid token" in line_with(response, "error")
        assert "with a valid token" not in response.read().decode()
        connection.close()


def test_the_stream_of_a_session_ends_with_its_token(
    make_server: MakeServer, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    expires = int(time.time()) + 60
    token = f"Bearer {issuer.token(exp=expires)}"
    with RunningServer(make_server(**issuer.settings(), stateless=False)) as served:
        began = served.post("legacy", "initialize", HANDSHAKE, Authorization=token)
        headers = {
            "Accept": "text/event-stream",
            "Authorization": token,
            "MCP-Protocol-Version": "2025-11-25",
            "Mcp-Session-Id": began.headers["mcp-session-id"],
        }
        monkeypatch.setattr(callers, "time", at(expires - 0.2))
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
        connection.request("GET", served.path, headers=headers)
        response = connection.getresponse()
        assert response.status == 200
        with pytest.raises(AssertionError, match="ended"):
            line_with(response, "something")
        connection.close()
