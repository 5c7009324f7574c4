"""A function that submits, approves, posts and pays several expenses of one employee.

On Odoo 18 and earlier, expenses without a report go into a new report, and each report is posted
into one entry. On Odoo 19 and later there are no reports, and the expenses are posted into one
entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.expenses import EXPENSE, REPORT, REPORTS_UNTIL, MakeReport, total_of
from odoo_toolkit.apps.hr.people import check_one_of, denied_as
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.wizards.protocol import answer_wizard

Until = Literal["submit", "approve", "post", "pay"]

_ORDER: tuple[Until, ...] = ("submit", "approve", "post", "pay")
_APPROVED = 2
_DID = {"submit": "Submitted", "approve": "Approved", "post": "Posted", "pay": "Paid"}

#: How far a state has come: of a report to 18, of an expense later.
_REACHED: dict[str, int] = {
    "draft": 0,
    "submit": 1,
    "submitted": 1,
    "approve": 2,
    "approved": 2,
    "post": 3,
    "posted": 3,
    "in_payment": 4,
    "paid": 4,
    "done": 4,
}

#: Buttons that are called otherwise on these versions.
_APPROVES = dict.fromkeys((14, 15, 16), "approve_expense_sheets")
_POSTS = {18: "action_sheet_move_post", 19: "action_post"}

#: Asks for journal and day, from 19 on; Odoo proposes those of the company, and today.
_WIZARD = "hr.expense.post.wizard"

_PAYMENT = "account.payment"
_PAID = "move_id.line_ids.matched_credit_ids.credit_move_id.move_id"
_ONE = attrs.evolve(EXPENSE, fields=(*EXPENSE.fields, "payment_mode", "account_move_id"))
_TOGETHER = attrs.evolve(
    REPORT, fields=(*REPORT.fields, "employee_id", "account_move_id", "account_move_ids")
)


@attrs.frozen(kw_only=True)
class ReportedExpense(op.Shown):
    """One of several expenses, as it is now.

    Attributes:
        total_amount: Amount with taxes, in ``currency``.
    """

    id: int
    name: str
    state: str | None = None
    date: str | None = None
    product: RecordName | None = None
    total_amount: float | None = None
    currency: str | None = None


@attrs.frozen(kw_only=True)
class ExpensePayment(op.Shown):
    """A payment of expenses. ``entry`` is None if Odoo posted no journal entry."""

    id: int
    name: str | None = None
    amount: float
    currency: str | None = None
    date: str | None = None
    journal: RecordName | None = None
    state: str | None = None
    entry: RecordName | None = None


@attrs.frozen(kw_only=True)
class ExpensesResult(op.Shown):
    """Several expenses of one employee, as they are now.

    Attributes:
        state: State of the reports on Odoo 18 and earlier, of the expenses on Odoo 19 and later.
            None if they differ.
        total_amount: Amount with taxes, in ``currency``. None if the currencies differ.
        report: The report on Odoo 18 and earlier, if there is only one.
        entries: Posted entries.
        payments: Payments of the entries, if you asked for ``pay``.
        warnings: Differences from your request.
    """

    message: str
    state: str | None = None
    employee: RecordName | None = None
    expenses: list[ReportedExpense] = attrs.Factory(list)
    total_amount: float | None = None
    currency: str | None = None
    report: RecordName | None = None
    entries: list[RecordName] = attrs.Factory(list)
    payments: list[ExpensePayment] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class _Press(op.Step):
    """Presses a button, where Odoo has not gone on by itself: some need no approval.

    Attributes:
        goal: how far it leads.
        reached: how far those have come that are there: also reports besides a new one.
    """

    goal: int
    reached: Mapping[int, int] = attrs.field(factory=dict)

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the calls for those that have not come so far; reports go one by one."""
        every = dict.fromkeys([*ids, *self.reached])
        left = [number for number in every if self.reached.get(number, 0) < self.goal]
        groups = [[number] for number in left] if self.model == REPORT.model else [left]
        return [call for group in groups if group for call in op.Step.calls(self, odoo, group)]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Press it for those that have not come so far."""
        every = [["id", "in", sorted({*ids, *self.reached})]]
        rows = op.read_rows(odoo, self.model, every, ["state"], order="id")
        now = {row["id"]: _REACHED.get(row["state"], 9) for row in rows}
        answer = True
        for call in attrs.evolve(self, reached=now).calls(odoo, ()):
            # Each group by a step of its own, which looks at these alone.
            alone = attrs.evolve(self, reached=dict.fromkeys(call.ids or (), 0))
            answer = op.Step.make(alone, odoo, list(call.ids or ()), warnings)
        return answer


@attrs.frozen(kw_only=True)
class _Pay(_Press):
    """Pays by the wizard that the button opens, which takes the journal; all else is Odoo's."""

    journal: int

    def _press(self, odoo: Odoo, call: op.Call) -> Any:
        action = odoo.call(call)
        source = (self.model, call.ids or ())
        answers = {"journal_id": self.journal}
        return answer_wizard(odoo, action, answers, source=source, context=call.context).action


