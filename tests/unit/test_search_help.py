"""Domains made from words; the fields are those of real servers, today is 21 November 2026."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.search_help import DomainSuggestion, suggest_domain
from odoo_toolkit.search_help.meanings import stem
from odoo_toolkit.testing import FakeServer
from tests.unit.guided import Guided

TODAY = date(2026, 11, 21)  # a Saturday

NAMES: dict[str, list[list[Any]]] = {
    "res.partner": [[14, "Azure Interior"], [26, "Azure Interior, Brandon Freeman"], [8, "Marc"]],
    "res.users": [[6, "Marc"]],
    "project.project": [[1, "Office Design"]],
    "crm.stage": [[4, "Won"], [2, "Qualified"]],
    "res.country": [[57, "Germany"]],
    "product.product": [[15, "Desk"], [18, "Large Desk"]],
}


def name_search(call: Call) -> list[list[Any]]:
    said = str(call.arguments["name"]).lower()
    return [row for row in NAMES.get(call.model, []) if said in row[1].lower()]


def connection(major: int, policy: Policy | None = None) -> Guided:
    counts = {(model, "search_count"): 3 for model in MODELS}
    names: dict[tuple[str, str], Callable[[Call], Any]] = {
        (model, "name_search"): name_search for model in (*NAMES, *OTHERS)
    }
    return Guided(major, {**counts, **names}, policy)


MODELS = (
    *("account.move", "sale.order", "stock.picking", "crm.lead", "project.task"),
    *("res.partner", "crm.stage"),
)
OTHERS = (
    *("crm.team", "project.task.type", "stock.location", "account.journal", "crm.tag"),
    *("res.partner.category", "res.company", "stock.warehouse"),
)


def suggest(model: str, query: str, major: int = 19) -> DomainSuggestion:
    return suggest_domain(connection(major), model, query, today=TODAY)


def domain(model: str, query: str, major: int = 19) -> list[Any]:
    return sorted(suggest(model, query, major).domain, key=str)


@pytest.mark.parametrize("major", [14, 19])
def test_unpaid_invoices_of_a_customer(major: int) -> None:
    suggestion = suggest("account.move", "unpaid invoices of Azure Interior over 500", major)

    assert sorted(suggestion.domain, key=str) == [
        ["move_type", "=", "out_invoice"],
        ["partner_id", "child_of", 14],
        ["payment_state", "in", ["not_paid", "partial"]],
        ["state", "=", "posted"],
    ]
    assert suggestion.not_understood == ["over 500"]
    assert suggestion.count == 3
    assert {"id", "name", "partner_id", "payment_state", "invoice_date"} <= set(suggestion.fields)


@pytest.mark.parametrize(
    ("model", "query", "expected"),
    [
        (
            "account.move",
            "draft invoices",
            [["move_type", "=", "out_invoice"], ["state", "=", "draft"]],
        ),
        (
            "account.move",
            "draft unpaid bills",
            [
                ["move_type", "=", "in_invoice"],
                ["payment_state", "in", ["not_paid", "partial"]],
                ["state", "=", "draft"],
            ],
        ),
        ("sale.order", "Show me quotations", [["state", "in", ["draft", "sent"]]]),
        ("sale.order", "sent quotations", [["state", "=", "sent"]]),
        ("sale.order", "cancelled quotations", [["state", "=", "cancel"]]),
        ("sale.order", "my orders", [["user_id", "=", 2]]),
        ("sale.order", "S00012", [["name", "ilike", "S00012"]]),
        ("account.move", "entry INV/2026/0001", [["name", "ilike", "INV/2026/0001"]]),
        ("sale.order", "orders with Desk", [["order_line.product_id", "=", 15]]),
        (
            "stock.picking",
            "late deliveries for Azure Interior",
            [
                ["partner_id", "child_of", 14],
                ["picking_type_id.code", "=", "outgoing"],
                ["scheduled_date", "<", "2026-11-21"],
                ["state", "not in", ["done", "cancel"]],
            ],
        ),
        (
            "crm.lead",
            "opportunities in Qualified",
            [["stage_id", "=", 2], ["type", "=", "opportunity"]],
        ),
        ("res.partner", "Azure", [["name", "ilike", "Azure"]]),
        (
            "res.partner",
            "companies in Germany",
            [["country_id", "=", 57], ["is_company", "=", True]],
        ),
        ("res.partner", "archived suppliers", [["active", "=", False], ["supplier_rank", ">", 0]]),
    ],
)
def test_words_become_conditions(model: str, query: str, expected: list[Any]) -> None:
    """Nouns, states, names and numbers, on 19."""
    assert domain(model, query) == sorted(expected, key=str)


@pytest.mark.parametrize(
    ("query", "handed_back"),
    [
        ("draft orders since 2025-02-30", "since 2025-02-30"),
        ("draft orders over 500", "over 500"),
        ("top 10 draft orders", "top 10"),
        ("draft orders from 2026-02-01", "from 2026-02-01"),
        ("draft orders in Q1 2026", "in Q1 2026"),
        ("draft orders from last month", "from last month"),
        ("draft orders created by Nobody", "created by Nobody"),
        ("draft orders of nobody", "of nobody"),
        ("draft orders 4711", "4711"),
    ],
)
def test_what_is_not_read_is_handed_back_whole(query: str, handed_back: str) -> None:
    """Half a date, an amount taken for a year, or a word passed over would look like an answer."""
    suggestion = suggest("sale.order", query)

    assert set(handed_back.split()) - set(" ".join(suggestion.not_understood).split()) <= {"in"}
    assert suggestion.domain == [["state", "=", "draft"]]


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("account.move", "unpaid or draft invoices"),
        ("account.move", "invoices not over 1000"),
        ("sale.order", "orders without customer Azure Interior"),
        ("crm.lead", "leads and opportunities"),
        ("res.partner", "customers including archived"),
        ("sale.order", "orders except those of Azure Interior"),
        ("sale.order", "orders neither confirmed nor sent"),
        ("sale.order", "orders not cancelled"),
        ("sale.order", "not quotations"),
    ],
)
def test_half_of_an_alternative_or_of_a_negation_is_no_answer(model: str, query: str) -> None:
    """What would be left is narrower than what is looked for, or its opposite."""
    suggestion = suggest(model, query)

    assert suggestion.domain == []
    assert suggestion.understood == []
    assert suggestion.not_understood == [query]
    assert any("'|'" in warning for warning in suggestion.warnings)


def test_a_name_that_may_mean_several_records_is_handed_back_with_them() -> None:
    suggestion = suggest("sale.order", "draft orders of Marc")

    assert suggestion.domain == [["state", "=", "draft"]]
    assert suggestion.not_understood == [
        "Marc (may be Customer Marc (id 8), or Salesperson Marc (id 6))"
    ]


PIECES = (
    *("confirmed", "draft", "overdue", "my", "latest", "frobnicated", "Azure Interior", "Nobody"),
    *("over 500", "since 2025-02-30", "this month", "March", "in 2025", "up to 2025", "4711"),
    *("created", "due", "total", "or", "not", "except", "without salesperson", "S00012", "5 kg"),
)


@pytest.mark.parametrize("first", PIECES)
def test_no_word_is_passed_over(first: str) -> None:
    """Whatever stands beside it, it is understood or handed back."""
    odoo = connection(19)
    for second in PIECES:
        suggestion = suggest_domain(odoo, "sale.order", f"{first} {second} orders", today=TODAY)

        told = " ".join([*suggestion.understood, *suggestion.not_understood])
        missing = [word for word in f"{first} {second}".split() if word not in told]
        assert not missing, f"{first} {second}"


def test_a_name_that_many_have_is_not_cut_off() -> None:
    many = [[number, f"Acme {number}"] for number in range(1, 10)]
    odoo = connection(19)

    def customers(call: Call) -> list[list[Any]]:
        exactly = call.arguments["operator"] == "=ilike"
        return [] if exactly else many[: call.arguments["limit"]]

    odoo.answers["res.partner", "name_search"] = customers

    suggestion = suggest_domain(odoo, "sale.order", "orders of Acme", today=TODAY)

    assert suggestion.domain == [["partner_id", "ilike", "Acme"]]


def test_each_model_is_described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again for each condition."""
    odoo = connection(19)
    asked: list[str] = []
    readable = odoo.policy.readable_fields

    def counted(model: str, fields: Any, **options: Any) -> Any:
        asked.append(model)
        return readable(model, fields, **options)

    monkeypatch.setattr(
        type(odoo.policy),
        "readable_fields",
        lambda self, *given, **options: counted(*given, **options),
    )
    query = "overdue invoices of Azure Interior"
    suggest_domain(odoo, "account.move", query, today=TODAY)
    once = asked.count("account.move")
    asked.clear()
    suggest_domain(odoo, "account.move", "invoices", today=TODAY)

    assert once == asked.count("account.move")


