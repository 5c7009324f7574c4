"""Domains: building, shape, and the fields of their model."""

import json
import operator
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from odoo_toolkit.arguments import DOMAIN_HELP, Domain, check_domain, resolve_domain
from odoo_toolkit.arguments.domain_shape import check_syntax, plain_elements
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import Field, parse_fields
from tests.unit.table_values import NA, NAT, Column, Moment, Scalar

A, B, C = ["a", "=", 1], ["b", "=", 2], ["c", "=", 3]
STATES = [["draft", "Quotation"], ["sale", "Sales Order"]]

ORDER = parse_fields(
    {
        "id": {"type": "integer"},
        "name": {"type": "char"},
        "active": {"type": "boolean"},
        "sequence": {"type": "integer"},
        "amount": {"type": "monetary"},
        "state": {"type": "selection", "selection": STATES},
        "date_order": {"type": "datetime"},
        "validity_date": {"type": "date"},
        "partner_id": {"type": "many2one", "relation": "res.partner"},
        "order_line": {"type": "one2many", "relation": "sale.order.line"},
        "hidden_id": {"type": "many2one", "relation": "hidden.model"},
        "image": {"type": "binary"},
        "task_properties": {"type": "properties"},
        "distribution": {"type": "json"},
        "computed": {"type": "char", "store": False, "searchable": False},
        "searchable": {"type": "char", "store": False, "searchable": True},
        "computed_id": {
            "type": "many2one",
            "relation": "res.partner",
            "store": False,
            "searchable": False,
        },
    }
)
PARTNER = parse_fields(
    {
        "name": {"type": "char"},
        "parent_id": {"type": "many2one", "relation": "res.partner"},
        "date": {"type": "date"},
    }
)
LINE = parse_fields(
    {"quantity": {"type": "float"}, "order_id": {"type": "many2one", "relation": "sale.order"}}
)


def fields_of(model: str) -> Mapping[str, Field]:
    if model == "hidden.model":
        raise AccessError("not for you")
    return {"sale.order": ORDER, "res.partner": PARTNER, "sale.order.line": LINE}[model]


def resolve(domain: Any, version: int | None = None) -> list[Any]:
    return resolve_domain(domain, "sale.order", fields_of, version_major=version)[0]


def refused(domain: Any, version: int | None = None) -> OdooError:
    with pytest.raises(OdooError) as caught:
        resolve(domain, version)
    return caught.value


# ---- Shape --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "checked"),
    [
        ([], []),
        ((), []),
        ([A], [A]),
        ((("a", "=", 1),), [A]),
        ([A, B], [A, B]),
        (["|", A, B], ["|", A, B]),
        (["|", "&", A, B, "!", C], ["|", "&", A, B, "!", C]),
        ([A, "|", B, C], [A, "|", B, C]),
        ([["a", "in", (1, 2)]], [["a", "in", [1, 2]]]),
        ([["a", "in", {1}]], [["a", "in", [1]]]),
        ([["a", "in", []]], [["a", "in", []]]),
        ([["a", "in", [False, 1, None]]], [["a", "in", [False, 1, False]]]),
        ([["a", "=", None]], [["a", "=", False]]),
        ([["a", "=", date(2025, 2, 9)]], [["a", "=", "2025-02-09"]]),
        (
            [["a", "<", datetime(2025, 2, 9, 14, tzinfo=UTC)]],
            [["a", "<", "2025-02-09 14:00:00"]],
        ),
        ([(1, "=", 1)], [[1, "=", 1]]),
        ([[0, "=", 1]], [[0, "=", 1]]),
        ([["a.b.c", "child_of", 5]], [["a.b.c", "child_of", 5]]),
        ([["lines", "any", [("x", "=", 1)]]], [["lines", "any", [["x", "=", 1]]]]),
        ([["lines", "not any", []]], [["lines", "not any", []]]),
    ],
)
def test_a_valid_domain_becomes_plain_lists(domain: Any, checked: list[Any]) -> None:
    assert check_domain(domain) == checked
    json.dumps(checked)


