"""Tells each client, with its first answer, on whose behalf it works.

A client asks for its instructions before Odoo has been reached, so they cannot say it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from mcp.types import CallToolResult
from pydantic_core import from_json

from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp import results

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

#: In an answer, the user, company, currency, language, time zone and day.
PROPERTY = "acting_as"

#: Clients that are remembered; the oldest is forgotten, and told once more.
_MOST = 1000


class Introductions:
    """To whom it has been told, since the client last loaded the list of tools."""

    def __init__(self) -> None:
        self._told: OrderedDict[str | None, set[str]] = OrderedDict()

    def begin(self, client: str | None) -> None:
        """A client has loaded the list of tools: there may be a new conversation."""
        self._told.pop(client, None)

    def is_due(self, client: str | None, user: str) -> bool:
        """Whether a client has not been told yet on whose behalf it works; it is from now on."""
        users = self._told.setdefault(client, set())
        if user in users:
            return False
        users.add(user)
        if len(self._told) > _MOST:
            self._told.popitem(last=False)
        return True


def introduced(odoo: Odoo, result: CallToolResult) -> CallToolResult:
    """Return an answer that also says on whose behalf it was asked for."""
    # Imported here: the server answers before the library's modules are loaded.
    from odoo_toolkit.users.acting_as import acting_as

    try:
        told = from_json(results.json_text(acting_as(odoo)))
    except OdooError:  # It is an addition: what was asked for is there.
        return result
    return results.with_data(result, {PROPERTY: told, **(result.structured_content or {})})
