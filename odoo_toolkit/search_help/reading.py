"""What a query says of a model's own fields; a pure function of its words and the schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit import app_models
from odoo_toolkit.domains.syntax import together
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import RELATIONAL, TO_MANY, Field
from odoo_toolkit.search_help import meanings as known
from odoo_toolkit.search_help.periods import Period, take_periods
from odoo_toolkit.search_help.words import NEGATIONS, Words, phrase
from odoo_toolkit.values.scalars import FieldsOf

#: Selections that nobody means, though their labels are everyday words.
_NEVER_MEANT = re.compile(
    r"(activity_|repeat_|recurrence|lang$|tz$|.*_warn$|.*decoration|.*_policy$|message_|display_)"
)
_MOST_VALUES = 20
_OPPOSITES = {"=": "!=", "!=": "=", "in": "not in", "not in": "in", ">": "<=", "<": ">="}
_DATES = ("date", "datetime")
_NO_NAMES = known.FILLERS | known.TURNING | {"and", "or"}

#: A phrase, what it means, and what it implies; what the records are called means neither.
_Phrase = tuple[tuple[str, ...], Sequence[Any], Sequence[Any]]


@attrs.define
class Statement:
    """What the words from ``start`` to ``end`` were taken for."""

    start: int
    end: int
    conditions: list[Any]


@attrs.define
class Reading:
    """What was understood so far.

    Attributes:
        implied: conditions that hold unless something else is said of their field.
        understood: what was taken for what, for people.
        runs: the names that are left: the words before them, where they begin and end.
        ignored: what is not understood, by its position.
    """

    words: Words
    model: str
    fields: Mapping[str, Field]
    statements: list[Statement] = attrs.Factory(list)
    implied: list[list[Any]] = attrs.Factory(list)
    understood: list[str] = attrs.Factory(list)
    runs: list[tuple[tuple[str, ...], int, int]] = attrs.Factory(list)
    ignored: list[tuple[int, str]] = attrs.Factory(list)
    order: str | None = None

    def add(
        self, start: int, end: int, conditions: Iterable[Any], holds: bool = True, more: str = ""
    ) -> None:
        """Take note of what some words mean."""
        listed = [[p, o, list(v) if isinstance(v, tuple) else v] for p, o, v in conditions]
        if not holds and len(listed) == 1 and listed[0][1] in _OPPOSITES:
            listed[0][1], holds = _OPPOSITES[listed[0][1]], True
        self.words.mark(start, end)
        shown = " and ".join(f"{path} {operator} {value!r}" for path, operator, value in listed)
        said = f"{self.words.text(start, end)}{more}"
        self.understood += [f"{said}: {'' if holds else 'not: '}{shown}"] if listed else []
        parts = listed if holds else ["!", *together(listed)]
        self.statements.append(Statement(start, end, parts))

    def ignore(self, start: int, end: int) -> None:
        """Take note of words that are not understood."""
        self.words.mark(start, end)
        self.ignored.append((start, self.words.text(start, end)))

    def is_name(self, position: int) -> bool:
        """Whether a word may be part of a name: nobody took it, and it means nothing by itself."""
        if not 0 <= position < len(self.words):
            return False
        word = self.words[position]
        return not word.taken and (word.quoted or word.stem not in _NO_NAMES)


def first_of(
    fields: Mapping[str, Field], names: Iterable[str], types: Collection[str] = ()
) -> str | None:
    """Return the first of some names that is a field that can be searched by."""
    for name in names:
        field = fields.get(name)
        if field and (field.store or field.searchable) and (not types or field.type in types):
            return name
    return None


def main_date(model: str, fields: Mapping[str, Field]) -> str | None:
    """Return the date that records of a model are known by."""
    return first_of(fields, (*app_models.known(model).dates, *known.MAIN_DATES), _DATES)


def main_amount(fields: Mapping[str, Field]) -> str | None:
    """Return the amount that records of a model are known by."""
    return first_of(fields, known.MAIN_AMOUNTS)


def read_words(words: Words, model: str, fields_of: FieldsOf, uid: int, today: date) -> Reading:
    """Return what a query says of a model's own fields; names are left for a look-up.

    The words are taken; ``fields_of`` describes what may be named of a model, ``uid`` is "me".
    """
    reading = Reading(words, model, fields_of(model))
    parts = take_periods(words, today)
    phrases = [*_usual(reading, fields_of, uid, today), *_by_labels(reading.fields)]
    for said, conditions, implied in sorted(phrases, key=lambda one: -len(one[0])):
        while (start := words.find(said)) is not None:
            if not _take(reading, start, start + len(said), conditions, implied):
                break
    day = main_date(model, reading.fields)
    for position, word in enumerate(words):
        if day and reading.fields[day].store and words.has(position, known.ORDERS):
            reading.order = f"{day} {known.ORDERS[word.stem]}"
            reading.understood.append(f"{word.text}: sorted by {reading.order}")
            word.taken = True
    periods = [period for _, _, period in parts if period]
    for start, end, period in parts:
        if period and len(periods) == 1:  # two may be alternatives, or of different dates
            _date(reading, start, end, period)
        else:
            reading.ignore(start, end)
    _leave_names(reading)
    return reading


def _take(
    reading: Reading, start: int, end: int, conditions: Sequence[Any], implied: Sequence[Any]
) -> bool:
    """Take a phrase, unless it is a part of something else."""
    words = reading.words
    if conditions and start and words[start - 1].stem in ("stage", "tag"):  # "in stage Won": a name
        return False
    if words[start].stem in ("with", "without") and reading.is_name(end):
        return False  # "without customer Acme" is another thing
    start, holds = words.take(start, end)
    if conditions or (implied and holds):
        reading.add(start, end, conditions, holds)
    elif not holds:
        reading.ignore(start, end)
    for path, operator, value in implied if holds else ():
        said = f"{words.text(start, end)}: {path} {operator} {value!r}"
        reading.understood.append(f"{said}, unless something else is said of it")
        reading.implied.append([path, operator, value])
    return True


def _usual(reading: Reading, fields_of: FieldsOf, uid: int, today: date) -> Iterator[_Phrase]:
    """Yield what people call records of the model."""
    fields, model = reading.fields, reading.model
    if field := first_of(fields, ("invoice_user_id", "user_ids", "user_id")):
        mine = [(field, "in", [uid]) if field == "user_ids" else (field, "=", uid)]
        yield from ((phrase(text), mine, ()) for text in ("assigned to me", "my own", "my", "mine"))
    told = app_models.known(model)
    for meaning in (*known.meanings_of(told.meanings), *known.EVERYWHERE):
        ways = [_allowed(way, fields, fields_of, today) for way in meaning.means]
        way = next((way for way in ways if way is not None), None)
        if way is not None:
            implied = _allowed(meaning.implies, fields, fields_of, today) or ()
            yield from ((phrase(text), way, implied) for text in meaning.said)
    nouns = (*(told.nouns or ["record"]), *known.REQUESTS.split("|"))
    for noun in (*nouns, model.replace(".", " "), model.rpartition(".")[2]):
        yield phrase(noun), (), ()


def _allowed(
    conditions: known.Conditions, fields: Mapping[str, Field], fields_of: FieldsOf, today: date
) -> list[tuple[str, str, Any]] | None:
    """Return conditions as the server's fields allow them; None where they do not.

    Values that a selection lacks on this version are left out of lists.
    """
    allowed = []
    for path, operator, value in conditions:
        field = field_at(path, fields, fields_of)
        if field and field.type == "selection" and "." not in path:
            values = [item for item, _ in field.selection]
            if isinstance(value, tuple):
                value = [item for item in value if item in values]
            elif value not in values:
                return None
        if field is None or value == []:
            return None
        allowed.append((path, operator, today.isoformat() if value == known.TODAY else value))
    return allowed


def field_at(path: str, fields: Mapping[str, Field], fields_of: FieldsOf) -> Field | None:
    """Return the field at the end of a path of one or two names, if it can be searched by."""
    name, _, rest = path.partition(".")
    if not first_of(fields, [name]) or not rest:
        return fields[name] if first_of(fields, [name]) else None
    try:
        return field_at(rest, fields_of(str(fields[name].relation)), fields_of)
    except OdooError:  # closed, or not readable
        return None


def _by_labels(fields: Mapping[str, Field]) -> Iterator[_Phrase]:
    """Yield "without salesperson", "with email", and selections, the state's first."""
    short = ("char", *_DATES)
    for field in sorted(fields.values(), key=lambda item: item.name != "state"):
        if first_of(fields, [field.name], (*short, "text", "html", *RELATIONAL)):
            yield ("without", *phrase(field.string)), [(field.name, "=", False)], ()
            if field.type in short:
                yield ("with", *phrase(field.string)), [(field.name, "!=", False)], ()
        selection = field.selection if first_of(fields, [field.name], ("selection",)) else ()
        if len(selection) > _MOST_VALUES or _NEVER_MEANT.match(field.name):
            continue
        for value, label in selection:
            for words in (phrase(str(label)), phrase(str(value).replace("_", " "))):
                if not {*words} <= _NO_NAMES | known.SAYING and not "".join(words).isdigit():
                    yield words, [(field.name, "=", value)], ()


