"""Operations that wait until another person allows them; kept beside the history's entries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import attrs

from odoo_toolkit.change_history.recording import History, now
from odoo_toolkit.display.results import Shown

State = Literal["waiting", "approved", "refused", "used"]

#: Days after which a question, or a yes that nobody used, counts no more.
LASTS = 7


@attrs.frozen(kw_only=True)
class Approval(Shown):
    """An operation that somebody has asked for, and what another person has said to it.

    Attributes:
        id: by which it is decided.
        asked: when, in UTC, ISO 8601.
        uid: of the Odoo user who asked.
        who: the name of that user.
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
    """

    def __init__(self, history: History, database: str, approvers: Iterable[str]) -> None:
        self._store = history.store.database
        self._database = f"{database} {' '.join(sorted(approvers))}"

    def ask(self, digest: str, **told: Any) -> Approval:
        """Add a question and return it.

        Args:
            digest: stands for all that would be done.
            told: attributes of the :class:`Approval`.
        """
        row = {**told, "asked": now(), "database": self._database, "digest": digest}
        marks = ", ".join("?" for _ in row)
        with self._store.writing() as session:
            found = session.execute(
                f"INSERT INTO approval ({', '.join(row)}) VALUES ({marks})"  # noqa: S608
                f" RETURNING {_NAMES}",
                list(row.values()),
            ).fetchone()
        return Approval(**dict(found))

    def latest(self, uid: int, digest: str) -> Approval | None:
        """Return the last question of a user with this digest that still counts."""
        found = self._found("uid = ? AND digest = ?", uid, digest)
        return found[0] if found and found[0].state != "used" else None

    def waiting(self) -> list[Approval]:
        """Return the questions that wait, the newest first."""
        return self._found("state = ?", "waiting")

    def get(self, number: int) -> Approval | None:
        """Return a question that still counts; None where there is none."""
        found = self._found("id = ?", number)
        return found[0] if found else None

    def decide(self, number: int, state: State, decider: str) -> bool:
        """Note a decision; whether nobody has decided before."""
        return self._moved(number, "waiting", state, decider=decider, decided=now())

    def use(self, number: int) -> bool:
        """Note that a yes is used up; whether it was there to be used."""
        return self._moved(number, "approved", "used")

    def _moved(self, number: int, before: State, state: State, **told: str) -> bool:
        values = {"state": state, **told}
        names = ", ".join(f"{name} = ?" for name in values)
        with self._store.writing() as session:
            changed = session.execute(
                f"UPDATE approval SET {names} WHERE id = ? AND database = ? AND state = ?",  # noqa: S608
                [*values.values(), number, self._database, before],
            )
            return changed.rowcount == 1

    def _found(self, condition: str, *values: Any) -> list[Approval]:
        since = (datetime.now(UTC) - timedelta(days=LASTS)).isoformat()
        with self._store.reading() as session:
            rows = session.execute(
                f"SELECT {_NAMES} FROM approval WHERE database = ? AND asked >= ?"  # noqa: S608
                f" AND {condition} ORDER BY id DESC LIMIT 100",
                [self._database, since, *values],
            ).fetchall()
        return [Approval(**dict(row)) for row in rows]
