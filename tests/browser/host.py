"""A host of MCP Apps in a browser: two origins on this machine, one of them for the views."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import attrs
from mcp import Client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import CallToolResult, TextResourceContents, Tool
from playwright.async_api import Frame, Page

from tests.kit.tool_lists import whole_list

HOST_PAGE = Path(__file__).parent / "host.html"

#: What the extension says of a view that names no domains.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none';"
    " object-src 'none'; base-uri 'self'"
)

CAPABILITIES = {
    "serverTools": {},
    "serverResources": {},
    "openLinks": {},
    "updateModelContext": {"text": {}, "structuredContent": {}},
}

#: What a client says that shows views.
SHOWS_VIEWS = [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]


@attrs.define(eq=False)
class Origins:
    """The two origins: of the host's page, and of the views.

    Attributes:
        host: the first.
        views: the second; ``documents`` has what is there, by path.
    """

    host: str
    views: str
    documents: dict[str, str]


@contextmanager
def origins() -> Iterator[Origins]:
    """Serve both origins while the block runs."""
    documents: dict[str, str] = {}
    pages = {"/": HOST_PAGE.read_text("utf-8")}
    with _serving(pages, {}) as host, _serving(documents, {"Content-Security-Policy": POLICY}) as v:
        yield Origins(host, v, documents)


@contextmanager
def _serving(pages: Mapping[str, str], headers: Mapping[str, str]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = pages.get(self.path)
            self.send_response(404 if text is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@attrs.define(eq=False)
class Shown:
    """A view in its frame, with what it did.

    Attributes:
        page: of the host.
        frame: of the view.
        result: that it was given first.
        calls: of tools that it made, with their arguments and results.
        complaints: of the browser.
    """

    page: Page
    frame: Frame
    result: CallToolResult
    calls: list[tuple[str, dict[str, Any], CallToolResult]] = attrs.field(factory=list)
    complaints: list[str] = attrs.field(factory=list)

    async def value(self, expression: str) -> Any:
        """Return what the host kept: ``problems``, ``links``, ``told``, ``asked``."""
        return await self.page.evaluate(expression)

    async def text(self) -> str:
        return await self.frame.locator("#view").inner_text()

    async def check(self) -> None:
        """Assert that the view kept to the extension, and the browser to its policy."""
        assert await self.value("problems") == []
        assert self.complaints == []
        wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not await self.frame.evaluate(wider), "the view is wider than its frame"

    async def picture(self, path: Path) -> None:
        await self.page.locator("iframe").screenshot(path=path)


async def show(
    page: Page,
    at: Origins,
    client: Client,
    tool: str,
    arguments: dict[str, Any],
    *,
    result: CallToolResult | None = None,
    theme: str = "light",
    capabilities: Mapping[str, Any] = CAPABILITIES,
) -> Shown:
    """Call a tool as a host does for its model, and show the answer in the tool's view.

    Args:
        page: of the browser, empty.
        at: the two origins.
        client: that shows views.
        tool: to be called.
        arguments: of the call.
        result: to be shown in place of what the tool answers.
        theme: light or dark.
        capabilities: of the host.
    """
    listed = await whole_list(client)
    tools: dict[str, Tool] = {one.name: one for one in listed.tools}
    uri = (tools[tool].meta or {})["ui"]["resourceUri"]
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == APP_MIME_TYPE
    at.documents["/view"] = content.text
    given = result or await client.call_tool(tool, arguments)
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    calls: list[tuple[str, dict[str, Any], CallToolResult]] = []

    async def call_tool(name: str, named: dict[str, Any]) -> Any:
        answered = await client.call_tool(name, named)
        calls.append((name, named, answered))
        return _wire(answered)

    await page.expose_function("callTool", call_tool)
    await page.goto(at.host)
    for_views = [
        name
        for name, one in tools.items()
        if "app" in (one.meta or {}).get("ui", {}).get("visibility", ["model", "app"])
    ]
    context = {"theme": theme, "locale": "en-GB", "timeZone": "Europe/Brussels"}
    settings = {"context": context, "capabilities": dict(capabilities), "tools": for_views}
    await page.evaluate("([url, settings]) => open(url, settings)", [f"{at.views}/view", settings])
    await page.evaluate(
        "([given, result]) => { deliver('ui/notifications/tool-input', { arguments: given });"
        " deliver('ui/notifications/tool-result', result); }",
        [arguments, _wire(given)],
    )
    element = await page.wait_for_selector("iframe")
    frame = await element.content_frame()
    assert frame is not None
    await frame.wait_for_selector("#view > :not(.dim)")
    # The frame takes the height that the view asks for.
    await page.wait_for_function("frame.offsetHeight > 60")
    return Shown(page, frame, given, calls, complaints)


def _wire(result: CallToolResult) -> Any:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)
