"""A function that enters a vendor's bill, and compares it with the purchase order first.

Read the number, date and lines from the PDF. The toolkit reports differences in quantity and price
before it writes anything. It finds an existing bill by its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting import invoices
from odoo_toolkit.apps.accounting.actions import CREATE, POST
from odoo_toolkit.apps.accounting.books import checked_booking
from odoo_toolkit.apps.purchase.orders import ORDER, OrderId, OrderName, check_confirmed
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError, invalid
from odoo_toolkit.records.results import RecordName

_LINE = "purchase.order.line"
#: Units and taxes were renamed in 19; analytic accounts became shares in 16, discounts came in 17.
_FIELDS = (
    *("product_id", "name", "product_qty", "qty_received", "qty_invoiced", "qty_to_invoice"),
    *("price_unit", "discount", "product_uom", "product_uom_id", "taxes_id", "tax_ids"),
    *("account_analytic_id", "analytic_distribution"),
)
_HEAD = op.Document(
    model=ORDER.model,
    noun=ORDER.noun,
    argument=ORDER.argument,
    fields=("payment_term_id", "fiscal_position_id", "partner_id", "company_id", "currency_id"),
)
_CENT = 0.005


class BilledLine(TypedDict, total=False):
    """A line of the vendor's bill. Its order line is found by product, or you name it."""

    product_id: int
    product_name: Annotated[str, Doc("As on the order, or the line's text.")]
    order_line_id: Annotated[int, Doc("If several lines have the product.")]
    quantity: float
    price_unit: Annotated[float, Doc("Before taxes.")]
    discount: Annotated[float, Doc("Percentage, on Odoo 17 and later.")]


@attrs.frozen(kw_only=True)
class MatchedLine(op.Shown):
    """A line of the vendor's bill, compared with the line of the order.

    Attributes:
        quantity, price_unit: Values of the bill.
        billable: Quantity that can be billed now, by ordered or received quantities.
        ordered, received, billed: Quantities of the order line. ``billed`` is before this bill.
        order_price: Price of the order, minus its discount.
        differences: Differences, as sentences.
    """

    order_line_id: int
    product: RecordName | None = None
    quantity: float
    billable: float
    ordered: float
    received: float
    billed: float
    price_unit: float
    order_price: float
    differences: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class EnteredBill(op.Shown):
    """A vendor's bill that was entered.

    Attributes:
        lines: Lines of the bill, compared with those of the order.
        not_billed: Lines of the order that could be billed now, and are not on this bill.
        differences: Differences that you accepted.
    """

    bill: invoices.Invoice
    lines: list[MatchedLine]
    not_billed: list[RecordName] = attrs.Factory(list)
    differences: list[str] = attrs.Factory(list)
    message: str
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class BillPlan(op.Plan):
    """The bill that would be entered. It is entered only if there are no ``differences``."""

    lines: list[MatchedLine]
    not_billed: list[RecordName] = attrs.Factory(list)
    differences: list[str] = attrs.Factory(list)


