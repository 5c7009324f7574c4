"""What differs between the Odoo versions 14 to 19, as tables of data.

Parameter names are those of Odoo 19 (JSON-2 takes nothing else), in the order that all
versions share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

OLDEST, NEWEST = 14, 19


def words(text: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names that a table lists with spaces between."""
    return tuple(text.split() if isinstance(text, str) else text)


#: Views of the database of which several rows have the same id; of these, Odoo gives the values of
#: one row for all of them, whatever is asked. Found by comparing, on 14 to 19, the ids of all rows
#: of each model without a ``write_date``.
SHARED_IDS: frozenset[str] = frozenset({"report.stock.quantity"})

#: Methods of the model itself (no ids) -> their parameters in order.
MODEL_METHODS: dict[str, tuple[str, ...]] = {
    "check_access_rights": ("operation", "raise_exception"),
    "create": ("vals_list",),
    "default_get": ("fields",),
    "fields_get": ("allfields", "attributes"),
    "fields_view_get": ("view_id", "view_type", "toolbar", "submenu"),
    "formatted_read_group": words("domain groupby aggregates having offset limit order"),
    "get_view": ("view_id", "view_type"),
    "get_views": ("views", "options"),
    "load": ("fields", "data"),
    "load_views": ("views", "options"),
    "name_create": ("name",),
    "name_search": ("name", "domain", "operator", "limit"),
    "read_group": ("domain", "fields", "groupby", "offset", "limit", "orderby", "lazy"),
    "search": ("domain", "offset", "limit", "order"),
    "search_count": ("domain", "limit"),
    "search_read": ("domain", "fields", "offset", "limit", "order"),
    "web_search_read": words("domain specification offset limit order count_limit"),
}

#: Methods of records (ids first) -> their parameters after the ids.
RECORD_METHODS: dict[str, tuple[str, ...]] = {
    "copy": ("default",),
    "copy_data": ("default",),
    "exists": (),
    "export_data": ("fields_to_export",),
    "get_external_id": (),
    "get_metadata": (),
    "has_access": ("operation",),
    "name_get": (),
    "onchange": ("values", "field_names", "fields_spec"),
    "read": ("fields", "load"),
    "unlink": (),
    "update": ("values",),
    "web_read": ("specification",),
    "web_save": ("vals", "specification"),
    "web_save_multi": ("vals_list", "specification"),
    "write": ("vals",),
}

#: Methods that read: the only ones that are sent again after a failure that leaves their fate
#: unknown. Which of them pass outside full mode is a stricter question: see the policy.
READ_METHODS = frozenset(
    words("""
        check_access_rights context_get default_get exists fields_get fields_view_get
        formatted_read_group get_external_id get_metadata get_view get_views has_access load_views
        name_get name_search read read_group search search_count search_read web_read
        web_search_read
    """)
)

#: Button and action methods that take no keyword arguments.
NO_KWARGS_METHODS = frozenset(
    words("""
        action_cancel action_confirm action_done action_draft action_lock action_open action_post
        action_quotation_send action_set_draft action_unlock action_view_invoice button_cancel
        button_confirm button_draft button_validate
    """)
)

#: Models whose search filters by access after it has cut at the limit (their ``_search`` is
#: overridden): fewer records than the limit does not mean that there are no more.
FILTERED_AFTER_LIMIT = frozenset({"mail.activity", "mail.message"})

#: From this version on ``message_post`` escapes the body, unless ``body_is_html`` says what it is;
#: before, a body is HTML, and unknown arguments are accepted silently.
MESSAGE_BODY_ESCAPED_SINCE = 17

#: From this version on the form for an e-mail takes what its template gives by itself.
TEMPLATES_FILL_FORMS_SINCE = 17

#: Before, ``activity_schedule`` returns records: as text by JSON, by XML-RPC not at all.
ACTIVITY_RETURNED_AS_IDS_SINCE = 19

#: From this version on creating a quant with ``inventory_quantity_auto_apply`` applies the count.
#: 15 has the field, too, but then only stores what was counted, until it is told to apply it.
COUNT_APPLIED_BY_CREATE_SINCE = 16

#: The first version that computes the price of a quotation's line again with its quantity.
PRICES_FOLLOW_QUANTITIES_SINCE = 16

#: Names that models have on different versions.
RENAMED_MODELS: tuple[tuple[str, ...], ...] = (
    ("account.account.type", "account.account"),
    ("account.analytic.default", "account.analytic.distribution.model"),
    ("account.invoice", "account.move"),
    ("account.invoice.line", "account.move.line"),
    ("account.tax.report", "account.report"),
    ("account.tax.report.line", "account.report.line"),
    ("hr.candidate", "hr.applicant"),
    ("hr.contract", "hr.version"),
    ("hr.expense.sheet", "hr.expense"),
    ("hr.holidays", "hr.leave"),
    ("hr.holidays.status", "hr.leave.type"),
    ("mail.channel", "discuss.channel"),
    ("mail.channel.member", "mail.channel.partner", "discuss.channel.member"),
    ("note.note", "project.task"),
    ("product.packaging", "product.uom", "uom.uom"),
    ("project.issue", "project.task"),
    ("stock.inventory", "stock.quant"),
    ("stock.pack.operation", "stock.move.line"),
    ("stock.production.lot", "stock.lot"),
    # From 19 on a unit is told by another one: relative_uom_id.
    ("uom.category", "product.uom.categ", "uom.uom"),
)

