"""The prompts: texts for models, made from the connected Odoo."""
