"""Names are resolved to ids: many in one call, exact ones first, and never by guessing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError, Wanted, resolve, resolve_all
from tests.unit.scripted import RECORDED, Scripted
from tests.unit.table_values import NA, NAT, Scalar

PARTNERS = [
    {"id": 15, "display_name": "Azure Interior", "name": "Azure Interior"},
    {"id": 27, "display_name": "Azure Interior, Brandon Freeman", "name": "Brandon Freeman"},
    {"id": 30, "display_name": "Gemini Furniture", "name": "Gemini Furniture"},
    {"id": 31, "display_name": "Café Zürich", "name": "Café Zürich"},
    {"id": 32, "display_name": "50% Off Shop", "name": "50% Off Shop"},
]


def table(rows: list[dict[str, Any]], major: int = 19) -> Scripted:
    """A server with one table, searched the way PostgreSQL's ilike does, without unaccent."""
    rows = [{"active": True, **row, "complete_name": row["display_name"]} for row in rows]

    def matches(row: dict[str, Any], leaf: list[Any]) -> bool:
        field, operator, text = leaf
        if operator == "in":
            return row[field] in text
        value, said = str(row.get(field) or "").casefold(), _unescaped(str(text)).casefold()
        return value == said if operator == "=ilike" else said in value

    def search_read(call: Call) -> Any:
        leaves = [leaf for leaf in call.arguments["domain"] if isinstance(leaf, list)]
        everything = call.context.get("active_test") is False
        there = [row for row in rows if row["active"] or everything]
        found = [row for row in there if any(matches(row, leaf) for leaf in leaves)]
        names = ["id", *call.arguments["fields"]]
        limit = call.arguments.get("limit")
        return [{n: row.get(n, False) for n in names} for row in found][:limit]

    def name_search(call: Call) -> Any:
        leaf = ["display_name", call.arguments["operator"], call.arguments["name"]]
        there = [row for row in rows if row["active"] and matches(row, leaf)]
        found = [[row["id"], row["display_name"]] for row in there]
        return found[: call.arguments["limit"]]

    fields = RECORDED["fields"][str(major)]
    texts = dict.fromkeys(("city", "phone", "default_code"), "char")
    numbers = {"lst_price": "float", "qty_available": "float", "active": "boolean"}
    link = {"parent_id": {"type": "many2one", "relation": "res.partner"}}
    described = {
        model: {**fields[model], **texts, **numbers, **link}
        for model in ("res.partner", "product.product")
    }
    models = ("res.partner", "product.product", "crm.lead", "helpdesk.ticket")
    answers: dict[tuple[str, str], Any] = {}
    for model in models:
        answers[model, "search_read"] = search_read
        answers[model, "name_search"] = name_search
    return Scripted(major, answers, models={**fields, **described})


def _unescaped(text: str) -> str:
    return text.replace("\\%", "%").replace("\\_", "_").replace("\\\\", "\\")


def partner(name: str, field: str = "partner_id") -> Wanted:
    return Wanted(model="res.partner", field=field, name=name)


def product(name: str, index: int = 0) -> Wanted:
    return Wanted(model="product.product", field=f"lines[{index}].product_id", name=name)


def test_an_id_is_taken_without_a_call() -> None:
    odoo = table([])
    assert resolve(odoo, Wanted(model="res.partner", field="partner_id", id=7)) == 7
    assert odoo.sent == []


def test_a_name_costs_one_name_search_of_five() -> None:
    odoo = table(PARTNERS)
    assert resolve(odoo, partner("gemini")) == 30
    [call] = odoo.sent
    assert (call.method, call.arguments["limit"]) == ("name_search", 5)


@pytest.mark.parametrize("said", ["Azure Interior", "azure interior", " AZURE  INTERIOR "])
def test_an_exact_name_wins_over_longer_ones(said: str) -> None:
    odoo = table(PARTNERS)
    if "  " in said:  # Odoo itself does not fold white space
        odoo.answers["res.partner", "name_search"] = [[15, "Azure Interior"], [27, "Azure I., B."]]
    assert resolve(odoo, partner(said)) == 15


