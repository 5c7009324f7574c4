"""What an operation or a wizard's answer means, which has to be the same on every version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo, records
from odoo_toolkit.apps import (
    accounting,
    contacts,
    crm,
    hr,
    inventory,
    manufacturing,
    purchase,
    sales,
)
from odoo_toolkit.wizards import answer_wizard
from tests.kit.catalogue import expense, leave_type
from tests.live.accounting_data import expense_account, posted
from tests.live.products import stored

End = dict[str, Any]


@attrs.frozen(kw_only=True)
class World:
    """What the stories are told of: records of their own, made as the administrator."""

    odoo: Odoo
    tag: str

    def make(self, model: str, **values: Any) -> int:
        """Make a record."""
        number = records.create(self.odoo, model, values).id
        assert number
        return number

    def find(self, model: str, domain: list[Any], *fields: str, **more: Any) -> list[End]:
        """Return rows by id, relations as names."""
        rows = records.search_read(self.odoo, model, domain, list(fields), order="id", **more)
        return [dict(row) for row in rows.records]

    def read(self, model: str, number: int, *fields: str) -> End:
        """Return some values of a record, without its id."""
        row = dict(records.read(self.odoo, model, [number], list(fields))[0])
        return {name: row[name] for name in fields}

    def partner(self, name: str = "Partner", **values: Any) -> int:
        """Make a contact."""
        return self.make("res.partner", name=f"{name} {self.tag}", **values)

    def product(self, stock: float = 0, name: str = "Thing", **values: Any) -> int:
        """Make a stored product of 100 without taxes, of which there are that many."""
        own = {"list_price": 100.0, "taxes_id": [], "supplier_taxes_id": [], **stored(self.odoo)}
        number = self.make("product.product", name=f"{name} {self.tag}", **{**own, **values})
        if stock:
            inventory.create_transfer(
                self.odoo,
                picking_type_name="incoming",
                lines=[{"product_id": number, "quantity": stock}],
                validate=True,
            )
        return number

    def tax(self) -> int:
        """Make a tax of 10 per cent."""
        return self.make("account.tax", name=f"Ten {self.tag}", amount=10.0, type_tax_use="sale")

    def on_hand(self, product: int) -> float:
        """Return what there is of a product."""
        return float(self.read("product.product", product, "qty_available")["qty_available"])


@attrs.frozen
class Row:
    """An operation, or a value that a wizard is answered with, and what it leaves behind.

    Attributes:
        unlike: by versions, what is otherwise there: docs/versions.md tells of it.
    """

    name: str
    story: Callable[[World], End]
    end: End
    unlike: Mapping[tuple[int, ...], End] = attrs.field(factory=dict)

    def expected(self, major: int) -> End:
        """Return the end of the story on a version."""
        others = [end for versions, end in self.unlike.items() if major in versions]
        return {**self.end, **(others[0] if others else {})}


def plain(found: Any) -> Any:
    """Return what a story found with each tuple of values as one line of text."""
    if isinstance(found, tuple):
        return " ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in found)
    if isinstance(found, list):
        return [plain(item) for item in found]
    if isinstance(found, dict):
        return {name: plain(value) for name, value in found.items()}
    return found


# Accounting ---------------------------------------------------------------------------------------

_MOVE = ("move_type", "state", "payment_state", "amount_total", "amount_residual")


def _moves(world: World, partner: int) -> list[Any]:
    rows = world.find(
        "account.move", [["partner_id", "=", partner], ["move_type", "!=", "entry"]], *_MOVE
    )
    return [tuple(row[name] for name in _MOVE) for row in rows]


def _open(world: World, partner: int) -> float:
    """Return what is open for a partner in all: below zero if it has a credit, or is owed."""
    newer = "account_type" in world.odoo.schema.fields("account.account")
    kinds = ("asset_receivable", "liability_payable") if newer else ("receivable", "payable")
    domain = [
        ["partner_id", "=", partner],
        ["parent_state", "=", "posted"],
        ["account_id.account_type" if newer else "account_id.internal_type", "in", kinds],
    ]
    items = world.find("account.move.line", domain, "amount_residual")
    return float(round(sum(item["amount_residual"] for item in items), 2))


def _payments(world: World, partner: int) -> list[Any]:
    fields = ("amount", "payment_type", "partner_type")
    rows = world.find("account.payment", [["partner_id", "=", partner]], *fields)
    return [(row["amount"], row["payment_type"], row["partner_type"]) for row in rows]


def _accounts(world: World, partner: int) -> End:
    return {
        "documents": _moves(world, partner),
        "payments": _payments(world, partner),
        "open": _open(world, partner),
    }


def _term(world: World, **discount: Any) -> int:
    """Make terms: 30 per cent at once, the rest in 30 days."""
    fields = world.odoo.schema.fields("account.payment.term.line")

    def line(value: str, amount: float, days: int) -> list[Any]:
        day = {"nb_days": days} if "nb_days" in fields else {"days": days}
        return [0, 0, {"value": value, "value_amount": amount, **day}]

    rest = line("percent", 70, 30) if "nb_days" in fields else line("balance", 0, 30)
    return world.make(
        "account.payment.term",
        name=f"Parts {world.tag}",
        line_ids=[[5, 0, 0], line("percent", 30, 0), rest],
    )


def pay(**how: Any) -> Callable[[World], End]:
    """Pay one invoice of 160."""

    def story(world: World) -> End:
        partner = world.partner()
        invoice = posted(world.odoo, partner, move_type=how.get("move_type", "out_invoice"))
        told = {k: v for k, v in how.items() if k != "move_type"}
        if told.pop("writeoff", False):
            told["writeoff_account"] = expense_account(world.odoo)["code"]
        accounting.register_payment(world.odoo, invoice_ids=[invoice.id], **told)
        return _accounts(world, partner)

    return story


def pay_two(**how: Any) -> Callable[[World], End]:
    def story(world: World) -> End:
        partner = world.partner()
        ids = [posted(world.odoo, partner).id for _ in range(2)]
        accounting.register_payment(world.odoo, invoice_ids=ids, **how)
        return _accounts(world, partner)

    return story


def pay_instalments(several: bool = False) -> Callable[[World], End]:
    def story(world: World) -> End:
        partner = world.partner(property_payment_term_id=_term(world))
        ids = []
        for _ in range(2 if several else 1):
            draft = accounting.create_invoice(
                world.odoo,
                partner_id=partner,
                lines=[{"name": "A", "quantity": 1, "price_unit": 100, "tax_ids": []}],
            )
            records.write(
                world.odoo,
                "account.move",
                [draft.id],
                {
                    "invoice_payment_term_id": world.read(
                        "res.partner", partner, "property_payment_term_id"
                    )["property_payment_term_id"]["id"]
                },
            )
            accounting.post_invoice(world.odoo, invoice_id=draft.id)
            ids.append(draft.id)
        accounting.register_payment(world.odoo, invoice_ids=ids)
        return _accounts(world, partner)

    return story


def credit(paid: float, **how: Any) -> Callable[[World], End]:
    """Credit an invoice of 160, of which some is paid."""

    def story(world: World) -> End:
        partner = world.partner()
        invoice = posted(world.odoo, partner)
        if paid:
            accounting.register_payment(world.odoo, invoice_ids=[invoice.id], amount=paid)
        note = accounting.create_credit_note(
            world.odoo, invoice_id=invoice.id, reason="Broken", **how
        )
        row = world.read(
            "account.move",
            note.id,
            "ref",
            "invoice_date",
            "date",
            "invoice_date_due",
            "reversed_entry_id",
        )
        row["ref"] = row["ref"].replace(invoice.name, "INV")
        row["reversed_entry_id"] = (
            row["reversed_entry_id"] is not None and row["reversed_entry_id"]["id"] == invoice.id
        )
        return {
            **_accounts(world, partner),
            "note": row if how.get("date") else (row["ref"], row["reversed_entry_id"]),
        }

    return story


def modify(paid: float) -> Callable[[World], End]:
    def story(world: World) -> End:
        partner = world.partner()
        invoice = posted(world.odoo, partner)
        if paid:
            accounting.register_payment(world.odoo, invoice_ids=[invoice.id], amount=paid)
        journal = world.read("account.move", invoice.id, "journal_id")["journal_id"]["id"]
        newer = world.odoo.version.major >= 17
        answer_wizard(
            world.odoo,
            "account.move.reversal",
            {
                "journal_id": journal,
                "reason": "x",
                **({} if newer else {"refund_method": "modify"}),
            },
            source=("account.move", [invoice.id]),
            method="modify_moves" if newer else "reverse_moves",
        )
        return _accounts(world, partner)

    return story


def reset(to: Any) -> Callable[[World], End]:
    def story(world: World) -> End:
        partner = world.partner()
        invoice = posted(world.odoo, partner)
        accounting.register_payment(world.odoo, invoice_ids=[invoice.id], amount=100)
        accounting.reset_invoice(world.odoo, invoice_id=invoice.id, to=to)
        return _accounts(world, partner)

    return story


# Sales --------------------------------------------------------------------------------------------


def _ordered(
    world: World, stock: float = 0, *, taxed: bool = False, confirm: bool = True, **values: Any
) -> tuple[int, int, int]:
    partner = world.partner()
    product = world.product(stock, taxes_id=[[6, 0, [world.tax()]]] if taxed else [], **values)
    order = sales.create_order(
        world.odoo,
        partner_id=partner,
        lines=[{"product_id": product, "quantity": 4}],
        confirm=confirm,
    )
    return partner, product, order.id


def _sale(world: World, order: int) -> End:
    lines = world.find(
        "sale.order.line",
        [["order_id", "=", order]],
        "product_uom_qty",
        "qty_delivered",
        "qty_invoiced",
        "price_subtotal",
        "price_total",
        "is_downpayment",
        "display_type",
    )
    row = world.read(
        "sale.order", order, "state", "invoice_status", "amount_total", "picking_ids", "invoice_ids"
    )
    pickings = world.find("stock.picking", [["id", "in", row["picking_ids"]]], "state")
    moves = world.find(
        "account.move",
        [["id", "in", row["invoice_ids"]]],
        "state",
        "move_type",
        "amount_untaxed",
        "amount_total",
    )
    return {
        "order": (row["state"], row["invoice_status"], row["amount_total"]),
        "lines": [
            (r["product_uom_qty"], r["qty_delivered"], r["qty_invoiced"])
            for r in lines
            if not r["display_type"] and not r["is_downpayment"]
        ],
        "pickings": sorted(r["state"] for r in pickings),
        "invoices": [
            (r["state"], r["move_type"], round(r["amount_untaxed"], 2), round(r["amount_total"], 2))
            for r in moves
        ],
    }


def down_payment(
    method: Any, amount: float, *, then: bool = True, taxed: bool = True, **wizard: Any
) -> Callable[[World], End]:
    def story(world: World) -> End:
        _, _, order = _ordered(world, taxed=taxed, invoice_policy="order")
        made = sales.create_invoices(
            world.odoo, order_id=order, method=method, amount=amount, post=True
        )
        end: End = {"warnings": len(made.warnings)}
        if wizard:
            answer_wizard(
                world.odoo,
                "sale.advance.payment.inv",
                {"advance_payment_method": "delivered", **wizard},
                source=("sale.order", [order]),
            )
        elif then:
            sales.create_invoices(world.odoo, order_id=order)
        return {**_sale(world, order), **end}

    return story


def cancel_sale(draft_invoice: bool) -> Callable[[World], End]:
    def story(world: World) -> End:
        _, _, order = _ordered(world, stock=4, invoice_policy="order")
        if draft_invoice:
            sales.create_invoices(world.odoo, order_id=order)
        before = len(_mails(world, "sale.order", order))
        sales.cancel_order(world.odoo, order_id=order)
        return {**_sale(world, order), "mails": len(_mails(world, "sale.order", order)) - before}

    return story


def _mails(world: World, model: str, number: int) -> list[End]:
    domain = [
        ["model", "=", model],
        ["res_id", "=", number],
        ["message_type", "in", ["comment", "email", "email_outgoing"]],
    ]
    if world.odoo.version.major < 17:
        domain[2] = ["message_type", "in", ["comment", "email"]]
    return world.find("mail.message", domain, "subject")


def confirm_sale(world: World) -> End:
    partner, product, _ = _ordered(world, stock=4, confirm=False, invoice_policy="order")
    made = sales.create_order(
        world.odoo,
        partner_id=partner,
        lines=[{"product_id": product, "quantity": 4}],
        date_order="2025-01-02 10:00:00",
        commitment_date="2039-01-02 10:00:00",
    )
    sales.confirm_order(world.odoo, order_id=made.id)
    row = world.read("sale.order", made.id, "date_order", "commitment_date")
    picking = world.find(
        "stock.picking", [["sale_id", "=", made.id]], "scheduled_date", "date_deadline"
    )[0]
    return {
        **_sale(world, made.id),
        "kept_date": row["date_order"][:4],
        "promised": row["commitment_date"],
        "due": picking["date_deadline"],
        "planned": picking["scheduled_date"],
        "mails": len(_mails(world, "sale.order", made.id)),
    }


def sale_through(world: World) -> End:
    partner, product, order = _ordered(world, stock=4, invoice_policy="delivery")
    sales.process_orders(world.odoo, orders=[order])
    return {**_sale(world, order), **_accounts(world, partner), "left": world.on_hand(product)}


# Stock --------------------------------------------------------------------------------------------


def _stock_of(world: World, product: int) -> End:
    """Return what of a product was moved, what is to be moved, and what is there."""
    done = "quantity" if "quantity" in world.odoo.schema.fields("stock.move") else "quantity_done"
    fields = ("state", "product_uom_qty", done, "location_id", "location_dest_id")
    rows = world.find("stock.move", [["product_id", "=", product]], *fields)
    ends = sorted({row[name]["id"] for row in rows for name in ("location_id", "location_dest_id")})
    found = world.find("stock.location", [["id", "in", ends]], "usage")
    usage = {row["id"]: row["usage"] for row in found}
    moved: dict[str, float] = {}
    for row in rows:
        if row["state"] == "cancel":
            continue
        finished = row["state"] == "done"
        way = f"{usage[row['location_id']['id']]} to {usage[row['location_dest_id']['id']]}"
        key = way if finished else f"{way}, open"
        moved[key] = moved.get(key, 0.0) + row[done if finished else "product_uom_qty"]
    return {"moved": moved, "on_hand": world.on_hand(product)}


def deliver_part(backorder: bool) -> Callable[[World], End]:
    def story(world: World) -> End:
        _, product, order = _ordered(world, stock=10, invoice_policy="delivery")
        picking = world.read("sale.order", order, "picking_ids")["picking_ids"][0]
        inventory.validate_picking(
            world.odoo,
            picking_id=picking,
            lines=[{"product_id": product, "quantity": 1}],
            backorder=backorder,
        )
        return {
            **_stock_of(world, product),
            **_sale(world, order),
            "mails": len(_mails(world, "stock.picking", picking)),
        }

    return story


def send_back(policy: str, **how: Any) -> Callable[[World], End]:
    def story(world: World) -> End:
        _, product, order = _ordered(world, stock=10, invoice_policy=policy)
        picking = world.read("sale.order", order, "picking_ids")["picking_ids"][0]
        inventory.validate_picking(world.odoo, picking_id=picking)
        sales.create_invoices(world.odoo, order_id=order, post=True)
        part: list[Any] = [{"product_id": product, "quantity": 1}]
        lines = part if how.get("part") else None
        inventory.return_picking(world.odoo, picking_id=picking, validate=True, lines=lines)
        return {**_stock_of(world, product), **_sale(world, order)}

    return story


def scrap(world: World) -> End:
    product = world.product(10)
    inventory.scrap_product(world.odoo, product_id=product, quantity=3)
    row = world.find("stock.scrap", [["product_id", "=", product]], "state", "scrap_qty")
    return {**_stock_of(world, product), "scrap": [(r["state"], r["scrap_qty"]) for r in row]}


def count(to: float) -> Callable[[World], End]:
    def story(world: World) -> End:
        product = world.product(10)
        inventory.adjust_stock(world.odoo, product_id=product, quantity=to)
        return _stock_of(world, product)

    return story


def count_many(world: World) -> End:
    product, other = world.product(10), world.product(2, name="Other")
    inventory.count_stock(
        world.odoo,
        lines=[{"product_id": product, "quantity": 7}, {"product_id": other, "quantity": 0}],
    )
    return {**_stock_of(world, product), "other": world.on_hand(other)}


# Purchase -----------------------------------------------------------------------------------------


def buy(
    *, back: bool = False, policy: str = "receive", cancel: bool = False
) -> Callable[[World], End]:
    def story(world: World) -> End:
        vendor, product = world.partner(), world.product(purchase_method=policy)
        made = purchase.create_order(
            world.odoo,
            partner_id=vendor,
            lines=[{"product_id": product, "quantity": 4, "price_unit": 50}],
            confirm=True,
        )
        if cancel:
            purchase.create_bill(world.odoo, order_id=made.id) if policy == "purchase" else None
            purchase.cancel_order(world.odoo, order_id=made.id)
        else:
            purchase.receive(
                world.odoo,
                order_id=made.id,
                lines=[{"product_id": product, "quantity": 3}],
                backorder=False,
            )
            purchase.create_bill(
                world.odoo,
                order_id=made.id,
                invoice_date="2026-01-05",
                ref=f"F {world.tag}",
                post=True,
            )
        if back:
            purchase.return_order(
                world.odoo,
                order_id=made.id,
                lines=[{"product_id": product, "quantity": 1}],
                post=True,
            )
        row = world.read("purchase.order", made.id, "state", "invoice_status", "amount_total")
        line = world.find(
            "purchase.order.line",
            [["order_id", "=", made.id]],
            "product_qty",
            "qty_received",
            "qty_invoiced",
        )[0]
        return {
            "order": tuple(row.values()),
            "line": (line["product_qty"], line["qty_received"], line["qty_invoiced"]),
            **_stock_of(world, product),
            **_accounts(world, vendor),
        }

    return story


# Manufacturing ------------------------------------------------------------------------------------


def _bill_of(world: World) -> tuple[int, int]:
    part, product = world.product(20, name="Part"), world.product(name="Made")
    template = world.read("product.product", product, "product_tmpl_id")["product_tmpl_id"]["id"]
    world.make(
        "mrp.bom",
        product_tmpl_id=template,
        consumption="flexible",
        bom_line_ids=[[0, 0, {"product_id": part, "product_qty": 2}]],
    )
    return part, product


def _made(world: World, part: int, product: int) -> End:
    rows = world.find(
        "mrp.production", [["product_id", "=", product]], "state", "product_qty", "qty_produced"
    )
    return {
        "orders": [tuple(r[k] for k in ("state", "product_qty", "qty_produced")) for r in rows],
        "parts": _stock_of(world, part),
        "made": _stock_of(world, product),
    }


def produce(**how: Any) -> Callable[[World], End]:
    def story(world: World) -> End:
        part, product = _bill_of(world)
        made = manufacturing.create_order(world.odoo, product_id=product, quantity=4, confirm=True)
        told = dict(how)
        if used := told.pop("used", None):
            told["lines"] = [{"product_id": part, "quantity": used}]
        manufacturing.produce(world.odoo, order_id=made.id, **told)
        return _made(world, part, product)

    return story


def change_quantity(world: World) -> End:
    part, product = _bill_of(world)
    made = manufacturing.create_order(world.odoo, product_id=product, quantity=4, confirm=True)
    answer_wizard(
        world.odoo,
        "change.production.qty",
        {"mo_id": made.id, "product_qty": 6},
        source=("mrp.production", [made.id]),
    )
    return _made(world, part, product)


def cancel_production(world: World) -> End:
    part, product = _bill_of(world)
    made = manufacturing.create_order(world.odoo, product_id=product, quantity=4, confirm=True)
    manufacturing.cancel_order(world.odoo, order_id=made.id)
    return _made(world, part, product)


# CRM and contacts ---------------------------------------------------------------------------------


def _lead(world: World, lead: int) -> End:
    reason = (
        "lost_reason_id"
        if "lost_reason_id" in world.odoo.schema.fields("crm.lead")
        else "lost_reason"
    )
    row = world.read(
        "crm.lead",
        lead,
        "type",
        "active",
        "probability",
        "stage_id",
        "partner_id",
        "date_closed",
        "date_conversion",
        "user_id",
        "team_id",
        "expected_revenue",
        reason,
    )
    return {
        "lead": (row["type"], row["active"]),
        "probability": row["probability"] if row["probability"] in (0, 100) else "between",
        "stage": row["stage_id"] and row["stage_id"]["name"].split()[0],
        "partner": row["partner_id"] and row["partner_id"]["name"].replace(world.tag, "").strip(),
        "closed": bool(row["date_closed"]),
        "converted": bool(row["date_conversion"]),
        "user": bool(row["user_id"]),
        "team": bool(row["team_id"]),
        "revenue": row["expected_revenue"],
        "reason": row[reason] and row[reason]["name"],
    }


def lead(then: Callable[[World, int], Any], **values: Any) -> Callable[[World], End]:
    def story(world: World) -> End:
        made = crm.create_lead(world.odoo, name=f"Lead {world.tag}", **values)
        then(world, made.id)
        return _lead(world, made.id)

    return story


def _lost(world: World, number: int) -> None:
    crm.mark_lost(world.odoo, lead_id=number, reason_name="Too expensive")


def _restored(world: World, number: int) -> None:
    _lost(world, number)
    crm.update_lead(world.odoo, lead_id=number, restore=True)


def merge(world: World) -> End:
    keep = world.partner("Keep", email=f"{world.tag}@example.com")
    gone = world.partner(
        "Gone", email=f"{world.tag}@example.com", phone="+32 2 290 34 90", comment="Note"
    )
    child = world.make("res.partner", name=f"Child {world.tag}", parent_id=gone)
    tag = world.make("res.partner.category", name=f"Tag {world.tag}")
    records.write(world.odoo, "res.partner", [gone], {"category_id": [[6, 0, [tag]]]})
    invoice = posted(world.odoo, gone)
    contacts.merge_contacts(world.odoo, contact_id=keep, duplicates=[gone])
    row = world.read(
        "res.partner", keep, "name", "email", "phone", "category_id", "child_ids", "active"
    )
    return {
        "kept": row["name"].split()[0],
        "phone": row["phone"],
        "tags": len(row["category_id"]),
        "children": row["child_ids"] == [child],
        "invoices": world.read("account.move", invoice.id, "partner_id")["partner_id"]["id"]
        == keep,
        "gone": records.count(
            world.odoo,
            "res.partner",
            [["id", "=", gone]],
        ).count,
    }


def merge_leads(world: World) -> End:
    leads = [
        crm.create_lead(
            world.odoo, name=f"{name} {world.tag}", type=kind, expected_revenue=revenue
        ).id
        for name, kind, revenue in (("First", "lead", 10), ("Second", "opportunity", 20))
    ]
    answer_wizard(
        world.odoo,
        "crm.merge.opportunity",
        {"opportunity_ids": [[6, 0, leads]]},
        source=("crm.lead", leads),
        method="action_merge",
    )
    fields = ("type", "expected_revenue", "active")
    every = {"active_test": False}
    rows = world.find("crm.lead", [["id", "in", leads]], "name", *fields, context=every)
    return {"left": [(row["name"].split()[0], *(row[name] for name in fields)) for row in rows]}


# Staff --------------------------------------------------------------------------------------------


def leave(*decisions: Any, last_day: str = "2031-03-03") -> Callable[[World], End]:
    def story(world: World) -> End:
        asked = hr.request_leave(
            world.odoo,
            leave_type_id=leave_type(world.odoo),
            date_from="2031-03-03",
            date_to=last_day,
            employee_id=world.make("hr.employee", name=f"Employee {world.tag}"),
        )
        for decision in decisions:
            hr.decide_leave(world.odoo, decision=decision, leave_id=asked.id)
        return world.read("hr.leave", asked.id, "state", "number_of_days")

    return story


def spend(*decisions: Any) -> Callable[[World], End]:
    def story(world: World) -> End:
        number = expense(world.odoo)
        for decision in decisions:
            reason = "Not ours" if decision == "refuse" else None
            hr.decide_expense(world.odoo, decision=decision, expense_id=number, reason=reason)
        return world.read("hr.expense", number, "state", "total_amount")

    return story


#: A lead as it is made, as an opportunity.
LEAD: End = {
    "lead": "opportunity True",
    "probability": "between",
    "stage": "New",
    "partner": None,
    "closed": False,
    "converted": False,
    "user": True,
    "team": True,
    "revenue": 0.0,
    "reason": None,
}


def books(*documents: str, paid: Sequence[str] = (), left: float = 0.0, **more: Any) -> End:
    """Return the end of a story of invoices: they, what was paid, and what is left to pay."""
    return {"documents": [*documents], "payments": [*paid], "open": left, **more}


def sale(
    order: str, *lines: str, pickings: Sequence[str], invoices: Sequence[str] = (), **more: Any
) -> End:
    """Return the end of a story of an order."""
    return {
        "order": order,
        "lines": [*lines],
        "pickings": [*pickings],
        "invoices": [*invoices],
        **more,
    }


ROWS: tuple[Row, ...] = (
    Row(
        "pay in full",
        pay(),
        books("out_invoice posted paid 160 0", paid=["160 inbound customer"]),
    ),
    Row(
        "pay a part",
        pay(amount=90),
        books("out_invoice posted partial 160 70", paid=["90 inbound customer"], left=70.0),
    ),
    Row(
        "pay a part and write off",
        pay(amount=90, writeoff=True),
        books("out_invoice posted paid 160 0", paid=["90 inbound customer"]),
    ),
    Row(
        "pay too much",
        pay(amount=200),
        books("out_invoice posted paid 160 0", paid=["200 inbound customer"], left=-40.0),
    ),
    Row(
        "pay too much and write off",
        pay(amount=200, writeoff=True),
        books("out_invoice posted paid 160 0", paid=["200 inbound customer"]),
    ),
    Row(
        "pay on a day",
        pay(payment_date="2026-01-05"),
        books("out_invoice posted paid 160 0", paid=["160 inbound customer"]),
    ),
    Row(
        "pay a bill",
        pay(move_type="in_invoice"),
        books("in_invoice posted paid 160 0", paid=["160 outbound supplier"]),
    ),
    Row(
        "pay two",
        pay_two(),
        books(
            "out_invoice posted paid 160 0",
            "out_invoice posted paid 160 0",
            paid=["160 inbound customer", "160 inbound customer"],
        ),
    ),
    Row(
        "pay two with one amount",
        pay_two(amount=320),
        books(
            "out_invoice posted paid 160 0",
            "out_invoice posted paid 160 0",
            paid=["320 inbound customer"],
        ),
    ),
    Row(
        "pay a part of two",
        pay_two(amount=200),
        books(
            "out_invoice posted partial 160 120",
            "out_invoice posted paid 160 0",
            paid=["200 inbound customer"],
            left=120.0,
        ),
    ),
    Row(
        "pay instalments",
        pay_instalments(),
        books("out_invoice posted paid 100 0", paid=["100 inbound customer"]),
        unlike={(18,): {"payments": ["30 inbound customer", "70 inbound customer"]}},
    ),
    Row(
        "pay two in instalments",
        pay_instalments(several=True),
        books(
            "out_invoice posted paid 100 0",
            "out_invoice posted paid 100 0",
            paid=["100 inbound customer", "100 inbound customer"],
        ),
        unlike={
            (14, 15, 16, 17, 18): {
                "payments": [
                    "30 inbound customer",
                    "70 inbound customer",
                    "30 inbound customer",
                    "70 inbound customer",
                ]
            }
        },
    ),
    Row(
        "credit unpaid, draft",
        credit(0),
        books(
            "out_invoice posted not_paid 160 160",
            "out_refund draft not_paid 160 160",
            left=160.0,
            note="Reversal of: INV, Broken True",
        ),
    ),
    Row(
        "credit unpaid",
        credit(0, post=True),
        books(
            "out_invoice posted reversed 160 0",
            "out_refund posted paid 160 0",
            note="Reversal of: INV, Broken True",
        ),
    ),
    Row(
        "credit part paid",
        credit(100, post=True),
        books(
            "out_invoice posted paid 160 0",
            "out_refund posted partial 160 100",
            paid=["100 inbound customer"],
            left=-100.0,
            note="Reversal of: INV, Broken True",
        ),
    ),
    Row(
        "credit paid",
        credit(160, post=True),
        books(
            "out_invoice posted paid 160 0",
            "out_refund posted not_paid 160 160",
            paid=["160 inbound customer"],
            left=-160.0,
            note="Reversal of: INV, Broken True",
        ),
    ),
    Row(
        "credit on a day",
        credit(0, post=True, date="2026-02-03"),
        books(
            "out_invoice posted reversed 160 0",
            "out_refund posted paid 160 0",
            note={
                "ref": "Reversal of: INV, Broken",
                "invoice_date": "2026-02-03",
                "date": "2026-02-03",
                "invoice_date_due": "2026-02-03",
                "reversed_entry_id": True,
            },
        ),
    ),
    Row(
        "modify unpaid",
        modify(0),
        books(
            "out_invoice posted reversed 160 0",
            "out_refund posted paid 160 0",
            "out_invoice draft not_paid 160 160",
        ),
    ),
    Row(
        "modify part paid",
        modify(100),
        books(
            "out_invoice posted reversed 160 0",
            "out_refund posted paid 160 0",
            "out_invoice draft not_paid 160 160",
            paid=["100 inbound customer"],
            left=-100.0,
        ),
    ),
    Row(
        "modify paid",
        modify(160),
        books(
            "out_invoice posted reversed 160 0",
            "out_refund posted paid 160 0",
            "out_invoice draft not_paid 160 160",
            paid=["160 inbound customer"],
            left=-160.0,
        ),
    ),
    Row(
        "reset to draft",
        reset("draft"),
        books("out_invoice draft not_paid 160 160", paid=["100 inbound customer"], left=-100.0),
        unlike={(19,): {"documents": ["out_invoice draft partial 160 60"], "open": 0.0}},
    ),
    Row(
        "reset to cancel",
        reset("cancel"),
        books("out_invoice cancel not_paid 160 160", paid=["100 inbound customer"], left=-100.0),
    ),
    Row(
        "down percentage",
        down_payment("percentage", 25),
        sale(
            "sale invoiced 440",
            "4 0 4",
            pickings=["confirmed"],
            invoices=["posted out_invoice 100 110", "draft out_invoice 300 330"],
            warnings=0,
        ),
        unlike={
            (14,): {"invoices": ["posted out_invoice 100 100", "draft out_invoice 300 340"]},
            (15, 16): {"invoices": ["posted out_invoice 110 110", "draft out_invoice 290 330"]},
        },
    ),
    Row(
        "down fixed",
        down_payment("fixed", 110),
        sale(
            "sale invoiced 440",
            "4 0 4",
            pickings=["confirmed"],
            invoices=["posted out_invoice 100 110", "draft out_invoice 300 330"],
            warnings=0,
        ),
        unlike={
            (14, 15, 16): {"invoices": ["posted out_invoice 110 110", "draft out_invoice 290 330"]}
        },
    ),
    Row(
        "down fixed untaxed",
        down_payment("fixed", 110, taxed=False),
        sale(
            "sale invoiced 400",
            "4 0 4",
            pickings=["confirmed"],
            invoices=["posted out_invoice 110 110", "draft out_invoice 290 290"],
            warnings=0,
        ),
    ),
    Row(
        "down percentage untaxed",
        down_payment("percentage", 25, taxed=False),
        sale(
            "sale invoiced 400",
            "4 0 4",
            pickings=["confirmed"],
            invoices=["posted out_invoice 100 100", "draft out_invoice 300 300"],
            warnings=0,
        ),
    ),
    Row(
        "down not deducted",
        down_payment("percentage", 25, taxed=False, deduct_down_payments=False),
        sale(
            "sale invoiced 400",
            "4 0 4",
            pickings=["confirmed"],
            invoices=["posted out_invoice 100 100", "draft out_invoice 400 400"],
            warnings=0,
        ),
    ),
    Row(
        "cancel sale",
        cancel_sale(False),
        sale("cancel no 400", "4 0 0", pickings=["cancel"], mails=0),
    ),
    Row(
        "cancel sale with draft invoice",
        cancel_sale(True),
        sale(
            "cancel no 400",
            "4 0 0",
            pickings=["cancel"],
            invoices=["cancel out_invoice 400 400"],
            mails=0,
        ),
    ),
    Row(
        "confirm sale",
        confirm_sale,
        sale(
            "sale to invoice 400",
            "4 0 0",
            pickings=["assigned"],
            kept_date="2026",
            promised="2039-01-02T10:00:00Z",
            due="2039-01-02T10:00:00Z",
            planned="2039-01-02T10:00:00Z",
            mails=0,
        ),
    ),
    Row(
        "sale through",
        sale_through,
        sale(
            "sale invoiced 400",
            "4 4 4",
            pickings=["done"],
            invoices=["posted out_invoice 400 400"],
            documents=["out_invoice posted paid 400 0"],
            payments=["400 inbound customer"],
            open=0.0,
            left=0.0,
        ),
    ),
    Row(
        "deliver part, backorder",
        deliver_part(True),
        {
            "moved": {
                "supplier to internal": 10.0,
                "internal to customer": 1.0,
                "internal to customer, open": 3.0,
            },
            "on_hand": 9.0,
            "order": "sale to invoice 400",
            "lines": ["4 1 0"],
            "pickings": ["assigned", "done"],
            "invoices": [],
            "mails": 0,
        },
    ),
    Row(
        "deliver part, drop",
        deliver_part(False),
        {
            "moved": {"supplier to internal": 10.0, "internal to customer": 1.0},
            "on_hand": 9.0,
            "order": "sale to invoice 400",
            "lines": ["4 1 0"],
            "pickings": ["done"],
            "invoices": [],
            "mails": 0,
        },
    ),
    Row(
        "return all, delivery",
        send_back("delivery"),
        {
            "moved": {
                "supplier to internal": 10.0,
                "internal to customer": 4.0,
                "customer to internal": 4.0,
            },
            "on_hand": 10.0,
            "order": "sale to invoice 400",
            "lines": ["4 0 4"],
            "pickings": ["done", "done"],
            "invoices": ["posted out_invoice 400 400"],
        },
    ),
    Row(
        "return part, delivery",
        send_back("delivery", part=True),
        {
            "moved": {
                "supplier to internal": 10.0,
                "internal to customer": 4.0,
                "customer to internal": 1.0,
            },
            "on_hand": 7.0,
            "order": "sale to invoice 400",
            "lines": ["4 3 4"],
            "pickings": ["done", "done"],
            "invoices": ["posted out_invoice 400 400"],
        },
    ),
    Row(
        "return part, order",
        send_back("order", part=True),
        {
            "moved": {
                "supplier to internal": 10.0,
                "internal to customer": 4.0,
                "customer to internal": 1.0,
            },
            "on_hand": 7.0,
            "order": "sale invoiced 400",
            "lines": ["4 3 4"],
            "pickings": ["done", "done"],
            "invoices": ["posted out_invoice 400 400"],
        },
    ),
    Row(
        "scrap",
        scrap,
        {
            "moved": {"supplier to internal": 10.0, "internal to inventory": 3.0},
            "on_hand": 7.0,
            "scrap": ["done 3"],
        },
    ),
    Row(
        "count down",
        count(4),
        {"moved": {"supplier to internal": 10.0, "internal to inventory": 6.0}, "on_hand": 4.0},
    ),
    Row(
        "count up",
        count(14),
        {"moved": {"supplier to internal": 10.0, "inventory to internal": 4.0}, "on_hand": 14.0},
    ),
    Row(
        "count zero",
        count(0),
        {"moved": {"supplier to internal": 10.0, "internal to inventory": 10.0}, "on_hand": 0.0},
    ),
    Row(
        "count many",
        count_many,
        {
            "moved": {"supplier to internal": 10.0, "internal to inventory": 3.0},
            "on_hand": 7.0,
            "other": 0.0,
        },
    ),
    Row(
        "buy",
        buy(),
        {
            "order": "purchase invoiced 200",
            "line": "4 3 3",
            "moved": {"supplier to internal": 3.0},
            "on_hand": 3.0,
            "documents": ["in_invoice posted not_paid 150 150"],
            "payments": [],
            "open": -150.0,
        },
    ),
    Row(
        "buy and return",
        buy(back=True),
        {
            "order": "purchase invoiced 200",
            "line": "4 2 2",
            "moved": {"supplier to internal": 3.0, "internal to supplier": 1.0},
            "on_hand": 2.0,
            "documents": ["in_invoice posted partial 150 100", "in_refund posted paid 50 0"],
            "payments": [],
            "open": -100.0,
        },
    ),
    Row(
        "buy and return, ordered",
        buy(back=True, policy="purchase"),
        {
            "order": "purchase to invoice 200",
            "line": "4 2 3",
            "moved": {"supplier to internal": 3.0, "internal to supplier": 1.0},
            "on_hand": 2.0,
            "documents": ["in_invoice posted partial 200 150", "in_refund posted paid 50 0"],
            "payments": [],
            "open": -150.0,
        },
    ),
    Row(
        "cancel purchase",
        buy(cancel=True),
        {
            "order": "cancel no 200",
            "line": "4 0 0",
            "moved": {},
            "on_hand": 0.0,
            "documents": [],
            "payments": [],
            "open": 0,
        },
    ),
    Row(
        "cancel purchase with bill",
        buy(cancel=True, policy="purchase"),
        {
            "order": "cancel no 200",
            "line": "4 0 4",
            "moved": {},
            "on_hand": 0.0,
            "documents": ["in_invoice draft not_paid 200 200"],
            "payments": [],
            "open": 0,
        },
    ),
    Row(
        "produce",
        produce(),
        {
            "orders": ["done 4 4"],
            "parts": {
                "moved": {"supplier to internal": 20.0, "internal to production": 8.0},
                "on_hand": 12.0,
            },
            "made": {"moved": {"production to internal": 4.0}, "on_hand": 4.0},
        },
    ),
    Row(
        "produce part, backorder",
        produce(quantity=1, backorder=True),
        {
            "orders": ["done 1 1", "confirmed 3 0"],
            "parts": {
                "moved": {
                    "supplier to internal": 20.0,
                    "internal to production": 2.0,
                    "internal to production, open": 6.0,
                },
                "on_hand": 18.0,
            },
            "made": {
                "moved": {"production to internal": 1.0, "production to internal, open": 3.0},
                "on_hand": 1.0,
            },
        },
    ),
    Row(
        "produce part, drop",
        produce(quantity=1, backorder=False),
        {
            "orders": ["done 4 1"],
            "parts": {
                "moved": {"supplier to internal": 20.0, "internal to production": 2.0},
                "on_hand": 18.0,
            },
            "made": {"moved": {"production to internal": 1.0}, "on_hand": 1.0},
        },
        unlike={(14, 15, 16): {"orders": ["done 1 1"]}},
    ),
    Row(
        "produce more",
        produce(quantity=5, allow_more=True),
        {
            "orders": ["done 4 5"],
            "parts": {
                "moved": {"supplier to internal": 20.0, "internal to production": 10.0},
                "on_hand": 10.0,
            },
            "made": {"moved": {"production to internal": 5.0}, "on_hand": 5.0},
        },
        unlike={(14, 15, 16): {"orders": ["done 5 5"]}},
    ),
    Row(
        "produce with more parts",
        produce(used=10),
        {
            "orders": ["done 4 4"],
            "parts": {
                "moved": {"supplier to internal": 20.0, "internal to production": 10.0},
                "on_hand": 10.0,
            },
            "made": {"moved": {"production to internal": 4.0}, "on_hand": 4.0},
        },
    ),
    Row(
        "change quantity",
        change_quantity,
        {
            "orders": ["confirmed 6 0"],
            "parts": {
                "moved": {"supplier to internal": 20.0, "internal to production, open": 12.0},
                "on_hand": 20.0,
            },
            "made": {"moved": {"production to internal, open": 6.0}, "on_hand": 0.0},
        },
    ),
    Row(
        "cancel production",
        cancel_production,
        {
            "orders": ["cancel 4 0"],
            "parts": {"moved": {"supplier to internal": 20.0}, "on_hand": 20.0},
            "made": {"moved": {}, "on_hand": 0.0},
        },
    ),
    Row(
        "lose opportunity",
        lead(_lost, type="opportunity"),
        LEAD
        | {
            "lead": "opportunity False",
            "probability": 0.0,
            "closed": True,
            "reason": "Too expensive",
        },
        unlike={(14,): {"closed": False}},
    ),
    Row(
        "lose lead",
        lead(_lost),
        LEAD
        | {"lead": "lead False", "probability": 0.0, "closed": True, "reason": "Too expensive"},
        unlike={(14,): {"closed": False}},
    ),
    Row(
        "restore",
        lead(_restored, type="opportunity"),
        LEAD,
    ),
    Row(
        "win",
        lead(lambda w, n: crm.mark_won(w.odoo, lead_id=n), type="opportunity", expected_revenue=50),
        LEAD | {"probability": 100.0, "stage": "Won", "closed": True, "revenue": 50.0},
    ),
    Row(
        "move to won",
        lead(lambda w, n: crm.move_stage(w.odoo, lead_id=n, stage_name="Won"), type="opportunity"),
        LEAD | {"probability": 100.0, "stage": "Won", "closed": True},
    ),
    Row(
        "move from won",
        lead(
            lambda w, n: (
                crm.mark_won(w.odoo, lead_id=n),
                crm.move_stage(w.odoo, lead_id=n, stage_name="New"),
            ),
            type="opportunity",
        ),
        LEAD,
        unlike={(14,): {"closed": True}},
    ),
    Row(
        "convert",
        lead(
            lambda w, n: crm.convert_to_opportunity(w.odoo, lead_id=n), email_from="jo@example.com"
        ),
        LEAD | {"converted": True},
    ),
    Row(
        "convert, customer",
        lead(
            lambda w, n: crm.convert_to_opportunity(w.odoo, lead_id=n, create_customer=True),
            email_from="jo@example.com",
        ),
        LEAD | {"partner": "Lead", "converted": True},
    ),
    Row(
        "merge contacts",
        merge,
        {
            "kept": "Keep",
            "phone": "+32 2 290 34 90",
            "tags": 1,
            "children": True,
            "invoices": True,
            "gone": 0,
        },
    ),
    Row("merge leads", merge_leads, {"left": ["Second opportunity 20 True"]}),
    Row("ask for leave", leave(), {"state": "confirm", "number_of_days": 1.0}),
    Row(
        "approve leave",
        leave("approve", last_day="2031-03-04"),
        {"state": "validate", "number_of_days": 2.0},
    ),
    Row("refuse leave", leave("refuse"), {"state": "refuse", "number_of_days": 1.0}),
    Row(
        "refuse approved leave",
        leave("approve", "refuse"),
        {"state": "refuse", "number_of_days": 1.0},
    ),
    Row("enter expense", spend(), {"state": "draft", "total_amount": 12.5}),
    Row(
        "submit expense",
        spend("submit"),
        {"state": "submitted", "total_amount": 12.5},
        # On 19 nobody else is to approve what an employee without a manager has spent.
        unlike={(14, 15, 16): {"state": "reported"}, (19,): {"state": "approved"}},
    ),
    Row(
        "refuse expense",
        spend("submit", "refuse"),
        {"state": "refused", "total_amount": 12.5},
    ),
)


@pytest.mark.recorded
@pytest.mark.every_version
@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_one_operation_means_one_thing(admin: Odoo, suffix: str, row: Row) -> None:
    """The same story ends alike on every version, but for what is known to be otherwise."""
    found = plain(row.story(World(odoo=admin, tag=suffix)))
    assert found == row.expected(admin.version.major)
