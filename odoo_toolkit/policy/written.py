"""Values that are to be written: what is named in them, and what their commands do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, ClassVar

from odoo_toolkit.arguments import Command, Records, Values, owns_lines
from odoo_toolkit.arguments.commands import Kind
from odoo_toolkit.arguments.scalars import unfit
from odoo_toolkit.call import Access
from odoo_toolkit.fields import Field
from odoo_toolkit.policy.names import DEPTH, MOST_VISITS, Names, Path, show, too_large
from odoo_toolkit.policy.rules import field_refusal
from odoo_toolkit.policy.tables import COMPOSERS, FILE_MODELS, MODEL_NAME_FIELDS

_LARGEST = 2**31 - 1
_REFERENCE = re.compile(r"([a-z0-9_.]{1,200}),([0-9]{1,10})")

#: What a command does to the records of a one2many: link and unlink write their inverse field,
#: and lines that belong to a parent may be deleted when they leave it.
OWNED: dict[Kind, tuple[Access, ...]] = {
    "create": ("create",),
    "update": ("write",),
    "delete": ("delete",),
    "unlink": ("write", "delete"),
    "link": ("write",),
    "clear": ("write", "delete"),
    "set": ("write", "delete"),
}
#: Of a many2many, linking touches only the relation.
LINKED: dict[Kind, tuple[Access, ...]] = {
    "create": ("create",),
    "update": ("write",),
    "delete": ("delete",),
    **dict.fromkeys(("unlink", "link", "clear", "set"), ()),
}


def accesses(command: Command, field: Field, owned: bool, creating: bool) -> tuple[Access, ...]:
    """Return what a command does to the records of the model that a field leads to.

    Args:
        command: the command.
        field: the field.
        owned: whether what is taken away from it may be deleted.
        creating: whether it is a value of a new record, which has nothing yet that could be taken
            away; but a field that shows another record's does.
    """
    if creating and command.takes_all and not command.ids and field.store and not field.related:
        return ()
    return (OWNED if owned else LINKED)[command.kind]


class Written(Names):
    """Judges the values of records, and what is done to others by the commands in them.

    Only what fits its field passes.
    """

    #: Type of field -> the types of values that name nothing in it, but for texts with a point.
    takes_any: ClassVar[Mapping[str, frozenset[type]]] = {}

    def written_field(self, model: Any, name: Any, where: Path) -> Field | None:
        """Judge the name of a written field, and return the field, or None if it is unknown."""
        raise NotImplementedError

    def records(self, value: Any, where: Path, *, creating: bool) -> None:
        """Judge the values of a record, or of each of several.

        Args:
            value: as :func:`~odoo_toolkit.arguments.read_values` returns it.
            where: it stands, for errors.
            creating: whether the records are new.

        Raises:
            AccessError: something closed is named.
            ValidationError: a value does not fit its field.
        """
        several, seen = isinstance(value, Records), self._seen
        items: Sequence[Any] = value.items if several else (value,)
        self._visits += len(items) + several
        if len(where) > DEPTH or self._visits > MOST_VISITS:
            raise too_large()
        kind = "values of a new record" if creating else "values"
        for index, values in enumerate(items):
            here = (*where, index) if several else where
            if not isinstance(values, Values):
                self.no_record(values, here)
                continue
            key = (kind, values.model, id(values))
            if not values.given or key in seen:
                continue
            seen[key] = values
            model, takes_any = values.model, self.takes_any
            if model in _JUDGED_WHOLE:
                self.record_written(model, values.given, here)
                takes_any = {}
            plain = self._plain.get(model)
            if plain is None:
                of_model = self.policy.plain_fields
                plain = of_model(model, self.described) if model and takes_any else {}
                self._plain[model] = plain
            for name, held in values.given.items():
                field = plain.get(name)
                if field is None:
                    field = self._judged_field(model, name, here)
                of = type(held)
                if (
                    field is not None
                    and of in takes_any.get(field.type, ())
                    and field.relation != "ir.model"
                    # The names of models have a point in them.
                    and (
                        of is not str
                        or "." not in held
                        or not (name in _NAMING or self.policy.naming(held))
                    )
                    and (of is not str or not str(name).endswith("domain"))
                ):
                    continue
                if name in values.lines and field is not None:
                    lines = values.lines[name]
                    self.commands(field, model, lines, (*here, name), creating=creating)
                    continue
                if field is not None and field.type == "binary" and self.access != "read":
                    self.binary_written(model, field, held, (*here, name))
                self.value(model, field, name, held, here)

    def _judged_field(self, model: str | None, name: Any, where: Path) -> Field | None:
        key = (model, name)
        if key not in self._judged:
            self._judged[key] = self.written_field(model, name, (*where, name))
        return self._judged[key]

    def commands(
        self,
        field: Field,
        model: str | None,
        commands: Sequence[Command],
        where: Path,
        *,
        creating: bool,
    ) -> None:
        """Judge what commands do to the records of a one2many or many2many."""
        comodel = field.relation
        owned = field.type != "many2many" or owns_lines(field, model or "", self.described)
        self._visits += 1
        for index, command in enumerate(commands):
            here = (*where, index)
            if not comodel:
                self.nowhere(model, field.name, here)
            elif owned and command.kind == "create" and self.acts_on:
                # A new line of what the operation is about.
                if not self.policy.may(comodel, "create", self.acts_on, self.step):
                    self.judge(comodel, "create", here, self.acts_on)
            else:
                for access in accesses(command, field, owned, creating):
                    access = "read" if self.access == "read" else access
                    self.judge(comodel, access, here)
            if isinstance(command.values, Values):
                self.records(command.values, (*here, 2), creating=command.kind == "create")

    def nowhere(self, model: str | None, name: str, where: Path) -> None:
        """Refuse what could change records of nobody knows which model, where a list binds."""
        if self.access != "read" and self.policy.binds_commands and not self.step:
            raise field_refusal(name, model, show(where))

    def text(self, model: str | None, name: str, value: str, where: Path) -> None:
        """Judge a text that a field is to hold; ``where`` is the place of its record."""
        if "," in value:
            self.reference(value, (*where, name))
        if "." in value:
            self.model_name(name, value, (*where, name))
            self.blocked_model_text(value, (*where, name))
        if model in COMPOSERS:
            self.template(model, value, (*where, name))

    def no_record(self, value: Any, where: Path) -> None:
        """Judge what stands where the values of a record belong."""
        raise unfit(show(where), "must be an object of field names and values, or a list of them")

    def value(
        self, model: str | None, field: Field | None, name: Any, value: Any, where: Path
    ) -> None:
        """Judge what a field is to hold that is no commands; ``where`` its record stands."""
        if value is None or value is False:
            return
        kind = field.type if field is not None else ""
        fits = _FITS.get(kind)
        if fits is None or not fits(value):
            here = show((*where, name))
            raise unfit(here, f"has a value that does not fit a field of type {kind}")
        if isinstance(value, str):
            self.text(model, name, value, where)
        if field is not None and field.relation == "ir.model":
            self.id_written(field, value, (*where, name))


#: Models whose records are judged as a whole, and their texts as templates.
_JUDGED_WHOLE = frozenset({*FILE_MODELS, *COMPOSERS})
#: Keys of values that name a model.
_NAMING = MODEL_NAME_FIELDS | {f"default_{name}" for name in MODEL_NAME_FIELDS}


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 < value <= _LARGEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_moment(value: Any) -> bool:
    return isinstance(value, (str, date))


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _is_flat(value: Any) -> bool:
    """Whether it is a scalar, or a mapping of names to scalars and lists of them.

    Properties may be set so; given as a list they would define properties for all records.
    """
    if isinstance(value, Mapping):
        return all(
            isinstance(key, str)
            and (
                _is_scalar(item)
                or (isinstance(item, (list, tuple)) and all(_is_scalar(one) for one in item))
            )
            for key, item in value.items()
        )
    return _is_scalar(value)


_FITS: dict[str, Callable[[Any], bool]] = {
    "binary": lambda value: isinstance(value, (str, bytes)),
    "boolean": lambda value: isinstance(value, bool),
    "char": _is_text,
    "date": _is_moment,
    "datetime": _is_moment,
    "float": _is_number,
    "html": _is_text,
    "integer": _is_number,
    "json": _is_flat,
    "many2one": _is_id,
    "many2one_reference": _is_id,
    "monetary": _is_number,
    "properties": lambda value: isinstance(value, Mapping) and _is_flat(value),
    "reference": lambda value: isinstance(value, str) and bool(_REFERENCE.fullmatch(value)),
    "selection": _is_scalar,
    "text": _is_text,
}
