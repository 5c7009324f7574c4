"""Records as a pandas DataFrame, each column with the type that its field has in Odoo.

pandas is imported when the first frame is made: ``pip install 'odoo-toolkit-mcp[pandas]'``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.fields import TO_MANY, Field
from odoo_toolkit.installation import how_to_install

if TYPE_CHECKING:
    import pandas as pd

#: Types of pandas that can hold "nothing"; what is not here stays as Python objects.
_TYPES = {
    "integer": "Int64",
    "many2one_reference": "Int64",
    "float": "float64",
    "monetary": "float64",
    "boolean": "boolean",
    "char": "string",
    "text": "string",
    "html": "string",
    "reference": "string",
    "binary": "string",
}


def to_df(records: Iterable[Mapping[str, Any]], fields: Mapping[str, Field]) -> pd.DataFrame:
    """Return records as a DataFrame.

    Datetimes are in UTC and know it, to the second, as Odoo keeps them; dates are datetimes
    without a zone; selections are categories in their order in Odoo; integers and booleans can
    be missing. A many2one is two columns: ``partner_id`` with the id, and ``partner_id.name``
    with the display name, unless a field of that name was read, too. A one2many or many2many is
    a list of ids.

    Args:
        records: as the library returns them.
        fields: by name, in the order of the columns. What only the records have comes after.

    Raises:
        ConfigurationError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ConfigurationError(
            "pandas is not installed. DataFrames need it.",
            suggestion=how_to_install("pandas"),
        ) from error
    rows = list(records)
    columns: dict[str, Any] = {}
    for name, field in fields.items():
        values = [row.get(name) for row in rows]
        if field.type == "many2one":
            pairs = [_id_and_name(value) for value in values]
            columns[name] = pd.array([key for key, _ in pairs], dtype="Int64")
            if f"{name}.name" not in fields:
                columns[f"{name}.name"] = pd.array([text for _, text in pairs], dtype="string")
        else:
            columns[name] = _column(values, field)
    for name in dict.fromkeys(name for row in rows for name in row):
        if name not in fields:
            columns[name] = pd.Series([row.get(name) for row in rows])
    return pd.DataFrame(columns, index=pd.RangeIndex(len(rows)))


def _column(values: list[Any], field: Field) -> Any:
    import numpy as np
    import pandas as pd

    if field.type in ("date", "datetime"):
        moments = pd.Series(np.array([_in_utc(value) for value in values], "datetime64[s]"))
        return moments.dt.tz_localize("UTC") if field.type == "datetime" else moments
    if field.type == "selection":
        # Old records may hold values that the field offers no more.
        found = dict.fromkeys(value for value in values if value is not None)
        offered = dict.fromkeys(value for value, _ in field.selection)
        return pd.Categorical(values, categories=list(offered | found))
    if field.type in TO_MANY:
        return pd.Series(values, dtype=object)
    return pd.Series(values, dtype=_TYPES.get(field.type, "object"))


def _in_utc(value: str | None) -> str | None:
    """Return a date or moment as numpy reads it: in UTC, without saying so."""
    if value is None or len(value) <= len("2025-02-09T14:30:00"):
        return value
    if value.endswith("Z"):
        return value[:-1]
    # An hour that records are grouped by begins in the time zone of the context.
    return datetime.fromisoformat(value).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _id_and_name(value: Any) -> tuple[int | None, str | None]:
    """Return a many2one's id and name; the options decide in which shape it comes."""
    if isinstance(value, Mapping):
        return value["id"], value.get("name")
    if isinstance(value, (list, tuple)):
        return value[0], value[1]
    return value or None, None
