"""A function that sends each customer one e-mail about all overdue invoices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.books import Book, open_book
from odoo_toolkit.apps.accounting.invoices import by_currency
from odoo_toolkit.apps.accounting.overdue import (
    MOVE,
    PARTNER,
    Debtor,
    NotReminded,
    OverdueInvoice,
    commercial,
    overdue,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError, invalid
from odoo_toolkit.mail.forms import SendStep, form_for
from odoo_toolkit.mail.outcome import MESSAGE, Delivery, deliveries, overall
from odoo_toolkit.mail.recipients import Recipient, people, with_address
from odoo_toolkit.mail.sending import check_texts
from odoo_toolkit.progress import Steps, quietly
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.moments import utc_string

#: Customers that get a reminder in one call.
MOST = 100

#: A reminder with the same subject is not sent again for so long.
_RECENT = timedelta(hours=24)

#: Kinds of errors after which the next customer would fare no better.
_ENDS = ("connection", "rate_limit")

_SUBJECT = "Payment reminder from {company}"
_BODY = """Dear {customer},

As of {today}, these invoices are overdue:

{invoices}

Total overdue: {total}

If you have paid in the meantime, please disregard this message.

Kind regards,
{company}"""
_PLACES = ("company", "customer", "invoices", "today", "total")


@attrs.frozen(kw_only=True)
class Reminder(op.Shown):
    """An e-mail to a customer about all overdue invoices.

    Attributes:
        document: The invoice that has been overdue the longest. The message belongs to it.
        recipients: Contacts of the invoices that have an e-mail address, otherwise the customer.
        followers: Followers of that invoice in Odoo, who also get the message.
        totals: Overdue amounts by currency.
        status: ``sent`` (the mail server accepted it), ``queued``, ``failed``, ``cancelled``,
            ``partial`` or ``unknown``. None in a plan, or if it was not sent.
        message_id: Id of the message on the invoice.
        deliveries: Delivery status of each recipient and follower.
        error: Reason of the failure, as an error object.
    """

    customer: RecordName
    document: RecordName
    recipients: list[Recipient]
    followers: list[RecordName] = attrs.Factory(list)
    subject: str
    body: str
    invoices: list[OverdueInvoice]
    totals: dict[str, float]
    status: str | None = None
    message_id: int | None = None
    deliveries: list[Delivery] = attrs.Factory(list)
    error: dict[str, Any] | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class RemindersPlan(op.Plan):
    """The reminders that would be sent. Nothing was sent.

    Attributes:
        not_sent: Customers who would get no reminder, and the reason.
        omitted: Customers beyond the limit, and their overdue amounts.
    """

    reminders: list[Reminder]
    not_sent: list[NotReminded] = attrs.Factory(list)
    omitted: list[NotReminded] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class RemindersResult(op.Shown):
    """The reminders that were sent, and their delivery status.

    Attributes:
        not_sent: Customers who got no reminder, and the reason.
        omitted: Customers beyond the limit, and their overdue amounts.
    """

    message: str
    reminders: list[Reminder]
    not_sent: list[NotReminded] = attrs.Factory(list)
    omitted: list[NotReminded] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@op.operation_with(RemindersPlan)
def send_reminders(
    odoo: Odoo,
    *,
    partners: Annotated[
        op.NamesOrIds, Doc("Customers. Default: all with overdue invoices.")
    ] = None,
    min_days: Annotated[int, Ge(1), Doc("Minimum number of days overdue.")] = 1,
    subject: Annotated[str | None, Doc("Subject. It can contain {customer} and {company}.")] = None,
    body: Annotated[
        str | None,
        Doc(
            "Plain text. It can contain {customer}, {company}, {today}, {total} and {invoices} (a"
            " list). Default: a short English text."
        ),
    ] = None,
    again: Annotated[bool, Doc("Also remind customers who got this in the last 24 hours.")] = False,
    company: Annotated[
        op.NameOrId, Doc("Company of the invoices. Default: the connection's.")
    ] = None,
    limit: Annotated[int, Ge(1), op.AtMost(MOST), Doc("Maximum number of customers.")] = 25,
    dry_run: op.DryRun = False,
) -> RemindersResult | RemindersPlan:
    """Send each customer one e-mail about all overdue invoices.

    >>> plan = send_reminders.plan(odoo, min_days=14)
    >>> [(one.customer.name, one.totals) for one in plan.reminders]
    [('Azure', {'USD': 115.0})]

    The e-mail goes to the contacts of the invoices. It is a message on the invoice that has been
    overdue the longest. Amounts that are in payment, or covered by open payments and credit notes,
    are not claimed. If ``body`` does not contain ``{invoices}``, the list is added at its end.

    You can call the function again to continue. No customer gets the same reminder twice in 24
    hours, unless you pass ``again=True``.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was sent.
        NotFoundError: The customer or company does not exist. Nothing was sent.
        ValidationError: A text or a number is wrong. Nothing was sent.
        AccessError: This user can't see all invoices, or Odoo or the policy does not allow it.
            Nothing was sent.
    """
    check_texts(subject=subject, body=body)
    words = _checked_words(subject or _SUBJECT, body or _BODY)
    days, limit = checked_count(min_days, "min_days", 1), checked_count(limit, "limit", 1)
    # The form for any record: that for invoices would send one of them, and mark it as sent.
    form = form_for(odoo, PARTNER)
    step = SendStep(model=MOVE, method=form.send, form=form, says="Sent")
    op.permit(odoo, step, dry_run=dry_run)
    asked = [n for n in op.resolve_all(odoo, op.wanted_each(PARTNER, partners, "partners")) if n]
    whose = op.resolve(odoo, op.Wanted.of("res.company", company, "company"), required=False)
    book = open_book(odoo, whose)
    day = op.today(odoo)
    customers = commercial(odoo, asked)
    found, not_sent = overdue(odoo, book, customers, day, days)
    omitted = [_beyond(debtor, limit) for debtor in found[limit:]]
    ready, silent = _worded(odoo, book, found[:limit], words, day)
    not_sent += silent
    if not again and ready:
        ready, reminded = _recently(odoo, ready)
        not_sent += reminded
    if dry_run:
        return _plan(odoo, step, ready, not_sent, omitted)
    progress = Steps(len(ready) + 1)
    progress.finish(1, "Checked")
    sent: list[Reminder] = []
    for place, reminder in enumerate(ready):
        with quietly():
            outcome = _send(odoo, step, reminder)
        sent.append(outcome)
        progress.finish(1, f"{reminder.customer.name}: {outcome.status or 'not sent'}")
        if outcome.error and outcome.error["category"] in _ENDS:
            reason = "Not tried, because Odoo could no longer be reached."
            not_sent += [
                NotReminded(customer=one.customer, reason=reason) for one in ready[place + 1 :]
            ]
            break
    return RemindersResult(
        message=_message(sent, not_sent, omitted),
        reminders=sent,
        not_sent=not_sent,
        omitted=omitted,
    )


# Who gets it, and the words -----------------------------------------------------------------------


def _checked_words(subject: str, body: str) -> tuple[str, str]:
    for field, text in (("subject", subject), ("body", body)):
        unknown = [name for name in re.findall(r"\{(\w*)\}", text) if name not in _PLACES]
        if unknown:
            raise invalid(
                field,
                f"{field} contains the unknown placeholder {{{unknown[0]}}}.",
                f"Placeholders: {', '.join(f'{{{name}}}' for name in _PLACES)}.",
            )
    if "{invoices}" in subject or "\n" in subject.strip():
        raise invalid("subject", "subject must be one line, without {invoices}.")
    if "{invoices}" not in body:
        body = body.rstrip() + "\n\n{invoices}"
    return subject.strip(), body.strip()


def _worded(
    odoo: Odoo, book: Book, debtors: Sequence[Debtor], words: tuple[str, str], day: str
) -> tuple[list[Reminder], list[NotReminded]]:
    """Return reminders with recipients and words, and customers whom no e-mail reaches."""
    ids = {n for debtor in debtors for n in (debtor.customer.id, *debtor.contacts)}
    rows = {row["id"]: row for row in people(odoo, sorted(ids), acts_on=PARTNER)} if ids else {}
    followers = _followers(odoo, [debtor.document.id for debtor in debtors])
    ready: list[Reminder] = []
    silent: list[NotReminded] = []
    for debtor in debtors:
        try:
            reached = _recipients(debtor, rows)
            subject, body = (_filled(text, debtor, book, day) for text in words)
            check_texts(subject=subject, body=body)
        except ValidationError as error:
            silent.append(NotReminded(customer=debtor.customer, reason=error.message))
            continue
        getting = {person.id for person in reached}
        ready.append(
            Reminder(
                customer=debtor.customer,
                document=debtor.document,
                recipients=reached,
                followers=[
                    one for one in followers.get(debtor.document.id, ()) if one.id not in getting
                ],
                subject=subject,
                body=body,
                invoices=debtor.invoices,
                totals=debtor.totals,
                warnings=debtor.warnings,
            )
        )
    return ready, silent


def _recipients(debtor: Debtor, rows: Mapping[int, op.Row]) -> list[Recipient]:
    """Return the contacts of the invoices that have an address, else the customer's own.

    Raises:
        ValidationError: nobody has one.
    """
    reached: list[Recipient] = []
    for number in debtor.contacts:
        try:
            reached.append(with_address(rows[number]))
        except ValidationError as error:
            debtor.warnings.append(error.message)
    return reached or [with_address(rows[debtor.customer.id])]


def _followers(odoo: Odoo, ids: Sequence[int]) -> dict[int, list[RecordName]]:
    """Return who follows invoices, without this user, who does not get what he sends."""
    if not ids:
        return {}
    domain = [["id", "in", list(ids)]]
    rows = op.read_rows(odoo, MOVE, domain, ["message_partner_ids"], acts_on=MOVE)
    followed = {row["id"]: row["message_partner_ids"] or [] for row in rows}
    others = sorted({n for some in followed.values() for n in some})
    if not others:
        return {}
    users = op.read_rows(
        odoo, "res.users", [["id", "=", odoo.uid]], ["partner_id"], acts_on=PARTNER
    )
    me = users[0]["partner_id"].id if users and users[0]["partner_id"] else 0
    named = op.read_rows(odoo, PARTNER, [["id", "in", others]], ["display_name"], acts_on=PARTNER)
    names = {row["id"]: RecordName(id=row["id"], name=row["display_name"]) for row in named}
    return {
        n: [names.get(one, RecordName(id=one, name=f"contact {one}")) for one in some if one != me]
        for n, some in followed.items()
    }


def _filled(text: str, debtor: Debtor, book: Book, day: str) -> str:
    words = {
        "company": book.company.name or "",
        "customer": debtor.customer.name or "",
        "invoices": "\n".join(map(_line, debtor.invoices)),
        "today": day,
        "total": by_currency((amount, name) for name, amount in debtor.totals.items()),
    }
    return re.sub(r"\{(\w+)\}", lambda found: words[found[1]], text)


def _line(invoice: OverdueInvoice) -> str:
    of = f" of {invoice.invoice_date}" if invoice.invoice_date else ""
    amount = op.money(invoice.residual, invoice.currency)
    late = f"{invoice.days_overdue} day{'s' if invoice.days_overdue > 1 else ''}"
    return f"{invoice.name}{of}: {amount}, due on {invoice.due_date} ({late} overdue)"


def _recently(odoo: Odoo, ready: Sequence[Reminder]) -> tuple[list[Reminder], list[NotReminded]]:
    """Return who has not been reminded in the last hours, and who has; what failed does not count.

    Two round trips, one where nobody has been.
    """
    since = utc_string(datetime.now(UTC) - _RECENT)
    domain = [
        ["model", "=", MOVE],
        ["subject", "in", sorted({one.subject for one in ready})],
        ["partner_ids", "in", sorted({person.id for one in ready for person in one.recipients})],
        ["date", ">=", since],
    ]
    fields = ["partner_ids", "subject", "date"]
    messages = op.read_rows(odoo, MESSAGE, domain, fields, acts_on=MOVE, order="id desc")
    open_to: list[Reminder] = []
    reminded: list[NotReminded] = []
    for one in ready:
        got = [
            row
            for row in messages
            if row["subject"] == one.subject
            and {person.id for person in one.recipients} & {*row["partner_ids"]}
        ]
        last = next(
            (row for row in got if overall(deliveries(odoo, MOVE, [row["id"]])) != "failed"),
            None,
        )
        if last is None:
            open_to.append(one)
        else:
            reason = f"Got this reminder already, at {last['date']} UTC (message {last['id']})."
            reminded.append(NotReminded(customer=one.customer, reason=reason))
    return open_to, reminded


# Sending ------------------------------------------------------------------------------------------


def _step(odoo: Odoo, step: SendStep, reminder: Reminder) -> SendStep:
    number = reminder.document.id
    values = {
        step.form.partners: [[6, 0, [person.id for person in reminder.recipients]]],
        step.form.subject: reminder.subject,
        step.form.body: op.written_text(odoo.schema.fields(MESSAGE)["body"], reminder.body),
    }
    context = {"active_model": MOVE, "active_id": number, "active_ids": [number]}
    return attrs.evolve(step, values=values, context=context)


def _send(odoo: Odoo, step: SendStep, reminder: Reminder) -> Reminder:
    """Send one, and return it with what became of it; it never fails."""
    try:
        done = op.make(odoo, [_step(odoo, step, reminder)], [reminder.document.id])
    except OdooError as error:
        return attrs.evolve(reminder, error=error.to_dict())
    warnings = [*reminder.warnings, *done.warnings]
    messages: list[int] = done.answers[0] or []
    found = op.afterwards(lambda: deliveries(odoo, MOVE, messages), warnings, "the e-mail") or []
    return attrs.evolve(
        reminder,
        status=overall(found),
        message_id=messages[0] if messages else None,
        deliveries=found,
        warnings=warnings,
    )


def _plan(
    odoo: Odoo,
    step: SendStep,
    ready: Sequence[Reminder],
    not_sent: list[NotReminded],
    omitted: list[NotReminded],
) -> RemindersPlan:
    calls = [
        call for one in ready for call in _step(odoo, step, one).calls(odoo, [one.document.id])
    ]
    total = by_currency((amount, name) for one in ready for name, amount in one.totals.items())
    would = f"Would remind {_customers(len(ready))}" + (f" of {total}." if ready else ".")
    plan = op.planned(odoo, calls, would + _also(not_sent, omitted))
    # Each text is there once, as its reader gets it: with the reminder.
    body = step.form.body
    bodies = {
        op.written_text(
            odoo.schema.fields(MESSAGE)["body"], one.body
        ): f"the body of reminders[{n}]"
        for n, one in enumerate(ready)
    }
    shown = [_short(call, body, bodies) for call in plan.calls]
    more = {"reminders": list(ready), "not_sent": not_sent, "omitted": omitted}
    return op.merged(RemindersPlan, [plan], calls=shown, **more)


def _short(call: op.PlannedCall, body: str, bodies: Mapping[str, str]) -> op.PlannedCall:
    """Return a planned call that names its text in the place of repeating it."""
    arguments = {
        name: {**values, body: bodies[values[body]]}
        if isinstance(values, dict) and values.get(body) in bodies
        else values
        for name, values in call.arguments.items()
    }
    return attrs.evolve(call, arguments=arguments)


def _customers(number: int) -> str:
    return "1 customer" if number == 1 else f"{number} customers"


def _beyond(debtor: Debtor, limit: int) -> NotReminded:
    total = by_currency((amount, name) for name, amount in debtor.totals.items())
    days = max(one.days_overdue for one in debtor.invoices)
    reason = f"Beyond the limit of {_customers(limit)}: {total}, overdue for up to {days} days."
    return NotReminded(customer=debtor.customer, reason=reason)


def _also(not_sent: Sequence[NotReminded], omitted: Sequence[NotReminded]) -> str:
    also = f" {_customers(len(not_sent))} would get none: see not_sent." if not_sent else ""
    more = f" The limit excludes {_customers(len(omitted))} more." if omitted else ""
    return also + more


def _message(
    sent: Sequence[Reminder], not_sent: Sequence[NotReminded], omitted: Sequence[NotReminded]
) -> str:
    counts: dict[str, int] = {}
    for one in sent:
        status = one.status or "not sent"
        counts[status] = counts.get(status, 0) + 1
    told = ", ".join(f"{number} {status}" for status, number in counts.items())
    also = f" {_customers(len(not_sent))} got none: see not_sent." if not_sent else ""
    more = f" The limit excludes {_customers(len(omitted))} more." if omitted else ""
    return f"Reminders: {told or 'none sent'}.{also}{more}"
