"""The day on which a test takes place."""

from __future__ import annotations

from datetime import UTC, date, datetime


def today() -> date:
    """Return the day in UTC, which is Odoo's, wherever the machine is.

    Ask once in a test, and hand the day on: midnight may pass meanwhile.
    """
    return datetime.now(UTC).date()
