"""Several expenses together: submitted, approved and posted by the buttons of each version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit.apps import hr
from odoo_toolkit.apps.hr import ExpensesResult
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, NotFoundError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.operation_checks import writes
from tests.unit.scripted import VERSIONS, Scripted, contents

EXPENSE, REPORT = "hr.expense", "hr.expense.sheet"


def _models(major: int) -> dict[str, dict[str, Any]]:
    expense: dict[str, Any] = {
        "name": "char",
        "state": "char",
        "date": "date",
        "employee_id": "many2one hr.employee",
        "product_id": "many2one product.product",
        "currency_id": "many2one res.currency",
        "payment_mode": "char",
        "total_amount": "float",
        **({"total_amount_currency": "float"} if major >= 17 else {}),
        **({"account_move_id": "many2one account.move"} if major == 19 else {}),
        **({"sheet_id": f"many2one {REPORT}"} if major < 19 else {}),
    }
    entry = "account_move_id" if major <= 16 else "account_move_ids"
    report = {
        "name": "char",
        "state": "char",
        "employee_id": "many2one hr.employee",
        "expense_line_ids": f"many2many {EXPENSE}",
        "can_approve": "boolean",
        entry: f"many2{'one' if major <= 16 else 'many'} account.move",
    }
    return {
        "hr.employee": {"name": "char"},
        "product.product": {"name": "char"},
        "res.currency": {"name": "char"},
        "account.move": {"name": "char"},
        "account.journal": {"name": "char", "type": "char"},
        "account.payment": {"name": "char", "amount": "float"},
        "account.payment.register": {"journal_id": "many2one account.journal"},
        EXPENSE: expense,
        "hr.expense.post.wizard": {"accounting_date": "date"},
        **({REPORT: report} if major < 19 else {}),
    }


def spent(number: int, **values: Any) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"Lunch {number}",
        "state": "draft",
        "employee_id": 1,
        "currency_id": 1,
        "payment_mode": "own_account",
        "total_amount": 10.0 + number,
        "total_amount_currency": 10.0 + number,
        **values,
    }


def server(major: int = 19, *expenses: dict[str, Any], policy: Policy | None = None) -> Scripted:
    """A server with two drafts of one employee."""
    models = _models(major)
    rows = [
        {k: v for k, v in row.items() if k in {"id", *models[EXPENSE]}}
        for row in expenses or (spent(20), spent(21))
    ]
    records: dict[str, Any] = {
        "hr.employee": [{"id": 1, "name": "Ann Ash"}, {"id": 5, "name": "Bo Birch"}],
        "product.product": [],
        "res.currency": [{"id": 1, "name": "EUR"}, {"id": 2, "name": "USD"}],
        "account.move": [{"id": 70, "name": "BILL/1"}],
        "account.journal": [
            {"id": 7, "name": "Bank", "type": "bank"},
            {"id": 8, "name": "Sales", "type": "sale"},
        ],
        EXPENSE: rows,
        **({REPORT: []} if major < 19 else {}),
    }
    odoo = Scripted(
        major,
        {},
        policy,
        models,
        records=records,
        transient=("hr.expense.post.wizard", "account.payment.register"),
    )
    kept = odoo.server.records

    def reported(call: Call) -> Any:
        values = call.arguments["vals_list"]
        ids = [command[1] for command in values["expense_line_ids"]]
        kept[REPORT].append({"id": 60, **values, "expense_line_ids": ids, "state": "draft"})
        for row in kept[EXPENSE]:
            if row["id"] in ids:
                row["sheet_id"] = 60
        return 60

    def becomes(state: str, **more: Any) -> Callable[[Call], Any]:
        def press(call: Call) -> Any:
            for row in kept[EXPENSE if major == 19 else REPORT]:
                ids = call.context.get("active_ids") or call.ids
                if row["id"] in ids:
                    row |= {"state": state, **more}
            return True

        return press

    entry = {"account_move_id": 70} if major in (14, 15, 16, 19) else {"account_move_ids": [70]}
    wizard = "hr.expense.post.wizard"
    action = {
        "type": "ir.actions.act_window",
        "res_model": wizard,
        "target": "new",
        "context": {"active_ids": [20, 21], "company_paid_move_ids": []},
    }
    posted = becomes("post", **entry)
    paying = {
        "type": "ir.actions.act_window",
        "res_model": "account.payment.register",
        "target": "new",
        "context": {"active_model": "account.move", "active_ids": [70]},
    }

    def paid(call: Call) -> Any:
        for row in kept[EXPENSE if major == 19 else REPORT]:
            row["state"] = "paid" if major == 19 else "done"
        return True

    odoo.answers |= {
        (REPORT, "action_register_payment"): paying,
        (EXPENSE, "action_pay"): paying,
        ("account.payment", "search_read"): [{"id": 80, "name": "PBNK1/1", "amount": 41.0}],
        ("account.payment.register", "default_get"): {},
        ("account.payment.register", "create"): [90],
        ("account.payment.register", "action_create_payments"): paid,
        (REPORT, "create"): reported,
        (REPORT, "action_submit_sheet"): becomes("submit"),
        (REPORT, "approve_expense_sheets"): becomes("approve"),
        (REPORT, "action_approve_expense_sheets"): becomes("approve"),
        (REPORT, "action_sheet_move_create"): posted,
        (REPORT, "action_sheet_move_post"): posted,
        (EXPENSE, "action_submit"): becomes("submitted"),
        (EXPENSE, "action_approve"): becomes("approved"),
        (EXPENSE, "action_post"): action,
        (wizard, "get_view"): {
            "arch": "<form><button type='object' name='action_post_entry'/></form>"
        },
        (wizard, "default_get"): {},
        (wizard, "create"): [80],
        (wizard, "action_post_entry"): becomes("posted", **entry),
    }
    return odoo


def process(odoo: Scripted, **values: Any) -> ExpensesResult:
    return hr.process_expenses(odoo, **{"expenses": [20, 21], **values})


def sent(odoo: Scripted) -> list[str]:
    return [call.method for call in writes(odoo) if call.model in (EXPENSE, REPORT)]


@pytest.mark.parametrize("major", VERSIONS)
def test_expenses_go_together_as_far_as_asked(major: int) -> None:
    odoo = server(major)
    first = process(odoo, expenses=["lunch 20", 21])
    assert first.state == ("submitted" if major == 19 else "submit")
    assert (first.total_amount, first.currency) == (61.0, "EUR")
    if major < 19:
        assert contents(odoo.asked("create")[0]) == {
            "name": "Lunch 20",
            "employee_id": 1,
            "expense_line_ids": [[4, 20, 0], [4, 21, 0]],
        }
        assert first.report.id == 60
    odoo.sent.clear()
    last = process(odoo, until="post")
    assert last.state == ("posted" if major == 19 else "post")
    assert [entry.id for entry in last.entries] == [70]
    assert last.warnings == []
    old = "approve_expense_sheets" if major <= 16 else "action_approve_expense_sheets"
    post = "action_sheet_move_post" if major == 18 else "action_sheet_move_create"
    assert sent(odoo) == (["action_approve", "action_post"] if major == 19 else [old, post])
    with pytest.raises(StateError, match="is already"):
        process(odoo, until="post")
    plan = hr.process_expenses.plan(odoo, expenses=[20, 21], until="pay", journal="bank")
    assert "Would pay 2 expenses" in plan.message
    assert plan.message.endswith("Together 61.00 EUR. Paid from Bank.")
    done = process(odoo, until="pay", journal=7)
    assert done.state == ("paid" if major == 19 else "done")
    wizard = [c for c in odoo.asked("create") if c.model == "account.payment.register"]
    assert [contents(call) for call in wizard] == [{"journal_id": 7}]
    assert wizard[0].context["active_ids"] == [70]


def test_what_a_user_is_not_allowed_to_do_is_named_and_the_rest_stays() -> None:
    odoo = server(18)
    odoo.answers[REPORT, "action_approve_expense_sheets"] = AccessError("Not yours.")
    made = process(odoo, until="post")
    assert made.state == "submit"
    assert "not approved: Not yours." in made.warnings[0]
    with pytest.raises(AccessError, match="not allowed to approve expenses of Ann Ash"):
        process(odoo, until="post")


@pytest.mark.parametrize("major", [14, 18, 19])
@pytest.mark.parametrize(
    ("expenses", "words"),
    [
        ((spent(20), spent(21, employee_id=5)), "several employees: Ann Ash, Bo Birch"),
        ((spent(20), spent(21, employee_id=False)), "nobody"),
    ],
)
def test_expenses_of_several_people_are_refused(
    major: int, expenses: tuple[Any, ...], words: str
) -> None:
    odoo = server(major, *expenses)
    with pytest.raises(StateError, match=words):
        process(odoo)
    assert writes(odoo) == []


@pytest.mark.parametrize(
    ("expenses", "values", "words"),
    [
        ((spent(20), spent(21, state="refused")), {}, r"\(21\) has the state refused"),
        (
            (spent(20), spent(21, payment_mode="company_account")),
            {"until": "post"},
            "company has paid",
        ),
    ],
)
def test_what_cannot_go_on_is_refused(
    expenses: tuple[Any, ...], values: dict[str, Any], words: str
) -> None:
    odoo = server(19, *expenses)
    with pytest.raises(StateError, match=words):
        process(odoo, **values)
    assert writes(odoo) == []


def test_sums_are_of_one_currency() -> None:
    odoo = server(19, spent(20), spent(21, currency_id=2))
    assert "Together" not in hr.process_expenses.plan(odoo, expenses=[20, 21]).message
    assert process(odoo).total_amount is None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"until": "gift"}, "until cannot be 'gift'"),
        ({"until": "pay"}, "until='pay' requires a journal"),
        ({"journal": "Bank"}, "until='pay' requires a journal"),
        ({"until": "pay", "journal": 8}, "no bank or cash journal with id 8"),
        ({"until": "pay", "journal": "Sales"}, "Sales"),
        ({"expenses": []}, "at least one"),
        ({"expenses": [99]}, "99"),
        ({"expenses": ["Trip"]}, "Trip"),
        ({"report_name": "May"}, "no expense reports"),
    ],
)
def test_what_is_wrong_is_refused(values: dict[str, Any], words: str) -> None:
    odoo = server(19)
    with pytest.raises((ValidationError, NotFoundError), match=words):
        process(odoo, **values)
    assert writes(odoo) == []
