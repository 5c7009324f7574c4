"""Old values of fields are written back, where the fields still hold what was left in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.app_models import known
from odoo_toolkit.arguments.compared import differences, is_same
from odoo_toolkit.call import Call
from odoo_toolkit.change_history import Write
from odoo_toolkit.change_history.entries import KEPT_CONTEXT
from odoo_toolkit.change_history.snapshots import kept_fields
from odoo_toolkit.client import Odoo
from odoo_toolkit.fields import Field, computed_from
from odoo_toolkit.operations.steps import Step
from odoo_toolkit.undoing.parts import NAME, Item, Part
from odoo_toolkit.values.properties import by_name


class Restored:
    """The old values of fields: of several writes to one field, the first one's."""

    def __init__(self, odoo: Odoo, writes: Sequence[Write], made: set[tuple[str, int]]) -> None:
        self._odoo, self._writes = odoo, writes
        #: (model, id, field) -> the places of the first and the last write.
        places: dict[tuple[str, int, str], tuple[int, int]] = {}
        for place, write in enumerate(writes):
            if write.method != "write":
                continue
            for number in write.ids:
                if (write.model, number) in made:
                    continue
                for name in _names(write, number):
                    first = places.get((write.model, number, name), (place, place))[0]
                    places[write.model, number, name] = (first, place)
        self._places = places
        self._made = made

    def told(self, place: int) -> list[str]:
        """Say which fields of a write cannot be written back."""
        write = self._writes[place]
        old = [number for number in write.ids if (write.model, number) not in self._made]
        names = dict.fromkeys(name for number in old for name in _names(write, number))
        kept = kept_fields(self._odoo, write.model, names) if write.method == "write" else names
        # What the policy closes today is not written back either.
        lost = [*(write.not_kept if old else ()), *(name for name in names if name not in kept)]
        if not lost:
            return []
        fields = f"{', '.join(lost)} of {write.model}"
        return [f"The change history does not contain the old values of {fields}."]

    def at(self, place: int) -> list[tuple[Item, set[int]]]:
        """Return what is written back where the first write of some fields was.

        With each comes where the writes are that it takes back.
        """
        write = self._writes[place]
        wanted: dict[int, list[str]] = {}
        for (model, number, name), (first, _) in self._places.items():
            if first == place and model == write.model and number in write.ids:
                wanted.setdefault(number, []).append(name)
        if not wanted:
            return []
        written = {name for names in wanted.values() for name in names}
        # What Odoo would compute anew from the old values is held as it is.
        held = computed_from(self._odoo.schema.fields, write.model, written)
        fields = kept_fields(
            self._odoo, write.model, dict.fromkeys([*sorted(written), *sorted(held)])
        )
        document, _, state = _written_in(write.model)
        now = self._now(write, list(wanted), [*fields, *filter(None, (document, state))])
        return [
            (item, self._of(write.model, number, names))
            for number, names in wanted.items()
            for item in self._record(write, number, [n for n in names if n in fields], fields, now)
        ]

    def _of(self, model: str, number: int, names: Sequence[str]) -> set[int]:
        """Return where the writes to some fields of a record are."""
        return {
            place
            for place, write in enumerate(self._writes)
            if (write.model, write.method) == (model, "write")
            and number in write.ids
            and not set(names).isdisjoint(_names(write, number))
        }

    def _record(
        self,
        write: Write,
        number: int,
        names: Sequence[str],
        fields: Mapping[str, Field],
        now: Mapping[int, Mapping[str, Any]],
    ) -> list[Item]:
        label = f"{write.model} {number}"
        row = now.get(number)
        if row is None:
            gone = f"{label} is not there any more"
            return [Item(part=Part(model=write.model, ids=[number], says="", blocked=gone))]
        name = row.get(NAME) or label
        values: dict[str, Any] = {}
        changed = []
        for field in names:
            before = write.before.get(number, {})
            if field not in before:
                continue
            last = self._writes[self._places[write.model, number, field][1]]
            if is_same(row.get(field), before[field], fields[field]):
                continue  # as before already
            if not self._as_left(last, number, field, row, fields):
                changed.append(field)
                continue
            back = _back(before[field], last.after.get(number, {}).get(field), fields[field])
            if back is not None:
                values[field] = back
        items: list[Item] = []
        if changed:
            listed = ", ".join(changed)
            blocked = f"{name}: {listed} {'was' if len(changed) == 1 else 'were'} changed since"
            items.append(Item(part=Part(model=write.model, ids=[number], says="", blocked=blocked)))
        if not values:
            return items
        shown = ", ".join(
            f"{fields[f].string or f} {_brief(row.get(f), fields[f])} → "
            f"{_brief(write.before[number][f], fields[f])}"
            for f in values
        )
        held = self._held(write, values, row, fields)

        target, ids = write.model, [number]
        document, lines, state = _written_in(write.model)
        if document and row.get(document) and row.get(state) == "draft":
            link = self._odoo.schema.fields(write.model)[document]
            target, ids = link.relation or "", [row[document][0]]

        def step(written: Mapping[str, Any]) -> Step:
            if target != write.model:
                written = {lines: [[1, number, dict(written)]]}
            return Step(
                model=target,
                method="write",
                arguments={"vals": written},
                context=_context(write),
            )

        says = f"{name}: {shown}."
        back = {**row, **{field: write.before[number][field] for field in values}}
        expected = {field: back[field] for field in (*values, *held)}
        return [
            *items,
            Item(
                part=Part(model=target, ids=ids, says=says),
                steps=[step({**values, **held})],
                # What is held can be what Odoo does not let be written, not even as it is.
                otherwise=[step(values)] if held else [],
                would_otherwise=says,
                says_otherwise=says,
                check=lambda: self._changed(write, number, list(values), row, fields),
                verify=lambda: self._not_back(write, number, name, expected, fields),
            ),
        ]

    def _held(
        self,
        write: Write,
        values: Mapping[str, Any],
        row: Mapping[str, Any],
        fields: Mapping[str, Field],
    ) -> dict[str, Any]:
        """Return what Odoo would compute anew when old values are written, as it is now."""
        anew = computed_from(self._odoo.schema.fields, write.model, values)
        held = {n: _back(row[n], row[n], fields[n]) for n in anew if n in fields and n in row}
        return {name: value for name, value in held.items() if value is not None}

    def _not_back(
        self,
        write: Write,
        number: int,
        name: str,
        expected: Mapping[str, Any],
        fields: Mapping[str, Field],
    ) -> str | None:
        """Look whether a record holds what was written back; say what it does not."""
        row = self._now(write, [number], list(expected)).get(number)
        if row is None:
            return None
        told = [
            f"{fields[n].string or n} is {_brief(row.get(n), fields[n])}, and was"
            f" {_brief(value, fields[n])}"
            for n, value in expected.items()
            if not is_same(row.get(n), value, fields[n])
        ]
        return f"{name}: {', '.join(told)}: Odoo calculated it again." if told else None

    def _changed(
        self,
        write: Write,
        number: int,
        names: Sequence[str],
        then: Mapping[str, Any],
        fields: Mapping[str, Field],
    ) -> str | None:
        """Look again, right before the values are written."""
        now = self._now(write, [number], names).get(number, {})
        other = [n for n in names if not is_same(now.get(n), then.get(n), fields[n])]
        return (
            f"{', '.join(other)} of {write.model} {number} has just been changed."
            if other
            else None
        )

    def _as_left(
        self,
        write: Write,
        number: int,
        name: str,
        row: Mapping[str, Any],
        fields: Mapping[str, Field],
    ) -> bool:
        """Whether a field holds what the last write of the entry left in it."""
        after = write.after.get(number, {})
        if name in after:
            return is_same(row.get(name), after[name], fields[name])
        if name not in (write.values or {}):
            return False  # the answer was lost, and so is what Odoo has computed
        given = {number: {name: write.values[name]}}
        return not differences(write.model, given, {number: dict(row)}, fields)

    def _now(
        self, write: Write, ids: Sequence[int], names: Sequence[str]
    ) -> dict[int, dict[str, Any]]:
        rows = self._odoo.call(
            Call(
                model=write.model,
                method="search_read",
                arguments={"domain": [["id", "in", list(ids)]], "fields": [NAME, *names]},
                context={**_context(write), "active_test": False},
                step=True,
            )
        )
        return {row["id"]: row for row in rows}


