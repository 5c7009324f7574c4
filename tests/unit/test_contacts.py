"""Contacts: whose number it is, which are there twice, and merging them."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps import contacts
from odoo_toolkit.apps.contacts.similarity import (
    addresses,
    digits,
    likeness,
    name_words,
    same_number,
    tax_number,
)
from odoo_toolkit.errors import AccessError, NotFoundError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.results import RecordName
from tests.unit.fake_contacts import AddressBook, partner
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS

# What is alike ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0470/11.22.33", "+32 470 11 22 33", True),
        ("+44 (0)20 7946 0958", "02079460958", True),
        ("0032 470 112233", "+32-470-112233", True),
        ("470112233 ext. 5", "470112233", True),
        ("+1 555 1234567", "+44 555 1234567", False),
        ("4701122", "32470112233", False),
        ("123456", "99123456", False),
    ],
)
def test_numbers_are_one_however_they_are_typed(one: str, other: str, same: bool) -> None:
    assert same_number(digits(one), digits(other)) is same


def test_what_is_no_number_address_or_vat_is_nothing() -> None:
    assert [digits(text) for text in (None, False, "12", "none")] == ["", "", "", ""]
    assert addresses("Joe <Joe@Ex.com>; ann@ex.com, nobody") == ["joe@ex.com", "ann@ex.com"]
    assert [tax_number(text) for text in ("/", "BE 0477.472.701", None)] == ["", "BE0477472701", ""]
    assert name_words("Müller & Söhne G.m.b.H.") == ("muller", "sohne")
    assert name_words("Limited") == ("limited",)


def two(**other: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    one = partner(1, "Acme", email="a@ex.com")
    apart = {"commercial_partner_id": None}
    return {**one, **apart}, {**partner(2, "Acme"), **apart, **other}


@pytest.mark.parametrize(
    ("other", "score", "against"),
    [
        ({}, 0.6, []),
        ({"email": "A@ex.com"}, 0.88, []),
        ({"name": "Acme Ltd"}, 0.5, []),
        ({"name": "Acmee"}, 0.4, []),
        ({"name": "Zed", "email": "a@ex.com"}, 0.42, ["different names"]),
        ({"is_company": True}, 0.36, ["one is a company, the other a person"]),
    ],
)
def test_the_score_follows_what_is_shared_and_what_speaks_against_it(
    other: dict[str, Any], score: float, against: list[str]
) -> None:
    found = likeness(*two(**other), ["email", "phone", "vat", "name"])

    assert (found.score, found.against) == (score, against)


@pytest.mark.parametrize(
    "other",
    [
        {"name": "Zed"},
        {"name": "Acme 2"},
        {"parent_id": RecordName(id=1, name="Acme")},
        {"type": "delivery", "commercial_partner_id": RecordName(id=1, name="Acme")},
    ],
)
def test_what_belongs_together_is_not_a_duplicate(other: dict[str, Any]) -> None:
    one, second = two(**other)
    assert likeness(one, second, ["name", "email"]) is None


# Duplicates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_duplicates_come_with_a_score_and_the_reasons(major: int) -> None:
    odoo = AddressBook(major)
    found = contacts.find_duplicates(odoo)
    (group,) = found.groups

    assert (found.compared, found.complete, found.total, found.has_more) == (5, True, 1, False)
    assert [contact.id for contact in group.contacts] == [20, 21]
    assert (group.score, group.keep, group.pairs[0].ids) == (0.93, 20, [20, 21])
    assert group.pairs[0].why == [
        "the same e-mail address info@acme.example",
        "the same phone number +44 20 7946 0958",
        "the same name except for word order, accents or legal form: Acme Ltd and ACME Limited",
    ]
    assert odoo.methods() == ["res.partner.search_read"]


def test_what_many_share_says_nothing_and_is_named() -> None:
    odoo = AddressBook()
    odoo.server.records["res.partner"] += [partner(n, "Invoices") for n in range(100, 140)]
    found = contacts.find_duplicates(odoo)

    assert found.total == 1
    assert found.warnings == [
        "Ignored, because too many contacts share the same value: the name invoices (40 contacts)."
    ]


def test_a_closed_field_is_not_compared() -> None:
    odoo = AddressBook(policy=Policy(field_blocklist="email"))
    found = contacts.find_duplicates(odoo)

    assert not [why for pair in found.groups[0].pairs for why in pair.why if "mail" in why]
    assert found.groups[0].contacts[0].email is None
    assert "email" in found.warnings[0]
    with pytest.raises(AccessError) as raised:
        contacts.find_duplicates(odoo, by=["email"])
    assert raised.value.code == "FIELD_BLOCKED"


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": []},
        {"by": ["shoe size"]},
        {"minimum": 0},
        {"minimum": 1.5},
        {"minimum": "much"},
        {"limit": 0},
        {"contact_id": 20, "contact_name": "Acme Ltd"},
    ],
)
def test_wrong_arguments_ask_odoo_nothing(wrong: dict[str, Any]) -> None:
    odoo = AddressBook()
    with pytest.raises(ValidationError):
        contacts.find_duplicates(odoo, **wrong)
    assert odoo.sent == []


def test_a_contact_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        contacts.find_duplicates(AddressBook(), contact_name="Nobody Here")


# Whose it is --------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_a_number_leads_to_person_company_and_what_is_open(major: int) -> None:
    odoo = AddressBook(major)
    found = contacts.identify_contact(odoo, phone="+32 470 11 22 33")
    (who,), (account,) = found.contacts, found.accounts

    assert (who.name, who.function, who.matched) == (
        "Brandon Freeman",
        "Creative Director",
        ["phone"],
    )
    assert (who.company and who.company.name, account.name) == ("Azure Interior", "Azure Interior")
    assert [order.name for order in account.orders or []] == ["S2", "S1"]
    (invoice,) = account.invoices or []
    assert (invoice.name, invoice.amount_residual, invoice.overdue) == ("INV/1", 40.0, True)
    assert (account.amount_due, account.purchases) == ({"EUR": 40.0}, [])
    assert (account.last_contact.direction, account.last_contact.record_name) == ("in", "S2")
    assert found.warnings == []
    assert len(odoo.sent) == 6


def test_who_has_both_comes_first() -> None:
    book = AddressBook()
    found = contacts.identify_contact(book, email="info@acme.example", phone="0470 11 22 33")
    assert [(who.id, who.matched) for who in found.contacts][:2] == [
        (8, ["phone"]),
        (20, ["email"]),
    ]
    found = contacts.identify_contact(book, email="info@acme.example", phone="02079460958")
    assert [who.matched for who in found.contacts] == [
        ["email", "phone"],
        ["email", "phone"],
        ["email"],
    ]


def test_others_of_the_domain_are_said_to_be_no_more_than_that() -> None:
    found = contacts.identify_contact(AddressBook(), email="new@azure.example")

    assert [(who.id, who.matched) for who in found.contacts] == [(7, ["domain"]), (8, ["domain"])]
    assert found.message.startswith("No contact has new@azure.example. 2 contacts have an address")
    assert [account.name for account in found.accounts] == ["Azure Interior"]


def test_nobody_is_found() -> None:
    odoo = AddressBook()
    found = contacts.identify_contact(odoo, email="someone@gmail.com")
    assert (found.message, found.contacts, found.accounts) == (
        "No contact has someone@gmail.com.",
        [],
        [],
    )
    assert len(odoo.sent) == 1


def test_messages_on_closed_models_are_not_shown() -> None:
    book = AddressBook(policy=Policy(model_blocklist="sale.order"))
    (account,) = contacts.identify_contact(book, phone="0470 11 22 33").accounts
    assert (account.orders, account.last_contact) == (None, None)


def test_a_closed_field_does_not_answer_whose_it_is() -> None:
    odoo = AddressBook(policy=Policy(field_blocklist="email"))
    with pytest.raises(AccessError) as raised:
        contacts.identify_contact(odoo, email="info@acme.example")
    assert raised.value.code == "FIELD_BLOCKED"
    assert odoo.sent == []


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"phone": "12345"},
        {"phone": "call me at 0470112233"},
        {"phone": 470112233},
        {"email": "joe"},
        {"email": "joe@ex"},
        {"email": "a@ex.com, b@ex.com"},
        {"email": ""},
        {"email": "info@acme.example", "contact": 1},
    ],
)
def test_what_is_no_number_or_address_is_refused(wrong: dict[str, Any]) -> None:
    odoo = AddressBook()
    with pytest.raises(ValidationError):
        contacts.identify_contact(odoo, **wrong)
    assert odoo.sent == []


# Merging ------------------------------------------------------------------------------------------

MERGED = "base.partner.merge.automatic.wizard"


def test_the_plan_says_what_is_taken_over_what_is_lost_and_what_moves() -> None:
    odoo = AddressBook()
    odoo.server.records["sale.order"][0]["partner_id"] = 20
    plan = contacts.merge_contacts.plan(odoo, contact_id=21, duplicates=[20])

    assert plan.message == (
        "Would merge 'Acme Ltd' (20) into 'ACME Limited' (21); it takes over 1 sales orders."
    )
    assert [(change.field, change.after) for change in plan.changes] == [
        ("vat", "GB 123-456"),
        ("street", "High Street 1"),
        ("zip", "N1"),
        ("city", "London"),
    ]
    assert "Merging cannot be undone." in plan.warnings
    assert "phone +44 20 7946 0958 of 'Acme Ltd' (20) is lost. 02079460958 stays." in (
        plan.warnings
    )
    assert writes(odoo) == []
    result = contacts.merge_contacts(odoo, contact_id=21, duplicates=[20])
    assert result.taken_over["city"] == "London"


def test_what_odoo_did_not_merge_is_not_claimed() -> None:
    odoo = AddressBook()
    odoo.answers[MERGED, "action_merge"] = {
        "type": "ir.actions.act_window",
        "res_model": MERGED,
        "target": "new",
    }
    result = contacts.merge_contacts(odoo, contact_id=20, duplicates=[21, 22])
    assert (result.merged, len(odoo.merged)) == ([], 1)
    assert "ACME Limited (21) is not merged" in result.warnings[0]


@pytest.mark.parametrize(
    ("change", "given", "says"),
    [
        ({}, {"contact_id": 7, "duplicates": [8]}, "is the parent of"),
        ({}, {"contact_id": 8, "duplicates": [7]}, "is the parent of"),
        ({"users": [21]}, {}, "would give 1 user the name"),
        ({20: {"company_id": 1}, 21: {"company_id": 2}}, {}, "different companies"),
        ({20: {"active": False}}, {}, "is archived"),
    ],
)
def test_what_cannot_be_merged_is_refused_before_anything(
    change: dict[Any, Any], given: dict[str, Any], says: str
) -> None:
    odoo = AddressBook()
    users = enumerate(change.get("users", ()), 5)
    odoo.server.records["res.users"] += [
        {"id": number, "name": "U", "partner_id": partner_id} for number, partner_id in users
    ]
    for row in odoo.server.records["res.partner"]:
        row.update(change.get(row["id"], {}))
    with pytest.raises(StateError, match=says):
        contacts.merge_contacts(odoo, **{"contact_id": 20, "duplicates": [21], **given})
    assert writes(odoo) == []


def test_an_archived_duplicate_would_stay_on_old_versions() -> None:
    for major, refused in ((15, True), (16, False)):
        odoo = AddressBook(major)
        next(r for r in odoo.server.records["res.partner"] if r["id"] == 21)["active"] = False
        if refused:
            with pytest.raises(StateError, match="would not merge it"):
                contacts.merge_contacts(odoo, contact_id=20, duplicates=[21])
        else:
            contacts.merge_contacts(odoo, contact_id=20, duplicates=[21])
        assert bool(odoo.merged) is not refused


@pytest.mark.parametrize(
    "given",
    [
        {"duplicates": []},
        {"duplicates": [20]},
        {"duplicates": [21, 21]},
        {"duplicates": list(range(30, 41))},
        {"duplicates": [999]},
    ],
)
def test_wrong_duplicates_are_refused(given: dict[str, Any]) -> None:
    odoo = AddressBook()
    with pytest.raises((ValidationError, NotFoundError)):
        contacts.merge_contacts(odoo, contact_id=20, **given)
    assert writes(odoo) == []


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
def test_merging_takes_the_right_to_delete(mode: Any) -> None:
    odoo = AddressBook(policy=Policy(mode=mode, write_allowlist=["res.partner"]))
    with pytest.raises(AccessError):
        contacts.merge_contacts(odoo, contact_id=20, duplicates=[21])
    assert odoo.sent == []


def test_who_may_not_merge_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    odoo = AddressBook()
    monkeypatch.setattr(odoo.schema, "may", lambda model, operation: False)
    with pytest.raises(AccessError, match="Contact Creation"):
        contacts.merge_contacts(odoo, contact_id=20, duplicates=[21])
    assert writes(odoo) == []
