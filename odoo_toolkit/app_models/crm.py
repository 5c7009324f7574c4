"""Leads and opportunities."""

from odoo_toolkit.app_models.model import AppModel, Relation

MODELS = (
    AppModel(
        "crm.lead",
        "Lead/Opportunity",
        module="crm",
        nouns="lead",
        meanings="""
            opportunity|deal: type = opportunity
            won: won_status = won / stage_id.is_won = true
            lost: active = false & probability = 0
            open|pending|ongoing: stage_id.is_won = false
            overdue|late: date_deadline < today & stage_id.is_won = false
        """,
        searched=4,
        search_fields="name contact_name partner_name",
        deep_fields="email_from phone mobile description",
        key_fields="id name partner_id stage_id expected_revenue user_id",
        found_through=(Relation("res.partner"),),
        tips=("Leads and opportunities are both here: filter by type.",),
        told_apart_by="partner_id type stage_id expected_revenue",
    ),
    AppModel("crm.stage", "CRM Stages", announced_by="stage in", told_apart_by="team_id team_ids"),
    AppModel("crm.team", "Sales Team", announced_by="team"),
)
