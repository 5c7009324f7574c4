"""Which methods may be called: by whom, and outside full mode of what shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odoo_toolkit.call import Access, Call
from odoo_toolkit.errors import AccessError
from odoo_toolkit.policy.context import check_known, check_reading, check_showing
from odoo_toolkit.policy.harmless import HARMLESS_METHODS, HARMLESS_WRITES
from odoo_toolkit.policy.known_methods import BUSINESS_ACTIONS, JUDGED_METHODS
from odoo_toolkit.policy.refusals import IN_A_SCRIPT
from odoo_toolkit.policy.tables import (
    BLOCKED_METHODS,
    CLOSED_METHODS,
    COMPOSER_METHODS,
    COMPOSERS,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules

#: Methods that do what another method does -> that method.
IMPLIED_METHODS: dict[str, tuple[str, ...]] = {
    "copy": ("create",),
    "load": ("create", "write"),
    "name_create": ("create",),
    "update": ("write",),
    "web_save": ("create", "write"),
    "web_save_multi": ("create", "write"),
}

#: What a command does -> the method that does the same.
_COMMANDED: dict[Access, str] = {"create": "create", "write": "write", "delete": "unlink"}


def check_called(policy: Rules, call: Call) -> None:
    """Refuse a method that is never called, or never by a caller.

    Raises:
        AccessError: METHOD_BLOCKED.
    """
    method = call.method.lower()
    if method.startswith("_"):
        raise _refusal(call, "Private methods are not part of Odoo's external API.")
    same = (method, *IMPLIED_METHODS.get(method, ()))
    if any(map(policy.method_listed, same)):
        raise _refusal(
            call,
            f"Do without it, or take {call.method} off the list: Policy(method_blocklist=...).",
        )
    if not policy.guards:
        return
    if method in BLOCKED_METHODS:
        raise _refusal(call)
    if call.step or call.internal:
        return
    if method in CLOSED_METHODS:
        raise _refusal(call)
    if call.model in COMPOSERS and method not in COMPOSER_METHODS:
        raise _refusal(call, "Create it, then send it; leave its other methods.")
    if method == "onchange" and policy.renders(call.model):
        raise _refusal(call, "Odoo would render its texts as templates.")


def check_free(policy: Rules, call: Call) -> None:
    """Refuse a call that a caller shaped and that is not known to be harmless.

    Raises:
        AccessError: it is not, or its context could show what is closed.
        ValidationError: a value in its context is of the wrong type.
    """
    method, mode = call.method, policy.mode
    check_showing(policy, call.context)
    if mode != "full":
        writes = mode == "restricted" and method in HARMLESS_WRITES
        if method not in HARMLESS_METHODS and not writes:
            raise AccessError(
                f"{method} is not allowed in {mode} mode: it is not known to be harmless.",
                code="MODE_VIOLATION",
                suggestion=f"Read with {', '.join(sorted(HARMLESS_METHODS))}.",
                details={"model": call.model, "method": method, "mode": mode},
            )
        check_known(call.context, mode)
        if method == "default_get" and policy.defaults_write(call.model):
            raise _refusal(
                call, "Asking for the default values of this model changes something in Odoo."
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
                call, "While models or fields are closed, it is called on ids, without arguments."
            )
    elif method not in JUDGED_METHODS:
        raise AccessError(
            f"The method {method} may not be called while models or fields are closed: it is not"
            " known what it shows.",
            code="METHOD_BLOCKED",
            suggestion=f"Read with {', '.join(sorted(HARMLESS_METHODS))}; change records with"
            " create, write, unlink, and with actions of documents such as action_confirm. The"
            " administrator can do the rest in Odoo.",
            details={"model": call.model, "method": method, "named_in": "method"},
        )


def command_refusal(policy: Rules, model: str, access: Access, named_in: str) -> AccessError | None:
    """Return why a command on another model's records is refused; None where it is not.

    A command does what a method does, and must be allowed like that.
    """
    method = _COMMANDED.get(access)
    if method is None or not policy.method_listed(method):
        return None
    return AccessError(
        f"The method {method} may not be called, and this command would do the same.",
        code="METHOD_BLOCKED",
        suggestion=f"Do without it, or take {method} off the list: Policy(method_blocklist=...).",
        details={"model": model, "method": method, "named_in": named_in},
    )


def _refusal(call: Call, reason: str = "") -> AccessError:
    return AccessError(
        f"The method {call.method} may not be called.",
        code="METHOD_BLOCKED",
        suggestion=reason or f"Do without it, or do this in Odoo itself{IN_A_SCRIPT}.",
        details={"model": call.model, "method": call.method, "named_in": "method"},
    )
