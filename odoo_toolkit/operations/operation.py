"""What makes a function an operation: its types, with ``dry_run`` and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast, overload

from odoo_toolkit.operations.steps import Plan

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Operation(Protocol[P, R_co]):
    """A function that does something, or only tells what it would do.

    Its result depends on ``dry_run``, and type checkers know it. What Python's typing cannot say
    is "the same parameters with ``dry_run=True``" (PEP 612 has no keyword between ``*args`` and
    ``**kwargs``): with the keyword the result alone is typed, in :meth:`plan` the arguments are
    checked, too.
    """

    @overload
    def __call__(self, *args: Any, dry_run: Literal[True], **kwargs: Any) -> Plan: ...
    @overload
    def __call__(self, *args: Any, dry_run: Literal[False], **kwargs: Any) -> R_co: ...
    @overload
    def __call__(self, *args: Any, dry_run: bool, **kwargs: Any) -> R_co | Plan: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    def plan(self, *args: P.args, **kwargs: P.kwargs) -> Plan:
        """Return what would be done with the same arguments: names resolved, nothing written."""
        ...


def operation(function: Callable[P, R | Plan]) -> Operation[P, R]:
    """Give a function with the keyword ``dry_run`` its types, and :meth:`Operation.plan`.

    It stays the function that it is: its signature, its annotations, how it is pickled.
    """
    name = function.__qualname__

    def plan(*args: Any, **kwargs: Any) -> Any:
        return cast(Any, function)(*args, **{**kwargs, "dry_run": True})

    plan.__module__, plan.__qualname__ = function.__module__, f"{name}.plan"
    plan.__doc__ = f"Return what :func:`{name}` would do with the same arguments; write nothing."
    function.plan = plan  # type: ignore[attr-defined]
    return cast("Operation[P, R]", function)
