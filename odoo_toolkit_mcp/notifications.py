"""Notifications to clients of the handshake era, which are told unasked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import anyio

#: Seconds that a client may take to accept a notification.
PATIENCE = 5.0


async def send_all(
    sends: Iterable[Callable[[], Awaitable[None]]], patience: float = PATIENCE
) -> list[int]:
    """Send to all side by side: who does not read keeps nobody else waiting.

    Args:
        sends: each sends to one client.
        patience: seconds that a client may take.

    Returns:
        The positions of those who did not take it, or have gone.
    """
    failed: list[int] = []

    async def send_one(position: int, send: Callable[[], Awaitable[None]]) -> None:
        try:
            with anyio.fail_after(patience):
                await send()
        except (TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            failed.append(position)

    async with anyio.create_task_group() as tasks:
        for position, send in enumerate(sends):
            tasks.start_soon(send_one, position, send)
    return failed
