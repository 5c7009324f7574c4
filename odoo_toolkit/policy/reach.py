"""What a field shows of other models and fields, and what Odoo looks at when it searches by one.

A related or inherited field (``res.users.email`` is a field of ``res.partner``) is open only if
every model and field on its path is. While a list closes something, what cannot be followed is
closed. A search may look at more than the field shows (``phone_mobile_search`` finds by phones that
are closed), and the server does not say at what. So while a list closes something, only what stands
in the tables here is searched by, beside stored and related fields. They hold what the sources and
the running servers of Odoo 14 to 19 have; ``tests/attacks`` finds what is in neither table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.owners import HOLDS_OLD_VALUES, TELLS_OLD_VALUES, is_owned, reaches_others
from odoo_toolkit.policy.rules import SHOWN_NAMES, TEXTS, Rules, field_refusal, model_refusal

#: Related fields that lead to related fields that lead to ...
_DEEPEST = 6


@attrs.frozen
class Closed:
    """What of a field's path is closed: a model, or a field (of a model, where it is another's).

    ``field`` is None where a model is; ``told`` is False where nothing is known of what is there.
    """

    model: str | None = None
    field: str | None = None
    told: bool = True

    def refusal(self, policy: Rules, field: Field, model: str, named_in: str) -> AccessError:
        """Return the error for naming the field whose path it is on."""
        if self.field is not None or self.model is None:
            return field_refusal(field.name, model, named_in)
        why = "which is closed" if self.told else "and it is not known whether that is open"
        return model_refusal(
            policy,
            self.model,
            f"{named_in}: {field.name}",
            message=f"The field {field.name} of {model} cannot be used: it shows data of "
            f"{self.model}, {why}.",
            suggestion="" if self.told else "Omit it from fields, filters, sorting and values.",
        )


class Readable(Mapping[str, Field]):
    """The fields of a model that may be read, each judged when it is first asked for.

    Args:
        fields: all of them.
        judged: returns one as it may be used, None where it is closed.
    """

    def __init__(
        self, fields: Mapping[str, Field], judged: Callable[[Field], Field | None]
    ) -> None:
        self._fields, self._judge = fields, judged
        self._judged: dict[str, Field | None] = {}

    def __getitem__(self, name: str) -> Field:
        field = self._fields[name]
        if name not in self._judged:
            self._judged[name] = self._judge(field)
        judged = self._judged[name]
        if judged is None:
            raise KeyError(name)
        return judged

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._fields if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def closed_in(
    policy: Rules, model: str, field: Field, fields_of: FieldsOf, depth: int = 0
) -> Closed | None:
    """Return what is closed of what a field shows; None where all of it is open.

    Without a list that closes models or fields, names alone decide, and nothing is asked.

    Args:
        policy: what is closed.
        model: the field's.
        field: as the server describes it.
        fields_of: the schema of a model by its name.
        depth: how many related fields have led here.
    """
    if policy.field_closed(field):
        return Closed(field=field.name)
    if not policy.closes:
        return None
    if policy.field_blocklist and (model, field.name) in TELLS_OLD_VALUES:
        return Closed(field=field.name)
    if field.related:
        return _along(policy, model, field, fields_of, depth)
    if field.store or field.name in SHOWN_NAMES:
        return None
    for path in field.depends:
        closed = _copied(policy, model, path, fields_of, depth)
        if closed is None and field.type in TEXTS:
            closed = _depended(policy, model, path.split("."), fields_of)
        if closed is not None:
            return closed
    return None


def end_of(model: str, names: Sequence[str], fields_of: FieldsOf) -> tuple[str, Field] | None:
    """Return the field at the end of a path and its model; None where it cannot be followed."""
    here: str | None = model
    field: Field | None = None
    for name in names:
        field = _field(here, name, fields_of) if here else None
        if field is None or here is None:
            return None
        model, here = here, field.relation
    return None if field is None else (model, field)


def _along(
    policy: Rules, model: str, related: Field, fields_of: FieldsOf, depth: int
) -> Closed | None:
    """Judge what is on the path of a related field, and what is at its end.

    Where the other model merely is not on the allowlist, two things stay: a stored copy, which is
    a value of its own model, and the name of a record that a relation shows anyway.
    """
    here = model
    for index, name in enumerate(related.related):
        field = _field(here, name, fields_of) if depth < _DEEPEST else None
        if field is None:
            return None if related.store else Closed(model=here, told=False)
        closed = closed_in(policy, here, field, fields_of, depth + 1)
        if closed is not None or index == len(related.related) - 1:
            return closed
        closed = _followed(policy, here, field, related)
        if closed is not None:
            return closed
        here = str(field.relation)
    return None


def _copied(policy: Rules, model: str, name: str, fields_of: FieldsOf, depth: int) -> Closed | None:
    """Judge the models on the path of a related field that another field is computed from.

    The sales price of a product's variant is computed from that of its template.
    """
    field = _field(model, name, fields_of)
    if field is None or not field.related or field.store or not policy.closes_models:
        return None
    closed = _along(policy, model, field, fields_of, depth)
    return closed if closed is not None and closed.model is not None and closed.told else None


def _depended(
    policy: Rules, model: str, names: Sequence[str], fields_of: FieldsOf
) -> Closed | None:
    """Judge the models on a path that a text is computed from, but for their records' names."""
    here = model
    for name in names:
        field = _field(here, name, fields_of)
        if field is None:
            return None
        if policy.field_blocklist and field.relation in HOLDS_OLD_VALUES:
            return Closed(model=field.relation)
        if name == names[-1] or names[-1] in SHOWN_NAMES or not field.relation:
            return None
        if not policy.model_allowed(field.relation):
            return Closed(model=field.relation)
        here = field.relation
    return None


