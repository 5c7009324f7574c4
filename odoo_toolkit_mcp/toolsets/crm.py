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
        " kept as the company's name.",
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
        description="Convert a lead to an opportunity. Give"
        " partner_id to link an existing customer; without it the lead keeps its contact, or a"
        " new customer is made from the lead's data. create_customer"
        " false makes none. It is never merged with other leads.",
        function=crm.convert_to_opportunity,
        access="write",
    ),
    Tool(
        name="odoo_crm_update_lead",
        title="Change a lead",
        description="Change a lead or opportunity; what is not given stays. restore takes up a"
        " lost one.",
        function=crm.update_lead,
        access="write",
    ),
    Tool(
        name="odoo_crm_mark_won",
        title="Win an opportunity",
        description="Mark an opportunity as won.",
        function=crm.mark_won,
        access="write",
    ),
    Tool(
        name="odoo_crm_mark_lost",
        title="Lose a lead",
        description="Mark a lead or opportunity as lost, which archives it.",
        function=crm.mark_lost,
        access="write",
    ),
)


class CrmToolset(BaseToolset):
    """Tools for leads and opportunities."""

    about = ToolsetMetadata(
        name="crm",
        description="Create and change leads, convert them, move them through stages, win and lose",
        required_modules=("crm",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
