"""A name that means several records: the person is asked, or the matches are answered."""

from __future__ import annotations

import json
from typing import Annotated, Any

import attrs
import pytest
from annotated_doc import Doc
from mcp import Client
from mcp.types import CallToolRequestParams, ElicitResult

from odoo_toolkit.client import Odoo
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit_mcp.disambiguation import chosen, with_choice
from tests.kit.mcp import toolset
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo

pytestmark = pytest.mark.anyio

PARTNERS = [
    [15, "Azure Interior"],
    [26, "Azure Interior, Brandon Freeman"],
    [33, "Azure Interiors"],
]


@attrs.frozen(kw_only=True)
class Greeted:
    """Who was greeted."""

    ids: list[int]


def greet(
    odoo: Odoo,
    partner_id: Annotated[int | None, Doc("Whom.")] = None,
    partner_name: Annotated[str | None, Doc("Whom, by name.")] = None,
    lines: list[dict[str, Any]] | None = None,
) -> Greeted:
    """Greet partners."""
    wanted = [
        Wanted(model="res.partner", field="partner_id", id=partner_id, name=partner_name),
        *(
            Wanted(
                model="res.users",
                field=f"lines[{index}].user_id",
                id=line.get("user_id"),
                name=line.get("user_name"),
            )
            for index, line in enumerate(lines or ())
        ),
    ]
    return Greeted(ids=[found for found in resolve_all(odoo, wanted) if found])


#: One tool that takes names.
GreetingToolset = toolset(greet, name="odoo_greeting_greet")


@pytest.fixture(autouse=True)
def _several(odoo: FakeOdoo) -> None:
    def search(args: list[Any], kwargs: dict[str, Any]) -> Any:
        return [row for row in PARTNERS if args[0].lower() in row[1].lower()]

    odoo.answers["res.partner", "name_search"] = search
    odoo.answers["res.users", "name_search"] = search


async def test_the_person_chooses_and_the_call_goes_on(make_server: MakeServer, era: str) -> None:
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        options = params.requested_schema["properties"]["record"]["enum"]
        return ElicitResult(action="accept", content={"record": options[1]})

    server = make_server(toolsets=[GreetingToolset])
    async with Client(server, mode=era, elicitation_callback=answer) as client:
        result = await client.call_tool("odoo_greeting_greet", {"partner_name": "azure int"})

    assert result.structured_content == {"ids": [26]}
    assert "azure int" in asked[0]


async def test_several_questions_follow_each_other(make_server: MakeServer, era: str) -> None:
    picks = iter([2, 0])

    async def answer(context: Any, params: Any) -> ElicitResult:
        options = params.requested_schema["properties"]["record"]["enum"]
        return ElicitResult(action="accept", content={"record": options[next(picks)]})

    server = make_server(toolsets=[GreetingToolset])
    async with Client(server, mode=era, elicitation_callback=answer) as client:
        result = await client.call_tool(
            "odoo_greeting_greet",
            {"partner_name": "azure int", "lines": [{"user_name": "azure int"}]},
        )

    assert result.structured_content == {"ids": [33, 15]}


async def test_a_client_that_cannot_be_asked_gets_the_matches(
    make_server: MakeServer, era: str
) -> None:
    async with Client(make_server(toolsets=[GreetingToolset]), mode=era) as client:
        await client.list_tools()
        result = await client.call_tool("odoo_greeting_greet", {"partner_name": "azure int"})

    assert not result.is_error
    data = result.structured_content
    assert (data["status"], data["field"]) == ("disambiguation_needed", "partner_id")
    assert data["matches"][0] == {"id": 15, "name": "Azure Interior"}


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_person_who_does_not_choose_gets_the_matches(
    make_server: MakeServer, era: str, action: Any
) -> None:
    asked = 0

    async def answer(context: Any, params: Any) -> ElicitResult:
        nonlocal asked
        asked += 1
        return ElicitResult(action=action)

    server = make_server(toolsets=[GreetingToolset])
    async with Client(server, mode=era, elicitation_callback=answer) as client:
        result = await client.call_tool("odoo_greeting_greet", {"partner_name": "azure int"})

    assert result.structured_content["status"] == "disambiguation_needed"
    assert asked == 1


@pytest.mark.parametrize(
    ("arguments", "place", "expected"),
    [
        ({"partner_name": "x", "a": 1}, "partner_id", {"partner_id": 7, "a": 1}),
        (
            {"lines": [{}, {"product_name": "x"}]},
            "lines[1].product_id",
            {"lines": [{}, {"product_id": 7}]},
        ),
        ({"partner_id": 1}, "partner_id", None),
        ({"lines": []}, "lines[3].product_id", None),
        ({"lines": "x"}, "lines[0].product_id", None),
        ({"partner_name": "x"}, "partner", None),
    ],
)
async def test_a_choice_takes_the_place_of_the_name(
    arguments: dict[str, Any], place: str, expected: Any
) -> None:
    before = json.dumps(arguments)

    assert with_choice(arguments, place, 7) == expected
    assert json.dumps(arguments) == before


@pytest.mark.parametrize("state", ["", "[]", "{", '{"partner_id": "1"}', '{"partner_id": true}'])
async def test_a_state_that_is_none_changes_nothing(state: str) -> None:
    params = CallToolRequestParams(name="x", request_state=state)

    assert chosen({"partner_name": "x"}, params) == {"partner_name": "x"}
