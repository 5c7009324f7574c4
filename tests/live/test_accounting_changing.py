"""Drafts: their lines changed by product, booked on another day, and several posted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Odoo, history, records, undo
from odoo_toolkit.apps.accounting import (
    Invoice,
    PostPlan,
    PostResult,
    create_credit_note,
    create_invoice,
    get_invoice,
    post_invoice,
    post_invoices,
    reset_invoice,
    update_invoice,
)
from odoo_toolkit.change_history import History
from odoo_toolkit.errors import NotFoundError, OdooError, StateError, ValidationError
from odoo_toolkit.records.names import AmbiguousNameError
from tests.kit.live_tapes import Open
from tests.live.accounting_data import customer, kept, posted
from tests.live.products import stored

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]


@pytest.fixture
def products(admin: Odoo, suffix: str) -> list[str]:
    """The names of three products, the first of which has a tax of 10 per cent."""
    tax = {"name": f"T {suffix}", "amount": 10.0, "type_tax_use": "sale"}
    taxes = [records.create(admin, "account.tax", tax).id]
    names = [f"{what} {suffix}" for what in ("Desk", "Chair", "Lamp")]
    for name in names:
        values = {"name": name, "list_price": 50.0, "taxes_id": taxes, **stored(admin)}
        records.create(admin, "product.product", values)
        taxes = []
    return names


def _lines(odoo: Odoo, invoice: int) -> Any:
    row = records.read(odoo, "account.move", [invoice], ["invoice_line_ids", "amount_total"])[0]
    fields = ["name", "quantity", "price_unit", "discount"]
    domain = [["id", "in", row["invoice_line_ids"]]]
    found = records.search_read(odoo, "account.move.line", domain, fields, order="id").records
    return row["amount_total"], [tuple(line[name] for name in fields) for line in found]


def test_lines_are_changed_added_and_removed_by_their_products(
    admin: Odoo, suffix: str, products: list[str]
) -> None:
    """Taxes and the sum follow; undo brings back all but what was removed."""
    desk, chair, lamp = products
    made = create_invoice(
        admin,
        partner_id=customer(admin, suffix),
        lines=[{"product_name": desk, "quantity": 2}, {"product_name": chair}],
    )
    asked: dict[str, Any] = {
        "invoice_id": made.id,
        "change": [{"product_name": desk, "quantity": 3, "price_unit": 40, "discount": 25}],
        "remove": [chair],
        "add": [{"product_name": lamp, "price_unit": 8}],
    }
    before = _lines(admin, made.id)
    assert before[0] == 160.0
    plan = update_invoice(admin, **asked, dry_run=True)
    changes = [line.change and line.change.split()[0] for line in plan.documents[0].lines]
    assert changes == ["changed", "removed", "added"]
    assert _lines(admin, made.id) == before

    done = update_invoice(admin, **asked)
    assert (done.amount_untaxed, done.amount_total) == (98.0, 107.0)
    assert [(line.product.name, line.quantity) for line in done.lines or () if line.product] == [
        (desk, 3.0),
        (lamp, 1.0),
    ]
    posted = post_invoice(admin, invoice_id=made.id)
    assert (posted.posted, posted.amount_total) == (True, 107.0)


def test_changed_and_added_lines_are_undone(
    opened: Open, suffix: str, products: list[str], tmp_path: Path
) -> None:
    odoo = opened("admin", history=History(tmp_path / "history.sqlite"))
    desk, chair, _ = products
    made = create_invoice(odoo, partner_id=customer(odoo, suffix), lines=[{"product_name": desk}])
    before = _lines(odoo, made.id)
    update_invoice(
        odoo,
        invoice_id=made.id,
        change=[{"product_name": desk, "quantity": 4}],
        add=[{"product_name": chair}],
    )
    assert _lines(odoo, made.id)[0] == 270.0
    undone = undo(odoo, entry=history(odoo, limit=1)[0].id)
    assert undone.left == []
    assert _lines(odoo, made.id) == before


def test_what_does_not_name_one_line_of_a_draft_is_refused(
    admin: Odoo, suffix: str, products: list[str]
) -> None:
    desk, chair, lamp = products
    made = create_invoice(
        admin,
        partner_id=customer(admin, suffix),
        lines=[{"product_name": name} for name in (desk, desk, chair)],
    )
    before = _lines(admin, made.id)
    refused: list[tuple[dict[str, Any], type[OdooError], str]] = [
        ({"change": [{"product_name": desk, "quantity": 1}]}, ValidationError, "several lines"),
        ({"change": [{"product_name": lamp, "quantity": 1}]}, NotFoundError, "no line"),
        ({"remove": [lamp]}, NotFoundError, "no line"),
        ({"change": [{"line_id": 10**8, "quantity": 1}]}, ValidationError, "no line"),
        ({"change": [{"product_name": chair}]}, ValidationError, "no new values"),
        ({"change": [{"product_name": suffix, "quantity": 1}]}, AmbiguousNameError, "Several"),
        ({"add": [{"quantity": 1}]}, ValidationError, r"add\[0\]"),
        ({}, ValidationError, "nothing to change"),
    ]
    for values, error, words in refused:
        with pytest.raises(error, match=words) as raised:
            update_invoice(admin, invoice_id=made.id, **values)
        if "line" in words and words != "no line":
            ids = raised.value.details["lines"]
            assert len(ids) == 2
            assert all(str(number) in raised.value.suggestion for number in ids)
    assert _lines(admin, made.id) == before
    post_invoice(admin, invoice_id=made.id)
    with pytest.raises(StateError, match="only the lines of drafts"):
        update_invoice(admin, invoice_id=made.id, remove=[chair])


# On another day ---------------------------------------------------------------------------


@contextmanager
def closed_until(odoo: Odoo, day: str) -> Iterator[None]:
    """Close the company's books up to a day, for the time of a block."""
    user = records.read(odoo, "res.users", [odoo.uid], ["company_id"])[0]
    field, company = "fiscalyear_lock_date", [user["company_id"]["id"]]
    before = records.read(odoo, "res.company", company, [field])[0][field]
    records.write(odoo, "res.company", company, {field: day})
    try:
        yield
    finally:
        records.write(odoo, "res.company", company, {field: before})


