"""Contacts on a real Odoo: whose number it is, which are there twice, and merging."""

from __future__ import annotations

import random

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, Odoo, StateError
from odoo_toolkit.apps import contacts


@pytest.fixture
def number() -> str:
    """A phone number that nobody else has."""
    return f"+32 9 {random.randint(10**8, 10**9 - 1)}"


def new(admin: Odoo, **values: object) -> int:
    made = toolkit.create(admin, "res.partner", {"is_company": False, **values}).id
    assert made
    return made


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
    assert who.company
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
    other = new(admin, name=f"Other {suffix}", email=f"a@{suffix}.example", city="Gent")
    person = new(admin, name=f"Person {suffix}", parent_id=other)
    order = toolkit.create(admin, "sale.order", {"partner_id": other}).id
    assert order
    plan = contacts.merge_contacts.plan(admin, contact_id=one, duplicates=[other])
    assert ("city", "Gent") in [(change.field, change.then) for change in plan.changes]
    assert toolkit.read(admin, "res.partner", [other], ["name"]).records
    result = contacts.merge_contacts(admin, contact_id=one, duplicates=[other])

    assert isinstance(result, contacts.MergeResult)
    assert [gone.id for gone in result.merged] == [other]
    assert (result.taken_over, result.warnings) == ({"city": "Gent"}, [])
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
