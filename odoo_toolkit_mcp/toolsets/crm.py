"""Leads and opportunities."""

from __future__ import annotations

from odoo_toolkit.apps import crm
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_crm_create_lead",
        title="Create a lead",
        description="Create a lead to qualify first, or an opportunity in the pipeline. A"
        " partner_name that matches no contact becomes the lead's company name.",
        function=crm.create_lead,
        access="create",
        creates="crm.lead",
    ),
    Tool(
        name="odoo_crm_move_stage",
        title="Move a lead to a stage",
        description="Move a lead or opportunity to another stage of its sales team. A won"
        " stage marks it as won.",
        function=crm.move_stage,
        access="write",
        needs="write crm.lead",
    ),
    Tool(
        name="odoo_crm_convert_to_opportunity",
        title="Convert a lead to an opportunity",
        description="Convert a lead to an opportunity, and set its expected revenue and stage. It"
        " is never merged with another lead. Without partner_id, it keeps its contact. To create a"
        " customer from its data, set create_customer.",
        function=crm.convert_to_opportunity,
        access="write",
        needs="write crm.lead",
    ),
    Tool(
        name="odoo_crm_update_lead",
        title="Change a lead",
        description="Change a lead or opportunity. Omitted fields stay the same. restore reopens a"
        " lost lead.",
        function=crm.update_lead,
        access="write",
        needs="write crm.lead",
    ),
    Tool(
        name="odoo_crm_mark_won",
        title="Mark an opportunity as won",
        description="Mark an opportunity as won.",
        function=crm.mark_won,
        access="write",
        needs="write crm.lead",
    ),
    Tool(
        name="odoo_crm_mark_lost",
        title="Mark a lead as lost",
        description="Mark a lead or opportunity as lost, which archives it. To reopen it, use"
        " restore in odoo_crm_update_lead.",
        function=crm.mark_lost,
        access="write",
        needs="write crm.lead",
    ),
)


class CrmToolset(BaseToolset):
    """Tools for leads and opportunities."""

    about = ToolsetMetadata(
        name="crm",
        description="Create, change and convert leads, move them to stages, mark them won or lost",
        required_modules=("crm",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
