"""Each view with data of a real Odoo: driven as a person does, and compared with what Odoo has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent
from playwright.async_api import Page

from odoo_toolkit import Connection
from odoo_toolkit.records import create, read, search_read, write
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.views.serving import CONFIRM, META
from tests.browser.host import SHOWS_VIEWS, Origins, show
from tests.kit.mcp import mcp_server
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server
from tests.mcp.conftest import connection_settings, odoo
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

__all__ = ["admin", "odoo", "server", "suffix"]

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>&lt;b&gt; \u202e"


@pytest.fixture
async def client(server: Server, anyio_backend: str) -> AsyncIterator[Client]:
    """A client that shows views, of a server in full mode."""
    served = mcp_server(server, server.user("admin"), mode="full")
    async with Client(served, extensions=SHOWS_VIEWS) as connected:
        yield connected


@pytest.fixture
async def without_odoo(odoo: FakeOdoo, anyio_backend: str) -> AsyncIterator[Client]:
    """A client that shows views, of a server whose answers are made up."""
    settings = ServerSettings(mode="full")
    async with Client(
        OdooServer(connection_settings(odoo), settings), extensions=SHOWS_VIEWS
    ) as connected:
        yield connected


@pytest.fixture
def partner(admin: Connection, suffix: str) -> int:
    return create(admin, "res.partner", {"name": f"Viewed {suffix}", "city": "Ghent"}).id


@pytest.fixture
def product(admin: Connection, suffix: str) -> int:
    values = {"name": f"Chair {suffix}", "list_price": 70.0, "type": "service"}
    return create(admin, "product.product", values).id


def order(partner: int, product: int) -> dict[str, Any]:
    line = {"product_id": product, "quantity": 2, "price_unit": 70.5}
    return {"partner_id": partner, "lines": [line], "dry_run": True}


def orders_of(admin: Connection, partner: int) -> list[dict[str, Any]]:
    domain = [["partner_id", "=", partner]]
    return search_read(admin, "sale.order", domain, ["amount_untaxed", "client_order_ref"]).records


def changed_by(name: str) -> dict[str, Any]:
    return {"model": "res.partner", "values": {"name": name}, "dry_run": True}


# Review -----------------------------------------------------------------------------------------


async def test_a_plan_is_changed_planned_again_and_confirmed(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int, product: int
) -> None:
    shown = await show(page, at, client, "odoo_sales_create_order", order(partner, product))
    confirm, again = shown.frame.locator("#confirm"), shown.frame.locator("#again")
    assert await confirm.is_enabled()
    assert await again.is_disabled()
    assert "Viewed " in await shown.text(), "the customer's name stands there, not an id alone"

    await shown.frame.get_by_label("Price unit").fill("80.25")
    assert await confirm.is_disabled(), "what is not shown cannot be confirmed"
    await again.click()
    await shown.frame.wait_for_selector("#confirm:enabled")
    assert orders_of(admin, partner) == []
    await confirm.click()
    await shown.frame.wait_for_selector(".note.good")

    (made,) = orders_of(admin, partner)
    assert made["amount_untaxed"] == 160.5
    await page.wait_for_function("told.length === 2")
    told = await shown.value("told")
    assert told[-1]["structuredContent"]["result"]["id"] == made["id"]
    assert [name for name, _, _ in shown.calls] == ["odoo_view_call", CONFIRM]
    replayed = await client.call_tool(CONFIRM, shown.calls[-1][1])
    assert replayed.is_error
    assert len(orders_of(admin, partner)) == 1
    await shown.check()


async def test_a_record_changed_meanwhile(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int, suffix: str
) -> None:
    """It is refused with what changed; the new plan can be confirmed."""
    arguments = {**changed_by(f"Renamed {suffix}"), "ids": [partner]}
    shown = await show(page, at, client, "odoo_core_write", arguments)
    assert f"Viewed {suffix}" in await shown.text()
    write(admin, "res.partner", [partner], {"city": "Bruges"})

    await shown.frame.locator("#confirm").click()
    refusal = shown.frame.locator(".status.bad")
    await refusal.wait_for()
    assert "(City" in await refusal.inner_text()
    (now,) = read(admin, "res.partner", [partner], ["name"]).records
    assert now["name"] == f"Viewed {suffix}"

    assert await shown.frame.locator("#confirm").is_disabled()
    await shown.frame.locator("#again").click()
    await shown.frame.wait_for_selector("#confirm:enabled")
    await shown.frame.locator("#confirm").click()
    await shown.frame.wait_for_selector(".note.good")
    (now,) = read(admin, "res.partner", [partner], ["name"]).records
    assert now["name"] == f"Renamed {suffix}"
    await shown.check()


async def test_lines_changed_meanwhile(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int, product: int
) -> None:
    arguments = order(partner, product)
    made = await client.call_tool("odoo_sales_create_order", {**arguments, "dry_run": False})
    order_id = made.structured_content["id"]
    plan = {"order_id": order_id, "dry_run": True}
    shown = await show(page, at, client, "odoo_sales_confirm_order", plan)
    (line,) = search_read(admin, "sale.order.line", [["order_id", "=", order_id]], ["id"]).records
    write(admin, "sale.order.line", [line["id"]], {"price_unit": 1.0})

    await shown.frame.locator("#confirm").click()
    await shown.frame.locator(".status.bad").wait_for()

    (now,) = read(admin, "sale.order", [order_id], ["state"]).records
    assert now["state"] == "draft"
    await shown.check()


async def test_deleting_is_asked_about_and_may_be_left(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int
) -> None:
    arguments = {"model": "res.partner", "ids": [partner], "dry_run": True}
    shown = await show(page, at, client, "odoo_core_unlink", arguments)
    await shown.frame.locator("#confirm").click()
    await shown.frame.get_by_role("button", name="Yes, do it").wait_for()
    assert "You cannot restore deleted records." in await shown.text()
    await shown.frame.get_by_role("button", name="No", exact=True).click()

    assert "Not confirmed" in await shown.text()
    assert read(admin, "res.partner", [partner], ["name"]).missing_ids == []
    await shown.check()


async def test_deleting_after_a_yes(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int
) -> None:
    arguments = {"model": "res.partner", "ids": [partner], "dry_run": True}
    shown = await show(page, at, client, "odoo_core_unlink", arguments)
    await shown.frame.locator("#confirm").click()
    await shown.frame.get_by_role("button", name="Yes, do it").click()
    await shown.frame.wait_for_selector(".note.good")

    assert read(admin, "res.partner", [partner], ["name"]).missing_ids == [partner]
    await shown.check()


async def test_by_the_keyboard_alone(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int, suffix: str
) -> None:
    arguments = {**changed_by(f"Typed {suffix}"), "ids": [partner]}
    shown = await show(page, at, client, "odoo_core_write", arguments)
    await shown.frame.get_by_label("Name").focus()
    await page.keyboard.press("End")
    await page.keyboard.type("!")
    for _ in range(20):
        await page.keyboard.press("Tab")
        if await shown.frame.evaluate("document.activeElement.id") == "again":
            break
    await page.keyboard.press("Enter")
    await shown.frame.wait_for_selector("#confirm:enabled")
    await shown.frame.locator("#confirm").focus()
    await page.keyboard.press("Enter")
    await shown.frame.wait_for_selector(".note.good")

    (now,) = read(admin, "res.partner", [partner], ["name"]).records
    assert now["name"] == f"Typed {suffix}!"
    await shown.check()


async def test_a_host_that_lets_views_call_nothing(
    page: Page, at: Origins, client: Client, partner: int, product: int
) -> None:
    shown = await show(
        page, at, client, "odoo_sales_create_order", order(partner, product), capabilities={}
    )
    assert await shown.frame.locator("#confirm").count() == 0
    assert "Say in the chat" in await shown.text()
    assert await shown.value("asked") == ["ui/initialize"]
    await shown.check()


# Areas ------------------------------------------------------------------------------------------


async def test_operations_of_areas_have_the_views_of_their_tools(
    page: Page, at: Origins, odoo: FakeOdoo
) -> None:
    odoo.records |= {9: {"id": 9, "name": "Wood", "display_name": "Wood"}}
    served = OdooServer(
        connection_settings(odoo), ServerSettings(mode="full", tools="areas", confirm="never")
    )
    plan = {"operation": "write", "arguments": {**changed_by("Wood & Co"), "ids": [9]}}
    async with Client(served, extensions=SHOWS_VIEWS) as client:
        shown = await show(page, at, client, "odoo_change_records", plan)
        assert await shown.frame.locator("#confirm").is_enabled()
        await shown.frame.get_by_label("Name").fill("Wood Ltd")
        await shown.frame.locator("#again").click()
        await shown.frame.wait_for_selector("#confirm:enabled")
        await shown.frame.locator("#confirm").click()
        await shown.frame.wait_for_selector(".note.good")
        await shown.check()

    assert odoo.records[9]["name"] == "Wood Ltd"


async def test_list_of_operations_is_shown_in_a_line(
    page: Page, at: Origins, odoo: FakeOdoo
) -> None:
    served = OdooServer(connection_settings(odoo), ServerSettings(mode="full", tools="areas"))
    async with Client(served, extensions=SHOWS_VIEWS) as client:
        shown = await show(page, at, client, "odoo_change_records", {})
        assert await shown.text() == "The operations of odoo_change_records"
        await shown.check()


# Choose -----------------------------------------------------------------------------------------


@pytest.fixture
def twins(admin: Connection, suffix: str) -> dict[str, int]:
    """Two customers of one name, by their cities."""
    return {
        city: create(admin, "res.partner", {"name": f"Twin {suffix}", "city": city}).id
        for city in ("Ghent", "Bruges")
    }


async def test_a_customer_is_chosen_among_two(
    page: Page,
    at: Origins,
    client: Client,
    admin: Connection,
    twins: dict[str, int],
    product: int,
    suffix: str,
) -> None:
    arguments = order(0, product)
    del arguments["partner_id"]
    arguments["partner_name"] = f"Twin {suffix}"
    shown = await show(page, at, client, "odoo_sales_create_order", arguments)
    await shown.frame.get_by_role("button", name="Bruges").click()
    await shown.frame.wait_for_selector("#confirm:enabled")
    await shown.frame.locator("#confirm").click()
    await shown.frame.wait_for_selector(".note.good")

    assert len(orders_of(admin, twins["Bruges"])) == 1
    assert orders_of(admin, twins["Ghent"]) == []
    await shown.check()


async def test_an_answer_for_the_one_that_was_chosen(
    page: Page, at: Origins, client: Client, twins: dict[str, int], product: int, suffix: str
) -> None:
    arguments = {"product_id": product, "partner_name": f"Twin {suffix}"}
    shown = await show(page, at, client, "odoo_products_get_customer_price", arguments)
    await shown.frame.get_by_role("button", name="Ghent").click()
    await shown.frame.wait_for_selector("dl")

    (called,) = shown.calls
    assert called[1]["arguments"] == {"product_id": product, "partner_id": twins["Ghent"]}
    assert "Chair" in await shown.text()
    await page.wait_for_function("told.length")
    assert (await shown.value("told"))[0]["content"][0]["text"].startswith("The person chose")
    await shown.check()


# Table ------------------------------------------------------------------------------------------


async def test_a_table_is_sorted_paged_and_opened(
    page: Page, at: Origins, client: Client, admin: Connection, server: Server, suffix: str
) -> None:
    values = [{"name": f"Row {suffix} {place:02}", "color": place % 7} for place in range(45)]
    ids = create(admin, "res.partner", values).ids
    shown = await show(
        page,
        at,
        client,
        "odoo_core_search_read",
        {
            "model": "res.partner",
            "domain": [["id", "in", ids]],
            "fields": ["name", "color"],
            "limit": 30,
            "order": "id",
        },
    )
    first = shown.frame.locator("tbody tr").first
    assert await shown.frame.locator("tbody tr").count() == 20
    assert f"Row {suffix} 00" in await first.inner_text()

    await shown.frame.get_by_role("button", name="Next").click()
    assert await shown.frame.locator("tbody tr").count() == 10
    await shown.frame.get_by_role("button", name="Get more").click()
    await shown.frame.get_by_text("of 45").wait_for()
    assert await shown.frame.get_by_role("button", name="Get more").count() == 0
    assert shown.calls[0][1]["arguments"]["offset"] == 30

    name = shown.frame.get_by_role("columnheader", name="Name")
    await name.get_by_role("button").click()
    await name.get_by_role("button").press("Enter")
    assert await name.get_attribute("aria-sort") == "descending"
    assert f"Row {suffix} 44" in await first.inner_text()
    await first.get_by_role("button").click()

    await page.wait_for_function("links.length")
    path = f"odoo/res.partner/{ids[44]}" if admin.version.major >= 18 else "web#"
    (opened,) = await shown.value("links")
    assert opened.startswith(f"{server.url}/{path}")
    assert str(ids[44]) in opened
    await shown.check()


# Chart ------------------------------------------------------------------------------------------


async def test_a_chart_has_the_figures_of_odoo(page: Page, at: Origins, client: Client) -> None:
    arguments = {
        "model": "sale.order",
        "groupby": ["state"],
        "measures": ["amount_total:sum"],
    }
    shown = await show(page, at, client, "odoo_core_aggregate", arguments)
    rows = shown.result.structured_content["records"]
    assert await shown.frame.locator("rect").count() == len(rows)
    before = await shown.frame.locator("svg").text_content()
    await shown.frame.get_by_label("Figure").select_option("count")
    assert await shown.frame.locator("svg").text_content() != before
    titles = await shown.frame.locator("svg title").all_text_contents()
    assert [int(text.split(": ")[1].replace(",", "")) for text in titles] == [
        row["count"] for row in rows
    ]
    await shown.check()


async def test_periods_are_lines(page: Page, at: Origins, client: Client) -> None:
    arguments = {
        "model": "sale.order",
        "groupby": ["date_order:month", "state"],
        "measures": ["amount_total:sum"],
    }
    shown = await show(page, at, client, "odoo_core_aggregate", arguments)
    rows = shown.result.structured_content["records"]
    assert await shown.frame.locator("circle").count() == len(rows)
    assert await shown.frame.locator("polyline").count() == len({row["state"] for row in rows})
    await shown.check()


# Document ---------------------------------------------------------------------------------------


async def test_a_pdf_is_read_and_kept(
    page: Page, at: Origins, client: Client, admin: Connection, partner: int, product: int
) -> None:
    made = await client.call_tool(
        "odoo_sales_create_order", {**order(partner, product), "dry_run": False}
    )
    order_id = made.structured_content["id"]
    arguments = {"report_name": "sale.report_saleorder", "record_ids": [order_id]}
    await page.set_viewport_size({"width": 560, "height": 800})
    shown = await show(page, at, client, "odoo_reports_generate", arguments)
    assert "Chair" in await shown.text()
    assert "141.00" in (await shown.text()).replace(",", ".")
    sheet = shown.frame.locator(".sheet").first
    assert await sheet.evaluate("it => it.scrollWidth <= it.clientWidth"), "amounts are cut off"
    async with page.expect_download() as download:
        await shown.frame.get_by_role("button", name="Download").click()
    path = await (await download.value).path()

    assert Path(path).read_bytes().startswith(b"%PDF")
    await shown.check()


# What others wrote --------------------------------------------------------------------------------


def answered(data: dict[str, Any], **meta: Any) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text="{}")], structured_content=data, _meta={META: meta}
    )


LONG = "Unbroken" * 60
CALLS = [{"model": "res.partner", "method": HOSTILE, "ids": [1], "arguments": {HOSTILE: LONG}}]
CHANGES = [{"id": 1, "field": HOSTILE, "before": LONG, "after": HOSTILE}]
CHOICE = {"status": "disambiguation_needed", "field": "partner_id", "message": HOSTILE}

#: tool -> an answer full of what breaks pages.
ANSWERS: dict[str, tuple[str, CallToolResult]] = {
    "plan": (
        "odoo_core_write",
        answered(
            {
                "dry_run": True,
                "message": HOSTILE,
                "warnings": [HOSTILE, LONG],
                "calls": CALLS,
                "changes": CHANGES,
                "documents": [{"title": HOSTILE, "lines": [{HOSTILE: LONG, "total": 1.5}]}],
            },
            tool="odoo_core_write",
            title=HOSTILE,
            confirms={"values": {"name": HOSTILE, "note": LONG}, "ids": [1], "rows": [{"a": LONG}]},
            names={"res.partner": {"1": HOSTILE + LONG}},
            seal="v1.x",
            link="javascript:alert(3)//{model}{id}",
        ),
    ),
    "result": (
        "odoo_core_write",
        answered({"message": HOSTILE, HOSTILE: HOSTILE, "lines": [{"name": LONG}]}, title=LONG),
    ),
    "failure": (
        "odoo_core_write",
        answered({"message": HOSTILE + LONG, "suggestion": HOSTILE}).model_copy(
            update={"is_error": True}
        ),
    ),
    "choice": (
        "odoo_core_write",
        answered(
            {
                **CHOICE,
                "matches": [{"id": 1, "name": HOSTILE, "city": LONG}, {"id": 2, "name": LONG}],
            }
        ),
    ),
    "table": (
        "odoo_core_search_read",
        answered(
            {"records": [{"id": 1, HOSTILE: HOSTILE, "name": LONG}, {"id": 2, "a": [HOSTILE]}]},
            link="javascript:alert(3)//{model}{id}",
            arguments={"model": "res.partner"},
        ),
    ),
    "chart": (
        "odoo_core_aggregate",
        answered(
            {"records": [{"x": HOSTILE, "count": 3}, {"x": LONG, "count": -1}]},
            arguments={"groupby": ["x"]},
        ),
    ),
    "lines": (
        "odoo_core_aggregate",
        answered(
            {"records": [{"d:month": HOSTILE, "x": LONG, "count": 3}]},
            arguments={"groupby": ["d:month", "x"]},
        ),
    ),
    "document": (
        "odoo_reports_generate",
        answered(
            {"file_name": HOSTILE + LONG, "content_base64": "JVBERg=="}, pages=[HOSTILE, LONG]
        ),
    ),
}


async def test_nothing_is_confirmed_unseen(page: Page, at: Origins, without_odoo: Client) -> None:
    """A plan is shown with all that it says, long texts to their end."""
    body = f"Dear Ada, {'please pay this. ' * 40}Yours, Bob"
    invoice = {"name": "INV/1", "residual": 10}
    reminder = {"customer": "Ada", "body": body, "invoices": [invoice]}
    document = {"model": "sale.order", "name": "new quotation", "currency": "EUR"}
    line = {"product": "Desk", "name": "Desk, oak", "quantity": 1, "subtotal": 10}
    data = {
        "dry_run": True,
        "message": "Would remind Ada.",
        "calls": CALLS,
        "documents": [{**document, "amount_total": 12, "lines": [line], "notes": ["No stock."]}],
        "reminders": [reminder],
        "undo": {"possible": "none", "actions": [], "not_undone": ["What was sent stays sent."]},
    }
    given = answered(data, tool="odoo_core_write", confirms={"limit": 3}, seal="v1.x")
    shown = await show(page, at, without_odoo, "odoo_core_write", {}, result=given)

    text = await shown.text()
    for told in ("New quotation", "12.00 EUR", "Desk, oak", "10.00", "No stock.", "INV/1", body):
        assert told in text
    assert "It cannot be taken back. What was sent stays sent." in text
    assert await shown.frame.locator(".cut", has_text="please pay").count() == 0
    assert await shown.frame.locator("#confirm").is_enabled()
    await shown.check()


@pytest.mark.parametrize("width", [340, 1000])
@pytest.mark.parametrize("what", ANSWERS)
async def test_markup_and_long_texts_are_text(
    page: Page, at: Origins, without_odoo: Client, what: str, width: int
) -> None:
    """Nothing runs, nothing becomes an element, nothing is wider than the frame."""
    tool, result = ANSWERS[what]
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    await page.set_viewport_size({"width": width, "height": 900})
    shown = await show(page, at, without_odoo, tool, {}, result=result, theme="dark")

    assert await shown.frame.locator("#view img, #view script, #view a[href]").count() == 0
    everything = await shown.frame.evaluate(
        "document.getElementById('view').textContent + [...document.querySelectorAll("
        "'input, textarea')].map((one) => one.value).join()"
    )
    assert "<img src=x" in everything
    assert await shown.frame.get_by_role("button", name="Open").count() == 0
    assert dialogs == []
    await shown.check()


async def test_the_policy_stops_what_is_not_the_views(
    page: Page, at: Origins, without_odoo: Client
) -> None:
    """Were markup ever to get in, no script of it would run, and nothing would be sent anywhere."""
    tool, result = ANSWERS["table"]
    shown = await show(page, at, without_odoo, tool, {}, result=result)
    ran = await shown.frame.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            const markup = document.createElement("div");
            markup.innerHTML = '<img src="data:," onerror="window.ran = true">';
            document.body.append(markup);
            return fetch("http://127.0.0.1:9/").then(() => "sent", () => window.ran || "stopped");
        }"""
    )

    assert ran == "stopped"
    assert any("Content Security Policy" in text for text in shown.complaints)
