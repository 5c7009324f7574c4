"""What a row says is stored, whatever Odoo computes of it; what Odoo moves is told and undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from odoo_toolkit import Connection, Odoo, ValidationError, history, undo
from odoo_toolkit.apps import accounting, inventory, purchase, sales
from odoo_toolkit.change_history import History
from odoo_toolkit.records import (
    create,
    create_many,
    execute,
    read,
    search_read,
    upsert,
    write,
    write_many,
)
from tests.kit.live_tapes import Open
from tests.live.products import stored

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]


@pytest.fixture
def kept(opened: Open, tmp_path: Path) -> Connection:
    """The administrator, with a journal."""
    return opened("admin", history=History(tmp_path / "history.sqlite"))


@attrs.frozen
class Case:
    """A field that Odoo computes of others: ``moved`` of ``changed``, from a version on."""

    model: str
    make: Callable[[Odoo, str], int]
    changed: Callable[[Odoo, str], Mapping[str, Any]]
    moved: str
    #: The first version where a write of the one moves the other.
    since: int = 14
    until: int = 19


def _made(model: str, **values: Any) -> Callable[[Odoo, str], int]:
    def make(odoo: Odoo, suffix: str) -> int:
        filled = {n: v.format(suffix) if isinstance(v, str) else v for n, v in values.items()}
        return create(odoo, model, filled).id

    return make


def _customer(odoo: Odoo, suffix: str) -> int:
    return create(odoo, "res.partner", {"name": f"Customer {suffix}"}).id


def _other_customer(odoo: Odoo, suffix: str) -> dict[str, Any]:
    """Return a customer with an address, an e-mail and a payment term of its own."""
    (term,) = search_read(odoo, "account.payment.term", [], ["id"], limit=1).records
    values = {
        "name": f"Other {suffix}",
        "email": f"other-{suffix}@example.com",
        "property_payment_term_id": term["id"],
    }
    return {"partner_id": create(odoo, "res.partner", values).id}


def _product(odoo: Odoo, suffix: str) -> int:
    values = {"name": f"Bolt {suffix}", "list_price": 100.0, "standard_price": 50.0}
    return create(odoo, "product.product", values).id


def _order_line(model: str, parent: str, quantity: str) -> Callable[[Odoo, str], int]:
    def make(odoo: Odoo, suffix: str) -> int:
        partner, product = _customer(odoo, suffix), _product(odoo, suffix)
        # Of purchases Odoo only computes the price that a vendor's list has.
        vendor = "partner_id" if odoo.version.major >= 16 else "name"
        listed = {vendor: partner, "price": 50.0}
        write(odoo, "product.product", [product], {"seller_ids": [[0, 0, listed]]})
        line = {"product_id": product, quantity: 2, "price_unit": 12.34}
        values = {"partner_id": partner, "order_line": [[0, 0, line]]}
        order = create(odoo, parent, values).id
        (row,) = read(odoo, parent, [order], ["order_line"]).records
        return int(row["order_line"][0])

    return make


def _order(odoo: Odoo, suffix: str) -> int:
    return create(odoo, "sale.order", {"partner_id": _customer(odoo, suffix)}).id


def _invoice(odoo: Odoo, suffix: str) -> int:
    values = {"move_type": "out_invoice", "partner_id": _customer(odoo, suffix)}
    return create(odoo, "account.move", values).id


def _contact(odoo: Odoo, suffix: str) -> int:
    return create(odoo, "res.partner", {"name": f"Contact {suffix}", "street": "Own 1"}).id


def _company(odoo: Odoo, suffix: str) -> dict[str, Any]:
    values = {"name": f"Company {suffix}", "is_company": True, "street": "Its 2"}
    return {"parent_id": create(odoo, "res.partner", values).id}


CASES = {
    "price of a sales line": Case(
        "sale.order.line",
        _order_line("sale.order.line", "sale.order", "product_uom_qty"),
        lambda odoo, suffix: {"product_uom_qty": 5.0},
        "price_unit",
        since=16,
    ),
    "price of a purchase line": Case(
        "purchase.order.line",
        _order_line("purchase.order.line", "purchase.order", "product_qty"),
        lambda odoo, suffix: {"product_qty": 5.0},
        "price_unit",
        since=16,
    ),
    "term of an order": Case("sale.order", _order, _other_customer, "payment_term_id", since=16),
    "term of an invoice": Case(
        "account.move", _invoice, _other_customer, "invoice_payment_term_id", since=16
    ),
    "e-mail of a lead": Case(
        "crm.lead",
        _made("crm.lead", name="Lead {}", email_from="own-{}@example.com", type="opportunity"),
        _other_customer,
        "email_from",
    ),
    "job title of an employee": Case(
        "hr.employee",
        _made("hr.employee", name="Worker {}", job_title="Boss"),
        lambda odoo, suffix: {"job_id": create(odoo, "hr.job", {"name": f"Job {suffix}"}).id},
        "job_title",
        until=18,
    ),
    "address of a contact": Case("res.partner", _contact, _company, "street"),
}


def _case(name: str, odoo: Odoo) -> tuple[Case, bool]:
    case = CASES[name]
    return case, case.since <= odoo.version.major <= case.until


def _values(odoo: Odoo, case: Case, number: int) -> dict[str, Any]:
    (row,) = read(odoo, case.model, [number], [case.moved]).records
    return {case.moved: row[case.moved]}


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row that was read, as it is imported: a many2one by its id."""
    return {n: v["id"] if isinstance(v, dict) else v for n, v in row.items()}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", ["upsert", "write_many", "together", "whole"])
