"""By which ids a request is found again: in the log, the audit, and the proxy's own log."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

#: Over HTTP, what a client or proxy calls its request.
HEADER = "X-Request-Id"

_LONGEST = 128
_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/=+@-]*")
_FOREIGN = re.compile(r"[^A-Za-z0-9._:/=+@-]")

#: Names and ids of the request that is being worked on; worker threads inherit it.
_current: ContextVar[dict[str, int | str] | None] = ContextVar(
    "odoo_toolkit_mcp_request_ids", default=None
)


def current() -> dict[str, int | str]:
    """Return the ids of the request that is being worked on, nothing outside of one.

    ``request_id`` is the id of the JSON-RPC request, which each client counts for itself;
    ``http_request_id`` is the header X-Request-Id, where it was sent and looks like an id.
    """
    return _current.get() or {}


async def noted(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Let all that is done for a request know its ids: middleware of the MCP server."""
    token = _current.set(_ids_of(ctx))
    try:
        return await call_next(ctx)
    finally:
        _current.reset(token)


def _ids_of(ctx: ServerRequestContext[Any, Any]) -> dict[str, int | str]:
    ids: dict[str, int | str] = {}
    if isinstance(ctx.request_id, int) and abs(ctx.request_id) < 2**63:
        ids["request_id"] = ctx.request_id
    elif ctx.request_id is not None:
        # Whatever it is, it must not look like more than an id in a line of the log.
        ids["request_id"] = _FOREIGN.sub("_", str(ctx.request_id)[:_LONGEST])
    header = ctx.request.headers.get(HEADER, "") if ctx.request else ""
    if len(header) <= _LONGEST and _FORM.fullmatch(header):
        ids["http_request_id"] = header
    return ids
