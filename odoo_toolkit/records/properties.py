"""Properties: values of one field whose names and types the record's parent defines.

Odoo replaces them all with what is written: what is left out is emptied, and what it does not know
is dropped without a word. So they are completed here with what a record holds, and checked by its
definition, which every read of them gives along.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments.domain_values import PROPERTIES_SINCE
from odoo_toolkit.arguments.values import DEFAULT
from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field, FieldsOf, similar_names
from odoo_toolkit.records.results import Record
from odoo_toolkit.values.properties import bare, by_name
from odoo_toolkit.values.scalars import CONVERTERS, Place

#: Types of which a write replaces all that a field holds.
_REPLACED = frozenset({"properties", "properties_definition"})
#: Types whose values are texts that stand for others.
_CHOICES = frozenset({"selection", "tags"})
#: What lines and properties are given as.
_NESTED = frozenset({dict, list})

Definitions = dict[Any, "list[Mapping[str, Any]] | None"]
"""What parents define, by field and parent; None where it cannot be told."""


def completed(
    odoo: Odoo,
    model: str,
    wanted: Mapping[int, Record],
    context: Mapping[str, Any],
    fields_of: FieldsOf,
) -> dict[int, Record]:
    """Return the values of a write to each record, their properties with those that it keeps.

    One round trip for each model of which properties are written; none without.

    Args:
        odoo: the connection.
        model: of the records.
        wanted: the values as they are sent, by id.
        context: of the write.
        fields_of: describes models.

    Raises:
        ValidationError: a record has no such property, or a value does not fit it.
    """
    fields = fields_of(model)
    names = {name for values in wanted.values() for name in values}
    held = [name for name in names if name in fields and fields[name].type in _REPLACED]
    lines = [name for name in names if name in fields and fields[name].type in TO_MANY]
    if not held and not lines:
        return dict(wanted)
    rows = _read(odoo, model, list(wanted), held, context) if held else {}
    known: Definitions = {}
    rows = {
        number: under_new_parent(odoo, model, wanted[number], row, context, known)
        for number, row in rows.items()
    }
    return {
        number: {
            name: completed_value(value, rows[number][name], model, fields[name], fields_of)
            if name in held and number in rows
            else _in_lines(odoo, fields[name], value, number, context, fields_of, known)
            if name in lines
            else value
            for name, value in values.items()
        }
        for number, values in wanted.items()
    }


def completed_value(value: Any, present: Any, model: str, field: Field, fields_of: FieldsOf) -> Any:
    """Return what to write to a field: of properties those that are wanted, and all others.

    A definition of properties must name all that there are, or say which is deleted.

    Args:
        value: names and values, as they are to be written; what is empty empties them all.
        present: as Odoo reads them, each with its definition.
        model: of the record.
        field: the properties.
        fields_of: describes models.

    Raises:
        ValidationError: as of :func:`completed`.
    """
    if field.type not in _REPLACED or not isinstance(value or {}, (Mapping, list)):
        return value
    defined = _defined(present)
    if field.type == "properties_definition":
        return _whole_definition(value, defined, model, field)
    if not value:
        # Odoo 16 takes no False for it.
        return dict.fromkeys(defined, False)
    if not isinstance(value, Mapping):
        return value
    return {
        **{name: held for name, held in by_name(present).items() if name in defined},
        **checked(value, list(defined.values()), model, field, fields_of),
    }


def _whole_definition(
    value: Any, defined: Mapping[str, Mapping[str, Any]], model: str, field: Field
) -> Any:
    if not all(isinstance(one, Mapping) and one.get("name") for one in value or ()):
        return value
    given = {one["name"] for one in value or ()}
    lost = [one for name, one in defined.items() if name not in given]
    if value and lost:
        listed = ", ".join(f"{one['name']} ({one.get('string', '')})" for one in lost)
        raise ValidationError(
            f"{field.name} of {model} would lose {listed}, and the records would lose their "
            "values.",
            suggestion="Pass all definitions as you read them, and add the new ones. To delete "
            'one, set "definition_deleted": true in it. To delete all, pass null.',
            details={"model": model, "field": field.name, "missing": [one["name"] for one in lost]},
            outcome="not_sent",
        )
    return value and [one for one in value if not one.get("definition_deleted")]


def checked(
    value: Mapping[str, Any],
    definitions: Sequence[Mapping[str, Any]],
    model: str,
    field: Field,
    fields_of: FieldsOf,
) -> dict[str, Any]:
    """Return properties as Odoo takes them.

    Raises:
        ValidationError: there is no such property, or a value does not fit it.
    """
    defined = {one["name"]: one for one in definitions}
    found: dict[str, Any] = {}
    for name, given in value.items():
        if name not in defined:
            raise unknown_property(model, field.name, name, definitions)
        found[name] = _converted(given, defined[name], model, field, fields_of)
    return found


def unknown_property(
    model: str, field: str, name: str, definitions: Sequence[Mapping[str, Any]]
) -> ValidationError:
    """Return the error for a property that is not defined."""
    labels = {str(one.get("string", "")).lower(): one["name"] for one in definitions}
    names = [one["name"] for one in definitions]
    meant = [labels[name.lower()]] if name.lower() in labels else similar_names(name, names)
    listed = ", ".join(f"{one['name']} ({one.get('string', '')})" for one in definitions[:30])
    return ValidationError(
        f"{field} of {model} has no property {name[:80]!r}"
        + (f"; did you mean {meant[0]!r}?" if meant else "."),
        code="INVALID_FIELD",
        suggestion=f"Choose from {listed}."
        if listed
        else (
            "Properties are defined on the parent of the record, such as the project of "
            f"a task. To get their names, read {field}."
        ),
        details={"model": model, "field": f"{field}.{name}", "did_you_mean": meant},
        outcome="not_sent",
    )


def check_properties(odoo: Odoo, model: str, paths: Iterable[Any], fields_of: FieldsOf) -> None:
    """Refuse paths to properties that are defined nowhere: Odoo takes them for empty.

    One round trip for each property that is named, the first time.

    Raises:
        ValidationError: there is no such property.
    """
    for path in paths:
        if not isinstance(path, str) or "." not in path:
            continue
        here, names = model, path.split(".")
        for index, name in enumerate(names[:-1]):
            try:
                field = fields_of(here).get(name)
            except OdooError:
                break
            if field is not None and field.type == "properties":
                _check_defined(odoo, here, name, names[index + 1])
            if field is None or not field.relation:
                break
            here = field.relation


def _check_defined(odoo: Odoo, model: str, field: str, name: str) -> None:
    """Refuse a property that no record defines.

    Raises:
        ValidationError: there is no such property.
    """

    def ask() -> bool:
        if odoo.version.major >= PROPERTIES_SINCE:
            arguments = {"full_name": f"{field}.{name}"}
            call = Call(model=model, method="get_property_definition", arguments=arguments)
            there = bool(odoo.call(attrs.evolve(call, access="read", internal=True)))
        else:
            there = name in _defined_anywhere(odoo, model, field)
        if not there:
            raise unknown_property(model, field, name, ())
        return True

    odoo.schema.remember(f"property {model} {field}.{name}", ask)


def _defined_anywhere(odoo: Odoo, model: str, field: str) -> set[str]:
    """Return the names of all properties, as Odoo 16 has no method for a single one."""
    parent = _parent(odoo, model, field)
    if parent is None:
        return set()
    definition = parent.definition
    search = asking(
        parent.model,
        "search_read",
        context={"active_test": False},
        domain=[[definition, "!=", False]],
        fields=[definition],
    )
    return {name for row in odoo.call(search) for name in _defined(row[definition])}


def _defined(present: Any) -> dict[str, Mapping[str, Any]]:
    listed = present if isinstance(present, (list, tuple)) else ()
    return {
        one["name"]: one
        for one in listed
        if isinstance(one, Mapping)
        and one.get("name")
        and one.get("type") != "separator"
        and not one.get("definition_deleted")
    }


def _converted(
    value: Any,
    definition: Mapping[str, Any],
    model: str,
    field: Field,
    fields_of: FieldsOf,
) -> Any:
    """Return the value of a property as Odoo takes it, by its type."""
    kind = definition.get("type", "char")
    value = bare(value, kind)
    if value is None or value is False or value == "" or value == []:
        return False
    options = definition.get("selection" if kind == "selection" else "tags") or ()
    one = Field(
        name=definition["name"],
        type="selection" if kind in _CHOICES else "many2one" if kind == "many2many" else kind,
        string=definition.get("string", ""),
        relation=definition.get("comodel") or None,
        selection=tuple((option[0], option[1]) for option in options if len(option) > 1),
    )
    place = Place(model, one, f"{field.name}.{one.name}", fields_of, 0)
    convert = CONVERTERS.get(one.type)
    if convert is None:
        return value
    if kind in ("tags", "many2many"):
        if not isinstance(value, (list, tuple)):
            raise place.wrong("needs a list", "Pass all definitions as a list.")
        return [convert(item, place) for item in value]
    return convert(value, place)


def _read(
    odoo: Odoo,
    model: str,
    ids: Sequence[int],
    names: Sequence[str],
    context: Mapping[str, Any],
) -> dict[int, Record]:
    call = Call(
        model=model,
        method="search_read",
        arguments={"domain": [["id", "in", list(ids)]], "fields": list(names)},
        context={**context, "active_test": False},
    )
    odoo.check(call)
    # What leads to a closed model is not shown to anybody, and must be written again all the same.
    return {row["id"]: row for row in odoo.call(attrs.evolve(call, internal=True))}


def _in_lines(
    odoo: Odoo,
    field: Field,
    commands: Any,
    number: int,
    context: Mapping[str, Any],
    fields_of: FieldsOf,
    known: Definitions,
) -> Any:
    """Return the commands of a record's field with whole properties in what they write and make."""
    if not field.relation or not isinstance(commands, (list, tuple)):
        return commands
    updates = {command[1]: command[2] for command in commands if _is_command(command, 1)}
    try:
        whole = completed(odoo, field.relation, updates, context, fields_of) if updates else {}
    except OdooError as error:
        error.details.setdefault("path", field.name)
        raise
    return [
        [1, command[1], whole[command[1]]] if _is_command(command, 1) else command
        for command in _new_lines(odoo, field, commands, number, context, fields_of, known)
    ]


