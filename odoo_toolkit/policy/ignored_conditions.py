"""Conditions that Odoo leaves out of a search without a word: found out by asking, and refused.

Up to Odoo 18, a condition on a field that the server cannot search by is logged and dropped, and
the search returns every record. So does one on the display name of a model without names, from 18
on. ``fields_get`` does not tell: a related field calls itself searchable whatever its path leads
to. So the server is asked, once for each field and kind of operator, for a value that no record
can have: a condition that is applied finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments import Domain
from odoo_toolkit.arguments.domain_shape import DOMAIN_OPERATORS
from odoo_toolkit.call import Call
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.fields import RELATIONAL, Field
from odoo_toolkit.policy.reach import NAMED_BY
from odoo_toolkit.policy.sending import Connection

#: What no record has: a text, and a number beyond every id, amount and count.
_TEXT, _NUMBER = "zq8x 5c1e no record has this", 2_147_000_000
_FIRST_DAY, _LAST_DAY = "1801-01-01", "9801-01-01"

#: What no record is: without a name, and with one that contains something.
_NO_NAME = (("=", False), ("ilike", "%"))

_POSITIVE = {
    "!=": "=",
    "=?": "=",
    "not in": "in",
    "not like": "like",
    "not ilike": "ilike",
    "not =like": "=like",
    "not =ilike": "=ilike",
}
_NUMBERS = frozenset({"integer", "float", "monetary", "many2one_reference"})
_DATES = frozenset({"date", "datetime"})
_ON_NAMES = frozenset({"=", "in", "like", "ilike", "=like", "=ilike", "child_of"})
_ON_TEXTS = _ON_NAMES - {"child_of"}


@attrs.frozen
class _Asked:
    """A condition on one field: what is compared, and with what no record can fulfil.

    Attributes:
        model: the field's.
        field: what is compared.
        path: as it was asked for.
        impossible: pairs of operator and value; no record fulfils them all.
        names: whether a relation is compared with a text, which is a search by name.
    """

    model: str
    field: Field
    path: str
    impossible: tuple[tuple[str, Any], ...]
    names: bool = False

    @property
    def telling(self) -> list[Any]:
        """Which records tell whether the condition is applied: without any, none is found."""
        # What leads to another model finds nothing, applied or not, where it leads nowhere.
        leads = self.field.name if self.names else next(iter(self.field.related), None)
        return [[leads, "!=", False]] if leads else []


def check_conditions(odoo: Connection, call: Call) -> None:
    """Refuse a search of which the server would leave a condition out.

    Args:
        odoo: the connection, of which the answers are kept for a while.
        call: a search, count or grouping that a caller asked for.

    Raises:
        ValidationError: INVALID_FIELD; the condition would find every record.
        OdooConnectionError: the server cannot be asked.
    """
    domain = call.arguments.get("domain") or ()
    elements = domain.elements if isinstance(domain, Domain) else domain
    asked = {(a.model, a.field.name, a.impossible): a for a in _of(odoo, call.model, elements)}
    for one in asked.values():
        # One condition a request: of two on one field, Odoo 19 finds out itself that none has both.
        steps = [{"domain": [[one.field.name, *pair]], "limit": 1} for pair in one.impossible]
        if _is_ignored(odoo, call, one.model, "search", steps, one.telling):
            raise _ignored(one)
    asked_operator = call.arguments.get("operator", "ilike")
    operator = _POSITIVE.get(asked_operator, asked_operator)
    by_name = call.method == "name_search" and call.arguments.get("name")
    if by_name and not _is_named(call.model, operator):
        arguments = {"name": _TEXT, "operator": operator, "limit": 1}
        if _is_ignored(odoo, call, call.model, "name_search", [arguments], []):
            raise _nameless(call.model, "by name")


def _of(odoo: Connection, model: str, elements: Sequence[Any]) -> Iterator[_Asked]:
    """Yield the conditions of a domain that Odoo does not simply compare with a column."""
    for item in elements:
        if isinstance(item, (list, tuple)) and len(item) == 3 and isinstance(item[0], str):
            path, operator, value = item
            if path != "id" or operator in DOMAIN_OPERATORS:
                yield from _of_path(odoo, model, path, operator, value)


def _of_path(
    odoo: Connection, model: str, path: str, operator: str, value: Any
) -> Iterator[_Asked]:
    """Yield what on a path, and at its end, is more than a column."""
    here: str | None = model
    names = path.split(".")
    for index, name in enumerate(names):
        field = _field(odoo, here, name)
        if field is None or here is None or field.type in ("properties", "json"):
            return
        if index < len(names) - 1 or operator in DOMAIN_OPERATORS:
            if not _is_column(field) and field.relation:
                yield _Asked(here, field, path, (("in", (_NUMBER,)),))
        elif asked := _at_end(here, field, path, _POSITIVE.get(operator, operator), value):
            yield asked
        here = model if name == "id" else field.relation
    if here and operator in DOMAIN_OPERATORS:
        yield from _of(odoo, here, value)


def _at_end(model: str, field: Field, path: str, operator: str, value: Any) -> _Asked | None:
    """Return the condition on a field itself; None where the database compares it."""
    values = value if isinstance(value, (list, tuple)) else (value,)
    if field.type in RELATIONAL and any(isinstance(item, str) for item in values):
        if _is_column(field) and _is_named(str(field.relation), operator):
            return None
        operator = operator if operator in _ON_NAMES else "="
        return _Asked(model, field, path, ((operator, _listed(operator, _TEXT)),), names=True)
    is_empty = any(item is False for item in values)
    if _is_column(field) or (field.type == "binary" and field.store and is_empty):
        return None
    if field.name == "display_name" and is_empty:
        # From 18 on "no name" is taken for "one of the fields that make the name is empty".
        return _Asked(model, field, path, _NO_NAME)
    if field.name == "display_name" and _is_named(model, operator):
        return None
    if is_empty or field.type == "boolean":
        # What is set is not empty, and what is true is not false.
        either = field.type == "boolean"
        return _Asked(model, field, path, (("=", either), ("!=", either)))
    if field.type == "selection" and (choices := _choices(field, values)):
        return _Asked(model, field, path, choices)
    return _Asked(model, field, path, (_impossible(field, operator),))


def _choices(field: Field, values: Sequence[Any]) -> tuple[tuple[str, Any], ...]:
    """Return two choices of which no record has both, where what is asked for is one of them.

    A search method may take whatever it does not know for one of its choices.
    """
    keys = [key for key, _ in field.selection]
    if len(keys) < 2 or not all(value in keys for value in values):
        return ()
    return ("=", keys[0]), ("=", keys[1])


def _impossible(field: Field, operator: str) -> tuple[str, Any]:
    """Return an operator of the same kind, and a value with which it finds nothing."""
    kind = field.type
    if kind in RELATIONAL:
        return "in", (_NUMBER,)
    if kind in _NUMBERS or kind in _DATES:
        low, high = (-_NUMBER, _NUMBER) if kind in _NUMBERS else (_FIRST_DAY, _LAST_DAY)
        if operator in ("<", "<="):
            return operator, low
        if operator in (">", ">="):
            return operator, high
        operator = operator if operator == "in" else "="
        return operator, _listed(operator, low)
    operator = operator if operator in _ON_TEXTS else "="
    return operator, _listed(operator, _TEXT)


def _listed(operator: str, value: Any) -> Any:
    return (value,) if operator == "in" else value


def _is_named(model: str, operator: str) -> bool:
    """Whether it is known that every version finds a model's records by their names."""
    return model in NAMED_BY and operator in ("=", "in", "ilike")


