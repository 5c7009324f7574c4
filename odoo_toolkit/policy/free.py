"""Calls that a caller shaped, where only what is known to be harmless may pass.

Each argument is parsed into typed values (field names of the model, one domain, numbers, ...),
what is named in it is judged, and the call is built anew from what was parsed. What was not
parsed is never sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments import read_order
from odoo_toolkit.arguments.domain_shape import DOMAIN_OPERATORS, check_syntax
from odoo_toolkit.arguments.domain_values import DATE_NUMBERS
from odoo_toolkit.call import Call, parameter_names
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import RELATIONAL, Field, unknown_field_error
from odoo_toolkit.policy import plain
from odoo_toolkit.policy.harmless import HARMLESS_WRITES, WRITING_FIELDS, WRITING_NAMES
from odoo_toolkit.policy.names import Names, unfit
from odoo_toolkit.policy.owners import reaches_others
from odoo_toolkit.policy.refusals import field_refusal, model_refusal
from odoo_toolkit.policy.searches import names_are_open
from odoo_toolkit.policy.tables import LONGEST_NAME
from odoo_toolkit.policy.written import Written

_MOST_STEPS = 8
_GROUPING = re.compile(r"([A-Za-z_][\w.]{0,199})(?::([a-z_]{1,20}))?", re.ASCII)
_AGGREGATE = re.compile(
    r"([A-Za-z_]\w{0,99})(?::([a-z_]{1,20})(?:\(([A-Za-z_]\w{0,99})\))?)?", re.ASCII
)
_FUNCTIONS = frozenset(
    {
        *("sum", "avg", "min", "max", "count", "count_distinct", "bool_and", "bool_or"),
        *("array_agg", "array_agg_distinct", "recordset", "sum_currency"),
    }
)
_DATE_PARTS = DATE_NUMBERS | {"hour", "day", "week", "month", "quarter", "year"}
_COUNT = "__count"


def rebuilt(names: Names, call: Call) -> Call:
    """Return the call with its arguments parsed, judged and built anew.

    Args:
        names: judges what is named.
        call: a harmless method, or a write that the mode allows.

    Raises:
        AccessError: it names what is closed.
        ValidationError: an argument has not the shape that it must have.
    """
    return _Parser(names).call(call)


class _Parser:
    """Parses the arguments of one call."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._policy = names.policy
        self._fields: dict[str, Mapping[str, Field]] = {}
        #: What a read_group names its aggregates, by which it may be ordered.
        self._aliases: frozenset[str] = frozenset()
        #: parameter, or method and parameter -> what parses it
        self._parsers: dict[str, Callable[[str, Any, str], Any]] = {
            "aggregates": self._aggregates,
            "allfields": self._field_names,
            "attributes": plain.words,
            "data": plain.rows,
            "domain": self._domain,
            "fields": self._field_names,
            "formatted_read_group.order": self._group_order,
            "groupby": self._groupings,
            "having": self._having,
            "lazy": plain.switch,
            "limit": plain.count,
            "load": plain.load,
            "load.fields": self._columns,
            "name": plain.text,
            "offset": plain.count,
            "operator": plain.operator,
            "order": self._order,
            "orderby": self._group_order,
            "read_group.fields": self._aggregates,
            "vals": self._values,
            "vals_list": self._values,
        }

    def call(self, call: Call) -> Call:
        method, known = call.method, parameter_names(call.method) or ()
        if call.positional:
            raise unfit("positional", "has more arguments than the method takes")
        arguments = {}
        if method == "read_group":
            self._aliases = self._named_aggregates(call.model, call.arguments.get("fields"))
        for name, value in call.arguments.items():
            if name not in known:
                raise unfit(name, f"is no argument of {method}")
            if value is not None or method in HARMLESS_WRITES:
                parse = self._parsers.get(f"{method}.{name}") or self._parsers[name]
                arguments[name] = parse(call.model, value, name)
        if method in ("read", "search_read") and not arguments.get("fields"):
            # Naming none would return every field, closed ones too.
            arguments["fields"] = [
                name
                for name, field in self._described(call.model).items()
                if field.type != "binary" and (call.model, name) not in WRITING_FIELDS
            ]
        if method == "name_search":
            arguments = self._name_search(call.model, arguments)
        if method == "load":
            columns, rows = arguments.get("fields", ()), arguments.get("data", ())
            self._names.rows_written(call.model, columns, rows, ("data",))
        ids = None if call.ids is None else plain.checked_ids(call.ids)
        return attrs.evolve(call, ids=ids, arguments=arguments)

    def _described(self, model: str) -> Mapping[str, Field]:
        """Return the fields of a model that may be named."""
        if model not in self._fields:
            self._fields[model] = self._policy.readable_fields(model, self._names.fields_of)
        return self._fields[model]

    # Fields ----------------------------------------------------------------------------------

    def _field(self, model: str, name: Any, where: str) -> Field:
        if not isinstance(name, str) or not plain.NAME.fullmatch(name):
            raise unfit(where, f"has {plain.short(name)} where the name of a field belongs")
        self._names.name(name, model, (where,))
        if (model, name) in WRITING_FIELDS:
            raise field_refusal(name, model, where)
        field = self._described(model).get(name)
        if field is not None:
            return field
        hidden = self._names.fields_of(model).get(name)
        if hidden is not None:
            self._names.shown(model, hidden, (where,))
        if hidden is not None and hidden.relation:
            raise model_refusal(self._policy, hidden.relation, f"{where}: {name}")
        if name == "id":
            return Field(name="id", type="integer")
        raise unknown_field_error(model, name, self._described(model))

    def _path(self, model: str, path: str, where: str) -> Field:
        """Judge a dotted path and return the field at its end."""
        names = path.split(".") if len(path) <= LONGEST_NAME else []
        if not 0 < len(names) <= _MOST_STEPS:
            raise unfit(where, f"has {plain.short(path)} where the name of a field belongs")
        here = model
        for index, name in enumerate(names):
            field = self._field(here, name, where)
            self._names.searched(here, field)
            rest = names[index + 1 :]
            if not rest:
                break
            if field.type in ("date", "datetime") and len(rest) == 1 and rest[0] in _DATE_PARTS:
                return Field(name=rest[0], type="integer")
            if field.type == "properties" and len(rest) == 1 and plain.NAME.fullmatch(rest[0]):
                self._names.name(rest[0], None, (where,))
                return Field(name=rest[0], type="char")
            if field.type not in RELATIONAL or not field.relation:
                raise unfit(where, f"follows {plain.short(name)}, which is no relation, in {path}")
            self._names.followed(field, (where,))
            here = field.relation
        return field

    def _field_names(self, model: str, value: Any, where: str) -> list[str]:
        names = [str(self._field(model, name, where).name) for name in plain.listed(value, where)]
        return list(dict.fromkeys(names))

    # Order and groups ------------------------------------------------------------------------

    def _order(self, model: str, value: Any, where: str) -> str:
        order = read_order(value, where)
        for path in order.paths:
            self._path(model, path, where)
        return order.wire

    def _group_order(self, model: str, value: Any, where: str) -> str:
        order = read_order(value, where)
        for path in order.paths:
            self._expression(model, path, where)
        return order.wire

    def _groupings(self, model: str, value: Any, where: str) -> list[str]:
        return [self._grouping(model, item, where) for item in plain.listed(value, where, True)]

    def _grouping(self, model: str, value: Any, where: str) -> str:
        match = _GROUPING.fullmatch(value) if isinstance(value, str) else None
        if match is None or (match[2] and match[2] not in _DATE_PARTS):
            raise unfit(where, f"has {plain.short(value)} where a field to group by belongs")
        field = self._path(model, match[1], where)
        if self._policy.closes and field.relation and reaches_others(field):
            # The groups would bear the names of those records.
            raise model_refusal(self._policy, str(field.relation), f"{where}: {match[1]}")
        return match[0]

    def _aggregates(self, model: str, value: Any, where: str) -> list[str]:
        return [self._aggregate(model, item, where) for item in plain.listed(value, where)]

    def _aggregate(self, model: str, value: Any, where: str) -> str:
        """Judge ``field``, ``field:function`` or ``name:function(field)``."""
        if value == _COUNT:
            return _COUNT
        match = _AGGREGATE.fullmatch(value) if isinstance(value, str) else None
        if match is None or (match[2] and match[2] not in _FUNCTIONS | _DATE_PARTS):
            raise unfit(where, f"has {plain.short(value)} where field:function belongs")
        self._names.searched(model, self._field(model, match[3] or match[1], where))
        return match[0]

    def _named_aggregates(self, model: str, value: Any) -> frozenset[str]:
        """Return the names in ``name:function(field)`` that are those of no field."""
        items = value if isinstance(value, (list, tuple)) else ()
        matches = [_AGGREGATE.fullmatch(item) for item in items if isinstance(item, str)]
        named = {match[1] for match in matches if match and match[3]}
        return frozenset(named - set(self._names.fields_of(model)))

    def _expression(self, model: str, value: str, where: str) -> str:
        """Judge what groups are ordered or filtered by: an aggregate, or a grouping."""
        if value == _COUNT or value in self._aliases:
            return value
        if value.endswith("_count") and value.removesuffix("_count") in self._described(model):
            return value
        match = _GROUPING.fullmatch(value)
        if match is None or (match[2] and match[2] not in _FUNCTIONS | _DATE_PARTS):
            raise unfit(
                where, f"has {plain.short(value)} where a grouping or field:function belongs"
            )
        self._path(model, match[1], where)
        return match[0]

    def _having(self, model: str, value: Any, where: str) -> list[Any]:
        conditions = []
        for item in check_syntax(plain.as_list(value), self._names.version):
            if not plain.is_leaf(item):
                conditions.append(item)
            elif item[1] in DOMAIN_OPERATORS:
                raise unfit(where, f"has {item[1]}, which groups cannot be filtered by")
            else:
                conditions.append([self._expression(model, item[0], where), *item[1:]])
        return conditions

    # Domains ---------------------------------------------------------------------------------

    def _domain(self, model: str, value: Any, where: str) -> list[Any]:
        return self._conditions(
            model, check_syntax(plain.as_list(value), self._names.version), where
        )

    def _conditions(self, model: str, domain: Sequence[Any], where: str) -> list[Any]:
        return [
            self._condition(model, item, where) if plain.is_leaf(item) else item for item in domain
        ]

    def _condition(self, model: str, leaf: Sequence[Any], where: str) -> list[Any]:
        path, operator, value = leaf
        if len(path) > LONGEST_NAME:
            raise unfit(where, f"has {plain.short(path)} where the name of a field belongs")
        field = self._path(model, path, where)
        comodel = field.relation if field.type in RELATIONAL else None
        if operator in DOMAIN_OPERATORS:
            if comodel is None:
                raise unfit(where, f"has {operator} on {path}, which is no relation")
            self._names.followed(field, (where,))
            return [path, operator, self._conditions(comodel, value, where)]
        items = value if isinstance(value, list) else [value]
        if comodel is not None and operator.endswith("_of"):
            self._names.judge(comodel, "read", (where,))
        for item in items:
            self._names.value_named(field.name, operator, item, (where,))
        if field.name == "display_name" or comodel is not None:
            return self._by_name(model, path, field, operator, value)
        return [path, operator, value]

    def _by_name(self, model: str, path: str, field: Field, operator: str, value: Any) -> list[Any]:
        """Keep a search by name off closed fields that Odoo would look at."""
        items = value if isinstance(value, list) else [value]
        if not any(isinstance(item, str) for item in items):
            return [path, operator, value]
        if field.relation:
            named, prefix = field.relation, f"{path}."
        else:
            prefix, _, _ = path.rpartition("display_name")
            named = str(self._path(model, prefix[:-1], path).relation) if prefix else model
        computed = bool(field.relation) and not (field.store or field.related)
        name = self._plain_name(named, always=computed and self._policy.closes)
        if name is None:
            return [path, operator, value]
        if operator.endswith("_of"):
            raise field_refusal(path, model, f"{path} compared with a text")
        return [prefix + name, operator, value]

    def _name_search(self, model: str, arguments: dict[str, Any]) -> dict[str, Any]:
        text = arguments.get("name", "")
        name = self._plain_name(model) if text else None
        if name is None:
            return arguments
        # Without a text, Odoo applies the domain alone.
        condition = [name, arguments.get("operator", "ilike"), text]
        domain = [condition, *arguments.get("domain", ())]
        return {**arguments, "name": "", "domain": domain, "operator": "ilike"}

    def _plain_name(self, model: str, always: bool = False) -> str | None:
        """Return the field to search names by, where Odoo's own way may look at what is closed.

        Odoo does not tell at which fields its search by name looks; it looks at other models',
        too. So while something is closed, names alone are searched, but for models of which it
        is known that nothing closed is looked at; with ``always`` for those, too.

        Raises:
            AccessError: there is no such field.
        """
        open_names = names_are_open(self._policy, model, self._names.fields_of)
        if open_names and not always and model not in WRITING_NAMES:
            return None
        described = self._described(model)
        for name in ("name", "x_name", "title"):
            if name in described and described[name].searchable:
                return name
        raise AccessError(
            f"{model} cannot be searched by name here: what is closed may be looked at.",
            code="FIELD_BLOCKED",
            suggestion="Search by another field.",
            details={"model": model},
        )

    # Values ----------------------------------------------------------------------------------

    def _values(self, model: str, value: Any, where: str) -> Any:
        written = Written(self._names, self._field)
        new = self._names.access == "create"
        if isinstance(value, Mapping):
            return written.record(model, value, where, creating=new)
        if not isinstance(value, (list, tuple)):
            raise unfit(where, "must be an object of field names and values, or a list of them")
        return [
            written.record(model, item, f"{where}[{i}]", creating=new)
            for i, item in enumerate(value)
        ]

    def _columns(self, model: str, value: Any, where: str) -> list[str]:
        """Judge the columns of ``load``: fields of the model itself, and ids of relations.

        External ids are left out: Odoo would make, or take over, those that are given.
        """
        columns = []
        for column in plain.listed(value, where):
            if column == ".id":
                columns.append(column)
                continue
            name, _, rest = column.partition("/") if isinstance(column, str) else (column, "", "")
            if name == "id":
                raise field_refusal("id", model, f"{where}: {column}")
            field = self._field(model, name, where)
            self._names.written(model, name, (where,))
            many2one = field.type == "many2one"
            if (rest != ".id" if many2one else bool(rest)) or field.type in _NOT_LOADED:
                raise unfit(
                    where,
                    f"has the column {plain.short(column)}: only fields of {model} itself, and"
                    " relations by their ids (country_id/.id), can be loaded here",
                )
            columns.append(column)
        return columns


_NOT_LOADED = frozenset(
    {"one2many", "many2many", "reference", "properties", "properties_definition", "json"}
)
