"""Which fields Odoo computes of others, what it keeps of numbers, and how its changes are told."""

from __future__ import annotations

from typing import Any

import pytest

from odoo_toolkit import ValidationError
from odoo_toolkit.arguments.compared import moves
from odoo_toolkit.fields import Field, computed_from
from odoo_toolkit.records.numbers import Number
from odoo_toolkit.testing import FakeServer


def _field(name: str, **told: Any) -> Field:
    return Field(name=name, **{"type": "char", **told})


MODELS = {
    "line": {
        field.name: field
        for field in (
            _field("quantity"),
            _field("size", depends=("quantity",), readonly=True, store=False),
            _field("price", depends=("product.list", "size")),
            _field("total", depends=("price",), readonly=True),
            _field("note", depends=("partner.note",)),
            _field("shown", depends=("quantity",), store=False),
        )
    },
    "employee": {
        field.name: field
        for field in (
            _field("version", type="many2one", relation="version"),
            _field("job", related=("version", "job"), depends=("version.job",), store=False),
            _field("title", related=("version", "title"), depends=("version.title",), store=False),
        )
    },
    "version": {field.name: field for field in (_field("job"), _field("title", depends=("job",)))},
}


@pytest.mark.parametrize(
    ("model", "written", "computed"),
    [
        ("line", ["quantity"], {"price"}),
        ("line", ["quantity", "price"], set()),
        ("line", ["partner"], {"note"}),
        ("employee", ["job"], {"title"}),
        ("employee", ["title"], set()),
    ],
)
def test_what_odoo_computes_of_what_is_written(
    model: str, written: list[str], computed: set[str]
) -> None:
    """Also through fields in between, and of a model that another one inherits."""
    assert computed_from(MODELS.__getitem__, model, written) == computed


def test_what_odoo_has_changed_is_told_once_for_several_records() -> None:
    fields = {"price": _field("price", type="float"), "user": _field("user", type="many2one")}
    before = {n: {"price": 1.0, "user": [3, "Ann"]} for n in (1, 2)}
    after = {n: {"price": 2.0, "user": [3, "Ann B."]} for n in (1, 2)}
    assert moves(before, after, fields, fields) == "Odoo also changed: price 1.0 → 2.0 (of 1, 2)."
    assert moves({1: before[1]}, after, ["price"], fields) == (
        "Odoo also changed: price 1.0 → 2.0."
    )
    assert moves(before, before, fields, fields) == ""


@pytest.mark.parametrize(
    ("given", "decimals", "kept"),
    [(0.125, 2, 0.13), (-0.125, 2, -0.13), (0.3333, 2, 0.33), (2.5, 0, 3.0), (0.004, 2, 0.0)],
)
def test_halves_go_away_from_zero(given: float, decimals: int, kept: float) -> None:
    field = _field("price", type="float", decimals=decimals)
    number = Number(model="line", field=field, where="price", given=given, decimals=decimals)
    assert number.kept == kept


def test_an_equal_column_that_odoo_refuses_is_left_out() -> None:
    """A locked document refuses even what it has already."""
    from odoo_toolkit import upsert
    from odoo_toolkit.call import Call

    told = dict.fromkeys(("store", "searchable", "sortable"), True)
    server = FakeServer(
        {
            "line": {
                "name": "char",
                "quantity": {"type": "float", "string": "Quantity", **told},
                "price": {"type": "float", "string": "Price", "depends": ["quantity"], **told},
            }
        },
        version=16,
        records={"line": [{"id": 1, "name": "A", "quantity": 2.0, "price": 7.0}]},
    )
    sent: list[dict[str, Any]] = []

    def write(call: Call) -> bool:
        sent.append(dict(call.arguments["vals"]))
        if "price" in sent[-1]:
            raise ValidationError("It is locked.", outcome="rolled_back")
        server.records["line"][0].update(sent[-1])
        return True

    server.answers["line", "write"] = write
    row = {".id": 1, "quantity": 5.0, "price": 7.0}
    result = upsert(server.connect(), "line", [row], key=".id")
    assert result.updated == 1
    assert sent == [{"quantity": 5.0, "price": 7.0}, {"quantity": 5.0}]
