"""Skills over both eras, as the extension says; and that what they name is there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from mcp import Client
from mcp.types import TextResourceContents

from odoo_toolkit_mcp.instructions import instructions_for
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.skill_list import EXTENSION, Skill, skills
from odoo_toolkit_mcp.tool_groups import area_of
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo
from tests.mcp.http_server import RunningServer
from tests.skill_steps import filled, placeholders, steps_of

ROOT = Path(__file__).parents[2]
NAMES = [
    "chase-overdue-invoices",
    "import-contacts",
    "month-end",
    "plan-purchases",
    "who-is-this-customer",
]
#: The tools as clients are shown them.
TOOLS = {
    tool["name"]: tool
    for path in sorted((Path(__file__).parent / "golden").glob("*.json"))
    for tool in json.loads(path.read_text("utf-8"))
}
#: The tools of an area that the skills name as an example.
AREAS = {f"odoo_{verb}_{area_of(tool)}" for tool in TOOLS for verb in ("read", "change")}
ALL = list(skills().values())


@pytest.fixture
def served(make_server: MakeServer, odoo: FakeOdoo) -> Iterator[RunningServer]:
    """A server whose Odoo is down: skills need none."""
    odoo.stop()
    with RunningServer(make_server(transport="http")) as running:
        yield running


def ask(served: RunningServer, era: str, method: str, **params: Any) -> dict[str, Any]:
    message: dict[str, Any] = served.post(era, method, params).message
    return message


def test_all_are_listed_with_their_digests(served: RunningServer, era: str) -> None:
    result = ask(served, era, "skills/list")["result"]

    assert [skill["frontmatter"]["name"] for skill in result["skills"]] == NAMES
    assert (result["cacheScope"], result["ttlMs"] > 0) == ("public", True)
    assert "nextCursor" not in result
    if era == "auto":
        assert result["resultType"] == "complete"
    for skill in result["skills"]:
        name = skill["frontmatter"]["name"]
        assert skill["uri"] == f"skill://{name}/SKILL.md"
        content = (ROOT / "skills" / name / "SKILL.md").read_bytes()
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        file = {"uri": skill["uri"], "digest": digest, "size": len(content)}
        assert skill["resources"] == [file]
        assert skill["frontmatter"] == yaml.safe_load(content.decode().split("---\n")[1])


def test_one_by_its_address(served: RunningServer, era: str) -> None:
    listed = ask(served, era, "skills/list")["result"]["skills"][2]
    result = ask(served, era, "skills/get", uri=listed["uri"])["result"]

    assert result["skill"] == listed
    assert result["cacheScope"] == "public"


@pytest.mark.parametrize(
    "uri",
    [
        "skill://month-end",
        "skill://month-end/",
        "skill://month-end/../month-end/SKILL.md",
        "skill://../../etc/passwd",
        "skill://no-such-skill/SKILL.md",
        "odoo://system/info",
        "",
    ],
)
def test_what_is_not_a_skill(served: RunningServer, era: str, uri: str) -> None:
    error = ask(served, era, "skills/get", uri=uri)["error"]
    assert error["code"] == -32602
    if uri.startswith("skill:"):
        read = served.post(era, "resources/read", {"uri": uri}, Mcp_Name=uri).message
        assert read["error"]["code"] == -32602


def test_without_an_address(served: RunningServer, era: str) -> None:
    assert ask(served, era, "skills/get")["error"]["code"] == -32602


@pytest.mark.anyio
async def test_their_text_is_that_of_the_digest(make_server: MakeServer, era: str) -> None:
    async with Client(make_server(), mode=era) as client:
        listed = {item.uri: item for item in (await client.list_resources()).resources}
        for skill in ALL:
            (contents,) = (await client.read_resource(skill.uri)).contents
            assert isinstance(contents, TextResourceContents)
            assert contents.text.encode() == skill.content
            assert contents.mime_type == listed[skill.uri].mime_type == "text/markdown"
            assert listed[skill.uri].description == skill.frontmatter["description"]
            assert listed[skill.uri].size == len(skill.content)


@pytest.mark.anyio
async def test_the_extension_is_declared(make_server: MakeServer) -> None:
    async with Client(make_server()) as client:
        assert (client.server_capabilities.extensions or {})[EXTENSION] == {}


def test_the_instructions_name_them() -> None:
    said = instructions_for(set(TOOLS), ServerSettings(mode="full"), "flat")
    assert all(name in said for name in NAMES)
    assert len(said) <= 2000


# What they say ------------------------------------------------------------------------------


@pytest.mark.parametrize("skill", ALL, ids=NAMES)
def test_its_head_is_as_agent_skills_want_it(skill: Skill) -> None:
    assert set(skill.frontmatter) == {"name", "description"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill.name)
    assert len(skill.frontmatter["description"]) <= 1024
    assert len(skill.content) < 5000


@pytest.mark.parametrize("skill", ALL, ids=NAMES)
def test_its_tools_and_arguments_exist(skill: Skill) -> None:
    text = skill.content.decode()
    steps = steps_of(text)
    assert steps
    for name in re.findall(r"odoo_[a-z_]+", text):
        assert name in TOOLS or name in AREAS, name
    for step in steps:
        schema = TOOLS[step.tool]["inputSchema"]
        assert set(step.arguments) <= set(schema["properties"]), step
        assert set(schema.get("required", ())) <= set(step.arguments), step
        for name, value in step.arguments.items():
            if not placeholders(value):
                jsonschema.validate(value, schema["properties"][name])


@pytest.mark.parametrize("skill", ALL, ids=NAMES)
def test_the_words_it_takes_from_tools_exist(skill: Skill) -> None:
    """What is between backquotes is asked for, an argument, an answer, or a value of one."""
    text = skill.content.decode()
    asked = set(re.findall(r"`([a-z_]+)`", text.partition("\n## ")[0]))
    schemas = json.dumps(
        [TOOLS[name] for name in re.findall(r"odoo_[a-z_]+", text) if name in TOOLS]
    )
    for word in set(re.findall(r"`([a-z_]+)`", text)) - asked:
        assert word in TOOLS or word in skill.name or f'"{word}"' in schemas, word


@pytest.mark.parametrize("skill", ALL, ids=NAMES)
def test_its_placeholders_are_asked_for_or_answered_before(skill: Skill) -> None:
    text = skill.content.decode()
    asked = set(re.findall(r"`([a-z_]+)`", text.partition("\n## ")[0]))
    before: set[str] = set()
    for step in steps_of(text):
        for path in placeholders(step.arguments):
            assert path in asked or path.partition(".")[0] in before, path
        before.add(step.number)


@pytest.mark.parametrize("skill", ALL, ids=NAMES)
def test_a_step_that_writes_comes_after_its_dry_run(skill: Skill) -> None:
    """And the skill says at its top that the user must agree."""
    text = skill.content.decode()
    planned = set()
    for step in steps_of(text):
        tool = TOOLS[step.tool]
        if tool["annotations"]["readOnlyHint"] or step.tool == "odoo_chatter_schedule_activity":
            continue
        assert "before the user has agreed" in text
        if step.arguments.get("dry_run"):
            planned.add(step.tool)
        assert step.tool in planned, step


def test_placeholders_are_filled() -> None:
    known = {"name": "Ada", "rows": [{"a": 1}], "1": {"orders": [{"id": 7}]}}
    value = {"x": "${1.orders.0.id}", "y": ["To ${name}: ${1.orders.0.id}"], "z": "${rows}", "n": 1}
    assert filled(value, known) == {"x": 7, "y": ["To Ada: 7"], "z": [{"a": 1}], "n": 1}
