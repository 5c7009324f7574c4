"""What a query says of a model's own fields; a pure function of its words and the schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from odoo_toolkit.domains.syntax import together
from odoo_toolkit.fields import RELATIONAL, Field
from odoo_toolkit.search_help.meanings import (
    DATE_WORDS,
    EVERYWHERE,
    FILLERS,
    MAIN_AMOUNTS,
    MAIN_DATES,
    MEANINGS,
    MODEL_DATES,
    NOUNS,
    RELATION_WORDS,
    TODAY,
    Meaning,
    conditions_on,
)
from odoo_toolkit.search_help.periods import take_period
from odoo_toolkit.search_help.words import NEGATIONS, Words, phrase

#: S00012, INV/2026/0001, WH/OUT/00003; a code such as 5a7f is rather part of a name.
_REFERENCE = re.compile(r"[A-Za-z]{1,8}\d{2,}|(?=.*\d)[A-Za-z]+\d*([/_-][A-Za-z0-9]+)+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_NUMBER = r"[$€£]?(?P<{0}>\d[\d,]*(?:\.\d+)?)(?P<{0}_unit>k|m)?[$€£]?"
_LOW, _HIGH = _NUMBER.format("low"), _NUMBER.format("high")
#: How a bound is said -> the operators for the low and the high number.
_AMOUNTS = tuple(
    (re.compile(rf"(?:{said})(?!\S)"), least, most)
    for said, least, most in (
        (rf"between {_LOW} and {_HIGH}", ">=", "<="),
        (rf"(?:at least|minimum|min|from|not less than|>=) {_LOW}", ">=", ""),
        (
            rf"(?:over|above|(?:more|greater|larger|higher) than|exceeding|>) {_LOW}",
            ">",
            "",
        ),
        (rf"(?:at most|up to|maximum|max|not more than|<=) {_HIGH}", "", "<="),
        (rf"(?:under|below|(?:less|smaller|lower|cheaper) than|<) {_HIGH}", "", "<"),
    )
)
_TOP = re.compile(
    r"(?:top|first|(?P<last>last|latest|newest|most recent)) (?P<count>\d{1,3})(?!\S)"
)
_NEWEST = re.compile(r"(?:newest|latest|most recent)(?!\S)")
_OLDEST = re.compile(r"(?:oldest|earliest)(?!\S)")
_LARGEST = re.compile(r"(?:largest|biggest|highest|most expensive)(?!\S)")
_SMALLEST = re.compile(r"(?:smallest|lowest|cheapest)(?!\S)")

#: Selections and flags that nobody means, though their labels are everyday words.
_NEVER_MEANT = re.compile(
    r"(activity_|repeat_|recurrence|lang$|tz$|.*_warn$|.*decoration|.*_policy$|message_|display_)"
)
_MOST_VALUES = 20


@attrs.define
class Reading:
    """What was understood so far.

    Attributes:
        domain: conditions, all of which hold.
        implied: conditions that hold unless something else was said of their field.
        understood: what was taken for what, for people.
        runs: the names that are left: the words before them, and the name.
        ignored: words that mean nothing to us.
    """

    domain: list[Any] = attrs.Factory(list)
    implied: list[tuple[str, str, Any]] = attrs.Factory(list)
    understood: list[str] = attrs.Factory(list)
    runs: list[tuple[tuple[str, ...], str]] = attrs.Factory(list)
    ignored: list[str] = attrs.Factory(list)
    order: str | None = None
    limit: int | None = None

    def add(self, said: str, conditions: Iterable[Sequence[Any]], holds: bool = True) -> None:
        """Take note of what some words mean."""
        listed = [[path, operator, _plain(value)] for path, operator, value in conditions]
        if not listed:
            return
        if not holds and len(listed) == 1 and listed[0][1] in _OPPOSITES:
            listed[0][1] = _OPPOSITES[listed[0][1]]
            self.domain += listed
        else:
            self.domain += listed if holds else ["!", *together(listed)]
        shown = " and ".join(f"{path} {operator} {value!r}" for path, operator, value in listed)
        self.understood.append(f"{said}: {shown}")

    def names_field(self, name: str) -> bool:
        """Whether something has been said of a field."""
        return any(isinstance(item, list) and item[0] == name for item in self.domain)

    def whole_domain(self) -> list[Any]:
        """Return all conditions; several values of one field are alternatives."""
        implied = [
            [path, operator, _plain(value)]
            for path, operator, value in dict.fromkeys(self.implied)
            if not self.names_field(path)
        ]
        return _merged([*implied, *self.domain])


_OPPOSITES = {"=": "!=", "!=": "=", "in": "not in", "not in": "in", ">": "<=", "<": ">="}


def read_words(
    words: Words, model: str, fields: Mapping[str, Field], uid: int, today: date
) -> Reading:
    """Return what a query says of a model's own fields; names are left for a look-up.

    Args:
        words: of the query; they are taken.
        model: that is searched.
        fields: those that may be named.
        uid: who "me" is.
        today: what "today" is.
    """
    reading = Reading()
    _dates(words, reading, model, fields, today)
    _ranking(words, reading, model, fields)
    _references(words, reading, fields)
    _own(words, reading, fields, uid)
    meanings = [
        (text, meaning)
        for meaning in (*MEANINGS.get(model, ()), *EVERYWHERE)
        for text in meaning.said
    ]
    for text, meaning in sorted(meanings, key=lambda pair: -len(pair[0].split())):
        _meaning(words, reading, fields, text, meaning, today)
    _amounts(words, reading, fields)
    for noun in sorted((*NOUNS.get(model, ()), *_model_words(model)), key=len, reverse=True):
        words.take(phrase(noun))
    _set_or_not(words, reading, fields)
    _selections(words, reading, fields)
    _flags(words, reading, fields)
    _leave_names(words, reading)
    return reading


def _model_words(model: str) -> tuple[str, str]:
    """Return what a model is called by its technical name."""
    return model.replace(".", " "), model.rpartition(".")[2]


def _ranking(words: Words, reading: Reading, model: str, fields: Mapping[str, Field]) -> None:
    day, amount = main_date(model, fields), main_amount(fields)
    if found := words.match(_TOP):
        reading.limit = int(found["count"]) or None
        column = day if found["last"] else amount or day
        reading.order = f"{column} desc" if column else None
    for pattern, column, direction in (
        (_NEWEST, day, "desc"),
        (_OLDEST, day, "asc"),
        (_LARGEST, amount, "desc"),
        (_SMALLEST, amount, "asc"),
    ):
        if column and words.match(pattern):
            reading.order = f"{column} {direction}"
    if reading.order:
        reading.understood.append(f"sorted by {reading.order}")


def _references(words: Words, reading: Reading, fields: Mapping[str, Field]) -> None:
    """Take numbers of documents and e-mail addresses."""
    email = next((n for n in ("email", "email_from", "partner_email") if _usable(fields, n)), None)
    name = fields.get("name")
    for word in words:
        if word.taken or word.quoted:
            continue
        if email and _EMAIL.fullmatch(word.text):
            word.taken = True
            reading.add(word.text, [(email, "=ilike", word.text)])
        elif name and name.type == "char" and _REFERENCE.fullmatch(word.text):
            word.taken = True
            reading.add(word.text, [("name", "ilike", word.text)])


def _own(words: Words, reading: Reading, fields: Mapping[str, Field], uid: int) -> None:
    field = next(
        (n for n in ("invoice_user_id", "user_ids", "user_id") if _usable(fields, n)), None
    )
    for said in ("assigned to me", "my own", "my", "mine"):
        if field and words.take(phrase(said)):
            reading.add(said, [(field, "in" if field == "user_ids" else "=", uid_of(field, uid))])
            return


def uid_of(field: str, uid: int) -> Any:
    """Return the user as a condition on a field takes it."""
    return [uid] if field == "user_ids" else uid


def _meaning(
    words: Words,
    reading: Reading,
    fields: Mapping[str, Field],
    text: str,
    meaning: Meaning,
    today: date,
) -> None:
    if words.find(phrase(text)) is None or words.before(phrase(text)) in ("stage", "tag"):
        return
    ways = [conditions_on(way, fields) for way in meaning.means]
    conditions = next((way for way in ways if way is not None), None if ways else [])
    if conditions is None:
        return
    holds = words.take(phrase(text))
    reading.add(text, _dated(conditions, today), bool(holds))
    if holds:
        for item in meaning.implies:
            for path, operator, value in conditions_on((item,), fields) or ():
                reading.implied.append((path, operator, value))
                shown = f"{path} {operator} {_plain(value)!r}"
                reading.understood.append(f"{text}: {shown} unless something else is said of it")


def _dated(conditions: list[tuple[str, str, Any]], today: date) -> list[tuple[str, str, Any]]:
    return [(p, o, today.isoformat() if value == TODAY else value) for p, o, value in conditions]


def main_date(model: str, fields: Mapping[str, Field]) -> str | None:
    """Return the date that records of a model are known by."""
    names = (*MODEL_DATES.get(model, ()), *MAIN_DATES)
    return next((name for name in names if _is_date(fields, name)), None)


def main_amount(fields: Mapping[str, Field]) -> str | None:
    """Return the amount that records of a model are known by."""
    return next((name for name in MAIN_AMOUNTS if _usable(fields, name)), None)


def _dates(
    words: Words, reading: Reading, model: str, fields: Mapping[str, Field], today: date
) -> None:
    while period := take_period(words, today):
        said = {word.stem for word in words}
        named = [
            field.name
            for field in fields.values()
            if _is_date(fields, field.name) and words.take(phrase(field.string))
        ]
        told = [name for word, names in DATE_WORDS.items() if word in said for name in names]
        field_name = next(
            (
                name
                for name in (*named, *told, main_date(model, fields) or "")
                if _is_date(fields, name)
            ),
            None,
        )
        if field_name is None:
            reading.ignored.append(period.said)
            continue
        conditions: list[tuple[str, str, Any]] = []
        if period.first:
            conditions.append((field_name, ">=", period.first.isoformat()))
        if period.last and fields[field_name].type == "datetime":
            conditions.append((field_name, "<", (period.last + timedelta(days=1)).isoformat()))
        elif period.last:
            conditions.append((field_name, "<=", period.last.isoformat()))
        reading.add(period.said, conditions)


def _amounts(words: Words, reading: Reading, fields: Mapping[str, Field]) -> None:
    for pattern, least, most in _AMOUNTS:
        if found := words.match(pattern):
            numeric = [
                field.name
                for field in fields.values()
                if field.type in ("monetary", "float", "integer")
                and _usable(fields, field.name)
                and field.name != "id"
                and words.take(phrase(field.string))
            ]
            column = numeric[0] if numeric else main_amount(fields)
            if column is None:
                reading.ignored.append(found.group())
                continue
            conditions = []
            if least:
                conditions.append((column, least, _amount(found, "low")))
            if most:
                conditions.append((column, most, _amount(found, "high")))
            reading.add(found.group(), conditions)


def _amount(found: re.Match[str], group: str) -> float | int:
    value = float(found[group].replace(",", "")) * {"k": 1e3, "m": 1e6}.get(
        found[f"{group}_unit"] or "", 1
    )
    return int(value) if value.is_integer() else value


def _selections(words: Words, reading: Reading, fields: Mapping[str, Field]) -> None:
    """Take labels and values of selections, the state's and the longest first."""
    options = [
        (phrase(text), field.name, value)
        for field in fields.values()
        if field.type == "selection"
        and _usable(fields, field.name)
        and len(field.selection) <= _MOST_VALUES
        and not _NEVER_MEANT.match(field.name)
        for value, label in field.selection
        for text in {str(label), str(value).replace("_", " ")}
        if isinstance(value, str) and any(character.isalpha() for character in text)
    ]
    for said, name, value in sorted(options, key=lambda o: (-len(o[0]), o[1] != "state")):
        # One short common word is enough for a state only: elsewhere it may be anything.
        if not said or (said[0] in FILLERS and len(said) == 1):
            continue
        if words.before(said) in RELATION_WORDS:  # "in stage Won": a name
            continue
        holds = words.take(said)
        if holds is not None:
            reading.add(" ".join(said), [(name, "=", value)], holds)


