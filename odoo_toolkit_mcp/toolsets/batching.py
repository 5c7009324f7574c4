"""A tool for several changes as one plan.

It belongs to the core toolset if the server has a history.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, IdempotencyKey, JsonSchema
from odoo_toolkit.batching import MOST_ITEMS, BatchPlan, BatchResult, Item, batch
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError, make_error
from odoo_toolkit_mcp.toolsets.base import Tool, ToolTable

NAME = "odoo_core_batch"

#: What takes back is an entry of its own, and so is a batch.
_NEVER = frozenset({NAME, "odoo_core_undo"})

_ITEMS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["tool", "arguments"],
    },
}


class ToolCall(TypedDict):
    """A call of a tool as part of a batch."""

    tool: str
    arguments: dict[str, Any]


def batch_tool(table: ToolTable) -> Tool:
    """Return the tool, whose items are other tools of the same server."""

    def _batch(
        odoo: Odoo,
        items: Annotated[
            Sequence[ToolCall],
            JsonSchema(_ITEMS),
            Len(1, MOST_ITEMS),
            Doc(
                'Calls in order. As a value, {"id_of_item": 1} is the id of the record that item'
                " 1 creates."
            ),
        ],
        allow_irreversible: Annotated[
            bool, Doc("Allow changes that cannot be fully undone before other changes.")
        ] = False,
        idempotency_key: IdempotencyKey = None,
        dry_run: DryRun = False,
    ) -> BatchResult | BatchPlan:
        found = [_item(table, number, item, dry_run) for number, item in enumerate(items, 1)]
        keyed = {} if idempotency_key is None else {"idempotency_key": idempotency_key}
        return batch(odoo, found, allow_irreversible=allow_irreversible, dry_run=dry_run, **keyed)

    # The library's function makes the entry of the change history, under its key.
    _batch.plan = batch.plan  # type: ignore[attr-defined]
    return Tool(
        name=NAME,
        title="Make several changes",
        description="Make several changes with other tools as one plan. It checks all of them"
        " first. If one fails, the earlier ones are undone. Put a change that cannot be undone"
        " last. Other users may see the steps in between. Use dry_run first, and show the plan.",
        function=_batch,
        access="execute",
        hidden_in=frozenset({"readonly"}),
        asks="always",
    )


def _item(table: ToolTable, number: int, item: Mapping[str, Any], dry_run: bool) -> Item:
    """Return an item as the library takes it.

    Raises:
        OdooError: no such tool can be part of a batch, or this mode hides it.
    """
    name = item["tool"]
    tool = table.tools.get(name) or (table.hidden.get(name) if dry_run else None)
    if tool is None and name in table.hidden:
        mode = table.settings.mode
        error: OdooError = make_error(
            "MODE_VIOLATION",
            f"{name} is not allowed in {mode} mode.",
            suggestion="Leave it out. Whoever runs this server sets the mode: ODOO_MCP_MODE.",
        )
    elif tool is None:
        error = ValidationError(
            f"There is no tool {str(name)[:100]!r}.",
            suggestion="Items name tools of this server, such as odoo_core_write.",
        )
    elif name in _NEVER or tool.access == "read" or not tool.plans:
        error = ValidationError(
            f"{name} cannot be part of a batch.",
            suggestion="Items name tools that change something and have dry_run; no undo.",
        )
    else:
        return _function(tool), item["arguments"]
    error.message = f"Item {number}: {error.message}"
    error.details["item"] = number
    error.outcome = "not_sent"
    raise error


def _function(tool: Tool) -> Any:
    """Return a tool as a function of the library: the arguments are checked when it is called."""

    @functools.wraps(tool.function)
    def act(odoo: Odoo, **arguments: Any) -> Any:
        return tool.function(odoo, **tool.check(arguments))

    def plan(odoo: Odoo, **arguments: Any) -> Any:
        return tool.plan_of(odoo, arguments)

    act.__name__ = act.__qualname__ = tool.name
    act.plan = plan  # type: ignore[attr-defined]
    return act
