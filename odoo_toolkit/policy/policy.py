"""The policy, which restricts the models, fields and methods that calls can use.

One :class:`Policy` checks every call to Odoo from scripts, tools and resources. Some models, fields
and methods are blocked in every mode (:mod:`odoo_toolkit.policy.tables`). The administrator sets
the mode and the lists. A policy only restricts the permissions in Odoo, and never extends them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import translate
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import attrs

from odoo_toolkit.call import Access, Call
from odoo_toolkit.errors import AccessError, ConfigurationError, ValidationError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.calls import (
    IDENTIFIER,
    MODEL,
    check_called,
    check_free,
    check_ids,
    check_implied,
    check_listed,
    check_names,
    names_nothing,
    real_access,
)
from odoo_toolkit.policy.files import with_types
from odoo_toolkit.policy.reach import Readable, closed_in, search_closed
from odoo_toolkit.policy.redaction import without_keys
from odoo_toolkit.policy.rules import IN_A_SCRIPT, model_refusal
from odoo_toolkit.policy.tables import (
    BLOCKED_FIELD_SUFFIXES,
    BLOCKED_FIELDS,
    BLOCKED_METHODS,
    BLOCKED_MODELS,
    CLOSED_METHODS,
    COMPOSERS,
    FILE_MODELS,
    HARMLESS_METHODS,
    HARMLESS_WRITES,
    LONGEST_NAME,
    NEVER_WRITTEN,
    OPERATED,
    RENDERED_MODELS,
    VIEWS,
    WRITING_DEFAULTS,
    is_unwritable,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy.names import ModelOf, Version


Mode = Literal["readonly", "restricted", "full"]


@lru_cache
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    compiled = re.compile("|".join(translate(pattern) for pattern in patterns))
    return lru_cache(maxsize=4096)(lambda name: compiled.match(name) is not None)


_always_blocked = _matcher(BLOCKED_MODELS)
_never_written = _matcher(NEVER_WRITTEN)
_rendered = _matcher(RENDERED_MODELS)
_defaults_write = _matcher(WRITING_DEFAULTS)


def names_of(value: str | Iterable[str] | None) -> frozenset[str]:
    """Return the names in a list, or in one text with commas."""
    items = value.split(",") if isinstance(value, str) else value or ()
    return frozenset(name for name in (str(item).strip() for item in items) if name)


def _field_rule(policy: Policy) -> Callable[[str], bool]:
    exact = {name.lower() for name in policy.field_blocklist}
    endings: tuple[str, ...] = ()
    if policy.protect:
        exact, endings = exact | BLOCKED_FIELDS, BLOCKED_FIELD_SUFFIXES

    def blocked(name: str) -> bool:
        folded = name.strip().lower()
        return folded in exact or folded.endswith(endings)

    kept = lru_cache(maxsize=8192)(blocked)
    # What is too long for a name is not worth remembering.
    return lambda name: kept(name) if len(name) <= LONGEST_NAME else blocked(name)


def _key_rule(policy: Policy) -> Callable[[str], bool]:
    def blocked(key: str) -> bool:
        # Groups come back under "field:month" and "field:sum".
        return any(policy.field_blocked(part) for part in re.split(r"[^\w]+", key))

    return lru_cache(maxsize=8192)(blocked)


def _access_rule(policy: Policy) -> Any:
    """Return what judges a method on a model as such; what passes is remembered."""

    @lru_cache(maxsize=4096)
    def judged(
        model: str, method: str, access: Access, acts_on: str | None, step: bool, internal: bool
    ) -> Access:
        call = Call(
            model=model, method=method, access=access, acts_on=acts_on, step=step, internal=internal
        )
        check_names(call)
        check_called(policy, call)
        access = real_access(call)
        if internal and access == "read":
            return access
        refusal = policy.model_problem(model, access, method=method, acts_on=acts_on, step=step)
        if refusal is not None:
            raise refusal
        return access

    return judged


def _model_rule(policy: Policy) -> Callable[..., bool]:
    """Return what tells whether a model may be accessed so; it remembers what it has told."""

    @lru_cache(maxsize=4096)
    def may(model: str, access: Access, acts_on: str | None, step: bool) -> bool:
        return policy.model_problem(model, access, acts_on=acts_on, step=step) is None

    return may


@attrs.frozen(kw_only=True)
class Policy:
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

    mode: Mode = "full"
    model_allowlist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    model_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    write_allowlist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    field_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    method_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    protect: bool = True
    _folded_methods: frozenset[str] = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(
            lambda self: frozenset(name.lower() for name in self.method_blocklist),
            takes_self=True,
        ),
    )
    _field_rule: Callable[[str], bool] = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_field_rule, takes_self=True)
    )
    _key_rule: Callable[[str], bool] = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_key_rule, takes_self=True)
    )
    _access_rule: Any = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_access_rule, takes_self=True)
    )
    #: Whether a model may be accessed so: model, access, what it acts on, step.
    may: Callable[..., bool] = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_model_rule, takes_self=True)
    )
    _others: dict[str, Policy] = attrs.field(init=False, eq=False, repr=False, factory=dict)
    _readable: dict[str, tuple[Mapping[str, Field], Mapping[str, Field]]] = attrs.field(
        init=False, eq=False, repr=False, factory=dict
    )

    _plain: dict[str, tuple[Mapping[str, Field], Mapping[str, Field]]] = attrs.field(
        init=False, eq=False, repr=False, factory=dict
    )

    def __attrs_post_init__(self) -> None:
        if self.mode not in get_args(Mode):  # an unknown mode must not pass for a permissive one
            raise ConfigurationError(
                f"Unknown mode {self.mode!r}.", suggestion="Use readonly, restricted or full."
            )

    def __reduce__(self) -> tuple[Callable[[], Policy], tuple[()]]:
        # The rules made of the lists are functions, which cannot be pickled: they are made anew.
        given = {
            field.name: getattr(self, field.name) for field in attrs.fields(Policy) if field.init
        }
        return partial(type(self), **given), ()

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

        judged = self._judged(call, fields_of)
        if judged is None:
            return call
        check_ids(judged)
        method, free = call.method, not call.step and self.mode != "full"
        known = method in HARMLESS_METHODS or (free and not worded and method in HARMLESS_WRITES)
        if not known and names_nothing(judged):
            return judged
        walk = Walk(self, judged, fields_of, model_of, version)
        if not known:
            return walk.judged(judged, worded)
        if judged.context and not free:
            # Elsewhere it has known keys only, which name nothing.
            walk.context(judged.model, judged.context)
        try:
            return Judge(walk, judged).judged()
        except ValidationError:
            # What is closed is refused as such, also where it is named in what cannot be read.
            walk.call(wired(judged))
            raise

    def _judged(self, call: Call, fields_of: FieldsOf) -> Call | None:
        """Judge method, context and model; return the call as what it does, None where it reads
        for the toolkit itself."""
        model, method, rule = call.model, call.method, self._access_rule
        if self.method_blocklist or type(model) is not str or type(method) is not str:
            check_names(call)
            check_listed(self, call)
        if len(model) + len(method) > LONGEST_NAME:
            rule = rule.__wrapped__  # what is too long for a name is not worth remembering
        access = rule(model, method, call.access, call.acts_on, call.step, call.internal)
        if call.internal and access == "read":
            return None
        if not call.step:
            check_free(self, call)
        if access != call.access:
            call = attrs.evolve(call, access=access)
        if self.method_blocklist and access != "read":
            from odoo_toolkit.policy.names import Names

            check_implied(self, call, Names(self, call, fields_of).open_fields)
        stores = call.model in FILE_MODELS and not (call.step or call.internal)
        return with_types(call) if stores and self.guards else call

    def method_listed(self, method: str) -> bool:
        """Whether the administrator's list closes a method, in whatever case it is written."""
        return method.lower() in self._folded_methods

    # Models ----------------------------------------------------------------------------------

    def model_blocked(self, model: str) -> bool:
        """Whether the model is on a blocklist, the administrator's or the fixed one."""
        listed = not self.model_blocklist.isdisjoint((model, VIEWS.get(model, model)))
        return listed or (self.protect and _always_blocked(model))

    def model_allowed(self, model: str) -> bool:
        """Whether the model may be read."""
        return not self.model_blocked(model) and (
            not self.model_allowlist or model in self.model_allowlist
        )

    def about(self, acts_on: str | None) -> Policy:
        """Return the rules of where fields lead to, for an operation that acts on a model.

        The allowlist judges that model in place of those that the operation reads with it, and so
        of those that their fields lead to. A blocklist is followed by every step.
        """
        if acts_on is None or not self.model_allowlist:
            return self
        return self._evolved("about", model_allowlist=())

    def planning(self) -> Policy:
        """Return the same rules in full mode: every mode may see a plan."""
        return self if self.mode == "full" else self._evolved("planning", mode="full")

    def protecting(self) -> Policy:
        """Return the same rules with what is closed in every mode."""
        return self if self.protect else self._evolved("protecting", protect=True)

    def _evolved(self, name: str, **changes: Any) -> Policy:
        """Return other rules, made once: they remember what they have judged."""
        if name not in self._others:
            self._others[name] = attrs.evolve(self, **changes)
        return self._others[name]

    @cached_property
    def closes_models(self) -> bool:
        """Whether a list closes models besides those that always are."""
        return bool(self.model_allowlist or self.model_blocklist)

    @cached_property
    def closes(self) -> bool:
        """Whether a list closes models or fields besides those that always are."""
        return self.closes_models or bool(self.field_blocklist)

    @cached_property
    def guards(self) -> bool:
        """Whether ways around what is closed are closed, too."""
        return self.protect or self.closes

    @property
    def binds_commands(self) -> bool:
        """Whether it depends on a list what may be done to the lines of a record."""
        listed = map(self.method_listed, ("create", "write", "unlink"))
        return self.mode == "restricted" or self.closes_models or any(listed)

    def model_problem(
        self,
        model: str,
        access: Access,
        *,
        named_in: str = "model",
        method: str | None = None,
        acts_on: str | None = None,
        step: bool = False,
    ) -> AccessError | None:
        """Return why the model may not be accessed so; None where it may.

        Args:
            model: technical name.
            access: what is to be done with it.
            named_in: where in a call the model is named, for the error.
            method: the method, for the error.
            acts_on: the model that must be on the allowlists instead, see
                :class:`~odoo_toolkit.call.Call`. What is closed stays so.
            step: whether one of the toolkit's operations accesses it so.
        """
        if self.model_blocked(model):
            return model_refusal(self, model, named_in)
        listed = acts_on or model
        closed = listed != model and self.model_blocked(listed)
        if closed or (self.model_allowlist and listed not in self.model_allowlist):
            return model_refusal(self, listed, named_in)
        if access == "read":
            return None
        refusal = self.never_written_refusal(model, named_in, step)
        if refusal is None and listed != model:
            refusal = self.never_written_refusal(listed, named_in, step)
        if refusal is not None:
            return refusal
        if self.mode == "full":
            return None
        details = {"model": model, "access": access, "mode": self.mode, "named_in": named_in}
        if method is not None:
            details["method"] = method
        operations = f"{access.capitalize()} operations"
        if self.mode == "readonly" or access in ("delete", "execute"):
            wider, takes = "full", 'Policy(mode="full")'
            if access in ("create", "write"):
                wider, takes = "restricted or full", 'Policy(mode="restricted")'
            return AccessError(
                f"{operations} are not allowed in {self.mode} mode",
                code="MODE_VIOLATION",
                suggestion=f"It needs {wider} mode: {takes}.",
                details=details,
            )
        if listed in self.write_allowlist:
            return None
        return AccessError(
            f"{operations} on {listed} are not allowed in restricted mode",
            code="MODE_VIOLATION",
            suggestion=f"Add {listed} to the write allowlist: Policy(write_allowlist=...).",
            details=details,
        )

    def never_written_refusal(
        self, model: str, named_in: str, step: bool = False
    ) -> AccessError | None:
        """Return the error for changing a model that is only read; None for others."""
        if not self.protect or (not _never_written(model) and (step or not _rendered(model))):
            return None
        if step and self.mode == "full" and model in OPERATED:
            return None
        return model_refusal(
            self,
            model,
            named_in,
            message=f"The toolkit can read {model}, but never changes it.",
            suggestion=f"Make this change in Odoo itself{IN_A_SCRIPT}.",
        )

    def renders(self, model: str | None) -> bool:
        """Whether Odoo renders this model's texts as templates."""
        return self.guards and model is not None and (_rendered(model) or model in COMPOSERS)

    @staticmethod
    def defaults_write(model: str) -> bool:
        """Whether asking Odoo for the model's default values changes something there."""
        return _defaults_write(model)

    # Fields ----------------------------------------------------------------------------------

    def field_blocked(self, name: str) -> bool:
        """Whether no field of this name may be named, on any model."""
        return self._field_rule(name)

    def field_closed(self, field: Field) -> bool:
        """Whether a field is closed: by its name, or because it shows another one that is.

        A text that Odoo makes of a closed field shows it (``email_formatted``), but for names.
        """
        if self._field_rule(field.name) or any(map(self._field_rule, field.related)):
            return True
        shows = field.type in _TEXTS and field.name not in _SHOWN_NAMES
        return shows and any(self._field_rule(path.rpartition(".")[2]) for path in field.depends)

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

    def plain_fields(self, model: str, fields_of: FieldsOf) -> Mapping[str, Field]:
        """Return the fields whose names may stand in values: those that may be read and written.

        There are none while a list or the mode decides about the records that a field leads to.
        """
        if self.closes or self.mode == "restricted":
            return _NO_FIELDS
        readable = self.readable_fields(model, fields_of)
        before, plain = self._plain.get(model, (None, readable))
        if before is not readable:
            plain = {
                name: field
                for name, field in readable.items()
                if not (self.protect and is_unwritable(model, name))
            }
            self._plain[model] = (readable, plain)
        return plain

    def redact(self, result: Any) -> Any:
        """Return what the server answered without the keys that name blocked fields.

        Nothing is copied where nothing is blocked.
        """
        return without_keys(result, self._key_rule)

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


_NO_FIELDS: Mapping[str, Field] = {}
_TEXTS = frozenset({"char", "text", "html"})
_SHOWN_NAMES = frozenset({"display_name", "name", "complete_name"})


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
            "The write allowlist contains models that are missing in the model allowlist: "
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
            if not MODEL.fullmatch(name)
        ]
    for title, values in (("field", field_blocklist), ("method", method_blocklist)):
        problems += [
            f"{name!r} in the {title} blocklist is not the name of a {title}."
            for name in sorted(names_of(values))
            if not IDENTIFIER.fullmatch(name)
        ]
    return problems
