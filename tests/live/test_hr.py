"""Time off, the directory, attendance and expenses on a real Odoo, by ordinary users."""

from __future__ import annotations

from base64 import b64encode
from datetime import date, datetime, timedelta
from typing import Any

import pytest

import odoo_toolkit as toolkit
from odoo_toolkit import AccessError, NotFoundError, Odoo, OdooError, ValidationError
from odoo_toolkit.apps import hr
from odoo_toolkit.apps.hr import ExpenseResult, LeaveResult
from odoo_toolkit.errors import StateError
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.live_tapes import Open
from tests.live.staff import Staff, employee, new_staff

pytestmark = pytest.mark.recorded

MONDAY = date(2040, 1, 2)


@pytest.fixture
def staff(opened: Open, admin: Odoo) -> Staff:
    """An employee and a boss."""
    return new_staff(opened, admin)


def leave_type(admin: Odoo, name: str, *, granted: bool = False, approval: str = "manager") -> int:
    """Make a type of time off for half days, for which time must have been granted or not."""
    fields = admin.schema.fields("hr.leave.type")
    values: dict[str, Any] = {
        "name": name,
        "request_unit": "half_day",
        "leave_validation_type": approval,
    }
    if "allocation_type" in fields:
        values["allocation_type"] = "fixed" if granted else "no"
    elif fields["requires_allocation"].type == "boolean":
        values["requires_allocation"] = granted
    else:
        values["requires_allocation"] = "yes" if granted else "no"
    made = toolkit.create(admin, "hr.leave.type", values).id
    assert made
    return made


def grant(admin: Odoo, type_id: int, employee_id: int, days: float) -> None:
    """Grant days of a type, by the buttons that the version has."""
    values = {
        "holiday_status_id": type_id,
        "employee_id": employee_id,
        "number_of_days": days,
        "name": "x",
    }
    if "allocation_type" in admin.schema.fields("hr.leave.allocation"):
        values["allocation_type"] = "regular"
    made = toolkit.create(admin, "hr.leave.allocation", values).id
    assert made
    for method in ("action_confirm", "action_approve", "action_validate"):
        (row,) = toolkit.read(admin, "hr.leave.allocation", [made], ["state"]).records
        if row["state"] == "validate":
            return
        try:
            toolkit.execute(admin, "hr.leave.allocation", method, [[made]])
        except OdooError:
            # Not a method of this version, or not one for this state.
            continue
    (row,) = toolkit.read(admin, "hr.leave.allocation", [made], ["state"]).records
    assert row["state"] == "validate"


def request(odoo: Odoo, **values: Any) -> LeaveResult:
    return hr.request_leave(odoo, **values)


def leaves(admin: Odoo, employee_id: int) -> list[dict[str, Any]]:
    """Return all requests of an employee, those in the archive included."""
    domain = [["employee_id", "=", employee_id]]
    fields = ["state", "number_of_days", "date_from", "date_to"]
    found = toolkit.search_read(
        admin, "hr.leave", domain, fields, limit=500, context={"active_test": False}
    )
    return sorted(found.records, key=lambda row: row["id"])


