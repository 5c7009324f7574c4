"""An invoice as it is in Odoo, with its lines, what has paid it and what could."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import attrs
from annotated_types import Ge

from odoo_toolkit.apps.accounting.books import ITEM, of_type
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    Invoice,
    InvoiceId,
    InvoiceLine,
    InvoiceName,
    number_of,
)
from odoo_toolkit.apps.accounting.reconciling import (
    PARTNERS,
    open_credits,
    partials_of,
    settlements,
    told,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.operations.documents import Row, currency_of, filled, find, read_rows
from odoo_toolkit.parallel import side_by_side

_SHOWN = attrs.evolve(
    INVOICE,
    fields=(*INVOICE.fields, "invoice_date_due", "ref", "invoice_origin"),
)


def get_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    line_limit: Annotated[int, Ge(0)] = 12,
) -> Invoice:
    """Return an invoice or bill with lines, payments and what is open; 6 round trips at most.

    >>> get_invoice(odoo, invoice_name="INV/1").amount_residual
    115.0

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
        Invoice,
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
