"""How the text of a prompt quotes labels, values and calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: Line ends that JSON lets stand in strings.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def as_json(value: Any) -> str:
    """Return a value as a person writes JSON, on one line."""
    return json.dumps(value, ensure_ascii=False, default=str).translate(_LINE_ENDS)


def one_line(text: object) -> str:
    """Return a label, name or the like to be quoted: it cannot begin a line of its own."""
    return " ".join(str(text).split())


def tool_call(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a tool call as a block of JSON, an argument on each line."""
    lines = ",\n".join(f"  {as_json(key)}: {as_json(value)}" for key, value in arguments.items())
    return f"Tool `{name}` with\n```json\n{{\n{lines}\n}}\n```"
