"""Checks the arguments of a tool call, and says all that is wrong with them at once."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from odoo_toolkit.arguments import check_domain
from odoo_toolkit.errors import make_error

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_NOUNS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}

#: What may stand alone where a list of it is expected.
_ALONE = {"string": (str, int), "integer": (int,)}

#: How many mistakes one answer lists.
_LISTED = 10


class ArgumentChecker:
    """Checks arguments with one tool's schema.

    Args:
        tool: its name, for the messages.
        schema: as :func:`~odoo_toolkit_mcp.schemas.input_schema` makes it.
    """

    def __init__(self, tool: str, schema: Mapping[str, Any]) -> None:
        # Imported here: it takes 100 ms, and a client that lists tools does not need it.
        from jsonschema import Draft202012Validator

        self._tool = tool
        self._schema = schema
        self._validator = Draft202012Validator(schema)

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments to call the function with.

        An optional argument that is null counts as left out, also in the objects of a list, such
        as lines; one text or number as a list of it where a list of such is expected; a whole
        number as text where text is: many models write it so. A text that is the JSON of a list,
        object, number or boolean counts as that where no text is expected: many clients send it so.

        Raises:
            ValidationError: with one entry per mistake in ``details["problems"]``.
        """
        properties = self._schema["properties"]
        given: dict[str, Any] = _given(arguments, self._schema)
        errors = sorted(
            self._validator.iter_errors(given), key=lambda error: list(map(str, error.path))
        )
        if errors and isinstance(given.get("domain"), (str, dict)):
            # Says what was probably meant.
            check_domain(given["domain"])
        if errors:
            problems = [problem for error in errors for problem in self._problems(error, given)]
            raise make_error(
                "VALIDATION_ERROR",
                " ".join(_sentence(problem) for problem in problems[:_LISTED]),
                suggestion=f"Correct the arguments of {self._tool} and call it again.",
                details={"problems": problems[:_LISTED]},
                outcome="not_sent",
            )
        return {name: _whole_numbers(value, properties[name]) for name, value in given.items()}

    def _problems(self, error: ValidationError, given: Mapping[str, Any]) -> Iterable[str]:
        if error.validator == "additionalProperties" and not error.path:
            for name in sorted(set(given) - set(self._schema["properties"])):
                yield f"{_short(name)} is not an argument of {self._tool}{self._hint(name)}"
            return
        where = ".".join(str(step) for step in error.path) or "the arguments"
        if error.validator == "required":
            # jsonschema reports each missing name by itself, and tells it only in its message.
            name = error.message.split("'")[1]
            yield f"{f'{where}.{name}' if error.path else name} is missing"
        else:
            yield f"{where} {_rule(error)}"

    def _hint(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._schema["properties"], n=1)
        if near:
            return f"; did you mean {near[0]}?"
        return f"; it takes {', '.join(self._schema['properties']) or 'none'}"


def _rule(error: ValidationError) -> str:
    """Say in words which rule a value breaks."""
    bound: Any = error.validator_value
    match error.validator:
        case "type":
            return f"must be {_NOUNS[bound]}, not {_sent(error.instance)}"
        case "anyOf":
            kinds = [_NOUNS[branch["type"]] for branch in bound if "type" in branch]
            return f"must be {' or '.join(kinds)}, not {_sent(error.instance)}"
        case "enum":
            return f"must be one of {', '.join(map(str, bound))}"
        case "minimum":
            return f"must be at least {bound}"
        case "maximum":
            return f"must be at most {bound}"
        case "exclusiveMinimum":
            return f"must be more than {bound}"
        case "exclusiveMaximum":
            return f"must be less than {bound}"
        case "minItems" | "minLength" | "minProperties":
            return f"must have at least {bound} {_unit(error.validator)}"
        case "maxItems" | "maxLength" | "maxProperties":
            value: Any = error.instance
            return f"must have at most {bound} {_unit(error.validator)}, not {len(value)}"
    return f"is wrong: {_short(error.message)}"


def _unit(keyword: str) -> str:
    return {"Items": "entries", "Length": "characters"}.get(keyword[3:], "keys")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    kinds = {int: "integer", float: "number", str: "string", list: "array"}
    return _NOUNS[kinds.get(type(value), "object")]


def _sent(value: Any) -> str:
    """Return what was sent in place of what is expected; of a text, so that it can be told."""
    if isinstance(value, str):
        return f"the text {_short(json.dumps(value, ensure_ascii=False))}"
    return _kind(value)


def _sentence(problem: str) -> str:
    return problem if problem.endswith("?") else f"{problem}."


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:97] + "..."


def _of_json(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return what a text says in JSON, where the schema takes that and no text."""
    kinds = {branch.get("type") for branch in schema.get("anyOf", [schema])}
    # A number alone stands for a list of it.
    kinds |= {"integer"} & {schema.get("items", {}).get("type")}
    if not isinstance(value, str) or "string" in kinds:
        return value
    try:
        found = json.loads(value, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return value
    return found if kinds & _kinds_of(found) else value


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _kinds_of(value: Any) -> set[str]:
    """Return the types of a schema that a value of JSON has."""
    if isinstance(value, float):
        return {"number", "integer"} if value.is_integer() else {"number"}
    return {
        bool: {"boolean"},
        int: {"integer", "number"},
        list: {"array"},
        dict: {"object"},
    }.get(type(value), set())


def _given(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return the value without optional keys that are null, and what should be a list as one."""
    value = _of_json(value, schema)
    items = schema.get("items")
    if items and type(value) in _ALONE.get(items.get("type"), ()):
        return [_given(value, items)]
    if schema.get("type") == "string" and type(value) is int:
        return str(value)
    if items and isinstance(value, list):
        return [_given(item, items) for item in value]
    if "properties" not in schema or not isinstance(value, Mapping):
        return value
    known, required = schema["properties"], schema.get("required", ())
    return {
        name: _given(item, known[name]) if name in known else item
        for name, item in value.items()
        if item is not None or name in required or name not in known
    }


def _whole_numbers(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return the value with 1.0 turned into 1 where the schema wants a whole number."""
    if schema.get("type") == "integer" and isinstance(value, float):
        return int(value)
    if "items" in schema and isinstance(value, list):
        return [_whole_numbers(item, schema["items"]) for item in value]
    if "properties" in schema and isinstance(value, dict):
        known = schema["properties"]
        return {
            name: _whole_numbers(item, known[name]) if name in known else item
            for name, item in value.items()
        }
    return value
