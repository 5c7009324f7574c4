"""What never passes while the policy protects, and what it knows to be harmless: data.

Names of models may be patterns of :mod:`fnmatch`, but for those of :data:`BLOCKED_MODELS`. To
forbid one thing more, add a line here.
"""

from __future__ import annotations

import re
from typing import Literal

from odoo_toolkit.fields import Field

#: Longer text is no model's name and no field's path, whatever it starts with.
LONGEST_NAME = 200

#: A record as a reference field has it.
REFERENCE = re.compile(
    r"\s{0,9}([a-z0-9_]{1,100}(?:\.[a-z0-9_]{1,100}){1,9})\s{0,9},\s{0,9}\d{1,12}\s{0,9}"
)

#: Neither read nor written, by anybody, in any mode.
BLOCKED_MODELS: tuple[str, ...] = (
    # Configuration and the rules that guard the database.
    *("ir.config_parameter", "ir.model.access", "ir.rule"),
    # They run Python code.
    *("base.automation", "ir.actions.server", "ir.actions.server.history", "ir.cron"),
    "ir.cron.trigger",
    "ir.server.object.lines",  # to 18: the values of a server action
    "server.action.history.wizard",  # restores older code of a server action
    # Credentials of other systems.
    *("auth.oauth.provider", "certificate.key", "fetchmail.server", "ir.mail_server"),
    "mail.ice.server",
    "payment.acquirer",  # the name of payment.provider to Odoo 15
    *("payment.acquirer.onboarding.wizard", "payment.provider"),
    *("payment.provider.onboarding.wizard", "res.company.ldap"),
    *("sale.payment.acquirer.onboarding.wizard", "sale.payment.provider.onboarding.wizard"),
    "website_sale.payment.acquirer.onboarding.wizard",
    # Forms over ir.config_parameter, of which the settings install modules as well.
    *("calendar.provider.config", "res.config", "res.config.installer", "res.config.settings"),
    # They set passwords, confirm identities and hand out keys, as values of a wizard.
    *("auth.passkey.key", "auth.passkey.key.create", "auth_totp.device", "auth_totp.wizard"),
    *("change.password.own", "change.password.user", "change.password.wizard"),
    *("res.users.apikeys.description", "res.users.apikeys.show", "res.users.identitycheck"),
    # Odoo 20: what guards the database there.
    "ir.access",
    # Abstract; describing its fields makes a record on 19.
    "properties.base.definition.mixin",
    # They hand out links that open documents without a login.
    *("coupon.share", "google.drive.config", "l10n_eg_edi.thumb.drive", "payment.link.wizard"),
    *("portal.share", "project.share.wizard", "slide.channel.invite"),
    *("spreadsheet.dashboard.share", "survey.invite"),
)

#: Only ever read: what is written here changes the program, or who may do what.
NEVER_WRITTEN: tuple[str, ...] = (
    *("ir.model*", "ir.module.module*", "ir.ui.view*", "res.users*"),
    # Who belongs to which group, and the users that a portal wizard makes.
    *("portal.wizard*", "res.groups*", "base.group*"),
    # Settings: they write system parameters, install modules, or register with services.
    *("account.chart.template", "base.document.layout", "base.enable.profiling.wizard"),
    *("crm.lead.pls.update", "google.calendar.account.reset", "iap.account", "ir.profile"),
    *("microsoft.calendar.account.reset", "nemhandel.*", "peppol.*", "pos.config"),
    *("publisher_warranty.contract", "sms.account.*", "sms.twilio.account.manage"),
    "website.robots",
    # They install, update or remove modules and languages.
    *("base.import.module", "base.language.*", "base.module.*", "ir.demo*"),
    # Actions carry expressions that the server evaluates (such as a report's file name).
    "ir.actions.*",
    "ir.embedded.actions",
    # They hold Python code, or run what an argument names.
    *("accounting.assert.test", "bus.bus", "crm.iap.lead.helpers", "ir.http"),
    *("report.account_test.*", "website.assets", "gamification.goal.definition"),
    # Other ways to a view: the page inherits its view's fields, an asset is code.
    *("ir.asset", "ir.qweb*", "reset.view.arch.wizard", "theme.utils", "web_editor.*"),
    *("html_editor.*", "theme.ir.*", "website.controller.page", "website.page"),
    # Other ways to the fields of any model, past the checks of that model's own name.
    "base_import.import",  # rows of a file into the model that a char field names
    "data_merge.*",  # Enterprise: merges records of any model, contacts of users, too
    "data_recycle.*",  # deletes the records of any model that a rule selects
    "ir.default",
    "ir.property",  # to 17: values of company-dependent fields
    "ir.translation",  # to 15: translated terms of any field, also of views
    "privacy.lookup.*",  # deletes records of any model
)

