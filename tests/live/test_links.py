"""What is read, created, changed and imported says how a person opens it in Odoo."""

from __future__ import annotations

import pytest

from odoo_toolkit import Odoo, create, read, search_read, upsert, write
from odoo_toolkit.users.acting_as import acting_as

pytestmark = pytest.mark.recorded


def test_one_record_has_its_address_and_several_have_one_with_a_place_for_the_id(
    odoo: Odoo, suffix: str
) -> None:
    one = create(odoo, "res.partner", {"name": f"Linked {suffix}"})
    two = create(odoo, "res.partner", [{"name": f"Linked {suffix} {i}"} for i in (1, 2)])
    address, pattern = odoo.link("res.partner", one.id), two.url
    assert one.url == address
    assert pattern.replace("{id}", str(one.id)) == address
    assert write(odoo, "res.partner", [one.id], {"city": "Ghent"}).url == address
    assert write(odoo, "res.partner", two.ids, {"city": "Ghent"}).url == pattern
    assert read(odoo, "res.partner", [one.id], ["name"]).url == address
    found = search_read(odoo, "res.partner", [["name", "like", f"Linked {suffix}"]], ["name"])
    assert found.url == pattern
    every = search_read(odoo, "res.partner", [["id", "in", two.ids]], ["name"], limit=None)
    assert every.url == pattern
    row = {"name": f"Linked {suffix}", "city": "Bruges"}
    assert upsert(odoo, "res.partner", [row], ["name"]).summary().url == address


def test_no_record_has_no_address(odoo: Odoo) -> None:
    assert search_read(odoo, "res.partner", [["id", "=", 0]], ["name"]).url is None
    assert read(odoo, "res.partner", [2_000_000_000], ["name"]).url is None


def test_the_pattern_of_all_links_makes_the_same_address(odoo: Odoo) -> None:
    pattern = acting_as(odoo).link_pattern
    assert pattern.format(model="res.partner", id=1) == odoo.link("res.partner", 1)
