"""What the files of this package take of a policy, and the errors for what it closes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from odoo_toolkit.call import Access
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import Field, FieldsOf


class Rules(Protocol):
    """What the files of this package take of :class:`~odoo_toolkit.Policy`, which has the rest."""

    @property
    def mode(self) -> str:
        """``readonly``, ``restricted`` or ``full``."""

    @property
    def protect(self) -> bool:
        """Whether what is closed in every mode is closed here."""

    @property
    def model_allowlist(self) -> frozenset[str]:
        """The only models, where it is not empty."""

    @property
    def model_blocklist(self) -> frozenset[str]:
        """The models that the administrator closed."""

    @property
    def field_blocklist(self) -> frozenset[str]:
        """The fields that the administrator closed, on any model."""

    @property
    def method_blocklist(self) -> frozenset[str]:
        """The methods that the administrator closed."""

    @property
    def closes_models(self) -> bool:
        """Whether a list closes models besides those that always are."""

    @property
    def closes(self) -> bool:
        """Whether a list closes models or fields besides those that always are."""

    @property
    def guards(self) -> bool:
        """Whether ways around what is closed are closed, too."""

    @property
    def binds_commands(self) -> bool:
        """Whether it depends on a list what may be done to the lines of a record."""

    def may(self, model: str, access: Access, acts_on: str | None, step: bool, /) -> bool:
        """Whether the model may be accessed so."""

    def method_listed(self, method: str) -> bool:
        """Whether the administrator's list closes a method."""

    def model_blocked(self, model: str) -> bool:
        """Whether the model is on a blocklist."""

    def model_allowed(self, model: str) -> bool:
        """Whether the model may be read."""

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
        """Return why the model may not be accessed so; None where it may."""

    def never_written_refusal(
        self, model: str, named_in: str, step: bool = False
    ) -> AccessError | None:
        """Return the error for changing a model that is only read; None for others."""

    def renders(self, model: str | None) -> bool:
        """Whether Odoo renders this model's texts as templates."""

    def defaults_write(self, model: str) -> bool:
        """Whether asking Odoo for the model's default values changes something there."""

    def field_blocked(self, name: str) -> bool:
        """Whether no field of this name may be named, on any model."""

    def field_closed(self, field: Field) -> bool:
        """Whether a field may not be named, by its name or by what it shows."""

    def about(self, acts_on: str | None) -> Rules:
        """Return the rules of where fields lead to, for an operation that acts on a model."""

    def readable_fields(self, model: str, fields_of: FieldsOf) -> Mapping[str, Field]:
        """Return the fields of a model that may be read."""

    def plain_fields(self, model: str, fields_of: FieldsOf) -> Mapping[str, Field]:
        """Return the fields whose names may stand in values; none while that depends on more."""


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
