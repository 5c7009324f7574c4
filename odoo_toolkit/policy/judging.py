"""What is named in the arguments of a call: judged once, after it was read.

The arguments are typed objects (:mod:`odoo_toolkit.arguments`), made of what the caller gave or
handed in by the library; the call is sent as they say. What was not read is never sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import is_
from typing import Any, ClassVar

import attrs

from odoo_toolkit.arguments import scalars
from odoo_toolkit.arguments.domain import Domain, is_condition
from odoo_toolkit.arguments.domain_shape import DOMAIN_OPERATORS, OPERATORS, check_versions
from odoo_toolkit.arguments.fields import (
    DATE_PARTS,
    SERVER_COUNT,
    Expression,
    Named,
    read_expression,
)
from odoo_toolkit.arguments.order import Order
from odoo_toolkit.arguments.reading import READ, read_arguments
from odoo_toolkit.arguments.scalars import NAME, listed, short, unfit
from odoo_toolkit.arguments.values import read_values
from odoo_toolkit.call import PARAMETERS, Call
from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.fields import RELATIONAL, Field, unknown_field_error
from odoo_toolkit.policy.names import NO_FIELDS, Path, show
from odoo_toolkit.policy.owners import reaches_others
from odoo_toolkit.policy.reach import names_are_open
from odoo_toolkit.policy.rules import field_refusal, model_refusal
from odoo_toolkit.policy.tables import (
    HARMLESS_WRITES,
    LONGEST_NAME,
    MODEL_NAME_FIELDS,
    QUIET_GROUPINGS,
    WRITING_FIELDS,
    WRITING_NAMES,
    is_read_unasked,
)
from odoo_toolkit.policy.written import Written

_MOST_STEPS = 8
#: What is in these, only the server knows: the library does not refuse a path into them.
_UNKNOWN_WITHIN = RELATIONAL | {"properties", "json"}
_NAMED = tuple(kind for kind in READ if kind is not Order)


class Judge(Written):
    """Judges the arguments of a call of a method that only reads, or a write of restricted mode."""

    def judged(self, call: Call) -> Call:
        """Return the call with its arguments read and judged, as typed objects.

        Raises:
            AccessError: it names what is closed.
            ValidationError: an argument has not the shape that it must have.
        """
        #: Whether nothing passes but what is known to be harmless; else the rights of the Odoo
        #: user are the limit, and only what is closed by name is refused. A step of an operation
        #: was made by the toolkit: its models and its access were judged.
        self._strict = not call.step and (self.policy.mode != "full" or self.policy.closes)
        self._open: dict[str, Mapping[str, Field]] = {}
        #: What the library has read: it says itself, and better, which fields there are not. Of an
        #: order it looks at the first name of a path alone.
        self._given = {name for name, value in call.arguments.items() if isinstance(value, _NAMED)}
        #: What a read_group names its aggregates, by which it may be ordered.
        self._aliases: frozenset[str] = frozenset()
        ids = call.ids
        if ids is not None and self._strict:
            ids = scalars.checked_ids(ids)
        if call.method in HARMLESS_WRITES:
            return attrs.evolve(call, ids=ids, arguments=self._writing(call))
        model, method = call.model, call.method
        arguments = read_arguments(call)
        if method == "read_group":
            self._aliases = self._aliased(model, arguments.get("fields"))
        for name, value in arguments.items():
            judge = self._judges.get(f"{method}.{name}") or self._judges.get(name)
            if judge is not None:
                arguments[name] = judge(self, model, value, name)
        asked = arguments.get("fields")
        if method in ("read", "search_read") and not (asked and asked.items):
            # Of "*", the library itself asks for those that may be read.
            if not self._strict and "fields" not in self._given:
                self.all_fields(model)
            if self._strict:
                # Naming none would return every field, closed ones too.
                described = self._known(model).items()
                arguments["fields"] = Named(
                    tuple(
                        Expression(name)
                        for name, field in described
                        if is_read_unasked(model, field)
                    )
                )
        named = method == "name_search" and self._strict and arguments.get("name")
        if named:
            arguments = self._name_search(model, arguments)
        return attrs.evolve(call, ids=ids, arguments=arguments)

    def _known(self, model: str) -> Mapping[str, Field]:
        """Return the fields of a model that may be named; none where they cannot be had."""
        if model not in self._open:
            try:
                found = self.about.readable_fields(model, self.fields_of)
            except OdooError as error:
                lost = isinstance(error, OdooConnectionError) and error.outcome == "not_sent"
                if self._strict or lost:
                    raise
                found = NO_FIELDS
            self._open[model] = found
        return self._open[model]

    # Fields ----------------------------------------------------------------------------------

    def _field(self, model: str, name: str, where: str) -> Field | None:
        """Judge a field; None where there is none, and the library or Odoo is to say so.

        Odoo is where the rights of its user are the limit.
        """
        described = self._open.get(model)
        # What may be read has no closed name.
        if (described is None or name not in described) and (
            not name.isidentifier() or self.policy.field_blocked(name)
        ):
            self.name(name, model, (where,))
        if self._strict and (model, name) in WRITING_FIELDS:
            raise field_refusal(name, model, where)
        if described is None:
            described = self._known(model)
        field = described.get(name)
        if field is not None:
            return field
        hidden = None if described is NO_FIELDS else self.fields_of(model).get(name)
        if hidden is not None:
            self.shown(model, hidden, (where,))
        if hidden is not None and hidden.relation:
            raise model_refusal(self.policy, hidden.relation, f"{where}: {name}")
        if name == "id":
            return Field(name="id", type="integer")
        given, fits = where in self._given, NAME.fullmatch(name) is not None
        if not fits and not given:
            raise unfit(where, f"has {short(name)} where the name of a field belongs")
        if fits and (given or not self._strict):
            return None
        raise unknown_field_error(model, name, described)

    def _path(self, model: str, path: str, where: str, *, searched: bool = True) -> Field | None:
        """Judge a dotted path and return the field at its end, where it is known."""
        names = path.split(".") if len(path) <= LONGEST_NAME else []
        if not 0 < len(names) <= _MOST_STEPS:
            raise ValidationError(
                f"{where} contains {short(path)}, a path of more than {_MOST_STEPS} names.",
                suggestion="Shorten it.",
                code="INVALID_FIELD",
                details={"model": model, "named_in": where},
            )
        here = model
        for index, name in enumerate(names):
            field = self._field(here, name, where)
            rest = names[index + 1 :]
            if field is None:
                break
            if searched and self.policy.closes:
                self.searched(here, field)
            if not rest:
                return field
            if field.type in ("date", "datetime") and len(rest) == 1 and rest[0] in DATE_PARTS:
                return Field(name=rest[0], type="integer")
            if field.type == "properties" and len(rest) == 1 and NAME.fullmatch(rest[0]):
                self.name(rest[0], None, (where,))
                return Field(name=rest[0], type="char")
            if field.type not in RELATIONAL or not field.relation:
                if where not in self._given or (self._strict and field.type in _UNKNOWN_WITHIN):
                    raise unfit(where, f"follows {short(name)}, which is not a relation, in {path}")
                break
            self.followed(field, (where,))
            here = field.relation
        for name in rest:
            self.name(name, None, (where,))
        return None

    def _named(self, model: str, value: Named, where: str) -> Named:
        for item in value.items:
            known = item.path in self._open.get(model, NO_FIELDS)
            if not known or (self._strict and (model, item.path) in WRITING_FIELDS):
                self._path(model, item.path, where, searched=False)
        return value

    # Order and groups ------------------------------------------------------------------------

    def _order(self, model: str, value: Order, where: str) -> Order:
        for path in value.paths:
            self._path(model, path, where)
        return value

    def _group_order(self, model: str, value: Order, where: str) -> Order:
        for path in value.paths:
            self._expression(model, path, where)
        return value

    def _groupings(self, model: str, value: Named, where: str) -> Named:
        for item in value.items:
            field = self._path(model, item.path, where)
            self.name(item.function, model, (where,))
            if self.policy.closes_models and "groupby" not in self._given:
                self._no_property(model, item.path, where)
            if field and self.policy.closes and field.relation and reaches_others(field):
                # The groups would bear the names of those records.
                raise model_refusal(self.policy, str(field.relation), f"{where}: {item.path}")
            quiet = QUIET_GROUPINGS.get((model, self.version or 0))
            # A path is followed by reading: Odoo groups by its first step. A field that there is
            # not is named by the readers of arguments.
            if field and quiet is not None and item.path.partition(".")[0] not in quiet:
                raise AccessError(
                    f"Odoo {self.version} sends a message to the user each time {model} is "
                    f"grouped by {item.path}, so the toolkit does not allow it.",
                    code="FIELD_BLOCKED",
                    suggestion=f"Group by one of {', '.join(sorted(quiet))}, or read the records"
                    " and count them.",
                    details={"field": item.path, "model": model, "named_in": where},
                )
        return value

    def _no_property(self, model: str, path: str, where: str) -> None:
        """Refuse groups by a property: Odoo names the records, and does not tell their model."""
        first = self._known(model).get(path.partition(".")[0])
        if first is not None and first.type == "properties":
            raise field_refusal(path, model, where)

    def _measures(self, model: str, value: Named, where: str) -> Named:
        for item in value.items:
            if item.path != SERVER_COUNT:
                self._path(model, item.path, where)
                self.name(item.function, model, (where,))
        return value

    def _aliased(self, model: str, value: Named | None) -> frozenset[str]:
        """Return the names in ``name:function(field)`` that are those of no field."""
        aliases = {item.alias for item in value.items if item.alias} if value else set()
        if self._known(model) is NO_FIELDS:
            return frozenset()
        return frozenset(aliases.difference(self.fields_of(model)))

    def _expression(self, model: str, value: str, where: str) -> None:
        """Judge what groups are ordered or filtered by: an aggregate, or a grouping."""
        if value == SERVER_COUNT or value in self._aliases:
            return
        if value.endswith("_count") and value.removesuffix("_count") in self._known(model):
            return
        expression = read_expression(value, where, measured=True)
        if expression.alias:
            raise unfit(where, f"has {short(value)} where a grouping or field:function belongs")
        self._path(model, expression.path, where)

    def _having(self, model: str, value: Domain, where: str) -> Domain:
        for item in filter(is_condition, value.elements):
            if item[1] in DOMAIN_OPERATORS:
                raise unfit(where, f"has {item[1]}, which groups cannot be filtered by")
            self._expression(model, item[0], where)
        return value

    # Domains ---------------------------------------------------------------------------------

    def _domain(self, model: str, value: Domain, where: str) -> Domain:
        elements = value.elements
        conditions = [
            item if isinstance(item, str) else self._condition(model, item, where)
            for item in elements
        ]
        newer = any(OPERATORS.get(item[1], -1) for item in elements if type(item) is not str)
        if newer and (version := self.version) is not None:
            check_versions(elements, version)
        return value if all(map(is_, conditions, elements)) else Domain.of(conditions)

    def _condition(self, model: str, leaf: tuple[Any, ...], where: str) -> tuple[Any, ...]:
        path, operator, value = leaf
        if not isinstance(path, str):
            return leaf  # true or false of every record
        alone = path.isidentifier() and len(path) <= LONGEST_NAME and not self.policy.closes
        field = (self._field if alone else self._path)(model, path, where)
        last = field.name if field is not None else path.rpartition(".")[2].lower()
        comodel = field.relation if field is not None and field.type in RELATIONAL else None
        if operator in DOMAIN_OPERATORS:
            return (path, operator, self._inner(model, field, leaf, where))
        items = value if isinstance(value, tuple) else (value,)
        if comodel is not None and operator.endswith("_of"):
            self.judge(comodel, "read", (where,))
        named = last.removeprefix("default_") in MODEL_NAME_FIELDS or last == "res_field"
        for item in items:
            if isinstance(item, str) and (named or "," in item):
                self.value_named(last, operator, item, (where,))
        if self._strict and field and (field.name == "display_name" or comodel is not None):
            return self._by_name(model, path, field, operator, value)
        return leaf

    def _inner(
        self, model: str, field: Field | None, leaf: tuple[Any, ...], where: str
    ) -> tuple[Any, ...]:
        """Judge the domain on the records that a relation leads to."""
        path, operator, value = leaf
        comodel = model if path == "id" and not self._strict else None
        if comodel is None and field is not None and field.type in RELATIONAL and field.relation:
            self.followed(field, (where,))
            comodel = field.relation
        if comodel is None:
            raise unfit(where, f"has {operator} on {path}, which is not a relation")
        return tuple(
            item if isinstance(item, str) else self._condition(comodel, item, where)
            for item in value
        )

    def _by_name(
        self, model: str, path: str, field: Field, operator: str, value: Any
    ) -> tuple[Any, ...]:
        """Keep a search by name off closed fields that Odoo would look at."""
        items = value if isinstance(value, tuple) else (value,)
        if not any(isinstance(item, str) for item in items):
            return (path, operator, value)
        if field.relation:
            named, prefix = field.relation, f"{path}."
        else:
            prefix, _, _ = path.rpartition("display_name")
            named = model
            if prefix:
                led = self._path(model, prefix[:-1], path)
                named = str(led.relation) if led is not None else ""
        computed = bool(field.relation) and not (field.store or field.related)
        name = self._plain_name(named, always=computed and self.policy.closes)
        if name is None:
            return (path, operator, value)
        if operator.endswith("_of"):
            raise field_refusal(path, model, f"{path} compared with a text")
        return (prefix + name, operator, value)

    def _name_search(self, model: str, arguments: dict[str, Any]) -> dict[str, Any]:
        name, text = self._plain_name(model), arguments["name"]
        if name is None:
            return arguments
        # Without a text, Odoo applies the domain alone.
        asked = arguments.get("domain", Domain())
        domain = Domain.of(((name, arguments.get("operator", "ilike"), text), *asked.elements))
        return {**arguments, "name": "", "domain": domain, "operator": "ilike"}

    def _plain_name(self, model: str, always: bool = False) -> str | None:
        """Return the field to search names by, where Odoo's own way may look at what is closed.

        Odoo does not tell at which fields its search by name looks; it looks at other models',
        too. So while something is closed, names alone are searched, but for models of which it
        is known that nothing closed is looked at; with ``always`` for those, too.

        Raises:
            AccessError: there is no such field.
        """
        open_names = names_are_open(self.policy, model, self.fields_of)
        if open_names and not always and model not in WRITING_NAMES:
            return None
        described = self._known(model)
        for name in ("name", "x_name", "title"):
            if name in described and described[name].searchable:
                return name
        raise AccessError(
            f"{model} cannot be searched by name, because the search may use blocked fields.",
            code="FIELD_BLOCKED",
            suggestion="Search by another field.",
            details={"model": model},
        )

    # Values ----------------------------------------------------------------------------------

    def _writing(self, call: Call) -> dict[str, Any]:
        known = PARAMETERS.get(call.method, ())
        if call.positional:
            raise unfit("positional", "has more arguments than the method takes")
        if unknown := [name for name in call.arguments if name not in known]:
            raise unfit(unknown[0], f"is not an argument of {call.method}")
        if call.method != "load":
            return {
                name: self._values(call.model, value, name)
                for name, value in call.arguments.items()
            }
        columns = self._columns(call.model, call.arguments.get("fields", ()), "fields")
        rows = scalars.rows(call.arguments.get("data", ()), "data")
        self.rows_written(call.model, columns, rows, ("data",))
        built = {"fields": columns, "data": rows}
        return {name: value for name, value in built.items() if name in call.arguments}

    def written_field(self, model: Any, name: Any, where: Path) -> Field:
        """Judge the name of a field that is written, and return the field."""
        here = show(where)
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise unfit(here, f"has {short(name)} where the name of a field belongs")
        field = self._field(model, name, here)
        if field is None:
            raise unknown_field_error(model, name, self._known(model))
        self.written(model, name, where)
        return field

    def _values(self, model: str, value: Any, where: str) -> Any:
        read = read_values(value, model, self.open_fields, where)
        self.records(read, (where,), creating=self.access == "create")
        return read

    def _columns(self, model: str, value: Any, where: str) -> list[str]:
        """Judge the columns of ``load``: fields of the model itself, and ids of relations.

        External ids are left out: Odoo would make, or take over, those that are given.
        """
        columns = []
        for column in listed(value, where):
            if column == ".id":
                columns.append(column)
                continue
            name, _, rest = column.partition("/") if isinstance(column, str) else (column, "", "")
            if name == "id":
                raise field_refusal("id", model, f"{where}: {column}")
            field = self.written_field(model, name, (where,))
            many2one = field.type == "many2one"
            if (rest != ".id" if many2one else bool(rest)) or field.type in _NOT_LOADED:
                raise unfit(
                    where,
                    f"has the column {short(column)}: the toolkit can only load fields of {model} "
                    "itself, and relations by their ids (country_id/.id)",
                )
            columns.append(column)
        return columns

    #: parameter, or method and parameter -> what judges it
    _judges: ClassVar[dict[str, Callable[[Judge, str, Any, str], Any]]] = {
        "aggregates": _measures,
        "allfields": _named,
        "domain": _domain,
        "fields": _named,
        "formatted_read_group.order": _group_order,
        "groupby": _groupings,
        "having": _having,
        "order": _order,
        "orderby": _group_order,
        "read_group.fields": _measures,
    }


_NOT_LOADED = frozenset(
    {"one2many", "many2many", "reference", "properties", "properties_definition", "json"}
)
