"""What the live tests of sales need: a customer and products of their own, and a counter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from odoo_toolkit import Odoo, create


def new_customer(admin: Odoo, suffix: str) -> int:
    """Return the id of a new customer."""
    made = create(admin, "res.partner", {"name": f"Customer {suffix}"}).id
    assert made is not None
    return made


def new_product(admin: Odoo, name: str, kind: str = "service", price: float = 100.0) -> int:
    """Return the id of a new product, invoiced when ordered, without taxes."""
    values = {
        "name": name,
        "type": kind,
        "list_price": price,
        "invoice_policy": "order",
        "taxes_id": [],
    }
    made = create(admin, "product.product", values).id
    assert made is not None
    return made


@contextmanager
def counted(odoo: Odoo) -> Iterator[list[str]]:
    """Collect the methods of the calls that are made meanwhile, those for the schema included."""
    methods: list[str] = []
    send = odoo._send

    def counting(call):  # type: ignore[no-untyped-def]
        methods.append(call.method)
        return send(call)

    odoo._send = counting  # type: ignore[method-assign]
    try:
        yield methods
    finally:
        odoo._send = send  # type: ignore[method-assign]
