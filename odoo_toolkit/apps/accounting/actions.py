"""Functions that create, read, post, reset and cancel invoices and bills.

An ``account.move`` goes draft -> [action_post] -> posted. The button button_cancel cancels a draft
or posted one. The button button_draft resets a posted or cancelled one to draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import ITEM, checked_booking, lock_warnings, of_type
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE,
    INVOICE_TYPES,
    AccountingDate,
    Invoice,
    InvoiceId,
    InvoiceLine,
    InvoiceName,
    MoveType,
    called,
    due_by_itself,
    invoice_result,
    kind_of,
    number_of,
    pick_journal,
    planned_invoice,
    previewed,
    summed_up,
    unnamed,
    with_taxes,
)
from odoo_toolkit.apps.accounting.lines import NewLine, checked_lines, fill_lines, resolve_lines
from odoo_toolkit.apps.accounting.reconciling import (
    PARTNERS,
    open_credits,
    partials_of,
    settlements,
    told,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid, make_error

CREATE = op.Step(model=INVOICE.model, method="create", says="Created")
POST = op.Step(
    model=INVOICE.model,
    method="action_post",
    says="Posted",
    fails="It was created, but not posted",
    seen=op.shows(INVOICE, state=("posted",)),
)


@op.operation
def create_invoice(
    odoo: Odoo,
    *,
    move_type: MoveType = "out_invoice",
    partner_id: Annotated[int | None, Doc("Id of the contact.")] = None,
    partner_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    lines: Annotated[
        Sequence[NewLine],
        Len(1, 500),
        Doc(
            "Each with a product or a name, and quantity, price, taxes and account if they differ"
            " from Odoo's defaults."
        ),
    ],
    invoice_date: Annotated[str | None, Doc("Default: today.")] = None,
    journal_id: Annotated[op.NameOrId, Doc("Id or name of the journal.")] = None,
    currency_id: Annotated[
        op.NameOrId, Doc("Id or name of the currency, such as EUR. Default: the company's.")
    ] = None,
    ref: Annotated[str | None, Doc("Reference, e.g. the vendor's bill number.")] = None,
    due_date: Annotated[str | None, Doc("Default: from the payment terms.")] = None,
    accounting_date: AccountingDate = None,
    post: Annotated[bool, Doc("Also post it.")] = False,
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Create a customer invoice, vendor bill, credit note or refund.

    >>> invoice = create_invoice(
    ...     odoo, partner_name="Azure", lines=[{"product_name": "Desk"}], post=True
    ... )
    >>> invoice.posted
    True

    Each line has ``product_id`` or ``product_name``, or ``name`` with ``price_unit``. A line with
    only ``name`` becomes a note. Optional keys are ``quantity``
    (default: 1), ``price_unit`` in the invoice's currency (default: the product's price or cost),
    ``discount`` in percent, ``uom``, ``account_id`` or ``account_name`` (a name or code), and
    ``tax_ids`` (ids or names).

    The toolkit always sets the taxes, because the defaults of Odoo differ by version. A line gets
    your ``tax_ids``. Without them it gets the product's taxes, mapped by the partner's fiscal
    position. A line without a product, or whose product has no taxes, gets no taxes.

    The journal must be of type sale or purchase, as the move type needs. The date also defaults to
    today for bills. If posting fails, the draft stays, and the result says why.

    It takes 5 requests, 1 more to post, and 1 more with ``accounting_date``.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        ValidationError: A line or another argument is wrong. Nothing was written.
        NotFoundError: A record does not exist. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    steps = [CREATE, POST] if post else [CREATE]
    op.permit(odoo, *steps, dry_run=dry_run)
    op.check_choice(move_type, INVOICE_TYPES, "move_type", "{} is not an invoice type.")
    checked = checked_lines(odoo, lines)
    day = op.checked_day(invoice_date, "invoice_date") or op.today(odoo)
    due = op.checked_day(due_date, "due_date")
    if due is not None and due < day:
        raise invalid(
            "due_date",
            f"due_date {due} is before the invoice date {day}.",
            "Set due_date to the invoice date or later.",
        )
    partner = op.Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name)
    wanted = [partner, *op.wanted_links(currency_id=("res.currency", currency_id))]
    company, kind = op.acting_company(odoo, INVOICE.model), kind_of(move_type)
    booked = checked_booking(odoo, accounting_date, company, kind)
    found = resolve_lines(odoo, checked, wanted, kind, company)
    if dry_run:
        op.look_for(odoo, [partner])
    head: dict[str, Any] = {"move_type": move_type, "invoice_date": day}
    head |= {link.field: number for link, number in zip(wanted, found, strict=True)}
    head |= {name: told for name, told in {"ref": ref, "date": booked}.items() if told is not None}
    if journal_id is not None:
        head["journal_id"] = pick_journal(odoo, journal_id, (kind,), company)["id"]
    terms, commands, warnings = fill_lines(odoo, head, checked, company)
    # With terms of payment, Odoo computes the day itself.
    terms |= {"invoice_date_due": due, "invoice_payment_term_id": False} if due else {}
    steps[0] = CREATE.of(vals_list=[{**head, **terms, "invoice_line_ids": commands}])

    def result(done: op.Done) -> Invoice:
        done.warnings[:0] = warnings
        told: Any = {"date": booked, "due": due is not None}
        return invoice_result(odoo, done, "Created", posting=post, **told)

    would = f"Would create an {move_type} with {op.counted(len(commands), 'line')}."

    def preview() -> list[op.PlannedDocument]:
        (values,) = steps[0].arguments["vals_list"]
        made = planned_invoice(odoo, values, notes=warnings)
        own = due_by_itself(made.date, made.due_date, made.payment_term or due)
        return [attrs.evolve(made, notes=[*made.notes, *own])]

    return op.operate(
        odoo,
        steps,
        (),
        result,
        message=would,
        dry_run=dry_run,
        preview=preview,
        doubts=lambda: lock_warnings(odoo, company, booked or day, kind),
    )


@op.operation
def post_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Post a draft invoice or bill.

    >>> post_invoice(odoo, invoice_id=7).state
    'posted'

    Most drafts have no number yet, so pass the id. It takes 3 requests.

    Raises:
        StateError: The invoice is posted or cancelled. Odoo 14 to 16 would post a cancelled one.
        ValidationError: The invoice has no lines or no partner, or is a bill without a date.
        NotFoundError: The invoice does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    op.permit(odoo, POST, dry_run=dry_run)
    row = op.find(odoo, INVOICE, invoice_id, invoice_name)
    _check_postable(row)
    # Odoo dates an invoice without a date today, and works out from that when it is due.
    dated = {} if row["invoice_date"] else {"date": op.today(odoo), "due_date": None}
    return op.operate(
        odoo,
        [POST],
        [row["id"]],
        lambda done: invoice_result(odoo, done, "Posted", posting=True, date=_booked(odoo, row)[0]),
        message=f"Would post {called(row)}.",
        dry_run=dry_run,
        preview=lambda: [previewed(odoo, row, **dated)],
        doubts=lambda: lock_warnings(odoo, row["company_id"].id, *_booked(odoo, row)),
    )


def _booked(odoo: Odoo, row: op.Row) -> tuple[str, str]:
    """Return the day under which Odoo would book a draft, and of what kind its journal is."""
    if row["move_type"] == "entry":
        return row["date"], "general"
    kind = kind_of(row["move_type"])
    # What has a day keeps the accounting date of its draft; an invoice without is booked today.
    day = row["date"] if kind == "purchase" or row["invoice_date"] else None
    return day or row["invoice_date"] or op.today(odoo), kind


def _check_postable(row: op.Row) -> None:
    name, state = called(row), row["state"]
    if state == "posted":
        todo = "Nothing is left to do."
        raise op.state_error(INVOICE, row, f"{name} is already posted.", todo)
    if state != "draft":
        todo = "Reset it to draft first with reset_invoice."
        raise op.state_error(INVOICE, row, f"{name} is cancelled.", todo)
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
            suggestion="Set the missing values with write on account.move, then post the document.",
            details={"model": INVOICE.model, "id": row["id"], "fields": [f for f, _ in obstacles]},
        )


#: To 17 an entry names its payment by the first field, from 18 on by the second.
_OWNERS = {
    "payment_id": "payment",
    "origin_payment_id": "payment",
    "statement_line_id": "bank line",
}
_ENTRY = attrs.evolve(
    INVOICE,
    noun="invoice, bill or entry",
    domain=(("move_type", "in", (*INVOICE_TYPES, "entry")),),
    fields=(*INVOICE.fields, *_OWNERS),
)

DRAFT = op.Step(
    model=INVOICE.model,
    method="button_draft",
    says="Reset to draft",
    seen=op.shows(INVOICE, state=("draft",)),
)
CANCEL = op.Step(
    model=INVOICE.model,
    method="button_cancel",
    says="Cancelled",
    fails="It is a draft now, but not cancelled",
    seen=op.shows(INVOICE, state=("cancel",)),
)


@op.operation
def reset_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    to: Annotated[Literal["draft", "cancel"], Doc("draft, or cancel.")] = "draft",
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Reset an invoice, bill or journal entry to draft, or cancel it.

    >>> reset_invoice(odoo, invoice_name="INV/1", to="draft").state
    'draft'

    You can reset a posted or cancelled invoice, and cancel a draft or posted one. Its payments
    become open again. On Odoo 19 a draft stays reconciled, and only cancelling it releases its
    payments.

    It takes 3 requests, or 4 for a posted invoice.

    Raises:
        StateError: It is already in that state, or belongs to a payment or bank line.
        NotFoundError: The invoice does not exist.
        AccessError: Odoo or the policy does not allow it.
        OdooError: Odoo rejected it, for example because of a lock date.
    """
    op.permit(odoo, *([DRAFT, CANCEL] if to == "cancel" else [DRAFT]), dry_run=dry_run)
    op.check_choice(to, ("draft", "cancel"), "to", "An invoice cannot be reset to {}.")
    row = op.find(odoo, _ENTRY, invoice_id, invoice_name)
    _check(row, to)
    # Odoo 14 and 15 would cancel a posted one without opening what it is reconciled with.
    steps = [DRAFT] if to == "draft" else [CANCEL]
    steps = [DRAFT, CANCEL] if to == "cancel" and row["state"] == "posted" else steps
    paid = row["payment_state"] in ("paid", "in_payment", "partial", "reversed")

    def result(done: op.Done) -> Invoice:
        if paid:
            done.warnings.append(
                f"It was {row['payment_state'].replace('_', ' ')}. Its payments stay. If the "
                "invoice shows an amount due, the payments are open again."
            )
        verb = "Cancelled" if to == "cancel" and done.complete else "Reset to draft"
        return invoice_result(odoo, done, verb, posting=False)

    would = "cancel" if to == "cancel" else "reset to draft"
    return op.operate(
        odoo,
        steps,
        [row["id"]],
        result,
        message=f"Would {would} {called(row)}{', which is paid or partly paid' if paid else ''}.",
        dry_run=dry_run,
        preview=lambda: [summed_up(odoo, row)],
    )


