"""Counts what somebody may be trying out, so that guessing is slow, in all processes together."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from odoo_toolkit.databases import Database, Session
from odoo_toolkit_mcp.accounts.store import now


@attrs.frozen
class Bound:
    """How often something may be tried.

    Attributes:
        most: times.
        seconds: within which.
    """

    most: int
    seconds: float


#: Failed sign-ins with one login at one instance, and from one address.
LOGIN = Bound(5, 900.0)
ADDRESS = Bound(30, 900.0)

#: Failed sign-ins that one Odoo counts. After five it takes no login of this machine for a minute;
#: two are under way at a time, of all processes together.
ODOO = Bound(3, 60.0)
UNDER_WAY = Bound(2, 60.0)

#: Failed sign-ins of the operator, from one address, and from anywhere: the operator is not to be
#: locked out by somebody who has one address.
OPERATOR_ADDRESS = Bound(10, 900.0)
OPERATOR = Bound(300, 900.0)

#: Notes of sign-ins beyond these bounds, from one address: the audit log is not to be flooded.
NOTED = Bound(1, 60.0)

#: Registrations of clients, and sign-ins begun, from one address.
REGISTRATIONS = Bound(30, 3600.0)
REQUESTS = Bound(120, 3600.0)

#: Forms of their own page that one person sends: some make requests of Odoo.
FORMS = Bound(60, 300.0)


class Attempts:
    """The attempts in a store; safe to share between threads.

    Args:
        store: where they are kept.
    """

    def __init__(self, store: Database) -> None:
        self._store = store

    def take(self, bounds: Sequence[tuple[str, Bound]]) -> float:
        """Count one attempt, unless there were too many.

        It is counted before it is made, so that many at once do not pass; :meth:`forget` takes it
        back where it was no failure.

        Args:
            bounds: under which names it counts, and how often each may be tried.

        Returns:
            0, or the seconds after which it may be tried again.
        """
        # One at a time: else what two processes count at once would pass both.
        with self._store.writing(*(f"attempt {who}" for who, _ in bounds)) as session:
            wait = _wait(session, bounds)
            if wait <= 0:
                for who, _ in bounds:
                    _note(session, who)
        return wait

    def wait(self, *bounds: tuple[str, Bound]) -> float:
        """Return what :meth:`take` would, and count nothing."""
        with self._store.reading() as session:
            return _wait(session, bounds)

    def note(self, who: str) -> None:
        """Count an attempt after it was made."""
        with self._store.writing() as session:
            _note(session, who)

    def forget(self, *names: str, last_of: Sequence[str] = ()) -> None:
        """Forget attempts that were no failures.

        Args:
            names: under which all are forgotten, as the last one was right.
            last_of: names under which only the last one is, such as those that others share.
        """
        with self._store.writing() as session:
            for name in names:
                session.execute("DELETE FROM attempt WHERE who = ?", [name])
            for name in last_of:
                session.execute(
                    "DELETE FROM attempt WHERE id = (SELECT max(id) FROM attempt WHERE who = ?)",
                    [name],
                )


def _wait(session: Session, bounds: Sequence[tuple[str, Bound]]) -> float:
    wait = 0.0
    for who, bound in bounds:
        # What lies further ahead is from before a clock was set back.
        row = session.execute(
            "SELECT count(*) AS count, min(happened) AS first FROM attempt"
            " WHERE who = ? AND happened > ? AND happened < ?",
            [who, now() - bound.seconds, now() + bound.seconds],
        ).fetchone()
        if row["count"] >= bound.most:
            wait = max(wait, row["first"] + bound.seconds - now(), 1.0)
    return wait


def _note(session: Session, who: str) -> None:
    session.execute("INSERT INTO attempt (who, happened) VALUES (?, ?)", [who, now()])
