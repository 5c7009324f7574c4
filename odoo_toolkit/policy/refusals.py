"""The errors for what is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odoo_toolkit.errors import AccessError

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules

#: What opens to a script what is closed in every mode. No setting of the server does.
IN_A_SCRIPT = ", or connect your script with Policy(protect=False)"


def model_refusal(
    policy: Rules, model: str, named_in: str, *, message: str = "", suggestion: str = ""
) -> AccessError:
    """Return the error for a model that is closed."""
    return AccessError(
        message or f"{model} may not be accessed.",
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
        f"The field {name} may not be used.",
        code="FIELD_BLOCKED",
        suggestion="Leave it out of fields, filters, sorting and values.",
        details=details,
    )


def _unlisted(policy: Rules, model: str) -> str:
    if model in policy.model_blocklist:
        return f"Leave it out, or take {model} off the list: Policy(model_blocklist=...)."
    if policy.model_blocked(model):
        return f"Leave it out; use Odoo itself for what it holds{IN_A_SCRIPT}."
    return f"Add {model} to the model allowlist: Policy(model_allowlist=...)."


def file_refusal(field: str, model: str | None, named_in: str) -> AccessError:
    """Return the error for what Odoo might serve as a page, a script or the like."""
    details = {"field": field, "named_in": named_in}
    if model is not None:
        details["model"] = model
    return AccessError(
        f"With this {field}, Odoo might serve the file as a page or script of its own.",
        code="FIELD_BLOCKED",
        suggestion="Attach it as a file with a mimetype that no browser runs, such as"
        " application/pdf or text/plain, and a name with such an ending.",
        details=details,
    )


def template_refusal(model: str, named_in: str) -> AccessError:
    """Return the error for a text that Odoo would evaluate."""
    return AccessError(
        f"The text for {model} contains template code, which Odoo would evaluate.",
        code="FIELD_BLOCKED",
        suggestion="Write the text itself, without placeholders.",
        details={"model": model, "named_in": named_in},
    )
