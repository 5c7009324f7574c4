"""What a query that found nothing does not look at: archived records, and other companies."""

from __future__ import annotations

from collections.abc import Sequence

from odoo_toolkit.arguments import Domain
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.deep_search.asking import ModelSearch, concerns_one_level, searchable
from odoo_toolkit.deep_search.terms import containing_all
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records import search_read
from odoo_toolkit.records.results import Record

#: Records of a model that are named.
_NAMED = 3


def hidden(searches: Sequence[ModelSearch]) -> list[str]:
    """Say which archived records have all words of a query, and whether companies are left out.

    One round trip for each model that can have archived records, side by side.
    """
    if not searches or searches[0].shared.terms.single_letter:
        return []
    asked = [one for one in searches if "active" in one.described]
    found = side_by_side([lambda s=one: _look(s) for one in asked])  # type: ignore[misc]
    hints = [
        (
            f"Archived in {search.model}: {_listed(rows)}. To find them, use search_read with the "
            "context {'active_test': False}."
        )
        for search, rows in zip(asked, found, strict=True)
        if rows
    ]
    if within := searches[0].shared.odoo.settings.base_context.get("allowed_company_ids"):
        ids = ", ".join(map(str, within))
        hints.append(
            f"This connection is only for company {ids}. Other companies are not searched."
        )
    return hints


def _listed(rows: Sequence[Record]) -> str:
    named = [f"{row.get('display_name')} ({row['id']})" for row in rows[:_NAMED]]
    return ", ".join([*named, *(["..."] if len(rows) > _NAMED else [])])


def _look(search: ModelSearch) -> Sequence[Record]:
    configuration, described = search.configuration, search.described
    names, _ = searchable(
        described, dict.fromkeys([*configuration.search_fields, *configuration.deep_fields, "name"])
    )
    if not names:
        return []
    words = containing_all(search.shared.terms, [described[name] for name in names])
    domain = Domain().equals("active", False) & words
    try:
        return search_read(
            search.shared.odoo,
            search.model,
            domain.build(),
            ["display_name"],
            limit=_NAMED + 1,
            context={"active_test": False},
        ).records
    except OdooError as error:
        if not concerns_one_level(error):
            raise
        return []
