"""What people call records of any model, and what Odoo stores instead.

What they call those of certain models is in :mod:`odoo_toolkit.app_models`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
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


@cache
def meanings_of(table: str) -> tuple[Meaning, ...]:
    """Read lines of ``phrase|phrase: condition & condition / other way ~ what it implies``."""
    meanings = []
    for line in table.strip().splitlines():
        said, _, rest = line.strip().partition(":")
        means, _, implied = rest.partition("~")
        ways = [_conditions(way) for way in means.split(" / ")]
        meanings.append(Meaning(said.split("|"), ways, _conditions(implied)))
    return tuple(meanings)


#: What words mean on any model that has the fields.
EVERYWHERE = meanings_of("""
    archived|inactive: active = false
    unassigned|not assigned: user_ids = false / user_id = false
    overdue|late|past due: date_deadline < today / date_planned < today / scheduled_date < today
    open|unfinished|pending: state not in done,cancel
""")

#: How people begin to ask.
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

#: The date that the records of any model are known by, where nothing else tells.
MAIN_DATES = ("invoice_date", "date_order", "scheduled_date", "payment_date", "date", "create_date")

#: What an amount without a name is compared with.
MAIN_AMOUNTS = ("amount", "amount_total", "expected_revenue", "price_total", "list_price")
