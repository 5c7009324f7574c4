"""Employees, their time off, attendance and expenses."""

from odoo_toolkit.app_models.model import AppModel, Move, Opposite
from odoo_toolkit.compat import NEWEST

_TOLD = "Sent e-mails cannot be recalled. The archived calendar event stays."
_HOURS = f"{_TOLD} The hours stay on the timesheet until the request is refused."
_APPROVED_AGAIN = (
    "Sent e-mails cannot be recalled, and the history shows the approval. The hours stay on the "
    "timesheet until the request is refused again."
)
_REFUSED = "An earlier refused allocation stays refused if Odoo cannot reset it."
_PAID = "The payment stays. Reset it in Odoo."


def _leave(method: str, *, until: int = NEWEST) -> tuple[Opposite, ...]:
    """Return how an approval is taken back, which differs from version to version."""
    ways = (
        ("action_refuse action_draft action_confirm", 14, 17, _TOLD),
        ("action_refuse action_reset_confirm", 18, 18, _TOLD),
        ("action_back_to_approval", 19, NEWEST, _HOURS),
    )
    return tuple(
        Opposite(method, by, "waiting for approval again", not_undone=told, since=first, until=last)
        for by, first, last, told in ways
        if first <= until
    )


MODELS = (
    AppModel(
        "hr.employee.public",
        "Public Employee",
        module="hr",
        disambiguation_fields="department_id job_title work_email",
    ),
    AppModel(
        "hr.leave",
        module="hr_holidays",
        moves=(
            Move("action_approve", "confirm", "validate|validate1", also="refuse", since=19),
            Move("action_approve", "confirm", "validate|validate1", until=18),
            Move("action_validate", "validate1", "validate", until=18),
            Move("action_refuse", "confirm|validate1|validate", "refuse"),
            Move("action_draft", "confirm|refuse", "draft", until=17),
            Move("action_confirm", "draft", "confirm", until=17),
            Move("action_reset_confirm", "refuse|cancel", "confirm", since=18, until=18),
            Move("action_back_to_approval", "validate1|validate", "confirm", since=19),
        ),
        opposites=(
            Opposite("create", "unlink", "deleted", otherwise="action_refuse", not_undone=_TOLD),
            *_leave("action_approve"),
            *_leave("action_validate", until=18),
            Opposite(
                "action_refuse",
                "action_draft action_confirm action_approve action_validate",
                "as before",
                notes="state",
                not_undone=_TOLD,
                until=17,
            ),
            Opposite(
                "action_refuse",
                "action_reset_confirm action_approve action_validate",
                "as before",
                notes="state",
                not_undone=_TOLD,
                since=18,
                until=18,
            ),
            Opposite(
                "action_refuse",
                "action_approve action_back_to_approval",
                "as before",
                notes="state",
                not_undone=_APPROVED_AGAIN,
                since=19,
            ),
            Opposite(
                "action_draft",
                "action_confirm action_refuse>refuse",
                "waiting for approval again",
                notes="state",
                until=17,
            ),
        ),
    ),
    AppModel(
        "hr.holidays.cancel.leave",
        is_wizard=True,
        opposites=(
            Opposite(
                "action_cancel_leave",
                not_undone="Time off that the employee has cancelled stays cancelled. "
                "Request it again.",
            ),
        ),
    ),
    AppModel(
        "hr.leave.allocation",
        moves=(
            Move("action_confirm", "draft", "confirm", until=16),
            Move("action_validate", "confirm|validate1", "validate", until=14),
            Move("action_validate", "confirm", "validate", since=15, until=17),
            Move("action_validate", "confirm|validate1", "validate", since=18),
            Move("action_approve", "confirm|validate1", "validate", until=14),
            Move("action_approve", "confirm|validate1", "validate", since=18),
            Move("action_refuse", "confirm|validate1|validate", "refuse", until=14),
            Move("action_refuse", "confirm|validate", "refuse", since=15, until=17),
            Move("action_refuse", "confirm|validate1|validate", "refuse", since=18),
            Move("action_draft", "refuse|confirm", "draft", until=16),
            Move("action_set_to_confirm", "refuse", "confirm", since=18, until=18),
        ),
        opposites=(
            # What needs no approval is approved when it is made.
            Opposite(
                "create",
                "action_refuse@validate action_draft unlink",
                "deleted",
                otherwise="action_refuse",
                until=16,
            ),
            Opposite(
                "create",
                "action_refuse@validate unlink",
                "deleted",
                otherwise="action_refuse",
                since=17,
            ),
            Opposite("action_confirm", "action_refuse", "refused"),
            Opposite("action_approve", "action_refuse", "refused", not_undone=_REFUSED),
            Opposite("action_validate", "action_refuse", "refused", not_undone=_REFUSED),
        ),
    ),
    AppModel(
        "hr.attendance",
        module="hr_attendance",
        opposites=(Opposite("systray_check_in_out", "looked_up", "deleted, or open again"),),
    ),
    AppModel(
        "hr.employee",
        opposites=(Opposite("attendance_manual", "looked_up", "deleted, or open again"),),
    ),
    AppModel(
        "hr.expense",
        module="hr_expense",
        disambiguation_fields="employee_id date total_amount state",
        opposites=(
            Opposite("create", "unlink", "deleted"),
            Opposite("action_submit", "action_reset", "a draft again", since=19),
            Opposite("action_approve", "action_reset", "a draft again", since=19),
            Opposite(
                "action_post",
                not_undone="A booked expense stays booked. Reset its entry with reset_invoice, "
                "then reset the expense in Odoo.",
                since=19,
            ),
            Opposite("action_pay", not_undone=_PAID, since=19),
        ),
    ),
    AppModel(
        "hr.expense.sheet",
        opposites=(
            Opposite("create", "unlink", "deleted"),
            *(
                Opposite(method, reset, "a draft again", since=since, until=until)
                for reset, since, until in (
                    ("reset_expense_sheets", 14, 16),
                    ("action_reset_expense_sheets", 17, 18),
                )
                for method in (
                    *("action_submit_sheet", "approve_expense_sheets", "refuse_sheet"),
                    "action_approve_expense_sheets",
                )
            ),
            Opposite(
                "action_sheet_move_create",
                "looked_up",
                "a draft again, and its entry cancelled",
                not_undone="The entry's number cannot be reused.",
                until=16,
            ),
            Opposite(
                "action_sheet_move_create",
                "action_reset_expense_sheets",
                "a draft again, and its entry reversed",
                not_undone="The entry and its reversal stay.",
                since=17,
                until=17,
            ),
            Opposite(
                "action_sheet_move_post",
                "action_reset_expense_sheets",
                "a draft again, and its entry reversed",
                not_undone="The entry and its reversal stay.",
                since=18,
                until=18,
            ),
            Opposite("action_register_payment", not_undone=_PAID, until=18),
        ),
    ),
    AppModel(
        "hr.expense.refuse.wizard",
        is_wizard=True,
        opposites=(
            Opposite(
                "action_refuse",
                not_undone="Reset refused expenses in Odoo, then submit them again.",
            ),
        ),
    ),
)