@pytest.mark.parametrize(
    ("domain", "corrected"),
    [
        (["a", "=", 1], [A]),
        (["a", "in", ["x"]], [["a", "in", ["x"]]]),
        ([[A, B]], ["&", A, B]),
        ([[["a", "=", 1]]], [A]),
        (["|", [A, B], C], ["|", "&", A, B, C]),
        ([A, "|", B], ["|", A, B]),
        ([A, "or", B, "OR", C], ["|", "|", A, B, C]),
        ([A, "and", B], ["&", A, B]),
        (["or", A, B], ["|", A, B]),
        (["not", A], ["!", A]),
        ("[('a', '=', 1)]", [A]),
        ('[["a", "=", null], ["b", "=", true]]', [["a", "=", False], ["b", "=", True]]),
        ("[('a', 'ilike', \"O'Brien\")]", [["a", "ilike", "O'Brien"]]),
        ([["a", "==", 1]], [A]),
        ([["a", "<>", 1]], [["a", "!=", 1]]),
        ([["a", "ILIKE", "x"]], [["a", "ilike", "x"]]),
        ([["a", "NOT IN", [1]]], [["a", "not in", [1]]]),
        ([["a", "contains", "x"]], [["a", "ilike", "x"]]),
        ([["a", "in", "x"]], [["a", "in", ["x"]]]),
        ([["a", "in", "[1, 2]"]], [["a", "in", [1, 2]]]),
        ([["a", "in", None]], [["a", "=", False]]),
        ([["a", "not in", False]], [["a", "!=", False]]),
        ([{"field": "a", "operator": "=", "value": 1}], [A]),
        ([["a", "=", {"id": 5, "name": "x"}]], [["a", "=", 5]]),
        ([["lines", "any", [["x", "==", 1]]]], [["lines", "any", [["x", "=", 1]]]]),
    ],
)
def test_a_mistake_beyond_doubt_is_answered_with_the_correction(
    domain: Any, corrected: list[Any]
) -> None:
    with pytest.raises(OdooError) as caught:
        check_domain(domain)
    assert caught.value.code == "INVALID_DOMAIN"
    assert caught.value.details["corrected_domain"] == corrected
    assert check_domain(corrected) == corrected
    assert json.dumps(corrected) in caught.value.suggestion


@pytest.mark.parametrize(
    "domain",
    [
        None,
        False,
        True,
        0,
        {},
        "",
        "rubbish",
        b"[]",
        [None],
        [[]],
        ["a"],
        ["&"],
        ["|", A],
        ["|", "|", A, B],
        ["&", "!", A],
        [A, "|"],
        ["!"],
        [A, "and", B, "|", C],
        ["or", A, B, C],
        [["a", "=", 1, 2]],
        [["a", "="]],
        [["", "=", 1]],
        [["a b", "=", 1]],
        [["a.", "=", 1]],
        [[5, "=", 1]],
        [["a", None, 1]],
        [["a", "wibble", 1]],
        [["a", "any!", []]],
        [["a", "any", 5]],
        [["a", "any", None]],
        [["a", "=", {"name": "x"}]],
        [["a", "=", [[1]]]],
        [["a", "=", float("nan")]],
        [["a", "=", "nul\x00"]],
        [["a", "=", 2**70]],
        [["a", "=", object()]],
    ],
)
def test_what_cannot_be_understood_is_an_error_without_a_guess(domain: Any) -> None:
    with pytest.raises(OdooError) as caught:
        check_domain(domain)
    assert caught.value.code == "INVALID_DOMAIN"
    assert "corrected_domain" not in caught.value.details
    assert caught.value.suggestion


@pytest.mark.parametrize(("operator", "since"), [("any", 17), ("not any", 17), ("not =like", 19)])
def test_an_operator_is_refused_before_the_version_that_brought_it(
    operator: str, since: int
) -> None:
    domain = [["lines", operator, [] if "any" in operator else "x"]]
    assert check_domain(domain, version_major=since) == domain
    with pytest.raises(OdooError, match=f"from Odoo {since} on"):
        check_domain(domain, version_major=since - 1)


def _nested(depth: int, wrap: Any) -> Any:
    value: Any = []
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    "domain",
    [
        pytest.param(_nested(10_000, lambda inner: [inner]), id="lists"),
        pytest.param([["a", "=", _nested(10_000, lambda inner: [inner])]], id="value"),
        pytest.param(_nested(5_000, lambda inner: [["a", "any", inner]]), id="any"),
        pytest.param("[" * 10_000 + "]" * 10_000, id="text"),
        pytest.param("-" * 19_000 + "1", id="signs"),
        pytest.param(["!"] * 100_000 + [A], id="long"),
        pytest.param([["a", "=", 10**5000]], id="number"),
    ],
)
def test_a_hostile_domain_is_an_ordinary_error(domain: Any) -> None:
    with pytest.raises(OdooError) as caught:
        check_domain(domain)
    assert len(json.dumps(caught.value.to_dict())) < 5_000