@pytest.mark.parametrize("move_type", ["out_invoice", "in_invoice"])
def test_an_accounting_date_is_planned_kept_and_posted(
    admin: Odoo, suffix: str, move_type: Any
) -> None:
    """Also one between the invoice and a later day, of which Odoo has an idea of its own."""
    partner = customer(admin, suffix)
    line: Any = {"name": "x", "price_unit": 5, "tax_ids": []}
    asked: dict[str, Any] = {"partner_id": partner, "lines": [line], "move_type": move_type}
    asked |= {"invoice_date": "2024-02-10"}
    for day in ("2024-03-05", None):
        how = {**asked, "accounting_date": day, "ref": f"{suffix} {day}"}
        plan = create_invoice(admin, **how, dry_run=True)
        made = create_invoice(admin, **how)
        assert (plan.documents[0].date, made.invoice_date) == ("2024-02-10", "2024-02-10")
        assert plan.documents[0].accounting_date == made.date
        assert made.date == day or not day
        done = post_invoice(admin, invoice_id=made.id)
        assert (done.posted, done.date, done.warnings) == (True, made.date, [])
    for lines in ([{"product_name": "x", "quantity": 0.5}], None):
        credit: dict[str, Any] = {"invoice_id": made.id, "lines": lines, "allow_more": True}
        # 14 takes refunds of a vendor with one reference and date for the same.
        credit["reason"] = f"Reason {len(lines or ())}"
        credit |= {"date": "2024-03-06", "accounting_date": "2024-04-07", "post": True}
        plan = create_credit_note(admin, **credit, dry_run=True)
        note = create_credit_note(admin, **credit)
        days = (plan.documents[0].date, plan.documents[0].accounting_date)
        assert days == (note.invoice_date, note.date) == ("2024-03-06", "2024-04-07")
        assert (note.posted, note.warnings) == (True, [])


