"""MCP over streamable HTTP: the application, who may use it, and for which Odoo user."""
