"""The records that cells name, looked up for all rows together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError
from odoo_toolkit.fields import Field, FieldsOf, similar_names
from odoo_toolkit.records import record_refs
from odoo_toolkit.records.importing.cells import Named
from odoo_toolkit.records.importing.texts import CellError
from odoo_toolkit.records.name_choices import in_words, told_apart
from odoo_toolkit.records.names import ARCHIVED
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.records.rows import existing_ids
from odoo_toolkit.values.search_text import literal

#: Values compared in one search: ten thousand take Odoo a fifth of a second.
CHUNK = 1000

#: Values compared in one search without regard to case, which takes Odoo longer.
_FOLDED = 100

#: Candidates that an error shows, and names for which similar ones are looked for.
_SHOWN, _CORRECTED = 8, 200

#: Questions by which records that are not there are told from those that this user cannot see.
_HIDDEN = 50

#: Records of which all names are read when one is not found as it is written: in a model that has
#: more, names are looked for one by one.
_ALL = 2000


@attrs.frozen(kw_only=True)
class Match:
    """The records that a cell may mean.

    Attributes:
        records: those that are named so.
        similar: those that are named alike, where there are none.
        archived: those of the name that are archived, where there are no others.
    """

    records: Sequence[RecordName] = ()
    similar: Sequence[RecordName] = ()
    archived: Sequence[RecordName] = ()


Found = Mapping[Named, Match]
_Records = dict[str, list[RecordName]]


def look_up(
    odoo: Odoo, named: Iterable[Named], fields_of: FieldsOf, context: Mapping[str, Any]
) -> Found:
    """Return the records that are named so; a few round trips for each relation.

    Names are looked for in the fields by which Odoo finds a model's records and among the names
    that Odoo shows, first as they are written, then in any case of letters. Archived records are
    not found by name.

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
    found: dict[Named, Match] = {}
    for (model, by), asked in groups.items():
        texts = list(asked)
        similar: _Records = {}
        archived: _Records = {}
        if by == "id":
            records = _by_external_id(odoo, model, texts, context)
        else:
            described = fields_of(model)
            fields = (by,) if by else _name_fields(model, described)
            records = _by_fields(odoo, model, fields, texts, described, context) if fields else {}
            rest = [text for text in texts if text not in records]
            if rest:
                lookup = _Lookup(odoo, model, by, fields, described, context)
                other, similar = lookup.look(rest)
                records |= other
            rest = [text for text in texts if text not in records]
            if rest and fields and "active" in described:
                hidden_too = {**context, "active_test": False}
                archived = _by_fields(odoo, model, fields, rest, described, hidden_too)
        _tell_companies(odoo, model, records)
        found |= {
            Named(model, by, text): Match(
                records=records.get(text, ()),
                similar=similar.get(text, ()),
                archived=archived.get(text, ()),
            )
            for text in texts
        }
    return found


def _tell_companies(odoo: Odoo, model: str, records: _Records) -> None:
    """Add what tells records of one name apart, such as the company; a round trip if any are."""
    alike = {one.id for found in records.values() if len(found) > 1 for one in found}
    apart = told_apart(odoo, model, sorted(alike)) if alike else {}
    for text, found in records.items():
        if len(found) > 1:
            told = {one.id: in_words(apart.get(one.id, {})) for one in found}
            records[text] = [
                attrs.evolve(one, name=f"{one.name}, {told[one.id]}") if told[one.id] else one
                for one in found
            ]


