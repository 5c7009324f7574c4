"""The list of a warehouse worker: no accounting tools, and Odoo's answer when one is called."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from mcp import Client

from odoo_toolkit import Connection, search_read
from tests.kit.mcp import call, error_of, headers_of, mcp_server
from tests.live.conftest import admin, server
from tests.live.servers import Server, ordinary_user
from tests.mcp.http_server import RunningServer

__all__ = ["admin", "server"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
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


@pytest.mark.anyio
@pytest.mark.every_version
async def test_an_administrator_has_all_tools(server: Server) -> None:
    served = mcp_server(server, server.user("admin"), mode="full", tools="flat")
    async with Client(served) as client:
        await call(client, "odoo_core_count", model="stock.picking")
        listed = {tool.name for tool in (await client.list_tools()).tools}

    assert listed == served.offered.tools.keys()


def test_each_user_of_a_server_has_a_list_by_their_rights(server: Server) -> None:
    worker = ordinary_user(server, "Stock worker", "stock.group_stock_user")
    settings: dict[str, Any] = {"transport": "http", "credential_headers": True, "tools": "flat"}
    ordinary = mcp_server(server, ordinary_user(server), mode="full", **settings)
    # These users have a password alone.
    by_rpc = attrs.evolve(ordinary.requests.connection_settings, protocol="jsonrpc")
    ordinary.requests.connection_settings = by_rpc
    listed = {}
    with RunningServer(ordinary) as served:
        for user in (server.user("admin"), worker, server.user("admin")):
            headers = headers_of(user)
            served.call("legacy", "odoo_core_count", {"model": "stock.picking"}, **headers)
            answer = served.post("legacy", "tools/list", **headers).message["result"]
            listed[user.login] = {tool["name"] for tool in answer["tools"]}

    assert listed[server.login] == ordinary.offered.tools.keys()
    assert "odoo_inventory_validate_picking" in listed[worker.login]
    assert "odoo_accounting_post_invoice" not in listed[worker.login]
