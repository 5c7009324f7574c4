"""A lead, its stages and teams, on a server of some version."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted

LEAD: dict[str, Any] = {
    "id": 5,
    "name": "Chairs",
    "type": "lead",
    "active": True,
    "stage_id": 1,
    "team_id": 1,
    "user_id": 2,
    "partner_id": False,
    "partner_name": "Zork",
    "email_from": "zork@example.com",
    "phone": False,
    "expected_revenue": 0.0,
    "probability": 12.5,
}


WIZARD = "crm.lead2opportunity.partner"


def server(major: int = 19, policy: Policy | None = None, **changes: Any) -> Scripted:
    """A server with one lead, that changes as it is written to and converted."""
    lead = {**LEAD, **changes}
    owner: dict[str, Any] = {"team_ids": [3]} if major == 19 else {"team_id": 3}
    records = {
        "crm.lead": [lead],
        "crm.stage": [
            {"id": 1, "name": "New"},
            {"id": 2, "name": "Qualified"},
            {"id": 9, "name": "Of others", **owner},
        ],
        "crm.team": [{"id": 1, "name": "Sales"}],
        "crm.lost.reason": [{"id": 4, "name": "Too expensive"}],
        "res.users": [{"id": 2, "name": "Mitchell Admin"}],
        "res.partner": [{"id": 8, "name": "Own"}, {"id": 77, "name": "Zork"}],
    }

    def converted(call: Any) -> dict[str, Any]:
        assert call.context["active_ids"] == [5]
        stored(odoo).update(type="opportunity", partner_id=77)
        return {"type": "ir.actions.act_window", "res_model": "crm.lead", "res_id": 5}

    answers = {
        ("crm.lead", "create"): [5] if major == 19 else 5,
        ("crm.lead", "default_get"): {"type": "lead"},
        ("crm.lead", "action_set_won"): lambda call: stored(odoo).update(probability=100.0),
        ("crm.lead", "action_set_lost"): lambda call: stored(odoo).update(
            active=False, probability=0.0
        ),
        (WIZARD, "default_get"): {},
        (WIZARD, "create"): [3] if major == 19 else 3,
        (WIZARD, "action_apply"): converted,
    }
    odoo = Scripted(major, answers, policy, records=records)
    return odoo


def stored(odoo: Scripted) -> dict[str, Any]:
    """The lead as the server has it."""
    return odoo.server.records["crm.lead"][0]
