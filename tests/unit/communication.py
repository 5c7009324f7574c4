"""A scripted Odoo with the fields of messages, activities and attachments, as recorded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha1
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing import FakeServer
from tests.unit.scripted import Scripted, contents, recorded

FIELDS = recorded("communication")
WRITES = ("message_post", "activity_schedule", "action_feedback", "create", "unlink")


class Communication(Scripted):
    """A :class:`Scripted` Odoo that knows other models."""

    def __init__(
        self,
        major: int,
        answers: Mapping[tuple[str, str], Any] | None = None,
        policy: Policy | None = None,
    ) -> None:
        super().__init__(major, answers, policy, FIELDS[str(major)])

    def writes(self) -> list[Call]:
        """Return the calls that change something."""
        return self.asked(*WRITES)


def remembering(major: int = 19) -> FakeServer:
    """Return a server that keeps what is posted on, planned for and attached to the partner 1."""
    models = {**FIELDS[str(major)], "res.users": {"name": "char", "active": "boolean"}}
    models["ir.attachment"] = {**models["ir.attachment"], "checksum": "char", "res_field": "char"}
    empty = ("mail.message", "mail.activity", "mail.notification", "ir.attachment")
    people = {"res.partner": [{"id": 1, "name": "Azure"}], "res.users": [{"id": 2, "name": "Me"}]}
    server = FakeServer(models, version=major, records={**dict.fromkeys(empty, ()), **people})

    def keep(kind: str, **values: Any) -> int:
        rows, now = server.records[kind], datetime.now(UTC)
        stamp = {"create_uid": 2, "create_date": now.strftime("%Y-%m-%d %H:%M:%S")}
        rows.append({"id": 41 + len(rows), **stamp, **values})
        return 40 + len(rows)

    def post(call: Call) -> int:
        values = {name: call.arguments[name] for name in ("body", "message_type")}
        return keep("mail.message", model=call.model, res_id=(call.ids or ())[0], **values)

    def schedule(call: Call) -> list[int]:
        values = {"activity_type_id": 4, **call.arguments}
        del values["act_type_xmlid"]
        of = {"res_model": call.model, "res_id": (call.ids or ())[0]}
        return [keep("mail.activity", **of, **values)]

    def attach(call: Call) -> int:
        sent = contents(call)
        kept = {
            **sent,
            "file_size": 5,
            "checksum": sha1(b"hello", usedforsecurity=False).hexdigest(),
        }
        return keep("ir.attachment", **kept)

    def finish(call: Call) -> int:
        server.records["mail.activity"].clear()
        return 653

    server.answers = {
        ("res.partner", "message_post"): post,
        ("res.partner", "activity_schedule"): schedule,
        ("mail.activity", "action_feedback"): finish,
        ("ir.attachment", "create"): attach,
        ("ir.model.data", "check_object_reference"): ["mail.activity.type", 4],
    }
    return server
