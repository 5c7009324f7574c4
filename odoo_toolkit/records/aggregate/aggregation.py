"""Groups of records and what is reckoned of them: how many, how much, by what."""

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
from odoo_toolkit.records.aggregate.grouped_rows import (
    Question,
    names_in,
    number_of_groups,
    page,
)
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

Having = Annotated[
    Sequence[Any],
    JsonSchema({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "array"}]}}),
    Doc('E.g. [["amount_total:sum", ">", 1000]].'),
]


@attrs.frozen(kw_only=True)
class AggregateResult(_Rows):
    """Groups of records.

    Attributes:
        records: a row for each group, by the groupings and measures as they were asked for, and
            ``count``, the number of its records.
        count: number of rows here.
        has_more: there are more groups.
        next_offset: where the next page begins, if there is one.
        total: number of all groups, as far as it is known.
        excluded_count, warnings: as of :class:`~odoo_toolkit.records.results.SearchResult`.
    """

    _row = "group"

    records: list[Record]
    count: int
    model: str
    has_more: bool
    next_offset: int | None = None
    total: int | None = None
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
            " partner_id.country_id; none for one row."
        ),
    ] = (),
    measures: Annotated[
        Fields, Doc("field:sum|avg|min|max|count|count_distinct; rows always have count.")
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
    context: Annotated[Context, Doc("tz: time zone of the days.")] = None,
    count_total: Annotated[bool, Doc("Also count all groups.")] = False,
) -> AggregateResult:
    """Group the records that match a domain, and reckon sums, averages, ... of each group.

    >>> aggregate(odoo, "sale.order", [["state", "=", "sale"]],
    ...           ["partner_id", "date_order:month"], ["amount_total:sum"])

    The rows are the same on Odoo 14 to 19: a many2one is ``{"id", "name"}``, a period its first
    day (an hour, its beginning) in the time zone of the context, what is empty None. Weeks begin
    on Mondays. The sum of nothing is 0; average, least and greatest of nothing are None. A record
    with several tags counts in the group of each.

    One round trip. Before Odoo 19, a dotted path takes one more for each relation that it
    follows; where several currencies or companies are mixed, one more asks for their names.

    Args:
        odoo: the connection.
        model: such as ``sale.order``.
        domain: which records.
        groupby: stored fields; dates and datetimes by a period, ``date_order:month``; paths that
            follow many2one fields, ``order_id.partner_id.country_id``; from Odoo 17 on
            properties, ``task_properties.size``; many2many from 15 on. None for one row.
        measures: ``field:function`` of stored fields: ``sum`` and ``avg`` of numbers, ``min`` and
            ``max`` of numbers and dates, ``count`` (of those that are not empty) and
            ``count_distinct``.
        order: groupings, measures and ``count``, each with ``asc`` or ``desc``; by default the
            groupings. Groups without a value come last, where a grouping descends first; those
            whose measure is empty always last.
        limit: most rows, or None for all; above ``odoo.options.max_limit`` it is
            lowered, with a warning.
        offset: rows to skip.
        having: conditions on measures and ``count``, as in a domain. All groups are read then, as
            for weeks and dotted paths, and many2one are ordered by their names.
        context: extends the base context.
        count_total: whether to count the groups where there are more; one round trip more then.

    Returns:
        The rows. ``warnings`` says where sums mix currencies or companies.

    Raises:
        ValidationError: INVALID_DOMAIN, INVALID_FIELD, or what cannot be grouped, measured or
            ordered so; nothing has been sent.
        NotFoundError: there is no such model.
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
    resolved, warnings = resolve_domain(read, model, fields_of, version_major=major)
    spec = parse(
        model, described, fields_of, major,
        groupby=groupby, measures=measures, order=ordered, having=filtered,
    )  # fmt: skip
    most = odoo.options.max_limit
    if most is not None and (limit is None or limit > most):
        warnings.append(f"limit {limit} was lowered to {most}, the most that is allowed.")
        limit = most
    spec = with_currencies(spec, described, resolved)
    spec = with_companies(spec, described, resolved)
    question = Question(
        odoo=odoo, admitted=admitted, model=model, domain=resolved, context=dict(context or {}),
        spec=spec, described=described, fields_of=fields_of,
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
