"""Every writing operation on six versions, as it went over the wire of a real Odoo of each."""

from __future__ import annotations

from functools import cache

import pytest

from odoo_toolkit.change_history import History
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.notebook import Connection
from tests.kit.recordings import HOW, NOWHERE, Played, Recordings, Replay, standing_still
from tests.kit.scenarios import names, play

#: Of the others not all operations are recorded yet.
VERSIONS = (14, 19)

recordings = cache(Recordings.read)


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version in VERSIONS for name in names(version)]
)
def test_an_operation_and_its_way_back_send_what_was_recorded(version: int, name: str) -> None:
    kept = recordings(version)
    if name not in kept.tapes:
        pytest.fail(f"{name} is not recorded on {version}. {HOW}", pytrace=False)
    tape = kept.tapes[name]
    played = Played(kept, [*tape.exchanges])

    def opened(user: str, journal: History | None) -> Connection:
        transport = Replay(user, ServerVersion(**tape.version), tape.users[user], played)
        return Connection(NOWHERE, transport=transport, history=journal).connect()

    with standing_still(name, tape.moment):
        play(name, opened)
    assert not played.pending, f"No longer sent: {played.pending}. {HOW}"
