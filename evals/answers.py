"""The answer in what a model wrote: the last JSON object of a text."""

from __future__ import annotations

import json
from typing import Any


def last_object(text: str) -> dict[str, Any] | None:
    """Return the last JSON object that stands in a text, alone or between words; None without one.

    Args:
        text: What a model or a program has written last.
    """
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            found = value if isinstance(value, dict) else found
        at = text.find("{", end)
    return found