def _is_command(command: Any, kind: int) -> bool:
    """Return true if it is a command of this kind; others are refused when they are sent."""
    return (
        isinstance(command, list)
        and len(command) == 3
        and type(command[0]) is int
        and command[0] == kind
    )


def _new_lines(
    odoo: Odoo,
    field: Field,
    commands: Any,
    owner: int | Mapping[str, Any],
    context: Mapping[str, Any],
    fields_of: FieldsOf,
    known: Definitions,
) -> Any:
    """Return commands with the properties checked of the records that they make.

    The owner of these is the record, or the values of one that is made with them.
    """
    above = {field.relation_field: owner} if field.relation_field else {}
    found = list(commands or ())
    for index, command in enumerate(found):
        if _is_command(command, 0) and field.relation:
            try:
                line = check_new(odoo, field.relation, command[2], context, fields_of, known, above)
            except ValidationError as error:
                error.message = f"In {field.name}[{index}]: {error.message}"
                error.args = (error.message,)
                raise
            found[index] = [*command[:2], line]
    return found


def under_new_parent(
    odoo: Odoo,
    model: str,
    values: Record,
    present: Record,
    context: Mapping[str, Any],
    known: Definitions,
) -> Record:
    """Return what a record holds, its properties as those of the parent that it is to have.

    Args:
        odoo: the connection.
        model: of the record.
        values: as they are to be written.
        present: what it holds, as Odoo reads it.
        context: of the write.
        known: keeps the definitions, so that the rows of a table ask once for each parent.
    """
    found = dict(present)
    fields = odoo.schema.fields(model)
    for name in values.keys() & present.keys():
        properties = name in fields and fields[name].type == "properties"
        parent = _parent(odoo, model, name) if properties else None
        if parent is None or parent.field not in values:
            continue
        kept = by_name(present[name])
        found[name] = [
            {**one, **({"value": kept[one["name"]]} if one["name"] in kept else {})}
            for one in _definitions(odoo, model, name, values, context, known) or ()
        ]
    return found


