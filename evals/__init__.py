"""Tasks with checks against the database, for any MCP server of Odoo and any model."""