@op.operation_with(BillPlan)
def enter_bill(
    odoo: Odoo,
    *,
    order_id: OrderId = None,
    order_name: OrderName = None,
    ref: Annotated[str, Doc("The vendor's bill number.")],
    invoice_date: Annotated[str, Doc("Date on the bill, YYYY-MM-DD.")],
    lines: Annotated[Sequence[BilledLine], Len(1, 200), Doc("As on the bill.")],
    accounting_date: invoices.AccountingDate = None,
    amount_untaxed: Annotated[float | None, Doc("Total before taxes, used as a check.")] = None,
    amount_total: Annotated[float | None, Doc("Total including taxes, used as a check.")] = None,
    accept_differences: Annotated[bool, Doc("Enter it even if it differs from the order.")] = False,
    post: Annotated[bool, Doc("Also post it, if the totals match.")] = False,
    dry_run: op.DryRun = False,
) -> EnteredBill | BillPlan:
    """Enter a vendor's bill from its number, date and lines, and compare it with the order first.

    >>> entered = enter_bill(
    ...     odoo,
    ...     order_name="P00012",
    ...     ref="F-17",
    ...     invoice_date="2026-01-31",
    ...     lines=[{"product_name": "Chair", "quantity": 5, "price_unit": 10}],
    ... )
    >>> entered.bill.state, entered.differences
    ('draft', [])

    Each line has ``product_id``, ``product_name`` or ``order_line_id``, ``quantity``,
    ``price_unit`` and ``discount`` (Odoo 17 and later).

    If quantities, prices or the total before taxes differ from the order, the toolkit writes
    nothing, and the error lists the differences. To enter the bill anyway, pass
    ``accept_differences=True``. If the total with taxes differs from yours, the draft stays and is
    not posted. ``warnings`` says why.

    A second bill of the vendor with the same number is an error on every version. Spaces, dashes
    and capital letters do not make a different number.

    It takes 5 requests, or 7 to post it, and 1 more with ``accounting_date``.

    Raises:
        StateError: The order is not confirmed, or a bill with this number already exists.
        ValidationError: The bill differs from the order, or a value is wrong. ``details`` lists the
            differences.
        NotFoundError: The order does not have such a line.
        AmbiguousNameError: Several lines of the order match.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CREATE, *([POST] if post else []), dry_run=dry_run)
    number = _checked_ref(ref)
    day = op.checked_day(invoice_date, "invoice_date")
    if day is None:
        raise invalid(
            "invoice_date", "invoice_date is missing.", "Set invoice_date to the date on the bill."
        )
    given = _checked_lines(odoo, lines)
    totals = {"amount_untaxed": amount_untaxed, "amount_total": amount_total}
    told = {
        name: op.checked_number(value, name, positive=False)
        for name, value in totals.items()
        if value is not None
    }
    row = op.find(odoo, ORDER, order_id, order_name)
    check_confirmed(row)
    company = row["company_id"].id
    booked = checked_booking(odoo, accounting_date, company, "purchase")
    of_order = [["order_id", "=", row["id"]], ["product_id", "!=", False]]
    ordered, head, bills, journal = op.gather(
        lambda: op.read_rows(
            odoo, _LINE, of_order, _FIELDS, acts_on=ORDER.model, order="sequence, id"
        ),
        lambda: op.read(odoo, _HEAD, row["id"]),
        lambda: _bills_like(odoo, row, number, day),
        lambda: invoices.pick_journal(odoo, None, ("purchase",), company),
    )
    untaxed = round(sum(_amount(line) for line in given), 2)
    warnings = _duplicates(bills, number, day, told.get("amount_untaxed", untaxed))
    pairs = [(line, _meant(ordered, line, index)) for index, line in enumerate(given)]
    _each_once(pairs)
    matched = [_matched(odoo, line, own) for line, own in pairs]
    differences = [text for line in matched for text in line.differences]
    stated = told.get("amount_untaxed", untaxed)
    if abs(stated - untaxed) > _CENT * (len(given) + 1):
        differences.append(f"The lines add up to {untaxed:.2f}, not {stated:.2f} before taxes.")
    meant = {own["id"] for _, own in pairs}
    left = [
        RecordName(id=line["id"], name=line["product_id"].name)
        for line in ordered
        if line["qty_to_invoice"] and line["qty_to_invoice"] > 0 and line["id"] not in meant
    ]
    if differences and not accept_differences and not dry_run:
        raise ValidationError(
            f"The bill {number} differs from {row['name']}: {' '.join(differences)} Nothing was"
            " written.",
            suggestion="Clarify the differences with the vendor, or pass accept_differences=True.",
            details={"differences": differences, "model": ORDER.model, "id": row["id"]},
        )
    values = {
        **_head_values(odoo, row, head),
        "journal_id": journal["id"],
        "invoice_date": day,
        **({"date": booked} if booked else {}),
        "ref": number,
        "invoice_line_ids": [[0, 0, _values(odoo, line, own)] for line, own in pairs],
    }
    steps: list[op.AnyStep] = [CREATE.of(vals_list=[values])]
    steps += [_check_total(told.get("amount_total")), POST] if post else []

    def result(done: op.Done) -> EnteredBill:
        done.warnings[:0] = warnings
        bill = invoices.invoice_result(odoo, done, "Created", posting=post, date=booked, due=False)
        found = bill.amount_total
        total = told.get("amount_total", found)
        if not post and total is not None and found is not None and abs(total - found) > _CENT:
            bill.warnings.append(_wrong_total(found, total))
        return EnteredBill(
            bill=bill,
            lines=matched,
            not_billed=left,
            differences=differences,
            message=bill.message,
            warnings=bill.warnings,
        )

    also = " and post" if post else ""
    would = f"Would enter{also} the bill {number} of {row['partner_id'].name}, "
    would += f"{op.money(untaxed, op.currency_of(row))} before taxes."
    if differences:
        would += f" It differs from {row['name']}: {' '.join(differences)}"
    made = op.operate(
        odoo,
        steps,
        (),
        result,
        message=would,
        dry_run=dry_run,
        preview=lambda: [_planned(row, pairs, untaxed, day, booked)],
    )
    if isinstance(made, EnteredBill):
        return made
    needs = made.needs
    if differences and not accept_differences:
        needs = f"accept_differences=True. {needs or ''}".strip()
    more: dict[str, Any] = {"lines": matched, "not_billed": left, "differences": differences}
    more["warnings"] = [*warnings, *made.warnings]
    return op.merged(BillPlan, [made], needs=needs, **more)


def _planned(
    row: op.Row,
    pairs: Sequence[tuple[Mapping[str, Any], op.Row]],
    untaxed: float,
    day: str,
    booked: str | None,
) -> op.PlannedDocument:
    """Return the bill as the vendor has it; no round trip."""
    lines = [
        op.PlannedLine(
            product=own["product_id"].name,
            quantity=line["quantity"],
            price_unit=line["price_unit"],
            discount=line.get("discount") or 0.0,
            subtotal=_amount(line),
        )
        for line, own in pairs
    ]
    return op.PlannedDocument(
        model=invoices.INVOICE.model,
        name=invoices.NEW["in_invoice"],
        partner=row["partner_id"].name,
        lines=lines,
        amount_untaxed=untaxed,
        currency=op.currency_of(row),
        date=day,
        accounting_date=booked,
    )


# What was given ---------------------------------------------------------------------------------


def _checked_ref(ref: Any) -> str:
    if not isinstance(ref, str) or not _plain(ref):
        raise invalid(
            "ref",
            "ref must be the number of a bill.",
            "Set ref to the vendor's number on the bill.",
        )
    return ref.strip()


def _plain(ref: str) -> str:
    """Return a number without what people write differently: ``F-17`` is ``f 17``."""
    return "".join(character for character in ref.casefold() if character.isalnum())


def _checked_lines(odoo: Odoo, lines: Sequence[BilledLine]) -> list[dict[str, Any]]:
    checked = op.check_lines(lines, BilledLine.__annotations__)
    for index, line in enumerate(checked):
        where = f"lines[{index}]"
        named = [key for key in ("product_id", "product_name", "order_line_id") if key in line]
        if len(named) != 1:
            raise invalid(
                f"{where}.product_id",
                f"{where} must identify one line of the order. Set product_id, "
                "product_name or order_line_id.",
            )
        for key in ("quantity", "price_unit"):
            positive = key == "quantity"
            line[key] = op.checked_number(line.get(key), f"{where}.{key}", positive=positive)
        op.checked_number(line.get("discount", 0), f"{where}.discount", positive=False)
        op.check_discount(line, where)
    return checked


def _amount(line: Mapping[str, Any]) -> float:
    return round(float(line["quantity"]) * _net(line), 2)


def _net(line: Mapping[str, Any]) -> float:
    """Return the price of a line, of the bill or the order, less its discount."""
    return float(line["price_unit"]) * (1 - float(line.get("discount") or 0.0) / 100)


# What is there ----------------------------------------------------------------------------------


def _bills_like(odoo: Odoo, row: op.Row, number: str, day: str) -> list[op.Row]:
    """Return the vendor's bills with about this number, and those of the day."""
    about = "%".join(["", *_plain(number)[:60], ""])
    # Of a contact, the bills are the company's.
    vendor, company = [["id", "=", row["partner_id"].id]], ["commercial_partner_id"]
    (partner,) = op.read_rows(odoo, "res.partner", vendor, company, acts_on=ORDER.model)
    domain = [
        *invoices.INVOICE.domain,
        ["move_type", "=", "in_invoice"],
        ["state", "!=", "cancel"],
        ["commercial_partner_id", "=", (partner[company[0]] or row["partner_id"]).id],
        *["|", ["ref", "=ilike", about], ["invoice_date", "=", day]],
    ]
    fields = ("name", "display_name", "state", "ref", "invoice_date", "amount_untaxed")
    return op.read_rows(odoo, invoices.INVOICE.model, domain, fields, order="id desc", limit=200)


