"""Whoever listens at a process that dies goes on listening at another one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import odoo_toolkit as toolkit
from tests.cluster.people import make_users, sign_in
from tests.cluster.running import Process, store_postgres
from tests.cluster.trial import newest
from tests.live.servers import credentials
from tests.team.harness import instance_of

pytestmark = pytest.mark.cluster


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[list[Process]]:
    """Two processes with one store."""
    server = newest()
    with store_postgres() as store:
        team: dict[str, Any] = {
            "store": store.address,
            "instances": {"main": instance_of(server, mode="full", subscription_interval=1)},
        }
        keys = [secrets.token_hex(32)]
        first = Process(team, tmp_path, keys)
        # All have one public address: the first one's, behind which they would be.
        team["public_url"] = first.url
        made = [first, Process(team, tmp_path, keys)]
        try:
            for one in made:
                one.start()
            yield made
        finally:
            for one in made:
                one.kill()


#: Seconds within which what is waited for must come; each process looks every second.
PATIENCE = 60.0


def line_with(lines: Iterator[bytes], wanted: str) -> str:
    """Return the next line of a stream that has a text in it, and does not keep one waiting."""
    # Lines come even where there is nothing to tell: they keep the connection open.
    end = time.monotonic() + PATIENCE
    for line in lines:
        if wanted in line.decode():
            return line.decode()
        assert time.monotonic() < end, f"After {PATIENCE} s there is no {wanted}."
    raise AssertionError(f"The stream ended without {wanted}.")


@pytest.mark.parametrize("end", [Process.kill, Process.stop], ids=["killed", "stopped"])
def test_a_subscription_is_renewed_at_another_process(
    processes: list[Process], end: Callable[[Process], None]
) -> None:
    server, (dying, staying) = newest(), processes
    ((login, uid),) = make_users(server, 1, f"s{secrets.token_hex(3)}").items()
    member = sign_in(dying.url, "main", login, uid)
    with toolkit.connect(**credentials(server, server.user("admin"))) as odoo:
        made = toolkit.create(odoo, "res.partner", {"name": login}).id
        uri = f"odoo://record/res.partner/{made}"
        asked = {"notifications": {"resourceSubscriptions": [uri]}}
        with member.open("subscriptions/listen", asked) as stream:
            lines = stream.iter_lines(chunk_size=1)
            line_with(lines, "acknowledged")
            # At once: within the second in which it was made, whose time Odoo tells.
            toolkit.write(odoo, "res.partner", [made], {"ref": "first"})
            assert uri in line_with(lines, "notifications/resources/updated")
            end(dying)
            # It ends; nobody waits at a stream on which nothing will come any more.
            with pytest.raises((AssertionError, requests.RequestException)):
                line_with(lines, "notifications/resources/updated")
        member.url = staying.url
        with member.open("subscriptions/listen", asked) as stream:
            lines = stream.iter_lines(chunk_size=1)
            line_with(lines, "acknowledged")
            toolkit.write(odoo, "res.partner", [made], {"ref": "second"})
            assert uri in line_with(lines, "notifications/resources/updated")
