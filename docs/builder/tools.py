"""The reference of the MCP server's tools, from the schemas that clients get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docs.builder.tables import table
from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolTable

_INTRODUCTION = """# Tools

Made from what the server shows its clients; the [guides](../server.md#core-tools) say more. A tool
is listed in the modes that are named, and its Odoo module must be installed. Errors have the
[codes](errors.md) that the library has, too.
"""

_ASKS = {
    "always": "the person is asked before its first change",
    "destroying": "the person is asked before what deletes or cancels",
}


def pages() -> dict[str, str]:
    """Return the page by its file name."""
    return {"tools.md": "\n".join([_INTRODUCTION, *map(_toolset, ALL_TOOLSETS)])}


def _toolset(toolset: type[BaseToolset]) -> str:
    made = toolset()
    about = made.metadata()
    # With a rule, so that the tools are there that only rules make.
    rules = {"approval": ("account.move.action_post",), "approvers": ("somebody",)}
    settings = ServerSettings(mode="full", **rules)
    offered = ToolTable(settings)
    made.register_tools(offered, None)
    needs = [f"the Odoo module `{module}`" for module in about.required_modules]
    facts = f" Needs {' and '.join(needs)}." if needs else ""
    tools = [_tool(tool) for tool in offered.tools.values()]
    return "\n".join([f"## {about.name}\n", f"{about.description}.{facts}\n", *tools])


def _tool(tool: Tool) -> str:
    modes = [
        f"`{mode}`"
        for mode, accesses in MODE_ACCESS.items()
        if tool.access in accesses and mode not in tool.hidden_in
    ]
    facts = [f"Access: {tool.access}", f"modes: {', '.join(modes)}"]
    facts += [_ASKS[tool.asks]] if tool.asks in _ASKS else []
    facts += [f"also needs the module `{tool.module}`"] if tool.module else []
    schema = tool.input_schema
    required = schema.get("required", [])
    rows = [
        (
            f"`{name}`" + (", required" if name in required else ""),
            _type(described),
            described.get("description", ""),
        )
        for name, described in schema.get("properties", {}).items()
    ]
    parameters = table(("parameter", "type", ""), rows) if rows else "It takes no parameters.\n"
    description = "  \n".join(tool.description.splitlines())
    return f"### {tool.name}\n\n{description}\n\n{'; '.join(facts)}.\n\n{parameters}"


def _type(schema: Mapping[str, Any]) -> str:
    """Return a parameter's type in words."""
    if "enum" in schema:
        words = " or ".join(f"`{value}`" for value in schema["enum"])
    elif "const" in schema:
        words = f"`{schema['const']}`"
    elif "anyOf" in schema:
        words = " or ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    elif schema.get("type") == "array" and "items" in schema:
        words = f"list of {_type(schema['items'])}"
        words = "list" if " or " in words else words
    else:
        words = schema.get("format", schema.get("type", "anything"))
    if schema.get("default") not in (None, [], {}):
        words += f", default `{schema['default']}`"
    if "maximum" in schema:
        words += f", at most {schema['maximum']}"
    return str(words)
