"""Before a tool destroys something, the person behind the client is asked, in both eras."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ElicitResult, InputRequiredResult

from odoo_toolkit.annotations import DryRun
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.plans import Plan, planned
from odoo_toolkit_mcp import confirmation
from odoo_toolkit_mcp.affected import destroys
from odoo_toolkit_mcp.toolsets import ALL_TOOLSETS
from odoo_toolkit_mcp.untrusted import NOTICE, clean
from tests.kit.mcp import (
    YES,
    BookingToolset,
    Cancelled,
    Person,
    call,
    changes,
    error_of,
    mcp_server,
    toolset,
)
from tests.live.conftest import server, suffix
from tests.live.servers import Server
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo
from tests.mcp.texts import text_of

pytestmark = [pytest.mark.anyio, pytest.mark.every_era]

__all__ = ["server", "suffix"]

TWO = {"model": "res.partner", "ids": [9, 10]}


@pytest.fixture(autouse=True)
def _more_answers(odoo: FakeOdoo) -> None:
    odoo.answers["res.partner", "button_cancel"] = lambda args, kwargs: True
    odoo.answers["res.partner", "name_search"] = lambda args, kwargs: [
        [record_id, f"Deco {record_id}"] for record_id in (9, 10)
    ]


async def test_after_a_yes_it_is_done(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    person = Person()
    server = make_server(mode="full")
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_core_unlink", TWO)

    assert not result.is_error
    assert set(odoo.records) == {1}
    assert person.asked == [
        "Delete: 2 records (Contact, res.partner)\n- Wood Corner (id 9)\n- Deco Addict (id 10)\nYou"
        " cannot restore deleted records."
    ]


@pytest.mark.parametrize(
    "answer",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"confirm": False}),
        ElicitResult(action="accept", content={}),
        ElicitResult(action="accept", content={"confirm": "true"}),
        ElicitResult(action="decline", content={"confirm": True}),
    ],
    ids=["decline", "cancel", "accepted no", "accepted nothing", "text", "declined yes"],
)
async def test_without_a_yes_nothing_is_done(
    make_server: MakeServer, odoo: FakeOdoo, era: str, answer: ElicitResult
) -> None:
    person = Person(answer)
    server = make_server(mode="full")
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_core_unlink", TWO)

    error = error_of(result)
    assert (error["code"], error["retry"]) == ("VALIDATION_ERROR", False)
    assert "Nothing was done" in error["message"]
    assert len(person.asked) == 1
    assert changes(odoo) == []


@pytest.mark.parametrize(
    ("confirm", "askable", "questions", "done"),
    [
        ("auto", True, 1, True),
        ("auto", False, 0, True),
        ("always", True, 1, True),
        ("always", False, 0, False),
        ("never", True, 0, True),
        ("never", False, 0, True),
    ],
)
async def test_the_operator_decides(
    make_server: MakeServer,
    odoo: FakeOdoo,
    era: str,
    confirm: str,
    askable: bool,
    questions: int,
    done: bool,
) -> None:
    person = Person()
    server = make_server(mode="full", confirm=confirm)
    callback = person if askable else None
    async with Client(server, mode=era, elicitation_callback=callback) as client:
        result = await client.call_tool("odoo_core_unlink", TWO)

    assert len(person.asked) == questions
    assert changes(odoo) == (["unlink"] if done else [])
    if not done:
        assert error_of(result)["code"] == "ACCESS_DENIED"
        assert "ODOO_MCP_CONFIRM" in error_of(result)["suggestion"]


# What the question shows ------------------------------------------------------------------------


async def test_many_names_are_all_shown(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    odoo.records |= {i: {"id": i, "display_name": f"Partner {i}"} for i in range(101, 114)}
    person = Person(ElicitResult(action="decline"))
    server = make_server(mode="full")
    async with Client(server, mode=era, elicitation_callback=person) as client:
        await client.call_tool(
            "odoo_core_unlink", {"model": "res.partner", "ids": list(range(101, 114))}
        )

    lines = person.asked[0].splitlines()
    assert lines[0] == "Delete: 13 records (Contact, res.partner)"
    assert lines[1:14] == [f"- Partner {i} (id {i})" for i in range(101, 114)]


async def test_a_name_cannot_add_lines_to_the_question(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    odoo.records[9]["display_name"] = "Wood\n\nNothing is deleted.\u202e\u0007\U000e0041\u200b" * 9
    person = Person(ElicitResult(action="decline"))
    server = make_server(mode="full")
    async with Client(server, mode=era, elicitation_callback=person) as client:
        await client.call_tool("odoo_core_unlink", TWO)

    _, first, second, _ = person.asked[0].splitlines()
    assert first.startswith("- Wood Nothing is deleted.Wood Nothing")
    assert first.endswith("… (id 9)")
    assert second == "- Deco Addict (id 10)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ärzte & Söhne 株式会社", "Ärzte & Söhne 株式会社"),
        ("a\tb\r\nc\u2028d", "a b c d"),
        ("\x1b[31mred\x00", "[31mred"),
        ("x" * 81, "x" * 79 + "…"),
    ],
)
async def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected


async def test_where_names_are_closed_ids_are_shown(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    person = Person()
    server = make_server(mode="full", field_blocklist=["display_name"])
    async with Client(server, mode=era, elicitation_callback=person) as client:
        await client.call_tool("odoo_core_unlink", TWO)

    assert person.asked[0].splitlines()[1:3] == ["- id 9", "- id 10"]
    assert "read" not in odoo.methods()
    assert changes(odoo) == ["unlink"]


# What is asked about ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("unlink", True),
        ("button_cancel", True),
        ("action_archive", False),
        ("write", False),
        ("search_count", False),
    ],
)
async def test_execute_asks_about_methods_that_destroy(
    make_server: MakeServer, odoo: FakeOdoo, era: str, method: str, asked: bool
) -> None:
    person = Person()
    server = make_server(mode="full")
    args = {"write": [[9], {"color": 2}], "search_count": [[]]}.get(method, [[9]])
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool(
            "odoo_core_execute", {"model": "res.partner", "method": method, "args": args}
        )

    assert not result.is_error
    assert bool(person.asked) == asked
    if asked:
        assert "Wood Corner (id 9)" in person.asked[0]
    assert method in odoo.methods()


async def test_a_wizard_that_cancels_is_asked_about_once_with_its_records(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Each attempt makes a new wizard, so the question comes before; a no leaves nothing behind."""
    made = iter(range(70, 90))
    odoo.answers |= {
        ("sale.order.cancel", "fields_get"): lambda args, kwargs: {
            "order_id": {"type": "many2one", "relation": "sale.order", "string": "Order"}
        },
        ("sale.order.cancel", "default_get"): lambda args, kwargs: {"order_id": 9},
        ("sale.order.cancel", "create"): lambda args, kwargs: next(made),
        ("sale.order.cancel", "action_cancel"): lambda args, kwargs: True,
        ("sale.order", "fields_get"): lambda args, kwargs: {
            "display_name": {"type": "char", "string": "Name"}
        },
        ("sale.order", "read"): lambda args, kwargs: [{"id": 9, "display_name": "S00009"}],
    }
    wizard = {"wizard": "sale.order.cancel", "model": "sale.order", "ids": [9]}
    declining, person = Person(ElicitResult(action="decline")), Person()
    server = make_server(mode="full")
    async with Client(server, mode=era, elicitation_callback=declining) as client:
        refused = await client.call_tool("odoo_core_run_wizard", wizard)
    assert refused.is_error
    assert set(changes(odoo)) <= {"default_get"}
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_core_run_wizard", wizard)

    assert not result.is_error
    assert changes(odoo)[-2:] == ["create", "action_cancel"]
    assert [*map(len, (declining.asked, person.asked))] == [1, 1]
    assert "Call action_cancel: records (sale.order.cancel)" in person.asked[0]
    assert "About 1 record (sale.order)\n- S00009 (id 9)" in person.asked[0]