def test_an_exact_name_beyond_the_first_five_is_found() -> None:
    rows = [{"id": i, "display_name": f"Azure {i}", "name": f"Azure {i}"} for i in range(100, 110)]
    odoo = table([*rows, {"id": 1, "display_name": "Azure", "name": "Azure"}])
    assert resolve(odoo, partner("Azure")) == 1
    assert len(odoo.sent) == 2


def test_several_matches_are_listed_at_most_ten_and_the_field_is_named() -> None:
    matches = [[i, f"Azure {i}"] for i in range(1, 13)]
    odoo = table([])
    odoo.answers["res.partner", "name_search"] = matches
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, partner("Azure"))
    told = raised.value.disambiguation()
    assert told["status"] == "disambiguation_needed"
    assert told["field"] == "partner_id"
    assert told["matches"] == [{"id": i, "name": f"Azure {i}"} for i in range(1, 11)]
    assert "partner_id" in told["message"]
    assert raised.value.matches == raised.value.details["matches"] == told["matches"]


def test_the_same_name_twice_is_ambiguous_also_when_exact() -> None:
    rows = [{"id": i, "display_name": "Internal", "name": "Internal"} for i in (7, 8)]
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(table(rows), partner("internal"))
    assert [match["id"] for match in raised.value.matches] == [7, 8]


def test_what_tells_the_matches_apart_is_shown_and_costs_one_request() -> None:
    rows = [
        {"id": 7, "display_name": "Ann", "name": "Ann", "city": "Ghent", "phone": "123"},
        {"id": 8, "display_name": "Ann", "name": "Ann", "city": "Mons", "phone": "123"},
        {"id": 9, "display_name": "Ann", "name": "Ann", "parent_id": [1, "Azure"]},
    ]
    odoo = table(rows)
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, partner("Ann"))
    assert raised.value.matches == [
        {"id": 7, "name": "Ann", "city": "Ghent", "phone": "123"},
        {"id": 8, "name": "Ann", "city": "Mons", "phone": "123"},
        {"id": 9, "name": "Ann", "parent_id": "Azure"},
    ]
    assert raised.value.choices() == [
        "Ann (city Ghent, phone 123)",
        "Ann (city Mons, phone 123)",
        "Ann (parent Azure)",
    ]
    assert raised.value.details["matches"] == raised.value.matches
    assert odoo.methods() == ["res.partner.name_search", "res.partner.search_read"]


def test_products_are_told_apart_by_code_price_and_stock() -> None:
    rows = [
        {"id": n, "display_name": "Desk", "name": "Desk", "lst_price": n, "qty_available": 4.0}
        for n in (7, 8)
    ]
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(table(rows), product("Desk"))
    assert raised.value.matches == [
        {"id": 7, "name": "Desk", "lst_price": 7},
        {"id": 8, "name": "Desk", "lst_price": 8},
    ]


def test_what_cannot_be_read_leaves_the_choice_as_it_is() -> None:
    rows = [{"id": i, "display_name": "Internal", "name": "Internal"} for i in (7, 8)]
    odoo = table(rows)
    odoo.answers["res.partner", "search_read"] = AccessError("Not yours.")
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, partner("internal"))
    assert raised.value.matches == [{"id": 7, "name": "Internal"}, {"id": 8, "name": "Internal"}]


def test_closed_fields_tell_nothing_apart() -> None:
    rows = [
        {"id": i, "display_name": "Ann", "name": "Ann", "city": f"City {i}", "phone": str(i)}
        for i in (7, 8)
    ]
    odoo = table(rows)
    odoo.policy = Policy(field_blocklist="city")
    with pytest.raises(AmbiguousNameError) as raised:
        resolve(odoo, partner("Ann"))
    assert [{*match} for match in raised.value.matches] == [{"id", "name", "phone"}] * 2
    assert "city" not in odoo.asked("search_read")[0].arguments["fields"]