def _followed(policy: Rules, model: str, field: Field, related: Field) -> Closed | None:
    relation = field.relation
    if not relation:
        return Closed(field=field.name)
    if policy.model_blocked(relation):
        return Closed(model=relation)
    if related.store:
        return None
    # An alias that a record inherits is its own, whatever others belong to.
    others = reaches_others(field) and not is_owned(model) and relation != "mail.alias"
    shown = len(related.related) == 2 and related.related[1] in SHOWN_NAMES
    is_open = shown or policy.model_allowed(relation)
    return Closed(model=relation) if others or not is_open else None


def _field(model: str, name: str, fields_of: FieldsOf) -> Field | None:
    """Return a field; None where this user is not told of it."""
    try:
        return fields_of(model).get(name)
    except OdooError as error:
        if isinstance(error, OdooConnectionError):
            raise
        return None


#: Fields of any model, by which a search finds what reading them shows, and no more.
_OF_ANY_MODEL = frozenset(
    {
        *("activity_date_deadline", "activity_date_deadline_my", "activity_exception_decoration"),
        *("activity_state", "activity_user_id", "distribution_analytic_account_ids"),
        "has_department_manager_access",
        *("has_message", "is_blacklisted", "is_rotting", "message_channel_ids"),
        *("message_has_error", "message_has_sms_error", "message_is_follower"),
        *("message_needaction", "message_partner_ids", "my_activity_date_deadline"),
        *("phone_sanitized_blacklisted", "rating_avg"),
    }
)

