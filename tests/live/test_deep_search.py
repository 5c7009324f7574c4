"""The deep search on real servers, as an administrator and as an ordinary user."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator

import attrs
import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, CallEvent, Odoo, count, create, execute, unlink
from odoo_toolkit.chatter.attachments import upload
from odoo_toolkit.deep_search import deep_search
from odoo_toolkit.deep_search.configurations import searched_models
from tests.kit.live_tapes import Open

pytestmark = pytest.mark.recorded

#: Enough contacts to fill the limit before the one that is meant.
MANY = 20


@pytest.fixture
def contact(admin: Odoo, suffix: str) -> Iterator[int]:
    """A company with accents, wildcards, a phone number and an e-mail address of its own."""
    values = {
        "name": f"Zoé 100%_{suffix}",
        "is_company": True,
        "phone": phone_of(suffix, "+32 (0){}/{}.{}"),
        "email": f"zoe@{suffix}.example.com",
    }
    created = create(admin, "res.partner", values).id
    assert created
    yield created
    unlink(admin, "res.partner", [created])


def phone_of(suffix: str, form: str) -> str:
    """Return a number of nine digits that follows from the suffix, in some form."""
    digits = str(random.Random(suffix).randrange(400_000_000, 500_000_000))
    return form.format(digits[:3], digits[3:6], digits[6:])


def ids(odoo: Odoo, query: str, model: str = "res.partner", **options: int) -> list[int]:
    found = deep_search(odoo, query, model, **options)
    return [record["id"] for record in found.results.get(model, [])]


def test_azure_interior_comes_first(odoo: Odoo) -> None:
    for model in (None, "res.partner"):
        found = deep_search(odoo, "Azure Interior", model, exhaustive=True)
        assert found.results["res.partner"][0]["name"] == "Azure Interior"
        assert found.results["res.partner"][0]["is_company"] is True


def test_azure_interior_comes_first_although_twenty_others_match(
    odoo: Odoo, admin: Odoo, suffix: str
) -> None:
    """Odoo has them first: by name, and with the words said the other way round."""
    others = create(
        admin, "res.partner", [{"name": f"AAA Interior {suffix} {i}"} for i in range(MANY)]
    ).ids
    try:
        found = deep_search(odoo, "interior AZURE", "res.partner", limit=MANY)
    finally:
        unlink(admin, "res.partner", others)

    names = [record["name"] for record in found.results["res.partner"]]
    assert names[0] == "Azure Interior"
    assert len(names) == MANY
    assert found.depth_reached == 2


def test_wildcards_are_ordinary_characters(odoo: Odoo, contact: int, suffix: str) -> None:
    assert ids(odoo, f"100%_{suffix}") == [contact]
    assert ids(odoo, f"100_%{suffix}") == []
    assert ids(odoo, f"Zo_ 100__{suffix}"[4:]) == []


def test_accents_do_not_matter_where_the_server_has_unaccent(
    odoo: Odoo, contact: int, suffix: str
) -> None:
    domain = [["name", "ilike", "zoe"], ["id", "=", contact]]
    unaccent = bool(count(odoo, "res.partner", domain).count)

    found = deep_search(odoo, f"zoe 100%_{suffix}", "res.partner")
    assert found.results["res.partner"][0]["id"] == contact
    assert found.depth_reached == (1 if unaccent else 2)


@pytest.mark.parametrize("form", ["+32 {} {} {}", "0032{}{}{}", "({})-{}-{}", "{0} {1} {2}"])
def test_phone_number_whatever_its_punctuation(
    odoo: Odoo, contact: int, suffix: str, form: str
) -> None:
    assert ids(odoo, phone_of(suffix, form)) == [contact]


def test_contact_by_its_address(odoo: Odoo, contact: int, suffix: str) -> None:
    found = deep_search(odoo, f"ZOE@{suffix}.example.com", "res.partner")

    assert [record["id"] for record in found.results["res.partner"]] == [contact]
    assert found.depth_reached == 3


def test_orders_of_a_contact(odoo: Odoo, admin: Odoo, contact: int, suffix: str) -> None:
    """By the name of the company and by that of a person of it."""
    person = create(admin, "res.partner", {"name": f"Kim {suffix}", "parent_id": contact}).id
    assert person
    order = create(odoo, "sale.order", {"partner_id": contact}).id
    assert order
    try:
        for query in (f"100%_{suffix}", f"Kim {suffix}"):
            found = deep_search(odoo, query, "sale.order", max_depth=4)
            assert [record["id"] for record in found.results["sale.order"]] == [order]
            assert found.depth_reached == 4
            assert any(f"'child_of', {contact}]" in hint for hint in found.suggestions)
        (found_person,) = deep_search(odoo, f"Kim {suffix}").results["res.partner"]
        assert found_person["parent_id"]["id"] == contact
    finally:
        execute(admin, "sale.order", "unlink", [[order]])
        unlink(admin, "res.partner", [person])


def test_messages(odoo: Odoo, admin: Odoo, contact: int, suffix: str) -> None:
    """In any order; words that no other record has, or an early level would have found those."""
    words = f"turq{suffix[::-1]}", f"gold{suffix[::-1]}"
    execute(
        admin,
        "res.partner",
        "message_post",
        [[contact]],
        {"body": f"The {words[0]} and {words[1]} one", "message_type": "comment"},
    )

    found = deep_search(odoo, f"{words[1]} {words[0]}", "res.partner", max_depth=5)
    assert [record["id"] for record in found.results["res.partner"]] == [contact]
    assert found.depth_reached == 5
    assert f"res.partner {contact}, in messages" in " ".join(found.suggestions)


@pytest.mark.every_version
def test_the_text_of_attached_files_is_searched(odoo: Odoo, contact: int, suffix: str) -> None:
    words = f"quartz{suffix[::-1]}", f"violet{suffix[::-1]}"
    text = f"A {words[0]} lamp, {words[1]}."
    upload(odoo, "res.partner", contact, "offer.txt", base64.b64encode(text.encode()).decode())
    found = deep_search(odoo, f"{words[1]} {words[0]}", "res.partner", max_depth=5)
    assert [record["id"] for record in found.results["res.partner"]] == [contact]
    assert f"res.partner {contact}, in the file offer.txt" in " ".join(found.suggestions)
    assert deep_search(odoo, f"{words[1]} nothing", "res.partner", max_depth=5).results == {}


@pytest.mark.every_version
def test_what_is_archived_is_named_where_nothing_is_found(admin: Odoo, suffix: str) -> None:
    word = f"gone{suffix[::-1]}"
    number = create(admin, "res.partner", {"name": f"Old {word}", "active": False}).id
    for model in ("res.partner", None):
        found = deep_search(admin, word, model)
        assert found.total_results == 0
        (hint,) = [text for text in found.suggestions if "rchived" in text]
        assert f"Archived in res.partner: Old {word} ({number})" in hint


def test_a_connection_for_one_company_says_so_where_nothing_is_found(
    opened: Open, admin: Odoo, suffix: str
) -> None:
    (row,) = toolkit.read(admin, "res.users", [admin.uid], ["company_id"]).records
    own = row["company_id"]["id"]
    odoo = opened("admin")
    odoo.settings = attrs.evolve(odoo.settings, company_id=own)
    hints = " ".join(deep_search(odoo, f"no{suffix}", "res.partner").suggestions)
    assert f"only for company {own}" in hints


@pytest.mark.every_version
def test_log_says_what_the_server_lacks(odoo: Odoo) -> None:
    found = deep_search(odoo, "qzxwqzxw")
    notes = {(e.level, e.model): " ".join(e.notes) for e in found.search_log}

    for model in searched_models():
        if not odoo.schema.has_model(model):
            assert "not installed" in notes[1, model]
    has_mobile = "mobile" in odoo.schema.fields("res.partner")
    assert ("mobile" in notes[3, "res.partner"]) is not has_mobile
    assert found.depth_reached == 5
    assert found.total_results == 0
    assert "Nothing was found" in found.suggestions[0]


def test_models_without_configuration(odoo: Odoo) -> None:
    found = deep_search(odoo, "belgium", "res.country")
    assert [record["name"] for record in found.results["res.country"]] == ["Belgium"]

    assert deep_search(odoo, "no such thing", "stock.quant", max_depth=5).results == {}


def test_model_that_the_user_may_not_read(opened: Open, admin: Odoo) -> None:
    deep_search(admin, "azure", "mail.mail")
    with pytest.raises(AccessError):
        deep_search(opened("demo"), "azure", "mail.mail")


@pytest.mark.parametrize("query", ["a", "%", "_", "\\", "'; --", "💡", "()", "x " * 200, "1" * 400])
def test_odd_queries_are_answered(odoo: Odoo, query: str) -> None:
    found = deep_search(odoo, query)

    assert [entry for entry in found.search_log if "failed" in " ".join(entry.notes)] == []
    if query in ("%", "_", "\\"):
        assert found.total_results == 0


def test_round_trips(opened: Open) -> None:
    """One call per model and level as long as nothing is cut off."""
    calls: list[CallEvent] = []
    odoo = opened("admin", on_call=calls.append)
    present = [model for model in searched_models() if odoo.schema.has_model(model)]
    deep_search(odoo, "qzxwqzxw", max_depth=3)
    # And a look at what is archived, as nothing was found.
    archives = [name for name in present if "active" in odoo.schema.fields(name)]
    assert len(calls) == 3 * len(present) + len(archives)

    calls.clear()
    deep_search(odoo, "Azure Interior", "res.partner")
    assert len(calls) == 1
