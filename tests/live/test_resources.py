"""Resources and subscriptions of real servers, as administrator and as ordinary user, both eras."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client, MCPError

from odoo_toolkit import Odoo, records
from tests.kit.mcp import looking, mcp_server, subscribed
from tests.live.servers import Server, User
from tests.mcp.conftest import anyio_backend, era

pytestmark = pytest.mark.anyio

__all__ = ["anyio_backend", "era"]


@pytest.fixture
def partner(admin: Odoo, suffix: str) -> Iterator[int]:
    """A contact whose name needs encoding."""
    values = {"name": f"Müller & Söhne #{suffix} + 100%", "city": "Köln"}
    made = records.create(admin, "res.partner", values).id
    assert made
    yield made
    if records.read(admin, "res.partner", [made], ["name"]).records:
        records.unlink(admin, "res.partner", [made])


async def read(client: Client, uri: str) -> Any:
    contents, *_ = (await client.read_resource(uri, cache_mode="bypass")).contents
    return json.loads(contents.text)


async def refused(client: Client, uri: str) -> str:
    """Return the code of the error object."""
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    assert caught.value.error.code == -32602
    assert "Traceback" not in json.dumps(caught.value.error.data)
    return str(caught.value.error.data["code"])


@pytest.mark.every_user
@pytest.mark.every_version
async def test_the_system(server: Server, user: User, admin: Odoo, era: str) -> None:
    async with Client(mcp_server(server, user), mode=era) as client:
        info = await read(client, "odoo://system/info")
        modules = await read(client, "odoo://system/modules")
        toolsets = await read(client, "odoo://system/toolsets")
        safety = await read(client, "odoo://config/safety")

    assert info["connection"] == "connected"
    assert info["server_version"] == admin.version.full
    assert info["database"] == server.db
    assert info["user"]["login"] == user.login
    assert info["user"]["company"]["name"]
    found = {module["name"] for module in modules["modules"]}
    assert {"sale", "account", "crm"} <= found
    assert modules["count"] == len(modules["modules"])
    # Without the note the list is complete, and has what no tool is there for.
    assert ("base" in found) is ("note" not in modules)
    if user.login == "admin" or admin.version.major >= 16:
        assert "note" not in modules
    assert toolsets["odoo_version"] == admin.version.full
    assert safety["operation_mode"] == "readonly"


async def test_a_model(server: Server, user: User, admin: Odoo, era: str) -> None:
    """What Odoo's own form says of a sales order, whatever the version."""
    async with Client(mcp_server(server, user), mode=era) as client:
        fields = (await read(client, "odoo://model/sale.order/fields"))["fields"]
        methods = (await read(client, "odoo://model/sale.order/methods"))["methods"]
        states = await read(client, "odoo://model/sale.order/states")

    assert fields["partner_id"]["relation"] == "res.partner"
    assert "access_token" not in fields
    confirm = next(method for method in methods if method["name"] == "action_confirm")
    assert "draft" in confirm["states"]
    assert {"draft", "sent", "sale", "cancel"} <= {state["value"] for state in states["states"]}
    moves = {(move["from"], move["method"], move["to"]) for move in states["transitions"]}
    assert ("draft", "action_confirm", "sale") in moves
    assert "(action_confirm)" in states["mermaid"]


async def test_a_record(server: Server, user: User, admin: Odoo, era: str, partner: int) -> None:
    """Found by id and by domain, archived or not; gone when it is deleted."""
    uri = f"odoo://record/res.partner/{partner}"
    async with Client(mcp_server(server, user), mode=era) as client:
        record = (await read(client, uri))["record"]
        domain = quote(json.dumps([["name", "=", record["name"]]], ensure_ascii=False), safe="")
        found = await read(client, f"odoo://record/res.partner?domain={domain}&limit=5")
        records.write(admin, "res.partner", [partner], {"active": False})
        archived = (await read(client, uri))["record"]
        hidden = await read(client, f"odoo://record/res.partner?domain={domain}&limit=5")
        records.unlink(admin, "res.partner", [partner])
        gone = await refused(client, uri)

    assert record["name"].startswith("Müller & Söhne #")
    assert record["city"] == "Köln"
    assert record["write_date"].endswith("Z")
    assert not any(name.startswith("image") for name in record)
    assert [row["id"] for row in found["records"]] == [partner]
    assert archived["active"] is False
    assert hidden["records"] == []
    assert gone == "NOT_FOUND"


@pytest.mark.parametrize(
    "model",
    ["sale.order", "account.move", "stock.picking", "crm.lead", "project.task", "res.users"],
)
async def test_form_fields_of_business_records_can_be_read(
    server: Server, user: User, era: str, model: str
) -> None:
    """One that may not be read does not spoil the rest."""
    async with Client(mcp_server(server, user), mode=era) as client:
        found = (await read(client, f"odoo://record/{model}?limit=1"))["records"]
        record = (await read(client, f"odoo://record/{model}/{found[0]['id']}"))["record"]

    assert record["id"] == found[0]["id"]
    assert len(record) >= 10
    assert "password" not in record


@pytest.mark.every_user
async def test_what_cannot_be_read(server: Server, user: User, era: str) -> None:
    expected = {
        "odoo://record/ir.config_parameter/1": "MODEL_BLOCKED",
        "odoo://record/res.partner/2147483647": "NOT_FOUND",
        "odoo://record/res.partnr/1": "UNKNOWN_MODEL",
        'odoo://record/res.partner?domain=[["nope","=",1]]': "INVALID_FIELD",
        'odoo://record/res.users?domain=[["password","=","x"]]': "FIELD_BLOCKED",
        "odoo://model/..%2f../fields": "VALIDATION_ERROR",
    }
    if user.login == "demo":
        expected["odoo://record/ir.logging"] = "ACCESS_DENIED"
        expected["odoo://model/ir.logging/methods"] = "ACCESS_DENIED"
    async with Client(mcp_server(server, user), mode=era) as client:
        found = {uri: await refused(client, uri) for uri in expected}

    assert found == expected


async def test_changes_are_told(
    server: Server, user: User, admin: Odoo, era: str, partner: int
) -> None:
    """A write and the deletion, by somebody else; nothing while nothing happens."""
    uri, info = f"odoo://record/res.partner/{partner}", "odoo://system/info"
    served = mcp_server(server, user)
    async with looking(served) as look, subscribed(served, era, uri, info) as told:
        assert await look() == set()
        write_in_another_second(admin, partner)
        assert await look() == {uri}
        assert await told.next() == uri
        assert await look() == set()
        records.unlink(admin, "res.partner", [partner])
        assert await look() == {uri}
        assert await told.next() == uri
        assert await look() == set()


def write_in_another_second(admin: Odoo, partner: int) -> None:
    """Write until Odoo's time of the last change differs: it tells whole seconds."""

    def changed() -> Any:
        return records.read(admin, "res.partner", [partner], ["write_date"])[0]["write_date"]

    before = changed()
    while changed() == before:
        records.write(admin, "res.partner", [partner], {"phone": "1"})
