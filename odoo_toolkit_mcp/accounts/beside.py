"""Runs what asks Odoo for a page, beside the event loop and apart from the tools' own threads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import anyio
import anyio.to_thread

P = ParamSpec("P")
T = TypeVar("T")

#: So that guessing at the sign-in never takes the threads in which tools run.
_THREADS = 8
_limiters: dict[str, anyio.CapacityLimiter] = {}


def beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Run a function in a thread and return what it returns."""
    limiter = _limiters.setdefault("pages", anyio.CapacityLimiter(_THREADS))
    return anyio.to_thread.run_sync(lambda: function(*args, **kwargs), limiter=limiter)
