"""Leads that are changed, lost and restored on a real Odoo."""

from __future__ import annotations

from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo, StateError, ValidationError
from odoo_toolkit.apps import crm
from tests.kit.leads import done, lead

pytestmark = pytest.mark.recorded


def stored(odoo: Odoo, lead_id: int, *fields: str) -> dict[str, Any]:
    """Return what Odoo itself says of a lead."""
    return toolkit.read(odoo, "crm.lead", [lead_id], list(fields)).records[0]


@pytest.mark.every_user
def test_a_lead_is_changed_by_plain_names(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    tags = [
        toolkit.create(admin, "crm.tag", {"name": f"{name} {suffix}"}).id
        for name in ("Cold", "Warm", "Hot")
    ]
    made = lead(odoo, suffix, type="opportunity", tag_ids=tags[:2], expected_revenue=5)
    user = toolkit.read(odoo, "res.users", [odoo.uid], ["name", "login"]).records[0]
    changed = done(
        crm.update_lead(
            odoo,
            lead_name=f"Lead {suffix}",
            expected_revenue=99.5,
            date_deadline="2031-05-06",
            stage_name="Qualified",
            user_id=user["id"],
            add_tags=[f"hot {suffix}"],
            remove_tags=[f"Cold {suffix}"],
            description="a < b",
        )
    )
    assert (changed.id, changed.warnings) == (made.id, [])
    assert [tag.id for tag in changed.tags or ()] == tags[1:]
    fields = ("expected_revenue", "date_deadline", "tag_ids", "stage_id", "description")
    row = stored(odoo, made.id, *fields)
    assert row["stage_id"]["name"] == "Qualified"
    assert [row[name] for name in ("expected_revenue", "date_deadline", "description")] == [
        99.5,
        "2031-05-06",
        "a < b",
    ]
    assert sorted(row["tag_ids"]) == tags[1:]
    assert changed.date_deadline == "2031-05-06"


def test_what_is_wrong_leaves_the_lead_as_it_is(odoo: Odoo, suffix: str) -> None:
    made = lead(odoo, suffix, type="opportunity", expected_revenue=5)
    before = stored(odoo, made.id, "write_date", "expected_revenue", "tag_ids", "stage_id")
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"add_tags": [f"No tag {suffix}"]}, NotFoundError),
        ({"stage_name": f"No stage {suffix}"}, NotFoundError),
        ({"user_name": f"Nobody {suffix}"}, NotFoundError),
        # The user of Odoo itself is not active.
        ({"user_id": 1}, NotFoundError),
        ({"user_id": 10**7}, NotFoundError),
        ({"team_id": 10**7}, NotFoundError),
        ({"add_tags": [10**7]}, NotFoundError),
        ({"date_deadline": "soon"}, ValidationError),
        ({"restore": True}, StateError),
    ]
    for values, error in wrong:
        with pytest.raises(error):
            crm.update_lead(odoo, lead_id=made.id, expected_revenue=7, **values)
    with pytest.raises(NotFoundError, match="reason_id"):
        crm.mark_lost(odoo, lead_id=made.id, reason_id=10**7)
    unborn = lead(odoo, f"{suffix} b", type="lead")
    bad_links: tuple[dict[str, Any], ...] = (
        {"partner_id": 10**7},
        {"user_id": 1},
        {"team_id": 10**7},
    )
    for link in bad_links:
        with pytest.raises(NotFoundError):
            crm.convert_to_opportunity(odoo, lead_id=unborn.id, **link)
    assert stored(odoo, unborn.id, "type")["type"] == "lead"
    assert stored(odoo, made.id, *before.keys() - {"id"}) == before


def test_a_lost_lead_is_restored_by_name(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    reason = toolkit.create(admin, "crm.lost.reason", {"name": f"Reason {suffix}"}).id
    made = lead(odoo, suffix, type="opportunity")
    crm.mark_lost(odoo, lead_id=made.id, reason_id=reason)
    with pytest.raises(NotFoundError):
        crm.update_lead(odoo, lead_name=f"Lead {suffix}", expected_revenue=3)
    back = done(crm.update_lead(odoo, lead_name=f"lead {suffix}", restore=True, expected_revenue=3))
    assert (back.id, back.active, back.expected_revenue) == (made.id, True, 3)
    fields = odoo.schema.fields("crm.lead")
    field = "lost_reason_id" if "lost_reason_id" in fields else "lost_reason"
    row = stored(odoo, made.id, "active", "probability", field)
    assert (row["active"], row[field]) == (True, None)
    assert row["probability"] > 0
    assert done(crm.mark_won(odoo, lead_id=made.id)).probability == 100
