"""Which fields tests write."""

from __future__ import annotations

from odoo_toolkit import Odoo


def writable(odoo: Odoo, model: str) -> list[str]:
    """Return the fields of a model that an import may write."""
    fields = odoo.policy.readable_fields(model, odoo.schema.fields)
    return [
        name
        for name, field in fields.items()
        if field.store
        and not field.readonly
        and name not in ("id", "display_name")
        and field.type not in ("one2many", "binary", "json", "properties", "reference")
    ]
