"""What a connection asks of its list of tools: by headers, in its address, or by that address.

The names of the headers are those of GitHub's MCP server. A connection can narrow what the server
offers. The server leaves out any further names, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

import attrs

from odoo_toolkit_mcp.list_choice import FORMS

if TYPE_CHECKING:
    from starlette.requests import Request

    from odoo_toolkit_mcp.toolsets.base import RegistrationReport, Tool

#: parameter of the address -> header, which counts if a request has both.
HEADERS: Mapping[str, str] = {
    "toolsets": "X-MCP-Toolsets",
    "tools": "X-MCP-Tools",
    "readonly": "X-MCP-Readonly",
}

#: Of the scope of a request: the tools that its address lists, with the name of that list.
ADDRESS_LIST = "odoo_toolkit.list"

#: Values that mean no; all others mean yes.
_NO = {"", "false", "f", "no", "n", "0", "off"}

#: Characters and names of a header that are looked at, and names that an answer repeats.
_LONGEST, _MOST, _REPEATED = 4000, 200, 5


@attrs.frozen(kw_only=True)
class Wishes:
    """What a connection asks for.

    Attributes:
        form: of the list; None for that of the server's setting.
        toolsets: whose tools are listed, besides ``tools``.
        tools: that are listed; with no toolsets either, all are.
        readonly: whether the connection only reads, if it says so.
        address: the name of the list that its address has; empty for none.
        address_tools: the tools of that list. No others are listed.
    """

    form: str | None = None
    toolsets: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    readonly: bool | None = None
    address: str = ""
    address_tools: frozenset[str] = frozenset()

    @property
    def names(self) -> bool:
        """Return whether it says which tools are listed."""
        return bool(self.toolsets or self.tools or self.address)


def wishes_of(request: Request | None) -> Wishes:
    """Return what a request asks for; nothing over stdio."""
    if request is None:
        return Wishes()
    given = {
        name: request.headers.get(header, request.query_params.get(name))
        for name, header in HEADERS.items()
    }
    toolsets, tools = _names(given["toolsets"]), _names(given["tools"])
    readonly = given["readonly"]
    address, address_tools = request.scope.get(ADDRESS_LIST, ("", frozenset()))
    return Wishes(
        address=address,
        address_tools=address_tools,
        form=next((form for form in FORMS if form in tools), None),
        toolsets=toolsets - {"all", "default"},
        # To name all toolsets is to narrow nothing.
        tools=frozenset() if "all" in toolsets else tools - {*FORMS},
        readonly=None if readonly is None else readonly.strip().lower() not in _NO,
    )


def _names(text: str | None) -> frozenset[str]:
    names = (part.strip() for part in (text or "")[:_LONGEST].split(",")[:_MOST])
    return frozenset(name for name in names if name)


def narrow(
    wishes: Wishes, tools: Mapping[str, Tool], report: RegistrationReport, mode: str
) -> tuple[set[str], list[str]]:
    """Return the tools that a connection gets listed, and what to say of what it does not get.

    Args:
        wishes: of the connection.
        tools: that the server has.
        report: on the toolsets.
        mode: of the server.
    """
    of_toolset = {r.name: r.tools_registered for r in report.results if r.tools_registered}
    said = [
        _unknown(HEADERS["toolsets"], wishes.toolsets - of_toolset.keys()),
        _unknown(HEADERS["tools"], wishes.tools - tools.keys()),
        _unknown(f"The list {wishes.address}", wishes.address_tools - tools.keys()),
        f"{HEADERS['readonly']}: this server is readonly."
        if wishes.readonly is False and mode == "readonly"
        else "",
    ]
    wanted = {name for each in wishes.toolsets for name in of_toolset.get(each, ())} | wishes.tools
    found = {
        name
        for name, tool in tools.items()
        if (name in wanted or not (wishes.toolsets or wishes.tools))
        and (name in wishes.address_tools or not wishes.address)
        and (tool.hints(mode).read_only or not wishes.readonly)
    }
    return found, [*filter(None, said)]


def _unknown(named_by: str, names: Set[str]) -> str:
    shown = ", ".join(ascii(name[:60]) for name in sorted(names)[:_REPEATED])
    more = f" and {len(names) - _REPEATED} more" if len(names) > _REPEATED else ""
    return f"{named_by} lists {shown}{more}, which this server does not offer." if names else ""
