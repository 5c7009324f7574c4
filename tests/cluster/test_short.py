"""Two processes, one of them killed, and the secret key changed, while people work."""

from __future__ import annotations

import pytest

from tests.cluster.trial import Cluster, trial
from tests.live.own import own
from tests.live.servers import Server, find_servers
from tests.provisioning import postgres

# Starting the store, the processes and the users takes a minute, and each fault some more.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1800)]


def newest() -> Server:
    """The newest Odoo that runs here."""
    servers = [server for server in find_servers() if server.version]
    if not servers or postgres._find_programs() is None:
        pytest.skip("It takes an Odoo and a PostgreSQL of this machine: run 'make servers' first.")
    return own(max(servers, key=lambda server: int(server.version)))


def test_nothing_is_lost_or_done_twice_when_a_process_dies_and_the_key_changes() -> None:
    """Without nginx: the test itself hands the requests round. ``make cluster`` tries more."""
    outcome = trial(
        newest(),
        processes=2,
        people=3,
        steps=12,
        faults=[lambda cluster: cluster.kill(0), Cluster.change_keys],
    )
    assert not outcome.wrong, "\n".join(outcome.wrong)


def test_nothing_is_done_twice_when_a_process_hangs_and_goes_on_later() -> None:
    """One that hangs looks like one that is slow; what it was asked, it does in the end."""
    outcome = trial(
        newest(),
        processes=2,
        people=3,
        steps=10,
        faults=[lambda cluster: cluster.hang(0), lambda cluster: cluster.wake(0)],
    )
    assert not outcome.wrong, "\n".join(outcome.wrong)
