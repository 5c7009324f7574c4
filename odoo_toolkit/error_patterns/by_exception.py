"""What the name of an exception alone tells, in any language; the last entry fits everything."""

from __future__ import annotations

from odoo_toolkit.error_patterns.table import (
    ASK_ADMIN,
    BUILTIN,
    CREDENTIALS,
    SEARCH,
    SEE_VALUES,
    Pattern,
)

BY_EXCEPTION: tuple[Pattern, ...] = (
    Pattern(
        r"AccessDenied$", None, "ACCESS_DENIED",
        "Odoo did not accept the user name with this password or API key.",
        CREDENTIALS, outcome="refused",
    ),
    Pattern(r"AccessError$", None, "ACCESS_DENIED", None, ASK_ADMIN),
    Pattern(r"MissingError$", None, "NOT_FOUND", None, SEARCH),
    Pattern(
        r"RedirectWarning$", None, "REDIRECT_WARNING", None,
        "Odoo requires some setup first. Do that in Odoo, then repeat the call.",
    ),
    Pattern(
        r"exceptions\.ValidationError$", None, "VALIDATION_ERROR", None,
        "Correct the values and repeat the call.",
    ),
    Pattern(
        r"exceptions\.(UserError|Warning|except_orm)$", None, "USER_ERROR", None,
        "Follow the message, then repeat the call.",
    ),
    Pattern(
        r"^psycopg2\..*UniqueViolation", None, "UNIQUE_VIOLATION",
        "Another record of {model} has the same values, which must be unique.", SEARCH,
    ),
    Pattern(
        r"^psycopg2\..*CheckViolation", None, "CHECK_CONSTRAINT",
        "The values violate a rule of {model}.", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\..*ForeignKeyViolation", None, "FK_VIOLATION",
        "{model} is linked to a record that does not exist, or that still needs it.", SEARCH,
    ),
    Pattern(
        r"^psycopg2\..*NotNullViolation", None, "MISSING_REQUIRED_FIELD",
        "A required field of {model} is missing.", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\..*IntegrityError", None, "CONSTRAINT_ERROR",
        "The database rejects these values of {model}.", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\.(errors\.)?(OperationalError|InterfaceError|\w*(Connection|Shutdown)\w*)$"
        r"|PoolError$",
        None, "SERVER_ERROR", "Odoo cannot reach its database, or the database is overloaded.",
        "Wait a few seconds, then repeat the call.", details={"retry_after": 10},
    ),
    Pattern(
        r"^psycopg2\.(DataError$|errors\.(Datetime|Invalid|Numeric|String|Character|Division))",
        None, "VALUE_ERROR", "The database cannot store one of the values: {said}", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\.", None, "UNKNOWN_ERROR",
        "Odoo's database rejected a query of {method} on {model}.",
        "Check the arguments, and look for the cause in Odoo's log.",
    ),
    Pattern(
        rf"{BUILTIN}(ValueError|UnicodeError|Unicode\w+Error|OverflowError)$", None, "VALUE_ERROR",
        "Odoo cannot process a value passed to {method} of {model}: {said}",
        "Check the arguments. fields_get on {model} shows the types and allowed values of fields.",
    ),
    Pattern(
        None, None, "UNKNOWN_ERROR", "Odoo failed while running {method} of {model}: {said}",
        "Check the arguments. If they are correct, look for the cause in Odoo's log.",
    ),
)  # fmt: skip
