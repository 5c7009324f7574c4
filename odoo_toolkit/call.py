"""One call of a model method, as every transport understands it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.compat import MODEL_METHODS, READ_METHODS, RECORD_METHODS
from odoo_toolkit.errors import ValidationError

Access = Literal["read", "create", "write", "delete", "execute"]

#: What a method does, for those that are not arbitrary.
_METHOD_ACCESS: dict[str, Access] = {
    **dict.fromkeys(READ_METHODS, "read"),
    "create": "create",
    "copy": "create",
    "name_create": "create",
    "write": "write",
    "update": "write",
    "web_save": "write",
    "web_save_multi": "write",
    "load": "write",
    "unlink": "delete",
}


#: The names of an ORM method's parameters after the ids.
PARAMETERS: Mapping[str, tuple[str, ...]] = {**RECORD_METHODS, **MODEL_METHODS}


def default_access(method: str) -> Access:
    """Return what calling ``method`` does to the database, judged by its name alone."""
    return _METHOD_ACCESS.get(method, "execute")


def _optional_tuple(ids: Iterable[int] | None) -> tuple[int, ...] | None:
    return None if ids is None else tuple(ids)


@attrs.frozen(kw_only=True)
class Call:
    """A method call: the ids apart, the arguments named.

    Attributes:
        model: technical name, such as ``res.partner``.
        method: a public method of the model.
        ids: the records it is called on; None for a method of the model itself.
        arguments: named, by the parameter names of Odoo 19.
        positional: arguments whose names are not known; only ``execute`` makes these.
        context: extends the connection's base context for this call.
        access: what the call does; the policy judges by it. A business operation such as
            confirming an order declares ``write``; otherwise it follows from the method.
        acts_on: the model that a business operation is about, where the lists of models are to
            judge it by that: answering an order's wizard or adding an order's lines is working on
            the order. Never taken from what a caller wrote.
        step: a step of one of the toolkit's own operations, made of values that it has checked:
            the policy judges it by the access that it declares. Without it, a call is free: a
            caller shaped it, and outside full mode it passes only where it is known to be harmless.
        internal: a read that the toolkit makes for itself (schema, names of states).
        plugin: the plugin whose function makes it; None for the toolkit's own.
        timeout: seconds to wait at least for the answer, where the settings' may be too few.
        before: of a ``write``, what the records hold in its fields, where that was read already;
            of other methods, what is needed to take it back. It is for the change history, and not
            sent.
    """

    model: str
    method: str
    ids: tuple[int, ...] | None = attrs.field(default=None, converter=_optional_tuple)
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    positional: tuple[Any, ...] = ()
    context: Mapping[str, Any] = attrs.field(factory=dict)
    access: Access = attrs.field(
        default=attrs.Factory(
            lambda self: _METHOD_ACCESS.get(self.method, "execute"), takes_self=True
        )
    )
    acts_on: str | None = None
    step: bool = False
    internal: bool = False
    plugin: str | None = None
    timeout: float | None = None
    before: Mapping[int, dict[str, Any]] | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def reads(self) -> bool:
        """Whether sending it twice cannot change anything."""
        return self.access == "read"


def asking(
    model: str,
    method: str,
    ids: Iterable[int] | None = None,
    /,
    *,
    context: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Call:
    """Return a read that the toolkit makes for itself.

    Args:
        model, method, ids, context: as of a :class:`Call`.
        arguments: of the method, by name.
    """
    return Call(
        model=model,
        method=method,
        ids=ids,
        arguments=arguments,
        context=context or {},
        access="read",
        internal=True,
    )


def rpc_arguments(call: Call) -> tuple[list[Any], dict[str, Any]]:
    """Return the positional and named arguments for ``execute_kw``.

    Parameter names of the ORM's methods moved between the versions, their positions did not
    (``search(args)`` to 15, ``search(domain)`` from 16), so what has a known position is sent by
    it, and only what follows a gap by name. ``create`` takes its values only by position.
    """
    positional: list[Any] = [] if call.ids is None else [list(call.ids)]
    positional += call.positional
    named = dict(call.arguments)
    for name in PARAMETERS.get(call.method, ()):
        if name not in named:
            break
        positional.append(named.pop(name))
    return positional, named


def name_arguments(
    method: str, args: list[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[int, ...] | None, dict[str, Any], tuple[Any, ...]]:
    """Split free-form arguments into ids, named arguments, and those that have no known name.

    Args:
        method: the method to be called.
        args: as over ``execute_kw``: for a method of records, the ids come first.
        kwargs: by any version's parameter names.

    Returns:
        ids (None where there are none), named arguments, positional rest.

    Raises:
        ValidationError: more arguments than the method takes, or one given twice.
    """
    rest = list(args)
    ids: tuple[int, ...] | None = None
    if method in RECORD_METHODS and rest and _is_id(rest[0]):
        rest[0] = [rest[0]]
    # Of a method that we do not know, a first list of integers is taken for its records.
    if method not in MODEL_METHODS and rest and _are_ids(rest[0]):
        ids = tuple(rest.pop(0))
    names = PARAMETERS.get(method)
    named = {_RENAMED.get((method, key), key): value for key, value in kwargs.items()}
    if names is None:
        return ids, named, tuple(rest)
    if len(rest) > len(names):
        raise ValidationError(
            f"{method} accepts at most {len(names)} "
            f"arguments{' after the ids' if method in RECORD_METHODS else ''}, got {len(rest)}.",
            suggestion=f"Its arguments are: {', '.join(names) or 'none'}.",
        )
    for name, value in zip(names, rest, strict=False):
        if name in named:
            raise ValidationError(
                f"The argument {name!r} of {method} was passed twice, by position and by name.",
                suggestion="Pass it once.",
            )
        named[name] = value
    return ids, named, ()


#: Parameter names of older versions -> the name in Odoo 19.
_RENAMED: dict[tuple[str, str], str] = {
    ("search", "args"): "domain",
    ("search_count", "args"): "domain",
    ("name_search", "args"): "domain",
    ("default_get", "fields_list"): "fields",
    ("create", "vals"): "vals_list",
    ("create", "values"): "vals_list",
    ("write", "values"): "vals",
}


def _are_ids(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(_is_id(item) for item in value)


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def opened_ids(action: Mapping[str, Any] | None) -> list[int]:
    """Return the ids of the records that an action opens, as far as it names them."""
    if not action:
        return []
    if action.get("res_id"):
        return [action["res_id"]]
    leaves = [leaf for leaf in action.get("domain") or () if isinstance(leaf, (list, tuple))]
    named = [leaf[2] for leaf in leaves if len(leaf) == 3 and leaf[0] == "id"]
    return [n for ids in named for n in (ids if isinstance(ids, (list, tuple)) else [ids])]


# Ids that are not known yet ---------------------------------------------------------------------

#: In place of the records of a planned call that are known only when its turn comes.
LATER = "known only then"

#: Where an id is expected, ``{"id_of_item": 1}`` is that of what item 1 of a batch has made.
REFERENCE = "id_of_item"

#: The last id there can be; below it are those that stand for what a batch makes.
_LAST, _MOST_STAND_INS = 2**31 - 1, 1000


def is_stand_in(number: Any) -> bool:
    """Whether an id stands for a record that an earlier item of a batch makes."""
    return type(number) is int and _LAST - _MOST_STAND_INS < number < _LAST


def stood_in(value: Any) -> Any:
    """Return arguments with an id that no record has in place of each reference to an item."""
    if isinstance(value, Mapping):
        if list(value) == [REFERENCE] and isinstance(value[REFERENCE], int):
            return _LAST - value[REFERENCE]
        return {name: stood_in(item) for name, item in value.items()}
    return [stood_in(item) for item in value] if isinstance(value, (list, tuple)) else value


def referring(value: Any) -> Any:
    """Return arguments with the references in place of the ids of :func:`stood_in`."""
    if isinstance(value, Mapping):
        return {name: referring(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [referring(item) for item in value]
    return {REFERENCE: _LAST - value} if is_stand_in(value) else value
