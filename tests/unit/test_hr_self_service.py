"""Checking in and out, and expenses: what is sent on each version, and what is refused."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import attrs
import pytest
import requests
import responses

from odoo_toolkit.apps import hr
from odoo_toolkit.apps.hr import AttendanceResult, ExpenseResult
from odoo_toolkit.call import Call
from odoo_toolkit.configuration import Secret
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.websession import WebSession
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooConnectionError,
    StateError,
    ValidationError,
)
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
from tests.unit.scripted import VERSIONS, Scripted, contents, recorded

FIELDS = recorded("hr")
ME = 2
CAME, LEFT = "2026-01-05 07:00:00", "2026-01-05 15:00:00"
RECEIPT = b64encode(b"%PDF-1.4 lunch").decode()


class Session:
    """A web session whose one route toggles the attendance."""

    def __init__(self, odoo: Scripted) -> None:
        self.odoo, self.uid, self.paths = odoo, ME, list[str]()
        self.loses: bool | None = None

    def log_in(self, *, before_login: Any) -> int:
        return self.uid

    def call(self, path: str, *, timeout: float, before_login: Any) -> dict[str, Any]:
        self.paths.append(path)
        if self.loses is not False:
            toggle(self.odoo)
        if self.loses is not None:
            raise OdooConnectionError("It broke.", outcome="maybe_applied")
        return {}


def toggle(odoo: Scripted) -> None:
    rows = odoo.server.records["hr.attendance"]
    last = max((r for r in rows if r["employee_id"] == 1), key=lambda row: row["check_in"])
    if not last.get("check_out"):
        last["check_out"] = "2026-01-06 15:00:00"
    else:
        rows.append({"id": len(rows) + 40, "employee_id": 1, "check_in": "2026-01-06 07:00:00"})


def server(
    major: int,
    monkeypatch: pytest.MonkeyPatch | None = None,
    *,
    present: bool = False,
    policy: Policy | None = None,
) -> Scripted:
    """A server with an employee who has been at work once, or still is."""
    past = {"id": 40, "employee_id": 1, "check_in": CAME, "check_out": False if present else LEFT}
    # Odoo 14 shows the others' attendances, too.
    others = {"id": 39, "employee_id": 5, "check_in": "2026-01-07 07:00:00", "check_out": False}
    records = {
        "res.users": [{"id": ME, "name": "Ann", "employee_id": 1}],
        "hr.employee": [
            {"id": 1, "name": "Ann Ash", "user_id": ME},
            {"id": 5, "name": "Bo Birch", "user_id": 3},
        ],
        "hr.attendance": [others, past],
        "res.currency": [{"id": 1, "name": "EUR"}],
        "product.product": [
            {"id": 3, "name": "Meals", "can_be_expensed": True},
            {"id": 4, "name": "Miles", "can_be_expensed": True, "standard_price": 0.5},
            {"id": 5, "name": "Chair", "can_be_expensed": False},
        ],
        "hr.expense": [],
        "ir.attachment": [],
        **({} if major == 19 else {"hr.expense.sheet": []}),
    }
    employee = {"name": "char", "user_id": "many2one res.users"}
    models = {"hr.employee": employee, "res.currency": {"name": "char"}, **FIELDS[str(major)]}
    odoo = Scripted(
        major,
        {},
        policy,
        models,
        records=records,
        transient=("hr.expense.refuse.wizard",),
        uid=ME,
    )

    def pressed(call: Call) -> dict[str, Any]:
        toggle(odoo)
        return {"action": {}}

    def created(call: Call) -> Any:
        values = call.arguments["vals_list"]
        total = values.get("unit_amount") or values.get("total_amount")
        total = total or values.get("total_amount_currency") or 0.5
        shown = "total_amount_currency" if major >= 17 else "total_amount"
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        extra = {shown: total * values["quantity"], "state": "draft", "currency_id": 1}
        extra |= {"can_approve": True} if major == 19 else {}
        row = {"id": 20, **values, **extra, "create_uid": ME, "create_date": now}
        odoo.server.records["hr.expense"].append(row)
        return [20] if major == 19 else 20

    def reported(call: Call) -> Any:
        values = call.arguments["vals_list"]
        expense = values["expense_line_ids"][0][1]
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        row = {**values, "expense_line_ids": [expense], "state": "draft", "can_approve": True}
        row |= {"id": 60, "create_uid": ME, "create_date": now}
        odoo.server.records["hr.expense.sheet"].append(row)
        set_state(odoo, "hr.expense", expense, sheet_id=60)
        return 60

    def becomes(**states: str) -> Any:
        def press(call: Call) -> Any:
            model = "hr.expense" if major == 19 else "hr.expense.sheet"
            ids = call.ids or call.context["active_ids"]
            set_state(odoo, model, ids[0], state=states["late" if major == 19 else "sheet"])
            if major < 19:
                (row,) = odoo.server.records["hr.expense.sheet"]
                for expense in row["expense_line_ids"]:
                    set_state(odoo, "hr.expense", expense, state=states["line"])

        return press

    def stored(call: Call) -> Any:
        values = call.arguments["vals_list"]
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        row = {**values, "datas": False, "file_size": 14, "create_uid": ME, "create_date": now}
        odoo.server.records["ir.attachment"].append({"id": 50, **row})
        return [50] if major == 19 else 50

    submitted = becomes(sheet="submit", line="reported", late="submitted")
    approved = becomes(sheet="approve", line="approved", late="approved")
    refused = becomes(sheet="cancel", line="refused", late="refused")

    def asked_why(call: Call) -> dict[str, Any]:
        model = "hr.expense" if major == 19 else "hr.expense.sheet"
        set_to = refused if call.context["active_model"] == model else None
        assert set_to
        set_to(attrs.evolve(call, ids=None))
        return {"type": "ir.actions.act_window_close"}

    wizard = "hr.expense.refuse.wizard"
    odoo.answers |= {
        ("hr.expense.sheet", "create"): reported,
        ("hr.expense.sheet", "action_submit_sheet"): submitted,
        ("hr.expense", "action_submit"): submitted,
        ("hr.expense.sheet", "approve_expense_sheets"): approved,
        ("hr.expense.sheet", "action_approve_expense_sheets"): approved,
        ("hr.expense", "action_approve"): approved,
        ("hr.expense.sheet", "refuse_sheet"): refused,
        (wizard, "default_get"): {},
        (wizard, "create"): 70,
        (wizard, "action_refuse"): asked_why,
        ("hr.employee", "attendance_manual"): pressed,
        ("hr.expense", "create"): created,
        ("ir.attachment", "create"): stored,
    }
    if monkeypatch:
        monkeypatch.setattr(Scripted, "web_session", Session(odoo))
    return odoo


def set_state(odoo: Scripted, model: str, record_id: int, **values: Any) -> None:
    for row in odoo.server.records[model]:
        if row["id"] == record_id:
            row |= values


def session(odoo: Scripted) -> Session:
    found: Any = odoo.web_session
    assert isinstance(found, Session)
    return found


def check(odoo: Scripted, direction: Any) -> AttendanceResult:
    return hr.check_in_out(odoo, direction=direction)


# Attendance ------------------------------------------------------------------------------------


@pytest.mark.parametrize("present", [True, False])
@pytest.mark.parametrize("major", VERSIONS)
def test_the_button_is_pressed_where_it_leads_on(
    major: int, present: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    odoo = server(major, monkeypatch, present=present)
    told = check(odoo, "out" if present else "in")
    assert (told.checked_in, bool(told.check_out)) == (not present, present)
    assert told.employee.name == "Ann Ash"
    paths = session(odoo).paths
    assert len(odoo.sent) + len(paths) == 4
    if major <= 16:
        (call,) = odoo.asked("attendance_manual")
        assert (call.ids, list(call.arguments), paths) == ((1,), ["next_action"], [])
    else:
        assert paths == ["/hr_attendance/systray_check_in_out"]


def test_what_odoo_only_warns_of_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    odoo = server(15, monkeypatch)
    odoo.answers["hr.employee", "attendance_manual"] = {"warning": "Wrong PIN"}
    with pytest.raises(StateError, match="Wrong PIN"):
        check(odoo, "in")


def test_a_lost_answer_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def operation(odoo: Scripted) -> Any:
        return hr.check_in_out(odoo, direction="in")

    told = check_seen_when_lost(server(16), "attendance_manual", operation, monkeypatch)
    assert told.checked_in
    error = check_told_when_lost(server(16), "attendance_manual", operation, monkeypatch)
    assert "You can safely repeat the call" in error.suggestion


def test_a_lost_answer_of_the_route_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("odoo_toolkit.change_history.lost_answers.WAITS", (0.0,))
    for applied in (True, False):
        odoo = server(18, monkeypatch)
        session(odoo).loses = applied
        if applied:
            assert check(odoo, "in").warnings
        else:
            with pytest.raises(OdooConnectionError, match="looked for"):
                check(odoo, "in")
        assert len(session(odoo).paths) == 1


def test_another_users_password_checks_nobody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    odoo = server(19, monkeypatch)
    session(odoo).uid = 7
    with pytest.raises(AccessError, match="different users"):
        check(odoo, "in")
    assert session(odoo).paths == []


def test_who_is_no_employee_is_told_so() -> None:
    odoo = server(19)
    odoo.server.records["res.users"][0]["employee_id"] = False
    with pytest.raises(ValidationError, match="not an employee"):
        check(odoo, "in")
    with pytest.raises(ValidationError, match='"in" or "out"'):
        check(odoo, "home")


@responses.activate
def test_a_forgotten_session_is_opened_again_for_the_route() -> None:
    expired = {"data": {"name": "odoo.http.SessionExpiredException", "message": "expired"}}
    answers = iter([{"error": expired}, {"result": {"ok": 1}}])

    def routed(request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        return 200, {}, json.dumps(next(answers))

    base = "http://odoo.test"
    responses.post(f"{base}/web/session/authenticate", json={"result": {"uid": 2}})
    responses.add_callback("POST", f"{base}/route", routed, content_type="application/json")
    settings = ConnectionSettings(url=base, username="ann", password=Secret("x"))
    opened = WebSession(settings, "db")
    assert opened.call("/route", timeout=5, before_login=lambda: None) == {"ok": 1}
    paths = [call.request.path_url for call in responses.calls]
    assert paths == ["/web/session/authenticate", "/route"] * 2


# Expenses --------------------------------------------------------------------------------------


def spend(odoo: Scripted, **values: Any) -> ExpenseResult:
    good: dict[str, Any] = {"name": " Lunch ", "product_id": 3, "amount": 23.5}
    return hr.create_expense(odoo, **{**good, **values})


@pytest.mark.parametrize("major", VERSIONS)
def test_a_fixed_price_is_given_to_15_and_known_since(major: int) -> None:
    odoo = server(major)
    made = spend(odoo, product_id=4, amount=None, quantity=40)
    assert made.total_amount == 20.0
    assert contents(odoo.asked("create")[0]).get("unit_amount") == (0.5 if major <= 15 else None)


def test_an_expense_stays_when_its_receipt_fails() -> None:
    odoo = server(19)
    odoo.answers["ir.attachment", "create"] = AccessError("Not yours.")
    made = spend(odoo, receipt_name="lunch.pdf", receipt_base64=RECEIPT)
    assert (made.id, made.receipt_id) == (20, None)
    assert any("receipt is not attached" in warning for warning in made.warnings)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": " "}, "name is empty"),
        ({"amount": None}, "amount or quantity"),
        ({"quantity": 2}, "amount or quantity"),
        ({"amount": 0}, "more than 0"),
        ({"date": "soon"}, "date"),
        ({"product_id": None}, "is needed"),
        ({"product_id": 5}, "not an expense category"),
        ({"product_id": None, "product_name": "Chair"}, "Chair"),
        ({"product_id": 4}, "fixed price of 0.5"),
        ({"amount": None, "quantity": 2}, "no fixed price"),
        ({"receipt_name": "a.pdf"}, "receipt"),
        ({"receipt_base64": RECEIPT}, "receipt"),
        ({"receipt_name": "a.pdf", "receipt_base64": "???"}, "base64"),
        ({"receipt_name": "a.pdf", "receipt_base64": ""}, "receipt"),
    ],
)
def test_a_wrong_expense_is_not_sent(values: dict[str, Any], words: str) -> None:
    odoo = server(19)
    with pytest.raises((ValidationError, NotFoundError), match=words):
        spend(odoo, **values)
    assert writes(odoo) == []


def test_a_missing_amount_is_named_as_the_field() -> None:
    with pytest.raises(ValidationError) as raised:
        spend(server(19), amount=None)
    assert raised.value.details == {"field": "amount"}


def expense(odoo: Scripted, **options: Any) -> Any:
    return hr.create_expense(odoo, name="Lunch", product_id=3, amount=23.5, **options)


# From a draft to an approved expense -----------------------------------------------------------


def decide(odoo: Scripted, decision: Any, **values: Any) -> ExpenseResult:
    return hr.decide_expense(odoo, decision=decision, **{"expense_id": 20, **values})


@pytest.mark.parametrize(
    ("decision", "values", "words"),
    [
        ("pay", {}, "decision cannot be 'pay'"),
        ("refuse", {}, "decision='refuse' requires a reason"),
        ("refuse", {"reason": " "}, "decision='refuse' requires a reason"),
        ("approve", {"reason": "good"}, "requires a reason"),
        ("approve", {"expense_id": 99}, "no expense with id 99"),
        ("approve", {"expense_id": None}, "is needed"),
        ("approve", {"expense_id": None, "expense_name": "Trip"}, "Trip"),
    ],
)
def test_a_wrong_decision_on_an_expense_is_not_sent(
    decision: str, values: dict[str, Any], words: str
) -> None:
    odoo = server(19)
    with pytest.raises((ValidationError, NotFoundError), match=words):
        decide(odoo, decision, **values)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", [17, 18, 19])
def test_what_odoo_says_is_not_theirs_to_decide_is_not_tried(major: int) -> None:
    odoo = server(major)
    spend(odoo, submit=True)
    model, number = ("hr.expense", 20) if major == 19 else ("hr.expense.sheet", 60)
    set_state(odoo, model, number, can_approve=False)
    odoo.sent.clear()
    for decision, reason in (("approve", None), ("refuse", "no")):
        with pytest.raises(AccessError, match=f"not allowed to {decision} 'Lunch'"):
            decide(odoo, decision, reason=reason)
    assert writes(odoo) == []


def test_a_wizard_that_the_user_may_not_create_is_told_as_what_it_means() -> None:
    odoo = server(19)
    spend(odoo, submit=True)
    odoo.answers["hr.expense.refuse.wizard", "create"] = AccessError("You may not create it.")
    with pytest.raises(AccessError, match="not allowed to refuse 'Lunch'"):
        decide(odoo, "refuse", reason="no")


@pytest.mark.parametrize("major", [14, 18])
def test_restricted_mode_judges_reports_by_their_own_model(major: int) -> None:
    only = Policy(mode="restricted", write_allowlist="hr.expense")
    with pytest.raises(AccessError, match=r"hr\.expense\.sheet"):
        spend(server(major, policy=only), submit=True)
    both = Policy(mode="restricted", write_allowlist="hr.expense,hr.expense.sheet")
    assert spend(server(major, policy=both), submit=True).state == "reported"
    odoo = server(major, policy=Policy(mode="readonly"))
    for decision, reason in (("submit", None), ("approve", None), ("refuse", "no")):
        with pytest.raises(AccessError):
            decide(odoo, decision, reason=reason)
    assert odoo.sent == []
