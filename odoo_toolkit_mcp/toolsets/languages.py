"""Languages and translations: tools of the core toolset, for every Odoo has them."""

from __future__ import annotations

from odoo_toolkit import languages
from odoo_toolkit_mcp.toolsets.base import Tool

TOOLS = (
    Tool(
        name="odoo_core_get_languages",
        title="List languages",
        description="List the active languages, or find inactive ones.",
        function=languages.get_languages,
        access="read",
    ),
    Tool(
        name="odoo_core_activate_language",
        title="Activate a language",
        description="Activate a language in Odoo.",
        function=languages.activate_language,
        access="execute",
        hidden_in=frozenset({"readonly", "restricted"}),
        asks="never",
    ),
    Tool(
        name="odoo_core_get_translations",
        title="Read translations",
        description="Get a record's translations.",
        function=languages.get_translations,
        access="read",
    ),
    Tool(
        name="odoo_core_translate",
        title="Translate a record",
        description="Write a record's translations. Other languages stay unchanged.",
        function=languages.translate,
        access="write",
        asks="never",
    ),
)
