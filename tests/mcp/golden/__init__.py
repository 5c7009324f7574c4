"""What clients are shown of the tools, kept as files: a review sees what changes for a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from odoo_toolkit_mcp.settings import MODE_ACCESS, ServerSettings
from odoo_toolkit_mcp.tool_list import as_listed
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import BaseToolset, ToolTable

FOLDER = Path(__file__).parent


def files() -> dict[str, str]:
    """Return what belongs into the folder: one file for each toolset, by its name."""
    return {f"{one().metadata().name}.json": _text(one) for one in ALL_TOOLSETS}


def _text(toolset: type[BaseToolset]) -> str:
    tools: dict[str, dict[str, Any]] = {}
    for mode in MODE_ACCESS:
        table = ToolTable(ServerSettings(mode=mode))
        toolset().register_tools(table, None)
        for tool in table.tools.values():
            listed = as_listed(tool, mode).model_dump(by_alias=True, exclude_none=True, mode="json")
            kept = tools.setdefault(
                tool.name, {"modes": [], **listed, "asks": tool.asks, "module": tool.module}
            )
            kept["modes"].append(mode)
            # What a mode changes stands beside what the first one shows.
            changed = {name: value for name, value in listed.items() if kept[name] != value}
            if changed:
                kept[f"in mode {mode}"] = changed
    # Not sorted: models read parameters in the order in which they are listed.
    return json.dumps(list(tools.values()), indent=1, ensure_ascii=False) + "\n"
