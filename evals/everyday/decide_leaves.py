"""HR: two requests for time off, of which the team can spare one."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
In the department Kiln Room at least one of the two must be at work each day. Tamsin Reed and
Idris Vale have both asked for time off. Look at their requests. Approve those that can be
approved without leaving the Kiln Room empty; where two requests overlap, the one that begins
first wins, and the other one is refused.
"""
ANSWER = {
    "approved": "ids of the approved requests, a list of numbers",
    "refused": "ids of the refused requests, a list of numbers",
}


def prepare(db: Database) -> Facts:
    """Make the department with two people and their three requests, two of which overlap."""
    department = db.create("hr.department", {"name": "Kiln Room"})
    people = {
        name: db.create("hr.employee", {"name": name, "department_id": department})
        for name in ("Tamsin Reed", "Idris Vale")
    }
    kind = _leave_type(db)
    start = 60 - records.today().weekday()  # a Monday in some eight weeks
    asked = {
        "first": ("Tamsin Reed", start + 0, start + 3),
        "overlapping": ("Idris Vale", start + 2, start + 4),
        "apart": ("Idris Vale", start + 14, start + 15),
    }
    # the later request was made first, so that the order of ids says nothing
    leaves = {
        key: _leave(db, kind, people[asked[key][0]], *asked[key][1:])
        for key in ("overlapping", "apart", "first")
    }
    return {**leaves, "people": list(people.values())}


def _leave_type(db: Database) -> int:
    fields = db.call("hr.leave.type", "fields_get", [], ["type"])
    # a selection up to Odoo 18, and of another name on 14
    if "allocation_type" in fields:
        free: dict[str, object] = {"allocation_type": "no"}
    else:
        boolean = fields["requires_allocation"]["type"] == "boolean"
        free = {"requires_allocation": False if boolean else "no"}
    return db.create("hr.leave.type", {"name": "Kiln Leave", "leave_validation_type": "hr", **free})


def _leave(db: Database, kind: int, employee: int, start: int, end: int) -> int:
    first, last = records.days_from_now(start), records.days_from_now(end)
    values = {
        "holiday_status_id": kind,
        "employee_id": employee,
        "request_date_from": first,
        "request_date_to": last,
    }
    if db.version < 17:
        values |= {"date_from": f"{first} 07:00:00", "date_to": f"{last} 18:00:00"}
    return db.create("hr.leave", values)


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """Two are approved and one is refused, and no others have appeared."""
    keys = ("first", "overlapping", "apart")
    states = [db.get("hr.leave", facts[key], ["state"])["state"] for key in keys]
    count = db.count("hr.leave", [["employee_id", "in", facts["people"]]])
    faults = unequal("the requests' states", ["validate", "refuse", "validate"], states)
    faults += unequal("the number of requests", 3, count)
    approved = sorted([facts["first"], facts["apart"]])
    faults += unequal("those approved, in the answer", approved, sorted(answer["approved"]))
    return faults + unequal("those refused", [facts["overlapping"]], list(answer["refused"]))


def solve(call: Call, facts: Facts) -> Answer:
    """List the department's requests by their start, and decide each."""
    leaves = call(
        "odoo_core_search_read",
        model="hr.leave",
        domain=[["employee_id.department_id", "=", "Kiln Room"], ["state", "=", "confirm"]],
        fields=["employee_id", "request_date_from", "request_date_to"],
        order="request_date_from",
    )["records"]
    approved: list[int] = []
    refused: list[int] = []
    end = ""
    for leave in leaves:
        free = leave["request_date_from"] > end
        (approved if free else refused).append(leave["id"])
        decision = "approve" if free else "refuse"
        call("odoo_hr_decide_leave", leave_id=leave["id"], decision=decision)
        if free:
            end = leave["request_date_to"]
    return {"approved": approved, "refused": refused}
