"""A function that returns goods to a vendor, and refunds the billed part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import CREATE, POST
from odoo_toolkit.apps.accounting.credit_notes import CreditedLine, create_credit_note
from odoo_toolkit.apps.accounting.invoices import INVOICE, Invoice
from odoo_toolkit.apps.inventory.actions import VALIDATE, return_picking
from odoo_toolkit.apps.inventory.entries import ReturnedLine
from odoo_toolkit.apps.inventory.transfers import PICKING, Transfer
from odoo_toolkit.apps.purchase.orders import (
    ORDER,
    OrderId,
    OrderName,
    Receipt,
    check_confirmed,
    read_receipts,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError
from odoo_toolkit.records.results import RecordName

_LINE = "purchase.order.line"
_TOLERANCE = 1e-6
_RETURN = op.WizardStep(
    model=PICKING.model, wizard="stock.return.picking", seen=op.unseen, makes="one"
)


@attrs.frozen(kw_only=True)
class ReturnResult(op.Shown):
    """The goods that were returned to a vendor, and their refund.

    Attributes:
        returns: Transfers back to the vendor.
        refunds: One refund for each bill. Empty if the goods were not billed.
        warnings: Differences from your request, and the reason if there is no refund.
    """

    order: RecordName
    returns: list[Transfer]
    refunds: list[Invoice]
    message: str
    warnings: list[str] = attrs.Factory(list)


@op.operation
def return_order(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    lines: Annotated[
        Sequence[ReturnedLine] | None, Doc("Products and quantities sent back. Default: all.")
    ] = None,
    picking_id: Annotated[op.NameOrId, Doc("The receipt, if there are several.")] = None,
    reason: Annotated[str | None, Doc("Shown on the refund.")] = None,
    date: Annotated[str | None, Doc("Date of the refund, YYYY-MM-DD. Default: today.")] = None,
    post: Annotated[bool, Doc("Also post the refund.")] = False,
    dry_run: op.DryRun = False,
) -> ReturnResult | op.Plan:
    """Return received goods to the vendor, and refund the billed part.

    >>> back = return_order(
    ...     odoo, order_name="P00012", lines=[{"product_name": "Desk", "quantity": 2}]
    ... )
    >>> back.returns[0].state, back.refunds
    ('done', [])

    Each line has ``product_id`` or ``product_name``, and ``quantity`` in the unit of the receipt.
    By default everything is returned that was received and is not returned yet.

    The return is validated, and the received quantities of the order go down. For products that are
    billed by received quantities, the refund covers the excess that was billed. For other products
    it covers the returned quantity, as far as it was billed. Posting the refund applies it to the
    unpaid amount of the bill. If posting fails, the draft stays.

    If the goods are returned but the refund fails, the result says so. Call the function again
    without lines to refund products that are billed by received quantities.

    It takes 3 requests, 12 for each receipt and 8 for each bill.

    Raises:
        StateError: The order is not confirmed, nothing was received or everything is returned,
            several receipts match, or the goods are no longer in stock.
        ValidationError: A line is wrong.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, _RETURN, VALIDATE, CREATE, *([POST] if post else []), dry_run=dry_run)
    day = op.checked_day(date, "date")
    row = op.find(odoo, ORDER, order_id, order_name)
    check_confirmed(row)
    receipts, before, billed = op.gather(
        lambda: read_receipts(odoo, row["id"]),
        lambda: _order_lines(odoo, row),
        lambda: _billed(odoo, row),
    )
    meant = _meant(row, receipts, picking_id, several=lines is None)
    plans, returns, nothing = _return(odoo, meant, lines, dry_run)
    if not plans and not returns and not _to_refund(before, _received(before), {}, billed):
        raise nothing or _refused(row, "nothing of it was received", "get_order shows it.")
    how = {"reason": reason, "date": day, "post": post}
    if dry_run:
        back = _expected(before, lines)
        after = {
            number: line["qty_received"] - back.get(number, 0.0) for number, line in before.items()
        }
        plans += _refunds(odoo, _to_refund(before, after, back, billed), {**how, "dry_run": True})
        return op.merged(op.Plan, plans, warnings=_not_refunded(billed))
    result = ReturnResult(
        order=RecordName(id=row["id"], name=row["name"]),
        returns=returns,
        refunds=[],
        message="",
        warnings=[text for transfer in returns for text in transfer.warnings],
    )
    try:
        now = _received(_order_lines(odoo, row))
        back = {
            number: line["qty_received"] - now.get(number, 0.0) for number, line in before.items()
        }
        for refund in _refunds(odoo, _to_refund(before, now, back, billed), how):
            result.refunds.append(refund)
            result.warnings.extend(refund.warnings)
        result.warnings.extend(_not_refunded(billed))
        result.warnings.extend(_billed_again(before, back, result.refunds))
    except OdooError as error:
        told = f"{error.message} {error.suggestion}".strip()
        result.warnings.append(f"The goods were returned, but not everything was refunded: {told}")
    return attrs.evolve(result, message=_message(result))


