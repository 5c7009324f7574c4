"""What each error code means and what to do, by hand."""

from __future__ import annotations

#: code -> (what it means, what to do). Markdown.
CURES: dict[str, tuple[str, str]] = {
    "VALIDATION_ERROR": (
        "The input is wrong: an argument, or values that do not go together. Odoo's own "
        "`ValidationError` (a rule of the model) has this code, too.",
        "Read the message: it names the argument or says the rule. Correct it and call again.",
    ),
    "USER_ERROR": (
        "Odoo says in its own words why it will not do this, as its web page would.",
        "Do what the message says; it often asks for a setting, or for a step that comes before.",
    ),
    "VALUE_ERROR": (
        "A value does not fit the field: a text for a number, a date in another form, a name "
        "for an id. `details` has the field, where it can be told.",
        "Look at the field's type with `fields_get`. Dates are `2025-02-09`, moments "
        "`2025-02-09T14:30:00Z`; a many2one takes an id.",
    ),
    "MISSING_REQUIRED_FIELD": (
        "A field that must have a value has none.",
        "Give it; `details` names it. `default_get` shows which values Odoo would fill in.",
    ),
    "INVALID_FIELD": (
        "The model has no such field, or it cannot be used so: searched, sorted or grouped by "
        "though it is not stored, or written though it is readonly. It may also belong to a module "
        "that is not installed.",
        '`details["did_you_mean"]` has near names where there are any; `fields_get` has all.',
    ),
    "INVALID_SELECTION": (
        "The value is none of those that a selection field has.",
        "Use one of the values that `fields_get` shows; the value, not the label.",
    ),
    "INVALID_DOMAIN": (
        'The filter is not well formed. It was not sent, and never taken for "all records".',
        "A domain is a list of conditions `[field, operator, value]`; `details` has the corrected "
        "one where it can be guessed.",
    ),
    "REDIRECT_WARNING": (
        "Odoo wants the person to go to another page first, such as the settings of a module.",
        "Do there what the message says, then call again.",
    ),
    "ACCESS_DENIED": (
        "Odoo refuses: the credentials are wrong, or the user has no right to the model or the "
        "record (access rights, record rules, companies). Without a person's yes a tool that asks "
        "has this code, too, where `ODOO_MCP_CONFIRM=always` finds nobody to ask.",
        "Check the credentials; else ask an administrator of Odoo for the right. `retry` is false: "
        "calling again changes nothing.",
    ),
    "MODE_VIOLATION": (
        "The mode (`readonly` or `restricted`) does not let this call pass.",
        "Read instead, or have the mode or the write allowlist changed by whoever runs the server "
        "or the script: `ODOO_MCP_MODE`, `ODOO_MCP_WRITE_ALLOWLIST`, `Policy(mode=...)`.",
    ),
    "MODEL_BLOCKED": (
        "The model is closed: by a list, or in every mode because it holds secrets, rights, "
        "settings or code.",
        "Use another model. A list is changed by whoever runs the server; what is closed in every "
        "mode stays closed there.",
    ),
    "FIELD_BLOCKED": (
        "The field is closed: by a list, or in every mode because it holds a secret or a template.",
        "Leave the field out.",
    ),
    "METHOD_BLOCKED": (
        "The method is closed: by a list, because it changes what is closed, or because it is "
        "private (its name begins with `_`) and Odoo lets nobody call it.",
        "Call a public method, or the toolkit's operation that does the same.",
    ),
    "NOT_FOUND": (
        "The record does not exist, was deleted, or the user cannot see it: Odoo does not always "
        "tell these apart.",
        "Search for it.",
    ),
    "UNKNOWN_MODEL": (
        "There is no such model on this server; its module might not be installed.",
        "`list_models` finds the right name.",
    ),
    "UNKNOWN_METHOD": (
        "The model has no such method in this version of Odoo.",
        "The page of [versions](../versions.md) has renamed ones; `model_methods` lists those "
        "behind the buttons of the form.",
    ),
    "CONSTRAINT_ERROR": (
        "A rule of the database refuses the values.",
        "The message names the rule; change the values.",
    ),
    "UNIQUE_VIOLATION": (
        "Another record has the same values, which must be unique.",
        "Find that record with `search_read` and use it, or give other values. `upsert` does so "
        "for many rows.",
    ),
    "CHECK_CONSTRAINT": (
        'The values break a rule such as "must be greater than 0".',
        "Change the values; the message names the rule.",
    ),
    "FK_VIOLATION": (
        "The record is linked with another one that does not exist, or that still needs it.",
        'Archive it instead of deleting it: write `{"active": False}`.',
    ),
    "STATE_ERROR": (
        "The record is in a state that does not allow this: already posted, cancelled, locked, "
        'done. `details["current_state"]` says which.',
        "Bring it into the right state first, or leave it. `odoo[model].states()` draws what leads "
        "where.",
    ),
    "WIZARD_REQUIRED": (
        "Odoo opened a dialog that must be answered first. Nothing is half done.",
        "`details` describes the dialog; answer it with `run_wizard`, see "
        "[wizards](../wizards.md).",
    ),
    "CONNECTION_ERROR": (
        "Odoo could not be reached, or its answer could not be understood. Look at `outcome`.",
        "Where it is `maybe_applied`, look in Odoo before anything is called again. Else check the "
        "address, TLS and the network, and try again.",
    ),
    "CONNECTION_REFUSED": (
        "Nothing listens at this address, or it refuses: Odoo is down, or the port is wrong.",
        "Check `ODOO_URL` and that Odoo runs. Tries were made already, with pauses between them.",
    ),
    "TIMEOUT": (
        "No answer came in time, or Odoo itself ended a call that took too long.",
        "Ask for less at once: fewer records, fewer fields; or raise `ODOO_TIMEOUT`. A write may "
        "have been applied: look at `outcome`.",
    ),
    "SESSION_EXPIRED": (
        "The web session, which is used only to print, has ended and could not be opened again.",
        "Call again; if it stays, check user name and password.",
    ),
    "ENDPOINT_NOT_FOUND": (
        "What answers there is not Odoo's remote interface, or does not know the database.",
        "Check `ODOO_URL` (without `/web` or `/odoo` at the end), `ODOO_DB`, and what a proxy lets "
        "through.",
    ),
    "SERVER_ERROR": (
        "Odoo, or a proxy before it, failed for a reason that lies there; or two transactions "
        "changed the same records and one was given up.",
        "Wait a few seconds and call again, unless `outcome` is `maybe_applied`.",
    ),
    "RATE_LIMITED": (
        "Too many calls: the server's own rate limit, that of the host, or Odoo's for failed "
        "logins.",
        'Wait; `details["retry_after"]` has the seconds.',
    ),
    "CONFIG_ERROR": (
        "The settings are wrong, or do not fit this server.",
        '`details["problems"]` lists every mistake found; correct them and start again. See '
        "[settings](settings.md).",
    ),
    "APPROVAL_NEEDED": (
        "The operator wants another person to allow this operation first; it waits, and nothing was"
        " done.",
        "Repeat exactly the same call once it is approved; see [approval](../approval.md).",
    ),
    "KEY_RUNNING": (
        "The same request, with the same key, still runs, or its program was ended. Nothing was"
        " sent.",
        "Repeat it later with the same key. The message names what is known of it.",
    ),
    "KEY_IN_DOUBT": (
        "What the key was given for was done in part, or its answer was lost. Nothing was sent.",
        "Look at the records that the message names; `details` has the `entry` of the journal, what"
        " it `created`, and what to `look_at`. Then use a new key for the rest.",
    ),
    "KEY_DONE": (
        "The key was given for something else before; or what it was given for was done, and the"
        " result cannot be shown again, or was taken back. Nothing was sent.",
        '`details["differences"]` says what is asked for otherwise than then, `details["entry"]` is'
        ' the entry of the journal, `details["created"]` has the records.',
    ),
    "JOURNAL_ERROR": (
        "The journal cannot be read or written. Where it was to be written before a call, the call"
        " was not sent.",
        "The message says whether it is locked, full, damaged or of a newer version. See"
        " [undo](../undo.md).",
    ),
    "STORE_ERROR": (
        "A team's server cannot use its store of sign-ins. Nothing was sent to Odoo.",
        "The message says whether it is locked, full, damaged or of a newer version. See"
        " [a server for a team](../team.md).",
    ),
    "UNKNOWN_ERROR": (
        "Odoo failed in a way that the toolkit does not know, often a mistake in a module.",
        "Read the message and Odoo's log; calling again the same way will fail again.",
    ),
}
