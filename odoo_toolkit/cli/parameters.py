"""Options and words of a command, made from the parameters of an operation.

Parameters that mean the same, such as ``order_id`` and ``order_name``, are one option.
"""

from __future__ import annotations

import functools
import inspect
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import attrs
import click

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.cli.lines import SYNTAX, is_sold, keys_of, line_of, lines_of
from odoo_toolkit.cli.options import IN_A_SHELL, facts_of, said_of, unwrapped
from odoo_toolkit.cli.parsing import an_object, id_list, json_or_text, name_list

#: How the name of several becomes that of one.
_SINGULAR = (("_ids", ""), ("ies", "y"), ("sses", "ss"), ("xes", "x"), ("s", ""))

#: How a value is written that is an id or a name.
_REFERENCE = "ID|NAME"

#: What ``Doc`` says of the other parameter of two that are one option.
_OTHER = re.compile(r", or give \w+")


@attrs.frozen(kw_only=True)
class Taken:
    """An option, and the arguments of the operation that it gives.

    Attributes:
        name: of the option, with underscores.
        arguments: of the operation.
        facts: what click is to know.
        read: returns the arguments that a value means.
        required: whether the operation needs one of its arguments.
        word: whether it may be given without the name of the option.
    """

    name: str
    arguments: tuple[str, ...]
    facts: dict[str, Any]
    read: Callable[[Any], Mapping[str, Any]]
    required: bool = False
    word: bool = False

    @property
    def option(self) -> str:
        """As it is written: ``--order``."""
        return f"--{self.name.replace('_', '-')}"

    def parameters(self) -> Iterator[click.Parameter]:
        """Yield what click parses."""
        facts = {**self.facts}
        negative = f"/--no-{self.option[2:]}" if facts.pop("negative", False) else ""
        yield click.Option([f"{self.option}{negative}", self.name], **facts)
        if self.word:
            yield click.Argument(
                [f"{self.name}__word"],
                required=False,
                nargs=-1 if facts.get("multiple") else 1,
                type=facts.get("type"),
                shell_complete=facts.get("shell_complete"),
                metavar=f"[{self.name.upper()}]{'...' if facts.get('multiple') else ''}",
            )


def taken_of(function: Callable[..., Any]) -> list[Taken]:
    """Return what a command takes for an operation, in the order of its parameters."""
    hints = get_type_hints(function, include_extras=True)
    parameters = dict([*inspect.signature(function).parameters.items()][1:])
    found: list[Taken] = []
    for name, parameter in parameters.items():
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        facts = facts_of(hints[name], default, said_of(function, name)) | IN_A_SHELL.get(name, {})
        stem, _, kind = name.rpartition("_")
        if kind == "name" and parameters.keys() & {f"{stem}_id", f"{stem}_base64"}:
            continue
        twin = f"{stem}_name"
        if kind == "base64" and twin in parameters:
            found.append(_file(stem, name, twin))
            continue
        if kind == "id" and twin in parameters:
            said = facts_of(hints[twin], None, said_of(function, twin))["help"]
            options = [_twins(stem, name, twin, f"{_OTHER.sub('', facts['help'])} {said}")]
        else:
            options = [*_options(name, hints[name], facts, default)]
        first = options[0]
        if not found and len(options) == 1:
            options = [attrs.evolve(first, word=required or first.facts["metavar"] == _REFERENCE)]
        found += [attrs.evolve(one, required=required) for one in options]
    return found


def _twins(name: str, by_id: str, by_name: str, said: str) -> Taken:
    """Return the option for a record that two parameters mean; digits alone are an id."""

    def read(value: str) -> dict[str, Any]:
        return {by_id: int(value)} if value.isdecimal() else {by_name: value}

    facts = {"metavar": _REFERENCE, "help": said}
    return Taken(name=name, arguments=(by_id, by_name), facts=facts, read=read)


