"""A short session with the MCP server on a provisioned Odoo, for a person to watch."""
