"""Names in a query: which record of which relation is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import name_search
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.search_help.reading import field_at
from odoo_toolkit.search_help.words import listed, phrase, stem
from odoo_toolkit.search_text import folded, literal
from odoo_toolkit.values.scalars import FieldsOf

#: Fields by which records are related to what people name, the likeliest first; a path goes by
#: way of another field.
_PATHS = listed(
    "partner_id parent_id invoice_user_id user_ids user_id product_id order_line.product_id "
    "invoice_line_ids.product_id move_ids.product_id move_lines.product_id project_id "
    "stage_id team_id country_id partner_id.country_id state_id categ_id category_id tag_ids "
    "warehouse_id location_id journal_id employee_id company_id"
)

#: Records of a relation that a name may mean at once.
_MOST = 5

#: Relations asked at a time.
_BATCH = 4


@attrs.frozen
class Candidate:
    """A way to a related model: the field or path, the model, the label of the field."""

    path: str
    model: str
    label: str


def candidates(odoo: Odoo, model: str, fields_of: FieldsOf) -> list[Candidate]:
    """Return the relations in which a name is looked for, one to a model, the likeliest first."""
    found: dict[str, Candidate] = {}
    for path in _PATHS:
        field = field_at(path, fields_of(model), fields_of)
        related = field.relation if field else None
        itself = related == model and path != "parent_id"
        if field and related and not itself and odoo.policy.model_allowed(related):
            found.setdefault(related, Candidate(path, related, field.string))
    return list(found.values())


def look_up(
    odoo: Odoo, ways: Sequence[Candidate], before: Sequence[str], name: str
) -> tuple[list[Any], str] | None:
    """Return the condition that a name means, and what it was found to be; None: not found.

    The likeliest of the ``ways`` are told by the words ``before`` the name.
    """
    if not before:  # a bare name is rather the record's own than that of what it belongs to
        ways = [way for way in ways if way.path != "parent_id"]
    name, ways = _without_label(name, _in_order(ways, before))
    for start in range(0, len(ways), _BATCH):
        batch = ways[start : start + _BATCH]
        answers = side_by_side([lambda way=way: _search(odoo, way, name) for way in batch])  # type: ignore[misc]
        hits = [(way, records) for way, records in zip(batch, answers, strict=True) if records]
        if hits:
            way, records = _likeliest(hits, before)
            return _condition(way, records, name)
    return None


def _likeliest(
    hits: Sequence[tuple[Candidate, list[RecordName]]], before: Sequence[str]
) -> tuple[Candidate, list[RecordName]]:
    """Return the first hit; but who is a user is a contact, too, and then meant as the user."""
    way, records = hits[0]
    if way.model == "res.partner" and not {*known("res.partner").announced_by} & {*before}:
        for other, users in hits[1:]:
            if other.model == "res.users" and users[0].name in records[0].name:
                return other, users
    return way, records


def _without_label(name: str, ways: Sequence[Candidate]) -> tuple[str, Sequence[Candidate]]:
    """Understand "salesperson Marc Demo": a name that begins with what it is the name of."""
    first, _, rest = name.partition(" ")
    word = stem(first)
    chosen = [
        way for way in ways if word in known(way.model).announced_by or phrase(way.label) == (word,)
    ]
    return (rest, chosen) if rest and chosen else (name, ways)


def _in_order(ways: Sequence[Candidate], before: Sequence[str]) -> list[Candidate]:
    """Put first what the words before a name announce, the word next to it above all."""

    def distance(way: Candidate) -> int:
        announced_by = known(way.model).announced_by
        return next((at for at, w in enumerate(reversed(before)) if w in announced_by), len(before))

    return sorted(ways, key=distance)


def _search(odoo: Odoo, way: Candidate, name: str) -> list[RecordName]:
    said = folded(name)
    try:
        # One more than may be meant, to know that there are more.
        found = name_search(odoo, way.model, name, limit=_MOST + 1)
        exact = [record for record in found if folded(record.name) == said]
        if not exact and len(found) >= _MOST:  # the many others may have pushed it out
            exact = name_search(odoo, way.model, literal(name), "=ilike", limit=_MOST + 1)
    except OdooError:
        return []
    # Odoo also finds by what is not shown; without the words in it, it may be anything.
    shown = [one for one in found if all(word in folded(one.name) for word in said.split())]
    return exact or shown


def _condition(way: Candidate, records: Sequence[RecordName], name: str) -> tuple[list[Any], str]:
    if len(records) > _MOST:  # whoever they are
        return [way.path, "ilike", literal(name)], f"{way.label} with {name} in the name"
    ids = [record.id for record in records]
    value: Any = ids if len(ids) > 1 else ids[0]
    operator = "child_of" if known(way.model).has_parts else "in" if len(ids) > 1 else "="
    shown = "; ".join(f"{record.name} (id {record.id})" for record in records)
    return [way.path, operator, value], f"{way.label} {shown}"
