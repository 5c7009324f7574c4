"""Contacts in memory, with what is open with them."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.kit.real_fields import real_fields
from tests.unit.scripted import Scripted

_WIZARD = "base.partner.merge.automatic.wizard"

_DOCUMENT = "name partner_id state amount_total currency_id company_id"

#: Model -> its fields that the functions of contacts look at, on any version.
_FIELDS = {
    "res.partner": (
        "name is_company parent_id commercial_partner_id child_ids type email phone mobile vat "
        "street street2 zip city state_id country_id website comment ref function user_id "
        "company_id category_id active user_ids"
    ),
    "res.company": "name",
    "res.currency": "name",
    "res.users": "name partner_id active",
    "sale.order": f"{_DOCUMENT} date_order invoice_status delivery_status",
    "purchase.order": f"{_DOCUMENT} date_order invoice_status receipt_status",
    "account.move": (
        f"{_DOCUMENT} commercial_partner_id move_type payment_state amount_residual invoice_date "
        "invoice_date_due"
    ),
    "mail.message": (
        "date author_id partner_ids email_from subject message_type model res_id record_name"
    ),
    _WIZARD: "partner_ids dst_partner_id",
}


def models(major: int) -> dict[str, dict[str, Any]]:
    """Return the fields that are looked at, as the version has them."""
    return real_fields(major, _FIELDS) | {
        "res.partner.category": {"name": "char"},
        "res.country": {"name": "char", "code": "char"},
        "res.country.state": {"name": "char", "code": "char", "country_id": "many2one res.country"},
    }


def partner(number: int, name: str, company: int | None = None, **values: Any) -> dict[str, Any]:
    """Return a contact; a company of its own where none is given."""
    return {
        "id": number,
        "name": name,
        "is_company": False,
        "parent_id": company or False,
        "commercial_partner_id": company or number,
        "type": "contact",
        "active": True,
        "user_ids": [],
        "category_id": [],
        "child_ids": [],
        **values,
    }


class AddressBook(Scripted):
    """Azure with two people, and Acme, which is there twice."""

    def __init__(self, major: int = 19, policy: Policy | None = None) -> None:
        partners = [
            partner(7, "Azure Interior", is_company=True, email="info@azure.example"),
            partner(
                8,
                "Brandon Freeman",
                7,
                function="Creative Director",
                email="Brandon <brandon@azure.example>",
                phone="0470/11.22.33",
            ),
            partner(9, "Colleen Diaz", 7, email="colleen@azure.example", active=False),
            partner(
                20,
                "Acme Ltd",
                is_company=True,
                email="info@acme.example",
                phone="+44 20 7946 0958",
                vat="GB 123-456",
                street="High Street 1",
                zip="N1",
                city="London",
            ),
            partner(
                21, "ACME Limited", is_company=True, email="Info@Acme.example", phone="02079460958"
            ),
            partner(22, "Anna Berg", email="info@acme.example"),
        ]
        order = {"currency_id": 1, "amount_total": 100.0, "partner_id": 8}
        sale = {**order, "date_order": "2026-10-01 10:00:00"}
        records: dict[str, list[dict[str, Any]]] = {
            "res.partner": partners,
            "res.partner.category": [],
            "res.country": [
                {"id": 1, "name": "Belgium", "code": "BE"},
                {"id": 2, "name": "Germany", "code": "DE"},
            ],
            "res.country.state": [{"id": 1, "name": "Berlin", "code": "BE", "country_id": 2}],
            "res.company": [{"id": 1, "name": "My Company"}, {"id": 2, "name": "Other"}],
            "res.currency": [{"id": 1, "name": "EUR"}],
            "res.users": [],
            "sale.order": [
                {**sale, "id": 1, "name": "S1", "state": "draft", "invoice_status": "no"},
                {**sale, "id": 2, "name": "S2", "state": "sale", "invoice_status": "to invoice"},
                {**sale, "id": 3, "name": "S3", "state": "sale", "invoice_status": "invoiced"},
                {**sale, "id": 4, "name": "S4", "state": "cancel", "invoice_status": "no"},
            ],
            "purchase.order": [],
            "account.move": [
                {
                    **order,
                    "id": 5,
                    "name": "INV/1",
                    "commercial_partner_id": 7,
                    "state": "posted",
                    "move_type": "out_invoice",
                    "payment_state": "partial",
                    "amount_residual": 40.0,
                    "invoice_date_due": "2026-01-31",
                },
                {
                    **order,
                    "id": 6,
                    "name": "INV/2",
                    "commercial_partner_id": 7,
                    "state": "posted",
                    "move_type": "out_invoice",
                    "payment_state": "paid",
                    "amount_residual": 0.0,
                },
            ],
            "mail.message": [
                {
                    "id": 1,
                    "date": "2026-11-01 09:00:00",
                    "author_id": 8,
                    "partner_ids": [],
                    "subject": "Where is it?",
                    "message_type": "email",
                    "model": "sale.order",
                    "res_id": 2,
                    "record_name": "S2",
                }
            ],
        }
        for row in records["sale.order"]:
            row["delivery_status"] = "full" if row["name"] == "S3" else "pending"
        answers: dict[tuple[str, str], Any] = {(_WIZARD, "default_get"): {}}
        answers |= {(_WIZARD, "create"): self._begin, (_WIZARD, "action_merge"): self._merge}
        self.merged: list[dict[str, Any]] = []
        super().__init__(
            major, answers, policy, models(major), records=records, transient=[_WIZARD]
        )

    def _begin(self, call: Call) -> int:
        self.merged.append(dict(call.arguments["vals_list"]))
        return len(self.merged)

    def _merge(self, call: Call) -> dict[str, Any]:
        """Merge as Odoo does: what points to the others points to the target."""
        asked = self.merged[(call.ids or (0,))[0] - 1]
        target, ids = asked["dst_partner_id"], asked["partner_ids"][0][2]
        gone = [number for number in ids if number != target]
        rows = self.server.records["res.partner"]
        kept = next(row for row in rows if row["id"] == target)
        for source in [row for row in rows if row["id"] in gone]:
            for name, value in source.items():
                kept[name] = kept.get(name) or value
            rows.remove(source)
        for table in self.server.records.values():
            for row in table:
                for name in ("partner_id", "parent_id", "commercial_partner_id", "author_id"):
                    if row.get(name) in gone:
                        row[name] = target
        return {
            "type": "ir.actions.act_window",
            "res_model": _WIZARD,
            "res_id": (call.ids or (0,))[0],
            "target": "new",
        }
