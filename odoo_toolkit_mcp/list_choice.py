"""Which form of the list of tools a client gets, by what is known of the client."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

#: Limits for the list of a client that is not known.
MOST_TOOLS = 40
MOST_BYTES = 24_000

#: Of ``ODOO_MCP_TOOLS``.
FORMS = ("auto", "flat", "short", "areas")


@attrs.frozen(kw_only=True)
class Known:
    """What is known of a client.

    Attributes:
        tools: that it can have, of all its servers together.
        searches: whether it hands tools to the model only when the model has searched for them.
        version: of the client that this is known of; empty for a service.
        date: of the source, or when it was read.
        source: who says so.
    """

    tools: int = MOST_TOOLS
    searches: bool = False
    version: str = ""
    date: str
    source: str


_CODE = Known(
    searches=True, version="2.1.263", date="2026-09", source="code.claude.com/docs/en/mcp"
)
_COPILOT = Known(
    searches=True, date="2026-11", source="docs.github.com, Tool search of Copilot CLI"
)
_VS_CODE = Known(tools=128, date="2026-02", source="code.visualstudio.com/docs/chat/chat-tools")
_WINDSURF = Known(tools=100, date="2026-06", source="docs.windsurf.com/windsurf/cascade/mcp")

#: ``clientInfo.name`` -> facts. Any other client gets a list within the limits above.
CLIENTS: Mapping[str, Known] = {
    "claude-code": _CODE,
    "github-copilot-developer": _COPILOT,
    "cursor-vscode": Known(tools=40, date="2025-06", source="docs.cursor.com/context/mcp"),
    "Visual Studio Code": _VS_CODE,
    "Visual-Studio-Code": _VS_CODE,
    "Windsurf": _WINDSURF,
    "windsurf-client": _WINDSURF,
}


@attrs.frozen
class Choice:
    """The form of a list, and why.

    Attributes:
        form: flat, short or areas; auto is flat if that is within the limits, otherwise short.
        most: tools that a list of auto or short may have.
        why: for people and models.
    """

    form: str
    most: int
    why: str


def choose(setting: str, client: str) -> Choice:
    """Return the form that a client gets.

    Args:
        setting: the form that the server or the connection asks for.
        client: ``clientInfo.name``, or an empty text.
    """
    # mcp-remote adds its own name to that of the client that it stands for.
    name = client.partition(" (via ")[0]
    known = CLIENTS.get(name)
    shown = "".join(filter(str.isprintable, name))[:30] or "a client without a name"
    most = known.tools if known else MOST_TOOLS
    if setting != "auto":
        return Choice(setting, most, "as it is set")
    if known and known.searches:
        return Choice("flat", most, f"{shown} searches tools itself")
    budget = f"{most} tools and {MOST_BYTES // 1000} kB"
    return Choice("auto", most, f"{shown} gets at most {budget}")
