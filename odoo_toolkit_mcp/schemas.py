"""From Python signatures and attrs classes to the JSON Schema of a tool.

Both schemas are objects at the root, without titles, and free of what some clients choke on:
empty or boolean subschemas, lists of types, arrays without items.
"""

from __future__ import annotations

import collections.abc
import datetime
import functools
import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import annotated_types
import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import ANY_JSON, AtMost, JsonSchema
from odoo_toolkit.display.results import answered
from odoo_toolkit.records.results import Described, RecordName

JsonObject = dict[str, Any]

_SIMPLE: dict[Any, JsonObject] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    Any: ANY_JSON,
    object: ANY_JSON,
}

#: Bounds that go without saying where they are 0 or 1.
_LEAST = ("minimum", "exclusiveMinimum", "minItems", "minLength")

_ANYTHING = (Any, object)


@functools.lru_cache(maxsize=4096)
def _hints(of: Any) -> Mapping[str, Any]:
    """Return the type hints of a function or class, which take longest to find out."""
    return typing.get_type_hints(of, include_extras=True)


#: In an answer; some clients refuse the empty schema.
_ANY_VALUE = {"description": "Any JSON value."}
_ARRAYS = {list, tuple, collections.abc.Sequence, collections.abc.Iterable}
_OBJECTS = {dict, collections.abc.Mapping}