#: Model that newer versions lack -> what stands in its place there.
GONE_MODELS: Mapping[str, str] = {
    "uom.category": (
        "In Odoo 19 and later, a uom.uom refers to its base unit in relative_uom_id, and "
        "there are no categories."
    ),
    "hr.contract": (
        "In Odoo 19 and later, the contract data are in hr.version, the versions of an employee."
    ),
}

#: Model -> names that a field, or what tells the same, has on different versions.
RENAMED_FIELDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "account.account": (
        ("user_type_id", "account_type"),
        ("company_id", "company_ids"),
        ("deprecated", "active"),
    ),
    "account.journal": (
        ("default_debit_account_id", "default_credit_account_id", "default_account_id"),
    ),
    "account.move": (
        ("type", "move_type"),
        ("invoice_payment_state", "payment_state"),
        ("invoice_payment_ref", "payment_reference"),
    ),
    "account.move.line": (
        ("analytic_account_id", "analytic_distribution"),
        ("exclude_from_invoice_tab", "display_type"),
    ),
    "account.payment": (("ref", "communication", "memo"), ("payment_date", "date")),
    "account.payment.register": (("payment_method_id", "payment_method_line_id"),),
    "crm.lead": (
        ("lost_reason", "lost_reason_id"),
        ("planned_revenue", "expected_revenue"),
        ("mobile", "phone"),
    ),
    "hr.employee": (("contract_id", "version_id"),),
    "hr.expense": (("unit_amount", "price_unit"),),
    "mail.compose.message": (("res_id", "res_ids"),),
    "mail.template": (("report_template", "report_template_ids"),),
    "product.product": (("is_storable", "detailed_type", "type"), ("uom_po_id", "uom_id")),
    "product.template": (("is_storable", "detailed_type", "type"), ("uom_po_id", "uom_id")),
    "project.task": (
        ("user_id", "user_ids"),
        ("planned_hours", "allocated_hours"),
        ("kanban_state", "state"),
    ),
    "purchase.order": (("locked", "state"),),
    "purchase.order.line": (("product_uom", "product_uom_id"), ("taxes_id", "tax_ids")),
    "res.partner": (("mobile", "phone"),),
    "res.groups": (("users", "user_ids"), ("category_id", "privilege_id")),
    "res.users": (("groups_id", "group_ids"),),
    "sale.order": (("locked", "state"),),
    "sale.order.line": (("product_uom", "product_uom_id"), ("tax_id", "tax_ids")),
    "stock.move": (("quantity_done", "quantity"),),
    "stock.move.line": (("qty_done", "quantity"), ("product_uom_qty", "reserved_uom_qty")),
    "stock.picking": (("move_lines", "move_ids_without_package", "move_ids"),),
    # The size of a unit against that of another one.
    "uom.uom": (("category_id", "relative_uom_id"), ("factor_inv", "relative_factor")),
}

#: (model, field) -> value of a selection that some versions lack -> what it is called there: the
#: value, and what else is to be given. The first of several that a version has is meant.
RENAMED_VALUES: Mapping[tuple[str, str], Mapping[str, tuple[tuple[str, str], ...]]] = {
    ("product.product", "type"): {"product": (("consu", "is_storable: true"),)},
    ("product.template", "type"): {"product": (("consu", "is_storable: true"),)},
    ("account.payment", "state"): {"posted": (("paid", ""),), "paid": (("posted", ""),)},
    ("hr.expense", "state"): {
        "reported": (("submitted", ""),),
        "done": (("paid", ""),),
    },
    ("hr.leave", "state"): {"draft": (("confirm", ""),)},
    ("purchase.order", "state"): {"done": (("purchase", "locked: true"),)},
    ("res.partner", "type"): {"private": (("other", ""),)},
    ("sale.order", "state"): {"done": (("sale", "locked: true"),)},
}

#: Versions that find activities only on records that the user may change, even one's own ones.
ACTIVITIES_OF_CHANGEABLE_RECORDS = (15, 16)

#: Binary fields of attachments that are bytes where others are base64. Read by JSON the bytes are
#: mangled on 14 to 17, and an HTML error page on 18 and 19; written, base64 is stored as it is.
UNENCODED_FIELDS = frozenset({"raw", "db_datas"})

#: What grouping can do -> the version from which on it can.
GROUPING_SINCE = {
    # read_group groups by a many2many; before, it fails an assertion.
    "many2many": 15,
    # read_group tells the start of a period in __range; before, only in __domain.
    "range": 16,
    "properties": 17,
    # Weeks begin where the language of the context says; before, on Mondays.
    "weeks by language": 17,
    # read_group is ordered by field:function, and takes "nulls last"; before, by aliases alone.
    "order by aggregate": 17,
    # read_group aggregates what it groups by; before, it leaves that out in silence.
    "aggregates of groupings": 17,
    # formatted_read_group, which also follows dotted paths.
    "formatted": 19,
}

#: Models whose read_group takes ``field:function`` to 16, but no names for what comes of it.
UNNAMED_AGGREGATES = frozenset({"ir.attachment"})