# ---- Builder ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "built"),
    [
        (Domain(), []),
        (Domain().equals("a", 1), [A]),
        (Domain().equals("a", None), [["a", "=", False]]),
        (Domain().not_equals("a", 1), [["a", "!=", 1]]),
        (Domain().contains("a", "x"), [["a", "ilike", "x"]]),
        (Domain().contains("a", "50%_\\"), [["a", "ilike", "50\\%\\_\\\\"]]),
        (Domain().starts_with("a", "5%"), [["a", "=ilike", "5\\%%"]]),
        (Domain().in_list("a", (1, 2)), [["a", "in", [1, 2]]]),
        (Domain().greater_than("a", 1).less_than("a", 9), [["a", ">", 1], ["a", "<", 9]]),
        (Domain().between("a", 1, 9), [["a", ">=", 1], ["a", "<=", 9]]),
        (Domain().is_set("a").is_empty("b"), [["a", "!=", False], ["b", "=", False]]),
        (Domain.or_(Domain([A, B]), Domain([C])), ["|", "&", A, B, C]),
        (Domain.or_(Domain([A]), Domain([B]), Domain([C, A])), ["|", "|", A, B, "&", C, A]),
        (Domain([A]).or_(Domain([B])), ["|", A, B]),
        (Domain.or_(Domain([A, "|", B, C]), Domain([B])), ["|", "&", A, "|", B, C, B]),
        (Domain.or_(), [[0, "=", 1]]),
        (Domain.or_(Domain([A]), Domain()), ["|", A, [1, "=", 1]]),
        (Domain([A]) & Domain([B]), [A, B]),
        (Domain([A]) | Domain([B]), ["|", A, B]),
        (Domain([A]) & [B], [A, B]),
        ([A] & Domain([B]), [A, B]),
        ((A, B) & Domain([C]), [A, B, C]),
        (Domain([A]) | (B, C), ["|", A, "&", B, C]),
        ([A, B] | Domain([C]), ["|", "&", A, B, C]),
        ([] | Domain([A]), ["|", [1, "=", 1], A]),
        ([] & ~Domain([A]), ["!", A]),
        (["|", A, B] & Domain([C]), ["|", A, B, C]),
        (Domain.or_([A], Domain([B])), ["|", A, B]),
        (~Domain([A, B]), ["!", "&", A, B]),
        (~Domain(), ["!", [1, "=", 1]]),
    ],
)
def test_the_builder_gives_valid_domains(domain: Domain, built: list[Any]) -> None:
    assert domain.build() == built
    assert check_domain(domain) == built
    assert list(domain) == built


def test_a_domain_is_immutable_and_comparable() -> None:
    start = Domain().in_list("a", [1, 2])
    start.equals("b", 2)
    start.build()[0][2].append(3)
    assert start.build() == [["a", "in", [1, 2]]]
    assert {start: "usable as a key"}[Domain([["a", "in", [1, 2]]])]


@pytest.mark.parametrize("other", ["a", 5, None, {"a": 1}])
def test_a_domain_is_joined_with_lists_only(other: Any) -> None:
    for join in (operator.and_, operator.or_):
        for pair in ((Domain([A]), other), (other, Domain([A]))):
            with pytest.raises(TypeError):
                join(*pair)


def test_a_domain_is_a_sequence_of_its_elements() -> None:
    domain = Domain(["|", A, B])
    assert isinstance(domain, Sequence)
    assert (domain[0], domain[-1], domain[1:], len(domain)) == ("|", B, [A, B], 3)
    assert A in domain
    assert C not in domain
    domain[1].append("changed")
    assert domain.build() == ["|", A, B]
    assert check_domain([["line_ids", "any", domain]]) == [["line_ids", "any", ["|", A, B]]]


@pytest.mark.parametrize(
    "build",
    [
        lambda: Domain("a"),
        lambda: Domain(A),
        lambda: Domain().equals("", 1),
        lambda: Domain().in_list("a", "text"),
        lambda: Domain() & A,
        lambda: A | Domain(),
        lambda: Domain() | [["a", "is", 1]],
        lambda: Domain.or_(Domain(), ["|", A]),
    ],
)
def test_the_builder_refuses_what_would_be_no_domain(build: Any) -> None:
    with pytest.raises(OdooError) as caught:
        build()
    assert caught.value.code == "INVALID_DOMAIN"


