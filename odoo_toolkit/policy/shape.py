"""The shape that a call must have to be judged at all, and what it does by its shape."""

from __future__ import annotations

import re

from odoo_toolkit.call import Access, Call, default_access
from odoo_toolkit.compat import MODEL_METHODS, RECORD_METHODS
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.policy.owners import is_owned

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
    suggestion = "Give the ids as a list of integers, before the other arguments."
    method = call.method
    if method in MODEL_METHODS:
        if call.ids is not None or "ids" in call.arguments:
            raise ValidationError(
                f"{method} is a method of the model: it takes no ids.",
                suggestion="Leave out the ids.",
            )
    elif "ids" in call.arguments:
        raise ValidationError("The ids are no named argument.", suggestion=suggestion)
    elif call.ids is None and (call.positional or call.arguments):
        first = call.positional[0] if call.positional else None
        hidden = is_owned(call.model) and (
            isinstance(first, (int, float)) or (isinstance(first, (list, tuple)) and bool(first))
        )
        if method in RECORD_METHODS or hidden:
            raise ValidationError(
                f"{method} is called on records: their ids come first, as a list of integers.",
                suggestion=suggestion,
            )
