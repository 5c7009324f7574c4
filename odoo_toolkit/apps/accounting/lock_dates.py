"""Up to when the books are closed, as far as a plan must say so."""

from __future__ import annotations

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError

_COMPANY = "res.company"

#: Lock dates of a company, and what each is for. From 18 on those that begin with ``user_`` count:
#: with exceptions of the user, and with the dates of companies above.
_DATES = {
    "fiscalyear_lock_date": "",
    "period_lock_date": " for all but advisers",
    "tax_lock_date": " for entries with taxes",
    "user_fiscalyear_lock_date": "",
    "user_hard_lock_date": " for good",
    "user_tax_lock_date": " for entries with taxes",
}
_OF_KIND = {
    "sale": {"user_sale_lock_date": " for sales"},
    "purchase": {"user_purchase_lock_date": " for purchases"},
}

#: The only version on which the dates of companies above count and must be looked for.
_BRANCHES = 17


def lock_warnings(odoo: Odoo, company: int, day: str, kind: str = "general") -> list[str]:
    """Return why something cannot be posted under a day, for a dry run; 1 round trip.

    Odoo tells nothing before it is asked to post; then it refuses, or takes the first open day.

    Args:
        odoo: the connection.
        company: whose books.
        day: under which it is to be booked, such as ``2026-11-25``.
        kind: of its journal: ``sale``, ``purchase``, or another.

    Returns:
        A sentence, if the day is closed. None of it fails: what cannot be read is told, too.
    """
    known = odoo.schema.fields(_COMPANY)
    names = {**_DATES, **_OF_KIND.get(kind, {})}
    if "user_fiscalyear_lock_date" in known:
        names = {name: what for name, what in names.items() if name.startswith("user_")}
    names = {name: what for name, what in names.items() if name in known}
    above = "parent_of" if odoo.version.major == _BRANCHES else "="
    try:
        rows = op.read_rows(
            odoo, _COMPANY, [["id", above, company]], tuple(names), acts_on=INVOICE.model
        )
    except OdooError as error:
        return [f"The toolkit cannot see whether the books are closed on {day}: {error.message}"]
    closed = {
        f"up to {row[name]}{what}"
        for row in rows
        for name, what in names.items()
        if row[name] and row[name] >= day
    }
    if not closed:
        return []
    dates = " and ".join(sorted(closed))
    return [
        f"The books are closed {dates}. Odoo will not post on {day}: it either "
        "rejects the document or uses a later day."
    ]
