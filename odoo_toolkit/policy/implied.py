"""What a call does: which methods of which models it amounts to, whatever it is called.

``copy`` creates, a command such as ``[2, id]`` deletes, an inherited field is written into another
record. The administrator's list of methods and rules that name a call (model and method) both ask
here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from odoo_toolkit.arguments import Command, owns_lines, read_commands, with_values
from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.arguments.values import VALUES, defaults_in
from odoo_toolkit.call import PARAMETERS, Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import TO_MANY, Field, FieldsOf

#: Methods that do what other methods do -> those.
IMPLIED_METHODS: dict[str, tuple[str, ...]] = {
    "action_archive": ("write",),
    "action_unarchive": ("write",),
    "copy": ("create",),
    "copy_multi": ("create",),
    "load": ("create", "write"),
    "name_create": ("create",),
    "toggle_active": ("write",),
    "update": ("write",),
    "update_field_translations": ("write",),
    "web_override_translations": ("write",),
    "web_resequence": ("write",),
    "web_save": ("create", "write"),
    "web_save_multi": ("create", "write"),
}

#: Of these, the records that they are called on decide whether they create or write.
_SAVING = frozenset({"web_save", "web_save_multi"})

#: What a command does, but for taking lines away -> the method that does the same.
_COMMANDED = {"create": "create", "update": "write", "delete": "unlink"}

#: Deeper than lines of lines of any document.
_DEEPEST = 60


@attrs.frozen(kw_only=True)
class Effect:
    """A method of a model that a call amounts to.

    Attributes:
        model, method: of the method.
        ids: the records; None where they are not known, or where it makes them.
        place: where in the call it is said; empty for the call itself.
        within: of lines that are taken away all at once, the records and field that they are of;
            ``ids`` are then those that stay.
    """

    model: str
    method: str
    ids: tuple[int, ...] | None = None
    place: str = ""
    within: tuple[str, tuple[int, ...] | None, str] | None = None


def implied(call: Call, described: FieldsOf) -> Iterator[Effect]:
    """Yield all that a call amounts to: first itself, then what it implies.

    Args:
        call: as a caller has worded it, or as it is sent.
        described: the fields of a model; none where they are not known.
    """
    yield Effect(model=call.model, method=call.method, ids=call.ids)
    method = call.method.lower()
    for same in same_methods(call):
        ids = call.ids if same == "write" else None
        yield Effect(model=call.model, method=same, ids=ids)
    if call.reads:
        return
    call = wired(with_values(call, described, worded=True))
    creates = call.access == "create" or method in ("copy", "copy_multi", "name_create")
    # What a method does with values that is not among those cannot be known.
    of = () if creates else call.ids if method in VALUES else None
    walk = _Walk(described)
    if method == "load":
        yield from walk.columns(call)
        yield from _enabled(call, described)
    arguments = {f"positional[{place}]": item for place, item in enumerate(call.positional)}
    for name, value in {**arguments, **call.arguments}.items() if method != "load" else ():
        yield from walk.values(call.model, of, value, name)
    yield from walk.values(call.model, (), defaults_in(call.context), "context")


def _enabled(call: Call, described: FieldsOf) -> Iterator[Effect]:
    """Yield what ``load`` may create by name."""
    enabled = call.context.get("name_create_enabled_fields")
    for name, value in enabled.items() if isinstance(enabled, Mapping) else ():
        field = described(call.model).get(str(name))
        if value and field is not None and field.relation:
            yield Effect(model=field.relation, method="create", place="context")


def same_methods(call: Call) -> tuple[str, ...]:
    """Return the methods of its model that a call does the same as, besides its own."""
    method = call.method.lower()
    if method in _SAVING and call.ids is not None:
        return ("write",) if call.ids else ("create",)
    if method == "load":
        columns, rows = _table(call)
        # An id of the database is that of a record that is there.
        place = columns.index(".id") if ".id" in columns else None
        if place is not None and rows and all(_at(row, place) for row in rows):
            return ("write",)
    return IMPLIED_METHODS.get(method, ())


def _table(call: Call) -> tuple[list[Any], list[Any]]:
    """Return the columns and rows of a ``load``."""
    named = dict(zip(PARAMETERS["load"], call.positional, strict=False))
    given = {**named, **call.arguments}
    columns, rows = given.get("fields"), given.get("data")
    return (
        list(columns) if isinstance(columns, (list, tuple)) else [],
        list(rows) if isinstance(rows, (list, tuple)) else [],
    )


def _at(row: Any, place: int) -> Any:
    return row[place] if isinstance(row, (list, tuple)) and place < len(row) else None


class _Walk:
    """One pass over the values of a call."""

    def __init__(self, described: FieldsOf) -> None:
        self._described = described

    def values(
        self, model: str, of: tuple[int, ...] | None, value: Any, place: str
    ) -> Iterator[Effect]:
        """Yield what values do besides being written to ``model``; ``of`` are the records."""
        if place.count(".") > _DEEPEST:
            raise ValidationError(
                "The arguments are nested too deeply to be checked.",
                suggestion="Send less data at a time, or nest it less deeply.",
            )
        if isinstance(value, Mapping):
            for name, item in value.items():
                yield from self._value(model, of, str(name), item, value, f"{place}.{name}")
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                if isinstance(item, Mapping):
                    yield from self.values(model, of, item, f"{place}[{index}]")

    def _value(
        self,
        model: str,
        of: tuple[int, ...] | None,
        name: str,
        value: Any,
        values: Mapping[str, Any],
        place: str,
    ) -> Iterator[Effect]:
        field = self._described(model).get(name)
        if field is not None:
            yield from self._related(model, field, values, of == (), place)
        if field is not None and field.type not in TO_MANY:
            return
        relation = (field and field.relation) or f"{model}.{name}"
        commands = _commands(field, value, name)
        if commands is None:
            # Nor are these commands, but something that holds values, of whatever model.
            if field is None:
                yield from self.values(model, None, value, place)
            elif isinstance(value, (list, tuple)) and any(map(_holds, value)):
                yield Effect(model=relation, method="create", place=place)
            return
        owned = owns_lines(field, model, self._described)
        # A new record has no lines yet; but a field may show those of another.
        bare = field is not None and of == () and field.store and not field.related
        for index, command in enumerate(commands):
            here = f"{place}[{index}]"
            if not (bare and command.takes_all and not command.ids):
                yield from _effects(command, relation, owned, (model, of, name), here)
            lines = () if command.kind == "create" else (command.id,)
            yield from self.values(relation, lines, command.values, here)

    def _related(
        self, model: str, field: Field, values: Mapping[str, Any], creating: bool, place: str
    ) -> Iterator[Effect]:
        """Yield the write into the record that a related or inherited field leads to."""
        if not field.related or (field.store and field.readonly):
            return
        here: str | None = model
        for relation in field.related[:-1]:
            followed = self._described(here).get(relation) if here else None
            here = followed.relation if followed is not None else None
        if here and here != model:
            # A new record makes the one that it inherits from, unless that is given.
            makes = creating and not values.get(field.related[0])
            yield Effect(model=here, method="create" if makes else "write", place=place)

    def columns(self, call: Call) -> Iterator[Effect]:
        """Yield what ``load`` does to the records that the path of a column leads to."""
        for column in _table(call)[0]:
            here: str | None = call.model
            for name in str(column).split("/"):
                field = self._described(here).get(name) if here else None
                if field is None or here is None:
                    break
                yield from self._related(here, field, {}, False, f"fields.{column}")
                here = field.relation
                if here and field.type == "one2many":
                    yield Effect(model=here, method="create", place=f"fields.{column}")
                    yield Effect(model=here, method="write", place=f"fields.{column}")


def _holds(value: Any) -> bool:
    return isinstance(value, (list, tuple, Mapping))


def _commands(field: Field | None, value: Any, name: str) -> tuple[Command, ...] | None:
    """Return commands; None where a value is none, which Odoo would not take for some either."""
    if field is None and not isinstance(value, (list, tuple)):
        return None
    try:
        return read_commands(value, name)
    except ValidationError:
        return None


def _effects(
    command: Command,
    relation: str,
    owned: bool,
    within: tuple[str, tuple[int, ...] | None, str],
    place: str,
) -> Iterator[Effect]:
    """Yield what a command does to the records of a relation; nothing where it only links."""
    ids = (command.id,) if command.id else None
    if command.kind in _COMMANDED:
        method = _COMMANDED[command.kind]
        yield Effect(model=relation, method=method, ids=ids, place=place)
    if not owned or command.kind not in ("unlink", "link", "clear", "set"):
        return
    # A line bears the name of its owner; when that leaves it, it may be deleted.
    if command.takes_all:
        yield Effect(model=relation, method="write", ids=command.ids or None, place=place)
        yield Effect(model=relation, method="unlink", ids=command.ids, place=place, within=within)
        return
    yield Effect(model=relation, method="write", ids=ids, place=place)
    if command.kind == "unlink":
        yield Effect(model=relation, method="unlink", ids=ids, place=place)
