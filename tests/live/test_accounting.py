"""Invoices, bills, payments and credit notes, with Odoo's own figures."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import attrs
import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps.accounting import (
    Invoice,
    create_credit_note,
    create_invoice,
    get_invoice,
    post_invoice,
    register_payment,
)
from odoo_toolkit.call import Call
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooConnectionError,
    StateError,
    ValidationError,
)
from odoo_toolkit.plans import Plan
from odoo_toolkit.records.names import AmbiguousNameError

pytestmark = pytest.mark.recorded


@attrs.frozen(kw_only=True)
class Shop:
    """Records of our own: a customer, taxes of 15 and 5 percent, a taxed and an exempt product."""

    tag: str
    partner: int
    sale_tax: int
    purchase_tax: int
    product: int
    exempt: int


@pytest.fixture
def biller(odoo: Odoo) -> Odoo:
    """A user who may make invoices: the administrator, and to 14 the demo user too."""
    if not _may_invoice(odoo):
        pytest.skip("This user may not create invoices here.")
    return odoo


@pytest.fixture
def shop(admin: Odoo, suffix: str) -> Shop:
    tag = suffix

    def make(model: str, **values: object) -> int:
        created = records.create(admin, model, values).id
        assert created
        return created

    sale_tax = make("account.tax", name=f"S {tag}", amount=15.0, type_tax_use="sale")
    purchase_tax = make("account.tax", name=f"P {tag}", amount=5.0, type_tax_use="purchase")
    return Shop(
        tag=tag,
        partner=make("res.partner", name=f"Customer {tag}"),
        sale_tax=sale_tax,
        purchase_tax=purchase_tax,
        product=make(
            "product.product",
            name=f"Taxed {tag}",
            list_price=50.0,
            standard_price=30.0,
            taxes_id=[sale_tax],
            supplier_taxes_id=[purchase_tax],
        ),
        exempt=make("product.product", name=f"Exempt {tag}", list_price=7.0, taxes_id=[]),
    )


@pytest.fixture
def euro(admin: Odoo) -> Iterator[int]:
    """The id of the euro, which can be used for the time of the test."""
    domain = [["name", "=", "EUR"], ["active", "in", [True, False]]]
    (row,) = records.search_read(admin, "res.currency", domain, ["active"]).records
    records.write(admin, "res.currency", [row["id"]], {"active": True})
    yield row["id"]
    records.write(admin, "res.currency", [row["id"]], {"active": row["active"]})


def _may_invoice(odoo: Odoo) -> bool:
    answer = odoo.call(
        Call(
            model="account.move",
            method="check_access_rights",
            arguments={"operation": "create", "raise_exception": False},
        )
    )
    return bool(answer)


def _of(odoo: Odoo, invoice: int, *fields: str) -> dict[str, object]:
    return dict(records.read(odoo, "account.move", [invoice], list(fields))[0])


def _posted(odoo: Odoo, shop: Shop, price: float = 100.0) -> Invoice:
    made = create_invoice(
        odoo,
        partner_id=shop.partner,
        lines=[{"product_id": shop.product, "price_unit": price, "tax_ids": []}],
        post=True,
    )
    assert made.posted, made.warnings
    return made


def test_an_invoice_is_taxed_the_same_on_every_version(biller: Odoo, shop: Shop) -> None:
    """Product 2 x 50 + 15 %, exempt product 7, free text 10: 117 and 15, as Odoo has it."""
    made = create_invoice(
        biller,
        partner_name=f"Customer {shop.tag}",
        lines=[
            {"product_name": f"Taxed {shop.tag}", "quantity": 2},
            {"product_id": shop.exempt},
            {"name": "Text", "price_unit": 10},
        ],
    )
    assert (made.amount_untaxed, made.amount_tax, made.amount_total) == (117.0, 15.0, 132.0)
    assert (made.name, made.state, made.posted) == (None, "draft", False)
    assert "lines[1], lines[2]" in made.warnings[0]
    stored = _of(biller, made.id, "amount_total", "invoice_date", "partner_id")
    assert stored["amount_total"] == 132.0
    assert stored["invoice_date"] == made.invoice_date


def test_a_line_takes_the_taxes_it_is_told(biller: Odoo, shop: Shop) -> None:
    """Also on free text, and also none where the product has one."""
    made = create_invoice(
        biller,
        partner_id=shop.partner,
        lines=[
            {"name": "Text", "price_unit": 100, "tax_ids": [shop.sale_tax]},
            {"product_id": shop.product, "price_unit": 100, "tax_ids": []},
        ],
    )
    assert (made.amount_untaxed, made.amount_tax) == (200.0, 15.0)
    assert made.warnings == []


def test_a_bill_takes_cost_purchase_tax_and_todays_date(biller: Odoo, shop: Shop) -> None:
    made = create_invoice(
        biller,
        move_type="in_invoice",
        partner_id=shop.partner,
        lines=[{"product_id": shop.product, "quantity": 3, "price_unit": 30}],
        ref=uuid.uuid4().hex,
        post=True,
    )
    assert (made.state, made.amount_untaxed, made.amount_tax) == ("posted", 90.0, 4.5)
    assert made.invoice_date
    assert made.name


def test_an_invoice_is_paid_in_two_parts(biller: Odoo, shop: Shop) -> None:
    draft = create_invoice(biller, partner_id=shop.partner, lines=[{"product_id": shop.product}])
    with pytest.raises(StateError, match="not posted"):
        register_payment(biller, invoice_ids=[draft.id])
    posted = post_invoice(biller, invoice_id=draft.id)
    assert (posted.state, posted.amount_residual) == ("posted", 57.5)
    with pytest.raises(StateError, match="already posted"):
        post_invoice(biller, invoice_name=posted.name)
    part = register_payment(biller, invoice_ids=[draft.id], amount=20)
    assert [payment.amount for payment in part.payments] == [20.0]
    assert (part.invoices[0].payment_state, part.invoices[0].amount_residual) == ("partial", 37.5)
    rest = register_payment(biller, invoice_ids=[draft.id])
    assert [payment.amount for payment in rest.payments] == [37.5]
    assert rest.invoices[0].payment_state in ("paid", "in_payment")
    assert _of(biller, draft.id, "amount_residual")["amount_residual"] == 0.0
    with pytest.raises(StateError, match="no payment was registered"):
        register_payment(biller, invoice_ids=[draft.id])


def test_several_invoices_get_a_payment_each_or_one_together(biller: Odoo, shop: Shop) -> None:
    ids = [_posted(biller, shop).id, _posted(biller, shop, 40).id]
    each = register_payment(biller, invoice_ids=ids)
    assert sorted(payment.amount or 0 for payment in each.payments) == [40.0, 100.0]
    ids = [_posted(biller, shop).id, _posted(biller, shop, 40).id]
    together = register_payment(biller, invoice_ids=ids, amount=150)
    assert [payment.amount for payment in together.payments] == [150.0]
    assert [invoice.amount_residual for invoice in together.invoices] == [0.0, 0.0]
    assert "by 10.00 USD" in together.warnings[0]


def test_invoices_in_two_currencies_are_paid_each_in_its_own(
    biller: Odoo, shop: Shop, euro: int
) -> None:
    foreign = create_invoice(
        biller,
        partner_id=shop.partner,
        lines=[{"name": "Text", "price_unit": 40, "tax_ids": []}],
        currency_id=euro,
        post=True,
    )
    assert (foreign.posted, foreign.currency) == (True, "EUR"), foreign.warnings
    ids = [_posted(biller, shop).id, foreign.id]

    planned = register_payment(biller, invoice_ids=ids, dry_run=True)
    paid = register_payment(biller, invoice_ids=ids)

    assert isinstance(planned, Plan)
    assert "100.00 USD and 40.00 EUR" in planned.message
    amounts = {(payment.amount, payment.currency) for payment in paid.payments}
    assert amounts == {(100.0, "USD"), (40.0, "EUR")}
    assert {invoice.currency for invoice in paid.invoices} == {"USD", "EUR"}
    assert paid.message.endswith(". Nothing is left to pay.")


def test_money_in_and_money_out_are_not_paid_together(biller: Odoo, shop: Shop) -> None:
    bill = create_invoice(
        biller,
        move_type="in_invoice",
        partner_id=shop.partner,
        lines=[{"name": "Text", "price_unit": 5}],
        ref=uuid.uuid4().hex,
        post=True,
    )
    assert isinstance(bill, Invoice)
    of_shop = [["partner_id", "=", shop.partner]]
    before = records.count(biller, "account.payment", of_shop).count
    with pytest.raises(ValidationError, match="incoming payments"):
        register_payment(biller, invoice_ids=[_posted(biller, shop).id, bill.id])
    with pytest.raises(ValidationError, match="nosuch"):
        register_payment(biller, invoice_ids=[bill.id], payment_method="nosuch")
    sale = records.search_read(biller, "account.journal", [["type", "=", "sale"]], limit=1)[0]["id"]
    with pytest.raises(ValidationError, match="type sale"):
        register_payment(biller, invoice_ids=[bill.id], journal_id=sale)
    for amount in (0, -5, float("nan")):
        with pytest.raises(ValidationError, match="amount"):
            register_payment(biller, invoice_ids=[bill.id], amount=amount)
    assert records.count(biller, "account.payment", of_shop).count == before


@pytest.mark.parametrize("post", [False, True])
def test_a_posted_credit_note_settles_the_invoice(biller: Odoo, shop: Shop, post: bool) -> None:
    invoice = _posted(biller, shop)
    note = create_credit_note(biller, invoice_id=invoice.id, reason="Wrong", post=post)
    assert (note.move_type, note.amount_total) == ("out_refund", 100.0)
    assert note.state == ("posted" if post else "draft")
    origin = records.read(biller, "account.move", [note.id], ["reversed_entry_id"])[0]
    assert origin["reversed_entry_id"]["id"] == invoice.id
    expected = ("reversed", 0.0) if post else ("not_paid", 100.0)
    stored = _of(biller, invoice.id, "payment_state", "amount_residual")
    assert (stored["payment_state"], stored["amount_residual"]) == expected
    told = f"; 0.00 {invoice.currency} is still due of {invoice.name}"
    assert note.message.endswith(told) == post


def test_a_credit_note_of_some_lines_tells_what_is_still_due(biller: Odoo, shop: Shop) -> None:
    invoice = _posted(biller, shop)
    lines = [{"line_id": (get_invoice(biller, invoice_id=invoice.id).lines or [])[0].id}]
    lines[0]["quantity"] = 0.25
    note = create_credit_note(biller, invoice_id=invoice.id, lines=lines, post=True)
    assert isinstance(note, Invoice)
    left = _of(biller, invoice.id, "amount_residual")["amount_residual"]
    assert 0 < left < 100
    assert note.message.endswith(f"; {left:.2f} {invoice.currency} is still due of {invoice.name}")


@pytest.mark.every_version
def test_what_was_done_though_the_answer_was_lost_is_found(
    biller: Odoo, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Payments by what they have paid, a credit note by what it reverses."""
    losing = ["action_create_payments", "reverse_moves", "refund_moves", "action_post"]
    sent: list[str] = []
    send = Odoo.call

    def lose(odoo: Odoo, call: Call) -> object:
        answer = send(odoo, call)
        if call.method in losing or (call.model, call.method) == ("account.move", "create"):
            sent.append(call.method)
            raise OdooConnectionError("Lost.", outcome="maybe_applied")
        return answer

    invoices = [_posted(biller, shop), _posted(biller, shop, 40)]
    credited = _posted(biller, shop)
    monkeypatch.setattr(Odoo, "call", lose)
    part = register_payment(biller, invoice_ids=[invoices[0].id], amount=30)
    rest = register_payment(biller, invoice_ids=[invoice.id for invoice in invoices])
    note = create_credit_note(biller, invoice_id=credited.id, post=True)
    line = {"product_id": shop.product, "quantity": 2}
    made = create_invoice(biller, partner_id=shop.partner, lines=[line], post=True)

    old = biller.version.major < 17
    expected = {"action_create_payments": 2, "create": 1, "action_post": 2}
    expected["reverse_moves" if old else "refund_moves"] = 1
    assert {method: sent.count(method) for method in sent} == expected
    assert [payment.amount for payment in part.payments] == [30.0]
    assert sorted(payment.amount or 0 for payment in rest.payments) == [40.0, 70.0]
    assert (note.move_type, note.posted, note.amount_total) == ("out_refund", True, 100.0)
    assert (made.posted, made.amount_total) == (True, 115.0)
    for result in (part, rest, note, made):
        assert any("response was lost" in warning for warning in result.warnings)


