"""One server, two Odoo users: what one may see is never given to the other.

Over HTTP each request names its Odoo user, while schema, connections and subscriptions are kept
between requests.
"""

from __future__ import annotations

import base64
import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import attrs
import pytest

from odoo_toolkit import Odoo
from tests.attacks.policies import MARK, Raw, connected, raw
from tests.kit.mcp import headers_of, line_with, mcp_server
from tests.live.conftest import admin, suffix
from tests.live.conftest import server as any_server
from tests.live.servers import Server, ordinary_user
from tests.mcp.conftest import era
from tests.mcp.http_server import RunningServer

pytestmark = pytest.mark.needs_odoo

__all__ = ["admin", "any_server", "era", "raw", "suffix"]

EMPLOYEE, FILE = "hr.employee", "ir.attachment"
USERS = ("admin", "demo")
OF_VIEW = {"res_model": "ir.ui.view", "res_id": 1}


@attrs.frozen
class Only:
    """What the administrator alone may see: a field of an employee, and a file of his own."""

    field: str
    employee: int
    file: int
    name: str


@pytest.fixture(scope="session")
def server(any_server: Server) -> Server:
    """With an internal user without further rights in the place of the demo user."""
    user = ordinary_user(any_server)
    return replace(any_server, demo_login=user.login, demo_password=user.password, demo_api_key="")


@pytest.fixture
def only(server: Server, admin: Odoo, raw: Raw, suffix: str) -> Iterator[Only]:
    with connected(server, "demo") as demo:
        his = demo.schema.fields(EMPLOYEE) if demo.schema.has_model(EMPLOYEE) else {}
    # Not every version closes the same fields to the same groups.
    field = next(
        name
        for name, described in sorted(admin.schema.fields(EMPLOYEE).items())
        if name not in his
        and described.type in ("char", "text")
        and described.store
        and not described.readonly
        and not admin.policy.field_blocked(name)
        and name not in ("barcode", "pin", "ssnid", "identification_id")
    )
    content = base64.b64encode(MARK.encode()).decode()
    with (
        raw.record(EMPLOYEE, {"name": f"Employee {suffix}", field: f"{MARK} {suffix}"}) as employee,
        # Ordinary users do not read views, nor what is attached to one.
        raw.record(FILE, {**OF_VIEW, "name": f"{MARK} file {suffix}", "datas": content}) as file,
    ):
        yield Only(field, employee, file, f"{MARK} file {suffix}")


@pytest.fixture
def served(server: Server) -> Iterator[RunningServer]:
    """A server for both; it serves with the credentials of the request alone."""
    settings: dict[str, Any] = {
        "transport": "http",
        "credential_headers": True,
        "mode": "readonly",
        "subscription_interval": 1,
    }
    with RunningServer(mcp_server(server, server.user("admin"), **settings)) as running:
        yield running


@attrs.frozen
class Client:
    """A user of the server, in one era of the protocol."""

    served: RunningServer
    era: str
    headers: dict[str, str]

    def tool(self, name: str, **arguments: Any) -> str:
        """Return all that a tool tells, refusals too."""
        return json.dumps(self.served.call(self.era, name, arguments, **self.headers))

    def asked(self, method: str, params: dict[str, Any]) -> str:
        """Return all that another request tells."""
        headers = dict(self.headers)
        if self.era == "auto" and "uri" in params:
            headers["Mcp_Name"] = params["uri"]
        return self.served.post(self.era, method, params, **headers).text


def clients(served: RunningServer, era: str, server: Server) -> dict[str, Client]:
    """Return both users."""
    return {role: Client(served, era, headers_of(server.user(role))) for role in USERS}


