"""Several questions to Odoo asked side by side, on the pooled connections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

#: Questions under way at a time: enough to hide the waiting, few enough for a small server.
_AT_A_TIME = 8


def side_by_side(actions: Sequence[Callable[[], T]]) -> list[T]:
    """Run functions in threads and return their results in order.

    Each runs in a copy of the caller's context, so that progress and audit know whose work it is.

    Raises:
        Exception: what the first failing one raised, after all have ended.
    """
    if len(actions) < 2:
        return [action() for action in actions]
    contexts = [copy_context() for _ in actions]
    with ThreadPoolExecutor(min(_AT_A_TIME, len(actions))) as threads:
        return list(
            threads.map(lambda pair: pair[0].run(pair[1]), zip(contexts, actions, strict=True))
        )


def gather(*actions: Callable[[], Any]) -> list[Any]:
    """Run functions that return different things, as :func:`side_by_side` does."""
    return side_by_side(actions)
