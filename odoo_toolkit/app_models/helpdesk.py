"""Helpdesk tickets, of Odoo Enterprise."""

from odoo_toolkit.app_models.model import AppModel, Relation

MODELS = (
    AppModel(
        "helpdesk.ticket",
        "Helpdesk Ticket",
        module="helpdesk",
        nouns="helpdesk ticket|ticket",
        meanings="""
            open|pending|unresolved: stage_id.fold = false
            closed|solved|resolved|done: stage_id.fold = true
        """,
        searched=5,
        search_fields="name",
        deep_fields="description",
        key_fields="id name partner_id stage_id user_id team_id priority",
        found_through=(Relation("res.partner"),),
        disambiguation_fields="partner_id stage_id team_id",
    ),
    AppModel("helpdesk.stage", disambiguation_fields="team_ids"),
)
