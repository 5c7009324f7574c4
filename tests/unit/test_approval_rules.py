"""Rules of the calls that another person has to allow: how they are read, and what they stop."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from odoo_toolkit.call import Call
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.testing import FakeServer
from odoo_toolkit_mcp.approval_rules import rules_of
from odoo_toolkit_mcp.settings import ServerSettings

FIELDS = {"amount_total": "float", "currency_rate": "float"}


def _rules(*approval: str, approvers: tuple[str, ...] = ("Olga@example.com",)) -> Any:
    return rules_of(ServerSettings(approval=approval, approvers=approvers))


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("action_post", "is not a rule"),
        ("account.move.action_post>", "is not a rule"),
        ("account.move.action_post>-5", "is not a rule"),
        ("account.move.action_post>1e3", "is not a rule"),
        ("account.move.*", "is not a rule"),
        ("ACCOUNT.MOVE.action_post", "is not a rule"),
        ("hr.expense.action_approve>5", "does not know the amount of hr.expense"),
        ("*.unlink>5", "does not know the amount of ."),
    ],
)
def test_a_rule_that_is_not_understood_keeps_the_server_from_starting(rule: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        _rules(rule)


def test_rules_without_anybody_who_may_say_yes_keep_the_server_from_starting() -> None:
    with pytest.raises(ConfigurationError, match="ODOO_MCP_APPROVERS lists no approver"):
        _rules("account.move.action_post", approvers=())


@pytest.mark.parametrize(
    ("ids", "stops"),
    [((1,), False), ((2,), True), ((3,), False), ((1, 3), True), ((), True), ((1, 99), True)],
)
def test_amounts_are_those_of_all_documents_in_the_companys_currency(
    ids: tuple[int, ...], stops: bool
) -> None:
    """Where one is not known, the call is stopped."""
    rows = [
        {"id": 1, "amount_total": 60.0, "currency_rate": 1.0},
        {"id": 2, "amount_total": 101.0, "currency_rate": 1.0},
        {"id": 3, "amount_total": 120.0, "currency_rate": 2.0},
    ]
    odoo = FakeServer({"sale.order": FIELDS}, records={"sale.order": rows}).connect()
    rules = _rules("sale.order.action_confirm > 100")
    assert rules.approvers == {"olga@example.com"}
    call = Call(model="sale.order", method="action_confirm", ids=ids)
    assert bool(rules.found(odoo, [call])) is stops


def test_amounts_are_those_of_all_calls_together() -> None:
    rows = [{"id": n, "amount_total": 60.0, "currency_rate": 1.0} for n in (1, 2)]
    odoo = FakeServer({"sale.order": FIELDS}, records={"sale.order": rows}).connect()
    rules = _rules("sale.order.action_confirm > 100")
    calls = [Call(model="sale.order", method="action_confirm", ids=(n,)) for n in (1, 2)]
    assert not rules.found(odoo, calls[:1])
    assert len(rules.found(odoo, calls)) == 2


WIZARD = "account.payment.register"
BOOKS = {
    WIZARD: {"line_ids": "many2many account.move.line", "amount": "float"},
    "account.move.line": {"move_id": "many2one account.move"},
    "account.move": {
        "amount_total_signed": "float",
        "amount_residual": "float",
        **dict.fromkeys(("currency_id", "company_currency_id"), "many2one res.currency"),
    },
    "res.currency": {"name": "char", "rate": "float"},
}
BOOKS[WIZARD]["currency_id"] = "many2one res.currency"


def _books() -> Any:
    """An invoice of 60 in dollars, and one of 120 in euros, which is 240 in dollars."""
    moves = [
        {"id": 1, "amount_total_signed": 60.0, "amount_residual": 60.0, "currency_id": 7},
        {"id": 2, "amount_total_signed": 240.0, "amount_residual": 120.0, "currency_id": 8},
    ]
    records = {
        "res.currency": [
            {"id": 7, "name": "USD", "rate": 1.0},
            {"id": 8, "name": "EUR", "rate": 0.5},
        ],
        "account.move": [{**move, "company_currency_id": 7} for move in moves],
        "account.move.line": [{"id": 11, "move_id": 1}, {"id": 12, "move_id": 2}],
        WIZARD: [
            {"id": 1, "line_ids": [11], "amount": 30.0, "currency_id": 7},
            {"id": 2, "line_ids": [12], "amount": 30.0, "currency_id": 8},
            {"id": 3, "line_ids": [11], "amount": 99.0, "currency_id": 8},
            {"id": 4, "line_ids": [], "amount": 1.0, "currency_id": 7},
        ],
    }
    return FakeServer(BOOKS, records=records).connect()


def _opened(ids: Any, values: dict[str, Any], model: str = "account.move") -> list[Call]:
    """The two calls of a plan: the wizard is made, and its button is pressed."""
    context = {"active_model": model, "active_ids": ids}
    made = Call(model=WIZARD, method="create", arguments={"vals_list": values}, context=context)
    return [made, Call(model=WIZARD, method="action_create_payments", context=context)]


def _plan(values: dict[str, Any]) -> list[Call]:
    """The same calls as a plan has them: without what they are opened on."""
    return [attrs.evolve(call, context={}) for call in _opened([1], values)]


PAYMENTS: dict[str, tuple[list[Call], bool]] = {
    "a small invoice": (_opened([1], {}), False),
    "a large one": (_opened([2], {}), True),
    "both together": (_opened([1, 2], {}), True),
    "half of a large one": (_opened([2], {"amount": 30.0, "currency_id": 8}), True),
    "too much for a small one": (_opened([1], {"amount": 101.0, "currency_id": 7}), True),
    "too much, in euros": (_opened([1], {"amount": 51.0, "currency_id": 8}), True),
    "part of a small one, in euros": (_opened([1], {"amount": 10.0, "currency_id": 8}), False),
    "an amount in nobody knows what": (_opened([1], {"amount": 1.0}), True),
    "lines of a large one": (_opened([1], {"line_ids": [[6, 0, [12]]]}), True),
    "lines of a small one": (_opened([2], {"line_ids": [[6, 0, [11]]]}), False),
    "lines by another command": (_opened([1], {"line_ids": [[4, 11]]}), True),
    "items": (_opened([11], {}, "account.move.line"), True),
    "what is not there yet": (_opened(["record of step 1"], {}), True),
    "a plan, and its first call": ([*_plan({}), *_opened([1], {})[:1]], False),
    "a plan of two, and its first call": ([*_plan({}), *_plan({}), *_opened([1], {})[:1]], True),
    "a button of which nothing is known": (_opened([1], {})[1:], True),
    "a small form": ([Call(model=WIZARD, method="action_create_payments", ids=(1,))], False),
    "a form for a large one": (
        [Call(model=WIZARD, method="action_create_payments", ids=(2,))],
        True,
    ),
    "a form with too much": ([Call(model=WIZARD, method="action_create_payments", ids=(3,))], True),
    "an empty form": ([Call(model=WIZARD, method="action_create_payments", ids=(4,))], True),
    "a lost form": ([Call(model=WIZARD, method="action_create_payments", ids=(1, 9))], True),
}


@pytest.mark.parametrize("name", PAYMENTS)
def test_payments_are_as_large_as_what_they_pay(name: str) -> None:
    """However small the part, or as what is paid if that is more; what is not known is stopped."""
    calls, stops = PAYMENTS[name]
    rules = _rules(f"{WIZARD}.action_create_payments>100")
    assert bool(rules.found(_books(), calls)) is stops


@pytest.mark.parametrize(
    ("model", "method", "stops"),
    [
        ("account.move", "action_post", True),
        ("account.move", "button_draft", False),
        ("sale.order", "action_post", False),
        ("res.partner", "unlink", True),
    ],
)
def test_a_rule_is_of_a_call_and_a_star_of_any_model(model: str, method: str, stops: bool) -> None:
    odoo = FakeServer({}).connect()
    rules = _rules("account.move.action_post", "*.unlink")
    assert bool(rules.found(odoo, [Call(model=model, method=method, ids=(1,))])) is stops