@pytest.mark.every_version
def test_a_leave_is_requested_approved_and_withdrawn(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    type_id = leave_type(admin, f"Rest {suffix}", granted=True)
    grant(admin, type_id, staff.emp_id, 10)
    last = MONDAY + timedelta(days=2)
    days: dict[str, Any] = {"date_from": str(MONDAY), "date_to": last}
    plan = hr.request_leave(staff.emp, leave_type_name=f"rest {suffix}", **days, dry_run=True)
    assert isinstance(plan, Plan)
    assert f"3 days of Rest {suffix}" in plan.message
    assert "10 days are left" in plan.message

    made = request(staff.emp, leave_type_name=f"rest {suffix}", **days, description="sea")
    assert (made.state, made.days) == ("confirm", 3.0)
    assert (made.date_from, made.date_to) == (str(MONDAY), str(last))
    (stored,) = toolkit.read(admin, "hr.leave", [made.id], ["number_of_days", "date_to"]).records
    assert stored["number_of_days"] == 3.0
    assert stored["date_to"].startswith(str(last))

    told = hr.get_leave_balance(staff.emp)
    assert told.employee.id == staff.emp_id
    (left,) = [balance for balance in told.balances if balance.id == type_id]
    assert (left.allocated, left.remaining, left.unit) == (10.0, 7.0, "days")
    assert made.id in [row.id for row in told.requests]

    with pytest.raises(OdooError):
        hr.decide_leave(staff.emp, decision="approve", leave_id=made.id)
    approved = hr.decide_leave(staff.boss, decision="approve", leave_id=made.id)
    assert approved.state == "validate"
    with pytest.raises(StateError, match="validate"):
        hr.decide_leave(staff.boss, decision="approve", leave_id=made.id)

    with pytest.raises(AccessError, match="not this user's own"):
        hr.decide_leave(staff.boss, decision="withdraw", leave_id=made.id)
    if admin.version.major < 16:
        with pytest.raises(StateError, match="does not allow cancelling"):
            hr.decide_leave(staff.emp, decision="withdraw", leave_id=made.id)
        hr.decide_leave(admin, decision="refuse", leave_id=made.id)
    else:
        gone = hr.decide_leave(staff.emp, decision="withdraw", leave_id=made.id, reason="rain")
        assert gone.state == "cancel"
    (left,) = [b for b in hr.get_leave_balance(staff.emp).balances if b.id == type_id]
    assert left.remaining == 10.0


@pytest.mark.every_version
def test_a_waiting_request_is_withdrawn_and_another_refused(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    type_id = leave_type(admin, f"Free {suffix}")
    made = request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    assert made.days == 1.0
    gone = hr.decide_leave(staff.emp, decision="withdraw", leave_id=made.id)
    if admin.version.major == 14:
        # There no employee can delete a request.
        assert gone.state == "draft"
        toolkit.unlink(admin, "hr.leave", [made.id])
    else:
        assert gone.state is None
    assert made.id not in [row["id"] for row in leaves(admin, staff.emp_id)]

    again = request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    plan = hr.decide_leave(staff.boss, decision="refuse", leave_id=again.id, dry_run=True)
    assert isinstance(plan, Plan)
    assert hr.decide_leave(staff.boss, decision="refuse", leave_id=again.id).state == "refuse"
    for decision in ("refuse", "approve"):
        with pytest.raises(StateError, match="refuse"):
            hr.decide_leave(staff.boss, decision=decision, leave_id=again.id)


@pytest.mark.parametrize("half", ["am", "pm"])
def test_half_a_day_is_half_a_day(admin: Odoo, staff: Staff, suffix: str, half: str) -> None:
    type_id = leave_type(admin, f"Half {suffix}")
    made = request(staff.emp, leave_type_id=type_id, date_from=MONDAY, half_day=half)
    assert (made.days, made.half_day) == (0.5, half)
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=made.id)


@pytest.mark.every_version
def test_hours_of_a_day_are_taken_where_the_type_is_in_hours(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    type_id = leave_type(admin, f"Hours {suffix}")
    toolkit.write(admin, "hr.leave.type", [type_id], {"request_unit": "hour"})
    taken: dict[str, Any] = {"leave_type_id": type_id, "date_from": MONDAY}
    made = request(staff.emp, **taken, hour_from=9, hour_to=11.5)
    assert (made.hour_from, made.hour_to, made.state) == (9.0, 11.5, "confirm")
    assert made.days == pytest.approx(0.3125, abs=0.001)
    (row,) = toolkit.read(admin, "hr.leave", [made.id], ["date_from", "date_to"]).records
    start, end = (datetime.fromisoformat(row[f"date_{side}"][:19]) for side in ("from", "to"))
    assert end - start == timedelta(hours=2, minutes=30)
    before = leaves(admin, staff.emp_id)
    bad: list[tuple[dict[str, Any], str]] = [
        ({"hour_from": 2, "hour_to": 3}, "no working time"),
        ({"hour_from": 15, "hour_to": 14}, "not a range of hours"),
        ({"hour_from": 15}, "hour_to"),
        ({"hour_from": 9, "hour_to": 11.5, "half_day": "am"}, "cannot be combined"),
        ({"hour_from": 9, "hour_to": 11, "leave_type_id": leave_type(admin, suffix)}, "in hours"),
    ]
    if admin.version.major < 18:
        bad.append(({"hour_from": 14.25, "hour_to": 15}, "half hours|no hour"))
    if admin.version.major >= 19:
        bad.append(({"half_day": "pm"}, "half days"))
    for values, words in bad:
        with pytest.raises(ValidationError, match=words):
            request(staff.emp, **{**taken, **values})
    assert leaves(admin, staff.emp_id) == before
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=made.id)


def test_who_approves_requests_for_others_and_nobody_else_does(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    type_id = leave_type(admin, f"Others {suffix}")
    taken: dict[str, Any] = {"leave_type_id": type_id, "date_from": MONDAY}
    before = leaves(admin, staff.boss_id)
    with pytest.raises(AccessError, match="not allowed to request time off for Toolkit Chief"):
        request(staff.emp, **taken, employee_name=f"toolkit chief {staff.tag}")
    bad: tuple[tuple[dict[str, Any], type[Exception]], ...] = (
        ({"employee_name": f"No {suffix}"}, NotFoundError),
        ({"employee_name": "toolkit"}, AmbiguousNameError),
        ({"employee_id": 10**7}, NotFoundError),
        (
            {"employee_id": staff.boss_id, "employee_name": f"toolkit chief {staff.tag}"},
            ValidationError,
        ),
    )
    for who, error in bad:
        with pytest.raises(error):
            request(staff.boss, **taken, **who)
    assert leaves(admin, staff.boss_id) == before
    made = request(staff.boss, **taken, employee_name=f"toolkit clerk {staff.tag}", half_day="pm")
    assert (made.employee.id, made.days, made.half_day) == (staff.emp_id, 0.5, "pm")
    hr.decide_leave(staff.boss, decision="refuse", leave_id=made.id)


def test_two_approvals_where_the_type_wants_two(admin: Odoo, staff: Staff, suffix: str) -> None:
    type_id = leave_type(admin, f"Both {suffix}", approval="both")
    made = request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    first = hr.decide_leave(staff.boss, decision="approve", leave_id=made.id)
    assert first.state == "validate1"
    assert "second approval" in first.message
    assert hr.decide_leave(admin, decision="approve", leave_id=made.id).state == "validate"
    hr.decide_leave(admin, decision="refuse", leave_id=made.id)


@pytest.mark.every_version
def test_bad_requests_leave_everything_as_it_was(admin: Odoo, staff: Staff, suffix: str) -> None:
    free = leave_type(admin, f"Bad {suffix}")
    leave_type(admin, f"Badly {suffix}")
    granted = leave_type(admin, f"Ration {suffix}", granted=True)
    grant(admin, granted, staff.emp_id, 2)
    none = leave_type(admin, f"Nothing {suffix}", granted=True)
    taken = request(staff.emp, leave_type_id=free, date_from=MONDAY)
    before = leaves(admin, staff.emp_id)
    friday = MONDAY + timedelta(days=4)
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"leave_type_name": f"Nowhere {suffix}"}, NotFoundError, "Nowhere"),
        ({"leave_type_name": suffix}, AmbiguousNameError, "Several"),
        ({"leave_type_id": 999999}, ValidationError, "no type"),
        ({"leave_type_id": free, "date_from": "soon"}, ValidationError, "date_from"),
        ({"leave_type_id": free, "date_to": "2020-01-01"}, ValidationError, "before"),
        (
            {"leave_type_id": free, "date_from": MONDAY + timedelta(days=5)},
            ValidationError,
            "no working time",
        ),
        (
            {"leave_type_id": free, "date_to": friday, "half_day": "am"},
            ValidationError,
            "single day",
        ),
        ({"leave_type_id": free}, OdooError, "(?i)overlap"),
        ({"leave_type_id": granted, "date_to": friday}, ValidationError, "2 are left"),
        ({"leave_type_id": none}, ValidationError, "0 are left"),
    ]
    for values, error, words in bad:
        with pytest.raises(error, match=words):
            request(staff.emp, **{"date_from": MONDAY, **values})
    for values in ({"leave_id": 999999}, {"employee_name": f"Nobody {suffix}"}):
        with pytest.raises(NotFoundError):
            hr.decide_leave(staff.boss, decision="approve", **values)
    assert leaves(admin, staff.emp_id) == before
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=taken.id)


