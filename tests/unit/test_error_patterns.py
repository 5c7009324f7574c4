import json
import re
import string
import xmlrpc.client
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odoo_toolkit.error_patterns import (
    PATTERNS,
    Fault,
    classify,
    fault_from_json2,
    fault_from_jsonrpc,
    fault_from_xmlrpc,
    http_error,
    is_void_result,
    maybe_applied,
)
from odoo_toolkit.errors import CODES, ConstraintError, OdooConnectionError, OdooError, make_error

RECORDED = Path(__file__).parents[1] / "recorded" / "errors"
VERSIONS = (14, 15, 16, 17, 18, 19)
RECORDINGS: dict[int, dict[str, Any]] = {
    version: json.loads((RECORDED / f"{version}.json").read_text("utf-8")) for version in VERSIONS
}

#: recorded case -> (code, what became of the call, details that every version tells)
EXPECTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "access_error_create": ("ACCESS_DENIED", "rolled_back", {"label": "Record Rule"}),
    "access_error_model": ("ACCESS_DENIED", "rolled_back", {"operation": "access"}),
    "bad_database": ("CONFIG_ERROR", "refused", {"database": "nosuchdb"}),
    "bad_date": ("VALUE_ERROR", "rolled_back", {"value": "not-a-date"}),
    "bad_json": ("VALIDATION_ERROR", "refused", {}),
    "bad_key": ("ACCESS_DENIED", "refused", {}),
    "bad_many2one": (
        "NOT_FOUND",
        "rolled_back",
        {"model": "res.partner", "called_model": "sale.order", "missing_ids": [99999999]},
    ),
    "bad_password": ("ACCESS_DENIED", "refused", {}),
    "bad_selection": ("INVALID_SELECTION", "rolled_back", {"field": "type", "value": "nosuch"}),
    "fk_violation_unlink": ("FK_VIOLATION", "rolled_back", {"model": "res.company"}),
    "ids_on_model_method": ("VALIDATION_ERROR", "refused", {}),
    "invalid_field_domain": ("INVALID_FIELD", "rolled_back", {"field": "nosuch"}),
    "invalid_field_read": ("INVALID_FIELD", "rolled_back", {"field": "nosuch"}),
    "invalid_operator": ("INVALID_DOMAIN", "rolled_back", {"operator": "==="}),
    "malformed_domain": ("INVALID_DOMAIN", "rolled_back", {}),
    "missing_argument": ("VALIDATION_ERROR", "refused", {"argument": "vals_list"}),
    "missing_argument_search": ("VALIDATION_ERROR", "refused", {"argument": "domain"}),
    "missing_required": (
        "MISSING_REQUIRED_FIELD",
        "rolled_back",
        {"model": "sale.order", "field": "partner_id", "label": "Customer"},
    ),
    "missing_required_partner": ("CHECK_CONSTRAINT", "rolled_back", {}),
    "post_empty_invoice": ("USER_ERROR", "rolled_back", {}),
    "private_method": ("METHOD_BLOCKED", "refused", {"method": "_read_group"}),
    "unique_violation": ("UNIQUE_VIOLATION", "rolled_back", {"model": "res.users"}),
    "unknown_field_write": ("INVALID_FIELD", "rolled_back", {"field": "nosuch"}),
    "unknown_method": ("UNKNOWN_METHOD", "refused", {"method": "no_such_method"}),
    "unknown_model": ("UNKNOWN_MODEL", "refused", {"model": "no.such.model"}),
    "unlink_missing_record": ("NOT_FOUND", "rolled_back", {"missing_ids": [99999999]}),
    "unlink_protected": ("USER_ERROR", "rolled_back", {}),
    "user_error_confirm_twice": ("STATE_ERROR", "rolled_back", {"model": "sale.order"}),
    "write_missing_record": ("NOT_FOUND", "rolled_back", {"missing_ids": [99999999]}),
    "wrong_arity": ("VALIDATION_ERROR", "rolled_back", {"argument": "nosuch_kw"}),
    "wrong_type_many2one": ("VALUE_ERROR", "rolled_back", {"value": "Belgium"}),
}

READ_FAULT = {
    "jsonrpc": fault_from_jsonrpc,
    "xmlrpc": lambda fault: fault_from_xmlrpc(fault["faultCode"], fault["faultString"]),
    "json2": lambda answer: fault_from_json2(answer["status"], answer["body"]),
}
ALL = [
    pytest.param(case, recording, protocol, id=f"{version}-{case}-{protocol}")
    for version, recordings in RECORDINGS.items()
    for case, recording in recordings.items()
    for protocol in READ_FAULT
    if protocol in recording
]


