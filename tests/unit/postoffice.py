"""An Odoo in memory that sends e-mails: each is a message on its document, with notifications."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.policy import Policy
from tests.unit.scripted import Scripted

MODELS: dict[str, Any] = {
    "res.partner": {
        "name": "char",
        "email": "char",
        "email_normalized": "char",
        "active": "boolean",
        "commercial_partner_id": "many2one res.partner",
    },
    "res.users": {"name": "char", "partner_id": "many2one res.partner"},
    "sale.order": {
        "name": "char",
        "state": "selection",
        "partner_id": "many2one res.partner",
        "message_ids": "one2many mail.message res_id",
        "message_partner_ids": "many2many res.partner",
    },
    "account.move": {
        "name": "char",
        "state": "selection",
        "move_type": "selection",
        "partner_id": "many2one res.partner",
        "message_ids": "one2many mail.message res_id",
        "message_partner_ids": "many2many res.partner",
    },
    "stock.picking": {
        "name": "char",
        "state": "selection",
        "partner_id": "many2one res.partner",
        "message_ids": "one2many mail.message res_id",
        "message_partner_ids": "many2many res.partner",
    },
    "mail.message": {
        "model": "char",
        "res_id": "integer",
        "message_type": "char",
        "subject": "char",
        "body": "html",
        "attachment_ids": "many2many ir.attachment",
    },
    "mail.notification": {
        "mail_message_id": "many2one mail.message",
        "res_partner_id": "many2one res.partner",
        "notification_type": "char",
        "notification_status": "char",
        "failure_type": "char",
    },
    "ir.attachment": {
        "name": "char",
        "res_model": "char",
        "res_field": "char",
        "res_id": "integer",
    },
    "ir.actions.report": {"name": "char", "attachment": "char"},
}
FORMS = (
    "mail.compose.message",
    "account.invoice.send",
    "account.move.send",
    "account.move.send.wizard",
)
SENDS = ("action_send_mail", "send_and_print_action", "action_send_and_print")


class PostOffice(Scripted):
    """Order 5 and invoice 8 of contact 9; contact 10 has no address, 11 one that is none."""

    def __init__(
        self,
        major: int = 19,
        policy: Policy | None = None,
        *,
        state: str = "draft",
        outcome: str = "sent",
        link: bool = False,
        text: str = "",
        documents: int = 0,
    ) -> None:
        report = "report_template" if major < 17 else "report_template_ids"
        models = {
            **MODELS,
            "mail.template": {
                "name": "char",
                "model": "char",
                "body_html": "html",
                "attachment_ids": "many2many ir.attachment",
                report: "many2one ir.actions.report"
                if major < 17
                else "many2many ir.actions.report",
            },
            "product.document": {"attached_on_sale": "char", "res_id": "integer"},
            "sale.order.line": {
                "order_id": "many2one sale.order",
                "product_id": "many2one product.product",
                "product_template_id": "many2one product.template",
            },
            "product.product": {"name": "char"},
            "product.template": {"name": "char"},
            **{form: {"subject": "char"} for form in FORMS},
        }
        body = "<p>Dear <a t-att-href='object.get_portal_url()'/></p>" if link else "<p>Dear</p>"
        body += text
        template = {"attachment_ids": [], "body_html": body}
        partners = [
            {"id": 3, "name": "Me", "email": "me@example.com"},
            {"id": 9, "name": "Azure", "email": "azure@example.com"},
            {"id": 10, "name": "Silent", "email": False},
            {"id": 11, "name": "Odd", "email": "odd at home"},
            {"id": 12, "name": "Ann", "email": "Ann <shared@example.com>"},
            {"id": 13, "name": "Bob", "email": "shared@example.com"},
            {"id": 14, "name": "Follower", "email": "f@example.com"},
        ]
        for partner in partners:
            address = str(partner["email"] or "").rpartition("<")[2].rstrip(">")
            partner |= {"email_normalized": address or False, "active": True}
        common = {"partner_id": 9, "message_ids": [], "message_partner_ids": [3, 14]}
        records: dict[str, list[dict[str, Any]]] = {
            "res.partner": partners,
            "res.users": [{"id": 2, "name": "Me", "partner_id": 3}],
            "sale.order": [{"id": 5, "name": "S00005", "state": state, **common}],
            "account.move": [
                {"id": 8, "name": "INV/8", "state": "posted", "move_type": "out_invoice", **common},
                {"id": 7, "name": "INV/7", "state": "draft", "move_type": "out_invoice", **common},
                {"id": 6, "name": "MISC/6", "state": "posted", "move_type": "entry", **common},
            ],
            "stock.picking": [{"id": 4, "name": "WH/OUT/4", "state": "done", **common}],
            "mail.message": [],
            "sale.order.line": [
                {"id": 1, "order_id": 5, "product_id": 7, "product_template_id": 6}
            ],
            "product.product": [{"id": 7, "name": "Lamp"}],
            "product.template": [{"id": 6, "name": "Lamp"}],
            "product.document": [
                {"id": n + 1, "attached_on_sale": "quotation", "res_id": 7}
                for n in range(documents)
            ],
            "mail.notification": [],
            "ir.attachment": [
                {"id": 1, "name": "S00005.pdf", "res_model": "sale.order", "res_id": 5}
            ],
            "ir.actions.report": [
                {"id": 1, "name": "Quotation", "attachment": False},
                {"id": 2, "name": "Invoices", "attachment": "'x.pdf'"},
            ],
            "mail.template": [
                {"id": 21, "name": "Quotation", "model": "sale.order", **template}
                | {report: 1 if major < 17 else [1]},
                {"id": 22, "name": "Invoice", "model": "account.move", **template}
                | {report: 2 if major < 17 else [2]},
                {"id": 23, "name": "Slip", "model": "stock.picking", **template}
                | {report: False if major < 17 else []},
            ],
        }
        super().__init__(major, {}, policy, models, records=records)
        self.outcome = outcome
        #: What the forms hold, by model.
        self.forms: dict[str, dict[str, Any]] = {}
        order = {"default_template_id": 21, "mark_so_as_sent": True}
        key = "default_template_id" if major < 17 else "default_mail_template_id"
        self.answers["sale.order", "action_quotation_send"] = {"context": order}
        for method in ("action_invoice_sent", "action_send_and_print"):
            self.answers["account.move", method] = {"context": {key: 22}}
        self.answers["mail.template", "generate_email"] = {
            "subject": "Subject of it",
            "body": "<p>Text of it</p>",
            "attachments": [["S00005.pdf", "JVBERi0="]],
        }
        for form in FORMS:
            self.answers[form, "create"] = self._filled_in
            self.answers[form, "write"] = self._changed
            self.answers[form, "onchange"] = self._onchange
            self.answers[form, "onchange_template_id"] = None
            for method in SENDS:
                self.answers[form, method] = self._posted

    def _filled_in(self, call: Call) -> list[int]:
        self.forms[call.model] = dict(call.arguments["vals_list"])
        return [1]

    def _changed(self, call: Call) -> bool:
        self.forms[call.model].update(call.arguments["vals"])
        return True

    def _onchange(self, call: Call) -> Any:
        files = [[6, 0, [1]]] if self.version.major < 17 else [{"name": "S00005.pdf"}]
        value = {"subject": "Subject of it", "body": "<p>Text of it</p>"}
        value |= {f"mail_{name}": text for name, text in value.items()}
        value |= {"attachment_ids": files, "mail_attachments_widget": files}
        return {"value": value}

    def _posted(self, call: Call) -> Any:
        form = self.forms[call.model]
        invoice = call.model != "mail.compose.message"
        model = "account.move" if invoice else form["model"]
        record = 8 if invoice else int(str(form.get("res_id") or form["res_ids"]).strip("[]"))
        records = self.server.records
        message = {
            "id": len(records["mail.message"]) + 1,
            "model": model,
            "res_id": record,
            "message_type": "comment",
            "subject": form.get("subject") or form.get("mail_subject") or "Subject of it",
            "attachment_ids": [1],
            "create_uid": 2,
            "create_date": "2030-01-01 00:00:00",
        }
        records["mail.message"].append(message)
        partners = form.get("partner_ids") or form["mail_partner_ids"]
        for partner in [*partners[0][2], 14]:
            records["mail.notification"].append(
                {
                    "id": len(records["mail.notification"]) + 1,
                    "mail_message_id": message["id"],
                    "res_partner_id": partner,
                    "notification_type": "email",
                    "notification_status": self.outcome,
                    "failure_type": "mail_smtp" if self.outcome == "exception" else False,
                }
            )
        if call.context.get("mark_so_as_sent"):
            records["sale.order"][0]["state"] = "sent"
        return {"type": "ir.actions.act_window_close"}
