"""The arguments of the methods whose parameters are all known, read one by one.

What the library hands in was read before, and is not read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from odoo_toolkit.arguments import scalars
from odoo_toolkit.arguments.commands import Records, Values
from odoo_toolkit.arguments.domain import Domain, read_domain
from odoo_toolkit.arguments.fields import Named, read_groupings, read_measures, read_names
from odoo_toolkit.arguments.order import Order, read_order
from odoo_toolkit.arguments.scalars import unfit
from odoo_toolkit.call import PARAMETERS, Call

#: What a reader returns: it knows the names in it, and has the form on the wire.
READ = (Domain, Named, Order, Records, Values)

#: parameter -> the type of its plain values, and whether it takes one; its reader says of others.
_PLAIN: dict[str, tuple[type, Callable[[Any], object]]] = {
    "limit": (int, scalars.COUNTS.__contains__),
    "name": (str, scalars.SHORT_TEXT.fullmatch),
    "offset": (int, scalars.COUNTS.__contains__),
    "operator": (str, scalars.NAME_OPERATORS.__contains__),
}

#: parameter, or method and parameter -> its reader, which is given the value and where it stands
_READERS: dict[str, Callable[..., Any]] = {
    "aggregates": read_measures,
    "allfields": read_names,
    "attributes": scalars.words,
    "domain": read_domain,
    "fields": read_names,
    "groupby": read_groupings,
    "having": read_domain,
    "lazy": scalars.switch,
    "limit": scalars.count,
    "load": scalars.load,
    "name": scalars.text,
    "offset": scalars.count,
    "operator": scalars.operator,
    "order": read_order,
    "orderby": read_order,
    "read_group.fields": read_measures,
}


def read_arguments(call: Call) -> dict[str, Any]:
    """Return the arguments of a call of a method that only reads, as typed objects and scalars.

    What is None is left out.

    Raises:
        ValidationError: one of them is not understood, or the method takes no such argument.
    """
    method, known = call.method, PARAMETERS.get(call.method, ())
    if call.positional:
        raise unfit("positional", "has more arguments than the method takes")
    found = {}
    for name, value in call.arguments.items():
        if name not in known:
            raise unfit(name, f"is not an argument of {method}")
        kind, takes = _PLAIN.get(name, (None, bool))
        if isinstance(value, READ) or (type(value) is kind and takes(value)):
            found[name] = value
        elif value is not None:
            read = _READERS.get(f"{method}.{name}") or _READERS[name]
            found[name] = read(value) if read is read_domain else read(value, name)
    return found


def wired(call: Call, base_context: Mapping[str, Any] | None = None) -> Call:
    """Return a call whose arguments have the form in which they are sent.

    Args:
        call: the call.
        base_context: is extended by that of the call.
    """
    values = (*call.arguments.values(), *call.positional)
    changed: dict[str, Any] = {}
    if any(isinstance(value, READ) for value in values):
        changed["arguments"] = {
            name: value.wire if isinstance(value, READ) else value
            for name, value in call.arguments.items()
        }
        changed["positional"] = tuple(
            value.wire if isinstance(value, READ) else value for value in call.positional
        )
    if base_context or not isinstance(call.context, dict):
        changed["context"] = {**(base_context or {}), **call.context}
    return attrs.evolve(call, **changed) if changed else call
