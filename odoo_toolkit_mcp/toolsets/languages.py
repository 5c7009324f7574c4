"""Languages and translations: tools of the core toolset, for every Odoo has them."""

from __future__ import annotations

from odoo_toolkit import languages, translations
from odoo_toolkit_mcp.toolsets.base import Tool

TOOLS = (
    Tool(
        name="odoo_core_languages",
        title="List languages",
        description="List the languages that are switched on, find others, or switch one on.",
        function=languages.languages,
        access="execute",
        asks="never",
    ),
    Tool(
        name="odoo_core_translate",
        title="Translate a record",
        description="Get a record's texts in each language, or write some of them.",
        function=translations.translate,
        access="execute",
        asks="never",
    ),
)
