"""What each error code means and what to do, by hand."""

from __future__ import annotations

#: code -> (what it means, what to do). Markdown.
CURES: dict[str, tuple[str, str]] = {
    "VALIDATION_ERROR": (
        "An argument is wrong, or values don't fit together. Odoo's own `ValidationError` has "
        "this code too.",
        "Correct the argument that the message names, then call again.",
    ),
    "USER_ERROR": (
        "Odoo rejects the request, with the message that its web page would show.",
        "Follow the message. It often asks for a setting or for an earlier step.",
    ),
    "VALUE_ERROR": (
        "A value doesn't fit the type of its field, such as a string in a number field.",
        "Check the field's type with `fields_get`. Write dates as `2025-02-09` and datetimes as "
        "`2025-02-09T14:30:00Z`. Pass an id for a many2one.",
    ),
    "MISSING_REQUIRED_FIELD": (
        "A required field has no value.",
        "Set the field that `details` names. `default_get` shows the values that Odoo fills in.",
    ),
    "INVALID_FIELD": (
        "The model has no such field, or you can't use the field like this. Examples: sorting by a "
        "field that isn't stored, writing a read-only field, a module that isn't installed.",
        'Use a name from `details["did_you_mean"]`, or list all fields with `fields_get`.',
    ),
    "INVALID_SELECTION": (
        "The selection field has no such value.",
        "Use a value that `fields_get` shows, such as `sale`. Labels such as Sales Order don't "
        "work.",
    ),
    "INVALID_DOMAIN": (
        "The filter is malformed. The toolkit didn't send it.",
        "Write a list of conditions `[field, operator, value]`. `details` contains a corrected "
        "domain if there is an obvious one.",
    ),
    "REDIRECT_WARNING": (
        "Odoo asks you to open another page first, such as the settings of a module.",
        "Follow the message in Odoo, then call again.",
    ),
    "ACCESS_DENIED": (
        "The credentials are wrong, or the user lacks the permission for the model or record. With "
        "`ODOO_MCP_CONFIRM=always`, a tool also returns this if your client can't ask you.",
        "Check the credentials, or ask an Odoo administrator for the permission.",
    ),
    "MODE_VIOLATION": (
        "The `readonly` or `restricted` mode doesn't allow this call.",
        "Change the mode or the write allowlist: `ODOO_MCP_MODE` and `ODOO_MCP_WRITE_ALLOWLIST` of "
        "a server, `Policy(mode=...)` in a script, `--mode` of the command.",
    ),
    "MODEL_BLOCKED": (
        "A list blocks the model, or it is blocked in every mode because it contains secrets, "
        "permissions, settings or code.",
        "Use another model, or ask the administrator of the server to change the list.",
    ),
    "FIELD_BLOCKED": (
        "A list blocks the field, or it is blocked in every mode because it contains a secret or a "
        "template.",
        "Remove the field from your request.",
    ),
    "METHOD_BLOCKED": (
        "A list blocks the method, or it changes blocked records. Odoo itself blocks private "
        "methods, whose names start with `_`.",
        "Call a public method, or the toolkit's operation for this step.",
    ),
    "NOT_FOUND": (
        "The record doesn't exist, was deleted, or is hidden from the user. Odoo doesn't always "
        "distinguish these.",
        "Search for the record.",
    ),
    "UNKNOWN_MODEL": (
        "This server has no such model. Its module may not be installed.",
        "Find the name with `list_models`.",
    ),
    "UNKNOWN_METHOD": (
        "The model has no such method in this version of Odoo.",
        "See [version differences](../versions.md), or list the methods behind a form's buttons "
        "with `model_methods`.",
    ),
    "CONSTRAINT_ERROR": (
        "A rule of the database rejects the values.",
        "Change the values. The message names the rule.",
    ),
    "UNIQUE_VIOLATION": (
        "Another record already has a value that must be unique.",
        "Find that record with `search_read` and use it, or change the value. For many rows, use "
        "`upsert`.",
    ),
    "CHECK_CONSTRAINT": (
        'The values break a rule such as "must be greater than 0".',
        "Change the values. The message names the rule.",
    ),
    "FK_VIOLATION": (
        "The record refers to one that doesn't exist, or another record still needs it.",
        'Archive the record instead of deleting it: write `{"active": False}`.',
    ),
    "STATE_ERROR": (
        "The state of the record doesn't allow this. It may be posted, cancelled, locked or done.",
        'Check `details["current_state"]`, and change the state first. `odoo[model].states()` '
        "draws the states.",
    ),
    "WIZARD_REQUIRED": (
        "Odoo opened a dialog that you must answer first. Nothing has been written.",
        "Answer the dialog that `details` describes with `run_wizard`. See "
        "[wizards](../wizards.md).",
    ),
    "CONNECTION_ERROR": (
        "The toolkit couldn't reach Odoo, or couldn't read its response.",
        "If `outcome` is `maybe_applied`, check in Odoo before you call again. Otherwise check the "
        "address, TLS and the network.",
    ),
    "CONNECTION_REFUSED": (
        "Odoo is down, or the port is wrong. The toolkit has already tried several times.",
        "Check `ODOO_URL`, and check that Odoo is running.",
    ),
    "TIMEOUT": (
        "No response arrived in time, or Odoo stopped a call that took too long. A write may have "
        "been applied, see `outcome`.",
        "Ask for fewer records or fields, or raise `ODOO_TIMEOUT`.",
    ),
    "SESSION_EXPIRED": (
        "The web session has ended and couldn't be opened again. Only printing uses it.",
        "Call again. If that fails, check the user name and password.",
    ),
    "ENDPOINT_NOT_FOUND": (
        "The address isn't that of an Odoo, or its database doesn't exist.",
        "Check `ODOO_URL` (without `/web` or `/odoo` at the end), `ODOO_DB` and your proxy.",
    ),
    "SERVER_ERROR": (
        "Odoo or a proxy failed, or two transactions changed the same records.",
        "Wait a few seconds and call again, unless `outcome` is `maybe_applied`.",
    ),
    "RATE_LIMITED": (
        "There were too many calls or too many failed logins.",
        'Wait for `details["retry_after"]` seconds.',
    ),
    "CONFIG_ERROR": (
        "The settings are wrong, or don't fit this server.",
        '`details["problems"]` lists every problem. Correct them and start again. See '
        "[settings](settings.md).",
    ),
    "APPROVAL_NEEDED": (
        "A second person must approve this operation. Nothing has been written.",
        "Send the same call again after the approval. "
        "See [approval](../confirmation.md#second-person-approval).",
    ),
    "CONFIRMATION_NEEDED": (
        "You must confirm this operation on a page of the team server. Nothing has been written.",
        "Open the page, read the plan and confirm it. Then send the same call again. "
        "See [confirmation on a page](../confirmation.md#confirm-on-a-team-servers-page).",
    ),
    "KEY_RUNNING": (
        "A request with this idempotency key is still running, or was interrupted. Nothing was "
        "sent.",
        "Try again later with the same key. See [idempotency keys](../errors.md#idempotency-keys).",
    ),
    "KEY_UNCONFIRMED": (
        "The first request with this idempotency key finished in part, its response was lost, or "
        "it was sent to another address, of this database or a copy. Nothing was sent now.",
        "Check the records in `details`, then use a new key for the rest. At another address, "
        "connect to the first one. For a copy, use another history file.",
    ),
    "KEY_DONE": (
        "The idempotency key belongs to another request, or its result can't be shown again or was "
        "undone. Nothing was sent.",
        '`details["differences"]` lists the differences, and `details["created"]` the records of '
        "the first request. For a new request, use a new key.",
    ),
    "HISTORY_ERROR": (
        "The toolkit can't read or write the change history. A call that needs it was not sent.",
        "The message says whether the file is locked, full, damaged or of a newer version. See "
        "[undo](../undo.md).",
    ),
    "STORE_ERROR": (
        "A team server can't use its database of sign-ins. Nothing was sent to Odoo.",
        "The message says whether it is locked, full, damaged or of a newer version. See "
        "[team server](../team.md).",
    ),
    "UNKNOWN_ERROR": (
        "Odoo failed in a way that the toolkit doesn't know. Often a module has a bug.",
        "Read the message and Odoo's log.",
    ),
}
