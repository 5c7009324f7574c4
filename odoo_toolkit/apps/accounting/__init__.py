"""Invoices, bills, their payments and credit notes.

An ``account.move`` goes draft -> [action_post] -> posted; draft or posted -> [button_cancel] ->
cancel; posted or cancel -> [button_draft] -> draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun, JsonSchema
from odoo_toolkit.apps.accounting.invoices import (
    INVOICE_TYPES,
    Invoice,
    acting_company,
    label,
    only,
    pick_journal,
    read_invoice,
    read_moves,
)
from odoo_toolkit.apps.accounting.lines import LINE_KEYS, fill_lines
from odoo_toolkit.apps.accounting.payments import register_payment
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError, make_error
from odoo_toolkit.operations.lines import (
    Line,
    check_lines,
    checked_day,
    checked_number,
    today,
    wanted_product,
)
from odoo_toolkit.operations.plans import Plan, plan
from odoo_toolkit.records.names import Wanted, resolve, resolve_all
from odoo_toolkit.wizards.actions import is_wizard_action
from odoo_toolkit.wizards.protocol import run_wizard, unanswered

__all__ = ["create_credit_note", "create_invoice", "post_invoice", "register_payment"]

MoveType = Literal["out_invoice", "out_refund", "in_invoice", "in_refund"]
InvoiceId = Annotated[int | None, Doc("The invoice or bill.")]
InvoiceName = Annotated[str | None, Doc("Or its number, such as INV/2025/00007.")]

_LINES = JsonSchema(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "product_id": {"type": "integer"},
                "product_name": {"type": "string"},
                "name": {"type": "string", "description": "Label; needed without a product."},
                "quantity": {"type": "number", "default": 1},
                "price_unit": {"type": "number", "description": "Default: the product's."},
                "account_id": {"type": "integer"},
                "tax_ids": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "Default: the product's; none without a product.",
                },
            },
            "additionalProperties": False,
        },
    }
)


def create_invoice(
    odoo: Odoo,
    *,
    move_type: Annotated[
        MoveType, Doc("Customer invoice, customer credit note, vendor bill, vendor refund.")
    ] = "out_invoice",
    partner_id: Annotated[int | None, Doc("Customer or vendor.")] = None,
    partner_name: Annotated[str | None, Doc("Or the name to look up.")] = None,
    lines: Annotated[Sequence[Line], _LINES, Len(1, 500)],
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
        dry_run: whether to return a :class:`~odoo_toolkit.operations.plans.Plan` and write nothing.

    Raises:
        AmbiguousNameError: a name means several records; nothing was written.
        ValidationError: a line or another argument is wrong; nothing was written.
        NotFoundError: a record does not exist; nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    _permit(odoo, "create", post and "action_post")
    if move_type not in INVOICE_TYPES:
        raise make_error(
            "INVALID_SELECTION",
            f"{str(move_type)[:60]!r} is no type of invoice.",
            suggestion=f"Choose {', '.join(INVOICE_TYPES)}.",
            details={"field": "move_type", "allowed": list(INVOICE_TYPES)},
        )
    checked = check_lines(lines, LINE_KEYS)
    for index, line in enumerate(checked):
        if not {"product_id", "product_name"} & line.keys() and not str(line.get("name", "")):
            raise make_error(
                "MISSING_REQUIRED_FIELD",
                f"lines[{index}] has neither a product nor a name.",
                suggestion="Give product_id, product_name or name.",
                details={"field": f"lines[{index}].name"},
            )
        line["quantity"] = checked_number(
            line.get("quantity", 1), f"lines[{index}].quantity", positive=False
        )
        if "price_unit" in line:
            checked_number(line["price_unit"], f"lines[{index}].price_unit", positive=False)
    day = checked_day(invoice_date, "invoice_date") or today(odoo)

    with_product = [i for i, x in enumerate(checked) if {"product_id", "product_name"} & x.keys()]
    partner, *products = resolve_all(
        odoo,
        [
            Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
            *(wanted_product(checked[index], index) for index in with_product),
        ],
    )
    for index, product in zip(with_product, products, strict=True):
        checked[index]["product_id"] = product
    header: dict[str, Any] = {
        "move_type": move_type,
        "partner_id": partner,
        "invoice_date": day,
        **only(journal_id=journal_id, currency_id=currency_id, ref=ref),
    }
    company = acting_company(odoo)
    if journal_id is not None:
        kind = "sale" if move_type.startswith("out_") else "purchase"
        pick_journal(odoo, journal_id, (kind,), company)
    more, commands, warnings = fill_lines(odoo, header, checked, company)
    values = {**header, **more, "invoice_line_ids": commands}

    create = _call("create", vals_list=[values])
    if dry_run:
        steps = [create, *([_call("action_post", ids=("the new invoice",))] if post else [])]
        return plan(odoo, f"Would create an {move_type} of {len(commands)} line(s).", steps)
    odoo.check(create)
    answer = odoo.call(create)
    invoice_id: int = answer[0] if isinstance(answer, list) else answer
    if post:
        try:
            _post(odoo, invoice_id)
        except OdooError as error:
            warnings.append(f"It was created, but not posted: {error.message} {error.suggestion}")
    return read_invoice(odoo, invoice_id, "Created", warnings)


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
        dry_run: whether to return a :class:`~odoo_toolkit.operations.plans.Plan` and write nothing.

    Raises:
        StateError: it is posted or cancelled (Odoo 14 to 16 would post a cancelled one).
        ValidationError: it has no lines, no partner, or is a bill without a date.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    _permit(odoo, "action_post")
    move_id = _resolve_invoice(odoo, invoice_id, invoice_name)
    (move,) = read_moves(odoo, [move_id], "invoice_line_ids", "invoice_date")
    shown = label(move)
    if move["state"] != "draft":
        raise StateError(
            f"{shown} is {'already posted' if move['state'] == 'posted' else 'cancelled'}.",
            suggestion="Nothing is left to do."
            if move["state"] == "posted"
            else "Reset it to draft first: odoo_core_execute button_draft on account.move.",
            details={"model": "account.move", "id": move_id, "current_state": move["state"]},
        )
    obstacles = []
    if not move["invoice_line_ids"]:
        obstacles.append(("invoice_line_ids", "it has no lines"))
    if not move["partner_id"]:
        obstacles.append(("partner_id", "it has no customer or vendor"))
    if move["move_type"].startswith("in_") and not move["invoice_date"]:
        obstacles.append(("invoice_date", "the date of the bill is missing"))
    if obstacles:
        raise make_error(
            "MISSING_REQUIRED_FIELD",
            f"{shown} cannot be posted: {'; '.join(text for _, text in obstacles)}.",
            suggestion="Fill that in with odoo_core_write on account.move, then post it.",
            details={"model": "account.move", "id": move_id, "fields": [f for f, _ in obstacles]},
        )
    if dry_run:
        return plan(odoo, f"Would post {shown}.", [_call("action_post", ids=(move_id,))])
    _post(odoo, move_id)
    return read_invoice(odoo, move_id, "Posted")


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
        dry_run: whether to return a :class:`~odoo_toolkit.operations.plans.Plan` and write nothing.

    Raises:
        StateError: the invoice is not posted.
        NotFoundError: it does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    model = "account.move.reversal"
    fields = odoo.schema.fields(model)
    # To 16 what is to be done is a field, from 17 on it is the button.
    by_field = "refund_method" in fields
    method = "reverse_moves" if by_field else "refund_moves"
    press = Call(
        model=model, method=method, ids=(0,), access="write", acts_on="account.move", step=True
    )
    odoo.check(press)
    day = checked_day(date, "date") or today(odoo)
    move_id = _resolve_invoice(odoo, invoice_id, invoice_name)
    (move,) = read_moves(odoo, [move_id], "journal_id", "invoice_date")
    if move["state"] != "posted" or move["move_type"] not in ("out_invoice", "in_invoice"):
        raise StateError(
            f"{label(move)} is {move['state']}; only posted invoices and bills are credited.",
            suggestion="Post it first, or change the draft itself."
            if move["state"] == "draft"
            else "",
            details={"model": "account.move", "id": move_id, "current_state": move["state"]},
        )
    company = move["company_id"][0]
    if journal_id is not None:
        kind = "sale" if move["move_type"] == "out_invoice" else "purchase"
        pick_journal(odoo, journal_id, (kind,), company)
    values: dict[str, Any] = {
        "journal_id": journal_id or move["journal_id"][0],
        "date": day,
        **only(reason=reason),
    }
    if by_field:
        # "cancel" posts the credit note and settles the invoice with it; posted later, a credit
        # note of Odoo 14 settles nothing.
        values |= {"refund_method": "cancel" if post else "refund", "date_mode": "custom"}
    if dry_run:
        create = attrs.evolve(press, method="create", ids=None, arguments={"vals_list": [values]})
        press = attrs.evolve(press, ids=("the wizard",))  # type: ignore[arg-type]
        return plan(odoo, f"Would create the credit note of {label(move)}.", [create, press])
    outcome = run_wizard(odoo, model, values, source=("account.move", [move_id]), method=method)
    note = (outcome.action or {}).get("res_id")
    if not note:
        found = odoo.call(
            Call(
                model="account.move",
                method="search",
                arguments={
                    "domain": [["reversed_entry_id", "=", move_id]],
                    "order": "id desc",
                    "limit": 1,
                },
            )
        )
        if not found:
            raise StateError(
                f"Odoo made no credit note of {label(move)}.",
                suggestion="Look at the invoice in Odoo.",
                details={"model": "account.move", "id": move_id, "current_state": move["state"]},
            )
        note = found[0]
    warnings: list[str] = []
    if post and not by_field:
        try:
            _post(odoo, note)
        except OdooError as error:
            warnings.append(f"It was created, but not posted: {error.message} {error.suggestion}")
    return read_invoice(odoo, note, "Created", warnings)


def _permit(odoo: Odoo, *methods: str | Literal[False]) -> None:
    """Ask the policy about the writing calls, before anything at all is sent for the caller."""
    for method in methods:
        if method == "create":
            odoo.check(_call(method, vals_list=[{}]))
        elif method:
            odoo.check(_call(method, ids=(0,)))


def _call(method: str, ids: tuple[Any, ...] | None = None, **arguments: Any) -> Call:
    return Call(
        model="account.move",
        method=method,
        ids=ids,
        arguments=arguments,
        access="create" if method == "create" else "write",
        acts_on="account.move",
        step=True,
    )


def _post(odoo: Odoo, move_id: int) -> None:
    """Post a move; what the method returns says nothing, so the state is read by the caller."""
    result = odoo.call(_call("action_post", ids=(move_id,)))
    if is_wizard_action(odoo, result):
        (move,) = read_moves(odoo, [move_id])
        # Odoo 18 and later may ask something about the future after it has posted.
        if move["state"] != "posted":
            raise unanswered(odoo, result)


def _resolve_invoice(odoo: Odoo, invoice_id: int | None, invoice_name: str | None) -> int:
    wanted = Wanted(
        model="account.move",
        field="invoice_id",
        id=invoice_id,
        name=invoice_name,
        domain=(("move_type", "in", list(INVOICE_TYPES)),),
    )
    return resolve(odoo, wanted) or 0
