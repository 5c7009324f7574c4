"""The address of a user's contact is where Odoo mails the link that resets the password to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, create, execute, run_wizard, upsert, write
from odoo_toolkit.apps.contacts import merge_contacts
from odoo_toolkit.apps.crm import convert_to_opportunity
from odoo_toolkit.errors import OdooError
from tests.attacks.policies import Noting, Raw, connected, raw
from tests.live.conftest import admin, server
from tests.live.servers import Server

__all__ = ["admin", "raw", "server"]

PARTNER, EVIL = "res.partner", "evil@attack.example"
WRITABLE = "res.partner,crm.lead,hr.employee,project.task,project.project,res.company,sale.order"


# Which fields go through to a contact differs by version; what a mode lets through does not.
@pytest.fixture(
    scope="module",
    params=["restricted", pytest.param("full", marks=pytest.mark.every_version)],
)
def odoo(request: pytest.FixtureRequest, server: Server) -> Iterator[Noting]:
    with connected(server, mode=request.param, write_allowlist=WRITABLE) as connection:
        yield connection


@attrs.frozen
class Victim:
    """A user, its contact, what is linked to the contact, and a contact that is older."""

    user: int
    partner: int
    email: str | bool
    company: int
    lead: int
    employee: int
    older: int
    word: str


@contextmanager
def _made(raw: Raw, kind: str) -> Iterator[Victim]:
    suffix = uuid.uuid4().hex[:8]
    with ExitStack() as stack:

        def make(model: str, **values: Any) -> int:
            return stack.enter_context(raw.record(model, values))

        login = f"victim-{suffix}@example.com"
        email = False if kind == "without an address" else login
        older = make(PARTNER, name=f"Older {suffix}")
        company = make(PARTNER, name=f"Company {suffix}", is_company=True)
        user = make("res.users", name=f"Victim {suffix}", login=login, email=email)
        partner = raw.value("res.users", user, "partner_id")[0]
        raw(PARTNER, "write", [partner], {"parent_id": company})
        employee = make("hr.employee", name=f"Victim {suffix}", user_id=user)
        lead = make("crm.lead", name=f"Lead {suffix}", partner_id=partner)
        if kind == "archived":
            raw("res.users", "write", [user], {"active": False})
        yield Victim(user, partner, email, company, lead, employee, older, suffix)
        left = raw(PARTNER, "search", [["id", "=", partner], ["active", "in", [True, False]]])
        raw(PARTNER, "write", left, {"parent_id": False})


#: Makes one of a kind, once for each group of tests: what is refused leaves everything as it is.
Victims = Callable[[str, str], Victim]


@pytest.fixture(scope="module")
def victims(raw: Raw) -> Iterator[Victims]:
    with ExitStack() as stack:
        yield cache(lambda kind, _group: stack.enter_context(_made(raw, kind)))


@pytest.fixture(params=["active", "archived"])
def victim(request: pytest.FixtureRequest, victims: Victims) -> Victim:
    """A user who works here, and one who did."""
    return victims(request.param, "")


Attempt = Callable[[Odoo, Victim], Any]


def _task(model: str) -> Attempt:
    def attempt(odoo: Odoo, victim: Victim) -> Any:
        values = {"name": "x", "partner_id": victim.partner, "partner_email": EVIL}
        return create(odoo, model, values)

    return attempt


#: What some Odoo takes for an id besides a number: the text was not seen, and 14 wrote the address.
ID_FORMS: dict[str, Callable[[int], Any]] = {
    "the text of an id": str,
    "a text with blanks": lambda number: f" {number} ",
    "a text with a sign": lambda number: f"+{number}",
    "a hexadecimal text": hex,
    "a fraction": float,
    "a pair": lambda number: [str(number), "Victim"],
}

ATTEMPTS: dict[str, Attempt] = {
    "write": lambda odoo, v: write(odoo, PARTNER, [v.partner], {"email": EVIL}),
    "empty it": lambda odoo, v: write(odoo, PARTNER, [v.partner], {"email": False}),
    "normalized": lambda odoo, v: execute(
        odoo, PARTNER, "write", [[v.partner], {"email_normalized": EVIL}]
    ),
    "execute": lambda odoo, v: execute(odoo, PARTNER, "write", [[v.partner], {"email": EVIL}]),
    "among others": lambda odoo, v: write(odoo, PARTNER, [v.company, v.partner], {"email": EVIL}),
    "line of a company": lambda odoo, v: write(
        odoo, PARTNER, [v.company], {"child_ids": [[1, v.partner, {"email": EVIL}]]}
    ),
    "web_save": lambda odoo, v: execute(
        odoo, PARTNER, "web_save", [[v.partner], {"email": EVIL}, {"id": {}}]
    ),
    "load": lambda odoo, v: execute(
        odoo, PARTNER, "load", [[".id", "email"], [[str(v.partner), EVIL]]]
    ),
    "load lines": lambda odoo, v: execute(
        odoo,
        PARTNER,
        "load",
        [
            [".id", "child_ids/.id", "child_ids/email"],
            [[str(v.company), str(v.partner), EVIL]],
        ],
    ),
    "upsert": lambda odoo, v: upsert(odoo, PARTNER, [{".id": v.partner, "email": EVIL}], key=".id"),
    "lead": lambda odoo, v: write(odoo, "crm.lead", [v.lead], {"email_from": EVIL}),
    "new lead": lambda odoo, v: create(
        odoo, "crm.lead", {"name": "x", "partner_id": v.partner, "email_from": EVIL}
    ),
    **{
        f"new lead by {name}": lambda odoo, v, form=form: execute(  # type: ignore[misc]
            odoo,
            "crm.lead",
            "create",
            [{"name": "x", "partner_id": form(v.partner), "email_from": EVIL}],
        )
        for name, form in ID_FORMS.items()
    },
    "new lead by defaults": lambda odoo, v: create(
        odoo,
        "crm.lead",
        {"name": "x", "email_from": EVIL},
        context={"default_partner_id": v.partner},
    ),
    "load a lead": lambda odoo, v: execute(
        odoo,
        "crm.lead",
        "load",
        [["name", "partner_id/.id", "email_from"], [["x", str(v.partner), EVIL]]],
    ),
    "load a lead by name": lambda odoo, v: execute(
        odoo,
        "crm.lead",
        "load",
        [["name", "partner_id", "email_from"], [["x", f"Victim {v.word}", EVIL]]],
    ),
    "employee": lambda odoo, v: write(odoo, "hr.employee", [v.employee], {"work_email": EVIL}),
    "new employee": lambda odoo, v: create(
        odoo, "hr.employee", {"name": "x", "user_id": v.user, "work_email": EVIL}
    ),
    "task": _task("project.task"),
    "project": _task("project.project"),
    "company": lambda odoo, v: create(
        odoo, "res.company", {"name": f"x {v.word}", "partner_id": v.partner, "email": EVIL}
    ),
    "merge": lambda odoo, v: merge_contacts(
        odoo, contact_id=_evil(odoo, v), duplicates=[v.partner]
    ),
    "merge into it": lambda odoo, v: merge_contacts(
        odoo, contact_id=v.partner, duplicates=[_evil(odoo, v)]
    ),
    "merge by the wizard": lambda odoo, v: _merge(odoo, v, _evil(odoo, v)),
    "merge into it by the wizard": lambda odoo, v: _merge(odoo, v, v.partner),
    **{
        f"merge by {method}": lambda odoo, v, method=method: _merge_alike(odoo, v, method)  # type: ignore[misc]
        for method in (
            "action_start_automatic_process",
            "action_update_all_process",
            "parent_migration_process_cb",
        )
    },
    "merge leads": lambda odoo, v: _merge_leads(odoo, v),
    "convert and merge leads": lambda odoo, v: _convert_many(odoo, v),
    "employee, and then its user": lambda odoo, v: _employee_later(odoo, v),
}


def _evil(odoo: Odoo, victim: Victim, **more: Any) -> int:
    values = {"name": f"Evil {victim.word}", "email": EVIL, **more}
    return create(odoo, PARTNER, values).ids[0]


MERGE = "base.partner.merge.automatic.wizard"


def _merge(odoo: Odoo, victim: Victim, stays: int) -> Any:
    evil = _evil(odoo, victim) if stays == victim.partner else stays
    values = {"partner_ids": [[6, 0, [evil, victim.partner]]], "dst_partner_id": stays}
    made = create(odoo, MERGE, values).ids[0]
    return execute(odoo, MERGE, "action_merge", [[made]])


def _merge_alike(odoo: Odoo, victim: Victim, method: str) -> Any:
    """Merge what has the same name: of contacts, Odoo lets the oldest one stay."""
    write(odoo, PARTNER, [victim.older], {"name": f"Victim {victim.word}", "email": EVIL})
    made = create(odoo, MERGE, {"group_by_name": True, "maximum_group": 0}).ids[0]
    return execute(odoo, MERGE, method, [[made]])


def _leads(odoo: Odoo, victim: Victim) -> list[int]:
    """Make leads that are given the contact after their address: that changes neither."""
    values = {"name": "x", "email_from": EVIL, "phone": "666", "type": "lead"}
    leads = [create(odoo, "crm.lead", values).ids[0] for _ in range(2)]
    write(odoo, "crm.lead", leads, {"partner_id": victim.partner})
    return leads


def _merge_leads(odoo: Odoo, victim: Victim) -> Any:
    wizard, leads = "crm.merge.opportunity", _leads(odoo, victim)
    made = create(odoo, wizard, {"opportunity_ids": [[6, 0, leads]]}).ids[0]
    return execute(odoo, wizard, "action_merge", [[made]])


def _convert_many(odoo: Odoo, victim: Victim, method: str = "action_mass_convert") -> Any:
    wizard, leads = "crm.lead2opportunity.partner.mass", _leads(odoo, victim)
    chosen = {"active_model": "crm.lead", "active_ids": leads, "active_id": leads[0]}
    values = {"lead_tomerge_ids": [[6, 0, leads]], "name": "convert", "deduplicate": True}
    made = create(odoo, wizard, values, context=chosen).ids[0]
    return execute(odoo, wizard, method, [[made]], context=chosen)


def _employee_later(odoo: Odoo, victim: Victim) -> Any:
    made = create(odoo, "hr.employee", {"name": "x", "work_email": EVIL}).ids
    return write(odoo, "hr.employee", made, {"user_id": victim.user})


def attempts_on_victims() -> Iterator[Any]:
    """Return each attempt on an active user, and some on others: `make attack` tries all on all."""
    for number, (name, attempt) in enumerate(ATTEMPTS.items()):
        for place, kind in enumerate(("active", "archived", "without an address")):
            marks = pytest.mark.attack if place and number % 4 != place else ()
            yield pytest.param(kind, attempt, marks=marks, id=f"{kind}-{name}")


@pytest.mark.every_version
@pytest.mark.parametrize(("kind", "attempt"), attempts_on_victims())
def test_the_contact_of_a_user_keeps_its_address(
    odoo: Noting, raw: Raw, victims: Victims, kind: str, attempt: Attempt
) -> None:
    victim = victims(kind, odoo.policy.mode)
    with suppress(OdooError):  # refused, or the field or model does not exist on this version
        attempt(odoo, victim)
    users = raw("res.users", "read", [victim.user], ["email", "partner_id"])
    assert users[0]["email"] == victim.email
    assert users[0]["partner_id"][0] == victim.partner


@pytest.mark.every_version
def test_the_attack_works_where_nothing_protects(server: Server, raw: Raw, victim: Victim) -> None:
    with connected(server, protect=False) as open_connection:
        write(open_connection, "crm.lead", [victim.lead], {"email_from": EVIL})
    try:
        assert raw.value("res.users", victim.user, "email") == EVIL
    finally:
        raw(PARTNER, "write", [victim.partner], {"email": victim.email})


def test_other_contacts_may_have_another_address(odoo: Noting, raw: Raw, victim: Victim) -> None:
    write(odoo, PARTNER, [victim.company], {"email": "office@example.com"})
    assert raw.value(PARTNER, victim.company, "email") == "office@example.com"
    # what a row says again is no change
    write(odoo, PARTNER, [victim.partner], {"email": victim.email, "phone": "123"})
    assert raw.value(PARTNER, victim.partner, "phone") == "123"


#: What a conversion is asked for, under which lists, and how many contacts Odoo makes.
CONVERSIONS: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "no contact": ({}, {}, 0),
    "a user's contact": ({"partner_id": True}, {}, 0),
    "a new contact": ({"create_customer": True}, {"write_allowlist": f"crm.lead,{PARTNER}"}, 1),
    "a new contact off the list": ({"create_customer": True}, {}, 0),
    "a new contact while contacts are closed": (
        {"create_customer": True},
        {"mode": "full", "model_blocklist": PARTNER},
        0,
    ),
    "a user's contact while contacts are closed": (
        {"partner_id": True},
        {"mode": "full", "model_blocklist": PARTNER},
        0,
    ),
}


@pytest.mark.every_version
@pytest.mark.parametrize("case", CONVERSIONS)
@pytest.mark.parametrize("address", ["the user's", "another"])
@pytest.mark.parametrize("by", ["the tool", "the wizard"])
def test_the_conversion_of_a_lead_changes_no_users_contact(
    server: Server, raw: Raw, victim: Victim, case: str, address: str, by: str
) -> None:
    """Odoo looks a contact up by the address of the lead, and a lead may write its contact."""
    asked, rules, makes = CONVERSIONS[case]
    name = f"Evil {victim.word}"
    email = victim.email if address == "the user's" else EVIL
    values = {"name": name, "partner_name": name, "email_from": email, "phone": "666"}
    lead = raw("crm.lead", "create", {**values, "type": "lead"})
    asked = {key: victim.partner if key == "partner_id" else True for key in asked}
    of_contact = ["name", "email", "phone", "user_ids", "parent_id", "company_name"]
    before = raw(PARTNER, "read", [victim.partner], of_contact)
    limits = {"mode": "restricted", "write_allowlist": "crm.lead", **rules}
    with connected(server, **limits) as odoo, suppress(OdooError):
        if by == "the tool":
            convert_to_opportunity(odoo, lead_id=lead, **asked)
        else:
            action = "create" if asked.pop("create_customer", False) else "exist"
            answers = {"name": "convert", "action": action, **asked}
            run_wizard(odoo, "crm.lead2opportunity.partner", answers, "crm.lead", [lead])
    after = raw(PARTNER, "read", [victim.partner], of_contact)
    made = raw(PARTNER, "search_count", [["name", "ilike", name]])
    raw.clean("crm.lead", [["id", "=", lead]])
    raw.clean(PARTNER, [["name", "ilike", name]])
    assert after == before
    assert made == (makes if by == "the tool" else 0)
