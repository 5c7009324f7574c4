"""What a call must look like to be judged at all: its names, its method and its context."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from odoo_toolkit.arguments.contexts import checked_context
from odoo_toolkit.arguments.values import DEFAULT
from odoo_toolkit.call import Access, Call, default_access
from odoo_toolkit.compat import MODEL_METHODS, RECORD_METHODS
from odoo_toolkit.errors import AccessError, ValidationError
from odoo_toolkit.fields import FieldsOf, similar_names
from odoo_toolkit.policy.implied import implied, same_methods
from odoo_toolkit.policy.owners import is_owned
from odoo_toolkit.policy.rules import IN_A_SCRIPT
from odoo_toolkit.policy.tables import (
    BLOCKED_METHODS,
    BUSINESS_ACTIONS,
    CLOSED_METHODS,
    COMPOSER_METHODS,
    COMPOSERS,
    HARMLESS_METHODS,
    HARMLESS_WRITES,
    JUDGED_METHODS,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules


MODEL = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_names(call: Call) -> None:
    """Refuse what is no name of a model or method; both become parts of a URL with JSON-2."""
    if not isinstance(call.model, str) or not MODEL.fullmatch(call.model):
        raise ValidationError(
            f"{call.model!r} is not the name of a model.",
            suggestion="Use a technical name such as 'res.partner' (see list_models).",
            details={"model": call.model, "named_in": "model"},
        )
    if not isinstance(call.method, str) or not IDENTIFIER.fullmatch(call.method):
        raise ValidationError(
            f"{call.method!r} is not the name of a method.",
            suggestion="Use a plain name such as 'action_confirm', without arguments.",
            details={"model": call.model, "method": call.method, "named_in": "method"},
        )


def real_access(call: Call) -> Access:
    """Return what the call does: as declared, unless its method is known to do more."""
    known = default_access(call.method)
    if known == "delete" or (known in ("create", "write") and call.access == "read"):
        return known
    return call.access


def check_ids(call: Call) -> None:
    """Refuse ids anywhere but in ``call.ids``.

    A method of records takes its first argument for the ids, and a method of the model takes ids
    for its first argument: either way all others would move by one. Where records belong to
    other models, they are told apart by ``call.ids``.
    """
    suggestion = "Pass the ids as a list of integers, before the other arguments."
    method = call.method
    if method in MODEL_METHODS:
        if call.ids is not None or "ids" in call.arguments:
            raise ValidationError(
                f"{method} is a method of the model and accepts no ids.",
                suggestion="Omit the ids.",
            )
    elif "ids" in call.arguments:
        raise ValidationError("The ids must be a positional argument.", suggestion=suggestion)
    elif call.ids is None and (call.positional or call.arguments):
        first = call.positional[0] if call.positional else None
        hidden = is_owned(call.model) and (
            isinstance(first, (int, float)) or (isinstance(first, (list, tuple)) and bool(first))
        )
        if method in RECORD_METHODS or hidden:
            raise ValidationError(
                f"{method} is called on records. Pass their ids first, as a list of integers.",
                suggestion=suggestion,
            )


def names_nothing(context: Mapping[str, Any]) -> bool:
    """Whether a context of a call holds nothing that could name something."""
    return NO_TEXTS.issuperset(map(type, context.values())) and not any(
        str(key).startswith(DEFAULT) for key in context
    )


#: Types of values that name nothing, but for ids in a relation.
NO_TEXTS: frozenset[type] = frozenset({bool, int, float, type(None)})

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
    return value in (None, False) or (isinstance(value, str) and bool(_LANGUAGE.fullmatch(value)))


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
    known_keys = sorted(KNOWN_KEYS.keys() | _NUMBERS_OF)
    for key, value in context.items():
        known = key in KNOWN_KEYS and KNOWN_KEYS[key][0](value)
        if known or (key in _NUMBERS_OF and _is_number_or_date(value)):
            continue
        chosen = isinstance(value, bool) or (
            isinstance(value, str) and _CHOICE.fullmatch(value) is not None
        )
        if not (defaults and str(key).startswith("default_") and chosen):
            raise AccessError(
                f"The context key {_shown(key)} cannot be used for reading while the policy "
                "blocks models or fields: the toolkit does not know what it reveals.",
                code="FIELD_BLOCKED",
                suggestion=_known_instead(key, known_keys),
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
    """Refuse keys that are not known to be harmless.

    Raises:
        AccessError: MODE_VIOLATION; the key is not among :data:`KNOWN_KEYS`.
    """
    for key in context:
        if key not in KNOWN_KEYS:
            raise AccessError(
                f"The context key {_shown(key)} is not allowed in {mode} mode.",
                code="MODE_VIOLATION",
                suggestion=_known_instead(key, list(KNOWN_KEYS)),
                details={"named_in": f"context.{_shown(key)}", "mode": mode},
            )


def check_values(context: Mapping[str, Any]) -> None:
    """Refuse values of known keys that are of another type, of which Odoo makes what it likes.

    Raises:
        ValidationError: there is one.
    """
    for key in KNOWN_KEYS.keys() & context.keys():
        fits, words = KNOWN_KEYS[key]
        if not fits(context[key]):
            raise ValidationError(
                f"The context key {key} must be {words}.",
                suggestion="Correct the value, or omit it.",
                details={"named_in": f"context.{key}"},
            )


def check_showing(policy: Rules, context: Mapping[str, Any]) -> None:
    """Refuse keys that would show what is closed, in full mode too.

    Raises:
        AccessError: FIELD_BLOCKED.
    """
    if not isinstance(context, Mapping):
        checked_context(context)
    for key in context:
        text = str(key).strip().lower()
        switches = policy.guards and text in CHECKS_OFF_KEYS
        if switches or (policy.closes and any(part in text for part in NAME_FORM_KEYS)):
            raise AccessError(
                f"The context key {_shown(key)} cannot be used, because it can reveal blocked "
                "records.",
                code="FIELD_BLOCKED",
                suggestion="Omit it.",
                details={"named_in": f"context.{_shown(key)}"},
            )


def _known_instead(key: Any, known: list[str]) -> str:
    """Say which key a caller may have meant, and which are known."""
    near = similar_names(str(key), known)
    return f"{f'Use {near[0]}' if near else 'Omit it'}. Known keys are {', '.join(known)}."


def _shown(key: Any) -> str:
    return str(key)[:80]


def check_listed(policy: Rules, call: Call) -> None:
    """Refuse a method that the administrator's list closes, and one that does the same.

    Raises:
        AccessError: METHOD_BLOCKED.
    """
    if any(map(policy.method_listed, (call.method, *same_methods(call)))):
        raise _refusal(
            call,
            f"Use another method, or remove {call.method} from Policy(method_blocklist=...).",
        )


def check_called(policy: Rules, call: Call) -> None:
    """Refuse a method that is never called, or never by a caller.

    Raises:
        AccessError: METHOD_BLOCKED.
    """
    method = call.method.lower()
    if method.startswith("_"):
        raise _refusal(call, "Private methods are not part of Odoo's external API.")
    if not policy.guards:
        return
    if method in BLOCKED_METHODS:
        raise _refusal(call)
    if call.step or call.internal:
        return
    if method in CLOSED_METHODS:
        raise _refusal(call)
    if call.model in COMPOSERS and method not in COMPOSER_METHODS:
        raise _refusal(
            call, "Create the record, then send it. Do not call other methods of the record."
        )
    if method == "onchange" and policy.renders(call.model):
        raise _refusal(call, "Odoo would run its texts as templates.")


def check_free(policy: Rules, call: Call) -> None:
    """Refuse a call that a caller shaped and that is not known to be harmless.

    Raises:
        AccessError: it is not, or its context could show what is closed.
        ValidationError: a value in its context is of the wrong type.
    """
    method, mode = call.method, policy.mode
    check_showing(policy, call.context)
    if not KNOWN_KEYS.keys().isdisjoint(call.context):
        check_values(call.context)
    if mode != "full":
        writes = mode == "restricted" and method in HARMLESS_WRITES
        if method not in HARMLESS_METHODS and not writes:
            raise AccessError(
                f"{method} is not allowed in {mode} mode, because it may write.",
                code="MODE_VIOLATION",
                suggestion=f"To read, use {', '.join(sorted(HARMLESS_METHODS))}.",
                details={"model": call.model, "method": method, "mode": mode},
            )
        check_known(call.context, mode)
        if method == "default_get" and policy.defaults_write(call.model):
            raise _refusal(
                call, "Reading the default values of this model changes something in Odoo."
            )
    elif policy.closes:
        _check_handed_out(call)


def _check_handed_out(call: Call) -> None:
    """Refuse a method of which it is not known that it hands out nothing closed."""
    method = call.method
    if method in HARMLESS_METHODS:
        check_reading(call.context, defaults=method == "default_get")
    elif method in BUSINESS_ACTIONS:
        if call.arguments or call.positional:
            raise _refusal(
                call,
                "While the policy blocks models or fields, call this method with ids and "
                "without arguments.",
            )
    elif method not in JUDGED_METHODS:
        raise AccessError(
            f"The method {method} cannot be called while the policy blocks models or fields: the "
            "toolkit does not know what it reveals.",
            code="METHOD_BLOCKED",
            suggestion=f"To read, use {', '.join(sorted(HARMLESS_METHODS))}. To change records, "
            "use create, write, unlink, and actions of documents such as "
            "action_confirm. Ask an administrator to do the rest in Odoo.",
            details={"model": call.model, "method": method, "named_in": "method"},
        )


def check_implied(policy: Rules, call: Call, described: FieldsOf) -> None:
    """Refuse a call that amounts to a method that is never called, by a command for example.

    Raises:
        AccessError: METHOD_BLOCKED.
    """
    for effect in implied(call, described):
        if effect.place and policy.method_listed(effect.method):
            raise AccessError(
                f"The method {effect.method} cannot be called, and this call does the same to "
                f"{effect.model}.",
                code="METHOD_BLOCKED",
                suggestion=f"Use another method, or remove {effect.method} from "
                "Policy(method_blocklist=...).",
                details={
                    "model": effect.model,
                    "method": effect.method,
                    "named_in": effect.place,
                },
            )


def _refusal(call: Call, reason: str = "") -> AccessError:
    return AccessError(
        f"The method {call.method} cannot be called.",
        code="METHOD_BLOCKED",
        suggestion=reason or f"Use another method, or do this in Odoo itself{IN_A_SCRIPT}.",
        details={"model": call.model, "method": call.method, "named_in": "method"},
    )
