"""The orders in which Odoo's own models list their records, and which of them tell all apart.

Without an order, Odoo lists records by the model's own. Where that leaves some equal, PostgreSQL
arranges them otherwise for each page: some come twice, and others never. No call gives a model's
order to an ordinary user, so that it is known here, for the models of Odoo's own modules;
``tests/live/test_own_orders.py`` compares it with each version.
"""

from __future__ import annotations

from collections.abc import Container

#: Model -> version from which on -> its order; empty where that tells all records apart.
_LEAVE_SOME_EQUAL: dict[str, dict[int, str]] = {
    "account.account": {
        14: "is_off_balance, code, company_id",
        17: "code, company_id",
        18: "code, placeholder_code",
    },
    "account.account.template": {14: "code"},
    "account.analytic.account": {14: "code, name", 16: "plan_id, name"},
    "account.analytic.default": {14: "sequence"},
    "account.analytic.plan": {16: "complete_name", 17: ""},
    "account.bank.statement": {14: "", 16: "first_line_index desc"},
    "account.bank.statement.line": {14: "", 16: "internal_index desc"},
    "account.cashbox.line": {14: "coin_value"},
    "account.fiscal.position": {14: "sequence"},
    "account.group": {14: "code_prefix_start"},
    "account.group.template": {14: "code_prefix_start"},
    "account.invoice.report": {14: "invoice_date desc"},
    "account.journal": {14: "sequence, type, code"},
    "account.payment": {14: "date desc, name desc"},
    "account.payment.method": {14: "sequence", 15: ""},
    "account.tax.group": {14: "sequence", 16: ""},
    "account.tax.report": {14: "country_id, name"},
    "account.tax.report.line": {14: "sequence", 15: ""},
    "barcode.rule": {14: "sequence", 15: ""},
    "calendar.attendee": {14: "", 15: "create_date"},
    "calendar.event": {14: "start desc"},
    "crm.recurring.plan": {14: "sequence"},
    "crm.team": {14: "sequence", 15: ""},
    "crm.team.member": {15: "create_date", 16: ""},
    "digest.tip": {14: "sequence"},
    "fetchmail.server": {14: "priority"},
    "helpdesk.tag": {14: "name"},
    "helpdesk.team": {14: "sequence, name"},
    "hr.attendance": {14: "check_in desc"},
    "hr.attendance.overtime": {15: "date desc"},
    "hr.attendance.overtime.line": {19: "time_start"},
    "hr.contract.history": {15: "is_under_contract"},
    "hr.contract.type": {15: "", 16: "sequence"},
    "hr.department": {14: "name"},
    "hr.departure.reason": {15: "sequence"},
    "hr.employee": {14: "name"},
    "hr.employee.public": {14: "name"},
    "hr.employee.skill": {17: "skill_type_id, skill_level_id"},
    "hr.employee.skill.log": {17: "employee_id, date"},
    "hr.job": {14: "", 15: "sequence"},
    "hr.job.skill": {19: "skill_type_id, skill_level_id desc"},
    "hr.leave": {14: "date_from desc"},
    "hr.leave.accrual.level": {15: "sequence"},
    "hr.leave.allocation": {14: "create_date desc"},
    "hr.leave.employee.type.report": {15: "date_from desc, employee_id"},
    "hr.leave.mandatory.day": {17: "start_date desc, end_date desc"},
    "hr.leave.report": {14: "date_from desc, employee_id"},
    "hr.leave.report.calendar": {14: "start_datetime desc, employee_id"},
    "hr.leave.stress.day": {16: "start_date desc, end_date desc"},
    "hr.leave.type": {14: "", 15: "sequence"},
    "hr.resume.line": {17: "line_type_id, date_end desc, date_start desc"},
    "hr.resume.line.type": {17: "sequence"},
    "hr.skill": {17: "sequence, name"},
    "hr.skill.level": {17: "level_progress desc", 19: "level_progress"},
    "hr.skill.type": {17: "name", 19: "sequence, name"},
    "hr.version": {19: "date_version"},
    "hr.work.location": {15: "name"},
    "ir.actions.act_url": {14: "name", 19: ""},
    "ir.actions.act_window": {14: "name", 19: ""},
    "ir.actions.act_window_close": {14: "name", 19: ""},
    "ir.actions.actions": {14: "name", 19: ""},
    "ir.actions.client": {14: "name", 19: ""},
    "ir.actions.report": {14: "name", 17: ""},
    "ir.actions.server": {14: "sequence, name", 19: ""},
    "ir.config_parameter": {14: "key"},
    "ir.cron": {14: "cron_name", 19: ""},
    "ir.exports": {14: "name", 19: ""},
    "ir.mail_server": {14: "sequence", 17: ""},
    "ir.model": {14: "is_mail_thread desc, name"},
    "ir.model.data": {14: "module, model, name"},
    "ir.model.fields": {14: "name", 19: ""},
    "ir.module.category": {14: "name", 19: ""},
    "ir.module.module": {14: "application desc, sequence, name"},
    "ir.sequence": {14: "name", 19: ""},
    "ir.ui.view.custom": {14: "create_date desc", 19: ""},
    "mail.activity": {14: "date_deadline", 16: ""},
    "mail.alias": {14: "alias_model_id, alias_name"},
    "mail.template": {14: "name", 17: ""},
    "mail.tracking.value": {14: "tracking_sequence", 17: ""},
    "mrp.bom": {14: "sequence", 15: ""},
    "mrp.workcenter.tag": {15: "name"},
    "payment.acquirer": {
        14: "module_state, state, sequence, name",
        15: "module_state, state desc, sequence, name",
    },
    "payment.icon": {14: "", 15: "sequence, name"},
    "payment.method": {17: "active desc, sequence, name"},
    "payment.provider": {16: "module_state, state desc, sequence, name"},
    "product.category": {14: "complete_name"},
    "product.document": {17: "name", 18: "sequence, name"},
    "product.packaging": {14: "sequence", 15: ""},
    "product.supplierinfo": {14: "sequence, min_qty desc, price", 15: ""},
    "product.template": {14: "name", 15: "priority desc, name", 18: "is_favorite desc, name"},
    "project.milestone": {
        15: "deadline, is_reached desc, name",
        19: "sequence, deadline, is_reached desc, name",
    },
    "project.profitability.report": {14: "project_id, sale_line_id"},
    "project.tags": {14: "", 17: "name"},
    "project.task.burndown.chart.report": {15: "date"},
    "project.update": {15: "date desc", 17: ""},
    "purchase.bill.line.match": {18: "product_id, aml_id, pol_id"},
    "purchase.bill.union": {14: "date desc, name desc"},
    "purchase.report": {14: "date_order desc, price_total desc"},
    "quotation.document": {18: "document_type desc, sequence, name"},
    "rating.rating": {14: "write_date desc", 16: ""},
    "report.layout": {14: "sequence", 19: ""},
    "report.project.task.user": {14: "name desc, project_id"},
    "res.bank": {14: "name", 19: ""},
    "res.company": {14: "sequence, name"},
    "res.country": {14: "name", 19: ""},
    "res.country.state": {14: "code", 19: ""},
    "res.currency": {14: "active desc, name"},
    "res.currency.rate": {14: "name desc", 19: ""},
    "res.device": {18: "last_activity desc"},
    "res.groups": {14: "name", 19: ""},
    "res.lang": {14: "active desc, name"},
    "res.partner": {14: "display_name", 16: ""},
    "res.partner.category": {14: "name", 19: ""},
    "res.partner.industry": {14: "name", 19: ""},
    "res.partner.title": {14: "name"},
    "res.users": {14: "name, login"},
    "resource.calendar.attendance": {
        14: "week_type, dayofweek, hour_from",
        17: "sequence, week_type, dayofweek, hour_from",
    },
    "resource.calendar.leaves": {14: "date_from"},
    "resource.resource": {14: "", 15: "name"},
    "sale.pdf.form.field": {18: "name"},
    "sale.report": {14: "date desc"},
    "spreadsheet.dashboard": {16: "sequence"},
    "spreadsheet.dashboard.group": {16: "sequence"},
    "stock.inventory.line": {14: "product_id, inventory_id, location_id, prod_lot_id"},
    "stock.location": {14: "complete_name", 15: ""},
    "stock.location.route": {14: "sequence"},
    "stock.putaway.rule": {14: "sequence, product_id"},
    "stock.quant.package": {14: "name"},
    "stock.route": {16: "sequence"},
    "stock.storage.category": {15: "name"},
    "stock.storage.category.capacity": {15: "storage_category_id"},
    "uom.uom": {14: "name", 15: ""},
    "utm.medium": {14: "name"},
    "utm.stage": {14: "sequence"},
    "utm.tag": {14: "name"},
}

