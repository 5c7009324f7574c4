"""What only the server knows of an error: the settings and prompts that the library cannot name."""

from __future__ import annotations

from typing import Any

from odoo_toolkit.errors import OdooError

#: code, words of the library's suggestion, and what is added where both fit.
_HINTS = (
    ("MODE_VIOLATION", "It takes the mode", "It is the setting ODOO_MCP_MODE."),
    ("MODE_VIOLATION", "write allowlist", "It is the setting ODOO_MCP_WRITE_ALLOWLIST."),
    ("MODEL_BLOCKED", "model allowlist", "It is the setting ODOO_MCP_MODEL_ALLOWLIST."),
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
    return {**told, "suggestion": " ".join([error.suggestion, *added]).strip()}