def test_archived_records_and_variants_are_suggested_and_never_taken() -> None:
    rows = [
        {"id": 7, "display_name": "[D1] Desk (Red)", "name": "Desk", "default_code": "D1"},
        {"id": 8, "display_name": "[D2] Desk (Blue)", "name": "Desk", "default_code": "D2"},
        {"id": 9, "display_name": "Lamp", "name": "Lamp", "active": False},
    ]
    with pytest.raises(NotFoundError) as raised:
        resolve(table(rows), product("Desc"))
    assert [one["id"] for one in raised.value.details["did_you_mean"]] == [7, 8]
    with pytest.raises(NotFoundError) as raised:
        resolve(table(rows), product("Desk (Rad)"))
    assert raised.value.details["did_you_mean"][0] == {"id": 7, "name": "[D1] Desk (Red)"}
    with pytest.raises(
        NotFoundError, match=r"is archived in product.product: Lamp .id 9."
    ) as raised:
        resolve(table(rows), product("Lamp"))
    assert raised.value.details["did_you_mean"] == [{"id": 9, "name": "Lamp", "archived": True}]


def test_no_match_names_the_field_and_the_name() -> None:
    with pytest.raises(NotFoundError, match=r"'Nobody' \(partner_id\)") as raised:
        resolve(table(PARTNERS), partner("Nobody"))
    assert raised.value.details == {
        "model": "res.partner",
        "field": "partner_id",
        "name": "Nobody",
    }


@pytest.mark.parametrize("major", [14, 19])
@pytest.mark.parametrize(
    "form",
    [
        lambda row: row["display_name"],
        lambda row: row["default_code"],
        lambda row: row["default_code"].lower(),
        lambda row: f"[{row['default_code']}]",
        lambda row: row["display_name"].upper(),
    ],
    ids=["display name", "code", "code in lower case", "code in brackets", "upper case"],
)
def test_twenty_product_names_are_one_call(major: int, form: Any) -> None:
    rows = RECORDED["products"][str(major)]
    odoo = table(rows, major)
    chosen = rows[:20]
    wanted = [product(form(row), index) for index, row in enumerate(chosen)]
    assert resolve_all(odoo, wanted) == [row["id"] for row in chosen]
    assert odoo.methods() == ["product.product.search_read"]


def test_partial_names_that_match_one_product_each_are_one_call() -> None:
    rows = RECORDED["products"]["19"]
    odoo = table(rows)
    said = ["Desk Organizer", "corner desk right", "Desk Pad"]
    ids = resolve_all(odoo, [product(name, index) for index, name in enumerate(said)])
    shown = {row["id"]: row["display_name"].casefold() for row in rows}
    assert all(name.casefold() in shown[i or 0] for name, i in zip(said, ids, strict=True))
    assert odoo.methods() == ["product.product.search_read"]


def test_a_product_is_found_by_name_and_attributes_without_its_code() -> None:
    row = next(r for r in RECORDED["products"]["19"] if r["display_name"].endswith(")"))
    said = row["display_name"].split("] ")[1]
    assert resolve(table(RECORDED["products"]["19"]), product(said)) == row["id"]


def test_one_ambiguous_name_among_many_is_told_with_its_own_field() -> None:
    with pytest.raises(AmbiguousNameError) as raised:
        resolve_all(table(PARTNERS), [partner("Gemini"), partner("Azure", "user.partner_id")])
    assert raised.value.field == "user.partner_id"
    assert [match["id"] for match in raised.value.matches] == [15, 27]


def test_unknown_names_among_many_cost_no_call_each() -> None:
    odoo = table(PARTNERS)
    with pytest.raises(NotFoundError, match="nope 0"):
        resolve_all(odoo, [partner(f"nope {index}") for index in range(20)])
    assert len(odoo.sent) == 4


def test_names_of_several_models_are_one_call_each() -> None:
    odoo = table(PARTNERS)
    resolve_all(odoo, [partner("Gemini"), partner("Café"), product("Gemini"), product("Café")])
    assert sorted(odoo.methods()) == ["product.product.search_read", "res.partner.search_read"]