_NAMES = """
    account.account.tag account.account.type account.analytic.applicability
    account.analytic.distribution account.analytic.distribution.model account.analytic.group
    account.analytic.line account.analytic.line.calendar.employee account.analytic.tag
    account.bank.statement.cashbox account.cash.rounding account.chart.template
    account.code.mapping account.edi.document account.edi.format
    account.fiscal.position.account account.fiscal.position.account.template
    account.fiscal.position.tax account.fiscal.position.tax.template
    account.fiscal.position.template account.full.reconcile account.incoterms
    account.journal.group account.lock_exception account.move account.move.line
    account.partial.reconcile account.payment.method.line account.payment.term
    account.payment.term.line account.reconcile.model account.reconcile.model.line
    account.reconcile.model.line.template account.reconcile.model.partner.mapping
    account.reconcile.model.template account.report account.report.column
    account.report.expression account.report.external.value account.report.line account.root
    account.tax account.tax.carryover.line account.tax.repartition.line
    account.tax.repartition.line.template account.tax.template auth.passkey.key
    auth_totp.device barcode.nomenclature base.geo_provider base_import.mapping
    base_import.tests.models.char base_import.tests.models.char.noreadonly
    base_import.tests.models.char.readonly base_import.tests.models.char.required
    base_import.tests.models.char.states base_import.tests.models.char.stillreadonly
    base_import.tests.models.complex base_import.tests.models.float
    base_import.tests.models.m2o base_import.tests.models.m2o.related
    base_import.tests.models.m2o.required base_import.tests.models.m2o.required.related
    base_import.tests.models.o2m base_import.tests.models.o2m.child
    base_import.tests.models.preview bus.bus bus.presence calendar.alarm calendar.contacts
    calendar.event.type calendar.filters calendar.recurrence crm.activity.report
    crm.iap.lead.helpers crm.iap.lead.industry crm.iap.lead.mining.request crm.iap.lead.role
    crm.iap.lead.seniority crm.lead crm.lead.scoring.frequency
    crm.lead.scoring.frequency.field crm.lost.reason crm.stage crm.tag decimal.precision
    digest.digest discuss.call.history discuss.channel discuss.channel.member
    discuss.channel.rtc.session discuss.gif.favorite discuss.voice.metadata helpdesk.stage
    helpdesk.ticket hr.attendance.overtime.rule hr.attendance.overtime.ruleset
    hr.attendance.report hr.contract hr.employee.category hr.employee.location hr.expense
    hr.expense.sheet hr.leave.accrual.plan hr.leave.attendance.report
    hr.payroll.structure.type hr.plan hr.plan.activity.type hr.timesheet.attendance.report
    html_editor.converter.test html_editor.converter.test.sub iap.account iap.service
    ir.actions.act_window.view ir.actions.server.history ir.actions.todo ir.asset
    ir.attachment ir.cron.progress ir.cron.trigger ir.default ir.embedded.actions
    ir.exports.line ir.filters ir.logging ir.model.access ir.model.constraint
    ir.model.fields.selection ir.model.inherit ir.model.relation ir.module.module.dependency
    ir.module.module.exclusion ir.profile ir.property ir.rule ir.sequence.date_range
    ir.server.object.lines ir.translation ir.ui.menu ir.ui.view mail.activity.plan
    mail.activity.plan.template mail.activity.type mail.alias.domain mail.blacklist
    mail.canned.response mail.channel mail.channel.member mail.channel.partner
    mail.channel.rtc.session mail.followers mail.gateway.allowed mail.guest mail.ice.server
    mail.link.preview mail.mail mail.message mail.message.link.preview mail.message.reaction
    mail.message.schedule mail.message.subtype mail.message.translation mail.moderation
    mail.notification mail.notification.web.push mail.partner.device mail.presence mail.push
    mail.push.device mail.scheduled.message mail.shortcode mrp.bom.byproduct mrp.bom.line
    mrp.document mrp.production mrp.production.group mrp.routing.workcenter mrp.unbuild
    mrp.workcenter mrp.workcenter.capacity mrp.workcenter.productivity
    mrp.workcenter.productivity.loss mrp.workcenter.productivity.loss.type mrp.workorder
    onboarding.onboarding onboarding.onboarding.step onboarding.progress
    onboarding.progress.step payment.token payment.transaction phone.blacklist privacy.log
    procurement.group product.attribute product.attribute.custom.value product.attribute.value
    product.combo product.combo.item product.pricelist product.pricelist.item product.product
    product.removal product.tag product.template.attribute.exclusion
    product.template.attribute.line product.template.attribute.value product.uom product.value
    project.collaborator project.project project.project.stage project.role
    project.sale.line.employee.map project.task project.task.recurrence
    project.task.stage.personal project.task.type properties.base.definition purchase.order
    purchase.order.line report.all.channels.sales report.paperformat report.stock.quantity
    res.country.group res.device.log res.groups.privilege res.partner.autocomplete.sync
    res.partner.bank res.role res.users.apikeys res.users.deletion res.users.log
    res.users.settings res.users.settings.embedded.action res.users.settings.volumes
    resource.calendar resource.test sale.order sale.order.line sale.order.option
    sale.order.template sale.order.template.line sale.order.template.option sms.sms
    sms.template sms.tracker snailmail.letter spreadsheet.dashboard.share stock.inventory
    stock.lot stock.lot.report stock.move stock.move.line stock.package stock.package.history
    stock.package.type stock.package_level stock.picking stock.picking.type
    stock.production.lot stock.quant stock.reference stock.rule stock.scrap
    stock.scrap.reason.tag stock.valuation.layer stock.warehouse stock.warehouse.orderpoint
    timesheets.analysis.report uom.category utm.campaign utm.source vendor.delay.report
    web_editor.converter.test web_editor.converter.test.sub web_tour.tour web_tour.tour.step
"""

#: Models whose own order tells all records apart, on each version that has them.
_TELL_APART = frozenset(_NAMES.split())


def own_order(model: str, version: int, fields: Container[str]) -> str | None:
    """Return what a model's own order is where it leaves records equal; empty where it does not.

    None where it is not known: the model is not one of Odoo's own modules, or a field of the order
    comes from a module that is not installed.

    >>> own_order("product.template", 19, {"is_favorite", "name"})
    'is_favorite desc, name'
    >>> own_order("sale.order", 19, {})
    ''

    Args:
        model: such as ``product.template``.
        version: of Odoo, such as 19.
        fields: the names of all fields that the model has there.
    """
    if model in _TELL_APART:
        return ""
    orders = _LEAVE_SOME_EQUAL.get(model, {})
    since = max((first for first in orders if first <= version), default=None)
    if since is None:
        return None
    order = orders[since]
    names = [term.split()[0] for term in order.split(", ")] if order else []
    return order if all(name in fields for name in names) else None
