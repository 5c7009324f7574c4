"""The connection as a plugin has it: only what it declared passes, and as what it is.

A call of a plugin's is never taken for what its code says of it. It is judged as a caller's is:
reads and values are parsed, and each model is judged by itself. What remains a step is a button
that was declared, and it writes.
"""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar

import attrs

from odoo_toolkit.call import Access, Call, default_access
from odoo_toolkit.client import Gate, Odoo
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import FieldsOf
from odoo_toolkit.plugins.plugin import Declared
from odoo_toolkit.policy.calls import KNOWN_KEYS, check_known, check_showing, check_values
from odoo_toolkit.policy.policy import Policy
from odoo_toolkit.policy.redaction import opening
from odoo_toolkit.policy.tables import (
    BLOCKED_METHODS,
    CLOSED_METHODS,
    COMPOSERS,
    HARMLESS_METHODS,
    HARMLESS_WRITES,
)
from odoo_toolkit.wizards.protocol import is_plain

R = TypeVar("R")

#: What the library's functions ask for themselves, whatever model they are given: descriptions.
_DESCRIBING = frozenset({"fields_get", "has_access", "check_access_rights"})

#: What they look up besides, and show nobody: model -> methods.
_LOOKUPS: Mapping[str, frozenset[str]] = {
    "ir.model": frozenset({"get_available_models", "search_count"}),
    "ir.module.module": frozenset({"search_count"}),
}

#: Keys that tell a wizard which records it is about.
_ACTIVE = frozenset({"active_model", "active_id", "active_ids"})


@attrs.frozen(kw_only=True)
class Bounds(Gate):
    """What a function of a plugin may do.

    Attributes:
        plugin: its name.
        declared: what the plugin declared.
        access: what the function was said to do; one that reads sends nothing else.
        plans: whether it is only asked what it would do.
    """

    plugin: str
    declared: Declared
    access: Access
    plans: bool = False
    calls_only: ClassVar[bool] = True
    _ended: threading.Event = attrs.field(init=False, eq=False, repr=False, factory=threading.Event)

    def end(self) -> None:
        """Let nothing pass any more: a connection that was kept would be another user's next."""
        self._ended.set()

    def within(self, call: Call, policy: Policy, fields_of: FieldsOf) -> Call:
        """Return a call as it is to be judged.

        Raises:
            AccessError: the plugin has not declared it, or no plugin may do it.
        """
        within = self._as_declared(call, policy)
        if within.method in HARMLESS_WRITES and not within.step:
            self.check_lines(within, policy, fields_of)
        return within

    def before(self, call: Call, policy: Policy) -> None:
        """Refuse a call that was judged as something else than what it is."""
        declared = self._as_declared(call, policy)
        if declared != call:
            self._refuse(call, f"sends {call.model}.{call.method} as what it is not")
        if self.plans and not declared.reads:
            self._refuse(call, f"calls {call.model}.{call.method} in a dry run, which only plans")

    def shown(self, call: Call, result: Any, policy: Policy) -> Any:
        """Return a result as it may be seen; a button's may say anything.

        Default values of a wizard are left out: Odoo uses them by itself when it creates one.
        """
        if not (call.step and policy.closes):
            return result
        return {} if call.method == "default_get" else opening(result)

    def _as_declared(self, call: Call, policy: Policy) -> Call:
        if self._ended.is_set():
            self._refuse(call, "calls Odoo after its function has returned")
        if call.internal and call.reads and _is_lookup(call):
            return call
        if call.method in HARMLESS_METHODS:
            if call.model not in self.declared.models:
                self._refuse(call, f"has not declared that it reads {call.model}")
            if call.method == "default_get" and call.model in self.declared.wizards:
                return self._defaults(call, policy)
            return self._own(call, "read")
        return self._change(call, policy)

    def _own(self, call: Call, access: Access, *, step: bool = False) -> Call:
        """Return a call as one of the plugin's, which is about nothing but its own model."""
        return attrs.evolve(
            call, access=access, acts_on=None, step=step, internal=False, plugin=self.plugin
        )

    def _defaults(self, call: Call, policy: Policy) -> Call:
        """Return the question for what a wizard fills in, which depends on what it is about."""
        if policy.defaults_write(call.model):
            self._refuse(call, f"asks {call.model} for its defaults, which changes something")
        check_showing(policy, call.context)
        if policy.mode != "full" or policy.closes:
            self._check_plain(call, policy, wizard=True)
        return self._own(call, "read", step=True)

    def _change(self, call: Call, policy: Policy) -> Call:
        model, method = call.model, call.method
        if not self.declared.allows(model, method):
            self._refuse(call, f"has not declared the step {model}.{method}")
        if self.access == "read":
            self._refuse(call, f"may only read here, and {model}.{method} does more")
        if closed := closed_step(model, method):
            self._refuse(call, closed)
        kind = default_access(method)
        if kind == "delete" and self.access != "delete":
            self._refuse(
                call, f"deletes records, although its tool does not declare that: {model}.{method}"
            )
        wizard = model in self.declared.wizards
        if wizard and not all(map(is_plain, _values(call))):
            self._refuse(call, f"fills {model} in with lines of other models")
        if not wizard and (method in HARMLESS_WRITES or kind == "delete"):
            return self._own(call, kind)
        check_showing(policy, call.context)
        if policy.mode != "full" or policy.closes:
            self._check_plain(call, policy, wizard)
        return self._own(call, kind if kind in ("create", "delete") else "write", step=True)

    def _check_plain(self, call: Call, policy: Policy, wizard: bool) -> None:
        """Refuse what only the rights of Odoo's user would limit."""
        active = {key: item for key, item in call.context.items() if wizard and key in _ACTIVE}
        known = {key: item for key, item in call.context.items() if key not in active}
        check_values(known)
        if policy.mode != "full":
            check_known(known, policy.mode)
        elif other := known.keys() - KNOWN_KEYS.keys():
            self._refuse(call, f"gives the context key {min(other)}, while models are closed")
        if active.get("active_model", call.model) not in self.declared.models:
            self._refuse(call, f"has not declared {active['active_model']}")
        filled_in = wizard and call.method in ("create", "write", "default_get")
        if (call.arguments or call.positional) and not filled_in:
            self._refuse(call, f"calls {call.method} with arguments, not on ids alone")

    def check_lines(self, call: Call, policy: Policy, fields_of: FieldsOf) -> None:
        """Refuse values whose lines reach what is not declared, as restricted mode would.

        Raises:
            AccessError: they do, or delete lines.
            ValidationError: they have not the shape that values must have.
        """
        steps = self.declared.steps
        lines = {name for name in steps if {"create", "write"} <= set(steps[name])}
        listed = frozenset({*lines, call.model})
        bounded = attrs.evolve(policy, mode="restricted", write_allowlist=listed)
        # Of a step that is only asked about, the records are not known yet.
        asked = call if call.ids is None else attrs.evolve(call, ids=(1,))
        try:
            bounded.admitted(asked, fields_of)
        except AccessError as error:
            if error.code != "MODE_VIOLATION":
                raise
            reached = error.details.get("model", call.model)
            self._refuse(call, f"reaches {reached} with these values, and has not declared that")

    def _refuse(self, call: Call, what: str) -> NoReturn:
        raise AccessError(
            f"The plugin {self.plugin} {what}.",
            code="METHOD_BLOCKED",
            suggestion="Do not use this function. Ask the maintainer of the plugin to declare "
            "what it does, if the toolkit allows that.",
            details={"plugin": self.plugin, "model": call.model, "method": call.method},
        )


