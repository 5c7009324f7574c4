"""Leads: what is sent on each version, and what is refused before anything is."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from odoo_toolkit.apps import crm
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.values import ReadOptions
from tests.unit.fake_crm import WIZARD, server, stored
from tests.unit.operation_checks import check_seen_when_lost, writes
from tests.unit.scripted import VERSIONS, Scripted, contents
from tests.unit.table_values import Column, Scalar


@pytest.mark.parametrize("major", VERSIONS)
def test_a_lead_is_created_with_its_type_given(major: int) -> None:
    odoo = server(major)
    result = crm.create_lead(odoo, name=" Chairs ", description="a < b\nc")
    assert (result.id, result.type, result.user and result.user.name) == (
        5,
        "lead",
        "Mitchell Admin",
    )
    text = "a < b\nc" if major == 14 else "<p>a &lt; b<br>c</p>"
    [create] = odoo.asked("create")
    assert contents(create) == {"name": "Chairs", "type": "lead", "description": text}


def test_creating_takes_two_round_trips_and_one_beside() -> None:
    odoo = server()
    crm.create_lead(odoo, name="Chairs")
    assert odoo.methods()[0] == "crm.lead.create"
    assert sorted(odoo.methods()[1:]) == ["crm.lead.default_get", "crm.lead.search_read"]
    odoo = server()
    crm.create_lead(odoo, name="Chairs", type="opportunity")
    assert odoo.methods() == ["crm.lead.create", "crm.lead.search_read"]


def test_a_name_that_no_contact_has_is_kept_as_text() -> None:
    odoo = server()
    crm.create_lead(odoo, name="Chairs", partner_name="Brand New Ltd")
    values = contents(odoo.asked("create")[0])
    assert values["partner_name"] == "Brand New Ltd"
    assert "partner_id" not in values


OPERATIONS = {
    "create": lambda odoo, **options: crm.create_lead(odoo, name="Chairs", **options),
    "write": lambda odoo, **options: crm.move_stage(
        odoo, lead_id=5, stage_name="Qualified", **options
    ),
    "action_apply": lambda odoo, **options: crm.convert_to_opportunity(
        odoo, lead_id=5, create_customer=True, **options
    ),
    "action_set_won": lambda odoo, **options: crm.mark_won(odoo, lead_id=5, **options),
    "action_set_lost": lambda odoo, **options: crm.mark_lost(
        odoo, lead_id=5, reason_name="Too expensive", **options
    ),
}


def server_for(method: str) -> Scripted:
    """A server whose lead is in the state that the operation with this method asks for."""
    odoo = server(type="opportunity" if method == "action_set_won" else "lead")
    # Created in memory, so that it can be looked for.
    del odoo.answers["crm.lead", "create"]
    return odoo


@pytest.mark.parametrize("method", OPERATIONS)
def test_what_was_done_is_recognised_without_its_answer(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    odoo = server_for(method)
    result = check_seen_when_lost(odoo, method, OPERATIONS[method], monkeypatch)
    assert (result.id, result.name) == (6 if method == "create" else 5, "Chairs")


def test_it_is_said_when_odoo_does_not_take_the_team() -> None:
    odoo = server()
    odoo.server.records["crm.team"].append({"id": 3, "name": "Europe"})
    result = crm.convert_to_opportunity(odoo, lead_id=5, team_id=3, create_customer=True)
    assert isinstance(result, crm.LeadResult)
    assert result.warnings == ["Odoo did not accept team_id 3."]


def test_other_contacts_with_the_same_address_are_named() -> None:
    odoo = server(email_from="z_rk@example.com")
    odoo.answers["res.partner", "search_read"] = [{"id": 8, "display_name": "Old Zork"}]
    result = crm.convert_to_opportunity(odoo, lead_id=5, create_customer=True)
    assert isinstance(result, crm.LeadResult)
    assert "Old Zork (8)" in result.warnings[0]
    [search] = [call for call in odoo.asked("search_read") if call.model == "res.partner"]
    assert search.arguments["domain"] == [["email", "=ilike", "z\\_rk@example.com"]]


@pytest.mark.parametrize("major", VERSIONS)
def test_no_customer_is_made_when_none_is_wanted(major: int) -> None:
    odoo = server(major)
    odoo.answers[WIZARD, "action_apply"] = lambda call: stored(odoo).update(type="opportunity")
    result = crm.convert_to_opportunity(odoo, lead_id=5)
    assert (result.type, result.partner, result.warnings) == ("opportunity", None, [])
    assert contents(odoo.asked("create")[0]) == {
        "name": "convert",
        # The lead's own: without it the wizard takes a team of the salesperson.
        "team_id": 1,
        "force_assignment": True,
        **({"action": "exist", "partner_id": False} if major == 19 else {"action": "nothing"}),
    }
    assert "res.partner.search_read" not in odoo.methods()


@pytest.mark.parametrize(
    "given", [{"expected_revenue": -1}, {"stage_name": "Nowhere"}, {"stage_id": 9}]
)
def test_a_wrong_revenue_or_stage_leaves_the_lead_a_lead(given: dict[str, Any]) -> None:
    odoo = server()
    with pytest.raises((NotFoundError, ValidationError)):
        crm.convert_to_opportunity(odoo, lead_id=5, **given)
    assert writes(odoo) == []


def test_converted_without_the_rest_is_told() -> None:
    odoo = server()
    odoo.answers["crm.lead", "write"] = OdooError("No.", outcome="refused")
    result = crm.convert_to_opportunity(odoo, lead_id=5, expected_revenue=1)
    assert result.type == "opportunity"
    assert any("revenue and stage are not written: No." in text for text in result.warnings)


def test_a_customer_that_odoo_links_unasked_is_told() -> None:
    result = crm.convert_to_opportunity(server(), lead_id=5)
    assert isinstance(result, crm.LeadResult)
    assert "linked a customer" in result.warnings[0]


@pytest.mark.parametrize("customer", [{"partner_id": 77}, {}])
def test_a_customer_that_there_is_is_linked_all_the_same(customer: dict[str, int]) -> None:
    odoo = server(**({} if customer else {"partner_id": 77}))
    result = crm.convert_to_opportunity(odoo, lead_id=5, **customer)
    assert isinstance(result, crm.LeadResult)
    assert result.warnings == []
    values = contents(odoo.asked("create")[0])
    assert (values["action"], values["partner_id"]) == ("exist", 77)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"type": "opportunity"}, "opportunity"),
        ({"active": False}, "archived"),
        ({"probability": 100.0}, "won"),
    ],
)
def test_only_an_open_lead_is_converted(changes: dict[str, Any], state: str) -> None:
    odoo = server(**changes)
    with pytest.raises(StateError) as raised:
        crm.convert_to_opportunity(odoo, lead_id=5)
    assert raised.value.details["current_state"] == state
    assert writes(odoo) == []


def test_a_wizard_that_does_nothing_is_not_called_a_success() -> None:
    odoo = server()
    odoo.answers[WIZARD, "action_apply"] = {"type": "ir.actions.act_window_close"}
    result = crm.convert_to_opportunity(odoo, lead_id=5)
    assert (result.type, "not converted" in result.message) == ("lead", True)
    assert result.warnings


def test_a_win_that_odoo_did_not_record_is_told() -> None:
    odoo = server(type="opportunity")
    odoo.answers["crm.lead", "action_set_won"] = True
    result = crm.mark_won(odoo, lead_id=5)
    assert "not won" in result.message


@pytest.mark.parametrize("major", VERSIONS)
def test_the_reason_of_a_loss_is_named_as_the_version_does(major: int) -> None:
    odoo = server(major)
    result = crm.mark_lost(odoo, lead_id=5, reason_name="Too expensive")
    assert result.active is False
    [lose] = odoo.asked("action_set_lost")
    assert lose.arguments == {"lost_reason" if major < 16 else "lost_reason_id": 4}
    with pytest.raises(StateError):
        crm.mark_lost(odoo, lead_id=5)


@pytest.mark.parametrize(
    "action",
    [
        lambda odoo: crm.create_lead(odoo, name="Chairs"),
        lambda odoo: crm.create_lead(odoo, name="Chairs", stage_id=2),
        lambda odoo: crm.move_stage(odoo, lead_id=5, stage_id=2),
        lambda odoo: crm.move_stage(odoo, lead_id=5, stage_name="Qualified"),
        lambda odoo: crm.convert_to_opportunity(odoo, lead_id=5),
        lambda odoo: crm.mark_lost(odoo, lead_id=5),
    ],
)
@pytest.mark.parametrize("major", [14, 19])
def test_results_have_one_shape_whatever_the_options(major: int, action: Any) -> None:
    expected = action(server(major))
    odoo = server(major)
    odoo.options = ReadOptions(strip_html=False, normalize_many2one=False, max_limit=1)
    assert attrs.asdict(action(odoo)) == attrs.asdict(expected)


def test_what_data_people_hold_is_sent_as_plain_values() -> None:
    odoo = server()
    revenue: Any = Scalar(12.5, "f")
    tags: Any = Column([Scalar(4, "i")])
    crm.create_lead(odoo, name="Chairs", expected_revenue=revenue, tag_ids=tags)
    values = contents(odoo.asked("create")[0])
    assert (values["expected_revenue"], values["tag_ids"]) == (12.5, [[6, 0, [4]]])
    for bad in ("12", True, float("nan")):
        with pytest.raises(ValidationError, match="expected_revenue"):
            crm.create_lead(server(), name="Chairs", expected_revenue=bad)
