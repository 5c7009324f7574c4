"""Several orders in one call, each taken through the stages after the quotation.

quotation -> confirm -> deliver -> invoice -> post -> pay; each stage finds what is to be done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.accounting.actions import POST, post_invoice
from odoo_toolkit.apps.accounting.invoices import INVOICE, pick_journal
from odoo_toolkit.apps.accounting.payments import PaymentResult, register_payment
from odoo_toolkit.apps.inventory import actions as transfers
from odoo_toolkit.apps.inventory.entries import Enter
from odoo_toolkit.apps.inventory.transfers import Transfer
from odoo_toolkit.apps.sales.actions import (
    InvoiceResult,
    confirm_order,
    create_invoices,
    new_invoices,
)
from odoo_toolkit.apps.sales.orders import (
    CONFIRMED,
    MOST_ORDERS,
    ORDER,
    Invoice,
    Order,
    find_orders,
    read_deliveries,
    read_invoices,
)
from odoo_toolkit.apps.sales.quotations import CONFIRM
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import (
    AccessError,
    OdooError,
    StateError,
    ValidationError,
    make_error,
)
from odoo_toolkit.operations.documents import (
    Row,
    currency_of,
    read,
    state_error,
)
from odoo_toolkit.operations.lines import IdOrName, NameOrId, checked_day
from odoo_toolkit.operations.steps import AnyStep, WizardStep, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.progress import Steps, quietly
from odoo_toolkit.records.names import Wanted, resolve
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import short_repr

StepName = Literal["confirm", "deliver", "invoice", "post", "pay"]

#: Does one thing; ``dry_run=True`` returns its plan.
Action = Callable[..., Any]

#: Transfers to the customer, and those before them; what a vendor or the customer himself brings
#: is no delivery of ours.
_OURS = ("outgoing", "internal")

#: Payment states in which money is due; where a payment is not booked (from 18 on) the residual
#: stays although it is paid.
_UNPAID = ("not_paid", "partial")
_SETTLED = ("paid", "in_payment", "reversed")


@attrs.frozen(kw_only=True)
class Stage:
    """One step of the way.

    Attributes:
        allowed: what the policy is asked about, as by the operation itself.
        left: finds what is to be done to an order's row, with the arguments of deliveries and
            payments; a text says why nothing is.
        made: returns what came of an action, or raises StateError where Odoo did not do it.
        then: what a dry run says where it depends on the steps before.
        again: whether doing it may leave more to be done.
    """

    allowed: Sequence[AnyStep]
    left: Callable[[Odoo, Row, Mapping[str, Any]], list[Action] | str]
    made: Callable[[Odoo, Row, Any], list[RecordName]]
    then: str
    again: bool = False


def amount_due(invoices: Sequence[Invoice]) -> float:
    """Return what is left to pay of posted invoices, less what credit notes give back."""
    due = 0.0
    for invoice in invoices:
        if invoice.state == "posted" and invoice.payment_state not in _SETTLED:
            back = invoice.type == "out_refund"
            due += -invoice.amount_residual if back else invoice.amount_residual
    return round(due, 6)


def check_confirmed(row: Row) -> None:
    """Refuse what needs a confirmed order of any other."""
    if row["state"] not in CONFIRMED:
        todo = "Confirm it first: the step confirm."
        if row["state"] == "cancel":
            todo = "A cancelled order goes no further."
        message = f"{row['name']} is not a confirmed order (state {row['state']})."
        raise state_error(ORDER, row, message, todo)


# What is left to be done --------------------------------------------------------------------------


def _to_confirm(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    if row["state"] in CONFIRMED:
        return f"It is already confirmed (state {row['state']})."
    return [partial(confirm_order, odoo, order_id=row["id"])]


def _to_deliver(odoo: Odoo, row: Row, how: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    if not row["picking_ids"]:
        return "It has no deliveries."
    deliveries = read_deliveries(odoo, row["picking_ids"])
    opened = [item for item in deliveries if item.state not in ("done", "cancel")]
    ours = [item for item in opened if item.type in _OURS]
    # One that waits is made ready by those before it: it comes in the next round.
    ready = [item for item in ours if item.state != "waiting"] or ours
    if ready:
        return [
            partial(_validate, odoo, item.id, unreserved=how["unreserved"])
            for item in sorted(ready, key=lambda i: i.id)
        ]
    others = ", ".join(f"{item.name} ({item.type})" for item in opened)
    return "Nothing is left to deliver." + (f" Not ours to deliver: {others}." if others else "")


def _validate(odoo: Odoo, picking_id: int, unreserved: bool, dry_run: bool) -> Transfer | Plan:
    try:
        return transfers.validate_picking(
            odoo, picking_id=picking_id, unreserved=unreserved, dry_run=dry_run
        )
    except StateError as error:
        # What can be chosen is chosen there.
        error.suggestion = f"With validate_picking: {error.suggestion}"
        raise


def _to_invoice(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    status = row["invoice_status"]
    if status in ("invoiced", "upselling"):
        return "It is already invoiced."
    if status == "no" and any(item.state != "cancel" for item in _invoices(odoo, row)):
        return "Nothing more of it can be invoiced now."
    return [partial(create_invoices, odoo, order_id=row["id"])]


def _to_post(odoo: Odoo, row: Row, _: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    invoices = _live_invoices(odoo, row, "post")
    drafts = [item for item in invoices if item.state == "draft"]
    if not drafts:
        return f"Posted already: {_listed(invoices)}."
    return [partial(post_invoice, odoo, invoice_id=item.id) for item in drafts]


def _to_pay(odoo: Odoo, row: Row, how: Mapping[str, Any]) -> list[Action] | str:
    check_confirmed(row)
    invoices = _live_invoices(odoo, row, "pay")
    posted = [item for item in invoices if item.state == "posted"]
    due = [
        item
        for item in posted
        if item.type == "out_invoice" and item.payment_state in _UNPAID and item.amount_residual
    ]
    if due:
        # The amount is given: without one Odoo would propose less, such as the next instalment
        # only, and the rest would be paid whenever this is repeated.
        return [
            partial(
                register_payment,
                odoo,
                invoice_ids=[item.id],
                amount=item.amount_residual,
                **how["payment"],
            )
            for item in due
        ]
    if not posted:
        message = f"Of {row['name']} no invoice is posted, so nothing can be paid."
        raise state_error(ORDER, row, message, f"Post it first: {_listed(invoices)}.")
    told = ", ".join(f"{item.name} is {item.payment_state}" for item in posted)
    return f"Nothing is left to pay: {told}."


def _invoices(odoo: Odoo, row: Row) -> list[Invoice]:
    return read_invoices(odoo, row["invoice_ids"] or ())


def _live_invoices(odoo: Odoo, row: Row, verb: str) -> list[Invoice]:
    live = [item for item in _invoices(odoo, row) if item.state != "cancel"]
    if not live:
        message = f"{row['name']} has no invoice to {verb}."
        raise state_error(ORDER, row, message, "Make it first: the step invoice.")
    return live


def _listed(invoices: Sequence[Invoice]) -> str:
    return ", ".join(f"{item.name} (id {item.id})" for item in invoices)


# What came of it ----------------------------------------------------------------------------------


def _confirmed(odoo: Odoo, row: Row, result: Order) -> list[RecordName]:
    if result.state not in (None, *CONFIRMED):
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=item.id, name=item.name) for item in result.deliveries or ()]


def _delivered(odoo: Odoo, row: Row, result: Transfer) -> list[RecordName]:
    if not result.validated:
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"transfer {result.id}")]


def _invoiced(odoo: Odoo, row: Row, result: InvoiceResult) -> list[RecordName]:
    if result.invoices:
        return [RecordName(id=item.id, name=item.name) for item in result.invoices]
    # They may be there, and closed to this user.
    made = new_invoices(odoo, row)
    if not made:
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=number, name=f"invoice {number}") for number in made]


def _posted(odoo: Odoo, row: Row, result: Any) -> list[RecordName]:
    if result.state not in (None, "posted"):
        raise _not_done(row, result.message, result.warnings)
    return [RecordName(id=result.id, name=result.name or f"invoice {result.id}")]


def _paid(odoo: Odoo, row: Row, result: PaymentResult) -> list[RecordName]:
    return [
        RecordName(id=item.id, name=item.name or f"payment {item.id}") for item in result.payments
    ]


def _not_done(row: Row, message: str, warnings: Sequence[str]) -> StateError:
    told = " ".join([message, *warnings])
    return state_error(ORDER, row, told, "Look at it in Odoo, then call this again.")


def _unseen(odoo: Odoo, number: int) -> None:
    """Steps that are only asked of the policy are not looked for."""


STAGES: Mapping[StepName, Stage] = {
    "confirm": Stage(
        allowed=(CONFIRM,),
        left=_to_confirm,
        made=_confirmed,
        then="",
    ),
    "deliver": Stage(
        allowed=(transfers.CONFIRM, transfers.RESERVE, Enter(), transfers.VALIDATE),
        left=_to_deliver,
        made=_delivered,
        then="Would deliver everything then, if all of it is in stock.",
        again=True,
    ),
    "invoice": Stage(
        allowed=(WizardStep(model=ORDER.model, wizard="sale.advance.payment.inv", seen=_unseen),),
        left=_to_invoice,
        made=_invoiced,
        then="Would invoice everything that can be invoiced then.",
    ),
    "post": Stage(
        allowed=(POST,),
        left=_to_post,
        made=_posted,
        then="Would post the invoices that are drafts then.",
    ),
    "pay": Stage(
        allowed=(WizardStep(model=INVOICE.model, wizard="account.payment.register", seen=_unseen),),
        left=_to_pay,
        made=_paid,
        then="Would pay the open amount of its invoices then.",
    ),
}


STEPS: tuple[StepName, ...] = get_args(StepName)

#: Rounds of deliveries: a way through a warehouse has few stages.
_MOST_ROUNDS = 12

#: Kinds of errors after which the next order would fare no better.
_ENDS = ("connection", "rate_limit")

_PAID_FROM = ("bank", "cash", "credit")


@attrs.frozen(kw_only=True)
class OrderOutcome(Shown):
    """What became of one order.

    Attributes:
        done: by step, what came of it: the deliveries that confirming made, those that were
            validated, the invoices that were made, those that were posted, the payments. The step
            where it stopped is among them if it had done a part.
        not_needed: by step, why there was nothing to do.
        would: by step, what a dry run would do.
        stopped_at: the step that could not be done; those after it were not tried.
        error: why, as an error object.
        tried: False where the connection was lost before this order had its turn.
        state, invoice_status, amount_due: afterwards; None where they are not known.
        amount_due: what is left to pay of its posted invoices.
    """

    id: int
    name: str
    done: dict[str, list[RecordName]] = attrs.Factory(dict)
    not_needed: dict[str, str] = attrs.Factory(dict)
    would: dict[str, str] = attrs.Factory(dict)
    stopped_at: StepName | None = None
    error: dict[str, Any] | None = None
    tried: bool = True
    state: str | None = None
    invoice_status: str | None = None
    amount_untaxed: float | None = None
    amount_total: float | None = None
    amount_due: float | None = None
    currency: str | None = None
    warnings: list[str] = attrs.Factory(list)

    @property
    def complete(self) -> bool:
        """Whether each step was done or was not needed."""
        return self.tried and self.stopped_at is None


@attrs.frozen(kw_only=True)
class ProcessResult(Shown):
    """What became of several orders, in the order in which they were given."""

    message: str
    orders: list[OrderOutcome]


@attrs.frozen(kw_only=True)
class OrdersPlan(Plan):
    """What would become of several orders; ``calls`` are those that can be known before."""

    orders: list[OrderOutcome]


@operation
def process_orders(
    odoo: Odoo,
    *,
    orders: Annotated[
        Sequence[IdOrName],
        Len(1, MOST_ORDERS),
        Doc("Ids or numbers."),
    ],
    steps: Sequence[StepName] = STEPS,
    journal_id: NameOrId = None,
    payment_date: str | None = None,
    unreserved: Annotated[
        bool, Doc("Deliver the full demand, reserved or not; stock can go below zero.")
    ] = False,
    dry_run: DryRun = False,
) -> ProcessResult | Plan:
    """Confirm, deliver, invoice, post and pay orders, or some of these steps; each by itself.

    An order goes through the steps until one cannot be done; the others go on. Nothing is forced:
    a delivery is validated when all of it is there, unless ``unreserved`` says otherwise. Each step
    looks at the order's state first, so that calling it again goes on where it stopped and does
    nothing twice. Invoices are of what can be invoiced then; they are paid in full, without an
    early payment discount. An invoice that belongs to several orders is posted and paid as a whole;
    credit notes are never paid out.

    Where the connection is lost, the orders that follow are not tried.

    Round trips: 1, and per order 2, 6 to confirm, 11 for a delivery, 7 to invoice, 5 to post and 11
    to pay an invoice.

    >>> found = process_orders(odoo, orders=["S1", "S3"], steps=["confirm", "deliver"])
    >>> [(order.name, order.complete) for order in found.orders]
    [('S1', True), ('S3', True)]

    Args:
        odoo: the connection.
        orders: 1 to 50, each by its id or number, none twice.
        steps: any of confirm, deliver, invoice, post and pay; made in this order always.
        journal_id: the bank or cash journal of the payments, by its id or name; by default the
            first bank.
        payment_date: a day; today by default.
        unreserved: whether to deliver the full demand, even if it is reserved for other orders or
            not in stock; a warning names what is below zero then.
        dry_run: return an :class:`OrdersPlan`, which says per order what would be done, as far as
            it can be known; write nothing.

    Raises:
        ValidationError: a step, journal or date is wrong, or an order is given twice; nothing was
            written, as after the errors below.
        NotFoundError: there is no such order.
        AmbiguousNameError: a number or name means several.
        AccessError: the policy forbids one of the steps.
    """
    asked = _checked_steps(steps)
    permit(odoo, *(step for name in asked for step in STAGES[name].allowed), dry_run=dry_run)
    payment = {"journal_id": journal_id, "payment_date": payment_date}
    if "pay" not in asked and (given := [key for key, value in payment.items() if value]):
        raise ValidationError(
            f"{given[0]} is for the step pay, which is not among the steps.",
            suggestion="Leave it out, or add pay to the steps.",
            details={"field": given[0]},
        )
    if unreserved and "deliver" not in asked:
        raise ValidationError(
            "unreserved is for the step deliver, which is not among the steps.",
            suggestion="Leave it out, or add deliver to the steps.",
            details={"field": "unreserved"},
        )
    day = checked_day(payment_date, "payment_date")
    rows = find_orders(odoo, orders)
    paying = {"payment_date": day, "journal_id": _journal(odoo, journal_id, rows)}
    how = {"payment": paying, "unreserved": unreserved}
    progress = Steps(len(rows) + 1)
    progress.finish(1, "Checked")
    outcomes: list[OrderOutcome] = []
    plans: list[Plan] | None = [] if dry_run else None
    lost = False
    for row in rows:
        if lost:
            outcomes.append(OrderOutcome(id=row["id"], name=row["name"], tried=False))
            continue
        with quietly():
            outcome = _process(odoo, row, asked, how, plans)
        outcomes.append(outcome)
        lost = _ends(outcome)
        where = f"stopped at {outcome.stopped_at}" if outcome.stopped_at else "through"
        progress.finish(1, f"{row['name']}: {where}")
    message = _message(outcomes, dry_run)
    if plans is None:
        return ProcessResult(message=message, orders=outcomes)
    return OrdersPlan(
        dry_run=True,
        message=message,
        needs=next((plan.needs for plan in plans if plan.needs), None),
        calls=[call for plan in plans for call in plan.calls],
        orders=outcomes,
    )


# What was asked ---------------------------------------------------------------------------------


def _checked_steps(steps: Sequence[StepName]) -> list[StepName]:
    given = plain(steps)
    if isinstance(given, str):
        given = [given]
    unknown = [item for item in given if item not in STEPS] if isinstance(given, list) else [given]
    if unknown or not given:
        raise make_error(
            "INVALID_SELECTION",
            f"{short_repr(unknown[0])} is not a step of an order."
            if unknown
            else "There are no steps.",
            suggestion=f"Choose some of {', '.join(STEPS)}.",
            details={"field": "steps", "allowed": list(STEPS)},
        )
    return [name for name in STEPS if name in given]


def _journal(odoo: Odoo, journal: NameOrId, rows: Sequence[Row]) -> int | None:
    """Return the journal meant; one that cannot pay these orders is refused before anything."""
    if journal is None:
        return None
    domain = (("type", "in", _PAID_FROM),)
    found = resolve(odoo, Wanted.of("account.journal", journal, "journal_id", domain))
    try:
        for company in sorted({row["company_id"].id for row in rows if row["company_id"]}):
            pick_journal(odoo, found, _PAID_FROM, company)
    except AccessError:
        # Who may not see journals may still be allowed the steps before the payment.
        pass
    return found


# One order --------------------------------------------------------------------------------------


def _process(
    odoo: Odoo,
    found: Row,
    asked: Sequence[StepName],
    how: Mapping[str, Any],
    plans: list[Plan] | None,
) -> OrderOutcome:
    """Take one order through the steps, or add to ``plans`` what would be; it never fails."""
    outcome = OrderOutcome(id=found["id"], name=found["name"])
    row, name = None, asked[0]
    try:
        # What happened since it was found is not to be done again.
        row = read(odoo, ORDER, found["id"])
        for name in asked:
            if outcome.would:
                outcome.would[name] = STAGES[name].then
            else:
                row = _take(odoo, row, name, how, plans, outcome)
    except OdooError as error:
        outcome = attrs.evolve(outcome, stopped_at=name, error=error.to_dict())
    if _ends(outcome):
        outcome.warnings.append("Its current state is not known: check it before anything else.")
        return outcome
    return _afterwards(odoo, row, outcome)


def _take(
    odoo: Odoo,
    row: Row,
    name: StepName,
    how: Mapping[str, Any],
    plans: list[Plan] | None,
    outcome: OrderOutcome,
) -> Row:
    """Do or plan one step, and return the order's row as it is then."""
    stage: Stage = STAGES[name]
    for _ in range(_MOST_ROUNDS):
        left = stage.left(odoo, row, how)
        if isinstance(left, str):
            if name not in outcome.done:
                outcome.not_needed[name] = left
            return row
        for act in left:
            result = act(dry_run=plans is not None)
            if isinstance(result, Plan):
                if plans is not None:
                    plans.append(result)
                said = f"{outcome.would.get(name, '')} {result.message}"
                outcome.would[name] = said.strip()
                continue
            made = stage.made(odoo, row, result)
            outcome.done.setdefault(name, []).extend(made)
            outcome.warnings.extend(result.warnings)
        if plans is not None:
            return row
        row = read(odoo, ORDER, row["id"])
        if not stage.again:
            return row
    raise StateError(
        f"After {_MOST_ROUNDS} rounds there is still something to {name}.",
        suggestion="Look at the order in Odoo.",
    )


