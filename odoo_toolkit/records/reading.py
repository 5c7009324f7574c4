"""Searching and reading records of any model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import AtMost, Context, Domain, Fields, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT, UNREADABLE_FIELDS
from odoo_toolkit.connection.call import Call
from odoo_toolkit.domains import resolve_domain
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.fields import Field, unknown_field_error
from odoo_toolkit.records.arguments import (
    Ids,
    checked_ids,
    describe,
    known,
    readable_of,
    with_bin_size,
)
from odoo_toolkit.records.results import (
    CountResult,
    DefaultsResult,
    NamesResult,
    ReadResult,
    Record,
    RecordName,
    SearchResult,
)
from odoo_toolkit.records.unreadable import without_unreadable
from odoo_toolkit.values import from_wire

#: What a search returns unless told; fields that a model lacks are left out (REQ-04-01).
DEFAULT_FIELDS = ("id", "name", "display_name")


def search_read(
    odoo: Odoo,
    model: Model,
    domain: Domain = (),
    fields: Annotated[
        Fields, Doc("Field names; ['*'] for all but binary ones. Ask for binary fields singly.")
    ] = DEFAULT_FIELDS,
    limit: Annotated[int, Ge(1), AtMost(500), Doc("Most records to return.")] = 80,
    offset: Annotated[int, Ge(0), Doc("Records to skip.")] = 0,
    order: Annotated[str | None, Doc("E.g. 'date_order desc, id'.")] = None,
    context: Context = None,
    count_total: Annotated[bool, Doc("Also count all matches.")] = False,
) -> SearchResult:
    """Return the records that match a domain; one round trip (two with ``count_total``).

    >>> search_read(odoo, "sale.order", [["state", "=", "sale"]], ["name", "amount_total"])

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        domain: which records; a list of conditions or a :class:`~odoo_toolkit.domains.Domain`.
        fields: names of fields, or ``["*"]`` for all but binary ones.
        limit: most records; above ``odoo.options.max_limit`` it is lowered, with a warning.
        offset: records to skip.
        order: fields with ``asc`` or ``desc``; the model's own order by default.
        context: extends the base context.
        count_total: whether to count all matches too.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD: nothing has been sent.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    asked = {"domain": domain, "fields": fields, "order": order}
    described = describe(odoo, model, "search_read", asked, context)
    context = with_bin_size(described, fields, context)
    resolved, warnings = _resolve(odoo, model, domain)
    names = _chosen(odoo, model, described, fields)
    most = odoo.options.max_limit
    if most is not None and limit > most:
        warnings.append(f"limit {limit} was lowered to {most}, the most that is allowed.")
        limit = most
    if order:
        _check_order(model, order, described)

    def find(chosen: Sequence[str]) -> list[Record]:
        arguments: dict[str, Any] = {"domain": resolved, "fields": list(chosen)}
        arguments |= {"offset": offset, "limit": limit}
        if order:
            arguments["order"] = order
        rows: list[Record] = odoo.call(
            Call(model=model, method="search_read", arguments=arguments, context=context)
        )
        return rows

    rows, skipped = without_unreadable(find, names)
    records = [_shown(odoo, row, described) for row in rows]
    has_more = len(records) == limit
    total = None
    if count_total or (model in FILTERED_AFTER_LIMIT and not has_more):
        total = _count(odoo, model, resolved, context)
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
        skipped_fields=skipped,
        warnings=warnings,
    )


def read(
    odoo: Odoo,
    model: Model,
    ids: Annotated[Ids, Len(1, 100), Doc("Record ids.")],
    fields: Annotated[
        Fields, Doc("Field names; none for all stored ones. Ask for binary fields singly.")
    ] = (),
    context: Context = None,
) -> ReadResult:
    """Return records by their ids, in the order asked; one round trip.

    Odoo itself says nothing of ids that do not exist (14 to 19), so what comes back is compared
    with what was asked (REQ-04-07).

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        ids: positive integers.
        fields: names of fields; by default all stored ones, ``["*"]`` for computed ones too,
            binary ones only when named.
        context: extends the base context.

    Raises:
        ValidationError: an id or a field is wrong: nothing has been sent.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    ids = checked_ids(ids)
    described = describe(odoo, model, "read", {"fields": fields}, context, ids)
    context = with_bin_size(described, fields, context)
    names = _chosen(odoo, model, described, fields)
    # Asked for the id alone, Odoo echoes ids that do not exist.
    asked = names if set(names) != {"id"} else ["id", "display_name"]

    def fetch(chosen: Sequence[str], wanted: Sequence[int] = ids) -> list[Record]:
        call = Call(
            model=model,
            method="read",
            ids=tuple(wanted),
            arguments={"fields": list(chosen)},
            context=context,
        )
        rows: list[Record] = odoo.call(call)
        return rows

    try:
        rows, skipped = without_unreadable(fetch, asked)
    except NotFoundError as error:
        if error.code != "NOT_FOUND":
            raise
        # A record vanished, or a computed field stumbled over one that had.
        existing = _existing(odoo, model, ids, context)
        if not existing or len(existing) == len(ids):
            raise
        rows, skipped = without_unreadable(lambda chosen: fetch(chosen, existing), asked)
    by_id = {row["id"]: _shown(odoo, row, described) for row in rows}
    if asked is not names:
        by_id = {key: {"id": key} for key in by_id}
    return ReadResult(
        records=[by_id[i] for i in ids if i in by_id],
        missing_ids=[i for i in ids if i not in by_id],
        skipped_fields=skipped,
    )


def count(odoo: Odoo, model: Model, domain: Domain = (), context: Context = None) -> CountResult:
    """Return how many records match a domain; one round trip.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD: nothing has been sent.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    describe(odoo, model, "search_count", {"domain": domain}, context)
    resolved, warnings = _resolve(odoo, model, domain)
    return CountResult(
        model=model,
        domain=resolved,
        count=_count(odoo, model, resolved, context),
        warnings=warnings,
    )