def test_what_is_in_the_way_of_a_request_is_named(admin: Odoo, staff: Staff, suffix: str) -> None:
    """Also by the dry run; and the other half of the day is free."""
    type_id = leave_type(admin, f"Sick {suffix}")
    taken: dict[str, Any] = {"leave_type_id": type_id}
    wednesday = MONDAY + timedelta(days=2)
    half = request(staff.emp, **taken, date_from=MONDAY, half_day="am")
    made = request(staff.emp, **taken, date_from=wednesday)
    hr.decide_leave(staff.boss, decision="approve", leave_id=made.id)
    approved = f"approved Sick {suffix}, {wednesday} \\(id {made.id}\\)"
    friday = MONDAY + timedelta(days=4)
    for values, named in (
        ({"date_from": wednesday}, approved),
        ({"date_from": wednesday, "date_to": friday}, approved),
        ({"date_from": wednesday, "half_day": "pm"}, approved),
        ({"date_from": MONDAY}, f"requested Sick {suffix}, {MONDAY} "),
        ({"date_from": MONDAY, "date_to": friday}, f"requested .*; {approved}"),
    ):
        for dry_run in (True, False):
            with pytest.raises(ValidationError, match=f"(?i)overlaps with .*: {named}"):
                request(staff.emp, **taken, **values, dry_run=dry_run)
    other = request(staff.emp, **taken, date_from=MONDAY, half_day="pm")
    assert other.days == 0.5
    for leave in (half, other, made):
        hr.decide_leave(admin, decision="refuse", leave_id=leave.id)
    again = request(staff.emp, **taken, date_from=wednesday)
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=again.id)


