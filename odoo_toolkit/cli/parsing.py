"""Domains, values and ids as they are written on a command line."""

from __future__ import annotations

import ast
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from odoo_toolkit.arguments.domain_shape import check_syntax, together
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit.fields import RELATIONAL, Field
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.values.search_text import literal

#: field, operator, value; the longer operators first.
_CONDITION = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(!=|>=|<=|=|>|<|~)(.*)", re.DOTALL)
_VALUE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,19}\s*")
BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def id_list(text: str) -> list[int]:
    """Return ids: ``7`` or ``7,8,9``."""
    parts = text.replace(",", " ").split()
    if not parts or not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise click.BadParameter(f"{text!r} is not a list of ids such as 7 or 7,8,9.")
    return [int(part) for part in parts]


def an_object(text: str) -> dict[str, Any]:
    """Return an object of JSON."""
    try:
        found = _literal(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError(f'{text!r} is not a JSON object such as \'{{"lang": "fr_FR"}}\'.')
    return found


def json_or_text(text: str) -> Any:
    """Return what JSON means, else the text as it is."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def named(text: str) -> tuple[str, Any]:
    """Return name and value of ``name=value``."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise click.BadParameter(f"{text!r} is not of the form name=value.")
    return name, json_or_text(value)


def name_list(text: str) -> list[str]:
    """Return names that have commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def flat(given: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of an option that may be repeated, each time with several of them."""
    return [name for several in given for name in several]


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not valid JSON.")


def _literal(text: str) -> Any:
    """Return what JSON, or else a literal of Python, means.

    Raises:
        ValueError: it is neither.
    """
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError("neither JSON nor Python") from None


# Domains -----------------------------------------------------------------------------------------


#: What compares a field with one of several values.
_OF_LISTS = {"=": "in", "!=": "not in"}


def domain_of(odoo: Odoo, model: str, conditions: Sequence[str]) -> list[Any]:
    """Return the domain that the words of a command line mean; all of them must hold.

    A word is a condition such as ``state=sale``, or, beginning with a bracket, a domain as JSON or
    as a Python list. Its value is read by the type of the field: digits mean the id where the
    field is a relation, nothing means empty, ``~`` means that the field contains the text. Commas
    part the values of a selection, and ids.

    Raises:
        ValidationError: INVALID_DOMAIN.
        click.UsageError: a word is neither.
    """
    parts = [_part(odoo, model, word) for word in conditions]
    if len(parts) == 1:
        return parts[0]  # type: ignore[no-any-return]
    # One that is wrong must not become another one in company.
    return [item for part in parts for item in together(check_syntax(part, None))]


def _part(odoo: Odoo, model: str, word: str) -> Any:
    if word.lstrip().startswith(("[", "(", "{")):
        try:
            return _literal(word)
        except ValueError:
            raise make_error(
                "INVALID_DOMAIN",
                f"This domain is not valid JSON: {word[:200]}",
                suggestion='Put it in single quotes for the shell, such as \'[["state", "=",'
                ' "sale"]]\'.',
            ) from None
    match = _CONDITION.fullmatch(word)
    if match is None or match[3][:1] in ("=", "<", ">", "~", "!"):
        raise click.UsageError(
            f"{word!r} is not a condition. Write field=value, with !=, >, >=, < or <= instead of ="
            " if needed. To find values that contain a text, write field~text. Or pass a domain as"
            ' JSON, such as \'[["state", "in", ["sale", "done"]]]\'.'
        )
    path, operator, text = match.groups()
    if operator == "~":
        return [[path, "ilike", literal(text)]]
    if text == "":
        return [[path, operator, False]]
    field = _field_at(odoo, model, path)
    relation = field is not None and (field.type in RELATIONAL or field.name == "id")
    listed = [part.strip() for part in text.split(",")]
    if len(listed) > 1 and operator in _OF_LISTS and field is not None:
        # Elsewhere a comma is part of the text.
        if relation and all(map(_WHOLE.fullmatch, listed)):
            return [[path, _OF_LISTS[operator], [int(part) for part in listed]]]
        if field.type == "selection":
            return [[path, _OF_LISTS[operator], listed]]
    return [[path, operator, int(text) if relation and _WHOLE.fullmatch(text) else text]]


def _field_at(odoo: Odoo, model: str, path: str) -> Field | None:
    """Return the field at the end of a path; None where the search will say what is wrong."""
    fields_of = readable_of(odoo)
    field = None
    try:
        for name in path.split("."):
            field = fields_of(model).get(name) if odoo.policy.model_allowed(model) else None
            if field is None:
                return None
            model = field.relation or ""
    except OdooError:
        return None
    return field


def unknown_names(odoo: Odoo, model: str, domain: Sequence[Any]) -> Iterator[str]:
    """Say which names of a domain that found nothing no related record has; a call for each."""
    for item in domain:
        if not isinstance(item, (list, tuple)) or item[1] not in ("=", "in"):
            continue
        field = _field_at(odoo, model, item[0])
        texts = item[2] if isinstance(item[2], (list, tuple)) else [item[2]]
        if field is None or field.relation is None:
            continue
        for text in texts:
            if not isinstance(text, str):
                continue
            found = odoo.call(
                Call(
                    model=field.relation,
                    method="name_search",
                    arguments={"name": text, "operator": "=", "limit": 1},
                )
            )
            if not found:
                yield (
                    f"no {field.relation} is named {text!r}. Pass the name in "
                    f"the language of the connection, {odoo.settings.lang}, or {item[0]}=ID."
                )


# Values ------------------------------------------------------------------------------------------


def values_of(odoo: Odoo, model: str, words: Sequence[str]) -> Any:
    """Return the values that the words of a command line mean.

    A word is ``field=value``, read by the type of the field, where nothing empties it; or an
    object as JSON; or ``-`` for JSON from standard input. A list of objects must be the only word.

    Raises:
        click.UsageError: a word is none of these.
        NotFoundError: there is no such model.
    """
    values: dict[str, Any] = {}
    fields: Mapping[str, Field] | None = None
    for word in words:
        text = _standard_input() if word == "-" else word
        if word == "-" or text.lstrip().startswith(("{", "[")):
            found = json_values(text)
            if isinstance(found, list):
                if len(words) > 1:
                    raise click.UsageError(
                        "Pass either a list of values or single values, not both."
                    )
                return found
            values |= found
            continue
        match = _VALUE.fullmatch(word)
        if match is None:
            raise click.UsageError(
                f"{word!r} is not a value. Write field=value, or an object such as"
                ' \'{"name": "Azure Interior"}\'.'
            )
        if fields is None:
            # Of a closed model nothing is asked: the policy will refuse it.
            fields = readable_of(odoo)(model) if odoo.policy.model_allowed(model) else {}
        values[match[1]] = _typed(match[2], fields.get(match[1]))
    return values


def _standard_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeError as error:
        raise click.UsageError(f"Standard input is not valid text: {error}.") from None


def json_values(text: str) -> dict[str, Any] | list[Any]:
    """Return an object or a list of JSON, or the list of a line each.

    Raises:
        click.UsageError: it is none.
    """
    try:
        found = _literal(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            found = [_literal(line) for line in lines]
        except ValueError:
            found = None
    if not isinstance(found, (dict, list)):
        raise click.UsageError(f"These values are not valid JSON: {text[:200]}")
    return found


def _typed(text: str, field: Field | None) -> Any:
    """Return a value by the type of its field; as it is where it cannot be one, to be refused."""
    kind = field.type if field else "char"
    if text == "":
        return None
    try:
        if kind == "boolean":
            return BOOLEANS.get(text.strip().lower(), text)
        if kind in ("integer", "many2one", "many2one_reference"):
            return int(text) if _WHOLE.fullmatch(text) else text
        if kind in ("float", "monetary"):
            number = float(text)
            return number if math.isfinite(number) else text
        if kind in ("many2many", "one2many"):
            return _literal(text) if text.lstrip().startswith("[") else id_list(text)
        if kind in ("json", "properties", "properties_definition"):
            return _literal(text)
    except (ValueError, click.BadParameter):
        pass
    return text
