"""A function that matches, books and reconciles the lines of a bank statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import CREATE as CREATE_MOVE
from odoo_toolkit.apps.accounting.actions import POST as POST_MOVE
from odoo_toolkit.apps.accounting.bank_booking import (
    LINE,
    Bank,
    BankMatch,
    Ends,
    apply_line,
    bank_steps,
    booked_before,
    line_calls,
)
from odoo_toolkit.apps.accounting.bank_matching import (
    Group,
    Verdict,
    Wish,
    candidate,
    grouped_items,
    is_named,
    judge,
)
from odoo_toolkit.apps.accounting.books import ITEM, NOTHING, of_type, open_book, rounded
from odoo_toolkit.apps.accounting.invoices import of_companies, pick_journal
from odoo_toolkit.apps.accounting.overdue import MOVE, read_open
from odoo_toolkit.apps.accounting.reconciling import PARTNERS
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, ValidationError, invalid
from odoo_toolkit.progress import Steps, quietly
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.search_text import literal

#: Lines with a reference that an error lists.
_SHOWN = 10
#: Lines of one call.
MOST = 100
_JOURNALS = ("bank", "cash", "credit")
#: Kinds of errors after which the next line would fare no better.
_ENDS = ("connection", "rate_limit")


class BankLine(TypedDict, total=False):
    """A line of a bank statement."""

    date: Annotated[str, Doc("YYYY-MM-DD.")]
    amount: Annotated[float, Doc("Positive for money in, negative for money out.")]
    reference: Annotated[str, Doc("Text on the statement, from the payer.")]
    partner: Annotated[str, Doc("Payer or payee, as the bank writes the name.")]
    documents: Annotated[
        list[op.IdOrName],
        Doc("Invoices, bills or payments that the line pays, by id or number."),
    ]
    currency: Annotated[str, Doc("Such as EUR. Must be the journal's.")]
    writeoff_account: Annotated[str, Doc("Account for the difference: name or code.")]


@attrs.frozen(kw_only=True)
class BankPlan(op.Plan):
    """The lines that would be booked and reconciled. Nothing was written.

    Attributes:
        rejected: True if Odoo would reject this, for the reason in the message.
    """

    journal: RecordName
    currency: str
    lines: list[BankMatch]
    rejected: bool = False


@attrs.frozen(kw_only=True)
class BankResult(op.Shown):
    """The results of the lines, in your order."""

    message: str
    journal: RecordName
    currency: str
    lines: list[BankMatch]
    warnings: list[str] = attrs.Factory(list)


@op.operation_with(BankPlan)
def match_bank_lines(
    odoo: Odoo,
    *,
    lines: Annotated[Sequence[BankLine], Len(1, MOST), Doc("The lines, in order.")],
    journal: Annotated[op.NameOrId, Doc("Journal. Default: the first bank journal.")] = None,
    tolerance: Annotated[float, Ge(0), Doc("Maximum difference between equal amounts.")] = 0.0,
    company: Annotated[op.NameOrId, Doc("Company. Default: the connection's.")] = None,
    dry_run: op.DryRun = False,
) -> BankResult | BankPlan:
    """Match bank lines with open invoices, bills and payments, book them and reconcile them.

    >>> plan = match_bank_lines.plan(
    ...     odoo, lines=[{"date": "2025-11-03", "amount": 115.0, "reference": "INV 201, thanks"}]
    ... )
    >>> [(line.status, line.items[0].document.name) for line in plan.lines]
    [('match', 'INV/201')]

    Pass 1 to 100 lines, each with ``date``, ``amount``, ``reference`` and ``partner``. A line
    matches a document if its reference contains the number of the document, or if the amount and
    the name fit only one. If several documents fit, or only the amount fits, the line is not
    booked. Set its ``documents`` to choose. A line without a match is not booked either.

    A line is the same as one in Odoo if the date, amount, reference, name and journal are equal. It
    is not booked again. For an unreconciled line in Odoo, a part of its ``reference`` is enough.

    A difference within the tolerance stays open. To book it instead, set ``writeoff_account`` of
    the line to the name or code of an account.

    Raises:
        AmbiguousNameError: A name or number matches several records. Nothing was written.
        NotFoundError: The journal, company or document does not exist. Nothing was written.
        ValidationError: A line is wrong, is passed twice, or is not in the currency of the books.
            Nothing was written.
        AccessError: This user can't see all items, or can't book bank lines. Nothing was written.
    """
    checked = _checked(lines)
    within = op.checked_number(tolerance, "tolerance", positive=False)
    if within < 0:
        raise invalid("tolerance", "tolerance must not be negative.")
    off = any("writeoff_account" in line for line in checked)
    op.permit(odoo, *bank_steps(odoo), *([CREATE_MOVE, POST_MOVE] if off else []), dry_run=dry_run)
    whose = op.resolve(odoo, op.Wanted.of("res.company", company, "company"), required=False)
    book = open_book(odoo, whose or op.acting_company(odoo, ITEM))
    row = pick_journal(odoo, journal, _JOURNALS if journal else ("bank",), book.company.id)
    own = _accounts(odoo, row["id"])
    bank = Bank(
        odoo=odoo,
        book=book,
        journal=RecordName(id=row["id"], name=row["name"]),
        account=own["account"],
        suspense=own["suspense"],
        tolerance=within,
    )
    if off:
        general = pick_journal(odoo, None, ("general",), book.company.id)["id"]
        bank = attrs.evolve(bank, writeoffs=_writeoffs(bank, checked), general=general)
    checked = _from_odoo(bank, checked)
    _check_currency(bank, row, checked)
    matches, groups = _judged(bank, checked)
    if dry_run:
        return _plan(bank, matches, groups)
    _check_rights(odoo)
    progress = Steps(len(matches) + 1)
    progress.finish(1, "Matched")
    done: list[BankMatch] = []
    lost = False
    for match in matches:
        if match.status == "match" and lost:
            match = attrs.evolve(match, status="not_tried")
        elif match.status == "match":
            with quietly():
                match = apply_line(bank, match, groups[match.index])
            lost = match.error is not None and match.error["category"] in _ENDS
        done.append(match)
        progress.finish(1, f"Line {match.index}: {match.status}")
    return BankResult(
        message=_message(done), journal=bank.journal, currency=book.currency, lines=done
    )


# What was given -----------------------------------------------------------------------------------


def _checked(lines: Sequence[BankLine]) -> list[dict[str, Any]]:
    checked = op.check_lines(lines, BankLine.__annotations__, "lines")
    if len(checked) > MOST:
        raise invalid(
            "lines",
            f"{len(checked)} lines are too many for one call. The maximum is {MOST}.",
            f"Pass up to {MOST} lines in each call.",
        )
    first: dict[tuple[Any, ...], int] = {}
    for index, line in enumerate(checked):
        said = line.get("writeoff_account")
        if said is not None and (not isinstance(said, str) or not said.strip()):
            raise invalid(
                f"lines[{index}].writeoff_account",
                f"lines[{index}].writeoff_account must be a name or code, not {str(said)[:60]!r}.",
            )
        if not {"date", "amount"} & line.keys() and str(line.get("reference") or "").strip():
            # A line that is in Odoo: its reference tells which.
            line["reference"] = str(line["reference"]).strip()
            continue
        for key in ("date", "amount"):
            if key not in line:
                raise ValidationError(
                    f"lines[{index}] has no {key}.",
                    suggestion="Pass a line such as {'date': '2026-01-31', 'amount': 115.0}.",
                    code="MISSING_REQUIRED_FIELD",
                    details={"field": f"lines[{index}].{key}"},
                )
        line["date"] = op.checked_day(line["date"], f"lines[{index}].date")
        line["amount"] = op.checked_number(line["amount"], f"lines[{index}].amount", positive=False)
        if abs(line["amount"]) <= NOTHING:
            raise invalid(
                f"lines[{index}].amount", f"lines[{index}].amount is 0: nothing was paid."
            )
        for key in ("reference", "partner"):
            line[key] = str(line.get(key) or "").strip()
        same = (line["date"], line["amount"], line["reference"], line["partner"])
        if same in first:
            raise invalid(
                f"lines[{index}]",
                f"lines[{first[same]}] and lines[{index}] are the same.",
                "Pass each line once. If both were paid, give them different references.",
            )
        first[same] = index
    return checked


def _check_currency(bank: Bank, journal: op.Row, lines: Sequence[Mapping[str, Any]]) -> None:
    """Refuse other currencies than that of the books: nothing is converted here."""
    home = bank.book.currency
    own = op.currency_of(journal) or home
    if own != home:
        raise invalid(
            "journal",
            f"The journal {bank.journal.name} is in {own} and the books are in {home}. The "
            "toolkit cannot match lines in a foreign currency.",
            "Match them in Odoo, or register the payments with register_payment.",
            currency=own,
        )
    for index, line in enumerate(lines):
        said = str(line.get("currency") or own).strip().upper()
        if said != own:
            raise invalid(
                f"lines[{index}].currency",
                f"lines[{index}] is in {said}, but the journal {bank.journal.name} is in {own}.",
                "Choose a journal in that currency, or pass the amount that the bank booked.",
            )


def _writeoffs(bank: Bank, lines: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Return the accounts that take what differs, by the index of the line."""
    own = of_companies(bank.odoo, bank.book.company.id)
    named = [
        (
            index,
            op.Wanted(
                model="account.account",
                field=f"lines[{index}].writeoff_account",
                name=line["writeoff_account"],
                domain=(own,),
            ),
        )
        for index, line in enumerate(lines)
        if "writeoff_account" in line
    ]
    ids = op.resolve_all(bank.odoo, [wanted for _, wanted in named])
    return {index: number for (index, _), number in zip(named, ids, strict=True) if number}


