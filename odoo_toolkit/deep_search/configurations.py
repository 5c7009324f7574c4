"""Which fields of which model the deep search looks at."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from odoo_toolkit.app_models import MODELS, AppModel, Relation, known
from odoo_toolkit.fields import Field

#: Fields that hold telephone numbers: compared by their digits.
PHONE_FIELDS = frozenset({"phone", "mobile", "partner_phone", "work_phone", "mobile_phone"})

#: What tells most in models of which nothing is known, by the names that Odoo's modules use.
_USUAL_SEARCH_FIELDS = ("name", "complete_name", "code", "default_code", "reference", "login")
_USUAL_DEEP_FIELDS = (
    *("ref", "origin", "email", "email_from", "work_email", *sorted(PHONE_FIELDS), "vat"),
    *("barcode", "subject", "description", "note", "notes", "narration", "comment"),
)


def searched_models() -> list[str]:
    """Return the models that a search without a model goes through, in the answer's order."""
    told = dict(MODELS)
    return sorted((name for name in told if told[name].searched), key=lambda n: told[n].searched)


def configuration_of(model: str, described: Mapping[str, Field]) -> AppModel:
    """Return how a model is searched; where that is not known, by what it has.

    Args:
        model: technical name.
        described: its fields.
    """
    told = known(model)
    if told.search_fields:
        return told
    link = described.get("partner_id")
    return attrs.evolve(
        told,
        search_fields=_texts(_USUAL_SEARCH_FIELDS, described),
        deep_fields=_texts(_USUAL_DEEP_FIELDS, described),
        found_through=(
            (Relation("res.partner"),) if link and link.relation == "res.partner" else ()
        ),
    )


def _texts(names: tuple[str, ...], described: Mapping[str, Field]) -> tuple[str, ...]:
    return tuple(
        name
        for name in names
        if name in described
        and described[name].type in ("char", "text", "html")
        and described[name].searchable
    )
