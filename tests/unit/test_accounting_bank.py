"""Bank lines: what each is matched with and why, what is asked, and what is booked."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import BankPlan, BankResult, match_bank_lines
from odoo_toolkit.apps.accounting.bank_matching import same_name
from odoo_toolkit.change_history import lost_answers
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError, ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.fake_bank import LINE, BankOffice
from tests.unit.operation_checks import writes

DAY = "2025-11-03"


@pytest.fixture(autouse=True)
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    lost_answers._creations.clear()


def line(amount: float, reference: str = "", partner: str = "", **more: Any) -> dict[str, Any]:
    return {"date": DAY, "amount": amount, "reference": reference, "partner": partner, **more}


def book(odoo: BankOffice, *lines: dict[str, Any], **options: Any) -> BankResult:
    made = match_bank_lines(odoo, lines=list(lines), **options)
    assert isinstance(made, BankResult)
    return made


def plan(odoo: BankOffice, *lines: dict[str, Any], **options: Any) -> BankPlan:
    before = len(writes(odoo))
    made = match_bank_lines(odoo, lines=list(lines), dry_run=True, **options)
    assert isinstance(made, BankPlan)
    assert len(writes(odoo)) == before
    return made


def test_an_amount_alone_is_not_enough() -> None:
    odoo = BankOffice()
    shown = plan(odoo, line(15.0, "thanks"), line(15.0, "rent", "Somebody Else"))
    assert [one.status for one in shown.lines] == ["ask", "ask"]
    assert "Only the amount fits" in shown.lines[0].reasons[0]
    (named,) = plan(odoo, line(15.0, "thanks", "Azure")).lines
    assert (named.status, named.items[0].document.name) == ("match", "INV/102")
    assert "The name matches Azure." in named.reasons


def test_several_invoices_of_one_partner_are_paid_by_one_line() -> None:
    odoo = BankOffice()
    (done,) = book(odoo, line(80.0, "INV/110 + INV/111")).lines
    assert done.payment_states == {"INV/110": "paid", "INV/111": "paid"}
    assert (odoo.open_of(11), odoo.open_of(12)) == (0.0, 0.0)
    (other,) = plan(BankOffice(), line(110.0, "INV/110 INV/103")).lines
    assert (other.status, "different partners" in other.reasons[0]) == ("ask", True)


def test_what_is_paid_in_part_stays_open_and_what_is_paid_too_much_is_asked() -> None:
    odoo = BankOffice()
    part, more = plan(odoo, line(30.0, "INV/103 part"), line(75.0, "INV/114")).lines
    assert (part.status, part.stays_open) == ("match", 40.0)
    assert (more.status, "but the amount is higher" in more.reasons[0]) == ("ask", True)
    done = book(odoo, line(30.0, "INV/103 part"), line(75.0, "INV/114", documents=[114])).lines
    assert [one.stays_open for one in done] == [40.0, -5.0]
    assert done[0].payment_states == {"INV/103": "partial"}
    assert (odoo.open_of(4), odoo.open_of(15)) == (40.0, 0.0)


def test_tolerance_counts_amounts_as_the_same() -> None:
    odoo = BankOffice()
    (one,) = plan(odoo, line(14.98, "thanks", "Azure")).lines
    assert one.status == "none"
    (one,) = plan(odoo, line(14.98, "thanks", "Azure"), tolerance=0.05).lines
    assert (one.status, one.stays_open) == ("match", 0.02)


def test_an_instalment_is_paid() -> None:
    """150 are open of it, in two parts."""
    (one,) = plan(BankOffice(), line(100.0, "INV/101")).lines
    assert (one.status, one.stays_open) == ("match", 50.0)
    assert "instalment" in one.reasons[1]


@pytest.mark.parametrize("major", [14, 19])
def test_calling_again_books_nothing_twice(major: int) -> None:
    odoo = BankOffice(major)
    book(odoo, line(70.0, "INV/103", "Silent"))
    before = len(writes(odoo))
    (again,) = book(odoo, line(70.0, "INV/103", "Silent")).lines
    assert (again.status, again.booked_before, again.line_id) == ("done", True, 1)
    assert "bank line 1 of Silent" in again.reasons[0]
    assert len(writes(odoo)) == before
    # The same words and amount of somebody else are another line.
    assert plan(odoo, line(70.0, "INV/103", "Azure")).lines[0].booked_before is False


def test_a_line_that_is_in_odoo_is_only_reconciled() -> None:
    odoo = BankOffice()
    number = odoo.line(70.0, "INV/103")
    (done,) = book(odoo, line(70.0, "INV/103")).lines
    assert (done.status, done.line_id, done.booked_before) == ("done", number, True)
    assert [call.method for call in writes(odoo)] == ["write", "reconcile"]
    assert len(odoo.server.records[LINE]) == 1


def test_what_fails_stops_its_line_only_and_says_how_to_go_on() -> None:
    odoo = BankOffice()
    failing: list[Any] = [ValidationError("The period is locked."), None]
    reconcile = odoo.answers["account.move.line", "reconcile"]

    def fail(call: Any) -> Any:
        error = failing.pop(0) if failing else None
        if error:
            raise error
        return reconcile(call)

    odoo.answers["account.move.line", "reconcile"] = fail
    lines = [line(70.0, "INV/103"), line(15.0, "INV/102")]
    first, second = book(odoo, *lines).lines
    assert (first.status, second.status) == ("failed", "done")
    assert first.error
    assert "period is locked" in first.error["message"]
    assert "(id 1) is booked but not reconciled" in first.warnings[0]
    assert [one.status for one in book(odoo, *lines).lines] == ["done", "done"]
    assert len(odoo.server.records[LINE]) == 2
    assert odoo.open_of(4) == 0.0


@pytest.mark.parametrize("method", ["create", "write", "reconcile"])
def test_no_answer_is_lost_for_good(method: str) -> None:
    odoo = BankOffice()
    odoo.server.lose_answer(method)
    (done,) = book(odoo, line(70.0, "INV/103")).lines
    if done.status == "failed":
        (done,) = book(odoo, line(70.0, "INV/103")).lines
    assert done.status == "done"
    assert len(odoo.server.records[LINE]) == 1
    assert odoo.open_of(4) == 0.0


def test_other_currencies_are_refused() -> None:
    (euro,) = plan(BankOffice(), line(30.0, "INV/113")).lines
    assert (euro.status, "is in EUR, but the line is in USD" in euro.reasons[0]) == ("none", True)
    with pytest.raises(ValidationError, match="is in EUR, but the journal Bank is in USD"):
        book(BankOffice(), line(30.0, "INV/113", currency="eur"))
    with pytest.raises(ValidationError, match="foreign currency"):
        book(BankOffice(currency=1), line(30.0, "INV/113"))


@pytest.mark.parametrize(
    ("lines", "error", "match"),
    [
        ([], OdooError, "lines is empty"),
        ([{"amount": 1.0}], ValidationError, "has no date"),
        ([{"date": DAY}], ValidationError, "has no amount"),
        ([line(0.0)], ValidationError, "is 0"),
        ([{**line(1.0), "date": "3.11."}], ValidationError, "not a date"),
        ([{**line(1.0), "text": "x"}], ValidationError, "unknown key"),
        ([line(1.0, "a"), line(1.0, "a")], ValidationError, "are the same"),
        ([line(1.0, documents=[999])], OdooError, "999"),
        ([line(1.0, documents=["INV"])], AmbiguousNameError, "INV"),
        ([line(1.0, documents=["NO/1"])], NotFoundError, "NO/1"),
    ],
)
def test_bad_input_books_nothing(lines: Any, error: type[OdooError], match: str) -> None:
    odoo = BankOffice()
    if match == "999":
        (one,) = match_bank_lines(odoo, lines=lines).lines
        assert (one.status, "999" in one.reasons[0]) == ("none", True)
    else:
        with pytest.raises(error, match=match):
            match_bank_lines(odoo, lines=lines)
    assert writes(odoo) == []


def test_rights_and_policy() -> None:
    odoo = BankOffice(may=False)
    planned = plan(odoo, line(70.0, "INV/103"))
    assert "cannot book bank lines" in planned.message
    assert (planned.rejected, planned.calls, planned.undo) == (True, [], None)
    with pytest.raises(AccessError, match="cannot book"):
        book(odoo, line(70.0, "INV/103"))
    assert writes(odoo) == []
    for policy in (Policy(mode="readonly"), Policy(model_blocklist=LINE)):
        odoo = BankOffice(policy=policy)
        with pytest.raises(AccessError):
            book(odoo, line(70.0, "INV/103"))
        assert odoo.sent == []
    with pytest.raises(AccessError):
        book(BankOffice(groups=()), line(70.0, "INV/103"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("AZURE INTERIOR GMBH", "Azure Interior", True),
        ("Müller, Anna", "Anna Muller", True),
        ("Azure Interiors", "Azure Interior", True),
        ("Azure", "Brown", False),
        ("GmbH", "Azure GmbH", False),
        ("", "Azure", False),
    ],
)
def test_names_are_compared_as_people_do(one: str, other: str, same: bool) -> None:
    assert same_name(one, other) is same


@pytest.mark.parametrize("major", [14, 15, 16, 19])
def test_the_plan_has_each_match_and_its_calls(major: int) -> None:
    odoo = BankOffice(major)
    lines = [line(70.0, "INV/103"), line(-55.0, "v 2025/9"), line(1.0, "nothing")]
    shown = plan(odoo, *lines)
    assert (
        shown.message
        == "Would book and reconcile 15.00 USD. 3 lines: 2 matched, 1 without a match."
    )
    assert (shown.currency, shown.journal.name) == ("USD", "Bank")
    assert [one.status for one in shown.lines] == ["match", "match", "none"]
    assert shown.lines[1].items[0].document.name == "BILL/7"
    made = [(call.model, call.method) for call in shown.calls]
    book(odoo, *lines)
    assert made == [(call.model, call.method) for call in writes(odoo)]
    for planned, call in zip(shown.calls, writes(odoo), strict=True):
        if call.method in ("create", "write"):
            assert planned.arguments == dict(call.arguments)
