"""Rows of records, as the options say or in the one shape that the toolkit's operations rely on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.arguments import Domain, Order, read_order, resolved_domain
from odoo_toolkit.arguments.domain_values import PROPERTIES_SINCE
from odoo_toolkit.call import Call
from odoo_toolkit.client import Admitted, Odoo
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT, SHARED_IDS
from odoo_toolkit.errors import (
    AccessError,
    NotFoundError,
    OdooError,
    StateError,
    ValidationError,
    make_error,
)
from odoo_toolkit.fields import Field, FieldsOf, unknown_field_error
from odoo_toolkit.policy.owners import is_owned
from odoo_toolkit.policy.tables import is_read_unasked
from odoo_toolkit.records import paths
from odoo_toolkit.records.arguments import (
    admit,
    check_unbroken,
    checked_count,
    checked_ids,
    known,
    listed_fields,
    readable_of,
    with_bin_size,
)
from odoo_toolkit.records.default_orders import own_order
from odoo_toolkit.records.omissions import FAULTS, failing_fields, with_left_out, without_unreadable
from odoo_toolkit.records.properties import check_properties
from odoo_toolkit.records.results import CountResult, ReadResult, Record, SearchResult
from odoo_toolkit.records.time_zones import DayZone
from odoo_toolkit.values import ReadOptions

#: What a search returns unless told; fields that a model lacks are left out.
DEFAULT_FIELDS = ("id", "name", "display_name")

_OVERLAPPING = (
    "The default order of this model is not known, so pages may repeat or omit records. Pass "
    "an order from the first page on. The toolkit then sorts equal records by id."
)

_OWN = ReadOptions()

#: Types of fields that tell the rows of a view apart.
_TELLING = frozenset({"many2one", "date", "datetime", "selection", "char", "boolean"})


def search(
    odoo: Odoo,
    options: ReadOptions,
    model: str,
    domain: Sequence[Any],
    fields: Sequence[str],
    *,
    limit: int | None,
    offset: int = 0,
    order: str | None = None,
    context: Mapping[str, Any] | None = None,
    count_total: bool = False,
    tell_left_out: bool = False,
) -> SearchResult:
    """Search as :func:`odoo_toolkit.records.search_read` says, in the shape of the options.

    Operations do not ask what was left out: they search for what they may see.
    """
    question = in_own_order(odoo, asked(odoo, model, domain, fields, order, context, offset))
    warnings, offset = question.warnings, question.offset
    limit = _limit(limit, options.max_limit, warnings)

    search = question.sending("search_read", {**question.arguments, "limit": limit})
    shower = paths.Shower(odoo, options, question.columns, question.context)
    rows, hidden = (
        with_left_out(
            odoo, search.call, warnings, lambda: fetched(odoo, search, shower), count_total
        )
        if tell_left_out
        else (fetched(odoo, search, shower), 0)
    )
    records = shower.show(rows)
    has_more = len(records) == limit
    total = None
    if count_total or (model in FILTERED_AFTER_LIMIT and not has_more):
        total = int(odoo.send(question.counting()))
        has_more = total > offset + len(records)
    return SearchResult(
        records=records,
        count=len(records),
        model=model,
        limit=limit,
        offset=offset,
        has_more=has_more,
        next_offset=offset + limit if has_more else None,
        total=total if count_total else None,
        excluded_count=hidden,
        url=odoo.links(model, [row["id"] for row in records]),
        time_zone=question.time_zone,
        skipped_fields=list(shower.skipped),
        warnings=[*warnings, *shower.warnings],
        described=question.columns.described(shower.skipped),
    )


@attrs.frozen(kw_only=True)
class Question:
    """What is searched for, checked; it can be sent in one call or in many.

    Attributes:
        model: such as ``res.partner``.
        admitted: the question as the policy let it pass.
        domain: as Odoo takes it.
        order: what was asked for, and by id where that does not tell records apart.
        offset: records to skip.
        columns: what to read.
        context: of the calls.
        warnings: what was understood otherwise than it was asked.
        every: whether all fields were asked for, and not each by its name.
        time_zone: of the days in the domain, if there are any.
    """

    model: str
    admitted: Admitted
    domain: Domain
    order: Order | None
    offset: int
    columns: paths.Columns
    context: Mapping[str, Any]
    warnings: list[str]
    every: bool = False
    time_zone: str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """What it is, as arguments of ``search`` and ``search_read``."""
        order = {"order": self.order} if self.order else {}
        return {"domain": self.domain, "offset": self.offset, **order}

    def sending(self, method: str, arguments: Mapping[str, Any], **context: Any) -> Admitted:
        """Return a call that asks it, or a part of it."""
        return self.admitted.sending(method, arguments, {**self.context, **context})

    def counting(self) -> Admitted:
        """Return the call that counts the records that match."""
        return self.sending("search_count", {"domain": self.domain})


def asked(
    odoo: Odoo,
    model: str,
    domain: Sequence[Any],
    fields: Sequence[str],
    order: str | None,
    context: Mapping[str, Any] | None,
    offset: int = 0,
) -> Question:
    """Check what is asked for, against the policy and the schema.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, or an order or an offset that is none.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    offset = checked_count(offset, "offset", 0)
    fields = listed_fields(fields) or list(DEFAULT_FIELDS)
    worded = {"domain": domain, "fields": fields, "order": order or None}
    call = Call(model=model, method="search_read", arguments=worded, context=context or {})
    admitted, fields_of = admit(odoo, call), readable_of(odoo)
    described, ordered = fields_of(model), admitted.call.arguments.get("order")
    if model in SHARED_IDS:
        raise shared_ids(model, described)
    zone = DayZone(odoo, context)
    resolved, warnings = _resolve(odoo, model, admitted.call.arguments["domain"], fields_of, zone)
    if ordered and odoo.version.major >= PROPERTIES_SINCE:
        check_properties(odoo, model, ordered.paths, fields_of)
    columns = _columns(model, described, fields, fields_of)
    return Question(
        model=model,
        admitted=admitted,
        domain=resolved,
        order=_whole_order(model, ordered, described) if ordered else None,
        offset=offset,
        columns=columns,
        context=with_bin_size(described, fields, zone.context()),
        warnings=warnings,
        time_zone=zone.name,
        every="*" in fields,
    )


