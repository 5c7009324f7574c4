"""What a query says of a model's own fields; a pure function of its words and the schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit import app_models
from odoo_toolkit.errors import OdooError
from odoo_toolkit.fields import RELATIONAL, Field, FieldsOf
from odoo_toolkit.search_help import meanings as known
from odoo_toolkit.search_help.meanings import DATES, Word, first_of, main_date, phrase
from odoo_toolkit.search_help.periods import Period, period_at
from odoo_toolkit.search_text import folded

#: Selections that nobody means, though their labels are everyday words.
_NEVER_MEANT = re.compile(
    r"(activity_|repeat_|recurrence|lang$|tz$|.*_warn$|.*decoration|.*_policy$|message_|display_)"
)
_MOST_VALUES = 20
#: Words before a span of time that tell of what it is the time -> the date field that they mean;
#: of others, and of those on "ed", the date's label says so.
_WHEN = {"created": "create_date", "updated": "write_date", "modified": "write_date"}
_WHEN |= dict.fromkeys(("due", "done", "paid", "sent", "won", "lost"), "")
_NO_NAMES = known.FILLERS | known.TURNING | known.SAYING
_AMOUNT = re.compile(r"[$€£<>=~]|[\d.,:/%-]+(?:st|nd|rd|th)?$")

#: A phrase, the conditions that it means, and those that it implies; what the records are called
#: means neither.
_Phrase = tuple[tuple[str, ...], Sequence[Any], Sequence[Any]]


@attrs.define
class Reading:
    """What was understood so far.

    Attributes:
        implied: conditions that hold unless something else is said of their field.
        understood: what was taken for what, for people.
        rests: where the words begin and end between those that were understood.
        ignored: what is not understood, by its position.
        periods: spans of time, each with its date field, where that is clear.
    """

    words: Sequence[Word]
    model: str
    fields: Mapping[str, Field]
    conditions: list[list[Any]] = attrs.Factory(list)
    implied: list[list[Any]] = attrs.Factory(list)
    understood: list[str] = attrs.Factory(list)
    rests: list[tuple[int, int]] = attrs.Factory(list)
    ignored: list[tuple[int, str]] = attrs.Factory(list)
    periods: list[tuple[int, int, str | None, Period | None]] = attrs.Factory(list)

    @property
    def whole(self) -> bool:
        """Whether nothing is left that joins, widens or turns round what was understood."""
        left = [word.stem for start, end in self.rests for word in self.words[start:end]]
        return known.TURNING.isdisjoint(left)

    def text(self, start: int, end: int) -> str:
        """Return words as they were written."""
        return " ".join(word.text for word in self.words[start:end])

    def add(
        self, start: int, end: int, conditions: Iterable[Sequence[Any]], more: str = ""
    ) -> None:
        """Take note of what some words mean."""
        listed = [list(condition) for condition in conditions]
        shown = " and ".join(f"{path} {operator} {value!r}" for path, operator, value in listed)
        self.understood += [f"{self.text(start, end)}{more}: {shown}"] if listed else []
        self.conditions += listed

    def ignore(self, start: int, end: int) -> None:
        """Take note of words that are not understood."""
        self.ignored += [(start, self.text(start, end))] if start < end else []


def read_words(
    words: Sequence[Word], model: str, fields_of: FieldsOf, uid: int, today: date
) -> Reading:
    """Return what a query says of a model's own fields; names are left for a look-up.

    ``fields_of`` describes what may be named of a model, ``uid`` is "me".
    """
    reading = Reading(words, model, fields_of(model))
    phrases: dict[tuple[str, ...], _Phrase] = {}
    for one in _phrases(reading, fields_of, uid, today):
        phrases.setdefault(one[0], one)
    at = begin = 0
    while at < len(words):
        end = _take_period(reading, at, phrases, today) or _take_phrase(reading, at, phrases)
        if end:
            reading.rests.append((begin, at))
        begin = end or begin
        at = end or at + 1
    reading.rests.append((begin, at))
    for start, end, column, period in reading.periods:
        if column and period and len(reading.periods) == 1:  # two may be alternatives
            reading.add(start, end, _within(column, reading.fields[column], period))
        else:
            reading.ignore(start, end)
    return reading


def says(word: Word) -> bool:
    """Whether a word tells of time, amounts or an order."""
    return word.stem in known.SAYING or bool(_AMOUNT.match(word.stem))


def _phrases(reading: Reading, fields_of: FieldsOf, uid: int, today: date) -> Iterator[_Phrase]:
    """Yield what people call records, then "without salesperson", "with email", and selections."""
    fields, model = reading.fields, reading.model
    if user := first_of(fields, ("invoice_user_id", "user_ids", "user_id")):
        mine = [(user, "in", [uid]) if user == "user_ids" else (user, "=", uid)]
        yield from ((phrase(text), mine, ()) for text in ("assigned to me", "my own", "my", "mine"))
    told = app_models.known(model)
    for said, ways, implies in (*known.meanings_of(told.meanings), *known.EVERYWHERE):
        allowed = [_allowed(way, fields, fields_of, today) for way in ways]
        way = next((way for way in allowed if way is not None), None)
        if way is not None:
            implied = _allowed(implies, fields, fields_of, today) or ()
            yield from ((phrase(text), way, implied) for text in said)
    nouns = (*(told.nouns or ["record"]), *known.REQUESTS.split("|"))
    for noun in (*nouns, model.replace(".", " "), model.rpartition(".")[2]):
        yield phrase(noun), (), ()
    short = ("char", *DATES)
    for name in sorted(fields, key=lambda name: name != "state"):  # the state's values first
        field = fields[name]
        if first_of(fields, [name], (*short, "text", "html", *RELATIONAL)):
            yield ("without", *phrase(field.string)), [(name, "=", False)], ()
            if field.type in short:
                yield ("with", *phrase(field.string)), [(name, "!=", False)], ()
        meant = first_of(fields, [name], ("selection",)) and not _NEVER_MEANT.match(name)
        for value, label in field.selection if meant else ():
            for words in (phrase(str(label)), phrase(str(value).replace("_", " "))):
                clear = not {*words} <= _NO_NAMES and not "".join(words).isdigit()
                if clear and len(field.selection) <= _MOST_VALUES:
                    yield words, [(name, "=", value)], ()


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


def _take_period(
    reading: Reading, at: int, phrases: Mapping[tuple[str, ...], _Phrase], today: date
) -> int | None:
    """Take a span of time, with the word before it that tells which date is meant."""
    words, word = reading.words, reading.words[at].stem
    texts = [folded(word.text) if word.stem else "" for word in words]
    told = _tells_when(word)
    found = period_at(texts, at + told, today)
    if found is None:
        return None
    start, (end, period), before = at, found, words[at - 1]
    unclear = at and (says(before) or _tells_when(before.stem))
    column = None if unclear else main_date(reading.model, reading.fields)
    if told:
        labelled = (n for n, field in reading.fields.items() if word in phrase(field.string))
        column = first_of(reading.fields, (_WHEN.get(word, ""), *labelled), DATES)
        if said := phrases.get((word,)):  # "confirmed yesterday" is a state, too
            reading.add(at, at + 1, said[1])
            start += 1
    reading.periods.append((start, end, column, period))
    return end


def _tells_when(word: str) -> bool:
    return word in _WHEN or word.endswith("ed")


def _within(column: str, field: Field, period: Period) -> Iterator[tuple[str, str, str]]:
    first, last = period
    if first:
        yield column, ">=", first.isoformat()
    if last and field.type == "datetime":
        yield column, "<", (last + timedelta(days=1)).isoformat()
    elif last:
        yield column, "<=", last.isoformat()


def _take_phrase(
    reading: Reading, at: int, phrases: Mapping[tuple[str, ...], _Phrase]
) -> int | None:
    """Take the longest phrase that begins at a word."""
    words = reading.words
    for end in range(len(words), at, -1):
        said = phrases.get(tuple(word.stem for word in words[at:end]))
        follows = words[end].stem if end < len(words) else "the"
        if words[at].stem in ("with", "without") and follows not in _NO_NAMES:
            continue  # "without customer Acme" is another thing
        if said and not (said[1] and at and words[at - 1].stem in ("stage", "tag")):
            reading.add(at, end, said[1])
            for path, operator, value in said[2]:
                text = f"{reading.text(at, end)}: {path} {operator} {value!r}"
                reading.understood.append(f"{text}, unless the query says otherwise")
                reading.implied.append([path, operator, value])
            return end
    return None


def domain_of(reading: Reading) -> list[Any]:
    """Return all conditions; what is said of a field replaces what is implied of it."""
    said = {condition[0] for condition in reading.conditions}
    implied = {str(item): item for item in reading.implied if item[0] not in said}
    return [*implied.values(), *reading.conditions]
