"""Each skill, step by step as its SKILL.md has them, by an MCP client on a real Odoo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

from odoo_toolkit import Odoo, count, create, read, search_read
from odoo_toolkit.apps import inventory, sales
from odoo_toolkit_mcp.skill_list import skills
from odoo_toolkit_mcp.tool_groups import area_of
from tests.kit.days import today
from tests.kit.mcp import mcp_server
from tests.kit.overdue import customer, overdue
from tests.kit.tool_lists import whole_list
from tests.live.accounting_data import user_in
from tests.live.products import stored
from tests.live.servers import Server, User
from tests.skill_steps import filled, steps_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["flat", "areas"])
def form(request: pytest.FixtureRequest) -> str:
    """The form of the list of tools, which the skills need not know."""
    return str(request.param)


Run = Callable[..., Any]


@pytest.fixture
def run(server: Server, form: str) -> Run:
    """Runs a skill with what the user says, and returns the answers by the steps' numbers."""

    async def follow(name: str, user: User | None = None, **said: Any) -> dict[str, Any]:
        known: dict[str, Any] = dict(said)
        text = skills()[f"skill://{name}/SKILL.md"].content.decode()
        who = user or server.user("admin")
        settings = {"mode": "full", "confirm": "never", "tools": form}
        async with Client(mcp_server(server, who, **settings)) as client:
            tools = await whole_list(client)
            listed = {tool.name for tool in tools.tools}
            for step in steps_of(text):
                arguments = filled(step.arguments, known)
                result = await called(client, listed, step.tool, arguments)
                assert not result.is_error, (step, arguments, result.structured_content)
                known[step.number] = result.structured_content
        return known

    return follow


@pytest.fixture
def later() -> str:
    """A day next month."""
    return (today() + timedelta(days=30)).isoformat()


async def called(
    client: Client, listed: set[str], tool: str, arguments: dict[str, Any]
) -> CallToolResult:
    """Call a tool of a skill, as the skill says where the tool itself is not listed."""
    if tool in listed:
        return await client.call_tool(tool, arguments)
    inner = {"operation": tool, "arguments": arguments}
    result = await client.call_tool(f"odoo_read_{area_of(tool)}", inner)
    answer = result.structured_content or {}
    changes = f"odoo_change_{area_of(tool)}"
    if result.is_error and f"{changes} has it" in answer["message"]:
        result = await client.call_tool(changes, inner)
    return result


async def test_who_is_this_customer(run: Run, admin: Odoo, suffix: str) -> None:
    company = customer(admin, suffix)
    person = {"name": f"Ada {suffix}", "parent_id": company, "email": f"ada-{suffix}@example.com"}
    ada = create(admin, "res.partner", person).id
    invoice = overdue(admin, company, 120.0)
    order = sales.create_order(admin, lines=[{"name": "To be discussed"}], partner_id=company)

    answers = await run("who-is-this-customer", email=f"ada-{suffix}@example.com")
    assert [contact["id"] for contact in answers["1"]["contacts"]] == [ada]
    assert [one["id"] for one in answers["1"]["accounts"][0]["invoices"]] == [invoice]
    assert answers["2"]["closing"] == 120.0
    assert [row["id"] for row in answers["3"]["records"]] == [order.id]


async def test_chase_overdue_invoices(run: Run, admin: Odoo, suffix: str, later: str) -> None:
    partner = customer(admin, suffix)
    first, second = overdue(admin, partner, 100.0, days=60), overdue(admin, partner, 50.0)

    answers = await run("chase-overdue-invoices", customer=f"Late {suffix}", call_on=later)
    (planned,) = answers["3"]["reminders"]
    (sent,) = answers["4"]["reminders"]
    for reminder in (planned, sent):
        assert {one["id"] for one in reminder["invoices"]} == {first, second}
        assert list(reminder["totals"].values()) == [150.0]
    (activity,) = search_read(
        admin,
        "mail.activity",
        [["res_model", "=", "account.move"], ["res_id", "in", [first, second]]],
        ["res_id", "date_deadline", "summary"],
    )
    assert (activity["res_id"], activity["date_deadline"]) == (first, later)
    assert suffix in activity["summary"]


