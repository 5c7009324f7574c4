"""A small company in memory whose customers owe it something, and that writes e-mails."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing.descriptions import described
from tests.unit.fake_books import Ledger, item
from tests.unit.postoffice import MODELS

_FORM = "mail.compose.message"
_MAILED = ("res.partner", "mail.message", "mail.notification")


def invoice(number: int, partner: int, **values: Any) -> dict[str, Any]:
    """Return a posted invoice that is not paid."""
    return {
        "id": number,
        "name": f"INV/{number}",
        "display_name": f"INV/{number}",
        "move_type": "out_invoice",
        "state": "posted",
        "payment_state": "not_paid",
        "partner_id": partner,
        "company_id": 1,
        "invoice_date": "2025-08-01",
        "message_partner_ids": [3, 14],
        **values,
    }


def owed(number: int, move: int, partner: int, amount: float, due: str, **values: Any) -> Any:
    """Return an open item of an invoice."""
    about = {"move_id": move, "partner_id": partner, "date_maturity": due, **values}
    return item(number, 11, amount, "2025-08-01", **about)


#: Azure (9) owes 115 since September and an instalment that is not due for long; Silent (10)
#: has no address; Ann (12), a contact of Azure, got an invoice of hers.
MOVES = [
    invoice(101, 9),
    invoice(102, 12),
    invoice(103, 10),
    invoice(104, 13, payment_state="in_payment"),
]
ITEMS = [
    owed(1, 101, 9, 100.0, "2025-09-30"),
    owed(2, 101, 9, 50.0, "2099-09-30"),
    owed(3, 102, 9, 15.0, "2025-10-15"),
    owed(4, 103, 10, 70.0, "2025-09-30"),
    owed(5, 104, 13, 70.0, "2025-09-30"),
]
PARTNERS: list[dict[str, Any]] = [
    {"id": 3, "name": "Me", "email": "me@example.com"},
    {"id": 9, "name": "Azure", "email": "azure@example.com"},
    {"id": 10, "name": "Silent", "email": False},
    {"id": 12, "name": "Ann", "email": "ann@example.com", "commercial_partner_id": 9},
    {"id": 13, "name": "Bob", "email": "bob@example.com"},
    {"id": 14, "name": "Follower", "email": "f@example.com"},
]


class Dunning(Ledger):
    """What :data:`ITEMS` say, and a composer whose e-mails have this outcome."""

    def __init__(
        self,
        major: int = 19,
        *,
        more: Any = (),
        moves: Any = (),
        outcome: str = "sent",
        groups: Any = ("account.group_account_invoice",),
        policy: Policy | None = None,
    ) -> None:
        super().__init__(
            major, [*ITEMS, *more], moves=[*MOVES, *moves], groups=groups, policy=policy
        )
        more_fields: dict[str, dict[str, Any]] = {name: dict(MODELS[name]) for name in _MAILED}
        more_fields["mail.message"] |= {"partner_ids": "many2many res.partner", "date": "datetime"}
        more_fields["account.move"] = {
            "message_partner_ids": "many2many res.partner",
            "payment_reference": "char",
        }
        more_fields["res.users"] = {"partner_id": "many2one res.partner"}
        more_fields["account.move.line"] = {"blocked": "boolean", "amount_currency": "monetary"}
        more_fields[_FORM] = {"subject": "char"}
        models = self.server._models
        for name, fields in more_fields.items():
            models[name] = {**models.get(name, {}), **described(fields, logged=True)}
        records = self.server.records
        records["res.partner"] = [
            {"active": True, "commercial_partner_id": row["id"], **row} for row in PARTNERS
        ]
        records["res.users"][0]["partner_id"] = 3
        records["mail.message"], records["mail.notification"] = [], []
        self.outcome = outcome
        self.form: dict[str, Any] = {}
        self.answers[_FORM, "create"] = self._filled_in
        self.answers[_FORM, "action_send_mail"] = self._posted

    def _filled_in(self, call: Call) -> list[int]:
        self.form = dict(call.arguments["vals_list"])
        return [1]

    def _posted(self, call: Call) -> Any:
        records = self.server.records
        partners = self.form["partner_ids"][0][2]
        message = {
            "id": len(records["mail.message"]) + 1,
            "model": self.form["model"],
            "res_id": int(str(self.form.get("res_id") or self.form["res_ids"]).strip("[]")),
            "message_type": "comment",
            "subject": self.form["subject"],
            "partner_ids": partners,
            "create_uid": 2,
            "date": "2090-01-01 00:00:00",
            "create_date": "2090-01-01 00:00:00",
        }
        records["mail.message"].append(message)
        records["mail.notification"] += [
            {
                "id": len(records["mail.notification"]) + place,
                "mail_message_id": message["id"],
                "res_partner_id": partner,
                "notification_type": "email",
                "notification_status": self.outcome,
                "failure_type": "mail_smtp" if self.outcome == "exception" else False,
            }
            for place, partner in enumerate([*partners, 14], 1)
        ]
        return {"type": "ir.actions.act_window_close"}
