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
        "Odoo wants something set up first; do that in Odoo, then call again.",
    ),
    Pattern(
        r"exceptions\.ValidationError$", None, "VALIDATION_ERROR", None,
        "Correct the values and call again.",
    ),
    Pattern(
        r"exceptions\.(UserError|Warning|except_orm)$", None, "USER_ERROR", None,
        "Do what the message asks for, then call again.",
    ),
    Pattern(
        r"^psycopg2\..*UniqueViolation", None, "UNIQUE_VIOLATION",
        "Another record of {model} has the same values, which must be unique.", SEARCH,
    ),
    Pattern(
        r"^psycopg2\..*CheckViolation", None, "CHECK_CONSTRAINT",
        "The values of {model} break one of its rules.", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\..*ForeignKeyViolation", None, "FK_VIOLATION",
        "A record that {model} is linked with does not exist or still needs it.", SEARCH,
    ),
    Pattern(
        r"^psycopg2\..*NotNullViolation", None, "MISSING_REQUIRED_FIELD",
        "A required field of {model} was not given.", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\..*IntegrityError", None, "CONSTRAINT_ERROR",
        "The database refuses these values of {model}.", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\.(errors\.)?(OperationalError|InterfaceError|\w*(Connection|Shutdown)\w*)$"
        r"|PoolError$",
        None, "SERVER_ERROR", "Odoo cannot reach its database, or the database is overloaded.",
        "Wait a little and call it again.", details={"retry_after": 10},
    ),
    Pattern(
        r"^psycopg2\.(DataError$|errors\.(Datetime|Invalid|Numeric|String|Character|Division))",
        None, "VALUE_ERROR", "The database cannot store one of the values: {said}", SEE_VALUES,
    ),
    Pattern(
        r"^psycopg2\.", None, "UNKNOWN_ERROR",
        "The database of Odoo refused what {method} of {model} asked of it.",
        "Check the arguments. Odoo's log has the cause.",
    ),
    Pattern(
        rf"{BUILTIN}(ValueError|UnicodeError|Unicode\w+Error|OverflowError)$", None, "VALUE_ERROR",
        "Odoo cannot work with a value given to {method} of {model}: {said}",
        "Check the arguments. fields_get on {model} shows the types and allowed values of fields.",
    ),
    Pattern(
        None, None, "UNKNOWN_ERROR", "Odoo failed while running {method} of {model}: {said}",
        "Check the arguments; when they are right, Odoo's log has the cause.",
    ),
)  # fmt: skip