def classify_recording(recording: dict[str, Any], protocol: str) -> OdooError:
    fault = READ_FAULT[protocol](recording[protocol])
    return classify(fault, model=recording["model"], method=recording["method"])


def user_error(message: str, name: str = "UserError", **call: Any) -> OdooError:
    fault = Fault(name=f"odoo.exceptions.{name}", message=message)
    return classify(fault, **{"model": "sale.order", "method": "write", **call})


def server_error(name: str, message: str, **call: Any) -> OdooError:
    return classify(
        Fault(name=name, message=message), **{"model": "sale.order", "method": "write", **call}
    )


def assert_shows_no_internals(error: OdooError) -> None:
    shown = json.dumps(error.to_dict(), ensure_ascii=False)
    for internal in ("Traceback", 'File \\"', "psycopg2.", "LINE 1", "VALUES (", "odoo.exceptions"):
        assert internal not in shown


# --- recorded answers -------------------------------------------------------------------------


def test_there_are_recordings_of_every_version_and_protocol() -> None:
    seen = {(version, p) for version in VERSIONS for r in RECORDINGS[version].values() for p in r}
    for version in VERSIONS:
        assert {(version, "jsonrpc"), (version, "xmlrpc")} <= seen
    assert (19, "json2") in seen


@pytest.mark.parametrize(("case", "recording", "protocol"), ALL)
def test_recorded_answer_is_understood(case: str, recording: dict[str, Any], protocol: str) -> None:
    code, outcome, details = EXPECTED[case]
    error = classify_recording(recording, protocol)
    assert (error.code, error.outcome) == (code, outcome)
    assert isinstance(error, CODES[code][2])
    assert error.details.items() >= details.items()
    assert error.message
    assert error.suggestion


@pytest.mark.parametrize(("case", "recording", "protocol"), ALL)
def test_recorded_answer_shows_no_internals(
    case: str, recording: dict[str, Any], protocol: str
) -> None:
    assert_shows_no_internals(classify_recording(recording, protocol))


@pytest.mark.parametrize("version", VERSIONS)
def test_protocols_agree_on_what_happened(version: int) -> None:
    """Only the outcome may differ: JSON-2 refuses some calls before the method runs."""
    compared = 0
    for case, recording in RECORDINGS[version].items():
        errors = [classify_recording(recording, p) for p in READ_FAULT if p in recording]
        assert len({(e.code, e.message) for e in errors}) == 1, case
        compared += len(errors) > 1
    assert compared > 20


def test_a_recorded_traceback_reaches_the_log_only(caplog: pytest.LogCaptureFixture) -> None:
    recording = RECORDINGS[19]["missing_required"]
    assert "Traceback" in recording["jsonrpc"]["data"]["debug"]
    fault = fault_from_jsonrpc(recording["jsonrpc"])
    assert "Traceback" in fault.debug
    assert "Traceback" not in repr(fault)
    with caplog.at_level("DEBUG", "odoo_toolkit.error_patterns"):
        assert_shows_no_internals(classify(fault, model="sale.order", method="create"))
    assert "Traceback" in caplog.text


# --- reading faults ---------------------------------------------------------------------------

TRACEBACK = """Traceback (most recent call last):
  File "/odoo/a.py", line 1, in xmlrpc_2
    response = self._xmlrpc(service)
               ^^^^^^^^^^^^^^^^^^^^^
KeyError: 'first'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/odoo/b.py", line 2, in call
    raise
{end}
"""


@pytest.mark.parametrize(
    ("end", "name", "message"),
    [
        ("ValueError: one\n  two\nthree: four", "builtins.ValueError", "one\n  two\nthree: four"),
        (
            "psycopg2.errors.UndefinedColumn: no: such",
            "psycopg2.errors.UndefinedColumn",
            "no: such",
        ),
        ("AssertionError", "builtins.AssertionError", ""),
    ],
)
def test_xmlrpc_traceback_ends_with_exception_and_message(
    end: str, name: str, message: str
) -> None:
    fault = fault_from_xmlrpc(1, TRACEBACK.format(end=end))
    assert (fault.name, fault.message, fault.fault_code) == (name, message, 1)
    assert "During handling" in fault.debug


