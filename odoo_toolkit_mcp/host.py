"""What a server is told by whoever serves it: where one process serves several, they share it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from starlette.requests import Request

    from odoo_toolkit.call import Access
    from odoo_toolkit_mcp.callers import Credentials
    from odoo_toolkit_mcp.files import Keeping
    from odoo_toolkit_mcp.sealing import Sealing
    from odoo_toolkit_mcp.settings import ServerSettings


@attrs.frozen(kw_only=True)
class Serving:
    """What a server is told by whoever serves it.

    Attributes:
        credentials: returns for which Odoo user a request acts; by default the settings say.
        about: returns what audit lines say of the person and client behind a request.
        denied: is told that Odoo has denied a request something: its key may be of no use.
        holds: whether a request that is open for long may still go on; by default it may until its
            bearer token has expired.
        note: takes the audit lines, in place of a file or the log.
        rates: counts a call of a client, and returns the seconds to wait; by default each server
            counts by itself.
        sealing: seals what clients bring back; by default nobody else can open it.
        files: keeps files for those whom they were made for; by default this process does.
        page: address of the page on which people confirm what their client cannot ask them, and
            decide upon what others do.
    """

    credentials: Callable[[Request | None], Credentials] | None = None
    about: Callable[[Request | None], Mapping[str, Any]] | None = None
    denied: Callable[[Request | None], None] | None = None
    holds: Callable[[Request | None], Awaitable[bool]] | None = None
    note: Callable[[Mapping[str, Any]], None] | None = None
    rates: Callable[[str | None, Access, ServerSettings], float] | None = None
    sealing: Sealing | None = None
    files: Keeping | None = None
    page: str | None = None


#: A server that is the only one.
ALONE = Serving()
