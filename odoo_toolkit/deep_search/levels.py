"""The five levels of the deep search, in one model each."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

from odoo_toolkit.app_models import Relation, known
from odoo_toolkit.arguments import Domain
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.deep_search.asking import (
    Answer,
    ModelSearch,
    Outcome,
    Shared,
    ask,
    concerns_one_level,
    explained,
    searchable,
)
from odoo_toolkit.deep_search.configurations import configuration_of
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
from odoo_toolkit.errors import OdooError
from odoo_toolkit.records import search_read
from odoo_toolkit.records.names import name_search
from odoo_toolkit.records.results import Record, RecordName
from odoo_toolkit.values.search_text import folded, literal

#: Messages that level 5 looks at per record that it may return, and at most.
_MESSAGES_PER_RECORD, _MOST_MESSAGES = 5, 100

#: Kinds of messages that people wrote; the rest is written by Odoo.
_MESSAGE_TYPES = ["email", "comment"]

_WORST: Rank = (UNEXPLAINED, 0, 0)


def exact_match(search: ModelSearch) -> Outcome:
    """Level 1: the name is the query, in upper or lower case."""
    terms = search.shared.terms
    if not known(search.model).search_fields:
        return _named(search, literal(terms.text), "=ilike")
    names, notes = searchable(search.described, ["name"])
    if not names:
        return Outcome(notes=notes, searched=False)
    rows, more = search.ask([exactly(terms, names)])
    return Outcome(rows=[((0, 0, 0), row) for row in rows], notes=[*notes, *more])


def standard_ilike(search: ModelSearch) -> Outcome:
    """Level 2: words of the query in the fields by which records are known."""
    terms, configuration = search.shared.terms, search.configuration
    names, notes = searchable(search.described, configuration.search_fields)
    if not names:
        if not known(search.model).search_fields:
            return _named(search, literal(terms.text), "ilike")
        return Outcome(notes=notes, searched=False)
    fields = [search.described[name] for name in names]
    starting = beginning(terms, names)
    if terms.single_letter:
        notes.append(
            "a single letter is in almost everything, so only names that begin with it were "
            "searched"
        )
        domains = [starting]
    else:
        domains = [containing_any(terms, fields), containing_all(terms, fields), starting]
    rows, more = search.ask(domains, names)
    ranked = [(rank(terms, row, names) or _WORST, row) for row in rows]
    return Outcome(rows=ranked, notes=[*notes, *more])


def extended_fields(search: ModelSearch) -> Outcome:
    """Level 3: words of the query also in addresses, numbers, references, notes."""
    terms, configuration = search.shared.terms, search.configuration
    deep, notes = searchable(search.described, configuration.deep_fields)
    if not deep:
        return Outcome.none("the model has no such fields")
    names, _ = searchable(search.described, configuration.search_fields)
    everything = containing_all(terms, [search.described[name] for name in (*names, *deep)])
    any_word = containing_any(terms, [search.described[name] for name in deep])
    rows, more = search.ask([any_word | everything, everything], [*names, *deep])
    return Outcome(rows=explained(terms, rows, names, deep), notes=[*notes, *more])


def related_models(search: ModelSearch) -> Outcome:
    """Level 4: records that belong to records of other models which match."""
    shared = search.shared
    if not search.configuration.found_through:
        return Outcome.none("the model has no relation that is followed")
    followed = search.configuration.found_through
    missing = [r for r in followed if not r.reverse and r.link not in search.described]
    notes = [f"{r.model} not searched: {r.link} (not available)" for r in missing]
    relations = [relation for relation in followed if relation not in missing]
    failed: list[Relation] = []

    def look(relation: Relation) -> Answer:
        try:
            answer: Answer = shared.once(relation.model, lambda: _look_up(shared, relation.model))
        except OdooError as error:
            if not concerns_one_level(error):
                raise
            failed.append(relation)
            answer = [], [f"{relation.model} not searched: {error.message}"]
        return answer

    answers = side_by_side([lambda r=relation: look(r) for relation in relations])  # type: ignore[misc]
    notes += [note for _, more in answers for note in more]
    pairs = [(r, records) for r, (records, _) in zip(relations, answers, strict=True) if records]
    if not pairs:
        return Outcome(notes=notes, searched=len(failed) < len(relations))
    domain = Domain.or_(*(_belonging(relation, part) for relation, part in pairs))
    links = [relation.link for relation, _ in pairs if not relation.reverse]
    rows, more = search.ask([domain], links)
    search.through = _contacts_of(rows, pairs)
    return Outcome(rows=[(_nearness(row, pairs), row) for row in rows], notes=notes + more)


def chatter_search(search: ModelSearch) -> Outcome:
    """Level 5: records on which people wrote messages, or attached files, with all the words."""
    terms, shared = search.shared.terms, search.shared
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
    files, more = _of_files(search, most)
    notes += more
    places = {record_id: place for place, record_id in enumerate(dict.fromkeys([*ids, *files]))}
    if not places:
        return Outcome(notes=notes)
    rows, more = search.ask([Domain().in_list("id", places)])
    said = set(ids)
    for row in rows:
        found = ["in messages"] if row["id"] in said else []
        found += [f"in the file {name}" for name in files.get(row["id"], ())]
        search.said_in[row["id"]] = " and ".join(found)
    return Outcome(rows=[((0, places[row["id"]], 0), row) for row in rows], notes=notes + more)


def _of_files(search: ModelSearch, most: int) -> tuple[dict[int, list[str]], list[str]]:
    """Return the records whose files have all the words in text or name, and those files."""
    domain = Domain().equals("res_model", search.model).not_equals("res_id", 0)
    for word in search.shared.terms.words:
        domain &= Domain().contains("index_content", word) | Domain().contains("name", word)
    try:
        rows = search_read(
            search.shared.odoo, "ir.attachment", domain.build(), ["res_id", "name"], limit=most
        )
    except OdooError as error:
        if not concerns_one_level(error):
            raise
        return {}, [f"attached files were not searched: {error.message}"]
    notes = [f"more files match than the {most} that were looked at"] if rows.has_more else []
    found: dict[int, list[str]] = {}
    for row in rows:
        if row["res_id"]:
            found.setdefault(row["res_id"], []).append(row["name"])
    return found, notes


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
    rows, notes = search.ask([Domain().in_list("id", places)])
    return Outcome(rows=[((0, places[row["id"]], 0), row) for row in rows], notes=notes)


# What level 4 follows ----------------------------------------------------------------------


def _look_up(shared: Shared, model: str) -> Answer:
    """Find records in which all words occur, to go on from there; the best come first."""
    terms, described = shared.terms, shared.describe(model)
    configuration = configuration_of(model, described)
    names, _ = searchable(described, configuration.search_fields)
    deep, _ = searchable(described, configuration.deep_fields)
    both = [described[name] for name in (*names, *deep)]
    links = [n for n in ("parent_id", "is_company", "partner_id") if n in described]
    domains = [containing_all(terms, both), beginning(terms, names), exactly(terms, names[:1])]
    rows, notes = ask(shared, model, domains, ["id", *names, *deep, *links])
    ranked = sorted(explained(terms, rows, names, deep), key=lambda pair: pair[0])
    best = [record for _, record in ranked][: shared.limit]
    return best, [f"{model}: {note}" for note in notes]


def _belonging(relation: Relation, records: Sequence[Record]) -> Domain:
    """Return what finds the records that belong to others."""
    if relation.reverse:
        return Domain().in_list("id", [i for r in records if (i := _id(r, relation.link))])
    if relation.model != "res.partner":
        return Domain().in_list(relation.link, [record["id"] for record in records])
    # All of a company's contacts; for a person, the company and all of its contacts.
    tops = [
        record["id"] if record.get("is_company") else _id(record, "parent_id") or record["id"]
        for record in records
    ]
    return Domain([[relation.link, "child_of", list(dict.fromkeys(tops))]])


def _nearness(row: Record, pairs: Sequence[tuple[Relation, Sequence[Record]]]) -> Rank:
    """Rank a record: it belongs to one that matches, the best first, or to a relative of one."""
    places = [
        place
        for relation, records in pairs
        for place, record in enumerate(records)
        if _linked(row, relation, record)
    ]
    return (0, min(places), 0) if places else (1, 0, 0)


def _linked(row: Record, relation: Relation, record: Record) -> bool:
    holder, target = (record, row) if relation.reverse else (row, record)
    return _id(holder, relation.link) == int(target["id"])


def _contacts_of(
    rows: Sequence[Record], pairs: Sequence[tuple[Relation, Sequence[Record]]]
) -> list[Record]:
    """Return the matching contacts by which records were found, the best first."""
    for relation, records in pairs:
        if rows and relation.model == "res.partner" and not relation.reverse:
            own = [c for c in records if any(_linked(row, relation, c) for row in rows)]
            # Without any, it was their relatives that had records.
            return own or list(records[:1])
    return []


def with_company(contact: Record) -> RecordName:
    """Return what the records of a contact belong to, and what it is called.

    That is the company of a person, else the contact itself.
    """
    name = repr(contact.get("name") or "")
    company: Any = contact.get("parent_id")
    number = _id(contact, "parent_id")
    if not number or contact.get("is_company"):
        return RecordName(id=contact["id"], name=name)
    of = company["name"] if isinstance(company, dict) else company[-1] if company else ""
    return RecordName(id=number, name=f"{name} of {str(of)!r}")


def _id(record: Record, link: str) -> int | None:
    """Return the id in a many2one value, in whichever form values are given."""
    value: Any = record.get(link)
    if isinstance(value, dict):
        value = value.get("id")
    elif isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return value or None


#: The levels in their order; their names are those of the strategies.
LEVELS: tuple[Callable[[ModelSearch], Outcome], ...] = (
    exact_match,
    standard_ilike,
    extended_fields,
    related_models,
    chatter_search,
)
