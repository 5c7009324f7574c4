"""What a real Odoo refuses is answered with a next step that leads somewhere."""

from __future__ import annotations

import pytest

from odoo_toolkit import Odoo, OdooError, count, execute, search_read


def test_a_grouping_by_a_path_says_what_to_group_by(admin: Odoo) -> None:
    arguments = {"domain": [], "fields": ["color"], "groupby": ["parent_id.country_id"]}
    with pytest.raises(OdooError) as raised:
        execute(admin, "res.partner", "read_group", kwargs=arguments)
    assert raised.value.code == "INVALID_FIELD"
    assert "group by the link itself" in raised.value.suggestion


@pytest.mark.every_version
def test_an_unknown_language_says_where_the_known_ones_are(admin: Odoo) -> None:
    known = search_read(admin, "res.lang", fields=["code"]).records
    assert count(admin, "res.partner", context={"lang": known[0]["code"]}).count > 0
    if admin.version.major < 18:
        pytest.skip("Odoo 14 to 17 take any language, and read English for it.")
    with pytest.raises(OdooError) as raised:
        search_read(admin, "res.partner", limit=1, context={"lang": "xx_XX"})
    assert raised.value.details["lang"] == "xx_XX"
    assert "search_read on res.lang" in raised.value.suggestion


def test_a_missing_field_of_a_wizard_is_no_deletion(admin: Odoo) -> None:
    with pytest.raises(OdooError) as raised:
        execute(admin, "crm.lead2opportunity.partner", "create", [{"name": "convert"}])
    assert raised.value.details["field"] == "lead_id"
    assert "active_id" in raised.value.suggestion
