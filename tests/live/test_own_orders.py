"""The own orders of Odoo's models: as the toolkit knows them, and pages by them."""

from __future__ import annotations

import uuid

import pytest

from odoo_toolkit import Odoo, create_many, read, search_read
from odoo_toolkit.call import Call
from odoo_toolkit.records.default_orders import own_order

pytestmark = pytest.mark.recorded

_PAGE = 3


def _terms(order: str) -> list[str]:
    return [term.strip().lower().removesuffix(" asc") for term in order.replace('"', "").split(",")]


@pytest.mark.every_version
def test_the_orders_are_those_of_odoo(admin: Odoo) -> None:
    known, wrong = 0, {}
    models = search_read(
        admin, "ir.model", [["transient", "=", False]], ["model", "order"], limit=None, order="id"
    ).records
    for row in models:
        model, theirs = row["model"], _terms(row["order"])
        fields = {term.split()[0] for term in theirs}
        ours = own_order(model, admin.version.major, fields)
        if ours is None:
            continue
        known += 1
        if (_terms(ours) != theirs) if ours else ("id" not in fields):
            wrong[model] = (ours, row["order"])

    assert wrong == {}
    assert known > 200


def test_pages_without_an_order_have_each_record_once(odoo: Odoo, admin: Odoo) -> None:
    name = f"Equal {uuid.uuid4().hex[:8]}"
    made = create_many(admin, "product.template", [{"name": name}] * 10).ids
    domain = [["name", "=", name]]

    pages = [
        search_read(odoo, "product.template", domain, ["id"], limit=_PAGE, offset=offset)
        for offset in range(0, 10, _PAGE)
    ]

    assert sorted(row["id"] for page in pages for row in page.records) == sorted(made)
    assert [page.warnings for page in pages] == [[]] * 4


@pytest.mark.every_version
@pytest.mark.parametrize(
    "model", ["product.template", "hr.employee", "res.partner.category", "calendar.event"]
)
def test_the_first_page_is_in_the_order_that_odoo_itself_has(odoo: Odoo, model: str) -> None:
    order = own_order(model, odoo.version.major, odoo.schema.fields(model)) or "id"
    first = order.split(",")[0].split()[0]
    search = Call(model=model, method="search", arguments={"domain": [], "limit": 40})
    theirs: list[int] = odoo.call(search)
    values = {row["id"]: row[first] for row in read(odoo, model, theirs, [first]).records}

    ours = search_read(odoo, model, fields=[first], limit=40).records

    assert [row[first] for row in ours] == [values[number] for number in theirs]