def test_too_many_rows_for_one_call_decide_nothing_falsely() -> None:
    """A name of which only one match came may have more, unless it is exact."""
    crowd = [{"id": i, "display_name": f"Crowd {i}x", "name": f"Crowd {i}x"} for i in range(1, 90)]
    odoo = table([*crowd, *PARTNERS])
    with pytest.raises(AmbiguousNameError) as raised:
        resolve_all(odoo, [partner("Gemini Furniture"), partner("Crowd")])
    assert len(raised.value.matches) == 10
    assert resolve_all(odoo, [partner("Gemini"), partner("Crowd 7x")]) == [30, 7]


def test_one_match_among_rows_that_were_cut_off_is_not_taken_for_the_only_one() -> None:
    crowd = [{"id": i, "display_name": f"Crowd {i}x", "name": f"Crowd {i}x"} for i in range(1, 90)]
    twins = [{"id": i, "display_name": f"Gemini {i}", "name": f"Gemini {i}"} for i in (201, 202)]
    odoo = table([twins[0], *crowd, twins[1]])
    with pytest.raises(AmbiguousNameError) as raised:
        resolve_all(odoo, [partner("Gemini", "first_id"), partner("Crowd")])
    assert raised.value.field == "first_id"
    assert [match["id"] for match in raised.value.matches] == [201, 202]


def test_a_longer_number_is_another_number() -> None:
    rows = [{"id": 123, "display_name": "S000123", "name": "S000123"}]
    with pytest.raises(NotFoundError):
        resolve(table(rows), partner("S00012"))
    with pytest.raises(NotFoundError):
        resolve_all(table(rows), [partner("S00012"), partner("S0001")])
    rows.append({"id": 12, "display_name": "S00012", "name": "S00012"})
    assert resolve(table(rows), partner("S00012")) == 12
    assert resolve_all(table(rows), [partner("s00012"), partner("123")]) == [12, 123]


def test_percent_and_underscore_mean_themselves() -> None:
    odoo = table(PARTNERS)
    assert resolve_all(odoo, [partner("50% off"), partner("Gemini")]) == [32, 30]
    [call] = odoo.sent
    assert ["name", "ilike", "50\\% off"] in call.arguments["domain"]
    # Odoo's own search reads them as wildcards.
    odoo.answers["res.partner", "name_search"] = [[30, "Gemini Furniture"]]
    with pytest.raises(NotFoundError):
        resolve(odoo, partner("Gem_ni"))


def test_accents_are_folded_where_the_server_folds_them() -> None:
    odoo = table(PARTNERS)
    everything = [{**row, "complete_name": False} for row in PARTNERS]
    odoo.answers["res.partner", "search_read"] = lambda call: [
        {name: row.get(name, False) for name in ["id", *call.arguments["fields"]]}
        for row in everything
    ]
    assert resolve_all(odoo, [partner("cafe zurich"), partner("Gemini")]) == [31, 30]


def test_a_name_with_the_accents_as_said_wins() -> None:
    rows = [{"id": i, "display_name": n, "name": n} for i, n in ((1, "Cafe"), (2, "Café"))]
    assert resolve_all(table(rows), [partner("café"), partner("cafe")]) == [2, 1]


def test_an_exact_address_is_taken_among_several_that_contain_it() -> None:
    rows = [
        {"id": i, "display_name": name, "name": name, "email": f"{name.lower()}@example.com"}
        for i, name in ((1, "Ann"), (2, "Joann"))
    ]
    assert resolve_all(table(rows), [partner("ann@example.com"), partner("Joann")]) == [1, 2]


def test_a_ticket_is_exact_without_the_number_that_odoo_shows() -> None:
    odoo = table([])
    odoo.answers["helpdesk.ticket", "name_search"] = [[4, "Lamp (#00004)"], [5, "Lamp 2 (#5)"]]
    wanted = Wanted(model="helpdesk.ticket", field="ticket_id", name="lamp")
    assert resolve(odoo, wanted) == 4


