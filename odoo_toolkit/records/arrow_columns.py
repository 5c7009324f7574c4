"""Columns of Arrow, each with the type that its field has in Odoo.

Types come from the description of the fields alone, so that every page, every read and every
Odoo version has the same ones. What is empty is null: Odoo sends False or "" for it, and which
of them depends on the version and on who wrote the record.

pyarrow is imported when the first column is made: ``pip install 'odoo-toolkit-mcp[arrow]'``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.errors import ConfigurationError, ValidationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.installation import how_to_install
from odoo_toolkit.values.scalars import short_repr

if TYPE_CHECKING:
    import pyarrow as pa

#: Decimals of money, unless a currency has more: amounts of most have 2, of some 3 or 4.
MONEY = 4

_TEXTS = frozenset({"char", "text", "html", "reference"})
#: Types of fields for which Arrow has one; the others become texts.
TYPED = (
    _TEXTS
    | TO_MANY
    | {"integer", "many2one_reference", "float", "monetary", "boolean", "date", "datetime"}
    | {"selection", "many2one"}
)
_REFUSED = {
    "binary": (
        "is a file, and rows of files would not fit into memory",
        "Omit it. Read files one by one, as in the guide to attachments.",
    ),
    "properties": (
        "contains properties, which each parent defines for itself, so they have no common type",
        "Omit it. iterate() and search_read() return properties.",
    ),
    "properties_definition": (
        "holds the definition of properties, which has no type of its own",
        "Omit it. iterate() and search_read() return the field.",
    ),
}

#: Models without a table, whose ids are numbers or texts, as the version has it.
IDS_OF_TEXT = frozenset({"account.root"})

#: Decimals from which on 18 digits might not hold an amount.
_LONG = 6


@attrs.frozen
class ArrowColumn:
    """One column.

    Attributes:
        name: of the column.
        key: of its values in the records.
        type: of Arrow.
        field: whose values it has.
        array: makes an array of values, as the library returns them.
    """

    name: str
    key: str
    type: pa.DataType
    field: Field
    array: Callable[[Sequence[Any]], pa.Array]


def imported() -> Any:
    """Return pyarrow.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ConfigurationError(
            "pyarrow is not installed. Arrow data need it.",
            suggestion=how_to_install("arrow"),
        ) from error
    return pyarrow


def without_refused(fields: Mapping[str, Field]) -> dict[str, Field]:
    """Return the fields that columns can be made of."""
    return {name: field for name, field in fields.items() if field.type not in _REFUSED}


def arrow_columns(
    model: str, fields: Mapping[str, Field], *, money: int | None, decimals: bool
) -> list[ArrowColumn]:
    """Return the columns for records; a many2one is two: ``partner_id``, ``partner_id.name``.

    Args:
        model: such as ``sale.order``, for the error.
        fields: by name, in the order of the columns.
        money: decimals of amounts; None for floats.
        decimals: whether floats of fixed digits are decimals, too.

    Raises:
        ValidationError: INVALID_FIELD: a field has values that Arrow has no type for.
        ConfigurationError: pyarrow is not installed.
    """
    imported()
    refused = [name for name, field in fields.items() if field.type in _REFUSED]
    if refused:
        problem, suggestion = _REFUSED[fields[refused[0]].type]
        raise ValidationError(
            f"{refused[0]} of {model} {problem}.",
            code="INVALID_FIELD",
            suggestion=suggestion,
            details={"model": model, "fields": refused},
        )
    columns = []
    for name, field in fields.items():
        if field.type == "many2one":
            columns.append(_id_column(name, field))
            if f"{name}.name" not in fields:
                named = attrs.evolve(field, type="char")
                columns.append(plain_column(f"{name}.name", name, named, _names))
            continue
        kept = money if field.type == "monetary" else field.decimals
        if decimals and field.type in ("monetary", "float") and kept is not None:
            columns.append(_decimal_column(name, field, kept))
        else:
            columns.append(plain_column(name, name, field))
    return columns


