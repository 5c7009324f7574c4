"""What people call records, and what Odoo stores instead: data, by model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.fields import Field

Conditions = tuple[tuple[str, str, Any], ...]

#: Stands for the day of the query in a condition.
TODAY = "today"


@attrs.frozen(kw_only=True)
class Meaning:
    """What words mean on a model.

    Attributes:
        said: phrases, any of which is meant.
        means: the conditions; of several ways the first that the server's fields allow.
        implies: conditions that only hold where nothing else was said of their field.
    """

    said: tuple[str, ...]
    means: tuple[Conditions, ...]
    implies: Conditions = ()


def _meaning(said: str, *means: Conditions, implies: Conditions = ()) -> Meaning:
    return Meaning(said=tuple(said.split("|")), means=means, implies=implies)


_POSTED: Conditions = (("state", "=", "posted"),)
_INVOICES: Conditions = (("move_type", "!=", "entry"),)
_UNPAID: tuple[str, str, Any] = ("payment_state", "in", ("not_paid", "partial"))
_UNFINISHED: Conditions = (("state", "not in", ("done", "cancel")),)
_OPEN_TASK: tuple[Conditions, ...] = (
    (("state", "not in", ("1_done", "1_canceled")),),
    (("is_closed", "=", False),),
    (("stage_id.fold", "=", False),),
)
_PRODUCTS = (
    _meaning("service", (("type", "=", "service"),)),
    _meaning("storable|stockable", (("is_storable", "=", True),), (("type", "=", "product"),)),
    _meaning("consumable|goods", (("type", "=", "consu"),)),
    _meaning("sellable|saleable|for sale|can be sold", (("sale_ok", "=", True),)),
    _meaning("purchasable|can be purchased", (("purchase_ok", "=", True),)),
    _meaning("out of stock|not in stock|not available", (("qty_available", "<=", 0),)),
    _meaning("in stock|available|on hand", (("qty_available", ">", 0),)),
)

MEANINGS: Mapping[str, tuple[Meaning, ...]] = {
    "account.move": (
        _meaning(
            "customer invoice|sales invoice|client invoice|invoice",
            (("move_type", "=", "out_invoice"),),
        ),
        _meaning(
            "vendor bill|supplier bill|vendor invoice|supplier invoice|purchase invoice|bill",
            (("move_type", "=", "in_invoice"),),
        ),
        _meaning("customer credit note|credit note", (("move_type", "=", "out_refund"),)),
        _meaning(
            "vendor credit note|supplier credit note|vendor refund|supplier refund",
            (("move_type", "=", "in_refund"),),
        ),
        _meaning("refund", (("move_type", "in", ("out_refund", "in_refund")),)),
        _meaning("miscellaneous entry", (("move_type", "=", "entry"),)),
        _meaning("partially paid|partly paid", (("payment_state", "=", "partial"),)),
        _meaning(
            "unpaid|not paid|not yet paid|outstanding|open|to be paid|awaiting payment|owed",
            (_UNPAID,),
            implies=_POSTED + _INVOICES,
        ),
        _meaning(
            "overdue|past due|late",
            (_UNPAID, ("invoice_date_due", "<", TODAY)),
            implies=_POSTED + _INVOICES,
        ),
        _meaning(
            "paid|settled",
            (("payment_state", "in", ("paid", "in_payment")),),
            implies=_POSTED + _INVOICES,
        ),
        _meaning("posted|validated|confirmed", _POSTED),
    ),
    "sale.order": (
        _meaning("sent quotation|quotation sent|sent quote", (("state", "=", "sent"),)),
        _meaning("draft quotation|draft quote", (("state", "=", "draft"),)),
        _meaning(
            "expired quotation|expired quote|expired",
            (("validity_date", "<", TODAY), ("state", "in", ("draft", "sent"))),
        ),
        _meaning("quotation|quote|offer", implies=(("state", "in", ("draft", "sent")),)),
        _meaning("confirmed", (("state", "in", ("sale", "done")),)),
        _meaning(
            "to invoice|to be invoiced|uninvoiced|not invoiced|not yet invoiced",
            (("invoice_status", "=", "to invoice"),),
        ),
        _meaning("invoiced|fully invoiced", (("invoice_status", "=", "invoiced"),)),
        _meaning(
            "undelivered|not delivered|to deliver|not yet delivered",
            (
                ("delivery_status", "in", ("pending", "started", "partial")),
                ("state", "in", ("sale", "done")),
            ),
        ),
    ),
    "purchase.order": (
        _meaning(
            "request for quotation|rfq|quotation", implies=(("state", "in", ("draft", "sent")),)
        ),
        _meaning("confirmed", (("state", "in", ("purchase", "done")),)),
        _meaning(
            "to bill|to be billed|unbilled|not billed|to invoice|waiting bill",
            (("invoice_status", "=", "to invoice"),),
        ),
        _meaning("billed|fully billed|invoiced", (("invoice_status", "=", "invoiced"),)),
        _meaning(
            "late|overdue", (("date_planned", "<", TODAY), ("state", "in", ("purchase", "done")))
        ),
    ),
    "stock.picking": (
        _meaning(
            "delivery order|delivery|outgoing|shipment",
            (("picking_type_id.code", "=", "outgoing"),),
        ),
        _meaning("receipt|incoming|reception", (("picking_type_id.code", "=", "incoming"),)),
        _meaning("internal", (("picking_type_id.code", "=", "internal"),)),
        _meaning("backorder", (("backorder_id", "!=", False),)),
        _meaning("late|overdue|delayed", (("scheduled_date", "<", TODAY), *_UNFINISHED)),
        _meaning("open|pending|to do|unfinished|not done|outstanding|undelivered", _UNFINISHED),
        _meaning("done|delivered|received|shipped|completed|finished", (("state", "=", "done"),)),
        _meaning("waiting", (("state", "in", ("waiting", "confirmed")),)),
    ),
    "crm.lead": (
        _meaning("opportunity|deal", (("type", "=", "opportunity"),)),
        _meaning("won", (("won_status", "=", "won"),), (("stage_id.is_won", "=", True),)),
        _meaning("lost", (("active", "=", False), ("probability", "=", 0))),
        _meaning("open|pending|ongoing", (("stage_id.is_won", "=", False),)),
        _meaning("overdue|late", (("date_deadline", "<", TODAY), ("stage_id.is_won", "=", False))),
    ),
    "project.task": (
        _meaning("overdue|late", *(((("date_deadline", "<", TODAY)), *way) for way in _OPEN_TASK)),
        _meaning("open|unfinished|pending|ongoing|not done|to do|todo", *_OPEN_TASK),
        _meaning(
            "done|finished|completed|closed",
            (("state", "=", "1_done"),),
            (("is_closed", "=", True),),
            (("stage_id.fold", "=", True),),
        ),
    ),
    "helpdesk.ticket": (
        _meaning("open|pending|unresolved", (("stage_id.fold", "=", False),)),
        _meaning("closed|solved|resolved|done", (("stage_id.fold", "=", True),)),
    ),
    "res.partner": (
        _meaning("customer|client", (("customer_rank", ">", 0),)),
        _meaning("vendor|supplier", (("supplier_rank", ">", 0),)),
        _meaning("company|organization|organisation|business", (("is_company", "=", True),)),
        _meaning("individual|person|people", (("is_company", "=", False),)),
    ),
    "product.template": _PRODUCTS,
    "product.product": _PRODUCTS,
    "account.payment": (
        _meaning("customer payment|received|incoming|inbound", (("payment_type", "=", "inbound"),)),
        _meaning(
            "vendor payment|supplier payment|outgoing|outbound",
            (("payment_type", "=", "outbound"),),
        ),
    ),
}

#: What words mean on any model that has the fields.
EVERYWHERE: tuple[Meaning, ...] = (
    _meaning("archived|inactive", (("active", "=", False),)),
    _meaning("unassigned|not assigned", (("user_ids", "=", False),), (("user_id", "=", False),)),
    _meaning(
        "overdue|late|past due",
        (("date_deadline", "<", TODAY),),
        (("date_planned", "<", TODAY),),
        (("scheduled_date", "<", TODAY),),
    ),
    _meaning("open|unfinished|pending", _UNFINISHED),
)

#: What the records of a model are called; says nothing about which of them are meant.
NOUNS: Mapping[str, tuple[str, ...]] = {
    "account.move": ("journal entry", "entry", "document"),
    "account.payment": ("payment",),
    "crm.lead": ("lead",),
    "helpdesk.ticket": ("helpdesk ticket", "ticket"),
    "product.product": ("product variant", "product", "item", "article"),
    "product.template": ("product", "item", "article"),
    "project.task": ("task",),
    "purchase.order": ("purchase order", "purchase", "order"),
    "res.partner": ("contact", "partner", "address"),
    "sale.order": ("sale order", "sales order", "sale", "order"),
    "stock.picking": ("transfer", "picking"),
}

#: Words that a query can do without.
FILLERS = frozenset(
    {
        *("a", "all", "an", "and", "any", "are", "be", "been", "by", "did", "do", "doe", "every"),
        *(
            "find",
            "for",
            "from",
            "get",
            "give",
            "had",
            "has",
            "have",
            "i",
            "in",
            "is",
            "it",
            "list",
        ),
        *(
            "me",
            "of",
            "on",
            "or",
            "our",
            "out",
            "please",
            "record",
            "search",
            "see",
            "show",
            "still",
        ),
        *("that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "us"),
        *("was", "we", "were", "what", "where", "which", "who", "whose", "with", "yet", "at", "as"),
        *(
            "currently",
            "now",
            "current",
            "whom",
            "look",
            "looking",
            "want",
            "need",
            "date",
            "dated",
        ),
        *("amount", "value", "worth", "total", "euro", "eur", "usd", "dollar", "assigned", "named"),
        *("called", "than", "more", "created", "due", "updated", "modified", "not", "no"),
    }
)

#: Words that tell which date is meant -> fields, the likeliest first.
DATE_WORDS: Mapping[str, tuple[str, ...]] = {
    "created": ("create_date",),
    "added": ("create_date",),
    "updated": ("write_date",),
    "modified": ("write_date",),
    "changed": ("write_date",),
    "due": ("invoice_date_due", "date_deadline", "date_maturity", "date_planned"),
    "deadline": ("date_deadline", "invoice_date_due"),
    "scheduled": ("scheduled_date", "date_planned", "date_deadline"),
    "planned": ("date_planned", "scheduled_date", "date_deadline"),
    "expected": ("commitment_date", "date_planned", "date_deadline", "scheduled_date"),
    "delivered": ("date_done", "effective_date"),
    "received": ("date_done", "effective_date"),
    "shipped": ("date_done", "effective_date"),
    "done": ("date_done", "date_end", "date_closed"),
    "completed": ("date_done", "date_end", "date_closed"),
    "closed": ("date_closed", "close_date", "date_end"),
    "won": ("date_closed",),
    "expiring": ("validity_date",),
    "expire": ("validity_date",),
    "valid": ("validity_date",),
}

#: The date that a model's records are known by, where no word tells.
MAIN_DATES = ("invoice_date", "date_order", "scheduled_date", "payment_date", "date", "create_date")

#: Where another date comes first: to 17 a payment has all fields of its journal entry.
MODEL_DATES: Mapping[str, tuple[str, ...]] = {"account.payment": ("date", "payment_date")}

#: Words that announce the name of a related record.
RELATION_WORDS = frozenset(
    {
        *("customer", "client", "vendor", "supplier", "partner", "product", "project", "stage"),
        *("team", "country", "category", "warehouse", "salesperson", "user", "tag", "journal"),
    }
)

#: What an amount without a name is compared with.
MAIN_AMOUNTS = ("amount", "amount_total", "expected_revenue", "price_total", "list_price")


def conditions_on(
    conditions: Conditions, fields: Mapping[str, Field]
) -> list[tuple[str, str, Any]] | None:
    """Return conditions as the server's fields allow them; None where they do not.

    Values that a selection lacks on this version are left out of lists.
    """
    allowed = []
    for path, operator, value in conditions:
        field = fields.get(path.split(".")[0])
        if field is None or not (field.store or field.searchable):
            return None
        if field.type == "selection" and "." not in path:
            values = [item for item, _ in field.selection]
            if isinstance(value, tuple):
                value = tuple(item for item in value if item in values)
            if not value or (isinstance(value, str) and value not in values):
                return None
        allowed.append((path, operator, value))
    return allowed