def in_own_order(odoo: Odoo, question: Question) -> Question:
    """Return a question without an order in that of its model, with equals by their ids.

    Each page is sent so, the first one, too, since the order must be the same on all of them.
    """
    if question.order:
        return question
    model = question.model
    own = own_order(model, odoo.version.major, odoo.schema.fields(model))
    if own is None and question.offset:
        question.warnings.append(_OVERLAPPING)
    return attrs.evolve(question, order=read_order(own).whole()) if own else question


def fetched(odoo: Odoo, asked: Admitted, shower: paths.Shower) -> list[Record]:
    """Return the rows that a call reads, as Odoo sends them, as far as the user may read them."""
    with _failing_named(odoo, asked, shower.names()):
        rows, refused = without_unreadable(
            lambda chosen: _asked(odoo, asked, chosen), shower.names()
        )
    shower.refuse(refused)
    return rows


@contextlib.contextmanager
def _failing_named(odoo: Odoo, asked: Admitted, names: Sequence[str]) -> Iterator[None]:
    """Name, in an error of Odoo, the field that fails when it is read.

    Odoo computes many fields only when they are read, and its error tells of one record or of
    the database, never of the field. Which it is, is found out by reading fewer of them.
    """
    try:
        yield
    except OdooError as error:
        if error.code not in FAULTS:
            raise
        failing = failing_fields(lambda chosen: _asked(odoo, asked, chosen), names)
        if not failing:
            raise
        model = asked.call.model
        raise make_error(
            error.code,
            f"{error.message.rstrip('.')}. The error occurs when reading {', '.join(failing)} of "
            f"{model}.",
            suggestion=f"Omit {', '.join(failing)} from fields, or have the field fixed in Odoo.",
            details={**error.details, "model": model, "fields": failing},
        ) from error


def _limit(limit: Any, most: int | None, warnings: list[str]) -> int:
    if limit is None and most is not None:
        warnings.append(f"The maximum is {most} records at a time.")
        return most
    limit = checked_count(limit, "limit", 1)
    if most is not None and limit > most:
        warnings.append(f"limit {limit} was reduced to {most}, the maximum.")
        limit = most
    return int(limit)


