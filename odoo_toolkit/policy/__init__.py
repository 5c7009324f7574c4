"""What may be called, named and written.

One :class:`Policy` stands at the one door to Odoo, so that it binds scripts, tools and resources
alike. Some models, fields and methods are closed in every mode (:mod:`odoo_toolkit.policy.tables`);
the mode and the lists are the administrator's. It restricts what Odoo itself would allow, and
never widens it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Any, Literal, get_args

import attrs

from odoo_toolkit.connection.call import Access, Call, default_access
from odoo_toolkit.errors import AccessError, ConfigurationError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy.tables import (
    BLOCKED_FIELD_SUFFIXES,
    BLOCKED_FIELDS,
    BLOCKED_METHODS,
    BLOCKED_MODELS,
    NEVER_WRITTEN,
    OWNER_FIELDS,
    RENDERED_MODELS,
)
from odoo_toolkit.policy.walk import check_names

Mode = Literal["readonly", "restricted", "full"]

_MODEL = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    compiled = re.compile("|".join(translate(pattern) for pattern in patterns))
    return lru_cache(maxsize=4096)(lambda name: compiled.match(name) is not None)


_always_blocked = _matcher(BLOCKED_MODELS)
_never_written = _matcher(NEVER_WRITTEN)
_rendered = _matcher(RENDERED_MODELS)


def _names(value: str | Iterable[str] | None) -> frozenset[str]:
    items = value.split(",") if isinstance(value, str) else value or ()
    return frozenset(name for name in (str(item).strip() for item in items) if name)


def _field_rule(policy: Policy) -> Callable[[str], bool]:
    exact = BLOCKED_FIELDS | {name.lower() for name in policy.field_blocklist}

    def blocked(name: str) -> bool:
        folded = name.strip().lower()
        return folded in exact or folded.endswith(BLOCKED_FIELD_SUFFIXES)

    return lru_cache(maxsize=8192)(blocked)


def _key_rule(policy: Policy) -> Callable[[str], bool]:
    def blocked(key: str) -> bool:
        # Groups come back under "field:month" and "field:sum".
        return any(policy.field_blocked(part) for part in re.split(r"[^\w]+", key))

    return lru_cache(maxsize=8192)(blocked)


_NESTED = (dict, list, tuple)


@attrs.frozen(kw_only=True)
class Policy:
    """The rules that every call is held against.

    Attributes:
        mode: ``readonly`` lets only reads pass; ``restricted`` also creates and writes on the
            models of ``write_allowlist``; ``full`` everything that nothing else forbids.
        model_allowlist: only these models, where it is not empty.
        model_blocklist: never these.
        write_allowlist: what ``restricted`` may create and write.
        field_blocklist: fields that are neither read, searched, sorted by nor written, on any
            model.
        method_blocklist: methods that are never called.

    The lists take any iterable of names, or one string with commas.
    """

    mode: Mode = "full"
    model_allowlist: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    model_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    write_allowlist: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    field_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    method_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    _field_rule: Callable[[str], bool] = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_field_rule, takes_self=True)
    )
    _key_rule: Callable[[str], bool] = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_key_rule, takes_self=True)
    )

    def __attrs_post_init__(self) -> None:
        if self.mode not in get_args(Mode):  # an unknown mode must not pass for a permissive one
            raise ConfigurationError(
                f"Unknown mode {self.mode!r}.", suggestion="Use readonly, restricted or full."
            )

    def check(self, call: Call, fields_of: Callable[[str], Mapping[str, Field]]) -> None:
        """Refuse a call that does what the policy forbids, or names what it closes.

        Args:
            call: the call, with its context.
            fields_of: the schema of a model by its name; where it raises an ``OdooError``, names
                alone decide.

        Raises:
            AccessError: MODE_VIOLATION, MODEL_BLOCKED, FIELD_BLOCKED or METHOD_BLOCKED; the
                details say what was refused and where in the call it is named (``named_in``).
            ValidationError: the model's or method's name is malformed, or arguments are out of
                place.
        """
        _check_syntax(call)
        self._check_method(call)
        if call.internal and call.access == "read" and default_access(call.method) in _HARMLESS:
            return
        access = _real_access(call)
        refusal = self.model_problem(call.model, access, method=call.method, acts_on=call.acts_on)
        if refusal is not None:
            raise refusal
        check_names(
            self, attrs.evolve(call, access=access) if access != call.access else call, fields_of
        )

    def _check_method(self, call: Call) -> None:
        method = call.method.lower()
        if method.startswith("_") or method in BLOCKED_METHODS or method in self.method_blocklist:
            raise AccessError(
                f"The method {call.method} may not be called.",
                code="METHOD_BLOCKED",
                suggestion="Private methods are not part of Odoo's external API."
                if method.startswith("_")
                else "Do without it, or ask the administrator to do this in Odoo.",
                details={"model": call.model, "method": call.method, "named_in": "method"},
            )

    # Models ----------------------------------------------------------------------------------

    def model_blocked(self, model: str) -> bool:
        """Whether the model is on a blocklist, the administrator's or the fixed one."""
        return model in self.model_blocklist or _always_blocked(model)

    def model_allowed(self, model: str) -> bool:
        """Whether the model may be read."""
        return not self.model_blocked(model) and (
            not self.model_allowlist or model in self.model_allowlist
        )

    @property
    def bound_by_lists(self) -> bool:
        """Whether it depends on a list of models what a call may touch."""
        return self.mode == "restricted" or bool(self.model_allowlist)

    def model_problem(
        self,
        model: str,
        access: Access,
        *,
        named_in: str = "model",
        method: str | None = None,
        acts_on: str | None = None,
    ) -> AccessError | None:
        """Return why the model may not be accessed so; None where it may.

        Args:
            model: technical name.
            access: what is to be done with it.
            named_in: where in a call the model is named, for the error.
            method: the method, for the error.
            acts_on: the model that must be on the allowlists instead, see
                :class:`~odoo_toolkit.connection.call.Call`. What is closed stays so.
        """
        if self.model_blocked(model):
            return self.model_refusal(model, named_in)
        listed = acts_on or model
        if not self.model_allowed(listed):
            return self.model_refusal(listed, named_in)
        if access == "read":
            return None
        if _never_written(model) or _never_written(listed):
            return self.model_refusal(
                model,
                named_in,
                message=f"{model} can be read, but is never changed from here.",
                suggestion="Ask the administrator to make this change in Odoo.",
            )
        if self.mode == "full":
            return None
        details = {"model": model, "access": access, "mode": self.mode, "named_in": named_in}
        if method is not None:
            details["method"] = method
        operations = f"{access.capitalize()} operations"
        if self.mode == "readonly" or access in ("delete", "execute"):
            wider = "restricted or full" if access in ("create", "write") else "full"
            return AccessError(
                f"{operations} are not allowed in {self.mode} mode",
                code="MODE_VIOLATION",
                suggestion=f"It takes an administrator to set ODOO_MCP_MODE={wider}.",
                details=details,
            )
        if listed in self.write_allowlist:
            return None
        return AccessError(
            f"{operations} on {listed} are not allowed in restricted mode",
            code="MODE_VIOLATION",
            suggestion=f"It takes an administrator to add {listed} to ODOO_MCP_WRITE_ALLOWLIST.",
            details=details,
        )

    def model_refusal(
        self, model: str, named_in: str, *, message: str = "", suggestion: str = ""
    ) -> AccessError:
        """Return the error for a model that is closed."""
        listed = not self.model_blocked(model)
        return AccessError(
            message or f"{model} may not be accessed.",
            code="MODEL_BLOCKED",
            suggestion=suggestion
            or (
                f"It takes an administrator to add {model} to ODOO_MCP_MODEL_ALLOWLIST."
                if listed
                else "Leave it out; what it holds is managed by the administrator in Odoo."
            ),
            details={"model": model, "named_in": named_in},
        )

    def renders(self, model: str) -> bool:
        """Whether Odoo renders this model's texts as templates."""
        return _rendered(model)

    def template_refusal(self, model: str, named_in: str) -> AccessError:
        """Return the error for a text that Odoo would evaluate."""
        return AccessError(
            f"The text for {model} contains template code, which Odoo would evaluate.",
            code="FIELD_BLOCKED",
            suggestion="Write the text itself, without placeholders.",
            details={"model": model, "named_in": named_in},
        )

    # Fields ----------------------------------------------------------------------------------

    def field_blocked(self, name: str) -> bool:
        """Whether no field of this name may be named, on any model."""
        return self._field_rule(name)

    def field_refusal(self, name: str, model: str | None, named_in: str) -> AccessError:
        """Return the error for a field that is closed."""
        details = {"field": name, "named_in": named_in}
        if model is not None:
            details["model"] = model
        return AccessError(
            f"The field {name} may not be used.",
            code="FIELD_BLOCKED",
            suggestion="Leave it out of fields, filters, sorting and values.",
            details=details,
        )

    def readable_fields(self, model: str, fields: Mapping[str, Field]) -> dict[str, Field]:
        """Return the fields that may be read, in their order.

        Left out are blocked names and relations to models on a blocklist; relations to models
        that merely are not on the allowlist stay, as no more than an id and a name come back.
        """
        return {
            name: field
            for name, field in fields.items()
            if not self._field_rule(name)
            and not (field.relation and self.model_blocked(field.relation))
        }

    def redact(self, result: Any) -> Any:
        """Return what the server answered without the keys that name blocked fields.

        Nothing is copied where nothing is blocked.
        """
        if isinstance(result, dict):
            blocked = {key for key in result if isinstance(key, str) and self._key_rule(key)}
            clean = {
                key: new
                for key, old in result.items()
                if isinstance(old, _NESTED) and (new := self.redact(old)) is not old
            }
            if not blocked and not clean:
                return result
            return {
                key: clean.get(key, value) for key, value in result.items() if key not in blocked
            }
        if isinstance(result, (list, tuple)):
            if not any(isinstance(item, _NESTED) for item in result):
                return result
            items = [self.redact(item) if isinstance(item, _NESTED) else item for item in result]
            if all(new is old for new, old in zip(items, result, strict=True)):
                return result
            return items if isinstance(result, list) else tuple(items)
        return result

    # Records that belong to records of other models ------------------------------------------

    def record_filter(self, model: str, domain: Sequence[Any] = ()) -> list[Any]:
        """Return the domain to AND onto a search, so that closed models' records stay unseen.

        Args:
            model: the model that is searched, such as ``ir.attachment``.
            domain: what it is searched by. A search of attachments by ``id`` or ``res_field``
                also finds the files behind binary fields; those of blocked fields are excluded.

        Returns:
            A domain, empty for models whose records stand for themselves. Records that belong to
            no model stay (``not in`` keeps empty values on every version).
        """
        owner = OWNER_FIELDS.get(model)
        if owner is None:
            return []
        if self.model_allowlist:
            allowed = sorted(self.model_allowlist - self.model_blocklist - set(BLOCKED_MODELS))
            found: list[Any] = ["|", [owner, "=", False], [owner, "in", allowed]]
        else:
            found = [[owner, "not in", sorted({*BLOCKED_MODELS, *self.model_blocklist})]]
        if model == "ir.attachment" and any(
            isinstance(leaf, (list, tuple)) and leaf and leaf[0] in ("id", "res_field")
            for leaf in domain
        ):
            found.append(["res_field", "not in", sorted(BLOCKED_FIELDS | self.field_blocklist)])
        return found

    def describe(self) -> dict[str, Any]:
        """Return the rules as plain data: mode, lists, and what is closed in every mode."""
        return {
            "mode": self.mode,
            "model_allowlist": sorted(self.model_allowlist),
            "model_blocklist": sorted(self.model_blocklist),
            "write_allowlist": sorted(self.write_allowlist),
            "field_blocklist": sorted(self.field_blocklist),
            "method_blocklist": sorted(self.method_blocklist),
            "always": {
                "blocked_models": list(BLOCKED_MODELS),
                "never_written_models": list(NEVER_WRITTEN),
                "blocked_fields": sorted(BLOCKED_FIELDS)
                + [f"*{suffix}" for suffix in BLOCKED_FIELD_SUFFIXES],
                "blocked_methods": ["_*", *sorted(BLOCKED_METHODS)],
            },
        }


