"""Plans are confirmed, approved and refused in a real browser, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
import requests
from playwright.async_api import Page

import odoo_toolkit as toolkit
from odoo_toolkit import Connection, connect
from tests.browser.keyboard import check, fill, press
from tests.browser.test_sign_in import Window, odoo_server, opened
from tests.live.servers import Server, credentials
from tests.team.harness import OAuthClient, Person, RunningTeam, call, instance_of

pytestmark = [pytest.mark.anyio, pytest.mark.needs_odoo]

__all__ = ["odoo_server", "opened"]

PAGE = "/me/approvals"

#: A name that would be a page's own, and wider than a telephone.
HOSTILE = f"<h1>Approved</h1><img src=x onerror=alert(1)> {'x' * 30}"


@pytest.fixture
def admin(odoo_server: Server) -> Iterator[Connection]:
    with connect(**credentials(odoo_server, odoo_server.user("admin"))) as connection:
        yield connection


@pytest.fixture
def team(odoo_server: Server, tmp_path: Path) -> Iterator[RunningTeam]:
    """A team in which the demo user approves what deletes contacts."""
    main = instance_of(
        odoo_server,
        title="Production",
        mode="full",
        history=str(tmp_path / "history.sqlite"),
        approval=["res.partner.unlink"],
        approvers=[odoo_server.demo_login],
    )
    with RunningTeam(tmp_path, {"main": main}) as found:
        yield found


async def signed_in(page: Page, team: RunningTeam, login: str, password: str) -> None:
    await page.goto(f"{team.url}{PAGE}")
    await check(page)
    await fill(page, login=login, password=password)
    await press(page, "Sign in")
    await check(page)


async def test_the_whole_path_of_plans_by_keyboard(
    opened: Window, team: RunningTeam, odoo_server: Server, admin: Connection
) -> None:
    page, asker = opened.page, odoo_server.user("admin")
    client = await anyio.to_thread.run_sync(OAuthClient, team.url)
    form = {"login": asker.login, "password": asker.password}
    person = Person(team.url)
    token = (await anyio.to_thread.run_sync(lambda: person.connect(client, **form))).access

    async def delete(model: str, record: int) -> str:
        given = {"model": model, "ids": [record]}
        answer: requests.Response = await anyio.to_thread.run_sync(
            call, team.url, token, "odoo_core_unlink", given
        )
        (code,) = re.findall(r'"code": ?"([A-Z_]+)"', answer.text)[:1] or ["done"]
        return str(code)

    def made(model: str, name: str = HOSTILE) -> int:
        values: dict[str, Any] = {"name": name}
        return toolkit.create(admin, model, values).id

    def left(model: str, record: int) -> int:
        return toolkit.count(admin, model, [["id", "=", record]]).count

    # Another person approves one, and refuses another.
    kept, gone = made("res.partner", "Jansen Interiors"), made("res.partner")
    assert await delete("res.partner", kept) == "APPROVAL_NEEDED"
    assert await delete("res.partner", gone) == "APPROVAL_NEEDED"
    await signed_in(page, team, odoo_server.demo_login, odoo_server.demo_password)
    plans = page.locator("section.plan")
    assert await plans.count() == 2
    # The newest first; what is in it is no part of the page.
    assert "<h1>Approved</h1>" in await plans.nth(0).inner_text()
    assert (await plans.nth(0).inner_text()).startswith(asker.login)
    await press(page, "decision Approve")
    await check(page)
    assert "Approved" in await page.inner_text("h1")
    await press(page, "Continue")
    await check(page)
    assert await plans.count() == 1
    await press(page, "decision Refuse")
    assert "Refused" in await page.inner_text("h1")
    await press(page, "Continue")
    assert "No plan waits for your approval" in await page.inner_text("main")
    assert await delete("res.partner", gone) == "done"
    assert await delete("res.partner", kept) == "ACCESS_DENIED"
    assert (left("res.partner", gone), left("res.partner", kept)) == (0, 1)

    # Who asked confirms what nobody else has to approve.
    label = made("res.partner.category")
    assert await delete("res.partner.category", label) == "CONFIRMATION_NEEDED"
    await page.context.clear_cookies()
    await signed_in(page, team, asker.login, asker.password or "")
    await press(page, "Your connections")
    await check(page)
    assert "1 plan waits for you" in await page.inner_text("main")
    await press(page, "Confirmations and approvals")
    await press(page, "decision Confirm")
    assert "Confirmed" in await page.inner_text("h1")
    assert await delete("res.partner.category", label) == "done"
    assert left("res.partner.category", label) == 0
    assert opened.complaints == []
