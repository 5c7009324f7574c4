"""Seals what a client brings back later: it cannot be read, altered, or used a second time.

With keys and a register that several processes share, any of them takes what another has sealed.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mcp.server.request_state import AESGCMRequestStateCodec, InvalidRequestState

#: Seconds within which what was sealed can be brought back.
LIFETIME = 3600.0

Spend = Callable[[str, float], bool]
"""Takes the number of a seal and when it ends; whether it has not been spent before."""


class BrokenSealError(Exception):
    """What was brought back was altered, or is not of this server."""


class OverdueSealError(Exception):
    """What was brought back was sealed too long ago."""


class SpentSealError(Exception):
    """What was brought back has been used before."""


class Sealing:
    """Seals and opens; used by any thread.

    Args:
        keys: of 32 bytes; the first seals, each opens. By default one that nobody else has.
        spend: notes which were used; by default this process does.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        keys: Sequence[bytes] = (),
        spend: Spend | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._codec = AESGCMRequestStateCodec(list(keys) or [os.urandom(32)])
        self._clock = clock
        self._spend = spend or SpentHere(clock)

    def seal(self, kind: str, content: Mapping[str, Any]) -> str:
        """Return the sealed content.

        Args:
            kind: what it is good for; it is opened as nothing else.
            content: JSON.
        """
        about = {
            "kind": kind,
            "ends": self._clock() + LIFETIME,
            "number": secrets.token_urlsafe(12),
        }
        return self._codec.seal(json.dumps({**about, "content": dict(content)}).encode())

    def open(self, kind: str, token: str) -> tuple[dict[str, Any], Callable[[], None]]:
        """Return what was sealed, and what uses it up.

        Using it up raises :class:`SpentSealError` where that was done before.

        Raises:
            BrokenSealError: it was altered, is of another kind, or not of this server.
            OverdueSealError: it was sealed too long ago.
        """
        try:
            found = json.loads(self._codec.unseal(token))
        except (InvalidRequestState, ValueError):
            raise BrokenSealError from None
        if found["kind"] != kind:
            raise BrokenSealError
        if self._clock() >= found["ends"]:
            raise OverdueSealError

        def use_up() -> None:
            if not self._spend(found["number"], found["ends"]):
                raise SpentSealError

        return found["content"], use_up


class SpentHere:
    """Remembers in this process what was used.

    Args:
        clock: seconds since the epoch.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}
        self._lock = threading.Lock()

    def __call__(self, number: str, ends: float) -> bool:
        """Use a seal up; return whether it was not before."""
        with self._lock:
            spent = number in self._ends
            now = self._clock()
            self._ends = {known: until for known, until in self._ends.items() if until > now}
            self._ends[number] = ends
        return not spent
