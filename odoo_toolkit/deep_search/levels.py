"""The five levels of the deep search, in one model each."""

from __future__ import annotations

import html
from collections.abc import Callable

from odoo_toolkit.app_models import Relation
from odoo_toolkit.deep_search.asking import (
    ModelSearch,
    Outcome,
    ask,
    concerns_one_level,
    explained,
    searchable,
)
from odoo_toolkit.deep_search.related import Related, belonging, contacts_of, look_up, nearness
from odoo_toolkit.deep_search.terms import (
    UNEXPLAINED,
    Rank,
    beginning,
    containing_all,
    containing_any,
    contains_all,
    exactly,
    rank,
)
from odoo_toolkit.domains import Domain
from odoo_toolkit.errors import OdooError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records import search_read
from odoo_toolkit.records.names import name_search
from odoo_toolkit.search_text import folded, literal

#: Messages that level 5 looks at per record that it may return, and at most.
_MESSAGES_PER_RECORD, _MOST_MESSAGES = 5, 100

#: Kinds of messages that people wrote (REQ-08-11); the rest is written by Odoo.
_MESSAGE_TYPES = ["email", "comment"]

_WORST: Rank = (UNEXPLAINED, 0, 0)


Level = Callable[[ModelSearch], Outcome]


def exact_match(search: ModelSearch) -> Outcome:
    """Level 1: the name is the query, in upper or lower case."""
    terms = search.shared.terms
    if search.by_usual_names:
        return _named(search, literal(terms.text), "=ilike")
    names, notes = searchable(search.described, ["name"])
    if not names:
        return Outcome(notes=notes, searched=False)
    rows, more = ask(search, [exactly(terms, names)], [])
    return Outcome(rows=[((0, 0, 0), row) for row in rows], notes=[*notes, *more])


def standard_ilike(search: ModelSearch) -> Outcome:
    """Level 2: words of the query in the fields by which records are known."""
    terms, configuration = search.shared.terms, search.configuration
    names, notes = searchable(search.described, configuration.search_fields)
    if not names:
        if search.by_usual_names:
            return _named(search, literal(terms.text), "ilike")
        return Outcome(notes=notes, searched=False)
    fields = [search.described[name] for name in names]
    starting = beginning(terms, names)
    if terms.single_letter:
        notes.append("only what begins with it was searched: one letter is in nearly everything")
        domains = [starting]
    else:
        domains = [containing_any(terms, fields), containing_all(terms, fields), starting]
    rows, more = ask(search, domains, names)
    ranked = [(rank(terms, row, names) or _WORST, row) for row in rows]
    return Outcome(rows=ranked, notes=[*notes, *more])


def extended_fields(search: ModelSearch) -> Outcome:
    """Level 3: words of the query also in addresses, numbers, references, notes."""
    terms, configuration = search.shared.terms, search.configuration
    if terms.single_letter:
        return _too_short()
    deep, notes = searchable(search.described, configuration.deep_fields)
    if not deep:
        return Outcome.none("the model has no such fields")
    known, _ = searchable(search.described, configuration.search_fields)
    everything = containing_all(terms, [search.described[name] for name in (*known, *deep)])
    any_word = containing_any(terms, [search.described[name] for name in deep])
    rows, more = ask(search, [any_word | everything, everything], [*known, *deep])
    return Outcome(rows=explained(terms, rows, known, deep), notes=[*notes, *more])


def related_models(search: ModelSearch) -> Outcome:
    """Level 4: records that belong to records of other models which match."""
    shared = search.shared
    if shared.terms.single_letter:
        return _too_short()
    if not search.configuration.found_through:
        return Outcome.none("the model has no relation that is followed")
    relations, notes = [], []
    for relation in search.configuration.found_through:
        if relation.reverse or relation.link in search.described:
            relations.append(relation)
        else:
            notes.append(f"{relation.model} not searched: {relation.link} (not available)")
    failed: list[OdooError] = []

    def look(relation: Relation) -> Related:
        try:
            return shared.once(relation.model, lambda: look_up(shared, relation.model))
        except OdooError as error:
            if not concerns_one_level(error):
                raise
            failed.append(error)
            return Related(notes=[f"{relation.model} not searched: {error.message}"])

    related = side_by_side([lambda r=relation: look(r) for relation in relations])  # type: ignore[misc]
    for part in related:
        notes += part.notes
    pairs = [(r, part) for r, part in zip(relations, related, strict=True) if part.records]
    if not pairs:
        return Outcome(notes=notes, searched=len(failed) < len(relations))
    domain = Domain.or_(*(belonging(relation, part) for relation, part in pairs))
    links = [relation.link for relation, _ in pairs if not relation.reverse]
    rows, more = ask(search, [domain], links)
    search.through = contacts_of(rows, pairs)
    return Outcome(rows=[(nearness(row, pairs), row) for row in rows], notes=notes + more)


def chatter_search(search: ModelSearch) -> Outcome:
    """Level 5: records on which people wrote messages with all the words."""
    terms, shared = search.shared.terms, search.shared
    if terms.single_letter:
        return _too_short()
    if "message_ids" not in search.described:
        return Outcome.none("not searched: mail.message (not available for this model)")
    domain = Domain().equals("model", search.model).in_list("message_type", _MESSAGE_TYPES)
    for word in terms.words:
        domain = domain.contains("body", html.escape(word, quote=False))
    most = min(
        shared.limit * _MESSAGES_PER_RECORD,
        _MOST_MESSAGES,
        shared.odoo.options.max_limit or _MOST_MESSAGES,
    )
    messages = search_read(
        shared.odoo, "mail.message", domain.build(), ["res_id", "body"], limit=most
    )
    notes = []
    if messages.has_more:
        notes.append(f"more messages match than the newest {most}, which were looked at")
    # Words that stand only in the markup, such as "class" or "style", are not what was said.
    ids = [m["res_id"] for m in messages if m["res_id"] and contains_all(terms, m["body"])]
    places = {record_id: place for place, record_id in enumerate(dict.fromkeys(ids))}
    if not places:
        return Outcome(notes=notes)
    rows, more = ask(search, [Domain().in_list("id", places)], [])
    return Outcome(rows=[((0, places[row["id"]], 0), row) for row in rows], notes=notes + more)


def _named(search: ModelSearch, name: str, operator: str) -> Outcome:
    """Find records of a model without a configuration by Odoo's own search by name."""
    shared = search.shared
    matches = name_search(shared.odoo, search.model, name, operator, shared.limit)
    if "name" not in search.described:
        # Models without any name answer with whatever records there are.
        said = folded(shared.terms.text)
        matches = [match for match in matches if said in folded(match.name or "")]
    places = {match.id: place for place, match in enumerate(matches)}
    if not places:
        return Outcome()
    rows, notes = ask(search, [Domain().in_list("id", places)], [])
    return Outcome(rows=[((0, places[row["id"]], 0), row) for row in rows], notes=notes)


def _too_short() -> Outcome:
    return Outcome.none("not searched for a single letter, which is in nearly everything")
