"""Values as data people hold them, as plain Python: of numpy, pandas and decimal.

None of these is imported: a value is known by what it is called and what it can do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sized
from datetime import date, datetime
from decimal import Decimal
from typing import Any, SupportsIndex

_PLAIN = frozenset({type(None), bool, int, float, str, bytes, date, datetime})
#: "Not a time" and "not available", by which pandas marks what is missing.
_MISSING = frozenset({"NaTType", "NAType"})
#: The kinds of numpy's types whose values are booleans, numbers, text or bytes.
_SCALARS = frozenset("biufUS")
_DEEPEST = 100


def plain(value: Any, missing: Any = None, _depth: int = 0) -> Any:
    """Return a value as plain Python: what JSON can express, dates, and bytes.

    A series, an index, an array, a range or a set becomes a list, a Decimal a float, and a moment
    of numpy a datetime, or a date where it is a whole day. What is not known stays as it is.

    Args:
        value: anything; lists and mappings are gone through.
        missing: what stands for pandas' NaT and NA. A NaN stays: it may be a failed calculation.
    """
    if type(value) in _PLAIN or _depth > _DEEPEST:
        return value
    if type(value).__name__ in _MISSING:
        return missing
    if isinstance(value, Mapping):
        return {
            key: item if type(item) in _PLAIN else plain(item, missing, _depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)) or _is_collection(value):
        return [
            item if type(item) in _PLAIN else plain(item, missing, _depth + 1) for item in value
        ]
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "M":
        return _moment(str(value), value, missing)
    if kind in _SCALARS and kind:
        return value.item()
    if isinstance(value, Decimal):
        return math.nan if value.is_nan() else float(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, SupportsIndex):
        return int(operator.index(value))
    return value


def whole_number(value: Any) -> int | None:
    """Return a whole number as an int, 3.0 too; None for anything else, and for booleans."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_collection(value: Any) -> bool:
    """Whether it is a list of values by what it can do; an array without dimensions is not."""
    return (
        not isinstance(value, (str, bytes, bytearray, memoryview))
        and isinstance(value, Sized)
        and isinstance(value, Iterable)
        and getattr(value, "shape", None) != ()
    )


def _moment(text: str, value: Any, missing: Any) -> Any:
    if text == "NaT":
        return missing
    try:
        # Python reads six digits of a second at most; numpy writes up to eighteen.
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text[:26])
    except ValueError:
        return value