def _date(reading: Reading, start: int, end: int, period: Period) -> None:
    words = reading.words
    position = begin = start - 1
    # "won opportunities this month": the word that tells which date may stand further off.
    while position >= 0 and words[position].stem not in known.DATE_WORDS:
        position = -1 if reading.is_name(position) else position - 1
    column = None
    if position >= 0:
        if not position or words[position - 1].stem not in NEGATIONS:
            column = first_of(reading.fields, known.DATE_WORDS[words[position].stem], _DATES)
        words.mark(position, position + 1)
        start = position if position == begin else start
    elif not any(word.stem in known.DATE_WORDS for word in words):
        # "paid last month" says when it was paid, which no field tells.
        before = words[begin].stem if begin >= 0 else ""
        if not before.endswith("ed") and before not in ("paid", "sent", "lost", "date"):
            column = main_date(reading.model, reading.fields)
    if column is None or (period.ahead and column in known.DATES_AHEAD):
        reading.ignore(start, end)
        return
    conditions: list[tuple[str, str, Any]] = []
    if period.first:
        conditions.append((column, ">=", period.first.isoformat()))
    if period.last and reading.fields[column].type == "datetime":
        conditions.append((column, "<", (period.last + timedelta(days=1)).isoformat()))
    elif period.last:
        conditions.append((column, "<=", period.last.isoformat()))
    reading.add(start, end, conditions, more=f" ({period})")