def _check(row: op.Row, to: str) -> None:
    name = called(row)
    if row["state"] == to:
        message = f"{name} is already {'cancelled' if to == 'cancel' else 'a draft'}."
        raise op.state_error(INVOICE, row, message, "Nothing is left to do.")
    for field, what in _OWNERS.items():
        # A payment of an entry that is its own; Odoo would take the entry back without it.
        if row[field] and row["move_type"] == "entry":
            message = f"{name} belongs to the {what} {row[field].name}."
            raise op.state_error(INVOICE, row, message, f"Undo the {what} itself.")


def get_invoice(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    line_limit: Annotated[int, Ge(0), Doc("Maximum number of lines.")] = 12,
) -> Invoice:
    """Return an invoice or bill with its lines, payments and open amount.

    >>> get_invoice(odoo, invoice_name="INV/1").amount_residual
    115.0

    It takes at most 7 requests.

    Raises:
        NotFoundError: The invoice does not exist.
        AmbiguousNameError: Several invoices match the name.
        AccessError: Odoo or the policy does not allow it.
    """
    row = op.find(odoo, INVOICE, invoice_id, invoice_name)
    posted = row["state"] == "posted"
    is_open = posted and bool(row["amount_residual"]) and bool(row["commercial_partner_id"])
    lines, partials, accounts, others = op.gather(
        lambda: read_lines(odoo, row, line_limit) if line_limit else None,
        lambda: partials_of(odoo, row) if posted else [],
        lambda: _accounts(odoo, row) if is_open else set(),
        lambda: open_credits(odoo, row) if is_open else [],
    )
    (payments, warnings), lines = op.gather(
        lambda: settlements(odoo, row, partials),
        lambda: with_taxes(odoo, lines, INVOICE.model) if lines else lines,
    )
    return op.filled(
        Invoice,
        row,
        name=number_of(row),
        currency=op.currency_of(row),
        payment_term=row["invoice_payment_term_id"],
        line_count=len(row["invoice_line_ids"] or ()),
        lines=lines,
        payments=payments or None,
        open_credits=told(others, accounts)[:20] or None,
        warnings=warnings,
    )


