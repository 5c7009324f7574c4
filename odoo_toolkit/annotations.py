"""What the toolkit's functions say of their parameters, for people and for JSON Schema.

A parameter is described once, in the function's signature:
``Annotated[int, Ge(1), AtMost(500), Doc("...")]``. A notebook shows it, the MCP server makes the
tool's input schema from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc


@attrs.frozen
class AtMost:
    """A maximum that is advertised, while a larger value is lowered to it instead of refused."""

    value: int


@attrs.frozen(eq=False)
class JsonSchema:
    """The JSON Schema of a parameter whose Python type says too little."""

    schema: Mapping[str, Any]


#: Any JSON value, spelled out because some clients reject the empty schema.
ANY_JSON: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"type": "array"},
        {"type": "object"},
    ]
}

#: What a name says by itself is not described: clients load the schemas of all tools.
Model = str
Domain = Annotated[
    Sequence[Any],
    JsonSchema({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "array"}]}}),
    Doc("Search filter; [] selects all records."),
]
Context = Annotated[Mapping[str, Any] | None, JsonSchema({"type": "object"})]
Values = Annotated[Mapping[str, Any], JsonSchema({"type": "object"})]
Fields = Annotated[Sequence[str], JsonSchema({"type": "array", "items": {"type": "string"}})]

#: Whether only to tell what would be written.
DryRun = bool
