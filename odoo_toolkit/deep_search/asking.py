"""What the levels of the deep search share: their state, and how they ask a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import attrs

from odoo_toolkit.app_models import AppModel, known
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search.terms import Rank, Terms, rank
from odoo_toolkit.domains import Domain
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.records import search_read
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.results import Record, RecordName

T = TypeVar("T")

#: Failures of one level of one model that leave the others worth trying.
_OF_ONE_LEVEL = frozenset({"TIMEOUT", "SERVER_ERROR"})
_OF_THE_CONNECTION = frozenset({"connection", "rate_limit", "configuration"})


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


@attrs.frozen(kw_only=True)
class Found:
    """A record; less in ``order`` is better: level, rank, position in Odoo's answer."""

    order: tuple[int, ...]
    record: Record


@attrs.define(kw_only=True)
class Shared:
    """What all models of one search have in common.

    Related records that several models need are looked up once, by whoever comes first.
    """

    odoo: Odoo
    terms: Terms
    limit: int
    fields: tuple[str, ...]
    _lock: threading.Lock = attrs.Factory(threading.Lock)
    _locks: dict[str, threading.Lock] = attrs.Factory(dict)
    _kept: dict[str, Any] = attrs.Factory(dict)

    def describe(self, model: str) -> dict[str, Field]:
        """Return the fields of a model that may be read."""
        return readable_of(self.odoo)(model)

    def once(self, key: str, ask: Callable[[], T]) -> T:
        """Return what ``ask`` returned to the first who asked under this key.

        Raises:
            OdooError: what it raised then: waiting for the same timeout again helps nobody.
        """
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._kept:
                try:
                    self._kept[key] = ask()
                except OdooError as error:
                    self._kept[key] = error
            kept: T | OdooError = self._kept[key]
        if isinstance(kept, OdooError):
            raise kept
        return kept


@attrs.define(kw_only=True)
class ModelSearch:
    """The search in one model.

    Attributes:
        configuration: where it looks.
        described: the model's fields that may be read.
        fields: those to return.
        found: what was found so far, by id.
        through: the contacts by which level 4 found records.
    """

    shared: Shared
    configuration: AppModel
    described: dict[str, Field]
    fields: list[str]
    found: dict[int, Found] = attrs.Factory(dict)
    through: list[RecordName] = attrs.Factory(list)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.configuration.name

    @property
    def by_usual_names(self) -> bool:
        """Whether nothing is known of the model, so that it is searched by what fields usually are
        called."""
        return not known(self.model).search_fields

    def keep(self, level: int, rows: Iterable[tuple[Rank, Record]]) -> int:
        """Add records of a level and return how many are new."""
        before = len(self.found)
        for position, (ranked, record) in enumerate(rows):
            order = (level, *ranked, position)
            self.found.setdefault(record["id"], Found(order=order, record=record))
        return len(self.found) - before


def concerns_one_level(error: OdooError) -> bool:
    """Whether an error leaves the other levels and models worth trying."""
    return error.category not in _OF_THE_CONNECTION or error.code in _OF_ONE_LEVEL


def ask(
    search: ModelSearch, domains: Sequence[Domain], extra: Iterable[str]
) -> tuple[list[Record], list[str]]:
    """Return records that are not yet found, and notes.

    Args:
        search: where.
        domains: from the broadest to the narrowest; a narrower one is asked only when the one
            before matches more than the limit, so that the best matches are among what came.
        extra: fields to read for the ranking, besides those to return.
    """
    fields = search.fields if "*" in search.fields else [*search.fields, *extra]
    return tiers(search.shared, search.model, domains, fields, list(search.found))


def tiers(
    shared: Shared,
    model: str,
    domains: Sequence[Domain],
    fields: Sequence[str],
    known: Sequence[int] = (),
) -> tuple[list[Record], list[str]]:
    """Do what :func:`ask` does, for any model and without the records of ``known``."""
    rows: dict[int, Record] = {}
    notes: dict[str, None] = {}
    others = Domain([["id", "not in", list(known)]]) if known else Domain()
    # With one word, any and all are the same.
    for domain in {str(domain): domain for domain in domains}.values():
        found = search_read(
            shared.odoo, model, (others & domain).build(), fields, limit=shared.limit
        )
        for row in found:
            rows.setdefault(row["id"], row)
        if found.skipped_fields:
            notes[f"fields that may not be read: {', '.join(found.skipped_fields)}"] = None
        if not found.has_more:
            break
        notes[f"{shared.limit} or more match; the best of those looked at were taken"] = None
    return list(rows.values()), list(notes)


def searchable(described: dict[str, Field], names: Iterable[str]) -> tuple[list[str], list[str]]:
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