def test_who_is_no_employee_is_told_so(ordinary: Odoo) -> None:
    with pytest.raises(ValidationError, match="not an employee"):
        hr.get_leave_balance(ordinary)


def test_requests_are_found_by_who_made_them(admin: Odoo, staff: Staff, suffix: str) -> None:
    type_id = leave_type(admin, f"Two {suffix}")
    for row in leaves(admin, staff.emp_id):  # of the tests before
        if row["state"] in ("confirm", "validate1"):
            hr.decide_leave(admin, decision="refuse", leave_id=row["id"])
    first = request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    second = request(staff.emp, leave_type_id=type_id, date_from=MONDAY + timedelta(days=1))
    with pytest.raises(AmbiguousNameError) as raised:
        hr.decide_leave(staff.boss, decision="approve", employee_name=f"toolkit clerk {staff.tag}")
    assert {match["id"] for match in raised.value.matches} == {first.id, second.id}
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=second.id)
    found = hr.decide_leave(
        staff.boss, decision="refuse", employee_name=f"toolkit clerk {staff.tag}"
    )
    assert (found.id, found.state) == (first.id, "refuse")


def test_the_directory_is_open_to_everybody(staff: Staff) -> None:
    (found,) = hr.find_people(staff.emp, query=f"toolkit clerk {staff.tag}").people
    assert found.id == staff.emp_id
    assert found.manager.id == staff.boss_id
    team = hr.find_people(staff.emp, manager=f"toolkit chief {staff.tag}")
    assert [person.id for person in team.people] == [staff.emp_id]
    assert hr.find_people(staff.emp, limit=1).has_more
    assert hr.find_people(staff.emp, query="100%_nobody").people == []


def test_who_is_no_employee_cannot_check_in(ordinary: Odoo) -> None:
    with pytest.raises(ValidationError, match="not an employee"):
        hr.check_in_out(ordinary, direction="in")


def category(admin: Odoo, name: str, price: float = 0.0) -> int:
    """Make a category of expenses, with a fixed price or without."""
    values = {"name": name, "can_be_expensed": True, "standard_price": price, "type": "service"}
    made = toolkit.create(admin, "product.product", values).id
    assert made
    return made


def expenses(admin: Odoo, employee_id: int) -> list[int]:
    domain = [["employee_id", "=", employee_id]]
    found = toolkit.search_read(admin, "hr.expense", domain, ["id"], limit=500)
    return sorted(row["id"] for row in found.records)


def test_an_expense_has_its_amount_and_its_receipt(admin: Odoo, staff: Staff, suffix: str) -> None:
    meals = category(admin, f"Meals {suffix}")
    made = hr.create_expense(
        staff.emp,
        name=f"Lunch {suffix}",
        product_name=f"meals {suffix}",
        amount=23.5,
        date="2026-01-05",
        receipt_name="lunch.pdf",
        receipt_base64=b64encode(b"%PDF-1.4 lunch").decode(),
    )
    assert (made.state, made.total_amount, made.date) == ("draft", 23.5, "2026-01-05")
    assert made.warnings == []
    assert made.product.id == meals
    assert made.employee.id == staff.emp_id
    domain = [["res_model", "=", "hr.expense"], ["res_id", "=", made.id]]
    files = toolkit.search_read(staff.emp, "ir.attachment", domain, ["name"]).records
    assert [(row["id"], row["name"]) for row in files] == [(made.receipt_id, "lunch.pdf")]


