"""Tests of the evals: of their checks on copies of Odoo, and of what runs them."""
