"""Time off and the directory: what is sent on each version, and what is refused before it is.

The fields of 14 and 19 are recorded from servers; those of 15 to 18 differ from these as it was
found there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import pytest

from odoo_toolkit.apps import hr
from odoo_toolkit.apps.hr import LeaveResult
from odoo_toolkit.call import Call
from odoo_toolkit.configuration import load
from odoo_toolkit.errors import AccessError, NotFoundError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import ToolTable
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.toolsets.hr import HrToolset
from odoo_toolkit_mcp.toolsets.registry import ToolsetRegistry
from tests.unit.operation_checks import check_seen_when_lost, writes
from tests.unit.scripted import VERSIONS, Scripted, contents, recorded

FIELDS = recorded("hr")
ME = 2

ALLOCATION = {
    "state": "char",
    "employee_id": "many2one hr.employee",
    "holiday_status_id": "many2one hr.leave.type",
    "name": "char",
    "number_of_days": "float",
    "number_of_hours_display": "float",
    "type_request_unit": "char",
    "date_from": "date",
    "date_to": "date",
    "can_approve": "boolean",
    "can_validate": "boolean",
    "can_refuse": "boolean",
}


def kind(major: int, number: int, name: str, *, granted: bool, **values: Any) -> dict[str, Any]:
    """A type of time off as a version describes it."""
    if major == 14:
        values["allocation_type"] = "fixed" if granted else "no"
    else:
        values["requires_allocation"] = granted if major == 19 else "yes" if granted else "no"
    return {"id": number, "name": name, "active": True, "request_unit": "half_day", **values}


def leave(number: int = 9, **values: Any) -> dict[str, Any]:
    return {
        "id": number,
        "state": "confirm",
        "employee_id": 1,
        "user_id": ME,
        "holiday_status_id": 3,
        "request_date_from": "2030-01-07",
        "request_date_to": "2030-01-09",
        "request_date_from_period": "am",
        "date_from": "2030-01-07 07:00:00",
        "date_to": "2030-01-09 16:00:00",
        "number_of_days": 3.0,
        "can_approve": True,
        "can_validate": True,
        "can_refuse": True,
        "can_cancel": True,
        **values,
    }


def server(
    major: int = 19,
    *leaves: dict[str, Any],
    policy: Policy | None = None,
    form: dict[str, Any] | None = None,
) -> Scripted:
    """A server with an employee, her boss, two types of time off, and these requests."""
    fields = FIELDS[str(major)]
    shown = [{k: v for k, v in row.items() if k in {"id", *fields["hr.leave"]}} for row in leaves]
    records = {
        "res.users": [{"id": ME, "name": "Ann", "employee_id": 1}],
        "hr.department": [{"id": 8, "name": "Sales"}],
        "hr.employee": [{"id": 1, "name": "Ann Ash"}, {"id": 5, "name": "Bo Birch"}],
        "hr.employee.public": [
            {
                "id": 1,
                "name": "Ann Ash",
                "department_id": 8,
                "parent_id": 5,
                "work_phone": "555 1",
            },
            {"id": 5, "name": "Bo Birch", "job_title": "Head of sales"},
            {"id": 7, "name": "Cy Cedar", "active": False},
        ],
        "hr.leave.type": [
            kind(
                major,
                3,
                "Paid",
                granted=True,
                max_leaves=10.0,
                leaves_taken=2.0,
                virtual_remaining_leaves=5.0,
            ),
            kind(major, 4, "Unpaid", granted=False, request_unit="day"),
        ],
        "hr.leave": shown,
        "hr.leave.allocation": [],
    }
    worked_out = {
        "date_from": "2030-01-07 07:00:00",
        "date_to": "2030-01-09 16:00:00",
        "number_of_days": 3.0,
        **(form or {}),
    }
    models = {"hr.employee": {"name": "char"}, "hr.leave.allocation": ALLOCATION, **fields}
    kinds = {"allocation_validation_type": "char", **fields["hr.leave.type"]}
    models["hr.leave.type"] = kinds
    odoo = Scripted(
        major,
        {("hr.leave", "onchange"): {"value": worked_out}},
        policy,
        models,
        records=records,
        transient=("hr.holidays.cancel.leave",),
        uid=ME,
    )
    rows = odoo.server.records["hr.leave"]

    def create(call: Call) -> Any:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        extra = {"state": "confirm", "number_of_days": 3.0, "user_id": ME}
        made = {**call.arguments["vals_list"], **extra, "create_uid": ME, "create_date": now}
        rows.append({"id": 20, **made})
        return [20] if major == 19 else 20

    def becomes(state: str) -> Callable[[Call], bool]:
        def press(call: Call) -> bool:
            for row in rows:
                if row["id"] in (call.ids or ()):
                    row["state"] = state
            return True

        return press

    def cancel(call: Call) -> bool:
        rows[0] |= {"state": "cancel"} if major >= 18 else {"active": False}
        return True

    granted = odoo.server.records["hr.leave.allocation"]

    def grant(call: Call) -> Any:
        first = "draft" if major in (15, 16) else "confirm"
        granted.append({"id": 40, "state": first, **call.arguments["vals_list"]})
        return [40] if major == 19 else 40

    def granting(state: str) -> Callable[[Call], bool]:
        def press(call: Call) -> bool:
            granted[-1]["state"] = state
            return True

        return press

    odoo.answers |= {
        ("hr.leave.allocation", "create"): grant,
        ("hr.leave.allocation", "action_confirm"): granting("confirm"),
        ("hr.leave.allocation", "action_validate"): granting("validate"),
        ("hr.leave.allocation", "action_approve"): granting("validate"),
        ("hr.leave", "create"): create,
        ("hr.leave", "action_approve"): becomes("validate"),
        ("hr.leave", "action_validate"): becomes("validate"),
        ("hr.leave", "action_refuse"): becomes("refuse"),
        ("hr.leave", "action_draft"): becomes("draft"),
        ("hr.holidays.cancel.leave", "default_get"): {},
        ("hr.holidays.cancel.leave", "create"): 30,
        ("hr.holidays.cancel.leave", "action_cancel_leave"): cancel,
    }
    return odoo


def request(odoo: Scripted, **values: Any) -> LeaveResult:
    days: dict[str, Any] = {"date_from": "2030-01-07", "date_to": "2030-01-09"}
    return hr.request_leave(odoo, **{"leave_type_id": 3, **days, **values})


def decide(odoo: Scripted, decision: Any, **values: Any) -> LeaveResult:
    return hr.decide_leave(odoo, decision=decision, **{"leave_id": 9, **values})


# Requests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_half_a_day_ends_in_the_half_that_it_begins_in(major: int) -> None:
    odoo = server(major, form={"number_of_days": 0.5})
    made = request(odoo, date_from=date(2030, 1, 7), date_to=None, half_day="am")
    assert made.half_day == "am"
    sent = contents(odoo.asked("create")[0])
    assert (sent["request_unit_half"], sent["request_date_from_period"]) == (True, "am")
    assert sent.get("request_date_to_period") == ("am" if major == 19 else None)
    asked = odoo.asked("onchange")[0].arguments
    assert "holiday_status_id" not in asked["field_names"]
    assert asked["fields_spec"]["number_of_days"] == ("1" if major <= 16 else {})


@pytest.mark.parametrize(
    ("values", "form", "words"),
    [
        ({"date_to": None, "half_day": "noon"}, {}, '"am" or "pm"'),
        ({"leave_type_name": "Paid"}, {}, "Pass either"),
        ({"leave_type_id": None}, {}, "is needed"),
        (
            {"leave_type_id": 4, "date_to": None, "half_day": "pm"},
            {},
            "cannot be taken in half days",
        ),
        ({"hour_from": 9, "hour_to": 11}, {}, "single day"),
        ({"date_to": None, "hour_from": 9, "hour_to": "late"}, {}, "must be a number"),
        ({"employee_id": 7}, {}, "no employee with id 7"),
        ({}, {"number_of_days": 5.5}, "5 are left"),
    ],
)
@pytest.mark.parametrize("major", [14, 19])
def test_a_wrong_request_is_not_sent(
    major: int, values: dict[str, Any], form: dict[str, Any], words: str
) -> None:
    odoo = server(major, form=form)
    with pytest.raises((ValidationError, NotFoundError), match=words):
        request(odoo, **values)
    assert writes(odoo) == []


def test_hours_are_counted_where_the_type_is_in_hours() -> None:
    odoo = server(form={"number_of_days": 0.6, "number_of_hours": 5.5})
    odoo.server.records["hr.leave.type"][0]["request_unit"] = "hour"
    with pytest.raises(ValidationError, match=r"you request 5\.5 hours, but 5 are left"):
        request(odoo)


@pytest.mark.parametrize("major", [17, 18])
def test_to_17_time_off_begins_at_whole_and_half_hours(major: int) -> None:
    odoo = server(major, form={"number_of_days": 0.1, "number_of_hours": 0.75})
    odoo.server.records["hr.leave.type"][0]["request_unit"] = "hour"
    if major == 17:
        with pytest.raises(ValidationError, match=r"at 9\.25"):
            request(odoo, date_to=None, hour_from=9.25, hour_to=10)
        assert writes(odoo) == []
    else:
        assert request(odoo, date_to=None, hour_from=9.25, hour_to=10).hour_from == 9.25


@pytest.mark.parametrize("major", [18, 19])
def test_odoo_19_would_take_a_whole_day_for_half_of_one_taken_by_hours(major: int) -> None:
    odoo = server(major, form={"number_of_days": 0.5, "number_of_hours": 4.0})
    odoo.server.records["hr.leave.type"][0]["request_unit"] = "hour"
    if major == 19:
        with pytest.raises(ValidationError, match="cannot be taken in half days"):
            request(odoo, date_to=None, half_day="am")
        assert writes(odoo) == []
    else:
        assert request(odoo, date_to=None, half_day="am").half_day == "am"


def test_who_may_not_request_it_for_another_is_told_so() -> None:
    odoo = server()
    odoo.answers["hr.leave", "create"] = AccessError("You are not allowed to create hr.leave.")
    with pytest.raises(AccessError, match="not allowed to request time off for Bo Birch"):
        request(odoo, employee_id=5)
    with pytest.raises(AccessError, match="not allowed to create"):
        request(odoo)


def test_a_closed_directory_is_not_taken_for_missing_rights() -> None:
    odoo = server(policy=Policy(mode="full", model_blocklist="hr.employee.public"))
    with pytest.raises(AccessError) as raised:
        request(odoo, employee_id=5)
    assert raised.value.code == "MODEL_BLOCKED"
    assert writes(odoo) == []


# Balance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_the_balance_is_of_each_type_with_what_is_to_come(major: int) -> None:
    past = leave(8, date_to="2020-01-01 16:00:00")
    others = leave(7, user_id=3)
    odoo = server(major, leave(), past, others, leave(6, state="refuse"))
    told = hr.get_leave_balance(odoo)
    assert told.employee.name == "Ann Ash"
    figures = [(b.name, b.allocated, b.taken, b.remaining, b.half_days) for b in told.balances]
    assert figures == [("Paid", 10.0, 2.0, 5.0, True), ("Unpaid", None, 0.0, None, False)]
    assert [(row.id, row.date_from, row.days) for row in told.requests] == [(9, "2030-01-07", 3.0)]
    assert len(odoo.sent) == 3


# Decisions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "state"),
    [
        ("approve", "validate"),
        # Odoo 19 would approve it.
        ("approve", "refuse"),
        ("refuse", "refuse"),
        ("refuse", "cancel"),
        ("withdraw", "refuse"),
        ("withdraw", "draft"),
    ],
)
@pytest.mark.parametrize("major", [14, 19])
def test_a_decision_needs_the_right_state(major: int, decision: str, state: str) -> None:
    odoo = server(major, leave(state=state))
    with pytest.raises(StateError, match=f"its state is {state}"):
        decide(odoo, decision)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", [16, 17])
def test_what_was_cancelled_to_17_is_not_approved(major: int) -> None:
    odoo = server(major, leave(state="validate", active=False))
    with pytest.raises(StateError, match="its state is cancel"):
        decide(odoo, "refuse")


@pytest.mark.parametrize("major", VERSIONS)
def test_what_odoo_lets_this_user_not_decide_is_not_tried(major: int) -> None:
    odoo = server(major, leave(can_approve=False, can_validate=False))
    with pytest.raises(AccessError, match="not allowed to approve") as raised:
        decide(odoo, "approve")
    assert "own" in raised.value.suggestion
    assert writes(odoo) == []


def test_what_has_begun_cannot_be_cancelled() -> None:
    odoo = server(19, leave(state="validate", can_cancel=False))
    with pytest.raises(StateError, match="cannot be cancelled"):
        decide(odoo, "withdraw")


def test_the_only_open_request_needs_no_id() -> None:
    odoo = server(19, leave(8, state="refuse"), leave())
    assert decide(odoo, "refuse", leave_id=None, employee_name="ann ash").id == 9
    again = server(19, leave(8, state="refuse"), leave())
    assert decide(again, "withdraw", leave_id=None).id == 9


def test_the_cancelling_wizard_is_recognised_without_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odoo = server(17, leave(state="validate"))
    withdraw = partial(hr.decide_leave, decision="withdraw", leave_id=9)
    assert check_seen_when_lost(odoo, "action_cancel_leave", withdraw, monkeypatch).id == 9


# The directory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("major", VERSIONS)
def test_people_are_found_by_all_words_in_one_call(major: int) -> None:
    odoo = server(major)
    (found,) = hr.find_people(odoo, query="ash sales").people
    assert (found.name, found.work_phone) == ("Ann Ash", "555 1")
    assert found.manager.name == "Bo Birch"
    assert len(odoo.sent) == 1
    assert [p.id for p in hr.find_people(odoo, manager="birch").people] == [1]
    assert hr.find_people(odoo, query="cedar").people == []
    first = hr.find_people(odoo, limit=1)
    assert (first.count, first.has_more) == (1, True)


def test_a_hidden_field_is_neither_searched_nor_shown() -> None:
    odoo = server(policy=Policy(field_blocklist="work_phone"))
    assert hr.find_people(odoo, query="555").people == []
    (found,) = hr.find_people(odoo, query="ann").people
    assert found.work_phone is None


# The toolset -----------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["hr_holidays", "hr_attendance", "hr_expense"])
def test_tools_of_missing_modules_are_left_out(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    odoo = server()
    monkeypatch.setattr(odoo.schema, "module_installed", lambda name, **how: name != module)
    settings, problems = load(ServerSettings, {"mode": "full"}, environ={})
    assert settings is not None, problems
    registry = ToolsetRegistry(settings, [CoreToolset, HrToolset])
    result = registry.discover_and_register(ToolTable(settings), odoo).results[1]
    needing = {tool.name for tool in HrToolset.tools if tool.module == module}
    assert needing
    assert set(result.tools_omitted) == needing
    assert all(module in reason for reason in result.tools_omitted.values())
    assert "odoo_hr_find_people" in result.tools_registered


# Lists -----------------------------------------------------------------------------------------


def with_allocations(odoo: Scripted, *rows: dict[str, Any]) -> Scripted:
    """Give the server allocations of the first employee."""
    odoo.server.records["hr.leave.allocation"] = list(rows)
    return odoo


@pytest.mark.parametrize("major", VERSIONS)
def test_allocations_are_shown_with_what_the_version_has(major: int) -> None:
    row = {
        "id": 3,
        "employee_id": 1,
        "holiday_status_id": 3,
        "number_of_days": 10.0,
        "state": "validate",
        "date_from": "2030-01-01",
        "type_request_unit": "hour",
        "number_of_hours_display": 80.0,
    }
    (shown,) = hr.list_leaves(with_allocations(server(major), row)).allocations
    assert (shown.days, shown.hours, shown.state) == (10.0, 80.0, "validate")
    assert shown.date_from == ("2030-01-01" if major > 14 else None)


@pytest.mark.parametrize(
    ("periods", "last", "words"),
    [
        (("am", "pm"), "2030-01-07", "2030-01-07"),
        (("am", "am"), "2030-01-07", "2030-01-07 am"),
        (("pm", "am"), "2030-01-09", "2030-01-07 pm to 2030-01-09 am"),
        (("am", "pm"), "2030-01-09", "2030-01-07 to 2030-01-09"),
    ],
)
def test_whole_days_of_19_go_from_a_morning_to_an_afternoon(
    periods: tuple[str, str], last: str, words: str
) -> None:
    begins, ends = periods
    row = leave(
        request_unit_half=True,
        request_date_to=last,
        request_date_from_period=begins,
        request_date_to_period=ends,
    )
    (told,) = hr.list_leaves(server(19, row), date_from="2030-01-01").leaves
    assert told.text == f"requested Paid, {words}"
    assert told.half_day == ("am" if words.endswith("-07 am") else None)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"date_from": "soon"}, "date_from"),
        ({"date_from": "2030-01-07", "date_to": "2030-01-06"}, "before"),
        ({"employee_id": 99}, "no employee with id 99"),
        ({"employee_name": "Zoe"}, "Zoe"),
        ({"employee_id": 1, "employee_name": "Ann Ash"}, "Pass either"),
        ({"employee_id": 1, "department_id": 1}, "Both an employee and a department"),
    ],
)
def test_a_wrong_list_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises((ValidationError, NotFoundError), match=words):
        hr.list_leaves(server(19, leave()), **values)


# Allocations -----------------------------------------------------------------------------------


def allocate(odoo: Scripted, **values: Any) -> hr.AllocationResult:
    given: dict[str, Any] = {"leave_type_name": "paid", "days": 10}
    return hr.create_allocation(odoo, **{**given, **values})


@pytest.mark.parametrize(
    ("major", "values", "words"),
    [
        (19, {"days": 0}, "more than 0"),
        (19, {"days": "many"}, "must be a number"),
        (19, {"date_from": "soon"}, "date_from"),
        (19, {"date_from": "2030-02-01", "date_to": "2030-01-01"}, "before"),
        (14, {"date_from": "2030-02-01"}, "On Odoo 14"),
        (19, {"leave_type_name": "Unpaid"}, "without an allocation"),
        (14, {"leave_type_name": "Unpaid"}, "without an allocation"),
        (19, {"leave_type_name": "Moon"}, "Moon"),
        (19, {"leave_type_name": None, "leave_type_id": 99}, "no type"),
        (19, {"leave_type_id": 3}, "Pass either"),
        (19, {"employee_name": "Zoe"}, "Zoe"),
        (19, {"employee_id": 99}, "no employee"),
    ],
)
def test_a_wrong_allocation_is_not_made(major: int, values: dict[str, Any], words: str) -> None:
    odoo = server(major)
    with pytest.raises((ValidationError, NotFoundError), match=words):
        allocate(odoo, **values)
    assert writes(odoo) == []