def _order_lines(odoo: Odoo, row: op.Row) -> dict[int, op.Row]:
    """Return the lines of an order by id, each with how its product is billed."""
    fields = ("product_id", "product_qty", "qty_received")
    domain = [["order_id", "=", row["id"]], ["product_id", "!=", False]]
    lines = op.read_rows(odoo, _LINE, domain, fields, acts_on=ORDER.model)
    products = sorted({line["product_id"].id for line in lines})
    of_lines = [["id", "in", products]]
    policies = op.read_rows(
        odoo, "product.product", of_lines, ["purchase_method"], acts_on=ORDER.model
    )
    method = {product["id"]: product["purchase_method"] for product in policies}
    return {line["id"]: {**line, "method": method.get(line["product_id"].id)} for line in lines}


def _received(lines: Mapping[int, op.Row]) -> dict[int, float]:
    return {number: line["qty_received"] for number, line in lines.items()}


def _billed(odoo: Odoo, row: op.Row) -> list[op.Row]:
    """Return what the bills and refunds of an order have of its lines, the latest first."""
    domain = [
        ["purchase_line_id.order_id", "=", row["id"]],
        ["move_id.move_type", "in", ["in_invoice", "in_refund"]],
        ["parent_state", "!=", "cancel"],
    ]
    fields = ("move_id", "purchase_line_id", "quantity", "parent_state")
    found = op.read_rows(
        odoo, "account.move.line", domain, fields, acts_on=INVOICE.model, order="id desc"
    )
    moves = sorted({line["move_id"].id for line in found})
    kinds = op.read_rows(odoo, INVOICE.model, [["id", "in", moves]], ["move_type"]) if moves else []
    types = {move["id"]: move["move_type"] for move in kinds}
    return [{**line, "type": types.get(line["move_id"].id)} for line in found]


def _meant(
    row: op.Row, receipts: Sequence[Receipt], picking_id: op.NameOrId, *, several: bool
) -> list[Receipt]:
    """Return the receipts that go back: those that are done, or the one that is named."""
    done = [item for item in receipts if item.type == "incoming" and item.state == "done"]
    if picking_id is not None:
        named = op.Wanted.of(PICKING.model, picking_id, "picking_id")
        done = [item for item in done if named.id == item.id or named.name == item.name]
        if not done:
            raise _refused(
                row, f"{picking_id} is not a done receipt of it", "get_order shows its receipts."
            )
    if not done:
        raise _refused(row, "nothing of it was received", "Cancel it with cancel_order instead.")
    if len(done) > 1 and not several:
        listed = ", ".join(f"{item.name} (id {item.id})" for item in done)
        raise _refused(row, f"it has several receipts: {listed}", "Give picking_id.")
    return done


def _return(
    odoo: Odoo, receipts: Sequence[Receipt], lines: Sequence[ReturnedLine] | None, dry_run: bool
) -> tuple[list[Any], list[Transfer], StateError | None]:
    """Return or plan the transfers back, and why there is none."""
    plans: list[Any] = []
    returns: list[Transfer] = []
    nothing = None
    for receipt in receipts:
        try:
            made = return_picking(
                odoo, picking_id=receipt.id, lines=lines, validate=True, dry_run=dry_run
            )
        except StateError as error:
            # With several receipts, some may have gone back before.
            if lines is not None or "has been returned" not in error.message:
                raise
            nothing = error
            continue
        if isinstance(made, op.Plan):
            plans.append(made)
        else:
            returns.append(made)
    return plans, returns, nothing


