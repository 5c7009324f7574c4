"""How large the list of tools is, kept in a file: it grows only where that is meant.

``python -m tests.mcp.list_sizes`` writes what is measured now; ``make golden`` writes only what
has become less.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp.types import Tool

from odoo_toolkit_mcp import tool_list
from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings
from odoo_toolkit_mcp.tool_groups import Area, areas_for
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable
from tests.mcp import list_sizes

FILE = Path(__file__).with_name("list_sizes.json")

#: Where people read it, and what stands around the table there.
GUIDE = Path(__file__).parent.parent.parent / "docs/server.md"
BEGIN, END = "<!-- sizes -->", "<!-- end of sizes -->"

#: As in ``ODOO_MCP_TOOLS``.
FORMS = ("flat", "areas")

Sizes = dict[str, dict[str, int]]


def table(mode: str) -> ToolTable:
    """Return all tools that there are in a mode, whatever is installed."""
    tools = ToolTable(ServerSettings(mode=mode))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(tools, None)
    return tools


def listed(mode: str, form: str) -> list[dict[str, Any]]:
    """Return the tools as tools/list writes them."""
    _, tools = tool_list.listed(table(mode), ServerSettings(mode=mode, tools=form))
    return as_json(tools)


def as_json(tools: list[Tool]) -> list[dict[str, Any]]:
    """Return tools as the protocol writes them."""
    return [json.loads(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools]


def size(value: Any) -> int:
    """Return how many bytes a value takes as compact JSON."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def for_models(tools: list[dict[str, Any]]) -> int:
    """Return the bytes that most clients hand to a model: names, descriptions, arguments."""
    return sum(
        len(tool["name"]) + len(tool["description"].encode()) + size(tool["inputSchema"])
        for tool in tools
    )


def measured() -> Sizes:
    """Return the bytes of each form of the list in each mode, and those that models load."""
    sizes: Sizes = {}
    for form in FORMS:
        lists = {mode: listed(mode, form) for mode in MODE_ACCESS}
        sizes[form] = {mode: size(tools) for mode, tools in lists.items()}
        sizes[f"{form}, for models"] = {mode: for_models(tools) for mode, tools in lists.items()}
    manifests = {mode: [size(one.manifest()) for one in areas(mode)] for mode in MODE_ACCESS}
    sizes["all manifests"] = {mode: sum(each) for mode, each in manifests.items()}
    sizes["longest manifest"] = {mode: max(each) for mode, each in manifests.items()}
    return sizes


def areas(mode: str) -> list[Area]:
    """Return the tools of areas."""
    found, _ = tool_list.listed(table(mode), ServerSettings(mode=mode, tools="areas"))
    return list(found.values())


def in_docs(sizes: Sizes) -> str:
    """Return the sizes as the guide shows them, in kB."""
    heads = list(sizes)
    lines = [f"| mode | {' | '.join(heads)} |", f"|---{'|--:' * len(heads)}|"]
    lines += [
        f"| {mode} | {' | '.join(f'{sizes[head][mode] / 1000:.1f}' for head in heads)} |"
        for mode in MODE_ACCESS
    ]
    return "\n".join(lines)


def recorded() -> Sizes:
    """Return what the file has."""
    sizes: Sizes = json.loads(FILE.read_text("utf-8"))
    return sizes


def write(sizes: Sizes) -> None:
    """Write the file, and the table of the guide."""
    FILE.write_text(json.dumps(sizes, indent=1) + "\n", "utf-8")
    before, begin, rest = GUIDE.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    GUIDE.write_text(f"{before}{begin}\n\n{in_docs(sizes)}\n\n{end}{after}", "utf-8")


def keep_what_shrank() -> None:
    """Lower what the file has to what is measured, and raise nothing."""
    now = measured()
    write(
        {
            form: {mode: min(bytes_, now[form][mode]) for mode, bytes_ in modes.items()}
            for form, modes in recorded().items()
            if form in now
        }
    )


if __name__ == "__main__":
    write(measured())


def all_areas(mode: str) -> dict[str, Area]:
    table = list_sizes.table(mode)
    return areas_for(table.tools, table.hidden, mode)
