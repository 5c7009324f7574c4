"""What Odoo or PostgreSQL may take for an id is known as one."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit.arguments.values import ids_in


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        *[(form, {12}) for form in (12, 12.0, "12", " 12\n", "+12", "1_2", "0xC", "0b1100")],
        *[(form, {12}) for form in ([12], ("12",), [12, "Name"], {"id": "12"}, [[12]])],
        ([5, "12"], {5, 12}),
        (["5", "12"], {5, 12}),
        ([[4, 12.0], [6, 0, ["13"]]], {0, 4, 6, 12, 13}),
        (12.5, {12, 13}),
        (True, {1}),
        *[(nothing, set()) for nothing in (None, False, "", "Name", "12,5", [], {}, b"12")],
        *[(nothing, set()) for nothing in (float("nan"), float("inf"), {"ids": [12]})],
    ],
    ids=repr,
)
def test_ids_in(value: Any, ids: set[int]) -> None:
    assert ids_in(value) == ids
