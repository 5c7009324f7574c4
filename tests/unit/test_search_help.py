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
from odoo_toolkit.search_help.periods import period_at
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
def test_unpaid_invoices_of_a_customer_from_last_month(major: int) -> None:
    suggestion = suggest("account.move", "unpaid invoices of Azure Interior from last month", major)

    assert sorted(suggestion.domain, key=str) == [
        ["invoice_date", "<=", "2026-10-31"],
        ["invoice_date", ">=", "2026-10-01"],
        ["move_type", "=", "out_invoice"],
        ["partner_id", "child_of", 14],
        ["payment_state", "in", ["not_paid", "partial"]],
        ["state", "=", "posted"],
    ]
    assert suggestion.not_understood == []
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
        (
            "account.move",
            "vendor bills due this week",
            [
                ["invoice_date_due", "<=", "2026-11-22"],
                ["invoice_date_due", ">=", "2026-11-16"],
                ["move_type", "=", "in_invoice"],
            ],
        ),
        ("sale.order", "quotations", [["state", "in", ["draft", "sent"]]]),
        ("sale.order", "sent quotations", [["state", "=", "sent"]]),
        ("sale.order", "cancelled quotations", [["state", "=", "cancel"]]),
        ("sale.order", "canceled orders", [["state", "=", "cancel"]]),
        ("sale.order", "my orders", [["user_id", "=", 2]]),
        ("sale.order", "orders without salesperson", [["user_id", "=", False]]),
        ("sale.order", "S00012", [["name", "ilike", "S00012"]]),
        ("account.move", "entry INV/2026/0001", [["name", "ilike", "INV/2026/0001"]]),
        ("res.partner", "Acme a1b2c3d4", [["name", "ilike", "Acme a1b2c3d4"]]),
        ("sale.order", "orders by Marc", [["user_id", "=", 6]]),
        ("sale.order", "orders for Marc", [["partner_id", "child_of", 8]]),
        (
            "sale.order",
            "orders with product Desk created yesterday",
            [
                ["create_date", "<", "2026-11-21"],
                ["create_date", ">=", "2026-11-20"],
                ["order_line.product_id", "=", 15],
            ],
        ),
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
            "opportunities in stage Won",
            [["stage_id", "=", 4], ["type", "=", "opportunity"]],
        ),
        ("res.partner", "Azure", [["name", "ilike", "Azure"]]),
        (
            "res.partner",
            "customers without email",
            [["customer_rank", ">", 0], ["email", "=", False]],
        ),
        (
            "res.partner",
            "companies in Germany",
            [["country_id", "=", 57], ["is_company", "=", True]],
        ),
        ("res.partner", "contacts in Porto", [["city", "ilike", "Porto"]]),
        ("res.partner", "archived suppliers", [["active", "=", False], ["supplier_rank", ">", 0]]),
    ],
)
def test_words_become_conditions(model: str, query: str, expected: list[Any]) -> None:
    """Nouns, states, negations, dates, amounts, people and names, on 19."""
    assert domain(model, query) == sorted(expected, key=str)


@pytest.mark.parametrize(
    ("model", "query", "handed_back", "kept"),
    [
        ("sale.order", "orders since 2025-02-30", "since 2025-02-30", []),
        ("sale.order", "orders from 2026-02-30 to 2026-99-99", "from 2026-02-30 to 2026-99-99", []),
        ("sale.order", "orders from 2026-03-01 to 2026-01-01", "from 2026-03-01 to 2026-01-01", []),
        ("sale.order", "orders between 1000 and 2000", "orders between 1000 and 2000", []),
        ("sale.order", "orders between 2024 and 2025", "orders between 2024 and 2025", []),
        ("sale.order", "orders up to 5000", "up to 5000", []),
        ("sale.order", "orders up to 2025", "up to 2025", []),
        ("sale.order", "orders over 2025", "over 2025", []),
        ("sale.order", "orders under 2,000 EUR", "under 2,000 EUR", []),
        ("sale.order", "orders for more than $1990", "more than $1990", []),
        ("sale.order", "draft orders over 500", "over 500", [["state", "=", "draft"]]),
        ("sale.order", "top 10 draft orders", "top 10", [["state", "=", "draft"]]),
        ("sale.order", "orders on 5 March 2026", "5 March 2026", []),
        ("sale.order", "orders before the 3rd of May", "before the 3rd of May", []),
        ("sale.order", "orders by May", "May", []),
        ("sale.order", "orders from 2026-02-01", "from 2026-02-01", []),
        ("sale.order", "orders on 03/04/2026", "03/04/2026", []),
        ("sale.order", "orders this fiscal year", "fiscal year", []),
        ("sale.order", "orders in Q1 2026", "Q1 2026", []),
        ("sale.order", "orders 3 days ago", "3 days ago", []),
        ("sale.order", "orders since Monday", "since Monday", []),
        ("sale.order", "orders this year last year", "this year last year", []),
        ("sale.order", "orders created by Marc", "created by Marc", []),
        ("sale.order", "orders by customer", "by customer", []),
        ("sale.order", "orders 4711", "4711", []),
        ("sale.order", "not quotations", "not quotations", []),
        ("res.partner", "unarchived customers", "unarchived", [["customer_rank", ">", 0]]),
    ],
)
def test_what_is_not_read_is_handed_back_whole(
    model: str, query: str, handed_back: str, kept: list[Any]
) -> None:
    """Half a date, an amount taken for a year, or a word passed over would look like an answer."""
    suggestion = suggest(model, query)

    assert " ".join(suggestion.not_understood) == handed_back
    assert suggestion.domain == kept


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("account.move", "unpaid or draft invoices"),
        ("account.move", "draft invoices or posted bills"),
        ("account.move", "invoices not over 1000"),
        ("account.move", "invoices without customer Azure Interior"),
        ("sale.order", "orders without customer Azure Interior"),
        ("crm.lead", "leads and opportunities"),
        ("res.partner", "customers and vendors"),
        ("res.partner", "contacts in Germany and Porto"),
        ("res.partner", "customers including archived"),
        ("sale.order", "confirmed or frobnicated orders"),
        ("sale.order", "my orders or orders of Azure Interior"),
        ("sale.order", "orders except those of Azure Interior"),
        ("sale.order", "orders neither confirmed nor sent"),
        ("sale.order", "orders not from last month"),
        ("sale.order", "orders not cancelled"),
        ("sale.order", "draft or sent quotations"),
        ("sale.order", "orders of Azure Interior and Nobody"),
        ("sale.order", "orders with product Desk and product Large Desk"),
    ],
)
def test_half_of_an_alternative_or_of_a_negation_is_no_answer(model: str, query: str) -> None:
    """What would be left is narrower than what is looked for, or its opposite."""
    suggestion = suggest(model, query)

    assert suggestion.domain == []
    assert suggestion.understood == []
    assert suggestion.not_understood == [query]
    assert any("'|'" in warning for warning in suggestion.warnings)


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("account.move", "invoices paid last month"),  # no field tells when
        ("account.move", "bills due in december"),  # of last year, or the one to come
        ("account.move", "invoices created this year due next month"),
        ("stock.picking", "transfers not done yesterday"),
        ("stock.picking", "receipts done yesterday"),
        ("sale.order", "orders received last week"),
    ],
)
def test_a_date_that_may_be_another_one_is_handed_back(model: str, query: str) -> None:
    suggestion = suggest(model, query)

    assert not [item for item in suggestion.domain if "date" in item[0]]
    assert suggestion.not_understood


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
    query = "overdue invoices of Azure Interior from last month created this year"
    suggest_domain(odoo, "account.move", query, today=TODAY)
    once = asked.count("account.move")
    asked.clear()
    suggest_domain(odoo, "account.move", "invoices", today=TODAY)

    assert once == asked.count("account.move")


