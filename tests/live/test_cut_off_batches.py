"""Batches with a key whose process is killed, and which another process repeats, on a real Odoo."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import (
    BatchResult,
    Connection,
    Journal,
    Policy,
    StateError,
    batch,
    connect,
    count,
    create,
    history,
    search_read,
    undo,
)
from odoo_toolkit.batching import Item
from odoo_toolkit.call import Call
from odoo_toolkit.overview import overview
from odoo_toolkit.progress import listening
from tests.live.conftest import server
from tests.live.servers import Credentials, Server, credentials

__all__ = ["server"]

PARTNER = "res.partner"

#: Items of a batch, and after how many of them its process is killed.
ITEMS, DONE = 20, 4


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Where the journal is, which both processes share."""
    return tmp_path / "journal.sqlite"


@pytest.fixture
def odoo(server: Server, journal: Path) -> Iterator[Connection]:
    """The process that repeats."""
    with connect(**credentials(server, server.user("admin")), journal=Journal(journal)) as found:
        yield found


def named(odoo: Connection, name: str) -> list[str]:
    domain = [["name", "=like", f"{name} %"]]
    found = search_read(odoo, PARTNER, domain, ["name"], order="name", limit=100).records
    return [row["name"] for row in found]


def items(name: str, parent: int | None) -> list[Item]:
    more = {"parent_id": parent} if parent else {}
    return [
        (create, {"model": PARTNER, "values": {"name": f"{name} {n:02}", **more}})
        for n in range(ITEMS)
    ]


def be_killed(
    keywords: Credentials, journal: Path, key: str, made: list[Item], *, lost: bool
) -> None:
    """Be the process that is killed: between two items, or before an answer is read."""
    with connect(**keywords, journal=Journal(journal)) as odoo:
        send, sent = odoo._send, 0

        def counted(call: Call, *more: Any, **named: Any) -> Any:
            nonlocal sent
            answer = send(call, *more, **named)
            sent += call.method in ("load", "create") and call.model == PARTNER
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

        odoo._send = counted  # type: ignore[method-assign]
        with listening(Dies()):
            batch(odoo, made, key=key)


@pytest.mark.parametrize("lost", [True, False], ids=["answer lost", "between answers"])
@pytest.mark.parametrize("external", [True, False], ids=["external id", "recognised"])
def test_a_batch_whose_process_is_killed_is_done_once(
    server: Server, odoo: Connection, journal: Path, suffix: str, lost: bool, external: bool
) -> None:
    """The repeat does all of it anew, the next one is answered, and undo takes all of it back."""
    name, key = f"Cut off {suffix} {lost} {external}", f"cut-{suffix}-{lost}-{external}"
    parent = None if external else create(odoo, PARTNER, {"name": name, "is_company": True}).id
    made = items(name, parent)
    process = multiprocessing.get_context("fork").Process(
        target=be_killed,
        args=(credentials(server, server.user("admin")), journal, key, made),
        kwargs={"lost": lost},
    )
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL
    assert len(named(odoo, name)) == DONE + lost
    first = batch(odoo, made, key=key)
    assert isinstance(first, BatchResult)
    assert named(odoo, name) == [f"{name} {n:02}" for n in range(ITEMS)]
    assert batch(odoo, made, key=key) == first
    assert len(named(odoo, name)) == ITEMS
    entry = next(one for one in history(odoo) if one.key == key)
    assert (entry.outcome, entry.undone_by) == ("done", None)
    undo(odoo, entry=entry.id)
    assert named(odoo, name) == []
    with pytest.raises(StateError, match="taken back by entry"):
        batch(odoo, made, key=key)


def test_what_is_created_in_restricted_mode_is_archived_as_foretold(
    server: Server, journal: Path, suffix: str
) -> None:
    """The plan, the history, and the undo say the same."""
    policy = Policy(mode="restricted", write_allowlist=frozenset({PARTNER}))
    keywords = credentials(server, server.user("admin"))
    with connect(**keywords, journal=Journal(journal), policy=policy) as odoo:
        name = f"Restricted {suffix}"
        foretold = create.plan(odoo, PARTNER, {"name": name}).undo
        number = create(odoo, PARTNER, {"name": name}).id
        (shown,) = overview(odoo)
        assert foretold
        assert shown.undo
        assert (
            foretold.would == shown.undo.would == ["The record of res.partner would be archived."]
        )
        assert foretold.possible == shown.undo.possible == "part"
        planned = undo.plan(odoo, entry=shown.entry)
        assert planned.needs is None
        undo(odoo, entry=shown.entry)
        assert count(odoo, PARTNER, [["id", "=", number]]).count == 0
        archived = [["id", "=", number], ["active", "=", False]]
        assert count(odoo, PARTNER, archived).count == 1
