"""The prompts, from the client's request to what reaches Odoo and back, in both eras."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, GetPromptResult, TextContent

from odoo_toolkit_mcp.untrusted import PROMPT_NOTICE
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo, FaultError, _access_error

pytestmark = pytest.mark.anyio

FORM = """<form><header>
  <button name="action_archive" type="object" string="Archive"/>
  <button name="unlink" type="object" string="Hidden" modifiers='{"invisible": true}'/>
</header></form>"""

ARGUMENTS = {
    "odoo_overview": {},
    "odoo_domain_help": {},
    "odoo_model_guide": {"model_name": "res.partner"},
    "odoo_create_record": {"model_name": "res.partner"},
    "odoo_search_help": {"model_name": "res.partner", "query": "companies named Azure"},
}


@pytest.fixture
def odoo(odoo: FakeOdoo) -> FakeOdoo:
    """An Odoo that answers what prompts ask."""
    odoo.answers |= {
        ("res.users", "read"): lambda args, kwargs: [{"id": 2, "name": "Mitchell"}],
        ("res.partner", "fields_view_get"): lambda args, kwargs: {"arch": FORM},
        ("res.partner", "onchange"): lambda args, kwargs: {"value": {}},
        ("res.partner", "name_search"): lambda args, kwargs: [],
    }
    return odoo


def text_of(result: GetPromptResult) -> str:
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


async def ask(make_server: MakeServer, era: str, name: str, **keywords: Any) -> str:
    """Return the text of a prompt."""
    arguments = keywords.pop("arguments", ARGUMENTS[name])
    async with Client(make_server(**keywords), mode=era) as client:
        return text_of(await client.get_prompt(name, arguments))


async def test_all_prompts_are_listed_before_odoo_is_reached(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.stop()
    async with Client(make_server(), mode=era) as client:
        prompts = (await client.list_prompts()).prompts

    assert [prompt.name for prompt in prompts] == list(ARGUMENTS)
    assert {
        prompt.name: [argument.name for argument in prompt.arguments or ()] for prompt in prompts
    } == {name: list(arguments) for name, arguments in ARGUMENTS.items()}
    assert all(len(prompt.description or "") in range(1, 1001) for prompt in prompts)
    assert all(argument.required for p in prompts for argument in p.arguments or ())


async def test_the_overview_says_where_we_are_and_what_there_is(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    text = await ask(make_server, era, "odoo_overview")

    assert f"Odoo 14.0 (community) at {odoo.url}." in text
    assert "Database: odoo14" in text
    assert "User: Mitchell (uid: 2)" in text
    assert "Available toolsets: core" in text
    assert "- res.partner: Contact" in text
    assert "odoo_core_search_read" in text


@pytest.mark.parametrize("mode", ["readonly", "full"])
async def test_prompts_speak_only_of_tools_that_exist_in_the_mode(
    make_server: MakeServer, era: str, mode: str
) -> None:
    server = make_server(mode=mode)
    async with Client(server, mode=era) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        texts = [text_of(await client.get_prompt(n, a)) for n, a in ARGUMENTS.items()]

    prompts = set(ARGUMENTS)
    named = {name for text in texts for name in re.findall(r"\bodoo_[a-z]+_[a-z_]+", text)}
    assert named - prompts <= tools
    assert ("odoo_core_create" in named) is (mode == "full")


async def test_the_domain_help_covers_every_operator(make_server: MakeServer, era: str) -> None:
    """Those of Odoo 14: any came with 17."""
    from odoo_toolkit.arguments.domain_shape import OPERATORS

    text = await ask(make_server, era, "odoo_domain_help")

    for operator, since in OPERATORS.items():
        assert (f"`{operator}`" in text) is (since == 0), operator
    assert '"active_test": false' in text
    assert "[6, 0, [ids]]" in text


async def test_the_domain_helps_examples_are_valid_domains(
    make_server: MakeServer, era: str
) -> None:
    from odoo_toolkit.arguments import check_domain
    from odoo_toolkit_mcp.guides.domain_help import domain_help

    examples = re.findall(r'`(\[(?:\["|"[^`]*",)[^`]*\])`', domain_help(19))
    domains = [json.loads(f"[{example}]") for example in examples if "A" not in example]

    assert len(domains) > 30
    for example in domains:
        nested = isinstance(example[0][0], list) or example[0][0] in ("|", "!")
        inner = example[0] if nested else example
        assert check_domain(inner, version_major=19) == inner


async def test_the_guide_is_made_of_what_the_server_says(make_server: MakeServer, era: str) -> None:
    text = await ask(make_server, era, "odoo_model_guide", mode="full")

    assert text.startswith(f"{PROMPT_NOTICE}\n\n# Guide: res.partner (Contact)\n")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        *("## Fields", "## States", "## Actions", "## Common operations", "## Related models"),
        "## Tips",
    ]
    assert "- `country_id` (many2one of res.country): Country." in text
    assert "- `action_archive`: Archive." in text
    assert "unlink" not in text
    assert '`[["name", "ilike", "text"]]`' in text


async def test_creating_a_record_is_explained_with_live_defaults(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.answers["res.partner", "default_get"] = lambda args, kwargs: {"color": 7, "lang": "fr_FR"}

    text = await ask(make_server, era, "odoo_create_record", mode="full")

    assert "- `color`: 7" in text
    assert '- `lang`: "fr_FR"' in text
    assert "## Example" in text


async def test_search_help_gives_a_domain_that_was_tried_out_and_the_call(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    text = await ask(make_server, era, "odoo_search_help")

    domain = [["is_company", "=", True], ["name", "ilike", "Azure"]]
    assert f"(finds {len(odoo.records)} records now)" in text
    assert json.dumps(domain) in text
    assert "Tool `odoo_core_search_read` with" in text
    block = re.search(r"```json\n(.*?)\n```", text, re.DOTALL)
    assert json.loads(block[1])["domain"] == domain
    assert ("res.partner", "search_count", [domain]) in [call[:3] for call in odoo.calls]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("odoo_nonsense", {}, "Unknown prompt"),
        ("odoo_model_guide", {}, "model_name"),
        ("odoo_model_guide", {"model_name": " "}, "model_name"),
        ("odoo_search_help", {"model_name": "res.partner"}, "query"),
        ("odoo_overview", {"model_name": "res.partner"}, "no argument"),
        ("odoo_model_guide", {"model_name": "x" * 600}, "longer"),
    ],
)
async def test_wrong_arguments_are_refused_before_odoo_is_asked(
    make_server: MakeServer,
    odoo: FakeOdoo,
    era: str,
    name: str,
    arguments: dict[str, str],
    message: str,
) -> None:
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError, match=message) as caught:
            await client.get_prompt(name, arguments)

    assert caught.value.code == INVALID_PARAMS
    assert odoo.calls == []


@pytest.mark.parametrize("name", ["odoo_model_guide", "odoo_create_record", "odoo_search_help"])
@pytest.mark.parametrize("model", ["ir.cron", "no such model", "../res.partner", "sale.order"])
async def test_a_model_without_access_is_an_error_and_no_empty_text(
    make_server: MakeServer, odoo: FakeOdoo, era: str, name: str, model: str
) -> None:
    """Blocked by the policy, malformed, or refused by Odoo."""
    arguments = {**ARGUMENTS[name], "model_name": model}
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)

    assert caught.value.code == INVALID_PARAMS
    assert caught.value.data["category"] in ("access", "validation")
    assert all(call[0] != "ir.cron" for call in odoo.calls)


async def test_a_model_whose_form_odoo_refuses_is_an_error(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    def refuse(args: list[Any], kwargs: dict[str, Any]) -> Any:
        raise FaultError(_access_error("res.partner"))

    odoo.answers["res.partner", "fields_view_get"] = refuse
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("odoo_model_guide", {"model_name": "res.partner"})

    assert caught.value.data["code"] == "ACCESS_DENIED"


async def test_blocked_fields_stand_in_no_prompt(make_server: MakeServer, era: str) -> None:
    server = make_server(field_blocklist=["email", "country_id"])
    async with Client(server, mode=era) as client:
        texts = [
            text_of(await client.get_prompt(name, ARGUMENTS[name]))
            for name in ("odoo_model_guide", "odoo_create_record", "odoo_search_help")
        ]

    assert not any("`email`" in text or "country_id" in text for text in texts)


async def test_an_odoo_that_is_down_is_an_error_and_the_server_goes_on(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    async with Client(make_server(), mode=era) as client:
        await client.get_prompt("odoo_overview")
        odoo.stop()
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("odoo_overview")
        odoo.start()
        text = text_of(await client.get_prompt("odoo_overview"))

    assert caught.value.code == INTERNAL_ERROR
    assert caught.value.data["category"] == "connection"
    assert "Database: odoo14" in text


async def test_an_unforeseen_failure_does_not_show_its_text(
    make_server: MakeServer, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> str:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("odoo_toolkit_mcp.guides.overview.text", fail)
    async with Client(make_server(), mode=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("odoo_overview")

    assert "42" not in str(caught.value) + json.dumps(caught.value.data)


async def test_prompts_are_counted_and_written_to_the_audit_like_tools(
    make_server: MakeServer, era: str, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    server = make_server(
        audit=True, audit_file=str(log), audit_reads=True, rate_limit=True, rate_limit_burst=1
    )
    async with Client(server, mode=era) as client:
        await client.get_prompt("odoo_search_help", ARGUMENTS["odoo_search_help"])
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("odoo_search_help", ARGUMENTS["odoo_search_help"])

    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert {line["tool"] for line in lines} == {"prompt odoo_search_help"}
    assert caught.value.data["code"] == "RATE_LIMITED"