def _columns(
    model: str, described: Mapping[str, Field], fields: Sequence[str], fields_of: FieldsOf
) -> paths.Columns:
    own = [name for name in fields if "." not in name]
    names = _chosen(model, described, own) if own or not fields else []
    return paths.columns(model, described, names, fields, fields_of)


def read(
    odoo: Odoo,
    options: ReadOptions,
    model: str,
    ids: Sequence[int],
    fields: Sequence[str],
    context: Mapping[str, Any] | None = None,
    seen: Callable[[list[Record]], None] | None = None,
) -> ReadResult:
    """Read as :func:`odoo_toolkit.records.read` says, in the shape of the options.

    ``seen`` is given the rows as Odoo sent them.
    """
    ids, fields = checked_ids(ids, of_views=True), listed_fields(fields)
    fields_of = readable_of(odoo)
    call = Call(
        model=model, method="read", ids=ids, arguments={"fields": fields}, context=context or {}
    )
    admitted = admit(odoo, call)
    described = fields_of(model)
    logged = described.get("write_date")
    if min(ids) < 0 and logged is not None and logged.store:
        checked_ids(ids)  # refuses them: only views of other tables have such
    context = with_bin_size(described, fields, context)
    columns = _columns(model, described, fields, fields_of)
    shower = paths.Shower(odoo, options, columns, context)
    # Asked for the id alone, Odoo echoes ids that do not exist.
    only_id = columns.wire == ["id"]
    names = ["id", "display_name"] if only_id else columns.wire
    with _failing_named(odoo, admitted.sending("read", {}, context, ids), names):
        rows, refused = _fetched(odoo, admitted, ids, names, context)
    shower.refuse(refused)
    if seen:
        seen(rows)
    by_id = {row["id"]: row for row in shower.show(rows)}
    if only_id:
        by_id = {key: {"id": key} for key in by_id}
    return ReadResult(
        records=[by_id[i] for i in ids if i in by_id],
        missing_ids=[i for i in ids if i not in by_id],
        url=odoo.links(model, list(by_id)),
        skipped_fields=list(shower.skipped),
        warnings=list(shower.warnings),
        described=columns.described(shower.skipped),
    )


def _fetched(
    odoo: Odoo, admitted: Admitted, ids: Sequence[int], names: list[str], context: Mapping[str, Any]
) -> tuple[list[Record], list[str]]:
    """Read records; what belongs to other models' records is searched for first.

    To read such by their ids, the connection must find out first which of them may be seen, in
    two round trips more; a search leaves out by itself what may not. But a search reads without
    ``active_test``, so that links to archived records would be missing where these are wanted.
    """
    found: list[Record] = []
    skipped: list[str] = []
    model = admitted.call.model
    if is_owned(model) and context.get("active_test", True):
        arguments = {"domain": [["id", "in", list(ids)]]}
        search = admitted.sending("search_read", arguments, context)
        # Where it is refused, reading by the ids says why.
        with contextlib.suppress(AccessError, NotFoundError):
            found, skipped = without_unreadable(lambda chosen: _asked(odoo, search, chosen), names)
        ids = sorted(set(ids) - {row["id"] for row in found})
        if not ids:
            return found, skipped
        names = [name for name in names if name not in skipped]
    read = admitted.sending("read", {}, context, ids)
    try:
        rows, refused = without_unreadable(lambda chosen: _asked(odoo, read, chosen), names)
    except NotFoundError as error:
        if error.code != "NOT_FOUND":
            raise
        # A record vanished, or a computed field stumbled over one that had.
        existing = existing_ids(odoo, model, ids, context)
        if not existing or len(existing) == len(ids):
            raise
        read = admitted.sending("read", {}, context, existing)
        rows, refused = without_unreadable(lambda chosen: _asked(odoo, read, chosen), names)
    return [*found, *rows], [*skipped, *refused]


