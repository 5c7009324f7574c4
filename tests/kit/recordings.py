"""What went over the wire to a real Odoo, kept, and played again without one.

A scenario is a function of connections. :class:`Recording` runs it on a real Odoo and keeps each
call with its answer; :class:`Replay` answers the same calls in the same order. A call that differs
from the one that was kept ends the scenario: what is sent changed, and a real Odoo has to say what
it makes of it.

The clock stands still and names are drawn from a seed, so that a scenario asks the same each time.
Recordings of one version share their answers, since most of them are descriptions of fields.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import shlex
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest import mock

import attrs
import time_machine

from odoo_toolkit import ConnectionSettings, OdooError, errors, schema
from odoo_toolkit.call import Call
from odoo_toolkit.connection.transport import Transport
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import OdooConnectionError
from odoo_toolkit.fields import Field, parse_fields

#: Where the recordings are: a file for each version.
FOLDER = Path(__file__).parents[1] / "recorded" / "operations"


#: What is said of an answer that a branch loses.
LOST = "This answer is lost."


class StaleRecordingError(AssertionError):
    """A scenario asks what its recording does not have, or there is no recording to ask.

    Args:
        what: is so.
        version: of Odoo, to say how to record it.
        name: of the scenario; nothing where all of the version are concerned.
    """

    def __init__(self, what: str, version: int, name: str = "") -> None:
        chosen = f" -k {shlex.quote(name)}" if name else ""
        how = f"python -m tests.kit.record {version}{chosen}"
        super().__init__(f"{what} If that is meant, record it on a real Odoo: {how}")


@attrs.define
class Tape:
    """A scenario on one version: when it took place, and each call with its answer.

    Attributes:
        moment: of the recording, in seconds since 1970: the clock of the scenario stands there.
        version: of the server.
        users: the name of each connection -> the id of its user.
        exchanges: connection, call, digest of the answer, whether the call only reads.
        commit: that was checked out.
    """

    moment: int
    commit: str = ""
    version: dict[str, Any] = attrs.field(factory=dict)
    users: dict[str, int] = attrs.field(factory=dict)
    exchanges: list[list[Any]] = attrs.field(factory=list)


class Described(dict[str, Any]):
    """What Odoo says of a model's fields, which nobody changes."""

    @cached_property
    def fields(self) -> dict[str, Field]:
        """The fields, parsed."""
        return parse_fields(self)


def parsed(answer: Mapping[str, Any]) -> dict[str, Field]:
    """Return the fields of an answer."""
    return answer.fields if isinstance(answer, Described) else parse_fields(answer)


