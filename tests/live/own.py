"""Copies of the provisioned servers that this process has for itself, started at first use.

Several processes test side by side: on servers of their own, none meets another's records, and all
begin with the demo data.
"""

from __future__ import annotations

import functools
import os
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from tests.live.servers import Server, read_entry
from tests.provisioning import copies, layout
from tests.provisioning.releases import RELEASES

#: Whoever names a file of servers means these servers themselves.
_NAMED = bool(os.environ.get("ODOO_TOOLKIT_SERVERS_FILE"))
_opened = ExitStack()
Found = TypeVar("Found")


def can_be_copied(server: Server) -> bool:
    """Tell whether a server was provisioned here; those of other machines cannot be copied."""
    release = RELEASES.get(server.version)
    return release is not None and bool(layout.version(layout.root_folder(release)))


def is_shared(server: Server) -> bool:
    """Tell whether all processes use the same server, as it cannot be copied or was named."""
    return _NAMED or not can_be_copied(server)


@functools.cache
def own(server: Server) -> Server:
    """Return this process's copy of a server; of one that is shared, the server itself."""
    if is_shared(server):
        return server
    return read_entry(opened(copies.copied(RELEASES[server.version])))


def opened(resource: AbstractContextManager[Found]) -> Found:
    """Enter a context that ends with the process's tests."""
    return _opened.enter_context(resource)


def close() -> None:
    """End what was opened."""
    _opened.close()
