"""Rules of the calls that another person has to allow: how they are read, and what they stop."""

from __future__ import annotations

from typing import Any

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
