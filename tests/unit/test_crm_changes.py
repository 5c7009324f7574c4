"""Changing and restoring leads: what is sent on each version, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import crm
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.fake_crm import LEAD, server, stored
from tests.unit.operation_checks import writes
from tests.unit.scripted import Scripted


def tagged(major: int = 19, policy: Policy | None = None, **changes: Any) -> Scripted:
    """A server with one lead that has the tag 1, and three tags."""
    odoo = server(major, policy, **{"tag_ids": [1], **changes})
    odoo.server.records["crm.tag"] = [
        {"id": 1, "name": "Old"},
        {"id": 2, "name": "Services"},
        {"id": 3, "name": "Service level"},
    ]
    odoo.answers["crm.lead", "action_unarchive"] = lambda call: stored(odoo).update(active=True)
    return odoo


@pytest.mark.parametrize("changes", [{}, {"expected_revenue": 9}])
def test_a_lost_one_is_restored_by_name_and_changed(changes: dict[str, Any]) -> None:
    odoo = tagged(active=False)
    with pytest.raises(NotFoundError):
        crm.update_lead(odoo, lead_name="Chairs", expected_revenue=9)
    result = crm.update_lead(odoo, lead_name="Chairs", restore=True, **changes)
    assert result.active is True
    assert [call.method for call in writes(odoo)] == [
        "action_unarchive",
        *(["write"] if changes else []),
    ]


def test_only_what_is_lost_is_restored() -> None:
    odoo = tagged()
    with pytest.raises(StateError, match="is not lost"):
        crm.update_lead(odoo, lead_id=5, restore=True)
    assert writes(odoo) == []


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({}, ValidationError),
        ({"expected_revenue": -1}, ValidationError),
        ({"expected_revenue": "12"}, ValidationError),
        ({"date_deadline": "soon"}, ValidationError),
        ({"user_id": 2, "user_name": "Mitchell Admin"}, ValidationError),
        ({"add_tags": ["Nobody's"]}, NotFoundError),
        ({"add_tags": ["serv"]}, AmbiguousNameError),
        ({"remove_tags": [0]}, ValidationError),
        ({"add_tags": "Services"}, ValidationError),
        ({"stage_id": 9}, ValidationError),
        ({"stage_name": "Nowhere"}, NotFoundError),
    ],
)
def test_what_is_wrong_changes_nothing(values: dict[str, Any], error: type[Exception]) -> None:
    odoo = tagged()
    with pytest.raises(error):
        crm.update_lead(odoo, lead_id=5, **values)
    assert writes(odoo) == []
    assert stored(odoo)["expected_revenue"] == LEAD["expected_revenue"]
