"""What a closed field holds, asked for by every detour that Odoo offers."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, OdooError, count, execute, read, search_read
from odoo_toolkit.deep_search import deep_search
from odoo_toolkit.records.names import Wanted, name_search, resolve
from odoo_toolkit_mcp.prompts.serving import complete
from tests.attacks.policies import Attack, Noting, Raw, connected, leaks, needs, raw, readings, told
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]

CLOSED = "email,phone,street,vat,ref,barcode,default_code,expected_revenue"
MODES = ("readonly", "full")


@pytest.fixture(scope="module", params=MODES)
def closed(request: pytest.FixtureRequest, server: Server) -> Iterator[Noting]:
    with connected(server, mode=request.param, field_blocklist=CLOSED) as odoo:
        yield odoo


@attrs.frozen
class Contact:
    """A contact, and a person at it. What is hidden is no part of what is shown."""

    id: int
    person: int
    name: str
    hidden: str

    def values(self) -> dict[str, Any]:
        """What its closed fields hold."""
        return {
            "email": f"{self.hidden}@example.org",
            "phone": f"{self.hidden} phone",
            "street": f"{self.hidden} street",
            "ref": f"{self.hidden} ref",
            "vat": f"{self.hidden} vat",
        }


@pytest.fixture
def contact(raw: Raw, suffix: str) -> Iterator[Contact]:
    name, hidden = f"Company {suffix}", f"hidden{suffix[::-1]}"
    with raw.record("res.partner", {"name": name, "is_company": True}) as company:
        person = {"name": f"Person {suffix}", "parent_id": company, "type": "other"}
        with raw.record("res.partner", person) as child:
            made = Contact(company, child, name, hidden)
            raw("res.partner", "write", [company], made.values())
            yield made


# What a name shows ---------------------------------------------------------------------------

SHOWING = ("show_email", "show_address", "show_address_only", "show_vat")
NAMES: dict[str, Any] = {
    "display_name": lambda c, k, o: read(o, "res.partner", [c.id], ["display_name"], context=k),
    "many2one": lambda c, k, o: read(o, "res.partner", [c.person], ["parent_id"], context=k),
    "search": lambda c, k, o: search_read(
        o, "res.partner", [["id", "=", c.person]], ["parent_id", "display_name"], context=k
    ),
    "name_search": lambda c, k, o: execute(
        o, "res.partner", "name_search", kwargs={"name": c.name}, context=k
    ),
    "groups": lambda c, k, o: execute(
        o,
        "res.partner",
        "read_group",
        [[["id", "=", c.person]], ["id"], ["parent_id"]],
        context=k,
    ),
    "formatted groups": lambda c, k, o: execute(
        o,
        "res.partner",
        "formatted_read_group",
        [[["id", "=", c.person]], ["parent_id"], ["__count"]],
        context=k,
    ),
    "name_get": lambda c, k, o: execute(o, "res.partner", "name_get", [[c.id]], context=k),
    "web_read": lambda c, k, o: execute(
        o, "res.partner", "web_read", [[c.person], {"parent_id": {"context": k, "fields": {}}}]
    ),
    "web_read of names": lambda c, k, o: execute(
        o,
        "res.partner",
        "web_read",
        [[c.person], {"parent_id": {"context": k, "fields": {"display_name": {}}}}],
    ),
    "kwargs": lambda c, k, o: execute(
        o, "res.partner", "name_search", kwargs={"name": c.name, "context": k}
    ),
}


@pytest.mark.parametrize("key", SHOWING)
def test_no_context_makes_a_name_show_a_closed_field(
    admin: Odoo, closed: Noting, contact: Contact, key: str
) -> None:
    attacks = {way: functools.partial(ask, contact, {key: True}) for way, ask in NAMES.items()}
    assert leaks(admin, closed, attacks, contact.hidden) == []


# What a search finds -------------------------------------------------------------------------


def searches(text: str, contact: Contact) -> dict[str, Attack]:
    """Return ways to find the company by a text; what is found shows the company's name."""

    def domain(*leaf: Any) -> Attack:
        fields = ["display_name", "parent_id"]
        return lambda o: search_read(o, "res.partner", [list(leaf)], fields).records

    def completed(o: Odoo) -> Any:
        ids = complete(o, "record_id", text, {"model": "res.partner"}).values
        return [contact.name for found in ids if found == str(contact.id)]

    def resolved(o: Odoo) -> Any:
        try:
            found = resolve(o, Wanted(model="res.partner", field="partner_id", name=text))
        except OdooError as error:
            return error.details
        return contact.name if found == contact.id else None

    def deep(o: Odoo) -> Any:
        return deep_search(o, text, "res.partner", max_depth=5, exhaustive=True).results

    return {
        "name_search": lambda o: name_search(o, "res.partner", text),
        "name_search exactly": lambda o: name_search(o, "res.partner", text, operator="="),
        "execute": lambda o: execute(o, "res.partner", "name_search", [text]),
        "execute in kwargs": lambda o: execute(
            o, "res.partner", "name_search", kwargs={"name": text, "operator": "=ilike"}
        ),
        "resolve": resolved,
        "completion": completed,
        "deep_search": deep,
        "display_name": domain("display_name", "ilike", text),
        "display_name exactly": domain("display_name", "=", text),
        "display_name in": domain("display_name", "in", [text]),
        "many2one": domain("parent_id", "ilike", text),
        "many2one like": domain("parent_id", "=like", f"{text}%"),
        "many2one exactly": domain("parent_id", "=", text),
        "many2one in": domain("parent_id", "in", [text]),
        "many2one child_of": domain("parent_id", "child_of", text),
        "name of a many2one": domain("parent_id.display_name", "ilike", text),
        "name in any": domain("parent_id", "any", [["display_name", "ilike", text]]),
        "many2one two steps": domain("child_ids.parent_id", "ilike", text),
        "commercial partner": domain("commercial_partner_id", "ilike", text),
        "groups": lambda o: execute(
            o,
            "res.partner",
            "read_group",
            [[["parent_id", "ilike", text]], ["id"], ["parent_id"]],
        ),
        "domain of name_search": lambda o: execute(
            o, "res.partner", "name_search", ["", [["display_name", "ilike", text]]]
        ),
    }


