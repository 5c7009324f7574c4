"""Leads that tests make."""

from __future__ import annotations

from odoo_toolkit import Odoo
from odoo_toolkit.apps import crm
from odoo_toolkit.apps.crm import LeadResult
from odoo_toolkit.plans import Plan


def lead(odoo: Odoo, suffix: str, **values: object) -> LeadResult:
    made = crm.create_lead(odoo, name=f"Lead {suffix}", **values)  # type: ignore[arg-type]
    assert isinstance(made, LeadResult)
    return made


def done(result: LeadResult | Plan) -> LeadResult:
    assert isinstance(result, LeadResult)
    return result
