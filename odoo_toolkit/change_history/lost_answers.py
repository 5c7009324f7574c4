"""What became of a write whose answer was lost: it is looked for in Odoo, and never sent again.

A created record is recognised by its user, its time and its values; a changed or deleted one by
how it is now. What is seen has happened. What is not seen may still be under way: absence proves
nothing, so the error then says what was looked for, and for how long.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import attrs

from odoo_toolkit.arguments import Command, hold, read_commands
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.recording import made_by_others, note_found
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.progress import pause, time_left
from odoo_toolkit.values.moments import utc_string_of

#: Seconds to wait before each look: the server might still be working.
WAITS = (0.0, 0.3, 0.7, 1.5, 2.5)

#: Seconds by which the server's clock, as its answers tell it, can be wrong.
_CLOCK_MARGIN = 2.0

#: Seconds for which a creation is remembered, to tell it from another of the same values.
_REMEMBERED = 600.0

#: Field types that a search finds by exactly what was written; most rows that it looks at.
_SEARCHED = frozenset({"char", "many2one", "integer", "selection", "date", "datetime"})
_MOST = 40

SEEN = "The response was lost, but Odoo shows that the request succeeded."


@attrs.define(kw_only=True, eq=False)
class Creation:
    """A creation that was sent: ``ids`` are None while it is not known what became of it.

    ``rows`` are the values of what it creates, as far as they are known and it is in doubt.
    """

    key: tuple[Any, ...]
    values: int
    rows: Sequence[Mapping[str, Any]] = ()
    sent: float
    ids: frozenset[int] | None = None

    def own(self, found: Sequence[int]) -> list[int]:
        """Return which of the records found no other creation of this process has made.

        None of them, while another one of the same values is in doubt.
        """
        with _lock:
            others = [other for other in _creations[self.key] if other is not self]
        if any(other.ids is None and other.values == self.values for other in others):
            return []
        return [n for n in found if all(n not in (other.ids or ()) for other in others)]

    def rows_of_others(self) -> list[Mapping[str, Any]]:
        """Return the values of what other creations of this process may have made by now.

        Ask before :meth:`own`: what becomes known meanwhile is then left out by one of the two.
        """
        with _lock:
            others = [other for other in _creations[self.key] if other is not self]
            return [row for other in others if other.ids is None for row in other.rows]


#: (database, number of a fake server, model) -> what this process has created there of late.
_creations: defaultdict[tuple[Any, ...], deque[Creation]] = defaultdict(deque)
_lock = threading.Lock()


def send(odoo: Odoo, call: Call, warnings: list[str]) -> Any:
    """Send a write; when its answer is lost, look in Odoo whether it has happened.

    ``create``, ``write`` and ``unlink`` are looked for; what else a method does cannot be known.

    Args:
        odoo: the connection.
        call: the write.
        warnings: is told when the answer was lost and the write was seen.

    Returns:
        What the method returned; of ``create`` always the list of ids.

    Raises:
        OdooConnectionError: the answer was lost and nothing was seen; its outcome is
            ``maybe_applied``.
        OdooError: as of :meth:`Odoo.call`.
    """
    started = time.time()
    creates, values = call.method == "create", call.arguments.get("vals_list")
    rows = _rows(values) or ()
    with creating(odoo, call.model, values, rows) if creates else nullcontext() as creation:
        seen = _default_look(odoo, call, creation, started)
        answer = or_seen(lambda: odoo.call(call), seen, warnings)
        if creation:
            answer = list(answer) if isinstance(answer, (list, tuple)) else [answer]
            creation.ids = frozenset(answer)
    return answer


def or_seen(
    act: Callable[[], Any],
    seen: Callable[[], Any] | None,
    warnings: list[str],
    *,
    safe: bool = False,
) -> Any:
    """Do something that writes; when its answer is lost, look whether it has happened.

    Args:
        act: makes the call or calls.
        seen: looks, and returns what stands for the lost answer; None where it sees nothing.
        warnings: is told when the answer was lost and the write was seen.
        safe: whether repeating does no harm, because the state is looked at first.

    Raises:
        OdooConnectionError: the answer was lost and nothing was seen; its outcome is
            ``maybe_applied``.
    """
    try:
        return act()
    except OdooConnectionError as error:
        if error.outcome != "maybe_applied":
            raise
        if seen:
            looked = Looked()
            if (answer := look(seen, looked)) is not None:
                warnings.append(SEEN)
                note_found(answer)
                return answer
            error.message += f" {looked}"
        if safe:
            error.suggestion = "You can safely repeat the call: the toolkit checks the state first."
        raise


@attrs.define
class Looked:
    """How a look for a result went, as a sentence.

    Attributes:
        seconds: that were waited until the last look which Odoo answered; None if it answered none.
        problem: why the last one had no answer.
    """

    seconds: float | None = None
    problem: OdooError | None = None

    def __str__(self) -> str:
        if self.seconds is not None:
            seconds = round(self.seconds)
            long = f" for {seconds} second{'' if seconds == 1 else 's'}" if seconds else ""
            return (
                f"The toolkit looked for the result in Odoo{long} and did not find it. The server "
                "might still be working."
            )
        if self.problem is None:
            return "There was no time left to look for the result in Odoo."
        if isinstance(self.problem, OdooConnectionError):
            return "The toolkit could not look for the result, because Odoo did not respond again."
        return f"The toolkit could not look for the result: {self.problem.message}"


def look(seen: Callable[[], Any], looked: Looked | None = None) -> Any:
    """Look several times; return what was seen, or None. It never fails.

    Args:
        seen: returns None as long as it sees nothing.
        looked: receives the outcome of the looks.
    """
    looked, waited = looked or Looked(), 0.0
    for wait in WAITS:
        if time_left() <= wait:
            return None
        pause(wait)
        waited += wait
        try:
            found = seen()
        except OdooError as error:
            looked.problem = error
            continue
        looked.seconds = waited
        if found is not None:
            return found
    return None


def made_since(odoo: Odoo, started: float) -> list[Any] | None:
    """Return the conditions of what this user has created since; None where no clock can be read.

    Args:
        odoo: the connection.
        started: a time of this machine, in seconds since the epoch.
    """
    ahead = odoo.clock_ahead
    if ahead is None:
        return None
    since = utc_string_of(started - _CLOCK_MARGIN + ahead)
    return [["create_uid", "=", odoo.uid], ["create_date", ">=", since]]


# Creations -------------------------------------------------------------------------------------


@contextmanager
def creating(
    odoo: Odoo, model: str, values: Any, rows: Sequence[Mapping[str, Any]] = ()
) -> Iterator[Creation]:
    """Remember a creation from before it is sent, so that two alike are never taken for one.

    Args:
        odoo: the connection.
        model: what is created, or the wizard that creates it.
        values: what two creations that cannot be told apart have in common.
        rows: the values of each record, where they are known.
    """
    # Not the address: one server may have several.
    key = (odoo.settings.database, odoo.server_number, model)
    creation = Creation(key=key, values=_digest(values), rows=rows, sent=time.monotonic())
    with _lock:
        recent = _creations[key]
        while recent and creation.sent - recent[0].sent > _REMEMBERED:
            recent.popleft()
        recent.append(creation)
    try:
        yield creation
    except OdooError as error:
        if error.outcome != "maybe_applied":
            creation.ids = frozenset()
        raise
    finally:
        if creation.ids is not None:
            creation.rows = ()


def _rows(vals_list: Any) -> list[Mapping[str, Any]] | None:
    """Return the values of each record of a creation; None where they are none."""
    rows = list(vals_list) if isinstance(vals_list, (list, tuple)) else [vals_list]
    return rows if all(isinstance(row, Mapping) for row in rows) else None


def _digest(values: Any) -> int:
    try:
        return hash(json.dumps(values, sort_keys=True, default=str))
    except (RecursionError, ValueError):
        # Values that are refused when they are sent.
        return 0


def _default_look(
    odoo: Odoo, call: Call, creation: Creation | None, started: float
) -> Callable[[], Any] | None:
    if creation:
        return lambda: _created(odoo, call, creation, made_since(odoo, started))
    if call.method == "write":
        return lambda: _written(odoo, call, made_since(odoo, started))
    return (lambda: _unlinked(odoo, call)) if call.method == "unlink" else None


def _created(
    odoo: Odoo, call: Call, creation: Creation, since: Sequence[Any] | None
) -> list[int] | None:
    """Return the ids of the records that this call, and no other, has created."""
    rows = _rows(call.arguments.get("vals_list"))
    if rows is None:
        return None
    described = odoo.policy.readable_fields(call.model, odoo.schema.fields)
    names = sorted({name for row in rows for name in row if _compares(described.get(name))})
    if since is None or not names or {"create_uid", "create_date"} - described.keys():
        return None
    same = [
        [name, "in", sorted({row[name] for row in rows})]
        for name in names
        if described[name].type in _SEARCHED and all(row.get(name) for row in rows)
    ]
    most = _MOST + len(rows)
    arguments = {"domain": [*since, *same], "fields": names, "order": "id", "limit": most}
    found = _read(odoo, call, "search_read", arguments)
    others = made_by_others(call.model)
    doubtful = creation.rows_of_others()
    own = creation.own([record["id"] for record in found if record["id"] not in others])
    new = [
        record
        for record in found
        if record["id"] in own and any(_is(row, record, described) for row in rows)
    ]
    if len(found) == most or len(new) != len(rows):
        return None
    if any(_is(row, record, described) for row in doubtful for record in new):
        # A batch beside this one has such a row, too, and may have made it.
        return None
    pairs = zip(rows, new, strict=True)
    return [r["id"] for r in new] if all(_is(row, r, described) for row, r in pairs) else None


# Changes ---------------------------------------------------------------------------------------


def seen_written(odoo: Odoo, model: str, rows: Mapping[int, Mapping[str, Any]]) -> bool:
    """Whether records are as they were to be; False also where that cannot be told.

    Args:
        odoo: the connection.
        model: of the records.
        rows: record id -> values as they were written.
    """
    calls = [
        Call(model=model, method="write", ids=(number,), arguments={"vals": values})
        for number, values in rows.items()
    ]
    return all(_written(odoo, call, None) for call in calls)


def _written(odoo: Odoo, call: Call, since: Sequence[Any] | None) -> bool | None:
    """Whether the records are as they were to be; what cannot be compared is judged by its time."""
    values, ids = call.arguments.get("vals"), list(call.ids or ())
    if not isinstance(values, Mapping):
        return None
    described = odoo.policy.readable_fields(call.model, odoo.schema.fields)
    compared = [name for name in values if _compares(described.get(name))]
    domain: list[Any] = [["id", "in", ids]]
    if len(compared) < len(values) or any(
        _makes_lines(values[name], described[name]) for name in compared
    ):
        if since is None or {"write_uid", "write_date"} - described.keys():
            return None
        domain += [[leaf[0].replace("create", "write"), *leaf[1:]] for leaf in since]
    found = _read(odoo, call, "search_read", {"domain": domain, "fields": compared or ["id"]})
    as_asked = len(found) == len(set(ids)) and all(_is(values, row, described) for row in found)
    return True if as_asked else None


def _unlinked(odoo: Odoo, call: Call) -> bool | None:
    # Read, not searched for: a record that cannot be seen is refused, one that is gone is not.
    rows = _read(odoo, call, "read", {"fields": ["display_name"]}, call.ids)
    return None if rows else True


def _read(
    odoo: Odoo,
    call: Call,
    method: str,
    arguments: Mapping[str, Any],
    ids: tuple[int, ...] | None = None,
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = odoo.call(
        Call(
            model=call.model,
            method=method,
            ids=ids,
            arguments=arguments,
            context={"active_test": False},
            acts_on=call.acts_on,
            step=True,
        )
    )
    return rows


def _compares(field: Field | None) -> bool:
    """Whether a field shows again what was written to it."""
    return field is not None and field.store and field.type not in ("html", "binary", "json")


def _makes_lines(value: Any, field: Field) -> bool:
    commands = _commands(value) if field.type in TO_MANY else None
    return any(command.kind == "create" for command in commands or ())


def _is(values: Mapping[str, Any], row: Mapping[str, Any], described: Mapping[str, Field]) -> bool:
    return all(
        _same(value, row[name], described[name]) for name, value in values.items() if name in row
    )


def _same(written: Any, shown: Any, field: Field) -> bool:
    """Whether what a field shows is what was written to it."""
    match field.type:
        case "many2one":
            return bool((shown[0] if shown else False) == (written or False))
        case "one2many" | "many2many":
            return _same_links(written, shown)
        case "float" | "monetary":
            # Odoo rounds to the digits of the field.
            return math.isclose(written or 0.0, shown or 0.0, rel_tol=1e-4, abs_tol=0.005)
        case "char" | "text":
            return str(written or "").strip() == str(shown or "").strip()
        case _:
            return bool((written or False) == (shown or False))


def _same_links(written: Any, shown: Sequence[int]) -> bool:
    commands = _commands(written)
    if commands and all(command.kind == "create" for command in commands):
        return len(commands) == len(shown)
    return commands is not None and hold(commands, shown)


def _commands(written: Any) -> Sequence[Command] | None:
    """Read what was written to a one2many or many2many; None where Odoo will have refused it."""
    try:
        return read_commands(written, "values")
    except ValidationError:
        return None
