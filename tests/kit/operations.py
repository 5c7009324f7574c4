"""Every operation that has a plan, and a server with what one of them needs."""

from __future__ import annotations

from types import FunctionType

from odoo_toolkit.testing import FakeServer
from tests.known_names import modules


def _functions() -> dict[str, FunctionType]:
    """Return the public functions of the library that return a plan or something else."""
    found = {}
    for module in modules():
        if not module.__name__.startswith("odoo_toolkit."):
            continue
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                result = str(value.__annotations__.get("return", ""))
                internal = module.__name__.startswith("odoo_toolkit.operations")
                plans = {"Plan", "op.Plan"} & {*result.split(" | ")}
                told = "dry_run" in value.__annotations__ and plans
                if told and not internal and not name.startswith("_"):
                    found[f"{module.__name__}.{name}"] = value
    return found


OPERATIONS = _functions()


def shop() -> FakeServer:
    fields = {
        "name": "char",
        "state": {"type": "selection", "selection": [["draft", "Quotation"], ["sale", "Order"]]},
        "order_line": "one2many sale.order.line order_id",
        "amount_total": "float",
    }
    numbers = ("product_uom_qty", "price_unit", "price_subtotal", "qty_delivered", "qty_invoiced")
    line = {"order_id": "many2one sale.order", **dict.fromkeys(numbers, "float")}
    order = {"id": 1, "name": "S1", "state": "draft", "order_line": [1], "amount_total": 5.0}
    return FakeServer(
        {"sale.order": fields, "sale.order.line": line},
        version=17,
        records={
            "sale.order": [order],
            "sale.order.line": [{"id": 1, "order_id": 1, **dict.fromkeys(numbers, 5.0)}],
        },
    )
