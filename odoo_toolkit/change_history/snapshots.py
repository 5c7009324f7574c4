"""What records hold before and after a write, as far as it may be kept and written back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from odoo_toolkit.app_models import Opposite
from odoo_toolkit.arguments import read_commands
from odoo_toolkit.arguments.commands import Command
from odoo_toolkit.arguments.compared import is_same
from odoo_toolkit.call import Call, opened_ids
from odoo_toolkit.change_history.entries import Write, opened_for
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field, computed_from
from odoo_toolkit.policy.contents import holds_file, is_secret
from odoo_toolkit.policy.tables import is_read_unasked

#: By which a record shows that the last write created it.
_MADE_BY = ("create_uid", "create_date", "write_date")

#: By which the context of some wizards names the records that they act on.
_ACTED_ON = {
    "sale.order": ("default_order_id",),
    "stock.picking": ("button_validate_picking_ids",),
    "mrp.production": ("button_mark_done_production_ids",),
}

Rows = dict[int, dict[str, Any]]

#: Types whose values cannot be written back as they were read.
_NOT_KEPT = frozenset({"binary", "serialized"})

_TEXTS = frozenset({"char", "text", "html"})


#: Most records of which all fields are looked at that a write of others may move.
_FEW = 10


#: What only says that somebody has changed a record, and stays so whatever is written back.
_TRACES = {"is_manually_modified"}


def kept_fields(odoo: Odoo, model: str, names: Mapping[str, Any]) -> dict[str, Field]:
    """Return those of the fields whose values the history keeps: neither closed ones nor files.

    What is closed in every mode is not kept of a connection either that opens it.
    """
    policy = odoo.policy.protecting()
    if policy.model_blocked(model):
        return {}
    described = policy.readable_fields(model, odoo.schema.fields)
    return {
        name: described[name]
        for name in names
        if name in described
        and is_read_unasked(model, described[name])
        and described[name].type not in _NOT_KEPT
        and not (is_secret(name) and described[name].type in _TEXTS)
    }


def kept_rows(odoo: Odoo, model: str, rows: Mapping[int, Mapping[str, Any]]) -> Rows:
    """Return rows that were read without what the change history does not keep."""
    fields = kept_fields(odoo, model, {name: None for row in rows.values() for name in row})
    return {n: without_files({k: row[k] for k in row if k in fields}) for n, row in rows.items()}


def without_files(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return values without those that have files in their text."""
    return {name: value for name, value in row.items() if not holds_file(value)}


