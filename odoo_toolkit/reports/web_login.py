"""Whether a web login changes nothing that matters.

At every web login of a user with Settings rights, Odoo (14 to 19) writes the address that the login
came by to the system parameter ``web.base.url``, from which it makes the links in its e-mails and
documents; unless ``web.base.url.freeze`` is set. A toolkit that reaches Odoo by an inner address
would so break every link. Other users change nothing; they cannot read the parameters either.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError
from odoo_toolkit.reports.calls import look
from odoo_toolkit.reports.ways import Unavailable

PARAMETER = "ir.config_parameter"
ADDRESS = "web.base.url"
FROZEN = "web.base.url.freeze"

_DEFAULT_PORTS = {"http": 80, "https": 443}


def check_login(odoo: Odoo) -> None:
    """Give up before a web login that would change the address in Odoo's links.

    Raises:
        Unavailable: it would, or it cannot be known.
    """
    _check_same_user(odoo)
    named = [["key", "in", [ADDRESS, FROZEN]]]
    try:
        rows = look(odoo, PARAMETER, "search_read", domain=named, fields=["key", "value"])
    except AccessError as error:
        # Odoo's own answer, not the policy's or a proxy's: only Settings rights read parameters.
        if (error.code, error.outcome) == ("ACCESS_DENIED", "rolled_back"):
            return
        raise Unavailable(error.message) from None
    known = {row["key"]: row["value"] for row in rows}
    ours = login_address(odoo.settings.url)
    now = known.get(ADDRESS) or "none"
    if known.get(FROZEN) or now == ours:
        return
    raise Unavailable(
        f"Odoo would change the address in its links ({ADDRESS}, now {now}) to {ours}, as it does"
        " whenever a user with Settings rights logs in. Set the system parameter"
        f" {FROZEN} to True in Odoo, connect by the address that Odoo knows, or use a user without"
        " Settings rights"
    )


def login_address(url: str) -> str:
    """Return what Odoo takes for its address when a login comes by a URL."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    address = f"{parts.scheme}://[{host}]" if ":" in host else f"{parts.scheme}://{host}"
    if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)):
        return address
    return f"{address}:{parts.port}"


def _check_same_user(odoo: Odoo) -> None:
    # Elsewhere the user name goes with every login; here the key alone says who we are, and what
    # its user may read tells nothing of the password's user.
    if odoo.protocol != "json2":
        return
    (user,) = look(odoo, "res.users", "read", [odoo.uid], fields=["login"])
    if user["login"] != odoo.settings.username:
        raise Unavailable("the password belongs to another user than the API key")
