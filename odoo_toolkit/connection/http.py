"""HTTP to one server: a pooled session, and what its failures mean for a call."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from odoo_toolkit.connection.bulk import exchange
from odoo_toolkit.connection.failures import connection_error, time_is_over
from odoo_toolkit.connection.pacing import pacer_of
from odoo_toolkit.connection.pool import Pool
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.error_patterns import http_error
from odoo_toolkit.progress import time_left

if TYPE_CHECKING:
    import requests

#: A server that has not accepted the connection after this many seconds is not there.
CONNECT_TIMEOUT = 10.0


_read_timeout: ContextVar[float | None] = ContextVar("odoo_toolkit_read_timeout", default=None)


@contextmanager
def read_timeout(seconds: float | None) -> Iterator[None]:
    """Within the block, wait at least so long for answers, whatever the settings say."""
    token = _read_timeout.set(seconds)
    try:
        yield
    finally:
        _read_timeout.reset(token)


class Http:
    """Requests to one Odoo server over pooled connections; safe to use from many threads.

    Args:
        settings: where and how.
        keep_cookies: for a web session. RPC must not have them: a session cookie of another
            user or database makes JSON-2 refuse the call.
        pool: open connections that are shared with others; its own otherwise.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        *,
        keep_cookies: bool = False,
        pool: Pool | None = None,
    ) -> None:
        # Imported when needed: it takes longer to import than the rest of the library.
        import requests

        self.url = settings.url
        #: Seconds that the server's clock is ahead of ours, by its last answer; None unless told.
        self.clock_ahead: float | None = None
        self._options: dict[str, Any] = {
            "timeout": (min(settings.timeout, CONNECT_TIMEOUT), settings.timeout),
            # Given with each request, because the environment wins over the session's own.
            "verify": (settings.ca_cert or True) if settings.verify_ssl else False,
            "proxies": {"http": settings.proxy, "https": settings.proxy}
            if settings.proxy
            else {"no_proxy": "*"},
        }
        if keep_cookies:
            # A redirected POST becomes a GET; without a session nothing follows redirects.
            self._options["allow_redirects"] = False
        self._session = requests.Session()
        self._session.trust_env = False
        self._headers = dict(self._session.headers)
        self._settings, self._keep_cookies = settings, keep_cookies
        self._shared, self._pool = pool is not None, pool or Pool()
        self._mount()
        if not settings.verify_ssl:
            import urllib3

            # The connection says it once, by a warning of its own.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def _mount(self) -> None:
        """Take the connections of this process: after a fork the old ones are the parent's."""
        self._process = os.getpid()
        self._pacer = pacer_of(self._settings)
        adapter = self._pool.adapter(self._settings)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send one request and return the answer, whatever its status.

        Args:
            method: GET or POST.
            path: begins with a slash, below the server's address.
            options: as of ``requests.request``.

        Raises:
            OdooConnectionError: there is no answer; its ``outcome`` tells whether the server may
                have received the request.
        """
        import requests
        import urllib3

        if self._process != os.getpid():
            self._mount()
        options = {**self._options, **options}
        send = self._session.request if self._keep_cookies else self._send
        with self._pacer.turn() if self._pacer else nullcontext():
            options["timeout"] = self._timeouts(options["timeout"])
            try:
                answer = exchange(send, method, self.url + path, options)
            except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
                raise connection_error(error, self.url) from None
        if moment := parsedate_tz(answer.headers.get("Date", "")):
            self.clock_ahead = mktime_tz(moment) - time.time()
        return answer

    def hold(self, seconds: float) -> None:
        """Where requests are paced, let none begin for so many seconds."""
        if self._pacer:
            self._pacer.hold(seconds)

    def _send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
        **how: Any,
    ) -> requests.Response:
        """Send a request as the session would, without cookies, in half of its time.

        Most of that goes into settings, hooks, redirects and cookies, which there are none of, and
        into reading the same address again.
        """
        import requests

        request = requests.PreparedRequest()
        request.method, request.url = method, _address(url)
        request.prepare_headers({**self._headers, **(headers or {})})
        request.prepare_body(data, None, json)
        return self._session.get_adapter(url).send(request, **how)

    def _timeouts(self, timeout: float | tuple[float, float]) -> Any:
        """Return the timeouts of a request that has these, as its call and the limit change them.

        Raises:
            OdooConnectionError: no time is left.
        """
        import urllib3

        connect, read = timeout if isinstance(timeout, tuple) else (timeout, timeout)
        read = max(read, _read_timeout.get() or 0)
        left = time_left()
        if left == math.inf:
            return connect, read
        if left <= 0:
            raise time_is_over(self.url)
        return urllib3.Timeout(total=left, connect=connect, read=read)

    def json(self, method: str, path: str, **options: Any) -> Any:
        """Send one request and return the JSON of its answer.

        Raises:
            OdooError: there is no answer, or it is not a JSON one with status 200.
        """
        answer = self.request(method, path, **options)
        if answer.status_code != 200:
            raise unexpected(answer)
        return parse_json(answer)

    def cookie(self, name: str) -> str | None:
        """Return a cookie of a web session."""
        return self._session.cookies.get(name)

    def set_cookie(self, name: str, value: str) -> None:
        """Give a web session a cookie, as if the server had."""
        self._session.cookies.set(name, value)

    def close(self) -> None:
        """Close the connections, unless they are shared."""
        if not self._shared:
            self._session.close()


@lru_cache(maxsize=4096)
def _address(url: str) -> str | None:
    """Return an address as it is sent: host names and paths in ASCII."""
    import requests

    return requests.Request("GET", url).prepare().url


def parse_json(answer: requests.Response) -> Any:
    """Return the JSON of an answer; an OdooConnectionError where it is something else."""
    try:
        # Not by answer.json(): where simplejson is installed, as dlt has it, that refuses the NaN
        # and Infinity that Odoo writes of such numbers in its database.
        return json.loads(answer.content)
    except ValueError:
        raise unexpected(answer) from None


def unexpected(answer: requests.Response) -> Exception:
    """Return the error for an answer that is not what the protocol promises."""
    return http_error(
        answer.status_code,
        content_type=answer.headers.get("Content-Type", ""),
        text=answer.text[:10_000],
        location=answer.headers.get("Location"),
        retry_after=answer.headers.get("Retry-After"),
        url=answer.url,
    )