#: Of these, what the toolkit's own operations write nevertheless, in full mode, with values of
#: theirs; a caller does not.
OPERATED: frozenset[str] = frozenset({"base.language.install"})

#: Models whose records are those of another model, with fewer fields -> that model. Who closes the
#: other one closes them, too: to Odoo 18 nothing in their fields says whose they are.
VIEWS: dict[str, str] = {"hr.employee.public": "hr.employee"}


#: Never named, whatever the model: they hold secrets.
BLOCKED_FIELDS: frozenset[str] = frozenset(
    {
        *("api_key", "api_key_ids", "new_password", "oauth_access_token", "oauth_provider_id"),
        *("password", "password_crypt", "signature", "totp_enabled", "totp_secret"),
        # The same things under other names.
        "new_passwd",  # change.password.user
        "pem_key",  # certificate.key
        "secret",
        "signup_url",  # res.partner: holds the token that sets a user's password
        "callback_hash",  # payment.transaction
        "credential",  # mail.ice.server
        "pad_key",
        "pin",  # hr.employee, res.users
        # Links that open something without a login.
        *("attendance_kiosk_key", "attendance_kiosk_url", "channel_invite_url", "invitation_link"),
        *("invitation_url", "self_ordering_url", "session_link", "share_link"),
        *("survey_start_url", "videocall_location", "videocall_redirection"),
        # What such links are made of.
        "session_code",  # survey.survey
        "sfu_channel_uuid",
        "ticket_code",  # pos.order: asks for its invoice
        "uuid",  # discuss.channel, mail.channel: opens a group chat
    }
)
BLOCKED_FIELD_SUFFIXES: tuple[str, ...] = (
    *("_password", "_secret", "_token", "_api_key", "smtp_pass"),
    # The same things under other names.
    *("_private_key", "_hashkey", "_migration_key", "_notification_key"),
    "_rtoken",  # refresh tokens of the calendars
    *("_session_key", "_verification_code", "_verification_key", "_secret_key"),
)

#: Not written: the server evaluates what they hold as Python, or calls it.
CODE_FIELDS: frozenset[str] = frozenset(
    {
        "alias_defaults",  # mail.alias: values that an incoming e-mail creates a record with
        "amount_python_compute",  # payroll rules
        "callback_method",  # payment.transaction, to 16
        "compute_code",  # gamification.goal.definition
        "condition_python",
        "python_applicable",  # account.tax
        "python_compute",
    }
)

#: Not written either, on these models only: code, and what runs it, sends or reaches users.
UNWRITABLE_FIELDS: frozenset[tuple[str, str]] = frozenset(
    {
        # What a job sends later as Odoo's own user: texts, and files by their ids.
        ("account.move", "send_and_print_values"),
        ("account.move", "sending_data"),
        ("account.tax", "formula"),
        ("mail.scheduled.message", "send_context"),
        ("payment.transaction", "callback_model_id"),
        ("payment.transaction", "callback_res_id"),
        ("res.company", "user_ids"),
        ("website.snippet.filter", "action_server_id"),
    }
)

#: Models whose texts the server renders as templates, where an expression reaches any record.
#: A caller only reads them; the toolkit's operations use a few with values of their own.
RENDERED_MODELS: tuple[str, ...] = (
    *("account.invoice.send", "account.move.send*", "account.tour.upload.bill"),
    *("applicant.get.refuse.reason", "applicant.send.mail", "calendar.popover.delete.wizard"),
    *("card.*", "digest.*", "event.mail*", "event.type.mail", "fleet.vehicle.send.mail"),
    *("mail.composer.mixin", "mail.render.mixin", "mail.template*", "mailing.*", "marketing.*"),
    *("sale.order.cancel", "sms.template*", "social.*", "whatsapp.*"),
)

#: Forms for one message. A caller may write and send one, of plain text and without a template.
COMPOSERS: frozenset[str] = frozenset({"mail.compose.message", "sms.composer"})
#: Fields of theirs that a caller leaves alone, besides relations to templates.
COMPOSER_FIELDS: frozenset[str] = frozenset({"composition_batch", "use_template"})
#: What a caller may call of theirs.
COMPOSER_METHODS: frozenset[str] = frozenset(
    {
        *("create", "write", "unlink", "read", "search", "search_count", "search_read"),
        *("fields_get", "default_get", "name_search", "read_group", "formatted_read_group"),
        *("action_send_mail", "send_mail", "action_send_sms", "action_send_sms_mass_now"),
    }
)

