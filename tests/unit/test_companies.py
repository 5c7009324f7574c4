"""A company with its people and addresses: created in one call, unless it may be there already."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.contacts import create_company
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.fake_contacts import AddressBook
from tests.unit.scripted import contents

GIVEN: dict[str, Any] = {
    "name": "Zork Ltd",
    "country": "DE",
    "state": "Berlin",
    "city": "Berlin",
    "people": [{"name": "Ann Zork", "function": "Buyer", "email": "ann@zork.example"}],
    "addresses": [
        {"type": "invoice", "street": "Main Street 1", "city": "Ghent", "country": "Belgium"}
    ],
}


def created(odoo: AddressBook) -> list[dict[str, Any]]:
    return [contents(call) for call in odoo.asked("create")]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "ACME Ltd."}, "name"),
        ({"name": "Other", "vat": "gb123456"}, "VAT"),
        ({"name": "Other", "email": "INFO@acme.example", "phone": "+44 20 79460958"}, "phone"),
        ({"name": "Other", "people": [{"name": "B. Freeman", "phone": "0470112233"}]}, "phone"),
    ],
)
def test_what_may_be_there_is_named_and_nothing_is_created(given: dict[str, Any], why: str) -> None:
    odoo = AddressBook()
    with pytest.raises(ValidationError, match="seems to exist") as raised:
        create_company(odoo, **given)
    first = raised.value.details["duplicates"][0]
    assert why in " ".join(first["why"])
    assert first["id"] in (8, 20, 21)
    assert created(odoo) == []

    plan = create_company.plan(odoo, **given)
    assert any("allow_duplicates" in warning for warning in plan.warnings)
    made = create_company(odoo, **given, allow_duplicates=True)
    assert any(f"({first['id']})" in warning for warning in made.warnings)
    assert len(created(odoo)) == 1


def test_people_who_only_share_a_name_are_others() -> None:
    odoo = AddressBook()
    people: Any = [{"name": "Anna Berg"}, {"name": "Anna Berg", "email": "anna@other.example"}]
    made = create_company(odoo, name="Other", people=people)
    assert (len(made.people), made.warnings) == (2, [])


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"name": " "}, ValidationError),
        ({"email": "no address"}, ValidationError),
        ({"phone": "call me"}, ValidationError),
        ({"country": "Atlantis"}, NotFoundError),
        ({"country": 99}, NotFoundError),
        ({"state": "Berlin"}, ValidationError),
        ({"country": "BE", "state": "Berlin"}, NotFoundError),
        ({"country": "BE", "state": 1}, NotFoundError),
        ({"salesperson": "Nobody"}, NotFoundError),
        ({"tags": ["No such tag"]}, NotFoundError),
        ({"people": [{"email": "a@b.example"}]}, ValidationError),
        ({"people": [{"name": "Ann", "mail": "a@b.example"}]}, ValidationError),
        ({"people": [{"name": "Ann", "email": "a"}]}, ValidationError),
        ({"people": [{"name": "Ann"}] * 51}, ValidationError),
        ({"addresses": [{"street": "x"}]}, ValidationError),
        ({"addresses": [{"type": "contact"}]}, ValidationError),
        ({"addresses": [{"type": "other", "country": "Atlantis"}]}, NotFoundError),
        ({"addresses": "Main Street"}, ValidationError),
        ({"zip": 9000}, ValidationError),
    ],
)
def test_bad_input_creates_nothing(given: dict[str, Any], error: type[OdooError]) -> None:
    odoo = AddressBook()
    with pytest.raises(error) as raised:
        create_company(odoo, **{"name": "Zork Ltd", **given})
    assert raised.value.outcome == "refused"
    assert created(odoo) == []


def test_modes_and_lists() -> None:
    for policy in (Policy(mode="readonly"), Policy(mode="restricted", write_allowlist="crm.lead")):
        odoo = AddressBook(policy=policy)
        with pytest.raises(AccessError):
            create_company(odoo, **GIVEN)
        assert odoo.sent == []
        assert create_company.plan(odoo, **GIVEN).needs
    policy = Policy(mode="restricted", write_allowlist="res.partner")
    assert create_company(AddressBook(policy=policy), **GIVEN).people


def test_what_is_closed_is_not_compared() -> None:
    closed = Policy(mode="full", field_blocklist=["email", "phone", "mobile", "vat", "name"])
    with pytest.raises(AccessError, match="name"):
        create_company(AddressBook(policy=closed), name="ACME Ltd")
    closed = Policy(mode="full", field_blocklist=["vat", "phone", "mobile"])
    with pytest.raises(ValidationError, match="seems to exist"):
        create_company(AddressBook(policy=closed), name="ACME Ltd")
