"""Which context keys a caller may give, and of what type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from odoo_toolkit.errors import AccessError, ValidationError

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules

#: Context keys that switch off a check of Odoo's own, or widen what is found; never given.
CHECKS_OFF_KEYS: frozenset[str] = frozenset(
    {
        *("_allow_read_hr_employee", "binary_field_real_user", "create_user", "install_filename"),
        *("install_mode", "install_module", "ir.ui.menu.full_list", "sale_expense_all_order"),
        *("signup_valid", "skip_res_field_check", "user_preference"),
    }
)

#: Parts of context keys that decide what names show, and which records are found.
NAME_FORM_KEYS: tuple[str, ...] = (
    *("show", "hide", "skip_", "display", "with_", "append_", "search_mode", "short_name"),
    *("address_inline", "hierarchical_naming", "html_format", "name_groupby", "seller_id"),
)

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([_@-][A-Za-z0-9]{1,10}){0,3}")
_TIME_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")


def _language(value: Any) -> bool:
    return value is None or (isinstance(value, str) and _LANGUAGE.fullmatch(value) is not None)


def _time_zone(value: Any) -> bool:
    return value in (None, False) or (isinstance(value, str) and bool(_TIME_ZONE.fullmatch(value)))


def _switch(value: Any) -> bool:
    return isinstance(value, bool)


def _company_ids(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and 0 < len(value) <= 1000
        and all(type(item) is int and 0 < item < 2**31 for item in value)
    )


#: The keys that pass outside full mode -> what they must hold, as a test and in words.
KNOWN_KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "lang": (_language, "the code of a language, such as fr_FR"),
    "tz": (_time_zone, "the name of a time zone, such as Europe/Paris"),
    "active_test": (_switch, "true or false"),
    "bin_size": (_switch, "true or false"),
    "allowed_company_ids": (_company_ids, "a list of company ids"),
}


#: Keys that decide of which stock, price or company a number is; they show nothing.
_NUMBERS_OF = frozenset(
    {
        *("company_id", "date", "force_company", "from_date", "location", "location_id", "lot_id"),
        *("owner_id", "package_id", "pricelist", "quantity", "to_date", "uom", "uom_id"),
        *("warehouse", "warehouse_id"),
    }
)
_NUMBER_OR_DATE = re.compile(r"[0-9T:. +Z-]{1,40}")
_CHOICE = re.compile(r"[a-z_]{1,40}")


def check_reading(context: Mapping[str, Any], defaults: bool) -> None:
    """Refuse what could make a reading method show what is closed, in full mode.

    Args:
        context: of the call.
        defaults: whether default values are asked for, which depend on choices such as
            ``default_move_type``; an id or a text would be looked up.

    Raises:
        AccessError: FIELD_BLOCKED.
    """
    known_keys = ", ".join(sorted(KNOWN_KEYS.keys() | _NUMBERS_OF))
    for key, value in context.items():
        known = key in KNOWN_KEYS and KNOWN_KEYS[key][0](value)
        if known or (key in _NUMBERS_OF and _is_number_or_date(value)):
            continue
        chosen = isinstance(value, bool) or (
            isinstance(value, str) and _CHOICE.fullmatch(value) is not None
        )
        if not (defaults and str(key).startswith("default_") and chosen):
            raise AccessError(
                f"The context key {_shown(key)} may not be used in reading while models or fields"
                " are closed: it is not known what it shows.",
                code="FIELD_BLOCKED",
                suggestion=f"Leave it out; known are {known_keys}.",
                details={"named_in": f"context.{_shown(key)}"},
            )


def _is_number_or_date(value: Any) -> bool:
    items = value if isinstance(value, (list, tuple)) else [value]
    return all(
        item is None
        or isinstance(item, (int, float))
        or (isinstance(item, str) and _NUMBER_OR_DATE.fullmatch(item) is not None)
        for item in items
    )


def check_known(context: Mapping[str, Any], mode: str) -> None:
    """Refuse what is not known to be harmless: other keys, and values of other types.

    Raises:
        AccessError: MODE_VIOLATION; the key is not among :data:`KNOWN_KEYS`.
        ValidationError: its value is of the wrong type.
    """
    for key, value in context.items():
        if key not in KNOWN_KEYS:
            raise AccessError(
                f"The context key {_shown(key)} is not allowed in {mode} mode.",
                code="MODE_VIOLATION",
                suggestion=f"Leave it out; known are {', '.join(KNOWN_KEYS)}.",
                details={"named_in": f"context.{_shown(key)}", "mode": mode},
            )
        fits, words = KNOWN_KEYS[key]
        if not fits(value):
            raise ValidationError(
                f"The context key {key} must be {words}.",
                suggestion="Correct it, or leave it out.",
                details={"named_in": f"context.{key}"},
            )


def check_showing(policy: Rules, context: Mapping[str, Any]) -> None:
    """Refuse keys that would show what is closed, in full mode too.

    Raises:
        AccessError: FIELD_BLOCKED.
    """
    for key in context:
        text = str(key).strip().lower()
        switches = policy.guards and text in CHECKS_OFF_KEYS
        if switches or (policy.closes and any(part in text for part in NAME_FORM_KEYS)):
            raise AccessError(
                f"The context key {_shown(key)} may not be used: it can show what is closed.",
                code="FIELD_BLOCKED",
                suggestion="Leave it out.",
                details={"named_in": f"context.{_shown(key)}"},
            )


def _shown(key: Any) -> str:
    return str(key)[:80]