def test_xmlrpc_fault_without_traceback_keeps_its_exception() -> None:
    fault = fault_from_xmlrpc(1, "odoo.exceptions.AccessDenied: Access Denied\n")
    assert (fault.name, fault.message) == ("odoo.exceptions.AccessDenied", "Access Denied")


def test_truncated_traceback_tells_nothing() -> None:
    error = classify(
        fault_from_xmlrpc(1, 'Traceback (most recent call last):\n  File "/odoo/a.py", li'),
        model="res.partner",
        method="read",
    )
    assert error.code == "UNKNOWN_ERROR"
    assert_shows_no_internals(error)


def test_jsonrpc_codes_without_exception_are_known() -> None:
    expired = {"code": 100, "message": "Odoo Session Expired", "data": {}}
    assert classify(fault_from_jsonrpc(expired), model="a.b", method="read").code == (
        "SESSION_EXPIRED"
    )
    lost = {"code": 404, "message": "404: Not Found"}
    assert classify(fault_from_jsonrpc(lost), model="a.b", method="read").code == (
        "ENDPOINT_NOT_FOUND"
    )


def test_json_of_a_gateway_is_judged_by_its_status() -> None:
    fault = fault_from_json2(502, {"error": "upstream"})
    error = classify(fault, model="res.partner", method="write")
    assert (error.code, error.outcome) == ("SERVER_ERROR", "maybe_applied")
    assert error.details["model"] == "res.partner"


def marshalling_fault(result: Any) -> Fault:
    """The fault that Odoo answers when it cannot write a method's result as XML-RPC."""
    import traceback

    try:
        xmlrpc.client.dumps((result,), methodresponse=True)
    except (TypeError, OverflowError):
        return fault_from_xmlrpc(1, traceback.format_exc())
    raise AssertionError("this can be marshalled")


def test_none_over_xmlrpc_is_a_success() -> None:
    assert is_void_result(marshalling_fault(None))


@pytest.mark.parametrize("result", [[None], {"a": None}, 2**40, {1: 2}])
def test_answer_that_xmlrpc_cannot_carry_leaves_the_call_applied(result: Any) -> None:
    fault = marshalling_fault(result)
    assert not is_void_result(fault)
    error = classify(fault, model="sale.order", method="action_confirm")
    assert (error.code, error.outcome, error.retry) == ("CONNECTION_ERROR", "maybe_applied", False)


def test_error_that_only_speaks_of_none_is_no_success() -> None:
    assert not is_void_result(fault_from_xmlrpc(2, "cannot marshal None unless allow_none"))


@pytest.mark.parametrize(
    "fault",
    [
        fault_from_jsonrpc(
            {
                "code": 200,
                "data": {
                    "name": "odoo.exceptions.RedirectWarning",
                    "message": "Set up a journal.\n{'type': 'ir.actions.act_window'}\nGo\n{}",
                    "arguments": ["Set up a journal.", {"type": "x"}, "Go", {}],
                },
            }
        ),
        Fault(name="odoo.exceptions.RedirectWarning", message="Set up a journal.\n42\nGo"),
        fault_from_xmlrpc(2, "('Set up a journal.', 42, 'Go', None)"),
    ],
    ids=["jsonrpc", "without arguments", "xmlrpc"],
)
def test_redirect_warning_shows_its_text_only(fault: Fault) -> None:
    error = classify(fault, model="account.move", method="action_post")
    assert (error.code, error.message) == ("REDIRECT_WARNING", "Set up a journal.")


