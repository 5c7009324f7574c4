"""Dotted fields: values of records that relations lead to, in one further call per relation.

``order_id.partner_id.country_id.code`` reads the orders of all rows in one call, their partners
in a second and the countries in a third, whatever the number of rows and of paths through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError, ValidationError, invalid
from odoo_toolkit.fields import RELATIONAL, TO_MANY, Field, FieldsOf, unknown_field_error
from odoo_toolkit.records.arguments import check_unbroken, with_bin_size
from odoo_toolkit.records.omissions import without_unreadable
from odoo_toolkit.records.results import Record
from odoo_toolkit.values import ReadOptions, rows_from_wire, show_rows

#: Records that one call reads.
_CHUNK = 5000
#: Names on one path.
_MOST_STEPS = 8
#: Records that one relation may lead to, where a maximum is set for a call.
_MOST_LINKED = 10_000


@attrs.frozen(kw_only=True)
class Relation:
    """A relation that paths lead through.

    Attributes:
        path: to it, such as ``order_id.partner_id``.
        name: of the field, such as ``partner_id``.
        model: that it leads to.
        many: whether it holds a list of ids.
        fields: of that model, as far as they may be named.
        names: of the fields that are read there, because a path ends at them.
        relations: that paths lead through from there, by name.
    """

    path: str
    name: str
    model: str
    many: bool
    fields: Mapping[str, Field]
    names: list[str] = attrs.Factory(list)
    relations: dict[str, Relation] = attrs.Factory(dict)

    def ends(self) -> list[str]:
        """Return what follows after this relation on the paths: ``code``, ``country_id.code``."""
        further = [
            f"{relation.name}.{end}"
            for relation in self.relations.values()
            for end in relation.ends()
        ]
        return [*self.names, *further]


@attrs.frozen(kw_only=True)
class Columns:
    """What is read of a model's records.

    Attributes:
        model: such as ``sale.order.line``.
        fields: of the model, as far as they may be named.
        order: the names and paths that were asked for.
        wire: the names of the model's own fields to read.
        relations: that paths lead through, by name.
        ends: path -> the field at its end. A path through many records has the type json: its
            values are lists.
        skipped: paths that the user has no rights to.
    """

    model: str
    fields: Mapping[str, Field]
    order: list[str]
    wire: list[str]
    relations: Mapping[str, Relation] = attrs.Factory(dict)
    ends: Mapping[str, Field] = attrs.Factory(dict)
    skipped: Sequence[str] = ()

    def described(self, skipped: Iterable[str] = ()) -> dict[str, Field]:
        """Return the field of each column, in the order asked; Odoo adds the id."""
        every = {**self.fields, **self.ends}
        order = self.order if "id" in self.order else ["id", *self.order]
        left_out = {*skipped, *self.skipped}
        return {name: every[name] for name in order if name in every and name not in left_out}


def columns(
    model: str,
    fields: Mapping[str, Field],
    names: Sequence[str],
    asked: Sequence[str],
    fields_of: FieldsOf,
) -> Columns:
    """Return the columns to read of a model's records.

    Args:
        model: such as ``sale.order.line``.
        fields: its fields, as far as they may be named.
        names: those of its own to read, checked.
        asked: names and paths, as the caller asked for them.
        fields_of: describes other models, as far as the policy shows them.

    Raises:
        ValidationError: INVALID_FIELD: a path names what is no field, or follows what is no
            relation.
        NotFoundError: a relation leads to a model that is not there.
    """
    paths = [name for name in dict.fromkeys(asked) if "." in name]
    if not paths:
        return Columns(model=model, fields=fields, order=list(names), wire=list(names))
    relations: dict[str, Relation] = {}
    ends, skipped = {}, []
    for path in paths:
        try:
            ends[path] = _add(path, model, fields, relations, fields_of)
        except AccessError as error:
            if error.code != "ACCESS_DENIED":
                raise
            skipped.append(path)
    own = [name for name in dict.fromkeys(asked) if name in names or "." in name]
    order = own if set(names) <= set(own) else [*names, *paths]
    wire = list(dict.fromkeys([*names, *relations])) or ["id"]
    return Columns(
        model=model,
        fields=fields,
        order=order,
        wire=wire,
        relations=relations,
        ends=ends,
        skipped=skipped,
    )


def _add(
    path: str,
    model: str,
    fields: Mapping[str, Field],
    relations: dict[str, Relation],
    fields_of: FieldsOf,
) -> Field:
    """Add a path to the relations, and return the field at its end."""
    names = path.split(".")
    if len(names) > _MOST_STEPS:
        raise _wrong(
            model, path, f"{path[:80]} contains more than {_MOST_STEPS} names.", "Shorten it."
        )
    # Checked whole before anything is added.
    steps: list[Relation] = []
    here = model
    for index, name in enumerate(names[:-1]):
        prefix = ".".join(names[: index + 1])
        field = _known(path, name, here, fields)
        if field.type not in RELATIONAL or not field.relation:
            raise _wrong(
                here,
                path,
                f"{path}: {name} of {here} is {field.type}. Only relational fields can be "
                "followed by a dot.",
                f"Read {prefix} itself.",
            )
        here = field.relation
        fields = fields_of(here)
        many = field.type in TO_MANY
        steps.append(Relation(path=prefix, name=name, model=here, many=many, fields=fields))
    end = _known(path, names[-1], here, fields)
    check_unbroken(here, end)
    for step in steps:
        relation = relations.setdefault(step.name, step)
        relations = relation.relations
    relation.names.append(end.name)
    many = any(step.many for step in steps)
    return attrs.evolve(end, type="json", relation=None) if many else end


def _known(path: str, name: str, model: str, fields: Mapping[str, Field]) -> Field:
    if name not in fields:
        error = unknown_field_error(model, name, fields)
        error.details["path"] = path
        raise error
    return fields[name]


def _wrong(model: str, path: str, message: str, suggestion: str) -> ValidationError:
    details = {"model": model, "field": path[:200], "path": path[:200]}
    return ValidationError(message, code="INVALID_FIELD", suggestion=suggestion, details=details)


class Shower:
    """Shows the rows of a model in the columns that were asked for.

    Safe to share between threads: several pages may be shown at a time.

    Args:
        odoo: the connection.
        options: how values are shown.
        columns: what to show.
        context: of the search or read.

    Attributes:
        skipped: names and paths that the user cannot read.
        warnings: what could not be read of what relations lead to.
    """

    def __init__(
        self,
        odoo: Odoo,
        options: ReadOptions,
        columns: Columns,
        context: Mapping[str, Any] | None,
    ) -> None:
        self.skipped: dict[str, None] = dict.fromkeys(columns.skipped)
        self.warnings: dict[str, None] = {}
        #: names, and paths of names, that are not asked for again
        self._refused: set[str] = set()
        self._odoo, self._options, self._columns = odoo, options, columns
        # What a link leads to may well be archived.
        self._context = {**(context or {}), "active_test": False}

    def names(self) -> list[str]:
        """Return the names of the model's own fields to read, as far as they are not refused."""
        return [name for name in self._columns.wire if name not in self._refused] or ["id"]

    def refuse(self, names: Iterable[str]) -> None:
        """Take note of fields of the model's own that the user cannot read."""
        self._refused.update(names)
        self.skipped.update(dict.fromkeys(name for name in names if name in self._columns.order))

    def show(self, rows: list[Record]) -> list[Record]:
        """Return rows in the shape of the options, with the values of paths.

        Args:
            rows: as Odoo sent them; they are changed where no path needs them as they are.
        """
        if not self._columns.ends and not self._columns.skipped:
            show_rows(rows, self._columns.fields, self._options)
            return rows
        records = rows_from_wire(rows, self._columns.fields, self._options)
        found = self._followed(rows, self._columns.relations)
        whole = [{**record, **more} for record, more in zip(records, found, strict=True)]
        order = dict.fromkeys(["id", *self._columns.order])
        return [{name: row[name] for name in order if name in row} for row in whole]

    def _followed(self, rows: Sequence[Record], relations: Mapping[str, Relation]) -> list[Record]:
        """Return the values of the paths for each row."""
        tables = side_by_side(
            [partial(self._linked, relation, rows) for relation in relations.values()]
        )
        found: list[Record] = [{} for _ in rows]
        for relation, linked in zip(relations.values(), tables, strict=True):
            ends = [end for end in relation.ends() if f"{relation.path}.{end}" not in self.skipped]
            for row, values in zip(rows, found, strict=True):
                for end in ends:
                    values[f"{relation.name}.{end}"] = _at(relation, row, linked, end)
        return found

    def _linked(self, relation: Relation, rows: Sequence[Record]) -> dict[int, Record]:
        """Return the values of the records that a relation leads to, by their ids."""
        if rows and relation.name not in rows[0]:
            self._skip(relation, relation.ends())
            return {}
        ids = sorted({one for row in rows for one in _ids(relation, row)})
        most = self._options.max_limit
        if most is not None and len(ids) > max(most, _MOST_LINKED):
            raise invalid(
                relation.path,
                f"{relation.path} leads to {len(ids)} records, which is too many for one call.",
                f"Search {relation.model} itself, or read fewer records.",
            )
        if relation.names == ["id"] and not relation.relations:
            return {one: {"id": one} for one in ids}
        raw: list[Record] = []
        for start in range(0, len(ids), _CHUNK):
            raw += self._fetched(relation, ids[start : start + _CHUNK])
        if len(raw) < len(ids):
            self._warn(relation)
        own = rows_from_wire(raw, relation.fields, self._options)
        further = self._followed(raw, relation.relations)
        return {row["id"]: {**row, **more} for row, more in zip(own, further, strict=True)}

    def _fetched(self, relation: Relation, ids: list[int]) -> list[Record]:
        """Read records that a relation leads to, as far as the user and the policy let us.

        They are searched for, as a search leaves out what may not be seen, where a read of the
        same ids would be refused as a whole.
        """
        wanted = dict.fromkeys([*relation.names, *relation.relations])
        names = [name for name in wanted if f"{relation.path}.{name}" not in self._refused]
        call = Call(
            model=relation.model,
            method="search_read",
            arguments={"domain": [["id", "in", ids]], "order": "id"},
            context=with_bin_size(relation.fields, relation.names, self._context),
        )

        def fetch(fields: Sequence[str]) -> list[Record]:
            arguments = {**call.arguments, "fields": list(fields)}
            rows: list[Record] = self._odoo.call(attrs.evolve(call, arguments=arguments))
            return rows

        try:
            rows, refused = without_unreadable(fetch, names or ["id"])
        except AccessError as error:
            if error.code != "ACCESS_DENIED":
                raise
            self._skip(relation, relation.ends())
            return []
        # Paths through them are found out where they would be followed.
        self._skip(relation, [name for name in refused if name in relation.names])
        self._refused.update(f"{relation.path}.{name}" for name in refused)
        return rows

    def _skip(self, relation: Relation, ends: Iterable[str]) -> None:
        self.skipped.update(dict.fromkeys(f"{relation.path}.{end}" for end in ends))

    def _warn(self, relation: Relation) -> None:
        if any(f"{relation.path}.{end}" not in self.skipped for end in relation.ends()):
            self.warnings[
                (
                    f"Some records of {relation.model} that {relation.path} leads to cannot be "
                    "read, or were deleted. Their values are None."
                )
            ] = None


def _ids(relation: Relation, row: Record) -> Sequence[int]:
    """Return the ids that a relation of a row holds, as Odoo sends it: ids, [id, name], False."""
    value = row[relation.name] or []
    if isinstance(value, int):
        return [value]
    return value if relation.many else value[:1]


def _at(relation: Relation, row: Record, linked: Mapping[int, Record], end: str) -> Any:
    """Return what is at the end of a path: of one record its value, of many a list of them."""
    values = [
        linked[one][end] if one in linked else one if end == "id" else None
        for one in _ids(relation, row)
    ]
    if relation.many:
        return values
    return values[0] if values else None