def test_a_cancelled_invoice_is_not_posted(biller: Odoo, shop: Shop) -> None:
    """Odoo 14 to 16 would."""
    draft = create_invoice(biller, partner_id=shop.partner, lines=[{"name": "x", "price_unit": 1}])
    records.execute(biller, "account.move", "button_cancel", [[draft.id]])
    with pytest.raises(StateError, match="cancelled") as raised:
        post_invoice(biller, invoice_id=draft.id)
    assert raised.value.details["current_state"] == "cancel"
    assert _of(biller, draft.id, "state")["state"] == "cancel"


def test_bad_input_writes_nothing(biller: Odoo, shop: Shop) -> None:
    line = {"product_id": shop.product}
    of_shop = [["partner_id", "=", shop.partner]]
    before = records.count(biller, "account.move", of_shop).count
    with pytest.raises(ValidationError, match="lines is empty"):
        create_invoice(biller, partner_id=shop.partner, lines=[])
    with pytest.raises(ValidationError, match="neither a product nor a name"):
        create_invoice(biller, partner_id=shop.partner, lines=[{"quantity": 1}])
    with pytest.raises(ValidationError, match="Did you mean price_unit"):
        create_invoice(biller, partner_id=shop.partner, lines=[{**line, "price": 1}])
    with pytest.raises(NotFoundError):
        create_invoice(biller, partner_id=shop.partner, lines=[{"product_id": 2**30}])
    with pytest.raises(NotFoundError):
        create_invoice(biller, partner_name=uuid.uuid4().hex, lines=[line])
    with pytest.raises(AmbiguousNameError):
        create_invoice(biller, partner_id=shop.partner, lines=[{"product_name": shop.tag}])
    with pytest.raises(ValidationError, match="is for purchases"):
        create_invoice(
            biller, partner_id=shop.partner, lines=[{**line, "tax_ids": [shop.purchase_tax]}]
        )
    bank = records.search_read(biller, "account.journal", [["type", "=", "bank"]], limit=1)[0]["id"]
    with pytest.raises(ValidationError, match="this document needs sale"):
        create_invoice(biller, partner_id=shop.partner, lines=[line], journal_id=bank)
    planned = create_invoice(biller, partner_id=shop.partner, lines=[line], post=True, dry_run=True)
    assert [call.method for call in planned.calls] == ["create", "action_post"]
    assert records.count(biller, "account.move", of_shop).count == before


