"""Searching and reading records of any model."""

from __future__ import annotations

from typing import Annotated

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit.annotations import AtMost, Context, Domain, Fields, JsonSchema, Model
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.policy.tables import is_read_unasked
from odoo_toolkit.records import rows
from odoo_toolkit.records.arguments import Ids, describe, known, listed_fields
from odoo_toolkit.records.iterate import search_all
from odoo_toolkit.records.results import (
    CountResult,
    DefaultsResult,
    NamesResult,
    ReadResult,
    RecordName,
    SearchResult,
)
from odoo_toolkit.records.rows import DEFAULT_FIELDS
from odoo_toolkit.values import from_wire


def search_read(
    odoo: Odoo,
    model: Annotated[Model, Doc("Technical name, e.g. res.partner.")],
    domain: Domain = (),
    fields: Annotated[
        Fields, Doc("Field names, also dotted (partner_id.city); ['*'] for all but binary.")
    ] = DEFAULT_FIELDS,
    limit: Annotated[
        int | None,
        JsonSchema({"type": "integer"}),
        Ge(1),
        AtMost(500),
        Doc("Maximum number of records."),
    ] = 80,
    offset: Annotated[int, Ge(0), Doc("Records to skip.")] = 0,
    order: Annotated[str | None, Doc("E.g. 'date_order desc, id'.")] = None,
    context: Annotated[Context, Doc("E.g. {'lang': 'fr_FR', 'active_test': false}.")] = None,
    count_total: Annotated[bool, Doc("Also count all matches.")] = False,
) -> SearchResult:
    """Return the records that match a domain; one round trip (two with ``count_total``).

    ``limit=None`` returns all of them, read a page at a time where they are many; to use them
    while they are read, see :func:`iterate`.

    Fields may be dotted, ``order_id.partner_id.country_id.code``, at one round trip more for each
    relation: what a path leads to through many records is a list, in their order; what the user
    may not read there, and what is not there, is None.

    Of messages, files, activities, field descriptions, ... those that belong to closed models are
    left out; ``excluded_count`` of the result says how many, found out beside the search.

    >>> search_read(odoo, "sale.order", [["state", "=", "sale"]], ["name", "amount_total"])

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        domain: which records; a list of conditions or a :class:`~odoo_toolkit.arguments.Domain`.
        fields: names of fields and dotted paths, ``["*"]`` for all but binary fields; none are
            the default ones.
        limit: most records, from 1 on, or None for all; above ``odoo.options.max_limit`` it is
            lowered, with a warning.
        offset: records to skip.
        order: fields with ``asc`` or ``desc``, and equals by id, so that no page repeats or leaves
            out a record; by default the model's own, which may not tell records apart.
        context: extends the base context.
        count_total: whether to count all matches too.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, or a limit, an offset or an order that is
            none: nothing has been sent.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    if limit is None and odoo.options.max_limit is None:
        return search_all(
            odoo,
            model,
            domain,
            fields,
            offset=offset,
            order=order,
            context=context,
            count_total=count_total,
        )
    return rows.search(
        odoo,
        odoo.options,
        model,
        domain,
        fields,
        limit=limit,
        offset=offset,
        order=order,
        context=context,
        count_total=count_total,
        tell_left_out=True,
    )


def read(
    odoo: Odoo,
    model: Model,
    ids: Annotated[Ids, Len(1, 100), Doc("Ids of the records.")],
    fields: Annotated[Fields, Doc("Field names; none for all stored ones.")] = (),
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> ReadResult:
    """Return records by their ids, in the order asked; one round trip.

    Odoo itself says nothing of ids that do not exist (14 to 19), so what comes back is compared
    with what was asked.

    Args:
        odoo: the connection.
        model: such as ``res.partner``.
        ids: positive integers.
        fields: names of fields and dotted paths, as of :func:`search_read`; by default all stored
            ones, ``["*"]`` for computed ones too, binary ones only when named.
        context: extends the base context.

    Raises:
        ValidationError: an id or a field is wrong: nothing has been sent.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    return rows.read(odoo, odoo.options, model, ids, fields, context)


def count(
    odoo: Odoo,
    model: Model,
    domain: Domain = (),
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> CountResult:
    """Return how many records match a domain; one round trip.

    What belongs to closed models is not counted; ``excluded_count`` says how many records that are.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD: nothing has been sent.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    return rows.count(odoo, model, domain, context)


def name_get(
    odoo: Odoo, model: Model, ids: Annotated[Ids, Len(1, 200), Doc("Ids of the records.")]
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
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> DefaultsResult:
    """Return the values that a new record would get, relations as ids; one round trip.

    Raises:
        ValidationError: there is no such field.
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
    """
    fields = listed_fields(fields)
    described = describe(odoo, model, "default_get", {"fields": fields}, context)
    # Unless asked for by name, pictures are left out, as is what writes when it is computed.
    names = (
        known(model, fields, described)
        if fields
        else [name for name, field in described.items() if is_read_unasked(model, field)]
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
