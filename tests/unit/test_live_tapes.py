"""Live tests that are played: what is not recorded is said, and all is asked in the same order."""

from __future__ import annotations

import pytest

from tests.kit.live_tapes import InTurn, played
from tests.kit.recordings import Recordings, StaleRecordingError, Tape

READ = ["admin", {"model": "res.partner", "method": "read", "ids": [1]}, "digest", True]


@pytest.mark.parametrize(
    ("tapes", "said"),
    [
        ({}, "It is not recorded"),
        ({"test_x[19]": Tape(moment=0, exchanges=[READ])}, "No longer sent"),
    ],
)
def test_what_is_not_as_recorded_says_how_to_record_it(tapes: dict[str, Tape], said: str) -> None:
    with (
        pytest.raises(StaleRecordingError, match=said) as raised,
        played("test_live", "test_x[19]", 19, Recordings(tapes), lambda: True),
    ):
        pass
    assert str(raised.value).endswith("python -m tests.kit.record 19 -k 'test_live::test_x[19]'")


def test_of_a_test_that_fails_only_its_own_failure_is_said() -> None:
    kept = Recordings({"test_x[19]": Tape(moment=0, exchanges=[READ])})
    with played("test_live", "test_x[19]", 19, kept, lambda: False):
        pass


def test_what_is_asked_side_by_side_is_asked_in_turn_to_the_end() -> None:
    asked: list[int] = []

    def ask(number: int) -> int:
        asked.append(number)
        return 1 // number

    with InTurn(2) as threads, pytest.raises(ZeroDivisionError):
        threads.map(ask, [1, 0, 2])
    assert asked == [1, 0, 2]