@pytest.mark.parametrize("field", ["email", "ref"])
def test_nobody_is_found_by_what_a_closed_field_holds(
    admin: Odoo, closed: Noting, contact: Contact, field: str
) -> None:
    text = contact.values()[field]
    assert leaks(admin, closed, searches(text, contact), contact.name) == []


@pytest.mark.parametrize("operator", ["not ilike", "not like", "!="])
def test_what_is_not_found_tells_nothing_of_a_closed_field(
    closed: Noting, contact: Contact, operator: str
) -> None:
    def answer(text: str) -> Any:
        return [_counted(text, field) for field in ("display_name", "parent_id")]

    def _counted(text: str, field: str) -> Any:
        domain = [["id", "in", [contact.id, contact.person]], [field, operator, text]]
        try:
            return count(closed, "res.partner", domain).count
        except OdooError as error:
            return error.code

    assert answer(contact.values()["email"]) == answer("nobody@nowhere.example")


def test_names_still_find_where_a_field_is_closed(closed: Noting, contact: Contact) -> None:
    """Search by name does without the closed field; it is not switched off."""
    found = name_search(closed, "res.partner", contact.name)
    completed = complete(closed, "record_id", contact.name, {"model": "res.partner"})
    wanted = Wanted(model="res.partner", field="partner_id", name=contact.name)

    assert contact.id in [match.id for match in found]
    assert str(contact.id) in completed.values
    assert resolve(closed, wanted) == contact.id


@pytest.mark.parametrize(
    ("model", "field"),
    [("product.product", "default_code"), ("product.product", "barcode"), ("res.partner", "vat")],
)
def test_no_model_is_searched_by_a_closed_field(
    admin: Odoo, raw: Raw, closed: Noting, suffix: str, model: str, field: str
) -> None:
    needs(admin, model, field)
    name, hidden = f"Thing {suffix}", f"7{int(suffix, 16)}"
    with raw.record(model, {"name": name, field: hidden}):
        attacks: dict[str, Attack] = {
            "name_search": lambda o: execute(o, model, "name_search", [hidden]),
            "exactly": lambda o: execute(o, model, "name_search", [hidden, [], "="]),
            "domain": lambda o: search_read(o, model, [["display_name", "ilike", hidden]]),
        }
        assert leaks(admin, closed, attacks, name) == []


# Where Odoo keeps a field's value a second time ----------------------------------------------

REVENUE = 31337.25


@pytest.fixture
def tracked(raw: Raw, suffix: str) -> Iterator[int]:
    """A lead whose history tells what its closed field held."""
    with raw.record("crm.lead", {"name": f"Lead {suffix}", "expected_revenue": 1.5}) as lead:
        raw("crm.lead", "write", [lead], {"expected_revenue": REVENUE})
        yield lead


