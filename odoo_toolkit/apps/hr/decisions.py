"""A function that approves, refuses or withdraws requests for time off."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.leave import LEAVE, REQUEST, LeaveResult, state_of, terms, told
from odoo_toolkit.apps.hr.people import PUBLIC, check_one_of
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, StateError, invalid
from odoo_toolkit.records.results import RecordName

Decision = Literal["approve", "refuse", "withdraw"]

_APPROVED = op.shows(REQUEST, state=("validate", "validate1"))
APPROVE = op.Step(model=LEAVE, method="action_approve", says="Approved", seen=_APPROVED)
#: The second approval, to 18; from 19 on it is the first one's method.
VALIDATE = op.Step(
    model=LEAVE,
    method="action_validate",
    says="Approved",
    seen=op.shows(REQUEST, state=("validate",)),
)
REFUSE = op.Step(
    model=LEAVE, method="action_refuse", says="Refused", seen=op.shows(REQUEST, state=("refuse",))
)
RESET = op.Step(
    model=LEAVE, method="action_draft", says="Reset", seen=op.shows(REQUEST, state=("draft",))
)
DELETE = op.Step(model=LEAVE, method="unlink", says="Deleted")
CANCEL = op.WizardStep(
    model=LEAVE,
    wizard="hr.holidays.cancel.leave",
    says="Cancelled",
    seen=lambda odoo, leave: _cancelled(odoo, leave),
)

#: From 15 on the employee may delete a request that waits; Odoo 14 only takes it back to draft.
_DELETES_SINCE = 15
#: From 16 on the employee may cancel what was approved, to 17 by way of the archive.
_CANCELS_SINCE = 16
#: From then on, the approving method is one, and ``can_validate`` tells of the last approval.
_ONE_APPROVAL_SINCE = 19

#: From which states a decision leads on.
_OPEN: dict[Decision, tuple[str, ...]] = {
    "approve": ("confirm", "validate1"),
    "refuse": ("confirm", "validate1", "validate"),
    "withdraw": ("confirm", "validate1", "validate"),
}
_PAST = {"approve": "approved", "refuse": "refused", "withdraw": "withdrawn"}
_DID = {"approve": "Approved", "refuse": "Refused", "withdraw": "Withdrew"}


@op.operation
def decide_leave(
    odoo: Odoo,
    *,
    decision: Annotated[Decision, Doc("approve, refuse or withdraw.")],
    leave_id: Annotated[int | None, Doc("Id of the request.")] = None,
    employee_name: Annotated[
        str | None, Doc("Employee with one open request, instead of leave_id.")
    ] = None,
    reason: Annotated[str | None, Doc("Reason for withdrawing it.")] = None,
    dry_run: op.DryRun = False,
) -> LeaveResult | op.Plan:
    """Approve or refuse a request for time off, or withdraw your own.

    >>> decide_leave(odoo, decision="approve", leave_id=9).state
    'validate'

    If the type needs two approvals, ``approve`` gives the first or the second. ``withdraw`` needs
    no id if you have only one open request. It deletes a waiting request, or resets it to draft on
    Odoo 14. It cancels an approved request on Odoo 16 and later. On Odoo 15 and earlier an officer
    must refuse an approved request.

    Raises:
        AmbiguousNameError: The employee has several open requests, or several have the name.
        NotFoundError: The request does not exist, or this user can't see it.
        StateError: The state of the request does not allow it, for example because it is already
            refused.
        ValidationError: An argument is wrong. Nothing was written.
        AccessError: Odoo or the policy does not allow it, or this user can't decide on the request.
    """
    check_one_of(decision, _OPEN, "decision")
    op.permit(odoo, *_possible(odoo, decision), dry_run=dry_run)
    row = _meant(odoo, decision, leave_id, employee_name)
    what = _words(row)
    _check_state(row, what, decision)
    steps = _withdrawal(odoo, row, what, reason) if decision == "withdraw" else None
    if steps is None:
        steps = [_ruling(odoo, row, what, decision)]

    def result(done: op.Done) -> LeaveResult:
        message = f"{_DID[decision]} {what}"
        if DELETE in steps and done.complete:
            gone = {**row, "state": None}
            return told(gone, f"{message}: Odoo deleted it", done.warnings)
        if RESET in steps:
            done.warnings.append(
                "On Odoo 14, employees cannot delete a request. The draft still uses up its days."
            )
        now = op.row_after(odoo, REQUEST, done)
        if now.get("active") is False:
            now["state"] = "cancel"
        return told(now, message, done.warnings)

    would = f"Would {decision} {what}."
    return op.operate(odoo, steps, [row["id"]], result, message=would, dry_run=dry_run)


def _possible(odoo: Odoo, decision: Decision) -> list[op.AnyStep]:
    """Return the steps that may come of a decision on this version."""
    major = odoo.version.major
    if decision == "refuse":
        return [REFUSE]
    if decision == "approve":
        return [APPROVE] if major >= _ONE_APPROVAL_SINCE else [APPROVE, VALIDATE]
    if major >= _CANCELS_SINCE:
        return [DELETE, CANCEL]
    return [DELETE] if major >= _DELETES_SINCE else [RESET]


def _meant(odoo: Odoo, decision: Decision, leave_id: int | None, name: str | None) -> op.Row:
    """Return the row of the request; without an id, of the only one that is open."""
    if leave_id is not None and name is None:
        return op.read(odoo, REQUEST, op.find_id(odoo, REQUEST, leave_id, None))
    if leave_id is not None or (name is None and decision != "withdraw"):
        raise invalid(
            "leave_id",
            "Pass either leave_id or employee_name.",
            "Pass the id of the request, or the name of its employee.",
        )
    if name is None:
        who, of = "This user", ["user_id", "=", odoo.uid]
    else:
        wanted = op.Wanted(model=PUBLIC, field="employee_id", name=name)
        who, of = name.strip(), ["employee_id", "=", op.resolve(odoo, wanted)]
    states = [state for state in _OPEN[decision] if decision != "refuse" or state != "validate"]
    domain = [of, ["state", "in", states]]
    rows = op.read_rows(
        odoo, LEAVE, domain, REQUEST.fields, limit=11, order="date_from desc", active_test=True
    )
    if not rows:
        raise NotFoundError(
            f"{who} has no request to {decision} that this user can see.",
            suggestion="Look for it with search_read on hr.leave.",
            details={"model": LEAVE, "field": "employee_name"},
        )
    if len(rows) > 1:
        matches = [RecordName(id=row["id"], name=_words(row)) for row in rows]
        raise op.AmbiguousNameError("leave_id", who, LEAVE, matches)
    return rows[0]


def _words(row: op.Row) -> str:
    """Say which request it is."""
    kind, who = row["holiday_status_id"], row["employee_id"]
    known = terms(row)
    days = dict.fromkeys(day for day in (known["date_from"], known["date_to"]) if day)
    of = f" of {who.name}" if who else ""
    return f"{kind.name if kind else 'time off'}{of}, {' to '.join(days)} ({row['id']})"


def _check_state(row: op.Row, what: str, decision: Decision) -> None:
    state = state_of(row)
    if state not in _OPEN[decision]:
        raise op.state_error(
            REQUEST,
            {**row, "state": state},
            f"{what} cannot be {_PAST[decision]}: its state is {state}.",
            f"A request can only be {_PAST[decision]} in these states: "
            f"{', '.join(_OPEN[decision])}.",
        )


def _ruling(odoo: Odoo, row: op.Row, what: str, decision: Decision) -> op.Step:
    """Return the step that approves or refuses; what Odoo says is not allowed is not tried."""
    flags = ("can_refuse",) if decision == "refuse" else ("can_approve", "can_validate")
    told_of = [row[flag] for flag in flags if row[flag] is not None]
    if told_of and not any(told_of):
        own = row["user_id"] is not None and row["user_id"].id == odoo.uid
        whose = "This is the user's own request. " if own else ""
        raise AccessError(
            f"This user is not allowed to {decision} {what}.",
            suggestion=f"{whose}Depending on the type of time off, the employee's approver or a "
            "Time Off officer can.",
            details={"model": LEAVE, "id": row["id"]},
        )
    if decision == "refuse":
        return REFUSE
    if row["state"] != "validate1":
        return APPROVE
    return (
        attrs.evolve(APPROVE, seen=VALIDATE.seen)
        if odoo.version.major >= _ONE_APPROVAL_SINCE
        else VALIDATE
    )


def _withdrawal(odoo: Odoo, row: op.Row, what: str, reason: str | None) -> list[op.AnyStep]:
    if row["user_id"] is None or row["user_id"].id != odoo.uid:
        raise AccessError(
            f"{what} is not this user's own request, and only its employee can withdraw it.",
            suggestion="An approver can refuse it.",
            details={"model": LEAVE, "id": row["id"]},
        )
    if row["state"] != "validate":
        return [DELETE if odoo.version.major >= _DELETES_SINCE else RESET]
    if odoo.version.major < _CANCELS_SINCE or row["can_cancel"] is False:
        message = (
            f"{what} is approved, and Odoo does not allow cancelling it."
            if odoo.version.major < _CANCELS_SINCE
            else f"{what} is approved and cannot be cancelled. It may have begun."
        )
        raise _for_officer(row, message)
    return [CANCEL.of(leave_id=row["id"], reason=(reason or "").strip() or "Withdrawn")]


def _for_officer(row: op.Row, message: str) -> StateError:
    return op.state_error(REQUEST, row, message, "Ask a Time Off officer to refuse it.")


def _cancelled(odoo: Odoo, leave: int) -> Any:
    for row in op.read_rows(odoo, LEAVE, [["id", "=", leave]], ["state", "active"]):
        if row["state"] == "cancel" or row["active"] is False:
            return True
    return None
