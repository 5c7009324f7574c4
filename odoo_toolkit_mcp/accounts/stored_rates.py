"""How often each person calls, counted in the store: all processes together keep to the limits."""

from __future__ import annotations

import math

from odoo_toolkit.call import Access
from odoo_toolkit.databases import Database
from odoo_toolkit_mcp.accounts.store import now
from odoo_toolkit_mcp.settings import ServerSettings


class StoredRates:
    """The calls of a store; safe to share between threads.

    Calls are counted by whole minutes. A limit of so many a minute is one of the last sixty
    seconds or more, so that it may hold somebody up a little longer than a count of moments would.

    Args:
        store: where they are kept.
        instance: whose calls these are.
    """

    def __init__(self, store: Database, instance: str) -> None:
        self._store = store
        self._instance = instance

    def __call__(self, client: str | None, access: Access, settings: ServerSettings) -> float:
        """Count one call of a tool, unless there were too many.

        Args:
            client: who calls.
            access: kind of the tool.
            settings: have the limits.

        Returns:
            0, or the seconds to wait.
        """
        kind = "read" if access == "read" else "write"
        own = settings.rate_limit_read_rpm if kind == "read" else settings.rate_limit_write_rpm
        who, minute = f"{self._instance} {client}", int(now() // 60)
        left = 60 - now() % 60
        # One at a time: else what two processes count at once would pass both.
        with self._store.writing(f"calls {who}") as session:
            count = session.execute(
                # Spans ahead are those of a process whose clock is ahead, or from before ours was
                # set back: nobody waits for these to pass.
                "SELECT COALESCE(sum(CASE WHEN span = ? THEN count END), 0) AS minute,"
                " COALESCE(sum(CASE WHEN span = ? AND kind = ? THEN count END), 0) AS own,"
                " COALESCE(sum(count), 0) AS hour FROM calls"
                " WHERE who = ? AND span >= ? AND span < ?",
                [minute, minute, kind, who, minute - 59, minute + 60],
            ).fetchone()
            waits = [0.0]
            if count["minute"] >= settings.rate_limit_rpm:
                waits.append(left)
            if own is not None and count["own"] >= own:
                waits.append(left)
            if count["hour"] >= settings.rate_limit_rph:
                waits.append(60.0 + left)
            if max(waits) > 0:
                return math.ceil(max(waits))
            session.execute(
                "INSERT INTO calls (who, kind, span, count) VALUES (?, ?, ?, 1)"
                " ON CONFLICT (who, kind, span) DO UPDATE SET count = calls.count + 1",
                [who, kind, minute],
            )
        return 0.0
