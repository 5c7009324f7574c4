"""Reordering rules: shown, set and run, and what they ordered is found out."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.inventory import (
    Replenishment,
    ReplenishmentPlan,
    get_reordering_rules,
    run_reordering_rules,
    set_reordering_rule,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.depot import Depot
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
from tests.unit.scripted import VERSIONS


def ruled(major: int = 19, **values: Any) -> Depot:
    """Return a depot with a rule of desks."""
    depot = Depot(major)
    depot.rule(**values)
    return depot


def change(odoo: Odoo, **options: Any) -> Any:
    """Set the minimum of desks."""
    return set_reordering_rule(odoo, product_id=3, minimum=8, **options)


def run(odoo: Odoo, **options: Any) -> Any:
    """Run the rules of desks."""
    return run_reordering_rules(odoo, products=[3], **options)


@pytest.mark.parametrize("major", VERSIONS)
def test_rules_are_shown_with_what_they_would_order(major: int) -> None:
    depot = ruled(major)
    depot.rule(product_id=4, qty_to_order=0.0, rule_ids=[])
    depot.rule(active=False)
    found = get_reordering_rules(depot)
    assert [(rule.minimum, rule.maximum, rule.to_order, rule.how) for rule in found.rules] == [
        (5, 20, 17, "purchase"),
        (5, 20, 0, None),
    ]
    assert found.message == "2 reordering rules, 1 of them would order something now."
    assert len(depot.sent) == 2
    (rule,) = get_reordering_rules(depot, product_name="Chair").rules
    assert rule.product.name == "Chair"
    assert len(depot.sent) == 4
    assert len(get_reordering_rules(depot, to_order=True, warehouse_id=1).rules) == 1
    assert get_reordering_rules(depot, limit=1).warnings == ["To see more rules, raise limit (1)."]


@pytest.mark.parametrize("major", VERSIONS)
def test_the_rule_that_is_there_is_changed(major: int) -> None:
    depot = ruled(major)
    plan = change(depot, dry_run=True)
    assert [(one.field, one.before, one.after) for one in plan.changes] == [
        ("product_min_qty", 5, 8)
    ]
    assert writes(depot) == []
    made = change(depot)
    assert (made.id, made.minimum, made.maximum) == (1, 8, 20)
    assert made.message == "Changed OP/00001 of Desk in WH/Stock: minimum from 5 to 8."
    # Product and rules, for the plan and again; the write; the rule and its routes.
    assert len(depot.sent) == 2 + 2 + 3
    again = change(depot)
    assert again.message == "OP/00001 of Desk in WH/Stock already had these values."
    assert len(writes(depot)) == 1
    assert set_reordering_rule(depot, rule_id=1, maximum=30).maximum == 30


def test_an_archived_rule_becomes_active_again() -> None:
    depot = ruled(active=False)
    made = change(depot)
    assert made.active
    assert "minimum from 5 to 8, active again" in made.message


def test_what_odoo_stored_otherwise_is_told() -> None:
    depot = ruled()
    depot.answers["stock.warehouse.orderpoint", "write"] = True
    assert change(depot).warnings == ["Odoo stored 5.0 as minimum, not 8."]
    (once,) = set_reordering_rule(depot, product_id=3, minimum=8.333).warnings
    assert "product_min_qty" in once


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"product_id": 3}, "A new rule needs a minimum"),
        ({"product_id": 3, "minimum": -1}, "must not be negative"),
        ({"product_id": 3, "minimum": 5, "maximum": 2}, "would be below the minimum"),
        ({"product_id": 3, "minimum": 5, "multiple": 6}, "have no multiple"),
        ({"product_id": 3, "minimum": 5, "trigger": "often"}, "auto or manual"),
        ({"product_id": 3, "minimum": 5, "location_id": 4}, "holds no stock"),
        ({"product_id": 3, "rule_id": 1, "minimum": 5}, "either rule_id"),
        ({"rule_id": 9, "minimum": 5}, "no reordering rule with id 9"),
        ({"minimum": 5}, "product_id"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    depot = Depot(19)
    with pytest.raises(OdooError, match=said):
        set_reordering_rule(depot, **options)
    assert writes(depot) == []


def test_of_several_rules_one_has_to_be_named() -> None:
    depot = ruled()
    depot.rule(location_id=10, product_max_qty=9.0)
    with pytest.raises(ValidationError) as raised:
        change(depot)
    assert raised.value.suggestion == ("Set rule_id: 1: WH/Stock, 5 to 20; 2: WH/Shelf, 5 to 9.")
    assert change(depot, location_id=10).id == 2


@pytest.mark.parametrize("major", VERSIONS)
def test_what_a_run_ordered_is_found_out(major: int) -> None:
    depot = ruled(major)
    depot.rule(product_id=4, qty_to_order=0.0)
    plan = run_reordering_rules(depot, warehouse_id=1, dry_run=True)
    assert isinstance(plan, ReplenishmentPlan)
    assert plan.message == "Would order 17 Units of Desk in WH/Stock (by purchase)."
    assert [call.ids for call in plan.calls] == [[1]]
    assert writes(depot) == []
    sent = len(depot.sent)
    done = run(depot)
    assert isinstance(done, Replenishment)
    # The rules and their routes; lines and moves before and after, and the run between them.
    assert len(depot.sent) - sent == 7
    (one,) = done.ordered
    assert (one.how, one.document.name, one.quantity, one.uom, one.added) == (
        "purchase",
        "P00012",
        17,
        "Units",
        False,
    )
    assert done.message == "Ordered 17 Units of Desk (P00012)."
    assert done.warnings == []
    again = run(depot)
    assert (again.message, again.ordered) == ("There is nothing to order.", [])
    assert again.not_ordered == ["Desk in WH/Stock: the forecast is 20 Units, the minimum 5."]
    assert len(depot.asked("action_replenish")) == 1


def with_a_draft(state: str = "draft", **options: Any) -> Depot:
    """Return a depot with a rule of desks, whose vendor has an order in a state."""
    depot = Depot(19, **options)
    depot.rule()
    depot.product["seller_ids"] = [1]
    records = depot.server.records
    records["res.partner"] = [{"id": 7, "name": "Azure", "display_name": "Azure"}]
    records["product.supplierinfo"] = [{"id": 1, "product_id": 3, "partner_id": 7}]
    order = {"id": 12, "name": "P00012", "partner_id": 7}
    records["purchase.order"] = [{**order, "state": state}, {**order, "id": 13, "state": "done"}]
    return depot


def test_a_plan_shows_the_drafts_to_which_odoo_may_add() -> None:
    depot = with_a_draft()
    plan = run(depot, dry_run=True)
    assert [(one.id, one.name, one.url) for one in plan.documents] == [
        (12, "P00012", depot.link("purchase.order", 12))
    ]
    assert "Odoo may add the products to these drafts: P00012 of Azure. Odoo uses" in plan.message
    assert writes(depot) == []
    none = run(with_a_draft("cancel"), dry_run=True)
    assert "Odoo will create new purchase orders." in none.message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "Which rules"),
        ({"products": [3], "rules": [1]}, "cannot be combined"),
        ({"rules": ["OP"]}, "list of ids"),
        ({"rules": [9]}, "no reordering rule with id 9"),
        ({"products": [4]}, "no active reordering rule"),
    ],
)
def test_a_run_has_to_say_of_what(options: dict[str, Any], said: str) -> None:
    depot = ruled()
    with pytest.raises(OdooError, match=said):
        run_reordering_rules(depot, **options)
    assert writes(depot) == []


def test_rules_whose_answer_was_lost_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_seen_when_lost(ruled(), "action_replenish", run, monkeypatch).ordered
    error = check_told_when_lost(ruled(), "action_replenish", run, monkeypatch)
    assert "You can safely repeat the call" in error.suggestion
    assert check_seen_when_lost(ruled(), "write", change, monkeypatch).minimum == 8


def test_the_policy_stops_rules_before_the_first_call() -> None:
    depot = Depot(19, policy=Policy(mode="readonly"))
    for operation in (change, run):
        with pytest.raises(AccessError):
            operation(depot)
    assert depot.sent == []
