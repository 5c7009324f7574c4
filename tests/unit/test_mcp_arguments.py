"""Arguments held against the schema, mistakes told in words."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit_mcp.arguments import ArgumentChecker
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.toolsets.base import Tool, ToolTable

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "model": {"type": "string", "minLength": 2},
        "ids": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
        "limit": {"type": "integer", "minimum": 1},
        "discount": {"type": "number", "maximum": 100},
        "kind": {"type": "string", "enum": ["in", "out"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "context": {"type": "object"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"quantity": {"type": "integer"}, "name": {"type": "string"}},
                "required": ["quantity"],
            },
        },
        "flag": {"type": "boolean"},
    },
    "required": ["model"],
    "additionalProperties": False,
}


def problems(**arguments: Any) -> list[str]:
    with pytest.raises(ValidationError) as raised:
        ArgumentChecker("odoo_x", SCHEMA).check({"model": "res.partner", **arguments})
    found: list[str] = raised.value.details["problems"]
    return found


def test_one_alone_is_a_list_of_one() -> None:
    """Not true, though Python takes it for a number; and nothing is taken apart."""
    checker = ArgumentChecker("odoo_x", SCHEMA)

    assert checker.check({"model": "res.partner", "ids": 5})["ids"] == [5]
    assert problems(ids=True) == ["ids must be a list, not true"]
    assert checker.check({"model": "res.partner", "ids": "5"})["ids"] == [5]
    assert problems(ids="true") == ['ids must be a list, not the text "true"']
    assert problems(lines={}) == ["lines must be a list, not an object"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"limit": 0}, "limit must be at least 1"),
        ({"limit": "five"}, 'limit must be a whole number, not the text "five"'),
        ({"limit": "true"}, 'limit must be a whole number, not the text "true"'),
        ({"limit": '"5"'}, 'limit must be a whole number, not the text "\\"5\\""'),
        ({"limit": 1.5}, "limit must be a whole number, not a number"),
        ({"limit": True}, "limit must be a whole number, not true"),
        ({"flag": "yes"}, 'flag must be true or false, not the text "yes"'),
        ({"model": "x"}, "model must have at least 2 characters"),
        ({"ids": []}, "ids must have at least 1 entries"),
        ({"ids": [1, 2, 3, 4]}, "ids must have at most 3 entries, not 4"),
        ({"ids": [1, "x"]}, 'ids.1 must be a whole number, not the text "x"'),
        ({"ids": [None]}, "ids.0 must be a whole number, not null"),
        ({"discount": 101}, "discount must be at most 100"),
        ({"kind": "up"}, "kind must be one of in, out"),
        ({"either": []}, "either must be a whole number or text, not a list"),
        ({"lines": [{}]}, "lines.0.quantity is missing"),
        ({"context": "[]"}, 'context must be an object, not the text "[]"'),
        ({"context": "{'a': 1}"}, "context must be an object, not the text \"{'a': 1}\""),
        ({"mdoel": "x"}, "mdoel is not an argument of odoo_x; did you mean model?"),
    ],
)
def test_mistake_is_told_in_words(arguments: dict[str, Any], expected: str) -> None:
    assert problems(**arguments) == [expected]


def test_unknown_argument_without_a_likeness_gets_the_list() -> None:
    (problem,) = problems(zzz=1)

    assert problem.startswith("zzz is not an argument of odoo_x; it takes model, ids, limit")


def test_all_mistakes_come_together() -> None:
    assert len(problems(limit=0, kind="up", flag=1, zzz=1)) == 4


def test_long_lists_of_mistakes_are_cut() -> None:
    assert len(problems(**{f"zzz{n}": n for n in range(50)})) == 10


def test_missing_argument_is_named() -> None:
    with pytest.raises(ValidationError, match="model is missing"):
        ArgumentChecker("odoo_x", SCHEMA).check({})


def test_null_is_missing_where_the_argument_is_required() -> None:
    with pytest.raises(ValidationError, match="model must be text, not null"):
        ArgumentChecker("odoo_x", SCHEMA).check({"model": None})


def test_null_of_an_optional_argument_is_left_out() -> None:
    checked = ArgumentChecker("odoo_x", SCHEMA).check({"model": "ab", "limit": None})

    assert checked == {"model": "ab"}


def test_null_in_the_objects_of_a_list_counts_as_not_given_either() -> None:
    arguments = {"model": "ab", "lines": [{"quantity": 4, "name": None}], "context": {"a": None}}
    checked = ArgumentChecker("odoo_x", SCHEMA).check(arguments)

    assert checked == {"model": "ab", "lines": [{"quantity": 4}], "context": {"a": None}}
    assert problems(lines=[{"quantity": None}]) == [
        "lines.0.quantity must be a whole number, not null"
    ]
    assert problems(ids=[None]) == ["ids.0 must be a whole number, not null"]


def tools_with_lines() -> list[Tool]:
    table = ToolTable(ServerSettings(mode="full"))
    for toolset in ALL_TOOLSETS:
        toolset().register_tools(table, None)
    found = table.tools.values()
    lines = {tool.name: tool.input_schema["properties"].get("lines", {}) for tool in found}
    # Some take the ids of lines.
    return [tool for tool in found if "properties" in lines[tool.name].get("items", {})]


@pytest.mark.parametrize("tool", tools_with_lines(), ids=lambda tool: tool.name)
def test_null_in_a_line_passes_like_a_null_beside_it(tool: Tool) -> None:
    """Models write what they do not know as null, also in ``lines: [{"product_name": null}]``."""
    schema = tool.input_schema
    items = schema["properties"]["lines"]["items"]
    needed = dict.fromkeys(items.get("required", ()), 1)
    nulls = dict.fromkeys(items["properties"].keys() - needed.keys())
    others = dict.fromkeys(schema["properties"].keys() - set(schema.get("required", ())))
    required = {name: _example(schema["properties"][name]) for name in schema.get("required", ())}
    count = schema["properties"]["lines"].get("minItems", 1)
    checked = tool.check({**others, **required, "lines": [{**needed, **nulls}] * count})

    assert checked["lines"] == [needed] * count


def _example(schema: dict[str, Any]) -> Any:
    return {"integer": 1, "string": "x", "array": []}.get(schema.get("type", ""), 1)


def test_whole_numbers_are_integers() -> None:
    """JSON does not tell 2.0 from 2; Odoo does."""
    arguments = {"model": "ab", "limit": 2.0, "ids": [3.0], "lines": [{"quantity": 4.0}]}
    checked = ArgumentChecker("odoo_x", SCHEMA).check(arguments)

    assert repr(checked) == repr(
        {"model": "ab", "limit": 2, "ids": [3], "lines": [{"quantity": 4}]}
    )


def test_other_values_are_left_alone() -> None:
    """A text that looks like JSON stays text, a decimal stays a decimal."""
    arguments = {"model": "[1]", "discount": 2.0, "context": {"a": 1.0, "b": "null"}}
    checked = ArgumentChecker("odoo_x", SCHEMA).check(arguments)

    assert repr(checked) == repr(arguments)


def test_json_in_a_text_is_taken_where_no_text_is_expected() -> None:
    """Several clients send lists, objects and numbers so, whatever the model writes."""
    checked = ArgumentChecker("odoo_x", SCHEMA).check(
        {
            "model": "[1]",
            "ids": "[1, 2]",
            "limit": "5",
            "discount": "2.5",
            "either": "7",
            "context": '{"lang": "fr_FR"}',
            "flag": "true",
            "lines": '[{"quantity": "3", "name": "4"}]',
        }
    )
    assert checked == {
        "model": "[1]",
        "ids": [1, 2],
        "limit": 5,
        "discount": 2.5,
        "either": "7",
        "context": {"lang": "fr_FR"},
        "flag": True,
        "lines": [{"quantity": 3, "name": "4"}],
    }
    inner = {"model": "ab", "lines": ['{"quantity": 3}']}
    assert ArgumentChecker("odoo_x", SCHEMA).check(inner)["lines"] == [{"quantity": 3}]


@pytest.mark.parametrize("domain", [{"code": "BE"}, '{"code": "BE"}', "[('code', '=', 'BE')]"])
def test_a_domain_of_another_form_is_answered_with_the_domain(domain: Any) -> None:
    schema = {"properties": {"domain": {"type": "array"}}, "type": "object"}
    with pytest.raises(OdooError) as caught:
        ArgumentChecker("odoo_x", schema).check({"domain": domain})
    assert caught.value.details["corrected_domain"] == [["code", "=", "BE"]]
