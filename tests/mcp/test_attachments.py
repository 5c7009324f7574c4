"""Files over MCP: as pictures, resources or links beside the fields, within the server's limits."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

from odoo_toolkit.configuration import load
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.attachments import AttachmentsToolset
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo, serve
from tests.mcp.texts import data_of

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def make_server(make_server: MakeServer) -> MakeServer:
    """Makes a server that has the attachments toolset, too."""

    def make(**keywords: Any) -> Any:
        return make_server(toolsets=[CoreToolset, AttachmentsToolset], **keywords)

    return make


async def get(server: Any, **arguments: Any) -> CallToolResult:
    async with Client(server) as client:
        arguments = {"attachment_id": 5, **arguments}
        result = await client.call_tool("odoo_attachments_get_content", arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content
    return result


async def test_a_picture_by_its_bytes(make_server: MakeServer, odoo: FakeOdoo) -> None:
    """Whatever its declared type; what describes it has not the base64 once more."""
    serve(odoo, PNG)
    result = await get(make_server())

    text, picture = result.content
    encoded = base64.b64encode(PNG).decode()
    assert isinstance(picture, ImageContent)
    assert (picture.mime_type, picture.data) == ("image/png", encoded)
    assert result.structured_content
    assert isinstance(text, TextContent)
    assert data_of(result) == result.structured_content
    assert data_of(result) == {
        "id": 5,
        "name": "file",
        "mimetype": "application/octet-stream",
        "file_size": len(PNG),
        "encoding": "base64",
        "uri": "odoo://attachment/5",
    }


async def test_other_files_are_embedded(make_server: MakeServer, odoo: FakeOdoo) -> None:
    serve(odoo, b"%PDF-1.4", mimetype="application/pdf")
    _, block = (await get(make_server())).content

    assert isinstance(block, EmbeddedResource)
    assert isinstance(block.resource, BlobResourceContents)
    assert base64.b64decode(block.resource.blob) == b"%PDF-1.4"
    assert block.resource.mime_type == "application/pdf"
    assert str(block.resource.uri) == "odoo://attachment/5"


async def test_text_needs_no_block(make_server: MakeServer, odoo: FakeOdoo) -> None:
    serve(odoo, b"a;b", mimetype="text/csv")
    result = await get(make_server(), as_text=True)

    (text,) = result.content
    assert isinstance(text, TextContent)
    assert data_of(result) == result.structured_content
    assert data_of(result)["content"] == "a;b"


@pytest.mark.parametrize(
    ("url", "links"),
    [
        ("https://example.com/x.pdf", 1),
        ("javascript:alert(1)", 0),
        ("file:///etc/passwd", 0),
        ("/web/image/3", 0),
        (False, 0),
    ],
)
async def test_an_address_is_a_link(
    make_server: MakeServer, odoo: FakeOdoo, url: Any, links: int
) -> None:
    serve(odoo, b"", type="url", url=url)
    _, *blocks = (await get(make_server())).content
    assert [isinstance(block, ResourceLink) for block in blocks] == [True] * links


async def test_large_files_go_to_the_folder(
    make_server: MakeServer, odoo: FakeOdoo, tmp_path: Path
) -> None:
    content = bytes(range(256)) * 4097
    serve(odoo, content, name="../big.bin")
    result = await get(make_server(attachment_max_mb=1, download_dir=str(tmp_path)))

    assert result.structured_content
    written = Path(result.structured_content["path"])
    assert written == tmp_path / "5-big.bin"
    assert written.read_bytes() == content
    assert "content_base64" not in result.structured_content
    _, link = result.content
    assert isinstance(link, ResourceLink)
    assert link.uri == written.as_uri()


async def test_without_a_folder_they_are_not_fetched(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    serve(odoo, b"", file_size=200_000_000)
    result = await get(make_server())

    assert result.structured_content
    assert "190.7 MB" in result.structured_content["warnings"][0]
    assert len(result.content) == 1
    reads = [call for call in odoo.calls if call[:2] == ("ir.attachment", "search_read")]
    assert len(reads) == 1


def test_settings(tmp_path: Path) -> None:
    environ = {"ODOO_MCP_DOWNLOAD_DIR": str(tmp_path), "ODOO_MCP_ATTACHMENT_MAX_MB": "5"}
    settings, problems = load(ServerSettings, {}, environ=environ)
    assert settings, problems
    assert (settings.download_dir, settings.attachment_max_mb) == (str(tmp_path), 5)
    assert ServerSettings().download_dir is None
    assert ServerSettings().attachment_max_mb == 12

    environ = {"ODOO_MCP_DOWNLOAD_DIR": str(tmp_path / "no"), "ODOO_MCP_ATTACHMENT_MAX_MB": "0"}
    _, problems = load(ServerSettings, {}, environ=environ)
    assert len(problems) == 2
