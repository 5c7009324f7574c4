"""Runs a tool so that its writes are one entry of the history, and tells how to take them back."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit_mcp.affected import Asking
from odoo_toolkit_mcp.affected import run as run_tool
from odoo_toolkit_mcp.callers import client_of
from odoo_toolkit_mcp.question import Question

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.requests import Context

#: Characters of a client's name and of a message that the change history keeps.
_LONGEST_NAME, _LONGEST = 100, 2000


@attrs.define
class Noted:
    """What the change history noted of a call.

    Attributes:
        client: the program that makes it.
        undo: what the result says of taking it back; None where nothing was written.
    """

    client: str = ""
    undo: dict[str, Any] | None = None


def client_label(ctx: Context) -> str:
    """Return the name of the program that makes a request, and over HTTP whose token it has."""
    params = ctx.session.client_params
    info = params.client_info if params else None
    names = [f"{info.name} {info.version}".strip() if info else "", client_of(ctx.request) or ""]
    return " / ".join(name for name in names if name)[:_LONGEST_NAME]


def run(noted: Noted, asking: Asking, odoo: Odoo | None, /, **arguments: Any) -> Any:
    """Call a tool's function, see :func:`odoo_toolkit_mcp.affected.run`; note what it wrote."""
    if odoo is None or odoo.history is None or asking.tool.access == "read":
        return run_tool(asking, odoo, **arguments)
    # Imported here: the server must be able to start without it.
    from odoo_toolkit.change_history import History, client_name
    from odoo_toolkit.change_history.recording import hearing
    from odoo_toolkit.undoing.overview import undo_facts

    function = asking.tool.function
    token = client_name.set(noted.client)
    try:
        with hearing() as entries, ExitStack() as whole:
            recording = None
            # Other functions make an entry of their own, under their key.
            if isinstance(odoo.history, History) and not hasattr(function, "plan"):
                name = function.__name__.lstrip("_")
                recording = whole.enter_context(odoo.history.operation(odoo, name))
            try:
                result = run_tool(asking, odoo, **arguments)
                if recording and not isinstance(result, Question):
                    recording.entry.message = str(getattr(result, "message", ""))[:_LONGEST]
                return result
            finally:
                noted.undo = undo_facts(odoo, entries)
    finally:
        client_name.reset(token)
