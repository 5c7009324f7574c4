"""The example of each public function of the apps runs, and shows what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from odoo_toolkit.client import Odoo
from tests.unit.depot import Depot
from tests.unit.fake_manufacturing import Workshop
from tests.unit.fake_purchase import Buying


def _offered(**options: Any) -> Buying:
    odoo = Buying(19, **options)
    odoo.offer(10.0, min_qty=1)
    return odoo


def _stocked() -> Depot:
    odoo = Depot(19)
    group = {"location_id": [8, "WH/Stock"], "quantity": 8.0, "reserved_quantity": 2.0}
    odoo.answers["stock.quant", "read_group"] = [group]
    return odoo


#: App -> what its examples are run on, and what those of some functions need instead.
ODOOS: dict[str, tuple[Callable[[], Odoo], dict[str, Callable[[], Odoo]]]] = {
    "inventory": (
        lambda: Depot(19),
        {
            "get_stock": _stocked,
            "return_picking": lambda: Depot(19, state="done", entered=5.0),
        },
    ),
    "manufacturing": (lambda: Workshop(19), {}),
    "purchase": (
        _offered,
        {
            "create_bill": lambda: _offered(state="purchase"),
            "receive": lambda: Depot(19, usage="supplier", order="P00012"),
        },
    ),
}


def functions() -> Iterator[tuple[str, str]]:
    """Yield app and name of each public function."""
    for app in ODOOS:
        module = importlib.import_module(f"odoo_toolkit.apps.{app}")
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)):
                yield app, name


@pytest.mark.parametrize(("app", "name"), [*functions()])
def test_the_example_of_a_function_runs(app: str, name: str) -> None:
    function = getattr(importlib.import_module(f"odoo_toolkit.apps.{app}"), name)
    usual, others = ODOOS[app]
    names = {**vars(inspect.getmodule(function)), "odoo": others.get(name, usual)()}
    text = inspect.getdoc(function) or ""
    example = doctest.DocTestParser().get_doctest(text, names, f"{app}.{name}", None, None)
    assert example.examples, "It has no example."
    said: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(example, out=said.append).failed
    assert not failed, "".join(said)
