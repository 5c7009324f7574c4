"""Pictures of a team's pages, for docs/team-sign-in.md, from an Odoo with demo data."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

import anyio.to_thread
from playwright.async_api import Browser

from tests.live.servers import Server
from tests.team.harness import OPERATOR_PASSWORD, OAuthClient, RunningTeam, call, instance_of

#: What the pictures are of, that others may call what they like.
_CREATED = {"model": "res.partner", "values": {"name": "Jansen Interiors"}}


async def team_pictures(
    browser: Browser,
    server: Server,
    folder: Path,
    theme: Literal["light", "dark"] = "light",
    width: int = 860,
) -> None:
    """Write the pictures.

    Args:
        browser: in which the pages are opened.
        server: in which one signs in.
        folder: for the pictures.
        theme: light or dark.
        width: of the window.
    """
    with tempfile.TemporaryDirectory() as kept:
        main = instance_of(
            server, title="Production", mode="full", history=str(Path(kept) / "history.sqlite")
        )
        instances = {"main": main, "test": {**main, "title": "Test"}}
        with RunningTeam(Path(kept), instances) as team:
            await _go_round(browser, server, team, folder, theme, width)


async def _go_round(
    browser: Browser,
    server: Server,
    team: RunningTeam,
    folder: Path,
    theme: Literal["light", "dark"],
    width: int,
) -> None:
    context = await browser.new_context(
        viewport={"width": width, "height": 700}, color_scheme=theme
    )
    page = await context.new_page()

    async def picture(name: str) -> None:
        await page.screenshot(path=folder / f"team-{name}.png", full_page=True)

    callback = "https://claude.ai/api/mcp/auth_callback"
    client = await anyio.to_thread.run_sync(OAuthClient, team.url, "Claude", callback)
    query = "&".join(f"{name}={value}" for name, value in client.query().items())
    await page.goto(f"{team.url}/authorize?{query}")
    await page.fill("#login", server.demo_login)
    await picture("sign-in")
    await page.fill("#password", server.demo_password)
    await page.click("button.main")
    await page.wait_for_selector("dl")
    await picture("consent")
    async with page.expect_request(lambda request: request.url.startswith(callback)) as sent:
        await page.click("button.main")
    code = (await sent.value).url.partition("code=")[2].partition("&")[0]
    tokens = await anyio.to_thread.run_sync(client.tokens, code)
    tool = "odoo_core_create"
    await anyio.to_thread.run_sync(call, team.url, tokens.access, tool, _CREATED)
    await page.goto(f"{team.url}/me")
    await page.fill("#login", server.demo_login)
    await page.fill("#password", server.demo_password)
    await page.click("button.main")
    await page.wait_for_selector("table")
    await picture("me")
    await page.goto(f"{team.url}/admin")
    await page.fill("#password", OPERATOR_PASSWORD)
    await page.click("button.main")
    await page.wait_for_selector("table")
    await page.click("details summary")
    await picture("admin")
    await context.close()
