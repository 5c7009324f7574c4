"""A function that credits an invoice or bill, in full or in part."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import CREATE, POST
from odoo_toolkit.apps.accounting.books import checked_booking, lock_warnings
from odoo_toolkit.apps.accounting.invoices import (
    COMPUTES,
    INVOICE,
    LAYOUT,
    AccountingDate,
    Invoice,
    InvoiceId,
    InvoiceName,
    called,
    invoice_result,
    kind_of,
    pick_journal,
    planned_invoice,
)
from odoo_toolkit.apps.accounting.reconciling import ASSIGN, assign, open_lines
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, ValidationError, invalid
from odoo_toolkit.records.results import RecordName

_LINE = "account.move.line"
#: What a credit note has from its invoice, as far as the version and the modules have it. By the
#: last ones of a line its order knows that less is invoiced.
_HEAD = (
    *("partner_id", "currency_id", "fiscal_position_id", "partner_shipping_id"),
    *("invoice_user_id", "team_id", "invoice_origin"),
)
_OF_LINE = (
    *("product_id", "name", "product_uom_id", "price_unit", "discount", "account_id", "tax_ids"),
    *("analytic_account_id", "analytic_tag_ids", "analytic_distribution"),
    *("sale_line_ids", "purchase_line_id"),
)
_TOLERANCE = 1e-6
_CENT = 0.005

#: The first version on which posting a credit note settles its invoice.
_SETTLES = 17


BOOK = op.Step(
    model=INVOICE.model,
    method="write",
    says="Accounting date set",
    fails="It was created, but its accounting date was not set",
)


class CreditedLine(TypedDict, total=False):
    """A line of the invoice, and the quantity to credit."""

    line_id: int
    product_name: Annotated[str, Doc("Label of the line.")]
    quantity: Annotated[float, Doc("Default: all.")]


@op.operation
def create_credit_note(
    odoo: Odoo,
    *,
    invoice_id: InvoiceId = None,
    invoice_name: InvoiceName = None,
    lines: Annotated[Sequence[CreditedLine] | None, Len(1, 200), Doc("Default: all lines.")] = None,
    reason: Annotated[str | None, Doc("Reason, shown on the credit note.")] = None,
    date: Annotated[str | None, Doc("Default: today.")] = None,
    accounting_date: AccountingDate = None,
    journal_id: Annotated[op.NameOrId, Doc("Journal: id or name. Default: the invoice's.")] = None,
    post: Annotated[bool, Doc("Also post it.")] = False,
    allow_more: Annotated[bool, Doc("Allow more than was invoiced.")] = False,
    dry_run: op.DryRun = False,
) -> Invoice | op.Plan:
    """Create the credit note of a posted invoice, or the refund of a bill.

    >>> note = create_credit_note(odoo, invoice_name="INV/1", reason="Broken")
    >>> note.move_type, note.amount_total, note.posted
    ('out_refund', 115.0, False)

    Without ``lines``, the whole invoice is credited. Each line has ``line_id`` or ``product_name``
    (or the label of the line), and ``quantity``, which defaults to all of it. Posting applies the
    credit note to the unpaid amount of the invoice. If posting fails, the draft stays, and the
    result says why.

    It takes 7 to 13 requests.

    Raises:
        StateError: The invoice is not posted.
        ValidationError: You would credit more than was invoiced, or a line is wrong.
        AmbiguousNameError: A name matches several lines.
        NotFoundError: The invoice, or one of its lines, does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    started = time.time()
    settles = odoo.version.major >= _SETTLES

    def seen(odoo: Odoo, invoice: int) -> list[int]:
        domain = [["reversed_entry_id", "=", invoice]]
        return [
            note["id"] for note in op.read_new(odoo, INVOICE.model, domain, ["id"], since=started)
        ]

    reverse = op.WizardStep(
        model=INVOICE.model,
        wizard="account.move.reversal",
        says="Created",
        seen=seen,
        makes="one",
        safe=False,
    )
    posting = [POST] if settles else [POST, ASSIGN]
    making = [reverse, *([BOOK] if accounting_date else [])] if lines is None else [CREATE]
    op.permit(odoo, *making, *(posting if post else []), dry_run=dry_run)
    wanted = None if lines is None else _checked(lines)
    day = op.checked_day(date, "date") or op.today(odoo)
    row = op.find(odoo, INVOICE, invoice_id, invoice_name)
    if row["state"] != "posted" or row["move_type"] not in ("out_invoice", "in_invoice"):
        draft = row["state"] == "draft"
        raise op.state_error(
            INVOICE,
            row,
            f"{called(row)} is {row['state']} ({row['move_type']}). You can only credit posted "
            "invoices and bills.",
            "Post it first, or change the draft." if draft else "",
        )
    journal, company, kind = row["journal_id"].id, row["company_id"].id, kind_of(row["move_type"])
    if journal_id is not None:
        journal = pick_journal(odoo, journal_id, (kind,), company)["id"]
    booked = checked_booking(odoo, accounting_date, company, kind)
    questions: list[Callable[[], list[op.Row]]] = [lambda: _credited(odoo, row)]
    questions += [lambda: open_lines(odoo, row)] if post and not settles else [list]
    if wanted is not None:
        questions += [lambda: _lines_of(odoo, row), lambda: _head_of(odoo, row)]
    notes, still_open, *more = op.side_by_side(questions)
    steps: list[op.AnyStep]
    if wanted is None:
        amount = row["amount_total"]
        _check_amount(row, amount, notes, allow_more)
        values = {"journal_id": journal, "date": day}
        values |= {"reason": reason} if reason is not None else {}
        if "refund_method" in odoo.schema.fields(reverse.wizard):
            # "cancel" would take off the payments that the invoice has, and reverse those parts.
            values |= {"refund_method": "refund", "date_mode": "custom"}
        steps = [reverse.of(**values)]
        # The wizard has one day for both.
        steps += [BOOK.of(vals={"date": booked})] if booked else []
        chosen, written, what = None, None, ""
    else:
        chosen = _chosen(row, more[0], wanted, allow_more)
        if notes and not allow_more:
            _check_left(odoo, row, more[0], chosen, [note["id"] for note in notes])
        amount = sum(part * line["price_total"] / (line["quantity"] or 1) for line, part in chosen)
        _check_amount(row, amount, notes, allow_more)
        told = {"journal_id": journal, "invoice_date": day, "invoice_date_due": day}
        told["date"] = booked or day
        # Odoo takes two refunds of a vendor with one reference and date for the same.
        again = f" ({len(notes) + 1})" if notes else ""
        told["ref"] = ", ".join(filter(None, [f"Reversal of: {row['name']}{again}", reason]))
        written = {**_values(row, more[1][0], chosen), **told}
        steps = [CREATE.of(vals_list=[written])]
        # The form of 15 adds up no lines without a product: then this is all that is known.
        known = f", {amount:.2f}," if odoo.version.major < COMPUTES else ""
        what = f"{op.counted(len(chosen), 'line')}{known} of "
    steps += [POST] if post else []
    steps += [assign(line["id"]) for line in _settled_by(amount, still_open)]

    def look() -> op.Row:
        return op.read(odoo, INVOICE, row["id"])

    def result(done: op.Done) -> Invoice:
        if not done.answers[0]:
            todo = "Look at the invoice in Odoo."
            raise op.state_error(
                INVOICE, row, f"Odoo created no credit note for {called(row)}.", todo
            )
        made = invoice_result(odoo, done, "Created", posting=post, date=booked)
        # Posting it settles the invoice as far as that is unpaid: what is left is found out.
        if not made.posted or not (credited := op.afterwards(look, done.warnings, called(row))):
            return made
        left = op.money(credited["amount_residual"], op.currency_of(credited))
        return attrs.evolve(made, message=f"{made.message}; {left} is still due of {called(row)}")

    would = f"Would create the credit note for {what}{called(row)}."
    ids = [row["id"]] if wanted is None else []

    def preview() -> list[op.PlannedDocument]:
        made = _previewed(odoo, row, chosen, day, booked or day, written)
        total = made.amount_total
        if not post or total is None:
            return [made]
        left = op.money(max(row["amount_residual"] - total, 0.0), op.currency_of(row))
        return [attrs.evolve(made, notes=[*made.notes, f"{left} stays due of {called(row)}."])]

    return op.operate(
        odoo,
        steps,
        ids,
        result,
        message=would,
        dry_run=dry_run,
        preview=preview,
        doubts=lambda: lock_warnings(odoo, company, booked or day, kind),
    )


