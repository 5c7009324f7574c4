"""Invoices and payments in memory, on any version."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted

MODELS: dict[str, dict[str, str]] = {
    "res.users": {"name": "char", "company_id": "many2one res.company"},
    "res.company": {
        "name": "char",
        "fiscalyear_lock_date": "date",
        "tax_lock_date": "date",
        "parent_ids": "many2many res.company",
        "currency_id": "many2one res.currency",
    },
    "res.currency": {"name": "char", "active": "boolean"},
    "res.currency.rate": {
        "name": "date",
        "currency_id": "many2one res.currency",
        "company_id": "many2one res.company",
        "rate": "float",
    },
    "res.partner": {"name": "char"},
    "uom.uom": {"name": "char"},
    "product.product": {
        "name": "char",
        "taxes_id": "many2many account.tax",
        "supplier_taxes_id": "many2many account.tax",
        "lst_price": "float",
        "standard_price": "float",
        "uom_id": "many2one uom.uom",
    },
    "account.tax": {
        "name": "char",
        "type_tax_use": "selection",
        "company_id": "many2one res.company",
        "active": "boolean",
    },
    "account.fiscal.position.tax": {
        "position_id": "many2one account.fiscal.position",
        "tax_src_id": "many2one account.tax",
        "tax_dest_id": "many2one account.tax",
    },
    "account.journal": {
        "name": "char",
        "type": "selection",
        "active": "boolean",
        "company_id": "many2one res.company",
        "currency_id": "many2one res.currency",
    },
    "account.payment.method": {"code": "char"},
    "account.payment.method.line": {
        "code": "char",
        "journal_id": "many2one account.journal",
        "payment_type": "selection",
    },
    "account.move": {
        "name": "char",
        "move_type": "selection",
        "state": "selection",
        "payment_state": "selection",
        "partner_id": "many2one res.partner",
        "commercial_partner_id": "many2one res.partner",
        "company_id": "many2one res.company",
        "journal_id": "many2one account.journal",
        "currency_id": "many2one res.currency",
        "invoice_date": "date",
        "date": "date",
        **dict.fromkeys(("ref", "payment_reference", "invoice_origin"), "char"),
        "invoice_payment_term_id": "many2one account.payment.term",
        "fiscal_position_id": "many2one account.fiscal.position",
        "invoice_line_ids": "one2many account.move.line move_id",
        "reversed_entry_id": "many2one account.move",
        **dict.fromkeys(
            ("amount_untaxed", "amount_tax", "amount_total", "amount_residual"), "monetary"
        ),
    },
    "account.move.line": {
        "move_id": "many2one account.move",
        "payment_id": "many2one account.payment",
        "date": "date",
        "product_id": "many2one product.product",
        "product_uom_id": "many2one uom.uom",
        "name": "char",
        "quantity": "float",
        "price_unit": "float",
        "tax_ids": "many2many account.tax",
    },
    "account.payment": {
        "name": "char",
        "state": "selection",
        "amount": "monetary",
        "currency_id": "many2one res.currency",
        "journal_id": "many2one account.journal",
        "reconciled_invoice_ids": "many2many account.move",
        "reconciled_bill_ids": "many2many account.move",
        "is_reconciled": "boolean",
        "move_id": "many2one account.move",
    },
    "account.payment.register": {
        "payment_date": "date",
        "amount": "monetary",
        "group_payment": "boolean",
        "currency_id": "many2one res.currency",
        "journal_id": "many2one account.journal",
        "payment_method_id": "many2one account.payment.method",
        "payment_method_line_id": "many2one account.payment.method.line",
    },
    "account.move.reversal": {
        "date": "date",
        "reason": "char",
        "journal_id": "many2one account.journal",
    },
}


#: What Odoo up to 16 has of an open item, which posting a credit note does not settle there.
_OPEN_ITEM = {
    "account_internal_type": "selection",
    "account_id": "many2one account.account",
    "partner_id": "many2one res.partner",
    "currency_id": "many2one res.currency",
    "reconciled": "boolean",
    "amount_residual": "monetary",
    "amount_residual_currency": "monetary",
    "date_maturity": "date",
}


COMPANY = {"company_id": 1}


RECORDS: dict[str, list[dict[str, Any]]] = {
    "res.users": [{"id": 2, "name": "Ann", **COMPANY}],
    "res.company": [
        {"id": 1, "name": "My Company", "parent_ids": [1], "currency_id": 2},
        {"id": 2, "name": "Other"},
    ],
    "res.currency": [
        {"id": 1, "name": "EUR", "active": True},
        {"id": 2, "name": "USD", "active": True},
        {"id": 3, "name": "CHF", "active": False},
    ],
    "res.currency.rate": [],
    "res.partner": [{"id": 9, "name": "Azure"}, {"id": 10, "name": "Brown"}],
    "uom.uom": [{"id": 1, "name": "Units"}],
    "product.product": [
        {
            "id": 3,
            "name": "Desk",
            "taxes_id": [1, 7, 99],
            "supplier_taxes_id": [2],
            "lst_price": 50.0,
            "standard_price": 30.0,
            "uom_id": 1,
        },
        {"id": 4, "name": "Gift", "lst_price": 50.0, "uom_id": 1},
    ],
    "account.tax": [
        {"id": 1, "name": "15%", "type_tax_use": "sale", **COMPANY},
        {"id": 2, "name": "5%", "type_tax_use": "purchase", **COMPANY},
        {"id": 7, "name": "Old", "type_tax_use": "sale", "active": False, **COMPANY},
        {"id": 8, "name": "0%", "type_tax_use": "sale", **COMPANY},
        {"id": 99, "name": "Theirs", "type_tax_use": "sale", "company_id": 2},
    ],
    "account.fiscal.position.tax": [{"id": 1, "position_id": 5, "tax_src_id": 1, "tax_dest_id": 8}],
    "account.journal": [
        {"id": 1, "name": "Sales", "type": "sale", **COMPANY},
        {"id": 5, "name": "Closed", "type": "bank", "active": False, **COMPANY},
        {"id": 6, "name": "Bank", "type": "bank", **COMPANY},
        {"id": 16, "name": "Theirs", "type": "sale", "company_id": 2},
    ],
    "account.payment.method": [{"id": 1, "code": "manual"}, {"id": 2, "code": "manual"}],
    "account.payment.method.line": [
        {"id": 3, "code": "manual", "journal_id": 6, "payment_type": "inbound"},
        {"id": 4, "code": "manual", "journal_id": 6, "payment_type": "outbound"},
    ],
    "account.move": [],
    "account.move.line": [],
    "account.payment": [],
    "account.payment.register": [],
    "account.move.reversal": [],
}


def _move(**values: Any) -> dict[str, Any]:
    """Return a draft of an invoice, as it is stored."""
    return {
        "id": 7,
        "name": "/",
        "display_name": "Draft Invoice (* 7)",
        "move_type": "out_invoice",
        "state": "draft",
        "payment_state": "not_paid",
        "partner_id": 9,
        "commercial_partner_id": 9,
        "company_id": 1,
        "currency_id": 2,
        "journal_id": 1,
        "invoice_date": "2025-02-03",
        "invoice_line_ids": [1],
        "amount_untaxed": 100.0,
        "amount_tax": 15.0,
        "amount_total": 115.0,
        "amount_residual": 115.0,
        **values,
    }


POSTED = _move(name="INV/1", state="posted")
IN_EUROS = {**POSTED, "id": 8, "name": "INV/2", "currency_id": 1, "amount_residual": 40.0}


class Books(Scripted):
    """The books of a company on a version, with some invoices in them."""

    #: Whether payments have entries; without an outstanding account they have none from 18 on.
    books_payments = True

    def __init__(self, major: int, *moves: dict[str, Any], policy: Policy | None = None) -> None:
        models = {name: dict(fields) for name, fields in MODELS.items()}
        journal = "inbound_payment_method_ids", "outbound_payment_method_ids"
        records = {name: [dict(row) for row in rows] for name, rows in RECORDS.items()}
        if major == 14:
            models["account.journal"] |= dict.fromkeys(journal, "many2many account.payment.method")
            for row in records["account.journal"]:
                row |= dict(zip(journal, ([1], [2]), strict=True))
        if major < 17:
            models["account.move.line"] |= _OPEN_ITEM
            models["account.move.reversal"] |= {"refund_method": "selection", "date_mode": "char"}
            del models["res.company"]["parent_ids"]
        if major >= 18:
            models["account.payment.register"]["installments_mode"] = "selection"
        records["account.move"] = [dict(move) for move in moves]
        records["account.move.line"] = [
            {"id": number, "move_id": move["id"]}
            for move in moves
            for number in move["invoice_line_ids"]
        ]
        if major < 17:
            records["account.move.line"] += [
                {
                    "id": 100 + move["id"],
                    "move_id": move["id"],
                    "account_internal_type": "receivable",
                    "amount_residual_currency": move["amount_residual"],
                }
                for move in moves
                if move["state"] == "posted"
            ]
        form = {"invoice_payment_term_id": [4, "30 Days"], "fiscal_position_id": [5, "Abroad"]}
        answers: dict[tuple[str, str], Any] = {
            ("account.move", "onchange"): {"value": form},
            ("account.move", "action_post"): self._post,
            ("account.move", "js_assign_outstanding_line"): True,
            ("account.payment.register", "action_create_payments"): self._pay,
            ("account.move.reversal", "reverse_moves"): self._reverse,
            ("account.move.reversal", "refund_moves"): self._reverse,
        }
        super().__init__(major, answers, policy, models, records=records)
        self.major = major

    def row(self, model: str, number: int) -> dict[str, Any]:
        return next(row for row in self.server.records[model] if row["id"] == number)

    def _post(self, call: Call) -> Any:
        for number in call.ids or ():
            self.row("account.move", number).update(state="posted", name=f"INV/{number}")
        return "account.move(7,)" if self.major == 14 else False

    def _pay(self, call: Call) -> dict[str, Any]:
        answers = self.row("account.payment.register", (call.ids or (0,))[0])
        moves = [self.row("account.move", number) for number in call.context["active_ids"]]
        made = [
            self._made(
                "account.payment",
                name=f"P{move['id']}",
                state="posted" if self.major < 18 else "paid",
                amount=answers.get("amount") or move["amount_residual"],
                currency_id=answers.get("currency_id") or move["currency_id"],
                journal_id=answers["journal_id"],
                reconciled_invoice_ids=[(6, 0, [move["id"]])],
                move_id=move["id"] if self.books_payments else False,
            )
            for move in (moves[:1] if answers.get("group_payment") else moves)
        ]
        for move in moves if self.books_payments else ():
            move["amount_residual"] = max(
                0.0, move["amount_residual"] - (answers.get("amount") or 1e9)
            )
            move["payment_state"] = "partial" if move["amount_residual"] else "paid"
        for move in () if self.books_payments else moves:
            move["payment_state"] = "in_payment"
        return {
            "type": "ir.actions.act_window",
            "res_model": "account.payment",
            **({"res_id": made[0]} if len(made) == 1 else {"domain": [["id", "in", made]]}),
        }

    def _reverse(self, call: Call) -> dict[str, Any]:
        source = self.row("account.move", call.context["active_id"])
        values = {**source, "move_type": "out_refund", "name": "/", "reversed_entry_id": 7}
        values |= {"state": "draft", "invoice_line_ids": []}
        del values["id"]
        note = self._made("account.move", **values)
        return {"type": "ir.actions.act_window", "res_model": "account.move", "res_id": note}

    def _made(self, model: str, **values: Any) -> int:
        call = Call(model=model, method="create", arguments={"vals_list": values})
        number: int = self.server._kept.answer(call)
        return number

    def written(self) -> list[tuple[str, str]]:
        """Return what was sent that writes."""
        return [(call.model, call.method) for call in self.sent if not call.reads]
