"""What Odoo stores otherwise than it was given is named; what it stores as given is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from odoo_toolkit import Odoo
from odoo_toolkit.records import create, search_read, unlink, write

pytestmark = pytest.mark.recorded

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAA"
    "AABJRU5ErkJggg=="
)


def _values_of_one_attribute(odoo: Odoo) -> tuple[int, list[int]]:
    """Return an attribute of which products get variants at once, and two of its values."""
    found = search_read(
        odoo,
        "product.attribute.value",
        [["attribute_id.create_variant", "=", "always"]],
        ["attribute_id"],
    )
    by_attribute: dict[int, list[int]] = {}
    for value in found:
        by_attribute.setdefault(value["attribute_id"]["id"], []).append(value["id"])
    return next((number, two[:2]) for number, two in by_attribute.items() if len(two) > 1)


def test_a_template_with_variants_says_what_it_lost(admin: Odoo, suffix: str) -> None:
    attribute, two = _values_of_one_attribute(admin)
    line = {"attribute_id": attribute, "value_ids": [[6, 0, two]]}
    given = {
        "name": f"Variants {suffix}",
        "barcode": f"B{suffix}",
        "standard_price": 4.0,
        "attribute_line_ids": [[0, 0, line]],
    }
    made = create(admin, "product.template", given)
    lost = {one.field: one for one in made.differences}
    assert lost.keys() == {"barcode", "standard_price"}
    assert all(one.became == "dropped" for one in lost.values())
    assert "on the records of product_variant_ids (product.product)" in lost["barcode"].advice
    assert made.warnings[0].startswith("Odoo stored other values than you passed: barcode: ")
    written = write(admin, "product.template", [made.id], {"standard_price": 5.0, "name": "New"})
    assert [one.field for one in written.differences] == ["standard_price"]
    variants = search_read(
        admin, "product.product", [["product_tmpl_id", "=", made.id]], ["name"]
    ).records
    followed = write(admin, "product.product", [variants[0]["id"]], {"barcode": f"B{suffix}"})
    assert followed.differences == []
    unlink(admin, "product.template", [made.id])


def test_rounded_sanitised_and_changed_values_are_named(admin: Odoo, suffix: str) -> None:
    values = {"name": f"A {suffix}", "website": "a.example", "partner_latitude": 1.123456789}
    partner = create(admin, "res.partner", values)
    told = {one.field: one for one in partner.differences}
    assert told.keys() == {"website", "partner_latitude"}
    assert str(told["website"]) == "website: 'a.example' became 'http://a.example'."
    rounded = told["partner_latitude"]
    # To 14 of five digits, later of seven.
    assert (rounded.became, round(rounded.stored, 4)) == ("rounded", 1.1235)
    text = "<p>Hi<script>alert(1)</script> <b>there</b></p>"
    task = create(admin, "project.task", {"name": f"A {suffix}", "description": text})
    assert list(map(str, task.differences)) == ["description: removed: <script>."]
    unlink(admin, "project.task", [task.id])
    unlink(admin, "res.partner", [partner.id])


def test_what_is_stored_as_given_is_not_named(odoo: Odoo, admin: Odoo, suffix: str) -> None:
    tags = [
        create(
            admin, "res.partner.category", {"name": f"{name} {suffix}", "active": name == "A"}
        ).id
        for name in "AB"
    ]
    values: dict[str, Any] = {
        "name": f"  Two  spaces {suffix} ",
        "comment": "Plain text",
        "category_id": tags,
        "color": 3,
        "image_1920": PNG,
        "is_company": True,
        "email": False,
        "child_ids": [[0, 0, {"name": "First"}], [0, 0, {"name": "Second"}]],
        "user_id": None,
        "lang": "en_US",
    }
    made = create(odoo, "res.partner", values)
    assert (made.differences, made.warnings) == ([], [])
    changes = {"category_id": [[3, tags[0]]], "child_ids": [[0, 0, {"name": "Third"}]]}
    assert write(odoo, "res.partner", [made.id], changes).warnings == []
    event = {
        "name": "Meeting",
        "start": "2027-01-02T10:00:00+01:00",
        "stop": "2027-01-02T10:00:00Z",
    }
    meeting = create(odoo, "calendar.event", event)
    assert meeting.warnings == []
    unlink(odoo, "calendar.event", [meeting.id])
    children = search_read(odoo, "res.partner", [["parent_id", "=", made.id]], ["id"]).records
    unlink(admin, "res.partner", [made.id, *(child["id"] for child in children)])
    unlink(admin, "res.partner.category", tags)


def test_several_records_are_compared_in_one_read(admin: Odoo, suffix: str) -> None:
    rows = [{"name": f"{n} {suffix}", "website": f"site{n % 2}.example"} for n in range(150)]
    made = create(admin, "res.partner", rows)
    assert sorted(len(one.ids) for one in made.differences) == [75, 75]
    assert sorted(one.stored for one in made.differences) == [
        "http://site0.example",
        "http://site1.example",
    ]
    # Short, however many they are.
    assert len(json.dumps(made.warnings)) < 300
    for start in range(0, 150, 50):
        unlink(admin, "res.partner", made.ids[start : start + 50])
