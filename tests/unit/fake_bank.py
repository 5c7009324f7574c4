"""A bank journal in memory: its lines are booked on suspense, assigned and reconciled."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.testing.descriptions import described
from tests.unit.dunning import Dunning, invoice, owed
from tests.unit.fake_books import item

LINE, STATEMENT = "account.bank.statement.line", "account.bank.statement"
SUSPENSE = 17

#: Beside what :class:`Dunning` has: two invoices of 40 of Bob (13), a bill of 55 (12 is payable),
#: an invoice in euros, and one of 70 for Silent (10), which owes 70 already.
MOVES = [
    invoice(110, 13, payment_reference="RF40A"),
    invoice(111, 13),
    invoice(112, 10, name="BILL/7", display_name="BILL/7", move_type="in_invoice", ref="V-2025-9"),
    invoice(113, 9),
    invoice(114, 10),
]
ITEMS = [
    owed(11, 110, 13, 40.0, "2025-09-30"),
    owed(12, 111, 13, 40.0, "2025-09-30"),
    item(13, 12, -55.0, "2025-08-01", move_id=112, partner_id=10, date_maturity="2025-09-01"),
    owed(14, 113, 9, 30.0, "2025-09-30", currency_id=1),
    owed(15, 114, 10, 70.0, "2025-09-30"),
]


class BankOffice(Dunning):
    """What is open, and a bank journal whose lines this user may book, or not."""

    def __init__(
        self, major: int = 19, *, may: bool = True, currency: int | bool = False, **more: Any
    ) -> None:
        super().__init__(
            major,
            moves=[*MOVES, *more.pop("moves", ())],
            more=[*ITEMS, *more.pop("items", ())],
            **more,
        )
        self.by_line = major > 15
        fields: dict[str, dict[str, Any]] = {
            LINE: {
                "date": "date",
                "amount": "monetary",
                "payment_ref": "char",
                "partner_name": "char",
                "partner_id": "many2one res.partner",
                "journal_id": "many2one account.journal",
                "move_id": "many2one account.move",
                "statement_id": f"many2one {STATEMENT}",
            },
            STATEMENT: {
                "name": "char",
                "date": "date",
                "journal_id": "many2one account.journal",
                "balance_start": "monetary",
                "balance_end_real": "monetary",
                "line_ids": f"one2many {LINE} statement_id",
            },
            "account.journal": {
                "default_account_id": "many2one account.account",
                "suspense_account_id": "many2one account.account",
            },
            "account.move.line": {"journal_id": "many2one account.journal"},
        }
        models = self.server._models
        for name, own in fields.items():
            models[name] = {**models.get(name, {}), **described(own, logged=True)}
        records = self.server.records
        records[LINE], records[STATEMENT] = [], []
        for row in records["account.journal"]:
            row |= {"default_account_id": 10, "suspense_account_id": SUSPENSE}
            row["currency_id"] = currency
        records["account.account"].append({"id": SUSPENSE, "code": "102000", "name": "Suspense"})
        for check in ("check_access_rights", "has_access"):
            self.answers[LINE, check] = may
        self.answers[LINE, "create"] = lambda call: [self._add_line(call.arguments["vals_list"])]
        self.answers[STATEMENT, "create"] = self._statement
        self.answers[STATEMENT, "button_post"] = self._post_statement
        self.answers["account.move.line", "reconcile"] = self._reconcile

    def open_of(self, number: int) -> float:
        """What is open of an item."""
        left: float = self.row("account.move.line", number)["amount_residual"]
        return left

    def line(self, amount: float, reference: str, day: str = "2025-11-03", **more: Any) -> int:
        """Book a line as somebody else would have."""
        values = {"date": day, "amount": amount, "payment_ref": reference, "journal_id": 6}
        return self._add_line({**values, **more})

    def _add_line(self, values: dict[str, Any], *, posted: bool = True) -> int:
        records = self.server.records
        move, number = 500 + len(records[LINE]), 1 + len(records[LINE])
        state = {"name": f"BNK1/{number}", "state": "posted" if posted else "draft"}
        entry = {"move_type": "entry", "payment_state": "not_paid"}
        records["account.move"].append(invoice(move, 9, **state, **entry))
        about = {"move_id": move, "partner_id": values.get("partner_id"), "parent_state": "posted"}
        for place, (account, way) in enumerate(((10, 1), (SUSPENSE, -1))):
            booked = item(600 + 2 * number + place, account, way * values["amount"], "2025-11-03")
            kind = next(iter({"account_type", "account_internal_type"} & {*self._item_fields()}))
            records["account.move.line"].append({kind: "", **booked, **about})
        records[LINE].append({"id": number, "move_id": move, "journal_id": 6, **values})
        return number

    def _item_fields(self) -> Any:
        return self.server._models["account.move.line"]

    def _statement(self, call: Call) -> list[int]:
        values = dict(call.arguments["vals_list"])
        number = 1 + len(self.server.records[STATEMENT])
        for _, _, line in values.pop("line_ids"):
            self._add_line({**line, "statement_id": number}, posted=False)
        self.server.records[STATEMENT].append({"id": number, **values})
        return [number]

    def _post_statement(self, call: Call) -> None:
        for line in self.server.records[LINE]:
            if line["statement_id"] in (call.ids or ()):
                self.row("account.move", line["move_id"])["state"] = "posted"

    def _reconcile(self, call: Call) -> None:
        """Reconcile as Odoo does: the oldest first, as far as it goes."""
        own, *others = (self.row("account.move.line", number) for number in call.ids or ())
        for other in others:
            used = min(abs(own["amount_residual"]), abs(other["amount_residual"]))
            for one in (own, other):
                way = 1 if one["amount_residual"] > 0 else -1
                for field in ("amount_residual", "amount_residual_currency"):
                    one[field] -= way * used
                one["reconciled"] = not one["amount_residual"]
            move = self.row("account.move", other["move_id"])
            move["payment_state"] = "partial" if other["amount_residual"] else "paid"
            self.server.records["account.partial.reconcile"].append(
                {
                    "id": 1 + len(self.server.records["account.partial.reconcile"]),
                    "debit_move_id": other["id"],
                    "credit_move_id": own["id"],
                    "amount": used,
                }
            )