async def test_plan_purchases(run: Run, admin: Odoo, suffix: str, later: str) -> None:
    if not admin.schema.has_model("purchase.order"):
        pytest.skip("Purchase is not installed here.")
    name = f"Bolt {suffix}"
    product = create(admin, "product.product", {"name": name, **stored(admin)}).id
    vendor = create(admin, "res.partner", {"name": f"Smith {suffix}"}).id
    (row,) = read(admin, "product.product", [product], ["product_tmpl_id"])
    who = "partner_id" if "partner_id" in admin.schema.fields("product.supplierinfo") else "name"
    offer = {who: vendor, "product_tmpl_id": row["product_tmpl_id"]["id"], "price": 2.5}
    create(admin, "product.supplierinfo", offer)
    inventory.set_reordering_rule(admin, product_id=product, minimum=5, maximum=20)

    answers = await run("plan-purchases", product=name, quantity=10, needed_by=later)
    assert answers["2"]["offers"]
    assert [rule["to_order"] for rule in answers["3"]["rules"]] == [20.0]
    (line,) = search_read(
        admin,
        "purchase.order.line",
        [["product_id", "=", product]],
        ["order_id", "product_qty", "state", "price_unit"],
    )
    assert line["order_id"]["id"] == answers["5"]["id"]
    assert (line["product_qty"], line["price_unit"], line["state"]) == (20.0, 2.5, "draft")
    assert answers["6"]["message"]


async def test_import_contacts(run: Run, admin: Odoo, suffix: str) -> None:
    emails = [f"{name}-{suffix}@example.com" for name in ("ada", "bob", "eve")]
    there = create(admin, "res.partner", {"name": f"Ada {suffix}", "email": emails[0]}).id
    rows = [
        {"name": f"Ada {suffix}", "email": emails[0], "city": "London"},
        {"name": f"Bob {suffix}", "email": emails[1], "country_id": "Belgium"},
        {"name": f"Eve {suffix}", "email": emails[2]},
    ]
    answers = await run("import-contacts", rows=rows, emails=emails)
    assert [row["id"] for row in answers["1"]["records"]] == [there]
    found = search_read(
        admin,
        "res.partner",
        [["email", "in", emails]],
        ["name", "city", "country_id"],
        order="email",
    )
    assert len(found) == 3
    assert (found[0]["id"], found[0]["city"]) == (there, "London")
    assert found[1]["country_id"]["name"] == "Belgium"

    # "records that are the same already do not change"
    repeated = await run("import-contacts", rows=rows, emails=emails)
    assert (repeated["3"]["created"], repeated["3"]["updated"]) == (0, 0)
    assert repeated["3"]["unchanged"] == 3


async def test_month_end(run: Run, server: Server, admin: Odoo, suffix: str) -> None:
    # A month in which nobody has booked: what is in it is this test's.
    first, last = date(2040, 1, 1), date(2040, 1, 31)
    while count(
        admin, "account.move", [["date", ">=", str(first)], ["date", "<=", str(last)]]
    ).count:
        first = last + timedelta(days=1)
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    partner = customer(admin, suffix)
    amount = 100 + int(suffix[:3], 16) / 100
    line = {"name": "Advice", "quantity": 1, "price_unit": amount, "tax_ids": [[6, 0, []]]}
    day = first.replace(day=10).isoformat()
    values = {
        "move_type": "out_invoice",
        "partner_id": partner,
        "invoice_date": day,
        "date": day,
        "invoice_payment_term_id": False,
        "invoice_line_ids": [[0, 0, line]],
    }
    invoice = create(admin, "account.move", values).id
    groups = ("account.group_account_manager", "account.group_account_user")
    user = user_in(server, "Month end", *groups, "base.group_partner_manager")
    bank = {"date": last.isoformat(), "amount": amount, "partner": f"Late {suffix}"}
    lines = [{**bank, "reference": f"Thank you {suffix}"}]

    answers = await run(
        "month-end",
        user=user,
        first_day=first.isoformat(),
        last_day=last.isoformat(),
        bank_lines=lines,
    )
    assert [row["id"] for row in answers["1"]["answers"][0]["records"]] == [invoice]
    (row,) = read(admin, "account.move", [invoice], ["state", "payment_state", "amount_residual"])
    assert row["state"] == "posted"
    assert row["amount_residual"] == 0
    assert answers["6"]["rows"] is not None

    # "The tool skips lines that are already booked"
    async with Client(mcp_server(server, user, mode="full", confirm="never")) as client:
        again = await client.call_tool("odoo_accounting_match_bank_lines", {"lines": lines})
    assert not again.is_error, again.structured_content
    booked = search_read(
        admin, "account.bank.statement.line", [["payment_ref", "like", suffix]], ["id"]
    )
    assert len(booked) == 1
