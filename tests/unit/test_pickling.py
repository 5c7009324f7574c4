"""Connections, policies, domains, results and errors in other processes."""

from __future__ import annotations

import copy
import pickle
import pickletools
from collections.abc import Callable
from typing import Any

import attrs
import pytest

import odoo_toolkit
from odoo_toolkit import Domain, Odoo, Policy, Pool, ReadOptions, errors
from odoo_toolkit.apps.sales import confirm_order
from odoo_toolkit.client import CallEvent
from odoo_toolkit.configuration import Secret
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.testing import FakeServer
from tests.unit.wire import settings

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def heard(event: CallEvent) -> None:
    """A hook that can be pickled."""


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS: list[Callable[[Any], Any]] = [pickled, copy.copy, copy.deepcopy]


@pytest.mark.parametrize("again", WAYS)
def test_a_connection_comes_back_without_what_it_had_open(again: Callable[[Any], Any]) -> None:
    policy, options = Policy(mode="readonly"), ReadOptions(strip_html=False)
    odoo = Odoo(settings(), policy=policy, options=options, on_call=heard, pool=Pool())
    odoo._line.state = "ready"
    other = again(odoo)

    assert (other.settings, other.policy, other.options) == (odoo.settings, policy, options)
    assert other.settings.password.reveal() == "correct horse"
    assert (other._on_call, other.state, other._line.session) == (heard, "disconnected", None)
    assert isinstance(other._line.pool, Pool)
    assert other.schema is not odoo.schema
    assert other._line is not odoo._line


def test_connections_of_one_pool_share_one_again() -> None:
    pool = Pool()
    ann, ben = pickled([Odoo(settings(), pool=pool), Odoo(settings(username="ben"), pool=pool)])
    assert ann._line.pool is ben._line.pool


def test_a_copy_asks_the_same_server() -> None:
    server = FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": [{"id": 1}]})
    for other in (copy.copy(server.connect()), copy.deepcopy(server.connect())):
        assert odoo_toolkit.count(other, "res.partner").count == 1
    assert len(server.asked("search_count")) == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_secret_stays_one(protocol: int) -> None:
    secret = pickle.loads(pickle.dumps(Secret("hunter2"), protocol))
    assert (type(secret), secret.reveal(), str(secret)) == (Secret, "hunter2", "***")


@pytest.mark.parametrize("again", WAYS)
def test_a_policy_holds_afterwards(again: Callable[[Any], Any]) -> None:
    policy = Policy(
        mode="restricted",
        model_allowlist="res.partner,sale.order",
        model_blocklist="sale.order",
        write_allowlist="res.partner",
        field_blocklist="Credit_Limit",
        method_blocklist="Action_Confirm",
        protect=False,
    )
    policy.field_blocked("name")
    other = again(policy)
    assert other == policy
    assert all(
        getattr(other, field.name) == getattr(policy, field.name)
        for field in attrs.fields(Policy)
        if field.init
    )
    assert other.field_blocked("credit_limit")
    assert not other.field_blocked("password")
    assert other.method_listed("action_confirm")
    assert other.redact([{"credit_limit:sum": 1, "id": 2}]) == [{"id": 2}]
    assert again(Policy()).field_blocked("password")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_results_come_back_as_they_are(protocol: int) -> None:
    records = {"res.partner": [{"id": 1, "name": "Ann"}]}
    odoo = FakeServer({"res.partner": {"name": "char"}}, records=records).connect()
    for result in (
        odoo_toolkit.search_read(odoo, "res.partner", [], ["name"]),
        odoo_toolkit.read(odoo, "res.partner", [1], ["name"]),
        odoo_toolkit.fields_get(odoo, "res.partner"),
        odoo_toolkit.changes(odoo, "res.partner"),
        odoo_toolkit.upsert(odoo, "res.partner", [{"id": 1, "name": "Ann"}], key="id"),
        Domain().equals("name", "Ann") | Domain().in_list("id", [1, 2]),
        Plan(dry_run=True, message="Would.", calls=[]),
    ):
        assert pickle.loads(pickle.dumps(result, protocol)) == result


ERRORS = [
    error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, errors.OdooError)
]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_reach_the_parent_whole(error: type[errors.OdooError]) -> None:
    raised = error("No.", suggestion="Try.", details={"a": 1}, outcome="maybe_applied", retry=True)
    other = pickled(raised)
    assert type(other) is error
    assert vars(other) == vars(raised)
    assert str(other) == "No.\nTry."


def test_an_ambiguous_name_reaches_the_parent_with_its_candidates() -> None:
    candidates = [RecordName(id=1, name="Ann"), RecordName(id=2, name="Ann")]
    raised = AmbiguousNameError("partner_id", "Ann", "res.partner", candidates)
    assert vars(pickled(raised)) == vars(raised)


def test_an_operation_and_its_plan_are_pickled_by_name() -> None:
    assert pickled(confirm_order) is confirm_order
    assert pickled(confirm_order.plan) is confirm_order.plan
    assert b"confirm_order" in pickletools.optimize(pickle.dumps(confirm_order.plan))
