"""Finding records by the records of other models that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from odoo_toolkit.app_models import Relation
from odoo_toolkit.deep_search.asking import Shared, explained, searchable, tiers
from odoo_toolkit.deep_search.configurations import configuration_of
from odoo_toolkit.deep_search.terms import Rank, beginning, containing_all, exactly
from odoo_toolkit.domains import Domain
from odoo_toolkit.records.results import Record, RecordName


@attrs.frozen(kw_only=True)
class Related:
    """Records of another model that match, the best first."""

    records: Sequence[Record] = ()
    notes: Sequence[str] = ()


def look_up(shared: Shared, model: str) -> Related:
    """Find records in which all words occur, to go on from there."""
    terms, described = shared.terms, shared.describe(model)
    configuration = configuration_of(model, described)
    known, _ = searchable(described, configuration.search_fields)
    deep, _ = searchable(described, configuration.deep_fields)
    both = [described[name] for name in (*known, *deep)]
    links = [n for n in ("parent_id", "is_company", "partner_id") if n in described]
    domains = [containing_all(terms, both), beginning(terms, known), exactly(terms, known[:1])]
    rows, notes = tiers(shared, model, domains, ["id", *known, *deep, *links])
    ranked = sorted(explained(terms, rows, known, deep), key=lambda pair: pair[0])
    best = [record for _, record in ranked][: shared.limit]
    return Related(records=best, notes=[f"{model}: {note}" for note in notes])


def belonging(relation: Relation, related: Related) -> Domain:
    """Return what finds the records that belong to others (REQ-08-10)."""
    if relation.reverse:
        return Domain().in_list("id", [i for r in related.records if (i := _id(r, relation.link))])
    if relation.model != "res.partner":
        return Domain().in_list(relation.link, [record["id"] for record in related.records])
    # All of a company's contacts; for a person, the company and all of its contacts.
    tops = [
        record["id"] if record.get("is_company") else _id(record, "parent_id") or record["id"]
        for record in related.records
    ]
    return Domain([[relation.link, "child_of", list(dict.fromkeys(tops))]])


def nearness(row: Record, pairs: Sequence[tuple[Relation, Related]]) -> Rank:
    """Rank a record: it belongs to one that matches, the best first, or to a relative of one."""
    places = [
        place
        for relation, related in pairs
        for place, record in enumerate(related.records)
        if _linked(row, relation, record)
    ]
    return (0, min(places), 0) if places else (1, 0, 0)


def _linked(row: Record, relation: Relation, record: Record) -> bool:
    holder, target = (record, row) if relation.reverse else (row, record)
    return _id(holder, relation.link) == int(target["id"])


def contacts_of(
    rows: Sequence[Record], pairs: Sequence[tuple[Relation, Related]]
) -> list[RecordName]:
    """Return the matching contacts by which records were found, the best first."""
    for relation, related in pairs:
        if rows and relation.model == "res.partner" and not relation.reverse:
            own = [c for c in related.records if any(_linked(row, relation, c) for row in rows)]
            # Without any, it was their relatives that had records.
            return [
                RecordName(id=contact["id"], name=contact.get("name") or "")
                for contact in own or related.records[:1]
            ]
    return []


def _id(record: Record, link: str) -> int | None:
    """Return the id in a many2one value, in whichever form values are given."""
    value: Any = record.get(link)
    if isinstance(value, dict):
        value = value.get("id")
    elif isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return value or None
