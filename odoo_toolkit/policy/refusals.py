"""The errors for what is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odoo_toolkit.errors import AccessError

if TYPE_CHECKING:
    from odoo_toolkit.policy import Policy


def model_refusal(
    policy: Policy, model: str, named_in: str, *, message: str = "", suggestion: str = ""
) -> AccessError:
    """Return the error for a model that is closed."""
    listed = not policy.model_blocked(model)
    return AccessError(
        message or f"{model} may not be accessed.",
        code="MODEL_BLOCKED",
        suggestion=suggestion
        or (
            f"It takes an administrator to add {model} to the model allowlist."
            if listed
            else "Leave it out; what it holds is managed by the administrator in Odoo."
        ),
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


def template_refusal(model: str, named_in: str) -> AccessError:
    """Return the error for a text that Odoo would evaluate."""
    return AccessError(
        f"The text for {model} contains template code, which Odoo would evaluate.",
        code="FIELD_BLOCKED",
        suggestion="Write the text itself, without placeholders.",
        details={"model": model, "named_in": named_in},
    )
