"""Records that tasks need, made alike on each version of Odoo."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from evals.database import Database, Record

NO_TAXES = [[6, 0, []]]


def today() -> date:
    """Return the day in UTC, which is Odoo's, wherever the machine is."""
    return datetime.now(UTC).date()


def days_from_now(days: int) -> str:
    """Return a day as text."""
    return (today() + timedelta(days)).isoformat()


def month_ago(months: int) -> date:
    """Return the first day of an earlier month."""
    first = today().replace(day=1)
    for _ in range(months):
        first = (first - timedelta(days=1)).replace(day=1)
    return first


def company(db: Database, name: str, **values: Any) -> int:
    """Create a company among the contacts."""
    return db.create("res.partner", {"name": name, "is_company": True, **values})


def product(db: Database, name: str, price: float = 0.0, **values: Any) -> int:
    """Create a product that is kept in stock, without taxes; return its variant's id."""
    # from Odoo 18 on, goods are stored if they are marked so; before, it was a type
    kind = {"type": "consu", "is_storable": True}
    if "is_storable" not in db.fields("product.template"):
        kind = {"type": "product"}
    taxes = {"taxes_id": NO_TAXES, "supplier_taxes_id": NO_TAXES}
    return db.create(
        "product.product", {"name": name, "list_price": price, **kind, **taxes, **values}
    )


def service(db: Database, name: str, price: float) -> int:
    """Create a service without taxes, invoiced as ordered; return its variant's id."""
    return db.create(
        "product.product",
        {
            "name": name,
            "type": "service",
            "list_price": price,
            "invoice_policy": "order",
            "taxes_id": NO_TAXES,
            "supplier_taxes_id": NO_TAXES,
        },
    )


def warehouse(db: Database) -> Record:
    """Return the warehouse of the administrator's company."""
    own = db.get("res.users", db.uid, ["company_id"])["company_id"][0]
    return db.search(
        "stock.warehouse",
        [["company_id", "=", own]],
        ["name", "code", "lot_stock_id", "in_type_id", "out_type_id"],
        limit=1,
        order="id",
    )[0]


def put_in_stock(db: Database, product_id: int, quantity: float) -> None:
    """Have a quantity of a product in stock."""
    values = {
        "product_id": product_id,
        "location_id": warehouse(db)["lot_stock_id"][0],
        "inventory_quantity": quantity,
    }
    quant = db.create("stock.quant", values, context={"inventory_mode": True})
    if db.version >= 15:
        db.call("stock.quant", "action_apply_inventory", [quant])


def stock(db: Database, product_id: int) -> float:
    """Return how much of a product is in stock in the warehouse."""
    location = warehouse(db)["lot_stock_id"][0]
    quants = db.search(
        "stock.quant",
        [["product_id", "=", product_id], ["location_id", "child_of", location]],
        ["quantity"],
    )
    return float(sum(quant["quantity"] for quant in quants))


def offer(
    db: Database, vendor: int, product_id: int, price: float, delay: int = 1, **values: Any
) -> int:
    """Say that a vendor sells a product at a price; return the price's id."""
    template = db.get("product.product", product_id, ["product_tmpl_id"])["product_tmpl_id"][0]
    partner = "partner_id" if "partner_id" in db.fields("product.supplierinfo") else "name"
    return db.create(
        "product.supplierinfo",
        {partner: vendor, "product_tmpl_id": template, "price": price, "delay": delay, **values},
    )


def invoice(
    db: Database,
    partner: int,
    lines: list[tuple[int, float, float]],
    day: str,
    move_type: str = "out_invoice",
    post: bool = True,
    **values: Any,
) -> Record:
    """Create an invoice, bill or credit note of lines (product, quantity, price)."""
    made = db.create(
        "account.move",
        {
            "move_type": move_type,
            "partner_id": partner,
            "invoice_date": day,
            "invoice_payment_term_id": False,
            "invoice_line_ids": [
                [
                    0,
                    0,
                    {
                        "product_id": product_id,
                        "quantity": quantity,
                        "price_unit": price,
                        "tax_ids": NO_TAXES,
                    },
                ]
                for product_id, quantity, price in lines
            ],
            **values,
        },
    )
    if post:
        db.call("account.move", "action_post", [made])
    return db.get("account.move", made, ["id", "name", "amount_total", "invoice_line_ids"])


def account(db: Database, code: str, name: str, kind: str) -> int:
    """Create an account.

    Args:
        db: Where.
        code: Its code.
        name: Its name.
        kind: As in ``account_type`` from Odoo 16 on: ``income``, ``expense``, ``asset_fixed``,
            ``liability_current``.
    """
    values: Record = {"code": code, "name": name}
    if "account_type" in db.fields("account.account"):
        return db.create("account.account", {**values, "account_type": kind})
    before = {
        "income": "revenue",
        "expense": "expenses",
        "asset_fixed": "fixed_assets",
        "liability_current": "current_liabilities",
    }
    values["user_type_id"] = db.reference(f"account.data_account_type_{before[kind]}")
    return db.create("account.account", values)