def _asked(odoo: Odoo, asked: Admitted, fields: Sequence[str]) -> list[Record]:
    arguments = {**asked.call.arguments, "fields": list(fields)}
    rows: list[Record] = odoo.send(asked.sending(None, arguments, ids=asked.call.ids))
    if len({row["id"] for row in rows}) < len(rows):
        model = asked.call.model
        raise shared_ids(model, odoo.schema.fields(model))
    return rows


def shared_ids(model: str, described: Mapping[str, Field]) -> StateError:
    """Return the error for a view of which several rows have one id: their values are not told."""
    groups = [
        f"{name}:day" if field.type in ("date", "datetime") else name
        for name, field in described.items()
        if field.store and field.type in _TELLING and name != "id"
    ]
    sums = [
        f"{name}:sum"
        for name, field in described.items()
        if field.store and field.type in ("float", "monetary")
    ]
    return StateError(
        f"Several rows of {model} have the same id, because it is a view of other tables. Odoo "
        "would return the values of one row for all of them.",
        suggestion=f"Read it with aggregate, which counts each row: group by {', '.join(groups)}. "
        f"Measures: {', '.join(sums) or 'none'}.",
        details={"model": model, "groupby": groups, "measures": sums},
        outcome="not_sent",
    )


def count(
    odoo: Odoo, model: str, domain: Sequence[Any], context: Mapping[str, Any] | None = None
) -> CountResult:
    """Return how many records match a domain."""
    asked = {"domain": domain}
    call = Call(model=model, method="search_count", arguments=asked, context=context or {})
    admitted = admit(odoo, call)
    read, fields_of = admitted.call.arguments["domain"], readable_of(odoo)
    zone = DayZone(odoo, context)
    resolved, warnings = _resolve(odoo, model, read, fields_of, zone)
    search = admitted.sending(arguments={"domain": resolved}, context=zone.context())
    found, hidden = with_left_out(odoo, search.call, warnings, lambda: int(odoo.send(search)), True)
    return CountResult(
        model=model, domain=resolved.build(), count=found, time_zone=zone.name,
        excluded_count=hidden, warnings=warnings,
    )  # fmt: skip


def read_rows(odoo: Odoo, model: str, ids: Sequence[int], fields: Sequence[str]) -> list[Record]:
    """Return records as :func:`read` does, in one shape whatever the options say."""
    return read(odoo, _OWN, model, ids, fields).records


def _resolve(
    odoo: Odoo, model: str, domain: Any, fields_of: FieldsOf, zone: DayZone
) -> tuple[Domain, list[str]]:
    resolved, warnings = resolved_domain(domain, model, fields_of, odoo.version.major, zone)
    paths = [item[0] for item in resolved.elements if isinstance(item, (list, tuple)) and item]
    check_properties(odoo, model, paths, fields_of)
    return resolved, warnings


def _chosen(model: str, described: Mapping[str, Field], fields: Sequence[str]) -> list[str]:
    """Return the names of the fields to read: what was asked, or what stands for all."""
    if tuple(fields) == DEFAULT_FIELDS:
        return [name for name in fields if name in described]
    if not fields or "*" in fields:
        return [
            name
            for name, field in described.items()
            if name == "id" or ((field.store or fields) and is_read_unasked(model, field))
        ]
    names = known(model, fields, described)
    for name in names:
        check_unbroken(model, described[name])
    return names


def _whole_order(model: str, order: Order, described: Mapping[str, Field]) -> Order:
    """Return an order that tells all records apart, by fields that the database can sort by."""
    for path in order.paths:
        name = path.partition(".")[0]
        if name not in described:
            raise unknown_field_error(model, name, described)
        if not described[name].sortable:
            raise ValidationError(
                f"Records of {model} cannot be ordered by {name}, because it is computed and not "
                "stored.",
                suggestion="Order by a stored field.",
                details={"model": model, "field": name},
            )
    return order.whole()


def existing_ids(
    odoo: Odoo,
    model: str,
    ids: Sequence[int],
    context: Mapping[str, Any],
    *,
    internal: bool = False,
) -> list[int]:
    """Return which records there are, archived ones, too, as far as the user may see them."""
    call = Call(
        model=model,
        method="search",
        arguments={"domain": [["id", "in", list(ids)]]},
        context={**context, "active_test": False},
        internal=internal,
    )
    found: list[int] = odoo.call(call)
    return found
