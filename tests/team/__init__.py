"""A team's server: people sign in with real Odoo users, in a browser, and clients act for them."""
