"""What passes outside full mode, and what would write all the same: data only."""

from __future__ import annotations

#: Methods that read, and no more.
HARMLESS_METHODS: frozenset[str] = frozenset(
    {
        *("default_get", "fields_get", "formatted_read_group", "name_search", "read"),
        *("read_group", "search", "search_count", "search_read"),
    }
)

#: What restricted mode lets pass besides, on the models of its list.
HARMLESS_WRITES: frozenset[str] = frozenset({"create", "load", "write"})

#: Models whose default values use up numbers, or make records.
WRITING_DEFAULTS: tuple[str, ...] = (
    "account.full.reconcile",
    "account.invoice.send",
    "account.move.send*",
    "mail.compose.message",
    "pos.config",
    "procurement.group",
    "res.company",
    "stock.lot",
    "stock.production.lot",
    "stock.quant.package",
    "stock.warehouse.orderpoint",
)

#: Models whose search by name writes.
WRITING_NAMES: frozenset[str] = frozenset({"website.route"})

#: Of 15's module payment_transfer and product_margin.
_OF_ACQUIRERS = (
    *("show_credentials_page", "show_allow_tokenization", "show_payment_icon_ids"),
    *("show_pre_msg", "show_pending_msg", "show_auth_msg", "show_done_msg", "show_cancel_msg"),
)
_MARGINS = (
    *("date_from", "date_to", "invoice_state", "sale_avg_price", "purchase_avg_price"),
    *("sale_num_invoiced", "purchase_num_invoiced", "sales_gap", "purchase_gap", "turnover"),
    *("total_cost", "sale_expected", "normal_cost", "total_margin", "expected_margin"),
    *("total_margin_rate", "expected_margin_rate"),
)

#: Fields that are computed when they are read, and write then, or render a template.
WRITING_FIELDS: frozenset[tuple[str, str]] = frozenset(
    {
        # 15: it writes the payment methods of every journal.
        ("account.journal", "available_payment_method_ids"),
        ("account.payment.method.line", "available_payment_method_ids"),
        # 19: it is computed for all lines of the entry, which marks the entry as changed.
        ("account.move.line", "parent_id"),
        ("base.document.layout", "preview"),
        # 17: they set the quantity of a draft to 1 where the product has no cost of its own.
        ("hr.expense", "product_has_cost"),
        ("hr.expense", "product_has_tax"),
        ("iap.account", "balance"),
        # From 16 on, it takes a way to log in away that it does not know.
        ("ir.mail_server", "smtp_authentication_info"),
        ("mail.template.preview", "body_html"),
        # 16: it remembers that a company has invoices.
        ("res.company", "account_onboarding_create_invoice_state"),
        ("res.partner", "static_map_url_is_valid"),
        ("slide.slide", "website_url"),
        ("sms.template.preview", "body"),
        ("stock.replenishment.info", "wh_replenishment_option_ids"),
        # 15: each is computed by writing all of them.
        *(("payment.acquirer", name) for name in _OF_ACQUIRERS),
        *(("product.product", name) for name in _MARGINS),
    }
)
