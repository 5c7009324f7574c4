"""A call's arguments are named once and encoded for each protocol."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import ValidationError
from odoo_toolkit.call import Call, name_arguments, rpc_arguments


def encoded(method: str, ids: list[int] | None = None, **arguments: Any) -> Any:
    return rpc_arguments(Call(model="m", method=method, ids=ids, arguments=arguments))


def test_orm_arguments_go_by_position_because_their_names_moved() -> None:
    assert encoded("search", domain=[], limit=1) == ([[]], {"limit": 1})
    assert encoded("name_search", name="x", domain=[], operator="ilike", limit=5) == (
        ["x", [], "ilike", 5],
        {},
    )
    assert encoded("create", vals_list=[{"a": 1}]) == ([[{"a": 1}]], {})
    assert encoded("default_get", fields=["a"]) == ([["a"]], {})


def test_ids_come_first_for_record_methods() -> None:
    assert encoded("write", [1, 2], vals={"a": 1}) == ([[1, 2], {"a": 1}], {})
    assert encoded("has_access", [], operation="read") == ([[], "read"], {})


def test_arguments_of_other_methods_stay_named() -> None:
    assert encoded("message_post", [1], body="x") == ([[1]], {"body": "x"})


@pytest.mark.parametrize(
    ("method", "args", "kwargs", "expected"),
    [
        (
            "search",
            [[["a", "=", 1]]],
            {"limit": 2},
            (None, {"domain": [["a", "=", 1]], "limit": 2}),
        ),
        ("search", [], {"args": []}, (None, {"domain": []})),
        ("default_get", [], {"fields_list": ["a"]}, (None, {"fields": ["a"]})),
        ("read", [[1], ["name"]], {}, ((1,), {"fields": ["name"]})),
        ("read", [1, ["name"]], {}, ((1,), {"fields": ["name"]})),
        ("search", [[]], {}, (None, {"domain": []})),
        ("action_confirm", [[4]], {}, ((4,), {})),
    ],
)
def test_free_arguments_get_their_names(
    method: str, args: list[Any], kwargs: dict[str, Any], expected: Any
) -> None:
    assert name_arguments(method, args, kwargs) == (*expected, ())


def test_what_has_no_known_name_stays_positional() -> None:
    assert name_arguments("some_method", [[1], "x", 5], {}) == ((1,), {}, ("x", 5))
    assert name_arguments("some_method", [5], {}) == (None, {}, (5,))


@pytest.mark.parametrize(
    ("method", "args", "kwargs"),
    [
        ("unlink", [[1], 2], {}),
        ("write", [[1], {}], {"vals": {}}),
        ("search_count", [[], 1, 2], {}),
    ],
)
def test_too_many_or_double_arguments_are_refused(
    method: str, args: list[Any], kwargs: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        name_arguments(method, args, kwargs)


@pytest.mark.parametrize(
    ("method", "access"),
    [
        ("search_read", "read"),
        ("create", "create"),
        ("copy", "create"),
        ("write", "write"),
        ("unlink", "delete"),
        ("action_confirm", "execute"),
        ("load", "write"),
    ],
)
def test_access_follows_from_the_method(method: str, access: str) -> None:
    assert Call(model="m", method=method).access == access