@attrs.define
class Recordings:
    """All scenarios of one version.

    Attributes:
        tapes: the scenario's name -> what went over the wire.
        answers: digest -> answer, or the error.
    """

    tapes: dict[str, Tape] = attrs.field(factory=dict)
    answers: dict[str, Any] = attrs.field(factory=dict)
    _described: dict[str, Described] = attrs.field(factory=dict)

    @classmethod
    def read(cls, version: int, folder: Path | None = None) -> Recordings:
        """Return the recordings of a version in a folder; empty where there are none.

        Raises:
            StaleRecordingError: the file is damaged, of another form, or of another version.
        """
        path = (folder or FOLDER) / f"odoo-{version}.json.xz"
        if not path.exists():
            return cls()
        try:
            content = json.loads(lzma.decompress(path.read_bytes()))
            tapes = {name: Tape(**tape) for name, tape in content["tapes"].items()}
        except (lzma.LZMAError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StaleRecordingError(f"{path.name} cannot be read: {error!r}.", version) from error
        if others := {
            major for tape in tapes.values() if (major := tape.version["major"]) != version
        }:
            raise StaleRecordingError(f"{path.name} is of Odoo {min(others)}.", version)
        return cls(tapes, content["answers"])

    def write(self, version: int, folder: Path | None = None) -> None:
        """Keep them, without the answers that no scenario has any more."""
        used = {digest for tape in self.tapes.values() for _, _, digest, _ in tape.exchanges}
        content = {
            "tapes": {name: attrs.asdict(self.tapes[name]) for name in sorted(self.tapes)},
            "answers": {digest: self.answers[digest] for digest in sorted(used)},
        }
        folder = folder or FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
        (folder / f"odoo-{version}.json.xz").write_bytes(lzma.compress(text.encode(), preset=6))

    def described(self, digest: str) -> Described:
        """Return the fields of a model, which are parsed once for all tapes."""
        if digest not in self._described:
            self._described[digest] = Described(self.answers[digest]["answer"])
        return self._described[digest]

    def keep(self, answer: Any) -> str:
        """Keep an answer and return its digest."""
        text = json.dumps(answer)  # In their order: what is asked for next may follow it.
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.answers[digest] = json.loads(text)
        return digest


def asked(call: Call) -> dict[str, Any]:
    """Return what a call sends, as JSON has it."""
    parts = {
        "model": call.model,
        "method": call.method,
        "ids": call.ids,
        "arguments": dict(call.arguments),
        "positional": call.positional,
        "context": dict(call.context),
    }
    question = dict(json.loads(json.dumps({name: part for name, part in parts.items() if part})))
    if fields := question.get("arguments", {}).get("fields"):
        question["arguments"]["fields"] = sorted(fields)  # Odoo does not mind their order.
    return question


@attrs.define(slots=False)  # so that a test may put another `send` in its place
class Recording:
    """The transport of a real connection, which keeps what it carries."""

    real: Transport
    version: ServerVersion
    uid: int
    user: str
    tape: Tape
    recordings: Recordings
    name: str = "recording"

    def authenticate(self) -> int:
        """Return the user's id, who is logged in."""
        self.tape.users[self.user] = self.uid
        return self.uid

    def send(self, call: Call) -> Any:
        """Send a call, and keep it with its answer."""
        question = asked(call)
        try:
            answer = self.real.send(call)
        except OdooError as error:
            self._keep(call, question, {"error": type(error).__name__, **_facts(error)})
            raise
        self._keep(call, question, {"answer": answer})
        return answer

    def _keep(self, call: Call, question: dict[str, Any], answer: dict[str, Any]) -> None:
        digest = self.recordings.keep(answer)
        self.tape.exchanges.append([self.user, question, digest, call.reads])

    def close(self) -> None:
        """Release the connections."""
        self.real.close()


class NotRecordedError(AssertionError):
    """A branch asks what nobody asked of the real Odoo."""


@attrs.define
class Played:
    """What of a tape has not been asked for yet.

    Reads that an operation sends side by side come in any order; none passes a write.

    Attributes:
        branched: whether it is a branch: what is read is answered as it was the last time, too.
        loses: the number of the write whose answer is lost, with all that comes later.
        lost: whether it was.
        asked: how many calls were sent, but for descriptions of fields.
        writes: those that do not only read.
    """

    recordings: Recordings
    pending: list[list[Any]]
    stale: Callable[[str], StaleRecordingError]
    branched: bool = False
    loses: int | None = None
    lost: bool = False
    asked: int = 0
    writes: list[Call] = attrs.field(factory=list)
    _done: list[list[Any]] = attrs.field(factory=list)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def branch(self) -> Played:
        """Return one that goes on from here, on its own."""
        return attrs.evolve(
            self,
            branched=True,
            pending=[*self.pending],
            done=[*self._done],
            asked=0,
            writes=[],
            lock=threading.Lock(),
        )

    def answer(self, user: str, call: Call) -> Any:
        """Return the answer to a call, and take it off what is pending.

        Raises:
            StaleRecordingError: something else was asked then.
            NotRecordedError: the same, in a branch.
            OdooConnectionError: the answer is lost.
        """
        with self._lock:
            self.asked += call.method != "fields_get"
            if self.lost:
                raise OdooConnectionError("Nobody answers.", outcome="not_sent")
            if not call.reads:
                self.writes.append(call)
                if self.loses == len(self.writes) - 1:
                    self.lost = True
                    raise OdooConnectionError(LOST, outcome="maybe_applied")
            found = self._find(user, asked(call), call.reads)
        if found not in self.recordings.answers:
            raise self.stale(f"The answer to {_name(asked(call))} is missing.")
        answer = self.recordings.answers[found]
        if call.internal and call.method == "fields_get" and "answer" in answer:
            return {"answer": self.recordings.described(found)}
        # Made anew each time: the toolkit shows rows in place.
        return json.loads(json.dumps(answer))

    def _find(self, user: str, question: Any, reads: bool) -> str:
        for number, (asker, text, digest, read) in enumerate(self.pending):
            if (asker, text) == (user, question):
                self._done.append(self.pending.pop(number))
                return str(digest)
            if not (read and reads):
                break
        said = _difference([user, question], self.pending[0][:2] if self.pending else None)
        if not self.branched:
            raise self.stale(said)
        for _, text, digest, read in reversed(self._done):
            if read and text == question:
                return str(digest)
        raise NotRecordedError(said)

    def end(self) -> None:
        """See that all was asked for.

        Raises:
            StaleRecordingError: something was not.
        """
        if self.pending:
            names = [_name(each[1]) for each in self.pending]
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            raise self.stale(f"No longer sent: {', '.join(names[:_SHOWN])}{more}.")


@attrs.define(slots=False)
class Replay:
    """A transport that answers as a real Odoo did."""

    user: str
    version: ServerVersion
    uid: int
    played: Played
    name: str = "replay"

    def authenticate(self) -> int:
        """Return the id that the user had."""
        return self.uid

    def send(self, call: Call) -> Any:
        """Answer a call as it was answered."""
        found = self.played.answer(self.user, call)
        if "error" not in found:
            return found["answer"]
        kind: type[OdooError] = getattr(errors, found.pop("error"))
        raise kind(found.pop("message"), **found)

    def close(self) -> None:
        """Nothing is open."""


def _facts(error: OdooError) -> dict[str, Any]:
    names = ("message", "code", "suggestion", "details", "outcome", "retry")
    return {name: getattr(error, name) for name in names}


#: Differences and calls that an error shows, and characters of a value in it.
_SHOWN, _WIDTH = 5, 100


def _name(question: Mapping[str, Any]) -> str:
    return f"{question['model']}.{question['method']}"


def _difference(sent: list[Any], recorded: list[Any] | None) -> str:
    """Return what was sent otherwise than it is recorded."""
    name = _name(sent[1])
    if recorded is None:
        return f"{name} is sent, and no more calls is recorded."
    if name != (other := _name(recorded[1])):
        return f"{name} is sent, and {other} is recorded."
    found = [*_changed({"user": sent[0], name: sent[1]}, {"user": recorded[0], name: recorded[1]})]
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{'; '.join(found[:_SHOWN])}{more}."


def _changed(sent: Any, recorded: Any, path: str = "") -> Iterator[str]:
    """Yield the places in which two values differ."""
    if isinstance(sent, list) and isinstance(recorded, list) and len(sent) == len(recorded):
        sent, recorded = (dict(enumerate(value)) for value in (sent, recorded))
    if not isinstance(sent, dict) or not isinstance(recorded, dict):
        if sent != recorded:
            yield f"{path} is {_brief(recorded)} in the recording, and sent as {_brief(sent)}"
        return
    for key in dict.fromkeys((*sent, *recorded)):
        inner = f"{path}.{key}" if path else str(key)
        if key not in recorded:
            yield f"{inner} is new: {_brief(sent[key])}"
        elif key not in sent:
            yield f"{inner} is gone: {_brief(recorded[key])}"
        else:
            yield from _changed(sent[key], recorded[key], inner)


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


_drawn = random.Random()


@contextmanager
def standing_still(seed: str, moment: int) -> Iterator[None]:
    """Hold the clock, and draw names from a seed."""
    _drawn.seed(seed)

    def draw() -> uuid.UUID:
        return uuid.UUID(int=_drawn.getrandbits(128), version=4)

    clock = datetime.fromtimestamp(moment, UTC)
    with (
        time_machine.travel(clock, tick=False),
        mock.patch.object(uuid, "uuid4", draw),
        mock.patch.object(schema, "parse_fields", parsed),
    ):
        yield


@contextmanager
def as_if_nothing_was_drawn() -> Iterator[None]:
    """Have the next names be those that would have been the next without what is done here."""
    state = _drawn.getstate()
    yield
    _drawn.setstate(state)


#: Settings of a connection that no server is behind.
NOWHERE = ConnectionSettings(
    url="http://replay.test",
    database="replay",
    username="replay",
    reconnect_backoff=0.0,
)