# ---- Fields -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    [
        ["partner_id", "=", "Azure"],
        ["partner_id", "ilike", "azure"],
        ["partner_id", "=", 7],
        ["partner_id", "=", False],
        ["partner_id", "in", [7, False]],
        ["partner_id", "child_of", 7],
        ["partner_id", "child_of", "Azure"],
        ["partner_id", "child_of", [7, 8]],
        ["partner_id.parent_id.name", "ilike", "x"],
        ["order_line.quantity", ">", 1.5],
        ["order_line", "=", False],
        ["hidden_id.whatever.else", "=", "x"],
        ["task_properties.abc123", "=", "x"],
        ["id", "in", [1, 2]],
        ["sequence", "=", False],
        ["amount", ">", 10],
        ["date_order", "=", False],
        ["date_order", "ilike", "2025"],
        ["date_order.month_number", "=", 5],
        ["state", "=", False],
        ["state", "in", ["sale", False]],
        ["state", "not in", ["sale", False]],
        ["state", "ilike", "anything"],
        ["partner_id", "ilike", "15"],
        ["name", "ilike", 5],
        ["image", "!=", False],
        ["searchable", "=", "x"],
        ["active", "in", [True, False]],
        ["date_order", ">", "today -1d"],
        ["validity_date", "=", "=monday"],
        ["hidden_id", "any", [["whatever", "=", 1]]],
        ["partner_id", "any", [["name", "=", "x"]]],
    ],
)
def test_what_odoo_takes_is_left_as_it_is(condition: list[Any]) -> None:
    assert resolve_domain([condition], "sale.order", fields_of) == ([condition], [])


@pytest.mark.parametrize(
    ("condition", "resolved"),
    [
        (["date_order", ">", "2025-02-09T14:30:00Z"], "2025-02-09 14:30:00"),
        (["date_order", ">", "2025-02-09T14:30:00+02:00"], "2025-02-09 12:30:00"),
        (["date_order", ">", "2025-02-09"], "2025-02-09"),
        (["date_order", ">", date(2025, 2, 9)], "2025-02-09"),
        (["date_order", "in", ["2025-02-09T00:00Z", False]], ["2025-02-09 00:00:00", False]),
        (["validity_date", "<=", "2025-02-09T23:59:59-05:00"], "2025-02-09"),
        (["validity_date", "<=", "2025-2-9"], "2025-02-09"),
        (["partner_id.date", "=", "2025-02-09T00:00:00Z"], "2025-02-09"),
        (["sequence", "=", "5"], 5),
        (["id", "in", ["5"]], [5]),
        (["amount", ">", "1.5"], 1.5),
        (["active", "=", 1], True),
        (["active", "=", "false"], False),
        (["partner_id", "=", ""], False),
        (["partner_id", "in", ["", 7]], [False, 7]),
        (["order_line", "!=", ""], False),
        (
            ["order_line", "any", [["order_id.date_order", "<", "2025-02-09T14:30:00Z"]]],
            [["order_id.date_order", "<", "2025-02-09 14:30:00"]],
        ),
    ],
)
def test_values_become_what_odoo_takes_by_the_type_of_the_field(
    condition: list[Any], resolved: Any
) -> None:
    value = resolve([condition])[0][2]
    assert value == resolved
    assert type(value) is type(resolved)


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        (["nmae", "=", "x"], "INVALID_FIELD"),
        (["partner_id.nmae", "=", "x"], "INVALID_FIELD"),
        (["order_line", "any", [["bogus", "=", 1]]], "INVALID_FIELD"),
        (["name.first", "=", "x"], "INVALID_FIELD"),
        (["computed", "=", "x"], "INVALID_FIELD"),
        (["computed_id.name", "=", "x"], "INVALID_FIELD"),
        (["name", "any", []], "INVALID_DOMAIN"),
        (["state", "=", "bogus"], "INVALID_SELECTION"),
        (["state", "in", ["bogus", "bogus too"]], "INVALID_SELECTION"),
        (["date_order", ">", "soon"], "INVALID_DOMAIN"),
        (["date_order", ">", 5], "INVALID_DOMAIN"),
        (["validity_date", "=", ""], "INVALID_DOMAIN"),
        (["sequence", "=", "five"], "INVALID_DOMAIN"),
        (["id", "=", True], "INVALID_DOMAIN"),
        (["amount", ">", "much"], "INVALID_DOMAIN"),
        (["active", "=", "x"], "INVALID_DOMAIN"),
        (["partner_id", "=", True], "INVALID_DOMAIN"),
        (["partner_id", "=", [7, "Azure"]], "INVALID_DOMAIN"),
        (["partner_id", "child_of", True], "INVALID_DOMAIN"),
        (["order_line", "in", [True]], "INVALID_DOMAIN"),
        (["name", "ilike", ["a"]], "INVALID_DOMAIN"),
        (["name", "ilike", False], "INVALID_DOMAIN"),
        (["name", "=like", None], "INVALID_DOMAIN"),
        (["partner_id", "!=", 0], "INVALID_DOMAIN"),
        (["partner_id", "=like", ""], "INVALID_DOMAIN"),
        (["partner_id", "=", "15"], "INVALID_DOMAIN"),
        (["partner_id", "not in", [7, "15"]], "INVALID_DOMAIN"),
        (["partner_id", "child_of", "15"], "INVALID_DOMAIN"),
        (["order_line", "in", [7, 0]], "INVALID_DOMAIN"),
        (["image", "=", "AP8="], "INVALID_DOMAIN"),
    ],
)
def test_what_odoo_would_ignore_or_fail_on_is_refused(condition: list[Any], code: str) -> None:
    error = refused([["name", "=", "x"], condition])
    assert error.code == code
    assert error.suggestion
    json.dumps(error.to_dict())


