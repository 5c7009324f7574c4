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

REPORT = "sale.report_saleorder"
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
            {"report_name": REPORT, "model": "sale.order"},
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


@pytest.mark.parametrize(
    ("ref", "name", "value", "given", "settings", "values"),
    [
        # Well-known models first.
        (PROMPT, "model_name", "res.", None, {}, ["res.partner", "res.users", "res.partner.bank"]),
        (TEMPLATE, "model", "res.", None, {}, ["res.partner", "res.users", "res.partner.bank"]),
        # By label, and by a part of the name.
        (PROMPT, "model_name", "contact", None, {}, ["res.partner"]),
        (PROMPT, "model_name", "ORDER", None, {}, ["sale.order", "x.order"]),
        # Ids by the record's name; one that exists completes itself.
        (TEMPLATE, "id", "azure", {"model": "res.partner"}, {}, ["14", "26"]),
        (TEMPLATE, "id", "7", {"model": "res.partner"}, {}, ["7", "9"]),
        # The model that a report prints decides, as in the list of reports.
        (PROMPT, "report_name", "sale", {"model": "sale.order"}, {}, [REPORT]),
        (PROMPT, "report_name", "sale", None, {"model_allowlist": ["sale.order"]}, [REPORT]),
        # Ids need the model to be filled in first.
        *((TEMPLATE, name, "x", None, {}, []) for name in ("query", "limit", "id")),
    ],
)
async def test_what_begins_like_that_is_offered(
    make_server: MakeServer,
    odoo: FakeOdoo,
    era: str,
    ref: PromptReference,
    name: str,
    value: str,
    given: dict[str, str] | None,
    settings: dict[str, Any],
    values: list[str],
) -> None:
    found = await complete(make_server, era, ref, name, value, given, **settings)

    assert found.values == values
    assert (found.total, found.has_more) == (len(values), False)
    reports = [call for call in odoo.calls if call[:2] == ("ir.actions.report", "search_read")]
    assert all(["report_name", "ilike", "sale"] in call[2][0] for call in reports)
    if reports and given:
        assert ["model", "=", "sale.order"] in reports[0][2][0]


async def test_blocked_models_are_not_offered(make_server: MakeServer, era: str) -> None:
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


@pytest.mark.parametrize("model", ["ir.cron", "crm.lead", "no such model"])
async def test_records_without_access_are_an_error_and_no_empty_list(
    make_server: MakeServer, odoo: FakeOdoo, era: str, model: str
) -> None:
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.complete(TEMPLATE, {"name": "id", "value": "a"}, {"model": model})

    assert caught.value.data["category"] in ("access", "validation")
    assert all(call[0] != "ir.cron" for call in odoo.calls)