@op.operation
def process_expenses(
    odoo: Odoo,
    *,
    expenses: Annotated[
        Sequence[op.IdOrName], Len(1), Doc("One employee's expenses, by name or id.")
    ],
    until: Annotated[Until, Doc("Last step. All steps: submit, approve, post, pay.")] = "submit",
    journal: Annotated[op.NameOrId, Doc("Bank or cash journal to pay from, by name or id.")] = None,
    report_name: Annotated[
        str | None,
        Doc("New report's name, on Odoo 18 and earlier. Default: the first expense's."),
    ] = None,
    dry_run: op.DryRun = False,
) -> ExpensesResult | op.Plan:
    """Submit several expenses of one employee together, and approve, post and pay them.

    >>> process_expenses(odoo, expenses=[20]).state
    'submitted'

    The expenses can be in different states. Each step skips expenses that have already reached it.
    Pass all expenses of a report. If this user is not allowed to do a step, ``warnings`` says so,
    and earlier steps stay done.

    To approve, you must be an approver of the employee or an expense officer. To post and pay, you
    need accounting rights. Pass ``journal`` for ``pay`` only.

    On Odoo 18 and earlier, expenses without a report go into a new one. Odoo 19 and later have no
    reports.

    Raises:
        AmbiguousNameError: Several expenses have a name.
        NotFoundError: The expense does not exist, or this user can't see it.
        StateError: The expenses belong to several employees, one is refused, a report contains
            other expenses, or all have already reached that step.
        ValidationError: An argument is wrong. Nothing was written.
        WizardRequiredError: Odoo asks for a confirmation, because a similar expense was already
            approved.
        AccessError: Odoo or the policy does not allow the first step.
    """
    check_one_of(until, _ORDER, "until")
    reported = odoo.version.major <= REPORTS_UNTIL
    if report_name is not None and not reported:
        raise invalid(
            "report_name",
            "Odoo 19 has no expense reports, so report_name cannot be set.",
            "Omit report_name.",
        )
    wanted = op.wanted_each(EXPENSE.model, expenses, "expenses")
    if not wanted:
        raise invalid("expenses", "Pass at least one expense.")
    banks = (("type", "in", ["bank", "cash"]),)
    payer = [] if journal is None else [op.Wanted.of("account.journal", journal, "journal", banks)]
    if (until == "pay") is not bool(payer):
        raise invalid(
            "journal",
            "until='pay' requires a journal. Other steps do not accept one.",
            "Set journal to the bank or cash journal that pays."
            if until == "pay"
            else "Omit journal.",
        )
    steps = _steps(odoo, until, {}, 0)
    if reported:
        steps = [_report("x", 1), *steps]
    op.permit(odoo, *steps, dry_run=dry_run)
    ids = [number for number in dict.fromkeys(op.resolve_all(odoo, wanted)) if number]
    bank = _journal(odoo, payer[0]) if payer else None
    rows = op.read_all(odoo, _ONE, ids)
    employee = _same_employee(rows)
    reports = _whole_reports(odoo, rows) if reported else []
    new = [row for row in rows if not row["sheet_id"]] if reported else []
    known = _reached(reports if reported else rows)
    reached = 0 if new else min(known.values())
    goal = _ORDER.index(until) + 1
    if reached >= goal:
        states = ", ".join(sorted({row["state"] for row in reports or rows}))
        raise op.state_error(
            EXPENSE, rows[0], f"The state is already {states}.", "There is nothing to do."
        )
    if not reported and goal > _APPROVED and any(r["payment_mode"] != "own_account" for r in rows):
        raise op.state_error(
            EXPENSE,
            rows[0],
            "Expenses that the company has paid can only be posted in Odoo.",
            "Pass until='approve', or pass only expenses that the employee has paid.",
        )
    name = report_name.strip() if report_name and report_name.strip() else (new or rows)[0]["name"]
    steps = _steps(odoo, until, known, bank.id if bank else 0, reached)
    if new:
        steps = [_report(name, employee.id), *steps]
    acts_on = [row["id"] for row in new] or list(known)

    def result(done: op.Done) -> ExpensesResult:
        return _result(odoo, ids, reported, done, pays=until == "pay")

    doing = " and ".join(_ORDER[reached:goal])
    listed = "; ".join(f"{op.label(r)}, {op.money(total_of(r), op.currency_of(r))}" for r in rows)
    total = _total(rows)
    paid = f" Paid from {bank.name}." if bank else ""
    made = f" in a report {name!r}" if new else ""
    made = made and (made if len(new) == len(rows) else f", {len(new)} of them{made}")
    would = (
        f"Would {doing} {op.counted(len(rows), 'expense')} of {employee.name}{made}: {listed}. "
        f"{f'Together {total[0]:.2f} {total[1]}.' if total else ''}"
    ).strip() + paid
    denied = AccessError(
        f"This user is not allowed to {_ORDER[reached]} expenses of {employee.name}.",
        suggestion="The employee submits expenses. The expense approver or an expense officer "
        "approves them. An accountant posts and pays them.",
        details={"model": EXPENSE.model, "ids": ids},
    )
    with denied_as(denied):
        return op.operate(odoo, steps, acts_on, result, message=would, dry_run=dry_run)