@pytest.mark.parametrize(
    ("method", "expected"),
    [("action_cancel", True), ("action_unlink", True), ("cancellation", False), ("copy", False)],
)
async def test_words_of_a_method(method: str, expected: bool) -> None:
    assert destroys(method) == expected


#: What Odoo takes for "all but these go", "this one is deleted", and the like.
REMOVING: dict[str, tuple[Any, int]] = {
    "false": (False, 2),
    "null": (None, 2),
    "clear": ([[5]], 2),
    "clear, three elements": ([[5, 0, 0]], 2),
    "set none": ([[6, 0, []]], 2),
    "set with false": ([[6, False, []]], 2),
    "set one": ([[6, 0, [9]]], 1),
    "a bare id": ([9], 1),
    "one command without its list": ([2, 9], 1),
    "a record as read": ([{"id": 9, "name": "Wood Corner"}], 1),
    "delete": ([[2, 10]], 1),
    "delete, by a float": ([[2.0, 10.0]], 1),
    "unlink": ([[3, 10, 0]], 1),
    "within a line": ([[1, 1, {"child_ids": False}]], 2),
    "within a line of a line": ([[1, 9, {"child_ids": [[1, 1, {"child_ids": [[5]]}]]}]], 2),
}


@pytest.mark.parametrize(
    ("method", "value", "removed"),
    [
        *(("write", value, removed) for value, removed in REMOVING.values()),
        *((method, False, 2) for method in ("web_save", "web_save_multi", "update")),
    ],
    ids=[*REMOVING, "web_save", "web_save_multi", "update"],
)
async def test_each_form_that_removes_lines_is_asked_about_with_their_number(
    make_server: MakeServer, odoo: FakeOdoo, era: str, method: str, value: Any, removed: int
) -> None:
    odoo.records[1]["child_ids"] = [9, 10]
    values: Any = {"child_ids": value}
    call_ = {
        "model": "res.partner",
        "method": method,
        "args": [[1], [values] if method == "web_save_multi" else values],
    }
    if method.startswith("web_save"):
        call_["args"] += [{}]
    person = Person(ElicitResult(action="decline"))
    async with Client(make_server(mode="full"), mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_core_execute", call_)

    assert result.is_error
    assert changes(odoo) == []
    (asked,) = person.asked
    assert f"This removes {removed} record" in asked
    assert "Wood Corner (id 9)" in asked or "Deco Addict (id 10)" in asked


async def test_values_in_a_method_that_nobody_knows_are_asked_about(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Whose lines it takes away cannot be known, so the question tells no number."""
    person = Person(ElicitResult(action="decline"))
    args = [[1], [{"child_ids": False}]]
    call_ = {"model": "res.partner", "method": "nobody_knows", "args": args}
    async with Client(make_server(mode="full"), mode=era, elicitation_callback=person) as client:
        assert (await client.call_tool("odoo_core_execute", call_)).is_error

    assert "This removes records (Contact, res.partner)" in person.asked[0]
    assert changes(odoo) == []


@pytest.mark.parametrize(
    "value", [True, 0, "", {}, "[[5]]", 9, [[True, 9]], [["2", 9]], [[]], [[2, 9], 10], [[3, [9]]]]
)
async def test_what_cannot_be_read_is_neither_asked_about_nor_sent(
    make_server: MakeServer, odoo: FakeOdoo, era: str, value: Any
) -> None:
    person = Person()
    call_ = {"model": "res.partner", "method": "write", "args": [[1], {"child_ids": value}]}
    async with Client(make_server(mode="full"), mode=era, elicitation_callback=person) as client:
        error = error_of(await client.call_tool("odoo_core_execute", call_))

    assert error["code"] == "VALUE_ERROR"
    assert "[6, 0, [ids]] set" in error["suggestion"]
    assert (person.asked, changes(odoo)) == ([], [])


@pytest.mark.parametrize("value", [[], [[4, 10]], [[0, 0, {"name": "x"}]], [[1, 9, {"color": 1}]]])
async def test_what_removes_nothing_is_not_asked_about(
    make_server: MakeServer, odoo: FakeOdoo, era: str, value: Any
) -> None:
    odoo.records[1]["child_ids"] = [9]
    person = Person()
    call_ = {"model": "res.partner", "method": "write", "args": [[1], {"child_ids": value}]}
    async with Client(make_server(mode="full"), mode=era, elicitation_callback=person) as client:
        await client.call_tool("odoo_core_execute", call_)

    assert person.asked == []
    assert changes(odoo) == ["write"]


async def test_a_dry_run_asks_nothing(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    person = Person()
    server = make_server(mode="full", confirm="always", toolsets=[BookingToolset])
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_booking_cancel", {"partner_id": 9, "dry_run": True})

    assert result.structured_content
    assert result.structured_content["message"] == "Would cancel it."
    assert person.asked == []
    assert changes(odoo) == []


async def test_a_dry_run_is_for_every_mode(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    """Also of a tool that the mode hides; the real run is refused, and says so."""
    server = make_server(mode="readonly", toolsets=[BookingToolset])
    async with Client(server, mode=era) as client:
        planned = await client.call_tool("odoo_booking_cancel", {"partner_id": 9, "dry_run": True})
        refused = [
            await client.call_tool("odoo_booking_cancel", {"partner_id": 9, **more})
            for more in ({}, {"dry_run": False})
        ]

    assert planned.structured_content
    assert planned.structured_content["message"] == "Would cancel it."
    assert "ODOO_MCP_MODE" in planned.structured_content["needs"]
    assert "Policy" not in planned.structured_content["needs"]
    assert text_of(planned).startswith(NOTICE)
    for result in refused:
        assert result.structured_content
        assert result.structured_content["code"] == "MODE_VIOLATION"
        assert "dry_run" in result.structured_content["suggestion"]
    assert changes(odoo) == []


async def test_a_function_that_takes_the_stop_for_a_failure_is_asked_about_all_the_same(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    def careless(odoo: Odoo) -> Cancelled:
        """Cancel, and say so whatever happened."""
        with contextlib.suppress(Exception):
            odoo.call(Call(model="res.partner", method="button_cancel", ids=(9,)))
        return Cancelled(id=9)

    person = Person(ElicitResult(action="decline"))
    server = make_server(mode="full", toolsets=[toolset(careless, "delete")])
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_test_work", {})

    assert error_of(result)["code"] == "VALIDATION_ERROR"
    assert len(person.asked) == 1
    assert changes(odoo) == []


async def test_a_write_that_was_admitted_and_is_then_sent_is_asked_about_as_well(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    def sending(odoo: Odoo) -> Cancelled:
        """Delete by the other way to Odoo."""
        odoo.send(odoo.admit(Call(model="res.partner", method="unlink", ids=(9,))))
        return Cancelled(id=9)

    person = Person(ElicitResult(action="decline"))
    server = make_server(mode="full", toolsets=[toolset(sending, access="delete")])
    async with Client(server, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_test_work", {})

    assert error_of(result)["code"] == "VALIDATION_ERROR"
    assert len(person.asked) == 1
    assert changes(odoo) == []


async def test_a_call_that_waits_and_was_in_no_plan_is_not_sent_and_the_others_are_told(
    make_server: MakeServer, odoo: FakeOdoo
) -> None:
    """What Odoo's answers lead to cannot be planned; a release is for what was."""
    color = Call(model="res.partner", method="write", ids=(9,), arguments={"vals": {"color": 1}})

    def deleting(odoo: Odoo, dry_run: DryRun = False) -> Cancelled | Plan:
        """Write as planned, and delete as not."""
        if dry_run:
            return planned(odoo, [color], "Would write.")
        odoo.call(color)
        odoo.call(Call(model="res.partner", method="unlink", ids=(9,)))
        return Cancelled(id=9)

    server = make_server(
        mode="full",
        confirm="never",
        approval=["*.unlink"],
        approvers=["olga"],
        toolsets=[toolset(deleting, access="write")],
    )
    async with Client(server) as client:
        error = error_of(await client.call_tool("odoo_test_work", {}))

    assert error["code"] == "METHOD_BLOCKED"
    assert "res.partner.unlink of [9] needs the approval of another user" in error["message"]
    assert "These calls were sent before it: res.partner.write [9]." in error["message"]
    assert changes(odoo) == ["write"]


async def test_a_name_is_chosen_first_and_the_question_is_asked_once(
    make_server: MakeServer, odoo: FakeOdoo, era: str
) -> None:
    person = Person()
    server = make_server(mode="full", toolsets=[BookingToolset])
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_booking_cancel", {"partner_name": "Deco"})

    assert result.structured_content == {"id": 10}
    _, question = person.asked
    assert question == (
        "Cancel booking\n"
        "Would cancel it.\n"
        "Call res.partner.button_cancel: 1 record\n"
        "- Deco Addict (id 10)\n"
        "partner_id: 10\n"
        "Its invoice is cancelled with it."
    )
    assert changes(odoo) == ["button_cancel", "write"]


@pytest.mark.parametrize("lines", [False, True], ids=["one line", "lines"])
async def test_a_file_is_shown_by_its_own_size_and_digest(
    make_server: MakeServer, era: str, lines: bool
) -> None:
    """They are of the file, as any program tells them, and not of the text that carries it."""
    person, content = Person(ElicitResult(action="decline")), b"A file of some bytes." * 20
    text = (base64.encodebytes if lines else base64.b64encode)(content).decode()
    values = {"child_ids": [[0, 0, {"image_128": text}]], "image_128": text, "name": text[:8]}
    given = {"model": "res.partner", "method": "write", "args": [[9], values]}
    server = make_server(mode="full", confirm_tools=["odoo_core_execute"])
    async with Client(server, mode=era, elicitation_callback=person) as client:
        await client.call_tool("odoo_core_execute", given)

    (question,) = person.asked
    shown = f"(a file of 420 bytes, SHA-256 {hashlib.sha256(content).hexdigest()})"
    assert question.count(shown) == 2
    assert text[:60] not in question
    assert text[:8] in question


async def test_the_operator_adds_tools(make_server: MakeServer, odoo: FakeOdoo, era: str) -> None:
    """One that changes asks before its first change, and one that reads before it reads."""
    person = Person(ElicitResult(action="decline"))
    server = make_server(mode="full", confirm_tools=["odoo_core_write", "odoo_core_read"])
    writing = {"model": "res.partner", "ids": [9], "values": {"color": 3}}
    async with Client(server, mode=era, elicitation_callback=person) as client:
        written = await client.call_tool("odoo_core_write", writing)
        read = await client.call_tool("odoo_core_read", TWO)
        counted = await client.call_tool("odoo_core_count", {"model": "res.partner"})

    assert error_of(written)["code"] == error_of(read)["code"] == "VALIDATION_ERROR"
    assert not counted.is_error
    assert person.asked == [
        "Update records: 1 record (Contact, res.partner)\n- Wood Corner (id 9)\n"
        'values: {"color": 3}',
        "Read records: 2 records (Contact, res.partner)\n"
        "- Wood Corner (id 9)\n- Deco Addict (id 10)",
    ]
    assert changes(odoo) == []


@pytest.mark.parametrize(
    "name", ["odoo_core_unlink", "odoo_sales_cancel_order", "odoo_project_log_timesheet"]
)
async def test_names_of_tools_in_other_modes_and_waiting_toolsets_are_known(
    make_server: MakeServer, name: str
) -> None:
    server = make_server(confirm_tools=[name], toolsets=ALL_TOOLSETS)

    await server.prepare(0)

    assert "odoo_core_read" in server.offered.served().tools


async def test_a_tool_that_does_not_exist_is_told_at_start(make_server: MakeServer) -> None:
    server = make_server(confirm_tools=["odoo_core_unlink", "odoo_core_delete"])

    with pytest.raises(ConfigurationError, match="'odoo_core_delete'") as error:
        await server.prepare(0)
    assert "ODOO_MCP_CONFIRM_TOOLS" in error.value.suggestion


# What is refused without a question ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "ids", "code"),
    [
        ({"method_blocklist": ["unlink"]}, [9], "METHOD_BLOCKED"),
        ({"model_blocklist": ["res.partner"]}, [9], "MODEL_BLOCKED"),
        ({"mode": "restricted"}, [9], "MODE_VIOLATION"),
        ({}, [9, 4711], "NOT_FOUND"),
        ({}, [0], "VALIDATION_ERROR"),
    ],
    ids=["method", "model", "mode", "missing", "no id"],
)
async def test_what_is_forbidden_is_refused_without_a_question(
    make_server: MakeServer,
    odoo: FakeOdoo,
    era: str,
    settings: dict[str, Any],
    ids: list[int],
    code: str,
) -> None:
    person = Person()
    server = make_server(**{"mode": "full", **settings})
    async with Client(server, mode=era, elicitation_callback=person) as client:
        result = await client.call_tool("odoo_core_unlink", {"model": "res.partner", "ids": ids})

    assert error_of(result)["code"] == code
    assert person.asked == []
    assert changes(odoo) == []


# Answers that are none (the stateless era) --------------------------------------------------------


class Forger:
    """A client that keeps the answers to itself and sends what it likes."""

    def __init__(self, client: Client) -> None:
        self._session = client.session

    async def send(
        self, tool: str, arguments: dict[str, Any], state: str | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; with a state, as if the person had said yes."""
        return await self._session.call_tool(
            tool,
            arguments,
            input_responses={confirmation.PLACE: YES} if state is not None else None,
            request_state=state,
            allow_input_required=True,
        )

    async def state(self, arguments: dict[str, Any]) -> str:
        """Return the request state of the question about deleting records."""
        result = await self.send("odoo_core_unlink", arguments)
        assert isinstance(result, InputRequiredResult)
        assert result.request_state
        return result.request_state


@pytest.fixture
def nobody() -> Iterator[Person]:
    """Makes a client that could ask, and never does by itself."""
    person = Person()
    yield person
    assert person.asked == []


async def test_a_yes_is_good_for_the_call_that_was_asked_about(
    make_server: MakeServer, odoo: FakeOdoo, nobody: Person
) -> None:
    async with Client(make_server(mode="full"), elicitation_callback=nobody) as client:
        forger = Forger(client)
        result = await forger.send("odoo_core_unlink", TWO, await forger.state(TWO))

    assert isinstance(result, CallToolResult)
    assert changes(odoo) == ["unlink"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("odoo_core_unlink", {"model": "res.partner", "ids": [1, 9, 10]}),
        ("odoo_core_unlink", {"model": "res.partner", "ids": [1]}),
        ("odoo_core_unlink", {**TWO, "context": {"force": True}}),
        ("odoo_core_execute", {"model": "res.partner", "method": "unlink", "args": [[9, 10]]}),
    ],
    ids=["more", "others", "context", "tool"],
)
async def test_a_yes_does_not_approve_another_call(
    make_server: MakeServer, odoo: FakeOdoo, nobody: Person, tool: str, arguments: dict[str, Any]
) -> None:
    async with Client(make_server(mode="full"), elicitation_callback=nobody) as client:
        forger = Forger(client)
        result = await forger.send(tool, arguments, await forger.state(TWO))

    # The person is asked about this one.
    assert isinstance(result, InputRequiredResult)
    assert changes(odoo) == []


async def test_a_yes_is_good_once(make_server: MakeServer, odoo: FakeOdoo, nobody: Person) -> None:
    async with Client(make_server(mode="full"), elicitation_callback=nobody) as client:
        forger = Forger(client)
        state = await forger.state(TWO)
        records = dict(odoo.records)
        await forger.send("odoo_core_unlink", TWO, state)
        odoo.records = records
        again = await forger.send("odoo_core_unlink", TWO, state)

    assert isinstance(again, InputRequiredResult)
    assert changes(odoo) == ["unlink"]


@pytest.mark.parametrize("kind", ["invented", "none", "of another process", "too late"])
async def test_a_ticket_that_is_none_approves_nothing(
    make_server: MakeServer,
    odoo: FakeOdoo,
    nobody: Person,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kind == "too late":
        monkeypatch.setattr("odoo_toolkit_mcp.sealing.LIFETIME", 0.0)
    async with (
        Client(make_server(mode="full"), elicitation_callback=nobody) as first,
        Client(make_server(mode="full"), elicitation_callback=nobody) as second,
    ):
        forger = Forger(first)
        state = await forger.state(TWO)
        if kind == "invented":
            state = json.dumps({**json.loads(state), confirmation.PLACE: "x" * 32})
        if kind == "none":
            state = "[" * 100_000
        if kind == "of another process":
            forger = Forger(second)
        result = await forger.send("odoo_core_unlink", TWO, state)

    assert isinstance(result, InputRequiredResult)
    assert changes(odoo) == []


async def test_a_yes_is_void_when_the_records_have_changed(
    make_server: MakeServer, odoo: FakeOdoo, nobody: Person
) -> None:
    async with Client(make_server(mode="full"), elicitation_callback=nobody) as client:
        forger = Forger(client)
        state = await forger.state(TWO)
        odoo.records[9]["display_name"] = "Somebody else"
        result = await forger.send("odoo_core_unlink", TWO, state)

    assert isinstance(result, InputRequiredResult)
    assert result.input_requests
    assert "Somebody else" in result.model_dump_json()
    assert changes(odoo) == []


async def test_a_yes_of_another_client_is_none(
    make_server: MakeServer, odoo: FakeOdoo, nobody: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Client(make_server(mode="full"), elicitation_callback=nobody) as client:
        forger = Forger(client)
        monkeypatch.setattr("odoo_toolkit_mcp.server.client_of", lambda request: "ann")
        state = await forger.state(TWO)
        monkeypatch.setattr("odoo_toolkit_mcp.server.client_of", lambda request: "bob")
        result = await forger.send("odoo_core_unlink", TWO, state)

    assert isinstance(result, InputRequiredResult)
    assert changes(odoo) == []


async def test_a_choice_among_names_is_no_yes(
    make_server: MakeServer, odoo: FakeOdoo, nobody: Person
) -> None:
    server = make_server(mode="full", toolsets=[BookingToolset])
    async with Client(server, elicitation_callback=nobody) as client:
        result = await client.session.call_tool(
            "odoo_booking_cancel",
            {"partner_name": "Deco"},
            input_responses={
                "partner_id": ElicitResult(action="accept", content={"record": "Deco (id 9)"})
            },
            request_state=json.dumps({"partner_id": 9, confirmation.PLACE: 9}),
            allow_input_required=True,
        )

    assert isinstance(result, InputRequiredResult)
    assert changes(odoo) == []


# Real servers -------------------------------------------------------------------------------------


async def test_real_records_are_named_and_stay_after_a_no(
    server: Server, suffix: str, era: str
) -> None:
    name = f"To be asked about {suffix}"
    person = Person(ElicitResult(action="decline"))
    odoo = mcp_server(server, server.user("admin"), mode="full")
    file = {"name": f"{suffix}.txt", "content_base64": "aGVsbG8="}
    async with Client(odoo, mode=era, elicitation_callback=person) as client:
        values = {"name": name, "type": "contact"}
        partner = (await call(client, "odoo_core_create", model="res.partner", values=values))["id"]
        of_partner = {"model": "res.partner", "record_id": partner}
        attachment = (await call(client, "odoo_attachments_upload", **of_partner, **file))["id"]
        order = (
            await call(
                client, "odoo_core_create", model="sale.order", values={"partner_id": partner}
            )
        )["id"]
        destroying = [
            ("odoo_sales_cancel_order", {"order_id": order}),
            ("odoo_attachments_delete", {"attachment_id": attachment}),
            ("odoo_core_unlink", {"model": "sale.order", "ids": [order]}),
            ("odoo_core_unlink", {"model": "res.partner", "ids": [partner]}),
        ]
        refused = [error_of(await client.call_tool(*item))["code"] for item in destroying]
        left = await call(client, "odoo_core_read", model="sale.order", ids=[order])
        questions, person.asked, person.answer = person.asked, [], YES
        done = [await client.call_tool(*item) for item in destroying]
        gone = await call(
            client, "odoo_core_count", model="res.partner", domain=[["id", "=", partner]]
        )

    assert refused == ["VALIDATION_ERROR"] * 4
    assert left["records"][0]["state"] == "draft"
    assert "also cancels" in questions[0]
    assert left["records"][0]["name"] in questions[0]
    assert file["name"] in questions[1]
    assert left["records"][0]["name"] in questions[2]
    assert name in questions[3]
    assert not [result.structured_content for result in done if result.is_error]
    assert len(person.asked) == 4
    assert gone["count"] == 0