@attrs.frozen
class _Parent:
    """Where the properties of a new record are defined."""

    field: str
    model: str
    definition: str


def check_new(
    odoo: Odoo,
    model: str,
    values: Mapping[str, Any],
    context: Mapping[str, Any],
    fields_of: FieldsOf,
    known: Definitions,
    above: Mapping[str, Any] | None = None,
) -> Record:
    """Return the values of a new record, and of its lines, with their properties checked.

    If the parent that defines them is not known beforehand, a name that no record defines is
    refused all the same, and the answer lists what Odoo drops of the others. ``known`` keeps the
    definitions, so that the rows of a table ask once for each parent. ``above`` has the record
    that a line is made with, by the field that leads to it: its id, or its values if it is new.

    Raises:
        ValidationError: there is no such property, or a value does not fit it.
    """
    found = dict(values)
    if not context and _NESTED.isdisjoint(map(type, values.values())):
        return found
    fields = fields_of(model)
    given = {**_defaults(fields, context), **values}
    for name in [n for n, v in given.items() if v.__class__ in _NESTED and v]:
        field, value = fields.get(name), given[name]
        if field is not None and field.type in TO_MANY:
            found[name] = _new_lines(odoo, field, value, values, context, fields_of, known)
        if field is None or field.type != "properties" or not isinstance(value, Mapping):
            continue
        definitions = _definitions(odoo, model, name, values, context, known, above or {})
        if definitions is not None:
            found[name] = checked(value, definitions, model, field, fields_of)
            continue
        for one in value:
            with contextlib.suppress(AccessError):
                _check_defined(odoo, model, name, one)
    return found


