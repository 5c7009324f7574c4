"""Servers that answer with what a test says, byte for byte."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def server(
    answer: Callable[[socket.socket], None], tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Serve connections, each by ``answer``, and give the address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                if tls:
                    try:
                        connection = tls.wrap_socket(connection, server_side=True)
                    except OSError:
                        continue  # the client refuses the certificate
                with connection:
                    connection.recv(65536)
                    answer(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()
