"""Each resource, from the client's request to what reaches Odoo and back, in both eras."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client, MCPError

from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.untrusted import MESSAGE_NOTICE
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import PASSWORD, FakeOdoo

pytestmark = pytest.mark.anyio

FORM = """
<form>
  <header>
    <button name="action_archive" type="object" string="Archive" confirm="Sure?"/>
  </header>
  <field name="name"/><field name="email"/><field name="parent_id"/><field name="image_128"/>
  <field name="comment"/><field name="child_ids"/><field name="message_ids"/>
</form>
"""
ME = {"id": 2, "name": "Ann", "login": "ann", "company_id": [1, "Acme"], "lang": "en_US"}


@pytest.fixture(autouse=True)
def answers(odoo: FakeOdoo) -> None:
    """What the resources ask for besides what the tools do."""
    odoo.answers |= {
        ("res.partner", "fields_view_get"): lambda args, kwargs: {"arch": FORM},
        ("res.users", "read"): lambda args, kwargs: [{**ME, "tz": False}],
        ("ir.module.module", "search_read"): lambda args, kwargs: [
            {
                "id": 1,
                "name": "sale",
                "state": "installed",
                "shortdesc": "Sales",
                "latest_version": "14.0.1.1",
            }
        ],
    }


async def read(server: OdooServer, era: str, uri: str) -> Any:
    """Return what a resource has, read by a client of its own."""
    async with Client(server, mode=era) as client:
        contents, *_ = (await client.read_resource(uri)).contents
    assert contents.uri == uri
    assert contents.mime_type == "application/json"
    return json.loads(contents.text)


async def refused(server: OdooServer, era: str, uri: str) -> tuple[int, dict[str, Any]]:
    """Return the protocol's code and the error object of a resource that cannot be read."""
    async with Client(server, mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    error = caught.value.error
    assert error.data["uri"] == uri[:500]
    assert error.message.removeprefix(f"{MESSAGE_NOTICE} ") == error.data["message"]
    assert error.data["suggestion"]
    return error.code, error.data


async def test_lists_are_there_without_odoo(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.stop()
    async with Client(make_server(), mode=era) as client:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates

    *resources, _, _, _, _, _ = resources  # the skills
    assert [resource.uri for resource in resources] == [
        "odoo://system/info",
        "odoo://system/modules",
        "odoo://system/toolsets",
        "odoo://config/safety",
    ]
    assert [template.uri_template for template in templates] == [
        "odoo://model/{model}/fields",
        "odoo://model/{model}/methods",
        "odoo://model/{model}/states",
        "odoo://record/{model}/{id}",
        "odoo://record/{model}?domain={domain}&limit={limit}",
        "odoo://attachment/{id}",
    ]
    assert all(item.title and item.description for item in (*resources, *templates))
    assert {item.mime_type for item in (*resources, *templates[:-1])} == {"application/json"}


async def test_system_info_while_odoo_is_down(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """It is told, not refused; and all is well again when Odoo is back."""
    server = make_server()
    odoo.stop()
    down = await read(server, era, "odoo://system/info")
    odoo.start()
    back = await read(server, era, "odoo://system/info")

    assert down["connection"] == "not connected"
    assert down["server_version"] is None
    assert down["url"] == odoo.url
    assert down["error"]["code"] == "CONNECTION_REFUSED"
    assert back["connection"] == "connected"
    assert "error" not in back


async def test_system_info_leaves_out_a_user_that_is_closed(
    make_server: MakeServer, era: str
) -> None:
    server = make_server(model_allowlist="res.partner")

    assert (await read(server, era, "odoo://system/info"))["user"] == {"uid": 2}


async def test_modules_for_a_user_who_may_not_read_the_list(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """On 14 and 15 well-known modules are found by their models, and that is said."""
    del odoo.answers["ir.module.module", "search_read"]
    odoo.answers["crm.lead", "fields_get"] = odoo.answers["res.partner", "fields_get"]
    found = await read(make_server(), era, "odoo://system/modules")

    assert found["modules"] == [{"name": "crm", "state": "installed"}]
    assert found["count"] == 1
    assert "cannot read the list of modules" in found["note"]


async def test_modules_are_closed_by_the_allowlist(make_server: MakeServer, era: str) -> None:
    """The policy's refusal is no reason to look another way."""
    code, error = await refused(
        make_server(model_allowlist="res.partner"), era, "odoo://system/modules"
    )

    assert (code, error["code"]) == (-32602, "MODEL_BLOCKED")


async def test_toolsets_are_those_of_the_tool(make_server: MakeServer, era: str) -> None:
    server = make_server()
    async with Client(server, mode=era) as client:
        told = (await client.call_tool("odoo_core_list_toolsets", {})).structured_content

    assert await read(server, era, "odoo://system/toolsets") == told


async def test_toolsets_without_odoo(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    odoo.stop()
    told = await read(make_server(), era, "odoo://system/toolsets")

    assert told["toolsets"][0]["name"] == "core"
    assert told["connection"] is None


async def test_safety(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    """What may be done is told, no secret is, and Odoo is not asked."""
    server = make_server(
        mode="restricted",
        write_allowlist="res.partner",
        field_blocklist="barcode",
        rate_limit=True,
        auth_token="a very secret token 123".replace(" ", "-"),
    )
    safety = await read(server, era, "odoo://config/safety")

    assert safety["operation_mode"] == "restricted"
    assert safety["write_allowlist"] == ["res.partner"]
    assert safety["field_blocklist"] == ["barcode"]
    assert safety["model_allowlist"] == safety["model_blocklist"] == []
    assert "ir.cron" in safety["always"]["blocked_models"]
    assert safety["rate_limit"]["calls_per_minute"] == 60
    assert safety["limits"]["subscription_interval_seconds"] == 60
    assert "secret" not in json.dumps(safety["rate_limit"]) + json.dumps(safety["limits"])
    assert PASSWORD not in json.dumps(safety)
    assert "a-very-secret-token" not in json.dumps(safety)
    assert odoo.calls == []


async def test_fields(make_server: MakeServer, era: str) -> None:
    """As the tool tells them; what is blocked is not there."""
    server = make_server(field_blocklist="email")
    async with Client(server, mode=era) as client:
        call = await client.call_tool("odoo_core_fields_get", {"model": "res.partner"})
    told = await read(server, era, "odoo://model/res.partner/fields")

    assert told == call.structured_content
    assert told["fields"]["country_id"]["relation"] == "res.country"
    assert "email" not in told["fields"]


async def test_record_has_what_its_form_shows(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """In the shape of the tools; neither binary fields nor what surrounds the record."""
    told = await read(make_server(), era, "odoo://record/res.partner/1")

    assert (told["model"], told["id"]) == ("res.partner", 1)
    record = told["record"]
    assert record["name"] == "My Company (San Francisco)"
    assert record["country_id"] == {"id": 233, "name": "United States"}
    assert record["write_date"].endswith("Z")
    assert "child_ids" in record
    assert not {"image_128", "message_ids", "color"} & record.keys()
    (asked,) = [kwargs for _, method, _, kwargs in odoo.calls if method == "read"]
    assert "image_128" not in str(asked)


async def test_record_of_a_model_without_a_form(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """What is stored is shown then."""
    del odoo.answers["res.partner", "fields_view_get"]
    record = (await read(make_server(), era, "odoo://record/res.partner/1"))["record"]

    assert "color" in record
    assert "image_128" not in record


async def test_blocked_field_is_in_no_record(make_server: MakeServer, era: str) -> None:
    server = make_server(field_blocklist="email")

    assert "email" not in (await read(server, era, "odoo://record/res.partner/1"))["record"]
    found = await read(server, era, "odoo://record/res.partner?limit=1")
    assert "email" not in found["records"][0]


async def test_records_that_match(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    uri = 'odoo://record/res.partner?domain=[["is_company","=",true]]&limit=2'
    found = await read(make_server(), era, uri)

    assert [record["id"] for record in found["records"]] == [1, 9]
    assert found["has_more"] is True
    assert found["records"][0]["country_id"] == {"id": 233, "name": "United States"}
    (call,) = [call for call in odoo.calls if call[1] == "search_read"]
    assert [["is_company", "=", True]] in (*call[2], *call[3].values())
    assert 2 in (*call[2], *call[3].values())


async def test_twenty_records_unless_told(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    await read(make_server(), era, "odoo://record/res.partner")

    (call,) = [call for call in odoo.calls if call[1] == "search_read"]
    assert 20 in (*call[2], *call[3].values())


async def test_search_max_limit_holds_for_lists(make_server: MakeServer, era: str) -> None:
    server = make_server(search_limit=2, search_max_limit=2)
    found = await read(server, era, "odoo://record/res.partner?limit=100")

    assert len(found["records"]) == 2
    assert "reduced to 2" in found["warnings"][0]


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("odoo://model/..%2f../fields", "VALIDATION_ERROR"),
        ("odoo://system/secrets", "VALIDATION_ERROR"),
        ("file:///etc/passwd", "VALIDATION_ERROR"),
        ("odoo://record/res.partner?domain=name", "INVALID_DOMAIN"),
        ("odoo://record/res.partner?limit=0", "VALIDATION_ERROR"),
        ("odoo://record/res.partner?limit=101", "VALIDATION_ERROR"),
        ("odoo://record/res.partner?limit=x", "VALIDATION_ERROR"),
        ("odoo://record/res.partner/999", "NOT_FOUND"),
        ('odoo://record/res.partner?domain=[["nope","=",1]]', "INVALID_FIELD"),
        ('odoo://record/res.partner?domain=[["name","equals","x"]]', "INVALID_DOMAIN"),
        ("odoo://record/res.partner?domain=[1]", "INVALID_DOMAIN"),
        ("odoo://record/ir.cron/1", "MODEL_BLOCKED"),
        ("odoo://record/ir.cron", "MODEL_BLOCKED"),
        ("odoo://model/ir.cron/fields", "MODEL_BLOCKED"),
        ("odoo://model/ir.cron/methods", "MODEL_BLOCKED"),
        ("odoo://model/ir.cron/states", "MODEL_BLOCKED"),
        ("odoo://record/res.users/1", "ACCESS_DENIED"),
        ("odoo://record/res.users", "ACCESS_DENIED"),
        ("odoo://model/res.users/fields", "ACCESS_DENIED"),
        ("odoo://model/res.users/methods", "ACCESS_DENIED"),
    ],
)
async def test_what_cannot_be_read_is_an_error(
    make_server: MakeServer, odoo: FakeOdoo, era: str, uri: str, code: str
) -> None:
    """Never an empty answer; the model ir.cron is there, but closed."""
    odoo.answers["ir.cron", "fields_get"] = odoo.answers["res.partner", "fields_get"]

    number, error = await refused(make_server(), era, uri)

    assert (number, error["code"]) == (-32602, code)
    assert code != "MODEL_BLOCKED" or odoo.methods() == []


async def test_odoo_that_is_down_is_an_error(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Asking for something else would not help; the server goes on."""
    server = make_server()
    odoo.stop()
    code, error = await refused(server, era, "odoo://record/res.partner/1")
    odoo.start()

    assert (code, error["code"]) == (-32603, "CONNECTION_REFUSED")
    assert (await read(server, era, "odoo://record/res.partner/1"))["id"] == 1


async def test_reading_counts_as_a_call(make_server: MakeServer, era: str) -> None:
    """Resources are no way around the rate limit."""
    server = make_server(rate_limit=True, rate_limit_burst=2)
    await read(server, era, "odoo://config/safety")
    await read(server, era, "odoo://record/res.partner/1")

    for uri in ("odoo://config/safety", "odoo://record/res.partner/1"):
        assert (await refused(server, era, uri))[1]["code"] == "RATE_LIMITED"


async def test_unforeseen_exception_keeps_its_text(
    make_server: MakeServer, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from odoo_toolkit_mcp.resources import readers

    def explode(odoo: Any, uri: Any) -> Any:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr(readers, "one", explode)
    code, error = await refused(make_server(), era, "odoo://record/res.partner/1")

    assert (code, error["code"]) == (-32603, "UNKNOWN_ERROR")
    assert "swordfish" not in json.dumps(error)
