"""Arguments and options of commands, made from the library's functions, and their completion."""

from __future__ import annotations

import functools
import inspect
import logging
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from annotated_doc import Doc
from annotated_types import Ge, GroupedMetadata, Gt, Le
from click.shell_completion import CompletionItem

from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.cli.connecting import chosen, open_odoo
from odoo_toolkit.cli.parsing import an_object, flat, name_list
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.progress import time_limit
from odoo_toolkit.records import search_read
from odoo_toolkit.search_help.completion import models_like
from odoo_toolkit.values.search_text import literal

#: Seconds that somebody who has pressed the tabulator key waits.
_PATIENCE = 3.0


def complete_model(context: click.Context, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the models that begin so; the well-known ones where Odoo cannot be asked."""
    found = _asked(context, lambda odoo: models_like(odoo, incomplete))
    names = [*COMMON_MODELS] if found is None else found
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def complete_field(context: click.Context, parameter: Any, incomplete: str) -> list[CompletionItem]:
    """Return the fields of the model that begin so, after those that are written already."""
    # Behind an option whose value is still to come, click has read no arguments yet.
    model = context.params.get("model") or next(iter(context.args), None)
    before, comma, begun = incomplete.rpartition(",")
    if not model:
        return []
    fields = _asked(
        context,
        lambda odoo: sorted(odoo.policy.readable_fields(model, odoo.schema.fields)),
    )
    return [
        CompletionItem(f"{before}{comma}{name}") for name in fields or () if name.startswith(begun)
    ]


def complete_number(
    context: click.Context, parameter: Any, incomplete: str, *, model: str
) -> list[CompletionItem]:
    """Return the numbers of the latest documents of a model that begin so."""
    domain = [["name", "=like", f"{literal(incomplete)}%"]]
    found = _asked(
        context,
        lambda odoo: [
            row["name"]
            for row in search_read(odoo, model, domain, ["name"], limit=20, order="id desc").records
        ],
    )
    return [CompletionItem(name) for name in found or ()]


def _asked(context: click.Context, ask: Callable[[Odoo], list[str]]) -> list[str] | None:
    """Return what Odoo answers; None where it cannot be asked, of which nothing is said."""
    logging.disable()
    options = context.params
    # The options before the command are not handled yet.
    above = context.find_root().params
    try:
        found = chosen(context, options.get("profile") or above.get("profile"), None)
        with time_limit(_PATIENCE), open_odoo(found) as odoo:
            return ask(odoo)
    except (OdooError, OSError):
        return None
    finally:
        logging.disable(logging.NOTSET)


# Options -----------------------------------------------------------------------------------------

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

model: Decorator = click.argument("model", shell_complete=complete_model)
domain: Decorator = click.argument("domain", nargs=-1, metavar="[CONDITION]...")

#: Parameters that are written in a shell in another way than in Python.
IN_A_SHELL: dict[str, dict[str, Any]] = {
    "context": {
        "type": an_object,
        "metavar": "JSON",
        "help": 'Odoo context, such as \'{"lang": "fr_FR"}\'.',
    },
    "fields": {
        "param_decls": ["-f"],
        "shell_complete": complete_field,
        "help": (
            "Fields, separated by commas. You can repeat the option. Paths such as partner_id.city"
            " are possible."
        ),
    },
    "separator": {"help": "Delimiter of a CSV file: one character, or \\t. Default: detected."},
    "dry_run": {"help": "Check everything and print the plan, without a change."},
}


def of(function: Callable[..., Any], *names: str, into: str = "given", **called: str) -> Decorator:
    """Add options for parameters of a function: what each takes, its default and its help.

    The help is the ``Doc`` of the parameter, or what the docstring says of it.

    Args:
        function: of the library.
        names: of the parameters.
        into: the argument of the command that takes, as a dictionary, those that were given.
        called: option -> parameter, where the option has another name.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    wanted = {**called, **dict(zip(names, names, strict=True))}

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def filled(*arguments: Any, **options: Any) -> Any:
            values = {name: options.pop(name) for name in wanted.values()}
            given = {n: v for n, v in values.items() if v is not None and v is not False}
            return command(*arguments, **options, **{into: given})

        decorated: Callable[..., Any] = filled
        for option, name in reversed(wanted.items()):
            said = said_of(function, name)
            facts = facts_of(hints[name], parameters[name].default, said)
            facts |= IN_A_SHELL.get(name, {})
            flags = [f"--{option.replace('_', '-')}", *facts.pop("param_decls", ()), name]
            decorated = click.option(*flags, **facts)(decorated)
        return decorated

    return decorate


def unwrapped(hint: Any) -> tuple[Any, list[Any]]:
    """Return a type without ``Annotated`` and None, and what was noted of it."""
    notes: list[Any] = []
    while (inner := get_args(hint)) and (get_origin(hint) is Annotated or type(None) in inner):
        found = getattr(hint, "__metadata__", ())
        # What is said of a type is said before what is said where it is used.
        groups = [[*note] if isinstance(note, GroupedMetadata) else [note] for note in found]
        notes = [*(note for group in groups for note in group), *notes]
        hint = inner[0] if found else Union[tuple(one for one in inner if one is not type(None))]  # noqa: UP007
    return hint, notes


def facts_of(hint: Any, default: Any, said: str) -> dict[str, Any]:
    """Return what click is to know of a parameter."""
    hint, notes = unwrapped(hint)
    said = next((n.documentation for n in reversed(notes) if isinstance(n, Doc)), said)
    if default and isinstance(default, (int, float, str)) and default is not True:
        said = f"{said.rstrip('.')}. Default: {default}."
    if hint is bool:
        return {"is_flag": True, "help": said}
    if hint in _NUMBERS:
        simple, ranged = _NUMBERS[hint]
        bounds = {name: value for note in notes for name, value in _bounds(note).items()}
        return {"type": ranged(**bounds) if bounds else simple, "help": said}
    if get_origin(hint) is Literal:
        return {"type": click.Choice(get_args(hint)), "help": said}
    if get_origin(hint) is Sequence:
        names = {"type": name_list, "multiple": True, "metavar": "NAMES", "help": said}
        return {**names, "callback": lambda context, option, given: flat(given) or None}
    return {"metavar": "TEXT", "help": said}


_NUMBERS: dict[Any, Any] = {
    int: (click.INT, click.IntRange),
    float: (click.FLOAT, click.FloatRange),
}


def _bounds(note: Any) -> dict[str, Any]:
    match note:
        case Ge(ge=bound):
            return {"min": bound}
        case Gt(gt=bound):
            return {"min": bound, "min_open": True}
        case Le(le=bound):
            return {"max": bound}
    return {}


def said_of(function: Callable[..., Any], name: str) -> str:
    """Return what the docstring of a function says of a parameter, as a sentence."""
    docstring = inspect.getdoc(function) or ""
    entry = re.search(rf"(?ms)^    {name}: (.*?)(?=^ {{0,4}}\S|\Z)", docstring)
    text = " ".join(entry[1].split()).replace("``", "") if entry else ""
    # None cannot be written in a shell.
    return (text[:1].upper() + text[1:]).replace(", or None for all", "")
