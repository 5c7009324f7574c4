"""Rental of equipment: a custom module, and its plugin in Python and as a TOML file."""
