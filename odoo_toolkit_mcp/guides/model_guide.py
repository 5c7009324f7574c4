"""The prompt ``odoo_model_guide``: how to work with one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import Field
from odoo_toolkit.model_guide import (
    ModelMethods,
    ModelStates,
    has_chatter,
    key_fields,
    listed_fields,
    model_label,
    model_methods,
    model_states,
    related_models,
    usual_filters,
)
from odoo_toolkit.model_guide.usage import tips
from odoo_toolkit.records.arguments import describe
from odoo_toolkit_mcp.guides.quoting import as_json, one_line, tool_call
from odoo_toolkit_mcp.server_facts import Served

#: Fields that nearly every model has, and that say nothing of it.
_EVERYWHERE = ("activity_", "my_activity_", "message_", "website_message_", "has_message")

_MOST_METHODS, _MOST_RELATED, _MOST_OTHERS = 25, 20, 120


def text(odoo: Odoo, served: Served, model_name: str) -> str:
    """Return the guide to a model, made of what the server says of it."""
    model = model_name
    fields = describe(odoo, model, "fields_get", {}, None)
    states = model_states(odoo, model)
    methods = model_methods(odoo, model)
    parts = [
        f"# Guide: {model} ({one_line(model_label(odoo, model))})",
        "## Fields\n" + _fields(model, fields),
        "## States\n" + _states(states),
        "## Actions\n" + _actions(methods, served),
        "## Common operations\n" + _operations(odoo, model, fields, states, served),
        "## Related models\n" + _related(odoo, model),
        "## Tips\n" + _tips(model, fields, served),
    ]
    return "\n\n".join(parts)


def described(field: Field) -> str:
    """Return a field on one line: type, label, values, help."""
    kind = f"{field.type} of {field.relation}" if field.relation else field.type
    values = ""
    if 0 < len(field.selection) <= 12:
        shown = ", ".join(f"{value!r} ({one_line(label)})" for value, label in field.selection)
        values = f" Values: {shown}."
    elif field.selection:
        values = f" {len(field.selection)} values, see odoo_core_fields_get."
    explained = one_line(field.help)
    if len(explained) > 160:
        explained = explained[:157] + "..."
    label = one_line(field.string)
    return f"- `{field.name}` ({kind}): {label}.{values}{f' {explained}' if explained else ''}"


def _fields(model: str, fields: Mapping[str, Field]) -> str:
    required = [field for field in fields.values() if field.required and field.name != "id"]
    key = [fields[n] for n in key_fields(model, fields) if fields[n] not in required]
    others = [
        field
        for field in fields.values()
        if field not in required and field not in key and not field.name.startswith(_EVERYWHERE)
    ]
    listed = ", ".join(f"{field.name} ({field.type})" for field in others[:_MOST_OTHERS])
    more = len(others) - _MOST_OTHERS
    return "\n".join(
        [
            "Required:",
            *(map(described, required) if required else ["- none"]),
            "",
            "Key fields:",
            *map(described, key),
            "",
            f"Other fields: {listed}{f' and {more} more' if more > 0 else ''}.",
        ]
    )


def _states(states: ModelStates) -> str:
    if not states.states:
        return states.note
    lines = [f"`{states.state_field}`:"]
    for state in states.states:
        methods = f"; buttons: {', '.join(state.methods)}" if state.methods else ""
        lines.append(f"- `{state.value}`: {one_line(state.label)}{methods}")
    lines += [
        f"- {step['from']} -> [{step['method']}] {step['to']}: {one_line(step['label'])}"
        for step in states.transitions
    ]
    return "\n".join([*lines, "", states.note])


def _actions(methods: ModelMethods, served: Served) -> str:
    ordered = sorted(methods.methods, key=lambda method: not method.states)
    lines = []
    for method in ordered[:_MOST_METHODS]:
        when = f" In state {', '.join(method.states)}." if method.states else ""
        lines.append(f"- `{method.name}`: {one_line(method.description).rstrip('.')}.{when}")
    if len(ordered) > _MOST_METHODS:
        lines.append(f"- and {len(ordered) - _MOST_METHODS} more.")
    if not lines:
        return "The form has no buttons."
    if "odoo_core_execute" in served.tools and served.mode == "full":
        lines.append("Call them with odoo_core_execute, args [[ids]].")
    elif served.mode != "full":
        lines.append(f"In {served.mode} mode, odoo_core_execute cannot call them.")
    return "\n".join([f"From the {methods.source}:", *lines])


def _operations(
    odoo: Odoo, model: str, fields: Mapping[str, Field], states: ModelStates, served: Served
) -> str:
    read = listed_fields(model, fields)
    arguments: dict[str, Any] = {"model": model, "domain": [], "fields": read, "limit": 20}
    lines = ["Search:", tool_call("odoo_core_search_read", arguments)]
    lines.append(
        f"Create: {creating(odoo, model, served)} The prompt odoo_create_record lists what a new"
        " record needs."
    )
    lines.append("Key filters:")
    filters = [
        f"- {one_line(found)}: `{as_json(domain)}`".replace('"<id>"', "<id>")
        for found, domain in usual_filters(odoo, model, fields, states)
    ]
    return "\n".join([*lines, *(filters or ["- none besides the fields above"])])


def creating(odoo: Odoo, model: str, served: Served) -> str:
    """Return how a record of a model is created here, or why it cannot be."""
    if not odoo.schema.may(model, "create"):
        return "this user cannot create records of this model."
    if model in served.creating:
        return f"{served.creating[model]} (or odoo_core_create for fields that it does not cover)."
    if "odoo_core_create" in served.tools:
        return "odoo_core_create."
    return f"not in {served.mode} mode."


def _related(odoo: Odoo, model: str) -> str:
    related = related_models(odoo, model)
    shown = list(related.items())[:_MOST_RELATED]
    lines = [f"- {name}: {', '.join(fields[:6])}" for name, fields in shown]
    if len(related) > _MOST_RELATED:
        lines.append(f"- and {len(related) - _MOST_RELATED} more")
    return "\n".join(lines) or "None."


def _tips(model: str, fields: Mapping[str, Field], served: Served) -> str:
    known = tips(model, fields)
    if has_chatter(fields) and "odoo_chatter_get_messages" in served.tools:
        known.append("Records have messages: read them with odoo_chatter_get_messages.")
    known.append(f"odoo://model/{model}/fields, /methods and /states contain the full lists.")
    return "\n".join(f"- {tip}" for tip in known)
