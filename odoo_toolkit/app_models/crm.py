"""Leads and opportunities."""

from odoo_toolkit.app_models.model import AppModel, Opposite, Relation

_ESTIMATE = "Odoo's estimated probability (automated_probability)."

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
        opposites=(
            Opposite(
                "action_set_won",
                keeps="stage_id probability active",
                says="as open as before",
                not_undone=f"The time of the last stage change. {_ESTIMATE}",
            ),
            Opposite(
                "action_set_won_rainbowman",
                keeps="stage_id probability active",
                says="as open as before",
                not_undone=f"The time of the last stage change. {_ESTIMATE}",
            ),
            Opposite(
                "action_set_lost",
                keeps="active probability stage_id lost_reason lost_reason_id",
                says="as open as before",
                not_undone=_ESTIMATE,
            ),
            Opposite(
                "action_unarchive",
                keeps="active probability lost_reason lost_reason_id",
                says="lost as before",
            ),
            Opposite(
                "toggle_active",
                keeps="active probability lost_reason lost_reason_id",
                says="as before",
            ),
            Opposite(
                "convert_opportunity",
                keeps="type partner_id stage_id user_id team_id contact_name partner_name"
                " date_conversion",
                says="a lead again",
                not_undone=_ESTIMATE,
            ),
        ),
        tips=("This model contains leads and opportunities: filter by type.",),
        disambiguation_fields="partner_id type stage_id expected_revenue",
    ),
    AppModel(
        "crm.lead2opportunity.partner",
        is_wizard=True,
        opposites=(
            Opposite(
                "action_apply",
                of="crm.lead",
                keeps="type partner_id stage_id user_id team_id contact_name partner_name"
                " email_from phone date_conversion",
                says="a lead again",
                not_undone="The contact or company created from the lead stays. Leads merged "
                "into it cannot be restored.",
            ),
        ),
    ),
    AppModel("crm.stage", "CRM Stages", disambiguation_fields="team_id team_ids"),
    AppModel("crm.team", "Sales Team"),
)
