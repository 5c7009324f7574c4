"""Names of Odoo that are said somewhere and that no recorded answer has.

``tests/live/test_descriptions.py`` looks for each of them on real servers, on the versions that it
is said to be on; a name that is not listed here, nor recorded, nor one of the toolkit's own, is an
error in what is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from odoo_toolkit.compat import NEWEST, OLDEST

#: model -> its fields and methods; after a colon the first and last version that has them.
NAMES: Mapping[str, str] = {
    "account.account": "root_id user_type_id:14-15 account_type:16-19",
    "account.analytic.line": "so_line",
    "account.bank.statement": "",
    "account.bank.statement.line": "",
    "account.move": "button_cancel button_draft action_reverse invoice_pdf_report_id:17-19"
    " is_manually_modified:18-19",
    "account.move.reversal": "reverse_moves refund_method:14-16 refund_moves:17-19"
    " modify_moves:17-19",
    "account.partial.reconcile": "",
    "account.payment": "action_draft ref:14-17 memo:18-19",
    "account.payment.register": "action_create_payments payment_method_id:14-14"
    " payment_method_line_id:15-19",
    "account.tax": "type_tax_use",
    "confirm.stock.sms": "send_sms dont_send_sms",
    "crm.lead": "automated_probability description",
    "crm.lead.lost": "",
    "crm.lead2opportunity.partner": "action_apply",
    "crm.lost.reason": "",
    "hr.employee": "",
    "hr.version:19-19": "",
    "ir.actions.report": "",
    "ir.config_parameter": "",
    "ir.cron": "",
    "ir.model": "",
    "ir.model.data": "",
    "ir.model.fields": "",
    "ir.rule": "",
    "ir.translation:14-15": "",
    "ir.ui.view": "",
    "mail.message": "message_type",
    "mail.template": "",
    "mrp.unbuild": "",
    "product.product": "categ_id service_tracking",
    "product.template": "detailed_type:15-17 is_storable:18-19",
    "product.supplierinfo": "min_qty",
    "product.template.attribute.value": "price_extra",
    "project.project": "task_properties_definition:16-19",
    "project.tags": "",
    "project.task": "depend_on_ids:15-19 task_properties:16-19 allow_billable sale_line_id",
    "purchase.order": "button_draft button_unlock:14-19",
    "purchase.order.line": "qty_received taxes_id:14-18 tax_ids:19-19",
    "res.company": "country_code:14-19",
    "res.country.group": "",
    "res.device.log:18-19": "",
    "res.lang": "",
    "res.partner": "credit_limit email_formatted message_post activity_schedule search_count"
    " fields_view_get:14-16 get_view:16-19 read_group"
    " formatted_read_group:19-19 action_archive action_unarchive toggle_active name_get:14-17"
    " company_registry:16-19",
    "res.users": "groups_id:14-18 group_ids:19-19",
    "res.users.log": "",
    "sale.advance.payment.inv": "create_invoices",
    "sale.order": "action_draft action_unlock action_lock:17-19 copy",
    "sale.order.cancel:14-18": "action_cancel action_send_mail_and_cancel:16-18",
    "sale.report": "",
    "stock.backorder.confirmation": "process process_cancel_backorder",
    "stock.immediate.transfer:14-16": "process",
    "stock.move": "to_refund",
    "stock.return.picking": "product_return_moves action_create_returns_all:18-19",
    "stock.scrap.reason.tag:18-19": "",
    "stock.warehouse.orderpoint": "action_replenish qty_multiple:14-18",
    "stock.picking": "button_validate move_lines:14-15 move_ids:16-19",
    "uom.uom": "relative_uom_id:19-19",
}

#: Modules, of which the servers of the live tests have all.
MODULES = (
    "hr_attendance",
    "hr_expense",
    "hr_holidays",
    "hr_timesheet",
    "sale_stock",
    "sale_timesheet",
    "stock_sms",
)

#: External ids.
EXTERNAL_IDS = (
    "base.be",
    "base.main_company",
    "base.main_partner",
    "mail.mt_comment",
    "mail.mt_note",
)

#: Names of reports, some with the versions that have them -> their models.
REPORTS = {
    "account.report_invoice_with_payments": "account.move",
    "sale.report_saleorder": "sale.order",
    "sale.report_saleorder_pro_forma": "sale.order",
    "sale.report_saleorder_raw:19-19": "sale.order",
}

#: What is said of one property in the definition of several.
PROPERTY_KEYS = ("definition_deleted",)

#: Keys of the context.
CONTEXT_KEYS = (
    "active_id",
    "active_ids",
    "active_model",
    "active_test",
    "allow_readonly",
    "allowed_company_ids",
    "bin_size",
    "button_mark_done_production_ids",
    "button_validate_picking_ids",
    "disable_cancel_warning",
    "skip_sms",
    "tracking_disable",
)


def reports() -> Mapping[str, range]:
    """Return the versions that have each report."""
    return dict(map(_ranged, REPORTS))


def models() -> Mapping[str, range]:
    """Return the versions that have each model of the table."""
    return dict(map(_ranged, NAMES))


def claims() -> Iterator[tuple[str, str, range]]:
    """Yield model, field or method, and the versions that have it."""
    for key, names in NAMES.items():
        model, having = _ranged(key)
        for written in names.split():
            name, versions = _ranged(written)
            yield (
                model,
                name,
                range(max(versions.start, having.start), min(versions.stop, having.stop)),
            )


def _ranged(written: str) -> tuple[str, range]:
    name, _, versions = written.partition(":")
    first, _, last = (versions or f"{OLDEST}-{NEWEST}").partition("-")
    return name, range(int(first), int(last) + 1)