def test_a_fixed_price_is_taken_by_quantity(admin: Odoo, staff: Staff, suffix: str) -> None:
    miles = category(admin, f"Miles {suffix}", price=0.5)
    made = hr.create_expense(staff.emp, name=f"Trip {suffix}", product_id=miles, quantity=40)
    assert (made.total_amount, made.quantity, made.warnings) == (20.0, 40.0, [])


def test_bad_expenses_are_not_created(admin: Odoo, staff: Staff, suffix: str) -> None:
    meals = category(admin, f"Food {suffix}")
    category(admin, f"Foods {suffix}")
    sold = toolkit.create(
        admin, "product.product", {"name": f"Sold {suffix}", "can_be_expensed": False}
    ).id
    before = expenses(admin, staff.emp_id)
    good: dict[str, Any] = {"name": "x", "product_id": meals, "amount": 5}
    bad: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"name": " "}, ValidationError),
        ({"amount": -1}, ValidationError),
        ({"amount": None}, ValidationError),
        ({"quantity": 3, "amount": None}, ValidationError),
        ({"date": "soon"}, ValidationError),
        ({"product_id": sold}, ValidationError),
        ({"product_id": None, "product_name": f"oo {suffix}"}, NotFoundError),
        ({"product_id": None, "product_name": suffix}, AmbiguousNameError),
        ({"receipt_name": "a.pdf"}, ValidationError),
        ({"receipt_name": "a.pdf", "receipt_base64": "???"}, ValidationError),
    ]
    for values, error in bad:
        with pytest.raises(error):
            hr.create_expense(staff.emp, **{**good, **values})
    assert isinstance(hr.create_expense(staff.emp, **good, dry_run=True), Plan)
    assert expenses(admin, staff.emp_id) == before


def judge(odoo: Odoo, decision: Any, expense: int, **values: Any) -> ExpenseResult:
    return hr.decide_expense(odoo, decision=decision, expense_id=expense, **values)


def test_from_the_receipt_to_the_approved_expense(admin: Odoo, staff: Staff, suffix: str) -> None:
    meals = category(admin, f"Dinner {suffix}")
    paid: dict[str, Any] = {"product_id": meals, "amount": 12.5}
    made = hr.create_expense(
        staff.emp,
        name=f"Dinner {suffix}",
        **paid,
        receipt_name="dinner.pdf",
        receipt_base64=b64encode(b"%PDF-1.4 dinner").decode(),
        submit=True,
    )
    assert made.warnings == []
    assert made.receipt_id
    assert made.state in ("submitted", "reported")
    for decision, reason in (("approve", None), ("refuse", "mine")):
        # To 16 Odoo itself says so, and not as a matter of access.
        with pytest.raises((AccessError, ValidationError), match=r"(?i)not allowed|only"):
            judge(staff.emp, decision, made.id, reason=reason)
    with pytest.raises(StateError, match="cannot be submitted"):
        judge(staff.emp, "submit", made.id)
    assert isinstance(
        hr.decide_expense(admin, decision="approve", expense_name=made.name, dry_run=True), Plan
    )
    assert judge(admin, "approve", made.id).state == "approved"
    with pytest.raises(StateError, match="approved"):
        judge(admin, "approve", made.id)

    draft = hr.create_expense(staff.emp, name=f"Supper {suffix}", **paid)
    assert draft.state == "draft"
    for decision, reason in (("approve", None), ("refuse", "no")):
        with pytest.raises(StateError, match="draft"):
            judge(admin, decision, draft.id, reason=reason)
    assert judge(staff.emp, "submit", draft.id).state in ("submitted", "reported")
    with pytest.raises(ValidationError, match="reason"):
        judge(admin, "refuse", draft.id)
    assert judge(admin, "refuse", draft.id, reason="No receipt.").state == "refused"
    with pytest.raises(NotFoundError):
        judge(admin, "approve", 10**7)


