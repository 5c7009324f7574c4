"""What only the server knows of an error: the settings and prompts that the library cannot name."""

from __future__ import annotations

import re
from typing import Any

from odoo_toolkit.errors import OdooError
from odoo_toolkit.policy.rules import IN_A_SCRIPT

#: How the library names a rule, which here is a setting of whoever runs the server.
_RULE = re.compile(r'Policy\((\w+)=(?:"\w+"|\.\.\.)\)')

#: code, words of the library's suggestion, and what is added where both fit.
_HINTS = (
    ("VALIDATION_ERROR", "max_bytes", "It is the setting ODOO_MCP_ATTACHMENT_MAX_MB."),
    ("UNKNOWN_ERROR", "set the folder", "It is the setting ODOO_MCP_DOWNLOAD_DIR."),
    ("INVALID_DOMAIN", "", "The prompt odoo_domain_help shows all operators."),
)


def error_object(error: OdooError) -> dict[str, Any]:
    """Return the error object of the library, with what this server knows in the suggestion."""
    told = error.to_dict()
    added = [
        more for code, words, more in _HINTS if code == error.code and words in error.suggestion
    ]
    return {**told, "suggestion": for_server(" ".join([error.suggestion, *added]).strip())}


def for_server(text: str) -> str:
    """Return a text of the library with the settings of the server in place of its rules."""
    text = text.replace(IN_A_SCRIPT, "")
    return _RULE.sub(
        lambda rule: f"the setting ODOO_MCP_{rule[1].upper()}, which whoever runs this server sets",
        text,
    )