# --- the table --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("The following orders are not in a state requiring confirmation: S00034", "STATE_ERROR"),
        ("It is not allowed to confirm an order in the following states: cancel", "STATE_ERROR"),
        ("You cannot cancel a locked order. Please unlock it first.", "STATE_ERROR"),
        ("You can not delete a sent quotation or a confirmed sales order.", "STATE_ERROR"),
        ("There is nothing to invoice!\n\nReason(s) of this behavior could be:…", "STATE_ERROR"),
        ("Cannot create an invoice. No items are available to invoice.\n\nTo", "STATE_ERROR"),
        ("The entry INV/2025/0001 (id 28) is already posted.", "STATE_ERROR"),
        ("The entry INV/2025/0001 (id 69) must be in draft.", "STATE_ERROR"),
        ("Only posted/cancelled journal entries can be reset to draft.", "STATE_ERROR"),
        ("You cannot delete an entry which has been posted once.", "STATE_ERROR"),
        ("You cannot delete an item linked to a posted entry.", "STATE_ERROR"),
        ("You can't delete a posted journal item. Don’t play games", "STATE_ERROR"),
        ("You cannot modify the taxes related to a posted journal item, you", "STATE_ERROR"),
        ("There's nothing left to pay for the selected journal items, so", "STATE_ERROR"),
        ("You can't register a payment because there is nothing left to pay on", "STATE_ERROR"),
        ("You can only register payment for posted journal entries.", "STATE_ERROR"),
        ("You can only reverse posted moves.", "STATE_ERROR"),
        ("To reverse a journal entry, it has to be posted first.", "STATE_ERROR"),
        ("You cannot validate a transfer if no quantities are reserved nor done.", "STATE_ERROR"),
        ("Transfer trouble alert! Validating a zero quantity transfer?", "STATE_ERROR"),
        ("Please add some items to move.", "STATE_ERROR"),
        ("You can’t validate an empty transfer. Please add some products", "STATE_ERROR"),
        ("You cannot cancel a stock move that has been set to 'Done'. Create", "STATE_ERROR"),
        ("The Bill/Refund date is required to validate this document.", "MISSING_REQUIRED_FIELD"),
        ("The operation cannot be completed: A private task cannot have a", "CONSTRAINT_ERROR"),
        ("The code of the journal must be unique.", "UNIQUE_VIOLATION"),
        ("The value of the down payment amount must be positive.", "USER_ERROR"),
    ],
)
def test_business_message_is_known(message: str, code: str) -> None:
    assert user_error(message).code == code


def test_missing_label_is_told() -> None:
    for message in (
        "The field 'Customer' is required, please complete it to validate the Customer Invoice.",
        "The 'Customer' field is required to validate the invoice.\nYou probably",
    ):
        error = user_error(message, model="account.move")
        assert (error.code, error.details["label"]) == ("MISSING_REQUIRED_FIELD", "Customer")


def test_readonly_fields_of_a_posted_entry_are_told() -> None:
    error = user_error(
        "You cannot modify the following readonly fields on a posted move: name, invoice_line_ids"
    )
    assert (error.code, error.details["fields"]) == ("STATE_ERROR", ["name", "invoice_line_ids"])


@pytest.mark.parametrize(
    "message",
    [
        'You do not have enough rights to access the fields "login_date,groups_id" on Users '
        "(res.users). Please contact your system administrator.\n\n(Operation: read)",
        "The requested operation can not be completed due to security restrictions.\n\n"
        "Document type: Users (res.users)\nOperation: read\nUser: 6\nFields:\n"
        "- login_date (allowed for groups 'Settings', 'Rights')\n- groups_id (always forbidden)",
    ],
)
def test_forbidden_fields_are_told(message: str) -> None:
    error = user_error(message, "AccessError", model="res.users", method="read")
    assert error.code == "ACCESS_DENIED"
    assert error.details["fields"] == ["login_date", "groups_id"]
    assert error.message == "This user cannot use login_date, groups_id of res.users."


def test_groups_that_would_allow_are_told() -> None:
    error = user_error(
        "You are not allowed to modify 'Journal' (account.journal) records.\n\nThis operation is "
        "allowed for the following groups:\n\t- Accounting/Administrator\n\t- Accounting/Billing"
        "\n\nContact your administrator to request access if necessary.",
        "AccessError",
    )
    assert error.details["groups"] == ["Accounting/Administrator", "Accounting/Billing"]


def test_record_rule_is_told_from_a_missing_right() -> None:
    for message in (
        "Due to security restrictions, you are not allowed to read 'Contact' (res.partner) "
        "records.\n\nContact your administrator to request access if necessary.",
        "Uh-oh! Looks like you have stumbled upon some top-secret records.\n\nSorry, Marc Demo "
        "(id=6) doesn't have 'read' access to:\n- Contact (res.partner)\n\nIf you really",
    ):
        error = user_error(message, "AccessError", model="res.partner", method="read")
        assert error.message == (
            "The record rules do not let this user read these records of res.partner (Contact)."
        )


