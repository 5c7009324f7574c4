"""Suggesting the domain that somebody means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.call import Call
from odoo_toolkit.deep_search.configurations import configuration_of
from odoo_toolkit.deep_search.terms import parse_query
from odoo_toolkit.domains import Domain, resolve_domain
from odoo_toolkit.fields import Field
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.search_help.reading import Reading, main_amount, main_date, read_words
from odoo_toolkit.search_help.relations import candidates, look_up
from odoo_toolkit.search_help.words import Words

#: Models whose records have names in words, so that a word may be part of one.
_NAMED_IN_WORDS = ("res.", "product.", "project.", "crm.", "helpdesk.", "hr.", "calendar.")

_MOST_FIELDS = 12
_LIMIT = 20


@attrs.frozen(kw_only=True)
class DomainSuggestion:
    """A domain made from words, ready for ``search_read``.

    Attributes:
        domain: runs on the connected server.
        fields: that are worth reading with it.
        understood: what was taken for what.
        not_understood: words that the domain does without.
        count: how many records it finds now.
        warnings: worth knowing.
    """

    model: str
    query: str
    domain: list[Any]
    fields: list[str]
    order: str | None = None
    limit: int
    understood: list[str]
    not_understood: list[str]
    count: int
    warnings: list[str]


def suggest_domain(
    odoo: Odoo,
    model: Model,
    query: Annotated[str, Doc("What is looked for, e.g. unpaid invoices of Acme.")],
    *,
    today: date | None = None,
) -> DomainSuggestion:
    """Return a domain for what somebody looks for, in English words and the labels of the fields.

    States, selections, flags, spans of time, amounts, numbers of documents and "my" are read from
    the words by the model's fields; what is left are names, which are looked up in the model's
    relations. Words that mean nothing are told, not guessed at.

    Args:
        odoo: the connection.
        model: that is searched, such as ``account.move``.
        query: at most 500 characters.
        today: what "today" is; the machine's day by default.

    Raises:
        NotFoundError: there is no such model.
        AccessError: Odoo or the policy does not allow it.
        ValidationError: the query is empty or too long.
    """
    text = parse_query(query).text
    fields = describe(odoo, model, "fields_get", {}, None)
    reading = read_words(Words(text), model, fields, odoo.uid, today or date.today())  # noqa: DTZ011
    _look_up_names(odoo, model, fields, reading)
    domain, warnings = resolve_domain(
        reading.whole_domain(), model, odoo.schema.fields, version_major=odoo.version.major
    )
    found = odoo.call(Call(model=model, method="search_count", arguments={"domain": domain}))
    return DomainSuggestion(
        model=model,
        query=text,
        domain=domain,
        fields=_fields(model, fields, domain),
        order=reading.order,
        limit=reading.limit or _LIMIT,
        understood=reading.understood,
        not_understood=reading.ignored,
        count=found,
        warnings=warnings,
    )


def _look_up_names(odoo: Odoo, model: str, fields: Mapping[str, Field], reading: Reading) -> None:
    ways = candidates(odoo, model, fields) if reading.runs else []
    for before, name in reading.runs:
        if found := look_up(odoo, ways, before, name):
            condition, told = found
            reading.domain.append(condition)
            reading.understood.append(f"{name}: {told}")
            continue
        field = "city" if before[-1:] == ("in",) and "city" in fields else "name"
        described = fields.get(field)
        if described and described.searchable and model.startswith(_NAMED_IN_WORDS):
            for word in Domain().contains(field, name):
                reading.add(name, [word])
        else:
            reading.ignored.append(name)


def _fields(model: str, fields: Mapping[str, Field], domain: Sequence[Any]) -> list[str]:
    """Return the fields that are worth reading: the usual ones and those of the domain."""
    names = [
        *configuration_of(model, fields).default_fields,
        *(item[0].split(".")[0] for item in domain if isinstance(item, list)),
        main_date(model, fields),
        main_amount(fields),
        *("partner_id", "state", "stage_id", "user_id"),
    ]
    known = [name for name in dict.fromkeys(names) if name and (name in fields or name == "id")]
    if "name" in known and "display_name" in known:
        known.remove("display_name")
    return known[:_MOST_FIELDS]
