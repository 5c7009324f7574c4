"""What the toolkit's functions say of their parameters, for people and for JSON Schema.

A parameter is described once, in the function's signature:
``Annotated[int, Ge(1), AtMost(500), Doc("...")]``. The MCP server makes the tool's input schema
from it. ``help()``, notebooks and the reference show the type, and list the text of ``Doc`` under
``Args:``.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
import typing
from collections.abc import Mapping, Sequence
from types import FunctionType
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
Model = Annotated[str, Doc("Technical name of the model, such as res.partner.")]
Domain = Annotated[
    Sequence[Any],
    JsonSchema({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "array"}]}}),
    Doc("Search filter. [] selects all records."),
]
Context = Annotated[Mapping[str, Any] | None, JsonSchema({"type": "object"})]
Values = Annotated[Mapping[str, Any], JsonSchema({"type": "object"})]
Fields = Annotated[Sequence[str], JsonSchema({"type": "array", "items": {"type": "string"}})]

#: Whether only to tell what would be written.
DryRun = Annotated[bool, Doc("Only show the plan.")]

#: What makes a repeat safe; every function that writes takes it, see ``plans.operation``.
IdempotencyKey = Annotated[str | None, Doc("Calls with the same key run once.")]

#: Before a section of a docstring, and a parameter in one.
_SECTION = re.compile(r"^(?=(?:Args|Returns|Yields|Raises):\n)", re.MULTILINE)
_ARGUMENT = re.compile(r"^    \**(\w+).*:.*\n(?:     .*\n)*", re.MULTILINE)

#: Texts in an annotation, and what opens, closes and separates.
_MARKS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[\](),]")


class _Unquoted(str):
    """An annotation as a signature shows it: without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def annotate(function: Any, hints: Mapping[str, Any]) -> None:
    """Set the annotations of a function, also of those that ``functools.wraps`` makes of it."""
    function.__annotations__ = dict(hints)
    if sys.version_info >= (3, 14):
        # It copies what makes the annotations, and setting them has removed that.
        function.__annotate__ = lambda _format: dict(hints)


def readable_signatures(namespace: Mapping[str, Any]) -> None:
    """Have ``help()`` show the types of public functions, and describe their parameters.

    The signature loses the limits, which are those of the MCP server's tools. The docstring gets
    the text of each ``Doc`` under ``Args:``. The annotations do not change.

    Args:
        namespace: of the module that is their home: ``globals()``.
    """
    for name, function in namespace.items():
        if (
            isinstance(function, FunctionType)
            and not name.startswith("_")
            and function.__module__.startswith(namespace.get("__name__", ""))
        ):
            function.__doc__ = _described(function)
            signature = inspect.signature(function)
            parameters = [
                parameter.replace(annotation=_type_of(parameter.annotation))
                for parameter in signature.parameters.values()
            ]
            function.__signature__ = signature.replace(  # type: ignore[attr-defined]
                parameters=parameters, return_annotation=_type_of(signature.return_annotation)
            )
            if plan := getattr(function, "plan", None):
                alike = [one for one in parameters if one.name != "dry_run"]
                plan.__signature__ = signature.replace(
                    parameters=alike, return_annotation=_Unquoted("Plan")
                )


def _described(function: FunctionType) -> str | None:
    """Return the docstring of a function with all of its parameters in the signature's order."""
    if not function.__doc__ or not (documented := documentation(function)):
        return function.__doc__
    body, *sections = _SECTION.split(f"{inspect.getdoc(function)}\n")
    written = "".join(section for section in sections if section.startswith("Args:"))
    entries = {
        name: textwrap.fill(f"    {name}: {words}", 96, subsequent_indent=" " * 8)
        for name, words in documented.items()
    } | {found[1]: found[0].rstrip() for found in _ARGUMENT.finditer(written)}
    args = [entries[name] for name in inspect.signature(function).parameters if name in entries]
    others = [section.rstrip() for section in sections if section != written]
    return "\n\n".join([body.rstrip(), "\n".join(["Args:", *args]), *others])


def documentation(function: FunctionType) -> dict[str, str]:
    """Return the text of ``Doc`` by parameter."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError:  # a type that is imported for type checkers only
        return {}
    return {
        name: marker.documentation
        for name, hint in hints.items()
        for marker in getattr(hint, "__metadata__", ())
        if isinstance(marker, Doc)
    }


def _type_of(hint: Any) -> Any:
    """Return an annotation, which is text, with the type alone of what is ``Annotated``.

    Of a type that a module names, its name alone.
    """
    if not isinstance(hint, str):
        return hint
    hint = re.sub(r"\b[a-z_]+\.(?=[A-Z])", "", hint)
    while (start := hint.find("Annotated[")) >= 0:
        depth, ends = 0, []
        for match in _MARKS.finditer(hint, start + len("Annotated")):
            mark = match.group()
            depth += (mark in "[(") - (mark in "])")
            if depth == 1 and mark == ",":
                ends.append(match.start())
            if not depth:
                inner = hint[start + len("Annotated[") : ends[0]]
                hint = hint[:start] + inner + hint[match.end() :]
                break
    return _Unquoted(hint)