def test_a_row_is_stored_whole(admin: Odoo, suffix: str, name: str, way: str) -> None:
    case, _ = _case(name, admin)
    numbers = [case.make(admin, f"{suffix}{place}") for place in range(1 if "_" in way else 3)]
    before = [_flat(_values(admin, case, number)) for number in numbers]
    rows = [
        {".id": number, **case.changed(admin, f"{suffix}{place}"), **held}
        for place, (number, held) in enumerate(zip(numbers, before, strict=True))
    ]
    if way == "upsert":
        result = upsert(admin, case.model, rows, key=".id")
    else:
        result = write_many(admin, case.model, rows, all_or_nothing=way == "whole")
    if way == "whole" and name == "address of a contact":
        # Written by the model itself, and not computed: only a second request could set it back.
        assert [one.field for one in result.differences] == ["street"]
        return
    assert (result.failed, result.interrupted, result.differences) == ([], None, [])
    stored = [_flat(_values(admin, case, number)) for number in numbers]
    assert stored == before
    again = upsert(admin, case.model, rows, key=".id")
    assert (again.unchanged, again.updated) == (len(rows), 0)


@pytest.mark.parametrize("name", CASES)
def test_what_a_write_moves_is_told_and_taken_back(
    kept: Connection, suffix: str, name: str
) -> None:
    case, moves = _case(name, kept)
    number = case.make(kept, suffix)
    changed = case.changed(kept, suffix)
    asked = [*changed, case.moved]
    (before,) = read(kept, case.model, [number], asked).records
    told = [text for text in write(kept, case.model, [number], changed).warnings if "→" in text]
    (moved,) = read(kept, case.model, [number], asked).records
    assert (moved[case.moved] != before[case.moved]) is moves
    assert any(f"{case.moved} " in text for text in told) is moves
    result = undo(kept, entry=history(kept, limit=1)[0].id)
    assert result.left == []
    assert read(kept, case.model, [number], asked).records == [before]


def test_a_line_that_a_command_moves_is_told_and_taken_back(kept: Connection, suffix: str) -> None:
    case, moves = _case("price of a sales line", kept)
    line = case.make(kept, suffix)
    asked = ["product_uom_qty", "price_unit", "order_id"]
    (before,) = read(kept, case.model, [line], asked).records
    commands = {"order_line": [[1, line, {"product_uom_qty": 7}]]}
    done = write(kept, "sale.order", [before["order_id"]["id"]], commands)
    assert any("price_unit 12.34 → 100.0" in text for text in done.warnings) is moves
    assert undo(kept, entry=history(kept, limit=1)[0].id).left == []
    assert read(kept, case.model, [line], asked).records == [before]


