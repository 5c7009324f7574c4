"""The prompt ``odoo_model_guide``: how to work with one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search.configurations import configuration_of
from odoo_toolkit.fields import Field
from odoo_toolkit.model_guide import (
    ModelMethods,
    ModelStates,
    has_chatter,
    model_label,
    model_methods,
    model_states,
    related_models,
)
from odoo_toolkit.model_guide.methods import state_field
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.search_help.reading import main_amount, main_date
from odoo_toolkit_mcp.prompts.served import Served, as_json, one_line, tool_call

#: Tools that create a record better than odoo_core_create does: they resolve names and check.
CREATING_TOOLS = {
    "account.move": "odoo_accounting_create_invoice",
    "crm.lead": "odoo_crm_create_lead",
    "helpdesk.ticket": "odoo_helpdesk_create_ticket",
    "project.task": "odoo_project_create_task",
    "sale.order": "odoo_sales_create_order",
    "stock.picking": "odoo_inventory_create_transfer",
}

#: What experience adds to what the server says.
_TIPS: Mapping[str, Sequence[str]] = {
    "account.move": (
        "Invoices, bills, credit notes and journal entries are all here: filter by move_type.",
        "Posted documents cannot be changed; a credit note (action_reverse) corrects them.",
        "amount_residual is what is left to pay.",
    ),
    "sale.order": (
        "Prices follow from the pricelist when a line is made without price_unit.",
        "A confirmed order is invoiced by its own action, which opens a wizard.",
    ),
    "stock.picking": (
        "Direction and locations follow from picking_type_id.",
        "Validating with less than was ordered asks about a backorder.",
    ),
    "crm.lead": ("Leads and opportunities are both here: filter by type.",),
    "res.partner": (
        "Companies (is_company) and their contacts (parent_id) are both here; child_of finds a"
        " company with its contacts.",
    ),
    "product.template": (
        "Documents point to product.product, the variants; product_variant_id is the first.",
    ),
}

#: Fields that nearly every model has, and that say nothing of it.
_EVERYWHERE = ("activity_", "my_activity_", "message_", "website_message_", "has_message")

_MOST_METHODS, _MOST_RELATED, _MOST_OTHERS = 25, 20, 120


def model_guide(odoo: Odoo, model: str, served: Served) -> str:
    """Return the guide to a model, made of what the server says of it."""
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
    usual = [
        *configuration_of(model, fields).default_fields,
        *("name", "state", "stage_id", "partner_id", "user_id", "company_id", "active"),
        main_date(model, fields) or "",
        main_amount(fields) or "",
        *(n for n, f in fields.items() if f.type == "one2many" and f.relation == f"{model}.line"),
    ]
    key = [fields[n] for n in dict.fromkeys(usual) if n in fields and fields[n] not in required]
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
    if states.mermaid:
        lines += ["", "```mermaid", states.mermaid, "```"]
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
        lines.append(f"In {served.mode} mode odoo_core_execute does not call them.")
    return "\n".join([f"From the {methods.source}:", *lines])


def _operations(
    odoo: Odoo, model: str, fields: Mapping[str, Field], states: ModelStates, served: Served
) -> str:
    read = [n for n in configuration_of(model, fields).default_fields if n in fields or n == "id"]
    arguments: dict[str, Any] = {"model": model, "domain": [], "fields": read, "limit": 20}
    lines = ["Search:", tool_call("odoo_core_search_read", arguments)]
    lines.append(
        f"Create: {creating(odoo, model, served)} The prompt odoo_create_record tells what a record"
        " needs."
    )
    lines.append("Key filters:")
    return "\n".join([*lines, *(f"- {text}" for text in _filters(odoo, model, fields, states))])


def creating(odoo: Odoo, model: str, served: Served) -> str:
    """Return how a record of a model is created here, or why it cannot be."""
    tool = CREATING_TOOLS.get(model)
    if not odoo.schema.may(model, "create"):
        return "this user may not create records of this model."
    if tool in served.tools:
        return f"{tool} (or odoo_core_create for what it does not cover)."
    if "odoo_core_create" in served.tools:
        return "odoo_core_create."
    return f"not in {served.mode} mode."


def _filters(odoo: Odoo, model: str, fields: Mapping[str, Field], states: ModelStates) -> list[str]:
    """Return filters for the model, each of which runs on this server."""
    filters = []
    state = state_field(fields)
    if state and (state.store or state.searchable):
        filters += [
            f"{one_line(item.label)}: `{as_json([[state.name, '=', item.value]])}`"
            for item in states.states[:8]
        ]
    elif states.states and states.state_field:
        first = states.states[0]
        domain = as_json([[states.state_field, "=", first.value]])
        filters.append(f"in stage {one_line(first.label)}: `{domain}`")
    for name, operator, value in (
        ("user_ids", "in", [odoo.uid]),
        ("user_id", "=", odoo.uid),
    ):
        if name in fields and (fields[name].store or fields[name].searchable):
            filters.append(f"mine: `{as_json([[name, operator, value]])}`")
            break
    if day := main_date(model, fields):
        first_day = date.today().replace(day=1).isoformat()  # noqa: DTZ011
        filters.append(f"since the first of this month: `{as_json([[day, '>=', first_day]])}`")
    partner = fields.get("partner_id")
    if partner and partner.relation == "res.partner":
        filters.append('of a company and its contacts: `[["partner_id", "child_of", <id>]]`')
    name_field = configuration_of(model, fields).name_field
    if name_field in fields and fields[name_field].searchable:
        filters.append(f"by name: `{as_json([[name_field, 'ilike', 'text']])}`")
    return filters or ["none besides the fields above"]


def _related(odoo: Odoo, model: str) -> str:
    related = related_models(odoo, model)
    lines = [f"- {item.model}: {', '.join(item.fields[:6])}" for item in related[:_MOST_RELATED]]
    if len(related) > _MOST_RELATED:
        lines.append(f"- and {len(related) - _MOST_RELATED} more")
    return "\n".join(lines) or "None."


def _tips(model: str, fields: Mapping[str, Field], served: Served) -> str:
    tips = list(_TIPS.get(model, ()))
    if state_field(fields):
        tips.append("Do not write the state: call the action that changes it, then read it again.")
    if "active" in fields:
        tips.append('Archived records are left out; `[["active", "=", false]]` finds them.')
    if has_chatter(fields) and "odoo_chatter_get_messages" in served.tools:
        tips.append("Records have a discussion: odoo_chatter_get_messages reads it.")
    if "company_id" in fields:
        tips.append("Records belong to companies; only those of the user's companies are seen.")
    tips.append(f"odoo://model/{model}/fields, /methods and /states are this guide's sources.")
    return "\n".join(f"- {tip}" for tip in tips)
