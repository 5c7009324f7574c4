"""What records hold before and after a write, as far as it may be kept and written back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.arguments import read_commands
from odoo_toolkit.arguments.commands import Command
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.journal.entries import Write
from odoo_toolkit.policy.tables import is_read_unasked

Rows = dict[int, dict[str, Any]]

#: Types whose values cannot be written back as they were read.
_NOT_KEPT = frozenset({"binary", "properties", "properties_definition", "json", "serialized"})


def kept_fields(odoo: Odoo, model: str, names: Mapping[str, Any]) -> dict[str, Field]:
    """Return those of the fields whose values the journal keeps: neither closed ones nor files."""
    described = odoo.policy.readable_fields(model, odoo.schema.fields, step=True)
    return {
        name: described[name]
        for name in names
        if name in described
        and is_read_unasked(model, described[name])
        and described[name].type not in _NOT_KEPT
    }


def sent_values(odoo: Odoo, call: Call) -> Any:
    """Return the values of a ``create`` or ``write`` that the journal keeps; None for others."""
    given = call.arguments.get("vals" if call.method == "write" else "vals_list")
    if call.method not in ("create", "write") or given is None:
        return None
    rows = given if isinstance(given, (list, tuple)) else [given]
    if not all(isinstance(row, Mapping) for row in rows):
        return None
    try:
        kept = [{name: row[name] for name in kept_fields(odoo, call.model, row)} for row in rows]
    except OdooError:  # a model that cannot be described is written all the same
        return None
    return kept[0] if call.method == "write" else kept


def values_before(odoo: Odoo, call: Call) -> Rows:
    """Return what the records of a ``write`` hold in the fields that it changes; one round trip.

    Nothing where it cannot be read: what cannot be read can be written all the same.
    """
    values = call.arguments.get("vals")
    if not isinstance(values, Mapping) or not call.ids:
        return {}
    return _read(odoo, call, call.model, call.ids, values)


def lines_before(odoo: Odoo, call: Call) -> list[Write]:
    """Return what a ``write`` will change on the lines of its records; a round trip per field."""
    found: list[Write] = []
    for name, commands in _commands(odoo, call).items():
        relation = odoo.schema.fields(call.model)[name].relation or ""
        updates = {c.id: dict(c.values) for c in commands if c.kind == "update"}
        fields = {field: None for values in updates.values() for field in values}
        rows = _read(odoo, call, relation, tuple(updates), fields) if updates else {}
        for line, values in updates.items():
            kept = {k: v for k, v in rows.get(line, {}).items() if k in values}
            found.append(
                Write(
                    model=relation,
                    method="write",
                    ids=[line],
                    values={k: v for k, v in values.items() if k in kept},
                    before={line: kept},
                    not_kept=[k for k in values if k not in kept],
                    outcome="done",
                )
            )
    return found


def values_after(odoo: Odoo, call: Call, write: Write) -> Rows:
    """Return which lines the records of a ``write`` have now, where it has made some.

    What else was written is compared with what was given: only new lines cannot be told by it.
    """
    lines = {
        name: None
        for name, commands in _commands(odoo, call).items()
        if any(c.kind == "create" for c in commands)
        and any(name in r for r in write.before.values())
    }
    return _read(odoo, call, call.model, call.ids or (), lines) if lines else {}


def _commands(odoo: Odoo, call: Call) -> dict[str, tuple[Command, ...]]:
    values = call.arguments.get("vals")
    if call.method != "write" or not isinstance(values, Mapping):
        return {}
    described = odoo.policy.readable_fields(call.model, odoo.schema.fields, step=True)
    found: dict[str, tuple[Command, ...]] = {}
    for name, value in values.items():
        if name in described and described[name].type in TO_MANY:
            try:
                found[name] = tuple(read_commands(value, "values"))
            except ValidationError:
                continue
    return found


def _read(
    odoo: Odoo, call: Call, model: str, ids: tuple[int, ...], names: Mapping[str, Any]
) -> Rows:
    try:
        fields = list(kept_fields(odoo, model, names))
        if not fields:
            return {}
        # Searched for, not read: an id that is not there is no error here.
        rows = odoo.call(
            Call(
                model=model,
                method="search_read",
                arguments={"domain": [["id", "in", list(ids)]], "fields": fields},
                context={**call.context, "active_test": False},
                acts_on=call.acts_on,
                step=True,
            )
        )
    except OdooError:
        return {}
    return {row["id"]: {name: row[name] for name in fields if name in row} for row in rows}