def pick(named: Named, found: Found) -> int:
    """Return the id of the record that is named.

    Raises:
        CellError: there is none, or several.
    """
    match = found[named]
    if len(match.records) == 1:
        return match.records[0].id
    what = f"with the {named.by} " if named.by not in ("", "id") else ""
    what = "with the external id " if named.by == "id" else what or "named "
    text = repr(named.text[:80])
    shown = match.records or list({one.id: one for one in match.similar}.values())
    candidates = [{"id": record.id, "name": record.name} for record in shown[:_SHOWN]]
    if match.records:
        listed = ", ".join(f"{record.name} (id {record.id})" for record in shown[:_SHOWN])
        raise CellError(
            f"Several {named.model} {what}{text}: {listed}. Pass the id of one.",
            candidates=candidates,
        )
    if named.by == "id" and (number := record_refs.parse(named.text)):
        raise CellError(
            f"There is no {named.model} {what}{text}. It refers to record {number.id} of the "
            f"database of the export. First import those {named.model} with their column id, or "
            "identify them by a field that both databases share.",
            code="NOT_FOUND",
        )
    if match.archived:
        listed = " or ".join(f"{one.name} (id {one.id})" for one in match.archived[:_SHOWN])
        raise CellError(
            f"The {named.model} {what}{text} is archived: {listed}. {ARCHIVED}",
            code="NOT_FOUND",
            candidates=[{"id": one.id, "name": one.name} for one in match.archived[:_SHOWN]],
        )
    near = suggested(shown)
    ending = f". Did you mean {near}?" if near else ", or this user cannot see it."
    raise CellError(
        f"There is no {named.model} {what}{text}{ending}", code="NOT_FOUND", candidates=candidates
    )


def suggested(records: Iterable[RecordName]) -> str:
    """Return the names of similar records, each once; those of the same name with their ids."""
    once = {record.id: record for record in records}
    names = [record.name for record in once.values()]
    return " or ".join(
        f"{one.name!r} (id {one.id})" if names.count(one.name) > 1 else repr(one.name)
        for one in list(once.values())[:_SHOWN]
    )


def absent_ids(
    odoo: Odoo, model: str, ids: Iterable[int], context: Mapping[str, Any]
) -> frozenset[int]:
    """Return the ids of which there is no record; archived ones are there.

    What this user cannot see, or may not ask for, is not among them: Odoo decides whether a value
    may lead there.
    """
    rest = sorted(set(ids))
    chunks = [rest[start : start + CHUNK] for start in range(0, len(rest), CHUNK)]
    try:
        there = {one for chunk in chunks for one in existing_ids(odoo, model, chunk, context)}
    except AccessError:
        return frozenset()
    waiting = [[one for one in rest if one not in there]]
    absent: set[int] = set()
    for _ in range(_HIDDEN):
        chunk = waiting.pop() if waiting else []
        if not chunk:
            break
        # Of what is not there, a read says nothing; for what is hidden, it is refused as a whole.
        call = Call(
            model=model, method="read", ids=chunk, arguments={"fields": ["display_name"]}, step=True
        )
        try:
            absent |= set(chunk) - {row["id"] for row in odoo.call(call)}
        except OdooError as error:
            if error.code not in ("ACCESS_DENIED", "NOT_FOUND"):
                raise
            if error.code == "NOT_FOUND" and len(chunk) == 1:
                absent.update(chunk)
            half = len(chunk) // 2
            waiting += [part for part in (chunk[half:], chunk[:half]) if half]
    return frozenset(absent)


def external_ids(odoo: Odoo, model: str, names: list[str]) -> dict[str, tuple[str, int]]:
    """Return the model and id of the records that have these external ids.

    What stands for a record of this database by its number is read, and not asked for. It is a
    reading of the model's own records, and judged as one.

    Args:
        odoo: the connection.
        model: whose records are looked for.
        names: such as ``base.main_company``.

    Raises:
        AccessError: the policy closes the model, or external ids.
    """
    found = record_refs.of_this_database(odoo, model, names)
    names = [name for name in names if name not in found]
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
        # Without an id, the user cannot see the record: it is there all the same.
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


def _name_fields(model: str, described: Mapping[str, Field]) -> tuple[str, ...]:
    """Return the fields by which records of a model are named."""
    return tuple(
        name
        for name in known(model).name_fields
        if name in described
        and described[name].searchable
        and described[name].store
        and described[name].type in ("char", "text")
    )


def _by_fields(
    odoo: Odoo,
    model: str,
    fields: Sequence[str],
    texts: Sequence[str],
    described: Mapping[str, Field],
    context: Mapping[str, Any],
) -> _Records:
    """Return the records of which a field holds the text exactly."""
    found: dict[str, dict[int, RecordName]] = defaultdict(dict)
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
            for name in fields:
                found[str(row[name])][row["id"]] = _name_of(row)
    return {text: list(found[text].values()) for text in texts if text in found}


