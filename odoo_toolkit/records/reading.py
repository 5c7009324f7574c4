"""Functions that search and read records of any model."""

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
        Fields, Doc("Field names, also dotted (partner_id.city). ['*'] for all but binary.")
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
    """Return the records that match a domain.

    >>> search_read(odoo, "sale.order", [["state", "=", "sale"]], ["name", "amount_total"])

    The result is a list of dictionaries, by default of at most 80 records. If ``has_more`` is true,
    a sum over it misses records. Pass ``limit=None`` to get every record. The toolkit then reads
    page after page. To use records while they arrive, see :func:`iterate`.

    Fields can follow relations: ``order_id.partner_id.country_id.code``. Each relation costs one
    more request. A path through several records returns a list of values. A value that the user
    can't read, or that does not exist, is None.

    Records are ordered by ``order``, and equal records by id, so no page repeats or skips a record.
    Without ``order`` you get the model's default order, which may not be unique. A ``limit`` above
    ``odoo.options.max_limit`` is lowered with a warning.

    Messages, activities, files and similar records of blocked models are omitted.
    ``excluded_count`` of the result counts them.

    A search takes one request, or two with ``count_total``.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, or a wrong limit, offset or order. Nothing
            was sent.
        NotFoundError: The model does not exist.
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
    fields: Annotated[Fields, Doc("Field names. Default: all stored ones.")] = (),
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> ReadResult:
    """Return records by their ids, in the order of the ids.

    By default you get all stored fields. Pass ``["*"]`` for computed fields, too. Binary fields are
    read only if you name them. Dotted paths work as in :func:`search_read`.

    Odoo 14 to 19 do not report ids that do not exist, so the toolkit compares the response with
    your ids. ``missing_ids`` of the result lists the others. A read takes one request.

    Raises:
        ValidationError: An id is not a positive integer, or a field is wrong. Nothing was sent.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    return rows.read(odoo, odoo.options, model, ids, fields, context)


def count(
    odoo: Odoo,
    model: Model,
    domain: Domain = (),
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> CountResult:
    """Return the number of records that match a domain.

    Records of blocked models are not counted. ``excluded_count`` of the result says how many there
    are. A count takes one request.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD. Nothing has been sent.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    return rows.count(odoo, model, domain, context)


def name_get(
    odoo: Odoo, model: Model, ids: Annotated[Ids, Len(1, 200), Doc("Ids of the records.")]
) -> NamesResult:
    """Return the display names of records, in the order of the ids.

    The toolkit reads ``display_name``, because Odoo 18 removed the method ``name_get``. It takes
    one request.

    Raises:
        ValidationError: An id is wrong.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    found = read(odoo, model, ids, ["display_name"])
    names = [RecordName(id=row["id"], name=row["display_name"]) for row in found]
    return NamesResult(model=model, names=names, missing_ids=found.missing_ids)


def default_get(
    odoo: Odoo,
    model: Model,
    fields: Annotated[Fields, Doc("Field names. Default: all with a default value.")] = (),
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> DefaultsResult:
    """Return the default values of a new record, relations as ids.

    It takes one request.

    Raises:
        ValidationError: The field does not exist.
        NotFoundError: The model does not exist.
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
