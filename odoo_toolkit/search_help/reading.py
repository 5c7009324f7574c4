"""What the words of a query mean: states and other selections of a model, and names of records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.records.names import name_search
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.search_help import meanings
from odoo_toolkit.search_help.meanings import FILLERS, Word, first_of, phrase
from odoo_toolkit.values.search_text import folded, literal

#: Selections that nobody means, though their labels are everyday words.
_NEVER_MEANT = re.compile(
    r"(activity_|repeat_|recurrence|lang$|tz$|.*_warn$|.*decoration|.*_policy$|message_|display_)"
)
_MOST_VALUES = 20
_UNCLEAR = FILLERS | meanings.TURNING

#: Fields by which records are related to what people name; a path goes by way of another field.
_PATHS = """
    partner_id invoice_user_id user_ids user_id product_id order_line.product_id
    invoice_line_ids.product_id move_ids.product_id move_lines.product_id project_id stage_id
    team_id country_id partner_id.country_id state_id categ_id category_id tag_ids warehouse_id
    location_id journal_id employee_id company_id
"""

#: Records of a relation that a name may mean at once.
_MOST = 5

#: S00012, INV/2026/0001, WH/OUT/00003; a code such as 5a7f is rather part of a name.
_NUMBER = re.compile(r"[A-Za-z]{1,8}\d{2,}|(?=.*\d)[A-Za-z]+\d*([/_-][A-Za-z0-9]+)+")

#: The conditions that a phrase means, and those that it implies; what the records are called means
#: neither.
_Meaning = tuple[Sequence[Any], Sequence[Any]]


@attrs.define
class Reading:
    """What was understood so far.

    Attributes:
        implied: conditions that hold unless something else is said of their field.
        understood: what was taken for what, for people.
        not_understood: the other words.
        is_whole: whether nothing joins, widens or turns round what was understood.
    """

    conditions: list[list[Any]] = attrs.Factory(list)
    implied: list[list[Any]] = attrs.Factory(list)
    understood: list[str] = attrs.Factory(list)
    not_understood: list[str] = attrs.Factory(list)
    is_whole: bool = True

    @property
    def domain(self) -> list[Any]:
        """All conditions; what is said of a field replaces what is implied of it."""
        said = {condition[0] for condition in self.conditions}
        implied = {str(item): item for item in self.implied if item[0] not in said}
        return [*implied.values(), *self.conditions]

    def add(self, said: str, conditions: Sequence[Sequence[Any]]) -> None:
        """Take note of what some words mean."""
        shown = " and ".join(f"{path} {operator} {value!r}" for path, operator, value in conditions)
        self.understood += [f"{said}: {shown}"] if conditions else []
        self.conditions += map(list, conditions)

    def imply(self, said: str, conditions: Sequence[Sequence[Any]]) -> None:
        """Take note of what some words mean where the query says nothing else of the field."""
        for path, operator, value in conditions:
            shown = f"{said}: {path} {operator} {value!r}, unless the query says otherwise"
            self.understood.append(shown)
            self.implied.append([path, operator, value])


def read_query(odoo: Odoo, model: str, text: str, fields_of: FieldsOf, today: date) -> Reading:
    """Return what a query says of a model's own fields, and what its names mean."""
    reading, fields = Reading(), fields_of(model)
    words, rests = meanings.split_words(text), [list[Word]()]
    phrases: dict[tuple[str, ...], _Meaning] = {}
    for said, *means in _phrases(model, fields, fields_of, odoo.uid, today):
        phrases.setdefault(said, (means[0], means[1]))
    at = 0
    while at < len(words):
        ends = range(len(words), at, -1)
        end = next((end for end in ends if tuple(w.stem for w in words[at:end]) in phrases), None)
        if end is None:
            rests[-1].append(words[at])
            at += 1
            continue
        conditions, implied = phrases[tuple(word.stem for word in words[at:end])]
        reading.add(_text(words[at:end]), conditions)
        reading.imply(_text(words[at:end]), implied)
        rests.append([])
        at = end
    left = [word for rest in rests for word in rest]
    if any(word.stem in meanings.TURNING for word in left):
        return Reading(not_understood=[text], is_whole=False)
    # Besides other words, a name is rather that of a related record than the record's own.
    alone = all(_is_name(word) or word.stem in FILLERS for word in left)
    for rest in rests:
        for is_name, group in groupby(rest, _is_name):
            part = list(group)
            if is_name:
                _look_up(odoo, reading, model, fields_of, part, alone=alone)
            elif not FILLERS.issuperset(word.stem for word in part):
                reading.not_understood.append(_text(part))
    return reading


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


# States and other selections ----------------------------------------------------------------------


