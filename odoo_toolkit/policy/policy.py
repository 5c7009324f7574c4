"""The policy, which restricts the models, fields and methods that calls can use.

One :class:`Policy` checks every call to Odoo from scripts, tools and resources. Some models, fields
and methods are blocked in every mode (:mod:`odoo_toolkit.policy.tables`). The administrator sets
the mode and the lists. A policy only restricts the permissions in Odoo, and never extends them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

import attrs

from odoo_toolkit.call import Access, Call
from odoo_toolkit.compat import MODEL_METHODS
from odoo_toolkit.errors import AccessError, ConfigurationError, ValidationError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy import calls
from odoo_toolkit.policy.files import with_types
from odoo_toolkit.policy.reach import Readable, closed_in, search_closed
from odoo_toolkit.policy.redaction import without_keys
from odoo_toolkit.policy.rules import Mode, Rules, names_of
from odoo_toolkit.policy.tables import (
    BLOCKED_FIELD_SUFFIXES,
    BLOCKED_FIELDS,
    BLOCKED_METHODS,
    BLOCKED_MODELS,
    BUSINESS_ACTIONS,
    CLOSED_METHODS,
    FILE_MODELS,
    HARMLESS_METHODS,
    HARMLESS_WRITES,
    LONGEST_NAME,
    NEVER_WRITTEN,
    READS_ALL_FIELDS,
    RENDERED_MODELS,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy.names import ModelOf, Version


@attrs.frozen(kw_only=True)
class Policy(Rules):
    """The rules that every call is checked against.

    Each list accepts any iterable of names, or one string with commas.

    Attributes:
        mode: ``readonly`` allows only reads. ``restricted`` also allows creating and writing on the
            models of ``write_allowlist``. ``full`` allows everything that no other rule blocks.
        model_allowlist: If it is not empty, only these models are allowed.
        model_blocklist: Models that are blocked.
        write_allowlist: Models that ``restricted`` can create and write.
        field_blocklist: Fields that can't be read, searched, sorted by or written, on any model.
        method_blocklist: Methods that can't be called.
        protect: Whether to block the models, fields and methods that are blocked in every mode.
            Without it, the rights of the Odoo user are the limit, and the mode and lists still
            apply. While a list blocks models or fields, methods, templates and context keys that
            could bypass it are also blocked. For scripts only: the MCP server always protects.
    """

    _readable: dict[str, tuple[Mapping[str, Field], Mapping[str, Field]]] = attrs.field(
        init=False, eq=False, repr=False, factory=dict
    )

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        lists = (self.model_allowlist, self.model_blocklist, self.write_allowlist)
        problems = _malformed_names(*lists, self.field_blocklist, self.method_blocklist)
        if problems:  # it would close nothing
            raise ConfigurationError(
                " ".join(problems),
                suggestion="Write names as Odoo does. A field is blocked on all models: name none.",
            )

    @cached_property
    def _key_rule(self) -> Callable[[str], bool]:
        def blocked(key: str) -> bool:
            # Groups come back under "field:month" and "field:sum".
            return any(self.field_blocked(part) for part in re.split(r"[^\w]+", key))

        return lru_cache(maxsize=8192)(blocked)

    @cached_property
    def _access_rule(self) -> Any:
        """What judges a method on a model as such; what passes is remembered.

        It returns what the method does, and whether it passes whatever it is given: but for what
        its arguments and its context name.
        """

        @lru_cache(maxsize=4096)
        def judged(
            model: str, method: str, access: Access, acts_on: str | None, step: bool, internal: bool
        ) -> tuple[Access, bool]:
            call = Call(model=model, method=method, access=access, step=step, internal=internal)
            calls.check_names(call)
            calls.check_called(self, call)
            access = calls.real_access(call)
            if not (internal and access == "read"):
                refusal = self.model_problem(
                    model, access, method=method, acts_on=acts_on, step=step
                )
                if refusal is not None:
                    raise refusal
            try:
                calls.check_free(self, call)
            except AccessError:
                return access, False
            return access, method not in BUSINESS_ACTIONS

        return judged

    def check(self, call: Call, fields_of: FieldsOf, model_of: ModelOf | None = None) -> Call:
        """Refuse a call that does what the policy forbids, or names what it closes.

        A call that a caller shaped may still be in the form in which the caller worded it.

        Args:
            call: the call, with its context.
            fields_of: the schema of a model by its name; where it raises an ``OdooError``, names
                alone decide.
            model_of: the name of the model that an id of ``ir.model`` stands for.

        Returns:
            The call, with the values to write as they were read. It is not to be sent.

        Raises:
            AccessError: MODE_VIOLATION, MODEL_BLOCKED, FIELD_BLOCKED or METHOD_BLOCKED; the
                details say what was refused and where in the call it is named (``named_in``).
            ValidationError: the model's or method's name is malformed, or arguments are out of
                place.
        """
        return self.admitted(call, fields_of, model_of, worded=True)

    def admitted(
        self,
        call: Call,
        fields_of: FieldsOf,
        model_of: ModelOf | None = None,
        version: Version | None = None,
        *,
        worded: bool = False,
    ) -> Call:
        """Return the call as it may be sent; arguments and errors as of :meth:`check`.

        ``version`` gives Odoo's major version, where known: operators of domains depend on it.
        With ``worded``, values to write may be as the caller worded them, and are not to be sent.

        What is asked of a method that only reads comes back as the typed objects that it was read
        into (:mod:`odoo_toolkit.arguments`), and so do values to write.
        """
        # Imported here: a server knows its policy long before it makes the first call.
        from odoo_toolkit.arguments.reading import wired
        from odoo_toolkit.policy.judging import Judge
        from odoo_toolkit.policy.unknown_arguments import Walk

        model, method, rule = call.model, call.method, self._access_rule
        if self.method_blocklist or type(model) is not str or type(method) is not str:
            calls.check_names(call)
            calls.check_listed(self, call)
        if len(model) + len(method) > LONGEST_NAME:
            rule = rule.__wrapped__  # what is too long for a name is not worth remembering
        access, passes = rule(model, method, call.access, call.acts_on, call.step, call.internal)
        if call.internal and access == "read":
            return call
        if not call.step and (call.context or not passes):
            calls.check_free(self, call)
        if access != call.access:
            call = attrs.evolve(call, access=access)
        if self.method_blocklist and access != "read":
            calls.check_implied(self, call, Walk(self, call, fields_of).open_fields)
        if model in FILE_MODELS and self.guards and not (call.step or call.internal):
            call = with_types(call)
        if "ids" in call.arguments or (call.ids is None) != (method in MODEL_METHODS):
            calls.check_ids(call)
        free = not call.step and self.mode != "full"
        known = method in HARMLESS_METHODS or (free and not worded and method in HARMLESS_WRITES)
        quiet = not call.context or calls.names_nothing(call.context)
        holds = call.arguments or call.positional or method in READS_ALL_FIELDS
        if quiet and not (known or holds):
            return call
        if not known:
            return Walk(self, call, fields_of, model_of, version).judged(call, worded)
        if not (quiet or free):
            # Elsewhere it has known keys only, which name nothing.
            Walk(self, call, fields_of, model_of, version).context(model, call.context)
        try:
            return Judge(self, call, fields_of, model_of, version).judged(call)
        except ValidationError:
            # What is closed is refused as such, also where it is named in what cannot be read.
            Walk(self, call, fields_of, model_of, version).call(wired(call))
            raise

    def readable_fields(self, model: str, fields_of: FieldsOf) -> Mapping[str, Field]:
        """Return the fields that may be read, in their order.

        Left out are closed fields, those that show what is in a closed model or field (related
        and inherited ones), and relations to models on a blocklist; relations to models that
        merely are not on the allowlist stay, as no more than an id and a name come back. What may
        be read but not searched by is told not to be ``searchable``.

        Args:
            model: technical name.
            fields_of: the schema of a model by its name; that of other models is asked for only
                while a list closes something, where a field that is asked for leads to them.
        """
        fields = fields_of(model)
        before, readable = self._readable.get(model, (None, {}))
        if before is not fields:  # every call asks twice, and the schema is kept for long

            def is_named_open(field: Field) -> bool:
                hidden = field.relation is not None and self.model_blocked(field.relation)
                return not (hidden or self.field_closed(field))

            def judged(field: Field) -> Field | None:
                if not is_named_open(field) or closed_in(self, model, field, fields_of):
                    return None
                # The name that Odoo shows is searched by in a way of its own.
                judged_here = field.searchable and field.name != "display_name"
                if judged_here and search_closed(self, model, field, fields_of) is not None:
                    return attrs.evolve(field, searchable=False, sortable=False)
                return field

            if self.closes:
                readable = Readable(fields, judged)
            else:
                found = {name: field for name, field in fields.items() if is_named_open(field)}
                readable = MappingProxyType(found)
            self._readable[model] = (fields, readable)
        return readable

    @cached_property
    def redact(self) -> Callable[[Any], Any]:
        """Return what the server answered without the keys that name blocked fields.

        Nothing is copied where nothing is blocked.
        """
        return partial(without_keys, blocked=self._key_rule)

    def describe(self) -> dict[str, Any]:
        """Return the rules as plain data: mode, lists, and what is closed in every mode."""
        return {
            "mode": self.mode,
            "model_allowlist": sorted(self.model_allowlist),
            "model_blocklist": sorted(self.model_blocklist),
            "write_allowlist": sorted(self.write_allowlist),
            "field_blocklist": sorted(self.field_blocklist),
            "method_blocklist": sorted(self.method_blocklist),
            "always": _always() if self.protect else {},
        }


def _always() -> dict[str, list[str]]:
    fields = [*sorted(BLOCKED_FIELDS), *(f"*{suffix}" for suffix in BLOCKED_FIELD_SUFFIXES)]
    return {
        "blocked_models": list(BLOCKED_MODELS),
        "never_written_models": [*NEVER_WRITTEN, *RENDERED_MODELS],
        "blocked_fields": fields,
        "blocked_methods": ["_*", *sorted(BLOCKED_METHODS | CLOSED_METHODS)],
    }


def _malformed_names(*lists: Iterable[str]) -> list[str]:
    """Return what is not a name in the lists of a policy, in the order of _LISTS."""
    return [
        f"{name!r} in the {title} is not the name of a {kind}."
        for (title, kind, pattern), names in zip(_LISTS, lists, strict=True)
        for name in sorted(names)
        if not pattern.fullmatch(name)
    ]


_LISTS = (
    ("model allowlist", "model, such as 'res.partner'", calls.MODEL),
    ("model blocklist", "model, such as 'res.partner'", calls.MODEL),
    ("write allowlist", "model, such as 'res.partner'", calls.MODEL),
    ("field blocklist", "field, such as 'email'", calls.IDENTIFIER),
    ("method blocklist", "method", calls.IDENTIFIER),
)


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
    allowed, blocked, written = map(names_of, (model_allowlist, model_blocklist, write_allowlist))
    if allowed and blocked:
        problems.append("Set the model allowlist or the model blocklist, not both.")
    if allowed and written - allowed:
        problems.append(
            "The write allowlist contains models that are missing from the model allowlist: "
            + ", ".join(sorted(written - allowed))
            + "."
        )
    problems += _malformed_names(
        allowed, blocked, written, names_of(field_blocklist), names_of(method_blocklist)
    )
    return problems
