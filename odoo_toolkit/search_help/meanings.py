"""What people call records, and what Odoo stores instead: data, by model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.search_help.words import NEGATIONS, listed

Conditions = tuple[tuple[str, str, Any], ...]

#: Stands for the day of the query in a condition.
TODAY = "today"


@attrs.frozen
class Meaning:
    """What words mean on a model.

    Attributes:
        said: phrases, any of which is meant.
        means: the conditions; of several ways the first that the server's fields allow.
        implies: conditions that only hold where nothing else was said of their field.
    """

    said: list[str]
    means: list[Conditions]
    implies: Conditions


_CONDITION = re.compile(r"(\S+) (not in|in|=|!=|<=|<|>) ([^&/~]*[^&/~ ])")
_VALUES: Mapping[str, Any] = {"true": True, "false": False, "0": 0}


def _conditions(text: str) -> Conditions:
    return tuple(
        (path, operator, tuple(value.split(",")) if "in" in operator else _VALUES.get(value, value))
        for path, operator, value in _CONDITION.findall(text)
    )


def _meanings(table: str) -> tuple[Meaning, ...]:
    """Read lines of ``phrase|phrase: condition & condition / other way ~ what it implies``."""
    meanings = []
    for line in table.strip().splitlines():
        said, _, rest = line.strip().partition(":")
        means, _, implied = rest.partition("~")
        ways = [_conditions(way) for way in means.split(" / ")]
        meanings.append(Meaning(said.split("|"), ways, _conditions(implied)))
    return tuple(meanings)


_PRODUCTS = _meanings("""
    service: type = service
    storable|stockable: is_storable = true / type = product
    consumable|goods: type = consu
    sellable|saleable|for sale|can be sold: sale_ok = true
    purchasable|can be purchased: purchase_ok = true
    out of stock|not in stock|not available: qty_available <= 0
    in stock|available|on hand: qty_available > 0
""")

MEANINGS: Mapping[str, tuple[Meaning, ...]] = {
    "account.move": _meanings("""
        customer invoice|sales invoice|client invoice|invoice: move_type = out_invoice
        vendor bill|supplier bill|vendor invoice|supplier invoice|bill: move_type = in_invoice
        purchase invoice: move_type = in_invoice
        customer credit note|credit note: move_type = out_refund
        vendor credit note|supplier credit note: move_type = in_refund
        vendor refund|supplier refund: move_type = in_refund
        refund: move_type in out_refund,in_refund
        miscellaneous entry: move_type = entry
        partially paid|partly paid: payment_state = partial
        unpaid|not paid|not yet paid|outstanding|open|to be paid|awaiting payment|owed: \
            payment_state in not_paid,partial ~ state = posted & move_type != entry
        overdue|past due|late: payment_state in not_paid,partial & invoice_date_due < today \
            ~ state = posted & move_type != entry
        paid|settled: payment_state in paid,in_payment ~ state = posted & move_type != entry
        posted|validated|confirmed: state = posted
    """),
    "sale.order": _meanings("""
        sent quotation|quotation sent|sent quote: state = sent
        draft quotation|draft quote: state = draft
        expired quotation|expired quote|expired: validity_date < today & state in draft,sent
        quotation|quote|offer: ~ state in draft,sent
        confirmed: state in sale,done
        to invoice|to be invoiced|uninvoiced|not invoiced|not yet invoiced: \
            invoice_status = to invoice
        invoiced|fully invoiced: invoice_status = invoiced
        undelivered|not delivered|to deliver|not yet delivered: \
            delivery_status in pending,started,partial & state in sale,done
    """),
    "purchase.order": _meanings("""
        request for quotation|rfq|quotation: ~ state in draft,sent
        confirmed: state in purchase,done
        to bill|to be billed|unbilled|not billed|to invoice|waiting bill: \
            invoice_status = to invoice
        billed|fully billed|invoiced: invoice_status = invoiced
        late|overdue: date_planned < today & state in purchase,done
    """),
    "stock.picking": _meanings("""
        delivery order|delivery|outgoing|shipment: picking_type_id.code = outgoing
        receipt|incoming|reception: picking_type_id.code = incoming
        internal: picking_type_id.code = internal
        backorder: backorder_id != false
        late|overdue|delayed: scheduled_date < today & state not in done,cancel
        open|pending|to do|unfinished|not done|outstanding|undelivered: state not in done,cancel
        done|delivered|received|shipped|completed|finished: state = done
        waiting: state in waiting,confirmed
    """),
    "crm.lead": _meanings("""
        opportunity|deal: type = opportunity
        won: won_status = won / stage_id.is_won = true
        lost: active = false & probability = 0
        open|pending|ongoing: stage_id.is_won = false
        overdue|late: date_deadline < today & stage_id.is_won = false
    """),
    "project.task": _meanings("""
        overdue|late: date_deadline < today & state not in 1_done,1_canceled \
            / date_deadline < today & is_closed = false \
            / date_deadline < today & stage_id.fold = false
        open|unfinished|pending|ongoing|not done|to do|todo: \
            state not in 1_done,1_canceled / is_closed = false / stage_id.fold = false
        done|finished|completed|closed: state = 1_done / is_closed = true / stage_id.fold = true
    """),
    "helpdesk.ticket": _meanings("""
        open|pending|unresolved: stage_id.fold = false
        closed|solved|resolved|done: stage_id.fold = true
    """),
    "res.partner": _meanings("""
        customer|client: customer_rank > 0
        vendor|supplier: supplier_rank > 0
        company|organization|organisation|business: is_company = true
        individual|person|people: is_company = false
    """),
    "product.template": _PRODUCTS,
    "product.product": _PRODUCTS,
    "account.payment": _meanings("""
        customer payment|received|incoming|inbound: payment_type = inbound
        vendor payment|supplier payment|outgoing|outbound: payment_type = outbound
    """),
}

#: What words mean on any model that has the fields.
EVERYWHERE = _meanings("""
    archived|inactive: active = false
    unassigned|not assigned: user_ids = false / user_id = false
    overdue|late|past due: date_deadline < today / date_planned < today / scheduled_date < today
    open|unfinished|pending: state not in done,cancel
