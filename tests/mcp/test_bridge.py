"""Long work beside the event loop: progress, cancellation, and no waiting for others."""

from __future__ import annotations

import threading
from collections.abc import Callable

import anyio
import anyio.lowlevel
import pytest
from mcp import Client

from odoo_toolkit import progress
from odoo_toolkit.client import Odoo
from odoo_toolkit.records.results import CountResult
from odoo_toolkit_mcp.bridge import limiter
from odoo_toolkit_mcp.server import OdooServer
from tests.kit.mcp import toolset
from tests.mcp.conftest import MakeServer

pytestmark = pytest.mark.anyio

Serve = Callable[[Callable[[Odoo], CountResult]], OdooServer]


@pytest.fixture
def serve(make_server: MakeServer) -> Serve:
    """Makes a server with one tool, odoo_test_work."""

    return lambda function: make_server(toolsets=[toolset(function)])


DONE = CountResult(model="res.partner", domain=[], count=1)


async def test_progress_reaches_the_client(serve: Serve, era: str) -> None:
    """It grows, comes not too often, and the end is always told."""

    def work(odoo: Odoo) -> CountResult:
        for done in (1, 2, 2, 1, 3, 100):
            progress.report(done, 100, f"step {done}")
        return DONE

    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async with Client(serve(work), mode=era) as client:
        await client.call_tool("odoo_test_work", {}, progress_callback=hear)

    assert heard == [(1, 100, "step 1"), (100, 100, "step 100")]


async def test_cancelled_call_stops_at_its_checkpoint(serve: Serve, era: str) -> None:
    """The worker hears that nobody waits any more."""
    began, stopped = threading.Event(), threading.Event()

    def work(odoo: Odoo) -> CountResult:
        began.set()
        try:
            for _ in range(6000):
                progress.checkpoint()
                threading.Event().wait(0.01)
        except progress.OperationCancelled:
            stopped.set()
            raise
        return DONE

    async with Client(serve(work), mode=era) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "odoo_test_work", {})
            assert await anyio.to_thread.run_sync(began.wait, 60)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(stopped.wait, 60)


async def test_slow_calls_do_not_hold_up_the_list(serve: Serve, era: str) -> None:
    """More calls than there are threads wait for each other, not the protocol for them."""
    release = threading.Event()

    def work(odoo: Odoo) -> CountResult:
        release.wait(120)
        return DONE

    async with Client(serve(work), mode=era) as client, anyio.create_task_group() as calls:
        for _ in range(60):
            calls.start_soon(client.call_tool, "odoo_test_work", {})
        with anyio.fail_after(60):
            listed = await client.list_tools(cache_mode="bypass")
        release.set()

    assert len(listed.tools) == 1


async def test_cancelled_call_that_has_not_begun_never_begins(serve: Serve, era: str) -> None:
    """It was waiting for one of the threads, which all had other calls to make."""
    threads, release, begun = int(limiter().total_tokens), threading.Event(), []

    def work(odoo: Odoo) -> CountResult:
        begun.append(1)
        release.wait(120)
        return DONE

    async with Client(serve(work), mode=era) as client:
        async with anyio.create_task_group() as at_work:
            for _ in range(threads):
                at_work.start_soon(client.call_tool, "odoo_test_work", {})
            await _until(lambda: len(begun) == threads)
            async with anyio.create_task_group() as waiting:
                for _ in range(5):
                    waiting.start_soon(client.call_tool, "odoo_test_work", {})
                await _until(lambda: limiter().statistics().tasks_waiting == 5)
                waiting.cancel_scope.cancel()
            await _until(lambda: limiter().statistics().tasks_waiting == 0)
            release.set()
        await client.call_tool("odoo_test_work", {})

    assert len(begun) == threads + 1


async def _until(so: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not so():
            await anyio.lowlevel.checkpoint()
