"""Who did what, as the operator and the people themselves can look it up."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Literal

import attrs

from odoo_toolkit.databases import Database
from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp.accounts.store import now

logger = logging.getLogger(__name__)

#: What is noted: calls to Odoo, what becomes of plans, and who came and went.
Kind = Literal[
    "call",
    "plan asked",
    "plan approved",
    "plan refused",
    "plan used",
    "plan expired",
    "connected",
    "disconnected",
    "not admitted",
    "sign-in refused",
    "key kept",
    "key removed",
    "key out of use",
    "operator signed in",
    "operator refused",
    "warning",
]


@attrs.frozen(kw_only=True)
class Event:
    """Something that happened.

    Attributes:
        id: of the event.
        happened: when, in seconds since the epoch.
        instance: at which instance.
        account: for whom; None where nobody was signed in.
        client: the name of the program.
        kind: what it is.
        body: more of it, as the audit line has it.
    """

    id: int
    happened: float
    instance: str
    account: int | None
    client: str
    kind: Kind
    body: dict[str, Any]


class Activity:
    """The events in a store; safe to share between threads.

    Args:
        store: where they are kept.
    """

    def __init__(self, store: Database) -> None:
        self._store = store

    def note(
        self,
        kind: Kind,
        *,
        instance: str = "",
        account: int | None = None,
        client: str = "",
        body: dict[str, Any] | None = None,
    ) -> None:
        """Note an event."""
        with self._store.writing() as session:
            session.execute(
                "INSERT INTO activity (happened, instance, account, client, kind, body)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [now(), instance, account, client, kind, json.dumps(body or {})],
            )

    def latest(
        self,
        *,
        account: int | None = None,
        instance: str | None = None,
        kind: str | None = None,
        words: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Return events, the latest first.

        Args:
            account, instance, kind: only those of it.
            words: only those whose text has these words in it, as they are written.
            before: only those before this event, for the next page.
            limit: at most so many.
        """
        wanted = {"account = ?": account, "instance = ?": instance, "kind = ?": kind}
        wanted |= {"id < ?": before}
        if words:
            escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            wanted["body LIKE ? ESCAPE '\\'"] = f"%{escaped}%"
        conditions = [condition for condition, value in wanted.items() if value is not None]
        values = [value for value in wanted.values() if value is not None]
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        with self._store.reading() as session:
            rows = session.execute(
                "SELECT id, happened, instance, account, client, kind, body FROM activity"  # noqa: S608
                f" {where} ORDER BY id DESC LIMIT ?",
                [*values, limit],
            ).fetchall()
        return [Event(**{**dict(row), "body": json.loads(row["body"])}) for row in rows]


class Notes:
    """Keeps the audit lines of an instance in the store; in the log where it cannot.

    What has been done in Odoo is done: it does not become an error by not being noted.

    Args:
        activity: of the store.
        instance: its name.
    """

    def __init__(self, activity: Activity, instance: str) -> None:
        self._activity = activity
        self._instance = instance

    def __call__(self, entry: Mapping[str, Any]) -> None:
        """Keep one line."""
        try:
            self._activity.note(
                entry.get("event", "call"),
                instance=self._instance,
                account=entry.get("account"),
                client=str(entry.get("program", "")),
                body=dict(entry),
            )
        except OdooError as error:
            logger.error("%s The entry was: %s", error.message, dict(entry))