def questions(only: Only) -> dict[str, Any]:
    """Return what to ask: each tells the administrator something that demo must not know."""
    employee, field = only.employee, only.field
    by_id = [["id", "=", employee]]
    by_value = [*by_id, [field, "ilike", MARK]]
    template = {"type": "ref/resource", "uri": "odoo://record/{model}/{id}"}

    def completed(client: Client) -> str:
        argument = {"name": "id", "value": only.name}
        params = {"ref": template, "argument": argument, "context": {"arguments": {"model": FILE}}}
        values = json.loads(client.asked("completion/complete", params).split("data: ")[-1])
        found = values.get("result", {}).get("completion", {}).get("values", [])
        return MARK if str(only.file) in found else ""

    def resource(uri: str) -> Any:
        return lambda c: c.asked("resources/read", {"uri": uri})

    def tool(name: str, **arguments: Any) -> Any:
        return lambda c: c.tool(name, **arguments)

    def counted(client: Client) -> str:
        answer = client.tool("odoo_core_count", model=EMPLOYEE, domain=by_value)
        return MARK if '"count": 1' in answer else ""

    return {
        "read": tool("odoo_core_read", model=EMPLOYEE, ids=[employee], fields=[field]),
        "read all": tool("odoo_core_read", model=EMPLOYEE, ids=[employee], fields=["*"]),
        "search": tool("odoo_core_search_read", model=EMPLOYEE, domain=by_id, fields=[field]),
        "count by value": counted,
        "execute": tool(
            "odoo_core_execute", model=EMPLOYEE, method="read", args=[[employee], [field]]
        ),
        "execute all": tool("odoo_core_execute", model=EMPLOYEE, method="read", args=[[employee]]),
        "groups": tool(
            "odoo_core_execute",
            model=EMPLOYEE,
            method="read_group",
            args=[by_id, ["id"], [field]],
        ),
        "file": tool("odoo_core_read", model=FILE, ids=[only.file], fields=["name"]),
        "file by name": tool(
            "odoo_core_search_read", model=FILE, domain=[["name", "=", only.name]], fields=["name"]
        ),
        "file's name": tool("odoo_core_name_get", model=FILE, ids=[only.file]),
        "file's content": tool("odoo_attachments_get_content", attachment_id=only.file),
        "name_search": tool(
            "odoo_core_execute", model=FILE, method="name_search", args=[only.name]
        ),
        "deep search": tool("odoo_core_deep_search", query=only.name, model=FILE),
        "record": resource(f"odoo://record/{EMPLOYEE}/{employee}"),
        "records": resource(
            f"odoo://record/{EMPLOYEE}?domain=%5B%5B%22id%22,%22=%22,{employee}%5D%5D"
        ),
        "file's record": resource(f"odoo://record/{FILE}/{only.file}"),
        "completion": completed,
    }


def test_nothing_that_one_user_may_see_is_given_to_the_other(
    served: RunningServer, server: Server, era: str, only: Only
) -> None:
    """Asked by the administrator first, so that whatever is kept is the administrator's."""
    both = clients(served, era, server)
    asked = questions(only)
    told = {name: MARK in ask(both["admin"]) for name, ask in asked.items()}
    # What tells the administrator nothing shows nothing: tools that this server has not.
    assert sum(told.values()) > len(asked) / 2, told
    assert [name for name, ask in asked.items() if _tells(ask(both["demo"]), name, only)] == []


def test_the_same_at_the_same_time(
    served: RunningServer, server: Server, era: str, only: Only
) -> None:
    both = clients(served, era, server)
    asked = {name: questions(only)[name] for name in ("read", "file", "file's record")}
    jobs = [(role, name) for _ in range(5) for name in asked for role in USERS]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda job: asked[job[1]](both[job[0]]), jobs))
    mistaken = [
        job for job, text in zip(jobs, answers, strict=True) if (MARK in text) is (job[0] == "demo")
    ]
    assert mistaken == []


def _tells(answer: str, name: str, only: Only) -> bool:
    """Whether the answer has what was asked for, which is more than the words of the question."""
    if name in ("deep search", "name_search"):
        return f'"id": {only.file},' in answer or f"[{only.file}," in answer
    return MARK in answer


def test_descriptions_are_of_the_user_who_asks(
    served: RunningServer, server: Server, era: str, only: Only
) -> None:
    both = clients(served, era, server)
    for _ in range(2):
        for role in USERS:
            fields = both[role].tool("odoo_core_fields_get", model=EMPLOYEE)
            resource = both[role].asked(
                "resources/read", {"uri": f"odoo://model/{EMPLOYEE}/fields"}
            )
            views = both[role].tool("odoo_core_list_models", filter="ir.ui.view")
            assert [
                f'"{only.field}"' in fields,
                f'\\"{only.field}\\"' in resource,
                '"model": "ir.ui.view"' in views,
            ] == [role == "admin"] * 3, role