def _is_column(field: Field) -> bool:
    """Whether the database itself compares a field."""
    return (field.store or field.name == "id") and field.type != "binary"


def _field(odoo: Connection, model: str | None, name: str) -> Field | None:
    """Return a field; None where the server does not tell of it, and the search itself will."""
    if model is None:
        return None
    try:
        return odoo.schema.fields(model).get(name)
    except OdooError as error:
        if isinstance(error, OdooConnectionError):
            raise
        return None


def _is_ignored(
    odoo: Connection,
    call: Call,
    model: str,
    method: str,
    steps: Sequence[dict[str, Any]],
    telling: list[Any],
) -> bool:
    """Whether the server finds records by what no record can have; asked once in a while.

    Each step looks among what the one before found.
    """
    context = {**call.context, "active_test": False}

    def ask(method: str, arguments: dict[str, Any]) -> Callable[[], Any]:
        asked = Call(
            model=model, method=method, arguments=arguments, context=context, internal=True
        )
        return lambda: odoo.call(asked)

    def found_out() -> bool:
        found, some = side_by_side(
            [ask(method, steps[0]), ask("search", {"domain": telling, "limit": 1})]
        )
        if not found and not some:
            # Where there is nothing, nothing can be told; and nothing is returned too much.
            raise _UntoldError
        for step in steps[1:]:
            among = [["id", "in", found], *step["domain"]]
            found = found and ask(method, {**step, "domain": among})()
        return bool(found)

    try:
        ignored: bool = odoo.schema.remember(f"ignored {model} {method} {steps}", found_out)
    except _UntoldError:
        return False
    except OdooConnectionError:
        raise
    except OdooError:
        # What cannot be asked so is an error in the search itself, too.
        return False
    return ignored


class _UntoldError(Exception):
    """There are no records by which it could be told."""


def _ignored(asked: _Asked) -> ValidationError:
    if asked.names:
        return _nameless(
            str(asked.field.relation), f"by a text for {asked.path}", asked.model, asked.path
        )
    name = asked.field.name
    if asked.impossible == _NO_NAME:
        return _error(
            asked.model,
            asked.path,
            f"{asked.model} cannot be filtered by whether {name} is set: this Odoo always returns "
            "the records that have one.",
            "Every record has one. Omit the condition, or filter by a stored field.",
        )
    return _error(
        asked.model,
        asked.path,
        f"{asked.model} cannot be filtered by {name}: this Odoo ignores the condition, and "
        "returns every record.",
        f"Filter by stored fields of {asked.model}, and compare {name} in the records that you"
        " read.",
    )


def _nameless(
    named: str, how: str, model: str | None = None, path: str = "display_name"
) -> ValidationError:
    return _error(
        model or named,
        path,
        f"{named} cannot be searched {how}: this Odoo does not search its names, and returns "
        "every record.",
        f"Find the record by stored fields of {named}, and pass its id.",
    )


def _error(model: str, path: str, message: str, suggestion: str) -> ValidationError:
    details = {"model": model, "field": path}
    return ValidationError(message, code="INVALID_FIELD", suggestion=suggestion, details=details)
