"""How results show themselves: one line in Python, a summary in IPython, tables in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import attrs

from odoo_toolkit.display.visible_text import in_one_line, visible

#: Rows of a table, and characters of a cell and of a value beside its name, that are shown.
_HTML_ROWS, _TEXT_ROWS = 50, 10
_CELL, _VALUE = 80, 400

#: Characters of a line of text, and of a result within another one.
_LINE, _ONE_LINE = 120, 160

_LEFT = ' style="text-align:left"'


class Shown:
    """A result that shows itself. A class with attrs inherits it and needs nothing more."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # attrs writes a __repr__ that holds everything, unless the class has one of its own; and
        # IPython looks for its method no further than to the first class that has a __repr__.
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]
        if "_repr_pretty_" not in cls.__dict__:
            cls._repr_pretty_ = Shown._repr_pretty_  # type: ignore[method-assign]

    def __repr__(self) -> str:
        shown = ""
        for name, value in _told(self):
            pair = f"{', ' if shown else ''}{name}={_brief(value)}"
            if len(shown) + len(pair) > _ONE_LINE:
                shown += ", …"
                break
            shown += pair
        return visible(f"{type(self).__name__}({shown})")

    def _summary(self, facts: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return what is said above all, and the values that are listed below."""
        return str(facts.pop("message", "")), facts

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Within a list or another object it is one of many.
        within = cycle or len(printer.stack) > 1
        printer.text(repr(self) if within else as_text(self))

    def _repr_html_(self) -> str | None:
        return as_html(self)


def answered(cls: type) -> list[str]:
    """Return the properties of a result that say yes or no: answers have them as attributes."""
    if not issubclass(cls, Shown):
        return []
    return sorted(
        name
        for kind in cls.__mro__
        for name, value in vars(kind).items()
        if not name.startswith("_")
        and isinstance(value, property)
        and value.fget is not None
        and value.fget.__annotations__.get("return") in (bool, "bool")
    )


def as_text(result: Any) -> str:
    """Return a result as lines of text: what it says, its values, and tables of its rows."""
    message, facts, tables = _parts(result)
    lines = [message]
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        first, *more = _cell(value, _VALUE).split("\n")
        lines += [f"  {name:{width}}  {first}", *(" " * (width + 4) + line for line in more)]
    for title, rows in tables.items():
        # A table that is all there is needs no title.
        lines += [f"{title} ({len(rows)})"] if facts or len(tables) > 1 else []
        lines += [f"  {line}" for line in _text_table(rows)]
    return visible("\n".join(lines))


def as_html(result: Any) -> str:
    """Return a result as HTML: what it says, a table of its values, and tables of its rows."""
    message, facts, tables = _parts(result)
    parts = [f"<p>{_escaped(message)}</p>"]
    if facts:
        cells = [(_escaped(name), _escaped(_cell(value, _VALUE))) for name, value in facts.items()]
        body = "".join(
            f"<tr><th{_LEFT}>{name}</th><td{_LEFT}>{cell}</td></tr>" for name, cell in cells
        )
        parts.append(f"<table><tbody>{body}</tbody></table>")
    for title, rows in tables.items():
        if facts or len(tables) > 1:
            parts.append(f"<p><b>{_escaped(title)}</b> ({len(rows)})</p>")
        parts.append(html_table(rows))
    return "".join(parts)


def html_table(rows: Sequence[Any]) -> str:
    """Return records, or other rows, as a table in HTML, the first of them where they are many."""
    if _are_sentences(rows):
        return f"<ol>{''.join(f'<li><code>{_escaped(str(row))}</code></li>' for row in rows)}</ol>"
    shown = [_row(row) for row in rows[:_HTML_ROWS]]
    columns = _columns(shown)
    head = "".join(f"<th{_LEFT}>{_escaped(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(_html_cell(row.get(name)) for name in columns)}</tr>" for row in shown
    )
    more = len(rows) - len(shown)
    foot = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def _html_cell(value: Any) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"<td{'' if number else _LEFT}>{_escaped(_cell(value, _CELL))}</td>"


def _text_table(rows: Sequence[Any]) -> list[str]:
    shown = rows[:_TEXT_ROWS]
    more = [f"and {len(rows) - len(shown)} more"] if len(rows) > len(shown) else []
    if _are_sentences(rows):
        return [f"{number}. {in_one_line(str(row))}" for number, row in enumerate(shown, 1)] + more
    values = [_row(row) for row in shown]
    columns, left = [], _LINE
    for name in _columns(values):
        cells = [name, *(_cell(row.get(name), _CELL // 2).replace("\n", " ") for row in values)]
        cells = [visible(cell) for cell in cells]
        width = max(map(len, cells))
        if width > left:
            columns.append(["…"] * len(cells))
            break
        left -= width + 2
        columns.append([f"{cell:{width}}" for cell in cells])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)] + more


def _parts(result: Any) -> tuple[str, dict[str, Any], dict[str, Sequence[Any]]]:
    """Return the message of a result, its single values, and its rows by title."""
    facts: dict[str, Any] = {}
    tables: dict[str, Sequence[Any]] = {}
    for name, value in _flat(_told(result)):
        rows = _rows(value)
        if rows is None:
            facts[name] = value
        else:
            tables[name] = rows
    # How many rows there are stands above each table.
    sizes = {len(rows) for rows in tables.values()}
    for name in [name for name in facts if name.endswith("count") and facts[name] in sizes]:
        del facts[name]
    message, facts = result._summary(facts)
    return message or type(result).__name__, facts, tables


def _told(result: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and values of an object's attributes that say something."""
    for attribute in attrs.fields(type(result)):
        value = getattr(result, attribute.name)
        empty = value is None or (isinstance(value, (str, list, dict, tuple)) and not value)
        if attribute.repr and not empty and value is not attribute.default:
            yield attribute.name, value


def _flat(told: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Take objects, and lists by name, within a result apart: ``wizard.buttons``."""
    for name, value in told:
        if attrs.has(type(value)) and not _is_name(value):
            yield from ((f"{name}.{inner}", told) for inner, told in _flat(_told(value)))
        elif isinstance(value, dict) and value and all(isinstance(v, list) for v in value.values()):
            yield from ((f"{name}: {key}", rows) for key, rows in value.items())
        else:
            yield name, value


def _rows(value: Any) -> Sequence[Any] | None:
    """Return a value as the rows of a table, None where it is a single value."""
    if isinstance(value, (list, tuple)):
        return value if value and not _are_names(value) and all(map(_is_row, value)) else None
    if not isinstance(value, Mapping) or _is_name(value):
        return None
    if all(map(_is_row, value.values())):
        return [{"": key, **_row(row)} for key, row in value.items()]
    return [{"": key, "value": cell} for key, cell in value.items()]


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping) or attrs.has(type(value))


def _row(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else dict(_told(value))


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of all rows; one that only later rows have stands where it does there."""
    columns: list[str] = []
    for row in rows:
        place = 0
        for name in row:
            if name in columns:
                place = columns.index(name) + 1
            else:
                columns.insert(place, name)
                place += 1
    return columns


def _is_name(value: Any) -> bool:
    """Whether it is no more than a record's id and name."""
    return _is_row(value) and dict(_pairs(value)).keys() == {"id", "name"}


def _pairs(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    return ((a.name, getattr(value, a.name)) for a in attrs.fields(type(value)))


def _are_names(values: Sequence[Any]) -> bool:
    # Rows of a search for names alone are rows nevertheless.
    return not isinstance(values[0], Mapping) and all(map(_is_name, values))


def _are_sentences(rows: Sequence[Any]) -> bool:
    """Whether the rows say themselves what they are, such as the calls of a plan."""
    return bool(rows) and isinstance(rows[0], Shown) and "__str__" in type(rows[0]).__dict__


def _brief(value: Any) -> str:
    """Return a value within one line."""
    if isinstance(value, (list, tuple, Mapping)):
        simple = isinstance(value, (list, tuple)) and not any(map(_is_row, value))
        if not (simple and len(value) <= 5):
            kind = "{}" if isinstance(value, Mapping) else "[]"
            return f"{kind[0]}{len(value)} item{'s' if len(value) != 1 else ''}{kind[1]}"
    return _cut(repr(value), _CELL)


def _cell(value: Any, longest: int) -> str:
    """Return a value as people read it, cut short."""
    if value is None:
        return ""
    if _is_name(value):
        return _cut("{name} ({id})".format(**dict(_pairs(value))), longest)
    if isinstance(value, (list, tuple)):
        cells = [
            f"{item[0]}: {item[1]}"
            if isinstance(item, (list, tuple)) and len(item) == 2
            else _cell(item, longest)
            for item in value
        ]
        sentences = longest > _CELL and any(" " in cell for cell in cells)
        return _cut(("\n" if sentences else ", ").join(cells), longest)
    return _cut(str(round(value, 6) if isinstance(value, float) else value), longest)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _escaped(text: str) -> str:
    return escape(visible(text)).replace("\n", "<br>")
