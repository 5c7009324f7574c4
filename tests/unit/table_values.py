"""Values that behave as those of numpy and pandas do, which need not be installed for the tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any


class Scalar:
    """A scalar of numpy: neither an int nor a float, but with an ``item``.

    Args:
        value: what ``item`` gives.
        kind: the kind of its type, as numpy calls it: ``b``, ``i``, ``f``, ``U``, ``m``, ...
    """

    shape = ()

    def __init__(self, value: Any, kind: str) -> None:
        self._value = value
        self.dtype = SimpleNamespace(kind=kind)

    def item(self) -> Any:
        return self._value


class Moment:
    """numpy's ``datetime64``, whose ``item`` is a number of nanoseconds."""

    shape = ()
    dtype = SimpleNamespace(kind="M")

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def item(self) -> int:
        return 1739111400000000000


class Column:
    """A series or an index of pandas: no list, and neither true nor false."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a Series is ambiguous.")

    def __eq__(self, other: object) -> Any:
        return Column([value == other for value in self._values])

    __hash__ = None  # type: ignore[assignment]


class NaTType(datetime):
    """pandas' "not a time", which is a datetime for all who ask."""

    def isoformat(self, *args: Any, **kwargs: Any) -> str:
        return "NaT"

    def replace(self, *args: Any, **kwargs: Any) -> Any:
        return self


class NAType:
    """pandas' "not available", of which nothing can be said."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = None  # type: ignore[assignment]


NAT, NA = NaTType(1, 1, 1), NAType()