def _set_or_not(words: Words, reading: Reading, fields: Mapping[str, Field]) -> None:
    """Take "without salesperson" and "with email"."""
    for field in sorted(fields.values(), key=lambda item: -len(item.string)):
        if field.type not in RELATIONAL | {"char", "text", "html", "date", "datetime"}:
            continue
        said = phrase(field.string)
        if not said or not _usable(fields, field.name):
            continue
        for before, operator in (*((n, "=") for n in sorted(NEGATIONS)), ("with", "!=")):
            alone = operator == "=" or field.type in ("char", "date", "datetime")
            start = words.find((before, *said)) if alone else None
            if start is not None:
                words.mark(range(start, start + len(said) + 1))
                reading.add(f"{before} {' '.join(said)}", [(field.name, operator, False)])


def _flags(words: Words, reading: Reading, fields: Mapping[str, Field]) -> None:
    for field in fields.values():
        if field.type != "boolean" or field.name == "active" or _NEVER_MEANT.match(field.name):
            continue
        said = phrase(re.sub(r"^(Is|Has|Can be) (an? )?", "", field.string))
        if said and _usable(fields, field.name) and said[0] not in FILLERS:
            holds = words.take(said)
            if holds is not None:
                reading.add(" ".join(said), [(field.name, "=", holds)])