def _values(call: Call) -> Iterator[Any]:
    """Yield the values that a call creates or writes."""
    given = call.arguments.get("vals_list", call.arguments.get("vals")) or ()
    for row in given if isinstance(given, (list, tuple)) else [given]:
        yield from row.values()


def closed_step(model: str, method: str) -> str | None:
    """Return why no plugin may do something that does more than read; None where it may."""
    protecting = Policy()
    if protecting.model_blocked(model):
        return f"must not reach {model}, which is always closed"
    if protecting.never_written_refusal(model, "model") or model in COMPOSERS:
        return f"must not change {model}, which is only read"
    folded = method.lower()
    if folded.startswith("_") or folded in BLOCKED_METHODS | CLOSED_METHODS:
        return f"must not call {method}, which is always closed"
    return None


def _is_lookup(call: Call) -> bool:
    if call.method in _DESCRIBING or call.method in _LOOKUPS.get(call.model, ()):
        return True
    if call.model == "res.users":  # the time zone of the user that we are
        return call.method == "read" and call.arguments == {"fields": ["tz"]}
    return False


def bound(bounds: Bounds, function: Callable[..., R]) -> Callable[..., R]:
    """Return a function of a plugin that keeps within its bounds, and so does its plan.

    It has a copy of its arguments: what it takes out of them, a person would not be shown.
    """

    @functools.wraps(function)
    def kept(odoo: Odoo | None, *args: Any, **kwargs: Any) -> R:
        gate = attrs.evolve(bounds, plans=bounds.plans or bool(kwargs.get("dry_run")))
        own = odoo if odoo is None else odoo.gated(gate)
        try:
            return function(own, *copy.deepcopy(args), **copy.deepcopy(kwargs))
        except SystemExit as error:  # it is not the server's to end for it
            raise RuntimeError(f"The plugin {bounds.plugin} calls sys.exit.") from error
        finally:
            gate.end()

    if plan := getattr(function, "plan", None):
        kept.plan = bound(attrs.evolve(bounds, plans=True), plan)  # type: ignore[attr-defined]
    return kept
