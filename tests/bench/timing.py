"""Measuring in one run, actions in turn, so that a busy machine is no excuse."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

Action = Callable[[], object]


def alternate(times: int, *actions: Action) -> list[list[float]]:
    """Return the milliseconds of each action, done in turn."""
    taken: list[list[float]] = [[] for _ in actions]
    for _ in range(times):
        for action, durations in zip(actions, taken, strict=True):
            started = time.perf_counter()
            action()
            durations.append((time.perf_counter() - started) * 1000)
    return taken


def medians(times: int, actions: dict[str, Action], warm_up: int = 1) -> dict[str, float]:
    """Return the median milliseconds of each action, done in turn after some rounds for nothing."""
    alternate(warm_up, *actions.values())
    return dict(
        zip(actions, map(statistics.median, alternate(times, *actions.values())), strict=True)
    )