def test_company_to_switch_to_is_told() -> None:
    error = user_error(
        "Uh-oh! Looks like you have stumbled upon some top-secret records.\n\nSorry, Marc Demo "
        "(id=6) doesn't have 'read' access to:\n- Contact, Azure (res.partner: 14, company=B)\n\n"
        "Blame the following rules:\n- x\n\nIf you\n\nThis seems to be a multi-company issue, you "
        "might be able to access the record by switching to the company: Company B.",
        "AccessError",
    )
    assert error.details["company"] == "Company B"
    assert "allowed_company_ids" in error.suggestion


def test_expired_key_is_named_as_a_cause() -> None:
    assert "expired" in user_error("Access Denied", "AccessDenied").suggestion


@pytest.mark.parametrize(
    ("name", "message", "code"),
    [
        ("builtins.ValueError", "Expected singleton: sale.order(38, 39)", "VALIDATION_ERROR"),
        ("builtins.ValueError", "Expected singleton: sale.order()", "VALIDATION_ERROR"),
        ("builtins.ValueError", "Expected singleton: crm.stage('W', 'o')", "VALUE_ERROR"),
        ("builtins.ValueError", "Wrong value for sale.order.order_line: abc", "VALUE_ERROR"),
        ("builtins.ValueError", "Wrong value for sale.order.partner_id: 'abc'", "VALUE_ERROR"),
        ("builtins.KeyError", "no.such.model", "UNKNOWN_MODEL"),
        ("builtins.TypeError", "write() missing 1 required positional argument: 'vals'",
         "VALIDATION_ERROR"),
        ("builtins.TypeError", "write() takes 2 positional arguments but 3 were given",
         "VALIDATION_ERROR"),
        ("builtins.TypeError", "compute_x() missing 1 required positional argument: 'y'",
         "UNKNOWN_ERROR"),
        ("builtins.AttributeError", "'int' object has no attribute 'id'", "UNKNOWN_ERROR"),
        ("builtins.IndexError", "tuple index out of range", "UNKNOWN_ERROR"),
        ("binascii.Error", "Incorrect padding", "VALUE_ERROR"),
        ("psycopg2.errors.SerializationFailure", "could not serialize access", "SERVER_ERROR"),
        ("odoo.exceptions.LockError", "Cannot grab a lock", "SERVER_ERROR"),
        ("psycopg2.OperationalError", "could not connect to server", "SERVER_ERROR"),
        ("psycopg2.errors.InvalidDatetimeFormat",
         'invalid input syntax for type timestamp: "abc"', "VALUE_ERROR"),
        ("psycopg2.errors.DatetimeFieldOverflow", "date/time field value out", "VALUE_ERROR"),
        ("psycopg2.errors.NotNullViolation", 'null value in column "name" of relation "x"',
         "MISSING_REQUIRED_FIELD"),
        ("odoo.addons.x.Weird", "what", "UNKNOWN_ERROR"),
        ("", "what", "UNKNOWN_ERROR"),
    ],
)  # fmt: skip
def test_exception_of_the_server_is_known(name: str, message: str, code: str) -> None:
    assert server_error(name, message).code == code


def test_what_accounting_needs_is_archived_instead() -> None:
    said = "The partner cannot be deleted because it is used in Accounting"
    error = server_error("odoo.exceptions.UserError", said, model="res.partner", method="unlink")
    assert (error.code, error.message) == ("FK_VIOLATION", said)
    assert "Archive the record" in error.suggestion


def test_a_payment_that_odoo_18_breaks_off_is_told_what_it_takes() -> None:
    call = {"model": "account.payment.register", "method": "action_create_payments"}
    error = server_error("builtins.IndexError", "tuple index out of range", **call)
    assert error.code == "VALIDATION_ERROR"
    assert "Nothing was registered" in error.message
    assert "outstanding account" in error.suggestion


def test_unreadable_date_is_not_taken_for_a_missing_id() -> None:
    for name, message in (
        (
            "psycopg2.errors.InvalidDatetimeFormat",
            'invalid input syntax for type timestamp: "abc"\nLINE 1: SELECT',
        ),
        ("builtins.ValueError", "Invalid term 'abc' in expression date: 'abc'"),
    ):
        error = server_error(name, message, method="search")
        assert (error.code, error.details["value"]) == ("VALUE_ERROR", "abc")
        assert "2025-02-09" in error.suggestion


