"""The prompt ``odoo_overview``: which Odoo this is, and what there is to work with."""

from __future__ import annotations

from odoo_toolkit.client import Odoo
from odoo_toolkit.model_guide import known_models
from odoo_toolkit.records.system_info import current_user
from odoo_toolkit_mcp.guides.quoting import one_line
from odoo_toolkit_mcp.server_facts import Served

_MODES = {
    "readonly": "You can only read records.",
    "restricted": "You can create and change records of some models, but not delete any.",
    "full": "You can create, change and delete records. Ask the user first.",
}

#: A tool -> the line that it makes worth saying.
_STARTS = {
    "odoo_core_search_read": "Use odoo_core_search_read to find records.",
    "odoo_core_deep_search": (
        "Use odoo_core_deep_search if you do not know the model of a record."
    ),
    "odoo_core_fields_get": "Use odoo_core_fields_get to see the fields of a model.",
    "odoo_core_list_models": "Use odoo_core_list_models to find other models.",
    "odoo_sales_create_order": "For business operations, use tools such as"
    " odoo_sales_create_order, which accept names, check states and fill in wizards.",
    "odoo_core_execute": "To change a state, call Odoo's own actions with odoo_core_execute. The"
    " prompt odoo_model_guide lists the actions of a model.",
}


def text(odoo: Odoo, served: Served) -> str:
    """Return the overview of an Odoo; the models are those that the user may read."""
    known = known_models(odoo)
    edition = odoo.version.edition
    user = current_user(odoo).name or odoo.settings.username or "unknown"
    lines = [
        f"You are connected to Odoo {odoo.version.full}{f' ({edition})' if edition else ''}"
        f" at {odoo.settings.url}.",
        f"Database: {odoo.database or 'chosen by the server'}",
        f"User: {one_line(user)} (uid: {odoo.uid})",
        f"Mode: {served.mode}. {_MODES[served.mode]}",
        "",
        f"Available toolsets: {', '.join(served.toolsets) or 'none'}",
        f"Number of tools: {len(served.tools)}",
        "",
        "Key models available:",
        *(f"- {model}: {one_line(label)}" for model, label in known.items()),
        "",
        "To get started:",
        *(f"- {line}" for tool, line in _STARTS.items() if tool in served.tools),
        "- The prompt odoo_search_help turns words into a domain, and odoo_create_record lists"
        " what a new record needs.",
    ]
    return "\n".join(lines)
