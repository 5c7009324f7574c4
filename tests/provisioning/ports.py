"""Ports of the loopback, each reserved by a lock on a file for as long as somebody needs it."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.provisioning.cache import try_lock

# All below the range from which the system takes the ports of outgoing connections.
SERVERS = range(18069, 18569)
SECOND = 500  # added to a server's port: more than there are first ones
OTHERS = range(19069, 24069)

#: The same for all processes of this machine, whatever their TMPDIR and cache are.
LOCKS = Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir())

_KEPT: list[Reservation] = []


@dataclass(frozen=True)
class Reservation:
    """A port that nobody else is given until this is released, or not referred to any more.

    A process that inherits the lock (``pass_fds=[reservation.lock.fileno()]``) holds it, too.
    """

    number: int
    lock: IO[str]

    def __post_init__(self) -> None:
        weakref.finalize(self, self.lock.close)

    def release(self) -> None:
        """Give up this process's hold; one that inherited the lock keeps its own."""
        self.lock.close()


def free_port() -> int:
    """Return a free port that no other caller gets until this process ends.

    For servers of tests: between asking for a port and listening on it, nobody else is given it.

    Raises:
        OSError: All ports are taken.

    Example:
        >>> start_server(port=free_port())
    """
    reservation = reserve()
    _KEPT.append(reservation)
    return reservation.number


@contextlib.contextmanager
def reserved(candidates: Iterable[int] | None = None) -> Iterator[Reservation]:
    """Reserve the first free port of *candidates* for as long as the block runs."""
    reservation = reserve(candidates)
    try:
        yield reservation
    finally:
        reservation.release()


def reserve(candidates: Iterable[int] | None = None) -> Reservation:
    """Reserve the first port of *candidates* that nobody has reserved and on which nothing listens.

    Without candidates, it is one of ``OTHERS``, and hardly the same one as before: a client may
    still be calling the server that had that.

    Raises:
        OSError: There is none.
    """
    folder = LOCKS / f"odoo-toolkit-ports-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if candidates is None:
        start = secrets.randbelow(len(OTHERS))
        candidates = (*OTHERS[start:], *OTHERS[:start])
    for port in candidates:
        lock = try_lock(folder / str(port))
        if lock is None:
            continue
        if not _listens(port):
            return Reservation(port, lock)
        lock.close()
    raise OSError("All ports that tests may use are taken.")


def _listens(port: int) -> bool:
    """Tell whether somebody listens on a port who did not reserve it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
