"""A function that returns trial balances, balance sheets, profit and loss, and aged balances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal, get_args

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting import books
from odoo_toolkit.apps.accounting.days_to_pay import SIDES, PaidDays, read_paid
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import invalid, make_error
from odoo_toolkit.records.arguments import checked_count
from odoo_toolkit.records.results import RecordName

#: Bucket -> the most days after the due date.
BUCKETS = {"not_due": 0, "days_1_30": 30, "days_31_60": 60, "days_61_90": 90, "older": None}

_PARTIAL = "account.partial.reconcile"
_UNPOSTED = ["draft", "cancel"]
_IDS_AT_A_TIME = 1000


def open_items(odoo: Odoo, book: books.Book, kind: str, day: str) -> tuple[list[op.Row], float]:
    """Return the items that were open on a day, and the balance of their accounts on that day.

    Odoo keeps only what is open now. What was open is the item's balance less what had been
    settled by that day, both of which it does keep.

    Args:
        odoo: the connection.
        book: the company's.
        kind: receivable or payable.
        day: as of which.

    Returns:
        The items with ``open`` (what customers owe, or what is owed to vendors, is positive) and
        ``bucket``, and the balance in the same sense: 4 round trips, 2 where nothing is open.
    """
    sign = 1 if kind == "receivable" else -1
    until = book.domain(["date", "<=", day], books.of_type(odoo, kind))
    # What is settled by now and was settled by then is not looked at: that is most of a book.
    settled_later = [
        "|",
        ["matched_debit_ids.max_date", ">", day],
        ["matched_credit_ids.max_date", ">", day],
    ]
    # Odoo 19 leaves its payments on an invoice that is reset to draft: the book has them alone.
    settled_outside = [
        "|",
        ["matched_debit_ids.debit_move_id.parent_state", "in", _UNPOSTED],
        ["matched_credit_ids.credit_move_id.parent_state", "in", _UNPOSTED],
    ]
    ways = ["|", ["reconciled", "=", False], "|", *settled_later, *settled_outside]
    wanted = [*until, *ways]
    fields = ("balance", "date", "date_maturity", "partner_id", "account_id", "move_id")
    items, totals = op.gather(
        lambda: op.read_rows(
            odoo, books.ITEM, wanted, fields, acts_on=books.ITEM, order="id", **book.context
        ),
        lambda: books.grouped(odoo, books.ITEM, until, ("balance",), [], **book.context),
    )
    settled = _settled(odoo, book, [item["id"] for item in items], day)
    found = []
    for item in items:
        left = books.rounded(sign * (item["balance"] - settled.get(item["id"], 0.0)))
        if abs(left) > books.NOTHING:
            late = date.fromisoformat(day) - date.fromisoformat(
                item["date_maturity"] or item["date"]
            )
            found.append({**item, "open": left, "bucket": _bucket(late.days)})
    return found, books.rounded(sign * sum(row["balance"] or 0.0 for row in totals))


def _settled(odoo: Odoo, book: books.Book, ids: Sequence[int], day: str) -> dict[int, float]:
    """Return what of the balance of items had been settled by a day, by what is posted."""
    chunks = [ids[i : i + _IDS_AT_A_TIME] for i in range(0, len(ids), _IDS_AT_A_TIME)]
    fields = ("debit_move_id", "credit_move_id")
    sides = [(field, some) for some in chunks for field in fields]

    def ask(field: str, some: Sequence[int]) -> Iterable[op.Row]:
        (other,) = {*fields} - {field}
        posted = [f"{other}.parent_state", "=", "posted"]
        domain = [[field, "in", list(some)], ["max_date", "<=", day], posted]
        return books.grouped(odoo, _PARTIAL, domain, ("amount",), [field], **book.context)

    answers = op.side_by_side([lambda side=side: ask(*side) for side in sides])  # type: ignore[misc]
    settled: dict[int, float] = {}
    for (field, _), rows in zip(sides, answers, strict=True):
        way = 1 if field == "debit_move_id" else -1
        for row in rows:
            item = row[field][0]
            settled[item] = settled.get(item, 0.0) + way * row["amount"]
    return settled


def _bucket(days: int) -> str:
    return next(name for name, most in BUCKETS.items() if most is None or days <= most)


Kind = Literal[
    "trial_balance",
    "balance_sheet",
    "profit_and_loss",
    "aged_receivable",
    "aged_payable",
    "days_to_pay",
    "days_to_pay_vendors",
]
#: Of a period; the others are as of a day.
_OF_PERIOD = ("trial_balance", "profit_and_loss", *SIDES)
By = Literal["account", "partner", "document"]

#: Which result of earlier years is in no account yet.
_UNALLOCATED = "Result of earlier years, not allocated"
_THIS_YEAR = "Result of this year"


@attrs.frozen(kw_only=True)
class ReportRow(op.Shown):
    """A line of a report: an account, a partner or a document.

    Attributes:
        section: ``asset``, ``liability``, ``equity``, ``income``, ``expense`` or ``off_balance``.
        balance: Balance at the end. A trial balance shows debit minus credit. In other reports,
            income, assets, debts and payments are positive.
        days, days_late: Average days from the invoice date and from the due date to the payment,
            weighted by amount.
    """

    id: int | None = None
    code: str | None = None
    name: str
    section: str | None = None
    opening: float | None = None
    debit: float | None = None
    credit: float | None = None
    not_due: float | None = None
    days_1_30: float | None = None
    days_31_60: float | None = None
    days_61_90: float | None = None
    older: float | None = None
    days: float | None = None
    days_late: float | None = None
    balance: float


@attrs.frozen(kw_only=True)
class Report(op.Shown):
    """A report of a company's posted entries.

    Attributes:
        currency: The company's currency, of all amounts.
        totals: Totals of all rows, including omitted ones.
        rows_omitted: Number of rows beyond the limit.
        checks: Checks of the figures, and their results.
    """

    kind: str
    company: RecordName
    currency: str
    date_from: str | None = None
    date_to: str
    message: str
    totals: dict[str, float]
    checks: dict[str, bool]
    rows: list[ReportRow]
    rows_omitted: int | None = None
    warnings: list[str] = attrs.Factory(list)


def get_report(
    odoo: Odoo,
    *,
    kind: Annotated[Kind, Doc("Report to get.")],
    date_to: Annotated[str | None, Doc("Default: today.")] = None,
    date_from: Annotated[str | None, Doc("First day. Default: the fiscal year's.")] = None,
    company_id: Annotated[int | None, Doc("Id of the company.")] = None,
    company_name: Annotated[str | None, Doc("Name, instead of the id.")] = None,
    by: Annotated[By | None, Doc("Grouping. Default: account, or partner in aged reports.")] = None,
    limit: Annotated[int, Ge(1), op.AtMost(1000), Doc("Maximum number of rows.")] = 25,
) -> Report:
    """Return a report of the books from the posted journal items.

    >>> report = get_report(odoo, kind="aged_receivable", by="partner", date_to="2025-12-31")
    >>> [(row.name, row.balance) for row in report.rows]
    [('Azure', 300.0)]

    Choose the ``kind``:

    - ``trial_balance`` and ``profit_and_loss`` cover a period
    - ``balance_sheet``, ``aged_receivable`` and ``aged_payable`` are as of a day, in the past or
      the future
    - ``days_to_pay`` (customers) and ``days_to_pay_vendors`` cover payments in a period

    ``date_to`` is the last day of the period, or the day of the report. The company defaults to the
    company of the connection, or else the user's. Aged reports and days to pay can also have a row
    for each document. Totals include all rows.

    It takes 5 to 8 requests.

    Raises:
        AccessError: This user can't see the whole book, so the figures would be wrong.
        NotFoundError: The company does not exist, or this user does not belong to it.
        AmbiguousNameError: Several companies match the name.
        ValidationError: An argument is wrong.
    """
    rows_by = _checked_kind(kind, by)
    limit = checked_count(limit, "limit", 1)
    last = op.checked_day(date_to, "date_to") or op.today(odoo)
    first = op.checked_day(date_from, "date_from")
    if first is not None and kind not in _OF_PERIOD:
        raise invalid(
            "date_from",
            f"A {kind} report covers a single day, so it does not accept date_from.",
            "Pass only date_to.",
        )
    if first is not None and first > last:
        raise invalid(
            "date_from",
            f"The period ends before it begins: {first} to {last}.",
            "Set date_from to a day before date_to.",
        )
    book = books.open_book(odoo, company_id, company_name)
    if kind.startswith("aged_"):
        made = _aged(odoo, book, kind.removeprefix("aged_"), last, rows_by)
    elif kind == "balance_sheet":
        made = _balance_sheet(odoo, book, last, rows_by)
    else:
        first = first or book.year_of(last)
        if kind in SIDES:
            made = _days_to_pay(odoo, book, kind, first, last, rows_by)
        else:
            of_period = _trial_balance if kind == "trial_balance" else _profit_and_loss
            made = of_period(odoo, book, first, last, rows_by)
    period = f"from {first} to {last}" if first else f"as of {last}"
    shown = ", ".join(f"{name.replace('_', ' ')} {made.totals[name]:.2f}" for name in made.told)
    warnings = [
        (
            f"The books do not balance: {name.replace('_', ' ')} is off by {difference:.2f} "
            f"{book.currency}."
        )
        for name, difference in made.differences.items()
        if abs(difference) > books.NOTHING
    ]
    if not made.rows:
        warnings.append(f"There are no posted journal items {period}, or all of them are settled.")
    left_out = len(made.rows) - limit
    return Report(
        kind=kind,
        company=book.company,
        currency=book.currency,
        date_from=first,
        date_to=last,
        message=f"{kind.replace('_', ' ').capitalize()} of {book.company.name} {period}:"
        f" {shown} {book.currency}",
        totals=made.totals,
        checks={
            "whole_book_seen": True,
            **{name: abs(gap) <= books.NOTHING for name, gap in made.differences.items()},
        },
        rows=made.rows[:limit],
        rows_omitted=left_out if left_out > 0 else None,
        warnings=warnings,
    )


@attrs.frozen(kw_only=True)
class _Made:
    """The figures of a report; ``told`` names the totals that its message tells."""

    rows: list[ReportRow]
    totals: dict[str, float]
    told: Sequence[str]
    differences: dict[str, float]


def _checked_kind(kind: str, by: str | None) -> str:
    op.check_choice(kind, get_args(Kind), "kind", "There is no report {}.")
    aged = kind.startswith(("aged_", "days_"))
    allowed = get_args(By) if aged else ("account", "partner")
    allowed = ("partner", "document") if kind in SIDES else allowed
    by = by or ("partner" if aged else "account")
    if by not in allowed or (kind == "balance_sheet" and by != "account"):
        allowed = ("account",) if kind == "balance_sheet" else allowed
        raise make_error(
            "INVALID_SELECTION",
            f"A {kind} report cannot be grouped by {str(by)[:60]!r}.",
            suggestion=f"Choose {' or '.join(allowed)}.",
            details={"field": "by", "allowed": list(allowed)},
        )
    return by


def _days_to_pay(odoo: Odoo, book: books.Book, kind: str, first: str, last: str, by: str) -> _Made:
    found = read_paid(odoo, book, kind, first, last, by)
    every = PaidDays(id=None, name="")
    for one in found:
        every.add(one)
    rows = [
        ReportRow(
            id=one.id,
            name=one.name,
            days=one.average(one.days),
            days_late=one.average(one.late),
            balance=books.rounded(one.paid),
        )
        for one in found
    ]
    totals = {
        "days": every.average(every.days),
        "days_late": every.average(every.late),
        "paid": books.rounded(every.paid),
    }
    return _Made(rows=rows, totals=totals, told=tuple(totals), differences={})


def _trial_balance(odoo: Odoo, book: books.Book, first: str, last: str, by: str) -> _Made:
    year = book.year_of(first)
    periods = [
        [["date", "<", year]],
        [["date", ">=", year], ["date", "<", first]],
        [["date", ">=", first], ["date", "<=", last]],
    ]
    (earlier, opening, period), known = _booked(odoo, book, periods, by)
    rows = _Rows(by, known, sectioned=False)
    unallocated = 0.0
    for booked in earlier:
        # Income and expenses begin each year at nothing; their sum is what the years earned.
        if _is_result(known[booked.account]):
            unallocated += booked.balance
        else:
            rows.add(booked, opening=booked.balance, balance=booked.balance)
    for booked in opening:
        rows.add(booked, opening=booked.balance, balance=booked.balance)
    for booked in period:
        rows.add(booked, debit=booked.debit, credit=booked.credit, balance=booked.balance)
    found = rows.sorted()
    if abs(unallocated) > books.NOTHING:
        earned = books.rounded(unallocated)
        found.append(
            ReportRow(name=_UNALLOCATED, opening=earned, debit=0.0, credit=0.0, balance=earned)
        )
    columns = ("opening", "debit", "credit", "balance")
    totals = {name: books.rounded(sum(getattr(row, name) for row in found)) for name in columns}
    differences = {
        "debits_equal_credits": totals["debit"] - totals["credit"],
        "opening_balances": totals["opening"],
        "closing_balances": totals["balance"],
    }
    return _Made(rows=found, totals=totals, told=("debit", "credit"), differences=differences)


def _profit_and_loss(odoo: Odoo, book: books.Book, first: str, last: str, by: str) -> _Made:
    periods = [[["date", ">=", first], ["date", "<=", last]]]
    (period,), known = _booked(odoo, book, periods, by)
    rows = _Rows(by, known, sectioned=True)
    totals = {"income": 0.0, "expense": 0.0}
    for booked in period:
        group = known[booked.account].group
        if group in totals:
            amount = booked.balance if group == "expense" else -booked.balance
            rows.add(booked, balance=amount)
            totals[group] += amount
    totals["profit"] = totals["income"] - totals["expense"]
    return _Made(
        rows=rows.sorted(("income", "expense")),
        totals={name: books.rounded(amount) for name, amount in totals.items()},
        told=tuple(totals),
        differences={"debits_equal_credits": _difference(period)},
    )


def _balance_sheet(odoo: Odoo, book: books.Book, day: str, by: str) -> _Made:
    year = book.year_of(day)
    periods = [[["date", "<", year]], [["date", ">=", year], ["date", "<=", day]]]
    booked_in, known = _booked(odoo, book, periods, by)
    rows = _Rows(by, known, sectioned=True)
    totals = {"assets": 0.0, "liabilities": 0.0, "equity": 0.0}
    total_of = {"asset": "assets", "liability": "liabilities", "equity": "equity"}
    earned = [0.0, 0.0]
    for place, booked_then in enumerate(booked_in):
        for booked in booked_then:
            account = known[booked.account]
            amount = booked.balance if account.group == "asset" else -booked.balance
            if _is_result(account):
                earned[place] += amount
                totals["equity"] += amount
            elif account.group in total_of:
                rows.add(booked, balance=amount)
                totals[total_of[account.group]] += amount
    found = rows.sorted(tuple(total_of))
    for name, amount in zip((_UNALLOCATED, _THIS_YEAR), earned, strict=True):
        if abs(amount) > books.NOTHING:
            found.append(ReportRow(name=name, section="equity", balance=books.rounded(amount)))
    gap = totals["assets"] - totals["liabilities"] - totals["equity"]
    return _Made(
        rows=found,
        totals={name: books.rounded(amount) for name, amount in totals.items()},
        told=tuple(totals),
        differences={
            "debits_equal_credits": _difference([row for rows in booked_in for row in rows]),
            "assets_equal_liabilities_and_equity": gap,
        },
    )


def _aged(odoo: Odoo, book: books.Book, kind: str, day: str, by: str) -> _Made:
    for _ in range(2):
        items, balance = open_items(odoo, book, kind, day)
        gap = books.rounded(sum(item["open"] for item in items) - balance)
        # Somebody may have booked between the questions; a wrong book is wrong again.
        if abs(gap) <= books.NOTHING:
            break
    field = "move_id" if by == "document" else f"{by}_id"
    totals = {**dict.fromkeys(BUCKETS, 0.0), "balance": 0.0}
    rows: dict[RecordName | None, dict[str, float]] = {}
    for item in items:
        for columns in (totals, rows.setdefault(item[field], {})):
            for name in (item["bucket"], "balance"):
                columns[name] = columns.get(name, 0.0) + item["open"]
    found = [_row(key, columns, f"No {by}") for key, columns in rows.items()]
    found.sort(key=lambda row: (-abs(row.balance), row.name))
    return _Made(
        rows=found,
        totals={name: books.rounded(amount) for name, amount in totals.items()},
        told=("balance",),
        differences={"equals_balance_of_accounts": gap},
    )


def _booked(
    odoo: Odoo, book: books.Book, periods: Sequence[Sequence[Any]], by: str
) -> tuple[list[list[books.Sum]], dict[int, books.Account]]:
    """Return what was booked in each period, and the accounts."""
    asks: list[Callable[[], list[books.Sum]]] = [
        partial(books.sums, odoo, book, period, by_partner=by == "partner") for period in periods
    ]
    found = op.side_by_side(asks)
    return found, books.accounts(odoo, book, {row.account for rows in found for row in rows})


def _is_result(account: books.Account) -> bool:
    return account.group in ("income", "expense")


def _difference(booked: Iterable[books.Sum]) -> float:
    return books.rounded(sum(row.debit - row.credit for row in booked))


def _row(
    key: books.Account | RecordName | None,
    columns: Mapping[str, float],
    nameless: str,
    *,
    code: str | None = None,
    section: str | None = None,
) -> ReportRow:
    amounts: dict[str, Any] = {name: books.rounded(amount) for name, amount in columns.items()}
    name, number = (str(key.name), key.id) if key else (nameless, None)
    return ReportRow(id=number, name=name, code=code, section=section, **amounts)


class _Rows:
    """Rows of a report, into which sums are added."""

    def __init__(self, by: str, known: dict[int, books.Account], *, sectioned: bool) -> None:
        self._by_partner, self._known, self._sectioned = by == "partner", known, sectioned
        self._columns: dict[Any, dict[str, float]] = {}

    def add(self, booked: books.Sum, **columns: float) -> None:
        """Add amounts to the row that they belong to."""
        account = self._known[booked.account]
        section = account.group if self._sectioned else None
        row = self._columns.setdefault(
            (section, booked.partner if self._by_partner else account),
            {} if self._sectioned else {"opening": 0.0, "debit": 0.0, "credit": 0.0},
        )
        for name, amount in columns.items():
            row[name] = row.get(name, 0.0) + amount

    def sorted(self, sections: Sequence[str] = ()) -> list[ReportRow]:
        """Return the rows that say something, by section, then by code or name."""
        found = []
        for (section, key), columns in self._columns.items():
            if any(abs(amount) > books.NOTHING for amount in columns.values()):
                code = key.code if isinstance(key, books.Account) else None
                found.append(_row(key, columns, "No partner", code=code, section=section))
        places = {section: place for place, section in enumerate(sections)}
        found.sort(key=lambda row: (places.get(row.section or "", 0), row.code or "", row.name))
        return found