def _previewed(
    odoo: Odoo,
    row: op.Row,
    chosen: Sequence[tuple[op.Row, float]] | None,
    day: str,
    booked: str,
    values: Mapping[str, Any] | None,
) -> op.PlannedDocument:
    """Return a credit note: the lines of its invoice, which Odoo copies, or those chosen.

    Of those chosen, Odoo's form adds up the ``values``.
    """
    quantities = None if chosen is None else {line["id"]: part for line, part in chosen}

    def credited(line: op.Row, item: op.PlannedLine) -> op.PlannedLine | None:
        if quantities is None or item.quantity == quantities.get(line["id"]):
            return item
        if line["id"] not in quantities:
            return None
        return attrs.evolve(item, quantity=quantities[line["id"]], subtotal=None)

    told: dict[str, Any] = {"id": None, "url": None, "state": None, "due_date": None}
    told |= {"name": f"new credit note of {called(row)}", "date": day, "amount_due": None}
    told["accounting_date"] = booked
    if values is not None:
        asked = planned_invoice(odoo, values) if odoo.version.major >= COMPUTES else None
        told |= {name: getattr(asked, name, None) for name in op.AMOUNTS}
        if told["amount_total"] is None:
            told["notes"] = ["Odoo calculates the sums when it creates the credit note."]
    return op.read_document(odoo, LAYOUT, row, shown=credited, **told)