def test_an_accounting_date_in_a_closed_period_is_refused(admin: Odoo, suffix: str) -> None:
    """The day of the document itself may be closed."""
    partner = customer(admin, suffix)
    invoice, line = posted(admin, partner), {"name": "x", "price_unit": 5, "tax_ids": []}
    bill: dict[str, Any] = {"partner_id": partner, "lines": [line], "move_type": "in_invoice"}
    bill |= {"invoice_date": "2003-12-15", "ref": suffix}
    before = kept(admin, partner)
    with closed_until(admin, "2003-12-31"):
        for day, error in (
            (
                "2003-12-31",
                "accounting_date is 2003-12-31, but the books are closed up to 2003-12-31",
            ),
            ("31.12.2003", "accounting_date is not a date"),
        ):
            for dry_run in (True, False):
                how: dict[str, Any] = {"accounting_date": day, "dry_run": dry_run}
                acts: list[Callable[[], Any]] = [
                    lambda how=how: create_invoice(admin, **bill, **how),
                    lambda how=how: create_credit_note(admin, invoice_id=invoice.id, **how),
                ]
                for act in acts:
                    with pytest.raises(ValidationError, match=error):
                        act()
        assert kept(admin, partner) == before
        made = create_invoice(admin, **bill, accounting_date="2004-01-01", post=True)
        assert (made.invoice_date, made.date) == ("2003-12-15", "2004-01-01")
        assert made.posted
        assert [words for words in made.warnings if "due" not in words] == []


# Several, and by reference ---------------------------------------------------------------------


def test_drafts_are_posted_by_reference_and_undone_together(
    opened: Open, suffix: str, tmp_path: Path
) -> None:
    """A bill without a date stays a draft; the others are posted, and one undo takes all."""
    odoo = opened("admin", history=History(tmp_path / "history.sqlite"))
    partner, line = customer(odoo, suffix), {"name": "x", "price_unit": 5, "tax_ids": []}
    drafts = [
        create_invoice(
            odoo, partner_id=partner, lines=[line], move_type=kind, ref=f"{number} {suffix}"
        )
        for number, kind in enumerate(("out_invoice", "in_invoice", "in_invoice"))
    ]
    ids = [each.id for each in drafts if isinstance(each, Invoice)]
    references = [str(each.ref) for each in drafts if isinstance(each, Invoice)]
    records.write(odoo, "account.move", ids[2:], {"invoice_date": False})
    plan = post_invoices(odoo, invoices=references, dry_run=True)
    assert isinstance(plan, PostPlan)
    assert [document.id for document in plan.documents] == ids[:2]
    assert "date of the bill is missing" in plan.message

    done = post_invoices(odoo, invoices=references)
    assert isinstance(done, PostResult)
    assert [(each.id, each.posted) for each in done.invoices] == [(ids[0], True), (ids[1], True)]
    assert [(each.id, each.error["category"]) for each in done.rejected] == [(ids[2], "validation")]
    assert get_invoice(odoo, invoice_name=references[1]).id == ids[1]
    order = f"SO {suffix}"
    insist = {"allow_readonly": True}
    records.write(odoo, "account.move", ids[:1], {"invoice_origin": order}, context=insist)
    assert get_invoice(odoo, invoice_name=order).id == ids[0]
    records.write(odoo, "account.move", ids[2:], {"payment_reference": order})
    with pytest.raises(AmbiguousNameError) as raised:
        reset_invoice(odoo, invoice_name=order, dry_run=True)
    assert {match["id"] for match in raised.value.matches} == {ids[0], ids[2]}

    entry = next(each for each in history(odoo) if each.operation == "post_invoices")
    undo(odoo, entry=entry.id)
    states = records.read(odoo, "account.move", ids, ["state"]).records
    assert {row["state"] for row in states} == {"draft"}
