"""A function that groups records, and calculates counts, sums and averages of each group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import AtMost, Context, Domain, Fields, JsonSchema, Model
from odoo_toolkit.arguments import read_domain, read_order, resolve_domain
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import Field
from odoo_toolkit.records.aggregate.grouped_rows import Question, names_in, number_of_groups, page
from odoo_toolkit.records.aggregate.grouping import COUNT, Spec
from odoo_toolkit.records.aggregate.measuring import ORDER_EXAMPLE, listed, parse
from odoo_toolkit.records.aggregate.mixed import (
    company_warnings,
    currency_warnings,
    with_companies,
    with_currencies,
)
from odoo_toolkit.records.arguments import admit, checked_count, readable_of
from odoo_toolkit.records.results import Described, Record, _Rows
from odoo_toolkit.records.time_zones import DayZone

Having = Annotated[
    Sequence[Any],
    JsonSchema({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "array"}]}}),
    Doc('E.g. [["amount_total:sum", ">", 1000]].'),
]


@attrs.frozen(kw_only=True)
class AggregateResult(_Rows):
    """The groups of records.

    Attributes:
        records: One row per group, with the groupings, the measures and ``count``, the number of
            records.
        count: Number of rows in this result.
        has_more: True if there are more groups.
        next_offset: Offset of the next page, if there is one.
        total: Number of all groups, if it is known.
        time_zone: Time zone of the periods, and of the days in the domain.
        excluded_count, warnings: See :class:`~odoo_toolkit.records.results.SearchResult`.
    """

    _row = "group"

    records: list[Record]
    count: int
    model: str
    has_more: bool
    next_offset: int | None = None
    total: int | None = None
    time_zone: str | None = None
    excluded_count: int | None = 0
    warnings: list[str] = attrs.Factory(list)
    described: Described = attrs.field(factory=dict, repr=False, eq=False)


def aggregate(
    odoo: Odoo,
    model: Model,
    domain: Domain = (),
    groupby: Annotated[
        Fields,
        Doc(
            "Stored fields, date:hour|day|week|month|quarter|year, paths such as"
            " partner_id.country_id. Default: one row."
        ),
    ] = (),
    measures: Annotated[
        Fields, Doc("field:sum|avg|min|max|count|count_distinct. Each row contains count.")
    ] = (),
    order: Annotated[str | None, Doc("E.g. 'amount_total:sum desc'.")] = None,
    limit: Annotated[
        int | None,
        JsonSchema({"type": "integer"}),
        Ge(1),
        AtMost(500),
        Doc("Maximum number of rows."),
    ] = 80,
    offset: Annotated[int, Ge(0), Doc("Rows to skip.")] = 0,
    having: Having = (),
    context: Annotated[Context, Doc("Odoo context. tz: time zone.")] = None,
    count_total: Annotated[bool, Doc("Also count all groups.")] = False,
) -> AggregateResult:
    """Group the records that match a domain, and calculate sums and averages of each group.

    >>> aggregate(odoo, "sale.order", [["state", "=", "sale"]],
    ...           ["partner_id", "date_order:month"], ["amount_total:sum"])

    Group by stored fields, by periods such as ``date_order:month``, and by paths of many2one fields
    such as ``order_id.partner_id.country_id``. Odoo 15 and later also group by many2many fields,
    and Odoo 17 and later by properties such as ``task_properties.size``. A record with several tags
    counts in the group of each.

    Measure stored fields. ``sum`` and ``avg`` work on numbers, ``min`` and ``max`` on numbers and
    dates. ``count`` counts values that are not empty.

    The rows have the same form on Odoo 14 to 19. A many2one is ``{"id", "name"}``, and an empty
    value is None. A period is its first day, in ``time_zone`` of the result: ``tz`` of the context,
    of the connection, or of the user. Weeks begin on Monday. The sum of nothing is 0. The
    average, minimum and maximum of nothing are None. ``warnings`` says if a sum mixes currencies or
    companies.

    Order by groupings, measures and ``count``. The default is the order of the groupings. Groups
    without a value come last, or first if a grouping descends. Groups with an empty measure are
    always last. A ``limit`` above ``odoo.options.max_limit`` is lowered with a warning, and None
    returns all groups.

    An aggregation takes one request. Odoo 18 and earlier need one more for each relation in a path.
    With ``having``, weeks and paths, the toolkit reads all groups, and orders many2one values by
    name. Mixed currencies or companies take one more request, and so does ``count_total`` if there
    are more groups.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, or a field can't be grouped, measured or
            ordered like this. Nothing was sent.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    limit = None if limit is None else checked_count(limit, "limit", 1)
    offset = checked_count(offset, "offset", 0)
    ordered = read_order(order, example=ORDER_EXAMPLE) if order else None
    filtered = read_domain([] if having is None else having)
    # What groups are ordered and filtered by is measured, too, unless it is counted or grouped by.
    further = [*(ordered.paths if ordered else ()), *(item[0] for item in filtered)]
    measured = [name for name in further if isinstance(name, str) and ":" in name]
    asked = {
        "domain": domain, "groupby": listed(groupby, "groupby"),
        "aggregates": [*listed(measures, "measures"), *measured],
    }  # fmt: skip
    call = Call(model=model, method="formatted_read_group", arguments=asked, context=context or {})
    admitted, fields_of = admit(odoo, call), readable_of(odoo)
    described, major = fields_of(model), odoo.version.major
    read = admitted.call.arguments["domain"]
    zone = DayZone(odoo, context)
    resolved, warnings = resolve_domain(read, model, fields_of, version_major=major, zone=zone)
    spec = parse(
        model, described, fields_of, major,
        groupby=groupby, measures=measures, order=ordered, having=filtered,
    )  # fmt: skip
    most = odoo.options.max_limit
    if most is not None and (limit is None or limit > most):
        warnings.append(f"limit {limit} was reduced to {most}, the maximum.")
        limit = most
    if any(g.field.type == "datetime" or g.is_property for g in spec.groupings if g.period):
        zone()
    spec = with_currencies(spec, described, resolved)
    spec = with_companies(spec, described, resolved)
    question = Question(
        odoo=odoo, admitted=admitted, model=model, domain=resolved, context=zone.context(),
        zone=zone() if zone.name else None, spec=spec, described=described, fields_of=fields_of,
    )  # fmt: skip
    found = page(question, limit, offset, warnings)
    total = found.total
    if total is None and count_total:
        total = number_of_groups(question)
    warnings += currency_warnings(spec, described, found.rows, partial(names_in, question))
    warnings += company_warnings(spec, found.rows, partial(names_in, question))
    names = [*(g.asked for g in spec.groupings), COUNT, *(m.asked for m in spec.measures)]
    return AggregateResult(
        records=[{name: row[name] for name in names} for row in found.rows],
        count=len(found.rows),
        model=model,
        has_more=found.has_more,
        next_offset=offset + len(found.rows) if found.has_more else None,
        total=total,
        time_zone=zone.name,
        excluded_count=found.excluded_count,
        warnings=warnings,
        described=_columns(spec),
    )


def _columns(spec: Spec) -> dict[str, Field]:
    """Return what each column holds, as fields."""
    found = {}
    for grouping in spec.groupings:
        type_ = grouping.field.type
        if grouping.period:
            type_ = "datetime" if grouping.period == "hour" else "date"
        elif type_ == "many2many":
            type_ = "many2one"  # each row has one of them
        if not grouping.is_property:
            found[grouping.asked] = attrs.evolve(grouping.field, name=grouping.asked, type=type_)
    found[COUNT] = Field(name=COUNT, type="integer")
    for measure in spec.measures:
        type_ = measure.field.type
        if measure.function.startswith("count"):
            type_ = "integer"
        elif measure.function == "avg":
            type_ = "float"
        found[measure.asked] = Field(name=measure.asked, type=type_)
    return found
