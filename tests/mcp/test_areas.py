"""The short list of tools: the same calls, checks, questions and answers as the long one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from odoo_toolkit.errors import ValidationError
from odoo_toolkit_mcp.list_choice import choose
from odoo_toolkit_mcp.settings import MODE_ACCESS
from odoo_toolkit_mcp.tool_groups import NATIVE, OUTPUT_SCHEMA, Area, read_call
from odoo_toolkit_mcp.views.serving import CALL, CONFIRM, META, with_views
from tests.kit.core_calls import CALLS
from tests.kit.mcp import Person, changes, error_of, meta, viewer
from tests.mcp import list_sizes
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import ADMIN, FakeOdoo
from tests.mcp.list_sizes import all_areas
from tests.mcp.texts import data_of

pytestmark = pytest.mark.anyio

#: What a client of the short list may have to load, whatever is installed.
MOST_BYTES = 24_000


def place_of(tool: str) -> tuple[str, str]:
    """Return the area, and the operation in it, of one of the core tools."""
    for name, area in all_areas("full").items():
        if operation := area.operation(tool):
            return name, operation
    raise AssertionError(tool)


@pytest.mark.parametrize("mode", MODE_ACCESS)
def test_the_list_is_short(mode: str) -> None:
    """With views, too, but for the tools that are not for models."""
    table = list_sizes.table(mode)
    _, listed = list_sizes.arranged(mode, choose("areas", ""))
    there = with_views(listed, table.tools, all_areas(mode))
    longest = [tool for tool in there if tool.name not in (CALL, CONFIRM)]

    assert list_sizes.size(list_sizes.as_json(longest)) <= MOST_BYTES


@pytest.mark.parametrize("mode", MODE_ACCESS)
def test_every_tool_can_be_reached_at_one_place(mode: str) -> None:
    tools = list_sizes.table(mode).tools
    in_areas = [tool.name for area in all_areas(mode).values() for tool in area.tools.values()]

    assert sorted([*in_areas, *NATIVE]) == sorted(tools)


@pytest.mark.parametrize("mode", MODE_ACCESS)
def test_hints_of_an_area_are_true_for_each_operation(mode: str) -> None:
    for area in all_areas(mode).values():
        listed = area.listed([tool.name for tool in area.tools.values()])
        hints = listed.annotations
        assert hints is not None
        for tool in area.tools.values():
            own = tool.hints(mode)
            assert own.read_only == hints.read_only_hint, (area.name, tool.name)
            assert hints.destructive_hint or not own.destructive
            assert own.idempotent or not hints.idempotent_hint


@pytest.mark.parametrize("mode", MODE_ACCESS)
def test_manifest_tells_each_operation_in_short(mode: str) -> None:
    areas = all_areas(mode)
    for area in areas.values():
        manifest = area.manifest()
        assert list(manifest["manifest"]) == list(area.tools)
        for operation, line in manifest["manifest"].items():
            told, end, purpose = line.partition(") ")
            assert end
            assert purpose
            assert "\n" not in line
            schema = area.tools[operation].input_schema
            assert all(f"{name}" in told for name in schema["properties"])
            assert all(f"{name}*" in told for name in schema.get("required", ()))
    assert not {"odoo_read_sales", "odoo_change_sales"} - set(areas) or mode == "readonly"


def test_no_answer_contradicts_the_schema_of_areas() -> None:
    own = OUTPUT_SCHEMA["properties"].keys()
    for tool in list_sizes.table("full").tools.values():
        assert not own & tool.output_schema["properties"].keys(), tool.name


async def test_empty_call_lists_the_operations(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with Client(make_server(mode="full", tools="areas"), mode=era) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        calls = len(odoo.calls)
        result = await client.call_tool("odoo_change_records", {})

    assert listed == [*NATIVE, "odoo_read_records", "odoo_change_records"]
    manifest = data_of(result)
    assert manifest == result.structured_content
    assert manifest["manifest"]["create"].startswith("(model*: text, values*: ")
    assert len(odoo.calls) == calls


async def test_operation_alone_is_answered_with_its_schema(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with Client(make_server(mode="full"), mode=era) as client:
        flat = {tool.name: tool for tool in (await client.list_tools()).tools}
    async with Client(make_server(mode="full", tools="areas"), mode=era) as client:
        result = await client.call_tool("odoo_change_records", {"operation": "unlink"})

    told = result.structured_content
    assert told["input_schema"] == flat["odoo_core_unlink"].input_schema
    assert "output_schema" not in told
    assert told["destructive"] is True
    assert "unlink" not in odoo.methods()


async def test_several_operations_are_answered_with_their_schemas(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with Client(make_server(mode="full", tools="areas"), mode=era) as client:
        both = await client.call_tool("odoo_change_records", {"operation": ["unlink", "create"]})
        one = await client.call_tool("odoo_change_records", {"operation": "create"})
        wrong = await client.call_tool("odoo_change_records", {"operation": ["unlink", "creat"]})
        mixed = await client.call_tool(
            "odoo_change_records", {"operation": ["unlink"], "arguments": {"ids": [1]}}
        )

    told = both.structured_content
    assert [item["operation"] for item in told["operations"]] == ["unlink", "create"]
    assert told["operations"][1] == one.structured_content
    assert wrong.is_error
    assert "did you mean create" in str(wrong.structured_content)
    assert mixed.is_error
    assert "unlink" not in odoo.methods()


def test_a_list_may_name_operations_of_all_areas() -> None:
    """Within an answer's size: what is beyond comes as a line."""
    areas = all_areas("full")
    tools = [tool.name for area in areas.values() for tool in area.tools.values()]
    sales = areas["odoo_change_sales"]

    told = asked_of(sales, areas, ["confirm_order", "odoo_purchase_confirm_order", "receive"])
    everything = asked_of(sales, areas, tools)

    owners = [(item["tool"], item["operation"]) for item in told]
    assert owners == [
        ("odoo_change_sales", "confirm_order"),
        ("odoo_change_purchase", "confirm_order"),
        ("odoo_change_purchase", "receive"),
    ]
    assert all("input_schema" in item for item in told)
    assert len(everything) == len(tools)
    assert "input_schema" in everything[0]
    assert everything[-1]["arguments"].startswith("(")
    with pytest.raises(ValidationError, match="has it"):
        asked_of(sales, areas, ["get_order"])