def _leave_names(reading: Reading) -> None:
    """Gather what is left into names, with the words that stand before each."""
    words = reading.words
    before: tuple[str, ...] = ()
    announced: tuple[str, ...] = ()
    position = 0
    while position < len(words):
        start, says_more = position, False
        while reading.is_name(position) or (says_more and words.has(position, known.FILLERS)):
            if words[position].quoted:  # a name by itself
                position += position == start
                break
            says_more |= words[position].stem in known.SAYING
            position += 1
        if position > start and (says_more or words.text(start, position).isdigit()):
            reading.ignore(start, position)
        elif position > start:
            reading.runs.append((before, start, position))
            announced, before = before, ()
        else:
            word = words[position]
            joined = word.stem in ("and", "or") and not before  # "of Acme and Umbrella"
            before = () if word.taken else announced if joined else (*before, word.stem)
            position += 1


def is_whole(reading: Reading) -> bool:
    """Whether all was understood that "or" joins and that "not" or "except" turns round."""
    words = reading.words
    starts, ends = ({run[at] for run in reading.runs} for at in (1, 2))
    for position, word in enumerate(words):
        right = position + 1
        while words.has(right, known.FILLERS):
            right += 1
        if word.stem == "and":
            # Two names, or two plurals, which adjectives do not have: "customers and vendors".
            around = (words.text(position - 1, position), words.text(right, right + 1))
            names = position in ends and right in starts
            joins = names or all(text.endswith("s") for text in around)
        else:
            joins = word.stem == "or"
        joined = [one for one in reading.statements if one.end == position or one.start == right]
        items = [item for one in joined for item in one.conditions]
        alike = len(items) == len(joined) == 2 and _either(items[0], items[1], reading.fields)
        if not word.taken and (word.stem in known.TURNING or (joins and not alike)):
            return False
    return True


def _either(one: Any, other: Any, fields: Mapping[str, Field]) -> list[Any] | None:
    """Return the condition that one of two holds, of a field that has but one value."""
    if "!" in (one, other) or one[0] != other[0] or False in (one[2], other[2]):
        return None
    operators = {one[1], other[1]}
    single = fields[one[0].split(".")[0]].type not in TO_MANY
    if not single or not (operators <= {"=", "in"} or operators == {"child_of"}):
        return None
    said = [value if isinstance(value, list) else [value] for value in (one[2], other[2])]
    values = list(dict.fromkeys(said[0] + said[1]))
    return [one[0], "child_of" if "child_of" in operators else "in", values]


def domain_of(reading: Reading) -> list[Any]:
    """Return all conditions; several values of a field that has but one are alternatives."""
    single: list[Any] = []
    more: list[Any] = []
    for statement in reading.statements:
        if len(statement.conditions) != 1:
            more += statement.conditions
            continue
        (item,) = statement.conditions
        either = [_either(earlier, item, reading.fields) for earlier in single]
        if any(either):
            single = [new or old for new, old in zip(either, single, strict=True)]
        else:
            single.append(item)
    said = {item[0] for item in single + more}
    implied = [item for item in reading.implied if item[0] not in said]
    return [*{str(item): item for item in implied}.values(), *single, *more]