def test_what_execute_and_an_import_move_is_taken_back(kept: Connection, suffix: str) -> None:
    case, _ = _case("price of a sales line", kept)
    asked = ["product_uom_qty", "price_unit"]
    lines = [case.make(kept, f"{suffix}{place}") for place in range(2)]
    before = read(kept, case.model, lines, asked).records
    rows = [{".id": line, "product_uom_qty": 5 + place} for place, line in enumerate(lines)]
    for change in (
        lambda: execute(kept, case.model, "write", [lines, {"product_uom_qty": 9}]),
        lambda: write_many(kept, case.model, rows),
    ):
        change()
        assert undo(kept, entry=history(kept, limit=1)[0].id).left == []
        assert read(kept, case.model, lines, asked).records == before


def test_undo_leaves_a_price_that_another_user_set_since(
    kept: Connection, admin: Odoo, suffix: str
) -> None:
    """The old quantity would have Odoo compute the price again."""
    case, _ = _case("price of a sales line", kept)
    line = case.make(kept, suffix)
    write(kept, case.model, [line], {"product_uom_qty": 9, "price_unit": 20.0})
    entry = history(kept, limit=1)[0].id
    write(admin, case.model, [line], {"price_unit": 33.0})
    undo(kept, entry=entry, partial=True)
    (row,) = read(kept, case.model, [line], ["product_uom_qty", "price_unit"]).records
    assert (row["product_uom_qty"], row["price_unit"]) == (2.0, 33.0)


@pytest.mark.parametrize("way", ["create_many", "upsert", "external id", "existing"])
def test_a_contact_keeps_the_address_of_its_row_beside_its_company(
    admin: Odoo, suffix: str, way: str
) -> None:
    """Odoo copies the company's as soon as the link is written, also onto a new contact."""
    company = {"name": f"Co {suffix}", "is_company": True, "street": "Its 2", "zip": "9000"}
    parent = create(admin, "res.partner", company).id
    row = {"name": f"Cy {suffix}", "parent_id": parent, "street": "Own 1", "zip": "8000"}
    if way == "create_many":
        result = create_many(admin, "res.partner", [row])
    elif way == "external id":
        row["parent_id/.id"] = row.pop("parent_id")
        result = upsert(admin, "res.partner", [{"id": f"__import__.c_{suffix}", **row}], key="id")
    else:
        if way == "existing":
            create(admin, "res.partner", {"name": row["name"]})
        result = upsert(admin, "res.partner", [row], key="name")
    ids = [number for number in result.ids if number]
    (stored,) = read(admin, "res.partner", ids, ["street", "zip"]).records
    given = {"id": ids[0], "street": "Own 1", "zip": "8000"}
    # On 19 the address of a contact is its company's.
    same = stored == given or sorted(one.field for one in result.differences) == ["street", "zip"]
    assert result.failed == []
    assert same if admin.version.major >= 19 else stored == given
    assert bool(result.differences) is (stored != given)


def test_a_row_that_another_row_moves_is_written_again(admin: Odoo, suffix: str) -> None:
    """A company's address goes to its contacts, also to one whose row was as it is."""
    company = create(admin, "res.partner", {"name": f"Co {suffix}", "is_company": True}).id
    write(admin, "res.partner", [company], {"street": "Old 1", "city": "Gent"})
    contact = create(admin, "res.partner", {"name": f"Cy {suffix}", "parent_id": company}).id
    rows = [{"id": company, "street": "New 2"}, {"id": contact, "street": "Old 1"}]
    result = write_many(admin, "res.partner", rows)
    stored = [row["street"] for row in read(admin, "res.partner", [company, contact], ["street"])]
    if admin.version.major >= 19:
        # There an address of a contact is its company's, too: both cannot be.
        assert [one.field for one in result.differences] == ["street"]
    else:
        assert stored == ["New 2", "Old 1"]
        assert result.differences == []


