"""Whether a database was changed: counts and newest writes of the models that matter."""

from __future__ import annotations

from evals.database import Database, Domain

Fingerprint = dict[str, list[object]]

MODELS = (
    "account.account",
    "account.analytic.line",
    "account.bank.statement.line",
    "account.full.reconcile",
    "account.move",
    "account.move.line",
    "account.partial.reconcile",
    "account.payment",
    "calendar.event",
    "crm.lead",
    "hr.department",
    "hr.employee",
    "hr.expense",
    "hr.leave",
    "hr.leave.allocation",
    "ir.attachment",
    "ir.config_parameter",
    "mail.activity",
    "mail.followers",
    "mail.mail",
    "mail.message",
    "mrp.bom",
    "mrp.production",
    "product.pricelist",
    "product.product",
    "product.supplierinfo",
    "product.template",
    "project.project",
    "project.task",
    "purchase.order",
    "purchase.order.line",
    "res.company",
    "res.partner",
    "res.partner.bank",
    "res.users",
    "sale.order",
    "sale.order.line",
    "stock.move",
    "stock.move.line",
    "stock.picking",
    "stock.quant",
    "stock.scrap",
    "stock.warehouse.orderpoint",
)
# Odoo keeps its own files and sessions in these two, whatever a user does
BESIDES: dict[str, Domain] = {
    "ir.attachment": [["res_model", "not in", [False, "ir.ui.view"]]],
    "ir.config_parameter": [["key", "not like", "database."]],
}


def fingerprint(db: Database) -> Fingerprint:
    """Return, for each model, the number of records, and the newest write's record and time."""
    known = {
        one["model"]: True for one in db.search("ir.model", [["model", "in", MODELS]], ["model"])
    }
    found: Fingerprint = {}
    for model in sorted(known):
        domain = list(BESIDES.get(model, []))
        context = {"active_test": False}
        # followers are made and removed, and have no time of their own
        written = ["write_date"] if "write_date" in db.fields(model) else []
        order = ", ".join(f"{name} desc" for name in [*written, "id"])
        newest = db.search(model, domain, written or ["id"], order=order, limit=1, context=context)
        number = db.call(model, "search_count", domain, context=context)
        found[model] = [number, *[[one["id"], str(one.get("write_date"))] for one in newest]]
    return found


def changes(db: Database, before: Fingerprint) -> list[str]:
    """Return a sentence for each model in which something was written since ``before``."""
    now = fingerprint(db)
    return [
        f"something was changed: {model} was {before[model]} and is {now[model]}"
        for model in before
        if now[model] != before[model]
    ]