def _phrases(
    model: str, fields: Mapping[str, Field], fields_of: FieldsOf, uid: int, today: date
) -> Iterator[tuple[tuple[str, ...], Sequence[Any], Sequence[Any]]]:
    """Yield phrases with what they mean and imply: what people call records, and selections."""
    if user := first_of(fields, ("invoice_user_id", "user_ids", "user_id")):
        mine = [(user, "in", [uid]) if user == "user_ids" else (user, "=", uid)]
        yield from ((phrase(text), mine, ()) for text in ("assigned to me", "my own", "my", "mine"))
    told = known(model)
    for said, ways, implies in (*meanings.meanings_of(told.meanings), *meanings.EVERYWHERE):
        allowed = [_allowed(way, fields, fields_of, today) for way in ways]
        way = next((way for way in allowed if way is not None), None)
        if way is not None:
            implied = _allowed(implies, fields, fields_of, today) or ()
            yield from ((phrase(text), way, implied) for text in said)
    nouns = told.nouns or ("record",)
    for noun in (*nouns, model.replace(".", " "), model.rpartition(".")[2]):
        yield phrase(noun), (), ()
    for name in sorted(fields, key=lambda name: name != "state"):  # the state's values first
        selection = fields[name].selection
        meant = first_of(fields, [name], ("selection",)) and not _NEVER_MEANT.match(name)
        for value, label in selection if meant and len(selection) <= _MOST_VALUES else ():
            for shown in (phrase(str(label)), phrase(str(value).replace("_", " "))):
                if not _UNCLEAR.issuperset(shown) and not "".join(shown).isdigit():
                    yield shown, [(name, "=", value)], ()


def _allowed(
    conditions: meanings.Conditions, fields: Mapping[str, Field], fields_of: FieldsOf, today: date
) -> list[tuple[str, str, Any]] | None:
    """Return conditions as the server's fields allow them; None where they do not.

    Values that a selection lacks on this version are left out of lists.
    """
    allowed = []
    for path, operator, value in conditions:
        field = _field_at(path, fields, fields_of)
        if field and field.type == "selection" and "." not in path:
            values = [item for item, _ in field.selection]
            if isinstance(value, tuple):
                value = [item for item in value if item in values]
            elif value not in values:
                return None
        if field is None or value == []:
            return None
        allowed.append((path, operator, today.isoformat() if value == meanings.TODAY else value))
    return allowed


def _field_at(path: str, fields: Mapping[str, Field], fields_of: FieldsOf) -> Field | None:
    """Return the field at the end of a path of one or two names, if it can be searched by."""
    name, _, rest = path.partition(".")
    if not first_of(fields, [name]) or not rest:
        return fields[name] if first_of(fields, [name]) else None
    try:
        return _field_at(rest, fields_of(str(fields[name].relation)), fields_of)
    except OdooError:  # closed, or not readable
        return None


# Names --------------------------------------------------------------------------------------------


def _is_name(word: Word) -> bool:
    """Whether a word may be of a name: it is quoted, begins with a capital or is a number."""
    begins = word.text[:1].isupper() or bool(_NUMBER.fullmatch(word.text))
    return not word.stem or (begins and word.stem not in FILLERS)


def _look_up(
    odoo: Odoo,
    reading: Reading,
    model: str,
    fields_of: FieldsOf,
    words: Sequence[Word],
    *,
    alone: bool,
) -> None:
    """Add what one name means: a related record, or the name of the record itself."""
    name, fields = _text(words), fields_of(model)
    is_number = bool(_NUMBER.fullmatch(name))
    ways = {} if is_number else _ways(odoo, model, fields_of)
    answers = side_by_side([lambda to=to: _search(odoo, to, name) for to in ways])  # type: ignore[misc]
    found = {to: records for to, records in zip(ways, answers, strict=True) if records}
    shown = [
        f"{ways[to][1].string} {'; '.join(f'{one.name} (id {one.id})' for one in records[:_MOST])}"
        for to, records in found.items()
    ]
    if len(found) == 1:
        ((to, records),) = found.items()
        reading.add(f"{name} ({shown[0]})", [_condition(ways[to][0], to, records, name)])
    elif found:
        reading.not_understood.append(f"{name} (may be {', or '.join(shown)})")
    elif "name" in fields and (is_number or (alone and not known(model).numbered)):
        reading.add(name, [("name", "ilike", literal(name))])
    else:
        reading.not_understood.append(name)


def _ways(odoo: Odoo, model: str, fields_of: FieldsOf) -> dict[str, tuple[str, Field]]:
    """Return the models in which a name is looked for, with the path to each and its field."""
    found: dict[str, tuple[str, Field]] = {}
    for path in _PATHS.split():
        field = _field_at(path, fields_of(model), fields_of)
        related = field.relation if field else None
        if field and related and related != model and odoo.policy.model_allowed(related):
            found.setdefault(related, (path, field))
    return found


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
