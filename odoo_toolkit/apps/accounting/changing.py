"""A function that changes the lines of draft invoices and bills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import read_lines
from odoo_toolkit.apps.accounting.books import ITEM
from odoo_toolkit.apps.accounting.invoices import (
    COMPUTES,
    INVOICE,
    LAYOUT,
    Invoice,
    InvoiceId,
    InvoiceName,
    called,
    invoice_result,
    kind_of,
    with_taxes,
)
from odoo_toolkit.apps.accounting.lines import NewLine, checked_lines, fill_lines, resolve_lines
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ValidationError

CHANGE = op.Step(model=INVOICE.model, method="write", says="Lines changed")

_FIELDS = ("product_id", "name", "display_type", "quantity", "price_unit", "discount")

#: Most lines of an answer.
_SHOWN = 50


@op.operation
def update_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    add: Annotated[Sequence[NewLine] | None, op.OBJECTS, Doc("Lines as in create_invoice.")] = None,
    change: op.Change = None,
    remove: op.Remove = None,
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Change the lines of a draft invoice or bill in one write. Other lines stay the same.

    >>> invoice = update_invoice(
    ...     odoo, invoice_id=7, change=[{"product_name": "Desk", "quantity": 3.0}]
    ... )
    >>> [line.quantity for line in invoice.lines or ()]
    [3.0]

    Identify a line by its product if no other line has it, otherwise by ``line_id``. If the product
    does not identify one line, the error lists the lines with their ids.

    It takes 4 to 8 requests.

    Raises:
        StateError: The invoice is not a draft. Nothing was written.
        AmbiguousNameError: A name matches several products. Nothing was written.
        NotFoundError: The invoice does not exist, or it has no such product. Nothing was written.
        ValidationError: There is nothing to change, or a line is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, CHANGE, dry_run=dry_run)
    asked = op.checked_changes(change, remove)
    new = checked_lines(odoo, add, "add") if add else []
    if not any((new, *asked)):
        raise ValidationError(
            "There is nothing to change.", suggestion="Pass add, change or remove."
        )
    row = op.find(odoo, INVOICE, invoice_id, invoice_name)
    if row["state"] != "draft":
        raise op.state_error(
            INVOICE,
            row,
            f"{called(row)} is {row['state']}, but only the lines of drafts can be changed.",
            "Reset it to draft first with reset_invoice, or create a credit note.",
        )
    lines = _of_row(odoo, row)
    _, changes, _ = op.resolved_changes(odoo, {"name": called(row)}, lines, asked)
    warnings: list[str] = []
    if new:
        company = row["company_id"].id
        resolve_lines(odoo, new, (), kind_of(row["move_type"]), company, "add")
        _, added, warnings = fill_lines(odoo, _head(odoo, row), new, company, "add")
        changes = attrs.evolve(changes, added=added)
    step = CHANGE.of(vals={"invoice_line_ids": changes.commands})
    # Added lines would come twice: repeating is not safe.
    step = attrs.evolve(step, seen=op.seen_changes(lines, changes, _lines), safe=False)

    def result(done: op.Done) -> Invoice:
        done.warnings[:0] = warnings
        made = invoice_result(odoo, done, "Changed", posting=False)
        found = op.afterwards(lambda: _shown(odoo, row["id"]), done.warnings, "its lines")
        return attrs.evolve(made, lines=found)

    def preview() -> list[op.PlannedDocument]:
        told = {**dict.fromkeys(op.AMOUNTS), "name": called(row)}
        planned = op.changed_document(odoo, LAYOUT, row, {}, changes, told, warnings)
        return [planned]

    return op.operate(
        odoo,
        [step],
        [row["id"]],
        result,
        message=f"Would change {called(row)} (lines: {changes.told()}).",
        dry_run=dry_run,
        preview=preview,
    )


def _lines(odoo: Odoo, invoice: int) -> list[op.Row]:
    return _of_row(odoo, op.read(odoo, INVOICE, invoice))


def _of_row(odoo: Odoo, row: op.Row) -> list[op.Row]:
    domain = [["id", "in", row["invoice_line_ids"] or []]]
    return op.read_rows(odoo, ITEM, domain, _FIELDS, acts_on=INVOICE.model)


def _shown(odoo: Odoo, invoice: int) -> Any:
    row = op.read(odoo, INVOICE, invoice)
    return with_taxes(odoo, read_lines(odoo, row, _SHOWN), INVOICE.model)


def _head(odoo: Odoo, row: op.Row) -> dict[str, Any]:
    """Return what new lines are filled in by."""
    links = {name: row[name] for name in ("partner_id", "journal_id")}
    if odoo.version.major < COMPUTES:
        own = "company_currency_id"
        (of_company,) = op.read_rows(odoo, INVOICE.model, [["id", "=", row["id"]]], [own])
        links["currency_id"] = None if of_company[own] == row["currency_id"] else row["currency_id"]
    found = {name: link.id for name, link in links.items() if link}
    return {"move_type": row["move_type"], **found}
