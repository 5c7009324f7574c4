"""Files of tools: each way in which they come, and the links by which they are read back."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import (
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextResourceContents,
)

from odoo_toolkit import reports
from odoo_toolkit.configuration import load
from odoo_toolkit.reports.generation import GeneratedReport
from odoo_toolkit_mcp import files
from odoo_toolkit_mcp.files import KeptFiles
from odoo_toolkit_mcp.settings import API_KEY_HEADER, USERNAME_HEADER, ServerSettings
from odoo_toolkit_mcp.toolsets.attachments import AttachmentsToolset
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.toolsets.reports import ReportsToolset
from odoo_toolkit_mcp.untrusted import FILE_NOTICE
from tests.kit.mcp import error_of
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import LOGIN, PASSWORD, FakeOdoo, serve
from tests.mcp.http_server import RunningServer
from tests.mcp.texts import data_of

pytestmark = pytest.mark.anyio

PDF = b"%PDF-1.4 of an order"
ENCODED = base64.b64encode(PDF).decode()
PRINT = {"report_name": "sale.report_saleorder", "record_ids": [7]}


@pytest.fixture
def make_server(make_server: MakeServer, monkeypatch: pytest.MonkeyPatch) -> MakeServer:
    """Makes a server that has attachments and reports; those are printed without Odoo."""

    def generate_report(
        odoo: Any,
        report_name: str,
        record_ids: list[int],
        context: dict[str, Any] | None = None,
        *,
        download_dir: str | None = None,
    ) -> GeneratedReport:
        return GeneratedReport(
            report_name=report_name,
            record_ids=record_ids,
            format="pdf",
            file_name="Order - S00007.pdf",
            size=len(PDF),
            size_human="20 bytes",
            pages=1,
            model="sale.order",
            source="web_session",
            content_base64=ENCODED,
        )

    monkeypatch.setattr(reports, "generate_report", generate_report)

    def make(**keywords: Any) -> Any:
        toolsets = [CoreToolset, AttachmentsToolset, ReportsToolset]
        return make_server(toolsets=toolsets, **keywords)

    return make


async def printed(client: Client, **arguments: Any) -> Any:
    result = await client.call_tool("odoo_reports_generate", {**PRINT, **arguments})
    assert not result.is_error, result.content
    return result


async def test_a_link_can_be_read_back(make_server: MakeServer, era: str) -> None:
    async with Client(make_server(), mode=era) as client:
        result = await printed(client, deliver="link")
        _, link = result.content
        assert isinstance(link, ResourceLink)
        contents, notice = (await client.read_resource(link.uri)).contents

    assert ENCODED not in result.model_dump_json()
    assert (link.name, link.mime_type, link.size) == ("Order - S00007.pdf", "application/pdf", 20)
    assert data_of(result) == result.structured_content
    assert data_of(result)["uri"] == link.uri
    assert data_of(result)["readable_until"]
    assert isinstance(contents, BlobResourceContents)
    assert base64.b64decode(contents.blob) == PDF
    assert contents.mime_type == "application/pdf"
    assert isinstance(notice, TextResourceContents)
    assert notice.text == FILE_NOTICE


async def test_what_is_embedded_is_there_once_and_can_be_read_again(
    make_server: MakeServer, era: str
) -> None:
    async with Client(make_server(), mode=era) as client:
        result = await printed(client)
        _, block = result.content
        assert isinstance(block, EmbeddedResource)
        contents, *_ = (await client.read_resource(str(block.resource.uri))).contents

    assert result.model_dump_json().count(ENCODED) == 1
    assert isinstance(block.resource, BlobResourceContents)
    assert block.resource.blob == ENCODED
    assert isinstance(contents, BlobResourceContents)
    assert contents.blob == ENCODED


async def test_base64_is_in_the_text(make_server: MakeServer, era: str) -> None:
    """For clients that show a model nothing but the text, or nothing but the structure."""
    async with Client(make_server(), mode=era) as client:
        result = await printed(client, deliver="base64")

    (_,) = result.content
    assert data_of(result)["content_base64"] == ENCODED
    assert result.structured_content["content_base64"] == ENCODED
    assert "uri" not in data_of(result)


async def test_the_download_folder(make_server: MakeServer, tmp_path: Path) -> None:
    """Where there is one, PDFs go there; nothing is overwritten, and it can be asked otherwise."""
    (tmp_path / "Order - S00007.pdf").write_text("mine")
    async with Client(make_server(download_dir=str(tmp_path))) as client:
        result = await printed(client)
        linked = await printed(client, deliver="link")

    path = Path(result.structured_content["path"])
    assert path == tmp_path / "Order - S00007 (2).pdf"
    assert path.read_bytes() == PDF
    assert (tmp_path / "Order - S00007.pdf").read_text() == "mine"
    assert ENCODED not in result.model_dump_json()
    _, link = result.content
    assert isinstance(link, ResourceLink)
    assert link.uri == path.as_uri()
    assert "path" not in linked.structured_content
    assert len(list(tmp_path.iterdir())) == 2


async def test_a_small_attachment_goes_to_the_folder_if_asked(
    make_server: MakeServer, odoo: FakeOdoo, tmp_path: Path
) -> None:
    serve(odoo, PDF, name="../../offer.pdf", mimetype="application/pdf")
    arguments = {"attachment_id": 5, "deliver": "file"}
    async with Client(make_server(download_dir=str(tmp_path))) as client:
        result = await client.call_tool("odoo_attachments_get_content", arguments)

    assert result.structured_content
    path = Path(result.structured_content["path"])
    assert path == tmp_path / "5-offer.pdf"
    assert path.read_bytes() == PDF


async def test_without_a_folder_there_is_no_such_way(make_server: MakeServer) -> None:
    async with Client(make_server()) as client:
        result = await client.call_tool("odoo_reports_generate", {**PRINT, "deliver": "file"})

    assert result.is_error
    assert "embedded" in error_of(result)["message"]


async def test_a_folder_that_is_full_or_gone_is_an_error(
    make_server: MakeServer, tmp_path: Path
) -> None:
    folder = tmp_path / "downloads"
    folder.mkdir()
    server = make_server(download_dir=str(folder))
    folder.rmdir()
    async with Client(server) as client:
        result = await client.call_tool("odoo_reports_generate", PRINT)

    assert result.is_error
    assert "ODOO_MCP_DOWNLOAD_DIR" in error_of(result)["suggestion"]


def test_a_folder_is_for_stdio_only(tmp_path: Path) -> None:
    given = {"transport": "http", "download_dir": str(tmp_path)}
    settings, problems = load(ServerSettings, given, environ={})
    assert settings is None
    assert any("ODOO_MCP_DOWNLOAD_DIR" in str(problem) for problem in problems)


# Attachments as resources -------------------------------------------------------------------


async def read(server: Any, era: str, uri: str) -> Any:
    async with Client(server, mode=era) as client:
        return (await client.read_resource(uri)).contents


async def test_an_attachment_is_read_from_odoo_each_time(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    serve(odoo, PDF, mimetype="application/pdf")
    contents, notice = await read(make_server(), era, "odoo://attachment/5")

    assert (contents.blob, contents.mime_type) == (ENCODED, "application/pdf")
    assert notice.text == FILE_NOTICE


async def test_a_text_comes_as_text_without_what_hides_in_it(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    serve(odoo, "a;b\u200b\u202e;c".encode(), mimetype="text/csv")
    contents, _ = await read(make_server(), era, "odoo://attachment/5")

    assert (contents.text, contents.mime_type) == ("a;b;c", "text/csv")


async def refused(server: Any, era: str, uri: str) -> MCPError:
    async with Client(server, mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    assert caught.value.error.code == -32602
    return caught.value


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"file_size": 200_000_000}, "190.7 MB"),
        ({"type": "url", "url": "https://example.com/x"}, "a web address"),
    ],
)
async def test_attachments_without_content_are_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str, values: dict[str, Any], words: str
) -> None:
    serve(odoo, b"", **values)
    assert words in str(await refused(make_server(), era, "odoo://attachment/5"))


async def test_the_policy_judges_when_it_is_read(make_server: MakeServer, odoo: FakeOdoo) -> None:
    serve(odoo, PDF)
    for closed in ("res.partner", "ir.attachment"):
        error = await refused(make_server(model_blocklist=closed), "auto", "odoo://attachment/5")
        assert ENCODED not in str(error.error)


async def test_a_picture_by_link(make_server: MakeServer, odoo: FakeOdoo) -> None:
    serve(odoo, b"\x89PNG\r\n\x1a\n" + bytes(100))
    async with Client(make_server()) as client:
        arguments = {"attachment_id": 5, "deliver": "link"}
        _, link = (await client.call_tool("odoo_attachments_get_content", arguments)).content
        _, image = (
            await client.call_tool("odoo_attachments_get_content", {"attachment_id": 5})
        ).content
    assert isinstance(link, ResourceLink)
    assert link.uri == "odoo://attachment/5"
    assert isinstance(image, ImageContent)


# Files that are kept ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    ["odoo://file/x", "odoo://file/", "odoo://file/a/b", "odoo://file/%2e%2e", "odoo://file/x?a=1"],
)
async def test_files_that_are_not_there(make_server: MakeServer, era: str, uri: str) -> None:
    await refused(make_server(), era, uri)


def test_another_user_cannot_read_it(make_server: MakeServer, era: str) -> None:
    """Neither by the link, nor without a name; the same user can, in another request."""
    server = make_server(transport="http", credential_headers=True)
    mine = {USERNAME_HEADER: LOGIN, API_KEY_HEADER: PASSWORD}
    others = {USERNAME_HEADER: "eve", API_KEY_HEADER: "another key"}
    with RunningServer(server) as served:
        made = served.call(era, "odoo_reports_generate", {**PRINT, "deliver": "link"}, **mine)
        uri = made["structuredContent"]["uri"]

        def answer(**headers: str) -> dict[str, Any]:
            found: dict[str, Any] = served.post(
                era, "resources/read", {"uri": uri}, Mcp_Name=uri, **headers
            ).message
            return found

        found = answer(**mine)["result"]["contents"][0]
        eve, unnamed = answer(**others), answer()

    assert base64.b64decode(found["blob"]) == PDF
    for error in (eve, unnamed):
        assert ENCODED not in str(error)
    assert eve["error"]["data"]["code"] == "NOT_FOUND"
    assert unnamed["error"]["data"]["code"] == "ACCESS_DENIED"


class Clock:
    """A clock that is set by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def token(address: str | None) -> str:
    assert address
    return address.removeprefix(files.KEPT)