@pytest.mark.every_version
def test_an_employees_time_off_is_listed(admin: Odoo, staff: Staff, suffix: str) -> None:
    type_id = leave_type(admin, f"Sea {suffix}", granted=True)
    grant(admin, type_id, staff.emp_id, 10)
    wednesday, friday = (MONDAY + timedelta(days=days) for days in (2, 4))
    first = request(staff.emp, leave_type_id=type_id, date_from=MONDAY, date_to=wednesday)
    hr.decide_leave(staff.boss, decision="approve", leave_id=first.id)
    half = request(staff.emp, leave_type_id=type_id, date_from=friday, half_day="am")
    words = [
        f"approved Sea {suffix}, {MONDAY} to {wednesday}",
        f"requested Sea {suffix}, {friday} am",
    ]
    for odoo, who in (
        (staff.emp, {}),
        (staff.boss, {"employee_name": f"toolkit clerk {staff.tag}"}),
    ):
        told = hr.list_leaves(odoo, **who, date_from=MONDAY, date_to=friday)
        assert told.employee
        assert told.employee.id == staff.emp_id
        assert told.overlapping == words
        assert {row.id for row in told.leaves} >= {first.id, half.id}
        (total,) = [t for t in told.totals if t.leave_type.id == type_id]
        assert (total.approved, total.waiting) == (3.0, 0.5)
    granted = [row for row in hr.list_leaves(staff.emp).allocations if row.leave_type]
    (mine,) = [row for row in granted if row.leave_type and row.leave_type.id == type_id]
    assert (mine.days, mine.state) == (10.0, "validate")
    # The neighbouring days are free, and others see nothing, which they are told.
    saturday = friday + timedelta(days=1)
    assert hr.list_leaves(staff.emp, date_from=saturday, date_to=saturday).overlapping == []
    hidden = hr.list_leaves(staff.emp, employee_id=staff.boss_id, date_from=MONDAY)
    assert hidden.leaves == []
    assert "cannot see it" in hidden.warnings[0]
    for leave in (first, half):
        hr.decide_leave(admin, decision="refuse", leave_id=leave.id)
    assert hr.list_leaves(staff.emp, date_from=MONDAY, date_to=friday).overlapping == []


@pytest.mark.every_version
def test_time_off_of_a_department_includes_its_sub_departments(
    opened: Open, admin: Odoo, suffix: str
) -> None:
    def department(name: str, **values: Any) -> int:
        return toolkit.create(admin, "hr.department", {"name": name, **values}).id or 0

    type_id = leave_type(admin, f"Lake {suffix}")
    above = department(f"Works {suffix}")
    below = department(f"Yard {suffix}", parent_id=above)
    asked = {"leave_type_id": type_id, "date_from": MONDAY}
    made = {}
    for name, own in (("Ann", above), ("Bo", below), ("Cy", department(f"Other {suffix}"))):
        user = opened(f"{name} {suffix} in base.group_user")
        employee(opened, admin, user, f"{name} {suffix}", department_id=own)
        made[name] = request(user, **asked).id

    def ids(odoo: Odoo, of: int | str) -> set[int]:
        told = hr.list_leaves(odoo, department_id=of, date_from=MONDAY, date_to=MONDAY)
        assert told.employee is None
        return {row.id for row in told.leaves}

    assert ids(admin, above) == ids(admin, f"Works {suffix}") == {made["Ann"], made["Bo"]}
    assert ids(admin, f"Yard {suffix}") == {made["Bo"]}
    told = hr.list_leaves(admin, department_id=below, date_from=MONDAY, date_to=MONDAY)
    assert told.overlapping == [f"Bo {suffix}: requested Lake {suffix}, {MONDAY}"]
    assert "cannot see" in told.warnings[0]


@pytest.mark.every_version
def test_what_was_cancelled_frees_its_days(admin: Odoo, staff: Staff, suffix: str) -> None:
    """On 16 and 17 it stays an approved request, in the archive."""
    if admin.version.major < 16:
        pytest.skip("Nobody cancels what is approved.")
    type_id = leave_type(admin, f"Rain {suffix}")
    made = request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    hr.decide_leave(staff.boss, decision="approve", leave_id=made.id)
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=made.id)
    (row,) = [
        row
        for row in hr.list_leaves(staff.emp, date_from=MONDAY, date_to=MONDAY).leaves
        if row.id == made.id
    ]
    assert row.text == f"cancelled Rain {suffix}, {MONDAY}"
    again = request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    hr.decide_leave(staff.emp, decision="withdraw", leave_id=again.id)


