"""Clients of the handshake era that do not read keep nobody else waiting."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from odoo_toolkit_mcp.notifications import send_all
from tests.mcp.conftest import MakeServer

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]


class Session:
    """A session that takes notifications, or hangs, or has gone."""

    def __init__(self, hangs: bool = False, gone: bool = False) -> None:
        self.hangs, self.gone = hangs, gone
        self.told = anyio.Event()

    async def send_tool_list_changed(self) -> None:
        if self.gone:
            raise anyio.ClosedResourceError
        if self.hangs:
            await anyio.Event().wait()
        self.told.set()

    async def send_resource_updated(self, uri: str) -> None:
        await self.send_tool_list_changed()


async def test_who_does_not_read_is_given_up_and_named() -> None:
    """So is who has gone; the others are told."""
    sessions = [Session(hangs=True), Session(), Session(gone=True)]

    failed = await send_all((s.send_tool_list_changed for s in sessions), patience=0)

    assert sorted(failed) == [0, 2]
    assert sessions[1].told.is_set()


@pytest.mark.parametrize("count", [1, 100])
async def test_a_changed_list_reaches_who_reads(make_server: MakeServer, count: int) -> None:
    """Whatever number of sessions before him does not."""
    server: Any = make_server()
    server.offered.ensure()
    server.offered.listed = []
    hanging, reading = [Session(hangs=True) for _ in range(count)], Session()
    server._sessions |= dict(enumerate([*hanging, reading]))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server._publish)
        with anyio.fail_after(60):
            await reading.told.wait()
        tasks.cancel_scope.cancel()


async def test_a_session_that_has_gone_is_forgotten(make_server: MakeServer) -> None:
    server: Any = make_server()
    server.offered.ensure()
    server.offered.listed = []
    server._sessions |= {1: Session(gone=True), 2: Session()}

    await server._publish()

    assert list(server._sessions) == [2]


async def test_a_changed_record_reaches_who_reads(make_server: MakeServer) -> None:
    from odoo_toolkit_mcp.resources.serving import _Client

    resources: Any = make_server().resources
    hanging, reading = Session(hangs=True), Session()
    for session in (hanging, reading):
        client: Any = _Client(session)
        client.listens_to["odoo://record/x/1"] = object()
        resources._clients[session] = client

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(resources._tell, "odoo://record/x/1")
        with anyio.fail_after(60):
            await reading.told.wait()
        tasks.cancel_scope.cancel()