def _values(o: Odoo) -> list[str]:
    return [name for name in o.schema.fields("mail.tracking.value") if "value_" in name]


TRACKING: dict[str, Any] = {
    "values": lambda m, o: search_read(
        o, "mail.tracking.value", [["mail_message_id", "in", m]], _values(o), order="id desc"
    ),
    "by id": lambda m, o: read(o, "mail.tracking.value", _tracking(o, m), _values(o)),
    "all fields": lambda m, o: execute(o, "mail.tracking.value", "read", [_tracking(o, m)]),
    "sums": lambda m, o: execute(
        o,
        "mail.tracking.value",
        "read_group",
        [
            [["mail_message_id", "in", m]],
            [f"{name}:max" for name in _values(o) if "float" in name or "monetary" in name],
            ["mail_message_id"],
        ],
    ),
    "web_read": lambda m, o: execute(
        o,
        "mail.message",
        "web_read",
        [m, {"tracking_value_ids": {"fields": {name: {} for name in _values(o)}}}],
    ),
    "export": lambda m, o: execute(
        o, "mail.message", "export_data", [m, [f"tracking_value_ids/{n}" for n in _values(o)]]
    ),
    "formatted": lambda m, o: execute(o, "mail.message", "message_format", [m]),
}


def _tracking(o: Odoo, messages: list[int]) -> list[int]:
    rows = search_read(o, "mail.message", [["id", "in", messages]], ["tracking_value_ids"])
    return [found for row in rows for found in row["tracking_value_ids"]]


def test_a_records_history_does_not_tell_a_closed_field(
    admin: Odoo, raw: Raw, closed: Noting, tracked: int
) -> None:
    of_lead = [["model", "=", "crm.lead"], ["res_id", "=", tracked]]
    messages = raw("mail.message", "search", of_lead)
    attacks = {way: functools.partial(ask, messages) for way, ask in TRACKING.items()}
    assert leaks(admin, closed, attacks, str(REVENUE)) == []


def test_a_domain_on_the_history_does_not_tell_a_closed_field(
    closed: Noting, admin: Odoo, tracked: int
) -> None:
    amounts = [n for n in _values(admin) if n in ("new_value_monetary", "new_value_float")]

    def found(amount: float) -> Any:
        try:
            return [
                count(
                    closed,
                    "mail.message",
                    [
                        ["model", "=", "crm.lead"],
                        ["res_id", "=", tracked],
                        [f"tracking_value_ids.{name}", "=", amount],
                    ],
                ).count
                for name in amounts
            ]
        except OdooError as error:
            return error.code

    assert found(REVENUE) == found(REVENUE + 1)


def test_defaults_do_not_tell_a_closed_field(
    admin: Odoo, raw: Raw, closed: Noting, suffix: str
) -> None:
    """Odoo keeps default values of all fields in one model."""
    of_phone = [["model", "=", "res.partner"], ["name", "=", "phone"]]
    field = raw("ir.model.fields", "search", of_phone)[0]
    hidden = f"hidden{suffix}"
    # The condition keeps the default from ever being used.
    values = {"field_id": field, "json_value": f'"{hidden}"', "condition": f"ref={suffix}"}
    with raw.record("ir.default", values) as default:
        assert leaks(admin, closed, readings("ir.default", default, "json_value"), hidden) == []
        guess = [["id", "=", default], ["json_value", "like", hidden]]
        assert "count=1" not in told(closed, lambda o: count(o, "ir.default", guess))


def test_properties_do_not_tell_a_closed_field(
    admin: Odoo, raw: Raw, closed: Noting, contact: Contact
) -> None:
    """To Odoo 17, the values of company-dependent fields are kept in one model."""
    needs(admin, "ir.property", "value_text")
    raw("res.partner", "write", [contact.id], {"barcode": contact.hidden})
    domain = [["res_id", "=", f"res.partner,{contact.id}"]]
    found = raw("ir.property", "search", [*domain, ["value_text", "=", contact.hidden]])[0]
    attacks = readings("ir.property", found, "value_text")
    assert leaks(admin, closed, attacks, contact.hidden) == []
    guess = [*domain, ["value_text", "like", contact.hidden]]
    assert "count=1" not in told(closed, lambda o: count(o, "ir.property", guess))