def test_the_domain_is_part_of_the_search() -> None:
    odoo = table(PARTNERS)
    domain = (["is_company", "=", True],)
    resolve(odoo, Wanted(model="crm.lead", field="lead_id", name="Gemini", domain=domain))
    assert odoo.sent[0].arguments["domain"] == [["is_company", "=", True]]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "partner_id or partner_name is needed"),
        ({"id": 1, "name": "Azure"}, "Pass either"),
        ({"name": "  "}, "partner_name must be a name, got ''"),
        ({"id": 0}, "partner_id must be a record id, got 0"),
        ({"id": True}, "partner_id must be a record id, got True"),
        ({"id": "7"}, "partner_id must be a record id, got '7'"),
        ({"id": Scalar(True, "b")}, "partner_id must be a record id, got True"),
        ({"id": 7.5}, "partner_id must be a record id, got 7.5"),
        ({"name": 5}, "partner_name must be a name, got 5"),
    ],
)
def test_what_is_given_wrongly_is_refused_before_any_call(given: Any, text: str) -> None:
    odoo = table(PARTNERS)
    with pytest.raises(ValidationError, match=text) as raised:
        resolve_all(
            odoo,
            [partner("Azure Interior"), Wanted(model="res.partner", field="partner_id", **given)],
        )
    assert raised.value.details["field"] == "partner_id"
    assert odoo.sent == []


@pytest.mark.parametrize(
    ("given", "found"),
    [(27, 27), ("27", 27), (Scalar(27, "i"), 27), (27.0, 27), (" gemini ", 30), (NA, None)],
)
def test_one_argument_takes_an_id_or_a_name(given: Any, found: int | None) -> None:
    odoo = table(PARTNERS)
    assert resolve(odoo, Wanted.of("res.partner", given, "partner"), required=False) == found
    assert len(odoo.sent) == (found == 30)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, "^partner is needed"),
        (True, "partner must be a record id, got True.\nPass .* a name as a string"),
        (0, "got 0"),
        ("0", "got 0"),
        ("  ", "partner must be a name, got ''"),
    ],
)
def test_an_argument_for_both_is_named_by_itself(given: Any, text: str) -> None:
    odoo = table(PARTNERS)
    with pytest.raises(ValidationError, match=text) as raised:
        resolve(odoo, Wanted.of("res.partner", given, "partner"))
    assert (raised.value.details["field"], odoo.sent) == ("partner", [])


@pytest.mark.parametrize("given", [Scalar(7, "i"), 7.0, Decimal(7), Scalar(7.0, "f")])
def test_an_id_is_taken_from_any_kind_of_table(given: Any) -> None:
    wanted = Wanted(model="res.partner", field="partner_id", id=given, name=NA)
    record_id = resolve(table([]), wanted)
    assert (record_id, type(record_id)) == (7, int)


@pytest.mark.parametrize("gap", [NA, NAT, float("nan"), Scalar(float("nan"), "f")])
def test_a_gap_in_a_table_means_no_record(gap: Any) -> None:
    wanted = Wanted(model="res.partner", field="partner_id", id=gap, name=gap)
    assert resolve(table([]), wanted, required=False) is None
    by_name = Wanted(model="res.partner", field="partner_id", id=gap, name="Gemini")
    assert resolve(table(PARTNERS), by_name) == 30


def test_neither_is_none_where_it_is_not_required() -> None:
    wanted = Wanted(model="res.partner", field="partner_id")
    assert resolve(table([]), wanted, required=False) is None


def test_a_misspelt_name_says_what_may_be_meant() -> None:
    odoo = table(PARTNERS)
    first = PARTNERS[0]
    wrong = first["display_name"].replace("r", "rr", 1)
    with pytest.raises(NotFoundError) as raised:
        resolve_all(odoo, [partner(wrong)])
    assert f"Did you mean {first['display_name']!r} (id {first['id']})" in raised.value.message
    assert raised.value.details["did_you_mean"][0]["id"] == first["id"]
