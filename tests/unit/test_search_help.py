"""Domains made from words; the fields are those of real servers, today is 21 November 2026."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from odoo_toolkit.connection.call import Call
from odoo_toolkit.errors import AccessError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.search_help import DomainSuggestion, suggest_domain
from odoo_toolkit.search_help.periods import take_period
from odoo_toolkit.search_help.words import Words, stem
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
        (
            "account.move",
            "overdue customer invoices over 1,000 EUR",
            [
                ["amount_total", ">", 1000],
                ["invoice_date_due", "<", "2026-11-21"],
                ["move_type", "=", "out_invoice"],
                ["payment_state", "in", ["not_paid", "partial"]],
                ["state", "=", "posted"],
            ],
        ),
        (
            "account.move",
            "invoices with amount due between 1k and 2.5k",
            [
                ["amount_residual", "<=", 2500],
                ["amount_residual", ">=", 1000],
                ["move_type", "=", "out_invoice"],
            ],
        ),
        ("sale.order", "quotations", [["state", "in", ["draft", "sent"]]]),
        ("sale.order", "sent quotations", [["state", "=", "sent"]]),
        ("sale.order", "draft or sent quotations", [["state", "in", ["sent", "draft"]]]),
        ("sale.order", "cancelled quotations", [["state", "=", "cancel"]]),
        ("sale.order", "canceled orders", [["state", "=", "cancel"]]),
        ("sale.order", "orders not cancelled", [["state", "!=", "cancel"]]),
        ("sale.order", "my orders", [["user_id", "=", 2]]),
        (
            "res.partner",
            "not archived not customers",
            [["active", "!=", False], ["customer_rank", "<=", 0]],
        ),
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
            "stock.picking",
            "receipts done yesterday",
            [
                ["date_done", "<", "2026-11-21"],
                ["date_done", ">=", "2026-11-20"],
                ["picking_type_id.code", "=", "incoming"],
                ["state", "=", "done"],
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
        ("res.partner", "a.b@example.com", [["email", "=ilike", "a.b@example.com"]]),
        ("res.partner", "archived suppliers", [["active", "=", False], ["supplier_rank", ">", 0]]),
    ],
)
def test_words_become_conditions(model: str, query: str, expected: list[Any]) -> None:
    """Nouns, states, negations, dates, amounts, people and names, on 19."""
    assert domain(model, query) == sorted(expected, key=str)


@pytest.mark.parametrize(
    ("model", "query", "on_14", "on_19"),
    [
        (
            "sale.order",
            "confirmed orders",
            [["state", "in", ["sale", "done"]]],
            [["state", "in", ["sale"]]],
        ),
        (
            "project.task",
            "open tasks",
            [["is_closed", "=", False]],
            [["state", "not in", ["1_done", "1_canceled"]]],
        ),
        ("project.task", "unassigned tasks", [["user_id", "=", False]], [["user_ids", "=", False]]),
        (
            "crm.lead",
            "won opportunities",
            [["stage_id.is_won", "=", True], ["type", "=", "opportunity"]],
            [["type", "=", "opportunity"], ["won_status", "=", "won"]],
        ),
    ],
)
def test_words_mean_what_the_version_has(
    model: str, query: str, on_14: list[Any], on_19: list[Any]
) -> None:
    assert domain(model, query, 14) == on_14
    assert domain(model, query, 19) == on_19


def test_the_largest_and_the_newest_are_an_order() -> None:
    top = suggest("sale.order", "top 10 orders of 2025")
    newest = suggest("account.move", "latest invoices")

    assert (top.order, top.limit) == ("amount_total desc", 10)
    assert sorted(top.domain) == [
        ["date_order", "<", "2026-01-01"],
        ["date_order", ">=", "2025-01-01"],
    ]
    assert newest.order == "invoice_date desc"


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


def test_a_negation_is_no_name() -> None:
    suggestion = suggest("sale.order", "never cancelled orders")

    assert suggestion.domain == [["state", "!=", "cancel"]]
    assert suggestion.not_understood == []


def test_an_exact_name_counts_though_longer_ones_come_first() -> None:
    """Odoo's search gives no more than asked for, in its own order."""
    longer = [[number, f"Won {number}"] for number in range(10, 15)]

    def stages(call: Call) -> list[list[Any]]:
        return [[4, "Won"]] if call.arguments["operator"] == "=ilike" else longer

    odoo = connection(19)
    odoo.answers["crm.stage", "name_search"] = stages
    suggestion = suggest_domain(odoo, "crm.lead", "leads in stage Won", today=TODAY)

    assert suggestion.domain == [["stage_id", "=", 4]]


def test_a_negation_belongs_to_the_words_after_it_only() -> None:
    assert domain("sale.order", "orders not cancelled of Azure Interior") == [
        ["partner_id", "child_of", 14],
        ["state", "!=", "cancel"],
    ]


def test_names_are_looked_up_side_by_side_and_only_as_far_as_needed() -> None:
    odoo = connection(19)
    suggest_domain(odoo, "sale.order", "orders of Azure Interior", today=TODAY)

    assert len(odoo.asked("name_search")) <= 4
    assert len(odoo.asked("search_count")) == 1


# Spans of time.


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
        ("past two weeks", "2026-11-07", "2026-11-21"),
        ("next 3 months", "2026-11-21", "2027-02-21"),
        ("3 days ago", "2026-11-18", "2026-11-18"),
        ("more than 2 weeks ago", None, "2026-11-06"),
        ("older than 90 days", None, "2026-08-22"),
        ("since monday", "2026-11-16", None),
        ("since 2026-02-01", "2026-02-01", None),
        ("after 2026-02-01", "2026-02-02", None),
        ("before march 2026", None, "2026-02-28"),
        ("until 2026-02-01", None, "2026-02-01"),
        ("in march", "2026-03-01", "2026-03-31"),
        ("in december", "2025-12-01", "2025-12-31"),
        ("in feb 2024", "2024-02-01", "2024-02-29"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("from 2026-01-15 to 2026-02-15", "2026-01-15", "2026-02-15"),
        ("between march and may", "2026-03-01", "2026-05-31"),
        ("on 2026-02-03", "2026-02-03", "2026-02-03"),
    ],
)
def test_spans_of_time(said: str, first: str | None, last: str | None) -> None:
    words = Words(f"orders {said} please")
    period = take_period(words, TODAY)

    assert period is not None
    assert period.first == (date.fromisoformat(first) if first else None)
    assert period.last == (date.fromisoformat(last) if last else None)
    assert [word.text for word in words if not word.taken] == ["orders", "please"]


def test_the_month_before_january_is_december() -> None:
    period = take_period(Words("last month"), date(2026, 1, 31))

    assert period is not None
    assert (period.first, period.last) == (date(2025, 12, 1), date(2025, 12, 31))


@pytest.mark.parametrize("text", ["may i see it", "in 12345", "the march of time", "2026-13-45"])
def test_what_is_no_span_of_time_is_left_alone(text: str) -> None:
    words = Words(text)

    assert take_period(words, TODAY) is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Invoices", "invoice"), ("deliveries", "delivery"), ("status", "status"), ("Café", "cafe")],
)
def test_words_are_compared_without_case_accents_and_plural(word: str, expected: str) -> None:
    assert stem(word) == expected
