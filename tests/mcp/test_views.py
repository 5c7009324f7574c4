"""Views: who is offered them, and what a person confirms in one is what was shown, once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import TextResourceContents

from odoo_toolkit import CreateResult, Odoo, Plan, connect, create, search_read
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.plans import PlannedCall, PlannedDocument
from odoo_toolkit_mcp.sealing import LIFETIME, Sealing
from odoo_toolkit_mcp.views import sealed, serving
from odoo_toolkit_mcp.views.serving import CALL, CONFIRM, META, VIEWS
from tests.kit.mcp import BookingToolset, changes, headers_of, mcp_server, meta, toolset, viewer
from tests.live.conftest import server, suffix
from tests.live.servers import Server, User, credentials
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo
from tests.mcp.http_server import RunningServer

pytestmark = pytest.mark.anyio

__all__ = ["server", "suffix"]

WRITE = {"model": "res.partner", "ids": [9], "values": {"name": "Wood & Co"}}


async def planned(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the confirmation of what a plan shows."""
    result = await client.call_tool(
        CALL, {"tool": tool, "arguments": {**arguments, "dry_run": True}}
    )
    assert not result.is_error, result.structured_content
    shown = meta(result)
    return {"tool": shown["tool"], "arguments": shown["confirms"], "seal": shown["seal"]}


async def refused(client: Client, confirmation: dict[str, Any]) -> str:
    result = await client.call_tool(CONFIRM, confirmation)
    assert result.is_error, result.structured_content
    assert "Nothing was done." in result.structured_content["message"]
    return str(result.structured_content["message"])


def order(odoo: Odoo, *, quiet: bool = False, dry_run: bool = False) -> CreateResult | Plan:
    """Plan the archiving of a contact, with a document or without one."""
    call = PlannedCall(model="res.partner", method="action_archive", ids=[9], arguments={})
    shown = [PlannedDocument(model="res.partner", id=9, name="Wood")]
    documents = [] if quiet else shown
    return Plan(dry_run=True, message="Archive Wood.", calls=[call], documents=documents)


async def test_the_calls_of_a_plan_with_documents_are_for_people(
    make_server: MakeServer, era: str
) -> None:
    """A model reads the documents; the view shows, and the seal is of, the calls as well."""
    server = make_server(mode="full", toolsets=[toolset(order, "write", "odoo_test_order")])
    async with viewer(server, era) as client:
        told = await client.call_tool("odoo_test_order", {"dry_run": True})
        by_view = await client.call_tool(
            CALL, {"tool": "odoo_test_order", "arguments": {"dry_run": True}}
        )
        quiet = await client.call_tool("odoo_test_order", {"dry_run": True, "quiet": True})

    data = told.structured_content or {}
    assert (data["documents"][0]["name"], "calls" in data) == ("Wood", False)
    assert meta(told)["whole"]["calls"][0]["method"] == "action_archive"
    assert "seal" in meta(told)
    assert (by_view.structured_content or {})["calls"] == meta(told)["whole"]["calls"]
    assert (quiet.structured_content or {})["calls"][0]["ids"] == [9]


# Who is offered them ----------------------------------------------------------------------------


async def test_a_client_without_views_sees_no_difference(make_server: MakeServer, era: str) -> None:
    server = make_server(mode="full")
    async with Client(server, mode=era) as plain, viewer(server, era) as with_views:
        without = (await plain.list_tools()).tools
        there = (await with_views.list_tools()).tools
        answer = await plain.call_tool("odoo_core_write", {**WRITE, "dry_run": True})

    assert [tool.name for tool in there] == [*[tool.name for tool in without], CALL, CONFIRM]
    assert [tool.model_copy(update={"meta": None}) for tool in there[:-2]] == without
    assert META not in (answer.meta or {})
    uris = {tool.name: (tool.meta or {}).get("ui", {}).get("resourceUri") for tool in there}
    assert uris["odoo_core_write"] == "ui://odoo-toolkit/review.html"
    assert uris["odoo_core_search_read"] == "ui://odoo-toolkit/table.html"
    assert uris["odoo_core_aggregate"] == "ui://odoo-toolkit/chart.html"
    assert uris["odoo_core_count"] is None
    assert all((tool.meta or {})["ui"] == {"visibility": ["app"]} for tool in there[-2:])


@pytest.mark.parametrize("tool", [CALL, CONFIRM])
async def test_a_client_without_views_cannot_call_their_tools(
    make_server: MakeServer, odoo: FakeOdoo, era: str, tool: str
) -> None:
    arguments = {"tool": "odoo_core_write", "arguments": WRITE, "seal": "v1.x"}
    async with Client(make_server(mode="full"), mode=era) as client:
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool(tool, arguments)

    assert changes(odoo) == []


