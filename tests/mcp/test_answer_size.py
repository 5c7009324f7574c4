"""The budget of answers: whole records are left out, and the answer says what and how to go on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.types import CallToolResult
from pydantic_core import to_json

from odoo_toolkit_mcp import results
from odoo_toolkit_mcp.answer_size import within_budget
from odoo_toolkit_mcp.views.serving import CALL, META
from tests.kit.mcp import meta, viewer
from tests.mcp import list_sizes
from tests.mcp.conftest import MakeServer
from tests.mcp.fake_odoo import FakeOdoo
from tests.mcp.texts import as_shown, data_of

pytestmark = pytest.mark.anyio

BUDGET = 4000
TOOLS = list_sizes.table("full").tools

#: About 100 bytes each.
ROWS = [{"id": n, "name": f"Row {n:03} " + "x" * 70, "tags": [1, 2, 3]} for n in range(500)]


@pytest.fixture
def many(odoo: FakeOdoo) -> FakeOdoo:
    odoo.records = {n: {"id": n, "name": f"Customer {n:03} " + "x" * 60} for n in range(1, 301)}
    return odoo


def answer(data: dict[str, Any], tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
    """Return an answer within the budget, and the sentence in it."""
    shorter = within_budget(results.success(data), TOOLS[tool], arguments, BUDGET)
    assert data_of(shorter) == shorter.structured_content
    return shorter.structured_content, shorter.structured_content["warnings"][0]


async def test_pages_by_the_offset_that_is_named_have_every_record_once(
    make_server: MakeServer, many: FakeOdoo, era: str
) -> None:
    found: list[int] = []
    arguments = {"model": "res.partner", "fields": ["name"], "limit": 300, "offset": 0}
    async with Client(make_server(answer_kb=4), mode=era) as client:
        for _ in range(30):
            result = await client.call_tool("odoo_core_search_read", arguments)
            data = result.structured_content or {}
            assert data_of(result) == as_shown(data)
            assert len(to_json(data)) <= BUDGET
            assert data["count"] == len(data["records"])
            found += [row["id"] for row in data["records"]]
            if not data["has_more"]:
                break
            shown = rf"\d+ of \d+ records are returned.*offset {len(found)}[.,]"
            assert re.search(shown, str(data))
            arguments["offset"] = data["next_offset"]

    assert found == list(many.records)


async def test_an_answer_within_the_budget_is_left_as_it_is(
    make_server: MakeServer, many: FakeOdoo, era: str
) -> None:
    arguments = {"model": "res.partner", "fields": ["name"], "limit": 20}
    async with Client(make_server(answer_kb=4), mode=era) as client:
        data = (await client.call_tool("odoo_core_search_read", arguments)).structured_content or {}

    assert len(data["records"]) == 20
    assert "warnings" not in data


async def test_a_view_has_the_whole_answer(
    make_server: MakeServer, many: FakeOdoo, era: str
) -> None:
    arguments = {"model": "res.partner", "fields": ["name"], "limit": 200}
    async with viewer(make_server(answer_kb=4), era) as client:
        shown = await client.call_tool("odoo_core_search_read", arguments)
        by_view = await client.call_tool(
            CALL, {"tool": "odoo_core_search_read", "arguments": arguments}
        )
        short = await client.call_tool("odoo_core_search_read", {**arguments, "limit": 1})

    assert len((shown.structured_content or {})["records"]) < 50
    assert len(meta(shown)["whole"]["records"]) == 200
    assert len((by_view.structured_content or {})["records"]) == 200
    assert "whole" not in (short.meta or {})[META]


async def test_a_long_plan_is_confirmed_as_it_is(
    make_server: MakeServer, many: FakeOdoo, era: str
) -> None:
    """The seal is of the whole plan, which the view shows."""
    plan = {"model": "res.partner", "ids": list(range(1, 91)), "values": {"name": "y" * 80}}
    async with viewer(make_server(mode="full", answer_kb=4), era) as client:
        shown = await client.call_tool("odoo_core_write", {**plan, "dry_run": True})
        about = meta(shown)
        done = await client.call_tool(
            "odoo_view_confirm",
            {"tool": about["tool"], "arguments": about["confirms"], "seal": about["seal"]},
        )

    assert "plan fewer records" in (shown.structured_content or {})["warnings"][0]
    assert len(about["whole"]["changes"]) == 90
    assert not done.is_error, done.structured_content
    assert many.records[90]["name"] == "y" * 80


def test_only_the_list_of_a_change_is_shortened() -> None:
    data, said = answer({"success": True, "records": ROWS, "message": "Done."}, "odoo_core_create")

    assert (data["success"], data["message"]) == (True, "Done.")
    assert "All changes were made" in said
    assert "again" not in said


def test_queries_are_shortened_alike() -> None:
    answers = [{"records": ROWS[:200]}, {"count": 7}, {"records": ROWS[:3]}, {"records": ROWS}]
    data, said = answer({"answers": answers}, "odoo_core_run_queries", queries=[])

    short, counted, whole, other = data["answers"]
    assert len(short["records"]) == len(other["records"]) > 10
    assert short["has_more"] is other["has_more"] is True
    assert (counted, whole) == ({"count": 7}, {"records": ROWS[:3]})
    assert "of 200 answers[0].records" in said
    assert "of 500 answers[3].records" in said


def test_each_list_that_was_cut_is_named_with_the_offset_to_go_on() -> None:
    """As many as there can be queries, within the same budget; those left whole are not named."""
    queries = [{"model": "res.partner", "offset": 40 * n} for n in range(20)]
    answers = [{"records": ROWS[:9]} for _ in queries[:-2]] + [{"count": 3}, {"records": ROWS[:1]}]
    data, said = answer({"answers": answers}, "odoo_core_run_queries", queries=queries)

    assert len(to_json(data)) <= BUDGET
    assert all(one["has_more"] for one in data["answers"][:-2])
    for place, one in enumerate(data["answers"][:-2]):
        kept = len(one["records"])
        assert f"{kept} of 9 answers[{place}].records (offset {40 * place + kept})" in said
    assert said.count("answers[") == 18


def test_what_a_record_has_in_it_is_never_cut() -> None:
    """Not even lists that have the names of lists of answers."""
    rows = [{"id": n, "records": list(range(300)), "lines": [{"id": 1}] * 99} for n in range(9)]
    data, said = answer({"records": rows, "missing_ids": []}, "odoo_core_read", ids=[])

    assert data["records"] == rows[: len(data["records"])]
    assert len(data["records"]) < 9
    assert "their ids, or name fewer fields" in said


def test_one_long_record_stays() -> None:
    rows = [{"id": 1, "comment": "x" * 9000}, {"id": 2, "comment": "y"}]
    data, said = answer({"records": rows}, "odoo_core_search_read", offset=5)

    assert data["records"] == rows[:1]
    assert data["next_offset"] == 6
    assert "1 of 2 records are returned" in said
    assert "A single record exceeds" in said


def test_fields_and_searches_by_words_are_shortened() -> None:
    fields = {f"field_{n}": {"label": "x" * 50, "type": "char"} for n in range(200)}
    data, said = answer({"fields": fields, "field_count": 200}, "odoo_core_fields_get")
    assert data["fields"].items() < fields.items()
    assert data["field_count"] == 200
    assert f"{len(data['fields'])} of 200 fields are returned" in said

    found = {"res.partner": ROWS, "sale.order": ROWS[:5]}
    data, said = answer({"results": found}, "odoo_core_deep_search", query="row")
    assert data["results"]["sale.order"] == ROWS[:5]
    assert len(data["results"]["res.partner"]) < 40
    assert "results[res.partner]" in said


def test_plain_lists_are_shortened_last() -> None:
    data, _ = answer({"ids": list(range(200)), "records": ROWS}, "odoo_core_create")
    assert data["ids"] == list(range(200))
    assert data["records"]

    data, said = answer({"ids": list(range(9000)), "records": ROWS}, "odoo_core_create")
    assert len(data["ids"]) < 9000
    assert "of 9000 ids" in said


def test_errors_are_shortened() -> None:
    details = {"rows": [{"row": n, "problem": "x" * 60} for n in range(300)]}
    error = CallToolResult(
        content=[], structured_content={"code": "X", "details": details}, is_error=True
    )
    full = results.with_data(error, {"code": "X", "details": details})
    shorter = within_budget(full, TOOLS["odoo_core_create"], {}, BUDGET)

    assert shorter.is_error
    assert len(to_json(shorter.structured_content)) <= BUDGET
    assert "of 300 details.rows" in (shorter.structured_content or {})["warnings"][0]


def test_files_stay() -> None:
    """Their content is not counted; what is beside it is."""
    file = {"name": "a.pdf", "content_base64": "A" * 9000, "warnings": ["One.", "Two."]}
    result = results.success(file)
    assert within_budget(result, TOOLS["odoo_attachments_get_content"], {}, BUDGET) is result

    data, _ = answer({**file, "records": ROWS}, "odoo_core_search_read")
    assert data["content_base64"] == file["content_base64"]
    assert data["warnings"][1:] == file["warnings"]
    assert len(to_json(data)) < BUDGET + 9000


def test_a_long_text_stays_and_costs_nothing_else() -> None:
    told = {"text": "x" * 9000, "warnings": ["One.", "Two."]}
    result = results.success(told)

    assert within_budget(result, TOOLS["odoo_attachments_get_content"], {}, BUDGET) is result


@settings(deadline=None, max_examples=60)
@given(
    sizes=st.lists(st.lists(st.integers(0, 900), max_size=40), min_size=1, max_size=5),
    most=st.integers(4000, 9000),
)
def test_any_answer_is_within_the_budget_or_at_one_record_each(
    sizes: list[list[int]], most: int
) -> None:
    answers = [{"records": [{"id": n, "x": "y" * s} for n, s in enumerate(of)]} for of in sizes]
    before = results.success({"answers": answers})
    shorter = within_budget(before, TOOLS["odoo_core_run_queries"], {}, most)

    now = (shorter.structured_content or {})["answers"]
    for one, was in zip(now, answers, strict=False):
        assert one["records"] == was["records"][: len(one["records"])]
    if len(to_json(shorter.structured_content)) > most:
        assert all(len(one["records"]) <= 1 for one in now)
    assert (shorter is before) == (len(to_json({"answers": answers})) <= most)


@pytest.mark.parametrize("mode", ["readonly", "full"])
def test_what_areas_say_of_themselves_is_within_it(mode: str) -> None:
    from tests.mcp.list_sizes import all_areas

    for area in all_areas(mode).values():
        assert list_sizes.size(area.manifest()) < 24_000
        assert all(list_sizes.size(area.schema(operation)) < 24_000 for operation in area.tools)
