"""A field of a model, as the server describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

#: What the toolkit asks ``fields_get`` for.
ATTRIBUTES = (
    "string",
    "type",
    "required",
    "readonly",
    "store",
    "searchable",
    "sortable",
    "relation",
    "relation_field",
    "selection",
    "help",
    "states",
)

TO_MANY = frozenset({"one2many", "many2many"})
RELATIONAL = TO_MANY | {"many2one"}


@attrs.frozen(kw_only=True)
class Field:
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
    selection: tuple[tuple[Any, str], ...] = ()
    help: str = ""
    state_dependent: bool = False


def parse_fields(answer: Mapping[str, Mapping[str, Any]]) -> dict[str, Field]:
    """Return the fields of a ``fields_get`` answer by name."""
    return {name: _parse_field(name, raw) for name, raw in answer.items()}


def _parse_field(name: str, raw: Mapping[str, Any]) -> Field:
    selection = raw.get("selection")
    return Field(
        name=name,
        type=raw["type"],
        string=raw.get("string") or name,
        required=bool(raw.get("required")),
        readonly=bool(raw.get("readonly")),
        store=bool(raw.get("store", True)),
        searchable=bool(raw.get("searchable", raw.get("store", True))),
        sortable=bool(raw.get("sortable", raw.get("store", True))),
        relation=raw.get("relation") or None,
        relation_field=raw.get("relation_field") or None,
        selection=tuple((value, label) for value, label in selection)
        if isinstance(selection, (list, tuple))
        else (),
        help=raw.get("help") or "",
        state_dependent=bool(raw.get("states")),
    )