def _id_column(name: str, field: Field) -> ArrowColumn:
    """Return the column of the ids of a many2one."""
    if field.relation in IDS_OF_TEXT:
        return plain_column(name, name, attrs.evolve(field, type="char"), _ids_as_texts)
    return plain_column(name, name, attrs.evolve(field, type="integer"), _ids)


def plain_column(
    name: str, key: str, field: Field, taken: Callable[[Sequence[Any]], list[Any]] | None = None
) -> ArrowColumn:
    """Return a column whose type follows from that of the field alone.

    Args:
        name: of the column.
        key: of its values in the records.
        field: whose values it has.
        taken: takes the values out of what the records hold.
    """
    pa = imported()
    array: Callable[[Sequence[Any]], Any]
    if field.type == "selection":
        kind, array = pa.dictionary(pa.int32(), pa.string()), _Selection(field)
    else:
        kind, array = _plain(field)
    if taken:
        array = partial(_converted, taken, array)
    return ArrowColumn(name, key, kind, field, array)


def list_column(name: str, field: Field, *, texts: bool) -> ArrowColumn:
    """Return a column of lists: of ids, or of texts that stand for records."""
    pa = imported()
    kind = pa.list_(pa.string() if texts else pa.int64())
    return ArrowColumn(name, name, kind, field, lambda values: pa.array(values, kind))


def schema(columns: Sequence[ArrowColumn]) -> pa.Schema:
    """Return the schema of columns; the metadata of each say what its field is in Odoo."""
    pa = imported()
    return pa.schema(
        [
            pa.field(column.name, column.type, column.key != "id", metadata=_metadata(column.field))
            for column in columns
        ]
    )


def record_batch(
    model: str,
    columns: Sequence[ArrowColumn],
    known: pa.Schema,
    values: Sequence[Sequence[Any]],
    records: Sequence[Any],
) -> pa.RecordBatch:
    """Return values as a batch.

    Args:
        model: such as ``sale.order``, for the error.
        columns: of the batch.
        known: their schema.
        values: of each column.
        records: what tells the rows apart, for the error.

    Raises:
        ValidationError: VALUE_ERROR: a value does not fit the type of its field.
    """
    pa = imported()
    wrong = (pa.ArrowException, ValueError, TypeError, OverflowError)
    arrays = []
    for column, found in zip(columns, values, strict=True):
        try:
            arrays.append(column.array(found))
        except wrong as error:
            raise _unfit(model, column, found, records, wrong) from error
    return pa.RecordBatch.from_arrays(arrays, schema=known)


def _unfit(
    model: str,
    column: ArrowColumn,
    values: Sequence[Any],
    records: Sequence[Any],
    wrong: tuple[type[Exception], ...],
) -> ValidationError:
    """Return the error that names the first value that does not fit."""

    def fits(value: Any) -> bool:
        try:
            column.array([value])
        except wrong:
            return False
        return True

    at = next((at for at, value in enumerate(values) if not fits(value)), 0)
    number, value = records[at], values[at]
    decimal = imported().types.is_decimal(column.type)
    return ValidationError(
        f"{column.name} of record {number} of {model} is {short_repr(value)}, which does not fit "
        f"the column type {column.type}.",
        code="VALUE_ERROR",
        suggestion="Correct the record in Odoo, or leave the field out"
        + (". Or pass decimals=False to get floats." if decimal else "."),
        details={"model": model, "field": column.key, "record": number},
    )


def _metadata(field: Field) -> dict[str, str]:
    told = {"odoo.type": field.type, "odoo.label": field.string}
    if field.relation:
        told["odoo.relation"] = field.relation
    if field.type == "selection":
        told["odoo.selection"] = json.dumps(field.selection, ensure_ascii=False, default=str)
    return told


