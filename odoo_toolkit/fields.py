"""A field of a model, as the server describes it."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.compat import RENAMED_FIELDS, UNENCODED_FIELDS, words
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import OdooError, ValidationError

#: What the toolkit asks ``fields_get`` for.
ATTRIBUTES = words("""
    string type required readonly store searchable sortable relation relation_field currency_field
    digits related depends company_dependent selection help states
""")

TO_MANY = frozenset({"one2many", "many2many"})
TEXTS = frozenset({"char", "text", "html"})
RELATIONAL = TO_MANY | {"many2one"}


@attrs.frozen(kw_only=True)
class Field(Shown):
    """One field, by the attributes that Odoo's ``fields_get`` gives.

    Attributes:
        name: technical name.
        type: char, text, html, integer, float, monetary, boolean, date, datetime, selection,
            binary, many2one, one2many, many2many, reference, many2one_reference, json,
            properties, ...
        string: label in the user's language.
        store: whether it is a column, or a table of relations, of the database.
        relation: model that a relational field points to.
        relation_field: of a one2many, the many2one in the other model.
        currency_field: of a monetary field, the field that has its currency.
        decimals: digits after the point that a float keeps; None where that is not fixed.
        related: the names on the path to the field that it shows, where it shows another one.
        depends: paths to the fields that it is computed from.
        company_dependent: whether each company has a value of its own.
        selection: pairs of value and label.
        state_dependent: to Odoo 16, a field may be readonly except in certain states.
    """

    name: str
    type: str
    string: str = ""
    required: bool = False
    readonly: bool = False
    store: bool = True
    searchable: bool = True
    sortable: bool = True
    relation: str | None = None
    relation_field: str | None = None
    currency_field: str | None = None
    decimals: int | None = None
    related: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
    company_dependent: bool = False
    selection: tuple[tuple[Any, str], ...] = ()
    help: str = ""
    state_dependent: bool = False


FieldsOf = Callable[[str], Mapping[str, Field]]
"""Gives the fields of a model; raises an OdooError where they cannot be had."""


def parse_fields(answer: Mapping[str, Mapping[str, Any]]) -> dict[str, Field]:
    """Return the fields of a ``fields_get`` answer by name.

    Odoo says of each field of a model, such as ``id``, whether it is stored. Of others it says
    nothing, and the database has none: up to 18, users seem to have fields that stand for groups,
    such as ``sel_groups_1_10_11``.
    """
    told = "store" in answer.get("id", {})
    return {name: _parse_field(name, raw, stored=not told) for name, raw in answer.items()}


def _parse_field(name: str, raw: Mapping[str, Any], *, stored: bool) -> Field:
    """Return a field; ``stored`` holds where the answer does not say it."""
    selection = raw.get("selection")
    said = raw.get("store")
    store = stored if said is None else bool(said)
    return Field(
        name=name,
        type=raw["type"],
        string=raw.get("string") or name,
        required=bool(raw.get("required")),
        readonly=bool(raw.get("readonly")),
        store=store,
        searchable=bool(raw.get("searchable", store)),
        sortable=bool(raw.get("sortable", store)),
        relation=raw.get("relation") or None,
        relation_field=raw.get("relation_field") or None,
        currency_field=raw.get("currency_field") or None,
        decimals=_decimals(raw.get("digits")),
        related=_path(raw.get("related")),
        depends=tuple(map(str, raw.get("depends") or ())),
        company_dependent=bool(raw.get("company_dependent")),
        selection=tuple((value, label) for value, label in selection)
        if isinstance(selection, (list, tuple))
        else (),
        help=raw.get("help") or "",
        state_dependent=bool(raw.get("states")),
    )


def computed_from(
    fields_of: FieldsOf, model: str, names: Iterable[str], *, inherits: bool = True
) -> set[str]:
    """Return which fields Odoo may compute anew when others are written, of those one can write.

    Args:
        fields_of: gives the fields of a model.
        model: that is written.
        names: of the fields that are written.
        inherits: whether to look at what the model has of another one, which computes it there.
    """
    fields, written = fields_of(model), set(names)
    followers: dict[str, set[str]] = defaultdict(set)
    inherited: dict[str, dict[str, str]] = defaultdict(dict)
    for field in fields.values():
        for path in field.depends:
            followers[path.partition(".")[0]].add(field.name)
        if len(field.related) == 2 and not (field.store or field.readonly):
            inherited[field.related[0]][field.related[1]] = field.name
    reached, todo = set(written), list(written)
    while todo:
        new = followers[todo.pop()] - reached
        reached |= new
        todo += new
    found = {name for name in reached if name in fields and fields[name].store}
    for link, own in inherited.items() if inherits else ():
        through = [name for name, mine in own.items() if mine in written]
        relation = fields[link].relation if through and link in fields else None
        try:
            there = computed_from(fields_of, relation, through, inherits=False) if relation else ()
        except OdooError:  # another model may be closed
            continue
        found |= {own[name] for name in there if name in own}
    return {name for name in found - written if not fields[name].readonly}


def is_unencoded(model: str, field: Field) -> bool:
    """Tell whether a field is the bytes of an attachment, or of a document that inherits one."""
    return (
        field.type == "binary"
        and field.name in UNENCODED_FIELDS
        and (model == "ir.attachment" or bool(field.related))
    )


def _decimals(digits: Any) -> int | None:
    """Return the second of two numbers: of all digits, and of those after the point."""
    pair = isinstance(digits, (list, tuple)) and len(digits) == 2
    return digits[1] if pair and isinstance(digits[1], int) else None


def _path(related: Any) -> tuple[str, ...]:
    """Return the names on a path, which is a list to Odoo 14 and a dotted text from 15 on."""
    if isinstance(related, str):
        return tuple(related.split("."))
    return tuple(map(str, related)) if isinstance(related, (list, tuple)) else ()


def unknown_field_error(
    model: str, names: str | Sequence[str], fields: Mapping[str, Field]
) -> ValidationError:
    """Return the INVALID_FIELD error for one or several fields that ``model`` lacks.

    Args:
        model: the model that was asked.
        names: what was taken for its fields.
        fields: the fields that it has.

    Returns:
        The error to raise; ``details`` has ``model``, ``field`` (or ``fields``, when there are
        several) and ``did_you_mean``: similar names (by wrong name, when there are several).
    """
    unknown = [names] if isinstance(names, str) else list(names)
    renamed = {name: other_names(name, RENAMED_FIELDS.get(model, ())) for name in unknown}
    similar = {
        name: [other for other in renamed[name] if other in fields] or similar_names(name, fields)
        for name in unknown
    }
    listed = ", ".join(
        f"{name[:80]!r}"
        + (f" (did you mean {' or '.join(similar[name])}?)" if similar[name] else "")
        for name in unknown
    )
    details: dict[str, Any] = {"model": model}
    if len(unknown) == 1:
        details |= {"field": unknown[0], "did_you_mean": similar[unknown[0]]}
    else:
        details |= {"fields": unknown, "did_you_mean": similar}
    return ValidationError(
        f"{model} has no field{'' if len(unknown) == 1 else 's'} {listed}.",
        code="INVALID_FIELD",
        suggestion=f"fields_get lists the fields of {model}.",
        details=details,
    )


def other_names(name: str, renamed: Sequence[Sequence[str]]) -> list[str]:
    """Return the names that something has on other versions."""
    return [other for names in renamed if name in names for other in names if other != name]


#: What turns a word into its opposite, before four letters at least.
_NEGATION = re.compile(r"(?:(?:not|non|no|un)[ _-]?|in|im|dis)(?=[a-z]{4})")


def similar_names(name: str, names: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Return at most three of ``names`` that look like ``name``, the likeliest first.

    What says the opposite is never among them: for ``unpaid`` it is ``not_paid``, and not ``paid``.
    """
    asked = name[:80].lower()
    alike = [other for other in names if other != asked and _means_the_same(asked, other.lower())]
    close = difflib.get_close_matches(asked, names, n=6, cutoff=0.6)
    kept = [other for other in close if not _is_opposite(asked, other.lower())]
    return list(dict.fromkeys([*alike, *kept]))[:3]


def _means_the_same(one: str, other: str) -> bool:
    """Whether two words are negations of the same one."""
    positive = _without_negation(one)
    return positive is not None and positive == _without_negation(other)


def _is_opposite(one: str, other: str) -> bool:
    """Whether one of two words is much like the negation of the other."""
    pairs = ((_without_negation(one), other), (_without_negation(other), one))
    return any(
        positive is not None and difflib.SequenceMatcher(None, positive, word).ratio() >= 0.85
        for positive, word in pairs
    )


def _without_negation(word: str) -> str | None:
    """Return what a negation negates; None of a word that is none."""
    match = _NEGATION.match(word)
    return word[match.end() :] if match else None
