"""Arguments that no reader knows: every place where a model or a field could be named is looked at.

So are judged the methods that nobody knows, in full mode, the values of a write there, and the
steps of the toolkit's own operations. What is found is put to the :class:`~odoo_toolkit.Policy`,
which decides. Where the schema cannot be had, names alone decide: a blocked name stays blocked, and
commands on records whose model cannot be known are refused wherever lists of models apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from odoo_toolkit.arguments import Records, Values, read_commands, read_values, scalars, with_values
from odoo_toolkit.arguments.reading import READ
from odoo_toolkit.arguments.values import VALUES
from odoo_toolkit.call import PARAMETERS, Call
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import TEXTS, TO_MANY, Field
from odoo_toolkit.policy.calls import NO_TEXTS, check_showing, names_nothing
from odoo_toolkit.policy.names import KEYS, NO_FIELDS, Path, show, too_large
from odoo_toolkit.policy.rules import field_refusal
from odoo_toolkit.policy.tables import ARGUMENT_KINDS, READS_ALL_FIELDS
from odoo_toolkit.policy.written import Written

_NAMES = re.compile(r"[\w./]+")
_LIKE_A_PATH = re.compile(
    r"\s*[\w./:()]+(\s+(asc|desc)(\s+nulls\s+(first|last))?)?\s*", re.IGNORECASE
)
_QUOTED = re.compile(r"""['"]\s*([\w./:]+)\s*['"]""")
#: What a many2one as the toolkit reads it has; with more in it, Odoo would make a record of it.
_NAMED = frozenset({"id", "name", "display_name"})
_LONGEST_OPERATOR = 40
_MOST_CONDITIONS = 5000
_OPERATOR = re.compile(
    r"\s*(=|!=|<>|<=|>=|<|>|=\?|=?i?like|not\s+=?i?like|(not\s+)?(in|any!?)|(child|parent)_of)\s*",
    re.IGNORECASE,
)


_SCALARS: frozenset[type] = NO_TEXTS | {str}
_VALUES = (Records, Values)


