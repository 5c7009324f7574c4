"""Completions: what an argument of a prompt or a resource template may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp.types import Completion

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

#: MCP allows no more values.
_MOST = 100


def complete(odoo: Odoo, name: str, value: str, given: Mapping[str, str] | None) -> Completion:
    """Return what an argument may be, the likeliest first; to be run in a worker thread.

    Args:
        odoo: the connection of the user who asks.
        name: of the argument: ``model``, ``model_name``, ``id``, ``record_id``, ``report_name``.
            Others have no completion.
        value: what has been typed. Models are found by name and label, records by what they are
            called, reports by name and title.
        given: the arguments that have been filled in: records need the model.

    Raises:
        OdooError: Odoo cannot be reached, or does not allow it.
    """
    from odoo_toolkit import completion

    typed, values = value.strip()[:200], list[str]()
    model = (given or {}).get("model") or (given or {}).get("model_name")
    if name in ("model", "model_name"):
        values = completion.models_like(odoo, typed)
    elif name in ("id", "record_id") and model:
        values = list(map(str, completion.ids_like(odoo, model, typed)))
    elif name == "report_name":
        values = completion.reports_like(odoo, typed, model)
    return Completion(values=values[:_MOST], total=len(values), has_more=len(values) > _MOST)
