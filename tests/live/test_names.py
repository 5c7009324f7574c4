"""Names on a real Odoo: what a person says finds what they mean."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import NotFoundError, Odoo
from odoo_toolkit.client import CallEvent
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, name_search, resolve, resolve_all

pytestmark = pytest.mark.recorded


@pytest.fixture
def sent(odoo: Odoo, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods that are called from here on."""
    methods: list[str] = []
    monkeypatch.setattr(odoo, "_on_call", lambda event: methods.append(_method(event)))
    return methods


def _method(event: CallEvent) -> str:
    return event.call.method


def wanted(model: str, *names: str) -> list[Wanted]:
    return [Wanted(model=model, field=f"[{i}].id", name=name) for i, name in enumerate(names)]


@pytest.fixture
def products(odoo: Odoo, admin: Odoo, suffix: str) -> list[dict[str, Any]]:
    """Twenty products of which nothing is found among those that other tests leave."""
    values = [
        {"name": f"Shelf {suffix} {letter}", "default_code": f"{letter}-{suffix}"}
        for letter in ascii_uppercase[:20]
    ]
    ids = toolkit.create(admin, "product.product", values).ids
    return toolkit.read(odoo, "product.product", ids, ["display_name", *values[0]]).records


@pytest.mark.parametrize("form", ["display_name", "default_code", "upper", "[code] other words"])
def test_twenty_products_are_one_call(
    odoo: Odoo, sent: list[str], products: list[dict[str, Any]], form: str
) -> None:
    said = {
        "display_name": lambda row: row["display_name"],
        "default_code": lambda row: row["default_code"].lower(),
        "upper": lambda row: row["name"].upper(),
        "[code] other words": lambda row: f"[{row['default_code']}] other words",
    }[form]
    sent.clear()
    ids = resolve_all(odoo, wanted("product.product", *map(said, products)))
    assert ids == [row["id"] for row in products]
    assert [method for method in sent if method != "fields_get"] == ["search_read"]


@pytest.mark.every_version
def test_a_company_is_not_mistaken_for_its_contacts(
    odoo: Odoo, admin: Odoo, suffix: str, sent: list[str]
) -> None:
    company, person = _company_with_contact(admin, suffix)
    assert len(name_search(odoo, "res.partner", f"Blue {suffix}")) == 2
    sent.clear()
    assert resolve(odoo, wanted("res.partner", f"blue {suffix}")[0]) == company
    assert sent == ["name_search"]
    assert resolve(odoo, wanted("res.partner", f"Ann {suffix}")[0]) == person
    full = f"Blue {suffix}, Ann {suffix}"
    assert resolve_all(odoo, wanted("res.partner", full, f"Blue {suffix}")) == [person, company]


def test_several_matches_are_listed_and_none_is_chosen(
    odoo: Odoo, admin: Odoo, suffix: str
) -> None:
    values = [{"name": f"Green {suffix} {word}"} for word in ("one", "two")]
    ids = toolkit.create(admin, "res.partner", values).ids
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, wanted("res.partner", f"Green {suffix}")[0])
    assert sorted(match["id"] for match in raised.value.matches) == sorted(ids)
    with pytest.raises(AmbiguousNameError):
        resolve_all(odoo, wanted("res.partner", f"Green {suffix} one", f"Green {suffix}"))