@pytest.mark.parametrize(
    ("operator", "value", "resolved"),
    [
        ("in", [False], [["order_line", "=", False]]),
        ("in", [7, ""], ["|", ["order_line", "in", [7]], ["order_line", "=", False]]),
        ("not in", [None], [["order_line", "!=", False]]),
        ("not in", [7, False], ["&", ["order_line", "not in", [7]], ["order_line", "!=", False]]),
    ],
)
def test_lines_that_are_not_set_are_a_condition_apart(
    operator: str, value: list[Any], resolved: list[Any]
) -> None:
    assert resolve([["order_line", operator, value]]) == resolved


def test_an_unknown_field_names_its_model_its_path_and_the_likely_one() -> None:
    error = refused([["partner_id.nmae", "=", "x"]])
    assert error.details == {
        "model": "res.partner",
        "field": "nmae",
        "did_you_mean": ["name"],
        "path": "partner_id.nmae",
    }
    assert "'name'" not in error.message
    assert "did you mean name" in error.message


@pytest.mark.parametrize(
    ("condition", "resolved"),
    [
        (["id", "in", Column([Scalar(1, "i"), 2.0])], [1, 2]),
        (["id", "in", range(1, 3)], [1, 2]),
        (["id", "=", 3.0], 3),
        (["sequence", "=", Scalar(5, "i")], 5),
        (["sequence", "<", 2.5], 2.5),
        (["amount", ">", Decimal("1.5")], 1.5),
        (["active", "=", Scalar(True, "b")], True),
        (["partner_id", "=", Scalar(7, "i")], 7),
        (["partner_id", "child_of", Column([7.0])], [7]),
        (["date_order", ">", Moment("2025-02-09T14:30:00.000000000")], "2025-02-09 14:30:00"),
        (["validity_date", "in", Column([Moment("2025-02-09")])], ["2025-02-09"]),
    ],
)
def test_what_data_people_hold_is_taken_in_conditions(condition: list[Any], resolved: Any) -> None:
    value = resolve([condition])[0][2]
    assert value == resolved
    assert json.dumps(value) == json.dumps(resolved)
    assert Domain([condition]).build() == check_domain([condition])


@pytest.mark.parametrize("missing", [NAT, NA, Moment("NaT"), float("nan"), Decimal("NaN")])
@pytest.mark.parametrize("operator", ["=", ">"])
def test_a_missing_value_never_becomes_a_search_for_what_is_empty(
    operator: str, missing: Any
) -> None:
    assert refused([["date_order", operator, missing]]).code == "INVALID_DOMAIN"
    assert "null" in refused([["date_order", "in", Column([missing])]]).suggestion