def name_get(
    odoo: Odoo, model: Model, ids: Annotated[Ids, Len(1, 200), Doc("Record ids.")]
) -> NamesResult:
    """Return the display names of records, in the order asked; one round trip.

    ``display_name`` is read, because Odoo's own ``name_get`` is gone in 18.

    Raises:
        ValidationError: an id is wrong.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    found = read(odoo, model, ids, ["display_name"])
    names = [RecordName(id=row["id"], name=row["display_name"]) for row in found]
    return NamesResult(model=model, names=names, missing_ids=found.missing_ids)


def default_get(
    odoo: Odoo,
    model: Model,
    fields: Annotated[Fields, Doc("Field names; none for all fields that have a default.")] = (),
    context: Context = None,
) -> DefaultsResult:
    """Return the values that a new record would get, relations as ids; one round trip.

    Raises:
        ValidationError: there is no such field.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    described = describe(odoo, model, "default_get", {"fields": fields}, context)
    # A default picture is left out unless it is asked for by name.
    names = (
        known(model, fields, described)
        if fields
        else [name for name, field in described.items() if field.type != "binary"]
    )
    answer = odoo.call(
        Call(
            model=model,
            method="default_get",
            arguments={"fields": names},
            context=context or {},
        )
    )
    options = attrs.evolve(odoo.options, normalize_many2one=False)
    return DefaultsResult(model=model, defaults=from_wire(answer, described, options))


def _resolve(odoo: Odoo, model: str, domain: Domain) -> tuple[list[Any], list[str]]:
    return resolve_domain(domain, model, readable_of(odoo), version_major=odoo.version.major)


def _chosen(
    odoo: Odoo, model: str, described: Mapping[str, Field], fields: Sequence[str]
) -> list[str]:
    """Return the names of the fields to read: what was asked, or what stands for all."""
    if isinstance(fields, str):
        raise ValidationError(
            "fields must be a list of field names.", suggestion=f"Give [{fields!r}]."
        )
    if tuple(fields) == DEFAULT_FIELDS:
        return [name for name in fields if name in described]
    if not fields or "*" in fields:
        return [
            name
            for name, field in described.items()
            if (field.type != "binary" and (field.store or fields)) or name == "id"
        ]
    names = known(model, fields, described)
    for name in names:
        if (model, name) in UNREADABLE_FIELDS:
            raise ValidationError(
                f"The field {name!r} of {model} breaks the answer of some Odoo versions.",
                suggestion=UNREADABLE_FIELDS[model, name],
                code="INVALID_FIELD",
                details={"model": model, "field": name},
            )
    return names


def _check_order(model: str, order: str, described: Mapping[str, Field]) -> None:
    for part in order.split(","):
        words = part.split()
        name = words[0].split(".")[0] if words else ""
        direction = " ".join(words[1:]).lower()
        if name not in described:
            raise unknown_field_error(model, name, described)
        if direction not in {
            f"{way}{nulls}".strip()
            for way in ("", "asc", "desc")
            for nulls in ("", " nulls first", " nulls last")
        }:
            raise ValidationError(
                f"The order {part.strip()!r} is not understood.",
                suggestion=f"Write '{name} asc' or '{name} desc', several separated by commas.",
            )
        if not described[name].sortable:
            raise ValidationError(
                f"Records of {model} cannot be ordered by {name}: it is computed, not stored.",
                suggestion="Order by a stored field.",
                details={"model": model, "field": name},
            )


def _shown(odoo: Odoo, row: Record, described: Mapping[str, Field]) -> Record:
    return from_wire(row, described, odoo.options)


def _count(odoo: Odoo, model: str, domain: list[Any], context: Mapping[str, Any] | None) -> int:
    call = Call(
        model=model,
        method="search_count",
        arguments={"domain": domain},
        context=context or {},
    )
    return int(odoo.call(call))


def _existing(odoo: Odoo, model: str, ids: Sequence[int], context: Mapping[str, Any]) -> list[int]:
    call = Call(
        model=model,
        method="search",
        arguments={"domain": [["id", "in", list(ids)]]},
        context={**context, "active_test": False},
    )
    found: list[int] = odoo.call(call)
    return found
