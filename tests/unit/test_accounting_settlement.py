"""Crediting lines, applying credits, resetting, writing off, and entries, on every version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from odoo_toolkit.apps.accounting import (
    Invoice,
    create_credit_note,
    create_entry,
    get_invoice,
    post_invoice,
    reconcile,
    register_payment,
    reset_invoice,
)
from odoo_toolkit.errors import AccessError, NotFoundError, StateError, ValidationError
from odoo_toolkit.records.names import AmbiguousNameError
from tests.unit.fake_accounting import POSTED
from tests.unit.fake_books import Ledger, item
from tests.unit.operation_checks import (
    check_plan_is_the_run,
    check_seen_when_lost,
    check_told_when_lost,
    writes,
)

VERSIONS = range(14, 20)
DAY = "2025-02-03"

#: 4 Alpha at 25, 1 Desk at 15, no taxes.
INVOICE = {**POSTED, "invoice_line_ids": [1, 4], "reversed_entry_id": False, "date": DAY}
LINES = [
    item(1, 14, -100.0, DAY, move_id=7, quantity=4.0, price_unit=25.0, price_total=100.0)
    | {"name": "Alpha", "tax_ids": []},
    item(4, 14, -15.0, DAY, move_id=7, quantity=1.0, price_unit=15.0, price_total=15.0)
    | {"name": "Office desk", "product_id": 3, "tax_ids": [1]},
    item(2, 11, 115.0, DAY, move_id=7, partner_id=9, date_maturity=DAY),
]
#: What is open of the same customer, and of another one.
OPEN = [
    item(31, 11, -40.0, DAY, move_id=8, partner_id=9),
    item(32, 11, -20.0, DAY, move_id=9, partner_id=9),
    item(33, 11, -60.0, DAY, move_id=10, partner_id=10),
    item(34, 10, -70.0, DAY, move_id=8, partner_id=9),
    item(35, 11, -80.0, DAY, move_id=8, partner_id=9, company_id=2),
]
OTHERS = [
    {**INVOICE, "id": 8, "name": "PAY/8", "display_name": "PAY/8 (INV/3)", "move_type": "entry"},
    {**INVOICE, "id": 9, "name": "RINV/9", "display_name": "RINV/9", "move_type": "out_refund"},
    {**INVOICE, "id": 10, "name": "PAY/10", "display_name": "PAY/10", "move_type": "entry"},
]
ENTRY: list[dict[str, Any]] = [
    {"account_name": "600000", "debit": 12.5, "name": "One"},
    {"account_id": 14, "credit": 10, "partner_id": 9},
    {"account_name": "Sales", "credit": 2.5},
]


#: What is on the invoice: two instalments' worth of one payment, one of a credit note.
PARTIALS = [
    {"debit_move_id": debit, "credit_move_id": credit, "amount": amount, "max_date": DAY}
    | {"debit_amount_currency": amount, "credit_amount_currency": amount}
    for debit, credit, amount in ((2, 31, 25.0), (5, 31, 15.0), (2, 32, 20.0))
]


def _settled(major: int = 19, **invoice: Any) -> Ledger:
    """Return books in which 60 of the 115 are settled."""
    second = item(5, 11, 15.0, DAY, move_id=7, partner_id=9)
    invoice = {"amount_residual": 55.0, "payment_state": "partial", **invoice}
    moves = [{**INVOICE, **invoice}, *({**other, "invoice_line_ids": []} for other in OTHERS)]
    return Ledger(major, [*LINES, *OPEN, second], moves=moves, partials=PARTIALS)


def _books(major: int = 19, **invoice: Any) -> Ledger:
    moves = [{**INVOICE, **invoice}, *({**other, "invoice_line_ids": []} for other in OTHERS)]
    return Ledger(major, [*LINES, *OPEN], moves=moves)


def _credit(odoo: Ledger, **more: Any) -> Any:
    lines = [{"product_name": "alpha", "quantity": 3}, {"line_id": 4}]
    return create_credit_note(odoo, **{"invoice_id": 7, "lines": lines, "date": DAY, **more})


OPERATIONS: dict[str, Callable[..., Any]] = {
    "credit": lambda odoo, **more: _credit(odoo, post=True, **more),
    "reconcile": lambda odoo, **more: reconcile(odoo, invoice_id=7, line_id=31, **more),
    "reset": lambda odoo, **more: reset_invoice(odoo, invoice_id=7, **more),
    "cancel": lambda odoo, **more: reset_invoice(odoo, invoice_id=7, to="cancel", **more),
    "entry": lambda odoo, **more: create_entry(odoo, lines=ENTRY, date=DAY, post=True, **more),
}


@pytest.mark.parametrize("major", [14, 19])
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("credit", "create"),
        ("credit", "action_post"),
        ("reconcile", "js_assign_outstanding_line"),
        ("reset", "button_draft"),
        ("cancel", "button_draft"),
        ("cancel", "button_cancel"),
        ("entry", "create"),
        ("entry", "action_post"),
    ],
)
def test_what_was_done_though_the_answer_was_lost_is_seen(
    name: str, method: str, major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_seen_when_lost(_books(major), method, OPERATIONS[name], monkeypatch)


@pytest.mark.parametrize("major", VERSIONS)
def test_lines_are_credited_as_they_were_invoiced(major: int) -> None:
    odoo = _books(major)
    note = _credit(odoo, post=True, reason="Broken")
    assert isinstance(note, Invoice)
    (values,) = odoo.asked("create")[0].arguments["vals_list"]
    assert values["move_type"] == "out_refund"
    assert (values["reversed_entry_id"], values["journal_id"], values["partner_id"]) == (7, 1, 9)
    assert values["ref"] == "Reversal of: INV/1, Broken"
    lines = [command[2] for command in values["invoice_line_ids"]]
    assert [(line["quantity"], line["price_unit"], line["tax_ids"]) for line in lines] == [
        (3, 25.0, [[6, 0, []]]),
        (1.0, 15.0, [[6, 0, [1]]]),
    ]
    assert lines[1]["product_id"] == 3
    # From 17 on, posting it settles the invoice.
    settled = odoo.asked("js_assign_outstanding_line")
    assert [call.arguments for call in settled] == ([{"line_id": 2}] if major < 17 else [])


@pytest.mark.parametrize(
    ("lines", "error", "text"),
    [
        ([{"product_name": "Alpha", "quantity": 4.5}], ValidationError, "4 of Alpha were"),
        ([{"product_name": "desk"}, {"line_id": 4}], ValidationError, "another entry"),
        ([{"product_name": "chair"}], NotFoundError, "no line 'chair'"),
        ([{"line_id": 31}], NotFoundError, "no line '31'"),
        ([{"line_id": 1, "product_name": "Alpha"}], ValidationError, "one line"),
        ([{"line_id": 1, "price": 3}], ValidationError, "unknown key"),
        ([{"line_id": 1, "quantity": 0}], ValidationError, "more than 0"),
        ([], ValidationError, "lines is empty"),
    ],
)
def test_lines_that_cannot_be_credited_write_nothing(lines: Any, error: Any, text: str) -> None:
    odoo = _books()
    with pytest.raises(error, match=text):
        _credit(odoo, lines=lines)
    assert writes(odoo) == []


def test_a_name_of_several_lines_has_to_be_chosen() -> None:
    odoo = _books()
    odoo.row("account.move.line", 4)["name"] = "Alpha two"
    odoo.row("account.move.line", 4)["product_id"] = False
    with pytest.raises(AmbiguousNameError) as raised:
        _credit(odoo, lines=[{"product_name": "alph"}])
    assert raised.value.field == "lines[0].line_id"
    assert [match["id"] for match in raised.value.matches] == [1, 4]
    assert isinstance(_credit(odoo, lines=[{"product_name": "ALPHA"}]), Invoice)


def test_more_than_is_left_is_credited_only_when_said_so() -> None:
    odoo = _books()
    _credit(odoo, lines=[{"line_id": 1}])
    note = odoo.server.records["account.move"][-1]
    note["amount_total"] = 100.0
    for lines in (None, [{"line_id": 1, "quantity": 1}]):
        with pytest.raises(ValidationError, match="left to credit"):
            create_credit_note(odoo, invoice_id=7, lines=lines)
    assert len(odoo.asked("create")) == 1
    again = _credit(odoo, lines=[{"line_id": 1, "quantity": 1}], allow_more=True)
    assert isinstance(again, Invoice)
    # A cancelled one does not count.
    note["state"] = "cancel"
    odoo.server.records["account.move"][-1]["state"] = "cancel"
    assert isinstance(_credit(odoo), Invoice)


@pytest.mark.parametrize("major", VERSIONS)
def test_an_open_credit_is_found_by_id_or_name(major: int) -> None:
    odoo = _books(major)
    shown = get_invoice(odoo, invoice_id=7)
    opened = [(credit.line_id, credit.name, credit.amount) for credit in shown.open_credits or ()]
    assert opened == [(31, "PAY/8", 40.0), (32, "RINV/9", 20.0)]
    with pytest.raises(AmbiguousNameError) as raised:
        reconcile(odoo, invoice_id=7)
    assert [match["id"] for match in raised.value.matches] == [31, 32]
    applied = reconcile(odoo, invoice_name="INV/1", credit_name="RINV/9")
    assert isinstance(applied, Invoice)
    assert applied.message == "Applied RINV/9 to INV/1: 95.00 USD is still due."
    assert [call.arguments["line_id"] for call in odoo.asked("js_assign_outstanding_line")] == [32]
    # One is left, and needs no name.
    assert isinstance(reconcile(odoo, invoice_id=7), Invoice)


@pytest.mark.parametrize(
    ("invoice", "arguments", "error", "text"),
    [
        ({"state": "draft"}, {}, StateError, "is draft"),
        ({"amount_residual": 0.0}, {}, StateError, "INV/1 has no open amount"),
        ({}, {"line_id": 33}, NotFoundError, "no open 33"),
        ({}, {"line_id": 34}, NotFoundError, "no open 34"),
        ({}, {"credit_name": "PAY/10"}, NotFoundError, "no open PAY/10"),
        ({}, {"line_id": 31, "credit_name": "PAY/8"}, ValidationError, "either"),
        ({"commercial_partner_id": 10, "move_type": "out_refund"}, {}, NotFoundError, "no open"),
    ],
)
def test_what_cannot_be_applied_writes_nothing(
    invoice: Any, arguments: Any, error: Any, text: str
) -> None:
    odoo = _books(**invoice)
    with pytest.raises(error, match=text):
        reconcile(odoo, invoice_id=7, **arguments)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_what_is_on_an_invoice_is_taken_off(major: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A payment with all that it has settled; by number, by item, or everything."""

    def off(odoo: Ledger, **named: Any) -> Any:
        return reconcile(odoo, invoice_id=7, undo="one", **named)

    odoo = _settled(major)
    assert [(p.name, p.amount) for p in get_invoice(odoo, invoice_id=7).payments or ()] == [
        ("PAY/8", 25.0),
        ("PAY/8", 15.0),
        ("RINV/9", 20.0),
    ]
    with pytest.raises(AmbiguousNameError) as raised:
        off(odoo)
    assert [match["id"] for match in raised.value.matches] == [31, 32]
    odoo.sent.clear()
    taken = off(odoo, credit_name="PAY/8")
    assert [call.arguments for call in writes(odoo)] == [{"partial_id": 1}, {"partial_id": 2}]
    assert len(odoo.sent) == 6
    assert taken.message == "Took PAY/8 off INV/1: 95.00 USD is still due."
    odoo.sent.clear()
    # One is left, and needs no name.
    assert off(odoo).message == "Took RINV/9 off INV/1: 115.00 USD is still due."
    assert len(odoo.sent) == 5
    with pytest.raises(StateError, match="No payment or credit note is reconciled with INV/1"):
        off(odoo)

    assert off(_settled(major), line_id=32).amount_residual == 75.0
    everything = reconcile(_settled(major), invoice_id=7, undo="all")
    assert isinstance(everything, Invoice)
    assert everything.message == "Took PAY/8, RINV/9 off INV/1: 115.00 USD is still due."

    def one(odoo: Ledger, **more: Any) -> Any:
        return off(odoo, line_id=32, **more)

    method = "js_remove_outstanding_partial"
    check_plan_is_the_run(_settled(major), one)
    assert check_seen_when_lost(_settled(major), method, one, monkeypatch).amount_residual == 75.0
    error = check_told_when_lost(_settled(major), method, one, monkeypatch)
    assert "safe" in error.suggestion


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"line_id": 33}, NotFoundError, "33 is not reconciled with INV/1"),
        ({"credit_name": "PAY/10"}, NotFoundError, "PAY/10 is not reconciled with INV/1"),
        ({"credit_name": ""}, NotFoundError, "is not reconciled with INV/1"),
        ({"undo": "all", "credit_name": "PAY/8"}, ValidationError, "removes every credit"),
        ({"undo": "both"}, ValidationError, "undo cannot be 'both'"),
        ({"line_id": 31, "credit_name": "PAY/8"}, ValidationError, "either"),
        ({"invoice_id": 8}, NotFoundError, "no invoice or bill with id 8"),
    ],
)
def test_what_is_not_on_the_invoice_is_not_taken_off(arguments: Any, error: Any, text: str) -> None:
    """Odoo itself would take off what another invoice is reconciled with."""
    odoo = _settled()
    strange = {**PARTIALS[0], "id": 4, "debit_move_id": 33, "credit_move_id": 35}
    odoo.server.records["account.partial.reconcile"].append(strange)
    with pytest.raises(error, match=text):
        reconcile(odoo, **{"invoice_id": 7, "undo": "one", **arguments})
    assert writes(odoo) == []


