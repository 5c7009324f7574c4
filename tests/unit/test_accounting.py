"""Invoices and payments on every version, from the shapes that servers answered with."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.apps.accounting import (
    create_credit_note,
    create_invoice,
    post_invoice,
    register_payment,
)
from odoo_toolkit.apps.accounting.invoices import Invoice, PaymentResult
from odoo_toolkit.errors import (
    AccessError,
    OdooConnectionError,
    OdooError,
    StateError,
    ValidationError,
)
from odoo_toolkit.operations.plans import Plan
from odoo_toolkit.policy import Policy
from tests.unit.fake_business import FakeOdoo

VERSIONS = range(14, 20)


def _move(**values: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "name": "/",
        "move_type": "out_invoice",
        "state": "draft",
        "payment_state": "not_paid",
        "partner_id": [9, "Azure"],
        "commercial_partner_id": [9, "Azure"],
        "company_id": [1, "My Company"],
        "currency_id": [2, "USD"],
        "invoice_date": "2025-02-03",
        "amount_untaxed": 100.0,
        "amount_tax": 15.0,
        "amount_total": 115.0,
        "amount_residual": 115.0,
        "journal_id": [1, "Sales"],
        "invoice_line_ids": [1],
        **values,
    }


def _rows(*rows: dict[str, Any]) -> Any:
    by_id = {row["id"]: row for row in rows}
    return lambda call: [by_id[number] for number in call.ids if number in by_id]


PRODUCT = {
    "id": 3,
    "display_name": "Desk",
    "taxes_id": [1, 99],
    "supplier_taxes_id": [2],
    "lst_price": 50.0,
    "standard_price": 30.0,
    "uom_id": [1, "Units"],
}
EXEMPT = {**PRODUCT, "id": 4, "taxes_id": []}


def _shop(major: int, **more: Any) -> FakeOdoo:
    answers: dict[tuple[str, str], Any] = {
        ("res.users", "read"): [{"id": 2, "company_id": [1, "My Company"]}],
        ("product.product", "read"): _rows(PRODUCT, EXEMPT),
        # The tax 99 is another company's.
        ("account.tax", "search_read"): [
            {"id": 1, "name": "15%", "type_tax_use": "sale"},
        ],
        ("account.move", "onchange"): {
            "value": {
                "invoice_payment_term_id": [4, "30 Days"],
                "fiscal_position_id": [5, "Abroad"],
            }
        },
        ("account.fiscal.position.tax", "search_read"): [
            {"id": 1, "tax_src_id": [1, "15%"], "tax_dest_id": [8, "0%"]}
        ],
        ("account.move", "create"): [7] if major == 19 else 7,
        ("account.move", "action_post"): "account.move(7,)" if major == 14 else False,
        ("account.move", "read"): _rows(_move(name="/" if major < 18 else False)),
    }
    return FakeOdoo(
        major,
        {"account.payment.register": (), "account.move.reversal": ()},
        {**answers, **more.get("answers", {})},
        more.get("policy"),
    )


LINES: list[dict[str, Any]] = [
    {"product_id": 3, "quantity": 2},
    {"product_id": 4},
    {"name": "Text", "price_unit": 10},
    {"product_id": 3, "tax_ids": [1]},
]


@pytest.mark.parametrize("major", VERSIONS)
def test_taxes_are_the_products_on_every_version(major: int) -> None:
    """To 15 all is sent; from 16 on what Odoo computes rightly is left to it, the rest sent."""
    fake = _shop(major)
    made = create_invoice(fake.odoo, partner_id=9, lines=LINES)
    assert isinstance(made, Invoice)
    assert made.name is None
    (values,) = fake.asked("create")[0].arguments["vals_list"]
    lines = [command[2] for command in values["invoice_line_ids"]]
    none, told = [[6, 0, []]], [[6, 0, [1]]]
    if major < 16:
        assert [line["tax_ids"] for line in lines] == [[[6, 0, [8]]], none, none, told]
        assert [line["price_unit"] for line in lines] == [50.0, 50.0, 10, 50.0]
        assert [line.get("product_uom_id") for line in lines] == [1, 1, None, 1]
        assert (values["invoice_payment_term_id"], values["fiscal_position_id"]) == (4, 5)
    else:
        assert [line.get("tax_ids") for line in lines] == [None, none, none, told]
        assert "price_unit" not in lines[0]
        assert "fiscal_position_id" not in values
    assert "lines[1], lines[2]" in made.warnings[0]


@pytest.mark.parametrize(("major", "most"), [(14, 7), (19, 5)])
def test_an_invoice_costs_few_calls(major: int, most: int) -> None:
    fake = _shop(major)
    create_invoice(fake.odoo, partner_id=9, lines=LINES * 20)
    assert len(fake.calls) == most


def test_to_15_a_price_in_another_currency_has_to_be_given() -> None:
    fake = _shop(15)
    with pytest.raises(ValidationError, match="price_unit"):
        create_invoice(fake.odoo, partner_id=9, lines=LINES, currency_id=1)
    assert not fake.asked("create")


@pytest.mark.parametrize("policy", [Policy(mode="readonly"), Policy(mode="restricted")])
def test_the_policy_stops_it_before_the_first_call(policy: Policy) -> None:
    fake = _shop(19, policy=policy)
    for action in (
        lambda: create_invoice(fake.odoo, partner_name="Azure", lines=LINES),
        lambda: post_invoice(fake.odoo, invoice_name="INV/1"),
        lambda: register_payment(fake.odoo, invoice_ids=[7]),
        lambda: create_credit_note(fake.odoo, invoice_name="INV/1"),
    ):
        with pytest.raises(AccessError) as raised:
            action()
        assert raised.value.code == "MODE_VIOLATION"
    assert fake.calls == []


def test_a_dry_run_writes_nothing() -> None:
    fake = _shop(19)
    planned = create_invoice(fake.odoo, partner_id=9, lines=LINES, post=True, dry_run=True)
    assert isinstance(planned, Plan)
    assert [(call.method, call.ids) for call in planned.calls] == [
        ("create", []),
        ("action_post", ["the new invoice"]),
    ]
    assert {call.access for call in fake.calls} == {"read"}


@pytest.mark.parametrize(
    "error",
    [
        ValidationError("A line has no account."),
        OdooConnectionError("Gone.", outcome="maybe_applied"),
    ],
)
def test_what_was_created_is_told_though_posting_fails(error: OdooError) -> None:
    fake = _shop(19, answers={("account.move", "action_post"): error})
    made = create_invoice(fake.odoo, partner_id=9, lines=LINES[:1], post=True)
    assert isinstance(made, Invoice)
    assert (made.id, made.posted) == (7, False)
    assert error.message in made.warnings[-1]


def test_what_was_created_is_told_though_it_cannot_be_read_back() -> None:
    gone = OdooConnectionError("Gone.")
    fake = _shop(19, answers={("account.move", "read"): gone})
    made = create_invoice(fake.odoo, partner_id=9, lines=LINES[:1])
    assert isinstance(made, Invoice)
    assert (made.id, made.state) == (7, None)
    assert "could not be read back" in made.warnings[-1]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"state": "posted", "name": "INV/1"}, "already posted"),
        ({"state": "cancel"}, "cancelled"),
        ({"invoice_line_ids": []}, "no lines"),
        ({"partner_id": False}, "no customer"),
        ({"move_type": "in_invoice", "invoice_date": False}, "date of the bill"),
    ],
)
def test_obstacles_to_posting_are_explained(values: dict[str, Any], error: str) -> None:
    fake = _shop(14, answers={("account.move", "read"): _rows(_move(**values))})
    with pytest.raises(OdooError, match=error):
        post_invoice(fake.odoo, invoice_id=7)
    assert not fake.asked("action_post")


def _bank(
    major: int,
    *moves: dict[str, Any],
    paid: list[dict[str, Any]] | None = None,
    left: tuple[dict[str, Any], ...] = (),
) -> FakeOdoo:
    register = ("payment_method_id",) if major == 14 else ("payment_method_line_id",)
    journal = {"id": 6, "name": "Bank", "type": "bank", "company_id": [1, "My Company"]}
    if major == 14:
        journal |= {"inbound_payment_method_ids": [1], "outbound_payment_method_ids": [2]}
    methods = [{"id": 1, "code": "manual"}]
    paid = paid or [_payment(5, 115.0, state="posted" if major < 18 else "paid")]
    found = [["id", "in", [payment["id"] for payment in paid]]]
    action = {"type": "ir.actions.act_window", "res_model": "account.payment", "domain": found}
    shown = [*moves]

    def pay(call: Any) -> dict[str, Any]:
        shown[:] = left or moves
        return action

    return FakeOdoo(
        major,
        {"account.payment.register": register},
        {
            ("account.move", "read"): lambda call: _rows(*shown)(call),
            ("account.journal", "search_read"): [journal],
            ("account.payment.method", "search_read"): methods,
            ("account.payment.method.line", "search_read"): methods,
            ("account.payment.register", "default_get"): {},
            ("account.payment.register", "create"): 11,
            ("account.payment.register", "action_create_payments"): pay,
            ("account.payment", "read"): paid,
        },
    )


def _payment(number: int, amount: float, **values: Any) -> dict[str, Any]:
    row = {"id": number, "name": f"P{number}", "state": "paid", "amount": amount}
    return {**row, "currency_id": [2, "USD"], **values}


POSTED = _move(name="INV/1", state="posted")
IN_EUROS = {**POSTED, "id": 8, "name": "INV/2", "currency_id": [1, "EUR"], "amount_residual": 40.0}


@pytest.mark.parametrize("major", VERSIONS)
def test_the_payment_method_goes_where_the_version_has_it(major: int) -> None:
    fake = _bank(major, POSTED)
    paid = register_payment(fake.odoo, invoice_ids=[7, 7], amount=115)
    assert isinstance(paid, PaymentResult)
    (create,) = fake.asked("create")
    values = create.arguments["vals_list"]
    field = "payment_method_id" if major == 14 else "payment_method_line_id"
    assert values[field] == 1
    assert (values["journal_id"], values["amount"], values["currency_id"]) == (6, 115, 2)
    assert create.context["active_ids"] == [7]
    assert "group_payment" not in values
    assert [payment.id for payment in paid.payments] == [5]
    assert len(fake.calls) == 8


def test_a_dry_run_does_not_add_euros_to_dollars() -> None:
    third = {**POSTED, "id": 9, "name": "INV/3", "amount_residual": 5.5}
    fake = _bank(19, POSTED, IN_EUROS, third)
    planned = register_payment(fake.odoo, invoice_ids=[7, 8, 9], dry_run=True)
    assert isinstance(planned, Plan)
    assert planned.message.startswith("Would register 120.50 USD and 40.00 EUR for INV/1")
    planned = register_payment(fake.odoo, invoice_ids=[7], amount=50, dry_run=True)
    assert planned.message == "Would register 50.00 USD for INV/1."


def test_what_was_paid_and_what_is_left_is_told_by_currency() -> None:
    paid = [_payment(5, 100.0), _payment(6, 40.0, currency_id=[1, "EUR"])]
    left = ({**POSTED, "amount_residual": 15.0}, {**IN_EUROS, "amount_residual": 0.0})
    fake = _bank(19, POSTED, IN_EUROS, paid=paid, left=left)
    result = register_payment(fake.odoo, invoice_ids=[7, 8])
    assert isinstance(result, PaymentResult)
    assert result.message == "Registered 100.00 USD and 40.00 EUR; 15.00 USD is still due."
    assert [payment.currency for payment in result.payments] == ["USD", "EUR"]
    assert [(i.currency, i.amount_residual) for i in result.invoices] == [
        ("USD", 15.0),
        ("EUR", 0.0),
    ]


def test_more_than_is_due_is_told_with_its_currency() -> None:
    result = register_payment(_bank(19, POSTED).odoo, invoice_ids=[7], amount=120)
    assert isinstance(result, PaymentResult)
    assert "5.00 USD more than was due" in result.warnings[0]


@pytest.mark.parametrize(
    ("moves", "options", "error"),
    [
        ([_move()], {}, "not posted"),
        ([_move(state="cancel")], {}, "cancelled"),
        ([{**POSTED, "payment_state": "paid"}], {}, "is paid"),
        ([{**POSTED, "payment_state": "in_payment"}], {}, "in payment"),
        ([{**POSTED, "amount_residual": 0.0}], {}, "nothing left"),
        ([{**POSTED, "move_type": "entry"}], {}, "no invoice"),
        ([POSTED, {**POSTED, "id": 8, "move_type": "in_invoice"}], {}, "money in"),
        ([POSTED, {**POSTED, "id": 8, "company_id": [2, "Other"]}], {}, "different companies"),
        (
            [POSTED, {**POSTED, "id": 8, "commercial_partner_id": [10, "Other"]}],
            {"amount": 5},
            "one partner",
        ),
        ([POSTED], {"amount": 0}, "more than 0"),
        ([POSTED], {"payment_method": "sepa"}, "sepa"),
        ([POSTED], {"payment_date": "soon"}, "payment_date"),
    ],
)
def test_what_cannot_be_paid_is_refused(
    moves: list[dict[str, Any]], options: dict[str, Any], error: str
) -> None:
    """Odoo 18 and 19 would take drafts; all versions would take an amount of 0."""
    fake = _bank(19, *moves)
    with pytest.raises((StateError, ValidationError), match=error):
        register_payment(fake.odoo, invoice_ids=[move["id"] for move in moves], **options)
    assert {call.access for call in fake.calls} <= {"read"}


@pytest.mark.parametrize("major", VERSIONS)
@pytest.mark.parametrize("post", [False, True])
def test_a_credit_note_names_journal_and_method_by_version(major: int, post: bool) -> None:
    old = major < 17
    note = _move(id=20, move_type="out_refund", state="posted" if post else "draft")
    action = {"type": "ir.actions.act_window", "res_model": "account.move", "res_id": 20}
    model = "account.move.reversal"
    fake = FakeOdoo(
        major,
        {model: ("refund_method", "date_mode") if old else ()},
        {
            ("account.move", "read"): _rows(POSTED, note),
            ("account.move", "action_post"): False,
            (model, "default_get"): {},
            (model, "create"): 11,
            (model, "reverse_moves" if old else "refund_moves"): action,
        },
    )
    made = create_credit_note(fake.odoo, invoice_id=7, post=post)
    assert isinstance(made, Invoice)
    assert made.id == 20
    values = fake.asked("create")[0].arguments["vals_list"]
    assert values["journal_id"] == 1
    # To 16 the wizard itself posts and settles; from 17 on posting the note settles.
    assert values.get("refund_method") == (("cancel" if post else "refund") if old else None)
    assert len(fake.asked("action_post")) == (1 if post and not old else 0)
