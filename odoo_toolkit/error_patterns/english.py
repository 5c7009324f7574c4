"""The known answers of an Odoo server that it translates into the user's language.

They are recognised because the toolkit calls in ``en_US``. A caller who sets another language in
the context gets what the name of the exception tells, from
:data:`~odoo_toolkit.error_patterns.by_exception.BY_EXCEPTION`: the right family, with the server's
own words.
"""

from __future__ import annotations

from typing import Any

from odoo_toolkit.error_patterns.table import (
    ASK_ADMIN,
    MODEL_NAME,
    NO_MODEL,
    SEARCH,
    SEE_DOMAIN,
    SEE_VALUES,
    UNIQUE,
    USER_FAMILY,
    Pattern,
)

_SEE_STATE = (
    "Read the current state of the record first (read on {model}), then choose an action that "
    "this state allows."
)
_GROUPS = "Ask an administrator of Odoo to add this user to one of the groups in the details."
_ARCHIVE = (
    "Archive the record instead, if the model supports it: write on {model} with active false."
)
_REQUIRED: dict[str, Any] = {
    "code": "MISSING_REQUIRED_FIELD",
    "say": "{label} ({field}) of {model} is required, but missing.",
    "suggest": (
        "Set {field}. A wizard takes many values from its context instead, such as "
        "active_model, active_id and active_ids of the records it was opened on."
    ),
}
_STILL_NEEDED: dict[str, Any] = {
    "code": "FK_VIOLATION",
    "say": "Records of {model} need this record: {label} ({field}) is required there.",
    "suggest": "Archive it instead (write with active false), or first delete those records.",
    "method": "unlink$",
}
#: The words of 14 to 18, and of 19.
_NOT_SET = (
    rf"mandatory field is not set.*Model: (?P<model_label>[^\n]+?) \((?P<model>{MODEL_NAME})\)"
    r"[,\s]+Field: (?P<label>.+?) \((?P<field>\w+)\)\s*$"
    r"|Missing required value for the field '(?P<label_>[^\n]+?)' \((?P<field_>\w+)\)\.\s+"
    rf"Model: '(?P<model_label_>[^\n]+?)' \((?P<model_>{MODEL_NAME})\)"
)


def _state(message: str, suggest: str = _SEE_STATE) -> Pattern:
    """Return the entry for a record whose state does not allow what was asked."""
    return Pattern(USER_FAMILY, message, "STATE_ERROR", None, suggest)


_ACCESS: tuple[Pattern, ...] = (
    Pattern(
        r"AccessDenied$", r"^Too many login failures", "RATE_LIMITED",
        "Odoo rejects logins for a while, because too many failed.",
        "Check the user name and the password or API key, then try again in a minute.",
        outcome="refused", details={"retry_after": 60},
    ),
    Pattern(
        r"AccessError$", r"^Access to unauthorized or invalid companies", "ACCESS_DENIED",
        "The context key allowed_company_ids contains a company that does not exist, or that "
"this user cannot use.",
        "Omit it to use the user's default company. search_read on res.company lists the "
"companies.",
        details={"field": "allowed_company_ids"},
    ),
    # Fields before models: the text names the model as well.
    Pattern(
        r"AccessError$",
        rf"rights to access the fields? \"(?P<fields>[^\"]+)\" on (?P<label>[^(]+) "
        rf"\((?P<model>{MODEL_NAME})\)",
        "ACCESS_DENIED", "This user cannot use {fields} of {model}.",
        "Omit these fields. " + ASK_ADMIN,
    ),
    Pattern(
        r"AccessError$",
        rf"Document type: (?P<label>[^(]+) \((?P<model>{MODEL_NAME})\)\n"
        r"Operation: (?P<operation>\w+).*\nFields:\n(?P<fields>.+)",
        "ACCESS_DENIED", "This user cannot use {fields} of {model}.",
        "Omit these fields. " + ASK_ADMIN,
    ),
    Pattern(
        r"AccessError$",
        rf"not allowed to (?P<operation>\w+) '(?P<label>[^']+)' \((?P<model>{MODEL_NAME})\) records"
        r".*following groups:\n(?P<groups>(?:\s*- [^\n]+\n?)+)",
        "ACCESS_DENIED", "This user cannot {operation} records of {model} ({label}).", _GROUPS,
    ),
    Pattern(
        r"AccessError$",
        rf"^Due to security restrictions, you are not allowed to (?P<operation>\w+) "
        rf"'(?P<label>[^']+)' \((?P<model>{MODEL_NAME})\)",
        "ACCESS_DENIED",
        "The record rules do not let this user {operation} these records of {model} ({label}).",
        "Omit these records from the call. They may belong to a company that the user has not "
"selected. " + ASK_ADMIN,
    ),
    Pattern(
        r"AccessError$",
        r"doesn't have '(?P<operation>\w+)' access to:\n- (?P<label>[^\n(,]+)[^\n(]*"
        rf"\((?P<model>{MODEL_NAME})(?:: (?P<ids>\d+))?.*"
        r"switching to the company: (?P<company>[^\n]+?)\.?$",
        "ACCESS_DENIED",
        "The record of {model} ({label}) belongs to the company {company}.",
        "Repeat the call with that company's id in the context key allowed_company_ids.",
    ),
    Pattern(
        r"AccessError$",
        r"doesn't have '(?P<operation>\w+)' access to:\n- (?P<label>[^\n(,]+)[^\n(]*"
        rf"\((?P<model>{MODEL_NAME})(?:: (?P<ids>\d+))?",
        "ACCESS_DENIED",
        "The record rules do not let this user {operation} these records of {model} ({label}).",
        "Omit these records from the call. " + ASK_ADMIN,
    ),
    Pattern(
        r"AccessError$", rf"not allowed to (?P<operation>\w+) '(?P<label>[^']+)' "
        rf"\((?P<model>{MODEL_NAME})\)",
        "ACCESS_DENIED", "This user cannot {operation} records of {model} ({label}).", ASK_ADMIN,
    ),
)  # fmt: skip

