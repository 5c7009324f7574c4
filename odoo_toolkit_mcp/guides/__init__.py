"""Texts for models, made from the connected Odoo: prompts and tools give them out."""