def _leave_names(words: Words, reading: Reading) -> None:
    """Gather what is left into names, with the words that stand before each."""
    before: list[str] = []
    run: list[str] = []
    for word in [*words, None]:
        is_name = word is not None and not word.taken
        if is_name and not word.quoted and word.stem in FILLERS:
            is_name = False
        if is_name and word is not None:
            run.append(word.text)
            if not word.quoted:
                continue
        if run:
            reading.runs.append((tuple(before), " ".join(run)))
            before, run = [], []
        if word is not None and not is_name:
            before = [] if word.taken else [*before, word.stem]


def _is_date(fields: Mapping[str, Field], name: str) -> bool:
    return _usable(fields, name) and fields[name].type in ("date", "datetime")


def _usable(fields: Mapping[str, Field], name: str) -> bool:
    field = fields.get(name)
    return field is not None and (field.store or field.searchable)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _merged(domain: list[Any]) -> list[Any]:
    """Join what is said twice: one field cannot have two values, so they are alternatives."""
    if any(isinstance(item, str) for item in domain):
        return domain
    merged: list[Any] = []
    for path, operator, value in domain:
        same = next((item for item in merged if item[0] == path and item[1] in ("=", "in")), None)
        if same is None or operator not in ("=", "in") or value is False:
            if [path, operator, value] not in merged:
                merged.append([path, operator, value])
            continue
        values = [
            *(same[2] if same[1] == "in" else [same[2]]),
            *(value if operator == "in" else [value]),
        ]
        values = list(dict.fromkeys(values))
        same[1:] = ["in", values] if len(values) > 1 else ["=", values[0]]
    return merged
