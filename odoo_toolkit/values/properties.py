"""Properties in the forms in which they come: as Odoo reads them, and as it takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def by_name(properties: Any) -> dict[Any, Any]:
    """Return properties as Odoo takes them: names and values.

    Args:
        properties: such a mapping; or a list as Odoo reads them, each with its definition.
    """
    if isinstance(properties, Mapping):
        return dict(properties)
    listed = properties if isinstance(properties, (list, tuple)) else ()
    return {
        one["name"]: bare(one["value"], one.get("type", ""))
        for one in listed
        # Odoo 19 leaves the value out where it was never set.
        if isinstance(one, Mapping)
        and "name" in one
        and "value" in one
        and not one.get("definition_deleted")
    }


def bare(value: Any, kind: str) -> Any:
    """Return the value of a property with ids where it names records, empty as False."""
    if kind == "many2one":
        if isinstance(value, Mapping):
            value = value.get("id")
        # With its name, or with none where the user may not see it; a command is no such pair.
        pair = isinstance(value, (list, tuple)) and len(value) == 2
        return (value[0] if pair and isinstance(value[1] or "", str) else value) or False
    if kind == "many2many" and isinstance(value, (list, tuple)):
        return [bare(item, "many2one") for item in value]
    return value
