"""The known answers of an Odoo server that has refused a call, as data.

The first entry that fits decides, so that knowing one more message takes one more entry and no
code. The table has three parts, in this order:

1. :data:`ANY_LANGUAGE`: texts that Odoo does not translate (its ORM's, Python's, PostgreSQL's);
2. :data:`odoo_toolkit.error_patterns.english.ENGLISH`: texts that Odoo translates;
3. :data:`odoo_toolkit.error_patterns.by_exception.BY_EXCEPTION`: what the name of the exception
   alone tells, in any language.

The messages are those of Odoo 14 to 19 and were met on running servers, or read in their sources
where a demo database cannot be brought to give them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from odoo_toolkit.errors import Outcome


@attrs.frozen
class Pattern:
    """One known answer. All conditions that are given must hold.

    Attributes:
        exception: searched in the name of the exception; None for any.
        message: searched in the server's message (``.`` matches line ends too). Its named groups
            become details of the error, and can be used in ``say`` and ``suggest``: ``field``,
            ``model``, ``label``, ...; ``ids``, ``fields`` and ``groups`` become lists. A group
            ``called`` has to be the method that was called. Underscores at the end of a group's
            name are dropped: an expression must not have the same name twice.
        code: of :data:`odoo_toolkit.errors.CODES`.
        say: what to tell, with ``{model}``, ``{method}``, ``{said}`` (the server's words) and the
            groups; None for the server's own words.
        suggest: what to do next, a template as well.
        method: must match from the start of the called method's name.
        outcome: what became of the call.
        retry: as of :class:`odoo_toolkit.errors.OdooError`.
        details: constant facts for the error.
    """

    exception: str | None
    message: str | None
    code: str
    say: str | None = None
    suggest: str = ""
    method: str | None = attrs.field(default=None, kw_only=True)
    outcome: Outcome = attrs.field(default="rolled_back", kw_only=True)
    retry: bool | None = attrs.field(default=None, kw_only=True)
    details: Mapping[str, Any] = attrs.field(factory=dict, kw_only=True)


# Over XML-RPC all of Odoo's own exceptions but the access errors look like a UserError.
USER_FAMILY = (
    r"exceptions\.(UserError|ValidationError|MissingError|RedirectWarning|Warning|except_orm)$"
)
BUILTIN = r"^builtins\."
MODEL_NAME = r"[a-z_][\w]*(?:\.\w+)+"

SEE_FIELDS = "List the fields of {model} with fields_get, and use one of these names."
SEE_VALUES = "Check the type and allowed values of the field with fields_get on {model}."
SEE_DOMAIN = (
    "A domain is a list of conditions [field, operator, value]. Write '&' and '|' before two "
    "conditions, and '!' before one. Operators are =, !=, <, >=, ilike, child_of and others. "
    "With in and not in, pass a list."
)
ASK_ADMIN = "This user lacks the permission. Only an administrator of Odoo can grant it."
SEARCH = "Look it up with search_read on {model}."
UNIQUE = "Look up the existing record with search_read. Use that record, or other values."
DATE = "Write dates as 2025-02-09 and times as 2025-02-09 14:30:00, in UTC."
NO_MODEL: dict[str, Any] = {
    "code": "UNKNOWN_MODEL",
    "say": "There is no model {model} on this server.",
    "suggest": "Look up the name with list_models. Check that its module is installed.",
}
CREDENTIALS = (
    "Check ODOO_USERNAME, and ODOO_PASSWORD or ODOO_API_KEY. The API key may have expired or "
    "been revoked. To create a new key, open the user's preferences in Odoo, Account "
    "Security."
)
_NOT_CARRIED = (
    "Check whether the call was applied before you repeat it. To avoid this error, set "
    "ODOO_PROTOCOL=jsonrpc."
)
_UNKNOWN_ARGUMENT: dict[str, Any] = {
    "code": "VALIDATION_ERROR",
    "say": "{method} of {model} does not accept the argument {argument}.",
    "suggest": "Omit it, or use its name in this version of Odoo.",
}
_MISSING_ARGUMENT: dict[str, Any] = {
    "code": "VALIDATION_ERROR",
    "say": "{method} of {model} needs the argument {argument}.",
    "suggest": "Pass it, and repeat the call.",
}
_TOO_LONG: dict[str, Any] = {
    "code": "TIMEOUT",
    "say": "The call took longer than Odoo allows.",
    "suggest": "Request less data at a time: fewer records, fewer fields, or a narrower domain.",
}
_BUSY: dict[str, Any] = {
    "code": "SERVER_ERROR",
    "say": "Another transaction changed the same records, so Odoo cancelled this one.",
    "suggest": "Nothing was changed. Wait a few seconds, then repeat the call.",
    "retry": True,
    "details": {"retry_after": 5},
}

ANY_LANGUAGE: tuple[Pattern, ...] = (
    # Private methods: the text is translated to 16, but the name of the method tells.
    Pattern(
        r"AccessError$", r"", "METHOD_BLOCKED",
        "{method} is a private method, which Odoo does not allow in API calls.",
        "Call a public method of {model} that does the same. Private names begin with _.",
        method="_", outcome="refused",
    ),
    Pattern(
        None, r"^Private methods \(such as '?(?P<called>[\w.]+?)'?\) cannot", "METHOD_BLOCKED",
        "{method} is a private method, which Odoo does not allow in API calls.",
        "Call a public method of {model} that does the same.", outcome="refused",
    ),
    Pattern(
        USER_FAMILY, r"^Invalid language code: (?P<lang>\w+)", "VALIDATION_ERROR",
        "The language {lang} is not installed on this Odoo.",
        "Omit lang from the context, or set it to an installed language. search_read on res.lang "
"without lang lists the codes. If you did not set lang, it comes from the connection "
"(ODOO_LANG).",
        details={"field": "lang"},
    ),
    # Sessions, credentials, database, addresses
    Pattern(
        r"SessionExpired", None, "SESSION_EXPIRED", "The session with Odoo has expired.",
        "Repeat the call. The toolkit logs in again.", outcome="refused",
    ),
    Pattern(
        r"exceptions\.Unauthorized$", None, "ACCESS_DENIED",
        "Odoo did not accept the API key.", CREDENTIALS, outcome="refused",
    ),
    Pattern(
        r"OperationalError$|AccessError$", r'database "(?P<database>[^"]+)" does not exist',
        "CONFIG_ERROR", "The server has no database named {database}.",
        "Set ODOO_DB to the name of an existing database.", outcome="refused", retry=False,
    ),
    Pattern(
        None, r"^Database not found", "CONFIG_ERROR", "The server has no database of that name.",
        "Set ODOO_DB to the name of an existing database.", outcome="refused", retry=False,
    ),
    # What was asked for does not exist
    Pattern(
        r"NotFound$", r"the model '(?P<model>[\w.]+)' does not exist", **NO_MODEL,
        outcome="refused",
    ),
    # Builds of 18 look for the journal's own lines of the payment, and there are none.
    Pattern(
        rf"{BUILTIN}IndexError$", r"^tuple index out of range$", "VALIDATION_ERROR",
        "Odoo 18 rejects a payment in another currency with a write-off if the "
        "journal has no outstanding account. Nothing was registered.",
        "Pay in the currency of the invoice, or without a write-off. Or set an outstanding "
"account for the payment method of the journal in Odoo.",
        method="action_create_payments",
    ),
    Pattern(rf"{BUILTIN}KeyError$", rf"^'?(?P<model>{MODEL_NAME})'?$", **NO_MODEL),
    Pattern(
        None,
        rf"^The method '(?:{MODEL_NAME}\.)?(?P<called>\w+)' does not exist"
        rf"|^type object '{MODEL_NAME}' has no attribute '(?P<called_>\w+)'"
        rf"|^'{MODEL_NAME}' object has no attribute '(?P<called__>\w+)'",
        "UNKNOWN_METHOD", "{model} has no method {method} in this version of Odoo.",
        "Methods differ between versions. Use search_read, create and write, or a function for "
"this workflow.",
        outcome="refused",
    ),
    Pattern(
        r"NotFound$", None, "ENDPOINT_NOT_FOUND",
        "Odoo does not serve the address of this call.",
        "Check ODOO_URL and ODOO_PROTOCOL (json2 needs Odoo 19 or later).", outcome="refused",
    ),
    Pattern(
        r"MissingError$|UserError$",
        rf"\(\w+\s?: (?P<model>{MODEL_NAME})\((?P<ids>\d+(?:, \d+)*),?\), \w+\s?: \d+\)"
        rf"|\([^()]*: (?P<model_>{MODEL_NAME}), [^()]*\[(?P<ids_>\d+(?:, \d+)*)\]",
        "NOT_FOUND", "{model} has no record with id {ids}. It may have been deleted.", SEARCH,
    ),
    # Groups. 14 to 16 know no such field, 17 and 18 no such property, 19 says more.
    Pattern(
        BUILTIN, rf"^Invalid field '(?P<field>\w+\.[\w.]+)' on model '(?P<model>{MODEL_NAME})'"
        r"|^Property (?:name '[^']*' has to be used on a|set on a non) propert"
        r"|^Only many2one path is accepted for the '(?P<field_>[\w.:]+)'",
        "INVALID_FIELD", "{method} of {model} cannot group by a field of another model: {said}",
        "Use aggregate, which accepts such paths on every version. Or group by the link itself "
"(partner_id instead of partner_id.country_id), or by a stored field of {model}.",
        method=r"(\w+_)?read_group$",
    ),
    Pattern(
        BUILTIN, r"^Granularity (?:specification|set on a no-datetime)", "VALIDATION_ERROR",
        "{method} of {model} cannot group like this: {said}",
        "Write date_field:day, :week, :month, :quarter or :year. Write other fields without a "
"period.",
    ),
    Pattern(
        None, r"^Invalid aggregat\w+ (?:method|function) '|^Aggregate method is mandatory for '",
        "VALIDATION_ERROR", "{method} of {model} cannot aggregate like this: {said}",
        "Write field:function with sum, avg, min, max, count, count_distinct or array_agg.",
    ),
    Pattern(
        BUILTIN, r"^Order term '(?P<order>[^']*)' is not a valid aggregate nor valid groupby",
        "VALIDATION_ERROR", "'{order}' is not a valid order of these groups.",
        "Order by one of the groupings or aggregates, written in the same way.",
    ),
    # Fields
    Pattern(
        BUILTIN, rf"^Cannot convert (?P<model>{MODEL_NAME})\.(?P<field>\w+) to SQL because"
        r"|^Fields in 'groupby' must be regular database-persisted",
        "INVALID_FIELD", "{model} is only searched, sorted and grouped by stored fields: {said}",
        "Choose a stored field. fields_get on {model} shows which fields are stored.",
    ),
    Pattern(
        BUILTIN, rf"^Invalid field property '\w+' on (?P<model>{MODEL_NAME})\.(?P<field>\w+)",
        "INVALID_FIELD", "{field} of {model} is not a link, so a dot cannot follow it: {said}",
        "To sort, use stored fields of {model} itself. In a domain, a dot can only follow a "
"relational field.",
    ),
    Pattern(
        BUILTIN,
        rf"^Invalid field '(?P<field>\w+)' (?:on|in)(?: model)? '(?P<model>{MODEL_NAME})'",
        "INVALID_FIELD", "{model} has no field {field}.", SEE_FIELDS,
    ),
    Pattern(
        BUILTIN,
        rf"^Invalid field (?P<model>{MODEL_NAME})\.(?P<field>\w+) in (?:leaf|condition)",
        "INVALID_FIELD", "{model} has no field {field}, which the domain uses.", SEE_FIELDS,
    ),
    Pattern(
        BUILTIN, r"^Invalid field (?:name )?['\"](?P<field>[\w.:]+)['\"]", "INVALID_FIELD",
        "{model} has no field {field}.", SEE_FIELDS,
    ),
    # 19 answers so to create and write with an unknown field.
    Pattern(
        rf"{BUILTIN}KeyError$", r"^'?(?P<field>\w+)'?$", "INVALID_FIELD",
        "{model} has no field {field}.", SEE_FIELDS, method=r"(create|write|web_save)$",
    ),
    Pattern(
        rf"{BUILTIN}ValueError$",
        rf"^Wrong value for (?P<model>{MODEL_NAME})\.(?P<field>\w+(?<!_id)(?<!_ids)): "
        r"'(?P<value>.*)'",
        "INVALID_SELECTION", "'{value}' is not an allowed value of {field} on {model}.",
        SEE_VALUES,
    ),
    Pattern(
        rf"{BUILTIN}ValueError$",
        rf"^Wrong value for (?P<model>{MODEL_NAME})\.(?P<field>\w+): (?P<value>.*)", "VALUE_ERROR",
        "{value} is not a valid value of {field} on {model}.",
        "Pass an id for a many2one. For a one2many or many2many, pass a list of commands such as "
"[6, 0, ids]. "
        + SEE_VALUES,
    ),
    # Domains
    Pattern(
        BUILTIN,
        r"^Invalid (?:leaf|operator in condition|domain term) "
        r"\(['\"](?P<field>[^'\"]+)['\"], ['\"](?P<operator>[^'\"]*)['\"],",
        "INVALID_DOMAIN",
        "The condition on {field} is not valid. Odoo might not support the operator "
"'{operator}'.",
        SEE_DOMAIN,
    ),
    Pattern(
        BUILTIN, r"^Invalid operator '(?P<operator>[^']*)'", "INVALID_DOMAIN",
        "Odoo does not support the operator '{operator}'.", SEE_DOMAIN,
    ),
    Pattern(
        BUILTIN,
        r"^Domain\(\) |^Domain .*syntactically not correct|^This domain is syntactically"
        r"|^Domains to normalize|^Invalid (?:leaf|domain term)|^Invalid operator",
        "INVALID_DOMAIN", "The domain is not valid.", SEE_DOMAIN,
    ),
    # Arguments
    Pattern(
        rf"{BUILTIN}TypeError$",
        r"(?P<called>\w+)\(\) got an unexpected keyword argument '(?P<argument>\w+)'",
        **_UNKNOWN_ARGUMENT,
    ),
    Pattern(
        rf"{BUILTIN}TypeError$",
        r"(?P<called>\w+)\(\) missing \d+ required .*arguments?: '(?P<argument>\w+)'",
        **_MISSING_ARGUMENT,
    ),
    # JSON-2 compares the arguments with the method's signature before it runs it.
    Pattern(
        r"UnprocessableEntity$", r"got an unexpected keyword argument '(?P<argument>\w+)'",
        **_UNKNOWN_ARGUMENT, outcome="refused",
    ),
    Pattern(
        r"UnprocessableEntity$", r"missing a required (?:.* )?argument: '(?P<argument>\w+)'",
        **_MISSING_ARGUMENT, outcome="refused",
    ),
    Pattern(
        rf"{BUILTIN}TypeError$", r"(?P<called>\w+)\(\) takes .* positional arguments? but",
        "VALIDATION_ERROR", "{method} of {model} got too many arguments.",
        "Methods of the model itself accept no ids. Buttons and actions accept only ids.",
    ),
    Pattern(
        r"UnprocessableEntity$", r"^cannot call [\w.]+ with ids", "VALIDATION_ERROR",
        "{method} is a method of the model {model} itself and accepts no ids.",
        "Call {method} without ids.", outcome="refused",
    ),
    Pattern(
        r"UnprocessableEntity$|BadRequest$", None, "VALIDATION_ERROR",
        "Odoo did not understand the call of {method} on {model}: {said}",
        "Check the names and the types of the arguments.", outcome="refused",
    ),
    Pattern(
        BUILTIN, rf"^Expected singleton: (?P<model>{MODEL_NAME})\((?P<ids>\d+(?:, \d+)*),?\)",
        "VALIDATION_ERROR", "{method} accepts a single record, but got {model} {ids}.",
        "Call {method} once for each record.",
    ),
    Pattern(
        BUILTIN, rf"^Expected singleton: (?P<model>{MODEL_NAME})\(\)", "VALIDATION_ERROR",
        "{method} needs one record of {model}, but got none.",
        "Pass the id of the record. If you did, a required link of the record may be empty.",
    ),
    Pattern(
        BUILTIN, rf"^Expected singleton: (?P<model>{MODEL_NAME})\('", "VALUE_ERROR",
        "The id of a {model} record is needed, but got a string.",
        SEARCH,
    ),
    Pattern(
        rf"{BUILTIN}ValueError$",
        r"not supported when posting or notifying: (?P<argument>[\w, ]+)",
        "VALIDATION_ERROR", "message_post does not accept the argument {argument}.",
        "Use post_message instead.",
    ),
    # Values
    Pattern(
        rf"{BUILTIN}ValueError$",
        r"^time data '(?P<value>[^']*)' does not match"
        r"|^Invalid isoformat string: '(?P<value_>[^']*)'"
        r"|^Invalid term '(?P<value___>[^']*)' in expression date"
        r"|^unconverted data remains|^Failed to cast '(?P<value__>[^']*)' into a date"
        r"|^(?:year|month|day|hour|minute|second)\b.* (?:out of range|must be in)",
        "VALUE_ERROR", "Odoo cannot read a date or time: {said}",
        DATE,
    ),
    Pattern(
        r"^psycopg2\.",
        r"^invalid input syntax for (?:type )?(?:date|time)[\w ]*: \"(?P<value>[^\"]*)\"",
        "VALUE_ERROR", "'{value}' is not a date or time that Odoo can read.",
        DATE,
    ),
    Pattern(
        r"^psycopg2\.",
        r"invalid input syntax for (?:type )?(?P<type>[\w ]+): \"(?P<value>[^\"]*)\"",
        "VALUE_ERROR", "A value of type {type} is needed, got '{value}'.",
        "A many2one needs an id, not a name. Look it up with search_read. " + SEE_VALUES,
    ),
    Pattern(
        r"^binascii\.Error$", None, "VALUE_ERROR", "The content is not valid base64.",
        "Encode the bytes of the file as base64.",
    ),
    # The method ran and was committed; only its answer could not be written.
    Pattern(
        rf"{BUILTIN}(TypeError|OverflowError)$",
        r"^cannot marshal |exceeds XML-RPC limits|^dictionary key must be string"
        r"|is not JSON serializable",
        "CONNECTION_ERROR",
        "{method} of {model} was executed, but the protocol could not transfer its result.",
        _NOT_CARRIED, outcome="maybe_applied", retry=False,
    ),
    # The database's own refusals
    Pattern(
        USER_FAMILY, r"^(?P<constraint>\w+_(?:key|uniq|unique|uniqueness))$", "UNIQUE_VIOLATION",
        "Another record of {model} has the same values, which must be unique ({constraint}).",
        UNIQUE,
    ),
    Pattern(
        USER_FAMILY, r"^(?P<constraint>\w+_(?:check|chk)\w*|check_\w+)$", "CHECK_CONSTRAINT",
        "The values violate a rule of {model} ({constraint}).", SEE_VALUES,
    ),
    Pattern(
        None, r"duplicate key value violates unique constraint \"(?P<constraint>\w+)\""
        r"(?:.*\((?P<fields>[\w, ]+)\)=)?",
        "UNIQUE_VIOLATION",
        "Another record has the same values, which must be unique ({constraint}).",
        UNIQUE,
    ),
    Pattern(
        None, r"violates check constraint \"(?P<constraint>\w+)\"", "CHECK_CONSTRAINT",
        "The values violate a rule of {model} ({constraint}).", SEE_VALUES,
    ),
    Pattern(
        None, r"violates foreign key constraint \"(?P<constraint>\w+)\"", "FK_VIOLATION",
        "The record is linked to a record that does not exist, or that still needs it "
"({constraint}).",
        "To remove a record that is in use, archive it: write on {model} with active false.",
    ),
    Pattern(
        None, r"null value in column \"(?P<field>\w+)\"", "MISSING_REQUIRED_FIELD",
        "The field {field} is required, but missing.", SEE_VALUES,
    ),
    Pattern(
        r"SerializationFailure|LockNotAvailable|DeadlockDetected|TransactionRollback"
        r"|LockError$|ConcurrencyError$",
        None, **_BUSY,
    ),
    Pattern(None, r"could not serialize access|deadlock detected|could not obtain lock", **_BUSY),
    Pattern(r"QueryCanceled|TimeLimit", None, **_TOO_LONG),
    Pattern(r"builtins\.Exception$", r"time limit", **_TOO_LONG),
)  # fmt: skip