def _expected(
    before: Mapping[int, op.Row], lines: Sequence[ReturnedLine] | None
) -> dict[int, float]:
    """Return what a plan sends back of each line of the order."""
    if lines is None:
        return _received(before)
    back: dict[int, float] = {}
    for given in lines:
        name = str(given.get("product_name", "")).strip().casefold()
        left = float(given["quantity"])
        for number, line in before.items():
            product = line["product_id"]
            if product.id == given.get("product_id") or (name and name in product.name.casefold()):
                part = min(left, line["qty_received"] - back.get(number, 0.0))
                back[number] = back.get(number, 0.0) + part
                left -= part
    return back


def _to_refund(
    lines: Mapping[int, op.Row],
    received: Mapping[int, float],
    back: Mapping[int, float],
    billed: Sequence[op.Row],
) -> dict[int, list[CreditedLine]]:
    """Return, by bill, its lines and how much of each is refunded.

    Args:
        lines: of the order.
        received: of each line, once the goods are back.
        back: of each line, what goes back now.
        billed: as :func:`_billed` gives it.
    """
    refunds: dict[int, list[CreditedLine]] = {}
    for number, line in lines.items():
        own = [item for item in billed if item["purchase_line_id"].id == number]
        posted = [i for i in own if i["type"] == "in_invoice" and i["parent_state"] == "posted"]
        before = sum(item["quantity"] for item in own if item["type"] == "in_refund")
        still = sum(item["quantity"] for item in posted) - before
        left = still - received.get(number, 0.0)
        if line["method"] == "purchase":
            left = min(left, back.get(number, 0.0))
        for item in posted:
            part = round(min(left, item["quantity"]), 6)
            if part > _TOLERANCE:
                credited: CreditedLine = {"line_id": item["id"], "quantity": part}
                refunds.setdefault(item["move_id"].id, []).append(credited)
                left -= part
    return refunds


def _refunds(
    odoo: Odoo, wanted: Mapping[int, list[CreditedLine]], how: Mapping[str, Any]
) -> list[Any]:
    """Return the refunds of bills, or their plans."""
    return [
        create_credit_note(odoo, invoice_id=bill, lines=credited, **how)
        for bill, credited in wanted.items()
    ]


def _not_refunded(billed: Sequence[op.Row]) -> list[str]:
    drafts = {i["move_id"] for i in billed if i["parent_state"] == "draft" and i["quantity"]}
    return [
        f"{draft.name} (id {draft.id}) is a draft. Check its quantities before you post it."
        for draft in sorted(drafts, key=lambda draft: int(draft.id))
    ]


def _billed_again(
    lines: Mapping[int, op.Row], back: Mapping[int, float], refunds: Sequence[Invoice]
) -> list[str]:
    """Say what Odoo offers to bill once more, as it bills what is ordered."""
    names = {
        line["product_id"].name
        for number, line in lines.items()
        if refunds and line["method"] == "purchase" and back.get(number, 0.0) > _TOLERANCE
    }
    return [
        (
            f"{name} is billed by ordered quantities, so Odoo offers to bill it again. If the "
            "goods are not replaced, reduce the quantity of the order."
        )
        for name in sorted(names)
    ]


def _message(result: ReturnResult) -> str:
    names = ", ".join(item.name or str(item.id) for item in result.returns)
    told = f"Returned {names}." if names else "Nothing more was returned."
    if not result.refunds:
        return f"{told} Nothing was refunded."
    return f"{told} " + " ".join(f"{refund.message}." for refund in result.refunds)


def _refused(row: op.Row, why: str, todo: str) -> StateError:
    return op.state_error(ORDER, row, f"{row['name']} cannot be returned: {why}.", todo)
