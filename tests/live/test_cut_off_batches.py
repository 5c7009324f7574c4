"""Work with a key whose process is killed, and which another process repeats, on a real Odoo."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    Connection,
    History,
    Policy,
    StateError,
    batch,
    connect,
    count,
    create,
    search_read,
    undo,
)
from odoo_toolkit.batching import Item
from odoo_toolkit.call import Call
from odoo_toolkit.progress import listening
from odoo_toolkit.undoing.overview import overview
from tests.live.conftest import server
from tests.live.servers import Credentials, Server, credentials

__all__ = ["server"]

PARTNER = "res.partner"

#: Items of a batch, and after how many of them its process is killed.
ITEMS, DONE = 20, 4


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Where the journal is, which both processes share."""
    return tmp_path / "history.sqlite"


@pytest.fixture
def odoo(server: Server, journal: Path) -> Iterator[Connection]:
    """The process that repeats."""
    with connect(**credentials(server, server.user("admin")), history=History(journal)) as found:
        yield found


def named(odoo: Connection, name: str) -> list[str]:
    domain = [["name", "=like", f"{name} %"]]
    found = search_read(odoo, PARTNER, domain, ["name"], order="name", limit=100).records
    return [row["name"] for row in found]


def _rows(odoo: Connection, name: str) -> list[Any]:
    return search_read(odoo, PARTNER, [["name", "=like", f"{name} %"]], ["name"]).records


def items(name: str) -> list[Item]:
    return [
        (create, {"model": PARTNER, "values": {"name": f"{name} {n:02}"}}) for n in range(ITEMS)
    ]


def be_killed(
    keywords: Credentials, journal: Path, key: str, made: list[Item], *, lost: bool
) -> None:
    """Be the process that is killed: between two items, or before an answer is read."""
    with connect(**keywords, history=History(journal)) as odoo:
        send, sent = odoo._send, 0

        def counted(call: Call, *more: Any, **named: Any) -> Any:
            nonlocal sent
            answer = send(call, *more, **named)
            sent += call.method == "create" and call.model == PARTNER
            if lost and sent > DONE:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        class Dies:
            """Dies between two items."""

            def report(self, done: float, total: float | None, message: str | None) -> None:
                if not lost and done == DONE:
                    os.kill(os.getpid(), signal.SIGKILL)

            def checkpoint(self) -> None:
                """Go on."""

        odoo._send = counted
        with listening(Dies()):
            batch(odoo, made, idempotency_key=key)


@pytest.mark.every_version
@pytest.mark.parametrize("lost", [True, False], ids=["answer lost", "between answers"])
def test_a_batch_whose_process_is_killed_is_in_doubt_and_taken_back(
    server: Server,
    odoo: Connection,
    journal: Path,
    suffix: str,
    lost: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A repeat names what is there, and what may be; it does nothing twice."""
    monkeypatch.setattr("odoo_toolkit.change_history.keys.wait", lambda seconds: None)
    name, key = f"Cut off {suffix} {lost}", f"cut-{suffix}-{lost}"
    made = items(name)
    process = multiprocessing.get_context("fork").Process(
        target=be_killed,
        args=(credentials(server, server.user("admin")), journal, key, made),
        kwargs={"lost": lost},
    )
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    assert len(named(odoo, name)) == DONE + lost
    for _ in range(2):
        with pytest.raises(StateError, match="its process was ended") as caught:
            batch(odoo, made, idempotency_key=key)
        details = caught.value.details
        assert caught.value.outcome == "maybe_applied"
        assert len(details["created"][PARTNER]) == DONE
        assert details["unconfirmed"] == (["res.partner.create"] if lost else [])
        there = {row["id"] for row in _rows(odoo, name)}
        assert there <= {*details["created"][PARTNER], *details["look_at"].get(PARTNER, ())}
        assert len(there) == DONE + lost
    undo(odoo, entry=details["entry"], partial=True)
    assert len(named(odoo, name)) == lost


def test_what_is_created_in_restricted_mode_is_archived_as_foretold(
    server: Server, journal: Path, suffix: str
) -> None:
    """The plan, the history, and the undo say the same."""
    policy = Policy(mode="restricted", write_allowlist=frozenset({PARTNER}))
    keywords = credentials(server, server.user("admin"))
    with connect(**keywords, history=History(journal), policy=policy) as odoo:
        name = f"Restricted {suffix}"
        foretold = create.plan(odoo, PARTNER, {"name": name}).undo
        number = create(odoo, PARTNER, {"name": name}).id
        (shown,) = overview(odoo)
        expected = ["The record of res.partner would be archived."]
        assert foretold.actions == shown.undo.actions == expected
        assert foretold.possible == shown.undo.possible == "partial"
        planned = undo.plan(odoo, entry=shown.entry)
        assert planned.needs is None
        undo(odoo, entry=shown.entry)
        assert count(odoo, PARTNER, [["id", "=", number]]).count == 0
        archived = [["id", "=", number], ["active", "=", False]]
        assert count(odoo, PARTNER, archived).count == 1
