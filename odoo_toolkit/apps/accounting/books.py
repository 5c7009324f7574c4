"""The books of one company: who sees them whole, and sums of the posted journal items.

What the balance of an item is: debit less credit, so assets and expenses are positive.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.invoices import INVOICE
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError, invalid
from odoo_toolkit.records.results import RecordName

ITEM = "account.move.line"

#: Amounts below are rounding: no currency has coins that small.
NOTHING = 0.0005

_COMPANY = op.Document(
    model="res.company",
    noun="company",
    argument="company_id",
    fields=("display_name", "currency_id", "fiscalyear_last_day", "fiscalyear_last_month"),
)
#: Whose members see every journal item of their companies. Others, such as salespeople and
#: buyers, may sum items without an error, but only those of some invoices.
_SEE_ALL = ("account.group_account_invoice", "account.group_account_readonly")


@attrs.frozen(kw_only=True)
class Account:
    """An account; ``group`` is asset, liability, equity, income, expense or off_balance."""

    id: int
    code: str | None
    name: str
    group: str | None


@attrs.frozen(kw_only=True)
class Sum:
    """What is booked on an account, for a partner where that was asked."""

    account: int
    partner: RecordName | None = None
    debit: float
    credit: float
    balance: float


@attrs.frozen(kw_only=True)
class Book:
    """The books of a company, which this user sees whole."""

    company: RecordName
    currency: str
    year_ends: tuple[int, int]

    @property
    def context(self) -> dict[str, Any]:
        """Context by which accounts have the codes of this company."""
        return {"allowed_company_ids": [self.company.id]}

    def domain(self, *leaves: Any) -> list[Any]:
        """Return what the posted journal items of the company match, without mere texts."""
        return [
            ["parent_state", "=", "posted"],
            ["company_id", "=", self.company.id],
            ["account_id", "!=", False],
            *leaves,
        ]

    def year_of(self, day: str) -> str:
        """Return the first day of the fiscal year that a day is in."""
        month, last = self.year_ends
        current = date.fromisoformat(day)

        def end(year: int) -> date:
            return date(year, month, min(last, calendar.monthrange(year, month)[1]))

        closed = end(current.year)
        closed = closed if closed < current else end(current.year - 1)
        return (closed + timedelta(days=1)).isoformat()


def open_book(odoo: Odoo, company_id: int | None, company_name: str | None = None) -> Book:
    """Return the books of a company; 3 round trips, 2 for a company that is given by its id.

    Raises:
        AccessError: this user sees only some of the journal items: any sum would be wrong.
        NotFoundError: there is no such company, or this user is not in it.
        AmbiguousNameError: several match the name.
    """
    named = op.Wanted(
        model=_COMPANY.model,
        field=_COMPANY.argument,
        id=company_id,
        name=company_name,
    )
    company = op.resolve(odoo, named, required=False) or op.acting_company(odoo, ITEM)
    context = {"allowed_company_ids": [company]}
    row, sees_all = op.gather(
        lambda: op.read_all(odoo, _COMPANY, [company], acts_on=ITEM, **context)[0],
        lambda: any(op.in_group(odoo, group, acts_on=ITEM) for group in _SEE_ALL),
    )
    assert isinstance(row, dict)  # noqa: S101 - what is asked first
    if not sees_all:
        raise AccessError(
            "This user cannot see all journal items, so every figure of a report would be wrong.",
            suggestion="Connect as a user with invoicing or accounting permissions. Read-only "
            f"permissions are enough ({' or '.join(_SEE_ALL)}).",
            details={"model": ITEM, "groups": list(_SEE_ALL)},
        )
    return Book(
        company=RecordName(id=company, name=row["display_name"]),
        currency=row["currency_id"].name,
        year_ends=(int(row["fiscalyear_last_month"] or 12), int(row["fiscalyear_last_day"] or 31)),
    )


def grouped(
    odoo: Odoo,
    model: str,
    domain: Sequence[Any],
    fields: Iterable[str],
    by: Sequence[str],
    **context: Any,
) -> list[op.Row]:
    """Return the sums of fields, a row for each group; one round trip.

    Args:
        odoo: the connection.
        model: whose records.
        domain: which of them.
        fields: that are added up.
        by: the fields by which they are grouped; none for one row of all.
        context: extends the connection's.
    """
    rows: list[op.Row] = odoo.call(
        op.Call(
            model=model,
            method="read_group",
            arguments={
                "domain": list(domain),
                "fields": [f"{field}:sum" for field in fields],
                "groupby": list(by),
                "lazy": False,
            },
            context=context,
            access="read",
            acts_on=ITEM,
            step=True,
        )
    )
    return rows


def sums(odoo: Odoo, book: Book, domain: Sequence[Any], *, by_partner: bool) -> list[Sum]:
    """Return what is booked on each account; one round trip."""
    by = ["account_id", *(["partner_id"] if by_partner else [])]
    rows = grouped(
        odoo, ITEM, book.domain(*domain), ("debit", "credit", "balance"), by, **book.context
    )
    return [
        Sum(
            account=row["account_id"][0],
            partner=_name(row.get("partner_id")),
            debit=row["debit"] or 0.0,
            credit=row["credit"] or 0.0,
            balance=row["balance"] or 0.0,
        )
        for row in rows
    ]


def _name(shown: Any) -> RecordName | None:
    return RecordName(id=shown[0], name=shown[1]) if shown else None


def accounts(odoo: Odoo, book: Book, ids: Iterable[int]) -> dict[int, Account]:
    """Return accounts by id; one round trip, none for none."""
    account = op.Document(
        model="account.account",
        noun="account",
        argument="account_id",
        fields=("code", "name", "internal_group"),
    )
    wanted = sorted(set(ids))
    rows = op.read_all(odoo, account, wanted, acts_on=ITEM, **book.context) if wanted else []
    return {
        row["id"]: Account(
            id=row["id"],
            code=row["code"],
            name=row["name"],
            # From 18 on it is called "off".
            group={"off": "off_balance"}.get(row["internal_group"], row["internal_group"]),
        )
        for row in rows
    }


def of_type(odoo: Odoo, *kinds: str) -> list[Any]:
    """Return what the journal items of receivable or payable accounts match."""
    # The items' own names for it: by a path, lists of models would have to name the accounts.
    if "account_type" in odoo.schema.fields(ITEM):
        types = {"receivable": "asset_receivable", "payable": "liability_payable"}
        return ["account_type", "in", [types[kind] for kind in kinds]]
    return ["account_internal_type", "in", list(kinds)]


def rounded(amount: float) -> float:
    """Return a sum of floats without what floats add to it."""
    return round(amount, 6) + 0.0


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

#: Those that do not hold for all users, or all entries.
_IN_PART = ("period_lock_date", "tax_lock_date", "user_tax_lock_date")


def lock_warnings(odoo: Odoo, company: int, day: str, kind: str = "general") -> list[str]:
    """Return why something cannot be posted under a day, for a dry run; 1 round trip.

    Odoo tells nothing before it is asked to post; then it refuses, or takes the first open day.

    Returns:
        A sentence, if the day is closed. None of it fails: what cannot be read is told, too.
    """
    try:
        closed = _locks(odoo, company, day, kind)
    except OdooError as error:
        return [f"The toolkit cannot check whether the books are closed on {day}: {error.message}"]
    if not closed:
        return []
    return [
        f"The books are closed {_listed(closed)}. Odoo will not post on {day}: it either "
        "rejects the document or uses a later day."
    ]


def checked_booking(odoo: Odoo, accounting_date: str | None, company: int, kind: str) -> str | None:
    """Return the day asked for to book something on; 1 round trip, none without a day.

    Raises:
        ValidationError: it is not a day, or Odoo would refuse it or take a later one.
    """
    day = op.checked_day(accounting_date, "accounting_date")
    if day is None:
        return None
    try:
        locks = _locks(odoo, company, day, kind)
    except OdooError:
        # Who may not see the dates is told by Odoo.
        locks = set()
    if closed := {lock for lock in locks if lock[0] not in _IN_PART}:
        raise invalid(
            "accounting_date",
            f"accounting_date is {day}, but the books are closed {_listed(closed)}.",
            "Set accounting_date to a later day.",
        )
    return day


def _locks(odoo: Odoo, company: int, day: str, kind: str) -> set[tuple[str, str]]:
    """Return what closes a day: the fields, and until when, in words.

    Args:
        odoo: the connection.
        company: whose books.
        day: under which it is to be booked, such as ``2026-11-25``.
        kind: of its journal: ``sale``, ``purchase``, or another.
    """
    known = odoo.schema.fields(_COMPANY.model)
    names = {**_DATES, **_OF_KIND.get(kind, {})}
    if "user_fiscalyear_lock_date" in known:
        names = {name: what for name, what in names.items() if name.startswith("user_")}
    names = {name: what for name, what in names.items() if name in known}
    above = "parent_of" if odoo.version.major == _BRANCHES else "="
    rows = op.read_rows(
        odoo, _COMPANY.model, [["id", above, company]], tuple(names), acts_on=INVOICE.model
    )
    return {
        (name, f"up to {row[name]}{what}")
        for row in rows
        for name, what in names.items()
        if row[name] and row[name] >= day
    }


def _listed(locks: Iterable[tuple[str, str]]) -> str:
    return " and ".join(sorted({until for _, until in locks}))
