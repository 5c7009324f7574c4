"""Names in a query: which record of which relation is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.names import name_search
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.search_help.words import phrase, stem
from odoo_toolkit.search_text import folded

#: Fields by which records are related to what people name, the likeliest first; a path goes by
#: way of another field.
_PATHS = (
    "partner_id",
    "parent_id",
    "invoice_user_id",
    "user_ids",
    "user_id",
    "product_id",
    "order_line.product_id",
    "invoice_line_ids.product_id",
    "move_ids.product_id",
    "move_lines.product_id",
    "project_id",
    "stage_id",
    "team_id",
    "country_id",
    "partner_id.country_id",
    "state_id",
    "categ_id",
    "category_id",
    "tag_ids",
    "warehouse_id",
    "location_id",
    "journal_id",
    "employee_id",
    "company_id",
)

_OF_PARTNERS = ("customer", "client", "vendor", "supplier", "partner", "contact", "company", "for")

#: Words before a name -> the models that it then is of.
_BEFORE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_OF_PARTNERS, ("res.partner",)),
    **dict.fromkeys(
        ("by", "salesperson", "seller", "salesman", "responsible", "assigned", "user", "agent"),
        ("res.users",),
    ),
    "product": ("product.product", "product.template"),
    "project": ("project.project",),
    "stage": ("crm.stage", "project.task.type", "helpdesk.stage"),
    "team": ("crm.team", "helpdesk.team"),
    "country": ("res.country",),
    "category": ("product.category", "res.partner.category"),
    "warehouse": ("stock.warehouse",),
    "in": (
        "project.project",
        "res.country",
        "crm.stage",
        "project.task.type",
        "helpdesk.stage",
        "product.category",
        "stock.warehouse",
        "stock.location",
    ),
}

#: Relations whose records have parts: what is true of the parts is meant, too.
_WITH_PARTS = frozenset({"res.partner", "product.category", "stock.location"})

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


def candidates(odoo: Odoo, model: str, fields: Mapping[str, Field]) -> list[Candidate]:
    """Return the relations in which a name is looked for, one to a model, the likeliest first."""
    found: dict[str, Candidate] = {}
    for path in _PATHS:
        name, _, rest = path.partition(".")
        field = _searchable(fields.get(name))
        if field and rest:
            field = _searchable(_fields_of(odoo, str(field.relation)).get(rest))
        itself = field and field.relation == model and path != "parent_id"
        if field and not itself and odoo.policy.model_allowed(str(field.relation)):
            candidate = Candidate(path, str(field.relation), field.string)
            found.setdefault(candidate.model, candidate)
    return list(found.values())


def _searchable(field: Field | None) -> Field | None:
    usable = field is not None and field.relation and (field.store or field.searchable)
    return field if usable else None


def _fields_of(odoo: Odoo, model: str) -> Mapping[str, Field]:
    try:
        return odoo.policy.readable_fields(model, odoo.schema.fields(model))
    except OdooError:
        return {}


def look_up(
    odoo: Odoo, ways: Sequence[Candidate], before: Sequence[str], name: str
) -> tuple[list[Any], str] | None:
    """Return the condition that a name means, and what it was found to be; None: not found.

    Args:
        odoo: the connection.
        ways: relations of the model.
        before: the words before the name.
        name: as it was said.
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
            return _condition(way, records), _told(way, records)
    return None


def _likeliest(
    hits: Sequence[tuple[Candidate, list[RecordName]]], before: Sequence[str]
) -> tuple[Candidate, list[RecordName]]:
    """Return the first hit; but who is a user is a contact, too, and then meant as the user."""
    way, records = hits[0]
    if way.model == "res.partner" and not set(before) & set(_OF_PARTNERS):
        for other, users in hits[1:]:
            if other.model == "res.users" and users[0].name in records[0].name:
                return other, users
    return way, records


def _without_label(name: str, ways: Sequence[Candidate]) -> tuple[str, Sequence[Candidate]]:
    """Understand "salesperson Marc Demo": a name that begins with the label of a relation."""
    words = name.split()
    for way in ways:
        label = phrase(way.label)
        if label and len(words) > len(label) and phrase(name)[: len(label)] == label:
            return " ".join(words[len(label) :]), [way]
    if len(words) > 1 and (models := _BEFORE.get(stem(words[0]))):
        chosen = [way for way in ways if way.model in models]
        if chosen:
            return " ".join(words[1:]), chosen
    return name, ways


def _in_order(ways: Sequence[Candidate], before: Sequence[str]) -> list[Candidate]:
    """Put first what the words before a name announce, the word next to it above all."""
    announced = [model for word in reversed(before) for model in _BEFORE.get(word, ())]
    return sorted(
        ways, key=lambda way: announced.index(way.model) if way.model in announced else len(ways)
    )


def _search(odoo: Odoo, way: Candidate, name: str) -> list[RecordName]:
    try:
        found = name_search(odoo, way.model, name, limit=_MOST)
    except OdooError:
        return []
    said = folded(name)
    exact = [record for record in found if folded(record.name) == said]
    if not exact and len(found) == _MOST:
        exact = _exactly(odoo, way, name)
    if exact:
        return exact
    # Odoo also finds by what is not shown; without the words in it, it may be anything.
    words = said.split()
    return [record for record in found if all(word in folded(record.name) for word in words)]


def _exactly(odoo: Odoo, way: Candidate, name: str) -> list[RecordName]:
    """Return the records of exactly this name, which the many others may have pushed out."""
    try:
        return name_search(odoo, way.model, name, operator="=ilike", limit=_MOST)
    except OdooError:
        return []


def _condition(way: Candidate, records: Sequence[RecordName]) -> list[Any]:
    ids = [record.id for record in records]
    value: Any = ids if len(ids) > 1 else ids[0]
    if way.model in _WITH_PARTS:
        return [way.path, "child_of", value]
    return [way.path, "in" if len(ids) > 1 else "=", value]


def _told(way: Candidate, records: Sequence[RecordName]) -> str:
    shown = "; ".join(f"{record.name} (id {record.id})" for record in records)
    return f"{way.label} {shown}"