def test_link_to_a_missing_record_is_not_told_as_a_deletion() -> None:
    """Odoo 14 answers so to a write of a country that does not exist."""
    message = (
        "The operation cannot be completed: another model requires the record being deleted. If "
        "possible, archive it instead.\n\nModel: Contact (res.partner), Constraint: "
        "res_partner_country_id_fkey"
    )
    error = user_error(message, model="res.partner", method="write")
    assert error.code == "FK_VIOLATION"
    assert error.details["constraint"] == "res_partner_country_id_fkey"
    assert "does not exist" in error.message
    assert "Archive" in user_error(message, model="res.country", method="unlink").suggestion


# As Odoo 14 and 19 answer.
NOT_SET = {
    14: "The operation cannot be completed:\n- Create/update: a mandatory field is not set.\n- "
    "Delete: another model requires the record being deleted. If possible, archive it instead."
    "\n\nModel: Convert Lead to Opportunity (not in mass) (crm.lead2opportunity.partner), Field: "
    "Associated Lead (lead_id)",
    19: "The operation cannot be completed: Missing required value for the field 'Associated Lead' "
    "(lead_id).\nModel: 'Convert Lead to Opportunity (not in mass)' "
    "(crm.lead2opportunity.partner)\n- create/update: a mandatory field is not set\n- delete: "
    "another model requires the record being deleted, you can archive it instead\n",
}


@pytest.mark.parametrize("version", NOT_SET)
def test_missing_field_of_a_wizard_is_no_deletion(version: int) -> None:
    error = user_error(
        NOT_SET[version], "ValidationError", model="crm.lead2opportunity.partner", method="create"
    )
    assert error.code == "MISSING_REQUIRED_FIELD"
    assert (error.details["field"], error.details["label"]) == ("lead_id", "Associated Lead")
    assert "active_id" in error.suggestion
    assert "archive" not in error.suggestion.lower()


@pytest.mark.parametrize("version", NOT_SET)
def test_deletion_of_what_others_need_names_them(version: int) -> None:
    error = user_error(NOT_SET[version], "ValidationError", model="crm.lead", method="unlink")
    assert (error.code, error.details["called_model"]) == ("FK_VIOLATION", "crm.lead")
    assert "crm.lead2opportunity.partner" in error.message
    assert "Archive" in error.suggestion


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("read_group", "Invalid field 'partner_id.country_id' on model 'sale.order'"),
        ("read_group", "Property name 'country_id' has to be used on a property field."),
        (
            "formatted_read_group",
            "Only many2one path is accepted for the 'child_ids.country_id' groupby spec",
        ),
    ],
    ids=["14", "19", "19 formatted"],
)
def test_grouping_by_a_path_is_told_what_can_be_grouped_by(method: str, message: str) -> None:
    error = server_error("builtins.ValueError", message, method=method)
    assert error.code == "INVALID_FIELD"
    assert "a field of another model" in error.message
    assert "group by the link itself" in error.suggestion


@pytest.mark.parametrize(
    ("message", "code", "advice"),
    [
        ("Granularity specification isn't correct: 'decade'", "VALIDATION_ERROR", ":month"),
        ("Granularity set on a no-datetime field or property: 'name:month'", "VALIDATION_ERROR",
         "fields without a period"),
        ("Invalid aggregate method 'nosuch' for 'color:nosuch'.", "VALIDATION_ERROR", "sum"),
        ("Aggregate method is mandatory for 'color'", "VALIDATION_ERROR", "field:function"),
        ("Order term 'nosuch desc' is not a valid aggregate nor valid groupby",
         "VALIDATION_ERROR", "one of the groupings"),
        ("Cannot convert sale.order.x to SQL because it is not stored", "INVALID_FIELD", "stored"),
        ("Fields in 'groupby' must be regular database-persisted fields (no function or related "
         "fields), or function fields with store=True", "INVALID_FIELD", "stored"),
        ("Invalid field property 'name' on res.partner.country_id", "INVALID_FIELD",
         "To sort, use stored fields"),
    ],
)  # fmt: skip
def test_wrong_grouping_or_sorting_is_told_what_is_right(
    message: str, code: str, advice: str
) -> None:
    error = server_error("builtins.ValueError", message, method="read_group")
    assert error.code == code
    assert advice in error.suggestion


def test_unknown_language_is_told_where_the_known_ones_are() -> None:
    error = user_error("Invalid language code: xx_XX", model="res.partner", method="read")
    assert (error.code, error.details["lang"]) == ("VALIDATION_ERROR", "xx_XX")
    assert "search_read on res.lang" in error.suggestion