def test_a_value_that_does_not_exist_lets_the_rest_of_a_list_count() -> None:
    resolved, warnings = resolve_domain(
        [["state", "in", ["sale", "bogus", "drafd"]]], "sale.order", fields_of
    )
    assert resolved == [["state", "in", ["sale"]]]
    assert warnings == [
        "state of sale.order has no value 'bogus', so the filter ignores it.",
        "state of sale.order has no value 'drafd', so the filter ignores it. Did you mean 'draft'?",
    ]


@pytest.mark.parametrize("condition", [["state", "!=", "drafd"], ["state", "not in", ["drafd"]]])
def test_what_excludes_a_value_that_does_not_exist_excludes_nothing(condition: list[Any]) -> None:
    resolved, warnings = resolve_domain([condition], "sale.order", fields_of)
    assert resolved == [condition]
    assert warnings == [
        "state of sale.order has no value 'drafd', so the filter ignores it. Did you mean 'draft'?"
    ]


def test_a_long_path_earns_a_warning() -> None:
    deep = "partner_id" + ".parent_id" * 4
    assert resolve_domain([[deep, "=", 7]], "sale.order", fields_of)[1]
    assert not resolve_domain([[deep[: -len(".parent_id")], "=", 7]], "sale.order", fields_of)[1]


def test_true_for_a_text_field_earns_a_warning() -> None:
    resolved, warnings = resolve_domain([["name", "=", True]], "sale.order", fields_of)
    assert resolved == [["name", "=", True]]
    assert "!= false" in warnings[0]


@pytest.mark.parametrize(
    ("condition", "warns"),
    [
        (["date_order", "=", "2025-02-09"], True),
        (["date_order", "in", ["2025-02-09"]], True),
        (["date_order", "<=", "2025-02-09"], False),
        (["date_order", "=", "2025-02-09T00:00:00Z"], False),
        (["validity_date", "=", "2025-02-09"], False),
    ],
)
def test_a_day_equalled_with_a_moment_earns_a_warning(condition: list[Any], warns: bool) -> None:
    warnings = resolve_domain([condition], "sale.order", fields_of)[1]
    assert ["midnight" in warning for warning in warnings] == [True] * warns


BRUSSELS = ZoneInfo("Europe/Brussels")


@pytest.mark.parametrize("in_any", [False, True])
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (["date_order", ">=", "2026-10-01"], [">=", "2026-09-30 22:00:00"]),
        (["date_order", "<", "2026-10-01"], ["<", "2026-09-30 22:00:00"]),
        (["date_order", "=", "2026-10-01"], ["=", "2026-09-30 22:00:00"]),
        # The clocks change on the 25th: the month ends in winter time.
        (["date_order", "<=", "2026-10-31"], ["<", "2026-10-31 23:00:00"]),
        (["date_order", ">", "2026-10-31"], [">=", "2026-10-31 23:00:00"]),
        (["date_order", "not in", ["2026-10-01"]], ["not in", ["2026-09-30 22:00:00"]]),
        (["date_order", "<=", "9999-12-31"], ["<=", "9999-12-31"]),
        (["date_order", ">=", "today"], [">=", "today"]),
        (["date_order", ">=", "2026-10-01T00:00"], [">=", "2026-10-01 00:00:00"]),
        (["date_order", "=", False], ["=", False]),
        (["validity_date", "<=", "2026-10-31"], ["<=", "2026-10-31"]),
    ],
)  # fmt: skip
def test_days_of_datetimes_begin_and_end_in_the_zone(
    condition: list[Any], expected: list[Any], in_any: bool
) -> None:
    asked: list[tzinfo] = []

    def zone() -> tzinfo:
        asked.append(BRUSSELS)
        return BRUSSELS

    domain = [["order_id", "any", [condition]]] if in_any else [condition]
    model = "sale.order.line" if in_any else "sale.order"
    (found,) = resolve_domain(domain, model, fields_of, version_major=19, zone=zone)[0]
    assert (found[2][0] if in_any else found) == [condition[0], *expected]
    days = condition[0] == "date_order" and str(condition[2]) != "False"
    assert bool(asked) == (days and "T" not in str(condition[2]))


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("in", "last month", [[">=", "2026-10-01"], ["<", "2026-11-01"]]),
        ("=", "last month", [[">=", "2026-10-01"], ["<", "2026-11-01"]]),
        ("in", ["last month"], [[">=", "2026-10-01"], ["<", "2026-11-01"]]),
        ("not in", "Last_Month", ["|", ["<", "2026-10-01"], [">=", "2026-11-01"]]),
        ("!=", "2026-10", ["|", ["<", "2026-10-01"], [">=", "2026-11-01"]]),
        (">=", "this year", [[">=", "2026-01-01"]]),
        (">", "2025", [[">=", "2026-01-01"]]),
        ("<=", "yesterday", [["<", "2026-11-27"]]),
        ("<", "this week", [["<", "2026-11-23"]]),
        ("in", "next quarter", [[">=", "2027-01-01"], ["<", "2027-04-01"]]),
    ],
)
@pytest.mark.parametrize("field", ["date_order", "validity_date"])
@time_machine.travel(datetime(2026, 11, 27, 14, tzinfo=UTC))
def test_a_text_that_names_a_period_earns_the_conditions_that_find_it(
    field: str, operator: str, value: Any, expected: list[Any]
) -> None:
    with pytest.raises(OdooError) as raised:
        resolve_domain([[field, operator, value]], "sale.order", fields_of, version_major=18)
    advised = raised.value.suggestion.partition(" is a period: pass ")[2].removesuffix(".")
    named = [one if isinstance(one, str) else [field, *one] for one in expected]
    assert json.loads(advised) == named
    assert "corrected_domain" not in raised.value.details
    assert resolve_domain(named, "sale.order", fields_of, version_major=18)[0] == named


