"""HTTP connections to share between several connections to Odoo."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from odoo_toolkit.connection.settings import ConnectionSettings

if TYPE_CHECKING:
    from requests.adapters import HTTPAdapter

#: Connections kept open to one server; more calls than that at a time open further ones.
POOL_SIZE = 32

#: Servers to which connections are kept open.
_SERVERS = 16

#: What decides how a connection is made, besides the process that made it.
_Kind = tuple[int, bool, str | None, str | None]


class Pool:
    """Open HTTP connections, for several users, databases or policies on the same servers.

    ::

        with Pool() as pool:
            ann = connect(url=url, username="ann", api_key="...", pool=pool)
            ben = connect(url=url, username="ben", api_key="...", pool=pool)

    The HTTP connections are not tied to a user: each request has its own credentials, and cookies
    are not kept. Other TLS settings and other proxies get separate connections. You can share a
    pool between threads. Close it yourself, because an ``Odoo`` that uses it does not close it. A
    copy or a pickle of a pool is an empty pool.
    """

    def __init__(self) -> None:
        self._adapters: dict[_Kind, HTTPAdapter] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Pool], tuple[()]]:
        return type(self), ()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def adapter(self, settings: ConnectionSettings) -> HTTPAdapter:
        """Return what sends requests with these settings."""
        # A forked process must not talk over the sockets of its parent.
        kind = (os.getpid(), settings.verify_ssl, settings.ca_cert, settings.proxy)
        adapter = self._adapters.get(kind)
        if adapter is None:
            # Imported when needed: it takes longer to import than the rest of the library.
            from requests.adapters import HTTPAdapter

            with self._lock:
                adapter = self._adapters.setdefault(
                    kind, HTTPAdapter(pool_connections=_SERVERS, pool_maxsize=POOL_SIZE)
                )
        return adapter

    def close(self) -> None:
        """Close the connections; what is called next opens new ones."""
        for adapter in list(self._adapters.values()):
            adapter.close()
