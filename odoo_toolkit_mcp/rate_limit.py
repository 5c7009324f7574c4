"""How many tool calls a minute and an hour may bring."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from odoo_toolkit.errors import OdooError, RateLimitError, make_error

if TYPE_CHECKING:
    from odoo_toolkit.call import Access
    from odoo_toolkit_mcp.settings import ServerSettings

Clock = Callable[[], float]

#: Clients whose calls are counted; the one that has not called for the longest time is forgotten.
MAX_CLIENTS = 10_000


class TokenBucket:
    """Lets ``burst`` calls through at once, then ``per_minute`` of them evenly."""

    def __init__(self, per_minute: float, burst: int, clock: Clock) -> None:
        self._rate = per_minute / 60
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def wait(self) -> float:
        """Return the seconds until the next call is allowed, 0 for now."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        return max(0.0, (1 - self._tokens) / self._rate)

    def take(self) -> None:
        """Count one call."""
        self._tokens -= 1


class HourWindow:
    """Lets ``per_hour`` calls through in any sixty minutes."""

    def __init__(self, per_hour: int, clock: Clock) -> None:
        self._clock = clock
        self._calls: deque[float] = deque(maxlen=per_hour)

    def wait(self) -> float:
        """Return the seconds until the next call is allowed, 0 for now."""
        if len(self._calls) < (self._calls.maxlen or 0):
            return 0.0
        return max(0.0, self._calls[0] + 3600 - self._clock())

    def take(self) -> None:
        """Count one call."""
        self._calls.append(self._clock())


class RateLimit:
    """The limits of one client; :meth:`check` before each call of a tool.

    Args:
        settings: ``rate_limit`` switches it on; rates per minute and hour, burst, and where set
            separate rates per minute for tools that read and tools that write.
        clock: seconds that only grow.
    """

    def __init__(self, settings: ServerSettings, clock: Clock = time.monotonic) -> None:
        burst = settings.rate_limit_burst
        everything: list[TokenBucket | HourWindow] = []
        if settings.rate_limit:
            everything = [
                TokenBucket(settings.rate_limit_rpm, burst, clock),
                HourWindow(settings.rate_limit_rph, clock),
            ]
        self._limits = {reads: list(everything) for reads in (True, False)}
        for reads, rpm in (
            (True, settings.rate_limit_read_rpm),
            (False, settings.rate_limit_write_rpm),
        ):
            if settings.rate_limit and rpm is not None:
                self._limits[reads].append(TokenBucket(rpm, burst, clock))
        self._lock = threading.Lock()

    def check(self, access: Access) -> None:
        """Count one call of a tool.

        Raises:
            RateLimitError: too many calls; ``details["retry_after"]`` has the seconds to wait.
        """
        limits = self._limits[access == "read"]
        with self._lock:
            wait = max((limit.wait() for limit in limits), default=0.0)
            if wait <= 0:
                for limit in limits:
                    limit.take()
                return
        raise too_many(wait)


def too_many(wait: float) -> OdooError:
    """Return the error of a call that was not made, and for how many seconds to wait."""
    seconds = math.ceil(wait)
    return make_error(
        "RATE_LIMITED",
        "You made too many calls in a short time. This call was not made.",
        suggestion=f"Wait {seconds} s, then call again. Ask for more records per call.",
        details={"retry_after": seconds},
        outcome="not_sent",
    )


class ClientRateLimits:
    """The limits of a server's clients: who calls too often does not hold up the others.

    Args:
        settings: as of :class:`RateLimit`.
        clock: seconds that only grow.
    """

    def __init__(self, settings: ServerSettings, clock: Clock = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._limits: OrderedDict[str | None, RateLimit] = OrderedDict()
        #: How many calls of each kind were refused.
        self.refused: Counter[Access] = Counter()

    def check(self, client: str | None, access: Access) -> None:
        """Count one call of a tool by a client; on the event loop only.

        Raises:
            RateLimitError: too many calls of this client.
        """
        if not self._settings.rate_limit:
            return
        limit = self._limits.pop(client, None) or RateLimit(self._settings, self._clock)
        self._limits[client] = limit
        if len(self._limits) > MAX_CLIENTS:
            self._limits.popitem(last=False)
        try:
            limit.check(access)
        except RateLimitError:
            self.refused[access] += 1
            raise
