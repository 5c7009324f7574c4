"""The records that cells name, looked up for all rows together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from odoo_toolkit.app_models import known
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError
from odoo_toolkit.parallel import side_by_side
from odoo_toolkit.records.importing.cells import CellError, Named
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.scalars import FieldsOf

#: Values compared in one search: ten thousand take Odoo a fifth of a second.
CHUNK = 1000

#: Candidates that an error shows.
_SHOWN = 8

Found = Mapping[Named, list[RecordName]]


def look_up(
    odoo: Odoo, named: Iterable[Named], fields_of: FieldsOf, context: Mapping[str, Any]
) -> Found:
    """Return the records that are named so exactly; a few round trips for each relation.

    Names are looked for in the fields by which Odoo finds a model's records, and, where they are
    in none of these, among the names that Odoo shows. Archived records are not found by name.

    Args:
        odoo: the connection.
        named: what to look up.
        fields_of: gives the fields of a model, as far as they may be read.
        context: of the searches, such as the language of the names.

    Raises:
        AccessError: the policy or Odoo does not let a model or field be read.
    """
    groups: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for name in named:
        groups[name.model, name.by][name.text] = None
    found: dict[Named, list[RecordName]] = {}
    for (model, by), texts in groups.items():
        if by == "id":
            records = _by_external_id(odoo, model, list(texts), context)
        elif by:
            records = _by_fields(odoo, model, (by,), list(texts), fields_of, context)
        else:
            records = _by_name(odoo, model, list(texts), fields_of, context)
        found |= {Named(model, by, text): records.get(text, []) for text in texts}
    return found


def pick(named: Named, found: Found) -> int:
    """Return the id of the record that is named.

    Raises:
        CellError: there is none, or several.
    """
    matches = found[named]
    what = f"with the {named.by} " if named.by not in ("", "id") else ""
    what = "with the external id " if named.by == "id" else what or "named "
    if not matches:
        raise CellError(
            f"There is no {named.model} {what}{named.text[:80]!r}, or this user may not see it.",
            code="NOT_FOUND",
        )
    if len(matches) > 1:
        shown = ", ".join(f"{match.name} (id {match.id})" for match in matches[:_SHOWN])
        raise CellError(
            f"Several {named.model} {what}{named.text[:80]!r}: {shown}. Give the id of one.",
            candidates=({"id": match.id, "name": match.name} for match in matches[:_SHOWN]),
        )
    return matches[0].id


def external_ids(odoo: Odoo, model: str, names: list[str]) -> dict[str, tuple[str, int]]:
    """Return the model and id of the records that have these external ids.

    It is a reading of the model's own records, and judged as one.

    Args:
        odoo: the connection.
        model: whose records are looked for.
        names: such as ``base.main_company``.

    Raises:
        AccessError: the policy closes the model, or external ids.
    """
    found: dict[str, tuple[str, int]] = {}
    for start in range(0, len(names), CHUNK):
        chunk = names[start : start + CHUNK]
        parts = [name.split(".", 1) for name in chunk]
        domain = [
            ["module", "in", sorted({module for module, _ in parts})],
            ["name", "in", sorted({name for _, name in parts})],
        ]
        fields = ["module", "name", "model", "res_id"]
        arguments = {"domain": domain, "fields": fields}
        call = Call(
            model="ir.model.data",
            method="search_read",
            arguments=arguments,
            acts_on=model,
            step=True,
        )
        try:
            rows = odoo.call(call)
        except AccessError as error:
            if error.code != "ACCESS_DENIED":
                raise
            # From 17 on only administrators read the list; others may ask for one at a time.
            found |= _one_by_one(odoo, model, chunk)
            continue
        known_ids = {f"{row['module']}.{row['name']}": row for row in rows}
        found |= {
            name: (known_ids[name]["model"], known_ids[name]["res_id"])
            for name in chunk
            if name in known_ids
        }
    return found


def _one_by_one(odoo: Odoo, model: str, names: list[str]) -> dict[str, tuple[str, int]]:
    def ask(name: str) -> tuple[str, int] | None:
        module, rest = name.split(".", 1)
        call = Call(
            model="ir.model.data",
            method="check_object_reference",
            arguments={"module": module, "xml_id": rest},
            context={"active_test": False},
            access="read",
            acts_on=model,
            step=True,
        )
        try:
            found, record_id = odoo.call(call)
        except OdooConnectionError:
            raise
        except OdooError as error:
            if "not found" in error.message:
                return None
            raise
        # Without an id, the user may not see the record: it is there all the same.
        return str(found), int(record_id or 0)

    answers = side_by_side([lambda name=name: ask(name) for name in names])  # type: ignore[misc]
    return {name: answer for name, answer in zip(names, answers, strict=True) if answer}


def _by_external_id(
    odoo: Odoo, model: str, names: list[str], context: Mapping[str, Any]
) -> dict[str, list[RecordName]]:
    found = {
        name: record_id
        for name, (of, record_id) in external_ids(odoo, model, names).items()
        if of == model and record_id
    }
    visible: set[int] = set()
    ids = sorted(set(found.values()))
    for start in range(0, len(ids), CHUNK):
        domain = [["id", "in", ids[start : start + CHUNK]]]
        arguments = {"domain": domain}
        hidden_too = {**context, "active_test": False}
        call = Call(model=model, method="search", arguments=arguments, context=hidden_too)
        visible |= set(odoo.call(call))
    return {n: [RecordName(id=i, name=n)] for n, i in found.items() if i in visible}


def _by_fields(
    odoo: Odoo,
    model: str,
    fields: tuple[str, ...],
    texts: list[str],
    fields_of: FieldsOf,
    context: Mapping[str, Any],
) -> dict[str, list[RecordName]]:
    """Return the records of which a field holds the text exactly."""
    found: dict[str, dict[int, RecordName]] = defaultdict(dict)
    described = fields_of(model)
    for start in range(0, len(texts), CHUNK):
        chunk = texts[start : start + CHUNK]
        conditions: list[Any] = []
        for name in fields:
            values: list[Any] = list(chunk)
            if described[name].type == "integer":
                values = [int(text) for text in chunk if text.lstrip("+-").isdecimal()]
            conditions.append([name, "in", values])
        arguments = {
            "domain": ["|"] * (len(conditions) - 1) + conditions,
            "fields": list(dict.fromkeys([*fields, "display_name"])),
            "order": "id",
        }
        call = Call(model=model, method="search_read", arguments=arguments, context=context)
        for row in odoo.call(call):
            record = RecordName(id=row["id"], name=row.get("display_name") or str(row["id"]))
            for name in fields:
                found[str(row[name])][row["id"]] = record
    return {text: list(found[text].values()) for text in texts if text in found}


def _by_name(
    odoo: Odoo,
    model: str,
    texts: list[str],
    fields_of: FieldsOf,
    context: Mapping[str, Any],
) -> dict[str, list[RecordName]]:
    described = fields_of(model)
    fields = tuple(
        name
        for name in known(model).name_fields
        if name in described
        and described[name].searchable
        and described[name].store
        and described[name].type in ("char", "text")
    )
    found = _by_fields(odoo, model, fields, texts, fields_of, context) if fields else {}

    def shown(text: str) -> list[RecordName]:
        arguments = {"name": text, "operator": "=", "limit": _SHOWN}
        call = Call(model=model, method="name_search", arguments=arguments, context=context)
        rows = [RecordName(id=row[0], name=row[1]) for row in odoo.call(call)]
        return [row for row in rows if row.name.strip() == text]

    rest = [text for text in texts if text not in found]
    answers = side_by_side([lambda text=text: shown(text) for text in rest])  # type: ignore[misc]
    return {**found, **dict(zip(rest, answers, strict=True))}
