"""Leads and opportunities."""

from __future__ import annotations

from odoo_toolkit.apps import crm
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_crm_create_lead",
        title="Create a lead",
        description="Create a lead, to be qualified first, or an opportunity (type opportunity)"
        " in the pipeline. partner_name is looked up among the contacts; a name that none has is"
        " kept as the company's name. Several matches: nothing is created.",
        function=crm.create_lead,
        access="create",
        creates="crm.lead",
    ),
    Tool(
        name="odoo_crm_move_stage",
        title="Move a lead to a stage",
        description="Move a lead or opportunity to another stage of its sales team, by the"
        " stage's id or name. Moving it to a won stage wins it.",
        function=crm.move_stage,
        access="write",
    ),
    Tool(
        name="odoo_crm_convert_to_opportunity",
        title="Convert a lead to an opportunity",
        description="Convert a lead to an opportunity: lead -> opportunity -> won or lost. Give"
        " partner_id to link an existing customer; without it the lead keeps its contact, or a"
        " new customer is made from the lead's data. It is never merged with other leads. Only"
        " open leads can be converted.",
        function=crm.convert_to_opportunity,
        access="write",
    ),
)


class CrmToolset(BaseToolset):
    """Tools for leads and opportunities."""

    about = ToolsetMetadata(
        name="crm",
        description="Create leads, convert them to opportunities, move these through stages",
        required_modules=("crm",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
