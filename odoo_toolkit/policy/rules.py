"""The rules of a policy: what it says of models, methods and fields by name, and its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import translate
from functools import cached_property, lru_cache, partial
from typing import Any, Literal, Self, get_args

import attrs

from odoo_toolkit.call import Access
from odoo_toolkit.errors import AccessError, ConfigurationError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.tables import (
    BLOCKED_FIELD_SUFFIXES,
    BLOCKED_FIELDS,
    BLOCKED_MODELS,
    COMPOSERS,
    LONGEST_NAME,
    NEVER_WRITTEN,
    OPERATED,
    REFERENCE,
    RENDERED_MODELS,
    VIEWS,
    WRITING_DEFAULTS,
    is_unwritable,
)

Mode = Literal["readonly", "restricted", "full"]


@lru_cache
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    compiled = re.compile("|".join(translate(pattern) for pattern in patterns))
    return lru_cache(maxsize=4096)(lambda name: compiled.match(name) is not None)


class _Remembered(dict[str, bool]):
    """What is found out about names; what is too long for a name is not worth remembering."""

    def __init__(self, ask: Callable[[str], bool]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, name: str) -> bool:
        answer = self._ask(name)
        if len(name) <= LONGEST_NAME and len(self) < _MOST_REMEMBERED:
            self[name] = answer
        return answer


_MOST_REMEMBERED = 8192

_never_written = _matcher(NEVER_WRITTEN)
_rendered = _matcher(RENDERED_MODELS)
_defaults_write = _matcher(WRITING_DEFAULTS)


_NO_FIELDS: Mapping[str, Field] = {}
TEXTS = frozenset({"char", "text", "html"})
SHOWN_NAMES = frozenset({"display_name", "name", "complete_name"})


def names_of(value: str | Iterable[str] | None) -> frozenset[str]:
    """Return the names in a list, or in one text with commas."""
    items = value.split(",") if isinstance(value, str) else value or ()
    return frozenset(name for name in (str(item).strip() for item in items) if name)


#: What opens to a script what is closed in every mode. No setting of the server does.
IN_A_SCRIPT = ", or connect your script with Policy(protect=False)"


def model_refusal(
    policy: Rules, model: str, named_in: str, *, message: str = "", suggestion: str = ""
) -> AccessError:
    """Return the error for a model that is closed."""
    return AccessError(
        message or f"{model} cannot be accessed.",
        code="MODEL_BLOCKED",
        suggestion=suggestion or _unlisted(policy, model),
        details={"model": model, "named_in": named_in},
    )


def field_refusal(name: str, model: str | None, named_in: str) -> AccessError:
    """Return the error for a field that is closed."""
    details = {"field": name, "named_in": named_in}
    if model is not None:
        details["model"] = model
    return AccessError(
        f"The field {name} cannot be used.",
        code="FIELD_BLOCKED",
        suggestion="Omit it from fields, filters, sorting and values.",
        details=details,
    )


def _unlisted(policy: Rules, model: str) -> str:
    if model in policy.model_blocklist:
        return f"Omit it, or remove {model} from Policy(model_blocklist=...)."
    if policy.model_blocked(model):
        return f"Omit it. For its records, use Odoo itself{IN_A_SCRIPT}."
    return f"Add {model} to the model allowlist: Policy(model_allowlist=...)."


def file_refusal(field: str, model: str | None, named_in: str) -> AccessError:
    """Return the error for what Odoo might serve as a page, a script or the like."""
    details = {"field": field, "named_in": named_in}
    if model is not None:
        details["model"] = model
    return AccessError(
        f"With this {field}, Odoo might serve the file as a web page or script.",
        code="FIELD_BLOCKED",
        suggestion="Attach it as a file with a mimetype that browsers do not run, such as "
        "application/pdf or text/plain, and a matching file name.",
        details=details,
    )


def template_refusal(model: str, named_in: str) -> AccessError:
    """Return the error for a text that Odoo would evaluate."""
    return AccessError(
        f"The text for {model} contains template code, which Odoo would run.",
        code="FIELD_BLOCKED",
        suggestion="Write the text itself, without placeholders.",
        details={"model": model, "named_in": named_in},
    )


@attrs.frozen(kw_only=True)
class Rules:
    """What a :class:`~odoo_toolkit.Policy` says of models, methods and fields by their names."""

    mode: Mode = "full"
    model_allowlist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    model_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    write_allowlist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    field_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    method_blocklist: frozenset[str] = attrs.field(default=frozenset(), converter=names_of)
    protect: bool = True
    _others: dict[str, Self] = attrs.field(init=False, eq=False, repr=False, factory=dict)
    _plain: dict[str, tuple[Mapping[str, Field], Mapping[str, Field]]] = attrs.field(
        init=False, eq=False, repr=False, factory=dict
    )

    def __attrs_post_init__(self) -> None:
        if self.mode not in get_args(Mode):  # an unknown mode must not pass for a permissive one
            raise ConfigurationError(
                f"Unknown mode {self.mode!r}.", suggestion="Use readonly, restricted or full."
            )

    def __reduce__(self) -> tuple[Callable[[], Self], tuple[()]]:
        # The rules made of the lists are functions, which cannot be pickled: they are made anew.
        given = {
            field.name: getattr(self, field.name) for field in attrs.fields(Rules) if field.init
        }
        return partial(type(self), **given), ()

    @cached_property
    def _folded_methods(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.method_blocklist)

    def method_listed(self, method: str) -> bool:
        """Whether the administrator's list closes a method, in whatever case it is written."""
        return method.lower() in self._folded_methods

    # Models ----------------------------------------------------------------------------------

    @cached_property
    def _blocked_models(self) -> frozenset[str]:
        views = {view for view, model in VIEWS.items() if model in self.model_blocklist}
        return self.model_blocklist.union(views, BLOCKED_MODELS if self.protect else ())

    @cached_property
    def model_blocked(self) -> Callable[[str], bool]:
        """Whether the model is on a blocklist, the administrator's or the fixed one."""
        return self._blocked_models.__contains__

    @cached_property
    def naming(self) -> Callable[[str], object]:
        """Whether a text may be the name of a blocked model, or a reference to a record."""
        names = "|".join(map(re.escape, sorted(self._blocked_models))) or "(?!)"
        short = rf"(?=[\s\S]{{0,{LONGEST_NAME}}}\Z)"
        return re.compile(rf"(?i){short}(?:\s*(?:{names})\s*|{REFERENCE.pattern})").fullmatch

    def model_allowed(self, model: str) -> bool:
        """Whether the model may be read."""
        return not self.model_blocked(model) and (
            not self.model_allowlist or model in self.model_allowlist
        )

    def about(self, acts_on: str | None) -> Self:
        """Return the rules of where fields lead to, for an operation that acts on a model.

        The allowlist judges that model in place of those that the operation reads with it, and so
        of those that their fields lead to. A blocklist is followed by every step.
        """
        if acts_on is None or not self.model_allowlist:
            return self
        return self._evolved("about", model_allowlist=())

    def planning(self) -> Self:
        """Return the same rules in full mode: every mode may see a plan."""
        return self if self.mode == "full" else self._evolved("planning", mode="full")

    def protecting(self) -> Self:
        """Return the same rules with what is closed in every mode."""
        return self if self.protect else self._evolved("protecting", protect=True)

    def _evolved(self, name: str, **changes: Any) -> Self:
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

    @cached_property
    def may(self) -> Callable[[str, Access, str | None, bool], bool]:
        """Whether a model may be accessed so: its name, access, what it acts on, whether a step."""

        @lru_cache(maxsize=4096)
        def may(model: str, access: Access, acts_on: str | None, step: bool) -> bool:
            return self.model_problem(model, access, acts_on=acts_on, step=step) is None

        return may

    # Fields ----------------------------------------------------------------------------------

    def field_closed(self, field: Field) -> bool:
        """Whether a field is closed: by its name, or because it shows another one that is.

        A text that Odoo makes of a closed field shows it (``email_formatted``), but for names.
        """
        if self.field_blocked(field.name) or any(map(self.field_blocked, field.related)):
            return True
        shows = field.type in TEXTS and field.name not in SHOWN_NAMES
        return shows and any(self.field_blocked(path.rpartition(".")[2]) for path in field.depends)

    @cached_property
    def field_blocked(self) -> Callable[[str], bool]:
        """Whether no field of this name may be named, on any model."""
        exact = {name.lower() for name in self.field_blocklist}
        endings: tuple[str, ...] = ()
        if self.protect:
            exact, endings = exact | BLOCKED_FIELDS, BLOCKED_FIELD_SUFFIXES

        def blocked(name: str) -> bool:
            folded = name.strip().lower()
            return folded in exact or folded.endswith(endings)

        return _Remembered(blocked).__getitem__

    def readable_fields(self, model: str, fields_of: FieldsOf) -> Mapping[str, Field]:
        """Return the fields of a model that may be read."""
        raise NotImplementedError

    def plain_fields(self, model: str, fields_of: FieldsOf) -> Mapping[str, Field]:
        """Return the fields whose names may stand in values: those that may be read and written.

        There are none while a list or the mode decides about the records that a field leads to.
        """
        if self.closes or self.mode == "restricted":
            return _NO_FIELDS
        fields = fields_of(model)
        before, plain = self._plain.get(model, (None, _NO_FIELDS))
        if before is not fields:
            plain = {
                name: field
                for name, field in self.readable_fields(model, fields_of).items()
                if not (self.protect and is_unwritable(model, name))
            }
            self._plain[model] = (fields, plain)
        return plain