_DATABASE: tuple[Pattern, ...] = (
    Pattern(
        USER_FAMILY, r"^Object (?P<model>[\w.]+) doesn't exist", **NO_MODEL, outcome="refused",
    ),
    Pattern(
        USER_FAMILY, r"Document type: (?P<label>[^)]+)\).*Records: [\[(](?P<ids>[\d, ]+)[\])]",
        "NOT_FOUND", "A record of {label} does not exist: {ids}.", SEARCH,
    ),
    Pattern(USER_FAMILY, _NOT_SET, **_STILL_NEEDED),
    Pattern(USER_FAMILY, _NOT_SET, **_REQUIRED),
    Pattern(
        USER_FAMILY, r"mandatory field is not set|^[^\n]*Missing required value for the field",
        "MISSING_REQUIRED_FIELD", "A required field of {model} is missing.", SEE_VALUES,
    ),
    Pattern(
        USER_FAMILY, r"Missing required account on accountable line", "MISSING_REQUIRED_FIELD",
        "A line of the entry has no account.",
        "Set account_id on each line. For an invoice, set move_type.",
        details={"field": "account_id"},
    ),
    Pattern(
        USER_FAMILY, r"^The Bill/Refund date is required", "MISSING_REQUIRED_FIELD",
        "A vendor bill or refund needs a date before you can post it.",
        "Set invoice_date with write on {model}, then post it again.",
        details={"field": "invoice_date"},
    ),
    Pattern(
        USER_FAMILY, r"^The (?:field '(?P<label>[^']+)' is|'(?P<label_>[^']+)' field is) required",
        "MISSING_REQUIRED_FIELD", "{label} is required, but not set.",
        "Set {label} with write on {model}, then repeat the call.",
    ),
    # 14 to 18 speak of a deletion also where a link names a record that does not exist.
    Pattern(
        USER_FAMILY,
        r"another model requires the record being deleted.*Constraint: (?P<constraint>\w+)"
        r"|model is using the record you are trying to delete"
        r".*constraint: (?:'[^\n]*' \((?P<field>\w+)\)|(?P<constraint_>\w+))",
        "FK_VIOLATION",
        "A value of {model} refers to a record that does not exist, or a record to be deleted is "
        "still in use.",
        "Check the ids in the values with search_read. The constraint in the details identifies "
"the link.",
        method=r"(create|write|web_save|copy|load)$",
    ),
    Pattern(
        USER_FAMILY,
        rf"another model requires the record being deleted.*Model: [^(\n]*"
        rf"\((?P<referenced_by>{MODEL_NAME})\)[,\s]+Constraint: (?P<constraint>\w+)",
        "FK_VIOLATION", "Records of {referenced_by} still need this record of {model}.", _ARCHIVE,
    ),
    Pattern(
        USER_FAMILY,
        rf"troublemaker is: '[^\n]*' \((?P<referenced_by>{MODEL_NAME})\)\s+"
        r"Thanks to the following constraint: (?:'[^\n]*' \((?P<field>\w+)\)|(?P<constraint>\w+))",
        "FK_VIOLATION", "Records of {referenced_by} still need this record of {model}.", _ARCHIVE,
    ),
    Pattern(
        USER_FAMILY,
        r"another model requires the record being deleted|model is using the record you are "
        r"trying to delete",
        "FK_VIOLATION", "Other records still need this record of {model}.", _ARCHIVE,
    ),
    Pattern(
        USER_FAMILY, r"cannot be deleted because it is used in ", "FK_VIOLATION", None, _ARCHIVE
    ),
    Pattern(
        USER_FAMILY, r"The value for '(?P<fields>[^'\n]+)' \([^\n]*\) already exists",
        "UNIQUE_VIOLATION", "Another record of {model} has the same {fields}.", UNIQUE,
    ),
    Pattern(
        USER_FAMILY,
        r"^The operation cannot be completed: [^\n]*already (?:exists|used|taken)"
        r"|two \w+ with the same|(?:must|should) be unique",
        "UNIQUE_VIOLATION", None, UNIQUE,
    ),
    Pattern(
        USER_FAMILY, r"^Duplicated vendor reference|^Duplicate bill detected", "CONSTRAINT_ERROR",
        "A bill of this vendor with the same reference and date already exists.", UNIQUE,
    ),
    Pattern(
        USER_FAMILY, r"^The operation cannot be completed: (?P<rule>Contacts require a name)",
        "CHECK_CONSTRAINT", "A contact needs a name.", "Set name.",
        details={"field": "name"},
    ),
    Pattern(
        USER_FAMILY, r"^The operation cannot be completed: (?P<rule>[^\n]+)",
        "CONSTRAINT_ERROR", "The operation cannot be completed: {rule}",
        "Change the values to follow this rule.",
    ),
    Pattern(
        USER_FAMILY, r"^Unsupported operator on ", "INVALID_DOMAIN", None, SEE_DOMAIN,
    ),
    Pattern(
        USER_FAMILY, r'^Invalid "order" specified \((?P<order>[^)]*)\)', "VALIDATION_ERROR",
        "'{order}' is not a valid order of records.",
        "List stored fields, separated by commas. Each may be followed by asc or desc.",
    ),
)  # fmt: skip

