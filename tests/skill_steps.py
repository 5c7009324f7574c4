"""The steps of a skill, as its SKILL.md has them: a heading with a number, and calls in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import attrs

_PLACEHOLDER = re.compile(r"\$\{([a-z0-9_.]+)\}")
_BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^## (\d+)\. ", re.MULTILINE)


@attrs.frozen
class Step:
    """One call of a skill, and the number of its heading."""

    number: str
    tool: str
    arguments: dict[str, Any]


def steps_of(text: str) -> list[Step]:
    """Return the calls of a SKILL.md, in their order."""
    _, *parts = _STEP.split(text)
    steps = []
    for number, part in zip(parts[::2], parts[1::2], strict=True):
        for block in _BLOCK.findall(part):
            call = json.loads(block)
            assert set(call) == {"tool", "arguments"}, call
            steps.append(Step(number, call["tool"], call["arguments"]))
    return steps


def placeholders(value: Any) -> list[str]:
    """Return what has to be filled in."""
    return _PLACEHOLDER.findall(json.dumps(value))


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """Return a value with its placeholders filled in; one that stands alone keeps its type."""
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, known) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    if whole := _PLACEHOLDER.fullmatch(value):
        return _looked_up(whole[1], known)
    return _PLACEHOLDER.sub(lambda found: str(_looked_up(found[1], known)), value)


def _looked_up(path: str, known: Mapping[str, Any]) -> Any:
    value: Any = known
    for part in path.split("."):
        value = value[int(part) if isinstance(value, list) else part]
    return value
