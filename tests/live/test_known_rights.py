"""The list of a warehouse worker: no accounting tools, and Odoo's answer when one is called."""

from __future__ import annotations

import pytest
from mcp import Client

from odoo_toolkit import Connection, search_read
from tests.kit.mcp import call, error_of, mcp_server
from tests.live.conftest import admin, server
from tests.live.servers import Server, ordinary_user

__all__ = ["admin", "server"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.every_version
async def test_a_warehouse_worker_has_no_accounting_tools(
    server: Server, admin: Connection
) -> None:
    worker = ordinary_user(server, "Stock worker", "stock.group_stock_user")
    posted = [["state", "=", "posted"], ["move_type", "=", "out_invoice"]]
    (invoice,) = search_read(admin, "account.move", posted, ["name"], limit=1)
    paid = {"invoice_ids": [invoice["id"]], "amount": 1.0}
    async with Client(mcp_server(server, worker, mode="full", tools="flat")) as client:
        await call(client, "odoo_core_count", model="stock.picking")  # the list may wait no longer
        listed = {tool.name for tool in (await client.list_tools()).tools}
        refused = error_of(await client.call_tool("odoo_accounting_register_payment", paid))
        told = await call(client, "odoo_core_list_toolsets")

    reasons = {one["name"]: one.get("reason") for one in told["toolsets"]}
    assert {name for name in listed if "_accounting_" in name} == set()
    assert {"odoo_inventory_validate_picking", "odoo_inventory_adjust_stock"} <= listed
    assert {"odoo_core_create", "odoo_hr_check_in_out", "odoo_calendar_create_meeting"} <= listed
    assert "odoo_sales_create_order" not in listed
    assert refused["code"] == "ACCESS_DENIED", refused
    assert "odoo_accounting_register_payment (needs create " in (reasons["accounting"] or "")


@pytest.mark.every_version
async def test_an_administrator_has_all_tools(server: Server) -> None:
    served = mcp_server(server, server.user("admin"), mode="full", tools="flat")
    async with Client(served) as client:
        await call(client, "odoo_core_count", model="stock.picking")
        listed = {tool.name for tool in (await client.list_tools()).tools}

    assert listed == served.offered.tools.keys()
