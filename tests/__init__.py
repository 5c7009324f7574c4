"""Tests of the Odoo toolkit: unit, MCP, live, and what provisions their servers."""
