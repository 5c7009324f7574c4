"""What becomes of an expense: submitted by who paid, approved or refused by who may."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_doc import Doc

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.apps.hr.expense import (
    EXPENSE,
    REPORT,
    REPORTS_UNTIL,
    ExpenseResult,
    expense_result,
    submission,
    submit_report,
)
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, StateError, ValidationError
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    find,
    label,
    read,
    read_back,
    shows,
    state_error,
)
from odoo_toolkit.operations.operation import operation
from odoo_toolkit.operations.steps import AnyStep, Done, Plan, Step, WizardStep, operate, permit

Decision = Literal["submit", "approve", "refuse"]

_WIZARD = "hr.expense.refuse.wizard"
#: To this version refusing is a method with the reason; later a wizard asks for it.
_REFUSES_BY_METHOD_UNTIL = 16

#: From which states a decision leads on: of the report to 18, of the expense later.
_OPEN: dict[Decision, tuple[str, ...]] = {
    "submit": ("draft",),
    "approve": ("submit", "submitted"),
    "refuse": ("submit", "approve", "submitted", "approved"),
}
_PAST = {"submit": "submitted", "approve": "approved", "refuse": "refused"}


@operation
def decide_expense(
    odoo: Odoo,
    *,
    decision: Decision,
    expense_id: int | None = None,
    expense_name: str | None = None,
    reason: Annotated[str | None, Doc("For refusing.")] = None,
    dry_run: DryRun = False,
) -> ExpenseResult | Plan:
    """Submit an expense for approval, or approve or refuse one.

    To Odoo 18 expenses are decided on in reports: submitting makes one for this expense alone,
    and one that shares its report with others is left to Odoo.

    Args:
        odoo: the connection.
        decision: ``submit``, ``approve`` or ``refuse``.
        expense_id: which expense; or
        expense_name: what it was for.
        reason: why it is refused; the employee reads it.
        dry_run: find and check, write nothing.

    Raises:
        AmbiguousNameError: several expenses have the name.
        NotFoundError: there is no such expense, or this user may not see it.
        StateError: it is not in a state for that, or shares its report with others.
        ValidationError: an argument is wrong, such as refusing without a reason.
        WizardRequiredError: Odoo asks first, as one like it was approved already.
        AccessError: Odoo or the policy does not allow it, or it is not this user's to decide on.
    """
    if decision not in _OPEN:
        raise ValidationError(
            f"decision is {str(decision)[:40]!r}.",
            suggestion=f"Give one of {', '.join(_OPEN)}.",
            details={"field": "decision"},
        )
    why = reason.strip() if isinstance(reason, str) else ""
    if (decision == "refuse") is not bool(why):
        raise ValidationError(
            "reason is needed to refuse, and only then.",
            suggestion="Say why it is refused." if decision == "refuse" else "Leave reason out.",
            details={"field": "reason"},
        )
    reported = odoo.version.major <= REPORTS_UNTIL
    about = REPORT if reported else EXPENSE
    permit(odoo, *_steps(odoo, about, decision, why, None), dry_run=dry_run)
    row = find(odoo, EXPENSE, expense_id, expense_name)
    report = read(odoo, REPORT, row["sheet_id"].id) if row["sheet_id"] else None
    what = label(row)
    _check(row, report, what, decision, reported=reported)
    steps = _steps(odoo, about, decision, why, row if report is None else None)

    def result(done: Done) -> ExpenseResult:
        now = read_back(odoo, EXPENSE, row["id"], done.warnings)
        did = f"{_PAST[decision].capitalize()} the expense" if done.complete else "Did not submit"
        shown = now or {"id": row["id"], "name": row["name"]}
        return expense_result(shown, f"{did} {what}.", done.warnings)

    would = f"Would {decision} the expense {what}."
    ids = [report["id"] if report else row["id"]]
    try:
        return operate(odoo, steps, ids, result, would=would, dry_run=dry_run)
    except AccessError as error:
        if error.code != AccessError.default_code:
            raise
        # From 17 on Odoo only says which of its records the user may not create or write.
        raise _denied(row, what, decision) from error


def _steps(
    odoo: Odoo, about: Document, decision: Decision, reason: str, alone: Row | None
) -> list[AnyStep]:
    """Return the steps of a decision.

    Args:
        odoo: the connection.
        about: whether the expense is decided on, or its report.
        decision: which one.
        reason: why it is refused.
        alone: the expense that is in no report yet.
    """
    major = odoo.version.major
    if decision == "submit":
        if about is REPORT and alone is None:
            return [submit_report()]
        who = alone["employee_id"] if alone else None
        return submission(odoo, alone["name"] if alone else "", who.id if who else None)
    if decision == "approve":
        old = "approve_expense_sheets" if major <= 16 else "action_approve_expense_sheets"
        method = old if about is REPORT else "action_approve"
        # To 18 an approved report may have gone on, such as to be posted.
        seen = shows(about, state=("approve", "approved", "post", "done"))
        return [Step(model=about.model, method=method, says="Approved", seen=seen)]
    seen = shows(about, state=("cancel", "refused"))
    if major <= _REFUSES_BY_METHOD_UNTIL:
        refuse = Step(model=about.model, method="refuse_sheet", says="Refused", seen=seen)
        return [refuse.of(reason=reason)]
    wizard = WizardStep(model=about.model, wizard=_WIZARD, says="Refused", seen=seen)
    return [wizard.of(reason=reason)]


def _check(row: Row, report: Row | None, what: str, decision: Decision, *, reported: bool) -> None:
    """Refuse what the state, the report or the user's rights do not allow."""
    judged = report or row
    state = judged["state"]
    if state not in _OPEN[decision] or (reported and report is None and decision != "submit"):
        raise state_error(
            EXPENSE,
            row,
            f"{what} cannot be {_PAST[decision]}: its state is {row['state']}.",
            "A draft is submitted first."
            if row["state"] == "draft"
            else "Look at it with search_read on hr.expense.",
        )
    if report and (others := [n for n in report["expense_line_ids"] or () if n != row["id"]]):
        raise _shared(row, report, what, others)
    if decision != "submit" and judged["can_approve"] is False:
        raise _denied(row, what, decision)


def _denied(row: Row, what: str, decision: Decision) -> AccessError:
    return AccessError(
        f"This user may not {decision} {what}.",
        suggestion="The employee submits it."
        if decision == "submit"
        else "The employee's expense approver or an expense officer may; nobody decides on their"
        " own.",
        details={"model": EXPENSE.model, "id": row["id"]},
    )


def _shared(row: Row, report: Row, what: str, others: list[Any]) -> StateError:
    return state_error(
        EXPENSE,
        row,
        f"{what} is in the report {report['name']!r} together with {len(others)} more"
        f" ({', '.join(map(str, others[:10]))}), which Odoo decides on as a whole.",
        "Decide on the report in Odoo, or take the expense out of it first.",
    )
