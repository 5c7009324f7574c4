"""The prompt ``odoo_search_help``: from what is looked for to a call that finds it."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.client import Odoo
from odoo_toolkit.model_guide import model_label
from odoo_toolkit.search_help import suggest_domain
from odoo_toolkit_mcp.guides.quoting import as_json, one_line, tool_call
from odoo_toolkit_mcp.server_facts import Served


def text(odoo: Odoo, served: Served, model_name: str, query: str) -> str:
    """Return a suggested domain for a query, tried out, and the call to make."""
    model = model_name
    suggestion = suggest_domain(odoo, model, query)
    arguments: dict[str, Any] = {
        "model": model,
        "domain": suggestion.domain,
        "fields": suggestion.fields,
        "limit": 20,
    }
    records = "record" if suggestion.count == 1 else "records"
    parts = [
        f"# Search {model} ({one_line(model_label(odoo, model))}): {one_line(suggestion.query)}",
        f"Suggested domain (finds {suggestion.count} {records} now):\n"
        f"`{as_json(suggestion.domain)}`",
    ]
    if suggestion.understood:
        parts.append("Understood:\n" + "\n".join(map(_item, suggestion.understood)))
    if suggestion.not_understood:
        ignored = one_line("; ".join(suggestion.not_understood))
        parts.append(
            f"Not understood, and not in the domain: {ignored}. Look it up first"
            + (" (odoo_core_deep_search)" if "odoo_core_deep_search" in served.tools else "")
            + ", or add a condition."
        )
    if suggestion.warnings:
        parts.append("\n".join(map(_item, suggestion.warnings)))
    parts.append(f"Recommended fields: {', '.join(suggestion.fields)}")
    parts.append("Call:\n" + tool_call("odoo_core_search_read", arguments))
    if not suggestion.count:
        parts.append(
            "This domain finds nothing now. Remove one condition at a time to see which one is too"
            " narrow."
        )
    return "\n\n".join(parts)


def _item(said: str) -> str:
    return f"- {one_line(said)}"