#: Methods that only the toolkit's operations may call, of whatever model.
CLOSED_METHODS: frozenset[str] = frozenset(
    {
        # Links that open documents without a login.
        *("action_customer_preview", "action_get_share_url", "action_open_session_manager"),
        *("action_preview_sale_order", "action_print_answers", "action_print_survey"),
        *("action_open_share_project_wizard", "action_recovery_email_send", "action_resend"),
        *("action_send_survey", "action_channel_enroll", "action_channel_invite", "channel_invite"),
        *("invite_by_email", "portal_message_format", "action_share", "action_start_survey"),
        *("action_test_survey", "create_share_action", "generate_access_token"),
        *("get_access_action", "get_acknowledge_url", "get_confirm_url", "get_portal_url"),
        *("get_print_url", "get_share_url", "get_start_short_url", "get_start_url"),
        *("get_totp_invite_url", "get_update_url", "preview_invoice", "preview_sale_order"),
        *("rating_apply", "rating_get_access_token"),
        # Users and what they may do.
        *("action_create_passkey", "action_create_user", "action_create_users"),
        *("action_create_users_confirmation", "action_grant_access", "action_signup_prepare"),
        *("signup_cancel", "signup_retrieve_partner"),
        # They merge contacts of users, too: nobody chooses which, and which of them stays.
        *("action_start_automatic_process", "action_update_all_process"),
        "parent_migration_process_cb",
        # Texts and templates that are rendered, and code.
        *("binary_content", "compute_tips", "create_record_with_xmlid", "execute_callback"),
        *("execute_code", "find_or_create_record", "form_feedback", "insert_missing"),
        *("load_local_url", "load_module_terms", "load_remote_url", "message_parse"),
        *("pad_generate_url", "pad_get_content", "regenerate_assets_bundles", "sendmany"),
        *("sendone", "translate_fields"),
        # Records and fields of models that an argument names.
        *("get_activity_data", "get_by_record", "get_display_names_for_spreadsheet"),
        *("get_internal_resume_lines", "get_properties_base_definition"),
        *("page_search_dependencies", "search_multi", "search_pages", "search_url_dependencies"),
        # Secrets.
        *("copy_doc", "generate_refresh_token", "get_access_token", "get_barcodes_and_pin_hashed"),
        *("get_serve_attachment", "write_config_formula", "message_mail_with_source"),
        *("message_post_with_source", "message_post_with_template", "message_post_with_view"),
        *("qweb_render_view", "rating_send_request", "read_template", "render_public_asset"),
        *("render_template", "save_asset"),
        # Settings and modules.
        *("action_create_foreign_taxes", "configurator_addons_apply", "force_storage"),
        *("formbuilder_whitelist", "toggle_noupdate", "configurator_apply"),
        *("create_and_redirect_configurator", "create_and_redirect_to_theme"),
        *("install_l10n_modules", "install_pos_restaurant", "notify_no_more_credit"),
        "set_profiling",
    }
)

BLOCKED_METHODS: frozenset[str] = frozenset(
    {
        # They change whose eyes or which environment a call sees with.
        *("sudo", "with_company", "with_context", "with_env", "with_user"),
        # They are the server's own affairs.
        *("clear_cache", "clear_caches", "init", "invalidate_cache", "invalidate_model"),
        "invalidate_recordset",
        # They install and remove modules.
        *("button_immediate_install", "button_immediate_uninstall", "button_immediate_upgrade"),
        *("module_uninstall", "uninstall"),
        # The mail gateway: creates and writes records of the model that an argument names.
        *("message_new", "message_process", "message_route", "message_update"),
        # They hand out the token that sets a user's password.
        *("signup_get_auth_param", "signup_prepare", "signup_retrieve_info"),
    }
)

#: Files; whoever writes those of the other models writes an ``ir.attachment``.
FILE_MODELS: frozenset[str] = frozenset(
    {"ir.attachment", "mrp.document", "product.document", "quotation.document"}
)


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

#: Of a method that computes stored fields, too: to 16, what it finds for those is written.
_BESIDE_STORED = {
    "data_recycle.record": ("name",),
    "hr.applicant": ("day_close", "day_open"),
    "pos.session": ("cash_control",),
    "res.config.settings": ("is_default_pricelist_displayed",),
    "slide.slide": ("user_vote",),
    "stock.quant.package": ("owner_id",),
}

#: Fields that are computed when they are read, and write then, or render a template.
WRITING_FIELDS: frozenset[tuple[str, str]] = frozenset(
    {
        # 15: it writes the payment methods of every journal.
        ("account.journal", "available_payment_method_ids"),
        ("account.payment.method.line", "available_payment_method_ids"),
        # 14: it updates the entry that has the highest number, to lock it.
        ("account.bank.statement.line", "highest_name"),
        ("account.move", "highest_name"),
        ("account.payment", "highest_name"),
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
        *((model, name) for model, names in _BESIDE_STORED.items() for name in names),
    }
)


