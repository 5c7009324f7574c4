"""Orders: what the reader takes, and what it makes of that."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from odoo_toolkit import ValidationError
from odoo_toolkit.arguments import Order, Term, read_order

#: Odoo's own pattern for an order, with paths as 17 and later take them; group keys besides.
_ODOO = re.compile(
    r"(\s*([a-z0-9:_.]+)(\s+(desc|asc))?(\s+nulls\s+(first|last))?\s*(,|$))+(?<!,)", re.IGNORECASE
)

_words = st.sampled_from(
    [
        *("name", "id", "password", "partner_id.name", "amount:sum", "ASC", "desc", "nulls"),
        *("first", "LAST", ",", " ", "\t", "\n", "ascnulls", '"name"', "é", "-name", "x:sum(id)"),
    ]
)
texts = st.one_of(st.lists(_words, max_size=9).map(" ".join), st.text(max_size=20))


@settings(max_examples=500, deadline=None)
@given(text=texts)
@example(text="name ascnulls first")
@example(text="name, ")
def test_what_is_read_is_what_odoo_takes_and_names_every_field(text: str) -> None:
    """Nothing passes that Odoo would read otherwise, and no field that it sorts by is missed."""
    try:
        order = read_order(text)
    except ValidationError:
        return

    assert _ODOO.fullmatch(order.wire)
    assert read_order(order.wire) == order
    left = set(re.findall(r"[\w.:]+", text)) - set(order.paths)
    assert {word.lower() for word in left} <= {"asc", "desc", "nulls", "first", "last"}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("name", [Term("name")]),
        (" name  DESC ,id", [Term("name", "desc"), Term("id")]),
        ("date:month asc", [Term("date:month", "asc")]),
        ("partner_id.name nulls\tlast", [Term("partner_id.name", "", "last")]),
    ],
)
def test_an_order_is_read_term_by_term(text: str, terms: list[Term]) -> None:
    """Spaces and capitals of its words do not matter."""
    assert read_order(text) == Order(tuple(terms))


@pytest.mark.parametrize(
    "value", ["", ",", "name,", "name up", "name desc asc", "1", "a" * 2000, ["name"], 7]
)
def test_what_is_not_understood_is_refused(value: Any) -> None:
    """Nothing of it is sent."""
    with pytest.raises(ValidationError, match="is not valid") as caught:
        read_order(value)

    assert caught.value.details["named_in"] == "order"


def test_a_whole_order_ends_with_the_id() -> None:
    """Unless it has it: equals then come in one order on all pages."""
    assert read_order("name desc").whole().wire == "name desc, id"
    assert read_order("id desc, name").whole().wire == "id desc, name"
    assert [read_order(text).by_id for text in ("id asc", "id", "id desc", "name, id")] == [
        *(True, True, False, False),
    ]