""")

#: What the records of a model are called; says nothing about which of them are meant.
NOUNS: Mapping[str, str] = {
    "account.move": "journal entry|entry|document",
    "account.payment": "payment",
    "crm.lead": "lead",
    "helpdesk.ticket": "helpdesk ticket|ticket",
    "product.product": "product variant|product|item|article",
    "product.template": "product|item|article",
    "project.task": "task",
    "purchase.order": "purchase order|purchase|order",
    "res.partner": "contact|partner|address",
    "sale.order": "sale order|sales order|sale|order",
    "stock.picking": "transfer|picking",
}
REQUESTS = "show me|give me|get me|find me|tell me|looking for|look for|search for"

#: Words that a query can do without.
FILLERS = frozenset(
    listed(
        "a all an any are as assigned at be been by called currently did do doe every find for "
        "from get give had has have in is it list named now of on our please record search see "
        "show still that the their them there these they this those to us want was we were what "
        "where which who whom whose with yet"
    )
)

#: Words that turn round, or widen, what follows in a way that is not read.
TURNING = NEGATIONS | frozenset(
    listed(
        "neither nor but excluding exclude including include besides instead unless don't doesn't "
        "didn't haven't hasn't cannot"
    )
)

#: Words that say something, but not of whom or what: no names, and not to be passed over.
SAYING = frozenset(
    listed(
        "amount value worth total sum date created added updated modified changed due me i sorted "
        "ordered per each grouped if when euro eur usd dollar"
    )
)

#: Words that sort by the main date.
ORDERS = {"newest": "desc", "latest": "desc", "oldest": "asc", "earliest": "asc"}

_PLANNED = ("commitment_date", "scheduled_date", "date_planned", "date_deadline")
#: Words that tell which date is meant -> fields, the likeliest first.
DATE_WORDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("created", "added", "creation"), ("create_date",)),
    **dict.fromkeys(("updated", "modified", "changed"), ("write_date",)),
    **dict.fromkeys(("due", "deadline"), ("invoice_date_due", "date_deadline", "date_planned")),
    **dict.fromkeys(("scheduled", "planned", "expected"), _PLANNED),
    **dict.fromkeys(("delivered", "received", "shipped"), ("date_done", "effective_date")),
    **dict.fromkeys(
        ("done", "completed", "closed", "won"),
        ("date_done", "date_closed", "close_date", "date_end"),
    ),
    "confirmed": ("date_approve", "date_order"),
    **dict.fromkeys(("expiring", "expire", "valid"), ("validity_date",)),
}
#: Those of what lies ahead.
DATES_AHEAD = frozenset(DATE_WORDS["due"] + _PLANNED + DATE_WORDS["valid"])

#: The date that a model's records are known by, where no word tells.
MAIN_DATES = ("invoice_date", "date_order", "scheduled_date", "payment_date", "date", "create_date")

#: Where another date comes first: to 17 a payment has all fields of its journal entry.
MODEL_DATES: Mapping[str, tuple[str, ...]] = {"account.payment": ("date", "payment_date")}

#: What an amount without a name is compared with.
MAIN_AMOUNTS = ("amount", "amount_total", "expected_revenue", "price_total", "list_price")
