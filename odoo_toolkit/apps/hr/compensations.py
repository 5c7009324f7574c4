"""How attendances and booked expenses are taken back."""

from __future__ import annotations

from odoo_toolkit import operations as op
from odoo_toolkit.apps.hr.attendance import ATTENDANCE
from odoo_toolkit.change_history import Write
from odoo_toolkit.client import Odoo

_SHEET = "hr.expense.sheet"


def attendances(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how checking in or out is taken back: it is deleted, or open again.

    Which attendance was the latest before is handed over by the function.
    """
    was = write.before.get(0)
    mine = [["employee_id.user_id", "=", odoo.uid]]
    names = ["display_name", "check_out"]
    rows = op.read_rows(odoo, ATTENDANCE, mine, names, limit=1, order="check_in desc")
    if was is None or not rows:
        return []
    now = rows[0]
    step: op.AnyStep
    if now["id"] == was.get("id") and now["check_out"] and not was.get("check_out"):
        step = op.Step(model=ATTENDANCE, method="write", arguments={"vals": {"check_out": False}})
        says, blocked = "open again", None
    elif now["id"] != was.get("id"):
        step = op.Step(model=ATTENDANCE, method="unlink")
        says, blocked = "deleted", None
        if now["check_out"]:
            blocked = (
                f"{now['display_name']}: the attendance has ended since. check_in_out had "
                "created it"
            )
    else:
        return []
    return [
        op.WayBack(
            model=ATTENDANCE,
            ids=[now["id"]],
            name=now["display_name"],
            says=says,
            steps=[step],
            blocked=blocked,
        )
    ]


def booked_reports(odoo: Odoo, write: Write) -> list[op.WayBack]:
    """Return how a posted expense report is taken back to Odoo 16: its entry is cancelled."""
    domain = [["id", "in", write.ids], ["state", "in", ["post", "done"]]]
    found = []
    names = ["display_name", "state", "account_move_id"]
    for row in op.read_rows(odoo, _SHEET, domain, names, acts_on="hr.expense"):
        paid = row["state"] == "done"
        entry = row["account_move_id"]
        if entry:
            found.append(
                op.WayBack(
                    model="account.move",
                    ids=[entry.id],
                    name=entry.name,
                    says="cancelled",
                    steps=[
                        op.Step(model="account.move", method="button_draft"),
                        op.Step(model="account.move", method="button_cancel"),
                    ],
                    blocked=f"{row['display_name']} is paid" if paid else None,
                )
            )
        found.append(
            op.WayBack(
                model=_SHEET,
                ids=[row["id"]],
                name=row["display_name"],
                says="a draft again",
                steps=[op.Step(model=_SHEET, method="reset_expense_sheets")],
                blocked=f"{row['display_name']} is paid" if paid else None,
            )
        )
    return found