def test_what_a_salesperson_may_not_see_is_told() -> None:
    odoo = _settled()
    items = odoo.server.records["account.move.line"]
    items.remove(odoo.row("account.move.line", 31))
    shown = get_invoice(odoo, invoice_id=7)
    assert [paid.name for paid in shown.payments or ()] == ["RINV/9"]
    (warning,) = shown.warnings
    assert warning.startswith(
        "This user cannot see all open items, or the records that paid 40.00 USD"
    )
    for named in ({"undo": "all"}, {"undo": "one", "credit_name": "RINV/9"}):
        with pytest.raises(
            AccessError, match="cannot see everything that is reconciled with INV/1"
        ):
            reconcile(odoo, invoice_id=7, **named)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_what_odoo_booked_under_another_day_is_told(major: int) -> None:
    """From 15 on, it moves what is before a lock date; an invoice keeps its own date."""
    odoo = _books(major, state="draft", name="/")

    def post(call: Any) -> None:
        odoo._become(call, "posted", name="INV/7", date="2025-04-01")

    odoo.answers["account.move", "action_post"] = post
    made = post_invoice(odoo, invoice_id=7)
    assert isinstance(made, Invoice)
    assert made.warnings == [f"Odoo booked it on 2025-04-01, not {DAY}: check the lock dates."]