def test_what_is_not_understood_is_told_and_not_guessed() -> None:
    suggestion = suggest("sale.order", "orders of Nobody Here with frobnication")

    assert suggestion.domain == []
    assert suggestion.not_understood == ["Nobody Here", "with frobnication"]


def test_text_in_quotation_marks_is_one_name_whatever_its_words_mean() -> None:
    suggestion = suggest("res.partner", 'customers called "Draft of last month"')

    assert sorted(suggestion.domain) == [
        ["customer_rank", ">", 0],
        ["name", "ilike", "Draft of last month"],
    ]


def test_wildcards_in_names_are_escaped() -> None:
    assert domain("res.partner", '"100%_sure"') == [["name", "ilike", "100\\%\\_sure"]]


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE res_partner; --",
        '[["state", "=", "draft"]]',
        "\x00\ud800",
        "((((|||&&&!!!",
        "from 2026-02-30 to 2026-99-99",
        "between and over under more than",
        "last 999 years ago since before",
        "over 99999999999999999999999",
        "x" * 500,
        "ordine del cliente 株式会社 Ünïcödé",
        '"" "“” \'',
    ],
)
@pytest.mark.parametrize("model", ["account.move", "res.partner"])
def test_odd_queries_give_a_domain_that_is_valid_or_a_clear_error(model: str, query: str) -> None:
    try:
        count = suggest(model, query).count
    except ValidationError as error:
        count = 3 if error.suggestion else 0

    assert count == 3