def test_an_invoice_that_cannot_be_posted_stays_as_a_draft(biller: Odoo, shop: Shop) -> None:
    """A negative total cannot be posted; the result has the draft and the reason."""
    made = create_invoice(
        biller, partner_id=shop.partner, lines=[{"name": "x", "price_unit": -5}], post=True
    )
    assert (made.state, made.posted) == ("draft", False)
    assert any("not posted" in warning for warning in made.warnings)


@pytest.mark.every_user
def test_a_journal_of_another_company_is_refused(biller: Odoo, shop: Shop) -> None:
    rows = records.search_read(biller, "account.journal", [["type", "=", "sale"]], ["company_id"])
    mine = records.read(biller, "res.users", [biller.uid], ["company_id"])[0]["company_id"]["id"]
    others = [row["id"] for row in rows if row["company_id"]["id"] != mine]
    if not others:
        pytest.skip("There is no second company with journals here.")
    with pytest.raises(ValidationError, match="belongs to the company"):
        create_invoice(biller, partner_id=shop.partner, lines=[{"name": "x"}], journal_id=others[0])


@pytest.mark.every_user
def test_a_user_who_may_not_is_told_so(odoo: Odoo, shop: Shop) -> None:
    if _may_invoice(odoo):
        pytest.skip("This user may create invoices here.")
    with pytest.raises(AccessError) as raised:
        create_invoice(odoo, partner_id=shop.partner, lines=[{"product_id": shop.product}])
    assert raised.value.code == "ACCESS_DENIED"
