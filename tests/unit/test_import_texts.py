"""Numbers, days and switches as people write them: what the column tells decides, or nobody."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from odoo_toolkit.records.importing.tables import CsvFormat
from odoo_toolkit.records.importing.texts import (
    NO,
    YES,
    CellError,
    moment_reader,
    number_reader,
    read_switch,
)


def numbers(*texts: str, whole: bool = False, **written: Any) -> list[Any]:
    """Return what the texts of a column are read as; of an error its words."""
    read, _ = number_reader(texts, CsvFormat(**written), whole=whole)
    return [answer(read, text) for text in texts]


def days(*texts: str, day: bool = True, **written: Any) -> list[Any]:
    read = moment_reader(texts, CsvFormat(**written), day=day)
    return [answer(read, text) for text in texts]


def answer(read: Any, text: str) -> Any:
    try:
        return read(text)
    except CellError as error:
        return error.reason


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", "-2", "+3"], [1, -2, 3]),
        (["1.5", "1.234"], [1.5, 1.234]),
        (["1,5", "1,234"], [1.5, 1.234]),
        (["12.50", "1,234"], [12.5, 1234]),
        (["12,50", "1.234", "1.234.567,8"], [12.5, 1234, 1234567.8]),
        (["1,234.5"], [1234.5]),
        (["1.234.567"], [1234567]),
        (["0.125"], [0.125]),
        (["1 234,5", "1\u202f234", "12'345"], [1234.5, 1234, 12345]),
        (["€ 5.50", "€1,234"], [5.5, 1234]),
        (["5,50 CHF", "1.234 CHF"], [5.5, 1234]),
        (["(1.50)", "2.5-", "\u22123.5", "$-4.5"], [-1.5, -2.5, -3.5, -4.5]),
        (["1e3", ".5", "5."], [1000, 0.5, 5]),
        (["1.2340"], [1.234]),
    ],
)
def test_what_can_be_read_in_one_way_decides_the_column(texts: Any, values: Any) -> None:
    assert numbers(*texts) == values


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1.234", "5"], [1234, 5]),
        (["12.0", "3.0"], [12, 3]),
        (["1,234", "2,000"], [1234, 2000]),
    ],
)
def test_whole_numbers_have_no_decimals(texts: Any, values: Any) -> None:
    assert numbers(*texts, whole=True) == values


@pytest.mark.parametrize("text", ["1.234", "1,234", "12.500"])
def test_what_nothing_decides_is_an_error_that_names_the_option(text: str) -> None:
    for wrong in numbers(text, "7"):
        assert wrong == 7 or ("may be" in wrong and "decimal=" in wrong and "'.' or ','" in wrong)
    thousands = numbers(text, decimal="," if "." in text else ".")
    assert thousands == [float(text.replace(".", "").replace(",", ""))]


def test_of_two_forms_the_usual_one_is_taken_and_what_may_be_either_is_not() -> None:
    found = numbers("1.5", "2.5", "3,5", "1.234")
    assert found[:2] == [1.5, 2.5]
    assert "not written with a decimal point, as most of the column are" in found[2]
    assert "may be 1.234 or 1234.0: the column also has '3,5'" in found[3]
    one, other = numbers("1.5", "3,5")
    assert "written differently" in one
    assert "written differently" in other


@pytest.mark.parametrize(
    "text",
    ["15 %", "12 pcs", "1.2.3", "1,23,4", "--5", "(5", "1 23", "5€5", "NaN", "9" * 99],
)
def test_what_is_not_a_number_is_told(text: str) -> None:
    assert isinstance(numbers(text)[0], str)


def test_amounts_in_several_currencies_are_not_mixed() -> None:
    found = numbers("€5.50", "$7.50", "8.50")
    assert "amounts in €, $" in found[0]
    assert found[2] == 8.5
    assert number_reader(["€5.50", "6.50"], CsvFormat(), whole=False)[1] == ["€"]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["2026-01-31", "2026/02/01"], ["2026-01-31", "2026-02-01"]),
        (["31.12.2026", "01.02.2026"], ["2026-12-31", "2026-02-01"]),
        (["12/31/2026", "01/02/2026"], ["2026-12-31", "2026-01-02"]),
        (["5-5-2026"], ["2026-05-05"]),
        (["31.12.2026 00:00:00"], ["2026-12-31"]),
    ],
)
def test_days_are_read_as_the_column_tells(texts: Any, values: Any) -> None:
    assert days(*texts) == values


def test_moments_are_read_as_the_column_tells() -> None:
    assert days("31.12.2026 8:05", "01.02.2026", day=False) == [
        "2026-12-31 08:05:00",
        "2026-02-01 00:00:00",
    ]


def test_days_that_may_be_two_are_an_error_that_names_the_option() -> None:
    (wrong,) = days("01/02/2026")
    assert "may be 2026-02-01 or 2026-01-02" in wrong
    assert "date_format='%d/%m/%Y' or '%m/%d/%Y'" in wrong
    assert days("01/02/2026", date_format="%m/%d/%Y") == [date(2026, 1, 2)]
    found = days("31/01/2026", "30/01/2026", "12/31/2026", "01/02/2026")
    assert "as most of the column" in found[2]
    assert "also has '12/31/2026'" in found[3]


@pytest.mark.parametrize(
    "text", ["2026-02-30", "30.02.2026", "31/04/2026", "2026-13-01", "99/99/2026", "0000-01-01"]
)
def test_impossible_days_are_told_and_decide_nothing(text: str) -> None:
    wrong, other = days(text, "2026-01-31")
    assert "is not a valid" in wrong
    assert other == "2026-01-31"
    if "/" in text:
        assert "may be" in days(text, "01/02/2026")[1]


@pytest.mark.parametrize("text", ["26-01-31", "01/02/26", "31 Jan 2026", "soon", "46053"])
def test_other_days_ask_for_their_form(text: str) -> None:
    (wrong,) = days(text)
    assert "date_format=" in wrong
    assert ("Excel" in wrong) == (text == "46053")


def test_yes_and_no_are_a_table_without_contradictions() -> None:
    assert not set(YES) & set(NO)
    assert all(read_switch(text.upper()) for text in YES)
    assert not any(read_switch(text.title()) for text in NO)
    with pytest.raises(CellError, match=r"neither yes nor no\. Accepted are yes, y, true"):
        read_switch("perhaps")
