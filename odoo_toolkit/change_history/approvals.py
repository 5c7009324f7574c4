"""Operations that wait until a person allows them; kept beside the history's entries.

That is another person, or the one who asked, if their client cannot ask them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import attrs

from odoo_toolkit.change_history.recording import History, now
from odoo_toolkit.databases import Session
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import StateError

State = Literal["waiting", "approved", "refused", "used"]

#: Something that happens to an operation that waits.
Happening = Literal["asked", "approved", "refused", "used", "expired"]

#: Days after which a question, or a yes that nobody used, counts no more.
LASTS = 7

#: Minutes for which people's answers to questions about their own operations count.
OWN_LASTS = 60

#: Operations of one user that may wait at a time: those of others stay in sight.
MOST_WAITING = 20

#: Operations that are shown at a time.
SHOWN = 100


@attrs.frozen(kw_only=True)
class Approval(Shown):
    """An operation that somebody has asked for, and what another person has said to it.

    Attributes:
        id: by which it is decided.
        asked: when, in UTC, ISO 8601.
        uid: of the Odoo user who asked.
        who: the login of that user, then the name in brackets: the name is the user's own choice.
        client: the program that asked.
        operation: the tool.
        message: what it would do, as it was shown.
        state: ``waiting``; ``approved`` for one call; ``refused``; ``used`` once it was done.
        decided: when.
        decider: who decided.
    """

    id: int
    asked: str
    uid: int
    who: str
    client: str
    operation: str
    message: str
    state: State = "waiting"
    decided: str | None = None
    decider: str | None = None


_NAMES = ", ".join(field.name for field in attrs.fields(Approval))


class Approvals:
    """The operations of one database of Odoo that wait for certain people, or were decided upon.

    Args:
        history: beside whose entries they are kept.
        database: by which the change history knows the database of Odoo.
        approvers: logins of those who decide. Servers of one database with others share nothing.
            None for operations that those who ask confirm themselves.
        note: Called with what has happened to an operation, once it is stored.
    """

    def __init__(
        self,
        history: History,
        database: str,
        approvers: Iterable[str] | None,
        note: Callable[[Happening, Approval], None] | None = None,
    ) -> None:
        self._note = note or (lambda happening, approval: None)
        self._store = history.store.database
        self.own = approvers is None
        # Logins are in lower case, so that no list of them is this word.
        deciders = "OWN" if approvers is None else " ".join(sorted(approvers))
        self._database = f"{database} {deciders}"

    def ask(self, digest: str, **told: Any) -> Approval:
        """Add a question and return it.

        Args:
            digest: stands for all that would be done.
            told: attributes of the :class:`Approval`.

        Raises:
            StateError: too many operations of this user wait.
        """
        row = {**told, "asked": now(), "database": self._database, "digest": digest}
        marks = ", ".join("?" for _ in row)
        with self._store.writing(f"approvals of {told['uid']}") as session:
            if self._count(session, told["uid"]) >= MOST_WAITING:
                raise _too_many(own=self.own)
            found = session.execute(
                f"INSERT INTO approval ({', '.join(row)}) VALUES ({marks})"  # noqa: S608
                f" RETURNING {_NAMES}",
                list(row.values()),
            ).fetchone()
        approval = Approval(**dict(found))
        self._note("asked", approval)
        return approval

    def latest(self, uid: int, digest: str) -> Approval | None:
        """Return the last question of a user with this digest that still counts."""
        found = self._found("uid = ? AND digest = ?", uid, digest)
        return found[0] if found and found[0].state != "used" else None

    def waiting(self, uid: int | None = None, *, but: int | None = None) -> list[Approval]:
        """Return the questions that wait, the newest first.

        Args:
            uid: only those of this Odoo user.
            but: none of this one.
        """
        wanted = {"uid = ?": uid, "uid <> ?": but}
        given = {name: value for name, value in wanted.items() if value is not None}
        return self._found(" AND ".join(["state = 'waiting'", *given]), *given.values())

    def get(self, number: int) -> Approval | None:
        """Return a question that still counts; None where there is none."""
        found = self._found("id = ?", number)
        return found[0] if found else None

    def decide(self, number: int, state: Literal["approved", "refused"], decider: str) -> bool:
        """Note a decision; whether nobody has decided before."""
        return self._moved(number, "waiting", state, decider=decider, decided=now())

    def use(self, number: int, state: State = "approved") -> bool:
        """Note that a decision is used up; whether it was there to be used."""
        return self._moved(number, state, "used")

    def expire(self) -> None:
        """Note which operations count no more: without a decision in time, or a use of the yes."""
        since = (datetime.now(UTC) - timedelta(days=LASTS)).isoformat()
        with self._store.writing() as session:
            rows = session.execute(
                "UPDATE approval SET state = 'expired' WHERE database = ? AND asked < ?"  # noqa: S608
                f" AND state IN ('waiting', 'approved') RETURNING {_NAMES}",
                [self._database, since],
            ).fetchall()
        for row in rows:
            self._note("expired", Approval(**{**dict(row), "state": "waiting"}))

    def _moved(
        self, number: int, before: State, state: Literal["approved", "refused", "used"], **told: str
    ) -> bool:
        values = {"state": state, **told}
        names = ", ".join(f"{name} = ?" for name in values)
        with self._store.writing() as session:
            row = session.execute(
                f"UPDATE approval SET {names} WHERE id = ? AND database = ? AND state = ?"  # noqa: S608
                f" RETURNING {_NAMES}",
                [*values.values(), number, self._database, before],
            ).fetchone()
        if row and before != "refused":  # a refusal is only shown
            self._note(state, Approval(**dict(row)))
        return row is not None

    def _count(self, session: Session, uid: int) -> int:
        since = (datetime.now(UTC) - timedelta(days=LASTS)).isoformat()
        row = session.execute(
            "SELECT count(*) AS count FROM approval WHERE database = ? AND asked >= ?"
            " AND state = 'waiting' AND uid = ?",
            [self._database, since, uid],
        ).fetchone()
        return int(row["count"])

    def _found(self, condition: str, *values: Any) -> list[Approval]:
        asked = datetime.now(UTC) - timedelta(days=LASTS)
        decided = datetime.now(UTC) - timedelta(minutes=OWN_LASTS) if self.own else asked
        with self._store.reading() as session:
            rows = session.execute(
                f"SELECT {_NAMES} FROM approval WHERE database = ? AND asked >= ?"  # noqa: S608
                f" AND (decided IS NULL OR decided >= ?) AND {condition}"
                f" ORDER BY id DESC LIMIT {SHOWN}",
                [self._database, asked.isoformat(), decided.isoformat(), *values],
            ).fetchall()
        return [Approval(**dict(row)) for row in rows]


def _too_many(*, own: bool) -> StateError:
    """Return the error of a question beyond those that may wait."""
    todo = "Ask your user to confirm or refuse them first."
    if not own:
        todo = "Ask your user to have an approver decide on them first."
    return StateError(
        f"{MOST_WAITING} plans of this user wait already. Nothing was done.",
        suggestion=todo,
        outcome="not_sent",
    )
