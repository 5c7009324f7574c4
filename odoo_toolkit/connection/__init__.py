"""How one call reaches Odoo and comes back."""