#: The same of one model.
_OF_MODELS: dict[str, str] = {
    "account.account": "include_initial_balance internal_group root_id used",
    "account.analytic.line": "auto_account_id fiscal_year_search",
    "account.analytic.plan": "root_id",
    "account.bank.statement": "is_valid",
    "account.lock_exception": "fiscalyear_lock_date purchase_lock_date sale_lock_date state"
    " tax_lock_date",
    "account.move": "journal_group_id move_sent_values next_payment_date reconciled_payment_ids"
    " secured",
    "account.move.line": "journal_group_id payment_date search_account_id",
    "account.payment": "reconciled_invoice_ids",
    "account.tax": "price_include",
    "calendar.event": "current_attendee",
    "crm.team": "member_ids",
    "discuss.channel": "channel_partner_ids is_member",
    "discuss.channel.member": "is_pinned is_self",
    "hr.department": "has_read_access",
    "hr.employee": "filter_for_expense is_absent is_subordinate member_of_department newly_hired"
    " version_id",
    "hr.employee.public": "employee_id filter_for_expense is_absent is_subordinate"
    " member_of_department newly_hired",
    "hr.expense.sheet": "product_ids",
    "hr.job": "current_job_skill_ids",
    "hr.leave.type": "has_valid_allocation max_leaves valid virtual_remaining_leaves",
    "hr.version": "date_end date_start member_of_department",
    "ir.actions.report": "model_id",
    "ir.model": "is_mail_thread_sms",
    "ir.module.module.dependency": "depend_id",
    "ir.module.module.exclusion": "exclusion_id",
    "ir.ui.view": "model_data_id",
    "mail.channel": "channel_partner_ids is_member",
    "mail.message": "has_error has_sms_error need_moderation needaction rating_value"
    " snailmail_error starred",
    "mail.template": "template_category",
    "mrp.workorder": "finished_lot_id",
    "mrp.production": "components_availability_state delay_alert_date is_delayed is_planned"
    " search_date_category",
    "payment.method": "is_primary",
    "product.category": "filter_for_stock_putaway_rule total_route_ids",
    "product.product": "all_product_tag_ids free_qty incoming_qty is_in_purchase_order is_kits"
    " outgoing_qty product_catalog_product_is_in_bom product_catalog_product_is_in_mo"
    " product_catalog_product_is_in_sale_order qty_available suggested_qty virtual_available",
    "product.tag": "product_ids",
    "product.template": "incoming_qty is_kits outgoing_qty qty_available valuation"
    " virtual_available",
    "project.milestone": "project_allow_milestones",
    "project.project": "auto_account_id is_favorite is_internal_project is_milestone_exceeded"
    " is_project_overtime pricing_type",
    "project.task": "allow_timesheets has_late_and_unreached_milestone is_closed is_timeoff_task"
    " personal_stage_id personal_stage_type_id remaining_hours_percentage remaining_hours_so"
    " is_private task_to_invoice",
    "purchase.order": "is_late",
    "report.project.task.user": "rating_last_text",
    "res.partner": "credit debit",
    "res.users": "crm_team_ids employee_id res_users_settings_id state",
    "resource.calendar": "work_time_rate",
    "sale.order": "invoice_ids late_availability tasks_ids",
    "sale.order.line": "product_template_id",
    "sale.order.option": "is_present",
    "stock.inventory.line": "difference_qty outdated",
    "stock.location": "is_empty is_valued_internal",
    "stock.lot": "product_qty",
    "stock.move": "remaining_qty",
    "stock.move.line": "picking_type_id",
    "stock.package": "all_children_package_ids contained_quant_ids location_dest_id move_line_ids"
    " outermost_package_id owner_id picking_ids",
    "stock.picking": "days_to_arrive delay_alert_date delay_pass products_availability_state"
    " search_date_category",
    "stock.picking.type": "is_favorite",
    "stock.quant": "is_outdated on_hand",
    "stock.quant.package": "owner_id",
    "stock.valuation.layer": "warehouse_id",
    "stock.warehouse.orderpoint": "available_vendor effective_bom_id effective_route_id"
    " effective_vendor_id qty_to_order",
}
_SHOWN = {model: frozenset(names.split()) for model, names in _OF_MODELS.items()}

_PHONES = "mobile mobile_sanitized phone phone_sanitized"

#: Model and field -> paths to the fields at which a search by it looks, of whatever version.
_LOOKED_AT: dict[tuple[str, str], str] = {
    ("account.account", "code"): "code_store",
    ("account.account", "placeholder_code"): "code_store",
    ("account.journal", "alias_email"): "alias_id.alias_full_name",
    ("account.tax", "name_searchable"): "name",
    ("crm.lead", "phone_mobile_search"): _PHONES,
    ("crm.team", "alias_email"): "alias_id.alias_full_name",
    ("hr.department", "complete_name"): "name",
    ("hr.leave", "name"): "private_name",
    ("hr.leave.allocation", "name"): "private_name",
    ("hr.leave.report.calendar", "name"): "employee_id.name leave_id.duration_display"
    " leave_id.holiday_status_id.name",
    ("mail.mail", "body_content"): "body_html",
    ("product.template", "barcode"): "product_variant_ids.barcode",
    ("product.template", "standard_price"): "product_variant_ids.standard_price",
    ("project.project", "alias_email"): "alias_id.alias_full_name",
    ("project.task", "portal_user_names"): "user_ids.name",
    ("res.partner", "phone_mobile_search"): _PHONES,
}

