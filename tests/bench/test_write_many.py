"""Different values in many records: how many requests, and how much faster than one by one.

Run by hand on copies of servers: ``python -m tests.provisioning copies 19 14 -- python -m pytest
tests/bench/test_write_many.py -m bench -s``. Both ways take turns, so that a busy machine slows
both; records are written one by one for a sample only.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from odoo_toolkit import create_many, write_many
from odoo_toolkit.call import Call
from tests.attacks.policies import Noting, connected
from tests.live.conftest import server
from tests.live.servers import Server

__all__ = ["server"]

pytestmark = pytest.mark.bench

#: Records that are written one by one, in each of the turns.
SAMPLE, TURNS = 25, 4


def _contact(n: int, turn: int) -> dict[str, Any]:
    return {"name": f"Bench {n} {turn}", "street": f"Street {n} {turn}", "ref": f"{n}-{turn}"}


def _product(n: int, turn: int) -> dict[str, Any]:
    return {"name": f"Bench {n} {turn}", "list_price": n + turn, "default_code": f"{n}-{turn}"}


def _line(n: int, turn: int) -> dict[str, Any]:
    return {"name": f"Bench {n} {turn}", "price_unit": n + turn + 1.0}


def _orders(odoo: Noting, number: int) -> list[dict[str, Any]]:
    """Return lines as they are created: ten in each order."""
    search = {"model": "product.product", "method": "search"}
    domain = [["sale_ok", "=", True]]
    (product,) = odoo.call(Call(**search, arguments={"domain": domain, "limit": 1}))
    (partner,) = odoo.call(
        Call(model="res.partner", method="search", arguments={"domain": [], "limit": 1})
    )
    orders = [{"partner_id": partner}] * (number // 10)
    ids = odoo.call(Call(model="sale.order", method="create", arguments={"vals_list": orders}))
    return [{"order_id": ids[n // 10], "product_id": product} for n in range(number)]


CASES = {"res.partner": _contact, "product.template": _product, "sale.order.line": _line}


@pytest.mark.parametrize("number", [1000, 5000])
@pytest.mark.parametrize("model", CASES)
def test_writing_many_against_one_by_one(server: Server, model: str, number: int) -> None:
    values = CASES[model]
    with connected(server) as odoo:
        if model == "sale.order.line":
            rows = _orders(odoo, number)
        else:
            rows = [values(n, 0) for n in range(number)]
        ids = [one for one in create_many(odoo, model, rows, progress=False).ids if one]
        assert len(ids) == number
        share, alone, together, requests = number // TURNS, 0.0, 0.0, 0
        for turn in range(1, TURNS + 1):
            part = ids[(turn - 1) * share : turn * share]
            begun = time.monotonic()
            for n, record in enumerate(part[:SAMPLE]):
                vals = {"vals": values(n, turn)}
                context = {"tracking_disable": True}
                odoo.call(
                    Call(
                        model=model, method="write", ids=(record,), arguments=vals, context=context
                    )
                )
            alone += (time.monotonic() - begun) * share / SAMPLE
            odoo.sent.clear()
            begun = time.monotonic()
            given = [{".id": record, **values(n, turn + 10)} for n, record in enumerate(part)]
            result = write_many(odoo, model, given, progress=False)
            together += time.monotonic() - begun
            requests += len(odoo.sent)
            assert result.updated == share
    print(
        f"\n{server.name} {number} {model}: {requests} requests, {together:.1f} s; one by one"
        f" {number} requests, {alone:.1f} s; {alone / together:.1f} times as fast"
    )
    assert requests < number / 10
