"""On whose behalf a connection works: the user, the company, its currency, and the day it is there.

A figure without its currency and a "today" of another time zone mislead; so do sums over companies
of which nobody knew that there are several.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import attrs

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display import Shown
from odoo_toolkit.errors import OdooError
from odoo_toolkit.operations.time_zones import own_zone

_OF_USER = ["name", "company_id", "company_ids", "lang"]

#: Other companies that are named.
_MOST_NAMED = 5


@attrs.frozen(kw_only=True)
class ActingAs(Shown):
    """Whom a connection acts for, and where.

    Attributes:
        user: the name; None where it is closed.
        company: for which new records are; None where it cannot be read.
        currency: of that company, such as EUR.
        other_companies: names of others whose records are seen, too; the first five.
        companies: how many companies there are together. Sums run over the records of all.
        language: of the user, such as en_US.
        time_zone: in which a day is meant, such as Europe/Brussels.
        today: the day it is there.
        link_pattern: the address of any record in Odoo's web client, with its model and id in
            place of ``{model}`` and ``{id}``.
    """

    user: str | None
    company: str | None
    currency: str | None = None
    other_companies: list[str] = attrs.Factory(list)
    companies: int = 1
    language: str | None = None
    time_zone: str
    today: str
    link_pattern: str


def acting_as(odoo: Odoo) -> ActingAs:
    """Return on whose behalf a connection works: user, company, currency, language and day.

    Up to three round trips for the first question of a connection; the answer is remembered for
    some minutes.

    >>> acting_as(odoo).currency
    'USD'

    Args:
        odoo: the connection.

    Returns:
        The user's name and the rest. What the user or the policy may not read is left out.

    Raises:
        OdooError: Odoo does not answer, or who the user is cannot be read.
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
