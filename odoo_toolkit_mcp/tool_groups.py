"""The shorter lists of tools: some tools as they are, all others as operations of an area.

An area has two tools, one that reads and one that changes, so that the hints of each hold for
every operation in it. Called with nothing, a tool lists its operations; with an operation alone, it
answers with that operation's schema; with both, the call is the call of the operation's own tool,
and goes the way that one goes.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from mcp.types import Tool as McpTool
from mcp.types import ToolAnnotations

from odoo_toolkit.errors import ValidationError, make_error

if TYPE_CHECKING:
    from odoo_toolkit_mcp.toolsets.base import Hints, Tool

#: Tools that are listed as they are, in each form.
NATIVE = (
    "odoo_core_search_read",
    "odoo_core_deep_search",
    "odoo_core_read",
    "odoo_core_aggregate",
    "odoo_core_fields_get",
)

#: Tools that a short list has as they are, as long as there is room: the most used first.
EVERYDAY = (
    "odoo_core_count",
    "odoo_core_list_models",
    "odoo_core_create",
    "odoo_core_write",
    "odoo_contacts_identify_contact",
    "odoo_sales_confirm_order",
    "odoo_sales_create_order",
    "odoo_inventory_get_stock",
    "odoo_accounting_register_payment",
    "odoo_accounting_create_invoice",
    "odoo_chatter_schedule_activity",
)

#: toolset -> area, where the toolset alone is too small for one, or its name says too little.
_AREAS = {
    "core": "records",
    "helpdesk": "services",
    "project": "services",
    "hr": "people",
    "calendar": "people",
    "chatter": "messages",
    "mail": "messages",
    "attachments": "documents",
    "reports": "documents",
}

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": ["string", "array"],
            "description": "Alone, or a list: returns schemas. Default: lists all.",
        },
        "arguments": {"type": "object", "description": "{} for none."},
    },
}

#: Of the list of operations; each operation answers as its own tool does.
OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"manifest": {"type": "object"}},
}

_KINDS = {"string": "text", "integer": "int", "number": "number", "boolean": "bool"}

#: Characters of schemas in one answer. An answer has at most 24 kB.
_ROOM = 18_000

#: Names of keys that a line tells of an argument's items.
_MOST_KEYS = 8


@attrs.frozen
class Operation:
    """A call of a tool that came as the operation of an area."""

    tool: str
    arguments: dict[str, Any]


@attrs.define(kw_only=True, slots=False)
class Area:
    """One of the two tools of an area.

    Attributes:
        name: of the tool.
        subject: what its operations are about.
        changes: whether they change anything.
        tools: operation -> the tool that does it.
        hidden: operations that this mode does not have, but may plan.
        mode: of the server.
    """

    name: str
    subject: str
    changes: bool
    mode: str
    tools: dict[str, Tool] = attrs.Factory(dict)
    hidden: dict[str, Tool] = attrs.Factory(dict)

    @property
    def hints(self) -> list[Hints]:
        """What the operations do, each."""
        return [tool.hints(self.mode) for tool in self.tools.values()]

    def listed(self, shown: Container[str]) -> McpTool | None:
        """Return the tool as tools/list shows it: its hints are true for all its operations.

        Args:
            shown: tools that it names; without any of them there is no such tool.
        """
        verb = "Change" if self.changes else "Read"
        operations = [name for name, tool in self.tools.items() if tool.name in shown]
        if not operations:
            return None
        return McpTool(
            name=self.name,
            description=f"{verb} {self.subject}: {', '.join(operations)}.",
            input_schema=INPUT_SCHEMA,
            output_schema=OUTPUT_SCHEMA,
            annotations=ToolAnnotations(title=f"{verb} {self.subject}", **self._hints()),
        )

    def _hints(self) -> dict[str, bool]:
        """Return the hints that hold for all operations; of reading there is no more to say."""
        if not self.changes:
            return {"read_only_hint": True}
        return {
            "read_only_hint": False,
            "destructive_hint": any(hints.destructive for hints in self.hints),
            "idempotent_hint": all(hints.idempotent for hints in self.hints),
        }

    def manifest(self) -> dict[str, Any]:
        """Return the operations: what each does and its arguments, in a line each."""
        return {
            "tool": self.name,
            "manifest": {operation: _line(tool) for operation, tool in self.tools.items()},
            "how": f'Call {self.name} with {{"operation": ..., "arguments": {{...}}}}; * must be'
            " given. This is enough for most calls. A list as operation returns schemas, also of"
            " other areas.",
        }

    def schema(self, operation: str) -> dict[str, Any]:
        """Return what there is to know before an operation is called.

        That leaves out what it answers with: an answer tells that by itself.
        """
        tool = self.tools.get(operation) or self.hidden[operation]
        hints = tool.hints(self.mode)
        return {
            "tool": self.name,
            "operation": operation,
            "description": tool.description,
            "input_schema": tool.input_schema,
            "read_only": hints.read_only,
            "destructive": hints.destructive,
            "idempotent": hints.idempotent,
        }

    def tool(self, asked: object) -> Tool | None:
        """Return the tool of an operation, None where there is no such operation."""
        operation = self.operation(asked)
        return (operation and (self.tools.get(operation) or self.hidden[operation])) or None

    def operation(self, asked: object) -> str | None:
        """Return the operation that is meant, by its name or by that of its own tool."""
        return next((o for o, tool in self._all() if asked in (o, tool.name)), None)

    def _all(self) -> Iterator[tuple[str, Tool]]:
        yield from self.tools.items()
        yield from self.hidden.items()


def area_of(tool: str) -> str:
    """Return the area of a tool."""
    toolset = tool.split("_")[1]
    return _AREAS.get(toolset, toolset)


def areas_for(tools: Mapping[str, Tool], hidden: Mapping[str, Tool], mode: str) -> dict[str, Area]:
    """Return the tools of the areas by their names; what is :data:`NATIVE` is in none of them."""
    areas: dict[str, Area] = {}
    for tool in tools.values():
        if tool.name not in NATIVE:
            subject, changes = area_of(tool.name), not tool.hints(mode).read_only
            name = f"odoo_{'change' if changes else 'read'}_{subject}"
            area = areas.setdefault(
                name, Area(name=name, subject=subject, changes=changes, mode=mode)
            )
            area.tools[_operation(tool.name)] = tool
    for tool in hidden.values():
        # Where nothing can be changed, what would be can still be planned, which is reading.
        subject = area_of(tool.name)
        area_there = areas.get(f"odoo_change_{subject}") or areas.get(f"odoo_read_{subject}")
        if area_there:
            area_there.hidden[_operation(tool.name)] = tool
    return areas


def read_call(
    area: Area, areas: Mapping[str, Area], arguments: Mapping[str, Any]
) -> Operation | dict[str, Any]:
    """Return the operation that a call of an area means; or the answer, where it means none.

    Raises:
        ValidationError: there is no such operation here, or the call has another shape than the
            operation's schema says, which is in ``details``.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    if not given:
        return area.manifest()
    asked = given.get("operation")
    if asked is None:
        problem = f"Pass an operation, not only {', '.join(sorted(given))[:100]}."
        raise _wrong_shape(problem, f"Call {area.name} without arguments for its operations.")
    if isinstance(asked, list):
        return _several(area, areas, given)
    operation, tool = area.operation(asked), area.tool(asked)
    if operation is None or tool is None:
        raise _no_operation(area, areas, asked)
    if given.keys() == {"operation"}:
        return area.schema(operation)
    inner = given.get("arguments", {})
    try:
        if others := given.keys() - {"operation", "arguments"}:
            raise _wrong_shape(f"Pass {', '.join(sorted(others))[:100]} in arguments.")
        if not isinstance(inner, dict):
            raise _wrong_shape("arguments must be an object.")
        tool.check(inner)
    except ValidationError as error:
        error.details = {**error.details, "input_schema": tool.input_schema}
        error.suggestion = (
            f'Call {area.name} again with {{"operation": "{operation}", "arguments":'
            " {...}}. details.input_schema describes the arguments."
        )
        raise
    return Operation(tool.name, inner)


