"""Creations with a key, made by ``load``: the key goes into the database as an external id.

An external id is the one thing of which Odoo never has two. ``load``, asked as the update of a
module asks, creates a record unless there is one with that external id, which it then leaves as it
is. So a creation may be sent again at once when its answer is lost, from another process, from
another machine, or after the journal is gone. Run on Odoo 14 to 19, also three at once.

``load`` is given a creation only where it reads each value as it is meant; see ``load_cells``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NoReturn

import attrs

from odoo_toolkit.arguments import read_commands
from odoo_toolkit.arguments.compared import differences
from odoo_toolkit.arguments.load_cells import OTHERWISE, cell, column
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError, make_error
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.progress import pause, time_left
from odoo_toolkit.values.periods import time_zone

#: The module of the external ids; no module of Odoo is called so, whose update would remove them.
MODULE = "odoo_toolkit"

#: Models for which ``load`` does more, or less, than ``create``: invitations, defaults, templates.
#: Odoo 15 to 18 assign loaded tasks to nobody, and 14 counts the days of loaded leaves otherwise.
OTHER_MODELS = frozenset(
    {
        *("account.account", "discuss.channel", "event.registration", "hr.leave", "hr.leave.type"),
        *("hr.work.entry", "hr.work.entry.type", "ir.model", "project.task", "res.company"),
        *("res.currency", "res.users", "slide.slide", "stock.quant"),
    }
)

#: model -> a field with which ``load`` does otherwise than ``create``. Contacts of a company are
#: loaded with what it has, and on Odoo 19 lose a VAT number that it has not.
OTHER_WITH = {"res.partner": "parent_id"}

#: Have ``load`` leave a record alone that has the external id, and have module updates do so.
_ONCE = {"mode": "update", "noupdate": True}

#: Seconds before a creation is sent again whose answer was lost.
WAITS = (0.2, 1.0, 3.0)

#: How long one waits; tests put something else in its place.
wait: Callable[[float], None] = pause

_MOMENT = "%Y-%m-%d %H:%M:%S"

Send = Callable[[Call], Any]


@attrs.frozen(kw_only=True)
class Creation:
    """A creation in both forms.

    Attributes:
        call: ``create``, as it would be sent.
        rows: the values of each record.
        load: the same by ``load``.
        names: the names of the external ids, one for each record.
    """

    call: Call
    rows: Sequence[Mapping[str, Any]]
    load: Call
    names: Sequence[str]


def as_load(odoo: Odoo, call: Call, key: str, number: int) -> Creation | None:
    """Return a creation in the form of ``load``; None where it has none that means the same.

    Args:
        odoo: the connection.
        call: ``create``, as it is to be sent.
        key: the caller's.
        number: of the creations of the same model under this key, from 0 on.
    """
    given = call.arguments.get("vals_list")
    rows: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]
    if not rows or call.model in OTHER_MODELS:
        return None
    if not all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows):
        return None
    if any(row.get(OTHER_WITH.get(call.model, "")) for row in rows):
        return None
    told = json.dumps([odoo.uid, key, call.model, number])
    stem = f"key_{hashlib.sha256(told.encode()).hexdigest()[:40]}"
    names = [f"{stem}_{place}" for place in range(len(rows))]
    table = _Table(odoo, call)
    try:
        table.add(call.model, "", rows, [f"{MODULE}.{name}" for name in names])
    except (KeyError, ValueError, ValidationError):
        return None
    kept = {name: value for name, value in call.context.items() if name not in OTHERWISE}
    load = attrs.evolve(
        call,
        method="load",
        positional=(),
        arguments={"fields": table.columns, "data": table.data},
        context={**kept, **_ONCE},
    )
    return Creation(call=call, rows=rows, load=load, names=names)


def make_once(odoo: Odoo, creation: Creation, send: Send, *, again: bool) -> list[int] | int | None:
    """Create records unless they are there; return what ``create`` does, None if it is refused.

    Args:
        odoo: the connection.
        creation: of which records.
        send: sends a call.
        again: whether the journal knows that they were asked for just so.

    Raises:
        StateError: the key has created something else in this database.
        OdooConnectionError: the answer was lost each time; its outcome is ``maybe_applied``.
        OdooError: Odoo refused it.
    """
    try:
        found = None if again else _found_before(odoo, creation, send)
        ids = found or _create_once(creation, send)
    except _NotToldError:
        return None
    several = isinstance(creation.call.arguments["vals_list"], (list, tuple))
    return ids if several or not ids else ids[0]


def _found_before(odoo: Odoo, creation: Creation, send: Send) -> list[int] | None:
    """Return what another journal, or a lost one, has the key for; None where that is nothing."""
    first = _look(creation, creation.names[0], send)
    if first is None:
        return None
    more = f"{creation.names[0][:-1]}{len(creation.names)}"
    whole = _look(creation, creation.names[-1], send) and _look(creation, more, send) is None
    ids = _ids(send(creation.load)) if whole else None
    if ids is None:
        _refuse(creation, [first], "other records")
    fields = odoo.schema.fields(creation.call.model)
    names = [name for name in creation.rows[0] if name in fields]
    shown = [*names, *({"active"} & fields.keys() - {*names})]
    read = Call(
        model=creation.call.model, method="read", ids=tuple(ids), arguments={"fields": shown}
    )
    stored = {row["id"]: row for row in send(attrs.evolve(read, context=creation.call.context))}
    given = dict(zip(ids, creation.rows, strict=True))
    if other := differences(creation.call.model, given, stored, fields):
        _refuse(creation, ids, ", ".join(dict.fromkeys(one.field for one in other)))
    if "active" not in names and any(row.get("active") is False for row in stored.values()):
        # Where nothing may be deleted, it was taken back by that.
        _refuse(creation, ids, "it is archived")
    return ids


def _create_once(creation: Creation, send: Send) -> list[int] | None:
    for seconds in (*WAITS, None):
        try:
            ids = _ids(send(creation.load))
        except OdooConnectionError as error:
            if error.outcome != "maybe_applied" or seconds is None or time_left() <= seconds:
                raise
            wait(seconds)
            continue
        if ids is None and _look(creation, creation.names[0], send) is not None:
            # Another process was quicker: now its records are there to be found.
            ids = _ids(send(creation.load))
        return ids
    raise AssertionError("unreachable")


def _ids(answer: Any) -> list[int] | None:
    found = answer.get("ids") if isinstance(answer, Mapping) else None
    return list(found) if found else None


def known_as(model: str, name: str, send: Send) -> list[int] | None:
    """Return the records that a creation with a key has made, none where it was not applied.

    None where that is not told to this user.

    Args:
        model: that they are of.
        name: of the external id of the first, as the journal has it.
        send: sends a call.

    Raises:
        OdooConnectionError: Odoo cannot be reached.
    """
    found: list[int] = []
    stem = name.removesuffix("0")
    try:
        while one := _reference(f"{stem}{len(found)}", send):
            if one[0] != model or not one[1]:
                return None
            found.append(int(one[1]))
    except _NotToldError:
        return None
    return found


def _look(creation: Creation, name: str, send: Send) -> int | None:
    """Return the record that has an external id; None where there is none."""
    one = _reference(name, send)
    if one is None:
        return None
    model, found = one
    if model != creation.call.model or not found:
        _refuse(creation, [], f"a record of {model} that this user cannot see")
    return int(found)


def _reference(name: str, send: Send) -> tuple[str, Any] | None:
    """Return the model and id of what has an external id; no id where this user cannot see it.

    Raises:
        _NotToldError: this server does not tell.
    """
    call = Call(
        model="ir.model.data",
        method="check_object_reference",
        arguments={"module": MODULE, "xml_id": name},
        context={"active_test": False},
        access="read",
    )
    try:
        model, found = send(call)
    except OdooConnectionError:
        raise
    except OdooError as error:
        if name in error.message and "not found" in error.message:
            return None
        raise _NotToldError from error
    return model, found


def _refuse(creation: Creation, ids: Sequence[int], otherwise: str) -> NoReturn:
    model = creation.call.model
    raise make_error(
        "KEY_DONE",
        f"This key has created {model} {', '.join(map(str, ids[:10]))}".rstrip()
        + f" in this database before, which is not as it is asked for now: {otherwise}. It was"
        " changed since, or the key was given for something else. Nothing was created.",
        suggestion="Look at it; use a new key for a new request.",
        details={"created": {model: list(ids)}},
        outcome="not_sent",
    )


class _NotToldError(Exception):
    """This server does not tell what has an external id."""


class _Table:
    """The columns and lines of ``load`` for some records and their lines.

    Args:
        odoo: the connection.
        call: the creation; its context decides in which zone moments are read.
    """

    def __init__(self, odoo: Odoo, call: Call) -> None:
        self.columns: list[str] = ["id"]
        self.data: list[list[Any]] = []
        self._odoo, self._context = odoo, call.context

    def add(
        self, model: str, path: str, rows: Sequence[Mapping[str, Any]], names: Sequence[str]
    ) -> None:
        """Add records, each followed by its lines.

        Raises:
            KeyError: a field is not known.
            ValueError: a value has no form of its own in ``load``.
        """
        fields = self._odoo.schema.fields(model)
        lists = [
            name
            for name in rows[0]
            if fields[name].type == "one2many" and any(row[name] for row in rows)
        ]
        plain = [name for name in rows[0] if name not in lists]
        children = {name: [self._lines(row[name], fields[name]) for row in rows] for name in lists}
        own = self._columns(plain, fields)
        shapes = {name: self._shape(name, children[name], fields[name]) for name in lists}
        self.columns += own + [column for columns, _, _ in shapes.values() for column in columns]
        for place, (row, external) in enumerate(zip(rows, names, strict=True)):
            first = [external, *(self._cell(row[name], fields[name]) for name in plain)]
            parts = [
                [[self._cell(line[key], of[key]) for key in keys] for line in children[name][place]]
                for name, (_, keys, of) in shapes.items()
            ]
            if any(not any(cells) for part in parts for cells in part):
                raise ValueError("a line of empty values is left out by load")
            empty = [[""] * len(columns) for columns, _, _ in shapes.values()]
            for line in range(max([1, *map(len, parts)])):
                cells = first if line == 0 else [""] * len(first)
                for part, blank in zip(parts, empty, strict=True):
                    cells = [*cells, *(part[line] if line < len(part) else blank)]
                self.data.append(cells)

    def _lines(self, value: Any, field: Field) -> list[Mapping[str, Any]]:
        commands = read_commands(value or [], field.name)
        if any(command.kind != "create" for command in commands):
            raise ValueError("load creates lines, and does nothing else with them")
        return [command.values for command in commands]

    def _shape(
        self, name: str, lines: Sequence[Sequence[Mapping[str, Any]]], field: Field
    ) -> tuple[list[str], list[str], Mapping[str, Field]]:
        """Return the columns, names and fields of the lines of a list; all are alike."""
        every = [line for part in lines for line in part]
        keys = list(every[0])
        if not keys or any(line.keys() != every[0].keys() for line in every):
            # An empty cell says that there is no value, and not that Odoo's default is meant.
            raise ValueError("the lines have different fields")
        fields = self._odoo.schema.fields(str(field.relation))
        if any(fields[key].type == "one2many" for key in keys):
            raise ValueError("the lines have lines of their own")
        return [f"{name}/{one}" for one in self._columns(keys, fields)], keys, fields

    def _columns(self, names: Sequence[str], fields: Mapping[str, Field]) -> list[str]:
        if "id" in names:
            # As a column it is the external id of a record that is to be changed.
            raise ValueError("a new record has no id")
        return [column(fields[name]) for name in names]

    def _cell(self, value: Any, field: Field) -> Any:
        if field.type == "many2many" and isinstance(value, list):
            value = [[6, 0, _linked(value, field)]]
        elif field.type in TO_MANY and value:
            raise ValueError("a list inside a line")
        elif field.type == "datetime" and value:
            return self._local(str(value))
        return cell(value, field)

    def _local(self, value: str) -> str:
        """Return a moment of UTC as the clock of the user's zone shows it, which ``load`` reads."""
        if not self._context.get("tz"):
            raise ValueError("the zone of the user is not known here")
        zone = time_zone(self._context)
        moment = datetime.strptime(value, _MOMENT).replace(tzinfo=timezone.utc)
        local = moment.astimezone(zone)
        if local.replace(fold=1).astimezone(timezone.utc) != moment:
            raise ValueError("the clock shows this time twice that day")
        return local.strftime(_MOMENT)


def _linked(value: Sequence[Any], field: Field) -> list[int]:
    """Return the records that commands link to a new one."""
    found: list[int] = []
    for command in read_commands(value, field.name):
        if command.kind == "link":
            found.append(command.id)
        elif command.kind == "set":
            found = list(command.ids)
        else:
            raise ValueError("load links records, and does nothing else with them")
    return found
