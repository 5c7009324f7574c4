"""Finding records by words when it is not known where they stand: five levels, broader each.

1. exact_match: the name is the query.
2. standard_ilike: words of the query in the fields by which records are known.
3. extended_fields: also in addresses, references, notes, ...
4. related_models: in records that belong to the model's own, above all contacts.
5. chatter_search: in the messages on the record.

A model is searched level by level until one finds something. Models are searched side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Le

from odoo_toolkit.annotations import AtMost, Fields
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search import levels
from odoo_toolkit.deep_search.asking import ModelSearch, Outcome, Shared, concerns_one_level
from odoo_toolkit.deep_search.configurations import SEARCHED_MODELS, configuration_of
from odoo_toolkit.deep_search.levels import Level
from odoo_toolkit.deep_search.terms import SOME_WORDS, Terms, parse_query
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import unknown_field_error
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.progress import Steps, checkpoint
from odoo_toolkit.records.results import Record

#: number, name and function of each level.
LEVELS: tuple[tuple[int, str, Level], ...] = (
    (1, "exact_match", levels.exact_match),
    (2, "standard_ilike", levels.standard_ilike),
    (3, "extended_fields", levels.extended_fields),
    (4, "related_models", levels.related_models),
    (5, "chatter_search", levels.chatter_search),
)

#: The deepest level with a model, and without one (REQ-08-03).
TARGETED_DEPTH, BROAD_DEPTH = 3, 5

_MOST = 100

#: Contacts that the suggestions name.
_CONTACTS = 3


@attrs.frozen(kw_only=True)
class SearchLogEntry:
    """What one level did in one model.

    Attributes:
        results_found: records that no earlier level had found.
        searched: False where the level could not look; ``notes`` say why.
        notes: what was not looked at: fields the server lacks, more matches than the limit,
            models that may not be read, ...
    """

    level: int
    strategy: str
    model: str
    results_found: int
    searched: bool = True
    notes: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class DeepSearchResult:
    """Records found, by model, the best matches first.

    Attributes:
        search_log: what was done, level by level.
        depth_reached: the deepest level that could look into some model.
        strategies_used: the levels' names.
        suggestions: what to do next.
        warnings: what was done differently from what was asked.
    """

    query: str
    results: dict[str, list[Record]]
    search_log: list[SearchLogEntry]
    depth_reached: int
    total_results: int
    strategies_used: list[str]
    suggestions: list[str]
    warnings: list[str] = attrs.Factory(list)


@attrs.define
class _Searched:
    """What became of one model."""

    model: str
    log: list[SearchLogEntry] = attrs.Factory(list)
    error: OdooError | None = None
    search: ModelSearch | None = None


def deep_search(
    odoo: Odoo,
    query: Annotated[str, Doc("Words, name, number, e-mail or phone, e.g. 'john@example.com'.")],
    model: Annotated[
        str | None, Doc("Model to search; none for the usual business models.")
    ] = None,
    max_depth: Annotated[int | None, Ge(1), Le(5), Doc("Deepest level to try.")] = None,
    limit: Annotated[int, Ge(1), AtMost(_MOST), Doc("Most records per model.")] = 20,
    fields: Annotated[Fields, Doc("Fields to return; none for those that tell most.")] = (),
    exhaustive: Annotated[bool, Doc("Try all levels, even when early ones find.")] = False,
) -> DeepSearchResult:
    """Return the records that a query may mean, the best matches first.

    Each model is searched until a level finds something: whole words and names first, then
    e-mail addresses, phone numbers (whatever their punctuation), references and notes, then
    records of the contacts that match, then messages. Upper and lower case never matter, accents
    not where the server has ``unaccent``; ``%`` and ``_`` are ordinary characters. One to three
    round trips per level and model; the models are searched side by side.

    >>> deep_search(odoo, "azure interior", "sale.order", max_depth=4)

    Args:
        odoo: the connection.
        query: at most 500 characters.
        model: such as ``res.partner``; by default every one that the server has of
            :data:`~odoo_toolkit.deep_search.configurations.SEARCHED_MODELS`.
        max_depth: 1 to 5; by default 3 with a model, 5 without.
        limit: most records per model; above 100 it is lowered, with a warning.
        fields: names of fields; without a model, each model gives those that it has.
        exhaustive: whether to go on to ``max_depth`` in any case.

    Raises:
        ValidationError: the query is empty or too long, or ``model`` lacks one of ``fields``.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow to read ``model``, or a field is blocked.
        OdooConnectionError: Odoo cannot be reached.
    """
    _check(max_depth, limit, fields)
    terms = parse_query(query)
    warnings = list(terms.warnings)
    most = min(_MOST, odoo.options.max_limit or _MOST)
    if limit > most:
        warnings.append(f"limit {limit} was lowered to {most}, the most that is allowed.")
        limit = most
    depth = max_depth or (TARGETED_DEPTH if model else BROAD_DEPTH)
    shared = Shared(odoo=odoo, terms=terms, limit=limit, fields=tuple(fields))
    models = [model] if model else SEARCHED_MODELS
    steps = Steps(len(models) * depth)

    def search(name: str) -> _Searched:
        part = _search_model(shared, name, depth, exhaustive, steps, targeted=model is not None)
        steps.finish(depth - len(part.log), f"Searched {name}")
        return part

    searched = side_by_side([lambda name=name: search(name) for name in models])  # type: ignore[misc]
    if model and searched[0].error and not any(entry.searched for entry in searched[0].log):
        raise searched[0].error
    log = sorted((entry for part in searched for entry in part.log), key=lambda e: e.level)
    results = {part.model: records for part in searched if (records := _records(part, limit))}
    depths = [entry.level for entry in log if entry.searched]
    return DeepSearchResult(
        query=query,
        results=results,
        search_log=log,
        depth_reached=max(depths, default=0),
        total_results=sum(len(records) for records in results.values()),
        strategies_used=[name for number, name, _ in LEVELS if number in depths],
        suggestions=_suggestions(searched, terms, depth, results),
        warnings=warnings,
    )


def _check(max_depth: int | None, limit: int, fields: Sequence[str]) -> None:
    if max_depth is not None and max_depth not in range(1, BROAD_DEPTH + 1):
        raise ValidationError(
            f"max_depth is {max_depth!r}; it must be from 1 to {BROAD_DEPTH}.",
            suggestion="Leave it out.",
        )
    if limit < 1:
        raise ValidationError(
            f"limit is {limit!r}; it must be at least 1.", suggestion="Leave it out for 20."
        )
    if isinstance(fields, str):
        raise ValidationError(
            "fields must be a list of field names.", suggestion=f"Give [{fields!r}]."
        )


def _search_model(
    shared: Shared, model: str, depth: int, exhaustive: bool, steps: Steps, *, targeted: bool
) -> _Searched:
    done = _Searched(model)
    try:
        search = _begin(shared, model, targeted)
    except OdooError as error:
        # A blocked field is the caller's to leave out, whatever the model.
        if targeted or error.code == "FIELD_BLOCKED" or not concerns_one_level(error):
            raise
        done.log.append(_entry(LEVELS[0], model, Outcome.none(_reason(error))))
        steps.finish(1, f"{model} cannot be searched")
        return done
    done.search = search
    for level in LEVELS[:depth]:
        checkpoint()
        try:
            outcome = level[2](search)
        except OdooError as error:
            if not concerns_one_level(error):
                raise
            done.error = done.error or error
            outcome = Outcome.none(f"not searched: {error.message}")
        done.log.append(_entry(level, model, outcome, search.keep(level[0], outcome.rows)))
        steps.finish(1, f"Searched {model}, level {level[0]} of {depth}")
        if search.found and not exhaustive:
            break
    return done


def _begin(shared: Shared, model: str, targeted: bool) -> ModelSearch:
    """Describe a model after asking the policy, and settle which fields it gives."""
    odoo = shared.odoo
    # No fields would mean all of them.
    asked = {"fields": list(shared.fields) or ["id"]}
    odoo.check(Call(model=model, method="search_read", arguments=asked))
    described = shared.describe(model)
    configuration = configuration_of(model, described)
    chosen = shared.fields or configuration.key_fields
    unknown = [name for name in chosen if name not in described and name != "*"]
    if unknown and targeted and shared.fields:
        raise unknown_field_error(model, unknown, described)
    return ModelSearch(
        shared=shared,
        configuration=configuration,
        described=described,
        fields=["id", *(name for name in chosen if name not in unknown and name != "id")],
    )


def _reason(error: OdooError) -> str:
    reasons = {
        "UNKNOWN_MODEL": "not installed on this server",
        "MODEL_BLOCKED": "blocked by the toolkit's policy",
        "ACCESS_DENIED": "the user may not read this model",
    }
    return f"not searched: {reasons.get(error.code, error.message)}"


def _entry(
    level: tuple[int, str, Level], model: str, outcome: Outcome, found: int = 0
) -> SearchLogEntry:
    return SearchLogEntry(
        level=level[0],
        strategy=level[1],
        model=model,
        results_found=found,
        searched=outcome.searched,
        notes=list(outcome.notes),
    )


def _records(part: _Searched, limit: int) -> list[Record]:
    """Return the best records, with no more than the fields that were asked for."""
    if part.search is None:
        return []
    wanted = part.search.fields
    # What has only some of the words goes before what has all of them is left out.
    kept = sorted(part.search.found.values(), key=lambda f: (_is_weak(f.order), f.order))[:limit]
    best = sorted(kept, key=lambda found: found.order)
    if "*" in wanted:
        return [found.record for found in best]
    return [{name: found.record[name] for name in wanted if name in found.record} for found in best]


# Suggestions -------------------------------------------------------------------------------


def _suggestions(
    searched: Sequence[_Searched],
    terms: Terms,
    depth: int,
    results: Mapping[str, list[Record]],
) -> list[str]:
    """Say what can be done with what was found, or to find something (REQ-08-13)."""
    searches = [part.search for part in searched if part.search]
    hints = [hint for find in (_of_contacts, _of_messages) for hint in find(searches)]
    if not results:
        hints += _of_nothing(searched, terms, depth)
    weak = [s for s in searches if s.found and all(_is_weak(f.order) for f in s.found.values())]
    if weak:
        hints.append(
            f"In {_listed([s.model for s in weak])} only some of the words matched;"
            " looking exhaustively (exhaustive) finds more."
        )
    return hints


def _of_contacts(searches: Sequence[ModelSearch]) -> list[str]:
    through = {match.id: match for s in searches for match in s.through}
    models = _listed([s.model for s in searches if s.through])
    if through:
        return [
            f"Found records of {models} through the contact {match.name!r}: search other models"
            f" with search_read and the domain [['partner_id', 'child_of', {match.id}]]."
            for match in list(through.values())[:_CONTACTS]
        ]
    contacts = next((s.found for s in searches if s.model == "res.partner"), None)
    if not contacts:
        return []
    best = min(contacts.values(), key=lambda found: found.order).record["id"]
    return [
        f"search_read with the domain [['partner_id', 'child_of', {best}]] finds the"
        " orders, invoices, ... of the best contact."
    ]


def _of_messages(searches: Sequence[ModelSearch]) -> list[str]:
    models = [s.model for s in searches if any(f.order[0] == 5 for f in s.found.values())]
    if not models:
        return []
    return [
        f"In {_listed(models)} the words were found in messages, not in the records' fields: read"
        " mail.message by model and res_id to see them."
    ]


def _of_nothing(searched: Sequence[_Searched], terms: Terms, depth: int) -> list[str]:
    hints = ["Nothing was found. Try other or fewer words, a part of a word, or another spelling."]
    if depth < BROAD_DEPTH:
        hints.append(f"Only {depth} of {BROAD_DEPTH} levels were tried; max_depth=5 looks deeper.")
    if len(searched) == 1:
        hints.append("Leave out model to search all usual models.")
    else:
        hints.append("Give a model: these are not all; list_models names the others.")
    hints.append(
        "Archived records are not searched: search_read finds them with active_test off in"
        " the context."
    )
    if terms.digits:
        hints.append("Try the last digits of the number alone.")
    return hints


def _is_weak(order: tuple[int, ...]) -> bool:
    return order[0] in (2, 3) and order[1] >= SOME_WORDS


def _listed(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names))
