"""What the policy never lets through, and where in a call a model or field is named: data only.

Names of models may be patterns of :mod:`fnmatch`. To forbid one thing more, add a line here.
"""

from __future__ import annotations

from typing import Literal

#: Neither read nor written, by anybody, in any mode.
BLOCKED_MODELS: tuple[str, ...] = (
    # Configuration and the rules that guard the database.
    "ir.config_parameter",
    "ir.model.access",
    "ir.rule",
    # They run Python code.
    "base.automation",
    "ir.actions.server",
    "ir.actions.server.history",
    "ir.cron",
    "ir.cron.trigger",
    "ir.server.object.lines",  # to 18: the values of a server action
    "server.action.history.wizard",  # restores older code of a server action
    # Credentials of other systems.
    "auth.oauth.provider",
    "certificate.key",
    "fetchmail.server",
    "ir.mail_server",
    "mail.ice.server",
    "payment.acquirer",  # the name of payment.provider to Odoo 15
    "payment.acquirer.onboarding.wizard",
    "payment.provider",
    "payment.provider.onboarding.wizard",
    "res.company.ldap",
    "sale.payment.acquirer.onboarding.wizard",
    "sale.payment.provider.onboarding.wizard",
    "website_sale.payment.acquirer.onboarding.wizard",
    # Forms over ir.config_parameter, of which the settings install modules as well.
    "calendar.provider.config",
    "res.config",
    "res.config.installer",
    "res.config.settings",
    # They set passwords, confirm identities and hand out keys, as values of a wizard.
    "auth.passkey.key",
    "auth.passkey.key.create",
    "auth_totp.device",
    "auth_totp.wizard",
    "change.password.own",
    "change.password.user",
    "change.password.wizard",
    "res.users.apikeys.description",
    "res.users.apikeys.show",
    "res.users.identitycheck",
)

#: Only ever read: what is written here changes the program, or who may do what.
NEVER_WRITTEN: tuple[str, ...] = (
    "ir.model*",
    "ir.module.module*",
    "ir.ui.view*",
    "res.users*",
    # Who belongs to which group, and the users that a portal wizard makes.
    "portal.wizard*",
    "res.groups*",
    # They install, update or remove modules and languages.
    "base.import.module",
    "base.language.*",
    "base.module.*",
    "ir.demo*",
    # Actions carry expressions that the server evaluates (such as a report's file name).
    "ir.actions.*",
    "ir.embedded.actions",
    # Other ways to a view: the page inherits its view's fields, an asset is code.
    "ir.asset",
    "theme.ir.*",
    "website.controller.page",
    "website.page",
    # Other ways to the fields of any model, past the checks of that model's own name.
    "base_import.import",  # rows of a file into the model that a char field names
    "data_recycle.*",  # deletes the records of any model that a rule selects
    "ir.default",
    "ir.property",  # to 17: values of company-dependent fields
    "ir.translation",  # to 15: translated terms of any field, also of views
    "privacy.lookup.*",  # deletes records of any model
)

#: Never named, whatever the model: they hold secrets.
BLOCKED_FIELDS: frozenset[str] = frozenset(
    {
        "api_key",
        "api_key_ids",
        "new_password",
        "oauth_access_token",
        "oauth_provider_id",
        "password",
        "password_crypt",
        "signature",
        "totp_enabled",
        "totp_secret",
        # The same things under other names.
        "new_passwd",  # change.password.user
        "pem_key",  # certificate.key
        "secret",
        "signup_url",  # res.partner: holds the token that sets a user's password
    }
)
BLOCKED_FIELD_SUFFIXES: tuple[str, ...] = (
    "_password",
    "_secret",
    "_token",
    "_api_key",
    "smtp_pass",
    # The same things under other names.
    "_private_key",
    "_rtoken",  # refresh tokens of the calendars
    "_secret_key",
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

#: Not written: the other end of a relation of a model that is never written.
UNWRITABLE_RELATIONS: frozenset[tuple[str, str]] = frozenset({("res.company", "user_ids")})

#: Models whose texts the server renders as templates, where an expression reaches any record.
RENDERED_MODELS: tuple[str, ...] = (
    "account.invoice.send",
    "account.move.send*",
    "event.mail*",
    "mail.compose.message",
    "mail.template*",
    "mailing.*",
    "marketing.*",
    "sms.composer",
    "sms.template*",
    "social.*",
    "survey.invite",
    "whatsapp.*",
)

BLOCKED_METHODS: frozenset[str] = frozenset(
    {
        # They change whose eyes or which environment a call sees with.
        "sudo",
        "with_company",
        "with_context",
        "with_env",
        "with_user",
        # They are the server's own affairs.
        "clear_cache",
        "clear_caches",
        "init",
        "invalidate_cache",
        "invalidate_model",
        "invalidate_recordset",
        # They install and remove modules.
        "button_immediate_install",
        "button_immediate_uninstall",
        "button_immediate_upgrade",
        "module_uninstall",
        "uninstall",
        # The mail gateway: creates and writes records of the model that an argument names.
        "message_new",
        "message_process",
        "message_route",
        "message_update",
        # They hand out the token that sets a user's password.
        "signup_get_auth_param",
        "signup_prepare",
        "signup_retrieve_info",
    }
)

#: Fields and parameters that hold the name of a model.
MODEL_NAME_FIELDS: frozenset[str] = frozenset(
    {
        "active_model",
        "comodel_name",
        "model",
        "model_name",
        "related_model",
        "relation",
        "render_model",
        "res_model",
        "res_model_name",
    }
)

#: Models whose records belong to records of other models -> the char field that names those.
OWNER_FIELDS: dict[str, str] = {
    "calendar.event": "res_model",
    "ir.actions.act_window": "res_model",
    "ir.actions.report": "model",
    "ir.attachment": "res_model",
    "ir.exports": "resource",
    "ir.model": "model",
    "ir.model.data": "model",
    "ir.model.fields": "model",
    "ir.ui.view": "model",
    "mail.activity": "res_model",
    "mail.followers": "res_model",
    "mail.mail": "model",
    "mail.message": "model",
    "mail.scheduled.message": "model",
    "mail.template": "model",
    "rating.rating": "res_model",
    "sms.template": "model",
    "snailmail.letter": "model",
}

Kind = Literal["fields", "domain", "order", "specification", "values", "context", "text", "data"]

#: What a named argument holds, of whatever method.
ARGUMENT_KINDS: dict[str, Kind] = {
    "aggregates": "fields",
    "allfields": "fields",
    "args": "domain",
    "body": "text",
    "context": "context",
    "data": "data",
    "default": "values",
    "domain": "domain",
    "feedback": "text",
    "field": "fields",
    "field_name": "fields",
    "field_names": "fields",
    "field_onchange": "fields",
    "fields": "fields",
    "fields_list": "fields",
    "fields_spec": "specification",
    "fields_to_export": "fields",
    "fname": "fields",
    "fnames": "fields",
    "group_by": "fields",
    "groupby": "fields",
    "having": "domain",
    "note": "text",
    "order": "order",
    "orderby": "order",
    "specification": "specification",
    "subject": "text",
    "summary": "text",
    "vals": "values",
    "vals_list": "values",
    "values": "values",
}

#: By these, all of a record's fields come back when none is named.
READS_ALL_FIELDS: frozenset[str] = frozenset({"read", "search_read", "web_search_read"})
