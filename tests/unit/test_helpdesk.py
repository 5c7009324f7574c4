"""Tickets: created, read with what belongs to them, and assigned."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import helpdesk
from odoo_toolkit.chatter import attachments, messages
from odoo_toolkit.chatter.attachments import AttachmentsResult
from odoo_toolkit.chatter.messages import Message, MessagesResult
from odoo_toolkit.errors import AccessError, OdooConnectionError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import check_plan_is_the_run
from tests.unit.scripted import Scripted, contents
from tests.unit.table_values import Column, Scalar


def server(policy: Policy | None = None) -> Scripted:
    """A server with one ticket, which changes as it is assigned."""
    ticket: dict[str, Any] = {
        "id": 5,
        "name": "Lamp",
        "team_id": 1,
        "user_id": False,
        "stage_id": 1,
        "priority": "3",
        "partner_id": 9,
        "partner_name": "Acme",
        "partner_email": False,
        "tag_ids": [2],
        "description": "<p>It flickers</p>",
        "active": True,
        "create_date": "2025-06-30 10:00:00",
    }
    records = {
        "helpdesk.ticket": [ticket],
        "helpdesk.tag": [{"id": 2, "name": "Repair"}],
        "helpdesk.stage": [{"id": 1, "name": "New"}],
        "helpdesk.team": [
            {"id": 1, "name": "Care", "member_ids": [2]},
            {"id": 2, "name": "Repairs", "member_ids": []},
        ],
        "res.partner": [{"id": 9, "name": "Acme"}],
        "res.users": [{"id": 2, "name": "Mitchell"}, {"id": 6, "name": "Marc"}],
    }
    return Scripted(19, {("helpdesk.ticket", "create"): [5]}, policy, records=records)


def test_a_ticket_is_read_by_its_subject() -> None:
    odoo = server()
    ticket = helpdesk.get_ticket(odoo, ticket_name="lamp", include_messages=False)
    assert (ticket.description, ticket.create_date) == ("It flickers", "2025-06-30T10:00:00Z")
    assert [tag.name for tag in ticket.tags] == ["Repair"]
    assert (ticket.messages, ticket.attachments) == (None, None)
    assert len(odoo.sent) == 3


def test_messages_and_attachments_come_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def get_messages(odoo: Any, model: str, ticket: int, limit: int) -> MessagesResult:
        asked.append((model, ticket, limit))
        message = Message(
            id=1, date=None, author=None, type="comment", subject="", body="Hi", email_from=""
        )
        return MessagesResult(messages=[message], count=1, has_more=True)

    def list_attachments(odoo: Any, model: str, ticket: int) -> AttachmentsResult:
        asked.append((model, ticket))
        return AttachmentsResult(attachments=[], count=0)

    monkeypatch.setattr(messages, "get_messages", get_messages)
    monkeypatch.setattr(attachments, "list_attachments", list_attachments)
    ticket = helpdesk.get_ticket(
        server(), ticket_id=5, include_attachments=True, message_limit=1000
    )
    assert ticket.messages
    assert (ticket.messages[0]["body"], ticket.has_more_messages) == ("Hi", True)
    assert ticket.attachments == []
    assert sorted(asked) == [("helpdesk.ticket", 5), ("helpdesk.ticket", 5, 100)]


def test_a_ticket_is_told_also_when_its_messages_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: Any, **keywords: Any) -> Any:
        raise AccessError("no messages for you")

    monkeypatch.setattr(messages, "get_messages", refuse)
    ticket = helpdesk.get_ticket(server(), ticket_id=5)
    assert (ticket.name, ticket.messages) == ("Lamp", [])
    assert "no messages for you" in ticket.warnings[0]


@pytest.mark.parametrize("given", [{"ticket_id": 5}, {"user_id": 2}])
def test_a_ticket_and_somebody_must_be_given(given: dict[str, int]) -> None:
    odoo = server()
    with pytest.raises(ValidationError) as raised:
        helpdesk.assign_ticket(odoo, **given)
    assert raised.value.code == "MISSING_REQUIRED_FIELD"
    assert odoo.sent == []


def test_what_was_created_is_told_also_when_it_cannot_be_read_back() -> None:
    odoo = server()
    odoo.answers["helpdesk.ticket", "search_read"] = OdooConnectionError("gone")
    result = helpdesk.create_ticket(odoo, name="Lamp")
    assert (result.id, "gone" in result.warnings[0]) == (5, True)


OPERATIONS: dict[str, Any] = {
    "create": lambda odoo, **options: helpdesk.create_ticket(
        odoo, name="Bell", partner_name="Acme", **options
    ),
    "write": lambda odoo, **options: helpdesk.assign_ticket(
        odoo, ticket_id=5, user_id=2, team_id=1, **options
    ),
}


def server_in_memory() -> Scripted:
    """A server where a created ticket can be looked for."""
    odoo = server()
    odoo.answers.clear()
    return odoo


@pytest.mark.parametrize("method", OPERATIONS)
def test_a_dry_run_shows_the_calls_of_the_real_run(method: str) -> None:
    check_plan_is_the_run(server_in_memory(), OPERATIONS[method])


def test_readonly_mode_sends_nothing() -> None:
    closed = server(Policy(mode="readonly"))
    with pytest.raises(AccessError):
        helpdesk.create_ticket(closed, name="Lamp", partner_name="Acme")
    with pytest.raises(AccessError):
        helpdesk.assign_ticket(closed, ticket_name="Lamp", user_id=2)
    assert closed.sent == []


def test_tags_come_in_any_column() -> None:
    odoo = server()
    tags: Any = Column([Scalar(2, "i")])
    helpdesk.create_ticket(odoo, name="Lamp", tag_ids=tags)
    assert contents(odoo.asked("create")[0])["tag_ids"] == [[6, 0, [2]]]