@pytest.mark.every_version
def test_what_was_made_of_moments_alone_is_named(admin: Odoo, staff: Staff, suffix: str) -> None:
    """To 16 the web client's own requests may have no days of their own."""
    type_id = leave_type(admin, f"Old {suffix}")
    values: dict[str, Any] = {"holiday_status_id": type_id, "employee_id": staff.emp_id}
    if admin.version.major <= 16:
        values |= {"date_from": f"{MONDAY} 06:00:00", "date_to": f"{MONDAY} 16:00:00"}
    else:
        values |= {"request_date_from": str(MONDAY), "request_date_to": str(MONDAY)}
    made = toolkit.create(staff.emp, "hr.leave", values).id
    with pytest.raises(ValidationError, match=f"requested Old {suffix}, {MONDAY} \\(id {made}\\)"):
        request(staff.emp, leave_type_id=type_id, date_from=MONDAY)
    hr.decide_leave(admin, decision="refuse", leave_id=made)


def payer(admin: Odoo) -> int:
    """Return a bank journal of the administrator's company."""
    (user,) = toolkit.read(admin, "res.users", [admin.uid], ["company_id"]).records
    domain = [["type", "=", "bank"], ["company_id", "=", user["company_id"]["id"]]]
    found = toolkit.search_read(admin, "account.journal", domain, ["id"], limit=1).records
    return int(found[0]["id"])


def process(odoo: Odoo, *expenses: int | str, **values: Any) -> hr.ExpensesResult:
    return hr.process_expenses(odoo, expenses=list(expenses), **values)


@pytest.mark.every_version
def test_expenses_are_submitted_posted_and_paid_together(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    meals = category(admin, f"Trip {suffix}")
    # Of the administrator, who has the private address that Odoo 14 to 16 post with.
    first, second = (
        hr.create_expense(admin, name=f"{word} {suffix}", product_id=meals, amount=amount).id
        for word, amount in (("Train", 12.5), ("Hotel", 80.25))
    )
    journal = payer(admin)
    plan = hr.process_expenses(
        admin, expenses=[first, second], until="pay", journal=journal, dry_run=True
    )
    assert isinstance(plan, Plan)
    assert f"'Train {suffix}' ({first}), 12.50" in plan.message
    assert "Together 92.75" in plan.message
    states = toolkit.read(admin, "hr.expense", [first, second], ["state"]).records
    assert {row["state"] for row in states} == {"draft"}

    sent = process(admin, f"train {suffix}", second)
    assert sent.total_amount == 92.75
    assert sent.warnings == []
    assert (sent.report is None) is (admin.version.major == 19)
    posted = process(admin, first, second, until="post")
    assert (posted.state, posted.warnings) == ("posted" if sent.report is None else "post", [])
    (entry,) = posted.entries
    # Odoo's own figure.
    (move,) = toolkit.read(admin, "account.move", [entry.id], ["amount_total", "state"]).records
    assert (move["amount_total"], move["state"]) == (92.75, "posted")
    paid = process(admin, first, second, until="pay", journal=journal)
    assert paid.state in ("done", "paid", "in_payment")
    assert paid.warnings == []
    assert [found.id for found in paid.entries] == [entry.id]
    (payment,) = paid.payments
    assert payment.entry
    assert (payment.amount, payment.journal.id) == (92.75, journal)
    assert f"from {payment.journal.name}" in paid.message
    domain = [["move_id", "=", entry.id], ["account_id.reconcile", "=", True]]
    lines = toolkit.search_read(admin, "account.move.line", domain, ["amount_residual"]).records
    assert sum(abs(line["amount_residual"]) for line in lines) == 0
    with pytest.raises(StateError, match="is already"):
        process(admin, first, second, until="pay", journal=journal)


@pytest.mark.every_version
def test_expenses_of_different_states_are_brought_to_one(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    """A draft, one that is submitted and one that is posted are all posted, each of them once."""
    meals = category(admin, f"Trip {suffix}")
    draft, sent, posted = (
        hr.create_expense(admin, name=f"{word} {suffix}", product_id=meals, amount=amount).id
        for word, amount in (("Train", 12.5), ("Hotel", 80), ("Bus", 3))
    )
    process(admin, sent)
    (before,) = process(admin, posted, until="post").entries
    everything = hr.process_expenses(
        admin, expenses=[draft, sent, posted], until="post", dry_run=True
    )
    assert isinstance(everything, Plan)
    assert "Would submit and approve and post 3 expenses" in everything.message
    found = process(admin, draft, sent, posted, until="post")
    assert found.warnings == []
    assert (found.total_amount, len(found.expenses)) == (95.5, 3)
    assert before in found.entries
    moves = toolkit.read(
        admin, "account.move", [entry.id for entry in found.entries], ["amount_total"]
    )
    assert sum(row["amount_total"] for row in moves) == 95.5
    with pytest.raises(StateError, match="is already"):
        process(admin, draft, sent, posted, until="post")


def test_expenses_that_do_not_belong_together_stay_as_they_are(
    admin: Odoo, staff: Staff, suffix: str
) -> None:
    meals = category(admin, f"Mixed {suffix}")
    paid: dict[str, Any] = {"product_id": meals, "amount": 5}
    mine, other = (
        hr.create_expense(staff.emp, name=f"{n} {suffix}", **paid).id for n in ("A", "B")
    )
    bosses = hr.create_expense(staff.boss, name=f"C {suffix}", **paid).id
    alone = process(staff.emp, other)
    bad: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception]]] = [
        ((mine, bosses), {}, StateError),
        ((other,), {}, StateError),
        ((mine, f"Nothing {suffix}"), {}, NotFoundError),
        ((mine, 10**7), {}, NotFoundError),
        ((mine,), {"until": "pay"}, ValidationError),
        ((mine,), {"journal": 1}, ValidationError),
        ((mine,), {"until": "pay", "journal": f"No {suffix}"}, NotFoundError),
    ]
    for expenses_, values, error in bad:
        with pytest.raises(error):
            process(admin, *expenses_, **values)
    rows = toolkit.read(admin, "hr.expense", [mine, bosses], ["state"]).records
    assert [row["state"] for row in rows] == ["draft", "draft"]
    # Who is no approver submits, and is told that no more was done.
    if alone.report is None:
        assert alone.state == "submitted"
    half = hr.process_expenses(staff.emp, expenses=[mine], until="approve")
    assert half.state in ("submit", "submitted")
    assert "not approved" in half.warnings[0]