def _afterwards(odoo: Odoo, row: Row | None, outcome: OrderOutcome) -> OrderOutcome:
    """Add how the order is now; what cannot be read is a warning."""
    try:
        if row is None or outcome.stopped_at:
            # It may have changed before it stopped.
            row = read(odoo, ORDER, outcome.id)
        outcome = attrs.evolve(
            outcome,
            state=row["state"],
            invoice_status=row["invoice_status"],
            amount_untaxed=row["amount_untaxed"],
            amount_total=row["amount_total"],
            currency=currency_of(row),
        )
        due = amount_due(read_invoices(odoo, row["invoice_ids"] or ()))
        return attrs.evolve(outcome, amount_due=due)
    except OdooError as error:
        outcome.warnings.append(f"Its current state cannot be read: {error.message}")
        return outcome


def _ends(outcome: OrderOutcome) -> bool:
    return outcome.error is not None and outcome.error["category"] in _ENDS


def _message(outcomes: Sequence[OrderOutcome], dry_run: bool) -> str:
    through = [item for item in outcomes if item.complete]
    could = "can go through, as far as is known" if dry_run else "went through"
    parts = [f"{len(through)} of {len(outcomes)} orders {could}"]
    parts += [
        f"{item.name} {'would stop' if dry_run else 'stopped'} at {item.stopped_at}"
        for item in outcomes
        if item.stopped_at
    ]
    if left := [item.name for item in outcomes if not item.tried]:
        parts.append(f"Odoo could no longer be reached: {', '.join(left)} not tried")
    told = "; ".join(parts) + "."
    return f"Nothing was written. {told}" if dry_run else told