def is_unwritable(model: str | None, name: str) -> bool:
    """Whether a field holds code, or what runs it, sends or reaches users."""
    return name in CODE_FIELDS or (model, name) in UNWRITABLE_FIELDS


def is_read_unasked(model: str, field: Field) -> bool:
    """Whether a field is read where nobody names it; files and what writes when read are not.

    Example:
        >>> from odoo_toolkit.fields import Field
        >>> is_read_unasked("res.partner", Field(name="name", type="char"))
        True
    """
    return field.type != "binary" and (model, field.name) not in WRITING_FIELDS


#: Model and version -> the fields by which it is grouped without a write. Odoo 15 shows the user a
#: message when meetings are grouped by others.
QUIET_GROUPINGS: dict[tuple[str, int], frozenset[str]] = {
    ("calendar.event", 15): frozenset(
        {
            *("id", "active", "allday", "duration", "user_id", "interval", "partner_id", "count"),
            *("rrule", "recurrence_id", "show_as", "privacy"),
            *("start", "stop", "start_date", "stop_date"),
        }
    ),
}


#: What is named in their arguments is judged, and they hand out no more than what is named there.
JUDGED_METHODS: frozenset[str] = frozenset(
    {
        *("copy", "create", "load", "name_create", "unlink", "write"),
        *("action_archive", "action_unarchive", "toggle_active"),
        *("check_access_rights", "exists", "get_external_id", "has_access"),
        "export_data",  # the paths of its columns
        *("activity_schedule", "message_post", "message_subscribe", "message_unsubscribe"),
    }
)

#: What the buttons of documents and wizards call, on ids alone. Of an action that they return
#: only what opens it is shown.
BUSINESS_ACTIONS: frozenset[str] = frozenset(
    {
        *("action_acknowledge", "action_apply", "action_apply_inventory", "action_approve"),
        *("action_assign", "action_assign_to_me", "action_backorder", "action_cancel"),
        *("action_cancel_leave", "action_clear_quantities_to_zero", "action_confirm"),
        *("action_create_invoice", "action_create_payments", "action_create_returns"),
        *("action_create_returns_all", "action_done", "action_done_schedule_next"),
        *("action_draft", "action_feedback", "action_invoice_sent", "action_lock"),
        *("action_lost_reason_apply", "action_open", "action_post", "action_put_in_pack"),
        *("action_quotation_send", "action_quotation_sent", "action_refuse"),
        *("action_register_payment", "action_reject", "action_reset", "action_restore"),
        *("action_reverse", "action_rfq_send", "action_set_draft", "action_set_lost"),
        *("action_set_quantities_to_reservation", "action_set_won"),
        *("action_set_won_rainbowman", "action_sheet_move_create", "action_submit"),
        *("action_submit_expenses", "action_submit_sheet", "action_toggle_is_locked"),
        *("action_unlock", "action_unmark_sent", "action_update_prices"),
        *("action_update_taxes", "action_validate", "action_void_check"),
        *("approve_expense_sheets", "refuse_sheet", "reset_expense_sheets"),
        *("button_approve", "button_cancel", "button_confirm", "button_done", "button_draft"),
        *("button_finish", "button_lock", "button_mark_done", "button_pending", "button_plan"),
        *("button_request_cancel", "button_scrap", "button_set_checked", "button_start"),
        *("button_unlock", "button_unplan", "button_unreserve", "button_validate"),
        *("create_invoices", "create_returns", "do_unreserve", "mark_as_sent"),
        *("modify_moves", "process", "process_cancel_backorder", "refund_moves"),
        *("reverse_moves", "unmark_as_sent", "update_prices"),
    }
)


#: Fields and parameters that hold the name of a model.
MODEL_NAME_FIELDS: frozenset[str] = frozenset(
    {
        *("active_model", "comodel_name", "model", "model_name", "related_model", "relation"),
        *("render_model", "res_model", "res_model_name"),
    }
)

Kind = Literal[
    "fields", "domain", "order", "specification", "values", "context", "text", "data", "files"
]

_ARGUMENTS: dict[Kind, str] = {
    "context": "context",
    "data": "data",
    "domain": "args domain having",
    "fields": "aggregates allfields field field_name field_names field_onchange fields fields_list"
    " fields_to_export fname fnames group_by groupby",
    "files": "attachments",
    "order": "order orderby",
    "specification": "fields_spec specification",
    "text": "body feedback note subject summary",
    "values": "default vals vals_list values",
}
#: What a named argument holds, of whatever method.
ARGUMENT_KINDS = {name: kind for kind, names in _ARGUMENTS.items() for name in names.split()}

#: By these, all of a record's fields come back when none is named.
READS_ALL_FIELDS: frozenset[str] = frozenset({"read", "search_read", "web_search_read"})
