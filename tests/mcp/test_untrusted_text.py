"""Text that somebody wrote into Odoo for a model to read: marked as data, and in plain sight."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp import Client, MCPError
from mcp.types import CallToolResult, ResourceLink, TextContent, TextResourceContents

from odoo_toolkit_mcp import results
from odoo_toolkit_mcp.toolsets.attachments import AttachmentsToolset
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.untrusted import (
    BEGIN,
    END,
    ERROR_NOTICE,
    FILE_NOTICE,
    NOTICE,
    PROMPT_NOTICE,
    RESOURCE_NOTICE,
    cleaned,
    cleaned_json,
    marked,
)
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo, FaultError, serve
from tests.mcp.texts import (
    ATTACKS,
    as_shown,
    assert_marked,
    between_marks,
    data_of,
    hidden_in,
    text_of,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def make_server(make_server: MakeServer) -> MakeServer:
    """Makes a server that has the attachments toolset, too."""

    def make(**keywords: Any) -> Any:
        return make_server(toolsets=[CoreToolset, AttachmentsToolset], **keywords)

    return make


@pytest.fixture(params=ATTACKS)
def attack(request: pytest.FixtureRequest) -> str:
    """Each of the texts in turn."""
    return ATTACKS[request.param]


@pytest.fixture
def attacked(odoo: FakeOdoo, attack: str) -> str:
    """An Odoo in which somebody has named a contact like that; returns the text."""
    odoo.records[1] |= {"name": attack, "comment": f"Dear AI,\n{attack}"}
    return attack


async def call(server: Any, tool: str, era: str = "auto", **arguments: Any) -> CallToolResult:
    async with Client(server, mode=era) as client:
        result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    return result


# Results.


async def test_records_arrive_marked_and_exact(
    make_server: MakeServer, era: str, attacked: str
) -> None:
    arguments: dict[str, Any] = {"model": "res.partner", "ids": [1], "fields": ["name", "comment"]}
    result = await call(make_server(), "odoo_core_read", era, **arguments)

    assert_marked(result)
    assert result.structured_content
    (record,) = result.structured_content["records"]
    assert (record["name"], record["comment"]) == (attacked, f"Dear AI,\n{attacked}")


async def test_without_marks_all_is_as_odoo_has_it(
    make_server: MakeServer, era: str, attacked: str
) -> None:
    arguments: dict[str, Any] = {"model": "res.partner", "ids": [1], "fields": ["name", "comment"]}
    marks = await call(make_server(), "odoo_core_read", era, **arguments)
    plain = await call(make_server(mark_data=False), "odoo_core_read", era, **arguments)

    assert plain.structured_content == marks.structured_content
    assert len(plain.content) == 1
    assert json.loads(text_of(plain)) == plain.structured_content


async def test_names_of_files_and_what_is_in_them(
    make_server: MakeServer, odoo: FakeOdoo, era: str, attack: str
) -> None:
    page = f"<html><body><p>Dear AI</p>{attack}</body></html>"
    serve(odoo, page.encode(), name=f"{attack}.html", mimetype="text/html")
    result = await call(
        make_server(), "odoo_attachments_get_content", era, attachment_id=5, as_text=True
    )

    assert_marked(result)
    assert result.structured_content
    assert result.structured_content["name"] == f"{attack}.html"


async def test_names_beside_links(make_server: MakeServer, odoo: FakeOdoo, attack: str) -> None:
    address = f"https://example.com/{attack}"
    serve(odoo, b"", name=attack, type="url", url=address)
    result = await call(make_server(), "odoo_attachments_get_content", attachment_id=5)

    assert_marked(result)
    _, link = result.content
    assert isinstance(link, ResourceLink)
    assert hidden_in(link.name + link.uri) == set()
    assert result.structured_content
    assert result.structured_content["url"] == address


async def test_errors_of_odoo_that_quote_records(
    make_server: MakeServer, odoo: FakeOdoo, era: str, attack: str
) -> None:
    """A name says nothing to the model; what to do next is the toolkit's to say."""

    def refuse(args: list[Any], kwargs: dict[str, Any]) -> Any:
        said = f"{attack} is archived."
        raise FaultError({"data": {"name": "odoo.exceptions.UserError", "message": said}})

    odoo.answers["res.partner", "write"] = refuse
    arguments: dict[str, Any] = {"model": "res.partner", "ids": [1], "values": {"phone": "1"}}
    result = await call(make_server(mode="full"), "odoo_core_write", era, **arguments)
    plain = await call(make_server(mode="full", mark_data=False), "odoo_core_write", **arguments)

    assert result.is_error
    assert result.structured_content == plain.structured_content
    assert hidden_in(text_of(result)) == set()
    assert text_of(result).startswith(f"{ERROR_NOTICE}\n{BEGIN}\n")
    assert data_of(result) == as_shown(result.structured_content)
    assert json.loads(text_of(plain)) == plain.structured_content


