"""How large the list of tools is, kept in a file: it grows only where that is meant.

``python -m tests.mcp.list_sizes`` writes what is measured now; ``make golden`` writes only what
has become less.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp.types import Tool

from odoo_toolkit_mcp.list_choice import CLIENTS, Choice, Known, choose
from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings
from odoo_toolkit_mcp.tool_groups import Area, areas_for
from odoo_toolkit_mcp.tool_list import arrange, as_listed, size_for_models
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import ToolTable

FILE = Path(__file__).with_name("list_sizes.json")

#: Where people read which list a client gets, and what stands around the table there.
GUIDE = Path(__file__).parent.parent.parent / "docs/server.md"
BEGIN, END = "<!-- clients -->", "<!-- end of clients -->"

#: As in ``ODOO_MCP_TOOLS``.
FORMS = ("flat", "short", "areas")

Sizes = dict[str, dict[str, int]]


def table(mode: str) -> ToolTable:
    """Return all tools that there are in a mode, whatever is installed."""
    tools = ToolTable(ServerSettings(mode=mode))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(tools, None)
    return tools


def listed(mode: str, form: str) -> list[dict[str, Any]]:
    """Return the tools as tools/list writes them."""
    return as_json(arranged(mode, choose(form, ""))[1])


def arranged(mode: str, choice: Choice) -> tuple[str, list[Tool]]:
    """Return the form of a list of all tools, and the tools in it."""
    made = {name: as_listed(tool, mode) for name, tool in table(mode).tools.items()}
    return arrange(made, all_areas(mode), choice)


def as_json(tools: list[Tool]) -> list[dict[str, Any]]:
    """Return tools as the protocol writes them."""
    return [json.loads(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools]


def size(value: Any) -> int:
    """Return how many bytes a value takes as compact JSON."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def measured() -> Sizes:
    """Return the bytes of each form of the list in each mode, and those that models load."""
    sizes: Sizes = {}
    for form in FORMS:
        lists = {mode: arranged(mode, choose(form, ""))[1] for mode in MODE_ACCESS}
        sizes[form] = {mode: size(as_json(tools)) for mode, tools in lists.items()}
        sizes[f"{form}, for models"] = {
            mode: sum(map(size_for_models, tools)) for mode, tools in lists.items()
        }
    manifests = {mode: [size(one.manifest()) for one in areas(mode)] for mode in MODE_ACCESS}
    sizes["all manifests"] = {mode: sum(each) for mode, each in manifests.items()}
    sizes["longest manifest"] = {mode: max(each) for mode, each in manifests.items()}
    return sizes


def areas(mode: str) -> list[Area]:
    """Return the tools of areas."""
    return list(all_areas(mode).values())


def by_client() -> str:
    """Return what each client gets with ``auto``: form, tools, kB for models; as the guide does."""
    lines = [
        f"| Client | {' | '.join(MODE_ACCESS)} |",
        f"|---{'|---' * len(MODE_ACCESS)}|",
    ]
    alike: dict[Known | None, list[str]] = {}
    for name, known in CLIENTS.items():
        alike.setdefault(known, []).append(f"`{name}`")
    for names in {**alike, None: ["any other client"]}.values():
        cells = [arranged(mode, choose("auto", names[0].strip("`"))) for mode in MODE_ACCESS]
        told = [
            f"{form}, {len(tools)} tools, {sum(map(size_for_models, tools)) / 1000:.1f} kB"
            for form, tools in cells
        ]
        lines.append(f"| {', '.join(names)} | {' | '.join(told)} |")
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
    GUIDE.write_text(f"{before}{begin}\n\n{by_client()}\n\n{end}{after}", "utf-8")


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


def all_areas(mode: str) -> dict[str, Area]:
    """Return the tools of areas by their names."""
    tools = table(mode)
    return areas_for(tools.tools, tools.hidden, mode)


if __name__ == "__main__":
    write(measured())
    print(by_client())
