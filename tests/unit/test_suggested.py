"""Names that are suggested for wrong ones: never the opposite, and each once."""

from __future__ import annotations

import pytest

from odoo_toolkit import upsert
from odoo_toolkit.fields import similar_names
from odoo_toolkit.records.importing.relations import suggested
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.testing import FakeServer

PAYMENT_STATES = ["not_paid", "in_payment", "paid", "partial", "reversed"]


@pytest.mark.parametrize(
    ("asked", "names", "first"),
    [
        ("unpaid", PAYMENT_STATES, "not_paid"),
        ("not paid", PAYMENT_STATES, "not_paid"),
        ("non-paid", PAYMENT_STATES, "not_paid"),
        ("payed", PAYMENT_STATES, "paid"),
        ("inactive", ["active"], None),
        ("active", ["inactive"], None),
        ("published", ["unpublished"], None),
        ("is_publised", ["is_published"], "is_published"),
        ("invoice_id", ["invoice_ids", "partner_id"], "invoice_ids"),
        ("unit_price", ["price_unit", "unit_prices"], "unit_prices"),
    ],
)
def test_the_opposite_is_not_suggested(asked: str, names: list[str], first: str | None) -> None:
    found = similar_names(asked, names)
    assert next(iter(found), None) == first
    assert asked != "unpaid" or "paid" not in found


def test_a_record_is_suggested_once_and_namesakes_with_their_ids() -> None:
    one, other = RecordName(id=1, name="Chairs"), RecordName(id=2, name="Chairs")
    assert suggested([one, one]) == "'Chairs'"
    assert suggested([one, other]) == "'Chairs' (id 1) or 'Chairs' (id 2)"


def shop() -> FakeServer:
    category = {
        "name": "char",
        "complete_name": "char",
        "parent_id": "many2one product.category",
    }
    template = {"name": "char", "categ_id": "many2one product.category"}
    everything = {"id": 1, "name": "All", "complete_name": "All"}
    return FakeServer(
        {"product.category": category, "product.template": template},
        records={"product.category": [everything], "product.template": []},
    )


def test_a_path_is_not_created_as_one_flat_category() -> None:
    server = shop()
    rows = [{"name": "Bench", "categ_id": "All / Garden"}, {"name": "Desk", "categ_id": "Office"}]
    result = upsert(
        server.connect(),
        "product.template",
        rows,
        key="name",
        create_missing=["product.category"],
    )
    assert result.statuses == ["failed", "created"]
    assert "is a path" in str(result.failed[0].errors[0])
    assert [row["name"] for row in server.records["product.category"]] == ["All", "Office"]
