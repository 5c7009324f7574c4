"""The names of the records that a plan has by their ids: a person signs names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from odoo_toolkit.errors import OdooError

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

#: Names of one model that are looked up.
_MOST = 100

#: field or model, model of the records, id.
_Named = tuple[str, str, int]


def names_in(odoo: Odoo, plan: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return names by id, by the field that holds them, or the model for the records themselves.

    Args:
        odoo: the connection.
        plan: as JSON.
    """
    # Imported here: the server answers before the library's modules are loaded.
    from odoo_toolkit.records.reading import name_get

    named = list(dict.fromkeys(_named(odoo, plan)))
    by_model: dict[str, dict[int, str]] = {}
    for model in {model for _, model, _ in named}:
        ids = [i for _, of, i in named if of == model][:_MOST]
        # Names are an addition: where the user may not read them, the ids have to do.
        with suppress(OdooError):
            found = name_get(odoo, model, list(dict.fromkeys(ids))).names
            by_model[model] = {one.id: one.name for one in found}
    names: dict[str, dict[str, str]] = {}
    for key, model, record_id in named:
        if name := by_model.get(model, {}).get(record_id):
            names.setdefault(key, {})[str(record_id)] = name
    return names


def _named(odoo: Odoo, plan: Mapping[str, Any]) -> Iterator[_Named]:
    for call in plan.get("calls", ()):
        model = call["model"]
        yield from ((model, model, i) for i in call["ids"] if _is_id(i))
        for value in call["arguments"].values():
            yield from _in_values(odoo, model, value)


def _in_values(odoo: Odoo, model: str, values: Any) -> Iterator[_Named]:
    """Yield what the values of records name; lists may hold values, or commands with values."""
    if isinstance(values, (list, tuple)):
        for item in values:
            yield from _in_values(odoo, model, item)
    if not isinstance(values, Mapping):
        return
    fields: Mapping[str, Any] = {}
    with suppress(OdooError):
        fields = odoo.schema.fields(model)
    for name, value in values.items():
        field = fields.get(name)
        relation = field.relation if field else None
        if relation is None:
            continue
        if _is_id(value):
            yield name, relation, value
        elif isinstance(value, (list, tuple)):
            yield from _in_values(odoo, relation, value)
            ids = [item[2] for item in value if isinstance(item, (list, tuple)) and len(item) == 3]
            yield from ((name, relation, i) for one in ids if isinstance(one, list) for i in one)


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
