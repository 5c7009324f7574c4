"""What was given beside what is stored: what differs is named, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import create, write
from odoo_toolkit.arguments.compared import Difference, comparable, differences, in_words
from odoo_toolkit.fields import Field
from tests.unit.scripted import Scripted

FIELDS = {
    "name": Field(name="name", type="char"),
    "note": Field(name="note", type="html"),
    "price": Field(name="price", type="float"),
    "total": Field(name="total", type="monetary"),
    "count": Field(name="count", type="integer"),
    "on": Field(name="on", type="boolean"),
    "day": Field(name="day", type="date"),
    "at": Field(name="at", type="datetime"),
    "kind": Field(name="kind", type="selection", selection=(("a", "A"), ("b", "B"))),
    "owner": Field(name="owner", type="many2one", relation="res.partner"),
    "tags": Field(name="tags", type="many2many", relation="res.tag"),
    "lines": Field(name="lines", type="one2many", relation="res.line"),
    "file": Field(name="file", type="binary"),
    "more": Field(name="more", type="properties"),
    "data": Field(name="data", type="json"),
    "barcode": Field(
        name="barcode", type="char", store=False, depends=("variant_ids", "variant_ids.barcode")
    ),
    "variant_ids": Field(name="variant_ids", type="one2many", relation="product.product"),
    "email": Field(name="email", type="char", store=False, related=("partner_id", "email")),
}


def compared(name: str, given: Any, stored: Any) -> list[Difference]:
    """Compare one value of the record 7."""
    return differences("x.model", {7: {name: given}}, {7: {name: stored}}, FIELDS)


@pytest.mark.parametrize(
    ("name", "given", "stored"),
    [
        ("name", "A", "A"),
        ("name", "", False),
        ("name", False, False),
        ("name", "a\r\nb", "a\nb"),
        ("price", 0.1 + 0.2, 0.3),
        ("price", 0, False),
        ("total", 10, 10.0),
        ("count", False, 0),
        ("on", False, False),
        ("day", "2026-01-02", "2026-01-02"),
        ("owner", 3, [3, "Ann"]),
        ("owner", 3, (3, "Ann")),
        ("owner", False, False),
        ("tags", [[6, 0, [1, 2]]], [2, 1]),
        ("tags", [[4, 1, 0]], [9, 1]),
        ("tags", [[3, 1, 0]], [9]),
        ("tags", [[5, 0, 0]], []),
        ("tags", [[5, 0, 0], [4, 3, 0]], [3]),
        ("tags", [[6, 0, [1]], [0, 0, {}]], [1, 8]),
        ("lines", [[0, 0, {}], [0, 0, {}]], [1, 2, 3]),
        ("lines", [[1, 5, {}], [2, 6, 0]], [5]),
        ("note", "Hello", "<p>Hello</p>"),
        ("note", "Ann <ann@x.test>", "<p>Ann &lt;ann@x.test&gt;</p>"),
        ("note", '<p style="a:b">Hi&nbsp;<b>Ann</b></p>', "<div>Hi <b>Ann</b></div>"),
        ("note", "", False),
        ("note", "<![if !x]>Hi", "Hi"),
        ("file", "QUJD", "3.00 bytes"),
        ("file", False, False),
        ("more", {"p": 3}, [{"name": "p", "type": "many2one", "value": [3, "Ann"]}]),
        ("more", [{"name": "p", "value": "x"}], [{"name": "p", "value": "x"}]),
        ("data", {"1": 100}, {"1": 100.0}),
        ("unknown", 1, 2),
        # In a shape that nobody knows, nothing is said of it.
        ("tags", [[6, 0, [1]]], [[0, 0, {}]]),
    ],
)
def test_what_is_stored_as_given_is_not_told(name: str, given: Any, stored: Any) -> None:
    assert compared(name, given, stored) == []


@pytest.mark.parametrize(
    ("name", "given", "stored", "became", "said"),
    [
        ("name", " A ", "A", "changed", "name: ' A ' became 'A'."),
        ("name", "A", False, "dropped", "name: 'A' was not stored."),
        ("name", False, "A", "changed", "name: nothing became 'A'."),
        ("price", 3.14159, 3.14, "rounded", "price: 3.14159 became 3.14."),
        ("total", 10.005, 10.01, "rounded", "total: 10.005 became 10.01."),
        ("total", 10.4, 10.0, "rounded", "total: 10.4 became 10.0."),
        ("price", 0.004, 0.0, "rounded", "price: 0.004 became 0.0."),
        ("price", 4.0, 0.0, "dropped", "price: 4.0 was not stored."),
        ("price", 0.3, 0.0, "dropped", "price: 0.3 was not stored."),
        ("price", 4.0, 5.0, "changed", "price: 4.0 became 5.0."),
        ("on", False, True, "changed", "on: false became true."),
        ("on", True, False, "dropped", "on: true was not stored."),
        ("kind", "a", "b", "changed", "kind: 'a' became 'b'."),
        (
            "at",
            "2026-01-02 03:04:05",
            "2026-01-02 00:00:00",
            "changed",
            "at: '2026-01-02T03:04:05Z' became '2026-01-02T00:00:00Z'.",
        ),
        ("owner", 3, [4, "Ben"], "changed", "owner: 3 became Ben (id 4)."),
        ("owner", False, [4, "Ben"], "changed", "owner: nothing became Ben (id 4)."),
        ("tags", [[6, 0, [1, 2]]], [1], "changed", "tags: not linked: 2."),
        ("tags", [[6, 0, [1]]], [1, 2], "changed", "tags: also linked: 2."),
        ("tags", [[4, 1, 0]], [], "dropped", "tags: not linked: 1."),
        ("tags", [[3, 1, 0]], [1], "changed", "tags: also linked: 1."),
        (
            "lines",
            [[0, 0, {}], [0, 0, {}]],
            [1],
            "changed",
            "lines: of 2 new records 1 are there.",
        ),
        (
            "note",
            "<p>Hi<script>x</script></p>",
            "<p>Hi</p>",
            "changed",
            "note: removed: <script>.",
        ),
        ("note", "<a href='javascript:x'>Hi</a>", "<a>Hi</a>", "changed", "href of <a>"),
        ("note", "<p>Hi</p>", False, "dropped", "other words are stored than were given"),
        ("file", "QUJD", False, "dropped", "was not stored"),
        ("more", {"p": 3}, [], "dropped", "more: not stored: p."),
        ("data", {"1": 100}, {"1": 50.0}, "changed", "became {'1': 50.0}"),
    ],
)
def test_what_is_not_is_told(name: str, given: Any, stored: Any, became: str, said: str) -> None:
    (found,) = compared(name, given, stored)
    assert (found.field, found.became, found.ids) == (name, became, [7])
    assert said in str(found)


def test_where_a_value_can_be_written_is_told_where_the_field_tells_it() -> None:
    (found,) = compared("barcode", "123", False)
    assert "write barcode on the records of variant_ids (product.product)" in found.advice
    (found,) = compared("email", "a@x.test", "b@x.test")
    assert "Odoo copies it from partner_id.email" in found.advice


def test_what_says_how_to_write_is_no_value() -> None:
    assert not comparable("calendar.event", Field(name="recurrence_update", type="selection"))
    assert not comparable("ir.attachment", Field(name="raw", type="binary"))


MODELS = {
    "x.model": {
        "name": {"type": "char"},
        "tags": {"type": "many2many", "relation": "x.tag"},
        "file": {"type": "binary"},
    }
}


def test_a_write_names_what_differs_in_the_read_that_it_makes_anyway() -> None:
    row = {"id": 7, "name": "B", "tags": [1], "file": False}
    odoo = Scripted(
        19,
        {
            ("x.model", "create"): [7],
            ("x.model", "search_read"): [row],
            ("x.model", "write"): True,
            ("x.model", "read"): [row],
        },
        None,
        MODELS,
    )
    made = create(odoo, "x.model", {"name": "A", "file": "QUJD"}, return_fields=["tags"])
    assert [(one.field, one.became) for one in made.differences] == [
        ("name", "changed"),
        ("file", "dropped"),
    ]
    assert made.records == [{"id": 7, "tags": [1]}]
    assert made.warnings == [in_words(made.differences)]
    (read,) = odoo.asked("read")
    assert read.arguments["fields"] == ["tags", "name", "file"]
    # Of files that were written, no content travels back.
    assert read.context["bin_size"] is True
    written = write(odoo, "x.model", [7], {"name": "B"})
    assert (written.differences, written.warnings) == ([], [])


def test_links_to_archived_records_are_looked_for_once_more() -> None:
    def read(call: Any) -> list[dict[str, Any]]:
        archived = call.context.get("active_test") is False
        return [{"id": 7, "name": "A", "tags": [1, 2] if archived else [1]}]

    answers: dict[tuple[str, str], Any] = {("x.model", "create"): [7], ("x.model", "read"): read}
    odoo = Scripted(19, answers, None, MODELS)
    assert create(odoo, "x.model", {"name": "A", "tags": [1, 2]}).differences == []
    assert len(odoo.asked("read")) == 2
    (found,) = create(odoo, "x.model", {"name": "B", "tags": [1, 3]}).differences[:1]
    assert found.field == "name"
    assert len(create(odoo, "x.model", {"name": "A"}).warnings) == 0


def test_a_record_that_cannot_be_read_back_is_created_all_the_same() -> None:
    odoo = Scripted(19, {("x.model", "create"): [7], ("x.model", "read"): []}, None, MODELS)
    made = create(odoo, "x.model", {"name": "A"})
    assert (made.id, made.differences) == (7, [])
    assert made.warnings == ["These records were deleted, or this user cannot see them: x.model 7."]