def test_a_text_that_names_no_period_earns_the_list_that_was_meant() -> None:
    for text in ("sale", "2026"):
        with pytest.raises(OdooError) as raised:
            resolve_domain([["state", "in", text]], "sale.order", fields_of)
        assert raised.value.details["corrected_domain"] == [["state", "in", [text]]]


def test_no_access_to_the_searched_model_itself_is_raised() -> None:
    with pytest.raises(AccessError):
        resolve_domain([["x", "=", 1]], "hidden.model", fields_of)


def test_a_built_domain_can_be_resolved() -> None:
    built = Domain().equals("state", "sale") | Domain().between("sequence", 1, 5)
    assert resolve(built) == built.build()


def test_the_callers_domain_is_not_changed() -> None:
    domain = [["date_order", ">", "2025-02-09T14:30:00Z"], ["id", "in", ["5"]]]
    resolve(domain)
    assert domain == [["date_order", ">", "2025-02-09T14:30:00Z"], ["id", "in", ["5"]]]


def test_the_help_is_short_and_its_examples_are_valid() -> None:
    assert len(DOMAIN_HELP) <= 700
    examples = [line for line in DOMAIN_HELP.splitlines() if line.startswith("[")]
    assert len(examples) >= 4
    for example in examples:
        check_domain(json.loads(example))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
JSON = st.recursive(
    SCALARS | st.sampled_from(["|", "&", "!", "or", "=", "in", "any", "2025-01-01", *ORDER]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=5), inner, max_size=2)
        | st.tuples(
            st.sampled_from([*ORDER, "partner_id.name", "order_line.order_id.state"]),
            st.sampled_from(["=", "!=", ">", "in", "not in", "ilike", "any", "child_of", "=?"]),
            inner,
        ).map(list)
    ),
    max_leaves=15,
)


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_any_json_is_either_checked_or_refused_as_an_odoo_error(domain: Any) -> None:
    for check in (check_domain, resolve):
        try:
            checked = check(domain)
        except OdooError:
            continue
        assert isinstance(checked, list)
        assert check_domain(checked) == checked


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_a_correction_is_always_a_valid_domain(domain: Any) -> None:
    try:
        check_domain(domain)
    except OdooError as error:
        corrected = error.details.get("corrected_domain", [])
        check_domain(corrected)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"code": "BE"}, [["code", "=", "BE"]]),
        ({"code": ["BE", "FR"]}, [["code", "in", ["BE", "FR"]]]),
        ({"a": 1, "b": {">": 2}}, [["a", "=", 1], ["b", ">", 2]]),
        ([{"a": 1}, ["b", "=", 2]], [["a", "=", 1], ["b", "=", 2]]),
        ({"field": "a", "operator": "=", "value": 1}, [["a", "=", 1]]),
    ],
)
def test_an_object_of_fields_and_values_is_told_as_conditions(given: Any, meant: Any) -> None:
    """The advice keeps the filter: whoever follows it does not get all records."""
    with pytest.raises(OdooError) as caught:
        check_domain(given)
    assert caught.value.details["corrected_domain"] == meant
    assert json.dumps(meant) in caught.value.suggestion


