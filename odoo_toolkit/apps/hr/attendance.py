"""A function that checks the connected user in or out.

Odoo's button toggles the state, so the toolkit presses it only if the state would be the right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.people import own_employee
from odoo_toolkit.change_history.lost_answers import or_seen
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, StateError, invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.reports.by_session import check_login
from odoo_toolkit.reports.ways import Unavailable

ATTENDANCE = "hr.attendance"
_FIELDS = ("employee_id", "check_in", "check_out", "worked_hours")

#: To this version a method of the employee toggles; later only a route of the web client does.
_METHOD_UNTIL = 16
_METHOD = "attendance_manual"
_ACTION = "hr_attendance.hr_attendance_action_my_attendances"
_ROUTE = "systray_check_in_out"

Direction = Annotated[Literal["in", "out"], Doc("in or out. Default: toggle.")]


@attrs.frozen(kw_only=True)
class AttendanceResult(op.Shown):
    """The latest attendance of the connected user. Times are in UTC.

    Attributes:
        id: Id of the attendance. None if it could not be read.
        checked_in: True if the user is at work now.
        worked_hours: Hours of this attendance. Odoo 17 and later exclude lunch.
        warnings: Differences from your request.
    """

    id: int | None = None
    message: str
    checked_in: bool
    employee: RecordName | None = None
    check_in: str | None = None
    check_out: str | None = None
    worked_hours: float | None = None
    warnings: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class _Toggle(op.Step):
    """Presses the button by which employees check themselves in and out."""

    was: op.Row | None = None

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the call; from 17 on it stands for that of a route."""
        old = odoo.version.major <= _METHOD_UNTIL
        return [
            op.Call(
                model="hr.employee" if old else ATTENDANCE,
                method=_METHOD if old else _ROUTE,
                ids=ids if old else None,
                arguments={"next_action": _ACTION} if old else {},
                access="write",
                acts_on=ATTENDANCE,
                step=True,
                before={0: _known(self.was)},
            )
        ]

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Press it, and see that it has led on."""
        (call,) = self.calls(odoo, ids)
        return or_seen(
            lambda: _press(odoo, call), lambda: _changed(odoo, self.was), warnings, safe=True
        )


@op.operation
def check_in_out(
    odoo: Odoo, *, direction: Direction, dry_run: op.DryRun = False
) -> AttendanceResult | op.Plan:
    """Check the connected user in or out, now.

    >>> check_in_out(odoo, direction="in").checked_in
    True

    A user who is already in or out stays so. Odoo 17 and later need the user's password, because
    only a route of the web client does it, and that route accepts no API key.

    Raises:
        NotFoundError: The module ``hr_attendance`` is not installed.
        ValidationError: The user is not an employee.
        StateError: Odoo did not do it. The error says why.
        ConfigurationError: A password is necessary and there is none.
        AccessError: Odoo or the policy does not allow it.
    """
    if direction not in ("in", "out"):
        raise invalid("direction", 'direction must be "in" or "out".')
    toggle = _Toggle(model=ATTENDANCE, method=_ROUTE, says=f"Checked {direction}")
    op.permit(odoo, toggle, dry_run=dry_run)
    employee, row = op.gather(lambda: own_employee(odoo, ATTENDANCE), lambda: _latest(odoo))
    present = row is not None and row["check_out"] is None
    if present is (direction == "in"):
        return _result(row, f"{employee.name} is already checked {direction}.", present, [])

    def result(done: op.Done) -> AttendanceResult:
        now = op.afterwards(lambda: _latest(odoo), done.warnings)
        return _result(
            now, f"Checked {employee.name} {direction}.", direction == "in", done.warnings
        )

    would = f"Would check {employee.name} {direction}."
    steps = [attrs.evolve(toggle, was=row)]
    return op.operate(odoo, steps, [employee.id], result, message=would, dry_run=dry_run)


def _latest(odoo: Odoo) -> op.Row | None:
    """Return the attendance by which Odoo judges whether the user is at work."""
    mine = [["employee_id.user_id", "=", odoo.uid]]
    return op.first(odoo, ATTENDANCE, mine, _FIELDS, order="check_in desc")


def _changed(odoo: Odoo, was: op.Row | None) -> bool | None:
    """Whether the latest attendance is another one, or has ended since."""
    now = _latest(odoo)
    before = was and (was["id"], was["check_out"])
    return True if now and (now["id"], now["check_out"]) != before else None


def _press(odoo: Odoo, call: op.Call) -> Any:
    if call.method == _METHOD:
        answer = odoo.call(call)
        # Odoo tells of what it did not do in its answer, not by an error.
        if isinstance(answer, dict) and (warning := answer.get("warning")):
            raise StateError(str(warning), suggestion="Check in or out in Odoo.")
        return answer
    session = odoo.web_session

    def before_login() -> None:
        try:
            check_login(odoo)
        except Unavailable as error:
            raise AccessError(
                f"The web login was not possible: {error}.",
                suggestion="Check in or out in Odoo, or connect as a user without the Settings "
                "permissions.",
            ) from None

    def send(call: op.Call) -> Any:
        if session.log_in(before_login=before_login) != odoo.uid:
            raise AccessError(
                "The password and the API key belong to different users.",
                suggestion="Set ODOO_USERNAME and ODOO_PASSWORD to those of the same user.",
            )
        path, timeout = f"/hr_attendance/{_ROUTE}", odoo.settings.timeout
        return session.call(path, timeout=timeout, before_login=before_login)

    return odoo.call(call, by=send)


def _known(was: op.Row | None) -> dict[str, Any]:
    """Return what is needed to take it back: which attendance was the latest."""
    return {"id": was["id"], "check_out": was["check_out"]} if was else {}


def _result(
    row: op.Row | None, message: str, checked_in: bool, warnings: list[str]
) -> AttendanceResult:
    return op.filled(
        AttendanceResult, row or {}, checked_in=checked_in, message=message, warnings=warnings
    )
