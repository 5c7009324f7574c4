"""Asks the person before a tool destroys something, in either protocol era.

A client of the handshake era is asked while the call waits. A client of the stateless era gets the
question as the call's result, with a sealed ticket in the request state, and repeats the call with
both. A ticket is good for one call, within an hour, and only where the repeated call would do
exactly what the question said (see :mod:`odoo_toolkit_mcp.affected`); otherwise the person is asked
anew. A client that cannot ask sends the person to a page, if the server has one for that (see
:mod:`odoo_toolkit_mcp.approvals`).
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from odoo_toolkit.errors import AccessError, ConfigurationError
from odoo_toolkit_mcp.bridge import limiter
from odoo_toolkit_mcp.disambiguation import can_be_asked, choices, state_of
from odoo_toolkit_mcp.question import Question, not_confirmed
from odoo_toolkit_mcp.sealing import BrokenSealError, OverdueSealError, Sealing, SpentSealError

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from odoo_toolkit_mcp.settings import ServerSettings
    from odoo_toolkit_mcp.toolsets.base import Asks, BaseToolset, Tool

#: The name of the question, and of the ticket in the request state.
PLACE = "confirmation"

_SCHEMA: Any = {
    "type": "object",
    "properties": {
        "confirm": {
            "type": "boolean",
            "title": "Yes, do it",
            "description": "Nothing changes until you confirm.",
        }
    },
    "required": ["confirm"],
}


#: What to do where nobody can be asked.
_BY_FORMS = "Use a client that supports MCP elicitation in form mode."
_BY_SETTING = (
    "Or ask the administrator to set ODOO_MCP_CONFIRM=auto, which runs the call without"
    " confirmation if the client cannot ask."
)


class Confirmations:
    """Knows what has to be confirmed, and which answers count.

    Args:
        settings: whether and for which tools the person is asked.
        sealing: of the server.
        page: address of the page for people whose client cannot ask them, if there is one.
    """

    def __init__(self, settings: ServerSettings, sealing: Sealing, page: str | None = None) -> None:
        self._when = settings.confirm
        self._tools = frozenset(settings.confirm_tools)
        self._sealing = sealing
        self._page = page

    def on_page(self, ctx: ServerRequestContext[Any, Any]) -> bool:
        """Return true if the person is asked on a page, as the client cannot ask."""
        return self._page is not None and not can_be_asked(ctx)

    def asks(self, ctx: ServerRequestContext[Any, Any], tool: Tool, *, in_view: bool) -> Asks:
        """Return before which changes of a tool the person is asked, who may look at a view."""
        if tool.needs_person:
            return "always"
        if self._when == "never":
            return "never"
        asked = in_view or can_be_asked(ctx) or self._page
        if self._when == "auto" and not asked:
            return "never"
        return "always" if tool.name in self._tools else tool.asks

    async def answered(self, params: CallToolRequestParams) -> str | None:
        """Return the digest of the question that came back with a yes; each is good once.

        Raises:
            ValidationError: it came back with a no.
        """
        answer = (params.input_responses or {}).get(PLACE)
        if answer is None:
            return None
        ticket = str(state_of(params).get(PLACE))
        digest = await anyio.to_thread.run_sync(self._used_up, ticket, limiter=limiter())
        _check_yes(answer)
        return digest

    def _used_up(self, ticket: str) -> str | None:
        """Return the digest of the question that a ticket is of, once."""
        try:
            content, use_up = self._sealing.open(PLACE, ticket)
            use_up()
        except (BrokenSealError, OverdueSealError, SpentSealError):
            return None
        return str(content["digest"])

    async def ask(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: CallToolRequestParams,
        tool: Tool,
        question: Question,
    ) -> str | InputRequiredResult:
        """Ask the person.

        Returns:
            The question's digest, where the person says yes; or the result by which a client of
            the stateless era is asked.

        Raises:
            ValidationError: the person says no.
            AccessError: nobody can be asked.
        """
        if not can_be_asked(ctx):
            raise AccessError(
                f"The user must confirm {params.name}, but this client cannot ask for confirmation."
                " Nothing was done.",
                suggestion=_BY_FORMS if tool.needs_person else f"{_BY_FORMS} {_BY_SETTING}",
                details={"tool": params.name},
                outcome="not_sent",
            )
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            request = ElicitRequestFormParams(message=question.message, requested_schema=_SCHEMA)
            ticket = self._sealing.seal(PLACE, {"digest": question.digest})
            state = {**choices(params), PLACE: ticket}
            return InputRequiredResult(
                input_requests={PLACE: ElicitRequest(params=request)},
                request_state=json.dumps(state),
            )
        _check_yes(
            await ctx.session.elicit_form(
                question.message, _SCHEMA, related_request_id=ctx.request_id
            )
        )
        return question.digest


def _check_yes(answer: object) -> None:
    content: Any = None
    if isinstance(answer, ElicitResult) and answer.action == "accept":
        content = answer.content
    if not content or content.get("confirm") is not True:
        raise not_confirmed()


def check_tools(settings: ServerSettings, toolsets: Iterable[type[BaseToolset]]) -> None:
    """See that the tools which the operator named exist, in whichever mode.

    Args:
        settings: name them.
        toolsets: all that there are, registered or not.

    Raises:
        ConfigurationError: there is no tool of one of the names.
    """
    if settings.confirm_tools and (
        unknown := unknown_tools(settings.confirm_tools, settings, toolsets)
    ):
        raise ConfigurationError(
            " ".join(unknown.values()),
            suggestion="Correct ODOO_MCP_CONFIRM_TOOLS. odoo_core_list_toolsets lists the tools.",
        )


def unknown_tools(
    names: Iterable[str], settings: ServerSettings, toolsets: Iterable[type[BaseToolset]]
) -> dict[str, str]:
    """Return the names that no tool has, in whichever mode, each with a sentence on it.

    Args:
        names: of tools, as an operator wrote them.
        settings: of the server.
        toolsets: all toolsets, registered or not.
    """
    # Imported here: the server answers before the toolsets are loaded.
    from odoo_toolkit_mcp.toolsets.base import ToolTable

    table = ToolTable(settings)
    untold: tuple[str, ...] = ()
    for toolset in (made() for made in toolsets):
        try:
            toolset.register_tools(table, None)
        except Exception:
            # Only Odoo can tell which tools this one has.
            untold += (f"odoo_{toolset.metadata().name}_",)
    known = {*table.tools, *table.hidden, *table.omitted}
    sentences = {}
    for name in names:
        if name not in known and not name.startswith(untold):
            near = difflib.get_close_matches(name.strip(), known, n=2)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            sentences[name] = f"There is no tool {name[:100]!r}.{meant}"
    return sentences
