"""Two processes, one of them killed, and the secret key changed, while people work."""

from __future__ import annotations

import pytest

from tests.cluster.trial import Cluster, newest, trial

# Starting the store, the processes and the users takes a minute, and each fault some more.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1800)]


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
