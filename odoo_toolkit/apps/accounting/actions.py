"""Making, posting and crediting invoices and bills.

An ``account.move`` goes draft -> [action_post] -> posted; draft or posted -> [button_cancel] ->
cancel; posted or cancel -> [button_draft] -> draft.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    INVOICE_TYPES,
    Invoice,
    InvoiceId,
    InvoiceName,
    MoveType,
    called,
    invoice_result,
    kind_of,
    pick_journal,
)
from odoo_toolkit.apps.accounting.lines import LINE_SCHEMA, checked_lines, fill_lines
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import make_error
from odoo_toolkit.operations.companies import acting_company
from odoo_toolkit.operations.documents import Row, find, read_new, shows, state_error
from odoo_toolkit.operations.lines import Line, checked_day, today, wanted_product
from odoo_toolkit.operations.steps import AnyStep, Done, Plan, Step, WizardStep, operate, permit
from odoo_toolkit.records.names import Wanted, resolve_all

CREATE = Step(model=INVOICE.model, method="create", says="Created")
POST = Step(
    model=INVOICE.model,
    method="action_post",
    says="Posted",
    fails="It was created, but not posted",
    seen=shows(INVOICE, state=("posted",)),
)


def create_invoice(
    odoo: Odoo,
    *,
    move_type: Annotated[
        MoveType, Doc("Customer invoice, customer credit note, vendor bill, vendor refund.")
    ] = "out_invoice",
    partner_id: Annotated[int | None, Doc("Customer or vendor.")] = None,
    partner_name: Annotated[str | None, Doc("Or the name to look up.")] = None,
    lines: Annotated[Sequence[Line], JsonSchema(LINE_SCHEMA), Len(1, 500)],
    invoice_date: Annotated[str | None, Doc("YYYY-MM-DD; today by default.")] = None,
    journal_id: Annotated[int | None, Doc("Sale or purchase journal; Odoo's default.")] = None,
    currency_id: Annotated[int | None, Doc("Default: of the journal or company.")] = None,
    ref: Annotated[str | None, Doc("Reference, e.g. the vendor's bill number.")] = None,
    post: Annotated[bool, Doc("Also post it.")] = False,
    dry_run: DryRun = False,
) -> Invoice | Plan:
    """Create a customer invoice, vendor bill or refund; 5 round trips, 6 to post it too.

    Taxes are explicit, because what Odoo fills in differs by version (14 and 15 nothing, 16 the
    company's default even on lines of free text): a line gets ``tax_ids`` where given; else the
    product's taxes of the company, mapped by the partner's fiscal position; a line without a
    product, or whose product has none, gets none.

    Args:
        odoo: the connection.
        move_type: ``out_invoice``, ``out_refund``, ``in_invoice`` or ``in_refund``.
        partner_id: customer or vendor.
        partner_name: the name to look up instead.
        lines: each with ``product_id`` or ``product_name`` or a ``name``, and ``quantity`` (1),
            ``price_unit`` (in the invoice's currency; the product's sales price or cost),
            ``account_id``, ``tax_ids``.
        invoice_date: a day; today by default, for bills too.
        journal_id: of type sale or purchase, as the move type needs.
        currency_id: the invoice's currency.
        ref: the reference.
        post: whether to post it. If that fails, the draft stays and the result says why.
        dry_run: whether to return the plan and write nothing.

    Raises:
        AmbiguousNameError: a name means several records; nothing was written.
        ValidationError: a line or another argument is wrong; nothing was written.
        NotFoundError: a record does not exist; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    steps = [CREATE, POST] if post else [CREATE]
    permit(odoo, *steps)
    if move_type not in INVOICE_TYPES:
        raise make_error(
            "INVALID_SELECTION",
            f"{str(move_type)[:60]!r} is no type of invoice.",
            suggestion=f"Choose {', '.join(INVOICE_TYPES)}.",
            details={"field": "move_type", "allowed": list(INVOICE_TYPES)},
        )
    checked = checked_lines(lines)
    day = checked_day(invoice_date, "invoice_date") or today(odoo)
    sold = {
        index: wanted_product(line, index)
        for index, line in enumerate(checked)
        if {"product_id", "product_name"} & line.keys()
    }
    partner = Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    customer, *products = resolve_all(odoo, [partner, *sold.values()])
    for index, product in zip(sold, products, strict=True):
        checked[index]["product_id"] = product
    head = {"move_type": move_type, "partner_id": customer, "invoice_date": day}
    more = {"journal_id": journal_id, "currency_id": currency_id, "ref": ref}
    head |= {name: value for name, value in more.items() if value is not None}
    company = acting_company(odoo, INVOICE.model)
    if journal_id is not None:
        pick_journal(odoo, journal_id, (kind_of(move_type),), company)
    terms, commands, warnings = fill_lines(odoo, head, checked, company)
    steps[0] = CREATE.of(vals_list=[{**head, **terms, "invoice_line_ids": commands}])

    def result(done: Done) -> Invoice:
        done.warnings[:0] = warnings
        return invoice_result(odoo, done, "Created", posting=post)

    would = f"Would create an {move_type} of {len(commands)} line(s)."
    return operate(odoo, steps, (), result, would=would, dry_run=dry_run)


def post_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    dry_run: DryRun = False,
) -> Invoice | Plan:
    """Post a draft invoice or bill; 3 round trips.

    Args:
        odoo: the connection.
        invoice_id: the invoice.
        invoice_name: its number instead; drafts mostly have none yet.
        dry_run: whether to return the plan and write nothing.

    Raises:
        StateError: it is posted or cancelled (Odoo 14 to 16 would post a cancelled one).
        ValidationError: it has no lines, no partner, or is a bill without a date.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    permit(odoo, POST)
    row = find(odoo, INVOICE, invoice_id, invoice_name)
    _check_postable(row)
    return operate(
        odoo,
        [POST],
        [row["id"]],
        lambda done: invoice_result(odoo, done, "Posted", posting=True),
        would=f"Would post {called(row)}.",
        dry_run=dry_run,
    )


def create_credit_note(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    reason: Annotated[str | None, Doc("Shown on the credit note.")] = None,
    date: Annotated[str | None, Doc("YYYY-MM-DD; today by default.")] = None,
    journal_id: Annotated[int | None, Doc("Default: the invoice's.")] = None,
    post: Annotated[bool, Doc("Also post it.")] = False,
    dry_run: DryRun = False,
) -> Invoice | Plan:
    """Create the credit note of a posted invoice, or the refund of a bill, for its full amount.

    Args:
        odoo: the connection.
        invoice_id: the posted invoice or bill.
        invoice_name: its number instead.
        reason: shown on the credit note.
        date: its date.
        journal_id: by default the invoice's own; it is always sent, because Odoo 15 and later
            refuse the wizard without it.
        post: whether to post it, which settles the invoice with it as far as that is unpaid; if
            that fails, the draft stays and the result says why.
        dry_run: whether to return the plan and write nothing.

    Raises:
        StateError: the invoice is not posted.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    started = time.time()

    def seen(odoo: Odoo, invoice: int) -> list[int]:
        domain = [["reversed_entry_id", "=", invoice]]
        return [note["id"] for note in read_new(odoo, INVOICE.model, domain, ["id"], since=started)]

    reverse = WizardStep(
        model=INVOICE.model,
        wizard="account.move.reversal",
        says="Created",
        seen=seen,
        makes="one",
        safe=False,
    )
    permit(odoo, reverse, *([POST] if post else []))
    # To 16 what is to be done is a field, from 17 on it is the button.
    by_field = "refund_method" in odoo.schema.fields(reverse.wizard)
    day = checked_day(date, "date") or today(odoo)
    row = find(odoo, INVOICE, invoice_id, invoice_name)
    if row["state"] != "posted" or row["move_type"] not in ("out_invoice", "in_invoice"):
        draft = row["state"] == "draft"
        raise state_error(
            INVOICE,
            row,
            f"{called(row)} is {row['state']} ({row['move_type']}); only posted invoices and bills"
            " are credited.",
            "Post it first, or change the draft itself." if draft else "",
        )
    if journal_id is not None:
        pick_journal(odoo, journal_id, (kind_of(row["move_type"]),), row["company_id"].id)
    values = {"journal_id": journal_id or row["journal_id"].id, "date": day}
    values |= {"reason": reason} if reason is not None else {}
    if by_field:
        # "cancel" posts the credit note and settles the invoice with it; posted later, a credit
        # note of Odoo 14 settles nothing.
        values |= {"refund_method": "cancel" if post else "refund", "date_mode": "custom"}
    steps: list[AnyStep] = [reverse.of(**values)]
    steps += [POST] if post and not by_field else []

    def result(done: Done) -> Invoice:
        if not done.answers[0]:
            todo = "Look at the invoice in Odoo."
            raise state_error(INVOICE, row, f"Odoo made no credit note of {called(row)}.", todo)
        return invoice_result(odoo, done, "Created", posting=post)

    would = f"Would create the credit note of {called(row)}."
    return operate(odoo, steps, [row["id"]], result, would=would, dry_run=dry_run)


def _check_postable(row: Row) -> None:
    name, state = called(row), row["state"]
    if state == "posted":
        todo = "Nothing is left to do."
        raise state_error(INVOICE, row, f"{name} is already posted.", todo)
    if state != "draft":
        todo = "Reset it to draft first: execute button_draft on account.move."
        raise state_error(INVOICE, row, f"{name} is cancelled.", todo)
    obstacles = []
    if not row["invoice_line_ids"]:
        obstacles.append(("invoice_line_ids", "it has no lines"))
    if not row["partner_id"]:
        obstacles.append(("partner_id", "it has no customer or vendor"))
    if row["move_type"].startswith("in_") and not row["invoice_date"]:
        obstacles.append(("invoice_date", "the date of the bill is missing"))
    if obstacles:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{name} cannot be posted: {'; '.join(text for _, text in obstacles)}.",
            suggestion="Fill that in with write on account.move, then post it.",
            details={"model": INVOICE.model, "id": row["id"], "fields": [f for f, _ in obstacles]},
        )