def _checked(lines: Sequence[op.Line]) -> list[dict[str, Any]]:
    checked = op.check_lines(lines, CreditedLine.__annotations__)
    for index, line in enumerate(checked):
        where = f"lines[{index}]"
        if ("line_id" in line) == ("product_name" in line):
            raise invalid(
                f"{where}.line_id",
                f"{where} must identify one line. Set line_id or product_name.",
                "get_invoice shows the lines.",
            )
        if "quantity" in line:
            line["quantity"] = op.checked_number(
                line["quantity"], f"{where}.quantity", positive=True
            )
    return checked


def _credited(odoo: Odoo, row: op.Row) -> list[op.Row]:
    """Return the credit notes that there are of an invoice, drafts too."""
    domain = [["reversed_entry_id", "=", row["id"]], ["state", "!=", "cancel"]]
    return op.read_rows(
        odoo, INVOICE.model, domain, ("name", "display_name", "state", "amount_total")
    )


def _lines_of(odoo: Odoo, row: op.Row) -> list[op.Row]:
    domain = [["id", "in", row["invoice_line_ids"]], ["account_id", "!=", False]]
    fields = (*_OF_LINE, "quantity", "price_total")
    return op.read_rows(odoo, _LINE, domain, fields, acts_on=INVOICE.model)


def _head_of(odoo: Odoo, row: op.Row) -> list[op.Row]:
    return op.read_rows(odoo, INVOICE.model, [["id", "=", row["id"]]], _HEAD)


def _chosen(
    row: op.Row, found: Sequence[op.Row], wanted: Sequence[op.Line], allow_more: bool
) -> list[tuple[op.Row, float]]:
    """Return the lines that are meant, each with the quantity to credit."""
    chosen: dict[int, tuple[op.Row, float]] = {}
    for index, line in enumerate(wanted):
        where = f"lines[{index}]"
        meant = _meant(row, found, line, where)
        quantity = line.get("quantity", meant["quantity"])
        if meant["id"] in chosen:
            raise invalid(
                where, f"{where} identifies the same line as another entry.", "List each line once."
            )
        if not quantity or (quantity > meant["quantity"] + _TOLERANCE and not allow_more):
            raise invalid(
                f"{where}.quantity",
                f"{where}.quantity is {quantity:g}, but {meant['quantity']:g} of"
                f" {_label(meant)} were invoiced on {called(row)}.",
                "Correct the quantity, or pass allow_more=True.",
                invoiced=meant["quantity"],
            )
        chosen[meant["id"]] = (meant, quantity)
    return list(chosen.values())


