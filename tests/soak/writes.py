"""The writes of the soak: each says what it claims to have done, and where that can be counted."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TypedDict

import attrs

from odoo_toolkit import Odoo, create, unlink, write
from odoo_toolkit.apps import accounting, crm, sales
from odoo_toolkit.errors import OdooError

#: How often a write with a key is made at most until it is known to be done.
REPEATS = 6


class Key(TypedDict, total=False):
    """The key of a write, if it has one."""

    key: str


@attrs.define(kw_only=True)
class Claim:
    """What came of one write.

    Attributes:
        kind: which write.
        count: SQL that counts what it was to bring about; ``expected`` when it was applied.
        told: ``done``, ``maybe`` or ``not done``.
        id: of the record, where it is known.
        said: the error's words.
    """

    kind: str
    count: str
    expected: int = 1
    told: str = ""
    id: int | None = None
    said: str = ""


def _told(odoo: Odoo, claim: Claim, act: Callable[[Key], int | None]) -> Claim:
    """Make a write; with a key, if there is a journal, again as long as it is in doubt."""
    key = Key(key=uuid.uuid4().hex) if odoo.history else Key()
    for _ in range(REPEATS if key else 1):
        try:
            claim.id = act(key)
            claim.told = "done"
        except OdooError as error:
            claim.told = "maybe" if error.outcome == "maybe_applied" else "not done"
            claim.said = f"{error.message} {error.suggestion}"
        if claim.told != "maybe":
            break
    return claim


def _unique() -> str:
    return f"Soak {uuid.uuid4().hex}"


def _partners(condition: str) -> str:
    return f"select count(*) from res_partner where {condition}"


def create_partner(odoo: Odoo, safe: Odoo) -> Claim:
    """Create a contact."""
    name = _unique()
    claim = Claim(kind="create", count=_partners(f"name = '{name}'"))
    return _told(
        odoo, claim, lambda key: create(odoo, "res.partner", {"name": name, "color": 3}, **key).id
    )


def create_several(odoo: Odoo, safe: Odoo) -> Claim:
    """Create three contacts in one call."""
    name = _unique()
    rows = [{"name": f"{name} {number}", "ref": name} for number in range(3)]
    claim = Claim(kind="create several", count=_partners(f"ref = '{name}'"), expected=3)
    return _told(odoo, claim, lambda key: create(odoo, "res.partner", rows, **key).id)


def write_partner(odoo: Odoo, safe: Odoo) -> Claim:
    """Change a contact."""
    name, new = _unique(), _unique()
    partner = create(safe, "res.partner", {"name": name}).id
    claim = Claim(kind="write", count=_partners(f"id = {partner} and ref = '{new}'"))
    return _told(
        odoo, claim, lambda key: write(odoo, "res.partner", [partner], {"ref": new}, **key).ids[0]
    )


def unlink_partner(odoo: Odoo, safe: Odoo) -> Claim:
    """Delete a contact."""
    partner = create(safe, "res.partner", {"name": _unique()}).id
    count = f"select 1 - count(*) from res_partner where id = {partner}"
    claim = Claim(kind="unlink", count=count)
    return _told(
        odoo, claim, lambda key: unlink(odoo, "res.partner", [partner], **key).deleted_ids[0]
    )


def create_lead(odoo: Odoo, safe: Odoo) -> Claim:
    """Create an opportunity."""
    name = _unique()
    claim = Claim(kind="create_lead", count=f"select count(*) from crm_lead where name = '{name}'")
    return _told(
        odoo, claim, lambda key: crm.create_lead(odoo, name=name, type="opportunity", **key).id
    )


def win_lead(odoo: Odoo, safe: Odoo) -> Claim:
    """Mark an opportunity as won."""
    lead = crm.create_lead(safe, name=_unique(), type="opportunity").id
    count = f"select count(*) from crm_lead where id = {lead} and probability = 100"
    return _told(
        odoo,
        Claim(kind="mark_won", count=count),
        lambda key: crm.mark_won(odoo, lead_id=lead, **key).id,
    )


def create_order(odoo: Odoo, safe: Odoo) -> Claim:
    """Make a quotation for a contact of its own."""
    partner = create(safe, "res.partner", {"name": _unique()}).id
    count = f"select count(*) from sale_order where partner_id = {partner}"
    lines = [{"product_id": _product(safe), "quantity": 2, "price_unit": 10.5}]
    return _told(
        odoo,
        Claim(kind="create_order", count=count),
        lambda key: sales.create_order(odoo, lines=lines, partner_id=partner, **key).id,
    )


def confirm_order(odoo: Odoo, safe: Odoo) -> Claim:
    """Confirm a quotation."""
    lines = [{"product_id": _product(safe), "quantity": 1}]
    order = sales.create_order(safe, lines=lines, partner_id=_partner(safe)).id
    count = f"select count(*) from sale_order where id = {order} and state in ('sale', 'done')"
    return _told(
        odoo,
        Claim(kind="confirm_order", count=count),
        lambda key: sales.confirm_order(odoo, order_id=order, **key).id,
    )


def invoice_order(odoo: Odoo, safe: Odoo) -> Claim:
    """Make the invoice of an order: a down payment, which is always possible."""
    lines = [{"product_id": _product(safe), "quantity": 1, "price_unit": 100}]
    order = sales.create_order(safe, lines=lines, partner_id=_partner(safe), confirm=True)
    count = f"select count(*) from account_move where invoice_origin = '{order.name}'"

    def act(key: Key) -> int:
        made = sales.create_invoices(odoo, order_id=order.id, method="percentage", amount=50, **key)
        return made.invoices[0].id

    return _told(odoo, Claim(kind="create_invoices", count=count), act)


def _invoice(safe: Odoo, *, post: bool = False) -> int:
    lines = [{"product_id": _product(safe), "quantity": 1, "price_unit": 50.0}]
    made = accounting.create_invoice(safe, partner_id=_partner(safe), lines=lines, post=post)
    return int(made.id)


def create_invoice(odoo: Odoo, safe: Odoo) -> Claim:
    """Make an invoice for a contact of its own."""
    partner = create(safe, "res.partner", {"name": _unique()}).id
    lines = [{"product_id": _product(safe), "quantity": 1, "price_unit": 50.0}]
    count = f"select count(*) from account_move where partner_id = {partner}"
    return _told(
        odoo,
        Claim(kind="create_invoice", count=count),
        lambda key: accounting.create_invoice(odoo, partner_id=partner, lines=lines, **key).id,
    )


def post_invoice(odoo: Odoo, safe: Odoo) -> Claim:
    """Post an invoice."""
    move = _invoice(safe)
    count = f"select count(*) from account_move where id = {move} and state = 'posted'"
    return _told(
        odoo,
        Claim(kind="post_invoice", count=count),
        lambda key: accounting.post_invoice(odoo, invoice_id=move, **key).id,
    )


def pay_invoice(odoo: Odoo, safe: Odoo) -> Claim:
    """Pay an invoice in full."""
    move = _invoice(safe, post=True)
    count = (
        f"select count(*) from account_move where id = {move}"
        " and payment_state in ('paid', 'in_payment')"
    )

    def act(key: Key) -> int | None:
        paid = accounting.register_payment(odoo, invoice_ids=[move], **key)
        return paid.payments[0].id if paid.payments else None

    return _told(odoo, Claim(kind="register_payment", count=count), act)


_made: dict[tuple[str, str], int] = {}


def _own(safe: Odoo, model: str, **values: object) -> int:
    """Return a record of the soak's own; one for each server."""
    key = (safe.settings.url, model)
    if key not in _made:
        _made[key] = create(safe, model, {"name": _unique(), **values}).id
    return _made[key]


def _product(safe: Odoo) -> int:
    return _own(safe, "product.product", type="service", list_price=20.0)


def _partner(safe: Odoo) -> int:
    return _own(safe, "res.partner", is_company=True)


#: The writes, with how often each is made of a hundred.
WRITES: tuple[tuple[int, Callable[[Odoo, Odoo], Claim]], ...] = (
    (34, create_partner),
    (6, create_several),
    (20, write_partner),
    (14, unlink_partner),
    (8, create_lead),
    (3, win_lead),
    (4, create_order),
    (3, confirm_order),
    (2, invoice_order),
    (2, create_invoice),
    (2, post_invoice),
    (2, pay_invoice),
)

#: Made one after the other, when nothing else is under way: beside other calls, Odoo 14 finds no
#: account for the lines of an invoice.
ALONE = frozenset({invoice_order, create_invoice, post_invoice, pay_invoice})