def _name_of(row: Mapping[str, Any]) -> RecordName:
    return RecordName(id=row["id"], name=str(row.get("display_name") or row["id"]))


@attrs.frozen
class _Lookup:
    """Looks for the records of a model that are not found exactly as they are written."""

    odoo: Odoo
    model: str
    by: str
    fields: tuple[str, ...]
    described: Mapping[str, Field]
    context: Mapping[str, Any]

    def look(self, texts: Sequence[str]) -> tuple[_Records, _Records]:
        """Return the records that are named so in another case, and those named alike."""
        shown = () if self.by else ("display_name",)
        rows = self._read([], limit=_ALL + 1)
        if len(rows) <= _ALL:
            exact, folded = _index(rows, (*self.fields, *shown))
            records = {t: exact.get(t) or folded.get(t.casefold()) or [] for t in texts}
        else:
            records = self._one_by_one(texts)
        found = {text: named for text, named in records.items() if named}
        rest = [text for text in texts if text not in found][:_CORRECTED]
        if len(rows) > _ALL and rest:
            near = [self._beginning(text) for text in rest]
            rows = self._read(["|"] * (len(near) - 1) + near, limit=_ALL)
        _, folded = _index(rows, (*self.fields, *shown)) if rest else ({}, {})
        similar = {
            text: [record for name in similar_names(text, folded) for record in folded[name]]
            for text in rest
        }
        return found, similar

    def _read(self, domain: Sequence[Any], limit: int | None) -> list[dict[str, Any]]:
        fields = list(dict.fromkeys([*self.fields, "display_name"]))
        arguments: dict[str, Any] = {"domain": list(domain), "fields": fields, "order": "id"}
        if limit is not None:
            arguments["limit"] = limit
        call = Call(
            model=self.model, method="search_read", arguments=arguments, context=self.context
        )
        rows: list[dict[str, Any]] = self.odoo.call(call)
        return rows

    def _one_by_one(self, texts: Sequence[str]) -> _Records:
        """Look for names in a large model: in any case, and, of names alone, as Odoo shows them."""
        found: _Records = {}
        fields = [name for name in self.fields if self.described[name].type in ("char", "text")]
        for start in range(0, len(texts) if fields else 0, _FOLDED):
            chunk = texts[start : start + _FOLDED]
            leaves = [[name, "=ilike", literal(text)] for text in chunk for name in fields]
            rows = self._read(["|"] * (len(leaves) - 1) + leaves, limit=None)
            _, folded = _index(rows, fields)
            found |= {text: folded[text.casefold()] for text in chunk if text.casefold() in folded}
        if self.by:
            return found

        def shown(text: str) -> list[RecordName]:
            arguments = {"name": text, "operator": "=", "limit": _SHOWN}
            call = Call(
                model=self.model, method="name_search", arguments=arguments, context=self.context
            )
            rows = [RecordName(id=row[0], name=row[1]) for row in self.odoo.call(call)]
            return [row for row in rows if row.name.strip().casefold() == text.casefold()]

        rest = [text for text in texts if text not in found]
        answers = side_by_side([lambda text=text: shown(text) for text in rest])  # type: ignore[misc]
        return found | dict(zip(rest, answers, strict=True))

    def _beginning(self, text: str) -> list[Any]:
        """Return a condition that finds names that begin like a text."""
        field = self.fields[0] if self.fields else "display_name"
        return [field, "=ilike", f"{literal(text[:3])}%"]


def _index(rows: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> tuple[_Records, _Records]:
    """Return records by what they are named, and by the same without regard to case."""
    exact: dict[str, dict[int, RecordName]] = defaultdict(dict)
    folded: dict[str, dict[int, RecordName]] = defaultdict(dict)
    for row in rows:
        record = _name_of(row)
        for name in fields:
            if row[name]:
                text = str(row[name]).strip()
                exact[text][row["id"]] = folded[text.casefold()][row["id"]] = record
    return (
        {text: list(named.values()) for text, named in exact.items()},
        {text: list(named.values()) for text, named in folded.items()},
    )
