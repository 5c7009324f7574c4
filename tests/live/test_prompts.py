"""Prompts and completions made from real servers, for both users."""

from __future__ import annotations

import json
import re

import pytest
from mcp.types import TextContent

from odoo_toolkit import AccessError, NotFoundError, Odoo
from odoo_toolkit.call import Call
from odoo_toolkit_mcp.prompts.catalog import get_prompt
from odoo_toolkit_mcp.prompts.serving import complete
from odoo_toolkit_mcp.server_facts import Served

pytestmark = pytest.mark.recorded

SERVED = Served(
    mode="full",
    tools=frozenset({"odoo_core_search_read", "odoo_core_create", "odoo_core_execute"}),
    toolsets=("core",),
)
MODELS = (
    *("sale.order", "account.move", "stock.picking", "crm.lead", "project.task", "res.partner"),
    *("product.product", "res.users", "account.payment", "helpdesk.ticket"),
)


def text(odoo: Odoo, name: str, **arguments: str) -> str:
    (message,) = get_prompt(odoo, name, arguments, SERVED).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


def skip_unless_readable(odoo: Odoo, model: str) -> None:
    if not odoo.schema.has_model(model) or not odoo.schema.may(model, "read"):
        pytest.skip(f"{model} is not here, or not readable.")


@pytest.mark.every_user
def test_the_overview_names_the_server_and_models_that_the_user_may_read(odoo: Odoo) -> None:
    overview = text(odoo, "odoo_overview")

    assert f"Odoo {odoo.version.full}" in overview
    assert f"(uid: {odoo.uid})" in overview
    models = re.findall(r"^- ([a-z_.]+): ", overview, re.MULTILINE)
    assert "res.partner" in models
    assert all(odoo.schema.may(model, "read") for model in models[:10])


@pytest.mark.parametrize("model", MODELS)
def test_the_filters_of_a_guide_run(odoo: Odoo, model: str) -> None:
    skip_unless_readable(odoo, model)

    guide = text(odoo, "odoo_model_guide", model_name=model)

    filters = re.search(r"Key filters:\n(.*?)\n\n", guide, re.DOTALL)
    domains = [json.loads(found) for found in re.findall(r"`(\[\[[^`<]*\]\])`", filters[1])]
    assert domains
    for domain in domains:
        count = Call(model=model, method="search_count", arguments={"domain": domain})
        assert odoo.call(count) >= 0


@pytest.mark.parametrize("model", MODELS)
def test_a_new_record_is_explained_with_what_odoo_fills_in(odoo: Odoo, model: str) -> None:
    skip_unless_readable(odoo, model)

    guidance = text(odoo, "odoo_create_record", model_name=model)

    may = odoo.schema.may(model, "create")
    assert ("cannot create" in guidance) is not may
    assert "## Defaults now" in guidance


def test_what_the_guidance_says_must_be_given_is_enough(admin: Odoo, suffix: str) -> None:
    """A record made of exactly those values is accepted."""
    needed = {
        "res.partner": {"name": f"Given {suffix}"},
        "crm.lead": {"name": f"Given {suffix}"},
        "project.task": {"name": f"Given {suffix}"},
        "account.move": {},
    }
    for model, values in needed.items():
        guidance = text(admin, "odoo_create_record", model_name=model)
        section = guidance.split("## You must give\n")[1].split("\n\n")[0]
        named = set(re.findall(r"^- `(\w+)`", section, re.MULTILINE))
        # A contact's name is only required by its type, which fields do not tell.
        assert named <= set(values)
        admin.call(Call(model=model, method="create", arguments={"vals_list": values}))


def test_search_help_shows_a_call_that_works(odoo: Odoo) -> None:
    help_text = text(odoo, "odoo_search_help", model_name="sale.order", query="my confirmed orders")

    block = re.search(r"```json\n(.*?)\n```", help_text, re.DOTALL)
    arguments = json.loads(block[1])
    model = arguments.pop("model")
    rows = odoo.call(Call(model=model, method="search_read", arguments=arguments))
    assert f"(finds {len(rows)} record" in help_text or len(rows) == arguments["limit"]


@pytest.mark.parametrize("name", ["odoo_model_guide", "odoo_create_record", "odoo_search_help"])
@pytest.mark.parametrize(("model", "error"), [("no.such", NotFoundError), ("ir.cron", AccessError)])
def test_models_without_access_are_errors(
    odoo: Odoo, name: str, model: str, error: type[Exception]
) -> None:
    query = {"query": "all"} if name == "odoo_search_help" else {}

    with pytest.raises(error):
        text(odoo, name, model_name=model, **query)


def test_completions_find_models_records_and_reports(odoo: Odoo) -> None:
    chosen = {"domain": [], "fields": ["display_name"], "limit": 1}
    search = Call(model="res.partner", method="search_read", arguments=chosen)
    partner = odoo.call(search)[0]
    given = {"model": "res.partner"}

    assert complete(odoo, "model", "sale.or", None).values[0] == "sale.order"
    assert "res.partner" in complete(odoo, "model_name", "contact", None).values
    found = complete(odoo, "id", partner["display_name"], given).values
    assert str(partner["id"]) in found
    assert complete(odoo, "id", str(partner["id"]), given).values[0] == str(partner["id"])
    reports = complete(odoo, "report_name", "", {"model": "sale.order"}).values
    assert "sale.report_saleorder" in reports
