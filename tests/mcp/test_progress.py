"""Progress and cancellation of work that runs in several threads, and what the audit says then."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from mcp import Client

from odoo_toolkit import progress, records
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.records.results import CountResult
from odoo_toolkit_mcp.bridge import SessionListener, limiter
from odoo_toolkit_mcp.server import OdooServer
from tests.kit.mcp import toolset
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

DONE = CountResult(model="res.partner", domain=[], count=1)

Heard = list[tuple[float, float | None, str | None]]


async def heard_while(server: OdooServer, era: str, tool: str, **arguments: Any) -> Heard:
    """Call a tool and return the progress that was reported."""
    heard: Heard = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async with Client(server, mode=era) as client:
        result = await client.call_tool(tool, arguments, progress_callback=hear)
    assert not result.is_error, result
    return heard


async def cancel_when(
    server: OdooServer, era: str, reached: threading.Event, ended: threading.Event
) -> None:
    """Call the tool, cancel the call when it has reached a point, and wait for its end."""
    async with Client(server, mode=era) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "odoo_test_work", {})
            assert await anyio.to_thread.run_sync(reached.wait, 10)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(ended.wait, 10)


async def test_threads_of_the_library_report(make_server: MakeServer, era: str) -> None:
    """They are not the threads that the server started; the end is always told."""

    def work(odoo: Odoo) -> CountResult:
        steps = progress.Steps(8)
        side_by_side([lambda: steps.finish(1, "one of them") for _ in range(8)])
        return DONE

    server = make_server(mode="full", toolsets=[toolset(work, "create")])
    heard = await heard_while(server, era, "odoo_test_work")

    assert heard[-1] == (8, 8, "one of them")
    assert heard == sorted(heard)


async def test_threads_of_the_library_hear_of_cancellation(
    make_server: MakeServer, era: str
) -> None:
    began, ended = threading.Event(), threading.Event()
    started: list[int] = []
    stopped: list[int] = []

    def step(number: int) -> None:
        started.append(number)
        if len(started) == 4:
            # One that has not begun when the call is cancelled never begins.
            began.set()
        try:
            while not ended.wait(0.005):
                progress.checkpoint()
        except progress.OperationCancelled:
            stopped.append(number)
            raise

    def work(odoo: Odoo) -> CountResult:
        try:
            side_by_side([lambda number=number: step(number) for number in range(4)])
        finally:
            ended.set()
        return DONE

    server = make_server(mode="full", toolsets=[toolset(work, "create")])
    await cancel_when(server, era, began, ended)

    assert sorted(stopped) == [0, 1, 2, 3]


async def test_nothing_more_is_written_once_the_call_is_cancelled(
    make_server: MakeServer, odoo: FakeOdoo, era: str, tmp_path: Path
) -> None:
    """What had been written is in the audit, and that it was stopped; reading goes on."""
    created, cancelled, ended = threading.Event(), threading.Event(), threading.Event()

    def work(odoo: Odoo) -> CountResult:
        try:
            made = records.create(odoo, "res.partner", {"name": "Ann"})
            created.set()
            wait_for_cancellation()
            cancelled.set()
            records.read(odoo, "res.partner", [made.id or 0], ["name"])
            records.write(odoo, "res.partner", [made.id or 0], {"phone": "1"})
        finally:
            ended.set()
        return DONE

    file = tmp_path / "audit.jsonl"
    server = make_server(
        mode="full", toolsets=[toolset(work, "create")], audit=True, audit_file=str(file)
    )
    await cancel_when(server, era, created, ended)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]

    assert cancelled.is_set()
    assert "read" in odoo.methods()
    assert "write" not in odoo.methods()
    assert [line["operation"] for line in lines] == ["create", "cancelled"]
    (change,) = lines[1]["changes"]
    assert change == {
        "model": "res.partner",
        "operation": "create",
        "ids": lines[0]["result_ids"],
        "success": True,
    }
    assert lines[1]["tool"] == "odoo_test_work"
    assert lines[1]["session_id"] == lines[0]["session_id"]
    assert lines[1]["error_code"] == "CANCELLED"
    assert lines[1]["success"] is False


def wait_for_cancellation() -> None:
    """Return when the call has been cancelled."""
    try:
        while not threading.Event().wait(0.005):
            progress.checkpoint()
    except progress.OperationCancelled:
        return


async def test_report_after_the_cancellation_does_no_harm(
    make_server: MakeServer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody hears it; the work goes on to its next step."""
    began, ended = threading.Event(), threading.Event()
    reported: list[bool] = []

    def work(odoo: Odoo) -> CountResult:
        began.set()
        wait_for_cancellation()
        progress.report(1, 1, "late")
        reported.append(True)
        ended.set()
        return DONE

    server = make_server(mode="full", toolsets=[toolset(work, "create")])
    with caplog.at_level(logging.WARNING):
        await cancel_when(server, era, began, ended)

    assert reported == [True]
    assert caplog.text == ""


@pytest.mark.parametrize(("audit_writes", "lines"), [(True, ["cancelled"]), (False, [])])
async def test_nothing_changed_is_told_where_such_tools_are_audited(
    make_server: MakeServer, era: str, tmp_path: Path, audit_writes: bool, lines: list[str]
) -> None:
    began, ended = threading.Event(), threading.Event()

    def work(odoo: Odoo) -> CountResult:
        began.set()
        wait_for_cancellation()
        ended.set()
        progress.checkpoint()
        return DONE

    file = tmp_path / "audit.jsonl"
    server = make_server(
        mode="full",
        toolsets=[toolset(work, "create")],
        audit=True,
        audit_file=str(file),
        audit_writes=audit_writes,
    )
    await cancel_when(server, era, began, ended)

    written = file.read_text("utf-8").splitlines()
    assert [json.loads(line)["operation"] for line in written] == lines


async def test_deep_search_reports_each_level(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """And its models in a search of all of them, up to the end."""
    odoo.answers["res.partner", "search_read"] = lambda args, kwargs: []
    one = await heard_while(
        make_server(), era, "odoo_core_deep_search", query="zzz", model="res.partner"
    )
    everything = await heard_while(make_server(), era, "odoo_core_deep_search", query="zzz")

    assert one[0] == (1, 3, "Searched res.partner, level 1 of 3")
    assert one[-1][:2] == (3, 3)
    done, total, _ = everything[-1]
    assert done == total
    assert total is not None
    assert total > 5


async def test_deep_search_of_all_models_can_be_cancelled(
    make_server: MakeServer, odoo: FakeOdoo, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search of each model stops before its next level."""
    asked, heard = threading.Event(), threading.Event()
    cancel = SessionListener.cancel

    def hear(listener: SessionListener) -> None:
        cancel(listener)
        heard.set()

    def answer(args: list[Any], kwargs: dict[str, Any]) -> Any:
        asked.set()
        heard.wait(120)
        return []

    monkeypatch.setattr(SessionListener, "cancel", hear)
    odoo.answers["res.partner", "search_read"] = answer
    async with Client(make_server(), mode=era) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "odoo_core_deep_search", {"query": "zzz"})
        assert await anyio.to_thread.run_sync(asked.wait, 10)
        tasks.cancel_scope.cancel()

    assert odoo.methods().count("search_read") == 1


# Beside the event loop ----------------------------------------------------------------------------


Serve = Callable[[Callable[[Odoo], CountResult]], OdooServer]


@pytest.fixture
def serve(make_server: MakeServer) -> Serve:
    """Makes a server with one tool, odoo_test_work."""

    return lambda function: make_server(toolsets=[toolset(function)])


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