@pytest.mark.parametrize("view", VIEWS)
async def test_a_view_is_one_document_that_loads_nothing(
    make_server: MakeServer, era: str, view: str
) -> None:
    async with viewer(make_server(), era) as client:
        (content,) = (await client.read_resource(f"ui://odoo-toolkit/{view}.html")).contents

    assert isinstance(content, TextResourceContents)
    assert content.mime_type == "text/html;profile=mcp-app"
    assert content.meta == {"ui": {"prefersBorder": True}}
    assert content.text.startswith("<!doctype html>")
    assert "default-src 'none'" in content.text
    assert "unsafe" not in content.text
    for dangerous in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        assert dangerous not in content.text
    without_namespace = content.text.replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?://\w|fetch\(|XMLHttp|import\(|src=\"|<link", without_namespace)
    assert content.text.count("<script>") == content.text.count("</script>") == 2


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_no_name_of_the_shared_script(view: str) -> None:
    """The second declaration of a name would keep the whole script from running."""
    declared = re.compile(r"^(?:async )?(?:const|let|function) (\w+)", re.MULTILINE)
    folder = Path(serving.__file__).parent / "static"
    of_view, shared = (
        set(declared.findall((folder / f"{name}.js").read_text("utf-8")))
        for name in (view, "shared")
    )
    assert of_view & shared == set()


def test_a_page_is_no_wider_than_its_words() -> None:
    """Columns stay below each other; words of some PDFs have tabs between them."""
    page = "          Azure\tInterior\nUnit\tPrice          Total\n\n  5.00               9.50"
    narrow = "          Azure Interior\nUnit Price          Total\n\n  5.00               9.50"
    assert serving._narrowed(page) == narrow
    far = "Quantity                    Total\n5.00                         9.50"
    assert serving._narrowed(far) == "Quantity  Total\n5.00       9.50"
    assert serving._narrowed("") == ""