def _file(name: str, content: str, called: str) -> Taken:
    """Return the option for a file, of which two parameters are the content and the name."""

    def read(value: str) -> dict[str, Any]:
        path = Path(value)
        return {content: b64encode(path.read_bytes()).decode(), called: path.name}

    facts = {"metavar": "FILE", "help": "File to attach."}
    return Taken(name=name, arguments=(content, called), facts=facts, read=read)


def _options(name: str, hint: Any, facts: dict[str, Any], default: Any) -> Iterator[Taken]:
    """Yield the option for a parameter by its type; lines have two."""
    base, notes = unwrapped(hint)
    several = get_origin(base) in (Sequence, list)
    item = unwrapped(get_args(base)[0])[0] if several else base
    schema = next((note.schema for note in notes if isinstance(note, JsonSchema)), {})
    choices = get_args(item) if get_origin(item) is Literal else None
    choices = schema.get("items", {}).get("enum", choices) if several else None
    is_reference = {int, str} <= {*get_args(item)}
    facts = {"metavar": None, **facts, **({"metavar": _REFERENCE} if is_reference else {})}

    def taken(option: str, read: Callable[[Any], Any], **more: Any) -> Taken:
        return Taken(
            name=option,
            arguments=(name,),
            facts={**facts, **more},
            read=lambda value: {name: read(value)},
        )

    if not several:
        option = name.removesuffix("_id") if is_reference else name
        if get_origin(base) in (Mapping, dict):
            yield taken(option, an_object, metavar="JSON")
        else:
            negative = base is bool and default is not False
            yield taken(option, _id_or_name if is_reference else _as_it_is, negative=negative)
        return
    metavar = _REFERENCE if is_reference else "TEXT"
    facts = {"help": facts["help"], "multiple": True, "metavar": metavar}
    one = _singular(name)
    if is_typeddict(item) or get_origin(item) is Mapping:
        keys = keys_of(item)
        sold = is_sold(keys)
        written = f"{SYNTAX}, or JSON" if sold else "JSON of one or several"
        known = f" Keys: {', '.join(keys)}." if keys else ""
        read = functools.partial(_each, functools.partial(line_of, keys=keys))
        said = f"{written}. You can repeat the option. {facts['help']}"
        yield taken(one, read, metavar="LINE" if sold else "JSON", help=said)
        said = f"The same from a CSV or JSON file; - is standard input.{known}"
        file = name if one != name else f"{name}_file"
        read = functools.partial(lines_of, keys=keys)
        yield taken(file, read, metavar="FILE", help=said, multiple=False)
    elif choices:
        said = f"{facts['help'].rstrip('.')}: {', '.join(choices)}."
        read = functools.partial(_each, functools.partial(_chosen, choices=choices, name=name))
        yield taken(name, read, metavar="NAMES", help=said)
    elif item is int:
        yield taken(one, functools.partial(_each, id_list), metavar="IDS")
    else:
        read = functools.partial(_names, read=_id_or_name if is_reference else _as_it_is)
        yield taken(one, functools.partial(_each, read))


def _singular(name: str) -> str:
    for several, one in _SINGULAR:
        if name.endswith(several):
            return name.removesuffix(several) + one
    return name


def _each(read: Callable[[str], list[Any]], given: Sequence[str]) -> list[Any]:
    """Return what all values of an option that is repeated mean."""
    return [item for text in given for item in read(text)]


def _as_it_is(value: Any) -> Any:
    return value


def _id_or_name(text: str) -> int | str:
    """Return what a reference means: digits alone are an id."""
    return int(text) if text.isdecimal() else text


def _names(text: str, read: Callable[[str], Any]) -> list[Any]:
    """Return one value, or those of a list in JSON."""
    found = json_or_text(text) if text.startswith("[") else text
    return found if isinstance(found, list) else [read(text)]


def _chosen(text: str, choices: Sequence[str], name: str) -> list[str]:
    for given in (found := name_list(text)):
        if given not in choices:
            raise click.UsageError(f"{given!r} is not one of the {name}: {', '.join(choices)}.")
    return found
