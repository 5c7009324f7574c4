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

from odoo_toolkit.call import Call
from odoo_toolkit.client import CallEvent
from odoo_toolkit_mcp.audit import AuditLog
from odoo_toolkit_mcp.settings import policy_of
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import PASSWORD, FakeOdoo, FaultError
from tests.mcp.http_server import RunningServer

pytestmark = pytest.mark.anyio

CREATE = ("odoo_core_create", {"model": "res.partner", "values": {"name": "Ann"}})
WRITE = ("odoo_core_write", {"model": "res.partner", "ids": [1], "values": {"phone": "1"}})
UNLINK = ("odoo_core_unlink", {"model": "res.partner", "ids": [9]})
SEARCH = (
    "odoo_core_search_read",
    {"model": "res.partner", "domain": [["is_company", "=", True]], "fields": ["name"]},
)
#: A file that is no longer than a word.
SHORT = base64.b64encode(b"swordfish").decode()
UNLINK_BY_METHOD = "odoo_core_execute"
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

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    when = datetime.datetime.fromisoformat(line.pop("timestamp"))
    assert when.tzinfo is not None
    assert line.pop("session_id")
    assert line.pop("duration_ms") > 0
    assert line.pop("request_id")
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


def test_line_names_the_request_over_http(make_server: MakeServer, file: Path, era: str) -> None:
    """By the client's own id, and by that of the proxy where it looks like one."""
    server = make_server(transport="http", mode="full", audit=True, audit_file=str(file))
    with RunningServer(server) as served:
        served.call(era, *WRITE, X_Request_Id="proxy-42")
        served.call(era, *WRITE, X_Request_Id="no id at all")
        served.call(era, *WRITE)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]

    assert [line.get("http_request_id") for line in lines] == ["proxy-42", None, None]
    assert [line["request_id"] for line in lines] == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "settings", "told"),
    [
        (CREATE, {}, {"values": [{"name": "Ann"}], "result_ids": [11]}),
        # Not the tool decides, but what is done to the data.
        (
            (UNLINK_BY_METHOD, {"model": "res.partner", "method": "unlink", "args": [[9]]}),
            {"audit_writes": False},
            {"tool": UNLINK_BY_METHOD, "operation": "unlink", "ids": [9], "success": True},
        ),
        ((WRITE[0], {**WRITE[1], "ids": [999]}), {}, {"success": False, "error_code": "NOT_FOUND"}),
    ],
    ids=["create", "unlink", "failure"],
)
async def test_each_change_is_recorded(
    make_server: MakeServer,
    file: Path,
    call: tuple[str, dict[str, Any]],
    settings: dict[str, Any],
    told: dict[str, Any],
) -> None:
    """Behind what is there already."""
    file.write_text('{"earlier": true}\n')
    _, line = await lines_of(make_server, file, call, **settings)

    assert told.items() <= line.items()


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


@pytest.mark.parametrize(
    "values",
    [
        {"image_128": SHORT},
        {"child_ids": [[0, 0, {"name": "Child", "image_1920": SHORT}]]},
        {"comment": f'<img src="data:image/png;base64,{SHORT}">'},
        {"comment": "The api_key: swordfish"},
    ],
    ids=["field", "nested", "picture in a text", "key in a text"],
)
async def test_no_file_or_secret_is_recorded_however_short(
    make_server: MakeServer, file: Path, values: dict[str, Any]
) -> None:
    (line,) = await lines_of(make_server, file, execute("res.partner", "write", [1], values))
    text = file.read_text("utf-8")

    assert line["values"].keys() == values.keys()
    assert SHORT not in text
    assert "swordfish" not in text


def execute(model: str, method: str, *args: Any, **kwargs: Any) -> tuple[str, dict[str, Any]]:
    return (
        "odoo_core_execute",
        {"model": model, "method": method, "args": list(args), "kwargs": kwargs},
    )


SECRET = "swordfish"