def _plain(field: Field) -> tuple[Any, Callable[[Sequence[Any]], Any]]:
    """Return the type for a field, and what makes an array of its values."""
    pa = imported()
    if field.type in _TEXTS:
        return pa.string(), partial(_texts, pa)
    if field.type in TO_MANY:
        kind = pa.list_(pa.int64())
        return kind, lambda values: pa.array(values, kind)
    match field.type:
        case "integer" | "many2one_reference":
            kind = pa.int64()
        case "float" | "monetary":
            kind = pa.float64()
        case "boolean":
            kind = pa.bool_()
            return kind, lambda values: pa.array(values, kind)
        case "date":
            kind = pa.date32()
            return kind, lambda values: pa.array(_filled(values), pa.string()).cast(kind)
        case "datetime":
            kind = pa.timestamp("us", tz="UTC")
            return kind, lambda values: pa.array(_filled(values), pa.string()).cast(kind)
        case _:
            # Of no type that Arrow knows: lists at the end of paths, JSON, and fields of add-ons.
            return pa.string(), lambda values: pa.array([_as_json(v) for v in values], pa.string())
    return kind, lambda values: pa.array(_numbers(values), kind)


def _converted(
    taken: Callable[[Sequence[Any]], list[Any]],
    array: Callable[[Sequence[Any]], Any],
    values: Sequence[Any],
) -> Any:
    return array(taken(values))


def _texts(pa: Any, values: Sequence[Any]) -> Any:
    return pa.array([value or None for value in values], pa.string())


def _filled(values: Sequence[Any]) -> list[Any]:
    return [value or None for value in values]


def _numbers(values: Sequence[Any]) -> list[Any]:
    return [None if value is False else value for value in values]


def _as_json(value: Any) -> str | None:
    if value is None or value is False:
        return None
    return json.dumps(value, ensure_ascii=False)


def _ids(values: Sequence[Any]) -> list[Any]:
    """Return the ids of many2one values; the options decide in which shape these come."""
    return [
        value["id"] if type(value) is dict else value[0] if value and not _is_id(value) else value
        for value in values
    ]


def _ids_as_texts(values: Sequence[Any]) -> list[Any]:
    return [str(value) if value else None for value in _ids(values)]


def _names(values: Sequence[Any]) -> list[Any]:
    return [
        value["name"] if type(value) is dict else value[1] if value and not _is_id(value) else None
        for value in values
    ]


def _is_id(value: Any) -> bool:
    return isinstance(value, int)


def _decimal_column(name: str, field: Field, kept: int) -> ArrowColumn:
    pa = imported()
    kind = pa.decimal128(18 if kept <= _LONG else 38, kept)
    return ArrowColumn(name, name, kind, field, partial(_decimals, kind))


def _decimals(kind: Any, values: Sequence[Any]) -> Any:
    """Return floats as decimals, or raise where one has more digits than its field keeps."""
    pa = imported()
    import pyarrow.compute as pc

    floats = pa.array(_numbers(values), pa.float64())
    rounded = floats.cast(kind)
    # A float is near a decimal, never at it: by a few of its own last digits.
    away = pc.abs(pc.subtract(floats, rounded.cast(pa.float64())))
    allowed = pc.add(pc.multiply(pc.abs(floats), 1e-15), 10.0**-kind.scale / 1000)
    if pc.any(pc.greater(away, allowed)).as_py():
        raise ValueError("digits would be lost")
    return rounded


class _Selection:
    """Makes arrays of a selection; values that the field offers no more are added when met.

    The values of one array begin with those of all arrays before it, as files of Arrow need it.
    """

    def __init__(self, field: Field) -> None:
        self._at = {str(value): at for at, (value, _) in enumerate(dict(field.selection).items())}

    def __call__(self, values: Sequence[Any]) -> Any:
        pa = imported()
        at = self._at
        numbers: list[int | None] = []
        for value in values:
            if value is None or value is False or value == "":
                numbers.append(None)
                continue
            text = value if isinstance(value, str) else str(value)
            number = at.get(text)
            numbers.append(at.setdefault(text, len(at)) if number is None else number)
        indices = pa.array(numbers, pa.int32())
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(at), pa.string()))