_HARMLESS = frozenset({"read", "execute"})
"""What an internal read may be by its method's name: a known read, or one we know nothing of."""


def _check_syntax(call: Call) -> None:
    # Both become parts of a URL with JSON-2.
    if not isinstance(call.model, str) or not _MODEL.fullmatch(call.model):
        raise ValidationError(
            f"{call.model!r} is not the name of a model.",
            suggestion="Use a technical name such as 'res.partner' (see odoo_core_list_models).",
            details={"model": call.model, "named_in": "model"},
        )
    if not isinstance(call.method, str) or not _IDENTIFIER.fullmatch(call.method):
        raise ValidationError(
            f"{call.method!r} is not the name of a method.",
            suggestion="Use a plain name such as 'action_confirm', without arguments.",
            details={"model": call.model, "method": call.method, "named_in": "method"},
        )


def _real_access(call: Call) -> Access:
    """What the call does: as declared, unless its method is known to do more."""
    known = default_access(call.method)
    if known == "delete" or (known in ("create", "write") and call.access == "read"):
        return known
    return call.access


def policy_problems(
    *,
    mode: str = "full",
    model_allowlist: Iterable[str] = (),
    model_blocklist: Iterable[str] = (),
    write_allowlist: Iterable[str] = (),
    field_blocklist: Iterable[str] = (),
    method_blocklist: Iterable[str] = (),
) -> list[str]:
    """Return everything that is wrong with the settings of a policy, in plain sentences.

    Args: as the attributes of :class:`Policy`.
    """
    problems = []
    if mode not in get_args(Mode):
        problems.append(f"Unknown mode {mode!r}: choose readonly, restricted or full.")
    allowed, blocked, written = map(_names, (model_allowlist, model_blocklist, write_allowlist))
    if allowed and blocked:
        problems.append("Set the model allowlist or the model blocklist, not both.")
    if allowed and written - allowed:
        problems.append(
            "The write allowlist names models that the model allowlist lacks: "
            + ", ".join(sorted(written - allowed))
            + "."
        )
    for title, names in (
        ("model allowlist", allowed),
        ("model blocklist", blocked),
        ("write allowlist", written),
    ):
        problems += [
            f"{name!r} in the {title} is not the name of a model, such as 'res.partner'."
            for name in sorted(names)
            if not _MODEL.fullmatch(name)
        ]
    for title, values in (("field", field_blocklist), ("method", method_blocklist)):
        problems += [
            f"{name!r} in the {title} blocklist is not the name of a {title}."
            for name in sorted(_names(values))
            if not _IDENTIFIER.fullmatch(name)
        ]
    return problems