def test_a_subscription_is_of_the_user_who_asked_for_it(
    served: RunningServer, server: Server, raw: Raw, only: Only
) -> None:
    """The administrator's does not open the record to demo, who may not subscribe to it."""
    uri = f"odoo://record/{FILE}/{only.file}"
    asked = {"notifications": {"resourceSubscriptions": [uri]}}

    def stamp() -> Any:
        return raw(FILE, "read", [only.file], ["write_date"])[0]["write_date"]

    admins, demos = (headers_of(server.user(role)) for role in USERS)
    connection = served.send("auto", "subscriptions/listen", asked, **admins)
    response: http.client.HTTPResponse = connection.getresponse()
    line_with(response, "acknowledged")

    refused = _beginning(served.send("auto", "subscriptions/listen", asked, **demos))
    read = _beginning(served.send("auto", "resources/read", {"uri": uri}, Mcp_Name=uri, **demos))
    before = stamp()
    while stamp() == before:  # Odoo's stamps have whole seconds
        raw(FILE, "write", [only.file], {"description": "changed"})
    told = line_with(response, "notifications/resources/updated")
    connection.close()

    assert '"error"' in refused
    assert '"error"' in read
    assert MARK not in refused + read
    assert uri in told


def _beginning(connection: http.client.HTTPConnection) -> str:
    """Return the first line of an answer: all of an error, while a stream would not end."""
    response = connection.getresponse()
    lines = (line.decode() for line in iter(response.readline, b""))
    first = next(line for line in lines if line.strip())
    connection.close()
    return first


@pytest.mark.parametrize("role", USERS)
def test_readonly_holds_for_both(
    served: RunningServer, server: Server, era: str, raw: Raw, suffix: str, role: str
) -> None:
    client = clients(served, era, server)[role]
    listed = client.asked("tools/list", {})
    with raw.record("res.partner", {"name": f"Partner {suffix}"}) as partner:
        before = raw("res.partner", "read", [partner], ["name", "active", "write_date"])
        values = {"name": f"{suffix} made"}
        calls: dict[str, dict[str, Any]] = {
            "odoo_core_create": {"model": "res.partner", "values": values},
            "odoo_core_write": {"model": "res.partner", "ids": [partner], "values": values},
            "odoo_core_unlink": {"model": "res.partner", "ids": [partner]},
        }
        executed: dict[str, list[Any]] = {
            "create": [values],
            "write": [[partner], values],
            "unlink": [[partner]],
            "copy": [[partner]],
            "action_archive": [[partner]],
            "toggle_active": [[partner]],
            "name_create": [f"{suffix} made"],
            "load": [["name"], [[f"{suffix} made"]]],
            "export_data": [[partner], ["id"]],
            "web_save": [[partner], values, {}],
            "message_post": [[partner]],
            "onchange": [[partner], values, ["name"], {"name": "1"}],
            "get_views": [[[False, "form"]]],
            "_write": [[partner], values],
        }
        answers = {
            tool: client.asked("tools/call", {"name": tool, "arguments": arguments})
            for tool, arguments in calls.items()
        }
        for method, args in executed.items():
            answers[method] = client.tool(
                "odoo_core_execute", model="res.partner", method=method, args=args
            )
        passed = [name for name, text in answers.items() if not _is_refusal(text)]
        assert passed == []
        assert raw("res.partner", "read", [partner], ["name", "active", "write_date"]) == before
        assert raw("res.partner", "search_count", [["name", "ilike", suffix]]) == 1
        kept = [["model", "=", "res.partner"], ["res_id", "=", partner]]
        assert raw("ir.model.data", "search_count", kept) == 0
    assert '"odoo_core_unlink"' not in listed or "MODE_VIOLATION" in answers["odoo_core_unlink"]


def _is_refusal(text: str) -> bool:
    """Whether an answer is the refusal of a tool that there is, or of one that there is not."""
    refusals = ("MODE_VIOLATION", "METHOD_BLOCKED", "MODEL_BLOCKED", "FIELD_BLOCKED")
    return any(code in text for code in refusals) or '"error"' in text
