"""A function that suggests a domain for English words."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import Model
from odoo_toolkit.app_models import known
from odoo_toolkit.arguments import resolve_domain
from odoo_toolkit.client import Odoo
from odoo_toolkit.deep_search.terms import parse_query
from odoo_toolkit.display.results import Shown
from odoo_toolkit.operations import lines
from odoo_toolkit.records import rows
from odoo_toolkit.records.arguments import describe, readable_of
from odoo_toolkit.search_help.meanings import main_amount, main_date
from odoo_toolkit.search_help.reading import read_query

_NOT_JOINED = (
    "What 'and' and 'or' join, and what 'not' or 'except' turns round, is left to you: '|' and '!' "
    "stand before the conditions that they join and turn round."
)
_MOST_FIELDS = 12


@attrs.frozen(kw_only=True)
class DomainSuggestion(Shown):
    """A domain made from words, ready for ``search_read``.

    Attributes:
        domain: Domain that works on the connected server.
        fields: Fields that are useful to read with it.
        understood: Words and their meaning in the domain.
        not_understood: Words that the domain ignores.
        count: Number of records that match now.
        warnings: Limits of the domain.
    """

    model: str
    query: str
    domain: list[Any]
    fields: list[str]
    understood: list[str]
    not_understood: list[str]
    count: int
    warnings: list[str]


def suggest_domain(
    odoo: Odoo,
    model: Model,
    query: Annotated[str, Doc("The records to look for, e.g. unpaid invoices of Acme.")],
    *,
    today: date | None = None,
) -> DomainSuggestion:
    """Suggest a domain for a search in English words.

    The toolkit understands states and other selections, such as ``unpaid``, and "my". It looks up
    words in quotation marks, or with a capital letter, as names in the relations of the model.
    ``not_understood`` lists everything else, including dates, amounts and names that may mean
    several records. The query has at most 500 characters.

    Args:
        today: Date to use for ``overdue``. Default: today in the connection's time zone.

    Raises:
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
        ValidationError: The query is empty or too long.
    """
    text = parse_query(query).text
    fields_of = readable_of(odoo)
    fields = describe(odoo, model, "fields_get", {}, None, fields_of=fields_of)
    day = today or date.fromisoformat(lines.today(odoo))
    reading = read_query(odoo, model, text, fields_of, day)
    domain, found_out = resolve_domain(
        reading.domain, model, fields_of, version_major=odoo.version.major
    )
    worth = [
        *known(model).key_fields,
        *(item[0].split(".")[0] for item in domain if isinstance(item, list)),
        *(main_date(model, fields), main_amount(fields), "partner_id", "state", "stage_id"),
    ]
    found = rows.count(odoo, model, reading.domain)
    return DomainSuggestion(
        model=model,
        query=text,
        domain=domain,
        fields=[name for name in dict.fromkeys(worth) if name in fields][:_MOST_FIELDS],
        understood=reading.understood,
        not_understood=reading.not_understood,
        count=found.count,
        warnings=[*([] if reading.is_whole else [_NOT_JOINED]), *found_out],
    )