def _report(name: str, employee: int) -> op.AnyStep:
    fails = "The expenses are not submitted"
    make = MakeReport(model=REPORT.model, method="create", says="Report made", fails=fails)
    return make.of(name=name, employee_id=employee)


def _journal(odoo: Odoo, wanted: op.Wanted) -> RecordName:
    """Return the bank or cash journal that is meant."""
    domain = [["id", "=", op.resolve(odoo, wanted)], ["type", "in", ["bank", "cash"]]]
    rows = op.read_rows(odoo, wanted.model, domain, ["display_name"], acts_on=EXPENSE.model)
    if not rows:
        raise invalid(
            "journal",
            f"There is no bank or cash journal with id {wanted.id}.",
            "Find a journal with search_read on account.journal, type bank or cash.",
            id=wanted.id,
        )
    return RecordName(id=rows[0]["id"], name=rows[0]["display_name"])


def _steps(
    odoo: Odoo, until: Until, known: Mapping[int, int], journal: int, reached: int = 0
) -> list[op.AnyStep]:
    """Return the steps that are left, on the reports to 18, on the expenses later."""
    major = odoo.version.major
    about: op.Document = REPORT if major <= REPORTS_UNTIL else EXPENSE
    methods = {
        "submit": "action_submit_sheet" if about is REPORT else "action_submit",
        "approve": _APPROVES.get(major, "action_approve_expense_sheets")
        if about is REPORT
        else "action_approve",
        "post": _POSTS.get(major, "action_sheet_move_create"),
        "pay": "action_register_payment" if about is REPORT else "action_pay",
    }
    steps: list[op.AnyStep] = []
    for place, name in enumerate(_ORDER[: _ORDER.index(until) + 1], 1):
        if place <= reached:
            continue
        states = tuple(state for state, far in _REACHED.items() if far >= place)
        seen, fails = op.shows(about, state=states), f"The expenses are not {_DID[name].lower()}"
        press = _Press(
            model=about.model,
            method=methods[name],
            says=_DID[name],
            seen=seen,
            fails=fails,
            answers=frozenset({_WIZARD}),
            goal=place,
            reached=known,
        )
        facts = attrs.asdict(press, recurse=False)
        steps.append(_Pay(**facts, journal=journal) if name == "pay" else press)
    return steps


def _same_employee(rows: Sequence[op.Row]) -> RecordName:
    people = {row["employee_id"] for row in rows}
    if len(people) != 1 or None in people:
        names = ", ".join(sorted(who.name if who else "nobody" for who in people))
        raise op.state_error(
            EXPENSE,
            rows[0],
            f"The expenses belong to several employees: {names}.",
            "Process the expenses of each employee in a separate call.",
        )
    (employee,) = people
    assert isinstance(employee, RecordName)  # noqa: S101 - one that is not None
    return employee


def _whole_reports(odoo: Odoo, rows: Sequence[op.Row]) -> list[op.Row]:
    """Return the reports of expenses, of which all expenses have to be among these."""
    ids = dict.fromkeys(row["sheet_id"].id for row in rows if row["sheet_id"])
    reports = op.read_all(odoo, _TOGETHER, list(ids)) if ids else []
    given = {row["id"] for row in rows}
    for report in reports:
        if others := [n for n in report["expense_line_ids"] or () if n not in given]:
            raise op.state_error(
                EXPENSE,
                rows[0],
                f"The report {report['name']!r} also contains other expenses, and Odoo decides on "
                f"all of them together: {', '.join(map(str, others[:20]))}.",
                "Also pass these expenses, or first remove them from the report.",
            )
    return reports