def _duplicates(bills: Sequence[op.Row], number: str, day: str, untaxed: float) -> list[str]:
    """Refuse a number that is there already, and warn of what looks like the same bill."""
    same = [bill for bill in bills if _plain(bill["ref"] or "") == _plain(number)]
    if same:
        listed = ", ".join(
            f"{invoices.called(bill)} (id {bill['id']}, {bill['state']}, {bill['ref']},"
            f" {bill['amount_untaxed']:.2f} before taxes)"
            for bill in same[:5]
        )
        details = {"model": invoices.INVOICE.model, "ids": [bill["id"] for bill in same]}
        raise StateError(
            f"The vendor's bill {number} already exists: {listed}. Nothing was written.",
            suggestion="Check the existing bill with get_invoice. If it is wrong, cancel it first.",
            details=details,
        )
    return [
        f"{invoices.called(bill)} (id {bill['id']}) has the same date and amount: {bill['ref']}."
        for bill in bills
        if bill["invoice_date"] == day and abs((bill["amount_untaxed"] or 0.0) - untaxed) < _CENT
    ]


def _meant(ordered: Sequence[op.Row], line: Mapping[str, Any], index: int) -> op.Row:
    """Return the line of the order that a line of the bill is for."""
    where = f"lines[{index}]"
    if "order_line_id" in line:
        said = str(line["order_line_id"])
        found = [own for own in ordered if own["id"] == line["order_line_id"]]
    elif "product_id" in line:
        said = str(line["product_id"])
        found = [own for own in ordered if own["product_id"].id == line["product_id"]]
    else:
        said = str(line["product_name"]).strip()
        sought = said.casefold()
        found = [own for own in ordered if sought in _names(own)] or [
            own for own in ordered if sought and any(sought in name for name in _names(own))
        ]
    if len(found) > 1:
        # Of several with the product, those that are not billed yet.
        open_ones = [own for own in found if own["qty_to_invoice"]]
        found = open_ones if len(open_ones) == 1 else found
    if len(found) == 1:
        return found[0]
    if found:
        names = [RecordName(id=own["id"], name=_label(own)) for own in found]
        raise op.AmbiguousNameError(f"{where}.order_line_id", said[:60], _LINE, names)
    listed = "; ".join(f"{_label(own)} (order_line_id {own['id']})" for own in ordered[:10])
    raise NotFoundError(
        f"The order has no line {said[:60]!r} ({where}). Nothing was written.",
        suggestion=f"Its lines are {listed}. Add other lines to the draft bill in Odoo.",
        details={"model": _LINE, "field": f"{where}.product_id"},
    )


