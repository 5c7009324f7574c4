"""Leads and opportunities: create, change, move through the stages, convert, win and lose."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.crm.leads import (
    LeadResult,
    convert_to_opportunity,
    create_lead,
    mark_lost,
    mark_won,
    move_stage,
    update_lead,
)

__all__ = [
    "LeadResult",
    "convert_to_opportunity",
    "create_lead",
    "mark_lost",
    "mark_won",
    "move_stage",
    "update_lead",
]

readable_signatures(globals())