def test_what_is_not_understood_is_told_and_not_guessed() -> None:
    suggestion = suggest("sale.order", "orders of Nobody Here with frobnication")

    assert suggestion.domain == []
    assert suggestion.not_understood == ["Nobody Here", "frobnication"]


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


def test_names_are_looked_up_side_by_side_and_only_as_far_as_needed() -> None:
    odoo = connection(19)
    suggest_domain(odoo, "sale.order", "orders of Azure Interior", today=TODAY)

    assert len(odoo.asked("name_search")) <= 4
    assert len(odoo.asked("search_count")) == 1


# Spans of time.


@pytest.mark.parametrize("said", ["may i see it", "since 12345", "march of time", "in december"])
def test_what_is_no_span_of_time_is_none(said: str) -> None:
    assert period_at(said.split(), 0, TODAY) is None


@pytest.mark.parametrize(
    "said", ["on 2026-13-45", "last 999 years", "this 3 weeks", "next 3 months", "by today"]
)
def test_a_span_that_cannot_be_is_taken_whole_and_not_read(said: str) -> None:
    assert period_at(said.split(), 0, date(900, 1, 1)) == (len(said.split()), None)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Invoices", "invoice"), ("deliveries", "delivery"), ("status", "status"), ("Café", "cafe")],
)
def test_words_are_compared_without_case_accents_and_plural(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_today_is_the_day_of_the_connection() -> None:
    """Between the easternmost and the westernmost zone it is never the same day."""
    fields = {"name": "char", "date_order": {"type": "datetime", "store": True}}
    fake = FakeServer({"sale.order": fields}, records={"sale.order": []})
    east, west = (
        suggest_domain(fake.connect(tz=zone), "sale.order", "orders of today").domain
        for zone in ("Pacific/Kiritimati", "Etc/GMT+12")
    )
    assert east
    assert east != west


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("today", "2026-11-21", "2026-11-21"),
        ("yesterday", "2026-11-20", "2026-11-20"),
        ("tomorrow", "2026-11-22", "2026-11-22"),
        ("this week", "2026-11-16", "2026-11-22"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("next week", "2026-11-23", "2026-11-29"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("from last month", "2026-10-01", "2026-10-31"),
        ("this quarter", "2026-10-01", "2026-12-31"),
        ("last quarter", "2026-07-01", "2026-09-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("in the last 30 days", "2026-10-22", "2026-11-21"),
        ("next 3 weeks", "2026-11-21", "2026-12-12"),
        ("since 2026-02-01", "2026-02-01", None),
        ("after 2026-02-01", "2026-02-02", None),
        ("since 2025", "2025-01-01", None),
        ("before 2025", None, "2024-12-31"),
        ("until 2026-02-01", None, "2026-02-01"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("from the year 2025", "2025-01-01", "2025-12-31"),
        ("on 2026-02-03", "2026-02-03", "2026-02-03"),
    ],
)
def test_spans_of_time(said: str, first: str | None, last: str | None) -> None:
    texts = f"orders {said} please".split()

    assert period_at(texts, 1, TODAY) == (
        len(texts) - 1,
        (date.fromisoformat(first) if first else None, date.fromisoformat(last) if last else None),
    )
