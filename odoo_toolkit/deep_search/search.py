"""A search for records in five levels, each broader than the one before.

1. exact_match: the name is the query.
2. standard_ilike: words of the query in the fields that identify records.
3. extended_fields: also in addresses, references and notes.
4. related_models: in records that belong to the model's own, mainly contacts.
5. chatter_search: in the messages of the record, and in the text of its files.

A model is searched level by level until one finds something. Models are searched in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Le

from odoo_toolkit.annotations import AtMost, Fields
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.deep_search.asking import (
    ModelSearch,
    Order,
    Outcome,
    SearchLogEntry,
    Shared,
    concerns_one_level,
)
from odoo_toolkit.deep_search.configurations import configuration_of, searched_models
from odoo_toolkit.deep_search.elsewhere import hidden
from odoo_toolkit.deep_search.levels import LEVELS, with_company
from odoo_toolkit.deep_search.terms import SOME_WORDS, parse_query
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import unknown_field_error
from odoo_toolkit.progress import Steps, checkpoint
from odoo_toolkit.records.arguments import admit, readable_of
from odoo_toolkit.records.results import Record

#: The deepest level with a model, and without one.
TARGETED_DEPTH, BROAD_DEPTH = 3, 5

_MOST = 100

_TOO_SHORT = "not searched for a single letter, which is in nearly everything"
_REASONS = {
    "UNKNOWN_MODEL": "not installed on this server",
    "MODEL_BLOCKED": "blocked by the toolkit's policy",
    "ACCESS_DENIED": "the user cannot read this model",
}

#: Contacts that the suggestions name, and records found in messages and files.
_CONTACTS, _PLACES = 3, 20

#: The level that looks into messages and files.
_CHATTER = 5


@attrs.frozen(kw_only=True)
class DeepSearchResult(Shown):
    """The records that were found, by model, the best matches first.

    Attributes:
        search_log: Log of the search, level by level.
        depth_reached: Deepest level that could search a model.
        strategies_used: Names of the levels.
        suggestions: Next steps.
        warnings: Differences between the request and the result.
    """

    query: str
    results: dict[str, list[Record]]
    search_log: list[SearchLogEntry]
    depth_reached: int
    total_results: int
    strategies_used: list[str]
    suggestions: list[str]
    warnings: list[str] = attrs.Factory(list)


def deep_search(
    odoo: Odoo,
    query: Annotated[str, Doc("Words, name, number, e-mail or phone.")],
    model: Annotated[str | None, Doc("Model to search. Default: common business models.")] = None,
    max_depth: Annotated[int | None, Ge(1), Le(5), Doc("Deepest level to try.")] = None,
    limit: Annotated[int, Ge(1), AtMost(_MOST), Doc("Maximum records per model.")] = 20,
    fields: Annotated[Fields, Doc("Fields to return. Default: the most useful.")] = (),
    exhaustive: Annotated[bool, Doc("Try all levels, even after a match.")] = False,
) -> DeepSearchResult:
    """Find records by words, names, numbers or addresses, the best matches first.

    >>> deep_search(odoo, "azure interior", "sale.order", max_depth=4)

    Each model is searched until a level finds something:

    1. the name
    2. part of the name, reference or code
    3. e-mail, phone, address and notes
    4. records of matching contacts
    5. messages, and the text of attached files

    The search ignores case. It ignores accents if the server has ``unaccent``. ``%`` and ``_`` are
    ordinary characters. The query has at most 500 characters. The depth defaults to 3 with a model
    and 5 without. Pass ``exhaustive=True`` to search all levels up to ``max_depth``. A limit above
    100 is lowered, with a warning.

    Without a model, the toolkit searches the models of
    :func:`~odoo_toolkit.deep_search.configurations.searched_models`, and each returns the fields
    that it has. A search takes 1 to 3 requests per level and model. Models are searched in
    parallel.

    Raises:
        ValidationError: The query is empty or too long, or the model lacks one of the fields.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow reading the model, or blocks a field.
        OdooConnectionError: Odoo can't be reached.
    """
    _check(max_depth, limit, fields)
    terms = parse_query(query)
    warnings = list(terms.warnings)
    most = min(_MOST, odoo.options.max_limit or _MOST)
    if limit > most:
        warnings.append(f"limit {limit} was reduced to {most}, the maximum.")
        limit = most
    depth = max_depth or (TARGETED_DEPTH if model else BROAD_DEPTH)
    models = [model] if model else searched_models()
    shared = Shared(
        odoo=odoo,
        terms=terms,
        limit=limit,
        fields=tuple(fields),
        describe=readable_of(odoo),
        steps=Steps(len(models) * depth),
    )
    searches = [ModelSearch(shared=shared, model=name) for name in models]
    side_by_side(
        [lambda s=one: _search_model(s, depth, exhaustive, model is not None) for one in searches]  # type: ignore[misc]
    )
    if model and searches[0].error and not any(entry.searched for entry in searches[0].log):
        raise searches[0].error
    log = sorted((entry for search in searches for entry in search.log), key=lambda e: e.level)
    results = {one.model: rows for one in searches if (rows := _records(one, limit))}
    depths = [entry.level for entry in log if entry.searched]
    return DeepSearchResult(
        query=query,
        results=results,
        search_log=log,
        depth_reached=max(depths, default=0),
        total_results=sum(len(records) for records in results.values()),
        strategies_used=[LEVELS[at - 1].__name__ for at in sorted({*depths})],
        suggestions=_suggestions(searches, depth),
        warnings=warnings,
    )


def _check(max_depth: int | None, limit: int, fields: Sequence[str]) -> None:
    if max_depth is not None and max_depth not in range(1, BROAD_DEPTH + 1):
        raise ValidationError(
            f"max_depth must be from 1 to {BROAD_DEPTH}, not {max_depth!r}.",
            suggestion="Omit max_depth.",
        )
    if limit < 1:
        raise ValidationError(
            f"limit must be at least 1, not {limit!r}.", suggestion="Omit limit to get 20 records."
        )
    if isinstance(fields, str):
        raise ValidationError(
            "fields must be a list of field names.", suggestion=f"Give [{fields!r}]."
        )


def _search_model(search: ModelSearch, depth: int, exhaustive: bool, targeted: bool) -> None:
    shared, model = search.shared, search.model
    try:
        _begin(search, targeted)
    except OdooError as error:
        # A blocked field is the caller's to leave out, whatever the model.
        if targeted or error.code == "FIELD_BLOCKED" or not concerns_one_level(error):
            raise
        reason = _REASONS.get(error.code, error.message)
        search.keep(1, LEVELS[0].__name__, Outcome.none(f"not searched: {reason}"))
        shared.steps.finish(depth, f"{model} cannot be searched")
        return
    for number, level in enumerate(LEVELS[:depth], start=1):
        checkpoint()
        try:
            too_short = number > 2 and shared.terms.single_letter
            outcome = Outcome.none(_TOO_SHORT) if too_short else level(search)
        except OdooError as error:
            if not concerns_one_level(error):
                raise
            search.error = search.error or error
            outcome = Outcome.none(f"not searched: {error.message}")
        search.keep(number, level.__name__, outcome)
        shared.steps.finish(1, f"Searched {model}, level {number} of {depth}")
        if search.found and not exhaustive:
            shared.steps.finish(depth - number, f"Searched {model}")
            break


def _begin(search: ModelSearch, targeted: bool) -> None:
    """Describe a model after asking the policy, and settle which fields it gives."""
    shared, model = search.shared, search.model
    # No fields would mean all of them.
    asked = {"fields": list(shared.fields) or ["id"]}
    admit(shared.odoo, Call(model=model, method="search_read", arguments=asked))
    search.described = shared.describe(model)
    search.configuration = configuration_of(model, search.described)
    chosen = shared.fields or search.configuration.key_fields
    unknown = [name for name in chosen if name not in search.described and name != "*"]
    if unknown and targeted and shared.fields:
        raise unknown_field_error(model, unknown, search.described)
    search.fields = ["id", *(name for name in chosen if name not in unknown and name != "id")]


def _records(search: ModelSearch, limit: int) -> list[Record]:
    """Return the best records, with no more than the fields that were asked for."""
    # What has only some of the words goes before what has all of them is left out.
    kept = sorted(search.found.values(), key=lambda one: (_is_weak(one[0]), one[0]))[:limit]
    best = [record for _, record in sorted(kept, key=itemgetter(0))]
    if "*" in search.fields:
        return best
    return [{name: record[name] for name in search.fields if name in record} for record in best]


# Suggestions -------------------------------------------------------------------------------


def _suggestions(searches: Sequence[ModelSearch], depth: int) -> list[str]:
    """Say what can be done with what was found, or to find something."""
    told = [with_company(contact) for one in searches for contact in one.through]
    through = {match.id: match for match in told}
    models = ", ".join(one.model for one in searches if one.through)
    hints = [
        (
            f"Found records of {models} through the contact {match.name}. To find other models, "
            f"use search_read with the domain [['partner_id', 'child_of', {match.id}]]."
        )
        for match in list(through.values())[:_CONTACTS]
    ]
    contacts = next((one.found for one in searches if one.model == "res.partner"), None)
    if contacts and not through:
        best = with_company(min(contacts.values(), key=itemgetter(0))[1])
        hints.append(
            f"To find the orders, invoices and other documents of the best match, {best.name}, "
            f"use search_read with the domain [['partner_id', 'child_of', {best.id}]]."
        )
    orders = {one.model: [order for order, _ in one.found.values()] for one in searches}
    said = [
        f"{one.model} {number}, {place}"
        for one in searches
        for number, place in one.said_in.items()
        if one.found[number][0][0] == _CHATTER
    ]
    if said:
        more = f"; and {len(said) - _PLACES} more records" if len(said) > _PLACES else ""
        hints.append(
            f"The words were not found in fields, but of {'; of '.join(said[:_PLACES])}{more}."
            " get_messages and list_attachments show the messages and files of a record."
        )
    if not any(orders.values()):
        hints += _of_nothing(searches, depth)
    if weak := [model for model in orders if orders[model] and all(map(_is_weak, orders[model]))]:
        hints.append(
            f"In {', '.join(weak)}, only some of the words matched. Pass "
            "exhaustive=True to find more."
        )
    return hints


def _of_nothing(searches: Sequence[ModelSearch], depth: int) -> list[str]:
    hints = ["Nothing was found. Try other or fewer words, a part of a word, or another spelling."]
    if depth < BROAD_DEPTH:
        hints.append(
            f"Only {depth} of {BROAD_DEPTH} levels were searched. To search all, pass max_depth=5."
        )
    if len(searches) == 1:
        hints.append("Omit model to search all usual models.")
    else:
        hints.append("Pass a model: these are not all. list_models lists the others.")
    hints += hidden(searches)
    if searches[0].shared.terms.digits:
        hints.append("Try only the last digits of the number.")
    return hints


def _is_weak(order: Order) -> bool:
    return order[0] in (2, 3) and order[1] >= SOME_WORDS