@pytest.mark.parametrize("major", [14, 19])
def test_an_invoice_is_shown_in_few_calls(major: int) -> None:
    odoo = _books(major)
    reconcile(odoo, invoice_id=7, line_id=31)
    odoo.server.records["account.partial.reconcile"][0]["debit_amount_currency"] = 40.0
    odoo.row("account.partial.reconcile", 1)["debit_move_id"] = 2
    odoo.sent.clear()
    shown = get_invoice(odoo, invoice_id=7)
    # The last one names the taxes.
    assert len(odoo.sent) == 7
    assert [(line.name, line.quantity) for line in shown.lines or ()] == [
        ("Alpha", 4.0),
        ("Office desk", 1.0),
    ]
    assert [(paid.move_id, paid.name, paid.amount) for paid in shown.payments or ()] == [
        (8, "PAY/8", 40.0)
    ]
    assert shown.amount_residual == 75.0
    short = get_invoice(odoo, invoice_id=7, line_limit=0)
    assert (short.lines, short.line_count) == (None, 2)


@pytest.mark.parametrize(
    ("invoice", "to", "text"),
    [
        ({"state": "draft"}, "draft", "already a draft"),
        ({"state": "cancel"}, "cancel", "already cancelled"),
    ],
)
def test_what_is_so_already_is_not_reset(invoice: Any, to: Any, text: str) -> None:
    odoo = _books(**invoice)
    with pytest.raises(StateError, match=text):
        reset_invoice(odoo, invoice_id=7, to=to)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", [14, 17, 18, 19])