def _several(area: Area, areas: Mapping[str, Area], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of several operations, also of other areas; lines of those beyond room."""
    if given.keys() != {"operation"}:
        raise _wrong_shape("operation must be a single operation if you pass arguments.")
    told: list[dict[str, Any]] = []
    room = _ROOM
    for asked in given["operation"]:
        having = [other for other in areas.values() if other.operation(asked)]
        owner = having[0] if len(having) == 1 else area
        operation, tool = owner.operation(asked), owner.tool(asked)
        if operation is None or tool is None:
            raise _no_operation(area, areas, asked)
        schema = owner.schema(operation)
        room -= len(json.dumps(schema))
        line = {"tool": owner.name, "operation": operation, "arguments": _line(tool)}
        told.append(schema if room > 0 else line)
    return {"tool": area.name, "operations": told}


def _wrong_shape(message: str, suggestion: str = "") -> ValidationError:
    error = make_error("VALIDATION_ERROR", message, suggestion=suggestion, outcome="not_sent")
    assert isinstance(error, ValidationError)  # noqa: S101 - by its code
    return error


def _no_operation(area: Area, areas: Mapping[str, Area], asked: object) -> Exception:
    if not isinstance(asked, str):
        message, near = "operation must be the name of an operation.", list(area.tools)
    else:
        message = f"{area.name} has no operation {asked[:100]!r}"
        elsewhere = [other.name for other in areas.values() if other.operation(asked)]
        near = difflib.get_close_matches(asked, area.tools, n=3, cutoff=0.4)
        if elsewhere:
            message += f"; {' and '.join(elsewhere)} has it."
        elif near:
            message += f"; did you mean {' or '.join(near)}?"
        else:
            message += "."
    return make_error(
        "VALIDATION_ERROR",
        message,
        suggestion=f"Call {area.name} without arguments for the list of its operations.",
        details={"operations": near or list(area.tools)},
        outcome="not_sent",
    )


def _action(tool: str) -> str:
    return tool.split("_", 2)[2]


def _operation(tool: str) -> str:
    """Return what a tool is called in its area: where that has several toolsets, with its own."""
    toolset = tool.split("_")[1]
    together = list(_AREAS.values()).count(_AREAS.get(toolset, "")) > 1
    return f"{toolset}_{_action(tool)}" if together else _action(tool)


def _line(tool: Tool) -> str:
    """Return the arguments of a tool, and what it does."""
    arguments = ", ".join(_argument_lines(tool.input_schema))
    return f"({arguments}) {_first_sentence(tool.description)}"


def _first_sentence(text: str) -> str:
    sentence, end, _ = text.partition("\n")[0].partition(". ")
    return f"{sentence}{end.strip()}"


def _argument_lines(schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    for name, one in schema["properties"].items():
        default = one.get("default")
        told = f"={default}" if default not in (None, [], "") else ""
        yield f"{name}{'*' if name in required else ''}: {_kind(one)}{told}"


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"[{_kind(schema.get('items', {}))}]"
    if "properties" in schema:
        keys = list(schema["properties"])
        more = ", ..." if len(keys) > _MOST_KEYS else ""
        return f"{{{', '.join(keys[:_MOST_KEYS])}{more}}}"
    kind = str(schema.get("type", "any"))
    return _KINDS.get(kind, kind)
