"""Functions that receive and bill a confirmed purchase order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import POST
from odoo_toolkit.apps.accounting.invoices import INVOICE, Invoice, invoice_result
from odoo_toolkit.apps.inventory.actions import (
    VALIDATE,
    Ordered,
    no_transfer,
    unmoved,
    validate_picking,
)
from odoo_toolkit.apps.inventory.entries import MovedLine
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.apps.purchase.orders import (
    ORDER,
    OrderId,
    OrderName,
    Receipt,
    check_confirmed,
    read_receipts,
)
from odoo_toolkit.change_history.lost_answers import creating, look, or_seen
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import StateError
from odoo_toolkit.records.time_zones import own_context


@attrs.frozen(kw_only=True)
class _CreateBill(op.Step):
    """Presses the button that makes a bill of an order; ``known`` are those that it had."""

    known: frozenset[int] = frozenset()

    @property
    def makes(self) -> bool:
        return True

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> list[int]:
        (call,) = self.calls(odoo, ids)
        # Odoo 14 books the bill on its own day.
        call = attrs.evolve(call, context={**own_context(odoo), **call.context})
        with creating(odoo, INVOICE.model, [ORDER.model, *ids]) as creation:

            def seen() -> list[int] | None:
                now = op.read(odoo, ORDER, ids[0])["invoice_ids"]
                return creation.own(sorted(set(now) - self.known)) or None

            def made() -> list[int]:
                return op.opened_ids(odoo.call(call)) or look(seen) or []

            # What is billed, also by a draft, is not billed again.
            bills: list[int] = or_seen(made, seen, warnings, safe=True)
            creation.ids = frozenset(bills)
            return bills


BILL = _CreateBill(model=ORDER.model, method="action_create_invoice", says="Bill created")
WRITE = op.Step(
    model=INVOICE.model,
    method="write",
    says="Date and reference written",
    fails="Its date and reference are not written",
)


#: What receipts count.
ORDERED = Ordered(
    model="purchase.order.line",
    ordered="product_qty",
    done="qty_received",
    by=("qty_received_method", "stock_moves"),
    moved="received",
)


@op.operation
def create_bill(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    invoice_date: Annotated[str | None, Doc("YYYY-MM-DD. Default: today.")] = None,
    ref: Annotated[str | None, Doc("The vendor's bill number.")] = None,
    post: Annotated[bool, Doc("Also post it.")] = False,
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Create the vendor bill of a purchase order for everything that can be billed now.

    >>> create_bill(odoo, order_name="P00012", ref="F-17", post=True).message
    'Created and posted BILL/1: 50.00 USD'

    Each product is billed by ordered or by received quantities, depending on its settings. Goods
    that were returned after they were billed make a refund. The number of the bill defaults to the
    vendor's reference of the order.

    If posting fails, the draft stays, and the result says why. It takes 5 requests, or 6 to post
    it.

    Raises:
        StateError: The order is not confirmed, or there is nothing to bill.
        ValidationError: The date is not a date.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, BILL, WRITE, *([POST] if post else []), dry_run=dry_run)
    day = op.checked_day(invoice_date, "invoice_date") or op.today(odoo)
    row = op.find(odoo, ORDER, order_id, order_name)
    billable = _billable(odoo, row)
    # Up to 18 Odoo takes the order's reference, from 19 on it leaves the bill without.
    values = {"invoice_date": day, "ref": ref if ref is not None else row["partner_ref"]}
    told = {name: value for name, value in values.items() if value is not None}
    bill = attrs.evolve(BILL, known=frozenset(row["invoice_ids"]))
    steps: list[op.AnyStep] = [bill, WRITE.of(vals=told), *([POST] if post else [])]

    def result(done: op.Done) -> Invoice:
        if not done.answers[0]:
            raise op.state_error(
                ORDER, row, f"Odoo created no bill for {row['name']}.", "Check the order in Odoo."
            )
        return invoice_result(odoo, done, "Created", posting=post)

    would = (
        f"Would create {'and post ' if post else ''}the bill of {row['name']}"
        f"{_of_vendor(row, told)}: {_in_money(row, billable)}"
    )
    return op.operate(odoo, steps, [row["id"]], result, message=would, dry_run=dry_run)


#: Of the lines that are billed; the unit has another name from 19 on.
_BILLED = (
    *("name", "product_id", "product_qty", "qty_to_invoice", "product_uom", "product_uom_id"),
    *("price_unit", "discount", "price_subtotal", "price_tax"),
)

#: Lines of an order that are looked at, and that a plan names.
_MOST_LINES, _NAMED = 400, 20


def _of_vendor(row: op.Row, told: op.Row) -> str:
    """Return of whom the bill is, its day and its number: " of Acme, 2026-01-31, F-17"."""
    vendor = f" of {row['partner_id'].name}" if row["partner_id"] else ""
    number = f", {told['ref']}" if told.get("ref") else ""
    return f"{vendor}, {told['invoice_date']}{number}"


def _in_money(row: op.Row, lines: Sequence[op.Row]) -> str:
    """Say what is billed of each line, and together, as the lines of the order have it."""
    currency = op.currency_of(row)
    amounts: list[float] = []
    taxes: list[float] = []
    said: list[str] = []
    for line in lines:
        quantity, ordered = line["qty_to_invoice"], line["product_qty"]
        discount = line["discount"] or 0.0
        amount = quantity * line["price_unit"] * (1 - discount / 100)
        if ordered and line["price_subtotal"] is not None:
            # A share of Odoo's own figures, from which taxes that the price includes are out.
            amount = line["price_subtotal"] * quantity / ordered
            taxes.append((line["price_tax"] or 0.0) * quantity / ordered)
        else:
            taxes.append(0.0)
        amounts.append(amount)
        unit = line["product_uom"] or line["product_uom_id"]
        of_product = line["product_id"].name if line["product_id"] else line["name"]
        counted = f"{quantity:g}{f' {unit.name}' if unit else ''} of {of_product}"
        reduced = f" less {discount:g}%" if discount else ""
        said.append(f"{counted} at {line['price_unit']:.2f}{reduced}, {amount:.2f}")
    more = f"; and {len(said) - _NAMED} more" if len(said) > _NAMED else ""
    untaxed, taxed = sum(amounts), sum(amounts) + sum(taxes)
    together = f"{op.money(untaxed, currency)} before taxes"
    if abs(taxed - untaxed) >= 0.005:
        together += f", {op.money(taxed, currency)} with them"
    kind = " The bill would be a refund." if untaxed < 0 else ""
    return f"{'; '.join(said[:_NAMED])}{more}. Total: {together}.{kind}"


def _billable(odoo: Odoo, row: op.Row) -> list[op.Row]:
    """Return the lines of which something can be billed, or refuse."""
    name = row["name"]
    check_confirmed(row)
    # 19 would make a bill of nothing.
    left: list[Any] = [["order_id", "=", row["id"]], ["qty_to_invoice", "!=", 0]]
    lines = op.read_rows(
        odoo, "purchase.order.line", left, _BILLED, acts_on=ORDER.model, limit=_MOST_LINES
    )
    if lines:
        return lines
    billed = row["invoice_status"] == "invoiced"
    raise op.state_error(
        ORDER,
        row,
        f"{name} is fully billed." if billed else f"No line of {name} can be billed yet.",
        "get_order shows its bills."
        if billed
        else "First receive the products that are billed by received quantity.",
    )


@op.operation
def receive(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    lines: Annotated[
        Sequence[MovedLine] | None,
        Doc("Only if not everything arrived. lots: one per line, or all serial numbers."),
    ] = None,
    backorder: Annotated[
        bool | None, Doc("If less arrived: true keeps the rest in a backorder, false drops it.")
    ] = None,
    allow_more: Annotated[bool, Doc("Allow more than ordered.")] = False,
    picking_id: Annotated[op.NameOrId, Doc("The receipt, if several are open.")] = None,
    dry_run: op.DryRun = False,
) -> Transfer | op.Plan:
    """Receive a purchase order, in full or by lines.

    >>> receipt = receive(
    ...     odoo,
    ...     order_name="P00012",
    ...     lines=[{"product_name": "Desk", "quantity": 3}],
    ...     backorder=True,
    ... )
    >>> receipt.state
    'done'

    Each line has ``product_id``, ``product_name`` or ``move_id``, ``quantity`` and ``lots``. By
    default everything is received that is open.

    It takes 2 requests, and those of :func:`~odoo_toolkit.apps.inventory.validate_picking`.

    Raises:
        StateError: The order is not confirmed, nothing is left to receive, or several receipts are
            open. Also if less or more arrives than was ordered, without ``backorder`` or
            ``allow_more``.
        ValidationError: A line or its lots are wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, VALIDATE, dry_run=dry_run)
    row = op.find(odoo, ORDER, order_id, order_name)
    check_confirmed(row)
    receipt = _meant(odoo, row, read_receipts(odoo, row["id"]), picking_id)
    return validate_picking(
        odoo,
        picking_id=receipt.id,
        lines=lines,
        backorder=backorder,
        allow_more=allow_more,
        dry_run=dry_run,
    )