def test_unknown_company_is_told_where_the_known_ones_are() -> None:
    error = user_error("Access to unauthorized or invalid companies.", "AccessError")
    assert "allowed_company_ids" in error.message
    assert "search_read on res.company" in error.suggestion


def test_wrong_order_is_told() -> None:
    error = user_error('Invalid "order" specified (name; drop). A valid', method="search")
    assert (error.code, error.details["order"]) == ("VALIDATION_ERROR", "name; drop")


def test_conflict_with_another_transaction_can_be_tried_again() -> None:
    error = server_error("psycopg2.errors.SerializationFailure", "could not serialize access")
    assert (error.outcome, error.retry) == ("rolled_back", True)
    assert error.details["retry_after"] > 0


def test_database_message_shows_neither_sql_nor_other_values() -> None:
    error = server_error(
        "psycopg2.errors.UniqueViolation",
        'duplicate key value violates unique constraint "res_users_login_key"\n'
        "DETAIL:  Key (login)=(boss@example.com) already exists.\n",
        method="create",
    )
    assert isinstance(error, ConstraintError)
    assert error.details["fields"] == ["login"]
    assert "boss" not in json.dumps(error.to_dict())
    error = server_error(
        "psycopg2.errors.SyntaxError",
        'syntax error at or near "FROM"\nLINE 1: SELECT secret FROM res_users\n',
    )
    assert "secret" not in json.dumps(error.to_dict())


@pytest.mark.parametrize(
    ("name", "message", "code"),
    [
        ("UserError", "Certaines commandes ne sont pas dans un état à confirmer.", "USER_ERROR"),
        ("ValidationError", "L'opération ne peut être achevée : non", "VALIDATION_ERROR"),
        ("AccessError", "Vous n'êtes pas autorisé à accéder", "ACCESS_DENIED"),
        ("AccessDenied", "Accès refusé", "ACCESS_DENIED"),
        ("MissingError", "L'enregistrement n'existe pas", "NOT_FOUND"),
    ],
)
def test_other_languages_are_classified_by_the_exception(
    name: str, message: str, code: str
) -> None:
    error = user_error(message, name)
    assert error.code == code
    assert name == "AccessDenied" or error.message == message


def test_missing_record_is_told_in_any_language() -> None:
    error = user_error(
        "L'enregistrement n'existe pas ou a été supprimé.\n"
        "(Enregistrement : res.partner(7, 8), Utilisateur : 2)",
        "MissingError",
        model="res.partner",
    )
    assert error.details["missing_ids"] == [7, 8]


def test_private_method_is_told_in_any_language() -> None:
    error = user_error("Les méthodes privées…", "AccessError", method="_compute")
    assert (error.code, error.outcome) == ("METHOD_BLOCKED", "refused")


def test_ids_of_the_call_are_in_the_details() -> None:
    assert user_error("x", ids=(3, 4)).details["ids"] == [3, 4]


def test_long_message_is_shortened() -> None:
    assert len(user_error("long " * 500).message) <= 500


def test_first_fitting_entry_leaves_none_unreachable() -> None:
    """An entry with the conditions of an earlier one would never be used."""
    conditions = [(p.exception, p.message, p.method) for p in PATTERNS]
    assert len(set(conditions)) == len(conditions)
    assert conditions.index((None, None, None)) == len(PATTERNS) - 1


@pytest.mark.parametrize("pattern", PATTERNS, ids=range(len(PATTERNS)))
def test_templates_use_only_what_the_entry_knows(pattern: Any) -> None:
    assert pattern.code in CODES
    groups = re.compile(pattern.message or "").groupindex
    known = {"model", "method", "said", *pattern.details, *(name.rstrip("_") for name in groups)}
    for template in (pattern.say or "", pattern.suggest):
        used = {name for _, name, _, _ in string.Formatter().parse(template) if name}
        assert used <= known


@given(
    name=st.one_of(
        st.text(),
        st.sampled_from(
            ["odoo.exceptions.UserError", "odoo.exceptions.AccessError", "builtins.ValueError",
             "builtins.KeyError", "builtins.TypeError", "psycopg2.DataError"]
        ),
    ),
    message=st.text(),
    code=st.one_of(st.integers(0, 5), st.text()),
)  # fmt: skip
def test_arbitrary_answers_give_an_error(name: str, message: str, code: int | str) -> None:
    faults = [
        Fault(name=name, message=message),
        fault_from_xmlrpc(code, message),
        fault_from_xmlrpc(1, TRACEBACK.format(end=message)),
        fault_from_jsonrpc({"data": {"name": name, "message": message}}),
        fault_from_jsonrpc(message),
        fault_from_json2(500, {"name": name, "message": message}),
        fault_from_json2(404, message),
    ]
    for fault in faults:
        error = classify(fault, model="res.partner", method="create", ids=[1])
        assert error.message
        assert len(error.message) <= 500
        assert_shows_no_internals(error)


