"""Tests on real Odoo servers."""
