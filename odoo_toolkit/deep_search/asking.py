"""The state that the levels of the deep search share, and their queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import attrs

from odoo_toolkit.app_models import AppModel
from odoo_toolkit.arguments import Domain
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search.terms import Rank, Terms, rank
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.progress import Steps
from odoo_toolkit.records import search_read
from odoo_toolkit.records.results import Record

#: Records, and notes.
Answer = tuple[list[Record], list[str]]

#: How good a match is; less is better.
Order = tuple[int, ...]

#: Failures of one level of one model that leave the others worth trying.
_OF_ONE_LEVEL = frozenset({"TIMEOUT", "SERVER_ERROR"})
_OF_THE_CONNECTION = frozenset({"connection", "rate_limit", "configuration"})


@attrs.frozen(kw_only=True)
class SearchLogEntry(Shown):
    """The result of one level in one model.

    Attributes:
        results_found: Number of records that no earlier level had found.
        searched: False if the level could not search. ``notes`` says why.
        notes: Limits of the search, such as missing fields, more matches than the limit, or models
            that can't be read.
    """

    level: int
    strategy: str
    model: str
    results_found: int
    searched: bool = True
    notes: list[str] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Outcome:
    """What a level found, each record with its rank, and what it did not look at."""

    rows: Sequence[tuple[Rank, Record]] = ()
    notes: Sequence[str] = ()
    searched: bool = True

    @classmethod
    def none(cls, reason: str) -> Outcome:
        """Return the outcome of a level that could not look."""
        return cls(notes=[reason], searched=False)


class Once:
    """Answers that several threads need and one asks for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, Future[Any]] = {}

    def __call__(self, key: str, ask: Callable[[], Any]) -> Any:
        """Return or raise what ``ask`` did for the first who asked under this key."""
        with self._lock:
            first = key not in self._kept
            answer = self._kept.setdefault(key, Future())
        if first:
            try:
                answer.set_result(ask())
            except BaseException as error:
                answer.set_exception(error)
        return answer.result()


@attrs.define(kw_only=True)
class Shared:
    """What all models of one search have in common.

    Attributes:
        describe: tells the fields of a model that may be read.
        once: what was looked up for several models, by whoever came first.
    """

    odoo: Odoo
    terms: Terms
    limit: int
    fields: tuple[str, ...]
    describe: FieldsOf
    steps: Steps
    once: Once = attrs.Factory(Once)


@attrs.define(kw_only=True)
class ModelSearch:
    """The search in one model.

    Attributes:
        configuration: where it looks.
        described: the model's fields that may be read.
        fields: those to return.
        found: what was found so far, by id, each with its order: level, rank, position in Odoo's
            answer; less is better.
        through: the contacts by which level 4 found records.
        said_in: where level 5 found the words, by id.
        log: what the levels did.
        error: the first failure.
    """

    shared: Shared
    model: str
    configuration: AppModel = attrs.field(init=False)
    described: Mapping[str, Field] = attrs.Factory(dict)
    fields: list[str] = attrs.Factory(list)
    found: dict[int, tuple[Order, Record]] = attrs.Factory(dict)
    through: list[Record] = attrs.Factory(list)
    said_in: dict[int, str] = attrs.Factory(dict)
    log: list[SearchLogEntry] = attrs.Factory(list)
    error: OdooError | None = None

    def ask(self, domains: Sequence[Domain], extra: Iterable[str] = ()) -> Answer:
        """Return records that are not yet found, as :func:`ask` does.

        ``extra`` are fields to read for the ranking, besides those to return.
        """
        fields = self.fields if "*" in self.fields else [*self.fields, *extra]
        others = Domain([["id", "not in", list(self.found)]]) if self.found else Domain()
        return ask(self.shared, self.model, [others & domain for domain in domains], fields)

    def keep(self, level: int, strategy: str, outcome: Outcome) -> None:
        """Add the records that a level found, and what it did to the log."""
        before = len(self.found)
        for position, (ranked, record) in enumerate(outcome.rows):
            self.found.setdefault(record["id"], ((level, *ranked, position), record))
        entry = SearchLogEntry(
            level=level,
            strategy=strategy,
            model=self.model,
            results_found=len(self.found) - before,
            searched=outcome.searched,
            notes=list(outcome.notes),
        )
        self.log.append(entry)


def concerns_one_level(error: OdooError) -> bool:
    """Whether an error leaves the other levels and models worth trying."""
    return error.category not in _OF_THE_CONNECTION or error.code in _OF_ONE_LEVEL


def ask(shared: Shared, model: str, domains: Sequence[Domain], fields: Sequence[str]) -> Answer:
    """Return records of a model, and notes.

    The domains go from the broadest to the narrowest; a narrower one is asked only when the one
    before matches more than the limit, so that the best matches are among what came.
    """
    rows: dict[int, Record] = {}
    notes: dict[str, None] = {}
    # With one word, any and all are the same.
    for domain in {str(domain): domain for domain in domains}.values():
        found = search_read(shared.odoo, model, domain.build(), fields, limit=shared.limit)
        for row in found:
            rows.setdefault(row["id"], row)
        if found.skipped_fields:
            notes[f"fields that the user cannot read: {', '.join(found.skipped_fields)}"] = None
        if not found.has_more:
            break
        notes[f"{shared.limit} or more match; the best of those looked at were taken"] = None
    return list(rows.values()), list(notes)


def searchable(described: Mapping[str, Field], names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which fields can be searched here, and a note on the others."""
    found, without = [], []
    for name in names:
        if name not in described:
            without.append(f"{name} (not available)")
        elif not described[name].searchable or (
            # Where it is not a column, it is a detour to fields that are searched anyway.
            name == "display_name" and not described[name].store
        ):
            without.append(f"{name} (not stored)")
        else:
            found.append(name)
    return found, [f"fields not searched: {', '.join(without)}"] if without else []


def explained(
    terms: Terms, rows: Iterable[Record], known: Sequence[str], deep: Sequence[str]
) -> list[tuple[Rank, Record]]:
    """Rank records; those are left out in which the words are only markup, or other digits."""
    ranked = [(rank(terms, row, known, deep), row) for row in rows]
    return [(order, row) for order, row in ranked if order is not None]