def _from_odoo(bank: Bank, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines, with day and amount of those that are named by the bank's reference."""
    fields = ("date", "amount", "payment_ref", "partner_name", "partner_id")
    found = []
    for index, line in enumerate(lines):
        if "amount" in line:
            found.append(line)
            continue
        domain = [
            ["journal_id", "=", bank.journal.id],
            ["is_reconciled", "=", False],
            ["payment_ref", "ilike", literal(line["reference"])],
        ]
        rows = op.read_rows(bank.odoo, LINE, domain, fields, acts_on=LINE, limit=_SHOWN, order="id")
        if len(rows) != 1:
            listed = "; ".join(
                f"{row['date']}, {row['amount']:.2f}, {row['payment_ref']}" for row in rows
            )
            raise invalid(
                f"lines[{index}].reference",
                f"lines[{index}]: {len(rows) or 'no'} open lines of {bank.journal.name} have the"
                f" reference {line['reference'][:60]!r}.",
                f"Pass a longer part of the reference: {listed}."
                if rows
                else "Pass the date and amount of the line.",
            )
        (row,) = rows
        partner = row["partner_name"] or (row["partner_id"].name if row["partner_id"] else "")
        own = {"date": row["date"], "amount": row["amount"], "partner": partner}
        found.append({**line, **own, "reference": (row["payment_ref"] or "").strip()})
    return found


def _accounts(odoo: Odoo, journal: int) -> dict[str, int]:
    """Return the account of the bank itself, and that of what is not assigned yet."""
    fields = {"account": "default_account_id", "suspense": "suspense_account_id"}
    domain = [["id", "=", journal]]
    rows = op.read_rows(odoo, "account.journal", domain, [*fields.values()], acts_on=LINE)
    if not rows or not all(rows[0][field] for field in fields.values()):
        raise invalid(
            "journal",
            "The journal lacks its bank account or its suspense account.",
            "Set both accounts on the journal in Odoo first.",
        )
    return {key: rows[0][field].id for key, field in fields.items()}


def _check_rights(odoo: Odoo) -> None:
    if odoo.schema.may(LINE, "create"):
        return
    raise AccessError(_NO_RIGHT, suggestion=_WHICH, details={"model": LINE})


_NO_RIGHT = "This user cannot book bank lines, which requires full accounting permissions."
_WHICH = (
    "register_payment pays the same invoices without bank lines. For bank lines, ask an "
    "administrator of Odoo for Show Full Accounting Features (Odoo 17 and earlier) or for the "
    "basic accounting permissions (Odoo 18 and later)."
)


# Matching -----------------------------------------------------------------------------------------


def _judged(
    bank: Bank, lines: Sequence[Mapping[str, Any]]
) -> tuple[list[BankMatch], dict[int, list[Group]]]:
    """Return each line with what it pays, and the documents by the index of the line."""
    odoo = bank.odoo
    outstanding = [
        "&",
        "&",
        ["payment_id", "!=", False],
        ["journal_id", "=", bank.journal.id],
        ["account_id", "!=", bank.account],
    ]
    items = read_open(odoo, bank.book, "|", of_type(odoo, *PARTNERS), *outstanding)
    home = bank.book.currency
    groups = grouped_items(item for item in items if item.currency in (None, home))
    foreign = grouped_items(item for item in items if item.currency not in (None, home))
    chosen = _chosen(bank, lines)
    before = booked_before(bank, lines)
    matches: list[BankMatch] = []
    paid: dict[int, list[Group]] = {}
    for index, line in enumerate(lines):
        wish = Wish(
            amount=line["amount"],
            text=line["reference"],
            name=line["partner"],
            chosen=tuple(chosen.get(index, ())),
        )
        same = before.get(index)
        known: dict[str, Any] = {
            "index": index,
            "date": line["date"],
            "amount": line["amount"],
            "reference": line["reference"] or None,
            "partner": line["partner"] or None,
            "line_id": same.id if same else None,
            "booked_before": same is not None,
        }
        if same and same.settled:
            reason = f"This line already exists in Odoo and is reconciled: {same.told}."
            matches.append(BankMatch(status="done", reasons=[reason], **known))
            continue
        verdict = judge(wish, groups, bank.tolerance)
        if verdict.status != "match":
            verdict = _in_other_currency(wish, foreign, home) or verdict
        shown = [candidate(group, wish, bank.tolerance) for group in verdict.groups]
        matched = verdict.status == "match"
        left = rounded(sum(group.left for group in verdict.groups) - line["amount"])
        way = 1 if line["amount"] > 0 else -1
        stays = rounded(way * left) if matched else None
        off = stays if stays and index in bank.writeoffs else None
        matches.append(
            BankMatch(
                status="match" if matched else "ask" if verdict.status == "ask" else "none",
                reasons=verdict.reasons,
                items=shown,
                stays_open=0.0 if off else stays,
                written_off=off,
                **known,
            )
        )
        if matched:
            paid[index] = verdict.groups
            settled = line["amount"] + (way * off if off and off > 0 else 0.0)
            groups = _without(groups, verdict.groups, settled)
    return matches, paid


def _in_other_currency(wish: Wish, foreign: Sequence[Group], home: str) -> Verdict | None:
    """Return that a line names a document in another currency; None where it does not."""
    named = [group for group in foreign if is_named(group, wish)]
    if not named:
        return None
    first = named[0]
    reason = (
        f"{first.document.name} is in {first.first.currency}, but the line is in {home}. Use "
        "register_payment, which converts currencies."
    )
    return Verdict(status="none", groups=named, reasons=[reason])


def _without(groups: Sequence[Group], paid: Sequence[Group], amount: float) -> list[Group]:
    """Return what is open when a line has paid these documents."""
    rest, kept = amount, []
    taken = {(group.document.id, group.first.account.id) for group in paid}
    for group in groups:
        if (group.document.id, group.first.account.id) not in taken:
            kept.append(group)
            continue
        used = min(abs(group.left), abs(rest))
        way = 1 if rest > 0 else -1
        rest = rounded(rest - way * used)
        left = rounded(group.left - way * used)
        if abs(left) > NOTHING:
            kept.append(attrs.evolve(group, left=left))
    return kept


def _chosen(bank: Bank, lines: Sequence[Mapping[str, Any]]) -> dict[int, list[int]]:
    """Return the ids of the documents that lines name."""
    domain = (("company_id", "=", bank.book.company.id), ("state", "=", "posted"))
    wanted: list[tuple[int, op.Wanted]] = []
    for index, line in enumerate(lines):
        given: op.NamesOrIds = line.get("documents")
        field = f"lines[{index}].documents"
        wanted += [(index, one) for one in op.wanted_each(MOVE, given, field, domain)]
    found: dict[int, list[int]] = {}
    ids = op.resolve_all(bank.odoo, [one for _, one in wanted])
    for (index, _), number in zip(wanted, ids, strict=True):
        if number is not None:
            found.setdefault(index, []).append(number)
    return found


# Told ---------------------------------------------------------------------------------------------


def _plan(bank: Bank, matches: list[BankMatch], groups: Mapping[int, list[Group]]) -> BankPlan:
    matched = [match for match in matches if match.status == "match"]
    ends: Ends = []
    calls = [
        call for match in matched for call in line_calls(bank, match, groups[match.index], ends)
    ]
    total = sum(match.amount for match in matched)
    would = f"Would book and reconcile {total:.2f} {bank.book.currency}. {_message(matches)}"
    plan = op.planned(bank.odoo, calls, would)
    if rejected := bool(calls) and not bank.odoo.schema.may(LINE, "create"):
        would = f"Odoo would reject this. {_NO_RIGHT} {_message(matches)}"
        plan = attrs.evolve(plan, message=would, warnings=[_WHICH], calls=[])
    return BankPlan(
        **attrs.asdict(plan, recurse=False),
        journal=bank.journal,
        currency=bank.book.currency,
        lines=matches,
        rejected=rejected,
    )


_SAID = {
    "match": "matched",
    "ask": "to be decided",
    "none": "without a match",
    "done": "done",
    "failed": "failed",
    "not_tried": "not tried, as Odoo could not be reached any more",
}


def _message(matches: Sequence[BankMatch]) -> str:
    counts: dict[str, int] = {}
    for match in matches:
        counts[match.status] = counts.get(match.status, 0) + 1
    told = ", ".join(
        f"{counts[status]} {said}" for status, said in _SAID.items() if status in counts
    )
    return f"{len(matches)} line{'s' if len(matches) != 1 else ''}: {told}."
