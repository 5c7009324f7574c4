"""The server as a process: standard output, standard error, settings, exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.mcp.fake_odoo import DATABASE, LOGIN, PASSWORD, FakeOdoo
from tests.mcp.stdio_client import SERVER, StdioClient


@pytest.fixture
def environ(odoo: FakeOdoo) -> dict[str, str]:
    return {
        "ODOO_URL": odoo.url,
        "ODOO_DB": DATABASE,
        "ODOO_USERNAME": LOGIN,
        "ODOO_PASSWORD": PASSWORD,
        "ODOO_MCP_RECONNECT_ATTEMPTS": "0",
    }


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SERVER, *arguments], env=environ, capture_output=True, text=True, timeout=120, check=False
    )


def test_three_variables_are_enough(odoo: FakeOdoo) -> None:
    """Address, user and password: the database is asked from the server that has only one."""
    environ = {"ODOO_URL": odoo.url, "ODOO_USERNAME": LOGIN, "ODOO_PASSWORD": PASSWORD}
    with StdioClient(environ) as client:
        assert client.initialize()["result"]["serverInfo"]["name"] == "odoo-toolkit-mcp"
        result = client.call("odoo_core_search_read", model="res.partner", limit=1)

    assert result["structuredContent"]["records"][0]["id"] == 1


@pytest.mark.anyio
async def test_sdk_client_over_stdio(environ: dict[str, str], era: str) -> None:
    """Both eras over real pipes: discover or initialize, list, call, and an error."""
    server = StdioServerParameters(command=SERVER[0], args=list(SERVER[1:]), env=environ)
    async with Client(server, mode=era) as client:
        tools = await client.list_tools()
        found = await client.call_tool("odoo_core_count", {"model": "res.partner"})
        wrong = await client.call_tool("odoo_core_count", {"modle": "res.partner"})

    assert "odoo_core_count" in {tool.name for tool in tools.tools}
    assert found.structured_content["count"] == 3
    assert wrong.is_error


def test_standard_output_carries_only_the_protocol(environ: dict[str, str]) -> None:
    """Each line is a JSON-RPC message, whatever is logged."""
    with StdioClient({**environ, "ODOO_MCP_LOG_LEVEL": "debug"}) as client:
        client.initialize()
        client.request("tools/list")
        client.call("odoo_core_count", model="res.partner")
        client.call("odoo_core_count", model="no.such.model")

    assert client.lines
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)
    assert "odoo_core_count" in client.log


@pytest.mark.parametrize("level", ["debug", "error"])
def test_nothing_secret_is_written_anywhere(environ: dict[str, str], level: str) -> None:
    """Neither password nor traceback in any answer, and no password in the log."""
    environ = {**environ, "ODOO_MCP_LOG_LEVEL": level, "ODOO_MCP_AUDIT": "true"}
    with StdioClient({**environ, "ODOO_MCP_MODE": "full", "ODOO_MCP_AUDIT_READS": "1"}) as client:
        client.initialize()
        client.call("odoo_core_write", model="res.partner", ids=[999], values={"name": "x"})
        client.call("odoo_core_execute", model="res.partner", method="boom", args=[PASSWORD])
        client.call("odoo_core_read", model="res.users", ids=[1], fields=["password"])
    output = "".join(client.lines)

    assert PASSWORD not in output.replace(json.dumps(PASSWORD), "")
    assert "Traceback" not in output
    assert PASSWORD not in client.log


def test_log_is_json_when_asked_for(environ: dict[str, str]) -> None:
    """Each line an object, those of a request with its id; the audit among them."""
    environ = {**environ, "ODOO_MCP_LOG_FORMAT": "json", "ODOO_MCP_LOG_LEVEL": "debug"}
    environ |= {"ODOO_MCP_AUDIT": "true", "ODOO_MCP_AUDIT_READS": "true"}
    with StdioClient(environ) as client:
        client.initialize()
        client.call("odoo_core_count", model="res.partner")
        wrong = client.call("odoo_core_execute", model="res.partner", method="boom")
    entries = [json.loads(line) for line in client.log.splitlines()]

    assert wrong["isError"]
    assert all({"time", "level", "logger", "message"} <= entry.keys() for entry in entries)
    (audit,) = [e for e in entries if e["logger"].endswith("audit") and "count" in e["message"]]
    (failure,) = [e for e in entries if e["logger"].endswith("results")]
    assert audit["request_id"] == json.loads(audit["message"])["request_id"]
    assert failure["request_id"] == audit["request_id"] + 1


def test_all_wrong_settings_are_reported_together() -> None:
    result = run(
        ODOO_URL="ftp://example.com",
        ODOO_TIMEOUT="soon",
        ODOO_MCP_MODE="everything",
        ODOO_MCP_RATE_LIMIT_RPM="0",
        ODOO_MCP_MODEL_ALLOWLIST="res.partner",
        ODOO_MCP_WRITE_ALLOWLIST="sale.order",
    )

    assert result.returncode == 2
    assert result.stdout == ""
    for name in (
        "ODOO_URL",
        "ODOO_TIMEOUT",
        "ODOO_MCP_MODE",
        "ODOO_MCP_RATE_LIMIT_RPM",
        "ODOO_MCP_WRITE_ALLOWLIST",
        "ODOO_API_KEY",
    ):
        assert name in result.stderr


def test_unknown_key_of_the_file_is_a_problem(tmp_path: Path) -> None:
    """A misspelt setting must not be ignored: it may be the one that protects."""
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"odoo_url": "http://localhost", "odoo_mcp_mod": "readonly"}))
    result = run("--config", str(file), ODOO_USERNAME=LOGIN, ODOO_PASSWORD=PASSWORD)

    assert result.returncode == 2
    assert "odoo_mcp_mod " in result.stderr
    assert "Did you mean odoo_mcp_mode?" in result.stderr


def test_unknown_variable_is_a_problem() -> None:
    result = run(ODOO_URL="http://localhost", ODOO_MCP_MODEL_BLOCKLST="hr.employee")

    assert result.returncode == 2
    assert "ODOO_MCP_MODEL_BLOCKLST is not a setting." in result.stderr
    assert "Did you mean ODOO_MCP_MODEL_BLOCKLIST?" in result.stderr


def test_environment_wins_over_the_file(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"odoo_mcp_mode": "full", "odoo_mcp_search_limit": 7}))
    with StdioClient({**environ, "ODOO_MCP_CONFIG": str(file), "ODOO_MCP_MODE": "readonly"}) as c:
        told = c.initialize()["result"]["instructions"]
        tools = c.request("tools/list")["result"]["tools"]

    assert "Mode: readonly." in told
    assert tools[0]["inputSchema"]["properties"]["limit"]["default"] == 7


def test_audit_file_that_cannot_be_written_is_a_problem(environ: dict[str, str]) -> None:
    result = run(
        **environ, ODOO_MCP_AUDIT="true", ODOO_MCP_AUDIT_FILE="/no/such/folder/audit.jsonl"
    )

    assert result.returncode == 2
    assert "ODOO_MCP_AUDIT_FILE" in result.stderr


def test_unknown_toolset_keeps_the_server_from_starting(environ: dict[str, str]) -> None:
    client = StdioClient({**environ, "ODOO_MCP_ENABLED_TOOLSETS": "core,sail"})

    assert client.process.wait(timeout=60) == 2
    client.close()
    assert "'sail'" in client.log


@pytest.mark.parametrize("history", ["off", "auto"])
def test_a_start_warns_of_what_fails_without_a_history(
    environ: dict[str, str], history: str, tmp_path: Path
) -> None:
    approval = {
        "ODOO_MCP_APPROVAL": "sale.order.action_confirm",
        "ODOO_MCP_APPROVERS": "boss",
        "XDG_STATE_HOME": str(tmp_path),
    }
    with StdioClient({**environ, **approval, "ODOO_HISTORY": history}) as client:
        client.initialize()
    warned = "so calls that need an approval fail. To allow these calls, set history to a file."
    assert (warned in client.log) == (history == "off")


def test_a_start_warns_of_a_variable_that_is_misspelled(environ: dict[str, str]) -> None:
    with StdioClient({**environ, "ODOO_HISTRY": "off"}) as client:
        client.initialize()
    assert "ODOO_HISTRY. You may mean ODOO_HISTORY." in client.log


def test_a_list_with_a_name_that_odoo_does_not_have_is_warned_of(
    environ: dict[str, str], odoo: FakeOdoo
) -> None:
    odoo.answers["ir.model.fields", "search_read"] = lambda args, kwargs: (
        [{"id": 1, "name": "email"}] if "=like" in str([args, kwargs]) else []
    )
    with StdioClient({**environ, "ODOO_MCP_FIELD_BLOCKLIST": "emial"}) as client:
        client.initialize()
        client.call("odoo_core_count", model="res.country")
    warned = "ODOO_MCP_FIELD_BLOCKLIST contains 'emial', but no model has such a field."
    assert client.log.count(f"{warned} Did you mean 'email'?") == 1


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_asking_for_help_does_not_import_mcp(option: str) -> None:
    code = (
        "import sys\n"
        "from odoo_toolkit_mcp.cli import main\n"
        "try:\n"
        f"    main([{option!r}])\n"
        "finally:\n"
        "    print('mcp' in sys.modules, file=sys.stderr)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )

    assert result.returncode == 0
    assert result.stdout
    assert result.stderr.splitlines()[-1] == "False"


def test_server_starts_without_what_only_calls_need() -> None:
    """initialize is answered before requests, odoorpc, jsonschema and cattrs are imported."""
    needless = ["requests", "odoorpc", "jsonschema", "cattrs", "odoo_toolkit_mcp.toolsets"]
    code = (
        "import sys\n"
        "from odoo_toolkit.connection.settings import ConnectionSettings\n"
        "from odoo_toolkit_mcp.server import OdooServer\n"
        "from odoo_toolkit_mcp.settings import ServerSettings\n"
        "connection = ConnectionSettings(url='http://localhost', username='a', password='b')\n"
        "OdooServer(connection, ServerSettings()).create_initialization_options()\n"
        f"print([name for name in {needless} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )

    assert result.stdout.strip() == "[]"


#: What each request of 2026-07-28 carries.
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
}

#: line that is no message -> code and id of the answer that is due.
UNREADABLE: dict[bytes, tuple[int, object]] = {
    b"hello": (-32700, None),
    b'{"jsonrpc": "2.0", "id": 7, "method": "tools/list"': (-32700, None),
    b'{"jsonrpc": "2.0", "id": 7, "method": "M\xfcller"}': (-32700, None),
    b"\xff\xfe\x00": (-32700, None),
    b"[" * 100_000: (-32700, None),
    b"x" * 8_000_000: (-32700, None),
    b"5": (-32600, None),
    b"null": (-32600, None),
    b'["junk", 1]': (-32600, None),
    b'[{"jsonrpc": "2.0", "id": 7, "method": "tools/list"}]': (-32600, None),
    b"{}": (-32600, None),
    b'{"jsonrpc": "1.0", "id": 7, "method": "tools/list"}': (-32600, 7),
    b'{"jsonrpc": "2.0", "id": "a", "method": 5}': (-32600, "a"),
    b'{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": [1]}': (-32600, 7),
    b'{"jsonrpc": "2.0", "id": true, "method": 5}': (-32600, None),
    b'{"jsonrpc": "2.0", "id": 7, "result": 3}': (-32600, None),
}


def errors_before(client: StdioClient, answer: dict[str, Any], begin: int) -> list[dict[str, Any]]:
    """Return what the server said without being asked, up to an answer."""
    lines = [json.loads(line) for line in client.lines[begin:]]
    return lines[: lines.index(answer)]


@pytest.mark.parametrize("stateless", [False, True], ids=["2025-11-25", "2026-07-28"])
def test_each_line_that_is_no_message_is_answered(environ: dict[str, str], stateless: bool) -> None:
    """With its error, before what comes after it; the server goes on as if nothing had been."""
    params = ENVELOPE if stateless else None
    with StdioClient(environ) as client:
        if not stateless:
            client.initialize()
        for line, (code, request_id) in UNREADABLE.items():
            begin = len(client.lines)
            client.send_bytes(line + b"\n")
            answer = client.request("tools/list", params)
            (error,) = errors_before(client, answer, begin)

            assert error["jsonrpc"] == "2.0"
            assert error["id"] == request_id, line[:80]
            assert error["error"]["code"] == code, line[:80]
            assert len(error["error"]["message"]) < 300
            assert answer["result"]["tools"]


@pytest.mark.parametrize("stateless", [False, True], ids=["2025-11-25", "2026-07-28"])
def test_client_may_begin_with_what_is_no_message(environ: dict[str, str], stateless: bool) -> None:
    """More of it than the SDK keeps until it knows which protocol the client speaks."""
    with StdioClient(environ) as client:
        client.send_bytes(b"hello\n" * 20)
        answer = client.request("tools/list", ENVELOPE) if stateless else client.initialize()
        errors = errors_before(client, answer, 0)

        assert [error["error"]["code"] for error in errors] == [-32700] * 20
        assert "result" in answer


def test_blank_lines_are_passed_over(environ: dict[str, str]) -> None:
    with StdioClient(environ) as client:
        client.send_bytes(b"\n")
        answer = client.initialize()
        client.send_bytes(b"\r\n  \n\t\n")
        listed = client.request("tools/list")

    assert [json.loads(line) for line in client.lines] == [answer, listed]


def test_line_that_does_not_end_is_answered_at_the_end(environ: dict[str, str]) -> None:
    client = StdioClient(environ)
    client.initialize()
    client.send_bytes(b'{"jsonrpc": "2.0", "id": 9')
    status = client.close()

    assert status == 0
    assert json.loads(client.lines[-1])["error"]["code"] == -32700


def test_what_cannot_be_read_is_not_repeated(environ: dict[str, str]) -> None:
    """Neither to the client nor in the log: it may hold anything."""
    with StdioClient({**environ, "ODOO_MCP_LOG_LEVEL": "debug"}) as client:
        client.initialize()
        client.send_bytes(b"swordfish\n" + b'{"swordfish": "swordfish"}\n')
        client.request("tools/list")

    assert "Standard input: Parse error" in client.log
    assert "swordfish" not in "".join(client.lines) + client.log


def test_server_ends_while_it_still_looks_for_odoo(environ: dict[str, str]) -> None:
    """An Odoo that never answers must not keep the process alive."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        client = StdioClient({**environ, "ODOO_URL": f"http://127.0.0.1:{port}"})
        client.initialize()
        client.send("tools/call", {"name": "odoo_core_count", "arguments": {"model": "x"}}, id=9)
        silent.accept()
        client.process.stdin.close()
        client.process.wait(timeout=10)