def _context(write: Write) -> dict[str, Any]:
    """Return what decides which value of a field is meant, without the records of a wizard."""
    return {name: value for name, value in write.context.items() if name in KEPT_CONTEXT}


def _written_in(model: str) -> tuple[str, ...]:
    """Return what leads from a line to the document that it is written in, see :func:`known`."""
    return known(model).written_in or ("", "", "")


def _names(write: Write, number: int) -> list[str]:
    """Return the fields that a write has changed on a record, also those that Odoo computed."""
    return sorted({*(write.values or {}), *write.before.get(number, {})})


def _back(before: Any, after: Any, field: Field) -> Any:
    """Return what writes an old value; None where nothing does."""
    if field.type == "many2one":
        return before[0] if before else False
    if field.type == "many2many":
        return [[6, 0, list(before or ())]]
    if field.type == "one2many":
        new = set(after or ()) - set(before or ())
        return [[2, line, 0] for line in sorted(new)] or None
    if field.type == "properties":
        return by_name(before)
    return before


def _brief(value: Any, field: Field) -> str:
    if field.type == "properties":
        value = by_name(value)
    if isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[1], str):
        return value[1]
    text = str(value if value not in (False, None) else "(empty)")
    return text if len(text) <= 40 else f"{text[:39]}…"