def asked_of(area: Area, areas: Mapping[str, Area], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return what an area tells of several operations."""
    told = read_call(area, areas, {"operation": list(names)})
    assert isinstance(told, dict)
    return list(told["operations"])


@pytest.mark.parametrize("tool", [name for name in CALLS if name not in NATIVE])
async def test_operations_answer_as_their_tools_do(
    make_server: MakeServer, odoo: FakeOdoo, era: str, tool: str
) -> None:
    odoo.who = ADMIN
    arguments, expected = CALLS[tool]
    area, operation = place_of(tool)
    async with Client(make_server(mode="full", tools="areas"), mode=era) as client:
        result = await client.call_tool(area, {"operation": operation, "arguments": arguments})

    assert not result.is_error
    assert expected.items() <= result.structured_content.items()
    assert data_of(result) == result.structured_content


@pytest.mark.parametrize(
    "operation", [{"operations": ["count"]}, {"arguments": {"model": "res.partner"}}]
)
async def test_call_without_an_operation_is_refused(
    make_server: MakeServer, odoo: FakeOdoo, era: str, operation: dict[str, Any]
) -> None:
    async with Client(make_server(tools="areas"), mode=era) as client:
        error = error_of(await client.call_tool("odoo_read_records", operation))

    assert error["message"] == f"Pass an operation, not only {next(iter(operation))}."
    assert error["suggestion"] == "Call odoo_read_records without arguments for its operations."
    assert odoo.calls == []


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"operation": "count", "model": "res.partner"}, "Pass model in arguments"),
        ({"operation": "count", "arguments": []}, "arguments must be an object"),
        ({"operation": "count", "arguments": {}}, "model is missing"),
        ({"operation": "count", "arguments": {"model": "x", "domian": []}}, "did you mean domain?"),
    ],
)
async def test_call_of_the_wrong_shape_is_answered_with_the_schema(
    make_server: MakeServer, odoo: FakeOdoo, era: str, call: dict[str, Any], says: str
) -> None:
    async with Client(make_server(tools="areas"), mode=era) as client:
        error = error_of(await client.call_tool("odoo_read_records", call))

    assert error["code"] == "VALIDATION_ERROR"
    assert says in error["message"]
    assert error["details"]["input_schema"]["required"] == ["model"]
    assert "odoo_read_records" in error["suggestion"]
    assert odoo.calls == []


@pytest.mark.parametrize(
    ("area", "operation", "says"),
    [
        ("odoo_read_records", "coutn", "did you mean count"),
        ("odoo_read_records", "unlink", "odoo_change_records has it"),
        ("odoo_change_records", "odoo_core_count", "odoo_read_records has it"),
        ("odoo_read_records", 7, "must be the name of an operation"),
        ("odoo_read_records", "x" * 9999, "has no operation 'xxx"),
    ],
)
async def test_operation_that_is_not_there_tells_the_nearest(
    make_server: MakeServer, odoo: FakeOdoo, era: str, area: str, operation: Any, says: str
) -> None:
    call = {"operation": operation, "arguments": {"model": "res.partner", "ids": [1]}}
    async with Client(make_server(mode="full", tools="areas"), mode=era) as client:
        error = error_of(await client.call_tool(area, call))

    assert says in error["message"]
    assert len(error["message"]) < 300
    assert error["details"]["operations"]
    assert odoo.methods() == []


async def test_the_person_is_asked_as_before(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.records |= {9: {"id": 9, "display_name": "Deco"}}
    call = {"operation": "unlink", "arguments": {"model": "res.partner", "ids": [9]}}
    person = Person()
    server = make_server(mode="full", tools="areas")
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_change_records", call)

    assert not result.is_error
    assert len(person.asked) == 1
    assert "Deco (id 9)" in person.asked[0]
    assert 9 not in odoo.records


async def test_the_mode_hides_and_plans_as_before(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    arguments = {"model": "res.partner", "ids": [1], "values": {"phone": "1"}}
    plan = {**arguments, "dry_run": True}
    async with Client(make_server(tools="areas"), mode=era) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        results = [
            await client.call_tool("odoo_read_records", {"operation": "write", "arguments": given})
            for given in (arguments, plan)
        ]

    assert "odoo_change_records" not in listed
    assert error_of(results[0])["code"] == "MODE_VIOLATION"
    assert (results[1].structured_content or {})["dry_run"] is True
    assert "write" not in odoo.methods()


async def test_the_rate_limit_counts_the_operation(make_server: MakeServer, era: str) -> None:
    """One that writes counts as a write; so does no list of operations."""
    settings = {"rate_limit": True, "rate_limit_burst": 1, "rate_limit_write_rpm": 1}
    write = {"model": "res.partner", "ids": [1], "values": {"phone": "1"}}
    call = {"operation": "write", "arguments": write}
    server = make_server(mode="full", tools="areas", rate_limit_rpm=6000, **settings)
    async with Client(server, mode=era) as client:
        first = await client.call_tool("odoo_change_records", call)
        again = await client.call_tool("odoo_change_records", call)

    assert not first.is_error
    assert error_of(again)["code"] == "RATE_LIMITED"
    assert server.requests.rate_limits.refused["write"] == 1


async def test_the_audit_has_the_operation(make_server: MakeServer, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    write = {"model": "res.partner", "ids": [1], "values": {"phone": "1"}}
    server = make_server(mode="full", tools="areas", audit=True, audit_file=str(file))
    async with Client(server) as client:
        call = {"operation": "write", "arguments": write}
        await client.call_tool("odoo_change_records", call)

    (line,) = map(json.loads, file.read_text("utf-8").splitlines())
    assert (line["tool"], line["operation"]) == ("odoo_core_write", "write")


def test_metrics_count_the_operation(make_server: MakeServer) -> None:
    server = make_server(tools="areas")
    offered = server.offered
    offered.ensure()

    call = {"operation": "count", "arguments": {"model": "res.partner"}}
    assert offered.called("odoo_read_records", call) == "odoo_core_count"
    assert offered.called("odoo_read_records", {}) == "odoo_read_records"
    assert offered.called("odoo_read_records", {"operation": ["x"]}) == "odoo_read_records"
    assert offered.called("odoo_read_nothing", {}) is None


@pytest.mark.parametrize("mode", MODE_ACCESS)
async def test_instructions_tell_how_to_use_areas(make_server: MakeServer, mode: str) -> None:
    """A readonly server names no tool that changes: there is none."""
    async with Client(make_server(tools="areas", mode=mode), mode="legacy") as client:
        instructions = client.instructions or ""

    assert "odoo_read_<area>" in instructions
    assert ("odoo_change_" in instructions) is (mode != "readonly")
    assert "odoo_core_count" not in instructions
    assert len(instructions) <= 2000


@pytest.mark.parametrize("mode", MODE_ACCESS)
def test_schemas_of_areas_are_schemas(mode: str) -> None:
    for tool in list_sizes.listed(mode, "areas"):
        Draft202012Validator.check_schema(tool["inputSchema"])
        Draft202012Validator.check_schema(tool["outputSchema"])


# Views ------------------------------------------------------------------------------------------


async def test_areas_have_the_views_of_their_operations(make_server: MakeServer, era: str) -> None:
    server = make_server(mode="full", tools="areas")
    async with Client(server, mode=era) as plain, viewer(server, era) as with_them:
        without = (await plain.list_tools()).tools
        there = (await with_them.list_tools()).tools
        call = {"operation": "count", "arguments": {"model": "res.partner"}}
        counted = await with_them.call_tool("odoo_read_records", call)

    assert [tool.model_copy(update={"meta": None}) for tool in there[:-2]] == without
    uris = {tool.name: (tool.meta or {})["ui"].get("resourceUri") for tool in there if tool.meta}
    assert uris["odoo_core_search_read"] == "ui://odoo-toolkit/table.html"
    assert uris["odoo_change_records"] == "ui://odoo-toolkit/area.html"
    assert (uris[CALL], uris[CONFIRM]) == (None, None)
    assert META not in (counted.meta or {})


async def test_the_plan_of_an_operation_is_confirmed_in_its_view(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.records |= {9: {"id": 9, "name": "Wood", "display_name": "Wood"}}
    arguments = {"model": "res.partner", "ids": [9], "values": {"name": "Wood & Co"}}
    plan = {"operation": "write", "arguments": {**arguments, "dry_run": True}}
    async with viewer(make_server(mode="full", tools="areas"), era) as client:
        shown = meta(await client.call_tool("odoo_change_records", plan))
        confirmed = {"tool": shown["tool"], "arguments": shown["confirms"], "seal": shown["seal"]}
        done = await client.call_tool(CONFIRM, confirmed)
        again = await client.call_tool(CONFIRM, confirmed)

    assert (shown["tool"], shown["view"]) == ("odoo_core_write", "review")
    assert not done.is_error
    assert again.is_error
    assert len(changes(odoo)) == 1
    assert odoo.records[9]["name"] == "Wood & Co"
