"""The server's connection to Odoo: made when first needed, once for all who wait for it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit_mcp.bridge import limiter

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo


ConnectionState = Literal["unused", "connecting", "open", "error"]


def has_gone(error: Exception) -> bool:
    """Whether an error tells that Odoo has gone, or was started anew."""
    return isinstance(error, OdooError) and error.code in (
        "CONNECTION_REFUSED",
        "CONNECTION_ERROR",
    )


class _Attempt:
    """One try to connect, and how it ended."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        self.error: Exception | None = None


class Connection:
    """Connects in the background; all who ask meanwhile share the attempt and its outcome.

    Args:
        new_odoo: makes one that is not connected yet.
        prepare: what has to be done with a new connection before it is used, in a thread. It
            returns the groups of its user, if Odoo tells them.
        ready: what has to be done after it, on the event loop.
    """

    def __init__(
        self,
        new_odoo: Callable[[], Odoo],
        prepare: Callable[[Odoo], str | None] | None = None,
        ready: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._new_odoo = new_odoo
        self._odoo: Odoo | None = None
        self._prepare = prepare
        self._ready = ready
        self._attempt: _Attempt | None = None
        self._failed = self._gone = False
        #: Of its user, and when they were last looked up.
        self.groups: str | None = None
        self.looked_up = float("-inf")

    @property
    def established(self) -> bool:
        """Whether the last attempt succeeded and nothing has spoiled it since."""
        attempt = self._attempt
        return attempt is not None and attempt.ended.is_set() and attempt.error is None

    @property
    def state(self) -> ConnectionState:
        """Whether it is open; ``error`` where connecting, or the last call, has failed."""
        attempt = self._attempt
        if attempt and not attempt.ended.is_set():
            return "connecting"
        if attempt is None or self._odoo is None:
            return "error" if self._failed else "unused"
        return "error" if self._odoo.state in ("error", "reconnecting") else "open"

    @property
    def gone(self) -> bool:
        """Whether Odoo did not answer when it was last asked; refused credentials are an answer."""
        return self._gone

    async def get(self, tasks: TaskGroup) -> Odoo:
        """Return the connected Odoo; connect first if need be.

        Args:
            tasks: where the attempt runs: it outlives the request that began it.

        Raises:
            OdooError: the attempt failed; the next call makes another one.
        """
        attempt = self._attempt
        if attempt is None:
            attempt = self._attempt = _Attempt()
            tasks.start_soon(self._connect, attempt)
        await attempt.ended.wait()
        if self._odoo is None or attempt.error:
            raise attempt.error or make_error(
                "CONNECTION_ERROR", "The server has no connection to Odoo."
            )
        return self._odoo

    def note_groups(self, groups: str | None) -> None:
        """Remember the groups of the user; those of before, if Odoo did not tell them."""
        self.groups, self.looked_up = groups or self.groups, time.monotonic()

    def lost(self) -> None:
        """Take note that Odoo has gone: what comes back may be another version of it."""
        if self.established:
            self._attempt, self._failed, self._gone = None, True, True

    def failed(self, error: Exception) -> None:
        """Take note of an error of a call, which may tell that Odoo has gone."""
        if has_gone(error):
            self.lost()

    async def close(self) -> None:
        """Close what is open; who still uses the connection opens it anew."""
        if self._odoo:
            await anyio.to_thread.run_sync(self._odoo.close, limiter=limiter())

    async def _connect(self, attempt: _Attempt) -> None:
        try:
            await anyio.to_thread.run_sync(
                self._connect_and_prepare, limiter=limiter(), abandon_on_cancel=True
            )
            if self._ready:
                await self._ready()
        except Exception as error:
            attempt.error = error
        except BaseException:
            attempt.error = make_error("CONNECTION_ERROR", "The server is shutting down.")
            raise
        finally:
            self._failed = attempt.error is not None
            why = attempt.error
            self._gone = isinstance(why, OdooError) and why.category == "connection"
            if self._failed:
                self._attempt = None
            attempt.ended.set()

    def _connect_and_prepare(self) -> None:
        # A new one each time: what is known of an earlier connection may be true no longer.
        odoo = self._new_odoo()
        try:
            odoo.connect()
            if self._prepare:
                self.note_groups(self._prepare(odoo))
        except BaseException:
            odoo.close()
            raise
        before, self._odoo = self._odoo, odoo
        if before:
            before.close()


async def within(seconds: float, wait: Callable[[], Awaitable[Odoo]]) -> Odoo | None:
    """Return the connected Odoo if it can be had within some seconds, else None."""
    with anyio.move_on_after(seconds):
        try:
            return await wait()
        except OdooError:
            pass
    return None