@pytest.mark.parametrize("given", [{}, 7, {"or": [["a", "=", 1]]}])
def test_no_advice_leads_to_all_records(given: Any) -> None:
    with pytest.raises(OdooError) as caught:
        check_domain(given)
    assert "[] for all" not in caught.value.suggestion


@pytest.mark.parametrize(
    ("operator_", "value", "sent"),
    [("=", "", False), ("!=", "", False), ("in", ["", "x"], [False, "x"]), ("ilike", "", "")],
)
def test_an_empty_text_in_a_condition_means_not_set(operator_: str, value: Any, sent: Any) -> None:
    domain = [["name", operator_, value]]
    resolved, _ = resolve_domain(domain, "sale.order", lambda model: ORDER)
    assert resolved == [["name", operator_, sent]]


def test_an_empty_text_that_every_record_contains_earns_a_warning() -> None:
    warnings = resolve_domain([["name", "ilike", ""]], "sale.order", fields_of)[1]
    assert warnings == ["name ilike an empty string matches every record."]


@pytest.mark.parametrize(
    ("operator_", "value", "before_18"),
    [
        ("=", 0, ["|", ["amount", "=", 0], ["amount", "=", False]]),
        ("=", False, ["|", ["amount", "=", 0], ["amount", "=", False]]),
        ("!=", False, [["amount", "!=", 0]]),
        ("<", 5, ["|", ["amount", "<", 5], ["amount", "=", False]]),
        (">=", -1, ["|", ["amount", ">=", -1], ["amount", "=", False]]),
        (">", 0, [["amount", ">", 0]]),
        ("!=", 5, [["amount", "!=", 5]]),
        ("in", [0], ["|", ["amount", "=", 0], ["amount", "=", False]]),
        ("in", [5], [["amount", "in", [5]]]),
        (
            "not in",
            [5, 0],
            ["&", ["amount", "not in", [5]], "&", ["amount", "!=", 0], ["amount", "!=", False]],
        ),
    ],
)
def test_a_number_that_was_never_set_is_compared_as_zero(
    operator_: str, value: Any, before_18: list[Any]
) -> None:
    domain = [["amount", operator_, value]]
    for version, expected in ((17, before_18), (18, domain)):
        resolved, _ = resolve_domain(domain, "sale.order", fields_of, version_major=version)
        assert resolved == expected


def test_properties_are_no_condition_before_17() -> None:
    domain = [["task_properties.a1", "=", 1]]
    with pytest.raises(OdooError, match="Odoo 16 cannot filter by properties"):
        resolve_domain(domain, "sale.order", lambda model: ORDER, version_major=16)
    resolved, _ = resolve_domain(domain, "sale.order", lambda model: ORDER, version_major=17)
    assert resolved == domain


def test_a_value_of_other_versions_is_told() -> None:
    fields = parse_fields(
        {"type": {"type": "selection", "selection": [["consu", "Goods"], ["service", "Service"]]}}
    )
    with pytest.raises(OdooError) as caught:
        resolve_domain([["type", "=", "product"]], "product.template", lambda model: fields)
    assert "'consu', with is_storable: true" in caught.value.suggestion


_ODD: Any = st.one_of(
    st.sampled_from(["name", "a.b", "a..b", " a", "=", "in", "any", "==", "&", "x\x00", "é"]),
    st.integers(-(2**64), 2**64),
    st.floats(),
    st.booleans(),
    st.none(),
)
_LEAVES = st.tuples(
    st.one_of(st.sampled_from(["name", "a.b", "id"]), _ODD),
    st.sampled_from(["=", "in", "child_of", "any", "not =like", "==", "IN", 5]),
    st.one_of(st.just(1), _ODD, st.lists(_ODD, max_size=2)),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(_LEAVES, _LEAVES.map(list)), max_size=2))
def test_a_plain_domain_is_read_as_all_rules_would_read_it(domain: list[Any]) -> None:
    if (elements := plain_elements(domain)) is not None:
        assert list(map(list, elements)) == [
            [path, operator, tuple(value) if isinstance(value, list) else value]
            for path, operator, value in check_syntax(domain, 14)
        ]
