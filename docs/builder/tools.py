"""The reference of the MCP server's tools, from the schemas that clients get."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from docs.builder.tables import table
from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolTable

_INTRODUCTION = """# Tools

Look up the tools of the MCP server, their permissions and their parameters. A tool is available in
the [modes](../permissions.md) named here, if its Odoo module is installed. Errors have the
[same codes](errors.md) as in Python.

## Permissions by tool

"""

#: A line of a guide that is only a link to a toolset: the site shows a table there.
_OVERVIEW = re.compile(r"^\[[^]\n]+\]\(reference/tools\.md#(\w+)\)$", re.MULTILINE)

_ASKS = {
    "always": "before its first change",
    "destroying": "before it deletes or cancels",
}


def pages() -> dict[str, str]:
    """Return the page by its file name."""
    offered = {toolset: _tools(toolset) for toolset in ALL_TOOLSETS}
    rows = (
        (f"[{tool.name}](#{_anchor(tool)})", tool.access, _modes(tool), _ASKS.get(tool.asks, ""))
        for tools in offered.values()
        for tool in tools
    )
    permissions = table(("tool", "access", "modes", "asks you to confirm"), rows)
    sections = (_toolset(toolset, tools) for toolset, tools in offered.items())
    return {"tools.md": "\n".join([_INTRODUCTION + permissions, *sections])}


def with_overviews(text: str) -> str:
    """Return a guide with a table of functions and tools in place of the link to a toolset."""
    return _OVERVIEW.sub(lambda link: _overview(link[1]), text)


def _overview(name: str) -> str:
    (toolset,) = (one for one in ALL_TOOLSETS if one().metadata().name == name)
    rows = (
        (
            f"`{tool.function.__name__}`",
            f"[`{tool.name}`](reference/tools.md#{_anchor(tool)})",
            re.split(r"[.:;] |\.?$", tool.description.partition("\n")[0])[0],
        )
        for tool in _tools(toolset)
    )
    return table(("function", "tool", "what it does"), rows)


def _tools(toolset: type[BaseToolset]) -> list[Tool]:
    # With a rule, so that the tools are there that only rules make.
    rules = {"approval": ("account.move.action_post",), "approvers": ("somebody",)}
    offered = ToolTable(ServerSettings(mode="full", **rules))
    toolset().register_tools(offered, None)
    return list(offered.tools.values())


def _toolset(toolset: type[BaseToolset], tools: list[Tool]) -> str:
    about = toolset().metadata()
    needs = [f"the Odoo module `{module}`" for module in about.required_modules]
    facts = f" Needs {' and '.join(needs)}." if needs else ""
    return "\n".join([f"## {about.name}\n", f"{about.description}.{facts}\n", *map(_tool, tools)])


def _modes(tool: Tool) -> str:
    return ", ".join(
        f"`{mode}`"
        for mode, accesses in MODE_ACCESS.items()
        if tool.access in accesses and mode not in tool.hidden_in
    )


def _anchor(tool: Tool) -> str:
    return tool.name.replace("_", "-")


def _tool(tool: Tool) -> str:
    facts = [f"Access: {tool.access}", f"modes: {_modes(tool)}"]
    facts += [f"asks you to confirm {_ASKS[tool.asks]}"] if tool.asks in _ASKS else []
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
    parameters = table(("parameter", "type", ""), rows) if rows else "It has no parameters.\n"
    description = "  \n".join(tool.description.splitlines())
    return f"### {tool.name}\n\n{description}\n\n{', '.join(facts)}.\n\n{parameters}"


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
