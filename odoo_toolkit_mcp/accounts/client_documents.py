"""Fetches the document that describes a client whose id is an address.

Anybody can name an address, so it must be a public one: the name is looked up once, the addresses
found are judged, and the connection goes to one of those, whatever the name says a moment later.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import urllib3
from urllib3.connection import HTTPSConnection
from urllib3.util.ssl_match_hostname import CertificateError

#: Bytes of the longest document, seconds for each step of fetching it, and for all of it.
_MOST_BYTES, _TIMEOUT, _TOTAL = 20_000, 5.0, 10.0

#: Seconds for which a document is remembered, how many are, and for how long a failure is.
_REMEMBERED, _MOST, _FAILED = 600.0, 500, 30.0

#: All of IPv6 that is public; the rest stands for any of IPv4, or for nothing yet.
_PUBLIC = ipaddress.IPv6Network("2000::/3")

#: What Python does not know yet to be for documentation, or not to be used any more.
_NOT_PUBLIC = [ipaddress.ip_network(one) for one in ("3fff::/20", "192.88.99.0/24")]

Fetch = Callable[[str], Any]
IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class DocumentError(Exception):
    """A document cannot be had; the text says why."""


class ClientDocuments:
    """Documents of clients, remembered for a while; safe to share between threads.

    Args:
        fetch: gets one.
        clock: seconds that only grow.
    """

    def __init__(
        self, fetch: Fetch | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch = fetch or fetch_document
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[float, Any]] = OrderedDict()

    def get(self, address: str) -> Any:
        """Return a document's JSON; while it cannot be had, as it was before.

        Raises:
            DocumentError: it cannot be had, and never was.
        """
        with self._lock:
            until, found = self._known.get(address, (0.0, None))
        if self._clock() >= until:
            new, lasts = self._asked(address)
            if found is None or not isinstance(new, DocumentError):
                found = new
            with self._lock:
                self._known[address] = (self._clock() + lasts, found)
                self._known.move_to_end(address)
                while len(self._known) > _MOST:
                    self._known.popitem(last=False)
        if isinstance(found, DocumentError):
            raise DocumentError(str(found))
        return found

    def _asked(self, address: str) -> tuple[Any, float]:
        try:
            return self._fetch(address), _REMEMBERED
        except DocumentError as error:
            return error, _FAILED


def is_document_address(client_id: str) -> bool:
    """Whether a client's id is the address of a document."""
    return client_id.startswith("https://")


def fetch_document(address: str) -> Any:
    """Return the JSON at a public https address.

    Raises:
        DocumentError: the address is none that this server may ask, or there is no JSON.
    """
    parts = urlsplit(address)
    try:
        port = parts.port or 443
    except ValueError:
        raise DocumentError("its address has no valid port") from None
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or parts.fragment:
        raise DocumentError("its address is not a plain https address")
    if not parts.path.strip("/") or ".." in parts.path.split("/"):
        raise DocumentError("its address has no path")
    connection = HTTPSConnection(
        public_address(parts.hostname, port),
        port,
        server_hostname=parts.hostname,
        assert_hostname=parts.hostname,
        cert_reqs=ssl.CERT_REQUIRED,
        timeout=_TIMEOUT,
    )
    headers = {"Host": parts.netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.connect()
        with _cut_off(connection.sock):
            connection.request("GET", target, headers=headers, preload_content=False)
            return _json(connection.getresponse())
    except (
        urllib3.exceptions.HTTPError,
        CertificateError,
        http.client.HTTPException,
        OSError,
    ) as error:
        raise DocumentError(f"its server sent an unexpected response: {error}") from None
    finally:
        connection.close()


@contextlib.contextmanager
def _cut_off(connected: socket.socket | None) -> Iterator[None]:
    """Cut a connection off in the end: each byte gives its server the time for a step anew.

    It is the socket itself that is cut, which an answer without a length takes over.
    """

    def cut() -> None:
        if connected is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

    late = threading.Timer(_TOTAL, cut)
    late.start()
    try:
        yield
    finally:
        late.cancel()


def _json(answer: urllib3.BaseHTTPResponse) -> Any:
    if answer.status != 200:
        raise DocumentError(f"its server answers with status {answer.status}")
    content = answer.read(_MOST_BYTES + 1, decode_content=False)
    if len(content) > _MOST_BYTES:
        raise DocumentError(f"it has more than {_MOST_BYTES} bytes")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise DocumentError("it is not JSON") from None


def public_address(host: str, port: int) -> str:
    """Return an IP address of a host that everybody can reach.

    Raises:
        DocumentError: there is none. One private address among several is enough to refuse.
    """
    try:
        addresses = addresses_of(host, port)
    except (OSError, UnicodeError):
        raise DocumentError("its host is not known") from None
    if not addresses or not all(map(is_public, addresses)):
        raise DocumentError("its host is not on the public internet")
    return str(addresses[0])


def addresses_of(host: str, port: int) -> list[IP]:
    """Return the IP addresses of a host.

    Raises:
        OSError, UnicodeError: it has none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def is_public(address: IP) -> bool:
    """Return whether an IP address is a public one."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.sixtofour
        if address not in _PUBLIC or address.teredo or (inner and not is_public(inner)):
            return False
    outside = not any(address in one for one in _NOT_PUBLIC)
    return outside and address.is_global and not address.is_multicast