def test_the_entry_of_a_payment_is_left_to_it(major: int) -> None:
    owner = "payment_id" if major < 18 else "origin_payment_id"
    odoo = _books(major, **{"move_type": "entry", owner: 5})
    odoo.server.records["account.payment"].append({"id": 5, "name": "PAY/5"})
    with pytest.raises(StateError, match="belongs to the payment PAY/5"):
        reset_invoice(odoo, invoice_id=7)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_the_accounts_of_an_entry_are_found_by_name_or_code(major: int) -> None:
    odoo = _books(major)
    made = create_entry(odoo, lines=ENTRY, date=DAY, ref="Moved")
    assert (made.posted, made.ref, made.date, made.warnings) == (False, "Moved", DAY, [])
    (values,) = odoo.asked("create")[0].arguments["vals_list"]
    assert (values["move_type"], values["journal_id"]) == ("entry", 9)
    assert [command[2] for command in values["line_ids"]] == [
        {"account_id": 15, "name": "One", "debit": 12.5},
        {"account_id": 14, "partner_id": 9, "credit": 10},
        {"account_id": 14, "credit": 2.5},
    ]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([ENTRY[0], {"account_id": 14}], "either a debit"),
        ([ENTRY[0], {"account_id": 14, "credit": "x"}], "number"),
    ],
)
def test_an_entry_that_is_wrong_writes_nothing(lines: Any, text: str) -> None:
    odoo = _books()
    with pytest.raises(ValidationError, match=text):
        create_entry(odoo, lines=lines, post=True)
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_the_rest_of_a_payment_is_written_off(major: int) -> None:
    odoo = _books(major)
    plan = register_payment(
        odoo,
        invoice_ids=[7],
        amount=110,
        writeoff_account="600000",
        writeoff_label="Rounding",
        journal_id=6,
        dry_run=True,
    )
    values = plan.calls[0].arguments["vals_list"]
    values = values[0] if isinstance(values, list) else values
    assert values["payment_difference_handling"] == "reconcile"
    assert (values["writeoff_account_id"], values["writeoff_label"]) == (15, "Rounding")
    for wrong in ({"invoice_ids": [7, 8], "amount": 1}, {"invoice_ids": [7]}):
        with pytest.raises(ValidationError, match="exactly one invoice"):
            register_payment(odoo, **wrong, writeoff_account="600000")
    with pytest.raises(NotFoundError):
        register_payment(odoo, invoice_ids=[7], amount=1, writeoff_account="Nil")
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_differences_of_exchange_rates_are_no_payments(major: int) -> None:
    """To 15 the entry is found by what is settled in full, later by what is settled in part."""
    odoo = _settled(major)
    first, *_, last = odoo.server.records["account.partial.reconcile"]
    if major < 16:
        odoo.server.records["account.full.reconcile"] = [{"id": 1, "exchange_move_id": 9}]
        last["full_reconcile_id"] = 1
    else:
        first["exchange_move_id"] = 9
    shown = get_invoice(odoo, invoice_id=7)
    assert [paid.name for paid in shown.payments or ()] == ["PAY/8", "PAY/8"]
    # Odoo itself takes it back with the payment.
    taken = reconcile(odoo, invoice_id=7, undo="all")
    assert isinstance(taken, Invoice)
    assert [call.arguments["partial_id"] for call in writes(odoo)] == [1, 2]