def test_wildcards_mean_themselves(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    values = [{"name": f"10{sign} Off_{suffix}"} for sign in ("%", "0", "x")]
    ids = toolkit.create(admin, "res.partner", values).ids
    first, second = f"10% Off_{suffix}", f"100 Off_{suffix}"
    assert resolve(odoo, wanted("res.partner", first)[0]) == ids[0]
    assert resolve_all(odoo, wanted("res.partner", first, second)) == ids[:2]
    assert resolve_all(odoo, wanted("res.partner", f"% Off_{suffix}", second)) == ids[:2]
    with pytest.raises(NotFoundError):
        resolve(odoo, wanted("res.partner", f"10_ Off%{suffix}")[0])


def test_names_with_accents_and_quotes_are_found(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    names = [f'Café "Zürich" \\ {suffix}', f"O'Neill & Søn {suffix}"]
    ids = toolkit.create(admin, "res.partner", [{"name": name} for name in names]).ids
    assert [resolve(odoo, item) for item in wanted("res.partner", *names)] == ids
    assert resolve_all(odoo, wanted("res.partner", *names)) == ids


def test_a_longer_number_is_another_order(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    longer = toolkit.create(admin, "res.partner", {"name": f"{suffix}-S000123"}).id
    with pytest.raises(NotFoundError):
        resolve(odoo, wanted("res.partner", f"{suffix}-S00012")[0])
    shorter = toolkit.create(admin, "res.partner", {"name": f"{suffix}-S00012"}).id
    assert resolve(odoo, wanted("res.partner", f"{suffix}-S00012")[0]) == shorter
    both = wanted("res.partner", f"{suffix}-S00012", f"{suffix}-S000123")
    assert resolve_all(odoo, both) == [shorter, longer]


def test_orders_are_found_by_their_reference(odoo: Odoo) -> None:
    orders = toolkit.search_read(odoo, "sale.order", [], ["name"], limit=3).records
    assert orders
    names = [order["name"] for order in orders]
    assert resolve_all(odoo, wanted("sale.order", *names)) == [order["id"] for order in orders]


def test_an_exact_name_among_very_many_is_found(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    crowd = [{"name": f"{suffix} {i:03}x"} for i in range(60)]
    toolkit.create(admin, "res.partner", crowd)
    exact = toolkit.create(admin, "res.partner", {"name": suffix}).id
    assert resolve(odoo, wanted("res.partner", suffix)[0]) == exact
    last = toolkit.search_read(odoo, "res.partner", [["name", "=", f"{suffix} 059x"]]).records[0]
    assert resolve_all(odoo, wanted("res.partner", suffix, f"{suffix} 059X")) == [exact, last["id"]]


def _company_with_contact(admin: Odoo, suffix: str) -> tuple[int, int]:
    company = toolkit.create(
        admin, "res.partner", {"name": f"Blue {suffix}", "is_company": True}
    ).id
    assert company
    person = toolkit.create(
        admin, "res.partner", {"name": f"Ann {suffix}", "parent_id": company}
    ).id
    assert person
    return company, person


def test_matches_say_in_which_fields_they_differ(
    odoo: Odoo, admin: Odoo, suffix: str, sent: list[str]
) -> None:
    name = f"Twin {suffix}"
    values = [{"name": name, "city": city, "zip": "1"} for city in ("Ghent", "Mons")]
    toolkit.create(admin, "res.partner", values)
    sent.clear()
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, wanted("res.partner", name)[0])
    assert sorted(match["city"] for match in raised.value.matches) == ["Ghent", "Mons"]
    assert {*raised.value.matches[0]} == {"id", "name", "city"}
    assert sent.count("search_read") == 1

    goods = [{"name": name, "list_price": price} for price in (5.0, 7.5)]
    toolkit.create(admin, "product.product", goods)
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, wanted("product.product", name)[0])
    assert sorted(match["lst_price"] for match in raised.value.matches) == [5.0, 7.5]


def test_archived_records_and_variants_are_suggested(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    gone = toolkit.create(admin, "res.partner", {"name": f"Gone {suffix}"}).id
    toolkit.write(admin, "res.partner", [gone or 0], {"active": False})
    with pytest.raises(NotFoundError, match="archived") as missing:
        resolve(odoo, wanted("res.partner", f"Gone {suffix}")[0])
    first = missing.value.details["did_you_mean"][0]
    assert first == {"id": gone, "name": f"Gone {suffix}", "archived": True}

    attribute = toolkit.create(admin, "product.attribute", {"name": f"Colour {suffix}"}).id
    made = [{"name": colour, "attribute_id": attribute} for colour in ("Red", "Blue")]
    colours = toolkit.create(admin, "product.attribute.value", made).ids
    line = {"attribute_id": attribute, "value_ids": [[6, 0, colours]]}
    template = {"name": f"Shirt {suffix}", "attribute_line_ids": [[0, 0, line]]}
    number = toolkit.create(admin, "product.template", template).id
    variants = toolkit.search_read(
        admin, "product.product", [["product_tmpl_id", "=", number]], ["display_name"]
    )
    with pytest.raises(NotFoundError) as missing:
        resolve(odoo, wanted("product.product", f"Shirt {suffix} (Rad)")[0])
    found = {one["id"] for one in missing.value.details["did_you_mean"]}
    assert found >= {row["id"] for row in variants}


def test_a_wrong_value_of_a_list_and_a_wrong_field_are_left_out(odoo: Odoo) -> None:
    right = toolkit.count(odoo, "crm.lead", [["type", "in", ["lead"]]])
    partly = toolkit.count(odoo, "crm.lead", [["type", "in", ["lead", "nosuch"]]])
    assert (partly.count, right.warnings) == (right.count, [])
    assert partly.domain == right.domain
    assert "'nosuch'" in partly.warnings[0]
    with pytest.raises(toolkit.ValidationError, match="no such value"):
        toolkit.count(odoo, "crm.lead", [["type", "in", ["nosuch"]]])
    query = {"model": "res.partner", "fields": ["name", "nam", "parent_id.citty"], "limit": 1}
    (answer,) = toolkit.run_queries(odoo, [query]).answers
    assert answer.error is None
    assert {*(answer.records or [{}])[0]} >= {"name"}
    assert len(answer.warnings) == 2
