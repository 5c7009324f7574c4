"""No write passes a connection's gate by, whatever way it takes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    AccessError,
    Odoo,
    OdooError,
    batch,
    create,
    create_many,
    execute,
    search_read,
    undo,
    unlink,
    upsert,
    write,
    write_many,
)
from odoo_toolkit.call import Call
from odoo_toolkit.change_history import History
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.client import Admitted, Gate
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.operations.steps import Step, make
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.calls import real_access
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_import import contacts

PARTNER = "res.partner"
ANN = {"id": 7, "name": "Ann", "email": "ann@x.com", "ref": "A"}
RENAME = Call(model=PARTNER, method="write", ids=(7,), arguments={"vals": {"name": "Eve"}})
PRESS = Call(model=PARTNER, method="action_archive", ids=(7,))
ROWS: Any = [{"name": "Eve", "ref": "A"}, {"name": "Eva", "ref": "E"}]


#: Writes that a gate was asked about.
asked: list[Call] = []


class Open(Gate):
    """Lets all pass."""

    def before(self, call: Call, policy: Policy) -> None:
        if real_access(call) != "read":
            asked.append(call)


class Shut(Gate):
    """Lets no write pass."""

    def before(self, call: Call, policy: Policy) -> None:
        if real_access(call) != "read":
            raise AccessError("The gate is shut.", outcome="not_sent")


def _pickled(odoo: Odoo) -> Odoo:
    history, odoo.history = odoo.history, None
    server, odoo._line.transport = odoo._line.transport, None
    again: Odoo = pickle.loads(pickle.dumps(odoo))
    odoo.history, odoo._line.transport = history, server
    again._line.transport = server
    return again


def _forged(odoo: Odoo, call: Call, judged: Call | None) -> Any:
    return odoo.send(Admitted(call=call, asked=call, started=0.0, judged=judged))


def _replaced(odoo: Odoo) -> Any:
    read = odoo.admit(attrs.evolve(RENAME, method="read", arguments={}, access="read"))
    return odoo.send(attrs.evolve(read, call=RENAME))


DOORS: dict[str, Callable[[Odoo], Any]] = {
    "call": lambda odoo: odoo.call(RENAME),
    "another carrier": lambda odoo: odoo.call(RENAME, by=odoo._send),
    "admit and send": lambda odoo: odoo.send(odoo.admit(RENAME)),
    "a write that calls itself a read": lambda odoo: odoo.call(
        attrs.evolve(RENAME, access="read", internal=True)
    ),
    "what nobody admitted": lambda odoo: _forged(odoo, RENAME, None),
    "what admits itself": lambda odoo: _forged(odoo, RENAME, RENAME),
    "another call than was admitted": _replaced,
    "a read, sent as a write": lambda odoo: odoo.admit(
        attrs.evolve(RENAME, method="read", arguments={}, access="read")
    ).sending("write"),
    "a button": lambda odoo: odoo.call(PRESS),
    "a step": lambda odoo: odoo.call(attrs.evolve(PRESS, step=True, access="write")),
    "steps": lambda odoo: make(
        odoo, [Step(model=PARTNER, method="action_archive", seen=lambda odoo, n: None)], [7]
    ),
    "looked for": lambda odoo: send(odoo, RENAME, []),
    "create": lambda odoo: create(odoo, PARTNER, {"name": "Eve"}),
    "write": lambda odoo: write(odoo, PARTNER, [7], {"name": "Eve"}),
    "unlink": lambda odoo: unlink(odoo, PARTNER, [7]),
    "execute": lambda odoo: execute(odoo, PARTNER, "write", [[7], {"name": "Eve"}]),
    "load": lambda odoo: execute(odoo, PARTNER, "load", [["name"], [["Eve"]]]),
    "upsert": lambda odoo: upsert(odoo, PARTNER, ROWS, key="ref"),
    "create_many": lambda odoo: create_many(odoo, PARTNER, ROWS),
    "write_many": lambda odoo: write_many(odoo, PARTNER, [{"id": 7, "name": "Eve"}]),
    "batch": lambda odoo: batch(
        odoo, [(write, {"model": PARTNER, "ids": [7], "values": {"name": "Eve"}})]
    ),
    "undo": lambda odoo: undo(odoo, entry=1),
    "side by side": lambda odoo: side_by_side([lambda: odoo.call(RENAME)]),
    "a copy": lambda odoo: copy.copy(odoo).call(RENAME),
    "a pickle": lambda odoo: _pickled(odoo).call(RENAME),
    "a gate more": lambda odoo: odoo.gated(Gate()).call(RENAME),
}


@pytest.fixture
def server() -> FakeServer:
    return contacts(ANN, {"id": 8, "name": "Ben", "ref": "B"}, action_archive=True)


@pytest.mark.parametrize("door", DOORS)
def test_a_shut_gate_lets_nothing_be_written(door: str, server: FakeServer, tmp_path: Path) -> None:
    odoo = server.connect(history=History(tmp_path / "history.sqlite"))
    write(odoo, PARTNER, [8], {"phone": "2"})
    rows, sent = copy.deepcopy(server.records), len(server.sent)

    try:
        result = DOORS[door](odoo.gated(Shut()))
    except (OdooError, ValueError):
        result = None

    assert result is None or not getattr(result, "ok", False), result
    assert server.records == rows
    assert not [call for call in server.sent[sent:] if real_access(call) != "read"]


@pytest.mark.parametrize("door", DOORS)
def test_an_open_gate_is_asked_and_lets_all_pass(
    door: str, server: FakeServer, tmp_path: Path
) -> None:
    """Else the test above would show nothing."""
    odoo = server.connect(history=History(tmp_path / "history.sqlite"))
    write(odoo, PARTNER, [8], {"phone": "2"})
    asked.clear()
    sent = len(server.sent)

    try:
        DOORS[door](odoo.gated(Open()))
    except (OdooError, ValueError):
        assert door in REFUSED

    written = [call for call in server.sent[sent:] if real_access(call) != "read"]
    assert bool(written) == (door not in REFUSED)
    assert [call.method for call in asked] == [call.method for call in written]


#: Doors that are no doors.
REFUSED = {
    "what nobody admitted",
    "another call than was admitted",
    "a read, sent as a write",
}


def test_a_read_is_not_stopped(server: FakeServer) -> None:
    assert search_read(server.connect().gated(Shut()), PARTNER, [], ["name"]).records
