"""What an argument takes by its id, it takes by its name: both plan, or read, the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit import (
    AmbiguousNameError,
    NotFoundError,
    Odoo,
    ValidationError,
    count,
    create,
    search_read,
    unlink,
)
from odoo_toolkit.apps import accounting, crm, inventory, manufacturing, project, purchase, sales

pytestmark = pytest.mark.recorded

#: How a function is called -> the model and the condition of the record that is given to it.
CALLS: dict[str, tuple[str, list[Any], Callable[[Odoo, Any], Any]]] = {
    "pricelist of a quotation": (
        "product.pricelist",
        [],
        lambda odoo, given: sales.create_order(
            odoo, partner_id=partner(odoo), lines=[{"name": "x"}], pricelist_id=given, dry_run=True
        ),
    ),
    "warehouse of a quotation": (
        "stock.warehouse",
        [],
        lambda odoo, given: sales.create_order(
            odoo, partner_id=partner(odoo), lines=[{"name": "x"}], warehouse_id=given, dry_run=True
        ),
    ),
    "journal of an invoice": (
        "account.journal",
        [["type", "=", "sale"]],
        lambda odoo, given: accounting.create_invoice(
            odoo, partner_id=partner(odoo), lines=[{"name": "x"}], journal_id=given, dry_run=True
        ),
    ),
    "currency of an invoice": (
        "res.currency",
        [["active", "=", True]],
        lambda odoo, given: accounting.create_invoice(
            odoo,
            partner_id=partner(odoo),
            lines=[{"name": "x", "price_unit": 1}],
            currency_id=given,
            dry_run=True,
        ),
    ),
    "source of a transfer": (
        "stock.location",
        [["usage", "=", "internal"]],
        lambda odoo, given: inventory.create_transfer(
            odoo,
            picking_type_name="outgoing",
            lines=[{"product_id": product(odoo), "quantity": 1}],
            location_src_id=given,
            dry_run=True,
        ),
    ),
    "place of stock": (
        "stock.location",
        [["usage", "=", "internal"]],
        lambda odoo, given: inventory.get_stock(
            odoo, product_id=product(odoo), location_id=given
        ),
    ),
    "warehouse of stock": (
        "stock.warehouse",
        [],
        lambda odoo, given: inventory.get_stock(
            odoo, product_id=product(odoo), warehouse_id=given
        ),
    ),
    "place of components": (
        "stock.location",
        [["usage", "=", "internal"]],
        lambda odoo, given: manufacturing.check_components(
            odoo, product_id=made(odoo), location_id=given
        ),
    ),
    "assignee of a task": (
        "res.users",
        [["share", "=", False]],
        lambda odoo, given: project.create_task(
            odoo, name="x", project_id=first(odoo, "project.project"), user_ids=[given],
            dry_run=True,
        ),
    ),
    "tag of a lead": (
        "crm.tag",
        [],
        lambda odoo, given: crm.create_lead(odoo, name="x", tag_ids=[given], dry_run=True),
    ),
}  # fmt: skip


def first(odoo: Odoo, model: str, *domain: Any) -> int:
    return int(search_read(odoo, model, list(domain), ["id"], limit=1, order="id").records[0]["id"])


def partner(odoo: Odoo) -> int:
    return first(odoo, "res.partner", ["is_company", "=", True])


def product(odoo: Odoo) -> int:
    return first(odoo, "product.product", ["type", "!=", "service"])


def made(odoo: Odoo) -> int:
    return first(
        odoo, "product.product", ["bom_ids.type", "=", "normal"], ["bom_ids.product_id", "=", False]
    )


@pytest.mark.parametrize("name", CALLS)
def test_a_record_is_meant_by_its_id_or_its_name(admin: Odoo, name: str) -> None:
    model, domain, call = CALLS[name]
    found = search_read(admin, model, domain, ["display_name"], limit=200, order="id").records
    names = [row["display_name"] for row in found]
    alone = [row for row in found if names.count(row["display_name"]) == 1]
    if not alone and model != "crm.tag":
        pytest.skip("Several records have each of the names here.")
    new = [] if alone else create(admin, model, {"name": "Of the toolkit"}).ids
    row = alone[0] if alone else {"id": new[0], "display_name": "Of the toolkit"}
    try:
        by_id = call(admin, row["id"])
        assert call(admin, str(row["id"])) == by_id
        assert call(admin, row["display_name"]) == by_id
        with pytest.raises(ValidationError, match="must be a"):
            call(admin, " ")
    finally:
        if new:
            unlink(admin, model, new)


def test_a_tax_and_an_account_of_a_line_are_meant_by_name(admin: Odoo) -> None:
    taxes = [["type_tax_use", "=", "sale"]]
    tax = search_read(admin, "account.tax", taxes, ["display_name"], limit=1, order="id").records[0]
    if count(admin, "account.tax", [*taxes, ["name", "=", tax["display_name"]]]).count > 1:
        pytest.skip("Several taxes are called so here.")
    account = search_read(admin, "account.account", [], ["code"], limit=1, order="id").records[0]

    def plan(**line: Any) -> Any:
        lines: list[Any] = [{"name": "x", "price_unit": 1, **line}]
        return accounting.create_invoice(
            admin, partner_id=partner(admin), lines=lines, dry_run=True
        )

    assert plan(tax_ids=[tax["display_name"]]) == plan(tax_ids=[tax["id"]])
    assert plan(account_name=account["code"]) == plan(account_id=account["id"])


@pytest.mark.every_version
def test_an_order_or_invoice_is_meant_by_the_partners_reference(admin: Odoo, suffix: str) -> None:
    """By all of it, and only where one record has it."""
    said = f"NL-{suffix}"
    made = {"partner_id": partner(admin)}
    ways: list[tuple[str, dict[str, Any], Callable[[str], Any]]] = [
        (
            "sale.order",
            {"client_order_ref": said},
            lambda name: sales.get_order(admin, order_name=name),
        ),
        (
            "purchase.order",
            {"partner_ref": said},
            lambda name: purchase.get_order(admin, order_name=name),
        ),
        (
            "account.move",
            {"ref": said, "move_type": "out_invoice"},
            lambda name: accounting.get_invoice(admin, invoice_name=name),
        ),
    ]
    for model, values, get in ways:
        number = create(admin, model, {**made, **values}).id
        assert get(said).id == number
        with pytest.raises(NotFoundError):
            get(f"{said}-9")
        create(admin, model, {**made, **values})
        with pytest.raises((NotFoundError, AmbiguousNameError)):
            get(said)
