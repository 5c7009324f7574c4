"""What the audit says of a call, and what it must not say."""

from __future__ import annotations

import base64
import datetime
import json
import logging
import stat
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from odoo_toolkit_mcp.audit import AuditLog
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import PASSWORD, FakeOdoo

pytestmark = pytest.mark.anyio

CREATE = ("odoo_core_create", {"model": "res.partner", "values": {"name": "Ann"}})
WRITE = ("odoo_core_write", {"model": "res.partner", "ids": [1], "values": {"phone": "1"}})
UNLINK = ("odoo_core_unlink", {"model": "res.partner", "ids": [9]})
SEARCH = (
    "odoo_core_search_read",
    {"model": "res.partner", "domain": [["is_company", "=", True]], "fields": ["name"]},
)
READ = ("odoo_core_read", {"model": "res.partner", "ids": [1], "fields": ["name"]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


async def lines_of(
    make_server: MakeServer, file: Path, *calls: tuple[str, dict[str, Any]], **settings: Any
) -> list[dict[str, Any]]:
    """Make the calls on a server with audit and return what the audit file has then."""
    server = make_server(mode="full", audit=True, audit_file=str(file), **settings)
    async with Client(server) as client:
        for tool, arguments in calls:
            await client.call_tool(tool, arguments)
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def test_write_is_recorded_with_its_values(make_server: MakeServer, file: Path) -> None:
    (line,) = await lines_of(make_server, file, WRITE)

    when = datetime.datetime.fromisoformat(line.pop("timestamp"))
    assert when.tzinfo is not None
    assert line.pop("session_id")
    assert line.pop("duration_ms") > 0
    assert line == {
        "tool": "odoo_core_write",
        "model": "res.partner",
        "operation": "write",
        "ids": [1],
        "values": {"phone": "1"},
        "result_ids": [],
        "success": True,
        "odoo_uid": 2,
    }


async def test_create_is_recorded_with_the_new_id(make_server: MakeServer, file: Path) -> None:
    (line,) = await lines_of(make_server, file, CREATE)

    assert line["values"] == [{"name": "Ann"}]
    assert line["result_ids"] == [11]


async def test_deletion_is_recorded(make_server: MakeServer, file: Path) -> None:
    (line,) = await lines_of(make_server, file, UNLINK)

    assert (line["operation"], line["ids"], line["success"]) == ("unlink", [9], True)


async def test_deletion_through_execute_is_recorded(make_server: MakeServer, file: Path) -> None:
    """Not the tool decides, but what is done to the data."""
    call = ("odoo_core_execute", {"model": "res.partner", "method": "unlink", "args": [[9]]})
    (line,) = await lines_of(make_server, file, call, audit_writes=False)

    assert (line["tool"], line["operation"], line["ids"]) == ("odoo_core_execute", "unlink", [9])


async def test_reads_are_recorded_only_when_asked_for(make_server: MakeServer, file: Path) -> None:
    assert await lines_of(make_server, file, SEARCH, READ) == []

    search, read = await lines_of(make_server, file, SEARCH, READ, audit_reads=True)
    assert search["domain"] == [["is_company", "=", True]]
    assert search["result_ids"] == [1, 9, 10]
    assert read["ids"] == [1]
    assert read["result_ids"] == [1]


async def test_writes_can_be_left_out(make_server: MakeServer, file: Path) -> None:
    lines = await lines_of(make_server, file, CREATE, WRITE, UNLINK, audit_writes=False)

    assert [line["operation"] for line in lines] == ["unlink"]


async def test_failure_is_recorded(make_server: MakeServer, file: Path) -> None:
    missing = (WRITE[0], {**WRITE[1], "ids": [999]})
    (line,) = await lines_of(make_server, file, missing)

    assert (line["success"], line["error_code"]) == (False, "NOT_FOUND")


async def test_lookups_of_the_toolkit_are_not_recorded(make_server: MakeServer, file: Path) -> None:
    """fields_get is the toolkit's own question, not the model's."""
    (line,) = await lines_of(make_server, file, SEARCH, audit_reads=True)

    assert line["operation"] == "search_read"


async def test_nothing_secret_is_recorded(
    make_server: MakeServer, odoo: FakeOdoo, file: Path
) -> None:
    """No credential of ours, no blocked field's value, no content of files."""
    picture = base64.b64encode(b"x" * 3000).decode()
    odoo.answers["res.partner", "note"] = lambda args, kwargs: True
    calls = [
        (
            "odoo_core_write",
            {**WRITE[1], "values": {"image_128": picture}, "context": {"allow_readonly": True}},
        ),
        ("odoo_core_write", {**WRITE[1], "values": {"password": "swordfish"}}),
        (
            "odoo_core_execute",
            {
                "model": "res.partner",
                "method": "note",
                "args": [{"signup_token": "swordfish"}, [["password", "=", "swordfish"]]],
            },
        ),
        (SEARCH[0], {"model": "res.partner", "domain": [["password", "=", "swordfish"]]}),
    ]
    await lines_of(make_server, file, *calls, audit_reads=True)
    text = file.read_text("utf-8")

    assert "<3000 bytes>" in text
    assert picture[:50] not in text
    assert "swordfish" not in text
    assert PASSWORD not in text


async def test_only_the_owner_may_read_the_file(make_server: MakeServer, file: Path) -> None:
    await lines_of(make_server, file, WRITE)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_lines_are_added_to_the_file(make_server: MakeServer, file: Path) -> None:
    file.write_text('{"earlier": true}\n')

    assert len(await lines_of(make_server, file, WRITE)) == 2


async def test_without_a_file_lines_go_to_the_log(
    make_server: MakeServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the level of the log is: an audit that was asked for is written."""
    monkeypatch.setattr(logging.getLogger("odoo_toolkit_mcp"), "level", logging.ERROR)
    async with Client(make_server(mode="full", audit=True)) as client:
        await client.call_tool(*WRITE)

    (record,) = [r for r in caplog.records if r.name == "odoo_toolkit_mcp.audit"]
    assert json.loads(record.getMessage())["tool"] == "odoo_core_write"


async def test_full_disk_does_not_undo_a_write(
    make_server: MakeServer, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write is done in Odoo; that it could not be recorded goes to the log."""

    def fail(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(AuditLog, "_entry", fail)
    server = make_server(mode="full", audit=True, audit_file=str(file))
    async with Client(server) as client:
        result = await client.call_tool(*WRITE)

    assert not result.is_error
