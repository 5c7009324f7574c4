"""Completions of arguments, in prompts and in resource templates, in both eras."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import Completion, PromptReference, ResourceTemplateReference

from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = pytest.mark.anyio

PROMPT = PromptReference(type="ref/prompt", name="odoo_model_guide")
TEMPLATE = ResourceTemplateReference(type="ref/resource", uri="odoo://record/{model}/{id}")

MODELS = {
    "res.partner": "Contact",
    "res.partner.bank": "Bank Accounts",
    "res.users": "Users",
    "sale.order": "Sales Order",
    "ir.cron": "Scheduled Actions",
    "x.order": "Custom",
}


@pytest.fixture
def odoo(odoo: FakeOdoo) -> FakeOdoo:
    """An Odoo with some models, contacts and reports."""
    odoo.answers |= {
        ("ir.model", "search_read"): lambda args, kwargs: [
            {"model": model, "name": name} for model, name in MODELS.items()
        ],
        **{(model, "check_access_rights"): lambda args, kwargs: True for model in MODELS},
        ("res.partner", "name_search"): _name_search,
        ("res.partner", "search"): lambda args, kwargs: [7] if args[0] == [["id", "=", 7]] else [],
        ("ir.actions.report", "search_read"): lambda args, kwargs: [
            {"report_name": "sale.report_saleorder", "model": "sale.order"},
            {"report_name": "ir.secret", "model": "ir.cron"},
        ],
    }
    return odoo


def _name_search(args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    rows: list[list[Any]] = [[14, "Azure Interior"], [26, "Azure Interior, Brandon"], [9, "Wood 7"]]
    return [row for row in rows if args[0].lower() in row[1].lower()]


async def complete(
    make_server: MakeServer,
    era: str,
    ref: PromptReference | ResourceTemplateReference,
    name: str,
    value: str,
    given: dict[str, str] | None = None,
    **settings: Any,
) -> Completion:
    async with Client(make_server(**settings), mode=era) as client:
        result = await client.complete(ref, {"name": name, "value": value}, given)
    return result.completion


@pytest.mark.parametrize(("ref", "name"), [(PROMPT, "model_name"), (TEMPLATE, "model")])
async def test_models_are_completed_by_name_well_known_ones_first(
    make_server: MakeServer, odoo: FakeOdoo, era: str, ref: PromptReference, name: str
) -> None:
    found = await complete(make_server, era, ref, name, "res.")

    assert found.values == ["res.partner", "res.users", "res.partner.bank"]
    assert (found.total, found.has_more) == (3, False)


async def test_models_are_found_by_label_and_by_a_part_of_the_name(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    by_label = await complete(make_server, era, PROMPT, "model_name", "contact")
    by_part = await complete(make_server, era, PROMPT, "model_name", "ORDER")

    assert by_label.values == ["res.partner"]
    assert by_part.values == ["sale.order", "x.order"]


async def test_blocked_models_are_not_offered(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """``ir.cron`` always is, the rest by the administrator."""
    found = await complete(
        make_server, era, PROMPT, "model_name", "", model_blocklist=["sale.order"]
    )

    assert "ir.cron" not in found.values
    assert "sale.order" not in found.values
    assert "res.partner" in found.values


async def test_no_more_than_a_hundred_values_are_given(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    rows = [{"model": f"x.model{number}", "name": "X"} for number in range(150)]
    odoo.answers["ir.model", "search_read"] = lambda args, kwargs: rows
    for row in rows:
        odoo.answers[row["model"], "check_access_rights"] = lambda args, kwargs: True

    found = await complete(make_server, era, PROMPT, "model_name", "x.")

    assert len(found.values) == 100
    assert (found.total, found.has_more) == (150, True)


async def test_ids_are_completed_by_the_records_name(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    found = await complete(make_server, era, TEMPLATE, "id", "azure", {"model": "res.partner"})

    assert found.values == ["14", "26"]


async def test_an_id_that_exists_completes_itself(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    found = await complete(make_server, era, TEMPLATE, "id", "7", {"model": "res.partner"})

    assert found.values == ["7", "9"]


async def test_reports_are_completed_without_those_of_blocked_models(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    found = await complete(make_server, era, PROMPT, "report_name", "sale", {"model": "sale.order"})

    assert found.values == ["sale.report_saleorder"]
    (call,) = [call for call in odoo.calls if call[:2] == ("ir.actions.report", "search_read")]
    assert ["model", "=", "sale.order"] in call[2][0]
    assert ["report_name", "ilike", "sale"] in call[2][0]


async def test_reports_need_not_be_listed_themselves(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """What is open is decided by the model that a report prints, as in the list of reports."""
    allowed = {"model_allowlist": ["sale.order"]}
    found = await complete(make_server, era, PROMPT, "report_name", "sale", **allowed)

    assert found.values == ["sale.report_saleorder"]


@pytest.mark.parametrize(("name", "given"), [("query", None), ("limit", None), ("id", None)])
async def test_what_cannot_be_completed_gives_no_values(
    make_server: MakeServer, odoo: FakeOdoo, era: str, name: str, given: dict[str, str] | None
) -> None:
    """Ids need the model to be filled in first."""
    assert (await complete(make_server, era, TEMPLATE, name, "x", given)).values == []


@pytest.mark.parametrize("model", ["ir.cron", "crm.lead", "no such model"])
async def test_records_without_access_are_an_error_and_no_empty_list(
    make_server: MakeServer, odoo: FakeOdoo, era: str, model: str
) -> None:
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.complete(TEMPLATE, {"name": "id", "value": "a"}, {"model": model})

    assert caught.value.data["category"] in ("access", "validation")
    assert all(call[0] != "ir.cron" for call in odoo.calls)
