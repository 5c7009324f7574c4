"""Values of one2many and many2many fields, read into commands.

Odoo takes these values in many forms, and does more than their look says. What it does with each
is the same on 14 to 19 (``tests/live/test_commands.py`` holds this table against them):

======================================  =====================================  ==================
form                                    Odoo                                   here
======================================  =====================================  ==================
``false``, ``null``                     takes all away                         clear
``[]``                                  does nothing                           no command
``[7, 8]``                              puts these in place of all             set
``[7.0]``, ``[[2, 7.0]]``               as 7, or fails, by version and field   as 7
``[5]``, ``[2, 7]``, ``[4, 7, 0]``      the same: one command without its      set; refused where
                                        list is a list of ids                  there is a 0
``[{"id": 7, "name": "x"}]``            fails                                  set
``[{"name": "x"}]``                     fails; as a default makes a record     refused; create
``[[0, 0, {}]]``, ``[[0, "v1", {}]]``   makes a record                         create
``[[1, 7, {}]]``                        writes it                              update
``[[2, 7]]``, ``[[2.0, 7, false]]``     deletes it, mostly whosever it is      delete
``[[3, 7]]``                            takes it away                          unlink
``[[4, 7]]``, ``[[4, 7, {}]]``          adds it, taking it from another; an    link
                                        onchange shows it in third place
``[[5]]``, ``[[5, 0, 0]]``              takes all away                         clear
``[[6, 0, [7]]]``, ``[[6, 0, []]]``     puts these in place of all             set
``[[3, [7, 8]]]``, ``[[6, 0, false]]``  takes several for one, none for a list refused
``[[true, 7, {}]]``, ``[[false, 0]]``   takes true for 1 and false for 0       refused
``[["2", 7]]``, ``[[7, 1]]``, ``[[]]``  passes over it, or fails               refused
``[[2, "7"]]``, ``["7"]``               fails, or takes it for 7               refused
``[[2, 7], 8]``, ``[8, [2, 7]]``        passes over what is out of place       refused
``0``, ``""``, ``{}``, ``"[[5]]"``, 7   fails, or takes all away               refused
======================================  =====================================  ==================

What is taken away from a one2many is deleted where the many2one on its other side says so
(``ondelete="cascade"``), and otherwise stays without an owner; a many2one that is required fails.
The server does not tell which it is to users without rights, so taking away counts as deleting.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.errors import ValidationError

Kind = Literal["create", "update", "delete", "unlink", "link", "clear", "set"]

#: In the order of their codes.
_KINDS: tuple[Kind, ...] = ("create", "update", "delete", "unlink", "link", "clear", "set")
_OF_ONE_RECORD = frozenset({"update", "delete", "unlink", "link"})
_OF_VALUES = frozenset({"create", "update"})

#: What the toolkit reads of a record that a relation leads to.
_AS_READ = frozenset({"id", "name", "display_name"})

_LARGEST_ID = 2**31 - 1

_AS_JSON = {None: "null", True: "true", False: "false"}

FORMS = (
    "[0, 0, {values}] create, [1, id, {values}] update, [2, id] delete, [3, id] unlink,"
    " [4, id] link, [5] clear, [6, 0, [ids]] set"
)


@attrs.frozen(kw_only=True)
class Command:
    """One thing that is done to the records of a one2many or many2many.

    Attributes:
        kind: what is done.
        id: the record that is updated, deleted, unlinked or linked.
        values: of a record that is created or updated.
        ids: the records that are put in place of all others.
        ref: what a form calls a record that is not stored yet.
    """

    kind: Kind
    id: int = 0
    values: Mapping[str, Any] = attrs.field(factory=dict)
    ids: tuple[int, ...] = ()
    ref: str = ""

    @property
    def takes_all(self) -> bool:
        """Whether it takes away all records but those that it names."""
        return self.kind in ("clear", "set")

    @property
    def wire(self) -> list[Any]:
        """The command as it is sent: always three elements."""
        argument: Any = 0
        if self.kind in _OF_VALUES:
            argument = self.values.wire if isinstance(self.values, Values) else dict(self.values)
        elif self.kind == "set":
            argument = list(self.ids)
        return [_KINDS.index(self.kind), self.id or self.ref or 0, argument]


@attrs.frozen(kw_only=True, eq=False)
class Values(Mapping[str, Any]):
    """The values of one record, by the names of the fields, as the caller gave them.

    Attributes:
        model: of the record; None where it is not known.
        given: the values.
        lines: of these, what stands in a one2many or many2many, as commands.
    """

    model: str | None
    given: Mapping[str, Any]
    lines: Mapping[str, tuple[Command, ...]]

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    @property
    def wire(self) -> dict[Any, Any]:
        """The values as they are sent."""
        return {**self.given, **{name: wire(commands) for name, commands in self.lines.items()}}


@attrs.frozen(kw_only=True, eq=False)
class Records:
    """A list of the values of records; what are no values is in it as it was given."""

    items: tuple[Any, ...]

    @property
    def wire(self) -> list[Any]:
        """The list as it is sent."""
        return [item.wire if isinstance(item, Values) else item for item in self.items]


def wire(commands: Iterable[Command]) -> list[list[Any]]:
    """Return commands as they are sent; reading this gives the same commands again."""
    return [command.wire for command in commands]


def read_commands(value: Any, where: str, *, default: bool = False) -> tuple[Command, ...]:
    """Return what a value of a one2many or many2many does, by the table above.

    >>> read_commands([[4, 7]], "vals.category_id")
    (Command(kind='link', id=7, ...),)

    Args:
        value: as JSON, XML-RPC or Python have it.
        where: the place of the value, for the error.
        default: whether it is a default value, where objects stand for records to be made.

    Raises:
        ValidationError: it is none of the forms; the error says which there are.
    """
    if value is None or value is False:
        return (Command(kind="clear"),)
    if are_new(value):
        return tuple([Command(kind="create", values=values) for _, _, values in value])
    if not isinstance(value, (list, tuple)):
        raise _malformed(where, "needs a list", value)
    if value and all(map(_is_id, value)):
        return (Command(kind="set", ids=tuple(map(int, value))),)
    if value and all(isinstance(item, Mapping) for item in value) and not default:
        return (Command(kind="set", ids=_ids_of_objects(value, where)),)
    return tuple(
        Command(kind="create", values=_named(item, where))
        if default and isinstance(item, Mapping)
        else _read(item, f"{where}[{index}]")
        for index, item in enumerate(value)
    )


def are_new(value: Any) -> bool:
    """Whether a value is commands that make records, all of them in the form ``[0, 0, {...}]``."""
    return type(value) is list and all(
        type(item) is list
        and list(map(type, item)) == [int, int, dict]
        and not (item[0] or item[1])
        and _NAMES.issuperset(map(type, item[2]))
        for item in value
    )


_NAMES = frozenset({str})


def hold(commands: Iterable[Command], shown: Collection[int]) -> bool:
    """Whether a field that shows these records is as commands would leave it.

    Of a record that is made or written it cannot be told, so of that it is not.
    """
    for command in commands:
        if command.takes_all:
            same = set(command.ids) == set(shown)
        elif command.kind == "link":
            same = command.id in shown
        else:
            same = command.kind in ("unlink", "delete") and command.id not in shown
        if not same:
            return False
    return True


def _ids_of_objects(value: Any, where: str) -> tuple[int, ...]:
    """Return the ids of records as the toolkit shows them."""
    if not all(item.keys() <= _AS_READ and _is_id(item.get("id")) for item in value):
        raise _malformed(
            where,
            "needs commands, not bare objects",
            value,
            "To add lines, pass [[0, 0, {...}], ...], with one command for each object.",
        )
    return tuple(int(item["id"]) for item in value)


def _read(command: Any, where: str) -> Command:
    if not isinstance(command, (list, tuple)) or not 1 <= len(command) <= 3:
        raise _malformed(where, "is not a command", command)
    code, second, third = [*command, None, None][:3]
    number = _whole(code)
    if number is None or not 0 <= number < len(_KINDS):
        raise _malformed(where, "has no command", code)
    kind = _KINDS[number]
    if kind in _OF_VALUES:
        if len(command) != 3 or not isinstance(third, Mapping):
            raise _malformed(where, "needs an object of values in third place", command)
        third = _named(third, where)
    if kind in _OF_ONE_RECORD:
        if not _is_id(second):
            raise _malformed(where, "needs an id in second place", second)
        if kind in _OF_VALUES:
            return Command(kind=kind, id=int(second), values=third)
        if kind != "link" or not isinstance(third, Mapping):
            _check_nothing(where, third, command)
        return Command(kind=kind, id=int(second))
    if kind == "create":
        # A number there means nothing; a text is what a form calls the new record.
        if isinstance(second, (list, tuple, Mapping)) or second is True:
            raise _malformed(where, "has no place for this", second)
        return Command(kind=kind, values=third, ref=second if isinstance(second, str) else "")
    _check_nothing(where, second, command)
    if kind == "clear":
        _check_nothing(where, third, command)
        return Command(kind=kind)
    if not isinstance(third, (list, tuple)) or not all(map(_is_id, third)):
        raise _malformed(where, "needs a list of ids in third place", command)
    return Command(kind=kind, ids=tuple(map(int, third)))


def _named(values: Mapping[Any, Any], where: str) -> Mapping[str, Any]:
    if not all(isinstance(name, str) for name in values):
        raise _malformed(where, "needs values by the names of fields", values)
    return values


def _check_nothing(where: str, value: Any, command: Any) -> None:
    if not _is_nothing(value):
        raise _malformed(where, "has more than this command takes", command)


def _is_nothing(value: Any) -> bool:
    return value is None or value is False or (_whole(value) == 0)


def _is_id(value: Any) -> bool:
    number = _whole(value)
    return number is not None and 0 < number <= _LARGEST_ID


def _whole(value: Any) -> int | None:
    """Return a whole number; 3.0 is 3, as in a column where some are missing, True is not 1."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def _malformed(
    where: str, problem: str, value: Any, suggestion: str = f"The commands: {FORMS}."
) -> ValidationError:
    # Not all of it: what is sent may be nested without end.
    shown = _AS_JSON[value] if value is None or isinstance(value, bool) else reprlib.repr(value)
    return ValidationError(
        f"{where} {problem}: {shown}.",
        code="VALUE_ERROR",
        suggestion=suggestion,
        details={"named_in": where, "field": where},
    )
