"""The delivery status of an e-mail for each recipient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.operations.documents import read_rows

MESSAGE = "mail.message"

Status = Literal["sent", "queued", "failed", "cancelled"]

#: What Odoo calls the state of a notification -> what it means.
_STATUSES: dict[str, Status] = {
    "sent": "sent",
    "pending": "sent",
    "ready": "queued",
    "process": "queued",
    "exception": "failed",
    "bounce": "failed",
    "canceled": "cancelled",
}

#: What Odoo calls a failure -> what it means.
_FAILURES = {
    "SMTP": "the outgoing mail server could not be reached or refused it",
    "mail_smtp": "the outgoing mail server could not be reached or refused it",
    "RECIPIENT": "the address is not valid",
    "mail_email_invalid": "the address is not valid",
    "mail_email_missing": "there is no address",
    "mail_from_invalid": "the sender's address is not valid",
    "mail_from_missing": "the sender has no address",
    "mail_bl": "the address is on Odoo's e-mail blacklist",
    "mail_optout": "the recipient has opted out",
    "mail_dup": "the address already gets this e-mail",
    "BOUNCE": "it bounced",
    "mail_bounce": "it bounced",
    "UNKNOWN": "unknown",
    "unknown": "unknown",
}


@attrs.frozen(kw_only=True)
class Delivery(Shown):
    """The delivery status of a message for one recipient.

    Attributes:
        by: ``email``, or ``inbox`` if the recipient reads messages in Odoo.
        status: ``sent`` (the mail server accepted it), ``queued``, ``failed`` or ``cancelled``.
        failure: Reason of the failure.
    """

    id: int
    name: str
    by: str
    status: Status
    failure: str | None = None


def newest_message(odoo: Odoo, model: str, record_id: int) -> int:
    """Return the id of the newest message of a record; 0 where there is none."""
    domain = [["model", "=", model], ["res_id", "=", record_id]]
    rows = read_rows(odoo, MESSAGE, domain, ["id"], acts_on=model, limit=1, order="id desc")
    return rows[0]["id"] if rows else 0


def sent_since(odoo: Odoo, model: str, record_id: int, before: int) -> list[int]:
    """Return the ids of messages that this user has sent about a record, the newest first.

    Args:
        odoo: the connection.
        model: of the record.
        record_id: the record.
        before: the newest message that was there before.
    """
    domain = [
        ["model", "=", model],
        ["res_id", "=", record_id],
        ["id", ">", before],
        ["create_uid", "=", odoo.uid],
        # What Odoo logs, such as a change of state.
        ["message_type", "!=", "notification"],
    ]
    rows = read_rows(odoo, MESSAGE, domain, ["id"], acts_on=model, order="id desc")
    return [row["id"] for row in rows]


def deliveries(odoo: Odoo, model: str, message_ids: Sequence[int]) -> list[Delivery]:
    """Return what became of messages, by recipient."""
    if not message_ids:
        return []
    fields = ["res_partner_id", "notification_type", "notification_status", "failure_type"]
    domain = [["mail_message_id", "in", list(message_ids)]]
    rows = read_rows(odoo, "mail.notification", domain, fields, acts_on=model, order="id")
    return [_delivery(row) for row in rows if row["res_partner_id"]]


def _delivery(row: dict[str, Any]) -> Delivery:
    by, failure = row["notification_type"], row["failure_type"]
    # What is read in Odoo itself waits for nothing.
    status = "sent" if by == "inbox" else _STATUSES.get(row["notification_status"], "queued")
    return Delivery(
        id=row["res_partner_id"].id,
        name=row["res_partner_id"].name,
        by=by,
        status=status,
        failure=_FAILURES.get(failure, failure) if status == "failed" and failure else None,
    )


def overall(found: Sequence[Delivery]) -> str:
    """Return one word for what became of a message: that of all, else ``partial``."""
    statuses = {one.status for one in found}
    return statuses.pop() if len(statuses) == 1 else "partial" if statuses else "unknown"
