"""What the columns of an import stand for: a field, and how its records are named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import attrs

from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.fields import Field, FieldsOf, similar_names, unknown_field_error
from odoo_toolkit.records.importing.tables import REASON
from odoo_toolkit.values.scalars import short_repr

#: Types of fields that records can be found by: what is written to them is found as it is.
_KEYS = frozenset(
    {"char", "text", "integer", "many2one", "selection", "date", "datetime", "boolean"}
)
_IDS = frozenset({"id", ".id"})


@attrs.frozen(kw_only=True)
class Column:
    """A column of an import.

    Attributes:
        header: as it is named in the rows.
        path: what the header stands for, such as ``country_id/code``; often the header itself.
        field: that it is for; ``id`` of the model itself, too.
        by: of a relation, the field that names its records: ``id`` for ids and external ids,
            ``.id`` for ids alone, None for their names.
    """

    header: str
    path: str
    field: Field
    by: str | None = None

    @cached_property
    def is_id(self) -> bool:
        """Whether it tells which record a row is."""
        return self.field.name == "id"

    def wrong(self, problem: str, suggestion: str) -> ValidationError:
        """Return the error for a column that cannot be imported."""
        return ValidationError(
            f"The column {self.header!r} {problem}.",
            suggestion=suggestion,
            details={"column": self.header, "field": self.field.name},
        )


def columns_of(
    model: str,
    headers: Sequence[str],
    described: Mapping[str, Field],
    fields_of: FieldsOf,
    meant: Mapping[str, str | None],
    constants: Iterable[str],
) -> list[Column]:
    """Return what the columns stand for; the column of an earlier import's reasons is left out.

    Args:
        model: that is imported into.
        headers: their names: ``name``, ``country_id``, ``country_id/code``, ``country_id.code``,
            ``country_id/id``, ``id``, ``.id``.
        described: the model's fields.
        fields_of: gives the fields of other models.
        meant: header -> what it stands for instead; None for a column to leave out.
        constants: columns that the rows do not have.

    Raises:
        ValidationError: INVALID_FIELD: there is no such field; or it cannot be imported, or it is
            there twice.
    """
    _check_meant(meant, headers)
    paths = {h: meant.get(h, h) for h in headers if h != REASON} | {
        name: name for name in constants
    }
    parts = {header: _split(path) for header, path in paths.items() if path is not None}
    if unknown := [h for h, (name, _) in parts.items() if name not in described and name != "id"]:
        raise _unknown(model, unknown, described)
    columns = []
    for header, (name, by) in parts.items():
        field = described.get(name) or Field(name="id", type="integer")
        column = Column(header=header, path=str(paths[header]), field=field, by=by)
        if name != "id":
            _check(column, fields_of)
        columns.append(column)
    names = [column.field.name for column in columns]
    for column in columns:
        if names.count(column.field.name) > 1:
            twice = [other.header for other in columns if other.field.name == column.field.name]
            raise column.wrong(
                f"says the same as {' and '.join(h for h in twice if h != column.header)}",
                f"Omit all but one of {', '.join(twice)}. columns={{{twice[-1]!r}: None}} omits "
                "one.",
            )
    return columns


def _check_meant(meant: Mapping[str, str | None], headers: Sequence[str]) -> None:
    for header, path in meant.items():
        if header not in headers:
            known = {name.lower(): name for name in headers}
            near = [known[name] for name in similar_names(str(header), known)]
            raise invalid(
                "columns",
                f"columns names {header!r}, which the rows do not have"
                + (f"; did you mean {near[0]!r}?" if near else "."),
                f"The columns are {', '.join(headers)[:300]}.",
                column=header,
                did_you_mean=near,
            )
        if path is not None and (not isinstance(path, str) or not path):
            raise invalid(
                "columns",
                f"columns maps {header!r} to {path!r}.",
                'Map it to the name of a field, such as "country_id/code", or to None.',
                column=header,
            )


def _unknown(
    model: str,
    unknown: Sequence[str],
    described: Mapping[str, Field],
) -> ValidationError:
    """Return the error for columns that are no fields; labels of fields are known, too."""
    labels = {field.string.casefold(): name for name, field in described.items()}
    labelled = {h: labels[h.casefold()] for h in unknown if h.casefold() in labels}
    error = unknown_field_error(model, unknown, described)
    example = {h: labelled.get(h, "name of a field") for h in unknown[:3]}
    error.suggestion = (
        f"Map the columns to fields: columns={example}. None omits a column. {error.suggestion}"
    )
    error.details["columns"] = {header: labelled.get(header) for header in unknown}
    return error


def key_columns(model: str, key: str | Sequence[str], columns: Sequence[Column]) -> list[Column]:
    """Return the columns that tell which record a row is.

    Args:
        model: that is imported into.
        key: the name of a field or a column, or several.
        columns: of the rows.

    Raises:
        ValidationError: the rows have no such column, or records cannot be found by it.
    """
    if not isinstance(key, (str, list, tuple)) or not all(isinstance(n, str) for n in key):
        raise invalid(
            "key",
            f"key must be the name of a field or a list of names, got {short_repr(key)}.",
            "Pass the fields that identify a row.",
        )
    names = [key] if isinstance(key, str) else list(key)
    if not names:
        raise ValidationError(
            "The key is empty.", suggestion="Pass the fields that identify the record of a row."
        )
    found = []
    for name in names:
        fits = [c for c in columns if name in (c.header, c.path, c.field.name)]
        if name == ".id" and not fits:
            fits = [column for column in columns if column.is_id]
        if not fits:
            raise invalid(
                "key",
                f"The rows have no column {name!r}, which is the key.",
                f"The columns are {', '.join(c.header for c in columns)[:300]}.",
                key=name,
            )
        found.append(fits[0])
    for column in found:
        if column.is_id and len(found) > 1:
            raise column.wrong("is enough on its own", "Remove the other fields from the key.")
        field = column.field
        if not column.is_id and (field.type not in _KEYS or not field.searchable):
            raise column.wrong(
                f"cannot be the key: records of {model} cannot be found by a field of type "
                f"{field.type}{'' if field.searchable else ' that is not stored'}",
                "Use stored fields of these types: text, integer, date, selection, many2one.",
            )
    return found


def _split(header: str) -> tuple[str, str | None]:
    """Return the field that a column's name begins with, and what follows."""
    if header in _IDS:
        return "id", header
    name, *rest = re.split(r"[/.]", header, maxsplit=1)
    return name, rest[0] if rest else None


def _check(column: Column, fields_of: FieldsOf) -> None:
    field, by = column.field, column.by
    if field.type == "one2many":
        raise column.wrong(
            "has lines, which are records of their own",
            f"Import them into {field.relation}, with a column {field.relation_field or 'to'}"
            f"{'' if field.relation_field else ' the record that they belong to'}.",
        )
    if by is None:
        return
    if field.type not in ("many2one", "many2many") or not field.relation:
        raise column.wrong(
            f"goes on behind {field.name}, which is not a relation", f"Rename it to {field.name}."
        )
    if by in _IDS:
        return
    comodel = fields_of(field.relation)
    if re.search(r"[/.]", by):
        raise column.wrong(
            "goes on too far", f"Identify records of {field.relation} by one of their own fields."
        )
    if by not in comodel:
        raise unknown_field_error(field.relation, by, comodel)
    found = comodel[by]
    if found.type not in ("char", "text", "integer", "selection") or not found.searchable:
        raise column.wrong(
            f"names records by {by}, by which they are not found",
            f"Use a stored text field of {field.relation}, such as its name or code.",
        )
