"""Runs what asks Odoo for a page, beside the event loop and apart from the tools' own threads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, ParamSpec, TypeVar

import anyio
import anyio.to_thread

P = ParamSpec("P")
T = TypeVar("T")

#: What for -> threads for each Odoo, so that one that hangs holds nobody up who uses another.
#: More do not sign in at once, see :mod:`odoo_toolkit_mcp.accounts.attempts`.
_THREADS = {"sign in": 2, "look": 8, "page": 4, "health": 1}
_limiters: dict[tuple[str, str], anyio.CapacityLimiter] = {}


def beside(
    purpose: Literal["sign in", "look", "page", "health"],
    odoo: str,
    function: Callable[P, T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Awaitable[T]:
    """Run a function in a thread and return what it returns.

    Args:
        purpose: each has threads of its own.
        odoo: that the function waits for, as an instance names it.
        function: with its arguments.
    """
    new = anyio.CapacityLimiter(_THREADS[purpose])
    limiter = _limiters.setdefault((purpose, odoo), new)
    return anyio.to_thread.run_sync(lambda: function(*args, **kwargs), limiter=limiter)
