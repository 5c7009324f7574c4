"""The prompt ``odoo_create_record``: what a new record of a model needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.model_guide import model_label, new_record
from odoo_toolkit.model_guide.usage import example_value, usually_given
from odoo_toolkit.records.arguments import describe
from odoo_toolkit_mcp.guides.model_guide import creating, described
from odoo_toolkit_mcp.guides.quoting import as_json, one_line, tool_call
from odoo_toolkit_mcp.server_facts import Served


def text(odoo: Odoo, served: Served, model_name: str) -> str:
    """Return what one must know to create a record, with the defaults that it would get now."""
    model = model_name
    fields = describe(odoo, model, "fields_get", {}, None)
    new = new_record(odoo, model)
    missing = new.must_give
    optional = usually_given(model, fields)
    example = {f.name: example_value(f) for f in [*missing, *optional[:3]]}
    parts = [
        f"# Create a record: {model} ({one_line(model_label(odoo, model))})",
        f"How: {creating(odoo, model, served)}",
        "## You must give\n" + _lines(missing, "none: every required field has a default"),
        "## Required, filled in by Odoo\n" + _lines(new.settled, "none"),
        "## Often given\n" + _lines(optional, "none"),
        "## Defaults now\n" + _defaults(new.defaults, fields),
    ]
    if guidance := _relations([*missing, *optional]):
        parts.append("## Relations\n" + guidance)
    if "odoo_core_create" in served.tools:
        call = tool_call("odoo_core_create", {"model": model, "values": example})
        parts.append("## Example\n" + call + "\nReplace the example values.")
    if model in served.creating:
        parts.append(
            f"Better use {served.creating[model]}, which accepts names instead of ids, and checks"
            " the values before it writes."
        )
    return "\n\n".join(parts)


def _lines(fields: list[Field], otherwise: str) -> str:
    return "\n".join(map(described, fields)) or f"- {otherwise}"


def _defaults(defaults: Mapping[str, Any], fields: Mapping[str, Field]) -> str:
    shown = {
        name: value
        for name, value in defaults.items()
        if name in fields and value not in (None, "", []) and not isinstance(value, bytes)
    }
    lines = [f"- `{name}`: {as_json(value)[:200]}" for name, value in sorted(shown.items())]
    return "\n".join(lines) or "- none"


def _relations(fields: list[Field]) -> str:
    lines = []
    for field in fields:
        if field.type == "many2one" and field.relation:
            domain = as_json([["name", "ilike", "<name>"]])
            lines.append(
                f"- For `{field.name}`, first find the {field.relation} record:"
                f" odoo_core_search_read with model {field.relation} and domain {domain}. Its id"
                " is the value. If several match, ask the user."
            )
        elif field.type in TO_MANY:
            lines.append(
                f"- `{field.name}` accepts a list of commands: [0, 0, {{values}}] creates a record,"
                " [6, 0, [ids]] links existing ones."
            )
    return "\n".join(lines)
