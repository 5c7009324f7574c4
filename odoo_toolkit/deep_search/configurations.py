"""What the deep search looks at in which model, as tables of data.

The tables name fields of all versions; what the connected server lacks is left out by asking its
schema, and the search log says so. ``res.partner.mobile``, for one, is gone in 19, and
``project.task.user_id`` became ``user_ids`` in 15.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from odoo_toolkit.fields import Field


@attrs.frozen
class Relation:
    """A way from a model to another one by whose records it can be found.

    Attributes:
        model: the other model.
        link: the many2one field between the two.
        reverse: whether the field is the other model's and points here.
    """

    model: str
    link: str
    reverse: bool = False


@attrs.frozen(kw_only=True)
class SearchConfiguration:
    """How one model is searched (REQ-08-04).

    Attributes:
        name_field: what level 1 compares with.
        search_fields: what level 2 looks at.
        deep_search_fields: what level 3 adds.
        default_fields: what is returned unless the caller says.
        relations: where level 4 looks.
        threshold: as many records make deeper levels unnecessary (REQ-08-02).
        configured: False for a model that is searched by what fields usually are called.
    """

    model: str
    name_field: str = "name"
    search_fields: tuple[str, ...]
    deep_search_fields: tuple[str, ...] = ()
    default_fields: tuple[str, ...]
    relations: tuple[Relation, ...] = ()
    threshold: int = 1
    configured: bool = True


_CONTACT = (Relation("res.partner", "partner_id"),)

#: The models that a search without a model goes through, in the order of the answer (REQ-08-05).
SEARCH_CONFIGURATIONS: dict[str, SearchConfiguration] = {
    configuration.model: configuration
    for configuration in (
        SearchConfiguration(
            model="res.partner",
            # display_name is a column to 16, complete_name from 17 on.
            search_fields=("name", "display_name", "complete_name"),
            deep_search_fields=(
                "email",
                "phone",
                "mobile",
                "vat",
                "ref",
                "website",
                "comment",
                "street",
                "city",
            ),
            default_fields=("id", "name", "email", "phone", "is_company", "city", "country_id"),
            relations=tuple(
                Relation(model, "partner_id", reverse=True)
                for model in ("sale.order", "account.move", "crm.lead", "helpdesk.ticket")
            ),
        ),
        SearchConfiguration(
            model="sale.order",
            search_fields=("name", "client_order_ref"),
            deep_search_fields=("note", "origin"),
            default_fields=("id", "name", "partner_id", "state", "amount_total", "date_order"),
            relations=_CONTACT,
        ),
        SearchConfiguration(
            model="account.move",
            search_fields=("name", "ref", "payment_reference"),
            deep_search_fields=("narration",),
            default_fields=(
                "id",
                "name",
                "partner_id",
                "move_type",
                "state",
                "amount_total",
                "invoice_date",
            ),
            relations=_CONTACT,
        ),
        SearchConfiguration(
            model="crm.lead",
            search_fields=("name", "contact_name", "partner_name"),
            deep_search_fields=("email_from", "phone", "mobile", "description"),
            default_fields=("id", "name", "partner_id", "stage_id", "expected_revenue", "user_id"),
            relations=_CONTACT,
        ),
        SearchConfiguration(
            model="helpdesk.ticket",
            search_fields=("name",),
            deep_search_fields=("description",),
            default_fields=(
                "id",
                "name",
                "partner_id",
                "stage_id",
                "user_id",
                "team_id",
                "priority",
            ),
            relations=_CONTACT,
        ),
        SearchConfiguration(
            model="product.product",
            search_fields=("name", "default_code"),
            deep_search_fields=("barcode", "description", "description_sale"),
            # is_storable tells from 18 on what the type "product" did.
            default_fields=(
                "id",
                "name",
                "default_code",
                "list_price",
                "qty_available",
                "type",
                "is_storable",
            ),
        ),
        SearchConfiguration(
            model="project.task",
            search_fields=("name",),
            deep_search_fields=("description",),
            default_fields=(
                "id",
                "name",
                "project_id",
                "stage_id",
                "user_ids",
                "user_id",
                "date_deadline",
                "priority",
            ),
            relations=(Relation("project.project", "project_id"), *_CONTACT),
        ),
    )
}

#: Fields that hold telephone numbers: compared by their digits.
PHONE_FIELDS = frozenset({"phone", "mobile", "partner_phone", "work_phone", "mobile_phone"})

#: What tells most in models without a configuration, by the names that Odoo's modules use.
_USUAL_SEARCH_FIELDS = ("name", "complete_name", "code", "default_code", "reference", "login")
_USUAL_DEEP_FIELDS = (
    "ref",
    "origin",
    "email",
    "email_from",
    "work_email",
    *sorted(PHONE_FIELDS),
    "vat",
    "barcode",
    "subject",
    "description",
    "note",
    "notes",
    "narration",
    "comment",
)


def configuration_of(model: str, described: Mapping[str, Field]) -> SearchConfiguration:
    """Return how a model is searched; for one without a configuration, by what it has.

    Args:
        model: technical name.
        described: its fields.
    """
    if model in SEARCH_CONFIGURATIONS:
        return SEARCH_CONFIGURATIONS[model]
    link = described.get("partner_id")
    return SearchConfiguration(
        model=model,
        search_fields=_texts(_USUAL_SEARCH_FIELDS, described),
        deep_search_fields=_texts(_USUAL_DEEP_FIELDS, described),
        default_fields=("id", "name", "display_name"),
        relations=_CONTACT if link and link.relation == "res.partner" else (),
        configured=False,
    )


def _texts(names: tuple[str, ...], described: Mapping[str, Field]) -> tuple[str, ...]:
    return tuple(
        name
        for name in names
        if name in described
        and described[name].type in ("char", "text", "html")
        and described[name].searchable
    )