@pytest.mark.parametrize("query", ["", "   ", "x" * 501])
def test_empty_and_endless_queries_are_refused(query: str) -> None:
    with pytest.raises(ValidationError):
        suggest("sale.order", query)


def test_blocked_fields_and_models_are_not_used() -> None:
    policy = Policy(field_blocklist="payment_state", model_blocklist="res.partner")
    suggestion = suggest_domain(
        connection(19, policy), "account.move", "unpaid invoices of Azure Interior", today=TODAY
    )

    assert suggestion.domain == [["move_type", "=", "out_invoice"]]
    assert suggestion.not_understood == ["unpaid", "Azure Interior"]


def test_a_blocked_model_is_an_error() -> None:
    with pytest.raises(AccessError):
        suggest_domain(connection(19, Policy(model_blocklist="sale.order")), "sale.order", "draft")


def test_only_names_are_looked_up() -> None:
    odoo = connection(19)
    suggest_domain(odoo, "sale.order", "draft orders of last month", today=TODAY)

    assert not odoo.asked("name_search")
    assert len(odoo.asked("search_count")) == 1


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Invoices", "invoice"), ("deliveries", "delivery"), ("status", "status"), ("Café", "cafe")],
)
def test_words_are_compared_without_case_accents_and_plural(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_today_is_the_day_of_the_connection() -> None:
    """Between the easternmost and the westernmost zone it is never the same day."""
    fields = {"name": "char", "date_deadline": {"type": "date", "store": True}}
    fake = FakeServer({"sale.order": fields}, records={"sale.order": []})
    east, west = (
        suggest_domain(fake.connect(tz=zone), "sale.order", "late orders").domain
        for zone in ("Pacific/Kiritimati", "Etc/GMT+12")
    )
    assert east
    assert east != west