def _defaults(fields: Mapping[str, Field], context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that a context gives for new records."""
    named = {key.removeprefix(DEFAULT): v for key, v in context.items() if isinstance(v, Mapping)}
    return {n: v for n, v in named.items() if n in fields and fields[n].type == "properties"}


def _definitions(
    odoo: Odoo,
    model: str,
    name: str,
    values: Mapping[str, Any],
    context: Mapping[str, Any],
    known: Definitions,
    above: Mapping[str, Any] | None = None,
) -> list[Mapping[str, Any]] | None:
    """Return what the parent of a new record defines; None where that is not known."""
    parent, key = _parent(odoo, model, name), None
    if parent is None:
        return None
    given = {**(above or {}), **values}
    try:
        number = given.get(parent.field)
        if isinstance(number, Mapping):
            # It is made by the same call.
            made = number.get(parent.definition)
            return list(_defined(made).values()) if made else None
        key = (model, name, number if parent.field in given else "default")
        if key in known:
            return known[key]
        if parent.field not in given:
            number = context.get(f"{DEFAULT}{parent.field}")
            if number is None:
                arguments = {"fields": [parent.field]}
                default = Call(
                    model=model, method="default_get", arguments=arguments, context=context
                )
                number = odoo.call(default).get(parent.field)
        if not isinstance(number, int) or isinstance(number, bool):
            known[key] = None
            return None
        read = asking(parent.model, "read", (number,), fields=[parent.definition])
        (row,) = odoo.call(read)
    except (OdooError, ValueError):
        known[key] = None
        return None
    known[key] = list(_defined(row[parent.definition] or []).values())
    return known[key]


def _parent(odoo: Odoo, model: str, name: str) -> _Parent | None:
    """Return where the properties of a field are defined."""

    def ask() -> _Parent | None:
        attributes = ["definition_record", "definition_record_field", "relation"]
        told = odoo.call(asking(model, "fields_get", allfields=[], attributes=attributes))
        own = told.get(name, {})
        record, definition = own.get("definition_record"), own.get("definition_record_field")
        relation = told.get(record, {}).get("relation")
        return _Parent(record, relation, definition) if relation and definition else None

    try:
        found: _Parent | None = odoo.schema.remember(f"definition {model} {name}", ask)
    except OdooError:
        return None
    return found
