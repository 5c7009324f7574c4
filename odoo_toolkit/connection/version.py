"""The version of a server, found without credentials."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.connection.http import Http
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooConnectionError, OdooError


@attrs.frozen(kw_only=True)
class ServerVersion(Shown):
    """A server's version, such as 17.0 or saas~18.3+e.

    Attributes:
        level: alpha, beta, candidate or final.
        full: as the server writes it.
        edition: ``enterprise`` or ``community``.
    """

    major: int
    minor: int = 0
    micro: int = 0
    level: str = "final"
    serial: int = 0
    full: str
    edition: str = "community"


def parse_version(info: Sequence[Any], full: str = "") -> ServerVersion:
    """Read Odoo's ``server_version_info``, such as ``[17, 0, 0, "final", 0, "e"]``.

    Online versions carry the major version as ``"saas~18"``.

    Raises:
        ValueError: there is no major version in it.
    """
    parts = [*info, *([0, 0, 0, "final", 0, ""][len(info) :])]
    numbers = [int(found.group()) if (found := re.search(r"\d+", str(p))) else 0 for p in parts[:5]]
    if not numbers[0]:
        raise ValueError(f"no version in {info!r}")
    return ServerVersion(
        major=numbers[0],
        minor=numbers[1],
        micro=numbers[2],
        level=str(parts[3]),
        serial=numbers[4],
        full=full or ".".join(str(part) for part in parts[:2]),
        edition="enterprise" if "e" in str(parts[5]) else "community",
    )


def detect_version(http: Http) -> ServerVersion:
    """Ask a server for its version.

    ``/web/webclient/version_info`` answers on 14 to 19 and gives the edition too;
    ``/web/version`` (from 19) stands in where a later version may lack it.

    Raises:
        OdooConnectionError: nothing answers there, or what answers is not Odoo.
    """
    try:
        answer = http.json("POST", "/web/webclient/version_info", json={})
        result = answer["result"]
        return parse_version(result["server_version_info"], result["server_version"])
    except (KeyError, TypeError, ValueError, OdooError) as error:
        if isinstance(error, OdooError) and error.code in {"CONNECTION_REFUSED", "TIMEOUT"}:
            raise
        first = error
    try:
        answer = http.json("GET", "/web/version")
        return parse_version(answer["version_info"], answer["version"])
    except (KeyError, TypeError, ValueError, OdooError):
        if isinstance(first, OdooError):
            raise first from None
        raise OdooConnectionError(
            f"The server at {http.url} is not Odoo.",
            code="ENDPOINT_NOT_FOUND",
            suggestion="Set ODOO_URL to the address that you open in the browser, without /web "
            "or /odoo.",
        ) from None
