"""What an earlier attempt with the same key has sent without hearing an answer is found out.

A process was killed, or a connection broke. Before what it did is taken back, it has to be known
what that is: a record of which nobody knows would stay.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Admitted, Odoo
from odoo_toolkit.journal import Write
from odoo_toolkit.journal.external_keys import known_as
from odoo_toolkit.journal.foretelling import CREATES
from odoo_toolkit.journal.recording import Recording
from odoo_toolkit.journal.snapshots import values_before
from odoo_toolkit.journal.store import Reply
from odoo_toolkit.lost_answers import SETTLED, seen_of_earlier


@attrs.frozen(kw_only=True)
class Doubts:
    """What is not known of an earlier attempt, a sentence for each call.

    Attributes:
        lasting: what cannot be looked for here.
        for_now: what was looked for and not found, while a server may still be working at it.
    """

    lasting: list[str] = attrs.Factory(list)
    for_now: list[str] = attrs.Factory(list)


def settle(odoo: Odoo, recording: Recording) -> Doubts:
    """Find out what became of the calls of an earlier attempt whose answers were lost.

    What is found is noted as done, and what was not applied as refused, so that it is made anew.
    What a button did shows in the records themselves.

    Args:
        odoo: the connection.
        recording: the entry of the key, that is gone on with.

    Raises:
        OdooConnectionError: Odoo cannot be reached.
    """
    doubts = Doubts()
    for place, write, reply in recording.unanswered():
        if look := _LOOKS.get(write.method):
            look(odoo, recording, _Lost(place=place, write=write, reply=reply), doubts)
    return doubts


@attrs.frozen(kw_only=True)
class _Lost:
    """A call whose answer was lost."""

    place: int
    write: Write
    reply: Reply


def _not_applied(recording: Recording, lost: _Lost) -> None:
    recording.look_for(lost.place, lost.reply)
    recording.not_applied()


def _created(odoo: Odoo, recording: Recording, lost: _Lost, doubts: Doubts) -> None:
    write = lost.write
    if recording.is_transient(write.model):
        # A dialog that nobody answers any more is removed by Odoo itself.
        _not_applied(recording, lost)
        return
    recording.look_for(lost.place, lost.reply)
    if write.external_id:
        ids = known_as(write.model, write.external_id, _sender(odoo))
        if ids is None:
            doubts.lasting.append(_look_yourself(write))
            return
    else:
        ids = _recognised(odoo, write)
        if ids is None and time.time() - lost.reply.sent <= SETTLED:
            doubts.for_now.append(f"{_doubt(write)} {_later(lost.reply)}")
            return
    if ids:
        recording.found(ids)
    else:
        # Where it has an external id, what arrives late is found by the one that is made anew.
        recording.not_applied()


def _copied(odoo: Odoo, recording: Recording, lost: _Lost, doubts: Doubts) -> None:
    del odoo, recording
    doubts.lasting.append(_look_yourself(lost.write))


def _deleted(odoo: Odoo, recording: Recording, lost: _Lost, doubts: Doubts) -> None:
    del doubts
    ids = tuple(lost.write.ids)
    if odoo.call(_call(lost.write, {"fields": ["display_name"]}, ids, method="read")):
        _not_applied(recording, lost)


def _changed(odoo: Odoo, recording: Recording, lost: _Lost, doubts: Doubts) -> None:
    del doubts
    write = lost.write
    if write.before and not write.lines and not write.not_kept:
        call = _call(write, {"vals": write.values}, tuple(write.ids))
        if values_before(odoo, call) == write.before:
            _not_applied(recording, lost)


_LOOKS: dict[str, Callable[[Odoo, Recording, _Lost, Doubts], None]] = {
    **dict.fromkeys(CREATES, _copied),
    "create": _created,
    "unlink": _deleted,
    "write": _changed,
}


def _recognised(odoo: Odoo, write: Write) -> list[int] | None:
    """Return the records that look like what was created; None where none is sure to be."""
    if not write.values:
        return None
    found: list[int] | None = seen_of_earlier(odoo, _call(write, {"vals_list": write.values}))
    return found


def _call(
    write: Write,
    arguments: dict[str, Any],
    ids: tuple[int, ...] | None = None,
    method: str = "",
) -> Call:
    return Call(
        model=write.model,
        method=method or write.method,
        ids=ids,
        arguments=arguments,
        context={**write.context, "active_test": False},
        step=True,
    )


def _sender(odoo: Odoo) -> Callable[[Call], Any]:
    """Return what sends a read for the toolkit itself, as the creation's own look was sent."""

    def send(call: Call) -> Any:
        return odoo.send(Admitted(call=call, asked=call, started=time.monotonic()))

    return send


def _doubt(write: Write) -> str:
    rows = write.values if isinstance(write.values, list) else [write.values or {}]
    names = ", ".join(str(row["name"]) for row in rows[:5] if row.get("name"))
    ids = ", ".join(map(str, write.ids[:5]))
    of = f" {ids}" if ids else f" ({names})" if names else ""
    return f"Whether {write.method} of {write.model}{of} was applied is not known."


def _look_yourself(write: Write) -> str:
    return f"{_doubt(write)} It cannot be looked for here: where it is there, delete it in Odoo."


def _later(reply: Reply) -> str:
    moment = datetime.fromtimestamp(reply.sent + SETTLED, timezone.utc)
    return (
        f"It was looked for and not found; until {moment:%Y-%m-%d %H:%M} UTC a server might still"
        " be working at it."
    )