#: Models of which Odoo's search by name looks at more than the name -> at which fields.
NAMED_BY: dict[str, str] = {
    "account.account": "name code code_store",
    "account.analytic.account": "name code partner_id.name",
    "account.journal": "name code",
    "account.move": "name partner_id.name ref",
    "account.tax": "name description invoice_label",
    "product.pricelist": "name currency_id.name",
    "product.product": "name default_code barcode seller_ids.product_code seller_ids.product_name"
    " seller_ids.partner_id product_template_variant_value_ids.name",
    "product.template": "name default_code barcode product_variant_ids.name"
    " product_variant_ids.default_code product_variant_ids.barcode seller_ids.product_code"
    " seller_ids.product_name seller_ids.partner_id",
    "project.tags": "name",
    "purchase.order": "name partner_ref",
    "res.company": "name",
    "res.country": "name code",
    "res.country.state": "name code country_id.name country_id.code",
    "res.currency": "name full_name",
    "res.partner": "name complete_name display_name email ref vat company_registry",
    "res.partner.category": "name parent_id.name",
    "res.users": "name login email",
    "sale.order": "name partner_id.name",
    "sale.order.line": "name order_id.name",
    "stock.location": "name complete_name barcode",
    "stock.picking.type": "name warehouse_id.name",
}


def is_decided(model: str, name: str) -> bool:
    """Whether it is known at what a search by a computed field looks."""
    return name in _OF_ANY_MODEL or name in _SHOWN.get(model, ()) or (model, name) in _LOOKED_AT


def search_closed(
    policy: Rules, model: str, field: Field, fields_of: FieldsOf
) -> AccessError | None:
    """Return why a field that is open is not searched, sorted or grouped by; None where it may be.

    Args:
        policy: what is closed; without a list that closes models or fields it is nobody's matter.
        model: the field's.
        field: as the server describes it.
        fields_of: the schema of a model by its name.
    """
    if not policy.closes or field.store or field.company_dependent or field.name == "id":
        return None
    if field.related:
        end = end_of(model, field.related, fields_of)
        return _unknown(model, field) if end is None else search_closed(policy, *end, fields_of)
    if not is_decided(model, field.name):
        return _unknown(model, field)
    for closed in _closed_of(policy, model, _LOOKED_AT.get((model, field.name), ""), fields_of):
        return closed.refusal(policy, field, model, "domain")
    return None


def names_are_open(policy: Rules, model: str, fields_of: FieldsOf) -> bool:
    """Whether Odoo's own search by name looks at nothing that is closed, as far as is known."""
    if not policy.closes:
        return True
    looked_at = NAMED_BY.get(model)
    return looked_at is not None and not any(_closed_of(policy, model, looked_at, fields_of))


def _closed_of(policy: Rules, model: str, paths: str, fields_of: FieldsOf) -> Iterator[Closed]:
    """Yield what is closed on several paths, of which this server may lack some."""
    for path in paths.split():
        steps = tuple(path.split("."))
        try:
            there = steps[0] in fields_of(model)
        except OdooError:
            there = True
        if there:
            looked_at = Field(name=steps[-1], type="char", store=False, related=steps)
            closed = closed_in(policy, model, looked_at, fields_of)
            if closed is not None:
                yield closed


def _unknown(model: str, field: Field) -> AccessError:
    return AccessError(
        f"{model} cannot be searched, sorted or grouped by {field.name}: this field is computed, "
        "and may use blocked fields.",
        code="FIELD_BLOCKED",
        suggestion="Filter by a stored field, and check this one in the returned records.",
        details={"model": model, "field": field.name},
    )
