"""What a prompt may speak of: the tools that this server has in its mode."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Served:
    """What the server serves.

    Attributes:
        mode: readonly, restricted or full.
        tools: their names.
        toolsets: their names.
    """

    mode: str
    tools: frozenset[str]
    toolsets: tuple[str, ...] = ()


def as_json(value: Any) -> str:
    """Return a value as a person writes JSON, on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def tool_call(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a tool call as a block of JSON, an argument on each line."""
    lines = ",\n".join(f"  {as_json(key)}: {as_json(value)}" for key, value in arguments.items())
    return f"Tool `{name}` with\n```json\n{{\n{lines}\n}}\n```"
