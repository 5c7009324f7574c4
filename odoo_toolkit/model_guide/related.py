"""What a model is connected with: other models, and the discussion below its form."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import RELATIONAL, Field
from odoo_toolkit.records.arguments import describe

#: Relations that nearly every model has, and that say nothing of it.
_EVERYWHERE = ("create_uid", "write_uid", "message_", "activity_", "website_message_", "rating_")


@attrs.frozen(kw_only=True)
class RelatedModel:
    """A model that a model's fields point to, and these fields."""

    model: str
    fields: list[str]


def related_models(odoo: Odoo, model: str) -> list[RelatedModel]:
    """Return the models that the relations of a model lead to, those with most fields first.

    Discussion, activities and the like, which nearly every model has, are left out.

    Args:
        odoo: the connection.
        model: such as ``sale.order``.

    Raises:
        NotFoundError: there is no such model.
        AccessError: the policy does not allow it.
    """
    fields = describe(odoo, model, "fields_get", {}, None)
    found: dict[str, list[str]] = {}
    for field in fields.values():
        if (
            field.type in RELATIONAL
            and field.relation
            and not field.name.startswith(_EVERYWHERE)
            and odoo.policy.model_allowed(field.relation)
        ):
            found.setdefault(field.relation, []).append(field.name)
    related = [RelatedModel(model=name, fields=sorted(names)) for name, names in found.items()]
    return sorted(related, key=lambda item: (-len(item.fields), item.model))


def has_chatter(fields: Mapping[str, Field]) -> bool:
    """Whether records have a discussion: messages and followers."""
    messages = fields.get("message_ids")
    return messages is not None and messages.relation == "mail.message"
