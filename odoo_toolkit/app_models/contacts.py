"""Contacts, users and companies."""

from odoo_toolkit.app_models.model import AppModel, Opposite, Relation

MODELS = (
    AppModel(
        "base.partner.merge.automatic.wizard",
        is_wizard=True,
        opposites=(
            Opposite(
                "action_merge",
                not_undone="Merged contacts cannot be restored. Their documents stay with "
                "the contact that was kept.",
            ),
        ),
    ),
    AppModel(
        "res.partner",
        "Contact",
        nouns="contact|partner|address",
        meanings="""
            customer|client: customer_rank > 0
            vendor|supplier: supplier_rank > 0
            company|organization|organisation|business: is_company = true
            individual|person|people: is_company = false
        """,
        has_parts=True,
        name_fields="name complete_name display_name ref email vat",
        searched=1,
        # display_name is a column to 16, complete_name from 17 on.
        search_fields="name display_name complete_name",
        # mobile is gone in 19.
        deep_fields="email phone mobile vat ref website comment street city",
        key_fields="id name parent_id email phone is_company city country_id",
        found_through=tuple(
            Relation(model, reverse=True)
            for model in ("sale.order", "account.move", "crm.lead", "helpdesk.ticket")
        ),
        tips=(
            "This model contains companies (is_company) and their contacts (parent_id). child_of "
            "finds a company with its contacts.",
        ),
        disambiguation_fields="parent_id city email phone vat",
    ),
    AppModel("res.partner.category"),
    AppModel(
        "res.users",
        "Users",
        name_fields="name login",
        disambiguation_fields="login",
    ),
    AppModel("res.company", "Companies"),
    AppModel("res.country", "Country"),
    AppModel("res.currency", "Currency"),
)
