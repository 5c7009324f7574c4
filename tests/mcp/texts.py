"""What the text of a tool's result says, as clients get it."""

from __future__ import annotations

import json
from typing import Any

from mcp.types import CallToolResult, TextContent

from odoo_toolkit_mcp.untrusted import BEGIN, END, ERROR_NOTICE, NOTICE, cleaned_json


def text_of(result: CallToolResult) -> str:
    """Return the text of a result, which is always the first of its content."""
    text = result.content[0]
    assert isinstance(text, TextContent)
    return text.text


def between_marks(text: str) -> str:
    """Return what stands between the marks of a text; they must be there, in their places."""
    notice, begin, data, end = text.split("\n")
    assert (begin, end) == (BEGIN, END)
    assert notice in (NOTICE, ERROR_NOTICE)
    return data


def data_of(result: CallToolResult) -> Any:
    """Return the JSON in the text of a result, whether it is marked or not."""
    text = text_of(result)
    return json.loads(between_marks(text) if text.startswith((NOTICE, ERROR_NOTICE)) else text)


def as_shown(data: Any) -> Any:
    """Return structured content as the text beside it has it: without hidden characters."""
    return json.loads(cleaned_json(json.dumps(data)))