def _meant(row: op.Row, found: Sequence[op.Row], line: op.Line, where: str) -> op.Row:
    if "line_id" in line:
        meant = [item for item in found if item["id"] == line["line_id"]]
        said = str(line["line_id"])
    else:
        said = str(line["product_name"]).strip()
        sought = said.casefold()
        meant = [item for item in found if sought in _names(item)] or [
            item for item in found if any(sought in name for name in _names(item))
        ]
    if len(meant) == 1:
        return meant[0]
    shown = [RecordName(id=item["id"], name=_label(item)) for item in meant or found]
    if meant:
        raise op.AmbiguousNameError(f"{where}.line_id", said[:60], _LINE, shown)
    listed = "; ".join(
        f"{_label(item)} (line_id {item['id']}): {item['quantity']:g}" for item in found[:10]
    )
    raise NotFoundError(
        f"{called(row)} has no line {said[:60]!r} ({where}).",
        suggestion=f"Its lines, with the quantities and amounts invoiced: {listed}.",
        details={"model": _LINE, "field": f"{where}.line_id", "ids": [i.id for i in shown[:10]]},
    )


def _names(line: op.Row) -> set[str]:
    product = line["product_id"]
    return {str(name).casefold() for name in (line["name"], product and product.name) if name}


def _label(line: op.Row) -> str:
    product = line["product_id"]
    return str(product.name if product else line["name"])


def _check_amount(row: op.Row, amount: float, notes: Sequence[op.Row], allow_more: bool) -> None:
    """Refuse to credit more than was invoiced, unless told so."""
    before = sum(note["amount_total"] for note in notes)
    if allow_more or before + amount <= row["amount_total"] + 0.01:
        return
    listed = ", ".join(f"{called(note)} ({note['state']})" for note in notes)
    by = f" by {listed}" if listed else ""
    raise ValidationError(
        f"{amount:.2f} is more than the amount left to credit on {called(row)}: "
        f"{row['amount_total']:.2f} invoiced, {before:.2f} already credited{by}.",
        suggestion="Check the existing credit notes, credit less, or pass allow_more=True.",
        details={"model": INVOICE.model, "id": row["id"], "ids": [note["id"] for note in notes]},
    )


def _check_left(
    odoo: Odoo,
    row: op.Row,
    found: Sequence[op.Row],
    chosen: Sequence[tuple[op.Row, float]],
    notes: Sequence[int],
) -> None:
    """Refuse to credit more of a line than earlier credit notes leave; they copy what it sells."""
    domain = [["move_id", "in", list(notes)], ["account_id", "!=", False]]
    fields = ("product_id", "name", "price_unit", "quantity")
    before = op.read_rows(odoo, _LINE, domain, fields, acts_on=INVOICE.model)

    def quantity(lines: Sequence[op.Row], like: op.Row) -> float:
        alike = [line for line in lines if all(line[name] == like[name] for name in fields[:3])]
        return float(sum(line["quantity"] for line in alike))

    for line, part in chosen:
        invoiced, credited = quantity(found, line), quantity(before, line)
        if credited and part > invoiced - credited + _TOLERANCE:
            raise invalid(
                "lines",
                f"{part:g} of {_label(line)} is more than the quantity left to credit on "
                f"{called(row)}: {invoiced:g} invoiced, {credited:g} already credited.",
                "Correct the quantity, or pass allow_more=True.",
                credited=credited,
                ids=list(notes),
            )


def _settled_by(amount: float, lines: Sequence[op.Row]) -> list[op.Row]:
    """Return the open instalments of an invoice that an amount settles, the first due first."""
    settled: list[op.Row] = []
    for line in sorted(lines, key=lambda line: (line["date_maturity"] or "", line["id"])):
        if amount < _CENT:
            break
        settled.append(line)
        amount -= abs(line["amount_residual_currency"])
    return settled


def _values(
    row: op.Row, head: Mapping[str, Any], chosen: Sequence[tuple[op.Row, float]]
) -> dict[str, Any]:
    """Return the values of the credit note that are its invoice's."""
    commands = [
        [0, 0, {**_copied(line, _OF_LINE), "quantity": quantity}] for line, quantity in chosen
    ]
    return {
        **_copied(head, _HEAD),
        "move_type": row["move_type"].replace("invoice", "refund"),
        "reversed_entry_id": row["id"],
        "invoice_line_ids": commands,
    }


def _copied(row: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        value = row[field]
        if isinstance(value, RecordName):
            values[field] = value.id
        elif isinstance(value, list):
            # No tax is told as well: 16 would put the company's own on a line that has none.
            values[field] = [[6, 0, value]]
        elif value is not None:
            values[field] = value
    return values