_STATES: tuple[Pattern, ...] = (
    # Sales orders
    _state(r"orders are not in a state requiring confirmation"),
    _state(r"^It is not allowed to confirm an order in the following states"),
    _state(
        r"^You cannot cancel a locked order",
        "Unlock the order: execute action_unlock on {model}. Then cancel it.",
    ),
    Pattern(
        USER_FAMILY, r"modify the following fields in a locked order:\s*(?P<labels>.+)",
        "STATE_ERROR", "The order is locked, so these fields cannot be changed: {labels}.",
        "Unlock the order first: execute action_unlock on sale.order.",
    ),
    _state(
        r"^You can ?not delete a sent quotation or a confirmed",
        "First cancel the order with cancel_order. Then you can delete it.",
    ),
    Pattern(
        USER_FAMILY, r"^There is nothing to invoice|^Cannot create an invoice\. No items",
        "STATE_ERROR", "There is nothing to invoice on this order.",
        "Check with get_order that the order is confirmed, that products invoiced by delivery "
"are delivered, and that it is not already invoiced.",
    ),
    # Invoices and payments
    _state(r"^The entry .* is already posted"),
    _state(r"^The entry .* must be in draft"),
    _state(r"^Only posted/cancelled journal entries can be reset"),
    Pattern(
        USER_FAMILY,
        r"^You cannot delete an (?:entry which has been posted|item linked to a posted)"
        r"|^You can't delete a posted journal item",
        "STATE_ERROR", "A posted entry cannot be deleted.",
        "Reset it to draft or cancel it with reset_invoice, or credit it with create_credit_note.",
    ),
    Pattern(
        USER_FAMILY, r"readonly fields on a posted move: (?P<fields>[\w, ]+)", "STATE_ERROR",
        "The entry is posted, so {fields} cannot be changed.",
        "First reset it to draft with reset_invoice.",
    ),
    _state(
        r"^You cannot modify .* posted (?:journal item|move|entr)",
        "First reset the entry to draft with reset_invoice.",
    ),
    Pattern(
        USER_FAMILY, r"nothing left to pay", "STATE_ERROR",
        "Nothing is left to pay on this invoice.",
        "Check payment_state and amount_residual of the account.move with read.",
    ),
    _state(
        r"^You can only register payment for posted",
        "First post the invoice with post_invoice.",
    ),
    Pattern(
        USER_FAMILY,
        r"^You can only reverse posted moves|^To reverse a journal entry, it has to be",
        "STATE_ERROR", "Only a posted entry can be reversed.",
        "First post the invoice with post_invoice, or delete the draft.",
    ),
    Pattern(
        USER_FAMILY, r"^You need to add a line before posting|^Even magicians can't post nothing",
        "USER_ERROR", "The entry has no lines, so it cannot be posted.",
        "Add lines to it (invoice_line_ids) with write on {model}, then post it.",
    ),
    Pattern(
        USER_FAMILY, r"^The register payment wizard should only be called", "VALIDATION_ERROR",
        "The payment wizard got no invoices to pay.", "Use register_payment.",
    ),
    # Pickings
    Pattern(
        USER_FAMILY,
        r"^You cannot validate a transfer if no quantit|^Transfer trouble alert", "STATE_ERROR",
        "The transfer has no quantities: nothing is reserved or done.",
        "Check the stock with get_stock. validate_picking reserves the available stock, or moves "
"the quantities in lines. A done transfer does not need it.",
    ),
    Pattern(
        USER_FAMILY, r"^Please add some items to move|validate an empty transfer", "STATE_ERROR",
        "The transfer is empty.", "Add products to the transfer first.",
    ),
    _state(
        r"^You cannot cancel a stock move that has been set to 'Done'",
        "A done transfer cannot be cancelled. Return it with return_picking.",
    ),
)  # fmt: skip

ENGLISH: tuple[Pattern, ...] = _ACCESS + _DATABASE + _STATES
