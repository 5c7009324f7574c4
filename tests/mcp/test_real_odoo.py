"""The core tools on real servers, as administrator and as ordinary user, in both eras."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from tests.kit.mcp import call, mcp_server
from tests.live.conftest import server, user
from tests.live.servers import Server, User
from tests.mcp.list_sizes import size

pytestmark = pytest.mark.anyio

__all__ = ["server", "user"]


async def test_life_of_a_record(server: Server, user: User, era: str) -> None:
    """Created, found, read, counted, changed, named, archived by a method, deleted."""
    values = {"name": "Toolkit MCP test", "type": "contact", "comment": "Hello"}
    domain = [["name", "=", "Toolkit MCP test renamed"]]
    async with Client(mcp_server(server, user, mode="full"), mode=era) as client:
        created = await call(client, "odoo_core_create", model="res.partner", values=values)
        ids = [created["id"]]
        await call(
            client,
            "odoo_core_write",
            model="res.partner",
            ids=ids,
            values={"name": "Toolkit MCP test renamed", "color": 3.0},
        )
        found = await call(
            client,
            "odoo_core_search_read",
            model="res.partner",
            domain=[["id", "in", ids], *domain],
            fields=["name", "comment", "color", "parent_id"],
        )
        read = await call(client, "odoo_core_read", model="res.partner", ids=[*ids, 99999999])
        names = await call(client, "odoo_core_name_get", model="res.partner", ids=ids)
        archived = await call(
            client, "odoo_core_execute", model="res.partner", method="action_archive", args=[ids]
        )
        gone = await call(
            client, "odoo_core_count", model="res.partner", domain=[["id", "in", ids]]
        )
        deleted = await call(client, "odoo_core_unlink", model="res.partner", ids=ids)

    assert found["records"] == [
        {
            "id": ids[0],
            "name": "Toolkit MCP test renamed",
            "comment": "Hello",
            "color": 3,
            "parent_id": None,
        }
    ]
    assert read["missing_ids"] == [99999999]
    assert names["names"] == [{"id": ids[0], "name": "Toolkit MCP test renamed"}]
    assert archived["result_type"] in ("value", "action")
    assert gone["count"] == 0
    assert deleted["deleted_ids"] == ids


#: Tool that looks at something -> the model, its argument for the id, those that leave lines out,
#: and by which lines the largest record is chosen.
LOOKS: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "odoo_sales_get_order": (
        "sale.order",
        "order_id",
        {"include_lines": False, "include_deliveries": True, "include_invoices": True},
        ("order_line",),
    ),
    "odoo_purchase_get_order": ("purchase.order", "order_id", {"line_limit": 0}, ("order_line",)),
    "odoo_purchase_get_supply": ("product.product", "product_id", {}, ("stock_quant_ids",)),
    "odoo_inventory_get_stock": ("product.product", "product_id", {}, ("stock_quant_ids",)),
    "odoo_inventory_get_picking": ("stock.picking", "picking_id", {}, ("move_ids", "move_lines")),
    "odoo_manufacturing_get_order": (
        "mrp.production",
        "order_id",
        {"include_components": False},
        ("move_raw_ids",),
    ),
    "odoo_chatter_get_activities": ("res.partner", "record_id", {}, ("activity_ids",)),
    "odoo_attachments_list": ("res.partner", "record_id", {}, ("message_ids",)),
}


async def test_answers_of_business_tools_are_short(server: Server, user: User) -> None:
    """Under 4 kB for the demo record with most to tell, lines left out."""
    sizes: dict[str, int] = {}
    async with Client(mcp_server(server, user, mode="full", tools="flat")) as client:
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool, (model, argument, named, parts) in LOOKS.items():
            if tool not in offered:
                continue
            asked = {"model": model, "attributes": ["type"]}
            fields = (await call(client, "odoo_core_fields_get", **asked))["fields"]
            lines = next(name for name in parts if name in fields)
            found = await call(
                client, "odoo_core_search_read", model=model, fields=[lines], order="id", limit=200
            )
            if not found["records"]:
                continue
            largest = max(found["records"], key=lambda row: len(row[lines]))
            named = {**named, argument: largest["id"]}
            if "model" in offered[tool].input_schema["properties"]:
                named["model"] = model
            sizes[tool] = size(await call(client, tool, **named))

    assert len(sizes) >= 6
    assert {tool: number for tool, number in sizes.items() if number >= 4_000} == {}
