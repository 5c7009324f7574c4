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

#: Fields that are computed when they are read, and write then, or render a template.
WRITING_FIELDS: frozenset[tuple[str, str]] = frozenset(
    {
        # 15: it writes the payment methods of every journal.
        ("account.journal", "available_payment_method_ids"),
        ("account.payment.method.line", "available_payment_method_ids"),
        # 19: it is computed for all lines of the entry, which marks the entry as changed.
        ("account.move.line", "parent_id"),
        ("base.document.layout", "preview"),
        ("iap.account", "balance"),
        ("mail.template.preview", "body_html"),
        ("res.partner", "static_map_url_is_valid"),
        ("slide.slide", "website_url"),
        ("sms.template.preview", "body"),
        ("stock.replenishment.info", "wh_replenishment_option_ids"),
    }
)
