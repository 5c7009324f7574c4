"""The guide for n8n, Make and Zapier: its one request works as printed, and fails as it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from odoo_toolkit.configuration import Secret
from tests.kit.mcp import mcp_server
from tests.live.servers import Server
from tests.mcp.http_server import RunningServer

pytestmark = pytest.mark.every_version

GUIDE = (Path(__file__).parents[2] / "docs/automation.md").read_text("utf-8")
TOKEN = "0123456789abcdef" * 2
HOST = "mcp.example.com"

#: The headers and the body of the guide, and what else it says of the table of tools.
HEADERS = dict(re.findall(r'-H "([\w-]+): (.*)"', GUIDE))
BODY: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)[0])
TOOLS = {
    name: json.loads(given) for name, given in re.findall(r"\| `(odoo_\w+)` \| `(\{.*\})`", GUIDE)
}


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """The address of a server that acts as the administrator."""
    user = server.user("admin")
    settings = {"auth_token": Secret(TOKEN), "mode": "full", "allowed_hosts": (HOST,)}
    with RunningServer(mcp_server(server, user, transport="http", **settings)) as served:
        yield served.url


def send(url: str, name: str = "", arguments: Any = None, **headers: str) -> requests.Response:
    """Send the guide's request, with another tool if one is named."""
    body = json.loads(json.dumps(BODY))
    if name:
        body["params"] |= {"name": name, "arguments": arguments or {}}
    given = {"Authorization": f"Bearer {TOKEN}", "Mcp-Name": body["params"]["name"]}
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return requests.post(url, json=body, headers={**HEADERS, **given, **named}, timeout=240)


def called(answer: requests.Response) -> dict[str, Any]:
    """Return what a call returned, which must have succeeded with JSON."""
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    result = answer.json()["result"]
    assert not result["isError"], result
    told: dict[str, Any] = result["structuredContent"]
    return told


def test_the_request_calls_any_method_of_any_model(url: str) -> None:
    assert any("Azure" in name for _, name in called(send(url))["result"])


def test_the_tools_of_the_table_take_what_it_shows(url: str, suffix: str) -> None:
    assert set(TOOLS) == {
        f"odoo_core_{name}" for name in ("search_read", "create", "write", "execute")
    }
    found = called(send(url, "odoo_core_search_read", TOOLS["odoo_core_search_read"]))
    assert found["limit"] == 80
    given = TOOLS["odoo_core_create"] | {"idempotency_key": suffix}
    first, again = (called(send(url, "odoo_core_create", given)) for _ in range(2))
    assert first["id"] == again["id"]
    changed = TOOLS["odoo_core_write"] | {"ids": [first["id"]]}
    called(send(url, "odoo_core_write", changed))
    method = TOOLS["odoo_core_execute"] | {
        "model": "res.partner",
        "method": "read",
        "args": [[first["id"]], ["phone"]],
    }
    assert called(send(url, "odoo_core_execute", method))["result"][0]["phone"] == "123"
    called(send(url, "odoo_core_unlink", {"model": "res.partner", "ids": [first["id"]]}))


def test_errors_are_those_of_the_table(url: str) -> None:
    wrong = send(url, "odoo_core_execute", {"model": "res.partner", "method": "no_such_method"})
    result = wrong.json()["result"]
    (printed,) = [
        block for block in re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL) if "UNKNOWN" in block
    ]
    assert (wrong.status_code, result["isError"]) == (200, True)
    assert json.loads(printed).items() <= result["structuredContent"].items()
    answers = {
        400: send(url, "odoo_no_such_tool"),
        401: send(url, Authorization="Bearer wrong"),
        406: send(url, Accept="application/json"),
        421: send(url, Host="mcp.example.net"),
    }
    assert {status: answer.status_code for status, answer in answers.items()} == {
        status: status for status in answers
    }
    assert answers[400].json()["error"] == {
        "code": -32602,
        "message": "Unknown tool: odoo_no_such_tool",
    }
    assert answers[401].json()["error"] == "invalid_token"
    assert answers[406].text == ""


def test_without_the_revision_the_answer_is_a_stream(url: str) -> None:
    assert (
        send(url, MCP_Protocol_Version="2025-11-25").headers["Content-Type"] == "text/event-stream"
    )