def test_write_under_way_is_finished_when_the_input_ends(
    odoo: FakeOdoo, environ: dict[str, str], tmp_path: Path
) -> None:
    """What has been sent to Odoo is waited for, and its audit line is written."""
    import threading

    began, finish = threading.Event(), threading.Event()

    def create(args: list[Any], kwargs: dict[str, Any]) -> Any:
        began.set()
        finish.wait(120)
        return [77]

    odoo.answers["res.partner", "create"] = create
    audit = tmp_path / "audit.jsonl"
    client = StdioClient(
        {
            **environ,
            "ODOO_MCP_MODE": "full",
            "ODOO_MCP_AUDIT": "true",
            "ODOO_MCP_AUDIT_FILE": str(audit),
        }
    )
    client.initialize()
    arguments = {"model": "res.partner", "values": {"name": "Ann"}}
    client.send("tools/call", {"name": "odoo_core_create", "arguments": arguments}, id=9)
    assert began.wait(60)
    client.process.stdin.close()
    finish.set()
    client.process.wait(timeout=60)

    assert json.loads(audit.read_text("utf-8"))["result_ids"] == [77]


def test_messages_come_in_any_pieces(environ: dict[str, str]) -> None:
    """Many in one piece, or one that no pipe holds at once."""
    listing = {"jsonrpc": "2.0", "method": "tools/list", "params": {}}
    long = {"name": "odoo_core_count", "arguments": {"model": "x" * 300_000}}
    with StdioClient(environ) as client:
        client.initialize()
        numbers = range(100, 110)
        lines = [json.dumps({**listing, "id": number}) for number in numbers]
        client.send_bytes("\r\n".join(lines).encode() + b"\r")
        client.send_bytes(b"\n")
        answers = [client.receive(number) for number in numbers]
        refused = client.request("tools/call", long)

    assert all(answer["result"]["tools"] for answer in answers)
    assert refused["result"]["isError"]


def test_lines_are_whole_though_the_client_reads_late(environ: dict[str, str]) -> None:
    """The answers together are longer than any pipe holds."""
    with StdioClient(environ) as client:
        client.initialize()
        for number in range(100, 120):
            client.send("tools/list", id=number)
        assert client.process.stdout is not None
        received = {json.loads(client.process.stdout.readline())["id"] for _ in range(20)}

    assert received == set(range(100, 120))


def test_messages_may_come_from_a_file(environ: dict[str, str], tmp_path: Path) -> None:
    messages = tmp_path / "messages.jsonl"
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    messages.write_text(json.dumps(message), "utf-8")
    with messages.open() as file:
        done = subprocess.run(
            SERVER,
            env=environ,
            stdin=file,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert done.returncode == 0
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "odoo-toolkit-mcp"


def test_client_that_no_longer_reads_is_no_crash(environ: dict[str, str]) -> None:
    client = StdioClient(environ)
    client.initialize()
    client.process.stdout.close()
    client.send("tools/list", id=9)
    client.send_bytes(b"no message\n")
    client.process.stdin.close()

    log = client.process.stderr.read()
    assert client.process.wait(timeout=60) == 0
    assert "Traceback" not in log
