"""What people do while processes die, and what each of them may then expect of Odoo."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import attrs

from tests.cluster.people import LostAnswerError, Member, Said

Expected = Literal["one", "none", "at most one"]

YES = {"action": "accept", "content": {"confirm": True}}
COMPANY = "odoo_contacts_create_company"


@attrs.frozen
class Claim:
    """What must be in Odoo's database of one mark."""

    mark: str
    who: int
    expected: Expected
    why: str


@attrs.define
class Ledger:
    """What was done, in all threads.

    Attributes:
        claims: what must be in the database.
        wrong: what no answer may be.
        counts: how often what was done, for the report.
    """

    claims: list[Claim] = attrs.field(factory=list)
    wrong: list[str] = attrs.field(factory=list)
    counts: Counter[str] = attrs.field(factory=Counter)
    _changed: threading.Condition = attrs.field(factory=threading.Condition)
    _progress: int = 0

    def claim(self, mark: str, who: Member, expected: Expected, why: str) -> None:
        """Note what must be there."""
        self.claims.append(Claim(mark, who.uid, expected, why))

    def note(self, what: str) -> None:
        """Note that something was done."""
        with self._changed:
            self.counts[what] += 1

    def step(self) -> None:
        """Note that one piece of work is done, or that an answer to it has not come."""
        with self._changed:
            self._progress += 1
            self._changed.notify_all()

    def wait_for(self, steps: int) -> None:
        """Wait until so many pieces are done or answers have not come.

        Answers that do not come count, as everybody may be waiting for one process: the key of a
        piece of work belongs to the process that has begun it, until that process ends or goes on.
        """
        with self._changed:
            assert self._changed.wait_for(lambda: self._progress >= steps, 600), "Nobody works."


@attrs.frozen
class Work:
    """One person's work.

    Args:
        ledger: where it is noted.
        member: who works.
        chance: decides what is done.
        prefix: of all marks.
    """

    ledger: Ledger
    member: Member
    chance: random.Random
    prefix: str

    def step(self, number: int) -> None:
        """Do one piece of work."""
        kinds: dict[Callable[[str], None], int] = {
            self.look: 6,
            self.create: 3,
            self.create_with_key: 4,
            self.batch_with_key: 2,
            self.confirm: 3,
            self.confirm_twice_at_once: 1,
        }
        kind = self.chance.choices(list(kinds), list(kinds.values()))[0]
        mark = f"{self.prefix}-{self.member.login}-{number}"
        try:
            kind(mark)
        except Exception as error:
            self.ledger.wrong.append(f"{kind.__name__} {mark}: {type(error).__name__} {error}")
        self.ledger.note(kind.__name__)
        self.ledger.step()

    def look(self, mark: str) -> None:
        """Ask who one is: the answer must name nobody else."""
        said = self.member.until_answered("odoo_core_get_user", {})
        if said.data.get("user") != self.member.login:
            self.ledger.wrong.append(f"{self.member.login} was answered: {said}")

    def create(self, mark: str) -> None:
        """Create a record, once: where the answer is lost, nobody knows."""
        values = {"name": mark, "ref": mark}
        try:
            said = self.member.call("odoo_core_create", {"model": "res.partner", "values": values})
        except LostAnswerError:
            self.ledger.note("answers to what is not repeated that have not come")
            self.ledger.claim(mark, self.member, "at most one", "the answer was lost")
            return
        self._claim(mark, said)

    def create_with_key(self, mark: str) -> None:
        """Create a record with a key, until it is done."""
        values = {"name": mark, "ref": mark}
        arguments = {"model": "res.partner", "values": values, "idempotency_key": mark}
        self._claim(mark, self.member.until_answered("odoo_core_create", arguments))

    def batch_with_key(self, mark: str) -> None:
        """Create two records as one change with a key, until it is done."""
        items = [
            {
                "tool": "odoo_core_create",
                "arguments": {
                    "model": "res.partner",
                    "values": {"name": f"{mark}{end}", "ref": f"{mark}{end}"},
                },
            }
            for end in "ab"
        ]
        said = self.member.until_answered(
            "odoo_core_batch", {"items": items, "idempotency_key": mark}
        )
        for end in "ab":
            self._claim(f"{mark}{end}", said)

    def confirm(self, mark: str) -> None:
        """Say yes to what another process has asked, and say it again: that counts no more."""
        arguments = {"name": mark, "allow_duplicates": True}
        asked = self.member.until_answered(COMPANY, arguments, asks=True)
        if not asked.asks:
            self.ledger.wrong.append(f"{mark}: nobody was asked: {asked}")
            return
        answer = self._answer(asked)
        try:
            said = self.member.call(COMPANY, arguments, asks=True, **answer)
        except LostAnswerError:
            self.ledger.note("answers to what is not repeated that have not come")
            self.ledger.claim(mark, self.member, "at most one", "the answer to a yes was lost")
            return
        if said.asks:
            self.ledger.note("asked again, as the key of the seal had been removed")
        self._claim(mark, said)
        if said.done:
            again = self._again(arguments, answer)
            if again is not None and again.done:
                self.ledger.wrong.append(f"{mark}: one yes was taken twice: {again}")

    def _again(self, arguments: dict[str, Any], answer: dict[str, Any]) -> Said | None:
        try:
            return self.member.call(COMPANY, arguments, asks=True, **answer)
        except LostAnswerError:
            return None

    def confirm_twice_at_once(self, mark: str) -> None:
        """Send the same yes to several processes at once: it counts at one of them."""
        arguments = {"name": mark, "allow_duplicates": True}
        asked = self.member.until_answered(COMPANY, arguments, asks=True)
        answer = self._answer(asked)
        with ThreadPoolExecutor(3) as threads:
            sent = [threads.submit(self._again, arguments, answer) for _ in range(3)]
        said = [one.result() for one in sent]
        done = sum(1 for one in said if one is not None and one.done)
        if done > 1:
            self.ledger.wrong.append(f"{mark}: one yes was taken {done} times")
        self.ledger.claim(mark, self.member, "one" if done else "at most one", "one yes, thrice")

    def _answer(self, asked: Said) -> dict[str, Any]:
        return {
            "inputResponses": dict.fromkeys(asked.result["inputRequests"], YES),
            "requestState": asked.result.get("requestState"),
        }

    def _claim(self, mark: str, said: Said) -> None:
        """Note what an answer says that is there."""
        if said.done:
            self.ledger.claim(mark, self.member, "one", "it was said to be done")
        elif said.asks or said.data.get("outcome") == "not_sent" or said.status == 401:
            self.ledger.claim(mark, self.member, "none", f"it was said not to be done: {said.code}")
        elif said.code:
            self.ledger.note(f"error {said.code}")
            self.ledger.claim(mark, self.member, "at most one", str(said.data)[:300])
        else:
            self.ledger.wrong.append(f"{mark}: {said}")
            self.ledger.claim(mark, self.member, "at most one", str(said)[:300])