def _names(own: op.Row) -> set[str]:
    return {str(name).casefold() for name in (own["name"], own["product_id"].name) if name}


def _label(own: op.Row) -> str:
    return f"{own['product_id'].name}, {own['product_qty']:g} at {own['price_unit']:g}"


def _each_once(pairs: Sequence[tuple[Mapping[str, Any], op.Row]]) -> None:
    seen: dict[int, int] = {}
    for index, (_, own) in enumerate(pairs):
        if own["id"] in seen:
            raise invalid(
                f"lines[{index}]",
                f"lines[{seen[own['id']]}] and lines[{index}] are for the same order line:"
                f" {own['product_id'].name}.",
                "Combine these lines, or set order_line_id on each.",
            )
        seen[own["id"]] = index


def _matched(odoo: Odoo, line: Mapping[str, Any], own: op.Row) -> MatchedLine:
    name, quantity = own["product_id"].name, float(line["quantity"])
    billable = max(own["qty_to_invoice"] or 0.0, 0.0)
    differences = []
    if abs(quantity - billable) > 1e-6:
        differences.append(
            f"{name}: the bill has {quantity:g}, but only {billable:g} can be billed "
            f"({own['product_qty']:g} ordered, {own['qty_received']:g} received, "
            f"{own['qty_invoiced']:g} already billed)."
        )
    if abs(_net(line) - _net(own)) > 1e-6:
        more = (_net(line) - _net(own)) * quantity
        differences.append(
            f"{name}: the price is {_net(line):g} on the bill and {_net(own):g} on the order "
            f"({more:+.2f})."
        )
    if line.get("discount") and "discount" not in odoo.schema.fields(_LINE):
        raise invalid(
            "lines",
            f"{name}: discounts need Odoo 17 or later on purchase orders.",
            "Set price_unit to the reduced price instead.",
        )
    return MatchedLine(
        order_line_id=own["id"],
        product=own["product_id"],
        quantity=quantity,
        billable=billable,
        ordered=own["product_qty"],
        received=own["qty_received"],
        billed=own["qty_invoiced"],
        price_unit=line["price_unit"],
        order_price=round(_net(own), 6),
        differences=differences,
    )


