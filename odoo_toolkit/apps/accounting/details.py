"""An invoice as it is in Odoo, with its lines, what has paid it and what could."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import attrs
from annotated_types import Ge

from odoo_toolkit.apps.accounting.books import ITEM, of_type
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    InvoiceId,
    InvoiceName,
    number_of,
)
from odoo_toolkit.apps.accounting.reconciling import (
    PARTNERS,
    OpenCredit,
    Settlement,
    open_credits,
    partials_of,
    settlements,
    told,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.operations.documents import Row, currency_of, filled, find, read_rows
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName

_SHOWN = attrs.evolve(
    INVOICE,
    fields=(*INVOICE.fields, "invoice_date_due", "ref", "invoice_origin"),
)


@attrs.frozen(kw_only=True)
class InvoiceLine(Shown):
    """A line of an invoice; ``kind`` is section or note of those that are only text."""

    id: int
    product: RecordName | None = None
    name: str | None = None
    quantity: float | None = None
    price_unit: float | None = None
    discount: float | None = None
    account: RecordName | None = None
    tax_ids: list[int] | None = None
    subtotal: float | None = None
    total: float | None = None
    kind: str | None = None


@attrs.frozen(kw_only=True)
class InvoiceDetails(Shown):
    """An invoice, bill, credit note or refund, with what belongs to it.

    Attributes:
        date: under which it is booked.
        payments: what has paid it, credit notes among them.
        open_credits: what its partner has open that reconcile could apply to it.
    """

    id: int
    name: str | None = None
    state: str
    move_type: str
    payment_state: str | None = None
    partner: RecordName | None = None
    journal: RecordName | None = None
    ref: str | None = None
    invoice_origin: str | None = None
    invoice_date: str | None = None
    invoice_date_due: str | None = None
    date: str | None = None
    currency: str | None = None
    amount_untaxed: float | None = None
    amount_tax: float | None = None
    amount_total: float | None = None
    amount_residual: float | None = None
    line_count: int
    lines: list[InvoiceLine] | None = None
    payments: list[Settlement] | None = None
    open_credits: list[OpenCredit] | None = None
    warnings: list[str] = attrs.Factory(list)


def get_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    line_limit: Annotated[int, Ge(0)] = 12,
) -> InvoiceDetails:
    """Return an invoice or bill with lines, payments and what is open; 6 round trips at most.

    Args:
        odoo: the connection.
        invoice_id: the invoice; or
        invoice_name: its number.
        line_limit: most lines.

    Raises:
        NotFoundError: there is no such invoice.
        AmbiguousNameError: several match the name.
        AccessError: Odoo or the policy does not allow it.
    """
    row = find(odoo, _SHOWN, invoice_id, invoice_name)
    posted = row["state"] == "posted"
    is_open = posted and bool(row["amount_residual"]) and bool(row["commercial_partner_id"])
    asked: list[Callable[[], Any]] = [
        lambda: _lines(odoo, row, line_limit) if line_limit else None,
        lambda: partials_of(odoo, row) if posted else [],
        lambda: _accounts(odoo, row) if is_open else set(),
        lambda: open_credits(odoo, row) if is_open else [],
    ]
    lines, partials, accounts, others = side_by_side(asked)
    payments, warnings = settlements(odoo, row, partials)
    return filled(
        InvoiceDetails,
        row,
        name=number_of(row),
        currency=currency_of(row),
        line_count=len(row["invoice_line_ids"] or ()),
        lines=lines,
        payments=payments or None,
        open_credits=told(others, accounts)[:20] or None,
        warnings=warnings,
    )


def _lines(odoo: Odoo, row: Row, limit: int) -> list[InvoiceLine]:
    fields = ["product_id", "name", "quantity", "price_unit", "discount", "account_id", "tax_ids"]
    fields += ["price_subtotal", "price_total", "display_type"]
    domain = [["id", "in", row["invoice_line_ids"] or []]]
    rows = read_rows(odoo, ITEM, domain, fields, acts_on=INVOICE.model, limit=limit)
    return [_line(line) for line in rows]


def _line(line: Row) -> InvoiceLine:
    product = line["product_id"]
    # From 16 on the lines of products have a type, too.
    kind = (line["display_type"] or "").removeprefix("line_")
    if kind in ("section", "subsection", "note"):
        return InvoiceLine(id=line["id"], name=line["name"], kind=kind)
    same = product and line["name"] == product.name
    return filled(
        InvoiceLine,
        {**line, "name": None if same else line["name"]},
        discount=line["discount"] or None,
        tax_ids=line["tax_ids"] or None,
        subtotal=line["price_subtotal"],
        total=line["price_total"],
    )


def _accounts(odoo: Odoo, row: Row) -> set[int]:
    domain = [["move_id", "=", row["id"]], of_type(odoo, *PARTNERS)]
    rows = read_rows(odoo, ITEM, domain, ["account_id"], acts_on=INVOICE.model)
    return {line["account_id"].id for line in rows}