#: A call that the policy refuses -> names that its line must have.
REFUSED: dict[str, tuple[tuple[str, dict[str, Any]], set[str]]] = {
    "password by position": (
        execute("res.users", "write", [1], {"password": SECRET}),
        {"vals", "password"},
    ),
    "password by name": (
        execute("res.users", "write", [1], vals={"new_password": SECRET, "login": SECRET}),
        {"vals", "new_password", "login"},
    ),
    "two passwords without names": (execute("res.users", "change_password", SECRET, SECRET), set()),
    "parameter": (execute("ir.config_parameter", "set_param", "database.secret", SECRET), set()),
    "parameter by name": (
        execute("ir.config_parameter", "set_param", key="database.secret", value=SECRET),
        {"key", "value"},
    ),
    "password wizard": (
        (
            "odoo_core_create",
            {
                "model": "change.password.wizard",
                "values": {"user_ids": [[0, 0, {"user_id": 2, "new_passwd": SECRET}]]},
            },
        ),
        {"vals_list", "user_ids", "new_passwd"},
    ),
    "nested commands": (
        execute("res.partner", "write", [1], {"user_ids": [[0, 0, {"password": SECRET}]]}),
        {"vals", "user_ids", "password"},
    ),
    "rows of a file": (
        execute("res.partner", "load", ["name", "password"], [["Ann", SECRET], [SECRET, "x"]]),
        {"fields", "data"},
    ),
    "rows of a file, nested": (
        execute("res.users", "load", ["login", "partner_id/name"], [["ann", SECRET]]),
        {"fields", "data"},
    ),
    "context": (
        (
            "odoo_core_execute",
            {
                "model": "res.users",
                "method": "create",
                "args": [{"login": "x"}],
                "context": {"default_password": SECRET},
            },
        ),
        {"vals_list", "login", "default_password"},
    ),
    "domain": (
        (SEARCH[0], {"model": "res.users", "domain": [["password", "=", SECRET]]}),
        {"domain", "password"},
    ),
    "domain of another model": (
        (
            SEARCH[0],
            {
                "model": "res.partner",
                "domain": ["|", ["email", "=", SECRET], ["user_ids.password", "=like", SECRET]],
            },
        ),
        {"domain", "user_ids.password"},
    ),
    "keys that are no names": (
        execute("res.users", "write", [1], {f"password={SECRET}": 1, "x" * 70 + SECRET: 1}),
        {"vals"},
    ),
    "private method": (execute("res.partner", "_write", [1], {"comment": SECRET}), {"comment"}),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_refused_calls_are_recorded_with_names_only(
    make_server: MakeServer, file: Path, case: str
) -> None:
    """Whatever was refused may hold the very secret for which it was."""
    call, names = REFUSED[case]
    lines = await lines_of(make_server, file, call, audit_reads=True)

    assert SECRET not in file.read_text("utf-8")
    (line,) = [line for line in lines if not line["success"]]
    assert line["model"] == call[1]["model"]
    assert line["error_code"]
    assert line["result_ids"] == []
    assert names <= set(line["names"])
    assert not {"values", "arguments", "domain"} & line.keys()


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
async def test_calls_that_the_mode_refuses_are_recorded_with_names_only(
    make_server: MakeServer, file: Path, mode: str
) -> None:
    call = execute("res.partner", "message_post", [1], body=SECRET, partner_ids=[[6, 0, [1]]])
    server = make_server(mode=mode, audit=True, audit_file=str(file))
    async with Client(server) as client:
        result = await client.call_tool(*call)
    (line,) = [json.loads(text) for text in file.read_text("utf-8").splitlines()]

    assert result.is_error
    assert SECRET not in json.dumps(line)
    assert (line["model"], line["operation"]) == ("res.partner", "message_post")
    assert set(line["names"]) == {"body", "partner_ids"}


async def test_what_odoo_refused_for_its_values_is_recorded(
    make_server: MakeServer, odoo: FakeOdoo, file: Path
) -> None:
    """An allowed call that failed in Odoo: somebody may ask what was tried."""

    def refuse(args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise FaultError({"data": {"name": "odoo.exceptions.UserError", "message": "Taken."}})

    odoo.answers["res.partner", "write"] = refuse
    (line,) = await lines_of(make_server, file, WRITE)

    assert (line["error_code"], line["values"]) == ("USER_ERROR", {"phone": "1"})


async def test_calls_on_closed_models_are_recorded_with_names_only(
    make_server: MakeServer, file: Path
) -> None:
    """Whoever made them: also those that the toolkit makes on the way."""
    settings = make_server(mode="full", audit=True, audit_file=str(file), audit_reads=True).settings
    log = AuditLog(settings, policy_of(settings))
    values = {"key": SECRET, "value": SECRET}
    for model in ("ir.config_parameter", "res.partner"):
        call = Call(model=model, method="create", arguments={"vals_list": [values]})
        log.record(CallEvent(call=call, success=True, result=[5], duration_ms=1.0, uid=2))
    log.close()
    closed, opened = [json.loads(line) for line in file.read_text("utf-8").splitlines()]

    assert SECRET not in json.dumps(closed)
    assert closed["names"] == ["vals_list", "key", "value"]
    assert opened["values"] == [values]


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
