"""From signatures and attrs classes to JSON Schema."""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

import attrs
import pytest
from annotated_doc import Doc
from annotated_types import Ge, Gt, Interval, Le, Len, MinLen

from odoo_toolkit.annotations import AtMost, JsonSchema, annotate
from odoo_toolkit_mcp.schemas import input_schema, output_schema


@attrs.frozen
class Inner:
    number: int


class Line(TypedDict, total=False):
    product_id: int
    discount: Annotated[float, Doc("Per cent.")]
    tax_ids: Sequence[int]


@attrs.frozen
class Middle:
    inner: Inner
    inners: list[Inner]


@attrs.frozen
class Outer:
    name: str
    middle: Middle
    by_name: dict[str, Inner]
    anything: Any
    things: list[Any]
    maybe: str | None
    note: str | None = None
    warnings: list[str] = attrs.Factory(list)


def example(
    odoo: Any,
    model: Annotated[str, Doc("Which model.")],
    ids: Annotated[Sequence[int], Len(1, 50)],
    kind: Literal["a", "b"] = "a",
    limit: Annotated[int, Ge(1), AtMost(500)] = 80,
    fields: Sequence[str] = ("id", "name"),
    order: str | None = None,
    context: Annotated[Mapping[str, Any] | None, Doc("More.")] = None,
    either: int | str = 1,
    values: Annotated[Any, JsonSchema({"type": "object"})] = attrs.field,
) -> Outer:
    raise NotImplementedError


def test_parameters_become_properties() -> None:
    """The first parameter is the connection and is not the client's affair."""
    schema, checked = input_schema(example)

    assert "odoo" not in schema["properties"]
    assert schema["required"] == checked["required"] == ["model", "ids"]
    assert schema["properties"] | {"values": None} == {
        "model": {"type": "string", "description": "Which model."},
        "ids": {"type": "array", "items": {"type": "integer"}, "maxItems": 50},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "limit": {"type": "integer", "default": 80, "maximum": 500},
        "fields": {"type": "array", "items": {"type": "string"}, "default": ["id", "name"]},
        "order": {"type": "string"},
        "context": {"type": "object", "description": "More."},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 1},
        "values": None,
    }


def test_what_goes_without_saying_is_checked_but_not_advertised() -> None:
    """Every client loads it: that there is one at least, and that nothing else may be given."""
    schema, checked = input_schema(example)

    assert checked["properties"]["ids"]["minItems"] == 1
    assert checked["properties"]["limit"]["minimum"] == 1
    assert checked["additionalProperties"] is False
    assert "additionalProperties" not in schema


def test_maximum_is_advertised_but_not_checked() -> None:
    """What is asked beyond it is lowered by the function, not refused."""
    advertised, checked = input_schema(example)

    assert advertised["properties"]["limit"]["maximum"] == 500
    assert "maximum" not in checked["properties"]["limit"]


def test_settings_override_default_and_maximum() -> None:
    schema, _ = input_schema(example, {"limit": 10}, {"limit": 20})

    assert schema["properties"]["limit"]["default"] == 10
    assert schema["properties"]["limit"]["maximum"] == 20


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (Annotated[int, Gt(0)], {"type": "integer", "exclusiveMinimum": 0}),
        (Annotated[float, Le(1)], {"type": "number", "maximum": 1}),
        (Annotated[int, Interval(ge=1, lt=9)], {"minimum": 1, "exclusiveMaximum": 9}),
        (Annotated[str, MinLen(1)], {"type": "string", "minLength": 1}),
        (Annotated[dict[str, int], MinLen(1)], {"type": "object", "minProperties": 1}),
        (bool, {"type": "boolean"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (list[dict[str, Any]], {"type": "array", "items": {"type": "object"}}),
        (Inner, {"type": "object", "required": ["number"]}),
    ],
)
def test_types_and_bounds(hint: Any, expected: dict[str, Any]) -> None:
    def function(odoo: Any, x: Any) -> None: ...

    function.__annotations__["x"] = hint
    _, schema = input_schema(function)

    assert expected.items() <= schema["properties"]["x"].items()


def test_keys_of_a_typed_dict_become_properties() -> None:
    def function(odoo: Any, lines: Sequence[Line]) -> None: ...

    function.__annotations__["lines"] = Sequence[Line]
    schema, _ = input_schema(function)

    assert schema["properties"]["lines"]["items"] == {
        "type": "object",
        "properties": {
            "product_id": {"type": "integer"},
            "discount": {"type": "number", "description": "Per cent."},
            "tax_ids": {"type": "array", "items": {"type": "integer"}},
        },
    }


def test_unknown_type_is_refused_at_once() -> None:
    """A parameter that nobody can describe is a bug of the toolkit, not of its user."""

    def function(odoo: Any, x: Any) -> None: ...

    function.__annotations__["x"] = complex
    with pytest.raises(TypeError, match="complex"):
        input_schema(function)


def test_result_is_described_down_to_what_it_lists() -> None:
    """The attributes of the class and of the classes in it, those once; below are objects."""
    schema = output_schema(example)

    assert schema["properties"] == {
        "name": {"type": "string"},
        "middle": {"$ref": "#/$defs/Middle"},
        "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Inner"}},
        "anything": {"description": "Any JSON value."},
        "things": {"type": "array"},
        "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "note": {"type": "string"},
        "warnings": {"type": "array", "items": {"type": "string"}},
    }
    assert schema["$defs"] == {
        "Inner": {"type": "object", "properties": {"number": {"type": "integer"}}},
        "Middle": {
            "type": "object",
            "properties": {
                "inner": {"type": "object"},
                "inners": {"type": "array", "items": {"type": "object"}},
            },
        },
    }


def test_answer_to_a_change_is_described_at_its_root() -> None:
    schema = output_schema(example, items=False)

    assert schema["properties"]["middle"] == {"type": "object"}
    assert schema["properties"]["maybe"]["anyOf"][0] == {"type": "string"}
    assert "$defs" not in schema


def test_result_or_error_object_fits() -> None:
    """So do the matches to choose from, as it takes a name in place of an id."""
    schema = output_schema(example)

    assert schema["type"] == "object"
    assert schema["anyOf"] == [
        {"required": ["name", "middle", "by_name", "anything", "things", "maybe"]},
        {"required": ["error"]},
        {"required": ["matches"]},
    ]


def test_result_must_be_an_object() -> None:
    """Clients of 2025-11-25 refuse the whole list of tools otherwise."""

    def function(odoo: Any) -> int: ...

    with pytest.raises(TypeError, match="function must return an attrs class"):
        output_schema(function)


def test_a_wrapper_of_a_function_has_its_annotations() -> None:
    """Python 3.14 copies other attributes than 3.13."""

    def made(**given: Any) -> None: ...

    annotate(made, {"name": str, "return": int})

    @functools.wraps(made)
    def wrapper(**given: Any) -> None: ...

    assert typing.get_type_hints(wrapper) == {"name": str, "return": int}
