"""Reminders of overdue invoices: who gets one, about what, and who does not, and why."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import RemindersPlan, RemindersResult, send_reminders
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.errors import AccessError, NotFoundError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.values.plain_text import written_text
from tests.unit.dunning import Dunning, invoice, owed
from tests.unit.fake_books import item
from tests.unit.operation_checks import writes


def send(odoo: Dunning, **options: Any) -> RemindersResult:
    sent = send_reminders(odoo, **options)
    assert isinstance(sent, RemindersResult)
    return sent


def plan(odoo: Dunning, **options: Any) -> RemindersPlan:
    shown = send_reminders(odoo, **options, dry_run=True)
    assert isinstance(shown, RemindersPlan)
    assert writes(odoo) == []
    return shown


def why(shown: RemindersPlan | RemindersResult) -> dict[str | None, str]:
    return {one.customer.name: one.reason for one in shown.not_sent}


@pytest.mark.parametrize("major", [14, 19])
def test_the_plan_is_the_run(major: int) -> None:
    odoo = Dunning(major)
    shown = plan(odoo)
    assert shown.message.startswith("Would remind 1 customer of 115.00 USD.")
    (planned,) = shown.reminders
    assert ([one.name for one in planned.followers], planned.status) == (["Follower"], None)
    (sent,) = send(odoo).reminders
    assert (planned.subject, planned.body, planned.invoices) == (
        sent.subject,
        sent.body,
        sent.invoices,
    )
    # The text is in the plan once, with its reminder; all else of the calls is as it is sent.
    told = [(call.model, call.method, call.arguments) for call in shown.calls]
    run = [(call.model, call.method, dict(call.arguments)) for call in writes(odoo)]
    assert told[0][2]["vals_list"]["body"] == "the body of reminders[0]"
    written = run[0][2]["vals_list"]["body"]
    assert written == written_text(odoo.schema.fields("mail.message")["body"], planned.body)
    values = {**told[0][2]["vals_list"], "body": written}
    assert [(*told[0][:2], {**told[0][2], "vals_list": values}), *told[1:]] == run


def test_a_contact_stands_for_its_company() -> None:
    shown = plan(Dunning(), partners=["Ann"])
    assert [one.customer.name for one in shown.reminders] == ["Azure"]


def test_credits_that_cover_it_keep_the_reminder_back() -> None:
    credit = item(8, 11, -115.0, "2025-10-01", partner_id=9, move_id=108)
    refund = invoice(108, 9, move_type="out_refund")
    shown = plan(Dunning(more=[credit], moves=[refund]))
    assert "Open credits of 115.00 USD cover it (INV/108)" in why(shown)["Azure"]
    less = {**credit, "amount_residual": -20.0, "amount_residual_currency": -20.0}
    (one,) = plan(Dunning(more=[less], moves=[refund])).reminders
    assert "Open credits of 20.00 USD are not applied" in one.warnings[0]


def test_min_days_and_limit() -> None:
    assert plan(Dunning(), min_days=100_000).reminders == []
    more = owed(8, 105, 13, 40.0, "2025-01-01")
    shown = plan(Dunning(more=[more], moves=[invoice(105, 13)]), limit=1)
    assert [one.customer.name for one in shown.reminders] == ["Bob"]
    assert len(shown.omitted) == 2
    assert all("Beyond the limit of 1 customer: " in one.reason for one in shown.omitted)
    assert "The limit excludes 2 customers more." in shown.message


def test_own_words_are_filled_in() -> None:
    subject, body = "To {customer}: pay", "Hello {customer},\n{total} < expected"
    odoo = Dunning()
    (one,) = send(odoo, subject=subject, body=body).reminders
    assert one.subject == odoo.form["subject"] == "To Azure: pay"
    assert one.body.startswith("Hello Azure,\n115.00 USD < expected\n\nINV/101")
    assert "&lt; expected" in odoo.form["body"]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"body": "  "}, "body is empty"),
        ({"body": "{{ object.name }}"}, "placeholder"),
        ({"subject": "For {name}"}, "unknown placeholder"),
        ({"subject": "{invoices}"}, "one line"),
        ({"min_days": 0}, "min_days"),
        ({"limit": 0}, "limit"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(options: Any, match: str) -> None:
    odoo = Dunning()
    with pytest.raises(ValidationError, match=match):
        send_reminders(odoo, **options)
    assert odoo.sent == []


def test_who_is_not_there_is_not_reminded() -> None:
    with pytest.raises(NotFoundError):
        send_reminders(Dunning(), partners=[99])
    with pytest.raises(AccessError, match="all journal items"):
        send_reminders(Dunning(groups=()))


def test_nobody_gets_the_same_reminder_twice_in_a_day() -> None:
    odoo = Dunning()
    send(odoo)
    repeated = send(odoo)
    assert (repeated.reminders, len(odoo.server.records["mail.message"])) == ([], 1)
    assert "Got this reminder already" in why(repeated)["Azure"]
    assert [one.status for one in send(odoo, again=True).reminders] == ["sent"]
    assert [one.status for one in send(odoo, subject="Last reminder").reminders] == ["sent"]


def test_a_lost_answer_is_looked_for_and_never_sent_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    odoo = Dunning()
    odoo.server.lose_answer("action_send_mail")
    (one,) = send(odoo).reminders
    assert (one.status, one.warnings) == ("sent", [lost_answers.SEEN])
    odoo = Dunning(more=[owed(8, 105, 13, 4.0, "2025-01-01")], moves=[invoice(105, 13)])
    odoo.server.lose_answer("action_send_mail", applied=False)
    result = send(odoo)
    assert [(one.customer.name, one.status) for one in result.reminders] == [("Bob", None)]
    assert result.reminders[0].error
    assert "Not tried" in why(result)["Azure"]


def test_the_policy_is_asked_before_the_first_call() -> None:
    for policy in (Policy(mode="readonly"), Policy(model_blocklist="account.move")):
        odoo = Dunning(policy=policy)
        with pytest.raises(AccessError):
            send_reminders(odoo)
        assert odoo.sent == []
