"""Changing and restoring leads: what is sent on each version, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import crm
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
from tests.unit.scripted import VERSIONS, Scripted, contents
from tests.unit.test_crm import LEAD, server, stored


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


@pytest.mark.parametrize("major", VERSIONS)
def test_a_lead_is_changed_by_plain_names(major: int) -> None:
    odoo = tagged(major)
    result = crm.update_lead(
        odoo,
        lead_name="Chairs",
        expected_revenue=250,
        date_deadline="2030-06-30",
        stage_name="qualified",
        user_name="mitchell admin",
        add_tags=["services"],
        remove_tags=["1"],
        description="a < b",
    )
    assert isinstance(result, crm.LeadResult)
    [write] = writes(odoo)
    assert contents(write) == {
        "expected_revenue": 250,
        "date_deadline": "2030-06-30",
        "description": "a < b" if major == 14 else "<p>a &lt; b</p>",
        "user_id": 2,
        "stage_id": 2,
        "tag_ids": [[6, 0, [2]]],
    }
    assert result.expected_revenue == 250
    assert result.date_deadline == "2030-06-30"
    assert result.stage
    assert result.stage.name == "Qualified"
    assert [tag.name for tag in result.tags or ()] == ["Services"]
    assert result.warnings == []


def test_what_is_given_by_id_takes_four_round_trips() -> None:
    odoo = tagged()
    crm.update_lead(odoo, lead_id=5, expected_revenue=1, user_id=2)
    assert odoo.methods() == [
        "crm.lead.search_read",
        "res.users.search",
        "crm.lead.write",
        "crm.lead.search_read",
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"user_id": 99}, r"no active user with id 99 \(user_id\)"),
        ({"team_id": 99}, r"crm\.team record with id 99 \(team_id\)"),
        ({"add_tags": ["99"]}, r"crm\.tag record with id 99 \(add_tags\[0\]\)"),
    ],
)
def test_a_link_to_what_does_not_exist_changes_nothing(values: dict[str, Any], words: str) -> None:
    odoo = tagged()
    with pytest.raises(NotFoundError, match=words):
        crm.update_lead(odoo, lead_id=5, **values)
    assert writes(odoo) == []


def test_who_left_gets_no_lead() -> None:
    odoo = tagged()
    crm.update_lead(odoo, lead_id=5, user_id=2)
    (asked,) = [call for call in odoo.asked("search") if call.model == "res.users"]
    assert asked.context["active_test"] is True


def test_a_tag_is_not_added_and_removed() -> None:
    odoo = tagged()
    with pytest.raises(ValidationError, match="same tag"):
        crm.update_lead(odoo, lead_id=5, add_tags=["services"], remove_tags=["services"])
    assert writes(odoo) == []


def test_the_stage_is_one_of_the_team_that_it_will_have() -> None:
    odoo = tagged()
    odoo.server.records["crm.team"].append({"id": 3, "name": "Europe"})
    crm.update_lead(odoo, lead_id=5, team_name="Europe", stage_name="Of others")
    assert contents(writes(odoo)[0]) == {"team_id": 3, "stage_id": 9}
    odoo = tagged()
    with pytest.raises(NotFoundError):
        crm.update_lead(odoo, lead_id=5, stage_name="Of others")
    assert writes(odoo) == []


@pytest.mark.parametrize("changes", [{}, {"expected_revenue": 9}])
def test_a_lost_one_is_restored_by_name_and_changed(changes: dict[str, Any]) -> None:
    odoo = tagged(active=False)
    with pytest.raises(NotFoundError):
        crm.update_lead(odoo, lead_name="Chairs", expected_revenue=9)
    result = crm.update_lead(odoo, lead_name="Chairs", restore=True, **changes)
    assert isinstance(result, crm.LeadResult)
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


def test_a_change_whose_answer_was_lost_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(odoo: Scripted) -> Any:
        return crm.update_lead(odoo, lead_id=5, expected_revenue=9, add_tags=[2])

    result = check_seen_when_lost(tagged(), "write", change, monkeypatch)
    assert result.expected_revenue == 9
    check_told_when_lost(tagged(), "write", change, monkeypatch)


def test_a_restoring_whose_answer_was_lost_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def restore(odoo: Scripted) -> Any:
        return crm.update_lead(odoo, lead_id=5, restore=True)

    check_seen_when_lost(tagged(active=False), "action_unarchive", restore, monkeypatch)
    error = check_told_when_lost(tagged(active=False), "action_unarchive", restore, monkeypatch)
    assert "safe" in error.suggestion


def test_the_tags_that_it_has_are_kept() -> None:
    odoo = tagged()
    crm.update_lead(odoo, lead_id=5, add_tags=["3"])
    assert contents(writes(odoo)[0]) == {"tag_ids": [[6, 0, [1, 3]]]}
