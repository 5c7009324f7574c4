"""Cuts off whoever opens connections and never ends to say what is wanted."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.auto import AutoHTTPProtocol

#: Seconds that a request's first line and headers may take.
PATIENCE = 20.0


class PromptProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP, for clients that send their headers in good time.

    A connection between two requests is closed by uvicorn itself.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what has come; wait on only while a request is not yet known."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(PATIENCE, self._cut)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _cut(self) -> None:
        # What answers just now was complete before.
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
