"""The lines of documents: what tables hold is taken, what cannot be meant is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from odoo_toolkit.errors import ValidationError
from odoo_toolkit.operations.lines import check_lines, checked_number, wanted_product
from tests.unit.table_values import NA, NAT, Column, Scalar

KEYS = ("product_id", "product_name", "quantity")


def test_lines_of_a_table_become_plain_and_lose_their_gaps() -> None:
    lines = Column([{"product_id": Scalar(7, "i"), "product_name": NA, "quantity": Decimal("2.5")}])

    checked = check_lines(lines, KEYS)

    assert checked == [{"product_id": 7, "quantity": 2.5}]
    assert [type(value) for value in checked[0].values()] == [int, float]


def test_a_line_may_have_null_for_its_product_name() -> None:
    [line] = check_lines([{"product_id": 7, "product_name": None}], KEYS)
    assert wanted_product(line, 0).id == 7


@pytest.mark.parametrize("lines", [None, [], (), "abc", {"product_id": 7}, 5, Column([])])
def test_what_is_no_list_of_lines_is_refused(lines: Any) -> None:
    with pytest.raises(ValidationError, match="lines is empty") as raised:
        check_lines(lines, KEYS)
    assert raised.value.code == "MISSING_REQUIRED_FIELD"


def test_an_empty_list_is_called_by_its_argument_and_the_keys_are_named() -> None:
    with pytest.raises(ValidationError, match="entries is empty") as raised:
        check_lines([], ("hours", "task_id"), "entries")
    assert "hours, task_id" in raised.value.suggestion


def test_an_unknown_key_is_told_with_the_one_that_may_be_meant() -> None:
    with pytest.raises(ValidationError, match=r"lines\[1\] .*'quantty'.*Did you mean quantity"):
        check_lines([{"quantity": 1}, {"quantty": 1}], KEYS)


def test_what_is_no_line_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"lines\[0\] must be an object"):
        check_lines(["product_id"], KEYS)


@pytest.mark.parametrize("value", [2, 2.0, Decimal(2), Scalar(2, "i"), Scalar(2.0, "f")])
def test_numbers_of_any_kind_are_numbers(value: Any) -> None:
    number = checked_number(value, "quantity", positive=True)
    assert (number, type(number) in (int, float)) == (2, True)


@pytest.mark.parametrize(
    "value",
    [None, NA, NAT, True, Scalar(True, "b"), "2", float("nan"), Decimal("NaN"), float("inf")],
)
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError, match="quantity must be a number"):
        checked_number(value, "quantity", positive=False)


@pytest.mark.parametrize("value", [0, -1, Decimal("-0.5")])
def test_a_number_that_must_be_above_zero_is(value: Any) -> None:
    with pytest.raises(ValidationError, match="more than 0"):
        checked_number(value, "quantity", positive=True)
