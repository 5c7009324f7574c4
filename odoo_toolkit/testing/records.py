"""Records in memory, and the methods of every model on them."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import ge, gt, le, lt
from typing import Any

import attrs

from odoo_toolkit.arguments import Command, read_commands
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error
from odoo_toolkit.fields import TO_MANY
from odoo_toolkit.testing.descriptions import Description
from odoo_toolkit.testing.groups import grouped

Row = dict[str, Any]

#: What an unset field holds that is not False.
_UNSET: dict[str, Any] = {"integer": 0, "float": 0.0, "monetary": 0.0}
_ORDERS: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_OPPOSITES = {
    "!=": "=",
    **{f"not {operator}": operator for operator in ("in", "like", "ilike", "any")},
}


class Records:
    """Records by model, in Odoo's order.

    Args:
        models: the fields of each model, as ``fields_get`` describes them.
        records: the models that are kept, and what is in them at first.
        uid: who creates and changes.

    Attributes:
        rows: the records as they are now.
        unaccent: whether searches take e for é.
        methods: method -> what carries it out.
    """

    def __init__(
        self,
        models: Mapping[str, Mapping[str, Description]],
        records: Mapping[str, Iterable[Mapping[str, Any]]],
        uid: int,
    ) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.unaccent = False
        self._models, self._uid = models, uid
        self._lock = threading.RLock()
        self._last_ids = Counter[str]()
        for model, rows in records.items():
            self.rows[model] = []
            for row in rows:
                self.rows[model].append({"id": self._next_id(model), **row})
            self._last_ids[model] = max((row["id"] for row in self.rows[model]), default=0)
        self.methods: dict[str, Callable[[Call], Any]] = {
            "search": lambda call: [row["id"] for row in self._found(call)],
            "search_count": lambda call: len(self._found(call)),
            # It searches with active_test, and reads without, as Odoo's own does.
            "search_read": lambda call: self._shown(call, self._found(call), archived=False),
            "read": lambda call: self._shown(
                call,
                self._rows(call.model, call.ids),
                archived=not call.context.get("active_test", True),
            ),
            "exists": lambda call: [row["id"] for row in self._rows(call.model, call.ids)],
            "name_get": lambda call: _names(call.model, self._rows(call.model, call.ids)),
            "name_search": self._name_search,
            "default_get": lambda call: {},
            # A form that computes nothing.
            "onchange": lambda call: {"value": {}},
            "get_view": lambda call: self._form(call.model),
            "fields_view_get": lambda call: self._form(call.model),
            "create": self._create,
            "write": self._write,
            "web_save_multi": self._write_each,
            "unlink": lambda call: self._delete(call.model, call.ids or ()),
            "read_group": lambda call: grouped(self, call),
            "formatted_read_group": lambda call: grouped(self, call),
        }

    def answer(self, call: Call) -> Any:
        """Carry out a method of :attr:`methods`."""
        with self._lock:
            return self.methods[call.method](call)

    # Reading -----------------------------------------------------------------------------------

    def _field(self, model: str, name: str) -> Description:
        if name not in self._models[model]:
            raise make_error("INVALID_FIELD", f"There is no field {name!r} in {model}.")
        return self._models[model][name]

    def _rows(self, model: str, ids: Iterable[int] | None) -> list[Row]:
        found = {row["id"]: row for row in self.rows.get(model, ())}
        return [found[i] for i in ids or () if i in found]

    def matching(self, call: Call) -> list[Row]:
        """Return the records that match the domain of a call."""
        model, asked = call.model, call.arguments
        domain = list(asked.get("domain") or ())
        if "active" in self._models[model] and call.context.get("active_test", True):
            named = any(isinstance(item, (list, tuple)) and item[0] == "active" for item in domain)
            domain += [] if named else [["active", "=", True]]
        return [row for row in self.rows[model] if self._holds(model, row, domain)]

    def along(self, model: str, row: Mapping[str, Any], path: str) -> tuple[str, Any]:
        """Return the type of the field at the end of a path, and what a record has there.

        False where the path ends before; of a record without an id, only the type is of use.
        """
        name, _, rest = path.partition(".")
        field = self._field(model, name)
        value = self._value(model, row, name) if row else False
        if not rest:
            return field["type"], value
        rows = self._rows(field["relation"], [value] if value else [])
        return self.along(field["relation"], rows[0] if rows else {}, rest)

    def named(self, model: str, path: str, record_id: int) -> list[Any]:
        """Return a record of the relation at the end of a path with its name, as Odoo shows it."""
        name, _, rest = path.partition(".")
        relation = self._field(model, name)["relation"]
        if rest:
            return self.named(relation, rest, record_id)
        return _names(relation, self._rows(relation, [record_id]) or [{"id": record_id}])[0]

    def _found(self, call: Call) -> list[Row]:
        model, asked = call.model, call.arguments
        rows = self.matching(call)
        for part in reversed((asked.get("order") or "").split(",")):
            name, _, way = part.strip().partition(" ")
            if name:
                rows.sort(key=lambda row: self._place(model, row, name), reverse=way == "desc")
        start, limit = asked.get("offset") or 0, asked.get("limit")
        return rows[start : start + limit if limit else None]

    def _name_search(self, call: Call) -> list[list[Any]]:
        asked = call.arguments
        condition = ["display_name", asked.get("operator") or "ilike", asked.get("name") or ""]
        named = {**asked, "domain": [*(asked.get("domain") or ()), condition]}
        found = Call(model=call.model, method="search", arguments=named, context=call.context)
        return _names(call.model, self._found(found))

    def _form(self, model: str) -> dict[str, Any]:
        """Return a form view of all fields, without a button."""
        fields = "".join(f'<field name="{name}"/>' for name in self._models[model])
        return {"arch": f"<form>{fields}</form>"}

    def _shown(self, call: Call, rows: Iterable[Row], *, archived: bool) -> list[Row]:
        """Return records as ``read`` does: a many2one with its name.

        Args:
            call: names the fields.
            rows: the records.
            archived: whether links to archived records are shown.
        """
        model = call.model
        names = call.arguments.get("fields") or self._models[model]
        return [
            {"id": row["id"], **{name: self._named(model, row, name, archived) for name in names}}
            for row in rows
        ]

    def _named(self, model: str, row: Row, name: str, archived: bool) -> Any:
        value, field = self._value(model, row, name), self._field(model, name)
        if field["type"] in TO_MANY and not archived:
            others = self._rows(field.get("relation") or "", value)
            hidden = {other["id"] for other in others if other.get("active") is False}
            return [one for one in value if one not in hidden]
        if field["type"] != "many2one" or not value or isinstance(value, list):
            return value
        return self.named(model, name, value)

    def _value(self, model: str, row: Mapping[str, Any], name: str) -> Any:
        """Return what a record holds in a field: ids of relations, False where it is unset."""
        field = self._field(model, name)
        if name == "display_name":
            return _name(model, row)
        inverse, relation = field.get("relation_field"), field.get("relation")
        if field["type"] == "one2many" and inverse and relation in self.rows:
            return [r["id"] for r in self.rows[relation] if r.get(inverse) == row["id"]]
        if field["type"] in TO_MANY:
            return list(row.get(name) or ())
        return row.get(name, True if name == "active" else _UNSET.get(field["type"], False))

    def _place(self, model: str, row: Row, name: str) -> tuple[bool, Any]:
        """Return what a record is sorted by; what is unset comes last, as in PostgreSQL."""
        value = self._value(model, row, name)
        return (value is False, value)

    # Writing -----------------------------------------------------------------------------------

    def _next_id(self, model: str) -> int:
        """Return an id that no record has had, as the last ones may be deleted."""
        last = self.rows[model][-1]["id"] if self.rows[model] else 0
        self._last_ids[model] = max(self._last_ids[model], last) + 1
        return self._last_ids[model]

    def _create(self, call: Call) -> Any:
        given = call.arguments["vals_list"]
        if isinstance(given, Mapping):
            return self._add(call.model, given)
        return [self._add(call.model, values) for values in given]

    def _add(self, model: str, values: Mapping[str, Any]) -> int:
        record_id = self._next_id(model)
        row: Row = {"id": record_id, "create_uid": self._uid, "create_date": _now()}
        self.rows[model].append(row)
        self._set(model, row, values)
        return record_id

    def _write(self, call: Call) -> bool:
        rows = self._rows(call.model, call.ids)
        if len(rows) < len(call.ids or ()):
            raise make_error("NOT_FOUND", "The record does not exist or has been deleted.")
        for row in rows:
            self._set(call.model, row, call.arguments["vals"])
        return True

    def _write_each(self, call: Call) -> list[Row]:
        for record_id, values in zip(call.ids or (), call.arguments["vals_list"], strict=True):
            self._write(attrs.evolve(call, ids=(record_id,), arguments={"vals": values}))
        return [{"id": record_id} for record_id in call.ids or ()]

    def _set(self, model: str, row: Row, values: Mapping[str, Any]) -> None:
        row |= {"write_uid": self._uid, "write_date": _now()}
        for name, value in values.items():
            if self._field(model, name)["type"] in TO_MANY:
                self._link(model, row, name, read_commands(value, name))
            else:
                row[name] = value

    def _delete(self, model: str, ids: Sequence[int]) -> bool:
        self.rows[model][:] = [row for row in self.rows[model] if row["id"] not in ids]
        return True

    def _link(self, model: str, row: Row, name: str, commands: Iterable[Command]) -> None:
        """Carry out what a value does to the records that a field leads to."""
        field = self._field(model, name)
        relation, inverse = field["relation"], field.get("relation_field")
        ids = self._value(model, row, name)
        for command in commands:
            if command.kind == "create":
                ids.append(self._add(relation, command.values))
            elif command.kind == "update":
                for other in self._rows(relation, [command.id]):
                    self._set(relation, other, command.values)
            elif command.takes_all:
                ids = list(command.ids)
            else:
                linked = [command.id] if command.kind == "link" else []
                ids = [*(one for one in ids if one != command.id), *linked]
            if command.kind == "delete":
                self._delete(relation, [command.id])
        row[name] = ids
        if not inverse:
            return
        for other in self.rows.get(relation, ()):
            if other["id"] in ids:
                other[inverse] = row["id"]
            elif other.get(inverse) == row["id"]:
                other[inverse] = False

    # Searching ---------------------------------------------------------------------------------

    def _holds(self, model: str, row: Row, domain: Sequence[Any]) -> bool:
        stack: list[bool] = []
        for item in reversed(domain):
            if item == "!":
                stack.append(not stack.pop())
            elif item in ("&", "|"):
                one, other = stack.pop(), stack.pop()
                stack.append((one and other) if item == "&" else (one or other))
            else:
                stack.append(self._compare(model, row, *item))
        return all(stack)

    def _compare(self, model: str, row: Row, path: Any, operator: str, value: Any) -> bool:
        if not isinstance(path, str):  # (1, "=", 1) and (0, "=", 1)
            return bool(path == value)
        if operator in _OPPOSITES:
            return not self._compare(model, row, path, _OPPOSITES[operator], value)
        name, _, rest = path.partition(".")
        own = self._value(model, row, name)
        relation = self._field(model, name).get("relation")
        owns = own if isinstance(own, list) else [] if own is False else [own]
        if relation and (rest or operator == "any"):
            condition = [[rest, operator, value]] if rest else value
            return any(self._holds(relation, r, condition) for r in self._rows(relation, owns))
        if operator in ("child_of", "parent_of"):
            given = value if isinstance(value, (list, tuple)) else [value]
            lower, upper = (owns, given) if operator == "child_of" else (given, owns)
            above = {one for record in lower for one in self._parents(relation or model, record)}
            return not above.isdisjoint(upper)
        if relation and (isinstance(value, str) or "like" in operator):
            owns = [_name(relation, other) for other in self._rows(relation, owns)]
        return self._matches(owns, operator, value)

    def _matches(self, owns: Sequence[Any], operator: str, value: Any) -> bool:
        if operator == "=?" and not value:
            return True
        if operator in _ORDERS:
            return any(_ORDERS[operator](own, value) for own in owns)
        if operator in ("=", "=?", "in"):
            given = value if operator == "in" else [value]
            return any(own in given for own in owns or (False, None))
        if operator in ("like", "ilike", "=like", "=ilike"):
            pattern = value if operator.startswith("=") else f"%{value}%"
            return any(self._like(str(own), pattern, "ilike" in operator) for own in owns or [""])
        raise AssertionError(f"FakeServer does not know the operator {operator!r}.")

    def _like(self, text: str, pattern: str, either_case: bool) -> bool:
        wild = {"%": ".*", "_": "."}
        if self.unaccent:
            text, pattern = _plain(text), _plain(pattern)
        tokens = re.findall(r"\\.|.", pattern, re.DOTALL)
        regex = "".join(wild.get(token, re.escape(token[-1])) for token in tokens)
        return bool(re.fullmatch(regex, text, re.DOTALL | (re.IGNORECASE if either_case else 0)))

    def _parents(self, model: str, record_id: int) -> list[int]:
        """Return a record and those above it."""
        (row,) = self._rows(model, [record_id]) or [{}]
        parent = row.get("parent_id")
        return [record_id, *(self._parents(model, parent) if parent else [])]


def _name(model: str, row: Mapping[str, Any]) -> str:
    return str(row.get("display_name") or row.get("name") or f"{model},{row['id']}")


def _names(model: str, rows: Iterable[Row]) -> list[list[Any]]:
    return [[row["id"], _name(model, row)] for row in rows]


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
