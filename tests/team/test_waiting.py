"""Nobody waits for an Odoo that is not theirs: one that hangs holds up only its own people."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest

from odoo_toolkit_mcp import bridge
from odoo_toolkit_mcp.accounts import odoo_users, sign_in
from odoo_toolkit_mcp.accounts.client_documents import ClientDocuments, DocumentError
from odoo_toolkit_mcp.accounts.service_accounts import Health, OwnUsers
from odoo_toolkit_mcp.accounts.team import Instance
from tests.team.conftest import Serve
from tests.team.harness import (
    CALLBACK,
    OAuthClient,
    Person,
    RunningTeam,
    call,
    form_of,
    operator_of,
    status_of,
    until,
)
from tests.team.people import NOWHERE, Users, password_of


class Hanging:
    """Something in place of an Odoo that takes connections and never answers."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.over = threading.Event()

    def wait(self) -> None:
        """Wait as somebody who asks it."""
        self.over.wait(60)

    def close(self) -> None:
        """Break all connections off, and take no more."""
        self.over.set()
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    one = Hanging()
    yield one
    one.close()


@pytest.fixture
def two(
    users: Users, serve: Serve, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> RunningTeam:
    """A team of one Odoo that answers and one that hangs when it is asked who somebody is."""

    def hang(instance: Instance) -> None:
        if instance.name == "hanging":
            hanging.wait()

    def with_password(instance: Instance, *given: str) -> Any:
        hang(instance)
        return users.with_password(instance, *given)

    def with_key(instance: Instance, *given: str) -> Any:
        hang(instance)
        return users.with_key(instance, *given)

    monkeypatch.setattr(sign_in, "with_password", with_password)
    monkeypatch.setattr(odoo_users, "with_key", with_key)
    slow = {**NOWHERE, "url": hanging.url, "title": "Hanging", "timeout": 60}
    return serve({"main": dict(NOWHERE), "hanging": slow})


def test_signing_in_and_looks_at_keys_do_not_wait(
    two: RunningTeam, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = OAuthClient(two.url)
    ann = {"instance": "main", "login": "ann", "password": password_of("ann")}
    token = Person(two.url).connect(client, **ann).access
    strangers = [Person(two.url) for _ in range(16)]
    pages = [one.begin(client) for one in strangers]
    guess = {"instance": "hanging", "password": "a guess"}
    with ThreadPoolExecutor(16) as pool:
        tries = [
            pool.submit(one.sign_in, page, login=f"nobody{number}", **guess)
            for number, (one, page) in enumerate(zip(strangers, pages, strict=True))
        ]
        moment = odoo_users.now() + 601
        monkeypatch.setattr(odoo_users, "now", lambda: moment)
        assert status_of(two, token) == 200
        Person(two.url).connect(client, **ann)
        assert not any(one.done() for one in tries)
        hanging.over.set()


def test_calls_do_not_wait(
    two: RunningTeam, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = OAuthClient(two.url)
    hanging.over.set()
    ann = form_of()
    main, slow = (
        Person(two.url).connect(client, instance=name, **ann).access for name in ("main", "hanging")
    )
    limiters = defaultdict(lambda: anyio.CapacityLimiter(1))
    monkeypatch.setattr(bridge, "_LIMITERS", limiters)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(call, two.url, slow, "odoo_core_get_user")
        until(lambda: any(one.borrowed_tokens for one in [*limiters.values()]))
        assert status_of(two, main) == 200
        assert not waiting.done()
        hanging.close()


def test_the_operators_page_does_not_wait_for_those_of_people(
    team: RunningTeam, users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, over = threading.Semaphore(0), threading.Event()

    def key_for(*given: Any) -> Any:
        begun.release()
        over.wait(60)
        return users.key_for(*given)

    well = Health(state="Odoo", well=True)
    monkeypatch.setattr(sign_in, "key_for", key_for)
    monkeypatch.setattr(OwnUsers, "health", lambda self, instance: well)
    client, ann = OAuthClient(team.url), form_of()
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(Person(team.url).connect, client, **ann) for _ in range(4)]
        assert all(begun.acquire(timeout=60) for _ in asked)
        operator = operator_of(team)
        assert operator.get("/admin").status_code == 200
        assert not any(one.done() for one in asked)
        over.set()


# Documents of clients ---------------------------------------------------------------------------

DOCUMENT = "https://client.example.com/client.json"


class Documents:
    """Where the documents of clients are: each is there, cannot be had, or is slow to come."""

    def __init__(self) -> None:
        self.gone, self.over, self.asked = False, threading.Event(), 0

    def __call__(self, address: str) -> Any:
        if self.gone:
            raise DocumentError("its server answers with status 503")
        if "slow" in address:
            self.asked += 1
            self.over.wait(60)
        return {"client_id": address, "client_name": "By document", "redirect_uris": [CALLBACK]}


@pytest.fixture
def documents(team: RunningTeam, monkeypatch: pytest.MonkeyPatch) -> Iterator[Documents]:
    found = Documents()
    # It forgets at once, so that each request asks.
    known = ClientDocuments(found, clock=itertools.count(step=10_000.0).__next__)
    monkeypatch.setattr(team.server.provider, "_documents", known)
    yield found
    found.over.set()


def with_document(team: RunningTeam, address: str = DOCUMENT) -> OAuthClient:
    client = OAuthClient(team.url)
    client.id = address
    return client


def test_a_client_whose_document_cannot_be_had_goes_on(
    team: RunningTeam, documents: Documents
) -> None:
    client = with_document(team)
    ann = form_of()
    tokens = Person(team.url).connect(client, **ann)
    documents.gone = True
    answer = client.refresh(tokens.refresh)
    assert answer.status_code == 200
    assert Person(team.url).connect(client, **ann).access
    # Nor does it take one that this process has fetched.
    team.server.provider._documents = ClientDocuments(documents)
    assert client.refresh(answer.json()["refresh_token"]).status_code == 200


def test_slow_documents_of_one_address_hold_up_no_other(
    team: RunningTeam, documents: Documents
) -> None:
    with ThreadPoolExecutor(30) as pool:
        asked = [
            pool.submit(
                Person(team.url).get,
                "/authorize",
                **with_document(team, f"https://client.example.com/slow{number}").query(),
            )
            for number in range(20)
        ]
        until(lambda: sum(one.done() for one in asked) == 16)
        assert {one.result().status_code for one in asked if one.done()} == {429}
        assert documents.asked == 4
        other = Person(team.url)
        other.browser.headers["X-Forwarded-For"] = "198.51.100.7"
        assert other.get("/authorize", **with_document(team).query()).status_code == 302
        documents.over.set()
