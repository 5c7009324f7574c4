"""Contacts on a real Odoo: whose number it is, which are there twice, and merging."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, Odoo, OdooError, StateError, ValidationError
from odoo_toolkit.apps import contacts

pytestmark = pytest.mark.recorded


@pytest.fixture
def number() -> str:
    """A phone number that nobody else has."""
    return f"+32 9 {uuid.uuid4().int % 10**9:09}"


def new(admin: Odoo, **values: object) -> int:
    made = toolkit.create(admin, "res.partner", {"is_company": False, **values}).id
    assert made
    return made


@pytest.mark.every_user
def test_a_number_however_typed_leads_to_person_company_and_orders(
    odoo: Odoo, admin: Odoo, suffix: str, number: str
) -> None:
    company = new(admin, name=f"Company {suffix}", is_company=True)
    typed = number.replace("+32 ", "0").replace(" ", "/")
    person = new(admin, name=f"Ann {suffix}", parent_id=company, phone=typed, function="CEO")
    order = toolkit.create(admin, "sale.order", {"partner_id": person}).id
    found = contacts.identify_contact(odoo, phone=number)
    (who,), (account,) = found.contacts, found.accounts

    assert (who.id, who.function, who.matched) == (person, "CEO", ["phone"])
    assert (who.company.id, account.id) == (company, company)
    if account.orders is not None:
        assert order in [document.id for document in account.orders] or odoo.uid != admin.uid
    else:
        assert found.warnings != []
    assert contacts.identify_contact(odoo, email=f"nobody@{suffix}.example").contacts == []


def test_who_is_there_twice_is_found_with_the_reasons(
    odoo: Odoo, admin: Odoo, suffix: str, number: str
) -> None:
    one = new(admin, name=f"Twice {suffix} Ltd", email=f"Info@{suffix}.example", phone=number)
    other = new(
        admin,
        name=f"TWICE {suffix} limited",
        email=f"info@{suffix}.example",
        phone=number.replace("+32 ", "0032/").replace(" ", "."),
    )
    found = contacts.find_duplicates(odoo, contact_id=other)
    (group,) = found.groups

    assert [contact.id for contact in group.contacts] == [one, other]
    assert (group.score, len(group.pairs[0].why)) == (0.93, 3)
    by_address = contacts.find_duplicates(odoo, by=["email"], limit=100)
    assert any(group.pairs[0].ids == [one, other] for group in by_address.groups)


def test_duplicates_are_merged_and_orders_move(admin: Odoo, suffix: str) -> None:
    one = new(admin, name=f"One {suffix}", email=f"a@{suffix}.example")
    other = new(
        admin, name=f"Other {suffix}", email=f"a@{suffix}.example", city="Gent", comment="Prompt"
    )
    person = new(admin, name=f"Person {suffix}", parent_id=other)
    order = toolkit.create(admin, "sale.order", {"partner_id": other}).id
    assert order
    plan = contacts.merge_contacts.plan(admin, contact_id=one, duplicates=[other])
    planned = {change.field: change.after for change in plan.changes}
    assert planned["city"] == "Gent"
    assert "Prompt" in planned["comment"]
    assert toolkit.read(admin, "res.partner", [other], ["name"]).records
    result = contacts.merge_contacts(admin, contact_id=one, duplicates=[other])

    assert [gone.id for gone in result.merged] == [other]
    note = planned["comment"]
    assert (result.taken_over, result.warnings) == ({"city": "Gent", "comment": note}, [])
    assert result.pointing["sales orders"] == 1
    (moved,) = toolkit.read(admin, "sale.order", [order], ["partner_id"]).records
    assert moved["partner_id"]["id"] == one
    (moved,) = toolkit.read(admin, "res.partner", [person], ["parent_id"]).records
    assert moved["parent_id"]["id"] == one


def test_what_cannot_be_merged_is_refused_and_stays(
    admin: Odoo, ordinary: Odoo, suffix: str
) -> None:
    company = new(admin, name=f"Company {suffix}", is_company=True)
    person = new(admin, name=f"Person {suffix}", parent_id=company)
    other = new(admin, name=f"Other {suffix}")
    with pytest.raises(StateError):
        contacts.merge_contacts(admin, contact_id=company, duplicates=[person])
    with pytest.raises(AccessError):
        contacts.merge_contacts(ordinary, contact_id=company, duplicates=[other])
    users = toolkit.search_read(
        admin, "res.users", [["share", "=", False]], ["partner_id"], limit=2
    )
    one, two = [user["partner_id"]["id"] for user in users.records]
    with pytest.raises(StateError):
        contacts.merge_contacts(admin, contact_id=one, duplicates=[two])
    ids = [company, person, other, one, two]
    assert toolkit.count(admin, "res.partner", [["id", "in", ids]]).count == 5


def test_a_company_is_created_with_people_and_addresses(
    admin: Odoo, suffix: str, number: str
) -> None:
    given: dict[str, Any] = {
        "name": f"Zork {suffix} Ltd",
        "email": f"info@{suffix}.example.com",
        "phone": number,
        "street": "Main Street 1",
        "zip": "12345",
        "city": "Springfield",
        "state": "Illinois",
        "country": "US",
        "people": [
            {"name": f"Ann {suffix}", "function": "Buyer", "email": f"ann@{suffix}.example.com"},
            {"name": f"Bob {suffix}"},
        ],
        "addresses": [
            {"type": "invoice", "street": "Rue 2", "city": "Liège", "country": "Belgium"},
            {"type": "delivery", "name": f"Dock {suffix}", "city": "Berlin", "country": "DE"},
        ],
    }
    ours = [["name", "ilike", suffix]]
    wrongs: list[dict[str, Any]] = [
        {"state": "Nowhere"},
        {"country": "Atlantis"},
        {"email": "none"},
        {"people": [{"name": ""}]},
    ]
    for wrong in wrongs:
        with pytest.raises(OdooError):
            contacts.create_company(admin, **{**given, **wrong})
    plan = contacts.create_company.plan(admin, **given)
    assert "2 people" in plan.message
    assert toolkit.count(admin, "res.partner", ours).count == 0

    made = contacts.create_company(admin, **given)
    assert made.warnings == []
    assert (made.name, made.street, made.zip) == (given["name"], "Main Street 1", "12345")
    assert ((made.state and made.state.name) or "").startswith("Illinois")
    ann, bob = made.people
    assert (ann.function, ann.email, bob.name) == (
        "Buyer",
        given["people"][0]["email"],
        f"Bob {suffix}",
    )
    # Odoo gives its people the company's address.
    assert (ann.city, bob.city) == ("Springfield", "Springfield")
    assert [(one.type, one.city) for one in made.addresses] == [
        ("invoice", "Liège"),
        ("delivery", "Berlin"),
    ]
    rows = toolkit.search_read(
        admin, "res.partner", [["parent_id", "=", made.id]], ["commercial_partner_id", "is_company"]
    ).records
    assert [row["commercial_partner_id"]["id"] for row in rows] == [made.id] * 4
    assert not any(row["is_company"] for row in rows)

    before = toolkit.count(admin, "res.partner", [["id", ">", made.id]]).count
    again: list[dict[str, Any]] = [
        {"name": f"ZORK {suffix}"},
        {"name": f"Quux {suffix[::-1]}", "phone": given["phone"], "email": given["email"]},
        {"name": f"Quux {suffix[::-1]}", "people": [given["people"][0]]},
    ]
    for same in again:
        with pytest.raises(ValidationError, match="seems to exist") as raised:
            contacts.create_company(admin, **same)
        found = {one["id"] for one in raised.value.details["duplicates"]}
        assert found & {made.id, ann.id}
    assert toolkit.count(admin, "res.partner", [["id", ">", made.id]]).count == before
    other = contacts.create_company(admin, name=f"ZORK {suffix}", allow_duplicates=True)
    assert any(f"({made.id})" in warning for warning in other.warnings)


def test_who_may_not_create_contacts_is_told(ordinary: Odoo, suffix: str) -> None:
    with pytest.raises(AccessError) as raised:
        contacts.create_company(ordinary, name=f"Zork {suffix}", people=[{"name": "Ann"}])
    assert raised.value.code == "ACCESS_DENIED"
    assert toolkit.count(ordinary, "res.partner", [["name", "ilike", suffix]]).count == 0
