"""The comparison of written values with stored values, by field type.

Odoo drops some values without a message, such as the barcode of a template with variants. It rounds
amounts, sanitizes HTML, and lets a model's own methods replace values. The toolkit reports each
difference.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Literal

import attrs

from odoo_toolkit.arguments.commands import Command, read_commands
from odoo_toolkit.display.results import Shown
from odoo_toolkit.fields import TO_MANY, Field, is_unencoded
from odoo_toolkit.values.properties import by_name
from odoo_toolkit.values.scalars import short_repr, show
from odoo_toolkit.values.shown import from_wire

Became = Literal["dropped", "changed", "rounded"]

#: Fields that say how the others are to be written, and are not kept themselves.
_INSTRUCTIONS = frozenset({"recurrence_update"})

#: Digits after the point to which Odoo rounds numbers at most.
_MOST_DIGITS = 8

#: Ids and characters of a value that a difference shows.
_MOST_IDS, _MOST_TEXT = 20, 200

#: Differences that a warning spells out.
_SPELT_OUT = 3

#: Changes by Odoo itself that a warning spells out.
_MOST_MOVES = 20


@attrs.frozen(kw_only=True)
class Difference(Shown):
    """A value that Odoo stored differently.

    Attributes:
        field: Name of the field.
        became: ``dropped`` if nothing is stored, ``rounded`` for a rounded number, otherwise
            ``changed``.
        given: Value that was written. For a relation to many records, the commands.
        stored: Value in Odoo now.
        ids: Ids of the records with this difference.
        detail: Missing part, if the values do not show it.
        advice: How to set the value, if this is known.
    """

    field: str
    became: Became
    given: Any
    stored: Any
    ids: list[int] = attrs.Factory(list)
    detail: str = ""
    advice: str = ""

    def __str__(self) -> str:
        if self.detail:
            what = self.detail
        elif self.became == "dropped":
            what = f"{_brief(self.given)} was not stored"
        else:
            what = f"{_brief(self.given)} became {_brief(self.stored)}"
        return f"{self.field}: {what}.{f' {self.advice}' if self.advice else ''}"


def comparable(model: str, field: Field) -> bool:
    """Whether a field shows again what was written to it."""
    return field.name not in _INSTRUCTIONS and not is_unencoded(model, field)


def differences(
    model: str,
    given: Mapping[int, Mapping[str, Any]],
    stored: Mapping[int, Mapping[str, Any]],
    fields: Mapping[str, Field],
) -> list[Difference]:
    """Return what is stored otherwise than it was given; alike ones of several records together.

    Args:
        model: of the records.
        given: the values of each record, by its id, as they were sent (:func:`to_wire`).
        stored: the records, by id, as ``read`` sends them. What is not in them is not compared.
        fields: the model's fields.
    """
    found: list[Difference] = []
    names = {name for values in given.values() for name in values}
    compared = {
        name: fields[name] for name in names & fields.keys() if comparable(model, fields[name])
    }
    for record_id, values in given.items():
        row = stored.get(record_id, {})
        for name, value in values.items():
            if name not in row or name not in compared:
                continue
            try:
                different = _difference(value, row[name], compared[name], fields)
            except (AttributeError, LookupError, TypeError, ValueError):
                # Odoo, or a module, answers in a shape of its own. The write is done all the same.
                continue
            if different is None:
                continue
            for other in found:
                if attrs.evolve(other, ids=[]) == different:
                    other.ids.append(record_id)
                    break
            else:
                found.append(attrs.evolve(different, ids=[record_id]))
    return found


def in_words(found: Sequence[Difference]) -> str:
    """Return a sentence that says what is stored otherwise than it was given."""
    more = len(found) - _SPELT_OUT
    told = " ".join(map(str, found[:_SPELT_OUT]))
    return (
        "Odoo stored other values than you passed: "
        f"{told}{f' And {more} more.' if more > 0 else ''}"
    )


def is_same(one: Any, other: Any, field: Field) -> bool:
    """Whether two values that Odoo sent of a field are the same."""
    if field.type == "many2one":
        return bool((_id(one) or False) == (_id(other) or False))
    if field.type in TO_MANY:
        return set(one or ()) == set(other or ())
    if field.type == "properties":
        return by_name(one) == by_name(other)
    return bool((one or False) == (other or False))


def moves(
    before: Mapping[int, Mapping[str, Any]],
    after: Mapping[int, Mapping[str, Any]],
    names: Iterable[str],
    fields: Mapping[str, Field],
) -> str:
    """Return a sentence that says which fields Odoo has changed by itself; none for nothing.

    Args:
        before: the records, by id, as ``read`` sent them.
        after: the same after a write.
        names: of the fields that were not written.
        fields: the model's fields.
    """
    found: dict[str, list[int]] = {}
    for name in names:
        for record_id, row in before.items():
            now = after.get(record_id, {})
            if name in row and name in now and not is_same(row[name], now[name], fields[name]):
                was, become = (_brief(_shown(r[name], fields[name])) for r in (row, now))
                found.setdefault(f"{name} {was} → {become}", []).append(record_id)
    if not found:
        return ""
    told = [
        text if len(before) == 1 else f"{text} (of {_ids(ids)})"
        for text, ids in list(found.items())[:_MOST_MOVES]
    ]
    more = len(found) - len(told)
    return f"Odoo also changed: {'; '.join(told)}{f'; and {more} more' if more else ''}."


def _difference(
    given: Any, stored: Any, field: Field, fields: Mapping[str, Field]
) -> Difference | None:
    """Return in what a stored value differs from the given one; None where it does not."""
    became: Became = "changed"
    detail = ""
    match field.type:
        case "one2many" | "many2many":
            detail = _other_links(read_commands(given, "values"), stored)
            same = not detail
        case "html":
            detail = _lost_html(given, stored)
            same = not detail
        case "float" | "monetary" | "integer":
            same = math.isclose(given or 0, stored or 0, rel_tol=1e-9, abs_tol=1e-9)
            became = "rounded" if _rounds(given or 0, stored or 0) else became
        case "many2one" | "many2one_reference":
            same = (given or False) == (_id(stored) or False)
        case "char" | "text":
            # XML turns the line ends of Windows into those of others.
            same = given == stored or _lines(given) == _lines(stored)
        case "binary":
            # Pictures are encoded anew, and of files only the size is read.
            same = bool(given) == bool(stored)
        case "properties":
            detail = _lost_properties(given, stored)
            same = not detail
        case "properties_definition":
            same = {_name(one) for one in given or ()} == {_name(one) for one in stored or ()}
        case "json":
            same = _plain_json(given) == _plain_json(stored)
        case _:
            same = (given or False) == (stored or False)
    if same:
        return None
    if became == "changed" and given and not stored:
        became = "dropped"
    return Difference(
        field=field.name,
        became=became,
        given=_short((given or None) if field.type == "many2one" else _shown(given, field)),
        stored=_short(_shown(stored, field)),
        detail=detail,
        advice=_advice(field, became, fields),
    )


def _shown(value: Any, field: Field) -> Any:
    return from_wire({field.name: value}, {field.name: field})[field.name]


def _advice(field: Field, became: Became, fields: Mapping[str, Field]) -> str:
    """Return where a value can be written instead, as far as the field itself tells."""
    if became == "rounded":
        return ""
    paths = [".".join(field.related)] if field.related else list(field.depends)
    for path in paths:
        owner, _, last = path.rpartition(".")
        if owner and last == field.name:
            relation = fields[owner].relation if owner in fields else None
            of = f" ({relation})" if relation else ""
            return f"Odoo copies it from {path}: write {last} on the records of {owner}{of}."
    if field.related:
        return f"Odoo copies it from {paths[0]}: write it there."
    return ""


# One type each ---------------------------------------------------------------------------------


def _rounds(given: float, stored: float) -> bool:
    """Whether a number is the other one with fewer digits; zero only of what is next to nothing."""
    return any(
        math.isclose(round(stored, digits), stored, rel_tol=1e-9, abs_tol=1e-12)
        and abs(given - stored) <= 0.5001 * 10**-digits
        for digits in range(0 if stored else 2, _MOST_DIGITS)
    )


def _id(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) and value else value


def _lines(value: Any) -> str:
    return str(value or "").replace("\r\n", "\n").replace("\r", "\n")


def _other_links(commands: Iterable[Command], shown: Any) -> str:
    """Say what commands have not brought about; of records that they do not name, nothing."""
    there = set(shown or ())
    exact: set[int] | None = None
    made, linked, gone = 0, set[int](), set[int]()
    for command in commands:
        match command.kind:
            case "create":
                made += 1
            case "update" | "link":
                linked.add(command.id)
                gone.discard(command.id)
            case "delete" | "unlink":
                gone.add(command.id)
                linked.discard(command.id)
            case "clear" | "set":
                exact = set(command.ids)
                made, linked, gone = 0, set(exact), set()
    problems = []
    if missing := sorted(linked - there):
        problems.append(f"not linked: {_ids(missing)}")
    extra = gone & there if exact is None else there - linked
    # What was made has ids that are not known here; Odoo may add lines of its own to them.
    if extra and (exact is None or not made):
        problems.append(f"also linked: {_ids(sorted(extra))}")
    if made and len(there - linked) < made:
        problems.append(f"of {made} new records {len(there - linked)} are there")
    return "; ".join(problems)


def _lost_properties(given: Any, stored: Any) -> str:
    """Say which properties are not stored as they were given."""
    shown = by_name(stored)
    lost = [
        str(name)
        for name, value in by_name(given).items()
        if (value or False) != (shown.get(name) or False)
    ]
    return f"not stored: {', '.join(lost)}" if lost else ""


def _name(definition: Any) -> Any:
    return definition.get("name") if isinstance(definition, Mapping) else None


def _plain_json(value: Any) -> Any:
    """Return a value as JSON gives it back, where keys are texts and what is empty is alike."""
    return json.loads(json.dumps(value, default=str)) or False


# HTML ------------------------------------------------------------------------------------------

#: Elements that only hold others, or that editors leave behind: no loss.
_WRAPPERS = frozenset(
    {
        *("html", "head", "body", "meta", "title", "link", "base", "xml", "font", "style"),
        *("p", "div", "span", "br", "tbody", "thead", "tfoot", "colgroup", "col"),
    }
)
_NOT_SHOWN = frozenset({"script", "style", "title"})


class _Parts(HTMLParser):
    """Takes HTML apart: its words, its elements, and what its links and scripts say."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.elements: Counter[str] = Counter()
        self._hidden = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Count an element, and those of its attributes that do something."""
        if tag not in _WRAPPERS:
            self.elements[f"<{tag}>"] += 1
        for name, value in attributes:
            if name.startswith("on") or (name in ("href", "src") and value):
                self.elements[f"{name} of <{tag}>"] += 1
        if tag in _NOT_SHOWN:
            self._hidden = tag

    def handle_endtag(self, tag: str) -> None:
        """Note that what follows is shown again."""
        if tag == self._hidden:
            self._hidden = ""

    def handle_data(self, data: str) -> None:
        """Keep the words that a reader sees."""
        if not self._hidden:
            self.text += data


def _lost_html(given: Any, stored: Any) -> str:
    """Say what sanitising took out of HTML; how it is laid out counts for nothing."""
    try:
        before, after = _Parts(str(given or "")), _Parts(str(stored or ""))
    except AssertionError:
        # What the parser cannot take apart ("<![if"), it cannot compare either.
        return ""
    problems = []
    lost = before.elements - after.elements
    words = _words(after.text)
    if _words(before.text) != words:
        # Plain text with an address in angle brackets is escaped, and so kept.
        if _words(str(given or "")) == words:
            return ""
        problems.append("other words are stored than were given")
    if lost:
        problems.append(f"removed: {', '.join(sorted(lost))}")
    return "; ".join(problems)


def _words(text: str) -> str:
    return "".join(text.replace("\ufeff", "").split())


# Showing ---------------------------------------------------------------------------------------


def _ids(ids: Iterable[int]) -> str:
    listed = list(ids)
    more = f" and {len(listed) - _MOST_IDS} more" if len(listed) > _MOST_IDS else ""
    return ", ".join(map(str, listed[:_MOST_IDS])) + more


def _short(value: Any) -> Any:
    """Return a value that is not long, whatever it is of."""
    if isinstance(value, str):
        return value if len(value) <= _MOST_TEXT else value[: _MOST_TEXT - 1] + "…"
    if isinstance(value, (list, tuple, dict)) and len(str(value)) > 2 * _MOST_TEXT:
        return short_repr(value)
    return value


def _brief(value: Any) -> str:
    if value is None or value == "":
        return "nothing"
    if isinstance(value, Mapping) and value.keys() == {"id", "name"}:
        return f"{value['name']} (id {value['id']})"
    return show(value)