# --- answers that are not the protocol's ------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [
        (200, "CONNECTION_ERROR", "maybe_applied"),
        (302, "ENDPOINT_NOT_FOUND", "refused"),
        (400, "CONNECTION_ERROR", "refused"),
        (401, "ACCESS_DENIED", "refused"),
        (403, "ACCESS_DENIED", "refused"),
        (404, "ENDPOINT_NOT_FOUND", "refused"),
        (405, "ENDPOINT_NOT_FOUND", "refused"),
        (413, "VALIDATION_ERROR", "refused"),
        (415, "ENDPOINT_NOT_FOUND", "refused"),
        (418, "CONNECTION_ERROR", "refused"),
        (429, "RATE_LIMITED", "refused"),
        (500, "SERVER_ERROR", "maybe_applied"),
        (502, "SERVER_ERROR", "maybe_applied"),
        (503, "SERVER_ERROR", "maybe_applied"),
        (504, "SERVER_ERROR", "maybe_applied"),
        (599, "SERVER_ERROR", "maybe_applied"),
    ],
)
def test_page_is_judged_by_its_status(status: int, code: str, outcome: str) -> None:
    error = http_error(status, content_type="text/html; charset=utf-8", url="https://erp.example")
    assert (error.code, error.outcome) == (code, outcome)
    assert error.details["http_status"] == status
    assert "https://erp.example" in error.message


def test_page_is_quoted_by_its_title_only() -> None:
    page = "<html><TITLE>502 &amp; Bad\n Gateway</TITLE><body>internal host db7</body>"
    error = http_error(502, text=page, url="https://me:secret@erp.example/jsonrpc?token=1")
    assert "502 & Bad Gateway" in error.message
    shown = json.dumps(error.to_dict())
    assert not any(word in shown for word in ("db7", "secret", "token"))


def test_title_of_a_debugger_shows_no_internals() -> None:
    error = http_error(500, text='<title>Traceback: File "/odoo/x.py" // Debugger</title>')
    assert_shows_no_internals(error)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("120", 120), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", 30), (None, 30)],
)
def test_retry_after_is_told(header: str | None, seconds: int) -> None:
    assert http_error(429, retry_after=header).details["retry_after"] == seconds


def test_redirect_to_another_address_names_it() -> None:
    error = http_error(
        301, location="https://erp.example/jsonrpc?x=1", url="http://erp.example/jsonrpc"
    )
    assert (error.code, error.retry) == ("CONFIG_ERROR", False)
    assert "set ODOO_URL to https://erp.example." in error.suggestion


@pytest.mark.parametrize(
    "location", ["/web/login", "http://erp.example/web/login", None, "http://["]
)
def test_redirect_on_the_same_server_is_a_wrong_endpoint(location: str | None) -> None:
    error = http_error(303, location=location, url="http://erp.example/json/2/a/b")
    assert (error.code, error.retry, error.outcome) == ("ENDPOINT_NOT_FOUND", False, "refused")


def test_missing_database_is_told_from_a_wrong_address() -> None:
    page = "<title>404 Not Found</title><p>No database is selected and the requested URL was not"
    error = http_error(404, text=page)
    assert error.code == "CONFIG_ERROR"
    assert "ODOO_DB" in error.suggestion


def test_doubtful_write_says_so() -> None:
    cause = OSError("reset")
    error = make_error(
        "TIMEOUT", "No answer.", details={"model": "sale.order", "retry_after": 5}, retry=True
    )
    error.__cause__ = cause
    honest = maybe_applied(error)
    assert isinstance(honest, OdooConnectionError)
    assert (honest.code, honest.outcome, honest.retry) == ("TIMEOUT", "maybe_applied", False)
    assert honest.message == "No answer. The change may have been applied."
    assert "sale.order with search_read" in honest.suggestion
    assert honest.details == {"model": "sale.order"}
    assert honest.__cause__ is cause
    assert maybe_applied(honest) is honest