def read_lines(odoo: Odoo, row: op.Row, limit: int) -> list[InvoiceLine]:
    """Return the lines of an invoice, whose taxes are not named yet."""
    fields = ["product_id", "name", "quantity", "price_unit", "discount", "account_id", "tax_ids"]
    fields += ["price_subtotal", "price_total", "display_type"]
    domain = [["id", "in", row["invoice_line_ids"] or []]]
    rows = op.read_rows(odoo, ITEM, domain, fields, acts_on=INVOICE.model, limit=limit)
    return [_line(line) for line in rows]


def _line(line: op.Row) -> InvoiceLine:
    product = line["product_id"]
    # From 16 on the lines of products have a type, too.
    kind = (line["display_type"] or "").removeprefix("line_")
    if kind in ("section", "subsection", "note"):
        return InvoiceLine(id=line["id"], name=line["name"], kind=kind)
    same = product and line["name"] == product.name
    return op.filled(
        InvoiceLine,
        {**line, "name": None if same else line["name"]},
        discount=line["discount"] or None,
        taxes=unnamed(line["tax_ids"]),
        subtotal=line["price_subtotal"],
        total=line["price_total"],
    )


def _accounts(odoo: Odoo, row: op.Row) -> set[int]:
    domain = [["move_id", "=", row["id"]], of_type(odoo, *PARTNERS)]
    rows = op.read_rows(odoo, ITEM, domain, ["account_id"], acts_on=INVOICE.model)
    return {line["account_id"].id for line in rows}