def kept_values(odoo: Odoo, model: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that were sent without what the change history does not keep, also of lines."""
    fields = kept_fields(odoo, model, without_files(values))
    return {
        name: _kept_lines(odoo, field.relation, values[name])
        if field.type in TO_MANY and field.relation
        else values[name]
        for name, field in fields.items()
    }


def _kept_lines(odoo: Odoo, model: str, value: Any) -> Any:
    """Return what a field with lines is given; values stand for lines in any nesting."""
    if isinstance(value, Mapping):
        if not odoo.policy.model_allowed(model):
            return {}
        return kept_values(odoo, model, {str(name): item for name, item in value.items()})
    if isinstance(value, (list, tuple)):
        return [_kept_lines(odoo, model, item) for item in value]
    return value


def sent_values(odoo: Odoo, call: Call) -> Any:
    """Return the values of a ``create`` or ``write`` that the history keeps; None for others."""
    given = call.arguments.get("vals" if call.method == "write" else "vals_list")
    if call.method not in ("create", "write") or given is None:
        return None
    rows = given if isinstance(given, (list, tuple)) else [given]
    if not all(isinstance(row, Mapping) for row in rows):
        return None
    try:
        kept = [kept_values(odoo, call.model, row) for row in rows]
    except OdooError:  # a model that cannot be described is written all the same
        return None
    return kept[0] if call.method == "write" else kept


def watched_fields(odoo: Odoo, model: str, names: Iterable[str], records: int) -> list[str]:
    """Return the fields that a write of others may move, and that can be written back.

    They are those that Odoo computes of what is written. Of few records all that are stored are
    looked at, as a model can also change them in a ``write`` of its own.

    Args:
        odoo: the connection.
        model: of the records.
        names: of the fields that are written.
        records: how many there are.
    """
    described, written = odoo.schema.fields(model), set(names)
    found = computed_from(odoo.schema.fields, model, written)
    if records <= _FEW:
        found |= {
            name
            for name, field in described.items()
            if (field.store or field.company_dependent) and not field.readonly
        }
    kept = kept_fields(odoo, model, dict.fromkeys(sorted(found - written - _TRACES)))
    return [name for name, field in kept.items() if field.type != "one2many"]


def values_before(odoo: Odoo, call: Call) -> Rows:
    """Return what the records of a ``write`` hold; one round trip.

    That is what it changes, and what Odoo may change with it. Nothing where it cannot be read:
    what cannot be read can be written all the same.
    """
    values = call.arguments.get("vals")
    if not isinstance(values, Mapping) or not call.ids:
        return {}
    try:
        watched = watched_fields(odoo, call.model, values, len(call.ids))
    except OdooError:
        watched = []
    names = dict.fromkeys([*without_files(values), *watched])
    return _read(odoo, call, call.model, call.ids, names)


def _vals(call: Call) -> Mapping[str, Any]:
    values = call.arguments.get("vals")
    return values if isinstance(values, Mapping) else {}


def keep_moved(odoo: Odoo, write: Write) -> None:
    """Forget what was looked at before a ``write``, and has stayed as it was."""
    described = odoo.schema.fields(write.model)
    for number, before in write.before.items():
        after = write.after.get(number, {})
        for name in [name for name in before if name not in (write.values or {})]:
            if name in after and is_same(before[name], after[name], described[name]):
                del before[name], after[name]


def lines_before(odoo: Odoo, call: Call) -> list[Write]:
    """Return what a ``write`` will change on the lines of its records; a round trip per field."""
    found: list[Write] = []
    for name, commands in _commands(odoo, call).items():
        relation = odoo.schema.fields(call.model)[name].relation or ""
        updates = {c.id: dict(c.values) for c in commands if c.kind == "update"}
        rows = _read_moving(odoo, call, relation, updates) if updates else {}
        for line, values in updates.items():
            kept = rows.get(line, {})
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


def _read_moving(
    odoo: Odoo, call: Call, model: str, written: Mapping[int, Mapping[str, Any]]
) -> Rows:
    """Return of records what is written to each, and what Odoo may change with it."""
    watched = watched_fields(odoo, model, {n for v in written.values() for n in v}, len(written))
    kept = {number: without_files(values) for number, values in written.items()}
    names = {name: None for values in kept.values() for name in values}
    rows = _read(odoo, call, model, tuple(written), names | dict.fromkeys(watched))
    return {
        number: {
            name: value
            for name, value in row.items()
            if name in kept.get(number, {}) or name in watched
        }
        for number, row in rows.items()
    }


def note_before(odoo: Odoo, call: Call, write: Write, opposite: Opposite) -> None:
    """Note what a button, or a wizard's, will change besides the state; at most a round trip.

    What the operation has read anyway is handed over with the call.
    """
    if call.before is not None:
        write.before = dict(call.before)
    if "looked_up" in opposite.by and call.method not in ("create", "load"):
        write.values = {k: v for k, v in call.arguments.items() if isinstance(v, (int, str, float))}
    if call.method == "load":
        write.lines = _loaded_over(odoo, call)
        return
    if call.method == "web_save_multi":
        write.lines = _saved_over(odoo, call)
        return
    model, ids = call.model, list(call.ids or ())
    if opposite.of:
        model, ids = opposite.of, _acted_on(call.context, opposite.of)
    names = dict.fromkeys((*opposite.keeps, *opposite.notes))
    if not names or not ids:
        return
    rows = _read(odoo, call, model, tuple(ids), names)
    for number, row in rows.items():
        if opposite.notes:
            write.before[number] = {k: v for k, v in row.items() if k in opposite.notes}
        kept = {name: value for name, value in row.items() if name in opposite.keeps}
        write.lines += [_line(model, number, kept)] if kept else []


def _acted_on(context: Mapping[str, Any], model: str) -> list[int]:
    """Return the records that a wizard acts on, as its context names them."""
    opened, acted_on = opened_for(context)
    if opened == model:
        return acted_on
    found: Any = next((context[key] for key in _ACTED_ON.get(model, ()) if context.get(key)), [])
    ids = found if isinstance(found, (list, tuple)) else [found]
    return [n for n in ids if isinstance(n, int)]


def _line(model: str, number: int, kept: dict[str, Any]) -> Write:
    values: dict[str, Any] = dict.fromkeys(kept)
    return Write(
        model=model,
        method="write",
        ids=[number],
        values=values,
        before={number: kept},
        outcome="done",
    )


def lines_after(odoo: Odoo, call: Call, write: Write) -> None:
    """Note what a method has left in the fields whose old values were noted; a round trip each."""
    for model in dict.fromkeys(line.model for line in write.lines):
        lines = [line for line in write.lines if line.model == model]
        names = dict.fromkeys(
            name
            for line in lines
            for held in (line.values or {}, *line.before.values())
            for name in held
        )
        ids = tuple(number for line in lines for number in line.ids)
        rows = _read(odoo, call, model, ids, names)
        for line in lines:
            line.after = {
                number: {
                    name: value
                    for name, value in rows[number].items()
                    if name in (line.values or {}) or name in line.before.get(number, {})
                }
                for number in line.ids
                if number in rows
            }
            keep_moved(odoo, line)


def returned_ids(model: str, result: Any) -> list[int]:
    """Return which records of a model a method says that it has made."""
    if isinstance(result, Mapping):
        return opened_ids(result) if result.get("res_model") in (None, model) else []
    found = result if isinstance(result, (list, tuple)) else [result]
    return [n for n in found if isinstance(n, int) and not isinstance(n, bool)]


def _loaded_over(odoo: Odoo, call: Call) -> list[Write]:
    """Return what the rows of ``load`` hold that name their records by id."""
    columns = [str(name) for name in call.arguments.get("fields") or ()]
    if ".id" not in columns:
        return []
    place = columns.index(".id")
    ids = tuple(int(row[place]) for row in call.arguments.get("data") or () if row[place])
    names = {name.partition("/")[0]: None for name in columns if name != ".id"}
    rows = _read_moving(odoo, call, call.model, dict.fromkeys(ids, names))
    return [
        attrs.evolve(_line(call.model, number, row), values={n: None for n in row if n in names})
        for number, row in rows.items()
        if row
    ]


def _saved_over(odoo: Odoo, call: Call) -> list[Write]:
    """Return what the records hold of which ``web_save_multi`` writes each differently."""
    given, ids = call.arguments.get("vals_list") or (), call.ids or ()
    if not all(isinstance(values, Mapping) for values in given):
        return []
    rows = _read_moving(odoo, call, call.model, dict(zip(ids, given, strict=False)))
    found: list[Write] = []
    for number, values in zip(ids, given, strict=False):
        kept = rows.get(number, {})
        line = _line(call.model, number, kept)
        line.values = {name: value for name, value in values.items() if name in kept}
        line.not_kept = [name for name in values if name not in kept]
        found.append(line)
    return found


def loaded_anew(odoo: Odoo, call: Call, result: Any) -> list[int]:
    """Return which of the records of ``load`` it has created: those not written to before."""
    columns = [str(name) for name in call.arguments.get("fields") or ()]
    ids = result.get("ids") if isinstance(result, Mapping) else None
    if not ids or ".id" in columns:
        return []
    rows = _read(odoo, call, call.model, tuple(ids), dict.fromkeys(_MADE_BY))
    return [
        number
        for number, row in rows.items()
        if len(row) == len(_MADE_BY)
        and row["create_date"] == row["write_date"]
        and (row["create_uid"] or [0])[0] == odoo.uid
    ]


def values_after(odoo: Odoo, call: Call, write: Write) -> Rows:
    """Return what the records of a ``write`` have now that the values do not tell.

    These are the new lines that it has made, and what Odoo has changed with it.
    """
    lines = {
        name: None
        for name, commands in _commands(odoo, call).items()
        if any(c.kind == "create" for c in commands)
        and any(name in r for r in write.before.values())
    }
    watched = {n: None for row in write.before.values() for n in row if n not in _vals(call)}
    if call.before is not None:
        # Who has read what was there reads back what is: see note_stored.
        watched = {}
    asked = {**lines, **watched}
    return _read(odoo, call, call.model, call.ids or (), asked) if asked else {}


def _commands(odoo: Odoo, call: Call) -> dict[str, tuple[Command, ...]]:
    values = call.arguments.get("vals")
    if call.method != "write" or not isinstance(values, Mapping):
        return {}
    described = odoo.policy.readable_fields(call.model, odoo.schema.fields)
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
    return {
        row["id"]: without_files({name: row[name] for name in fields if name in row})
        for row in rows
    }
