"""A business operation whose field is closed leaves it out or says so; it never just fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import Odoo, OdooError, Policy, connect, search_read
from odoo_toolkit.apps import accounting, inventory, manufacturing, purchase, sales
from odoo_toolkit.arguments.reading import wired
from tests.live.servers import Server, credentials

#: model, and what shows one of its records: the oldest, which no other test has just made.
SHOWN: dict[str, tuple[str, list[Any], Callable[[Odoo, int], object]]] = {
    "order": ("sale.order", [], lambda o, i: sales.get_order(o, order_id=i)),
    "plan": (
        "sale.order",
        [["state", "=", "draft"], ["order_line", "!=", False]],
        lambda o, i: sales.confirm_order.plan(o, order_id=i),
    ),
    "invoice": (
        "account.move",
        [["move_type", "=", "out_invoice"]],
        lambda o, i: accounting.get_invoice(o, invoice_id=i),
    ),
    "purchase": ("purchase.order", [], lambda o, i: purchase.get_order(o, order_id=i)),
    "picking": ("stock.picking", [], lambda o, i: inventory.get_picking(o, picking_id=i)),
    "production": ("mrp.production", [], lambda o, i: manufacturing.get_order(o, order_id=i)),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_an_operation_does_without_a_closed_field_or_says_so(
    server: Server, admin: Odoo, shown: str
) -> None:
    model, domain, show = SHOWN[shown]
    found = search_read(admin, model, domain, ["id"], limit=1, order="id").records
    if not found:
        pytest.skip(f"no {model} here")
    record_id = found[0]["id"]
    asked: set[str] = set()
    with connect(**credentials(server, server.user("admin")), policy=Policy()) as odoo:
        original = odoo.call

        def noting(call: Any) -> Any:
            if call.method in ("search_read", "read") and call.step:
                asked.update(wired(call).arguments.get("fields") or ())
            return original(call)

        odoo.call = noting
        show(odoo, record_id)
        before = repr(show(odoo, record_id))
        odd: dict[str, Any] = {}
        said = 0
        for field in sorted(asked - {"id", "display_name"}):
            odoo.policy = Policy(field_blocklist=field)
            try:
                show(odoo, record_id)
            except OdooError as error:
                said += 1
                # Another field may show what it shows, and is closed with it.
                if error.code != "FIELD_BLOCKED":
                    odd[field] = (error.code, error.message)
            except Exception as error:
                odd[field] = repr(error)
        odoo.policy = Policy()
    assert odd == {}
    assert before
    assert said < len(asked)
