"""What a broad deep search costs over a network, against its parts.

Run by hand: ``pytest tests/bench -m bench -s``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from odoo_toolkit import CallEvent, Odoo, connect
from odoo_toolkit.call import Call
from odoo_toolkit.deep_search import deep_search
from odoo_toolkit.deep_search.configurations import searched_models
from odoo_toolkit.testing import FakeServer
from tests.mcp.fake_odoo import DATABASE, LOGIN, PASSWORD, FakeOdoo
from tests.unit.memory_odoo import FIELDS

pytestmark = pytest.mark.bench

#: Seconds of each answer: of most models, and of the slow ones.
USUAL, SLOW = 0.03, {"account.move": 0.06, "mail.message": 0.06}
ROUNDS = 5
METHODS = {
    "search_read": ("domain", "fields", "offset", "limit", "order"),
    "search_count": ("domain",),
}


@pytest.fixture
def calls() -> list[CallEvent]:
    return []


@pytest.fixture
def odoo(calls: list[CallEvent]) -> Iterator[Odoo]:
    """A pooled connection to a server with all seven models, each with one record."""
    tables: dict[str, list[dict[str, Any]]] = {
        model: [{"id": 1, "name": "Azure"}] for model in searched_models()
    }
    models = {**FIELDS["14"], "helpdesk.ticket": FIELDS["14"]["crm.lead"]}
    memory = FakeServer(models, version=14, records=tables)
    server = FakeOdoo().start()
    for model in models:
        for method in ("fields_get", *METHODS):
            server.answers[model, method] = answer(memory, model, method)
    settings = {"database": DATABASE, "username": LOGIN, "password": PASSWORD}
    with connect(url=server.url, on_call=calls.append, **settings) as odoo:
        for model in models:
            odoo.schema.fields(model)
        yield odoo
    server.stop()


def answer(memory: FakeServer, model: str, method: str) -> Callable[[list[Any], Any], Any]:
    def answered(args: list[Any], kwargs: dict[str, Any]) -> Any:
        time.sleep(SLOW.get(model, USUAL))
        given = {**dict(zip(METHODS.get(method, ()), args, strict=False)), **kwargs}
        return memory.send(Call(model=model, method=method, arguments=given))

    return answered


def milliseconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def test_a_level_over_seven_models_takes_as_long_as_its_slowest_call(
    odoo: Odoo, calls: list[CallEvent]
) -> None:
    ratios = []
    for _ in range(ROUNDS):
        calls.clear()
        taken = milliseconds(lambda: deep_search(odoo, "azure"))
        assert len(calls) == len(searched_models())
        ratios.append(taken / max(call.duration_ms for call in calls))

    print(f"\nseven models against the slowest call: {statistics.median(ratios):.2f}")
    assert statistics.median(ratios) <= 1.5


def test_all_levels_over_seven_models_take_as_long_as_the_slowest_model(odoo: Odoo) -> None:
    ratios = []
    for _ in range(ROUNDS):
        alone = [
            milliseconds(lambda model=model: deep_search(odoo, "nothing", model, 5))
            for model in searched_models()
        ]
        ratios.append(milliseconds(lambda: deep_search(odoo, "nothing")) / max(alone))

    print(
        f"\nfive levels of seven models against the slowest model: {statistics.median(ratios):.2f}"
    )
    assert statistics.median(ratios) <= 1.5
