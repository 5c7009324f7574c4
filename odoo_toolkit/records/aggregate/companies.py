"""Sums over several companies are told: a user of several sees the records of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.records.aggregate.currencies import is_given
from odoo_toolkit.records.aggregate.grouping import Measure, Spec
from odoo_toolkit.records.results import Record

COMPANY = "company_id"
_ADDING = frozenset({"sum", "avg"})
_MOST_NAMED = 5
_LEAST, _GREATEST = f"{COMPANY}:min", f"{COMPANY}:max"


def with_companies(spec: Spec, described: Mapping[str, Field], domain: Sequence[Any]) -> Spec:
    """Return what is asked for, and beside it the least and greatest company of each group.

    Nothing is added where a row is of one company only, or the model does not store it.
    """
    field = described.get(COMPANY)
    adds = any(measure.function in _ADDING for measure in spec.measures)
    if not adds or field is None or field.type != "many2one" or not field.store:
        return spec
    if is_given(COMPANY, domain) or COMPANY in {g.path[0] for g in spec.groupings}:
        return spec
    hidden = [
        Measure(asked=asked, field=field, function=asked.rpartition(":")[2])
        for asked in (_LEAST, _GREATEST)
    ]
    return attrs.evolve(spec, hidden=(*spec.hidden, *hidden))


def warnings(spec: Spec, rows: Sequence[Record], names: Callable[[str], list[str]]) -> list[str]:
    """Return a sentence where a row adds up records of several companies.

    Args:
        spec: as :func:`with_companies` returned it.
        rows: with the hidden measures.
        names: asks for the names of the companies; only where there are several in a row.
    """
    if _LEAST not in {measure.asked for measure in spec.hidden}:
        return []
    mixed = [row for row in rows if row[_LEAST] != row[_GREATEST]]
    if not mixed:
        return []
    try:
        listed = names(COMPANY)
    except OdooError:
        listed = [
            f"company {n}" for n in sorted({row[k] for row in mixed for k in (_LEAST, _GREATEST)})
        ]
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    companies = ", ".join(listed[:_MOST_NAMED]) + more
    return [
        f"The sums cover several companies ({companies}): group by {COMPANY} too, or search for"
        " one of them."
    ]