def allocated(odoo: Odoo, **values: Any) -> hr.AllocationResult:
    return hr.create_allocation(odoo, **values)


@pytest.mark.every_version
def test_days_are_allocated_and_count(admin: Odoo, staff: Staff, suffix: str) -> None:
    type_id = leave_type(admin, f"Grant {suffix}", granted=True)
    free = leave_type(admin, f"Nogrant {suffix}")
    given: dict[str, Any] = {"leave_type_name": f"grant {suffix}", "employee_id": staff.emp_id}
    if admin.version.major > 14:
        # Today of a user who is ahead of UTC is too late for the balance, late in the evening.
        given["date_from"] = "2020-01-01"
    plan = hr.create_allocation(admin, **given, days=10, approve=True, dry_run=True)
    assert isinstance(plan, Plan)
    assert f"10 days of Grant {suffix} to Toolkit Clerk {staff.tag}, " in plan.message
    assert "and approve it" in plan.message

    def mine() -> list[Any]:
        rows = hr.list_leaves(staff.emp).allocations
        return [row for row in rows if row.leave_type and row.leave_type.id == type_id]

    assert mine() == []
    bad: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"days": -1}, ValidationError),
        ({"leave_type_name": None, "leave_type_id": free}, ValidationError),
        ({"leave_type_name": f"Nowhere {suffix}"}, NotFoundError),
        ({"employee_id": 10**7}, NotFoundError),
        ({"date_from": "2030-02-01", "date_to": "2030-01-01"}, ValidationError),
    ]
    if admin.version.major == 14:
        bad.append(({"date_from": "2030-02-01"}, ValidationError))
    for values, error in bad:
        with pytest.raises(error):
            allocated(admin, **{**given, "days": 3, **values})
    with pytest.raises(OdooError):
        allocated(staff.emp, **{**given, "employee_id": staff.boss_id}, days=3)
    assert mine() == []

    waiting = allocated(admin, **given, days=2)
    assert waiting.state in ("confirm", "validate")
    made = allocated(admin, **given, days=10, approve=True)
    assert (made.state, made.days, made.warnings) == ("validate", 10.0, [])
    assert [(row.id, row.days) for row in mine() if row.id == made.id] == [(made.id, 10.0)]
    # Odoo's own figure.
    (left,) = [b for b in hr.get_leave_balance(staff.emp).balances if b.id == type_id]
    assert left.allocated == (12.0 if waiting.state == "validate" else 10.0)