def test_operations_tell_what_odoo_rounds(admin: Odoo, suffix: str) -> None:
    """On Odoo 19 prices have as many decimals as are given; quantities have two."""
    rounds = admin.version.major < 19
    customer, product = _customer(admin, suffix), _product(admin, suffix)
    lines: Any = [{"product_id": product, "quantity": 3000, "price_unit": 0.3333}]
    for act in (sales.create_order, purchase.create_order, accounting.create_invoice):
        done: Any = act(admin, partner_id=customer, lines=lines)
        told = [text for text in done.warnings if "price_unit: 0.3333 became 0.33" in text]
        assert bool(told) is rounds, act
        planned: Any = act(admin, partner_id=customer, lines=lines, dry_run=True)
        assert any("0.3333 becomes 0.33" in text for text in planned.warnings) is rounds, act
    many: Any = [{"product_id": product, "quantity": 2.125}]
    order: Any = sales.create_order(admin, partner_id=customer, lines=many)
    assert any("product_uom_qty: 2.125 became 2.13" in text for text in order.warnings)


def test_a_quantity_of_which_nothing_would_be_kept_is_refused(admin: Odoo, suffix: str) -> None:
    customer, product = _customer(admin, suffix), _product(admin, suffix)
    lines: Any = [{"product_id": product, "quantity": 0.001}]
    for act, model in (
        (sales.create_order, "sale.order"),
        (purchase.create_order, "purchase.order"),
        (accounting.create_invoice, "account.move"),
    ):
        with pytest.raises(ValidationError, match="Odoo would store") as caught:
            act(admin, partner_id=customer, lines=lines)
        assert caught.value.outcome == "not_sent"
        assert search_read(admin, model, [["partner_id", "=", customer]], ["id"]).records == []


def test_an_amount_below_the_smallest_coin_is_refused(admin: Odoo, suffix: str) -> None:
    """Odoo takes it, and makes an entry, a payment or an expense of nothing."""
    accounts = [row["id"] for row in search_read(admin, "account.account", [], ["id"], limit=2)]
    lines: Any = [
        {"account_id": account, side: 0.001}
        for account, side in zip(accounts, ("debit", "credit"), strict=True)
    ]
    invoiced: Any = [{"product_id": _product(admin, suffix), "quantity": 1, "price_unit": 50.0}]
    customer = _customer(admin, suffix)
    invoice = accounting.create_invoice(admin, partner_id=customer, lines=invoiced, post=True)
    for dry_run in (True, False):
        for act in (
            lambda dry: accounting.create_entry(admin, lines=lines, dry_run=dry),
            lambda dry: accounting.register_payment(
                admin, invoice_ids=[invoice.id], amount=0.001, dry_run=dry
            ),
        ):
            with pytest.raises(ValidationError, match="Odoo would store") as caught:
                act(dry_run)
            assert caught.value.outcome == "not_sent"
    paid: Any = accounting.register_payment(admin, invoice_ids=[invoice.id], amount=10.005)
    assert paid.payments[0].amount == 10.01
    assert "amount: 10.005 becomes 10.01, because Odoo stores 2 decimals." in paid.warnings


def test_what_is_scrapped_is_what_has_left_the_stock(admin: Odoo, suffix: str) -> None:
    product = create(admin, "product.product", {"name": f"Bolt {suffix}", **stored(admin)}).id
    inventory.adjust_stock(admin, product_id=product, quantity=10)
    gone: Any = inventory.scrap_product(admin, product_id=product, quantity=1.23456)
    assert (gone.quantity, gone.left) == (1.23, 8.77)
    assert gone.warnings == ["quantity: 1.23456 becomes 1.23, because Odoo stores 2 decimals."]


def test_lines_of_a_creation_are_compared_too(admin: Odoo, suffix: str, tmp_path: Path) -> None:
    line = {"product_id": _product(admin, suffix), "product_uom_qty": 2.125}
    values = {"partner_id": _customer(admin, suffix), "order_line": [[0, 0, line]]}
    made = create(admin, "sale.order", values)
    assert [one.field for one in made.differences] == ["order_line.product_uom_qty"]