# What is written --------------------------------------------------------------------------------


def _head_values(odoo: Odoo, row: op.Row, head: op.Row) -> dict[str, Any]:
    """Return what Odoo's own button takes from the order."""
    links = {
        "partner_id": head["partner_id"],
        "currency_id": head["currency_id"],
        "invoice_payment_term_id": head["payment_term_id"],
        "fiscal_position_id": head["fiscal_position_id"],
    }
    return {
        "move_type": "in_invoice",
        **{field: link.id for field, link in links.items() if link},
        "invoice_origin": row["name"],
    }


def _values(odoo: Odoo, line: Mapping[str, Any], own: op.Row) -> dict[str, Any]:
    """Return the values of a line of the bill: the vendor's figures, all else of the order."""
    unit = own["product_uom_id"] or own["product_uom"]
    taxes = own["tax_ids"] if own["tax_ids"] is not None else own["taxes_id"]
    values: dict[str, Any] = {
        "product_id": own["product_id"].id,
        "purchase_line_id": own["id"],
        "name": own["name"],
        "quantity": line["quantity"],
        "price_unit": line["price_unit"],
        "discount": line.get("discount") or 0.0,
        "tax_ids": [[6, 0, taxes or []]],
    }
    values |= {"product_uom_id": unit.id} if unit else {}
    if own["account_analytic_id"]:
        values["analytic_account_id"] = own["account_analytic_id"].id
    if own["analytic_distribution"]:
        values["analytic_distribution"] = own["analytic_distribution"]
    return values


def _check_total(total: float | None) -> op.Check:
    """Return the check that keeps a bill from being posted whose total is not the vendor's."""

    def check(odoo: Odoo, number: int) -> None:
        found = op.read(odoo, invoices.INVOICE, number)["amount_total"]
        if total is not None and abs(found - total) > _CENT:
            raise ValidationError(_wrong_total(found, total))

    return op.Check(check=check, says="Total checked", fails="It was created, but not posted")


def _wrong_total(found: float, total: float) -> str:
    return f"The total with taxes is {found:.2f} in Odoo, not {total:.2f}: check the taxes."
