"""What the record functions check and look up before they send anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import JsonSchema
from odoo_toolkit.arguments import named, read_domain, read_order
from odoo_toolkit.call import Call
from odoo_toolkit.client import Admitted, Odoo
from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.fields import Field, FieldsOf, is_unencoded, unknown_field_error
from odoo_toolkit.values.plain import plain, whole_number
from odoo_toolkit.values.scalars import is_id, short_repr

_TOO_MANY = 2**31

Ids = Annotated[
    Sequence[int],
    JsonSchema({"type": "array", "items": {"type": "integer"}}),
    Doc("Ids of the records."),
]


def describe(
    odoo: Odoo,
    model: str,
    method: str,
    arguments: Mapping[str, Any],
    context: Mapping[str, Any] | None,
    ids: Sequence[int] | None = None,
    fields_of: FieldsOf | None = None,
) -> Mapping[str, Field]:
    """Ask the policy about a question as the caller worded it, then describe the model's fields.

    Asked before the arguments are checked against the schema, so that what is blocked is refused
    as such and never explained. ``fields_of`` is a :func:`readable_of` to share.
    """
    admit(
        odoo,
        Call(model=model, method=method, ids=ids, arguments=arguments, context=context or {}),
    )
    return (fields_of or readable_of(odoo))(model)


def admit(odoo: Odoo, call: Call) -> Admitted:
    """Let the policy judge a question as the caller worded it; each argument is read once, here.

    Fields may be paths, and ``*``; that they exist is for the function to say that was asked.
    """
    arguments = {
        name: _WORDED[name](value)
        if name in _WORDED and (value is not None or name == "domain")
        else value
        for name, value in call.arguments.items()
    }
    return odoo.admit(attrs.evolve(call, arguments=arguments))


def _fields(names: Any) -> Any:
    return named(name for name in names if name != "*") if isinstance(names, list) else names


_WORDED: dict[str, Callable[[Any], Any]] = {
    "aggregates": _fields,
    "domain": read_domain,
    "fields": _fields,
    "groupby": _fields,
    "order": read_order,
}


def readable_of(odoo: Odoo) -> Callable[[str], Mapping[str, Field]]:
    """Return a function that describes a model's fields as far as the policy shows them.

    It finds out once for each model, and is for one call only: what is shown may change.
    """
    found: dict[str, Mapping[str, Field]] = {}

    def fields_of(model: str) -> Mapping[str, Field]:
        if model not in found:
            found[model] = odoo.policy.readable_fields(model, odoo.schema.fields)
        return found[model]

    return fields_of


def listed_fields(fields: Any) -> list[str]:
    """Return names of fields as a list, or refuse what is none; None is an empty list."""
    names = plain(fields)
    if names is None:
        return []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise invalid(
            "fields",
            f"fields must be a list of field names, not {short_repr(fields)}.",
            f"Give {_listed(fields)}." if isinstance(fields, str) else "Give names.",
        )
    if together := [name for name in names if "," in name]:
        raise ValidationError(
            f"{together[0][:80]!r} is one string with several field names.",
            code="INVALID_FIELD",
            suggestion=f"Give {_listed(together[0])}.",
            details={"field": together[0]},
        )
    if "__all__" in names:
        raise ValidationError(
            "'__all__' is not the name of a field.",
            code="INVALID_FIELD",
            suggestion='Pass ["*"] for all fields.',
            details={"field": "__all__", "did_you_mean": ["*"]},
        )
    return names


def _listed(text: str) -> str:
    """Return a text of names with commas as the list that it should be."""
    return json.dumps([name.strip() for name in text[:200].split(",") if name.strip()])


def known(model: str, fields: Sequence[str], described: Mapping[str, Field]) -> list[str]:
    """Return field names without repetitions, or raise INVALID_FIELD for those that are none."""
    names = list(dict.fromkeys(fields))
    unknown = [name for name in names if name not in described]
    if unknown:
        raise unknown_field_error(model, unknown, described)
    return names


def check_unbroken(model: str, field: Field) -> None:
    """Refuse a field whose reading breaks the whole answer of some Odoo versions.

    Raises:
        ValidationError: INVALID_FIELD; the suggestion says what to do instead.
    """
    if is_unencoded(model, field):
        raise ValidationError(
            f"The field {field.name!r} of {model} makes some Odoo versions return an invalid "
            "response.",
            suggestion="Read the field datas, which is base64.",
            code="INVALID_FIELD",
            details={"model": model, "field": field.name},
        )


def checked_ids(ids: Any, *, of_views: bool = False) -> tuple[int, ...]:
    """Return record ids without repetitions, or raise for what is none.

    Args:
        ids: a list, a range, a column of a table, ...; or one id.
        of_views: whether they may be below zero, as they are in some views of other tables.
    """
    given = plain(ids)
    if is_id(given) or (of_views and _is_view_id(given)):
        given = [given]
    if not isinstance(given, list):
        raise ValidationError(
            "ids must be a list of record ids.", suggestion="Pass a list such as [42]."
        )
    checked = []
    for item in given:
        number = whole_number(item)
        if number is None or not (is_id(number) or (of_views and _is_view_id(number))):
            raise ValidationError(
                f"{short_repr(item)} is not a record id.",
                suggestion="Pass positive integers.",
            )
        checked.append(number)
    if not checked:
        raise ValidationError(
            "The list of ids is empty.", suggestion="Pass the ids of the records."
        )
    return tuple(dict.fromkeys(checked))


def _is_view_id(value: Any) -> bool:
    return type(value) is int and -_TOO_MANY < value < 0


def optional_ids(ids: Any) -> list[int]:
    """Return record ids as :func:`checked_ids` does; none, or None, are an empty list."""
    given = plain(ids)
    return [] if given is None or given == [] else list(checked_ids(given))


def checked_count(value: Any, name: str, least: int) -> int:
    """Return a limit or an offset as an int, or refuse what is none.

    Args:
        value: as it was given.
        name: of the argument.
        least: the smallest that means something; Odoo takes a limit of 0 for none.
    """
    number = whole_number(plain(value))
    if number is None or not least <= number < _TOO_MANY:
        raise invalid(
            name,
            f"{name} must be an integer of at least {least}, not {short_repr(value)}.",
            f"Pass {name} as a number, without quotes.",
        )
    return number


def with_bin_size(
    described: Mapping[str, Field], fields: Sequence[str], context: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Have Odoo answer sizes instead of binary content, unless content was asked for by name."""
    if any(described[name].type == "binary" for name in fields if name in described):
        return dict(context or {})
    return {"bin_size": True, **(context or {})}
