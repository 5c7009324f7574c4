"""Tokens, windows and separate rates, by a clock that the test moves."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.configuration import load
from odoo_toolkit.errors import RateLimitError
from odoo_toolkit_mcp.rate_limit import RateLimit
from odoo_toolkit_mcp.settings import ServerSettings


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def limit_of(clock: Clock, **settings: Any) -> RateLimit:
    loaded, problems = load(ServerSettings, {"rate_limit": True, **settings}, environ={})
    assert loaded is not None, problems
    return RateLimit(loaded, clock)


def allowed(limit: RateLimit, calls: int, access: Any = "read") -> int:
    """Make calls and return how many were let through."""
    passed = 0
    for _ in range(calls):
        try:
            limit.check(access)
        except RateLimitError:
            continue
        passed += 1
    return passed


def test_off_by_default() -> None:
    assert allowed(RateLimit(ServerSettings(), Clock()), 500) == 500


def test_burst_then_evenly() -> None:
    clock = Clock()
    limit = limit_of(clock, rate_limit_rpm=60, rate_limit_burst=3)
    assert allowed(limit, 10) == 3

    clock.now += 2
    assert allowed(limit, 10) == 2


def test_quiet_time_saves_no_more_than_the_burst() -> None:
    clock = Clock()
    limit = limit_of(clock, rate_limit_rpm=60, rate_limit_burst=3)
    clock.now += 3000

    assert allowed(limit, 10) == 3


def test_refusal_says_when_to_come_back() -> None:
    """After exactly that time the call passes."""
    clock = Clock()
    limit = limit_of(clock, rate_limit_rpm=6, rate_limit_burst=1)
    limit.check("read")
    with pytest.raises(RateLimitError) as raised:
        limit.check("read")

    assert raised.value.code == "RATE_LIMITED"
    assert raised.value.details["retry_after"] == 10
    clock.now += 10
    limit.check("read")


def test_hour_is_limited_too() -> None:
    """No sixty minutes have more calls than the hourly rate, however they are spread."""
    clock = Clock()
    limit = limit_of(clock, rate_limit_rpm=60, rate_limit_burst=10, rate_limit_rph=100)
    passed = 0
    for _ in range(3600):
        clock.now += 1
        passed += allowed(limit, 1)

    assert passed == 100
    with pytest.raises(RateLimitError) as raised:
        limit.check("read")
    clock.now += raised.value.details["retry_after"]
    limit.check("read")


def test_refused_calls_do_not_count() -> None:
    clock = Clock()
    limit = limit_of(clock, rate_limit_rpm=60, rate_limit_burst=1)
    allowed(limit, 100)
    clock.now += 1

    assert allowed(limit, 1) == 1


def test_reads_and_writes_have_their_own_rates() -> None:
    limit = limit_of(
        Clock(),
        rate_limit_burst=10,
        rate_limit_rpm=600,
        rate_limit_write_rpm=60,
        rate_limit_read_rpm=600,
    )

    assert allowed(limit, 5, "write") == 5
    assert allowed(limit, 5, "read") == 5


def test_own_rate_limits_only_its_kind() -> None:
    """A slow rate for writing does not slow reading down."""
    clock = Clock()
    limit = limit_of(
        clock, rate_limit_burst=2, rate_limit_rpm=6000, rate_limit_write_rpm=1, rate_limit_rph=1000
    )
    allowed(limit, 2, "delete")
    clock.now += 1

    assert allowed(limit, 1, "create") == 0
    assert allowed(limit, 2, "read") == 2