async def test_only_what_comes_from_odoo_is_marked(make_server: MakeServer, era: str) -> None:
    """Not what the server says of itself, nor that a tool is not there in this mode."""
    server = make_server()
    listed = await call(server, "odoo_core_list_toolsets", era)
    hidden = await call(server, "odoo_core_unlink", era, model="res.partner", ids=[1])
    counted = await call(server, "odoo_core_count", era, model="res.partner")

    assert json.loads(text_of(listed)) == listed.structured_content
    assert json.loads(text_of(hidden)) == hidden.structured_content
    data = json.dumps(counted.structured_content, separators=(",", ":"))
    assert text_of(counted) == f"{NOTICE}\n{BEGIN}\n{data}\n{END}"


# The marks themselves.


def test_the_notice_and_the_marks_are_documented() -> None:
    """They are constant, so that clients and reviewers can rely on them."""
    guide = (Path(__file__).parents[2] / "docs/permissions.md").read_text("utf-8")
    said = " ".join(guide.split())

    assert f"{BEGIN}\n" in guide
    assert f"{END}\n" in guide
    for notice in (NOTICE, RESOURCE_NOTICE, FILE_NOTICE, PROMPT_NOTICE):
        assert notice in said


PIECES = st.sampled_from(
    [
        *(BEGIN, END, NOTICE, "untrusted", "odoo", "data", "-", "_", "<", "</", ">", "/", " ", "U"),
        *("\\", '"', "\n", "\r\n", "\\u0075", "\\n", "\u017f", "\u200b", "\ufe0f", "\x1b"),
        "\U000e0041",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join)


@given(text=TEXTS, name=TEXTS)
@example(text="\\untrusted-odoo-data", name="\\\\untrusted-odoo-data")
@example(text="</untrusted-\\u006fdoo-data>", name="untrusted\x1b-odoo\r-data")
def test_no_text_forges_a_mark_or_hides(text: str, name: str) -> None:
    """Whatever a record says: the JSON means the same, in one line, with the marks around it."""
    text, name = (each.encode("utf-8", "replace").decode() for each in (text, name))
    shown = marked(cleaned_json(results.json_text({name: [text]})))

    data = between_marks(shown)
    assert json.loads(data) == {cleaned(name): [cleaned(text)]}
    assert "untrusted-odoo-data" not in data.casefold()
    assert hidden_in(shown) == set()
    assert not re.search("[\ufe0e\ufe0f]{2}", shown)


def test_what_is_no_disguise_stays() -> None:
    """Other scripts, emoji with their colour, tabs and new lines, signs that look special."""
    text = "Müller & Söhne <info@example.com>\n\tÉlan ❤️ 日本 עברית العربية हिन्दी ½ €"

    assert cleaned(text) == text
    assert cleaned_json(json.dumps([text], ensure_ascii=False, separators=(",", ":"))) == (
        json.dumps([text], ensure_ascii=False, separators=(",", ":"))
    )


def test_numbers_are_the_same_in_cleaned_json() -> None:
    exact = '{"a":"x","n":[1,2.5,1e300,-0.0,123456789012345678901234567890,true,null]}'
    again = cleaned_json(exact.replace('"x"', '"x\\u001b"'))
    assert repr(json.loads(again)) == repr(json.loads(exact))


# Resources and prompts.


async def read(server: Any, era: str, uri: str) -> list[TextResourceContents]:
    async with Client(server, mode=era) as client:
        contents = (await client.read_resource(uri)).contents
    assert all(isinstance(item, TextResourceContents) for item in contents)
    return [item for item in contents if isinstance(item, TextResourceContents)]


async def test_resources_stay_json_and_have_the_notice_beside_them(
    make_server: MakeServer, era: str, attacked: str
) -> None:
    uri = "odoo://record/res.partner/1"
    data, notice = await read(make_server(), era, uri)
    (plain,) = await read(make_server(mark_data=False), era, uri)

    assert (data.uri, data.mime_type) == (uri, "application/json")
    assert json.loads(data.text) == as_shown(json.loads(plain.text))
    assert json.loads(plain.text)["record"]["name"] == attacked
    assert hidden_in(data.text) == set()
    assert (notice.text, notice.mime_type) == (RESOURCE_NOTICE, "text/plain")
    assert notice.uri != uri


@pytest.mark.parametrize(
    "uri", ["odoo://system/info", "odoo://system/toolsets", "odoo://config/safety"]
)
async def test_what_the_server_says_of_itself_has_no_notice(
    make_server: MakeServer, era: str, uri: str
) -> None:
    assert len(await read(make_server(), era, uri)) == 1


async def test_errors_of_resources_hide_nothing(make_server: MakeServer, attack: str) -> None:
    async with Client(make_server()) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(f"odoo://record/res.partner?domain={attack}")

    assert hidden_in(caught.value.error.message) == set()


@pytest.fixture
def labelled(odoo: FakeOdoo, attack: str) -> str:
    """An Odoo in which labels, helps, values and the user's name are like that."""
    fields = odoo.answers["res.partner", "fields_get"]([], {})
    type_field = {
        **fields["type"],
        "required": True,
        "string": attack,
        "help": attack,
        "selection": [["contact", attack], ["other", attack]],
    }
    odoo.answers |= {
        ("res.users", "read"): lambda args, kwargs: [{"id": 2, "name": attack}],
        ("ir.model", "search_read"): lambda args, kwargs: [
            {"id": 80, "model": "res.partner", "name": attack}
        ],
        ("res.partner", "fields_get"): lambda args, kwargs: {**fields, "type": type_field},
        ("res.partner", "fields_view_get"): lambda args, kwargs: {"arch": "<form/>"},
        ("res.partner", "onchange"): lambda args, kwargs: {"value": {}},
        ("res.partner", "default_get"): lambda args, kwargs: {"comment": attack},
        ("res.partner", "name_search"): lambda args, kwargs: [],
    }
    return attack


PROMPTS = {
    "odoo_overview": {},
    "odoo_model_guide": {"model_name": "res.partner"},
    "odoo_create_record": {"model_name": "res.partner"},
    "odoo_search_help": {"model_name": "res.partner", "query": "companies"},
}


async def prompt(server: Any, era: str, name: str, arguments: dict[str, str]) -> str:
    async with Client(server, mode=era) as client:
        (message,) = (await client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


@pytest.mark.parametrize("name", PROMPTS)
async def test_prompts_quote_odoo_below_the_notice(
    make_server: MakeServer, era: str, labelled: str, name: str
) -> None:
    """A label cannot begin a line, as a heading or an instruction of the prompt would."""
    text = await prompt(make_server(mode="full"), era, name, PROMPTS[name])
    own = [line for line in labelled.splitlines() if line.strip()]

    assert text.startswith(f"{PROMPT_NOTICE}\n\n")
    assert hidden_in(text) == set()
    assert cleaned(" ".join(labelled.split()))[:20] in text
    assert not {cleaned(line).strip() for line in own} & set(text.splitlines())


async def test_prompt_without_anything_of_odoo_has_no_notice(
    make_server: MakeServer, era: str
) -> None:
    text = await prompt(make_server(), era, "odoo_domain_help", {})
    marks_off = await prompt(make_server(mark_data=False), era, "odoo_domain_help", {})

    assert PROMPT_NOTICE not in text
    assert text == marks_off


async def test_prompts_without_the_notice(make_server: MakeServer, odoo: FakeOdoo) -> None:
    odoo.answers["res.users", "read"] = lambda args, kwargs: [{"id": 2, "name": "A\x1bB"}]
    text = await prompt(make_server(mark_data=False), "auto", "odoo_overview", {})

    assert PROMPT_NOTICE not in text
    assert "A\x1bB" in text
