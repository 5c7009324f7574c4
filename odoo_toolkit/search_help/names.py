"""Names in a query: which record of which relation is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from odoo_toolkit.app_models import known
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.names import name_search
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.search_help.meanings import FILLERS, announcing, first_of
from odoo_toolkit.search_help.reading import Reading, field_at, says
from odoo_toolkit.search_text import folded, literal

#: Fields by which records are related to what people name, the likeliest first; a path goes by
#: way of another field.
_PATHS = """
    partner_id parent_id invoice_user_id user_ids user_id product_id order_line.product_id
    invoice_line_ids.product_id move_ids.product_id move_lines.product_id project_id stage_id
    team_id country_id partner_id.country_id state_id categ_id category_id tag_ids warehouse_id
    location_id journal_id employee_id company_id
"""

#: Records of a relation that a name may mean at once, and relations asked at a time.
_MOST, _BATCH = 5, 4

#: S00012, INV/2026/0001, WH/OUT/00003; a code such as 5a7f is rather part of a name.
_NUMBER = re.compile(r"[A-Za-z]{1,8}\d{2,}|(?=.*\d)[A-Za-z]+\d*([/_-][A-Za-z0-9]+)+")

#: The words before a name, where it begins, where it ends.
_Name = tuple[tuple[str, ...], int, int]

#: Model -> the path to it, and the field that leads there.
_Ways = dict[str, tuple[str, Field]]


def look_up_names(odoo: Odoo, reading: Reading, fields_of: FieldsOf) -> None:
    """Add what the names of a reading mean; what is found nowhere is ignored."""
    names = [name for rest in reading.rests for name in _names(reading, *rest)]
    ways = _ways(odoo, reading.model, fields_of) if names else {}
    for before, start, end in names:
        if start == end:  # "orders by customer"
            reading.ignore(end - len(before), end)
        elif not _look_up(odoo, reading, ways, (before, start, end)):
            reading.ignore(start, end)


def _names(reading: Reading, start: int, end: int) -> Iterator[_Name]:
    """Yield the names between what was understood: the words before each, its begin and end."""
    words = reading.words
    # What is said of time and amounts goes on to the end: "created by Marc".
    stop = next((at for at in range(start, end) if says(words[at])), end)
    reading.ignore(stop, end)
    before: tuple[str, ...] = ()
    announced = FILLERS | announcing()
    at = start
    while at < stop:
        begin = at
        while at < stop and words[at].stem not in (FILLERS if at > begin else announced):
            at += 1
        if at > begin:
            yield before, begin, at
        before = () if at > begin else (*before, words[at].stem)
        at += at == begin
    if not FILLERS.issuperset(before):
        yield before, stop, stop


def _ways(odoo: Odoo, model: str, fields_of: FieldsOf) -> _Ways:
    """Return the models in which a name is looked for, with the path to each and its field."""
    found: _Ways = {}
    for path in _PATHS.split():
        field = field_at(path, fields_of(model), fields_of)
        related = field.relation if field else None
        itself = related == model and path != "parent_id"
        if field and related and not itself and odoo.policy.model_allowed(related):
            found.setdefault(related, (path, field))
    return found


def _look_up(odoo: Odoo, reading: Reading, ways: _Ways, one: _Name) -> bool:
    """Add what one name means: a related record, or the name of the record itself."""
    before, start, end = one
    name = reading.text(start, end)
    number = _NUMBER.fullmatch(name)
    # A bare name is rather the record's own than that of what it belongs to.
    models = [model for model in ways if before or ways[model][0] != "parent_id"]
    # What the words before a name announce comes first.
    models.sort(key=lambda model: {*known(model).announced_by}.isdisjoint(before))
    for at in range(0, 0 if number else len(models), _BATCH):
        batch = models[at : at + _BATCH]
        answers = side_by_side([lambda model=model: _search(odoo, model, name) for model in batch])  # type: ignore[misc]
        for model, records in zip(batch, answers, strict=True):
            if records:
                path, field = ways[model]
                shown = "; ".join(f"{record.name} (id {record.id})" for record in records[:_MOST])
                condition = _condition(path, model, records, name)
                reading.add(start, end, [condition], f" ({field.string} {shown})")
                return True
    field_name = first_of(reading.fields, ("city", "name") if before[-1:] == ("in",) else ("name",))
    # A small letter begins a word that is not understood rather than a name.
    said = {"named", "called"} & {*before} or not reading.words[start].stem or not name[0].islower()
    if field_name and (number or (said and not known(reading.model).numbered)):
        reading.add(start, end, [(field_name, "ilike", literal(name))])
        return True
    return False


def _search(odoo: Odoo, model: str, name: str) -> list[RecordName]:
    said = folded(name)
    try:
        # One more than may be meant, to know that there are more.
        found = name_search(odoo, model, name, limit=_MOST + 1)
    except OdooError:
        return []
    # Odoo also finds by what is not shown; without the words in it, it may be anything.
    shown = [one for one in found if all(word in folded(one.name) for word in said.split())]
    return [one for one in shown if folded(one.name) == said] or shown


def _condition(path: str, model: str, records: Sequence[RecordName], name: str) -> tuple[Any, ...]:
    ids = [record.id for record in records]
    if len(ids) > _MOST:  # whoever they are
        return path, "ilike", literal(name)
    if known(model).has_parts:
        return path, "child_of", ids if len(ids) > 1 else ids[0]
    return (path, "in", ids) if len(ids) > 1 else (path, "=", ids[0])