def _meant(odoo: Odoo, row: op.Row, receipts: list[Receipt], picking_id: op.NameOrId) -> Receipt:
    """Return the open receipt that is meant."""
    own = [receipt for receipt in receipts if receipt.type == "incoming"]
    opened = [receipt for receipt in own if receipt.state not in ("done", "cancel")]
    meant = op.Wanted.of("stock.picking", picking_id, "picking_id")
    found = [r for r in opened if picking_id is None or meant.id == r.id or meant.name == r.name]
    if len(found) == 1:
        return found[0]
    if found:
        raise _refused(row, found, "several receipts of it are open", "Give picking_id.")
    if picking_id is not None:
        raise _refused(
            row, opened, f"{picking_id} is not an open receipt of it", "Pass another picking_id."
        )
    if own and len(own) == len(receipts) and (told := unmoved(odoo, ORDER, row, ORDERED)):
        raise no_transfer(ORDER, row, told, ORDERED)
    if own:
        raise _refused(row, own, "no receipt of it is open", "get_order shows its receipts.")
    raise _refused(
        row,
        [],
        "it has no receipt, because its products are not kept in stock",
        "Write qty_received of its purchase.order.line records instead.",
    )


def _refused(row: op.Row, receipts: list[Receipt], why: str, todo: str) -> StateError:
    listed = "".join(f"; {r.name} (id {r.id}) is {r.state}" for r in receipts[:10])
    shown: list[Any] = [{"id": r.id, "name": r.name, "state": r.state} for r in receipts[:10]]
    details = {"receipts": shown} if shown else {}
    message = f"{row['name']} cannot be received: {why}{listed}."
    return op.state_error(ORDER, row, message, todo, **details)
