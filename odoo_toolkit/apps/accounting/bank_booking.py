"""The booking of a bank line in its journal, and its reconciliation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import attrs

from odoo_toolkit import operations as op
from odoo_toolkit.apps.accounting.actions import CREATE as CREATE_MOVE
from odoo_toolkit.apps.accounting.actions import POST as POST_MOVE
from odoo_toolkit.apps.accounting.bank_matching import BankCandidate, Group, same_name
from odoo_toolkit.apps.accounting.books import ITEM, NOTHING, Book, rounded
from odoo_toolkit.apps.accounting.invoices import INVOICE_TYPES
from odoo_toolkit.apps.accounting.overdue import document_of, read_moves
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, StateError
from odoo_toolkit.records.results import RecordName

Status = Literal["match", "ask", "none", "done", "failed", "not_tried"]


LINE, STATEMENT = "account.bank.statement.line", "account.bank.statement"
_PARTIAL = "account.partial.reconcile"
#: Up to here a line belongs to a statement, which is posted as a whole.
_STATEMENTS_UNTIL = 15

CREATE = op.Step(model=LINE, method="create", says="Booked")
CREATE_STATEMENT = op.Step(model=STATEMENT, method="create", says="Booked")
POST = op.Step(model=STATEMENT, method="button_post", says="Posted")
ASSIGN = op.Step(model=ITEM, method="write", says="Assigned")
RECONCILE = op.Step(model=ITEM, method="reconcile", says="Reconciled")


@attrs.frozen(kw_only=True)
class Bank:
    """The journal that lines are booked in, and its company's books.

    Attributes:
        account: of the bank itself.
        suspense: the account on which Odoo books what a line pays until that is known.
        writeoffs: by the index of a line, the account that takes what differs.
        general: the journal of those entries.
    """

    odoo: Odoo
    book: Book
    journal: RecordName
    account: int
    suspense: int
    tolerance: float
    writeoffs: Mapping[int, int] = attrs.field(factory=dict)
    general: int | None = None


@attrs.frozen(kw_only=True)
class BankMatch(op.Shown):
    """A bank line and the documents that it pays.

    Attributes:
        index: Position of the line in your list.
        status: ``match``, ``ask`` (name its documents) or ``none``. After booking: ``done``,
            ``failed`` or ``not_tried``. ``done`` also if the line was already booked and
            reconciled.
        reasons: Reasons for the match.
        items: Documents that the line pays, or candidates to choose from.
        stays_open: Amount that stays open, in the currency of the journal. Negative if the line
            pays more than is open, which stays as a credit of the partner.
        written_off: Difference that was booked on the write-off account of the line. Negative if
            the line paid more.
        line_id: Id of the booked line (``account.bank.statement.line``).
        booked_before: True if the line already existed in Odoo. It is not booked again.
        payment_states: Payment state of each invoice after booking, as Odoo shows it.
        left_open: Amount that is open of each invoice after booking, as Odoo shows it.
        error: Reason of the failure, as an error object.
    """

    index: int
    date: str
    amount: float
    reference: str | None = None
    partner: str | None = None
    status: Status
    reasons: list[str] = attrs.Factory(list)
    items: list[BankCandidate] = attrs.Factory(list)
    stays_open: float | None = None
    written_off: float | None = None
    line_id: int | None = None
    booked_before: bool = False
    payment_states: dict[str, str] = attrs.Factory(dict)
    left_open: dict[str, float] = attrs.Factory(dict)
    error: dict[str, Any] | None = None
    warnings: list[str] = attrs.Factory(list)


def bank_steps(odoo: Odoo) -> list[op.Step]:
    creating = [CREATE] if by_line(odoo) else [CREATE_STATEMENT, POST]
    return [*creating, ASSIGN, RECONCILE]


def by_line(odoo: Odoo) -> bool:
    return odoo.version.major > _STATEMENTS_UNTIL


@attrs.frozen(kw_only=True)
class Booked:
    """A line that is in Odoo.

    Attributes:
        settled: whether it is assigned, or some of it reconciled, so that it is left alone.
        told: what it is, in words.
    """

    id: int
    settled: bool
    told: str


def booked_before(bank: Bank, lines: Sequence[Mapping[str, Any]]) -> dict[int, Booked]:
    """Return the lines that are in the journal already; 2 round trips, 1 where none are."""
    domain = [
        ["journal_id", "=", bank.journal.id],
        ["date", "in", sorted({line["date"] for line in lines})],
    ]
    fields = ["date", "amount", "payment_ref", "partner_name", "partner_id", "move_id"]
    rows = op.read_rows(
        bank.odoo, LINE, domain, fields, acts_on=LINE, order="id", **bank.book.context
    )
    found: dict[int, op.Row] = {}
    used: set[int] = set()
    for index, line in enumerate(lines):
        for row in rows:
            if row["id"] not in used and _is_same(row, line):
                used.add(row["id"])
                found[index] = row
                break
    if not found:
        return {}
    counter = _counterparts(bank, [row["move_id"].id for row in found.values() if row["move_id"]])
    booked: dict[int, Booked] = {}
    for index, row in found.items():
        own = counter.get(row["move_id"].id if row["move_id"] else 0, [])
        # What is not assigned yet, or assigned and not reconciled at all.
        is_open = any(
            one["account_id"].id == bank.suspense
            or abs(abs(one["amount_residual"] or 0.0) - abs(row["amount"])) <= NOTHING
            for one in own
        )
        partner = row["partner_id"]
        told = f"bank line {row['id']}" + (f" of {partner.name}" if partner else "")
        booked[index] = Booked(id=row["id"], settled=bool(own) and not is_open, told=told)
    return booked


def _is_same(row: op.Row, line: Mapping[str, Any]) -> bool:
    """Whether a booked line is the given one: by day, amount, reference and name."""
    if row["date"] != line["date"] or abs((row["amount"] or 0.0) - line["amount"]) > NOTHING:
        return False
    if (row["payment_ref"] or "").strip() != _reference(line):
        return False
    name = row["partner_name"] or (row["partner_id"].name if row["partner_id"] else "")
    # Many pay the same with the same words.
    return not (name and line["partner"]) or same_name(name, line["partner"])


def _reference(line: Mapping[str, Any]) -> str:
    """Return the text of the booked line; Odoo to 15 requires one."""
    return str(line["reference"] or line["partner"] or "Bank line")


def _counterparts(bank: Bank, moves: Sequence[int]) -> dict[int, list[op.Row]]:
    """Return the items of bank lines that are not those of the bank itself, by entry."""
    fields = ["move_id", "account_id", "partner_id", "reconciled", "amount_residual"]
    domain = [["move_id", "in", list(moves)], ["account_id", "!=", bank.account]]
    rows = op.read_rows(bank.odoo, ITEM, domain, fields, acts_on=ITEM, **bank.book.context)
    found: dict[int, list[op.Row]] = {}
    for row in rows:
        found.setdefault(row["move_id"].id, []).append(row)
    return found


#: Statements of a plan: the day, and the balance at the end.
Ends = list[tuple[str, float]]


def _values(
    bank: Bank, match: BankMatch, groups: Sequence[Group], ends: Ends | None = None
) -> dict[str, Any]:
    """Return the values of the bank line, or of the statement that holds it."""
    partner = groups[0].first.partner
    line: dict[str, Any] = {
        "date": match.date,
        "amount": match.amount,
        "payment_ref": _reference({"reference": match.reference, "partner": match.partner}),
        "partner_id": partner.id if partner else False,
        **({"partner_name": match.partner} if match.partner else {}),
    }
    if by_line(bank.odoo):
        return {"journal_id": bank.journal.id, **line}
    start = _last_balance(bank, match.date, ends or ())
    if ends is not None:
        ends.append((match.date, rounded(start + match.amount)))
    return {
        "name": f"{bank.journal.name} {match.date}: {line['payment_ref']}"[:120],
        "journal_id": bank.journal.id,
        "date": match.date,
        "balance_start": start,
        "balance_end_real": rounded(start + match.amount),
        "line_ids": [[0, 0, line]],
    }


def _last_balance(bank: Bank, day: str, more: Sequence[tuple[str, float]]) -> float:
    """Return with what the last statement up to a day ends, in Odoo or among those planned."""
    domain = [["journal_id", "=", bank.journal.id], ["date", "<=", day]]
    rows = op.read_rows(
        bank.odoo,
        STATEMENT,
        domain,
        ["date", "balance_end_real"],
        acts_on=LINE,
        limit=1,
        order="date desc, id desc",
    )
    ends = [(row["date"], float(row["balance_end_real"] or 0.0)) for row in rows]
    ends += [end for end in more if end[0] <= day]
    # Of one day the last one, as Odoo sorts them.
    return max(enumerate(ends), key=lambda end: (end[1][0], end[0]))[1][1] if ends else 0.0


def _item_ids(groups: Sequence[Group]) -> list[int]:
    return [item.id for group in groups for item in group.items]


def _assigned(groups: Sequence[Group]) -> dict[str, Any]:
    first = groups[0].first
    return {
        "account_id": first.account.id,
        "partner_id": first.partner.id if first.partner else False,
    }


def line_calls(bank: Bank, match: BankMatch, groups: Sequence[Group], ends: Ends) -> list[op.Call]:
    """Return the calls for a line; what is only known when it is booked is a text."""
    odoo, new = bank.odoo, "the bank line's open item"
    calls: list[op.Call] = []
    if match.line_id is None:
        step = CREATE if by_line(odoo) else CREATE_STATEMENT
        calls += step.of(vals_list=_values(bank, match, groups, ends)).calls(odoo, ())
        if not by_line(odoo):
            calls += POST.calls(odoo, ("the new statement",))
    calls += ASSIGN.of(vals=_assigned(groups)).calls(odoo, (new,))
    calls += RECONCILE.calls(odoo, (new, *_item_ids(groups)))
    if match.written_off:
        way = 1 if match.amount > 0 else -1
        values = _writeoff(bank, match, groups, way * match.written_off)
        calls += CREATE_MOVE.of(vals_list=[values]).calls(odoo, ())
        calls += POST_MOVE.calls(odoo, ("the write-off",))
        calls += RECONCILE.calls(odoo, ("the write-off's open item", *_item_ids(groups)))
    return calls


def _writeoff(bank: Bank, match: BankMatch, groups: Sequence[Group], rest: float) -> dict[str, Any]:
    """Return the entry that settles what is open on the account of the documents.

    Args:
        bank: the journal.
        match: the line.
        groups: its documents.
        rest: what is open; negative where it is a credit.
    """
    text = f"Write-off: {', '.join(str(group.document.name) for group in groups)}"
    sides = ("credit", "debit") if rest > 0 else ("debit", "credit")
    lines = [
        {**_assigned(groups), sides[0]: abs(rest), "name": text},
        {"account_id": bank.writeoffs[match.index], sides[1]: abs(rest), "name": text},
    ]
    return {
        "move_type": "entry",
        "journal_id": bank.general,
        "date": match.date,
        "ref": text,
        "line_ids": [[0, 0, line] for line in lines],
    }


def _write_off(
    bank: Bank, match: BankMatch, groups: Sequence[Group], item: int, warnings: list[str]
) -> None:
    """Book what is open of a line and its documents on the account for that, and settle it."""
    odoo, account = bank.odoo, _assigned(groups)["account_id"]
    domain = [
        ["id", "in", [item, *_item_ids(groups)]],
        ["account_id", "=", account],
        ["reconciled", "=", False],
    ]
    rows = op.read_rows(odoo, ITEM, domain, ["amount_residual"], acts_on=ITEM, **bank.book.context)
    rest = rounded(sum(row["amount_residual"] or 0.0 for row in rows))
    if abs(rest) <= NOTHING:
        return
    values = _writeoff(bank, match, groups, rest)
    (entry,) = CREATE_MOVE.of(vals_list=[values]).make(odoo, (), warnings)
    POST_MOVE.make(odoo, [entry], warnings)
    own = [["move_id", "=", entry], ["account_id", "=", account]]
    (new,) = op.read_rows(odoo, ITEM, own, ["id"], acts_on=ITEM, **bank.book.context)
    ids = [new["id"], *(row["id"] for row in rows)]
    attrs.evolve(RECONCILE, seen=partial(_is_linked, new["id"])).make(odoo, ids, warnings)


def apply_line(bank: Bank, match: BankMatch, groups: Sequence[Group]) -> BankMatch:
    """Book and reconcile one line; it never fails."""
    warnings: list[str] = list(match.warnings)
    number = match.line_id
    try:
        if number is None:
            number = _book(bank, match, groups, warnings)
        item = _settle(bank, number, groups, warnings)
        if match.written_off:
            _write_off(bank, match, groups, item, warnings)
    except OdooError as error:
        told = error.to_dict()
        if number is not None and match.line_id is None:
            warnings.append(
                f"The line (id {number}) is booked but not reconciled. To reconcile it, pass it "
                "again."
            )
        return attrs.evolve(match, status="failed", line_id=number, error=told, warnings=warnings)
    return _afterwards(bank, attrs.evolve(match, line_id=number, warnings=warnings), groups)


def _book(bank: Bank, match: BankMatch, groups: Sequence[Group], warnings: list[str]) -> int:
    """Book a line, and return its id."""
    odoo = bank.odoo
    values = _values(bank, match, groups)
    if by_line(odoo):
        return int(CREATE.of(vals_list=values).make(odoo, (), warnings)[0])
    (statement,) = CREATE_STATEMENT.of(vals_list=values).make(odoo, (), warnings)
    rows = op.read_rows(odoo, LINE, [["statement_id", "=", statement]], ["id"], acts_on=LINE)
    if len(rows) != 1:
        raise StateError(
            f"The statement {statement} contains {len(rows)} lines instead of the one line that "
            "you passed.",
            suggestion="Check the bank line in Odoo.",
        )
    return int(rows[0]["id"])


def _settle(bank: Bank, number: int, groups: Sequence[Group], warnings: list[str]) -> int:
    """Move what is open of a booked line to the account of what it pays, and reconcile them.

    Returns:
        The id of the line's item there.
    """
    odoo = bank.odoo
    fields = ["move_id", "statement_id"]
    (row,) = op.read_rows(odoo, LINE, [["id", "=", number]], fields, acts_on=LINE)
    move = row["move_id"].id
    if not by_line(odoo) and row["statement_id"]:
        moves = read_moves(odoo, bank.book, [move])
        if moves and moves[move]["state"] == "draft":
            attrs.evolve(POST, seen=partial(_is_posted, bank, move)).make(
                odoo, [row["statement_id"].id], warnings
            )
    own = _counterparts(bank, [move]).get(move, [])
    if len(own) != 1:
        raise StateError(
            f"The bank line {number} is booked on {len(own)} accounts: another user changed it.",
            suggestion="Reconcile the bank line in Odoo.",
            details={"model": LINE, "id": number},
        )
    item, wanted = own[0], _assigned(groups)
    if item["account_id"].id != wanted["account_id"]:
        if item["account_id"].id != bank.suspense:
            raise StateError(
                f"The bank line {number} is already booked on {item['account_id'].name}.",
                suggestion="Check the bank line in Odoo.",
                details={"model": LINE, "id": number},
            )
        ASSIGN.of(vals=wanted).make(odoo, [item["id"]], warnings)
    ids = [item["id"], *_item_ids(groups)]
    attrs.evolve(RECONCILE, seen=partial(_is_linked, item["id"])).make(odoo, ids, warnings)
    return int(item["id"])


def _is_posted(bank: Bank, move: int, odoo: Odoo, _: int) -> bool | None:
    rows = read_moves(odoo, bank.book, [move])
    return True if rows and rows[move]["state"] == "posted" else None


def _is_linked(item: int, odoo: Odoo, _: int) -> bool | None:
    either = ["|", ["debit_move_id", "=", item], ["credit_move_id", "=", item]]
    return bool(op.read_rows(odoo, _PARTIAL, either, ["id"], acts_on=ITEM, limit=1)) or None


def _afterwards(bank: Bank, match: BankMatch, groups: Sequence[Group]) -> BankMatch:
    """Return a line with how its documents are now, as Odoo shows them."""
    warnings = match.warnings
    try:
        moves = read_moves(bank.odoo, bank.book, (group.document.id for group in groups))
        ids = _item_ids(groups)
        rows = op.read_rows(
            bank.odoo,
            ITEM,
            [["id", "in", ids]],
            ["amount_residual", "reconciled"],
            acts_on=ITEM,
            **bank.book.context,
        )
    except OdooError as error:
        warnings.append(f"The line was booked, but it cannot be read back: {error.message}")
        return attrs.evolve(match, status="done", stays_open=None)
    way = 1 if match.amount > 0 else -1
    left = rounded(way * sum(row["amount_residual"] or 0.0 for row in rows))
    wanted = max(match.stays_open or 0.0, 0.0)
    if abs(left - wanted) > NOTHING:
        warnings.append(f"{left:.2f} stays open instead of {wanted:.2f} as planned.")
    return attrs.evolve(
        match,
        status="done",
        stays_open=left or match.stays_open,
        payment_states={
            str(document_of(row).name): row["payment_state"]
            for row in moves.values()
            if row["move_type"] in INVOICE_TYPES
        },
        left_open={
            str(document_of(row).name): row["amount_residual"]
            for row in moves.values()
            if row["amount_residual"] is not None and row["move_type"] in INVOICE_TYPES
        },
    )