def _reached(rows: Sequence[op.Row]) -> dict[int, int]:
    """Return how far each report or expense has come, or refuse those that were refused."""
    if refused := [row for row in rows if row["state"] not in _REACHED]:
        listed = ", ".join(f"{op.label(row)} has the state {row['state']}" for row in refused)
        raise op.state_error(
            EXPENSE,
            refused[0],
            f"{listed}.",
            "Omit these expenses, or first reset them in Odoo.",
        )
    return {row["id"]: _REACHED[row["state"]] for row in rows}


def _total(rows: Sequence[op.Row]) -> tuple[float, str] | None:
    """Return the sum, where all have one currency."""
    currencies = {op.currency_of(row) for row in rows}
    if len(currencies) != 1 or None in currencies:
        return None
    return round(sum(total_of(row) or 0.0 for row in rows), 2), str(currencies.pop())


def _result(
    odoo: Odoo, ids: Sequence[int], reported: bool, done: op.Done, *, pays: bool
) -> ExpensesResult:
    """Read all of them back, what was posted, and how it was paid."""
    rows = op.afterwards(lambda: op.read_all(odoo, _ONE, ids), done.warnings) or []
    reports: list[op.Row] = []
    if reported:
        sheets = dict.fromkeys(row["sheet_id"].id for row in rows if row["sheet_id"])
        found = op.afterwards(lambda: op.read_all(odoo, _TOGETHER, list(sheets)), done.warnings)
        reports = found or []
    states = {row["state"] for row in reports or rows}
    if len(states) > 1:
        done.warnings.append(f"The expenses have the states {', '.join(sorted(states))}.")
    entries = [row["account_move_id"] for row in reports or rows]
    if several := [number for row in reports for number in row["account_move_ids"] or ()]:
        entries = _entries(odoo, several, done.warnings)
    entries = list(dict.fromkeys(entry for entry in entries if entry))
    payments = _payments(odoo, entries, done.warnings) if pays and entries else []
    total = _total(rows)
    names = " and ".join(repr(row["name"]) for row in reports)
    where = f" in the report{'s' if len(reports) > 1 else ''} {names}" if reports else ""
    state = states.pop() if len(states) == 1 else None
    paid = "; ".join(map(_payment, payments))
    return ExpensesResult(
        message=f"{op.counted(len(ids), 'expense')}{where}: the state is "
        f"{state or ', '.join(sorted(states))}." + (f" Paid: {paid}." if paid else ""),
        state=state,
        employee=rows[0]["employee_id"] if rows else None,
        expenses=[
            op.filled(
                ReportedExpense, row, total_amount=total_of(row), currency=op.currency_of(row)
            )
            for row in rows
        ],
        total_amount=total[0] if total else None,
        currency=total[1] if total else None,
        report=RecordName(id=reports[0]["id"], name=reports[0]["name"])
        if len(reports) == 1
        else None,
        entries=entries,
        payments=payments,
        warnings=done.warnings,
    )


def _payment(payment: ExpensePayment) -> str:
    source = f" from {payment.journal.name}" if payment.journal else ""
    return f"{op.money(payment.amount, payment.currency)}{source} ({payment.name or payment.id})"


def _payments(
    odoo: Odoo, entries: Sequence[RecordName], warnings: list[str]
) -> list[ExpensePayment]:
    """Return the payments reconciled with entries, or made for them (Odoo 18 and later)."""
    ids = [entry.id for entry in entries]
    fields = ("name", "amount", "currency_id", "date", "journal_id", "state", "move_id")

    def look() -> list[op.Row]:
        domain: list[Any] = [[_PAID, "in", ids]]
        if "invoice_ids" in odoo.schema.fields(_PAYMENT):
            domain = ["|", ["invoice_ids", "in", ids], *domain]
        return op.read_rows(odoo, _PAYMENT, domain, fields, acts_on=EXPENSE.model, order="id")

    rows = op.afterwards(look, warnings, "how it was paid")
    return [
        op.filled(ExpensePayment, row, currency=op.currency_of(row), entry=row.get("move_id"))
        for row in rows or ()
    ]


def _entries(odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> list[RecordName]:
    domain = [["id", "in", list(ids)]]
    rows = op.afterwards(
        lambda: op.read_rows(
            odoo, "account.move", domain, ["display_name"], acts_on=EXPENSE.model, order="id"
        ),
        warnings,
        "what was posted",
    )
    return [RecordName(id=row["id"], name=row["display_name"]) for row in rows or ()]
