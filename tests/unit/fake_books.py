"""The books of a small company in memory: items that are grouped, reconciled and credited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.unit.fake_accounting import MODELS, RECORDS
from tests.unit.scripted import Scripted

_AMOUNTS = ("debit", "credit", "balance", "amount_residual", "amount_residual_currency")
_ITEM_LINKS = {
    "account_id": "many2one account.account",
    "partner_id": "many2one res.partner",
    "company_id": "many2one res.company",
    "currency_id": "many2one res.currency",
    "matched_debit_ids": "one2many account.partial.reconcile credit_move_id",
    "matched_credit_ids": "one2many account.partial.reconcile debit_move_id",
}
_PARTIAL = {
    "debit_move_id": "many2one account.move.line",
    "credit_move_id": "many2one account.move.line",
    "max_date": "date",
    "create_uid": "many2one res.users",
    "create_date": "datetime",
    "full_reconcile_id": "many2one account.full.reconcile",
    **dict.fromkeys(("amount", "debit_amount_currency", "credit_amount_currency"), "monetary"),
}
_EXCHANGE = {"exchange_move_id": "many2one account.move"}
#: id -> code, name, internal group, type.
ACCOUNTS = {
    10: ("101000", "Bank", "asset", "asset_cash"),
    11: ("121000", "Receivable", "asset", "asset_receivable"),
    12: ("211000", "Payable", "liability", "liability_payable"),
    13: ("301000", "Capital", "equity", "equity"),
    14: ("400000", "Sales", "income", "income"),
    15: ("600000", "Costs", "expense", "expense"),
    16: ("900000", "Memo", "off", "off_balance"),
}


def item(number: int, account: int, balance: float, day: str, **values: Any) -> dict[str, Any]:
    """Return a posted journal item that nothing has settled."""
    return {
        "id": number,
        "account_id": account,
        "date": day,
        "debit": max(balance, 0.0),
        "credit": max(-balance, 0.0),
        "balance": balance,
        "amount_residual": balance,
        "amount_residual_currency": balance,
        "currency_id": 2,
        "parent_state": "posted",
        "company_id": 1,
        "reconciled": False,
        **values,
    }


class Ledger(Scripted):
    """A company whose fiscal year ends in June, on a version.

    Args:
        major: the version.
        items: the journal items, and the lines of the invoices.
        moves: the invoices.
        partials: what is reconciled.
        groups: those that the connected user is in.
        policy: what may be called.
    """

    def __init__(
        self,
        major: int,
        items: Sequence[Mapping[str, Any]] = (),
        *,
        moves: Sequence[Mapping[str, Any]] = (),
        partials: Sequence[Mapping[str, Any]] = (),
        groups: Sequence[str] = ("account.group_account_invoice",),
        policy: Policy | None = None,
    ) -> None:
        models = {name: dict(fields) for name, fields in MODELS.items()}
        models["res.company"] |= {
            "currency_id": "many2one res.currency",
            "fiscalyear_last_day": "integer",
            "fiscalyear_last_month": "selection",
        }
        models["account.move"] |= {
            **dict.fromkeys(("date", "invoice_date_due"), "date"),
            **dict.fromkeys(("ref", "invoice_origin"), "char"),
            ("payment_id" if major < 18 else "origin_payment_id"): "many2one account.payment",
            "line_ids": "one2many account.move.line move_id",
            # Not all lines of an invoice are those that people write.
            "invoice_line_ids": "many2many account.move.line",
        }
        models["account.move.line"] |= {
            **_ITEM_LINKS,
            **dict.fromkeys((*_AMOUNTS, "price_subtotal", "price_total"), "monetary"),
            **dict.fromkeys(("date", "date_maturity"), "date"),
            "parent_state": "selection",
            "reconciled": "boolean",
            "discount": "float",
            "display_type": "selection",
        }
        old, companies = major < 16, major >= 18
        type_field = "account_internal_type" if old else "account_type"
        models["account.move.line"][type_field] = "selection"
        models["account.account"] = {
            "code": "char",
            "name": "char",
            "internal_group": "selection",
            **({"company_ids": "many2many res.company"} if companies else {}),
            **({} if companies else {"company_id": "many2one res.company"}),
        }
        # From 16 on, what is settled in part knows its exchange difference, too.
        models["account.partial.reconcile"] = {**_PARTIAL, **({} if old else _EXCHANGE)}
        models["account.full.reconcile"] = _EXCHANGE
        models["account.payment.register"] |= {
            "payment_difference_handling": "selection",
            "writeoff_account_id": "many2one account.account",
            "writeoff_label": "char",
        }
        if major < 17:
            models["account.move.reversal"] |= {"refund_method": "selection", "date_mode": "char"}
            del models["res.company"]["parent_ids"]
        records = {name: [dict(row) for row in rows] for name, rows in RECORDS.items()}
        records["res.company"][0] |= {
            "currency_id": 2,
            "fiscalyear_last_day": 30,
            "fiscalyear_last_month": "6",
        }
        records["account.journal"].append(
            {"id": 9, "name": "Misc", "type": "general", "company_id": 1}
        )
        records["account.account"] = [
            {
                "id": number,
                "code": code,
                "name": name,
                "internal_group": group,
                **({"company_ids": [1]} if companies else {"company_id": 1}),
            }
            for number, (code, name, group, _) in ACCOUNTS.items()
        ]
        records["account.move"] = [dict(move) for move in moves]
        types = {
            number: kind.partition("_")[2] if old else kind
            for number, (*_, kind) in ACCOUNTS.items()
        }
        records["account.move.line"] = [
            {type_field: types.get(row["account_id"], ""), **row} for row in items
        ]
        records["account.partial.reconcile"] = [
            {"id": number, **partial} for number, partial in enumerate(partials, 1)
        ]
        for row in records["account.move.line"]:
            for field, own in (
                ("matched_debit_ids", "credit_move_id"),
                ("matched_credit_ids", "debit_move_id"),
            ):
                row[field] = [
                    partial["id"]
                    for partial in records["account.partial.reconcile"]
                    if partial[own] == row["id"]
                ]
        answers: dict[tuple[str, str], Any] = {
            ("res.users", "has_group"): lambda call: call.arguments["group_ext_id"] in groups,
            ("account.move.line", "read_group"): self._group,
            ("account.partial.reconcile", "read_group"): self._group,
            ("account.move", "action_post"): self._post,
            ("account.move", "button_draft"): lambda call: self._become(call, "draft"),
            ("account.move", "button_cancel"): lambda call: self._become(call, "cancel"),
            ("account.move", "js_assign_outstanding_line"): self._assign,
            ("account.move", "js_remove_outstanding_partial"): self._remove,
        }
        super().__init__(major, answers, policy, models, records=records)

    def row(self, model: str, number: int) -> dict[str, Any]:
        """Return a record as it is now."""
        return next(row for row in self.server.records[model] if row["id"] == number)

    def _group(self, call: Call) -> list[dict[str, Any]]:
        """Group as all versions do: an empty group of nothing is a row without sums."""
        asked = call.arguments
        by = asked["groupby"]
        names = [field.partition(":")[0] for field in asked["fields"]]
        shown = Call(
            model=call.model,
            method="search_read",
            arguments={"domain": asked["domain"], "fields": [*by, *names]},
        )
        rows: dict[Any, dict[str, Any]] = {}
        for row in self.server._kept.answer(shown):
            key = tuple(row[field] and tuple(row[field]) for field in by)
            group = rows.setdefault(key, {field: row[field] for field in by})
            for name in names:
                group[name] = group.get(name, 0.0) + row[name]
        empty = [dict.fromkeys(names, None if call.model and self.version.major < 17 else False)]
        return list(rows.values()) or ([] if by else empty)

    def _post(self, call: Call) -> Any:
        return self._become(call, "posted", name=f"INV/{(call.ids or (0,))[0]}")

    def _become(self, call: Call, state: str, **values: Any) -> Any:
        for number in call.ids or ():
            self.row("account.move", number).update(state=state, **values)
        return None

    def _remove(self, call: Call) -> Any:
        """Take off what is named, of whatever invoice it is, as Odoo does."""
        partials = self.server.records["account.partial.reconcile"]
        partial = self.row("account.partial.reconcile", call.arguments["partial_id"])
        partials.remove(partial)
        for side in ("debit", "credit"):
            number = self.row("account.move.line", partial[f"{side}_move_id"]).get("move_id")
            for move in self.server.records["account.move"]:
                if move["id"] == number:
                    move["amount_residual"] += partial["amount"]
        return True

    def _assign(self, call: Call) -> Any:
        credit = self.row("account.move.line", call.arguments["line_id"])
        (number,) = call.ids or (0,)
        move = self.row("account.move", number)
        items = self.server.records["account.move.line"]
        own = next((row for row in items if row.get("move_id") == number), None)
        left = move.get("amount_residual", 0.0)
        amount = min(abs(credit["amount_residual"]), left)
        credit["reconciled"] = True
        move["amount_residual"] = left - amount
        values = {"credit_move_id": credit["id"], "amount": amount, "max_date": credit["date"]}
        if own is None:
            own = {"id": 900 + number, "move_id": number}
            items.append(own)
        values |= {"debit_move_id": own["id"]}
        create = Call(
            model="account.partial.reconcile", method="create", arguments={"vals_list": values}
        )
        self.server._kept.answer(create)
        return None
