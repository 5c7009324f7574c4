"""Tickets on a real Odoo that has the helpdesk models."""

from __future__ import annotations

import base64

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, ValidationError
from odoo_toolkit.apps import helpdesk
from odoo_toolkit.call import Call
from odoo_toolkit.plans import Plan

pytestmark = pytest.mark.recorded


@pytest.fixture(autouse=True)
def _needs_helpdesk(admin: Odoo) -> None:
    if not admin.schema.has_model("helpdesk.ticket"):
        pytest.skip("this Odoo has no helpdesk")


@pytest.fixture
def team(admin: Odoo, odoo: Odoo, suffix: str) -> int:
    """A team whose only member is the user."""
    values = {"name": f"Team {suffix}", "member_ids": [[6, 0, [odoo.uid]]]}
    made = toolkit.create(admin, "helpdesk.team", values).id
    assert made
    return made


@pytest.mark.every_user
def test_a_ticket_is_created_assigned_and_read(
    odoo: Odoo, admin: Odoo, team: int, suffix: str
) -> None:
    partner = toolkit.create(admin, "res.partner", {"name": f"Customer {suffix}"}).id
    made = helpdesk.create_ticket(
        odoo,
        name=f"Lamp {suffix}",
        partner_name=f"customer {suffix}",
        description="a < b & c",
        priority="3",
    )
    assert (made.partner.id, made.priority, made.description) == (partner, "3", "a < b & c")

    assigned = helpdesk.assign_ticket(
        odoo, ticket_name=f"lamp {suffix}", user_id=odoo.uid, team_name=f"Team {suffix}"
    )
    assert (assigned.user.id, assigned.team.id, assigned.warnings) == (odoo.uid, team, [])
    again = helpdesk.assign_ticket(odoo, ticket_id=made.id, team_id=team)
    assert "already" in again.message

    arguments = {"body": f"Hello {suffix}", "message_type": "comment"}
    odoo.call(
        Call(
            model="helpdesk.ticket",
            method="message_post",
            ids=(made.id,),
            arguments=arguments,
            access="write",
        )
    )
    file = {
        "name": f"{suffix}.txt",
        "datas": base64.b64encode(b"text").decode(),
        "res_model": "helpdesk.ticket",
        "res_id": made.id,
    }
    toolkit.create(odoo, "ir.attachment", file)
    read = helpdesk.get_ticket(odoo, ticket_id=made.id, include_attachments=True)
    assert read.warnings == []
    assert any(f"Hello {suffix}" in message["body"] for message in read.messages or [])
    assert [row["name"] for row in read.attachments or []] == [f"{suffix}.txt"]
    bare = helpdesk.get_ticket(odoo, ticket_name=f"Lamp {suffix}", include_messages=False)
    assert (bare.id, bare.messages, bare.attachments) == (made.id, None, None)


@pytest.mark.every_user
def test_somebody_outside_the_team_is_taken_with_a_warning(
    odoo: Odoo, admin: Odoo, team: int, suffix: str
) -> None:
    others = [["share", "=", False], ["id", "!=", odoo.uid]]
    other = toolkit.search_read(admin, "res.users", others, ["name"]).records[0]
    made = helpdesk.create_ticket(odoo, name=f"Lamp {suffix}", team_id=team)
    result = helpdesk.assign_ticket(odoo, ticket_id=made.id, user_id=other["id"])
    assert result.user.id == other["id"]
    assert "not a member" in result.warnings[0]


def test_nothing_is_written_when_the_input_is_wrong(odoo: Odoo, suffix: str) -> None:
    name = f"Lamp {suffix}"
    with pytest.raises(NotFoundError):
        helpdesk.create_ticket(odoo, name=name, team_name="No such team")
    with pytest.raises(toolkit.OdooError):
        helpdesk.create_ticket(odoo, name=name, user_id=99999999)
    assert isinstance(helpdesk.create_ticket(odoo, name=name, dry_run=True), Plan)
    assert toolkit.count(odoo, "helpdesk.ticket", [["name", "=", name]]).count == 0
    with pytest.raises(ValidationError):
        helpdesk.assign_ticket(odoo, ticket_id=1)
    with pytest.raises(NotFoundError):
        helpdesk.get_ticket(odoo, ticket_id=99999999, include_messages=False)