class Walk(Written):
    """One pass over a call: what it holds where."""

    #: Whether values may be as the caller worded them (records by their names), or stand for what a
    #: plan does not know yet: the call is not sent like this.
    _worded = True

    #: Values need not fit: the rights of the Odoo user are the limit, or nothing is sent.
    takes_any: ClassVar = {
        **dict.fromkeys([*TEXTS, "date", "datetime", "selection"], _SCALARS),
        **dict.fromkeys(["boolean", "float", "integer", "monetary"], _SCALARS),
        "many2one": NO_TEXTS,
    }

    def judged(self, call: Call, worded: bool) -> Call:
        """Return the call as it was read and judged; ``worded`` where it is not sent like this.

        Raises:
            AccessError: as of :meth:`call`.
            ValidationError: as of :meth:`call`, or a value cannot be read.
        """
        self._worded = worded
        call = with_values(call, self.open_fields, worded=worded)
        self.call(call)
        return call

    def call(self, call: Call) -> None:
        """Refuse the call where it names something that the policy does not allow.

        Raises:
            AccessError: naming the model or field and the place in the call.
            ValidationError: arguments out of place or nested too deeply.
        """
        model, method = call.model, call.method
        known = PARAMETERS.get(method, ())
        arguments = {**dict(zip(known, call.positional, strict=False)), **call.arguments}
        for index, value in enumerate(call.positional):
            self._scan(model, value, ("positional", index))
        for name, value in call.arguments.items():
            if isinstance(value, _VALUES) and name == VALUES.get(method) and name in known:
                self.records(value, (name,), creating=self.access == "create")
            else:
                self._argument(model, name, value, known)
        if call.context and not names_nothing(call.context):
            self.context(model, call.context)
        if method in READS_ALL_FIELDS and not (
            arguments.get("fields") or arguments.get("specification")
        ):
            self.all_fields(model)
        if method == "export_data" and self.policy.closes_models:
            self._exported(model, arguments.get("fields_to_export"))
        if method == "load":
            self._load(model, arguments.get("fields"), arguments.get("data"))

    def _argument(self, model: str, name: str, value: Any, known: tuple[str, ...]) -> None:
        path = (name,)
        kind = ARGUMENT_KINDS.get(name)
        self._typed(kind, model, value, path)
        if kind == "context" or (kind == "text" and isinstance(value, str)):
            return
        if name not in known:
            self._entry(model, name, value, path)

    def _typed(self, kind: str | None, model: str | None, value: Any, path: Path) -> None:
        if kind == "values":
            if not isinstance(value, READ):
                value = read_values(value, model, self.open_fields, show(path), worded=True)
            self.records(value, path, creating=self.access == "create")
        elif kind == "files":
            self._files(value, path)
        elif kind is not None:
            self._walks[kind](self, model, value, path)

    def _files(self, value: Any, path: Path) -> None:
        """Judge files to attach to a message: pairs of a name and the content."""
        for index, item in self.each(value if isinstance(value, (list, tuple)) else (), path):
            if isinstance(item, (list, tuple)) and len(item) > 1:
                values = {"name": item[0], "raw": item[1]}
                self.record_written("ir.attachment", values, (*path, index))

    # Names -----------------------------------------------------------------------------------

    def _field_list(self, model: str | None, value: Any, path: Path) -> None:
        """Field names, export and import paths, groupings and aggregates, in any nesting."""
        if isinstance(value, str):
            # name, path, "field:month", "field:sum", "alias:sum(field)"; several, by commas
            for expression in _NAMES.findall(value):
                self.field_path(model, expression, path)
        elif isinstance(value, Mapping):
            for key, item in self.items(value, path):
                self._field_list(model, key, (*path, key))
                self._scan(model, item, (*path, key))
        elif isinstance(value, (list, tuple, set, frozenset)):
            for index, item in self.each(value, path):
                self._field_list(model, item, (*path, index))

    # Domains ---------------------------------------------------------------------------------

    def _domain(self, model: str | None, value: Any, path: Path) -> None:
        if isinstance(value, str):
            self._quoted(model, value, path)
        elif isinstance(value, Mapping):
            self._scan(model, value, path)
        elif isinstance(value, (list, tuple)) and self.first_time("domain", model, value):
            if len(value) > _MOST_CONDITIONS:
                raise too_large()
            if _is_condition(value):
                self._condition(model, value, path)
                return
            for index, item in self.each(value, path):
                if not isinstance(item, str):
                    self._domain(model, item, (*path, index))
                elif item not in ("&", "|", "!"):
                    self._text(model, item, (*path, index))

    def _condition(self, model: str | None, leaf: Any, path: Path) -> None:
        expression, operator, value = leaf[0], leaf[1], leaf[2]
        field: Field | None = None
        for name in _NAMES.findall(expression):  # "field", "a.b", and in having "field:sum"
            found = self.field_path(model, name, path)
            field = field or found
        comodel = field.relation if field is not None else None
        operator = " ".join(operator.lower().split()) if isinstance(operator, str) else ""
        nested = isinstance(value, (list, tuple)) and any(
            isinstance(item, (list, tuple, Mapping)) for item in value
        )
        if field is not None and comodel is not None:
            if "any" in operator or nested:
                self.followed(field, path)
            elif operator.endswith("_of"):
                self.judge(comodel, "read", path)
        if nested or "any" in operator:
            self._domain(comodel, value, (*path, 2))
        elif isinstance(value, Mapping):
            self._scan(comodel, value, (*path, 2))
        else:
            name = re.split(r"[./]", expression)[-1].strip().lower()
            for item in value if isinstance(value, (list, tuple)) else (value,):
                self.value_named(name, operator, item, (*path, 2))

    # Specifications --------------------------------------------------------------------------

    def _specification(self, model: str | None, value: Any, path: Path) -> None:
        if not isinstance(value, Mapping):
            self._scan(model, value, path)
            return
        # Each field with its options counts.
        self.count(path, 1 + len(value))
        known = NO_FIELDS
        for name, options in value.items():
            if known is NO_FIELDS and model in self._fields and not self.policy.closes:
                known = self.policy.readable_fields(model, self.described)
            if type(options) is dict and not options and name in known:
                continue
            here = (*path, name)
            field = self.field_path(model, str(name), here)
            comodel = field.relation if field is not None else None
            if not isinstance(options, Mapping):
                self._scan(comodel, options, here)
                continue
            inner = options.get("fields")
            more = inner and (not isinstance(inner, Mapping) or not set(inner) <= _ID_AND_NAME)
            if field is not None and comodel and (more or (inner and field.type in TO_MANY)):
                self.followed(field, here)
            for key, item in options.items():
                if key == "fields":
                    self._specification(comodel, item, (*here, key))
                elif key in ("order", "context"):
                    self._typed(key, comodel, item, (*here, key))
                else:
                    self._scan(comodel, item, (*here, key))

    # Values ----------------------------------------------------------------------------------

    def no_record(self, value: Any, where: Path) -> None:
        """Check something else in the place of a record."""
        self.unknown(None, value, where)

    def value(
        self, model: str | None, field: Field | None, name: Any, value: Any, where: Path
    ) -> None:
        """Check a value without commands; ``where`` is the place of its record."""
        if field is not None and field.type == "many2one":
            self.related(field, value, (*where, name))
        if field is not None and field.type in TO_MANY:
            self.unread(model, field, value, (*where, name))
        elif isinstance(value, str):
            self.text(model, str(name), value, where)
            if str(name).endswith("domain"):
                self.unknown(None, value, (*where, name))
        elif isinstance(value, (list, tuple, Mapping)):
            if field is None and value:
                self.nowhere(model, str(name), (*where, name))
            self.unknown(model, value, (*where, name))

    def written_field(self, model: str | None, name: Any, where: Path) -> Field | None:
        """Judge the name of a field in values, and return the field, where it is known."""
        field = self.field_path(model, str(name), where)
        if self.access != "read":
            self.written(model, str(name), where)
        return field

    def related(self, field: Field, value: Any, path: Path) -> None:
        """Judge what a many2one is given: an id, and never an object that becomes a record."""
        if self.step:
            return
        if isinstance(value, Mapping) and not set(value) <= _NAMED:
            raise field_refusal(field.name, None, show(path))
        self.id_written(field, value, path)

    def _commands(self, model: str | None, field: Field, value: Any, path: Path) -> None:
        """Judge what may be commands, in an argument of which nothing is known."""
        values = {field.name: value}
        read = read_values(values, model, self.open_fields, show(path), worded=True)
        if lines := read.lines.get(field.name):
            self.commands(field, model, lines, path, creating=False)
        elif not read.lines:
            self.unread(model, field, value, path)

    def unread(self, model: str | None, field: Field, value: Any, path: Path) -> None:
        """Judge a value of a one2many or many2many that is not in the form of commands."""
        comodel = field.relation
        if not self._worded:
            self.nowhere(model, field.name, path)
        if comodel and _holds_commands(value):
            self.judge(comodel, "read" if self.access == "read" else "create", path)
        self._scan(comodel, value, path)

    def _exported(self, model: str, columns: Any) -> None:
        """Refuse properties: Odoo names the records, and does not tell their model."""
        for column in columns if isinstance(columns, (list, tuple)) else ():
            here: str | None = model
            for name in str(column).split("/"):
                field = self.field(here, name.partition(".")[0])
                if field is not None and field.type == "properties":
                    raise field_refusal(str(column), here, "fields_to_export")
                here = field.relation if field is not None else None

    def _load(self, model: str, columns: Any, rows: Any) -> None:
        """``load`` creates and updates the lines that a column's path leads to."""
        columns = scalars.listed(columns or (), "fields")
        self.rows_written(model, columns, scalars.rows(rows or (), "data"), ("data",))
        for column in columns:
            path = ("fields", column)
            here: str | None = model
            names = str(column).split("/")
            for name, following in zip(names, [*names[1:], ""], strict=True):
                self.written(here, name, path)
                field = self.field(here, name)
                here = field.relation if field is not None else None
                if field is None or not here or field.type not in TO_MANY:
                    continue
                # Records of a one2many are taken over even where only their ids are given.
                if field.type == "one2many" or following not in KEYS:
                    self.judge(here, "create", path)
                    self.judge(here, "write", path)

    # Context ---------------------------------------------------------------------------------

    def context(self, model: str | None, value: Any, path: Path = ("context",)) -> None:
        """Refuse the call where its context names something that the policy does not allow."""
        if not isinstance(value, Mapping):
            self._scan(model, value, path)
            return
        if not self.step:
            check_showing(self.policy, value)
        for key, item in self.items(value, path):
            here = (*path, key)
            if not isinstance(key, str):
                self._scan(model, item, here)
            elif key.startswith("default_"):
                name = key[len("default_") :]
                # A default reaches every record that the call makes, of whatever model.
                foreign = self.field(model, name) is None
                if foreign and self.access != "read" and _holds_commands(item):
                    raise field_refusal(name, model, show(here))
                read = read_values({name: item}, model, self.open_fields, show(here), worded=True)
                self.records(read, here, creating=True)
            elif key == "name_create_enabled_fields" and isinstance(item, Mapping):
                for name in item:
                    field = self.field_path(model, str(name), here)
                    if field is not None and field.relation and item[name]:
                        self.judge(field.relation, "create", here)
            else:
                self.model_name(key, item, here)
                self._scan(model, item, here)

    # Whatever has no known shape -------------------------------------------------------------

    def _scan(self, model: str | None, value: Any, path: Path) -> None:
        """Look for names in arguments of which nothing is known."""
        if isinstance(value, str):
            self._text(model, value, path)
        elif not isinstance(value, _CONTAINERS) or not self.first_time("scan", model, value):
            return
        elif isinstance(value, Mapping):
            for key, item in self.items(value, path):
                self._entry(model, key, item, (*path, key))
        elif isinstance(value, (list, tuple, set, frozenset)):
            if isinstance(value, (list, tuple)) and _is_condition(value):
                self._condition(model, value, path)
            for index, item in self.each(value, path):
                self._scan(model, item, (*path, index))

    def _entry(self, model: str | None, key: Any, value: Any, path: Path) -> None:
        """A key and its value, which may be a field of the model and commands on its records."""
        if isinstance(key, str):
            self._text(model, key, path)
            self.model_name(key, value, path)
            field = self.field(model, key)
            if field is not None and field.type == "many2one":
                self.related(field, value, path)
            if model and field is not None and field.type in TO_MANY:
                self._commands(model, field, value, path)
            if self.access != "read":
                self.written(model, key, path)
        self._scan(model, value, path)

    def unknown(self, model: str | None, value: Any, path: Path) -> None:
        """Judge what a field holds that has no known shape; ``model`` has the field."""
        self._scan(None, value, path)
        self._texts(model, value, path)

    def _text(self, model: str | None, value: str, path: Path) -> None:
        self.blocked_model_text(value, path)
        self.reference(value, path)
        self.template(model, value, path)
        pieces = value.split(",")
        if all(_LIKE_A_PATH.fullmatch(piece) for piece in pieces):
            for piece in pieces:
                names = re.split(r"[./:()\s]+", piece.strip())
                for name in names:
                    self.name(name, model, path)
                if self.field(model, names[0]) is not None:
                    self._field_list(model, piece, path)
        else:
            self._quoted(model, value, path)

    def _texts(self, model: str | None, value: Any, path: Path) -> None:
        """Free text: no field is named in it, but a template may be, and a reference."""
        if isinstance(value, str):
            self.template(model, value, path)
            self.reference(value, path)
        elif isinstance(value, Mapping):
            for key, item in self.items(value, path):
                self._texts(model, item, (*path, key))
        elif isinstance(value, (list, tuple)):
            for index, item in self.each(value, path):
                self._texts(model, item, (*path, index))

    def _quoted(self, model: str | None, value: str, path: Path) -> None:
        """Names in quotes, in text that is a domain, a list or a mapping written out."""
        if value.lstrip()[:1] in ("[", "(", "{"):
            for expression in _QUOTED.findall(value):
                for name in re.split(r"[./:]", expression):
                    self.name(name, model, path)
                self.blocked_model_text(expression, path)

    #: What an argument holds -> what walks through it.
    _walks: ClassVar[dict[str, Callable[[Walk, str | None, Any, Path], None]]] = {
        "context": context,
        "data": _texts,
        "domain": _domain,
        "fields": _field_list,
        "order": _field_list,
        "specification": _specification,
        "text": _texts,
    }


def _holds_commands(value: Any) -> bool:
    """Whether a value of a field that nobody knows makes, changes or deletes records."""
    try:
        commands = read_commands(value, "value", default=True)
    except ValidationError:
        items = value if isinstance(value, (list, tuple)) else [value]
        return any(isinstance(item, (list, tuple, Mapping)) for item in items)
    return any(command.kind in ("create", "update", "delete") for command in commands)


_CONTAINERS = (Mapping, list, tuple, set, frozenset)
_ID_AND_NAME = frozenset({"id", "display_name"})


def _is_condition(value: list[Any] | tuple[Any, ...]) -> bool:
    return (
        len(value) == 3
        and isinstance(value[0], str)
        and value[0] not in ("&", "|", "!")
        and isinstance(value[1], str)
        and len(value[1]) <= _LONGEST_OPERATOR
        and _OPERATOR.fullmatch(value[1]) is not None
    )
