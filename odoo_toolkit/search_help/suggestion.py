"""Suggesting the domain that somebody means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import Model
from odoo_toolkit.app_models import known
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search.terms import parse_query
from odoo_toolkit.domains import resolve_domain
from odoo_toolkit.fields import Field
from odoo_toolkit.records.arguments import describe, readable_of
from odoo_toolkit.search_help import reading as reading_of
from odoo_toolkit.search_help.reading import Reading, first_of, main_amount, main_date
from odoo_toolkit.search_help.relations import candidates, look_up
from odoo_toolkit.search_help.words import Words
from odoo_toolkit.search_text import literal
from odoo_toolkit.values.scalars import FieldsOf

#: S00012, INV/2026/0001, WH/OUT/00003; a code such as 5a7f is rather part of a name.
_NUMBER = re.compile(r"[A-Za-z]{1,8}\d{2,}|(?=.*\d)[A-Za-z]+\d*([/_-][A-Za-z0-9]+)+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")

_NOT_JOINED = (
    "What is joined by 'or', or turned round by 'not' or 'except', was understood in parts only, "
    "and is left to you: '|' and '!' stand before the conditions that they join and turn round."
)
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

    What people call records, states and other selections, plain spans of time and "my" are read
    from the words; what is left are names, which are looked up in the model's relations. All else,
    amounts among it, is handed back in ``not_understood``, never guessed at.

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
    fields_of = readable_of(odoo)
    fields = describe(odoo, model, "fields_get", {}, None, fields_of=fields_of)
    day = today or date.today()  # noqa: DTZ011
    reading = reading_of.read_words(Words(text), model, fields_of, odoo.uid, day)
    _look_up_names(odoo, reading, fields_of)
    warnings = []
    if not reading_of.is_whole(reading):
        # What is left of it would be narrower than what is looked for, or its opposite.
        reading = Reading(reading.words, model, fields, ignored=[(0, text)])
        warnings.append(_NOT_JOINED)
    domain, found_out = resolve_domain(
        reading_of.domain_of(reading), model, fields_of, version_major=odoo.version.major
    )
    found = odoo.call(Call(model=model, method="search_count", arguments={"domain": domain}))
    return DomainSuggestion(
        model=model,
        query=text,
        domain=domain,
        fields=_fields(model, fields, domain),
        order=reading.order,
        limit=_LIMIT,
        understood=reading.understood,
        not_understood=[said for _, said in sorted(reading.ignored)],
        count=found,
        warnings=warnings + found_out,
    )


def _look_up_names(odoo: Odoo, reading: Reading, fields_of: FieldsOf) -> None:
    ways = candidates(odoo, reading.model, fields_of) if reading.runs else []
    for before, start, end in reading.runs:
        name = reading.words.text(start, end)
        found, names = None, ("city", "name") if before[-1:] == ("in",) else ("name",)
        if email := _EMAIL.fullmatch(name):
            names = ("email", "email_from")
        elif not _NUMBER.fullmatch(name):
            found = look_up(odoo, ways, before, name)
        # A small letter begins a word that is not understood rather than a name.
        said = (
            {"named", "called"} & {*before}
            or reading.words[start].quoted
            or (name[:1].isalpha() and not name[:1].islower())
        )
        in_words = said and not known(reading.model).numbered
        field = first_of(reading.fields, names, ("char",))
        if found:
            reading.add(start, end, [found[0]], more=f" ({found[1]})")
        elif field and (in_words or email or _NUMBER.fullmatch(name)):
            reading.add(start, end, [(field, "=ilike" if email else "ilike", literal(name))])
        else:
            reading.ignore(start, end)


def _fields(model: str, fields: Mapping[str, Field], domain: Sequence[Any]) -> list[str]:
    """Return the fields that are worth reading: the usual ones and those of the domain."""
    names = [
        *known(model).key_fields,
        *(item[0].split(".")[0] for item in domain if isinstance(item, list)),
        main_date(model, fields),
        main_amount(fields),
        *("partner_id", "state", "stage_id", "user_id"),
    ]
    found = [name for name in dict.fromkeys(names) if name and (name in fields or name == "id")]
    if "name" in found and "display_name" in found:
        found.remove("display_name")
    return found[:_MOST_FIELDS]
