"""The context of a call, as a caller gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.errors import invalid
from odoo_toolkit.values.scalars import short_repr


def checked_context(context: Any) -> dict[str, Any]:
    """Return a context copied into a dict, which is empty for None.

    Raises:
        ValidationError: it is not a mapping.
    """
    if isinstance(context or {}, Mapping):
        return dict(context or {})
    raise invalid(
        "context",
        f"context must be an object, got {short_repr(context)}.",
        'Pass an object such as {"lang": "fr_FR"}.',
    )