async def test_there_is_no_other_view(make_server: MakeServer, era: str) -> None:
    async with viewer(make_server(), era) as client:
        for uri in ("ui://odoo-toolkit/shared.html", "ui://odoo-toolkit/../serving.html"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


# What a person confirms -------------------------------------------------------------------------


async def test_what_was_shown_is_done_once(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        confirmation = await planned(client, "odoo_core_write", WRITE)
        assert changes(odoo) == []
        result = await client.call_tool(CONFIRM, confirmation)
        again = await refused(client, confirmation)

    assert not result.is_error, result.structured_content
    assert odoo.records[9]["name"] == "Wood & Co"
    assert changes(odoo) == ["write"]
    assert "confirmed before" in again


async def test_a_plan_of_the_model_can_be_confirmed_as_well(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        shown = meta(await client.call_tool("odoo_core_write", {**WRITE, "dry_run": True}))
        confirmation = {"tool": "odoo_core_write", "arguments": WRITE, "seal": shown["seal"]}
        result = await client.call_tool(CONFIRM, confirmation)

    assert not result.is_error
    assert shown["schema"]["properties"]["values"]
    assert shown["link"] == f"{odoo.url}/web#id={{id}}&model={{model}}&view_type=form"


ALTERED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "another value": lambda c: {**c, "arguments": {**WRITE, "values": {"name": "Mine"}}},
    "another record": lambda c: {**c, "arguments": {**WRITE, "ids": [10]}},
    "more arguments": lambda c: {**c, "arguments": {**WRITE, "context": {"lang": "de_DE"}}},
    "another tool": lambda c: {**c, "tool": "odoo_core_create"},
    "a letter of the seal": lambda c: {**c, "seal": c["seal"][:-5] + "AAAAA"},
    "no seal": lambda c: {**c, "seal": ""},
    "a number": lambda c: {**c, "seal": "12"},
}


@pytest.mark.parametrize("what", ALTERED)
async def test_what_was_altered_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str, what: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        confirmation = ALTERED[what](await planned(client, "odoo_core_write", WRITE))
        if what == "another tool":
            confirmation["arguments"] = {"model": "res.partner", "values": {"name": "x"}}
        await refused(client, confirmation)

    assert changes(odoo) == []


async def test_a_plan_cannot_be_confirmed_as_a_plan(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        confirmation = await planned(client, "odoo_core_write", WRITE)
        confirmation["arguments"] = {**WRITE, "dry_run": False}
        await refused(client, confirmation)

    assert changes(odoo) == []


async def test_a_confirmation_of_another_server_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as one:
        confirmation = await planned(one, "odoo_core_write", WRITE)
    async with viewer(make_server(mode="full"), era) as other:
        assert "not of this server" in await refused(other, confirmation)

    assert changes(odoo) == []


async def test_a_confirmation_of_another_user_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make_server(mode="full")
    async with viewer(server, era) as client:
        confirmation = await planned(client, "odoo_core_write", WRITE)
        monkeypatch.setattr(server._views, "who", lambda ctx, odoo: "somebody else")
        assert "another user" in await refused(client, confirmation)

    assert changes(odoo) == []


async def test_a_record_that_changed_is_refused_with_what_changed(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        confirmation = await planned(client, "odoo_core_write", WRITE)
        odoo.records[9]["color"] = 7
        message = await refused(client, confirmation)
        again = await refused(client, confirmation)

    assert message.startswith("Since this was shown, res.partner 9 (Color Index) changed.")
    assert "confirmed before" in again
    assert changes(odoo) == []


async def test_a_record_that_is_gone_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        confirmation = await planned(
            client, "odoo_core_unlink", {"model": "res.partner", "ids": [9]}
        )
        del odoo.records[9]
        result = await client.call_tool(CONFIRM, confirmation)

    assert result.is_error
    assert changes(odoo) == []


async def test_a_view_changes_nothing_that_it_has_not_shown(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        for dry_run in ({}, {"dry_run": False}):
            arguments = {"tool": "odoo_core_write", "arguments": {**WRITE, **dry_run}}
            result = await client.call_tool(CALL, arguments)
            assert result.is_error
        read = await client.call_tool(
            CALL, {"tool": "odoo_core_read", "arguments": {"model": "res.partner", "ids": [9]}}
        )

    assert not read.is_error
    assert changes(odoo) == []


@pytest.mark.parametrize("mode", ["readonly", "restricted"])
async def test_what_the_mode_forbids_is_not_sealed(
    make_server: MakeServer, era: str, mode: str
) -> None:
    async with viewer(make_server(mode=mode), era) as client:
        arguments = {**WRITE, "dry_run": True}
        result = await client.call_tool(CALL, {"tool": "odoo_core_write", "arguments": arguments})

    assert "seal" not in meta(result)
    assert result.structured_content["needs"]


async def test_what_is_deleted_is_asked_about_in_the_view(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Also of a client that cannot be asked otherwise, and where that is required."""
    delete = {"model": "res.partner", "ids": [9, 10]}
    async with viewer(make_server(mode="full", confirm="always"), era) as client:
        confirmation = await planned(client, "odoo_core_unlink", delete)
        asked = await client.call_tool(CONFIRM, confirmation)
        assert changes(odoo) == []
        assert asked.structured_content["status"] == "confirmation_needed"
        shown = meta(asked)
        yes = {"tool": shown["tool"], "arguments": shown["confirms"], "seal": shown["seal"]}
        done = await client.call_tool(CONFIRM, yes)
        await refused(client, yes)

    assert "Deck Addict" not in asked.structured_content["message"]
    assert "- Wood Corner (id 9)" in asked.structured_content["message"]
    assert not done.is_error, done.structured_content
    assert set(odoo.records) == {1}


async def test_a_name_is_chosen_in_the_view(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.answers["res.partner", "name_search"] = lambda args, kwargs: [[9, "Deco"], [10, "Deco"]]
    odoo.answers["res.partner", "button_cancel"] = lambda args, kwargs: True
    async with viewer(make_server(mode="full", toolsets=[BookingToolset]), era) as client:
        result = await client.call_tool("odoo_booking_cancel", {"partner_name": "Deco"})
        assert result.structured_content["status"] == "disambiguation_needed"
        assert meta(result)["arguments"] == {"partner_name": "Deco"}
        await planned(client, "odoo_booking_cancel", {"partner_id": 9})

    assert changes(odoo) == []


async def test_wrong_arguments_of_a_view(make_server: MakeServer, era: str) -> None:
    async with viewer(make_server(mode="full"), era) as client:
        for wrong in ({}, {"tool": 1, "arguments": {}}, {"tool": "odoo_core_write"}):
            with pytest.raises(MCPError):
                await client.call_tool(CALL, wrong)
        with pytest.raises(MCPError):
            await client.call_tool(CONFIRM, {"tool": "odoo_core_write", "arguments": WRITE})
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool(CALL, {"tool": CONFIRM, "arguments": {}})


def test_what_one_user_was_shown_another_cannot_confirm(server: Server, suffix: str) -> None:
    """Two users of one server, over HTTP, each with the rights to do it."""
    admin, ordinary = server.user("admin"), server.user("demo")
    with connect(**credentials(server, admin)) as odoo:
        found = search_read(odoo, "res.users", [["login", "=", ordinary.login]], ["partner_id"])
        partner = found.records[0]["partner_id"]["id"]
    settings = {"transport": "http", "credential_headers": True, "mode": "full"}
    capabilities = {"extensions": {EXTENSION_ID: {"mimeTypes": [APP_MIME_TYPE]}}}
    shows = {"io.modelcontextprotocol/clientCapabilities": capabilities}

    with RunningServer(mcp_server(server, admin, **settings)) as served:

        def call(user: User, name: str, **arguments: Any) -> Any:
            params = {"name": name, "arguments": arguments, "_meta": shows}
            return served.post("auto", "tools/call", params, **headers_of(user)).message["result"]

        tool = "odoo_core_write"
        written = {"model": "res.partner", "ids": [partner], "values": {"comment": suffix}}
        plan = call(ordinary, CALL, tool=tool, arguments={**written, "dry_run": True})
        assert not plan.get("isError"), plan
        shown = plan["_meta"][META]
        confirmation = {"tool": tool, "arguments": shown["confirms"], "seal": shown["seal"]}
        refusal = call(admin, CONFIRM, **confirmation)
        done = call(ordinary, CONFIRM, **confirmation)

    assert refusal["isError"]
    assert "another user" in refusal["structuredContent"]["message"]
    assert not done.get("isError"), done


async def test_documents_whose_dates_are_the_present_can_be_confirmed(
    server: Server, suffix: str
) -> None:
    """A person takes longer than a moment to look at a plan."""
    admin = server.user("admin")
    with connect(**credentials(server, admin)) as odoo:
        partner = create(odoo, "res.partner", {"name": f"Viewed {suffix}"}).id
        product = create(odoo, "product.product", {"name": f"Chair {suffix}"}).id
        buys = odoo.schema.has_model("purchase.order")
    lines = [{"product_id": product, "quantity": 2, "price_unit": 7.5}]
    made: dict[str, Any] = {}
    async with viewer(mcp_server(server, admin, mode="full", confirm="never"), "auto") as client:

        async def confirmed(tool: str, arguments: dict[str, Any]) -> None:
            confirmation = await planned(client, tool, arguments)
            await anyio.sleep(1.1)
            result = await client.call_tool(CONFIRM, confirmation)
            assert not result.is_error, result.structured_content
            made.update(result.structured_content or {})

        for app in ("sales", "purchase") if buys else ("sales",):
            new = {"partner_id": partner, "lines": lines}
            await confirmed(f"odoo_{app}_create_order", new)
            assert made["amount_untaxed"] == 15.0
            await confirmed(f"odoo_{app}_confirm_order", {"order_id": made["id"]})
            assert made["state"] in ("sale", "purchase")


SHOWN = sealed.Seal(who="me", tool="t", arguments=sealed.digest({}))


def test_a_seal_ends() -> None:
    now = 0.0
    sealing = Sealing(clock=lambda: now)
    first, second = sealed.sealed(sealing, SHOWN), sealed.sealed(sealing, SHOWN)
    assert sealed.unsealed(sealing, first, "me", "t", {}).who == "me"
    now = LIFETIME
    with pytest.raises(ValidationError, match="more than an hour"):
        sealed.unsealed(sealing, second, "me", "t", {})


def test_one_of_many_at_once_counts() -> None:
    """Also while other seals are used: no use of one is forgotten."""
    sealing = Sealing()
    tokens = [sealed.sealed(sealing, SHOWN) for _ in range(50)] * 8

    def used(token: str) -> bool:
        try:
            sealed.unsealed(sealing, token, "me", "t", {})
        except ValidationError:
            return False
        return True

    with ThreadPoolExecutor(16) as threads:
        assert sum(threads.map(used, tokens)) == 50
    assert not any(map(used, tokens))


def test_a_seal_tells_nothing() -> None:
    sealing = Sealing()
    shown = sealed.Seal(who="me", tool="secret_tool", arguments=sealed.digest({"a": 1}))
    first, second = sealed.sealed(sealing, shown), sealed.sealed(sealing, shown)
    assert "secret" not in first
    assert first != second
    assert json.dumps(first)


def test_a_seal_of_another_kind_confirms_nothing() -> None:
    """The ticket of a question is sealed with the same key."""
    sealing = Sealing()
    ticket = sealing.seal("confirmation", {"digest": "abc"})
    with pytest.raises(ValidationError, match="altered"):
        sealed.unsealed(sealing, ticket, "me", "t", {})


def test_a_server_with_the_same_keys_opens_a_seal_and_one_without_does_not() -> None:
    keys = [b"k" * 32]
    token = sealed.sealed(Sealing(keys), SHOWN)
    assert sealed.unsealed(Sealing([b"n" * 32, *keys]), token, "me", "t", {}) == SHOWN
    with pytest.raises(ValidationError, match="not of this server"):
        sealed.unsealed(Sealing([b"n" * 32]), token, "me", "t", {})
