"""The user, company, currency and day of a connection.

A number needs its currency, "today" needs a time zone, and a sum needs to say how many companies it
covers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import attrs

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records.time_zones import own_zone

_OF_USER = ["name", "company_id", "company_ids", "lang"]

#: Other companies that are named.
_MOST_NAMED = 5


@attrs.frozen(kw_only=True)
class ActingAs(Shown):
    """The user and company of a connection.

    Attributes:
        user: Name of the user. None if the policy blocks it.
        company: Company of new records. None if it can't be read.
        currency: Currency of that company, such as EUR.
        other_companies: Names of other companies whose records you see. At most five.
        companies: Number of all these companies. Sums include the records of all of them.
        language: Language of the user, such as en_US.
        time_zone: Time zone of dates, such as Europe/Brussels.
        today: Today's date in that time zone.
        link_pattern: Address of any record in Odoo's web client, with ``{model}`` and ``{id}`` as
            placeholders.
    """

    user: str | None
    company: str | None
    currency: str | None = None
    other_companies: list[str] = attrs.Factory(list)
    companies: int
    language: str | None = None
    time_zone: str
    today: str
    link_pattern: str


def acting_as(odoo: Odoo) -> ActingAs:
    """Return the user, company, currency, language and day of a connection.

    >>> acting_as(odoo).currency
    'USD'

    Values that the user or the policy can't read are omitted. The first call of a connection takes
    up to 3 requests. The result is cached for some minutes.

    Raises:
        OdooError: Odoo does not respond, or the user can't be read.
    """
    known: dict[str, Any] = odoo.schema.remember("acting as", lambda: _ask(odoo))
    zone = own_zone(odoo)
    today = datetime.now(zone).date().isoformat()
    return ActingAs(**known, time_zone=zone.key, today=today, link_pattern=odoo.link_pattern)


def _ask(odoo: Odoo) -> dict[str, Any]:
    (user,) = _read(odoo, "res.users", [odoo.uid], _OF_USER)
    own = user["company_id"] or (0, None)
    others = [i for i in user["company_ids"] or () if i != own[0]]
    ids = list(odoo.settings.base_context.get("allowed_company_ids") or [own[0], *others])
    told = {
        "user": user["name"] or None,
        "language": user["lang"] or None,
        "companies": len(ids),
    }
    try:
        rows = _read(odoo, "res.company", ids[: _MOST_NAMED + 1], ["name", "currency_id"])
    except OdooError:
        return {**told, "company": own[1] if ids[0] == own[0] else None}
    names = {row["id"]: row["name"] for row in rows}
    currencies = {row["id"]: row["currency_id"] for row in rows}
    return {
        **told,
        "company": names.get(ids[0]) or None,
        "currency": (currencies.get(ids[0]) or [0, None])[1],
        "other_companies": [names[i] for i in ids[1:] if names.get(i)],
    }


def _read(odoo: Odoo, model: str, ids: list[int], fields: list[str]) -> list[dict[str, Any]]:
    """Return records as Odoo has them; fields that are closed are empty."""
    closed = odoo.policy.model_problem(model, "read") is not None
    call = Call(
        model=model,
        method="read",
        ids=tuple(ids),
        arguments={"fields": [name for name in fields if not odoo.policy.field_blocked(name)]},
        step=closed,  # It is refused with the reason.
        internal=not closed,
    )
    return [{**dict.fromkeys(fields, False), **row} for row in odoo.call(call)]


readable_signatures(globals())
