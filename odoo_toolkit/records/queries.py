"""A function that runs several searches and counts in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from annotated_doc import Doc
from annotated_types import Len

from odoo_toolkit.annotations import Context, JsonSchema
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.fields import similar_names
from odoo_toolkit.records.reading import count, search_read
from odoo_toolkit.records.results import QueriesResult, QueryAnswer
from odoo_toolkit.values.plain import plain
from odoo_toolkit.values.scalars import short_repr

#: Questions in one call.
MOST_QUERIES = 20

_KEYS = ("model", "domain", "fields", "limit", "offset", "order", "count")


def run_queries(
    odoo: Odoo,
    queries: Annotated[
        Sequence[Mapping[str, Any]],
        JsonSchema({"type": "array", "items": {"type": "object"}}),
        Len(1, MOST_QUERIES),
        Doc(
            "Each {'model', 'domain', 'fields', 'limit', 'offset', 'order'}, where only model is"
            " required. To only count: {'model', 'domain', 'count': true}."
        ),
    ],
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
) -> QueriesResult:
    """Run several searches and counts in parallel.

    >>> drafts = {"model": "sale.order", "domain": [["state", "=", "draft"]], "count": True}
    >>> run_queries(odoo, [drafts, {"model": "crm.lead", "fields": ["name"], "limit": 5}])

    A query has the arguments of :func:`search_read`, or with ``count`` those of :func:`count`. Each
    query takes one request. The context applies to all queries.

    Returns:
        The results, in the order of the queries. If a query fails, its ``error`` says why, and the
        others still have their results. A field that the model does not have is omitted, and a
        warning lists it.

    Raises:
        ValidationError: There are no queries, or too many.
        OdooConnectionError: Odoo could not be reached for any of them.
    """
    asked = plain(queries)
    if not isinstance(asked, list) or not 0 < len(asked) <= MOST_QUERIES:
        raise ValidationError(
            f"queries must be a list of 1 to {MOST_QUERIES} queries.",
            suggestion="Split the queries into several calls."
            if isinstance(asked, list) and asked
            else "Ask.",
        )
    ask: list[Callable[[], QueryAnswer | OdooError]] = [
        partial(_answered, odoo, query, context) for query in asked
    ]
    answers = side_by_side(ask)
    lost = [answer for answer in answers if isinstance(answer, OdooConnectionError)]
    if len(lost) == len(answers):
        raise lost[0]
    return QueriesResult(
        answers=[
            QueryAnswer(error=answer.to_dict()) if isinstance(answer, OdooError) else answer
            for answer in answers
        ]
    )


def _answered(odoo: Odoo, query: Any, context: Context) -> QueryAnswer | OdooError:
    try:
        return _ask(odoo, query, context)
    except OdooError as error:
        return error


def _ask(odoo: Odoo, query: Any, context: Context) -> QueryAnswer:
    if not isinstance(query, Mapping):
        raise ValidationError(
            f"{short_repr(query)} is not a query.", suggestion="Pass an object with a model."
        )
    given = {key: value for key, value in query.items() if value is not None}
    for key in given:
        if key not in _KEYS:
            near = similar_names(str(key), _KEYS)
            raise ValidationError(
                f"A query does not accept {str(key)[:60]!r}.",
                suggestion=f"Use {near[0]}." if near else f"Use the keys {', '.join(_KEYS)}.",
            )
    model, domain, counted = (
        given.pop("model", None),
        given.pop("domain", ()),
        given.pop("count", 0),
    )
    if counted not in (True, False):
        raise ValidationError("count must be true or false.", suggestion="Omit count.")
    if counted:
        number = count(odoo, model, domain, context)
        return QueryAnswer(
            count=number.count, time_zone=number.time_zone,
            excluded_count=number.excluded_count, warnings=number.warnings,
        )  # fmt: skip
    warnings: list[str] = []
    while True:
        try:
            found = search_read(odoo, model, domain, **given, context=context)
            break
        except ValidationError as error:
            # What is wrong is found before anything is sent.
            given["fields"] = _without(error, given.get("fields"), warnings)
    return QueryAnswer(
        records=found.records,
        has_more=found.has_more,
        time_zone=found.time_zone,
        excluded_count=found.excluded_count,
        skipped_fields=found.skipped_fields,
        warnings=[*warnings, *found.warnings],
    )


def _without(error: ValidationError, fields: Any, warnings: list[str]) -> list[str]:
    """Return the fields without those that an error is about; raise it where there are none.

    A wrong field in a condition or an order is not left out: the answer would be another one.
    """
    if error.code != "INVALID_FIELD" or not isinstance(fields, list):
        raise error
    wrong = {error.details.get("path") or error.details.get("field")}
    wrong |= {*error.details.get("fields", ())}
    left = [name for name in fields if name not in wrong]
    if not left or len(left) == len(fields):
        raise error
    warnings.append(f"{error.message} This condition was omitted.")
    return left