def test_it_ends_with_its_time() -> None:
    clock = Clock()
    kept = KeptFiles(clock)
    one = token(kept.keep("ann", b"1", None))
    clock.now += files.LIFETIME - 1
    other = token(kept.keep("ann", b"2", None))
    assert kept.get("ann", one)
    clock.now += 1
    assert kept.get("ann", one) is None
    assert kept.get("ann", other)


def test_tokens_are_of_one_owner() -> None:
    kept = KeptFiles()
    mine = token(kept.keep("ann", b"1", None))
    assert kept.get("bob", mine) is None
    assert kept.get(None, mine) is None
    assert len(mine) >= 32


def test_a_user_pushes_out_the_oldest_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 2)
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    kept = KeptFiles()
    bobs = token(kept.keep("bob", b"b", None))
    first, second, third = (token(kept.keep("ann", b"1", None)) for _ in range(3))
    assert [kept.get("ann", one) is None for one in (first, second, third)] == [True, False, False]
    large = token(kept.keep("ann", b"x" * 10, None))
    assert [kept.get("ann", one) is None for one in (second, third, large)] == [True, True, False]
    assert kept.keep("ann", b"x" * 11, None) is None
    assert kept.get("ann", large)
    assert kept.get("bob", bobs)


def test_all_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES_IN_ALL", 10)
    kept = KeptFiles()
    tokens = [token(kept.keep(number, b"four", None)) for number in range(3)]
    assert [kept.get(number, one) is None for number, one in enumerate(tokens)] == [
        True,
        False,
        False,
    ]


async def test_one_that_is_too_large_to_keep_is_embedded(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 5)
    async with Client(make_server()) as client:
        result = await printed(client, deliver="link")
    _, block = result.content
    assert isinstance(block, EmbeddedResource)
    assert "uri" not in result.structured_content
    assert "instead of linked" in result.structured_content["warnings"][0]