def input_schema(
    function: Callable[..., Any],
    defaults: Mapping[str, Any] | None = None,
    maxima: Mapping[str, int] | None = None,
    hidden: Collection[str] = (),
) -> tuple[JsonObject, JsonObject]:
    """Describe the parameters of a function, all but the first, which is the connection.

    Args:
        function: annotated; ``Annotated`` may hold a ``Doc``, bounds of annotated-types, an
            ``AtMost`` and a ``JsonSchema``.
        defaults: by parameter name, instead of those of the signature.
        maxima: by parameter name, instead of those of ``AtMost``.
        hidden: names of parameters to leave out.

    Returns:
        The schema to advertise and the schema to check with. The former leaves out what goes
        without saying: every client loads it. The latter lets larger values than ``AtMost`` pass:
        the function lowers them.
    """
    hints = _hints(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    advertised: JsonObject = {"type": "object", "properties": {}}
    checked: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
    required = []
    for parameter in parameters:
        name = parameter.name
        if name in hidden:
            continue
        default = (defaults or {}).get(name, parameter.default)
        hint = hints[name]
        shown = _schema(_without_none(hint) if default is None else hint)
        if default is inspect.Parameter.empty:
            required.append(name)
        elif default:
            # No, none and nothing are what leaving out means anyway.
            shown["default"] = list(default) if isinstance(default, tuple) else default
        checked["properties"][name] = dict(shown)
        lowered = [marker.value for marker in _markers(hint) if isinstance(marker, AtMost)]
        if lowered:
            shown["maximum"] = (maxima or {}).get(name, lowered[0])
        advertised["properties"][name] = {
            key: value for key, value in shown.items() if key not in _LEAST or value > 1
        }
    if required:
        advertised["required"] = checked["required"] = required
    return advertised, checked


def output_schema(function: Callable[..., Any], *, items: bool = True) -> JsonObject:
    """Describe the attrs class that a function returns, or the error object in its place.

    All attributes are typed. A function that returns one of several classes, such as a result or
    the plan of a dry run, is described by the properties of all of them. Some clients hold the
    answer against the schema even when it is an error, and show nothing but the mismatch where it
    does not fit. Attributes are left out of an answer while they have their default, so those with
    a default are not required; more properties are allowed.

    Args:
        function: annotated with what it returns.
        items: whether to describe also what is listed in an answer, in ``$defs``: every client
            loads the schemas of all tools, and few look into the answer to a change.
    """
    result = _hints(function)["return"]
    classes = typing.get_args(result) if _is_union(result) else (result,)
    if not all(attrs.has(cls) for cls in classes):
        raise TypeError(f"{function.__name__} must return an attrs class, not {result!r}.")
    nested = _Nested()
    # What only a dry run returns is described at its root alone.
    described = [_attributes(cls, nested if items else nested.name) for cls in classes[:1]]
    described += [_attributes(cls, nested.name) for cls in classes[1:]]
    properties: JsonObject = {}
    for one in described:
        for name, schema in one["properties"].items():
            known = properties.setdefault(name, schema)
            if known != schema:
                properties[name] = {"anyOf": [*known.get("anyOf", [known]), schema]}
    forms = [described[0]["required"]]
    # One property is enough to tell such an answer from the others.
    forms += [other["required"][:1] for other in described[1:]]
    forms.append(["error"])
    hints = _hints(function)
    by_name = (name.endswith("_name") or name in ("lines", "items") for name in hints)
    if any(by_name) or any(map(_takes_names, hints.values())):
        # A name that means several records is answered with the matches to choose from.
        forms.append(["matches"])
    return {
        "type": "object",
        "properties": properties,
        "anyOf": [{"required": names} for names in forms],
        **({"$defs": nested.definitions} if nested.definitions else {}),
    }


def _takes_names(hint: Any) -> bool:
    """Whether a parameter takes names in place of ids, at any depth."""
    if typing.is_typeddict(hint):
        return any(map(_takes_names, _hints(hint).values()))
    arguments = typing.get_args(hint)
    return {int, str} <= {*arguments} or any(map(_takes_names, arguments))


class _Nested:
    """Describes the classes right below the root of an answer, each once, by its name."""

    def __init__(self) -> None:
        self.definitions: JsonObject = {}
        self._classes: dict[str, type] = {}

    def __call__(self, cls: type) -> JsonObject:
        """Return the reference to a class. What is below it are objects and names."""
        name = cls.__name__
        if self._classes.setdefault(name, cls) is not cls:
            raise TypeError(f"Two classes of one answer are named {name}.")
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = _attributes(cls, self.name)
            del self.definitions[name]["required"]
        return {"$ref": f"#/$defs/{name}"}

    def name(self, cls: type) -> JsonObject:
        """Return the reference to a class that is an id and a name; an object for any other."""
        return self(cls) if cls is RecordName else {"type": "object"}


def _attributes(cls: Any, of_class: Callable[[Any], JsonObject]) -> JsonObject:
    """Return the properties of an attrs class, and which of them are always there."""
    hints = _hints(cls)
    schema: JsonObject = {"type": "object", "properties": {}, "required": []}
    for field in attrs.fields(cls):
        hint = hints[field.name]
        if hint == Described:
            continue  # No part of an answer.
        if field.default is attrs.NOTHING:
            schema["required"].append(field.name)
        elif field.default is None:
            hint = _without_none(hint)
        schema["properties"][field.name] = (
            dict(_ANY_VALUE) if hint in _ANYTHING else _schema(hint, of_class)
        )
    for name in answered(cls):
        schema["properties"][name] = {"type": "boolean"}
        schema["required"].append(name)
    return schema


def _as_object(cls: Any) -> JsonObject:
    required = [one.name for one in attrs.fields(cls) if one.default is attrs.NOTHING]
    return {"type": "object", **({"required": required} if required else {})}


def _schema(hint: Any, of_class: Callable[[Any], JsonObject] = _as_object) -> JsonObject:
    """Return the JSON Schema of a type hint; ``of_class`` makes those of attrs classes."""
    if typing.get_origin(hint) is typing.Annotated:
        return _annotated_schema(hint, of_class)
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if attrs.has(hint):
        return of_class(hint)
    if typing.is_typeddict(hint):
        return _typed_dict_schema(hint, of_class)
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin is typing.Literal:
        return {"type": _SIMPLE[type(arguments[0])]["type"], "enum": list(arguments)}
    if _is_union(hint):
        return {"anyOf": [_schema(argument, of_class) for argument in arguments]}
    if origin in _ARRAYS:
        items = arguments[0] if arguments else Any
        if items in _ANYTHING:
            return {"type": "array"}
        return {"type": "array", "items": _schema(items, of_class)}
    if origin in _OBJECTS:
        values = arguments[1] if arguments else Any
        if values in _ANYTHING:
            return {"type": "object"}
        return {"type": "object", "additionalProperties": _schema(values, of_class)}
    raise TypeError(f"There is no JSON Schema for {hint!r}.")


def _annotated_schema(hint: Any, of_class: Callable[[Any], JsonObject]) -> JsonObject:
    markers = list(_markers(hint))
    schema = next(
        (dict(marker.schema) for marker in markers if isinstance(marker, JsonSchema)), None
    ) or _schema(typing.get_args(hint)[0], of_class)
    for marker in markers:
        if isinstance(marker, Doc):
            schema["description"] = marker.documentation
        else:
            schema |= _bounds(marker, schema.get("type"))
    return schema


def _bounds(marker: object, kind: str | None) -> JsonObject:
    unit = {"array": "Items", "object": "Properties"}.get(kind or "", "Length")
    match marker:
        case annotated_types.Ge(ge=bound):
            return {"minimum": bound}
        case annotated_types.Gt(gt=bound):
            return {"exclusiveMinimum": bound}
        case annotated_types.Le(le=bound):
            return {"maximum": bound}
        case annotated_types.Lt(lt=bound):
            return {"exclusiveMaximum": bound}
        case annotated_types.MinLen(min_length=bound):
            return {f"min{unit}": bound} if bound else {}
        case annotated_types.MaxLen(max_length=bound):
            return {f"max{unit}": bound}
    return {}


def _markers(hint: Any) -> Iterable[object]:
    """Yield the metadata of an ``Annotated`` hint, groups taken apart."""
    for marker in getattr(hint, "__metadata__", ()):
        if isinstance(marker, annotated_types.GroupedMetadata):
            yield from marker
        else:
            yield marker


def _typed_dict_schema(kind: Any, of_class: Callable[[Any], JsonObject]) -> JsonObject:
    hints = _hints(kind)
    properties = {name: _schema(hint, of_class) for name, hint in hints.items()}
    required = [name for name in hints if name in kind.__required_keys__]
    schema: JsonObject = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _without_none(hint: Any) -> Any:
    """Return the hint without None: where None is the default, leaving out says the same."""
    if typing.get_origin(hint) is typing.Annotated:
        inner, *markers = typing.get_args(hint)
        return typing.Annotated[(_without_none(inner), *markers)]
    if _is_union(hint):
        return typing.Union[tuple(a for a in typing.get_args(hint) if a is not type(None))]  # noqa: UP007
    return hint
