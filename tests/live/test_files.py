"""Files end to end, by an MCP client: printed, linked, attached, posted and read back."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import BlobResourceContents, ResourceLink, TextResourceContents

from odoo_toolkit import Odoo, create
from odoo_toolkit.apps import sales
from tests.kit.mcp import call, mcp_server
from tests.live.servers import Server

pytestmark = pytest.mark.anyio

REPORT = "sale.report_saleorder"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def order(admin: Odoo, suffix: str) -> sales.Order:
    """A quotation of its own customer, with one line of text."""
    partner = create(admin, "res.partner", {"name": f"Reader {suffix}"}).id
    return sales.create_order(admin, lines=[{"name": f"About {suffix}"}], partner_id=partner)


async def content_of(client: Client, uri: str) -> bytes:
    contents = (await client.read_resource(uri)).contents[0]
    if isinstance(contents, TextResourceContents):
        return contents.text.encode()
    assert isinstance(contents, BlobResourceContents)
    return base64.b64decode(contents.blob)


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_printed_order_is_read_by_its_link(
    server: Server, order: sales.Order, era: str
) -> None:
    given = {"report_name": REPORT, "record_ids": [order.id], "deliver": "link"}
    offered = mcp_server(server, server.user("admin"), mode="full")
    async with Client(offered, mode=era) as client:
        result = await client.call_tool("odoo_reports_generate", given)
        assert not result.is_error, result.content
        _, link = result.content
        assert isinstance(link, ResourceLink)
        content = await content_of(client, link.uri)

    assert result.structured_content
    assert content.startswith(b"%PDF")
    assert len(content) == result.structured_content["size"] == link.size
    assert "content_base64" not in result.structured_content


async def test_a_printed_order_goes_to_the_folder(
    server: Server, order: sales.Order, tmp_path: Path
) -> None:
    offered = mcp_server(server, server.user("admin"), mode="full", download_dir=str(tmp_path))
    async with Client(offered) as client:
        made = await call(
            client, "odoo_reports_generate", report_name=REPORT, record_ids=[order.id]
        )
    (file,) = tmp_path.iterdir()
    assert made["path"] == str(file)
    assert file.read_bytes().startswith(b"%PDF")
    assert file.stat().st_size == made["size"]


async def test_a_kept_report_and_a_posted_file_are_read_back(
    server: Server, order: sales.Order, suffix: str
) -> None:
    """The report is attached, and posted with a new file; both are read as resources."""
    note = f"Note {suffix}".encode()
    new = {"name": "note.txt", "content_base64": base64.b64encode(note).decode()}
    on: dict[str, Any] = {"model": "sale.order", "record_id": order.id}
    async with Client(mcp_server(server, server.user("admin"), mode="full")) as client:
        kept = await call(client, "odoo_reports_attach", report_name=REPORT, record=str(order.name))
        posted = await call(
            client,
            "odoo_chatter_post_message",
            **on,
            body="With files",
            message_type="notification",
            attachments=[{"id": kept["id"]}, new],
        )
        messages = await call(client, "odoo_chatter_get_messages", **on, limit=1)
        listed = await call(client, "odoo_attachments_list", **on)
        (other,) = set(posted["attachment_ids"]) - {kept["id"]}
        pdf = await content_of(client, f"odoo://attachment/{kept['id']}")
        text = await content_of(client, f"odoo://attachment/{other}")

    assert sorted(messages["messages"][0]["attachment_ids"]) == sorted([kept["id"], other])
    assert {one["id"] for one in listed["attachments"]} == {kept["id"], other}
    assert pdf.startswith(b"%PDF")
    assert len(pdf) == kept["file_size"]
    assert text == note
