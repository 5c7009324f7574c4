"""Sums over several currencies or companies are told: the database adds the bare numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field, similar_names
from odoo_toolkit.records.aggregate.grouping import Measure, Spec
from odoo_toolkit.records.results import Record

_MIXING = frozenset({"sum", "avg", "min", "max"})
_MOST_NAMED = 5


def with_currencies(spec: Spec, described: Mapping[str, Field], domain: Sequence[Any]) -> Spec:
    """Return what is asked for, and beside it the least and greatest currency of each group.

    Nothing is added where there is one currency only: groups of each, or a condition on it; nor
    where the currency is not stored, and so cannot be told.
    """
    hidden = [
        Measure(asked=f"{name}:{function}", field=described[name], function=function)
        for name in _amounts(spec, described)
        if name not in {grouping.path[0] for grouping in spec.groupings}
        and not _is_given(name, domain)
        for function in ("min", "max")
    ]
    return attrs.evolve(spec, hidden=(*spec.hidden, *hidden))


def _amounts(spec: Spec, described: Mapping[str, Field]) -> dict[str, list[str]]:
    """Return the monetary fields that are measured, by the stored field of their currency."""
    found: dict[str, list[str]] = {}
    for measure in spec.measures:
        name = measure.field.currency_field or "currency_id"
        currency = described.get(name)
        mixes = measure.field.type == "monetary" and measure.function in _MIXING
        if mixes and currency and currency.type == "many2one" and currency.store:
            found.setdefault(name, []).append(measure.field.name)
    return found


def _is_given(name: str, domain: Sequence[Any]) -> bool:
    """Whether every record that matches has the same in a field, as the domain says."""
    if "|" in domain or "!" in domain:
        return False
    return any(
        leaf[0] in (name, f"{name}.id", f"{name}.name")
        and (leaf[1] == "=" or (leaf[1] == "in" and len(leaf[2]) == 1))
        for leaf in domain
        if isinstance(leaf, list)
    )


def _listed(field: str, noun: str, ids: Iterable[int], names: Callable[[str], list[str]]) -> str:
    """Return the names of the records in a field; their ids where they cannot be asked for."""
    try:
        listed = names(field)
    except OdooError:
        listed = [f"{noun} {number}" for number in sorted(ids)]
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return ", ".join(listed[:_MOST_NAMED]) + more


def currency_warnings(
    spec: Spec,
    described: Mapping[str, Field],
    rows: Sequence[Record],
    names: Callable[[str], list[str]],
) -> list[str]:
    """Return a sentence for each currency field of which the rows have several currencies.

    Args:
        spec: as :func:`with_currencies` returned it.
        described: the fields of the model.
        rows: with the hidden measures.
        names: asks for the names of the currencies in a field; only where there are several.
    """
    found = []
    added = {measure.asked for measure in spec.hidden}
    for name, amounts in _amounts(spec, described).items():
        least, greatest = f"{name}:min", f"{name}:max"
        if least not in added:
            continue
        ids = {row[key] for row in rows for key in (least, greatest)} - {None}
        if len(ids) < 2:
            continue
        currencies = _listed(name, "currency", ids, names)
        mixed = any(row[least] != row[greatest] for row in rows)
        problem = (
            "adds amounts of several currencies as bare numbers" if mixed
            else "is in another currency in some rows than in others"
        )  # fmt: skip
        found.append(
            f"{', '.join(dict.fromkeys(amounts))} {problem} ({currencies}): group by {name} too"
            f"{_instead(name, amounts, described)}."
        )
    return found


def _instead(name: str, amounts: Sequence[str], described: Mapping[str, Field]) -> str:
    """Return which fields have the amounts in the company's currency, as part of a sentence."""
    others = [
        field.name
        for field in described.values()
        if field.type == "monetary" and field.store and field.currency_field not in (None, name)
    ]
    near = {amount: f"{amount}_signed" for amount in amounts if f"{amount}_signed" in others}
    chosen = [near[one] if one in near else similar_names(one, others)[:1] for one in amounts]
    flat = dict.fromkeys(
        item for one in chosen for item in ([one] if isinstance(one, str) else one)
    )
    return f", or measure {', '.join(flat)}, in the company's currency" if flat else ""


# Companies ----------------------------------------------------------------------------------------

COMPANY = "company_id"
_ADDING = frozenset({"sum", "avg"})
_LEAST, _GREATEST = f"{COMPANY}:min", f"{COMPANY}:max"


def with_companies(spec: Spec, described: Mapping[str, Field], domain: Sequence[Any]) -> Spec:
    """Return what is asked for, and beside it the least and greatest company of each group.

    Nothing is added where a row is of one company only, or the model does not store it.
    """
    field = described.get(COMPANY)
    adds = any(measure.function in _ADDING for measure in spec.measures)
    if not adds or field is None or field.type != "many2one" or not field.store:
        return spec
    if _is_given(COMPANY, domain) or COMPANY in {g.path[0] for g in spec.groupings}:
        return spec
    hidden = [
        Measure(asked=asked, field=field, function=asked.rpartition(":")[2])
        for asked in (_LEAST, _GREATEST)
    ]
    return attrs.evolve(spec, hidden=(*spec.hidden, *hidden))


def company_warnings(
    spec: Spec, rows: Sequence[Record], names: Callable[[str], list[str]]
) -> list[str]:
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
    companies = _listed(
        COMPANY, "company", {row[k] for row in mixed for k in (_LEAST, _GREATEST)}, names
    )
    return [
        f"The sums cover several companies ({companies}): group by {COMPANY} too, or search for"
        " one of them."
    ]
